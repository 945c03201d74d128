//! `selectable-or-scale-added`: new selectable fields, the new scale subresource, and its new label selector.
//!
//! Shares its row with `selectable-or-scale-changed`.

use crd_model::crd::Scale;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Minor, Patch};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "selectable-or-scale-added",
    row: "selectable-or-scale",
    cells: Cells::of(Cell::of(&[Minor]), Cell::of(&[Minor]), Cell::of(&[Patch])).addition(),
    one: "selectable field, scale subresource or label selector added",
    many: "selectable fields, scale subresources or label selectors added",
    section: Section::Added,
    summary: "A selectable field, the scale subresource or its label selector was added.",
    explanation: "\
        Field selectors, `kubectl scale` and autoscalers work where they did not. Users do not have to do \
        anything.",
    example: "\
        old: {}\n\
        new: { version: { selectableFields: [{ jsonPath: .spec.field }] } }",
};

pub(crate) fn selectable_field() -> Assessment {
    Assessment::new(&RULE, "a selectable field was added: clients can select objects by it")
}

pub(crate) fn scale() -> Assessment {
    Assessment::new(&RULE, "the scale subresource was added: objects can be scaled")
}

/// Whether a scale subresource has a label selector in addition, and nothing else is different. An empty path is none.
pub(crate) fn selects(old: &Scale, new: &Scale) -> bool {
    let selector = |scale: &Scale| scale.label_selector_path.as_deref().is_some_and(|path| !path.is_empty());
    let others = |scale: &Scale| Scale { label_selector_path: None, ..scale.clone() };
    !selector(old) && others(old) == others(new)
}

pub(crate) fn label_selector() -> Assessment {
    Assessment::new(&RULE, "the scale subresource has a label selector now: autoscalers find the pods of an object")
}
