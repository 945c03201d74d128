//! Directions: whether a difference accepts more or fewer values.
//!
//! Invariants: *loosened* and *tightened* hold for every value. What cannot be proven is *neither*. What is proven to accept the same
//! values has no direction. Exchanging the schemas mirrors the direction, except for `nullable`. A keyword is compared alone first. Where that
//! proves nothing, it has no effect if the rest of the other schema implies it ([`crate::implied`]).

mod branches;

use std::cmp::Ordering;

use crd_cel::{mentions_old_self, same_tokens};
use crd_model::schema::Validation;
use crd_model::{Schema, words};
use crd_regexp::inclusion::Relation;
use crd_regexp::recognise;
use serde_json::{Number, Value};

use crate::carried::default_of;
use crate::defaults::{self, Way, is_about_updates, ways};
use crate::difference::{Bound, Difference, Entries, NodeType};
use crate::edit::{Edit, Presence, Side};
use crate::entailment::has_branches;
use crate::implied::{Proof, applies, implied};
use crate::kept;
use crate::keyword;
use crate::position::{Position, Step};
use crate::prover::Technique;
use crate::usable::is_usable;
use Direction::{Loosened, Neither, Tightened};

words! {
    /// What a difference does to the set of accepted objects.
    pub enum Direction {
        /// Every object that was accepted is accepted, and more are.
        Loosened = "loosened",
        /// Every accepted object was accepted before, and some no longer are.
        Tightened = "tightened",
        /// Neither, or it cannot be proven.
        Neither = "neither",
    }
}

impl Direction {
    /// The direction of the same difference with the sides exchanged.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Direction::Loosened => Direction::Tightened,
            Direction::Tightened => Direction::Loosened,
            Direction::Neither => Direction::Neither,
        }
    }
}

/// Whether the new schema accepts more or fewer values than the old one; none if both accept the same values.
pub fn compare(old: &Schema, new: &Schema) -> Option<Direction> {
    branches::compare(old, new)
}

/// Whether the new schema certainly accepts every value that the old one accepts.
fn includes(old: &Schema, new: &Schema) -> bool {
    matches!(compare(old, new), None | Some(Loosened))
}

/// What a difference does to the objects that are accepted, and what proves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What it does; none if nothing.
    pub direction: Option<Direction>,
    /// What proves that no accepted object is refused. None if that is not proven.
    pub proof: Option<Proof>,
}

impl Difference<'_> {
    /// What the difference does to the set of accepted objects, at a node of whole objects.
    pub fn effect(&self, position: &Position<'_>) -> Effect {
        if self.is_met_by_each_object(position) {
            return Effect { direction: None, proof: Some(Proof::Schema) };
        }
        let Some(alone) = self.direction_of_keyword(position) else {
            return Effect { direction: None, proof: Some(Proof::Keyword) };
        };
        let refuses_nothing = self.proof_of_side(Side::New, alone, position);
        let refused_nothing = self.proof_of_side(Side::Old, alone, position);
        let direction = match (refuses_nothing.is_some(), refused_nothing.is_some()) {
            (true, true) => None,
            (true, false) => Some(Loosened),
            (false, true) => Some(Tightened),
            (false, false) => Some(Neither),
        };
        // An effect of neither side has two proofs.
        let proof = if direction.is_none() { refuses_nothing.max(refused_nothing) } else { refuses_nothing };
        Effect { direction, proof }
    }

    /// Whether no object that was accepted is refused. Cheaper than [`Self::effect`], which also searches what the old side refused.
    pub fn refuses_nothing(&self, position: &Position<'_>) -> bool {
        self.is_met_by_each_object(position)
            || self
                .direction_of_keyword(position)
                .is_none_or(|alone| self.proof_of_side(Side::New, alone, position).is_some())
    }

    /// What proves that one side refuses nothing that the other side accepts. `alone` is what the keyword does by itself.
    fn proof_of_side(&self, side: Side, alone: Direction, position: &Position<'_>) -> Option<Proof> {
        let harmless = match side {
            Side::New => Loosened,
            Side::Old => Tightened,
        };
        // The old node accepts only the values of its `enum`, and the new node only the values of its own. So it is with counts.
        if alone == harmless {
            Some(Proof::Keyword)
        } else if position.uses(Technique::EnumValues) && self.accepts_enum(side, position)
            || position.is_count(side.other()) && self.accepts_counts(side, position)
        {
            Some(Proof::Schema)
        } else {
            implied(self, side, position, includes).or_else(|| keyword::is_in_rules(self, side, position))
        }
    }

    /// What the difference does to the set of accepted objects; none if it does nothing to it.
    pub fn direction(&self, position: &Position<'_>) -> Option<Direction> {
        self.effect(position).direction
    }

    /// Whether a default that was added or changed may refuse objects, because a server fills it in before it validates.
    pub fn may_refuse_by_default(&self, position: &Position<'_>) -> bool {
        matches!(self, Difference::Default(edit) if !edit.is_removal()) && !defaults::is_harmless(position)
    }

    /// Whether a constraint around a field without its default may refuse objects that leave the field out.
    pub fn may_refuse_without_default(&self, position: &Position<'_>) -> bool {
        matches!(self, Difference::Default(edit) if edit.is_removal()) && defaults::is_missed(position)
    }

    /// Whether a rule about updates reads the default: the field's own or one below or around it.
    pub fn is_read_in_updates(&self, position: &Position<'_>) -> bool {
        let is_about_updates = |node: &&Schema| node.validations.iter().any(|rule| mentions_old_self(&rule.rule));
        matches!(self, Difference::Default(_))
            && (position.new_nodes.iter().any(is_about_updates)
                || position.new_node().is_some_and(defaults::is_about_updates))
    }

    /// Whether unknown fields that are preserved now may refuse objects, because a constraint around them counts or compares them.
    pub fn may_refuse_kept_fields(&self, position: &Position<'_>) -> bool {
        matches!(self, Difference::PreserveUnknownFields(Presence::Added(())))
            && position.old_node().is_some_and(holds_objects)
            && kept::may_refuse(&position.new_nodes, &position.steps)
    }

    /// Whether it is about a field that every object has: servers refuse an object without it, whatever the schema requires. An embedded
    /// resource need not have `metadata`.
    pub fn is_met_by_each_object(&self, position: &Position<'_>) -> bool {
        let has = |name: &str| ["apiVersion", "kind", "metadata"].contains(&name);
        matches!(self, Difference::Required(presence) if position.steps.is_empty() && has(presence.value()))
    }

    /// What it does to the set of accepted objects that a node has a type on one side only. Fields that both sides have are compared apart.
    pub fn direction_of_type(&self, position: &Position<'_>) -> Direction {
        let Difference::Type { old, new } = self else { return Neither };
        let (Some(old_node), Some(new_node)) = (position.old_node(), position.new_node()) else { return Neither };
        // Unknown fields of an object with a type were dropped, and nothing may see them.
        let keeps = |typed: &Schema, nodes: &[&Schema]| {
            typed.preserve_unknown_fields == Some(true)
                || !holds_objects(typed)
                || !kept::may_refuse(nodes, &position.steps)
        };
        match (old, new) {
            (_, NodeType::Any) if accepts_values_of(new_node, old_node) && keeps(old_node, &position.new_nodes) => {
                Loosened
            }
            (NodeType::Any, _) if accepts_values_of(old_node, new_node) && keeps(new_node, &position.old_nodes) => {
                Tightened
            }
            _ => Neither,
        }
    }

    /// Whether servers ignore the keyword for values of the node's type.
    pub fn is_ignored(&self, position: &Position<'_>) -> bool {
        let ignores = |side, node: Option<&Schema>| node.is_some_and(|node| !applies(self, side, node));
        ignores(Side::Old, position.old_node()) && ignores(Side::New, position.new_node())
    }

    /// The same for a node inside `allOf` and similar keywords, where nothing is pruned or filled in.
    fn direction_in_branch(&self, position: &Position<'_>) -> Option<Direction> {
        let direction = self.direction_of_keyword(position)?;
        let refuses_nothing = direction == Loosened || self.accepts_enum(Side::New, position);
        let refused_nothing = direction == Tightened || self.accepts_enum(Side::Old, position);
        match (refuses_nothing, refused_nothing) {
            (true, true) => None,
            (true, false) => Some(Loosened),
            (false, true) => Some(Tightened),
            (false, false) => Some(Neither),
        }
    }

    /// The same without regard to an `enum` of the node.
    pub fn direction_of_keyword(&self, position: &Position<'_>) -> Option<Direction> {
        let empty = Schema::default();
        let (old, new) = (position.old_node().unwrap_or(&empty), position.new_node().unwrap_or(&empty));
        match self {
            Difference::Maximum(edit) => {
                constraint(edit, |before, after| bound([before, after], [old, new], End::Upper))
            }
            Difference::Minimum(edit) => {
                constraint(edit, |before, after| bound([before, after], [old, new], End::Lower))
            }
            Difference::MaxLength(edit) | Difference::MaxItems(edit) | Difference::MaxProperties(edit) => {
                constraint(edit, |before, after| upper_limit(Some(after.cmp(before))))
            }
            Difference::MinLength(edit) | Difference::MinItems(edit) | Difference::MinProperties(edit) => {
                constraint(edit, |before, after| upper_limit(Some(after.cmp(before))).map(Direction::mirrored))
            }
            Difference::MultipleOf(edit) => constraint(edit, |before, after| Some(multiple_of(before, after))),
            Difference::Pattern(edit) => patterns(edit, position),
            Difference::Format(edit) => format(edit),
            // Servers refuse CRDs with `uniqueItems: true`, but published CRDs contain it.
            Difference::UniqueItems(presence) => Some(constraint_presence(presence)),
            Difference::Enum(presence) => Some(constraint_presence(presence)),
            // Null is a member of no `enum`.
            Difference::EnumValue(presence) if presence.value().is_null() => None,
            Difference::EnumValue(presence) => Some(constraint_presence(presence).mirrored()),
            Difference::Nullable(Presence::Added(())) => Some(nullable(position, new)),
            Difference::Nullable(Presence::Removed(())) => Some(not_nullable(position, old)),
            Difference::Required(presence) => Some(constraint_presence(presence)),
            Difference::AdditionalProperties(edit) => Some(match additional_properties(edit, old, new) {
                Loosened if kept::may_refuse(&position.new_nodes, &position.steps) && was_dropped(edit.before()) => {
                    Neither
                }
                Tightened if kept::may_refuse(&position.old_nodes, &position.steps) && was_dropped(edit.after()) => {
                    Neither
                }
                direction => direction,
            }),
            Difference::AllOf(_) => branches::conjunction(&old.all_of, &new.all_of),
            Difference::AnyOf(_) => branches::disjunction(&old.any_of, &new.any_of),
            Difference::OneOf(_) => branches::exclusive(&old.one_of, &new.one_of),
            Difference::Not(edit) => {
                constraint(edit, |before, after| branches::compare(before, after).map(Direction::mirrored))
            }
            Difference::Rule(edit) => rule(edit),
            Difference::OptionalOldSelf(_) => Some(Neither),
            Difference::Text(..)
            | Difference::Type { .. }
            | Difference::Items(_)
            | Difference::Default(_)
            | Difference::ListType(_)
            | Difference::ListMapKeys(_)
            | Difference::MapType(_)
            | Difference::PreserveUnknownFields(_)
            | Difference::EmbeddedResource(_)
            | Difference::RuleMessage(_)
            | Difference::Field(_)
            | Difference::FieldName { .. }
            | Difference::Order { .. } => None,
        }
    }

    /// True if the node of the other side has an `enum`, and this keyword of one side certainly accepts every value of it.
    fn accepts_enum(&self, side: Side, position: &Position<'_>) -> bool {
        let (other, own) = match side {
            Side::New => (position.old_node(), position.new_node()),
            Side::Old => (position.new_node(), position.old_node()),
        };
        let values = other.and_then(|node| node.enumeration.as_deref()).unwrap_or_default();
        !values.is_empty() && own.is_some_and(|own| values.iter().all(|value| self.accepts(side, own, value)))
    }

    /// Whether this keyword of one side accepts each integer from 0 to 2147483647.
    fn accepts_counts(&self, side: Side, position: &Position<'_>) -> bool {
        let Some(node) = (if side == Side::New { position.new_node() } else { position.old_node() }) else {
            return false;
        };
        let limit = |edit| {
            let bound = side.of::<Bound>(edit).filter(|bound| bound.is_compared(node))?;
            Some((bound.limit.as_i64()?, bound.exclusive))
        };
        match self {
            Difference::Minimum(edit) => limit(edit).is_some_and(|(least, exclusive)| (least, exclusive) <= (0, false)),
            Difference::Maximum(edit) => {
                limit(edit).is_some_and(|(most, exclusive)| (most, !exclusive) >= (i64::from(i32::MAX), true))
            }
            Difference::Format(edit) => side.of(edit).is_some_and(|format| ["int32", "int64"].contains(format)),
            _ => false,
        }
    }

    /// True if this keyword of a node of one side certainly accepts a value. An absent keyword does, and so does a keyword for another type.
    fn accepts(&self, side: Side, node: &Schema, value: &Value) -> bool {
        let length = || value.as_str().and_then(|text| i64::try_from(text.chars().count()).ok());
        let within = |limit: &Bound, end: End| {
            let Value::Number(number) = value else { return true };
            if limit.is_never_met(node) {
                return false;
            }
            // A number is within a bound if it is the same bound or a tighter one.
            let number = Bound { limit: number.clone(), exclusive: false };
            bound([limit, &number], [node, node], end).is_none_or(|direction| direction == Tightened)
        };
        match self {
            Difference::MaxLength(edit) => {
                side.of(edit).is_none_or(|most| length().is_none_or(|length| length <= *most))
            }
            Difference::MinLength(edit) => {
                side.of(edit).is_none_or(|least| length().is_none_or(|length| length >= *least))
            }
            Difference::Maximum(edit) => side.of(edit).is_none_or(|limit| within(limit, End::Upper)),
            Difference::Minimum(edit) => side.of(edit).is_none_or(|limit| within(limit, End::Lower)),
            Difference::Pattern(edit) => match (side.of(edit), value.as_str()) {
                (Some(pattern), Some(text)) => {
                    recognise(pattern).is_ok_and(|pattern| pattern.is_match(text) == Some(true))
                }
                _ => true,
            },
            // Every 32-bit integer is one of 64 bits.
            Difference::Format(edit) => side.of(edit).is_none_or(|format| {
                let is_short = || value.as_i64().is_some_and(|integer| i32::try_from(integer).is_ok());
                node.kind.as_deref() == Some("integer") && ["int32", "int64"].contains(format) && is_short()
            }),
            Difference::MultipleOf(edit) => side.of(edit).is_none_or(|step| {
                let remainder = step.as_i64().zip(value.as_i64()).and_then(|(step, value)| value.checked_rem(step));
                remainder == Some(0)
            }),
            _ => false,
        }
    }
}

/// A constraint that was added accepts less, and without it more is accepted.
fn constraint<T>(edit: &Edit<T>, decide: impl Fn(&T, &T) -> Option<Direction>) -> Option<Direction> {
    match edit {
        Edit::Added(_) => Some(Tightened),
        Edit::Removed(_) => Some(Loosened),
        Edit::Replaced { old, new } => decide(old, new),
    }
}

fn constraint_presence<T>(presence: &Presence<T>) -> Direction {
    if presence.is_addition() { Tightened } else { Loosened }
}

/// Whether a node without a type accepts and keeps every value of a node with a type, its fields aside: it has no constraint that the other one
/// does not have. A field is one where the other node keeps any value of its name.
fn accepts_values_of(any: &Schema, typed: &Schema) -> bool {
    let apart = !typed.properties.is_empty() && !any.properties.is_empty();
    let is_open = any.properties.is_empty() || apart || typed.kind.as_deref() != Some("object");
    let rest = |node: &Schema| Schema {
        description: None,
        title: None,
        example: None,
        external_docs: None,
        id: None,
        kind: None,
        properties: Default::default(),
        required: if apart { Vec::new() } else { node.required.clone() },
        embedded_resource: false,
        preserve_unknown_fields: None,
        ..node.clone()
    };
    let any = (any.preserve_unknown_fields == Some(true)).then(|| rest(any));
    let default = Schema { default: typed.default.clone(), nullable: typed.nullable, ..Schema::default() };
    is_open && any.is_some_and(|any| any == default || any == rest(typed))
}

/// True if values of this node can be, or contain, objects.
fn holds_objects(node: &Schema) -> bool {
    node.kind.as_deref() == Some("object")
        || node.preserve_unknown_fields == Some(true)
        || node.items.as_deref().is_some_and(holds_objects)
}

/// The effect of `nullable` at this node. Without it a server drops null. With it null is kept and compared with the `enum`, which then
/// refuses it. Constraints around the node see one more entry.
fn nullable(position: &Position<'_>, node: &Schema) -> Direction {
    let values = node.enumeration.as_deref().unwrap_or_default();
    if !values.is_empty() {
        return Tightened;
    }
    match is_seen(position) {
        true => Neither,
        false => Loosened,
    }
}

/// The effect where null is no longer kept. A server drops it from objects and maps, and refuses it in lists.
fn not_nullable(position: &Position<'_>, node: &Schema) -> Direction {
    let values = node.enumeration.as_deref().unwrap_or_default();
    if !values.is_empty() {
        return Loosened;
    }
    let mut above = position.new_nodes.iter().rev().skip(1);
    let is_required = match (position.steps.last(), above.next()) {
        (Some(Step::Field(name)), Some(parent)) => parent.required.iter().any(|required| *required == **name),
        (Some(Step::Value), Some(_)) => false,
        _ => return Tightened,
    };
    if is_required && position.new_node().is_none_or(|node| default_of(node).is_none()) {
        return Tightened;
    }
    // A null in a default is not dropped.
    let above = position.new_nodes.split_last().map_or(&[][..], |(_, above)| above);
    let is_filled_in = above.iter().filter_map(|node| default_of(node)).any(has_null);
    // Or the default takes its place, and a rule about updates reads it.
    let is_refused = |node: &Schema| !is_usable(node) || default_of(node).is_some() && is_about_updates(node);
    if is_filled_in || position.new_node().is_some_and(is_refused) {
        return Tightened;
    }
    if is_seen(position) { Neither } else { Loosened }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(entries) => entries.values().any(has_null),
        _ => false,
    }
}

/// Whether a constraint around a node sees whether the node has a value: one that counts entries, an `enum`, a branch, or a rule.
fn is_seen(position: &Position<'_>) -> bool {
    let seen = |nodes: &[&Schema]| {
        let above = nodes.split_last().map_or(&[][..], |(_, above)| above);
        let counted =
            above.last().is_some_and(|parent| parent.max_properties.is_some() || parent.min_properties.is_some());
        let is_listed = |node: &&Schema| node.enumeration.as_ref().is_some_and(|values| !values.is_empty());
        // For rules, a null in a field is not a value. Without `nullable`, a default takes its place.
        let is_same = matches!(position.steps.last(), Some(Step::Field(_)))
            && nodes.last().is_some_and(|node| default_of(node).is_none());
        let is_read = |(node, way): (&&Schema, Way<'_>)| {
            node.validations.iter().any(|rule| match is_same {
                true => way.is_part(node, &rule.rule),
                false => way.is_read(node, &rule.rule),
            })
        };
        counted
            || above.iter().any(|node| has_branches(node))
            || above.iter().any(is_listed)
            || above.iter().rev().zip(ways(&position.steps)).any(is_read)
    };
    seen(&position.old_nodes) || seen(&position.new_nodes)
}

/// The direction of an upper limit, from the order of the new limit relative to the old one.
fn upper_limit(order: Option<Ordering>) -> Option<Direction> {
    match order {
        Some(Ordering::Less) => Some(Tightened),
        Some(Ordering::Greater) => Some(Loosened),
        Some(Ordering::Equal) => None,
        None => Some(Neither),
    }
}

/// Exact where both are integers: a large integer differs from the nearest floating-point number.
fn order(one: &Number, other: &Number) -> Option<Ordering> {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// Which end of the accepted values a bound limits.
#[derive(Clone, Copy)]
enum End {
    Upper,
    Lower,
}

fn bound([old, new]: [&Bound; 2], nodes: [&Schema; 2], end: End) -> Option<Direction> {
    let integers = nodes.iter().all(|node| node.kind.as_deref() == Some("integer"));
    let [was_never_met, is_never_met] = [old.is_never_met(nodes[0]), new.is_never_met(nodes[1])];
    if old.is_uncertain() || new.is_uncertain() {
        return Some(Neither);
    }
    let of_integers = compared([old, new].map(|bound| whole(bound, integers, end)), end);
    let direction = match integers {
        true => of_integers,
        // A number is an integer or a fraction.
        false => branches::together([of_integers, compared([old, new].map(Bound::clone), end)].into_iter()),
    };
    match (was_never_met, is_never_met) {
        (false, true) => branches::together([direction, Some(Tightened)].into_iter()),
        (true, false) => branches::together([direction, Some(Loosened)].into_iter()),
        _ => direction,
    }
}

/// The bound of integers, which is part of the accepted values.
fn whole(bound: &Bound, integers: bool, end: End) -> Bound {
    let Bound { limit, exclusive } = bound;
    let (limit, exclusive) = match (limit.as_i64(), limit.as_f64()) {
        (Some(limit), _) => (limit, *exclusive),
        // Among integers, at most 9.5 is at most 9, with 9.5 itself excluded or not.
        (None, Some(limit)) if integers => match end {
            End::Upper => (limit.floor() as i64, false),
            End::Lower => (limit.ceil() as i64, false),
        },
        // Servers cut the bound of a number.
        (None, limit) => (limit.unwrap_or_default() as i64, *exclusive),
    };
    // Below 10 is the same as at most 9.
    let limit = match end {
        End::Upper if exclusive => limit.saturating_sub(1),
        End::Lower if exclusive => limit.saturating_add(1),
        _ => limit,
    };
    Bound { limit: limit.into(), exclusive: false }
}

fn compared([old, new]: [Bound; 2], end: End) -> Option<Direction> {
    match order(&new.limit, &old.limit) {
        // Excluding the limit itself accepts less, at either end.
        Some(Ordering::Equal) => match (old.exclusive, new.exclusive) {
            (false, true) => Some(Tightened),
            (true, false) => Some(Loosened),
            _ => None,
        },
        order => match end {
            End::Upper => upper_limit(order),
            End::Lower => upper_limit(order).map(Direction::mirrored),
        },
    }
}

fn multiple_of(old: &Number, new: &Number) -> Direction {
    let (Some(old), Some(new)) = (old.as_i64(), new.as_i64()) else { return Neither };
    // Servers refuse 0, and dividing by it is undefined.
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

/// An absent pattern accepts every text, as an empty one does.
fn patterns(edit: &Edit<&str>, position: &Position<'_>) -> Option<Direction> {
    let text = |pattern: Option<&&str>| pattern.copied().unwrap_or_default().to_owned();
    match position.compared(&text(edit.before()), &text(edit.after()), 0, None) {
        Relation::Equal => None,
        Relation::Narrower { .. } => Some(Tightened),
        Relation::Wider { .. } => Some(Loosened),
        Relation::Neither { .. } | Relation::NotComparable(_) => constraint(edit, |_, _| Some(Neither)),
    }
}

/// Two CEL expressions are not compared alone.
fn rule(edit: &Edit<&Validation>) -> Option<Direction> {
    constraint(edit, |old, new| (!same_tokens(&old.rule, &new.rule)).then_some(Neither))
}

/// Servers ignore formats that they do not support.
fn format(edit: &Edit<&str>) -> Option<Direction> {
    // Servers compare the names without dashes.
    let checked = |format: Option<&&str>| {
        format.map(|format| format.replace('-', "")).filter(|format| match &**format {
            "double" | "float" | "int32" | "int64" => true,
            // Servers accept every text.
            "password" => false,
            format => crd_apiserver::formats::is_enforced(format),
        })
    };
    match (checked(edit.before()).as_deref(), checked(edit.after()).as_deref()) {
        (old, new) if old == new => None,
        (None, _) | (Some("int64"), Some("int32")) | (Some("double"), Some("float")) => Some(Tightened),
        (_, None) | (Some("int32"), Some("int64")) | (Some("float"), Some("double")) => Some(Loosened),
        _ => Some(Neither),
    }
}

/// Whether unnamed entries are dropped, and not refused.
fn was_dropped(entries: Option<&Entries<'_>>) -> bool {
    entries != Some(&Entries::Allowed(false))
}

/// Unnamed entries are refused by `false`, dropped without the keyword, kept if they match a schema, and kept by `true` (of objects only
/// that they exist). A node that preserves unknown fields keeps everything.
fn additional_properties(edit: &Edit<Entries<'_>>, old: &Schema, new: &Schema) -> Direction {
    let rank = |entries: Option<&Entries<'_>>, node: &Schema| match entries {
        Some(Entries::Allowed(false)) => 0,
        None | Some(Entries::Allowed(true)) if node.preserve_unknown_fields == Some(true) => 4,
        None => 1,
        Some(Entries::Allowed(true)) => 3,
        Some(Entries::Typed(_)) => 2,
    };
    let values = |node: &Schema| node.values().is_some_and(holds_objects);
    // `true` drops the content of objects that the schema keeps.
    let is_true = |entries: Option<&Entries<'_>>| entries == Some(&Entries::Allowed(true));
    if (values(old) && is_true(edit.after()) || values(new) && is_true(edit.before()))
        && [old, new].iter().all(|node| node.preserve_unknown_fields != Some(true))
    {
        return Neither;
    }
    match rank(edit.before(), old).cmp(&rank(edit.after(), new)) {
        Ordering::Less => Loosened,
        Ordering::Greater => Tightened,
        Ordering::Equal => Neither,
    }
}
