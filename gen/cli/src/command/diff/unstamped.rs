//! CRDs without a channel stamp on both sides of a comparison.
//!
//! Invariants: a project with types and two channels asks for the channel, because CRDs of either may have lost their stamps. CRDs of another project,
//! which have no channels at all, are compared as anywhere else, also in the folder of such a project.

use crd_bundle::Release;
use crd_bundle::published::choice::Chosen;
use crd_diagnostics::merged;
use crd_generator::settings::{Project, only_channel};
use crd_review::assembly::{NO_CHANNEL, Unstamped};

use super::Options;

impl Options {
    fn unstamped(&self, project: &Project) -> Unstamped {
        let settings = &project.settings;
        match self.channel.or_else(|| only_channel(settings)) {
            Some(channel) => Unstamped::Of(channel),
            None if settings.has_types() => Unstamped::Refused,
            None => Unstamped::Standard,
        }
    }

    /// Opens the sides of a comparison.
    pub(in crate::command) fn opened<T>(
        &self,
        project: &Project,
        open: impl Fn(Unstamped) -> Chosen<T>,
        sides: impl Fn(&T) -> [&Release; 2],
    ) -> Chosen<T> {
        let Chosen { kept, used } = open(self.unstamped(project));
        let Err(errors) = kept else { return Chosen { kept, used } };
        // The channel is asked for once.
        let (asks, errors) = errors.into_iter().partition::<Vec<_>, _>(|error| error.code == NO_CHANNEL);
        if errors.is_empty() && !asks.is_empty() {
            let without = open(Unstamped::Standard);
            if without.kept.as_ref().is_ok_and(|opened| {
                !sides(opened).into_iter().any(|side| side.has_channels || side.has_version_stamps())
            }) {
                return without;
            }
        }
        Chosen { kept: Err(errors.into_iter().chain(merged(asks)).collect()), used }
    }
}
