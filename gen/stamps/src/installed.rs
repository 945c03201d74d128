//! Which bundle a cluster has, compared with the one that a program was built for.
//!
//! "Implementations may read annotations on CRDs to determine the version and channel" (GEP-922). A controller gets one verdict, with a reason and a message for a
//! condition such as `SupportedVersion` of a GatewayClass.
//!
//! Invariants: nothing is read here: the program gives the CRDs that it found. The verdict depends on stamps only; `inspect` compares contents.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crd_model::channel::Channel;

use crate::stamp::{BUNDLE_VERSION, CHANNEL};
use crate::{BundleStamp, BundleVersion};

/// How many CRDs a message names.
const MOST_NAMED: usize = 3;

/// The stamps of a CRD in a cluster, as they are written there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    /// The name of the CRD, such as `gateways.gateway.networking.k8s.io`.
    pub crd: String,
    /// The bundle version; nothing if the annotation is missing.
    pub version: Option<String>,
    /// The channel; nothing if the annotation is missing.
    pub channel: Option<String>,
}

impl Stamps {
    /// The stamps among the annotations of a CRD. `prefix` is that of the API, such as `gateway.networking.k8s.io`.
    pub fn of<'a>(crd: &str, prefix: &str, annotations: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut stamps = Self { crd: crd.to_owned(), ..Self::default() };
        for (key, value) in annotations {
            match key.strip_prefix(prefix).and_then(|key| key.strip_prefix('/')) {
                Some(BUNDLE_VERSION) => stamps.version = Some(value.to_owned()),
                Some(CHANNEL) => stamps.channel = Some(value.to_owned()),
                _ => {}
            }
        }
        stamps
    }

    /// The bundle, which is a version or a month, and the channel, if both can be read.
    pub fn part(&self) -> Option<(BundleStamp, Channel)> {
        let bundle = BundleStamp::of(self.version.as_deref()?);
        let is_readable = bundle != BundleStamp::Unreadable;
        is_readable.then_some(bundle).zip(Channel::named(self.channel.as_deref()?))
    }
}

/// A kind that a program uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindUse<'b> {
    /// The API group, such as `gateway.networking.k8s.io`.
    pub group: &'b str,
    /// The plural of the CRD's name, such as `httproutes`.
    pub plural: &'b str,
    /// The kind, such as `HTTPRoute`.
    pub kind: &'b str,
    /// The API versions that it can read, the preferred one first.
    pub versions: &'b [&'b str],
    /// Whether it also works without the kind.
    pub is_optional: bool,
}

impl KindUse<'_> {
    /// The name of the CRD.
    #[must_use]
    pub fn crd(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }
}

/// What a program was built for.
#[derive(Clone, Debug)]
pub struct BuiltFor<'b> {
    /// The bundle version of its types.
    pub version: BundleVersion,
    /// The channel that has all the fields that it uses. Experimental contains standard.
    pub channel: Channel,
    /// The kinds that it uses.
    pub kinds: &'b [KindUse<'b>],
}

/// Whether a program can work with the installed CRDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Support {
    /// All CRDs are of the bundle's minor version and of a channel that has what the program uses.
    Supported,
    /// A CRD is missing.
    Missing,
    /// A CRD has no stamps, or stamps that cannot be read.
    Unstamped,
    /// The CRDs are of different bundles or channels: an update was incomplete.
    Mixed,
    /// The CRDs are of a month, which has no order with the version of the program.
    Monthly,
    /// The CRDs are of standard, and the program uses fields of experimental.
    WrongChannel,
    /// The bundle is older: fields that the program uses can be missing.
    Older,
    /// The bundle is newer: objects can have fields that the program does not know.
    Newer,
}

/// Every verdict with the reason of its condition, in the order in which they are checked.
pub const SUPPORT: [(Support, &str); 8] = [
    (Support::Missing, "CRDsMissing"),
    (Support::Unstamped, "CRDsUnstamped"),
    (Support::Mixed, "CRDsMixed"),
    (Support::Monthly, "MonthlyVersion"),
    (Support::WrongChannel, "WrongChannel"),
    (Support::Older, "OlderVersion"),
    (Support::Newer, "NewerVersion"),
    (Support::Supported, "SupportedVersion"),
];

/// The verdict about the installed CRDs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Whether the program can work with them.
    pub support: Support,
    /// The bundle version that all CRDs have.
    pub version: Option<BundleVersion>,
    /// The channel that all CRDs have.
    pub channel: Option<Channel>,
    /// For people: what is installed, and what to do.
    pub message: String,
}

impl Support {
    /// The reason of a condition: one word in camel case (Kubernetes API conventions, *Typical status properties*).
    #[must_use]
    pub fn reason(self) -> &'static str {
        SUPPORT.iter().find(|(support, _)| *support == self).map_or("", |(_, reason)| reason)
    }

    /// Whether the condition is true.
    #[must_use]
    pub fn is_supported(self) -> bool {
        self == Self::Supported
    }
}

impl fmt::Display for Installed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.support.reason(), self.message)
    }
}

/// Compares the CRDs of a cluster with what a program was built for. CRDs that the program does not use are left out of the comparison, and so are optional ones
/// that are missing.
///
/// Patch versions do not matter: a patch bundle adds nothing to the types.
#[must_use]
pub fn installed(built: &BuiltFor<'_>, found: &[Stamps]) -> Installed {
    let needed = needed(built, found);
    let verdict = |support, message| Installed { support, version: None, channel: None, message };
    let missing =
        needed.iter().filter(|(_, stamps)| stamps.is_none()).map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    if !missing.is_empty() {
        let message = format!("not installed: {}. Install all CRDs of the bundle {}.", named(&missing), built.version);
        return verdict(Support::Missing, message);
    }
    let stamps = needed.into_values().flatten().map(|stamps| (stamps, stamps.part())).collect::<Vec<_>>();
    let unread = stamps.iter().filter(|(_, read)| read.is_none()).map(|(stamps, _)| &*stamps.crd).collect::<Vec<_>>();
    if !unread.is_empty() {
        let message = format!(
            "without a readable bundle version and channel: {}. Install the published CRDs of the bundle {}.",
            named(&unread),
            built.version
        );
        return verdict(Support::Unstamped, message);
    }
    // Versions first, then months.
    let mut groups: BTreeMap<_, (BundleStamp, Vec<&str>)> = BTreeMap::new();
    for (stamps, (bundle, channel)) in stamps.iter().filter_map(|(stamps, read)| Some((stamps, (*read)?))) {
        let group = groups.entry((bundle.month(), bundle.version(), channel));
        group.or_insert_with(|| (bundle, Vec::new())).1.push(&stamps.crd);
    }
    let first = groups.first_key_value().map(|((.., channel), (bundle, _))| (*bundle, *channel));
    let (bundle, channel) = first.unwrap_or((BundleStamp::Version(built.version), built.channel));
    if groups.len() > 1 {
        let parts =
            groups.iter().map(|((.., channel), (bundle, names))| format!("{bundle} {channel}: {}", named(names)));
        let parts = parts.collect::<Vec<_>>().join("; ");
        let message = format!("the CRDs are of several bundles: {parts}. Install all CRDs of one bundle and channel.");
        return verdict(Support::Mixed, message);
    }
    let minor = |version: BundleVersion| (version.major, version.minor);
    let installed = format!("the installed CRDs are of the bundle {bundle}, {channel}");
    let Some(version) = bundle.version() else {
        let why = format!("a month has no order with {}, for which this program was built", built.version);
        let message = format!("{installed}; {why}. Install the CRDs of {}.", built.version);
        return verdict(Support::Monthly, message);
    };
    let (support, message) = match channel {
        Channel::Standard if built.channel == Channel::Experimental => (
            Support::WrongChannel,
            format!(
                "{installed}; this program uses experimental fields. Install the experimental channel of {}.",
                built.version
            ),
        ),
        _ if minor(version) < minor(built.version) => {
            (Support::Older, format!("{installed}; this program needs {}. Update the CRDs.", built.version))
        }
        _ if minor(version) > minor(built.version) => (
            Support::Newer,
            format!(
                "{installed}; this program was built for {}, and ignores objects that it does not know. Update it.",
                built.version
            ),
        ),
        _ => (Support::Supported, format!("{installed}, as this program needs.")),
    };
    Installed { support, version: Some(version), channel: Some(channel), message }
}

/// The CRDs that count, by name, with their stamps.
fn needed<'f>(built: &BuiltFor<'_>, found: &'f [Stamps]) -> BTreeMap<String, Option<&'f Stamps>> {
    let stamps = |kind: &KindUse<'_>| found.iter().find(|stamps| stamps.crd == kind.crd());
    let counts = |kind: &&KindUse<'_>| !kind.is_optional || stamps(kind).is_some();
    built.kinds.iter().filter(counts).map(|kind| (kind.crd(), stamps(kind))).collect()
}

/// Some of the names, and the number of the rest.
fn named(names: &[&str]) -> String {
    let sorted = names.iter().copied().collect::<BTreeSet<_>>();
    let shown = sorted.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    match sorted.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// The example of the page is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/controllers.md")]
struct Controllers;

#[cfg(test)]
mod tests {
    use super::*;

    const CRDS: [&str; 4] = ["a.example.com", "b.example.com", "c.example.com", "d.example.com"];

    const KINDS: [KindUse<'_>; 5] =
        [kind("a"), kind("b"), kind("c"), kind("d"), KindUse { is_optional: true, ..kind("f") }];

    const fn kind(plural: &str) -> KindUse<'_> {
        KindUse { group: "example.com", plural, kind: "Any", versions: &["v1"], is_optional: false }
    }

    fn stamps(crd: &str, version: &str, channel: &str) -> Stamps {
        let annotations = [
            ("example.com/bundle-version", version),
            ("example.com/channel", channel),
            ("example.com/other", "x"),
            ("other.example.com/channel", "x"),
        ];
        Stamps::of(crd, "example.com", annotations.into_iter().filter(|(_, value)| !value.is_empty()))
    }

    #[track_caller]
    fn check(built: (&str, Channel), found: &[Stamps], expected: Support, message: &str) {
        let built = BuiltFor { version: built.0.parse().unwrap(), channel: built.1, kinds: &KINDS };
        let installed = installed(&built, found);
        assert_eq!((installed.support, &*installed.message), (expected, message));
        assert_eq!(installed.to_string(), format!("{}: {message}", expected.reason()));
        let is_one = !matches!(expected, Support::Missing | Support::Unstamped | Support::Mixed | Support::Monthly);
        assert_eq!((installed.version.is_some(), installed.channel.is_some()), (is_one, is_one));
        assert_eq!(expected.is_supported(), expected == Support::Supported);
    }

    fn all(version: &str, channel: &str) -> Vec<Stamps> {
        CRDS.map(|crd| stamps(crd, version, channel)).to_vec()
    }

    #[test]
    fn a_bundle_of_the_same_minor_is_supported() {
        let built = ("v1.6.1", Channel::Standard);
        for (version, channel) in [("v1.6.1", "standard"), ("v1.6.0", "experimental"), ("v1.6.9", "standard")] {
            let mut found = all(version, channel);
            // A CRD that the program does not need.
            found.push(stamps("e.example.com", "v0.1.0", ""));
            let message = format!("the installed CRDs are of the bundle {version}, {channel}, as this program needs.");
            check(built, &found, Support::Supported, &message);
        }
        assert_eq!(SUPPORT.len(), 8);
    }

    #[test]
    fn older_and_newer_bundles_are_different() {
        let built = ("v1.6.1", Channel::Standard);
        check(
            built,
            &all("v1.5.9", "standard"),
            Support::Older,
            "the installed CRDs are of the bundle v1.5.9, standard; this program needs v1.6.1. Update the CRDs.",
        );
        check(
            built,
            &all("v1.7.0", "standard"),
            Support::Newer,
            "the installed CRDs are of the bundle v1.7.0, standard; this program was built for v1.6.1, and ignores objects that it does not know. \
             Update it.",
        );
        let found = all("v2.0.0", "standard");
        assert_eq!(
            installed(
                &BuiltFor { version: BundleVersion::new(1, 9, 0), channel: Channel::Standard, kinds: &KINDS },
                &found
            )
            .support,
            Support::Newer
        );
    }

    #[test]
    fn experimental_fields_need_the_experimental_channel() {
        check(
            ("v1.6.1", Channel::Experimental),
            &all("v1.6.1", "standard"),
            Support::WrongChannel,
            "the installed CRDs are of the bundle v1.6.1, standard; this program uses experimental fields. Install the experimental channel of v1.6.1.",
        );
    }

    #[test]
    fn optional_kinds_may_be_missing_but_not_differ() {
        let mut found = all("v1.6.1", "standard");
        found.push(stamps("f.example.com", "v1.5.0", "standard"));
        check(
            ("v1.6.1", Channel::Standard),
            &found,
            Support::Mixed,
            "the CRDs are of several bundles: v1.5.0 standard: f.example.com; v1.6.1 standard: a.example.com, b.example.com, c.example.com and 1 more. \
             Install all CRDs of one bundle and channel.",
        );
    }

    #[test]
    fn an_incomplete_update_is_mixed() {
        let mut found = all("v1.6.1", "standard");
        found[1] = stamps(CRDS[1], "v1.5.0", "standard");
        found[2] = stamps(CRDS[2], "v1.6.1", "experimental");
        check(
            ("v1.6.1", Channel::Standard),
            &found,
            Support::Mixed,
            "the CRDs are of several bundles: v1.5.0 standard: b.example.com; v1.6.1 standard: a.example.com, d.example.com; v1.6.1 experimental: \
             c.example.com. Install all CRDs of one bundle and channel.",
        );
    }

    #[test]
    fn a_month_is_neither_older_nor_newer() {
        let built = ("v1.6.1", Channel::Standard);
        let mut found = all("monthly-2026.06", "experimental");
        check(
            built,
            &found,
            Support::Monthly,
            "the installed CRDs are of the bundle monthly-2026.06, experimental; a month has no order with v1.6.1, for which this program was built. \
             Install the CRDs of v1.6.1.",
        );
        found[1] = stamps(CRDS[1], "v1.6.1", "experimental");
        check(
            built,
            &found,
            Support::Mixed,
            "the CRDs are of several bundles: v1.6.1 experimental: b.example.com; monthly-2026.06 experimental: a.example.com, c.example.com, \
             d.example.com. Install all CRDs of one bundle and channel.",
        );
    }

    #[test]
    fn missing_and_unreadable_stamps_are_reported_with_their_crds() {
        let built = ("v1.6.1", Channel::Standard);
        check(
            built,
            &[],
            Support::Missing,
            "not installed: a.example.com, b.example.com, c.example.com and 1 more. Install all CRDs of the bundle v1.6.1.",
        );
        for (version, channel) in [
            ("", "standard"),
            ("v1.6.1", ""),
            ("1.6.1", "standard"),
            ("monthly-2026.13", "standard"),
            ("v1.6.1", "stable"),
        ] {
            let mut found = all("v1.6.1", "standard");
            found[0] = stamps(CRDS[0], version, channel);
            check(
                built,
                &found,
                Support::Unstamped,
                "without a readable bundle version and channel: a.example.com. Install the published CRDs of the bundle v1.6.1.",
            );
        }
    }
}
