//! `resource-removed`: removed resources.
//!
//! A resource that another CRD of the candidate replaces, as its tombstone declares, is `resource-moved`. One that only changes its channel is
//! removed from the former one.

use crd_model::channel::Channel;

use crate::policy::{Cell, Cells, Need};
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "resource-removed",
    row: "resource-removed",
    cells: Cells::of(
        Cell::of(&[RequiredBump::Major, RequiredBump::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[RequiredBump::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[RequiredBump::Major]).needs(&[Need::Tombstone]),
    ),
    one: "resource removed",
    many: "resources removed",
    section: Section::Removed,
    summary: "A resource was removed.",
    explanation: "\
        Clusters keep the CRD and its objects until an administrator deletes them. In standard a minor \
        bundle may drop a resource only if it never had a GA version and was deprecated for 9 months and 3 \
        minor bundles.",
    example: "\
        old: {}\n\
        new: { absent: true }",
};

/// The removal, with another bump than the usual one.
pub(crate) fn assess(bump: Option<RequiredBump>) -> Assessment {
    let message = "the resource was removed: clusters keep the CRD and its objects, and no release maintains it";
    Assessment { required_bump: bump, ..Assessment::new(&RULE, message) }
}

/// The removal from a channel: a server has one CRD of a name, whatever its stamp or folder is.
pub(crate) fn left(former: Channel, channel: Channel) -> Assessment {
    let message = format!(
        "the resource was removed from {former}: the candidate has it in {channel}, which may change in every minor"
    );
    Assessment::new(&RULE, message).fix(format!("Keep it in {former}, or remove it with a major bundle"))
}
