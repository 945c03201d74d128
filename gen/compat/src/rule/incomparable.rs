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
    summary: "A constraint was changed, and it cannot be proven that it accepts only more or only less.",
    explanation: "\
        A CEL rule is reported here if neither rule is proven to follow from the other, from the other rules \
        or from the schema. Two formats cannot be compared. Two patterns are compared as sets of texts, and \
        are reported here if each matches a text that the other refuses, or if they are too large. `allOf`, \
        `anyOf`, `oneOf` and `not` are reported here unless inclusion is proven branch by branch. What \
        cannot be proven to be harmless counts as tightened.",
    example: "\
        old: { field: { type: string, pattern: \"^[a-z]+$\" } }\n\
        new: { field: { type: string, pattern: \"^[0-9]+$\" } }",
};

pub(crate) fn assess(difference: &Difference<'_>) -> Assessment {
    let what = match difference {
        Difference::Rule(_) => "a CEL rule has another expression".to_owned(),
        _ => format!("{} was changed and cannot be proven to accept only more", constraint(difference)),
    };
    let message = format!("{what}: objects that were accepted may be refused when they are created or changed");
    Assessment::new(&RULE, message).directed(Direction::Neither)
}
