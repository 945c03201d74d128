//! `incomparable`: constraints of which neither direction is proven.
//!
//! Neither `loosened` nor `tightened` could be proven.

use crd_inclusion::{Difference, Direction};

use crate::constraint::constraint;
use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "incomparable",
    row: "incomparable",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "constraint changed beyond comparison",
    many: "constraints changed beyond comparison",
    section: Section::Changed,
};

pub(crate) fn assess(difference: &Difference<'_>) -> Assessment {
    let what = match difference {
        Difference::Rule(_) => "a CEL rule has another expression".to_owned(),
        _ => format!("{} was changed and cannot be proven to accept only more", constraint(difference)),
    };
    let message = format!("{what}: objects that were accepted may be refused when they are created or changed");
    Assessment::new(&RULE, message).directed(Direction::Neither)
}
