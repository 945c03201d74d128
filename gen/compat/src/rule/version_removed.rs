//! `version-removed`: removed API versions.
//!
//! A version in which objects may still be stored is `stored-version-removed`.

use crd_model::channel::Channel;
use crd_model::crd::Version;

use crate::policy::{Cell, Cells, Column, Need};
use crate::required_bump::RequiredBump;
use crate::rule::version_unserved::warned;
use crate::rule::{Assessment, Rule, Section};
use crate::stability::is_ga;

pub(crate) const RULE: Rule = Rule {
    id: "version-removed",
    row: "version-removed",
    cells: Cells::of(
        Cell::of(&[RequiredBump::Major, RequiredBump::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[RequiredBump::Minor]).needs(&[Need::Tombstone]).warned(),
        Cell::of(&[RequiredBump::Minor]).needs(&[Need::Tombstone]).warned(),
    ),
    one: "API version removed",
    many: "API versions removed",
    section: Section::Removed,
};

pub(crate) fn assess(version: &Version, column: Column, channel: Channel) -> Assessment {
    let assessment = Assessment::new(&RULE, "the API version was removed: servers answer requests for it with 404");
    let assessment = warned(assessment, version, channel);
    if !column.is_stable() || is_ga(&version.name) {
        return assessment;
    }
    match version.served || version.storage {
        true => assessment.fix("Stop serving and storing it first: then a minor release is enough."),
        false => assessment.requires(RequiredBump::Minor),
    }
}
