//! `storage-version`: the version in which objects are stored.
//!
//! A CRD with several storage versions, or without one, is `unclaimed`: servers refuse it.

use crd_model::CustomResourceDefinition;

use crate::policy::{Cell, Cells, Column};
use crate::required_bump::RequiredBump::{Major, Minor, Waiver};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "storage-version",
    row: "storage-version",
    cells: Cells::everywhere(&[Minor, Waiver]).semver(Cell::of(&[Minor, Major])),
    one: "storage version changed",
    many: "storage versions changed",
    section: Section::Versions,
    summary: "Another API version is the storage version.",
    explanation: "\
        Objects are stored in it from now on. A server with the baseline must be able to serve it, or a \
        rollback leaves objects that it cannot read. In the profile `semver`, a version that the baseline \
        does not serve needs a major release.",
    example: "\
        old: { versions: [{ name: v1beta1, storage: true }, { name: v1, storage: false }] }\n\
        new: { versions: [{ name: v1beta1, storage: false }, { name: v1, storage: true }] }",
};

pub(crate) fn assess(stored: &str, baseline: &CustomResourceDefinition, column: Column) -> Assessment {
    match baseline.versions.iter().any(|version| version.name == stored && version.served) {
        true => Assessment::new(&RULE, format!("objects are stored in {stored} from now on")),
        false => Assessment {
            required_bump: RULE.cells.cell(column).bumps.last().copied(),
            ..Assessment::new(
                &RULE,
                format!(
                    "objects are stored in {stored} from now on, which the baseline does not serve: after a rollback they cannot be read"
                ),
            )
            .fix("Serve the version in one release, and make it the storage version in a later one.")
        },
    }
}
