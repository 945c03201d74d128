//! `resource-removed`: removed resources.
//!
//! A resource that another CRD of the candidate replaces, as its tombstone declares, is `resource-moved`.

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
};

/// The removal, with another bump than the usual one.
pub(crate) fn assess(bump: Option<RequiredBump>) -> Assessment {
    let message = "the resource was removed: clusters keep the CRD and its objects, and no release maintains it";
    Assessment { required_bump: bump, ..Assessment::new(&RULE, message) }
}
