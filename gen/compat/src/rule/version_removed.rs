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
    summary: "An API version was removed.",
    explanation: "\
        Servers answer requests for it with 404. In standard a GA version needs a major bundle, and so does \
        any other version that the baseline serves or stores. In experimental it is a warning if the \
        baseline serves the version, because controllers may watch it. The tombstone prevents that the name \
        returns with another schema.",
    example: "\
        old: { versions: [{ name: v1beta1, served: false, storage: false }, { name: v1 }] }\n\
        new: { versions: [{ name: v1 }] }",
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
