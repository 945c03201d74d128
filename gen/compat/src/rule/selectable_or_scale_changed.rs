//! `selectable-or-scale-changed`: removed selectable fields, and a removed or changed scale subresource.
//!
//! Shares its row with `selectable-or-scale-added`.

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "selectable-or-scale-changed",
    row: "selectable-or-scale",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "selectable field or scale subresource changed",
    many: "selectable fields or scale subresources changed",
    section: Section::Changed,
    summary: "A selectable field or the scale subresource was removed, or its paths were changed.",
    explanation: "Watches with a field selector are refused, and autoscalers stop working or scale by another field.",
    example: "\
        old: { version: { selectableFields: [{ jsonPath: .spec.field }] } }\n\
        new: {}",
};

pub(crate) fn selectable_field() -> Assessment {
    Assessment::new(&RULE, "a selectable field was removed: requests that select by it are refused")
}

pub(crate) fn scale_removed() -> Assessment {
    Assessment::new(&RULE, "the scale subresource was removed: autoscalers stop working")
}

pub(crate) fn scale_changed() -> Assessment {
    Assessment::new(&RULE, "the scale subresource has other paths: autoscalers read and write other fields")
}
