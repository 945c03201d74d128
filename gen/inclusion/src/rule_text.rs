//! Keywords, branches and the nodes around them as texts of CEL rules.
//!
//! Invariants: the rule that a keyword is written as is true only for values that the keyword accepts.

use std::borrow::Cow;

use crd_cel::escape;
use crd_model::Schema;
use serde_json::Value;

use crate::difference::{Bound, Difference, Field};
use crate::edit::{Presence, Side};
use crate::entailment::{has_branches, is_taken_apart};
use crate::position::Step;
use crate::walk::{LocatedDifference, differences};

/// The names of a value in a rule: as it is now, and as it was before an update where a rule reads that.
pub(crate) struct Named {
    pub(crate) now: String,
    pub(crate) before: Option<String>,
}

/// What a node below a value states, as a rule about the value.
pub(crate) fn around(
    value: &Named,
    steps: &[Step<'_>],
    node: &Schema,
    stated: &dyn Fn(&Named) -> String,
) -> Option<String> {
    let Some((step, rest)) = steps.split_first() else { return Some(stated(value)) };
    Some(match step {
        Step::Field(name) => {
            let written = escape(name)?;
            let field = |value: &String| format!("{value}.{written}");
            let field = Named { now: field(&value.now), before: value.before.as_ref().map(field) };
            let below = around(&field, rest, node.properties.get(name)?, stated)?;
            let absent = [&field.now].into_iter().chain(&field.before).map(|field| format!("!has({field}) || "));
            format!("({}{below})", absent.collect::<String>())
        }
        // Servers find the item as it was before by the keys of the list.
        Step::Item if value.before.is_some() => return None,
        Step::Value => return None,
        Step::Item => {
            let item = Named { now: format!("i{}", rest.len()), before: None };
            let below = around(&item, rest, node.items.as_deref()?, stated)?;
            format!("{}.all({}, {below})", value.now, item.now)
        }
    })
}

/// What the branches of a node state, as a rule; none if it has none, or if no rule states exactly that.
pub(crate) fn branches(node: &Schema) -> Option<String> {
    let Schema { all_of, any_of, one_of, not, .. } = node;
    let branches = Schema {
        all_of: all_of.clone(),
        any_of: any_of.clone(),
        one_of: one_of.clone(),
        not: not.clone(),
        ..Schema::default()
    };
    has_branches(&branches).then(|| branch(&branches, node))?
}

/// What a branch of a node states about `self`.
fn branch(keywords: &Schema, node: &Schema) -> Option<String> {
    let mut keywords = Cow::Borrowed(keywords);
    // The node states the same of every value.
    if keywords.format.is_some() && keywords.format == node.format {
        keywords.to_mut().format = None;
    }
    if !is_taken_apart(&keywords) {
        return None;
    }
    let mut all = Vec::new();
    let is_plain = matches!(node.kind.as_deref(), Some("boolean" | "integer" | "object")) || is_text(node);
    for LocatedDifference { difference, .. } in differences(&Schema::default(), &keywords, &|_, _| None) {
        // A rule does not see a null, which has a value for a branch.
        let field = |name: &str| node.properties.get(name).filter(|field| !field.nullable);
        all.push(match &difference {
            Difference::Field(Presence::Added(Field { name, schema })) => {
                let (written, below) = (escape(name)?, branch(schema, field(name)?)?);
                format!("(!has(self.{written}) || cel.bind(self, self.{written}, {below}))")
            }
            Difference::Required(name) if field(name.value()).is_none() => return None,
            Difference::Enum(_) if !is_plain => return None,
            _ => {
                let [before, after] = rule(&difference, Side::New, node)?;
                format!("({before}self{after})")
            }
        });
    }
    Some(if all.is_empty() { "true".to_owned() } else { format!("({})", all.join(" && ")) })
}

/// Several branches as a rule about `self`.
fn joined(branches: &[Schema], node: &Schema, join: impl Fn(Vec<String>) -> String) -> Option<[String; 2]> {
    let branches = branches.iter().map(|keywords| branch(keywords, node)).collect::<Option<Vec<_>>>()?;
    Some(["cel.bind(self, ".to_owned(), format!(", {})", join(branches))])
}

fn is_text(node: &Schema) -> bool {
    node.kind.as_deref() == Some("string") && node.format.is_none()
}

/// The keyword of one side as a rule: what is before and after the value.
pub(crate) fn rule(difference: &Difference<'_>, side: Side, node: &Schema) -> Option<[String; 2]> {
    if node.nullable || node.int_or_string {
        return None;
    }
    let kind = node.kind.as_deref()?;
    let is_text = is_text(node);
    let is_map = kind == "object" && node.values().is_some();
    let after = |after: String| Some([String::new(), after]);
    let size = |operator: &str, limit: Option<&i64>, is_counted: bool| {
        let limit = limit.filter(|_| is_counted)?;
        Some(["size(".to_owned(), format!(") {operator} {limit}")])
    };
    let bound = |operator: &str, bound: Option<&Bound>| {
        let Bound { limit, exclusive } = bound.filter(|bound| kind == "integer" && bound.is_compared(node))?;
        after(format!(" {operator}{} {}", if *exclusive { "" } else { "=" }, limit.as_i64()?))
    };
    match difference {
        Difference::MaxLength(edit) => size("<=", side.of(edit), is_text),
        Difference::MinLength(edit) => size(">=", side.of(edit), is_text),
        Difference::MaxItems(edit) => size("<=", side.of(edit), kind == "array"),
        Difference::MinItems(edit) => size(">=", side.of(edit), kind == "array"),
        Difference::MaxProperties(edit) => size("<=", side.of(edit), is_map),
        Difference::MinProperties(edit) => size(">=", side.of(edit), is_map),
        Difference::Maximum(edit) => bound("<", side.of(edit)),
        Difference::Minimum(edit) => bound(">", side.of(edit)),
        Difference::MultipleOf(edit) if kind == "integer" => after(format!(" % {} == 0", side.of(edit)?.as_i64()?)),
        Difference::Pattern(edit) if is_text => after(format!(".matches({})", Value::from(*side.of(edit)?))),
        Difference::Enum(presence) => {
            let constants = side.has(presence)?.iter().filter_map(|value| constant(node, value)).collect::<Vec<_>>();
            after(format!(" in [{}]", constants.join(", ")))
        }
        // The side that lacks the value refuses it.
        Difference::EnumValue(presence) => after(format!(" != {}", constant(node, side.other().has(presence)?)?)),
        Difference::AllOf(branches) => joined(side.of_both(branches.old, branches.new), node, |all| all.join(" && ")),
        Difference::AnyOf(branches) => joined(side.of_both(branches.old, branches.new), node, |any| any.join(" || ")),
        Difference::OneOf(branches) => joined(side.of_both(branches.old, branches.new), node, |one| {
            let counted = one.into_iter().map(|branch| format!("({branch} ? 1 : 0)")).collect::<Vec<_>>();
            format!("{} == 1", counted.join(" + "))
        }),
        Difference::Not(edit) => {
            joined(std::slice::from_ref(side.of(edit)?), node, |branch| format!("!({})", branch.concat()))
        }
        Difference::Required(presence) => Some(["has(".to_owned(), format!(".{})", escape(side.has(presence)?)?)]),
        _ => None,
    }
}

/// A value of a node as a rule writes it; none if the node has no such value.
fn constant(node: &Schema, value: &Value) -> Option<String> {
    match (node.kind.as_deref()?, value) {
        ("string", Value::String(_)) if node.format.is_none() => Some(value.to_string()),
        ("boolean", Value::Bool(_)) => Some(value.to_string()),
        ("integer", Value::Number(number)) if number.is_i64() => Some(value.to_string()),
        _ => None,
    }
}
