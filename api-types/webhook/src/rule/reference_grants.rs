//! `reference-grants`: a reference into another namespace has a ReferenceGrant there (GEP-709).
//!
//! Without one, controllers do not follow the reference, and report ResolvedRefs=False with the reason RefNotPermitted. It is a warning,
//! because the owner of the other namespace can add the grant later.

use std::collections::HashSet;

use crd_channels::Resource;
use crd_webhook::{Change, Objects, Report, Rule};

use crate::grant::permits;
use crate::reference::Refers;
use crate::rule::READS_OTHER_OBJECTS;

pub(crate) const fn rule<T: Refers>() -> Rule<T> {
    Rule {
        name: "reference-grants",
        about: "A reference into another namespace has a ReferenceGrant there.",
        why: READS_OTHER_OBJECTS,
        create: Some(check::<T>),
        update: Some(check::<T>),
    }
}

fn check<T: Refers>(change: &Change<T>, objects: &Objects, report: &mut Report) {
    let own = change.namespace.as_deref().unwrap_or_default();
    let mut seen = HashSet::new();
    change.object.each_reference(&mut |field, target| {
        let other = target.namespace(own);
        if other == own || !seen.insert(target) || permits::<T>(objects, own, &target, other) != Some(false) {
            return;
        }
        let (from, kind, name) = (<T as Resource>::KIND, target.kind, target.name);
        report.warn(
            field.to_string(),
            format!(
                "the namespace `{other}` has no ReferenceGrant for a reference from `{from}` in `{own}` to `{kind}` `{name}`, which stays \
                 unused: add one there, or refer to an object in `{own}`"
            ),
        );
    });
}
