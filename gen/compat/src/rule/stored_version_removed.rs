//! `stored-version-removed`: API versions that are gone while objects may be stored in them.
//!
//! Takes from `version-removed` what some bundle stored and nobody declared as migrated.

use crate::difference::{Difference, Subject};
use crate::policy::Cells;
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "stored-version-removed",
    row: "stored-version-removed",
    cells: Cells::everywhere(&[Ruling::Refused]),
    summary: "An API version was removed although some bundle stored objects in it.",
    explanation: "A server refuses to drop a version that `status.storedVersions` lists. Who takes it off that list \
        too early can neither read nor delete what is stored in it. So every object must be written in another \
        version first, and the tombstone must say that this was done.",
    example: "old: { versions: [{ name: v1alpha2, storage: true }, { name: v1, storage: false }] }\n\
              new: { versions: [{ name: v1 }] }\n\
              besides: storage-version",
    claims,
};

/// True if objects may be stored in a version that goes, and nobody declared that they were migrated.
pub(super) fn is_unmigrated(difference: &Difference<'_>, context: &Context<'_>) -> bool {
    let Some(version) = difference.place.old_version else { return false };
    let key = (difference.place.crd().to_owned(), version.name.to_string());
    (version.storage || context.declared.ever_stored.contains(&key)) && !context.declared.migrated.contains(&key)
}

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    (difference.subject == Subject::Version && difference.is_removal() && is_unmigrated(difference, context)).then(|| {
        Claim::new("the API version was removed, and bundles stored objects in it: servers that have some refuse the CRD").fix(
            "Keep the version, not served, until every object was written in another one; then declare the migration: \
             `migrated: true` in its tombstone.",
        )
    })
}
