//! `loosened`: constraints that accept more.
//!
//! One of three rules about constraints; `tightened` and `incomparable` are the other two.

use crd_inclusion::{Difference, Direction, Presence};

use crate::constraint::changed;
use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Minor, Patch};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "loosened",
    row: "loosened",
    cells: Cells::of(Cell::of(&[Minor]), Cell::of(&[Minor]), Cell::of(&[Patch])).addition(),
    one: "constraint loosened",
    many: "constraints loosened",
    section: Section::Loosened,
    summary: "A constraint accepts more: every object that was accepted is still accepted.",
    explanation: "\
        Bounds are compared as numbers, patterns as sets of texts, enums as sets of values, `allOf` and \
        `anyOf` branch by branch. A CEL rule counts here if it is proven that it accepts everything that the \
        old one accepts. Objects stay valid, but their readers must handle values that were impossible \
        before. GEP-922 permits this in a minor bundle.",
    example: "\
        old: { field: { type: string, maxLength: 63 } }\n\
        new: { field: { type: string, maxLength: 253 } }",
};

/// A field that the scale subresource no longer reads.
pub(crate) fn of_scale() -> Assessment {
    let message = "the scale subresource does not read the field: servers accept every value that fits the schema";
    Assessment::new(&RULE, message).directed(Direction::Loosened)
}

pub(crate) fn assess(difference: &Difference<'_>) -> Assessment {
    let what = match difference {
        Difference::Rule(rule) if rule.is_removal() => "a CEL rule was removed".to_owned(),
        Difference::Rule(_) => "the CEL rule accepts more".to_owned(),
        Difference::Required(_) => "the field is optional now".to_owned(),
        Difference::Nullable(Presence::Added(())) => "null is allowed now".to_owned(),
        Difference::Nullable(Presence::Removed(())) => "null is dropped now, so that the field is absent".to_owned(),
        Difference::EnumValue(_) => "one more value is allowed".to_owned(),
        _ => changed(difference, "loosened"),
    };
    let message = format!("{what}: all objects stay valid, and readers must handle values that were impossible before");
    Assessment::new(&RULE, message).directed(Direction::Loosened)
}
