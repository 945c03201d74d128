//! `stored-version-removed`: removed API versions in which objects may be stored.
//!
//! A version that no bundle stored, or that was migrated, is `version-removed`.

use crd_inclusion::Presence;
use crd_model::crd::Version;

use crate::change::{Change, LocatedChange};
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
    summary: "An API version was removed although some bundle stored objects in it.",
    explanation: "\
        A server refuses to drop a version that `status.storedVersions` lists. If it is removed from that \
        list too early, objects that are stored in it can neither be read nor deleted. First write every \
        object in another version, then declare the migration in the tombstone.",
    example: "\
        old: { versions: [{ name: v1alpha2, storage: true }, { name: v1, storage: false }] }\n\
        new: { versions: [{ name: v1 }] }\n\
        also: storage-version",
};

pub(crate) fn claim(located: &LocatedChange<'_>, context: &Context<'_>) -> Option<Assessment> {
    let (Change::Version(Presence::Removed(_)), location) = (&located.change, &located.location) else { return None };
    applies(location.crd(), location.old_version?, context).then(assess)
}

/// True if objects may be stored in a removed version, and no migration is declared.
pub(crate) fn applies(crd: &str, version: &Version, context: &Context<'_>) -> bool {
    let key = (crd.to_owned(), version.name.to_string());
    (version.storage || context.declared.ever_stored.contains(&key)) && !context.declared.migrated.contains(&key)
}

fn assess() -> Assessment {
    Assessment::new(&RULE, "the API version was removed, and releases stored objects in it: servers with such objects refuse the CRD")
        .fix(
            "Keep the version without serving it until every object was written in another version. Then declare the migration: \
             `migrated: true` in its tombstone.",
        )
}
