//! `backends`: backends exist.
//!
//! Controllers report ResolvedRefs=False with the reason BackendNotFound for a backend that does not exist, and its share of the traffic fails. It is
//! a warning, because the backend can be created after the route.
//!
//! * Backends with weight 0 count: controllers resolve them too, and a wrong name would fail when traffic is moved to them.
//! * Services and XBackends are looked up. Whether an object of another kind exists is not known.
//! * A backend in another namespace is looked up only if a ReferenceGrant permits the reference. Otherwise the answer would reveal objects
//!   of that namespace (GEP-709), and the rule `reference-grants` warns.

use std::collections::HashSet;

use crd_webhook::{Change, Lookup, Objects, Report, Rule, Watched};
use gateway_api_types::v1alpha1::XBackend;
use gateway_api_types::{EXPERIMENTAL_GROUP, kinds};

use crate::grant::permits;
use crate::reference::Refers;
use crate::rule::READS_OTHER_OBJECTS;
use crate::watched::Service;

pub(crate) const fn rule<T: Refers>() -> Rule<T> {
    Rule {
        name: "backends",
        about: "The backends of a route exist.",
        why: READS_OTHER_OBJECTS,
        create: Some(check::<T>),
        update: Some(check::<T>),
    }
}

fn check<T: Refers>(change: &Change<T>, objects: &Objects, report: &mut Report) {
    let own = change.namespace.as_deref().unwrap_or_default();
    let mut missing = HashSet::new();
    change.object.each_reference(&mut |field, target| {
        let namespace = target.namespace(own);
        let (kind, name) = (target.kind, target.name);
        let is_absent = match (target.group, kind) {
            ("", "Service") => is_absent::<Service>(objects, namespace, name),
            (EXPERIMENTAL_GROUP, kinds::X_BACKEND) => is_absent::<XBackend>(objects, namespace, name),
            _ => false,
        };
        let is_visible = || namespace == own || permits::<T>(objects, own, &target, namespace) == Some(true);
        if is_absent && missing.insert((kind, namespace, name)) && is_visible() {
            report.warn(
                field.to_string(),
                format!(
                    "there is no {kind} `{name}` in the namespace `{namespace}`, so its share of the traffic fails: create it, or correct the \
                     reference"
                ),
            );
        }
    });
}

fn is_absent<T: Watched>(objects: &Objects, namespace: &str, name: &str) -> bool {
    matches!(objects.get::<T>(namespace, name), Lookup::Absent)
}
