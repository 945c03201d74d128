//! `loosened`: constraints that accept more.
//!
//! One of three rules about constraints; `tightened` and `incomparable` are the other two.

use crd_inclusion::{Difference, Direction, Presence};

use crate::constraint::constraint;
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
        _ => format!("{} was loosened", constraint(difference)),
    };
    let message = format!("{what}: all objects stay valid, and readers must handle values that were impossible before");
    Assessment::new(&RULE, message).directed(Direction::Loosened)
}
