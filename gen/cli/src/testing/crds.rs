//! The CRDs that suites are run against, in each channel.

use crd_bundle::published::Unreadable;
use crd_bundle::published::choice::Choice;
use crd_diagnostics::Diagnostic;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_suite::Suite;
use crd_suite::objects::validation::KnownCrd;
use crd_suite::objects::validation::crds::ReadCrds;
use crd_suite::used::{ByChannel, used};

use super::Request;
use crate::validation::{Against, crds};

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

impl Read {
    /// The CRDs of the kinds that cases have, or of all kinds.
    pub(super) fn used(self, suites: &[Suite], request: &Request<'_>) -> Result<ByChannel, Vec<Diagnostic>> {
        used(self.channels, self.unreadable, suites, request.is_of_all_kinds, &request.minors)
    }
}
