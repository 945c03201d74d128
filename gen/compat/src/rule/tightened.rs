//! `tightened`: constraints that accept less.
//!
//! Required fields with rules of their own (`required-with-default`, `required-at-root`) and enum values with rules of their own
//! (`name-removed`, `graduated`, `name-added`) are not among them.

use crd_inclusion::{Difference, Direction, Presence};

use crate::constraint::changed;
use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "tightened",
    row: "tightened",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "constraint tightened",
    many: "constraints tightened",
    section: Section::Changed,
    summary: "A constraint accepts less: objects that were accepted are refused now.",
    explanation: "\
        Stored objects stay stored. Ratcheting permits updates that do not touch the invalid part, but users \
        cannot create such objects or apply them again. In standard this needs a major bundle. A CEL rule \
        about updates (one that names `oldSelf`) that is added or changed counts here, because it may refuse \
        updates that worked, unless it is proven to permit them. A new default counts here where a \
        constraint around the field counts or reads it. `nullable` on a field with an `enum` counts here \
        too: a null that was dropped is kept, and the `enum` refuses it. A type counts here where there was \
        none. A scale subresource counts here where the schema of its fields accepts what servers then \
        refuse in every write: counts below 0 or above 2147483647.",
    example: "\
        old: { field: { type: string, maxLength: 253 } }\n\
        new: { field: { type: string, maxLength: 63 } }",
};

pub(crate) fn assess(difference: &Difference<'_>) -> Assessment {
    let what = match difference {
        Difference::Rule(rule) if rule.is_addition() => "a CEL rule was added".to_owned(),
        Difference::Rule(_) => "the CEL rule accepts less".to_owned(),
        Difference::Required(_) => "the field is required now".to_owned(),
        Difference::Nullable(Presence::Removed(())) => "null is no longer allowed".to_owned(),
        Difference::Nullable(Presence::Added(())) => {
            "null is kept now and the `enum` refuses it, where it was dropped".to_owned()
        }
        _ => changed(difference, "tightened"),
    };
    let message = format!("{what}: objects that were accepted may be refused when they are created or changed");
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}

/// A default that a constraint around it sees.
pub(crate) fn of_default() -> Assessment {
    let message = "the default counts for the constraints around it: objects without the field were accepted and may be refused now";
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}

/// Unknown fields that a constraint around them sees.
pub(crate) fn of_kept_fields() -> Assessment {
    let message = "unknown fields are kept now and count for the constraints around them: objects with such fields were accepted and may be refused now";
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}

/// A type where there was none.
pub(crate) fn of_type(direction: Direction) -> Assessment {
    let message = "the field has a type now: objects with values of other types were accepted and may be refused now";
    Assessment::new(&RULE, message).directed(direction)
}

/// A field that the scale subresource reads now.
pub(crate) fn of_scale() -> Assessment {
    let message = "the scale subresource reads the field: servers refuse counts below 0 or above 2147483647, and values of other types";
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}

/// A rule about updates was added, or has another text.
pub(crate) fn of_updates(direction: Direction) -> Assessment {
    let message = "a CEL rule about updates was added or changed: updates that were accepted may be refused now";
    Assessment::new(&RULE, message).directed(direction)
}
