//! `name-added`: new names that experimental does not have.
//!
//! A field of a node that kept unknown fields is `name-below-preserved`. A value whose origin is unknown is `loosened`. Names inside a new
//! API version are `version-added`.

use crd_inclusion::Direction;

use crate::origin::{NewName, Origin};
use crate::policy::{Cell, Cells, Column};
use crate::required_bump::RequiredBump::{self, Minor, Patch, Waiver};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "name-added",
    row: "name-added",
    cells: Cells::of(Cell::of(&[Waiver, Minor]), Cell::of(&[Minor]), Cell::of(&[Patch]))
        .semver(Cell::of(&[Minor]))
        .addition(),
    one: "name added",
    many: "names added",
    section: Section::Added,
    summary: "A field, a value or a resource was added.",
    explanation: "\
        Standard permits this only for names that the baseline's experimental channel has (see `graduated`): \
        every name starts in experimental, where it can still be changed. If the baseline has no \
        experimental channel, a minor bundle is enough. The profile `semver` has no such stage.",
    example: "\
        old: {}\n\
        new: { spec: { type: object, properties: { field: { type: string }, mode: { type: string } } } }\n\
        experimental: {}",
};

pub(crate) fn assess(name: NewName<'_>, origin: Origin, column: Column) -> Assessment {
    let what = name.word();
    let assessment = match (column, origin) {
        (Column::Standard, Origin::New) => Assessment::new(
            &RULE,
            format!("the {what} was added, and experimental does not have it: every name starts in experimental"),
        )
        .fix("Mark it `+experimental` first, and remove the marker in a later minor bundle."),
        (Column::Standard, _) => Assessment::new(&RULE, format!("the {what} was added")).requires(RequiredBump::Minor),
        _ => Assessment::new(&RULE, format!("the {what} was added")),
    };
    match name {
        NewName::Value(_) => assessment.directed(Direction::Loosened),
        NewName::Resource | NewName::Field(_) => assessment,
    }
}
