//! `version-unserved`: API versions that are no longer served.
//!
//! The step before `version-removed`, which can be reverted.

use crd_model::crd::Version;

use crate::policy::{Cell, Cells, Column};
use crate::required_bump::RequiredBump::{self, Major, Minor};
use crate::rule::{Assessment, Rule, Section};
use crate::stability::is_ga;

pub(crate) const RULE: Rule = Rule {
    id: "version-unserved",
    row: "version-unserved",
    cells: Cells::of(Cell::of(&[Major, Minor]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "API version no longer served",
    many: "API versions no longer served",
    section: Section::Versions,
};

pub(crate) fn assess(version: &Version, column: Column) -> Assessment {
    let assessment =
        Assessment::new(&RULE, "the API version is no longer served: servers answer requests for it with 404");
    if !column.is_stable() || is_ga(&version.name) {
        return assessment;
    }
    match version.deprecated {
        true => assessment.requires(RequiredBump::Minor),
        false => {
            assessment.fix("Deprecate it first (`+kubebuilder:deprecatedversion`): then a minor release is enough.")
        }
    }
}
