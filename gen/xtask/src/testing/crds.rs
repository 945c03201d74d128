//! The CRDs that suites are run against, in each channel.

use std::collections::BTreeSet;
use std::sync::Arc;

use crd_bundle::published::Unreadable;
use crd_bundle::published::choice::Choice;
use crd_diagnostics::{Diagnostic, fail_on};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_suite::Suite;
use serde_json::Value;

use super::Request;
use crate::session::Session;
use crate::validation::{Against, KnownCrd, ReadCrds, crds};

/// The CRDs of the used kinds in each channel.
pub(crate) type ByChannel = Vec<(Channel, Vec<Arc<CustomResourceDefinition>>)>;

/// The CRDs of each channel.
pub(super) struct Read {
    pub(super) channels: Vec<(Channel, Vec<KnownCrd>)>,
    pub(super) unreadable: Vec<Unreadable>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// Reads the CRDs of a channel, or of every channel that has CRDs.
pub(super) fn channels(
    against: &Against<'_>,
    channel: Option<Channel>,
    choice: &Choice,
    session: &Session<'_>,
) -> Result<Read, Vec<Diagnostic>> {
    let wanted = channel.map_or(Channel::ALL.to_vec(), |channel| vec![channel]);
    let mut read = Read { channels: Vec::new(), unreadable: Vec::new(), warnings: Vec::new() };
    let mut errors = Vec::new();
    for channel in wanted {
        match crds(against, Some(channel), choice, session) {
            Ok(ReadCrds { crds, unreadable, warnings, .. }) => {
                read.unreadable = unreadable;
                let of_channel = crds.into_iter().filter(|known| known.left_out.is_none()).collect::<Vec<_>>();
                if !of_channel.is_empty() {
                    read.channels.push((channel, of_channel));
                    read.warnings = warnings;
                }
            }
            // A project, or a bundle, can have one channel.
            Err(found) => errors = found,
        }
    }
    if read.channels.is_empty() {
        errors.extend(read.unreadable.into_iter().flat_map(|crd| crd.errors));
        let none = || Diagnostic::error("bundle::channels", "no CRD is in the channel").help("check `--channel`");
        errors.extend(errors.is_empty().then(none));
        return Err(errors);
    }
    Ok(read)
}

/// The CRDs of the kinds that cases have. One that a server refuses, or that cannot be read, is an error.
pub(super) fn used(
    Read { channels, unreadable, .. }: Read,
    suites: &[Suite],
    request: &Request<'_>,
) -> Result<ByChannel, Vec<Diagnostic>> {
    let cases = suites.iter().flat_map(|suite| &suite.cases);
    let text = |object: &Value, key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let kinds = cases.map(|case| (text(&case.object, "apiVersion"), text(&case.object, "kind")));
    let kinds = kinds.collect::<BTreeSet<_>>();
    let is_used = |known: &KnownCrd| {
        let group = format!("{}/", known.crd.group);
        request.is_of_all_kinds
            || kinds.iter().any(|(version, kind)| version.starts_with(&group) && *kind == *known.crd.names.kind)
    };
    let is_needed = |crd: &Unreadable| {
        let mut kinds = kinds.iter().filter_map(|(version, kind)| Some((version.split_once('/')?.0, kind)));
        request.is_of_all_kinds || kinds.any(|(group, kind)| crd.may_have(group, kind))
    };
    let unreadable = unreadable.into_iter().filter(is_needed);
    let mut errors = unreadable.flat_map(|crd| crd.errors).collect::<Vec<_>>();
    let channels = channels.into_iter().map(|(channel, crds)| {
        let crds = crds.into_iter().filter(is_used);
        let crds = crds.map(|known| {
            errors.extend(known.unusable(&request.minors));
            Arc::new(known.crd)
        });
        (channel, crds.collect())
    });
    let channels = channels.collect();
    errors.dedup();
    fail_on(errors).map(|()| channels)
}
