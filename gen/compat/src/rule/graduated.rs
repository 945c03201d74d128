//! `graduated`: names that moved from experimental to standard.
//!
//! A name that experimental does not have is `name-added`.

use crd_inclusion::Direction;

use crate::origin::NewName;
use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "graduated",
    row: "graduated",
    cells: Cells::of(Cell::of(&[RequiredBump::Minor]), Cell::EMPTY, Cell::of(&[RequiredBump::Patch])).addition(),
    one: "name graduated",
    many: "names graduated",
    section: Section::Graduated,
    summary: "\
        A field, a value or a resource graduated: it is new in standard, and the baseline's experimental \
        channel has it.",
    explanation: "\
        Names start in experimental and move to standard when they are proven. A tombstone with a \
        replacement connects a name with its former name in experimental.",
    example: "\
        old: {}\n\
        new: { spec: { type: object, properties: { field: { type: string }, mode: { type: string } } } }\n\
        experimental: { spec: { type: object, properties: { field: { type: string }, mode: { type: string } } } }",
};

pub(crate) fn assess(name: NewName<'_>) -> Assessment {
    let assessment = Assessment::new(&RULE, format!("the {} graduated: experimental already had it", name.word()));
    match name {
        NewName::Value(_) => assessment.directed(Direction::Loosened),
        NewName::Resource | NewName::Field(_) => assessment,
    }
}
