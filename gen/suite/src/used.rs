//! The CRDs that cases are about.

use std::collections::BTreeSet;
use std::sync::Arc;

use crd_bundle::published::Unreadable;
use crd_diagnostics::{Diagnostic, fail_on};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use serde_json::Value;

use crate::case::Suite;
use crate::objects::validation::KnownCrd;

/// The CRDs of the used kinds in each channel.
pub type ByChannel = Vec<(Channel, Vec<Arc<CustomResourceDefinition>>)>;

/// The CRDs of the kinds that cases have, or of all kinds. One that a server refuses, or that cannot be read, is an error.
///
/// # Errors
/// Those CRDs.
pub fn used(
    channels: Vec<(Channel, Vec<KnownCrd>)>,
    unreadable: Vec<Unreadable>,
    suites: &[Suite],
    is_of_all_kinds: bool,
    minors: &[u32],
) -> Result<ByChannel, Vec<Diagnostic>> {
    let cases = suites.iter().flat_map(|suite| &suite.cases);
    let text = |object: &Value, key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let kinds = cases.map(|case| (text(&case.object, "apiVersion"), text(&case.object, "kind")));
    let kinds = kinds.collect::<BTreeSet<_>>();
    let is_used = |known: &KnownCrd| {
        let group = format!("{}/", known.crd.group);
        is_of_all_kinds
            || kinds.iter().any(|(version, kind)| version.starts_with(&group) && *kind == *known.crd.names.kind)
    };
    let is_needed = |crd: &Unreadable| {
        let mut kinds = kinds.iter().filter_map(|(version, kind)| Some((version.split_once('/')?.0, kind)));
        is_of_all_kinds || kinds.any(|(group, kind)| crd.may_have(group, kind))
    };
    let unreadable = unreadable.into_iter().filter(is_needed);
    let mut errors = unreadable.flat_map(|crd| crd.errors).collect::<Vec<_>>();
    let channels = channels.into_iter().map(|(channel, crds)| {
        let crds = crds.into_iter().filter(is_used);
        let crds = crds.map(|known| {
            errors.extend(known.unusable(minors));
            Arc::new(known.crd)
        });
        (channel, crds.collect())
    });
    let channels = channels.collect();
    errors.dedup();
    fail_on(errors).map(|()| channels)
}
