//! `unserved-version-changed`: changes within an API version that neither bundle serves or stores.
//!
//! A server prunes and defaults a stored object by the schema of the version that it is stored in, also if that version is not served. A
//! changed schema is therefore not among them where some bundle stored objects in the version and no migration is declared.

use crate::change::{Change, LocatedChange};
use crate::context::Context;
use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section, stored_version_removed};

pub(crate) const RULE: Rule = Rule {
    id: "unserved-version-changed",
    row: "unserved-version-changed",
    cells: Cells::everywhere(&[RequiredBump::Patch]),
    one: "change in an unserved version",
    many: "changes in unserved versions",
    section: Section::Documentation,
    summary: "Something was changed in an API version that neither bundle serves or stores.",
    explanation: "Servers answer requests for such a version with 404, before and after the change. If some bundle stored \
        objects in the version, a change of its schema belongs to the other rules until their migration is declared: \
        servers still read these objects by this schema.",
    example: "old: { versions: [{ name: v1 }, { name: v1alpha2, served: false, storage: false }] }\n\
              new: { versions: [{ name: v1 }, { name: v1alpha2, served: false, storage: false, subresources: { status: {} } }] }",
};

/// True if no request and no stored object can be affected.
pub(crate) fn applies(located: &LocatedChange<'_>, context: &Context<'_>) -> bool {
    let location = &located.location;
    let (Some(old), Some(new)) = (location.old_version, location.new_version) else { return false };
    let is_schema = matches!(located.change, Change::Schema(_));
    let is_used = old.served || new.served || old.storage || new.storage;
    !is_used && (!is_schema || !stored_version_removed::applies(location.crd(), old, context))
}

pub(crate) fn assess(change: &Change<'_>) -> Assessment {
    let what = change.description();
    Assessment::new(&RULE, format!("{what} was changed in a version that neither bundle serves: no request can use it"))
}
