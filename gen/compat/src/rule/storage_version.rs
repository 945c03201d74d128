//! `storage-version`: the version in which objects are written.
//!
//! One for each resource. A CRD with several, or with none, is not judged here: servers refuse it, and the net catches it.

use crate::difference::{Difference, Subject};
use crate::policy::Cells;
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "storage-version",
    row: "storage-version",
    cells: Cells::everywhere(&[Ruling::Minor, Ruling::Finding]),
    summary: "Another API version is the storage version.",
    explanation: "Objects are written in it from now on. A server with the baseline must be able to serve it, or a \
        rollback leaves objects that it cannot read.",
    example: "old: { versions: [{ name: v1beta1, storage: true }, { name: v1, storage: false }] }\n\
              new: { versions: [{ name: v1beta1, storage: false }, { name: v1, storage: true }] }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    if difference.subject != Subject::Storage {
        return None;
    }
    let stored = difference.after.as_ref()?.as_str()?;
    let mut versions = difference.place.old_crd?.versions.iter();
    Some(match versions.any(|version| version.name == stored && version.served) {
        true => Claim::new(format!("objects are stored in {stored} from now on")),
        false => Claim::new(format!(
            "objects are stored in {stored} from now on, which the baseline does not serve: after a rollback nobody can read them"
        ))
        .ruled(Ruling::Finding)
        .fix("Serve the version in one bundle, and make it the storage version in a later one."),
    })
}
