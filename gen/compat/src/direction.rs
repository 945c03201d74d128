//! Directions: whether a change of a constraint lets more or fewer objects through.
//!
//! Fed with differences. Read by the rules about what is accepted, and by the containment of channels.
//!
//! Invariants: decided, not guessed. *Loosened* and *tightened* are claims about sets of values that hold for every value; what cannot be
//! proven is *neither*; what is proven to be the same, written otherwise, has no direction. Exchanging the bundles mirrors the direction.
//! Each keyword is judged by itself: what another keyword of the same node does is that one's difference. Only a list of values stands above the
//! others: what lets every value of it through refuses nothing.

use std::cmp::Ordering;

use crd_cel::same_tokens;
use crd_model::Schema;
use crd_model::schema::AdditionalProperties;
use crd_regexp::recognise;
use serde_json::{Number, Value};

use crate::branches::{branch, conjunction, disjunction, exclusive};
use crate::difference::{Difference, Subject};
use crate::finding::Direction::{self, Loosened, Neither, Tightened};
use crd_regexp::inclusion::{self as pattern, Relation};

impl Difference<'_> {
    /// What the change does to the set of values that are accepted; none if it is about something else, or about nothing that a server
    /// looks at.
    pub fn direction(&self) -> Option<Direction> {
        direction(self)
    }
}

/// What a change of a constraint does; none if the difference is about something else, or about nothing that a server looks at.
pub(crate) fn direction(difference: &Difference<'_>) -> Option<Direction> {
    let direction = by_itself(difference)?;
    // Where the old node has a list, nothing else was accepted; where the new one has, nothing else is.
    let refuses_nothing = is_passed_by_values(difference, difference.place.old_node(), difference.after.as_ref());
    let refused_nothing = is_passed_by_values(difference, difference.place.new_node(), difference.before.as_ref());
    match direction {
        Tightened if refuses_nothing => None,
        Loosened if refused_nothing => None,
        Neither => match (refuses_nothing, refused_nothing) {
            (true, true) => None,
            (true, false) => Some(Loosened),
            (false, true) => Some(Tightened),
            (false, false) => Some(Neither),
        },
        _ => Some(direction),
    }
}

/// True if the node has a list of values, and this keyword of the other side lets every one of them through.
fn is_passed_by_values(difference: &Difference<'_>, node: Option<&Schema>, keyword: Option<&Value>) -> bool {
    let values = node.and_then(|node| node.enumeration.as_deref()).unwrap_or_default();
    !values.is_empty() && values.iter().all(|value| passes(difference.subject, keyword, value))
}

/// True if it is certain that a keyword lets a value through. One that is not there does, and so does one about another type; of most
/// keywords it is not certain.
fn passes(subject: Subject, keyword: Option<&Value>, value: &Value) -> bool {
    let of_values = [Subject::MaxLength, Subject::MinLength, Subject::Maximum, Subject::Minimum, Subject::Pattern]
        .contains(&subject);
    let Some(keyword) = keyword else { return of_values };
    let length = || value.as_str().map(|text| Value::from(text.chars().count()));
    let stands = |value: Option<&Value>, allowed: &[Ordering]| {
        value.is_none_or(|value| order(keyword, value).is_some_and(|order| allowed.contains(&order)))
    };
    let within = |bound: Option<Direction>| bound.is_none_or(|direction| direction == Tightened);
    match subject {
        Subject::MaxLength => stands(length().as_ref(), &[Ordering::Less, Ordering::Equal]),
        Subject::MinLength => stands(length().as_ref(), &[Ordering::Greater, Ordering::Equal]),
        // A number is within a bound if it would be a tighter one, or the same.
        Subject::Maximum => !value.is_number() || within(bound(keyword, value, false, Side::Upper)),
        Subject::Minimum => !value.is_number() || within(bound(keyword, value, false, Side::Lower)),
        Subject::Pattern => match (value.as_str(), keyword.as_str().map(recognise)) {
            (None, _) => true,
            (Some(text), Some(Ok(pattern))) => pattern.is_match(text) == Some(true),
            _ => false,
        },
        _ => false,
    }
}

/// The same for a keyword that stood alone.
pub(crate) fn by_itself(difference: &Difference<'_>) -> Option<Direction> {
    let (before, after) = (difference.before.as_ref(), difference.after.as_ref());
    // A keyword that comes constrains, and one that goes no longer does.
    let constraint = |decide: &dyn Fn(&Value, &Value) -> Option<Direction>| match (before, after) {
        (None, _) => Some(Tightened),
        (_, None) => Some(Loosened),
        (Some(before), Some(after)) => decide(before, after),
    };
    // Both sides of a difference of schemas have a node; an empty one is never looked at.
    let empty = Schema::default();
    let (old, new) = (difference.place.old_node().unwrap_or(&empty), difference.place.new_node().unwrap_or(&empty));
    match difference.subject {
        Subject::Maximum => constraint(&|before, after| bound(before, after, is_integer(old, new), Side::Upper)),
        Subject::Minimum => constraint(&|before, after| bound(before, after, is_integer(old, new), Side::Lower)),
        Subject::MaxLength | Subject::MaxItems | Subject::MaxProperties => {
            constraint(&|before, after| by_order(order(before, after)))
        }
        Subject::MinLength | Subject::MinItems | Subject::MinProperties => {
            constraint(&|before, after| by_order(order(before, after)).map(Direction::mirrored))
        }
        Subject::MultipleOf => constraint(&|before, after| Some(multiple_of(before, after))),
        Subject::Pattern => patterns(before, after),
        Subject::Format => format(before, after),
        // A server refuses CRDs in which it is true, but who reads foreign ones meets everything.
        Subject::UniqueItems | Subject::Enum => constraint(&|_, _| Some(Neither)),
        Subject::EnumValue => Some(if difference.is_addition() { Loosened } else { Tightened }),
        Subject::Nullable if difference.is_addition() => Some(nullable(difference, new)),
        Subject::Nullable => Some(nullable(difference, old).mirrored()),
        Subject::Required => Some(if difference.is_addition() { Tightened } else { Loosened }),
        Subject::AdditionalProperties => Some(additional_properties(difference, old, new)),
        Subject::AllOf => conjunction(&old.all_of, &new.all_of),
        Subject::AnyOf => disjunction(&old.any_of, &new.any_of),
        Subject::OneOf => exclusive(&old.one_of, &new.one_of),
        Subject::Not => match (&old.not, &new.not) {
            (Some(old), Some(new)) => branch(old, new).map(Direction::mirrored),
            _ => constraint(&|_, _| Some(Neither)),
        },
        // Nobody can tell what one CEL expression refuses beside another.
        Subject::Rule => constraint(&|before, after| {
            let (before, after) = (before.as_str().unwrap_or_default(), after.as_str().unwrap_or_default());
            (!same_tokens(before, after)).then_some(Neither)
        }),
        Subject::OptionalOldSelf => Some(Neither),
        _ => None,
    }
}

/// True if values of this node can be, or hold, objects.
fn holds_objects(node: &Schema) -> bool {
    node.kind.as_deref() == Some("object")
        || node.preserve_unknown_fields == Some(true)
        || node.items.as_deref().is_some_and(holds_objects)
}

fn is_integer(old: &Schema, new: &Schema) -> bool {
    [old, new].iter().all(|node| node.kind.as_deref() == Some("integer"))
}

/// What it does that null is allowed at this node. Where it is not, a server drops null and looks no further; where it is, null is kept and
/// held against the list of values, which then refuses it. What stands around the node sees one entry more.
fn nullable(difference: &Difference<'_>, node: &Schema) -> Direction {
    let values = node.enumeration.as_deref().unwrap_or_default();
    if !values.is_empty() {
        // What servers do with a null that the list names is not certain.
        return if values.contains(&Value::Null) { Neither } else { Tightened };
    }
    let around = |nodes: &[&Schema]| {
        let above = nodes.split_last().map_or(&[][..], |(_, above)| above);
        let counted = above.last().is_some_and(|parent| parent.max_properties.is_some());
        let branches = |node: &&Schema| {
            node.not.is_some() || [&node.all_of, &node.any_of, &node.one_of].iter().any(|branches| !branches.is_empty())
        };
        counted || above.iter().any(branches)
    };
    match around(&difference.place.old_nodes) || around(&difference.place.new_nodes) {
        true => Neither,
        false => Loosened,
    }
}

/// The direction of an upper limit, from how the new one stands to the old one.
fn by_order(order: Option<Ordering>) -> Option<Direction> {
    match order {
        Some(Ordering::Less) => Some(Tightened),
        Some(Ordering::Greater) => Some(Loosened),
        Some(Ordering::Equal) => None,
        None => Some(Neither),
    }
}

/// How the new number stands to the old one.
fn order(before: &Value, after: &Value) -> Option<Ordering> {
    numbers(after.as_number()?, before.as_number()?)
}

/// Exact where both are integers: large ones are not the same as the nearest floating-point number.
fn numbers(one: &Number, other: &Number) -> Option<Ordering> {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// On which side of the values a bound stands.
#[derive(Clone, Copy)]
enum Side {
    Upper,
    Lower,
}

/// A bound is a number, or `{"exclusive": number}`.
fn bound(before: &Value, after: &Value, integers: bool, side: Side) -> Option<Direction> {
    let read = |value: &Value| {
        let (limit, exclusive) = match value.get("exclusive") {
            Some(limit) => (limit.clone(), true),
            None => (value.clone(), false),
        };
        // Among integers, at most 9.5 is at most 9, whether 9.5 itself is left out or not.
        let between = limit.as_f64().filter(|_| integers && limit.as_i64().is_none());
        let whole = between.map(|limit| if matches!(side, Side::Upper) { limit.floor() } else { limit.ceil() });
        if let Some(whole) = whole.filter(|whole| whole.abs() < 9e15) {
            return (Value::from(whole as i64), false);
        }
        // Among integers, below 10 is the same as at most 9.
        match (limit.as_i64(), side) {
            (Some(limit), Side::Upper) if exclusive && integers => (Value::from(limit.saturating_sub(1)), false),
            (Some(limit), Side::Lower) if exclusive && integers => (Value::from(limit.saturating_add(1)), false),
            _ => (limit, exclusive),
        }
    };
    let ((old, old_exclusive), (new, new_exclusive)) = (read(before), read(after));
    match order(&old, &new) {
        // The side does not matter: leaving the limit itself out lets less through.
        Some(Ordering::Equal) => match (old_exclusive, new_exclusive) {
            (false, true) => Some(Tightened),
            (true, false) => Some(Loosened),
            _ => None,
        },
        order => match side {
            Side::Upper => by_order(order),
            Side::Lower => by_order(order).map(Direction::mirrored),
        },
    }
}

fn multiple_of(before: &Value, after: &Value) -> Direction {
    let (Some(old), Some(new)) = (before.as_i64(), after.as_i64()) else { return Neither };
    // 0 is refused by the server; a remainder by it would be none.
    if old == 0 || new == 0 {
        Neither
    } else if new.checked_rem(old) == Some(0) {
        Tightened
    } else if old.checked_rem(new) == Some(0) {
        Loosened
    } else {
        Neither
    }
}

/// No pattern is one that matches every text, and so is an empty one.
fn patterns(before: Option<&Value>, after: Option<&Value>) -> Option<Direction> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    match (pattern::compare(&text(before), &text(after)), before, after) {
        (Relation::Equal, ..) => None,
        (Relation::Narrower { .. }, ..) => Some(Tightened),
        (Relation::Wider { .. }, ..) => Some(Loosened),
        // Whatever the other one takes.
        (_, None, _) => Some(Tightened),
        (_, _, None) => Some(Loosened),
        (Relation::Neither { .. } | Relation::NotComparable(_), ..) => Some(Neither),
    }
}

/// A format that servers do not know is words.
fn format(before: Option<&Value>, after: Option<&Value>) -> Option<Direction> {
    // As servers compare them: without dashes.
    let known = |value: Option<&Value>| {
        value.and_then(Value::as_str).map(|format| format.replace('-', "")).filter(|format| is_checked(format))
    };
    match (known(before).as_deref(), known(after).as_deref()) {
        (before, after) if before == after => None,
        (None, _) | (Some("int64"), Some("int32")) | (Some("double"), Some("float")) => Some(Tightened),
        (_, None) | (Some("int32"), Some("int64")) | (Some("float"), Some("double")) => Some(Loosened),
        _ => Some(Neither),
    }
}

/// The formats that API servers check, of strings and of numbers, without dashes. (`password` is known too, and takes every text.)
const CHECKED_FORMATS: &[&str] = &[
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "datetime",
    "double",
    "duration",
    "email",
    "float",
    "hexcolor",
    "hostname",
    "int32",
    "int64",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "k8slongname",
    "k8sshortname",
    "mac",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];

fn is_checked(format: &str) -> bool {
    CHECKED_FORMATS.contains(&format)
}

/// From what is dropped or refused to what is kept: what is unnamed is refused by `false`, dropped without the keyword, kept if it fits by a
/// schema, and kept by `true`, though of objects only that they are there. A node that preserves unknown fields keeps everything.
fn additional_properties(difference: &Difference<'_>, old: &Schema, new: &Schema) -> Direction {
    let rank = |value: Option<&Value>, node: &Schema| match value {
        Some(Value::Bool(false)) => 0,
        None | Some(Value::Bool(true)) if node.preserve_unknown_fields == Some(true) => 4,
        None => 1,
        Some(Value::Bool(true)) => 3,
        Some(_) => 2,
    };
    let values = |node: &Schema| match &node.additional_properties {
        Some(AdditionalProperties::Values(values)) => holds_objects(values),
        _ => false,
    };
    // What stands in the objects of one is gone with the other.
    if [(old, &difference.after), (new, &difference.before)]
        .iter()
        .any(|(node, other)| values(node) && **other == Some(Value::Bool(true)))
        && [old, new].iter().all(|node| node.preserve_unknown_fields != Some(true))
    {
        return Neither;
    }
    match rank(difference.before.as_ref(), old).cmp(&rank(difference.after.as_ref(), new)) {
        Ordering::Less => Loosened,
        Ordering::Greater => Tightened,
        Ordering::Equal => Neither,
    }
}
