//! `unserved-version-changed`: changes within an API version that neither bundle serves or stores.
//!
//! A server prunes and defaults a stored object by the schema of the version that it is stored in, also if that version is not served. A
//! changed schema is therefore not among them where some bundle stored objects in the version and no migration is declared.

use crd_inclusion::Direction;

use crate::change::{Change, LocatedChange, Location};
use crate::context::Context;
use crate::policy::{self, Cells};
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
    explanation: "\
        Servers answer requests for such a version with 404, before and after the change. If some bundle \
        stored objects in the version, a change of its schema belongs to the other rules until their \
        migration is declared: servers still read these objects by this schema. A constraint is among them \
        also where only one bundle serves the version: no request meets both the old constraint and the new \
        one.",
    example: "\
        old: { versions: [{ name: v1 }, { name: v1alpha2, served: false, storage: false }] }\n\
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

/// True for a constraint of a version that one of the bundles does not serve. Stored objects are not validated.
pub(crate) fn refuses_no_request(location: &Location<'_>, assessment: &Assessment) -> bool {
    let (Some(old), Some(new)) = (location.old_version, location.new_version) else { return false };
    let is_constraint = policy::row(assessment.rule.row).is_some_and(|row| row.section == "objects accepted");
    let refuses = matches!(assessment.direction, Some(Direction::Tightened | Direction::Neither));
    is_constraint && refuses && !(old.served && new.served)
}

pub(crate) fn constraint() -> Assessment {
    Assessment::new(
        &RULE,
        "a constraint was changed in a version that only one side serves: no request meets both constraints",
    )
}

pub(crate) fn assess(change: &Change<'_>) -> Assessment {
    let what = change.description();
    Assessment::new(&RULE, format!("{what} was changed in a version that neither side serves: no request can use it"))
}
