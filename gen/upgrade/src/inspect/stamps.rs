//! The stamps of all CRDs: which bundle is installed, and whether it is one bundle, in one channel, and whole.

use std::collections::BTreeMap;

use crd_bundle::{BundleStamp, BundleVersion};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::{count, some_of};
use crd_model::channel::Channel;
use crd_stamps::installed::Stamps;

use crate::inspect::codes;
use crate::inspect::content::Content;
use crate::inspect::known::{InstalledBundle, KnownBundles, Part};

/// How many CRDs a message names.
const MOST_NAMED: usize = 3;

/// The stamps of a CRD, parsed.
#[derive(Clone, Debug)]
pub(crate) struct Stamped {
    pub(crate) crd: String,
    /// A version or a month.
    bundle: Option<BundleStamp>,
    pub(crate) channel: Option<Channel>,
    /// A finding about the stamps themselves.
    pub(crate) finding: Option<Diagnostic>,
    /// Whether there is any stamp.
    pub(crate) has_stamp: bool,
}

impl Stamped {
    /// Parses the stamps of a CRD. `is_known` is whether a known bundle has a CRD of this name.
    pub(crate) fn of(stamps: &Stamps, is_known: bool) -> Self {
        let is_readable = |bundle: &BundleStamp| *bundle != BundleStamp::Unreadable;
        let version = |text| Some(BundleStamp::of(text)).filter(is_readable).ok_or(text);
        let version = stamps.version.as_ref().map(|text| version(text));
        let channel = stamps.channel.as_ref().map(|text| Channel::named(text).ok_or(text));
        let has_stamp = version.is_some() || channel.is_some();
        let unreadable = [
            version.as_ref().and_then(|read| read.as_ref().err()).map(|text| format!("the bundle version `{text}`")),
            channel.as_ref().and_then(|read| read.as_ref().err()).map(|text| format!("the channel `{text}`")),
        ];
        let unreadable = unreadable.into_iter().flatten().collect::<Vec<_>>();
        let missing = match (&version, &channel) {
            (None, None) if is_known => Some("neither bundle version nor channel"),
            (None, Some(_)) => Some("no bundle version"),
            (Some(_), None) => Some("no channel"),
            _ => None,
        };
        let finding = match (&*unreadable, missing) {
            ([], None) => None,
            ([], Some(missing)) => Some(codes::UNSTAMPED.finding(format!("it has {missing}"))),
            (unreadable, _) => {
                Some(codes::UNREADABLE_STAMP.finding(format!("{} cannot be read", unreadable.join(" and "))))
            }
        };
        let finding = finding.map(|finding| finding.help("apply the published CRD of the bundle"));
        let (bundle, channel) = (version.and_then(Result::ok), channel.and_then(Result::ok));
        Self { crd: stamps.crd.clone(), bundle, channel, finding, has_stamp }
    }

    /// The version, unless it is missing, unreadable or a month.
    pub(crate) fn version(&self) -> Option<BundleVersion> {
        self.bundle?.version()
    }

    /// The version and channel.
    pub(crate) fn part(&self) -> Option<Part> {
        Some((self.version()?, self.channel?))
    }

    /// The version or month, and the channel, if both are readable.
    pub(crate) fn bundle(&self) -> Option<InstalledBundle> {
        Some((self.bundle?, self.channel?))
    }
}

/// The bundle and channel that most CRDs have; of several, the newest and the one with more, and a version instead of a month. A CRD with the content of another
/// bundle counts less than any other.
pub(crate) fn installed_bundle(all: &[Stamped], contents: &[Content]) -> Option<InstalledBundle> {
    let number = |bundle: &InstalledBundle| {
        let own = || all.iter().zip(contents).filter(|(stamped, _)| stamped.bundle() == Some(*bundle));
        let correct = own().filter(|(_, content)| !matches!(content, Content::Other(_))).count();
        (correct, own().count(), bundle.0.version(), bundle.0.month(), bundle.1)
    };
    all.iter().filter_map(Stamped::bundle).max_by_key(number)
}

/// Whether a CRD does not belong to the bundle, in either channel, and to another known one or to none. Which CRDs a month has is not known.
pub(crate) fn is_outside(crd: &str, (bundle, channel): InstalledBundle, known: &KnownBundles) -> bool {
    let Some(version) = bundle.version() else { return false };
    let installed = (version, channel);
    let other = if channel == Channel::Standard { Channel::Experimental } else { Channel::Standard };
    known.crds(installed).is_some() && known.crd(installed, crd).is_none() && known.crd((version, other), crd).is_none()
}

/// What is wrong with the installation as a whole. CRDs whose stamps are wrong have a finding of their own, so they do not make it mixed.
pub(crate) fn findings<'c>(
    all: &[Stamped],
    contents: impl Iterator<Item = &'c Content>,
    installed: InstalledBundle,
    known: &KnownBundles,
) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let wrong = contents.map(|content| matches!(content, Content::Other(_))).collect::<Vec<_>>();
    let correct = all.iter().zip(&wrong).filter(|(_, is_wrong)| !**is_wrong).map(|(stamped, _)| stamped);
    let inside = || correct.clone().filter(|stamped| !is_outside(&stamped.crd, installed, known));
    let versions = groups(inside().filter_map(|stamped| Some((stamped.bundle?.to_string(), &*stamped.crd))));
    let channels = groups(inside().filter_map(|stamped| Some((stamped.channel?.name().to_owned(), &*stamped.crd))));
    let (bundle, channel) = installed;
    if versions.len() > 1 {
        let message = format!("the CRDs are of {}: {}", count(versions.len(), "bundle"), in_words(&versions));
        findings.push(codes::MIXED_VERSIONS.finding(message).help("install all CRDs of one bundle"));
    }
    if channels.len() > 1 {
        let message = format!("the CRDs are of both channels: {}", in_words(&channels));
        findings.push(codes::MIXED_CHANNELS.finding(message).help("install all CRDs of one channel"));
    }
    findings.extend(unknown(all, known));
    let crds = bundle.version().and_then(|version| known.crds((version, channel)));
    for crd in crds.into_iter().flatten() {
        if !all.iter().any(|stamped| stamped.crd == *crd.name) {
            let message = format!("it is part of {bundle} {}, and not installed", channel.name());
            let finding = codes::MISSING_CRD.finding(message).of_crd(crd.name.to_string(), None, "");
            findings.push(finding.help(format!("install all CRDs of {bundle}")));
        }
    }
    findings
}

/// A finding for each bundle that is not known.
fn unknown(all: &[Stamped], known: &KnownBundles) -> Vec<Diagnostic> {
    let parts = all.iter().filter_map(|stamped| Some((stamped.version()?, stamped.crd.as_str())));
    let parts = parts.filter(|(version, _)| known.versions().all(|known| known != *version));
    let range = match (known.versions().next(), known.versions().next_back()) {
        (Some(first), Some(last)) if first == last => format!("known is {first}"),
        (Some(first), Some(last)) => format!("known are {first} to {last}"),
        _ => "no release is known".to_owned(),
    };
    let finding = |(version, crds): (&String, &Vec<&str>)| {
        let crds = count(crds.len(), "CRD");
        let message = format!("the bundle {version} is not known, so the content of {crds} is not compared: {range}");
        codes::UNKNOWN_BUNDLE.finding(message).help("name a folder or an archive with its release: `--releases PATH`")
    };
    groups(parts.map(|(version, crd)| (version.to_string(), crd))).iter().map(finding).collect()
}

fn groups<'s>(pairs: impl Iterator<Item = (String, &'s str)>) -> BTreeMap<String, Vec<&'s str>> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (key, crd) in pairs {
        groups.entry(key).or_default().push(crd);
    }
    groups
}

/// The smallest groups are what an incomplete update did not replace. They name their CRDs.
fn in_words(groups: &BTreeMap<String, Vec<&str>>) -> String {
    let in_words = |(key, crds): (&String, &Vec<&str>)| format!("{key} ({})", some_of(crds, MOST_NAMED));
    groups.iter().map(in_words).collect::<Vec<_>>().join("; ")
}
