//! `status-subresource`: the status subresource of an existing version.
//!
//! A new version with a status subresource is `version-added`.

use crd_inclusion::Presence;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "status-subresource",
    row: "status-subresource",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "status subresource changed",
    many: "status subresources changed",
    section: Section::Changed,
    summary: "The status subresource was added to an existing version, or removed from it.",
    explanation: "\
        With it, servers ignore a status that is written through the object itself. Without it, writes to \
        the subresource fail with 404. In both cases controllers stop working.",
    example: "\
        old: {}\n\
        new: { version: { subresources: { status: {} } } }",
};

pub(crate) fn assess(presence: &Presence) -> Assessment {
    Assessment::new(
        &RULE,
        match presence {
            Presence::Added(()) => {
                "the status subresource was added: servers silently ignore a status that is written through the object itself"
            }
            Presence::Removed(()) => "the status subresource was removed: controllers that write to it fail now",
        },
    )
}
