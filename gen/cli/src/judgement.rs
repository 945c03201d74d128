//! A judgement: a candidate against its baseline, from the policy to the report.
//!
//! Fed by `diff` and `check` with two bundles and with what was declared. Read by every format of findings.
//!
//! Invariants: nothing is opened here; the same bundles give the same report.

use crd_bundle::BundleVersion;
use crd_channels::channel::Channel;
use crd_compat::policy::Profile;
use crd_compat::{Channels, Comparison, Declared, Finding, RequiredBump, Verdict, states};

use crate::findings::{ChannelOfReport, FindingsReport, Located, Named, SourceLine};

/// One side of a judgement.
pub(crate) struct Side<'a> {
    /// As the user calls it.
    pub(crate) name: String,
    /// Its version, if it is known.
    pub(crate) version: Option<BundleVersion>,
    /// Its CRDs.
    pub(crate) channels: &'a Channels,
}

/// The bump from one version to a later one; none if it is not later.
pub(crate) fn bump(from: BundleVersion, to: BundleVersion) -> Option<RequiredBump> {
    // A pre-release may hold what its release may.
    let core = |version: BundleVersion| (version.major, version.minor, version.patch);
    let ((major, minor, _), (new_major, new_minor, _)) = (core(from), core(to));
    if core(to) <= core(from) {
        None
    } else if new_major > major {
        Some(RequiredBump::Major)
    } else if new_minor > minor {
        Some(RequiredBump::Minor)
    } else {
        Some(RequiredBump::Patch)
    }
}

/// The smallest release above a version that a required bump fits; none if no release does.
pub(crate) fn smallest(from: BundleVersion, required_bump: RequiredBump) -> Option<BundleVersion> {
    match required_bump {
        RequiredBump::None => Some(from.core()),
        RequiredBump::Patch => Some(BundleVersion::new(from.major, from.minor, from.patch.checked_add(1)?)),
        RequiredBump::Minor => Some(BundleVersion::new(from.major, from.minor.checked_add(1)?, 0)),
        RequiredBump::Major => Some(BundleVersion::new(from.major.checked_add(1)?, 0, 0)),
        RequiredBump::Waiver | RequiredBump::NotAllowed => None,
    }
}

/// The findings of a candidate: what differs from the baseline, and how it stands. Without a baseline there is nothing that it could have
/// made worse, so how it stands is told as known.
pub(crate) fn findings(
    baseline: Option<&Channels>,
    candidate: &Channels,
    profile: Profile,
    declared: &Declared,
    with_witnesses: bool,
) -> Vec<Finding> {
    let mut found = match baseline {
        Some(baseline) => {
            Comparison { with_witnesses, ..Comparison::new(baseline, candidate, profile, declared) }.findings()
        }
        None => Vec::new(),
    };
    found.extend(states(Some(baseline.unwrap_or(candidate)), candidate, profile));
    found
}

/// The report over findings that waivers have lowered already.
pub(crate) fn report(
    baseline: Option<&Side<'_>>,
    candidate: &Side<'_>,
    profile: Profile,
    findings: Vec<Finding>,
    source: &dyn Fn(&Finding) -> Option<SourceLine>,
) -> FindingsReport {
    let mut channels = Vec::new();
    let mut judged = Vec::new();
    for channel in Channel::ALL {
        let old = baseline.map(|side| side.channels.contains_key(&channel));
        let new = candidate.channels.contains_key(&channel);
        let unjudged = match (old, new) {
            (Some(false), true) => Some("the baseline has no such channel".to_owned()),
            (Some(true), false) => Some("the candidate has no such channel".to_owned()),
            (None, true) => Some("there is no baseline".to_owned()),
            (Some(true), true) => None,
            (_, false) => continue,
        };
        if unjudged.is_none() {
            judged.push(channel);
        }
        channels.push(ChannelOfReport { channel, unjudged });
    }
    let verdict = Verdict::over(&findings, judged);
    let permitted = match (baseline.and_then(|side| side.version), candidate.version) {
        (Some(from), Some(to)) => bump(from, to),
        _ => None,
    };
    // A pre-release is nobody's baseline: what came after it says nothing of the next version.
    let from = baseline.and_then(|side| side.version).filter(|version| version.is_release());
    let needed = from.and_then(|from| smallest(from, verdict.bundle));
    let named =
        |side: &Side<'_>| Named { name: side.name.clone(), version: side.version.map(|version| version.to_string()) };
    FindingsReport {
        baseline: baseline.map(named),
        candidate: named(candidate),
        profile,
        channels,
        findings: findings
            .into_iter()
            .map(|finding| {
                let source = source(&finding);
                Located { finding, source }
            })
            .collect(),
        verdict,
        permitted,
        needed: needed.map(|version| version.to_string()),
        problems: Vec::new(),
        notes: Vec::new(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn version(text: &str) -> BundleVersion {
        text.parse().unwrap()
    }

    #[test]
    fn bumps_are_those_of_semantic_versions() {
        for (from, to, expected) in [
            ("v1.6.0", "v1.6.1", Some(RequiredBump::Patch)),
            ("v1.6.3", "v1.7.0", Some(RequiredBump::Minor)),
            ("v1.6.3", "v1.7.0-rc.1", Some(RequiredBump::Minor)),
            ("v1.9.0", "v1.10.0", Some(RequiredBump::Minor)),
            ("v1.9.9", "v2.0.0", Some(RequiredBump::Major)),
            ("v0.8.1", "v1.0.0", Some(RequiredBump::Major)),
            ("v1.6.1", "v1.6.1", None),
            ("v1.7.0", "v1.6.9", None),
        ] {
            assert_eq!(bump(version(from), version(to)), expected, "{from} → {to}");
        }
    }

    #[test]
    fn the_smallest_version_that_fits_is_a_release() {
        for (required_bump, expected) in [
            (RequiredBump::None, Some("v1.6.3")),
            (RequiredBump::Patch, Some("v1.6.4")),
            (RequiredBump::Minor, Some("v1.7.0")),
            (RequiredBump::Major, Some("v2.0.0")),
            (RequiredBump::Waiver, None),
            (RequiredBump::NotAllowed, None),
        ] {
            assert_eq!(smallest(version("v1.6.3"), required_bump), expected.map(version), "{required_bump}");
        }
    }
}
