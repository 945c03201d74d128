//! Keywords as rules: whether the CEL rules of the other side state what a keyword states.
//!
//! Invariants: the rule that a keyword is written as is true only for values that the keyword accepts. It is asked of the node of the keyword
//! and of the nodes around it, but not across maps.

use crd_cel::escape;
use crd_model::Schema;
use serde_json::Value;

use crate::difference::{Bound, Difference};
use crate::direction::is_compared;
use crate::edit::Side;
use crate::implied::{At, Proof, carried_at, holds, is_default_refused};
use crate::position::{Position, Step};
use crate::prover::Technique;

/// What proves that the objects of the other side satisfy the keyword of this side, by the rules of the other side.
pub(crate) fn is_in_rules(difference: &Difference<'_>, side: Side, position: &Position<'_>) -> Option<Proof> {
    let (from, to) = match side {
        Side::New => (&position.old_nodes, &position.new_nodes),
        Side::Old => (&position.new_nodes, &position.old_nodes),
    };
    let keyword = rule(difference, side, to.last()?).filter(|_| position.uses(Technique::KeywordAsRule))?;
    if is_default_refused(to, &position.steps) {
        return None;
    }
    let name = difference.name().or_else(|| position.steps.iter().rev().find_map(field));
    (0..from.len().min(to.len())).rev().find_map(|depth| {
        let (from, to) = (from[depth], to[depth]);
        let steps = position.steps.get(depth..)?;
        let reads = |rule: &str| steps.is_empty() || name.and_then(escape).is_none_or(|name| rule.contains(&*name));
        if !from.validations.iter().any(|rule| reads(&rule.rule)) {
            return None;
        }
        let rule = around("self", steps, to, &keyword)?;
        let at = At { is_root: depth == 0, ..At::new(position) };
        holds(&rule, None, &carried_at(position, from, to), at, false)
    })
}

fn field<'a>(step: &Step<'a>) -> Option<&'a str> {
    match step {
        Step::Field(name) => Some(name),
        Step::Each => None,
    }
}

/// The keyword of a node below a value, as a rule about the value.
fn around(value: &str, steps: &[Step<'_>], node: &Schema, keyword: &[String; 2]) -> Option<String> {
    let [before, after] = keyword;
    Some(match steps {
        [] => format!("{before}{value}{after}"),
        [Step::Field(name), rest @ ..] => {
            let field = format!("{value}.{}", escape(name)?);
            let below = around(&field, rest, node.properties.get(name)?, keyword)?;
            format!("(!has({field}) || {below})")
        }
        [Step::Each, rest @ ..] => {
            let item = format!("i{}", rest.len());
            format!("{value}.all({item}, {})", around(&item, rest, node.items.as_deref()?, keyword)?)
        }
    })
}

/// The keyword of one side as a rule: what is before and after the value.
fn rule(difference: &Difference<'_>, side: Side, node: &Schema) -> Option<[String; 2]> {
    if node.nullable || node.int_or_string {
        return None;
    }
    let kind = node.kind.as_deref()?;
    let is_text = kind == "string" && node.format.is_none();
    let is_map = kind == "object" && node.values().is_some();
    let after = |after: String| Some([String::new(), after]);
    let size = |operator: &str, limit: Option<&i64>, is_counted: bool| {
        let limit = limit.filter(|_| is_counted)?;
        Some(["size(".to_owned(), format!(") {operator} {limit}")])
    };
    let bound = |operator: &str, bound: Option<&Bound>| {
        let Bound { limit, exclusive } = bound.filter(|bound| kind == "integer" && is_compared(bound, node))?;
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
