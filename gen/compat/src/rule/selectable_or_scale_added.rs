//! `selectable-or-scale-added`: new selectable fields and the new scale subresource.
//!
//! Shares its row with `selectable-or-scale-changed`.

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Minor, Patch};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "selectable-or-scale-added",
    row: "selectable-or-scale",
    cells: Cells::of(Cell::of(&[Minor]), Cell::of(&[Minor]), Cell::of(&[Patch])).addition(),
    one: "selectable field or scale subresource added",
    many: "selectable fields or scale subresources added",
    section: Section::Added,
    summary: "A selectable field or the scale subresource was added.",
    explanation: "Field selectors, `kubectl scale` and autoscalers work where they did not. Users do not have to do \
        anything.",
    example: "old: {}\n\
              new: { version: { selectableFields: [{ jsonPath: .spec.field }] } }",
};

pub(crate) fn selectable_field() -> Assessment {
    Assessment::new(&RULE, "a selectable field was added: clients can select objects by it")
}

pub(crate) fn scale() -> Assessment {
    Assessment::new(&RULE, "the scale subresource was added: objects can be scaled")
}
