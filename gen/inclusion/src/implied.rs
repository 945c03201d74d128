//! Whether every object of one schema satisfies a keyword of another.
//!
//! Invariants: a yes is proven, for objects as the other schema stores them ([`carried`]). The position is that of whole objects, not of
//! branches: nothing is pruned or filled in inside `allOf` and similar keywords.

mod premises;

use std::sync::{Mutex, PoisonError};

use crd_cel::implication::{self, MOST_READ, is_dropped};
use crd_cel::mentions_old_self;
use crd_model::schema::Validation;
use crd_model::{Schema, words};
use crd_regexp::inclusion::{NOTHING, Relation};
use serde_json::{Number, Value};

use crate::carried::{Carried, carried, default_of, unknown};
use crate::difference::Difference;
use crate::edit::Side;
use crate::entailment::{Includes, WORK, keyword_of, satisfies};
use crate::position::{Position, Step};
use crate::prover::{Prover, Technique};
use crate::usable::is_usable;
use premises::is_stated;

words! {
    /// What proves that a change has no effect on objects, or only one.
    pub enum Proof {
        /// The keyword itself, before and after.
        Keyword = "keyword",
        /// The CEL rules of the other side.
        Rules = "rules",
        /// The rest of the other side's schema.
        Schema = "schema",
    }
}

/// What proves that the objects of the other side satisfy the keyword of this side.
pub(crate) fn implied(
    difference: &Difference<'_>,
    side: Side,
    position: &Position<'_>,
    includes: Includes,
) -> Option<Proof> {
    let (from, to) = match side {
        Side::New => (position.old_node()?, position.new_node()?),
        Side::Old => (position.new_node()?, position.old_node()?),
    };
    if position.uses(Technique::IgnoredKeyword) && !applies(difference, side, to) {
        return Some(Proof::Schema);
    }
    if is_default_refused(position.nodes(side)[1], &position.steps) {
        return None;
    }
    let by_schema = |holds: bool| holds.then_some(Proof::Schema);
    let proof = by_node(difference, side, [from, to], position);
    let is_satisfied = || {
        position.uses(Technique::Cases)
            && keyword_of(difference, to).is_some_and(|keyword| satisfies(&keyword, side, position, includes))
    };
    proof.or_else(|| {
        by_schema(match difference {
            // Each changed member asks for the whole `enum`.
            Difference::EnumValue(_) => {
                *position.computed(side, position.steps.len()).is_listed.get_or_init(is_satisfied)
            }
            _ => is_satisfied(),
        })
    })
}

/// What proves it by the keywords of the node, its entries and its rules.
fn by_node(
    difference: &Difference<'_>,
    side: Side,
    [from, to]: [&Schema; 2],
    position: &Position<'_>,
) -> Option<Proof> {
    let (is_root, counts) = (position.steps.is_empty(), position.uses(Technique::Entries));
    let carried = || carried_at(position, side, position.steps.len());
    let by_schema = |holds: bool| holds.then_some(Proof::Schema);
    match difference {
        Difference::MinLength(edit) => {
            side.of(edit).and_then(|least| by_schema(has_no_text(position, from, 0, Some(least.saturating_sub(1)))))
        }
        Difference::MaxLength(edit) => {
            side.of(edit).and_then(|most| by_schema(has_no_text(position, from, most.saturating_add(1), None)))
        }
        Difference::Enum(presence) => side.has(presence).and_then(|values| {
            let has = |value: bool| values.contains(&Value::Bool(value));
            // No `enum` accepts null.
            by_schema(to.kind.as_deref() == Some("boolean") && !to.nullable && has(true) && has(false))
        }),
        Difference::Format(edit) => {
            by_schema(side.of(edit).is_some_and(|format| *format == "int32") && from.kind == to.kind && is_short(from))
        }
        Difference::MaxProperties(edit) if counts => side.of(edit).and_then(|most| {
            let entries = || most_entries(&carried().schema);
            by_schema(!is_root && entries().is_some_and(|entries| entries <= *most))
        }),
        Difference::MaxItems(edit) if counts => side.of(edit).and_then(|most| {
            by_schema(carried().is_read_alike && most_items(from).is_some_and(|items| items <= *most))
        }),
        Difference::MinProperties(edit) if counts => side
            .of(edit)
            .and_then(|least| by_schema(is_root && *least <= 3 || least_entries(&carried().schema) >= *least)),
        Difference::Required(presence) => side
            .has(presence)
            .and_then(|name| by_schema(carried().schema.required.iter().any(|required| **required == **name))),
        Difference::Rule(edit) => {
            side.of(edit).and_then(|rule| self::rule(rule, side.other().of(edit).copied(), side, carried(), position))
        }
        _ => None,
    }
}

/// Whether a default at or around the last node breaks its own schema. Servers validate and prune no default below a map.
pub(crate) fn is_default_refused(nodes: &[&Schema], steps: &[Step<'_>]) -> bool {
    let map = steps.iter().position(|step| *step == Step::Value);
    map.is_some_and(|map| nodes[map + 1..].iter().any(|node| !is_usable(node)))
}

/// The objects of the other side as this side stores them ([`carried`]), at a depth that both sides have.
pub(crate) fn carried_at<'p>(position: &'p Position<'_>, side: Side, depth: usize) -> &'p Carried {
    position.computed(side, depth).carried.get_or_init(|| {
        let [from, to] = position.nodes(side).map(|nodes| nodes[depth]);
        match position.uses(Technique::Carried) || from == to {
            true => carried(from, to),
            false => Carried { schema: unknown(to), is_unchanged: false, is_read_alike: false },
        }
    })
}

/// Whether servers check a keyword of one side for values of the node.
pub(crate) fn applies(difference: &Difference<'_>, side: Side, node: &Schema) -> bool {
    let kind = node.kind.as_deref().filter(|kind| !kind.is_empty() && !node.int_or_string);
    let is = |kinds: &[&str]| kind.is_none_or(|kind| kinds.contains(&kind));
    match difference {
        Difference::MaxLength(_) | Difference::MinLength(_) | Difference::Pattern(_) => is(&["string"]),
        Difference::Maximum(_) | Difference::Minimum(_) | Difference::MultipleOf(_) => is(&["integer", "number"]),
        Difference::MaxItems(_) | Difference::MinItems(_) | Difference::UniqueItems(_) => is(&["array"]),
        Difference::MaxProperties(_)
        | Difference::MinProperties(_)
        | Difference::Required(_)
        | Difference::AdditionalProperties(_) => is(&["object"]),
        Difference::Format(edit) => match (kind, side.of(edit).copied()) {
            (_, None) => false,
            // Every integer has 64 bits, and every number is a double.
            (Some("integer"), Some(format)) => format == "int32",
            (Some("number"), Some(format)) => format == "float",
            (Some("string"), Some(format)) => !["int32", "int64", "float", "double"].contains(&format),
            (Some(_), _) => false,
            (None, _) => true,
        },
        _ => true,
    }
}

/// Whether the bounds of an integer are within 32 bits.
fn is_short(node: &Schema) -> bool {
    let is_within = |bound: &Option<Number>| {
        bound.as_ref().and_then(Number::as_i64).is_some_and(|bound| i32::try_from(bound).is_ok())
    };
    node.kind.as_deref() == Some("integer") && is_within(&node.minimum) && is_within(&node.maximum)
}

/// Whether a node has no text of at least and at most so many characters.
fn has_no_text(position: &Position<'_>, node: &Schema, least: i64, most: Option<i64>) -> bool {
    let size = |length: i64| usize::try_from(length).unwrap_or(0);
    // These formats have no empty text.
    let is_written = ["byte", "date", "ipv4", "ipv6", "cidr"];
    if node.kind.as_deref() == Some("string")
        && (least, most) == (0, Some(0))
        && node.format.as_deref().is_some_and(|format| is_written.contains(&format))
    {
        return true;
    }
    node.kind.as_deref() == Some("string")
        && node
            .pattern
            .as_deref()
            .is_some_and(|pattern| position.compared(pattern, NOTHING, size(least), most.map(size)) == Relation::Equal)
}

/// How many entries an object has at most; none if any number.
pub(crate) fn most_entries(node: &Schema) -> Option<i64> {
    let is_closed = node.kind.as_deref() == Some("object")
        && node.preserve_unknown_fields != Some(true)
        && node.additional_properties.is_none()
        && !node.embedded_resource;
    let fields = || node.properties.values().filter(|field| !is_dropped(field)).count();
    let listed = is_closed.then(|| i64::try_from(fields()).unwrap_or(i64::MAX));
    [listed, node.max_properties].into_iter().flatten().min()
}

/// How many items a list has at most, because it distinguishes them by what has few values; none if any number.
fn most_items(list: &Schema) -> Option<i64> {
    let items = list.items.as_deref()?;
    let different = match list.list_type.as_deref()? {
        "set" => values(items),
        "map" => list.list_map_keys.iter().try_fold(1_i64, |product, key| {
            let field = items.properties.get(key)?;
            // An item without the key is one more.
            let is_there = items.required.contains(key) || default_of(field).is_some();
            product.checked_mul(values(field)?.checked_add(i64::from(!is_there))?)
        }),
        _ => None,
    };
    [different, list.max_items].into_iter().flatten().min()
}

/// How many values a node has at most; none if any number.
fn values(node: &Schema) -> Option<i64> {
    let listed = match node.kind.as_deref() {
        Some("string") => i64::try_from(node.enumeration.as_ref()?.len()).ok(),
        Some("boolean") => Some(2),
        _ => None,
    };
    listed?.checked_add(i64::from(node.nullable))
}

/// How many entries an object has at least.
fn least_entries(node: &Schema) -> i64 {
    let listed = i64::try_from(node.required.len()).unwrap_or(i64::MAX);
    listed.max(node.min_properties.unwrap_or(0))
}

fn rule(
    rule: &Validation,
    replaced: Option<&Validation>,
    side: Side,
    objects: &Carried,
    position: &Position<'_>,
) -> Option<Proof> {
    let is_update = mentions_old_self(&rule.rule);
    let is_optional = |rule: &Validation| rule.optional_old_self == Some(true);
    let replaced = replaced.filter(|replaced| !is_optional(replaced)).map(|replaced| &*replaced.rule);
    // With another type of `oldSelf`, the same text is another rule.
    let by_rules = (!is_update || !is_optional(rule))
        .then(|| holds(&rule.rule, replaced, objects, At::new(position), is_update))
        .flatten();
    by_rules.or_else(|| is_stated(rule, side, position))
}

/// Where a rule is, and how much work is left.
#[derive(Clone, Copy)]
pub(crate) struct At<'p> {
    pub(crate) is_root: bool,
    pub(crate) work: &'p Mutex<Option<usize>>,
    pub(crate) prover: &'p Prover,
}

impl<'p> At<'p> {
    pub(crate) fn new(position: &'p Position<'_>) -> Self {
        let shared = &position.shared;
        Self { is_root: position.steps.is_empty(), work: &shared.work, prover: &shared.prover }
    }
}

/// What proves that a rule is true for these objects.
pub(crate) fn holds(
    rule: &str,
    replaced: Option<&str>,
    objects: &Carried,
    at: At<'_>,
    is_update: bool,
) -> Option<Proof> {
    let rules = objects.schema.validations.iter().filter(|rule| rule.optional_old_self != Some(true));
    let rules = rules.map(|rule| &*rule.rule).filter(|rule| Some(*rule) != replaced);
    // A rule about updates does not check new objects.
    let assumed = replaced.filter(|_| objects.is_read_alike).into_iter().chain(rules);
    let assumed = assumed.filter(|rule| is_update || !mentions_old_self(rule)).take(MOST_READ).collect::<Vec<_>>();
    proven(rule, &assumed, objects, at)
}

/// What proves that a rule is true for these objects, of which these rules are true.
pub(crate) fn proven(rule: &str, assumed: &[&str], objects: &Carried, at: At<'_>) -> Option<Proof> {
    let mut left = at.work.lock().unwrap_or_else(PoisonError::into_inner);
    let proof = at.prover.answers.proves(&objects.schema, at.is_root, assumed, rule, left.get_or_insert(WORK));
    Some(match proof? {
        implication::Proof::Rules => Proof::Rules,
        implication::Proof::Schema => Proof::Schema,
    })
}
