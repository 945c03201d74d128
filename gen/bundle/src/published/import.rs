//! Checks of a published bundle before its import: its stamps match the arguments, and a server would accept it.
//!
//! Invariants: every check looks at every CRD, and one cause is one diagnostic with all its locations. [`IMPORT_RULES`] lists the checks.

mod channel_differs;
mod mixed;
mod structure;
mod unreadable_stamp;
mod unstamped;
mod version_differs;

use std::collections::BTreeMap;

use crd_diagnostics::{CrdLocation, Diagnostic, Location, Related, Severity, printable};
use crd_model::channel::Channel;

use super::found::KIND;
use super::limits::MOST_PASSED_OVER;
use super::{PassedOver, Published, PublishedCrd, Stamp, Stamps};
use crate::BundleVersion;
use crate::{BUNDLE_VERSION, CHANNEL};

/// The version and channel that the user names for a bundle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expected<'e> {
    /// The prefix of the stamps; `None`: whatever it is.
    pub prefix: Option<&'e str>,
    /// The version of the bundle.
    pub version: Option<BundleVersion>,
    /// The channel that it is of.
    pub channel: Option<Channel>,
}

#[derive(Debug)]
pub struct ImportRule {
    /// The code of its diagnostics.
    pub id: &'static str,
    /// What it looks for.
    pub summary: &'static str,
    check: fn(&Published, &Expected<'_>, &mut Vec<Diagnostic>),
}

/// All checks, in the order of their findings.
pub const IMPORT_RULES: &[ImportRule] = &[
    unstamped::RULE,
    unreadable_stamp::RULE,
    mixed::RULE,
    version_differs::RULE,
    channel_differs::RULE,
    structure::RULE,
];

impl Published {
    /// The CRDs of each channel; `None` if a CRD has neither the folder nor the stamp of a channel. The first has what is about all of them.
    pub fn by_channel(mut self) -> Option<Vec<(Channel, Self)>> {
        let mut channels = BTreeMap::<Channel, Vec<PublishedCrd>>::new();
        for crd in std::mem::take(&mut self.crds) {
            channels.entry(crd.origin.channel()?).or_default().push(crd);
        }
        let mut rest = Some(self);
        let of = |(channel, crds)| (channel, Self { crds, ..rest.take().unwrap_or_default() });
        Some(channels.into_iter().map(of).collect())
    }

    /// The CRDs that are not in the folder of another channel and, if all have a channel, not stamped with another one: a folder or archive
    /// of a bundle holds all its channels. The CRDs of other channels are skipped. Otherwise all CRDs stay, and [`check_bundle`] reports what is wrong.
    pub fn of_channel(mut self, channel: Channel) -> Self {
        let has_all = self.crds.iter().all(|crd| crd.origin.channel().is_some());
        let is_of = |crd: &PublishedCrd| match crd.origin.folder {
            Some(folder) => folder == channel,
            None => !has_all || crd.origin.channel() == Some(channel),
        };
        if !self.crds.iter().any(is_of) {
            return self;
        }
        let (wanted, others) = self.crds.into_iter().partition::<Vec<_>, _>(is_of);
        self.crds = wanted;
        // First, since users do not expect that a CRD is skipped.
        let others = others.into_iter().map(|crd| PassedOver {
            kind: format!("{KIND} of {}", crd.origin.channel().map(Channel::name).unwrap_or_default()),
            name: Some(crd.crd.name.to_string()),
            file: crd.origin.file,
            line: Some(crd.origin.line),
        });
        self.passed_over.splice(0..0, others);
        self.more_passed_over += self.passed_over.len().saturating_sub(MOST_PASSED_OVER);
        self.passed_over.truncate(MOST_PASSED_OVER);
        self
    }
}

/// All diagnostics against the import of a bundle under its named version and channel: warnings, and errors that refuse it. A refusal has
/// the code of its rule, and its API version and path are part of its location.
pub fn check_bundle(published: &Published, expected: &Expected<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for rule in IMPORT_RULES {
        (rule.check)(published, expected, &mut found);
    }
    found
}

/// A diagnostic at all locations of its cause.
fn diagnostic(
    code: &'static str,
    severity: Severity,
    message: &str,
    help: &str,
    locations: impl IntoIterator<Item = Location>,
) -> Diagnostic {
    let mut locations = locations.into_iter();
    Diagnostic {
        location: Box::new(locations.next().unwrap_or_default()),
        related: locations.map(|location| Related { message: String::new(), location }).collect(),
        ..Diagnostic::new(code, severity, printable(message)).help(printable(help))
    }
}

fn location(crd: &PublishedCrd, path: &str) -> Location {
    let place = crd.origin.places(&[path]).into_iter().next();
    Location {
        file: Some(crd.origin.file.clone().into()),
        line: Some(place.map_or(crd.origin.line, |place| place.line)),
        column: Some(place.map_or(1, |place| place.column)),
        crd: Some(CrdLocation { name: crd.crd.name.to_string(), ..CrdLocation::default() }),
        ..Location::default()
    }
}

/// One of the two stamps of a CRD.
struct StampKind {
    /// Its annotation, behind the prefix and a slash.
    name: &'static str,
    of: fn(&Stamps) -> Option<&Stamp>,
}

const VERSION_STAMP: StampKind = StampKind { name: BUNDLE_VERSION, of: |stamps| stamps.version.as_ref() };
const CHANNEL_STAMP: StampKind = StampKind { name: CHANNEL, of: |stamps| stamps.channel.as_ref() };

impl StampKind {
    /// The CRDs by the text of their stamp.
    fn groups<'p>(&self, published: &'p Published) -> BTreeMap<&'p str, Vec<&'p PublishedCrd>> {
        let mut groups: BTreeMap<&str, Vec<&PublishedCrd>> = BTreeMap::new();
        for crd in &published.crds {
            if let Some(stamp) = (self.of)(&crd.origin.stamps) {
                groups.entry(&stamp.text).or_default().push(crd);
            }
        }
        groups
    }

    /// The locations of the stamps.
    fn locations(&self, crds: &[&PublishedCrd]) -> Vec<Location> {
        let stamped = crds.iter().filter_map(|crd| Some((crd, (self.of)(&crd.origin.stamps)?)));
        let path = |stamp: &Stamp| format!("metadata.annotations[\"{}/{}\"]", stamp.prefix, self.name);
        stamped.map(|(crd, stamp)| location(crd, &path(stamp))).collect()
    }
}
