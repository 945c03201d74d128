//! `stored-version-removed`: removed API versions in which objects may be stored.
//!
//! A version that no bundle stored, or that was migrated, is `version-removed`.

use crd_model::crd::Version;

use crate::context::Context;
use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "stored-version-removed",
    row: "stored-version-removed",
    cells: Cells::everywhere(&[RequiredBump::NotAllowed]),
    one: "stored API version removed",
    many: "stored API versions removed",
    section: Section::Removed,
};

/// True if objects may be stored in a removed version, and no migration is declared.
pub(crate) fn applies(crd: &str, version: &Version, context: &Context<'_>) -> bool {
    let key = (crd.to_owned(), version.name.to_string());
    (version.storage || context.declared.ever_stored.contains(&key)) && !context.declared.migrated.contains(&key)
}

pub(crate) fn assess() -> Assessment {
    Assessment::new(&RULE, "the API version was removed, and releases stored objects in it: servers with such objects refuse the CRD")
        .fix(
            "Keep the version without serving it until every object was written in another version. Then declare the migration: \
             `migrated: true` in its tombstone.",
        )
}
