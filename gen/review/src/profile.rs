//! Which profile applies to a comparison, and why.
//!
//! Invariants: what a person names comes first, then what the settings of the project declare, then what the baseline declares. The candidate
//! decides only where nothing else does: its author would choose the rules for his own change.

use crd_bundle::published::Stamps;
use crd_bundle::{BundleVersion, Release};
use crd_compat::policy::{Policy, Profile};

/// The profile of a comparison, and why it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenProfile {
    pub profile: Profile,
    pub reason: ProfileReason,
}

/// Why a profile applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileReason {
    /// The user names it.
    Requested,
    /// The settings of the project declare it.
    Settings,
    /// The manifest of this bundle declares it.
    Manifest(String),
    /// Most CRDs have channel stamps, and no manifest.
    ChannelStamps,
    /// Most CRDs have no channel stamps, and no manifest.
    NoChannelStamps,
}

impl ProfileReason {
    /// The reason as a clause.
    pub fn text(&self) -> String {
        match self {
            ProfileReason::Requested => "`--profile` selects it".to_owned(),
            ProfileReason::Settings => "`crd-channels.yaml` declares it".to_owned(),
            ProfileReason::Manifest(bundle) => format!("the manifest of {bundle} declares it"),
            ProfileReason::ChannelStamps => {
                "most CRDs are annotated with a channel, as those of Gateway API are".to_owned()
            }
            ProfileReason::NoChannelStamps => "most CRDs are not annotated with a channel".to_owned(),
        }
    }
}

impl ChosenProfile {
    /// The profile that the user names, or else that of the settings.
    pub fn of_settings(requested: Option<Profile>, settings: Profile) -> Self {
        match requested {
            Some(profile) => Self { profile, reason: ProfileReason::Requested },
            None => Self { profile: settings, reason: ProfileReason::Settings },
        }
    }

    /// The profile for two bundles. `settings` is the profile of the project, where there is one, with the prefix of its stamps: it applies to
    /// CRDs with these stamps. Without a prefix, it applies to all CRDs.
    pub fn of_bundles(
        requested: Option<Profile>,
        settings: Option<(&str, Profile)>,
        baseline: &Release,
        candidate: &Release,
    ) -> Self {
        let of_manifest = |bundle: &Release| {
            let manifest = bundle.manifest.as_ref()?;
            Some(Self { profile: manifest.profile, reason: ProfileReason::Manifest(bundle.name.clone()) })
        };
        let stamps =
            |bundle: &'_ Release| bundle.origins().map(|(_, _, origin)| origin.stamps.clone()).collect::<Vec<_>>();
        let (of_baseline, of_candidate) = (stamps(baseline), stamps(candidate));
        let of_settings = || {
            let (prefix, profile) = settings?;
            let mut stamps = of_baseline.iter().chain(&of_candidate);
            let is_own = prefix.is_empty() || stamps.any(|stamps| stamps.prefix() == Some(prefix));
            is_own.then_some(Self { profile, reason: ProfileReason::Settings })
        };
        let stamped = if of_baseline.is_empty() { &of_candidate } else { &of_baseline };
        requested
            .map(|profile| Self { profile, reason: ProfileReason::Requested })
            .or_else(of_settings)
            .or_else(|| of_manifest(baseline))
            .or_else(|| of_manifest(candidate))
            .unwrap_or_else(|| Self::of_stamps(stamped.iter()))
    }

    /// The profile of CRDs without a manifest, by whether most of them have channel stamps.
    pub fn of_stamps<'s>(stamps: impl Iterator<Item = &'s Stamps>) -> Self {
        let (with, without): (Vec<_>, Vec<_>) = stamps.partition(|stamps| stamps.known_channel().is_some());
        match with.len() > without.len() {
            true => Self { profile: Profile::Gep922, reason: ProfileReason::ChannelStamps },
            false => Self { profile: Profile::Semver, reason: ProfileReason::NoChannelStamps },
        }
    }

    /// Notes for people: why the profile applies, and whether the baseline has another one.
    pub fn notes(&self, baseline: Option<&Release>) -> Vec<String> {
        self.explanation().into_iter().chain(baseline.and_then(|baseline| self.change(baseline))).collect()
    }

    /// The reason, unless it is expected: the user names the profile, the settings declare it, or it is the default one.
    fn explanation(&self) -> Option<String> {
        let is_expected = match self.reason {
            ProfileReason::Requested | ProfileReason::Settings => true,
            ProfileReason::Manifest(_) => self.profile == Profile::default(),
            ProfileReason::ChannelStamps | ProfileReason::NoChannelStamps => false,
        };
        (!is_expected)
            .then(|| format!("profile {}, because {}; `--profile` selects another", self.profile, self.reason.text()))
    }

    /// The difference from the manifest of the baseline.
    fn change(&self, baseline: &Release) -> Option<String> {
        let former = baseline.manifest.as_ref()?.profile;
        (former != self.profile && self.reason != ProfileReason::Requested).then(|| {
            format!("the profile changed from {former} in {} to {}, which applies here", baseline.name, self.profile)
        })
    }

    /// The profile that the candidate declares, if another one applies to it.
    pub fn later(&self, candidate: &Release) -> Option<String> {
        let later = candidate.manifest.as_ref()?.profile;
        (later != self.profile && self.reason != ProfileReason::Requested)
            .then(|| format!("{} declares the profile {later}, which counts for the changes after it", candidate.name))
    }

    /// The policy over a baseline. An unknown version counts as v1.0.0 or later.
    pub fn policy(&self, baseline: Option<BundleVersion>) -> Policy {
        Policy { profile: self.profile, is_below_one: baseline.is_some_and(|version| version.major == 0) }
    }
}
