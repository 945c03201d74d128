//! Checks of a published bundle before its import: its stamps match the arguments, and a server would accept it.
//!
//! Invariants: a finding is data; every check looks at every CRD, and one cause is one finding with all its places. The
//! checks stand one to a file below; [`IMPORT_RULES`] is the only place that lists them.

mod channel_differs;
mod mixed;
mod structure;
mod unreadable_stamp;
mod unstamped;
mod version_differs;

use std::collections::BTreeMap;
use std::fmt;

use crd_model::channel::Channel;

use super::document::KIND;
use super::fault::printable;
use super::limits::MOST_PASSED_OVER;
use super::{PassedOver, Published, PublishedCrd};
use crate::version::BundleVersion;

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

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImportSeverity {
    /// Worth knowing; the bundle can be history.
    Warning,
    /// The bundle differs from its named version or channel, or no server accepts it.
    Error,
}

impl ImportSeverity {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            ImportSeverity::Warning => "warning",
            ImportSeverity::Error => "error",
        }
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportFinding {
    /// By which rule; one of structure names the refusal behind a slash: `structure/type-missing`.
    pub rule: String,
    /// How much it weighs.
    pub severity: ImportSeverity,
    /// What is found, and why it matters.
    pub message: String,
    /// How to fix it; empty where the message contains the fix.
    pub fix: String,
    /// Where; at least one place.
    pub places: Vec<ImportPlace>,
}

/// Where something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportPlace {
    /// The CRD, by name.
    pub crd: String,
    /// Its input.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

/// `file:line:column: error: what (rule). What to do`, and how many places more.
impl fmt::Display for ImportFinding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, severity, message, fix, places } = self;
        if let Some(ImportPlace { file, line, column, .. }) = places.first() {
            write!(formatter, "{file}:{line}:{column}: ")?;
        }
        write!(formatter, "{}: {message} ({rule})", severity.name())?;
        if places.len() > 1 {
            write!(formatter, ", and {} more", places.len() - 1)?;
        }
        if fix.is_empty() { Ok(()) } else { write!(formatter, ". {fix}") }
    }
}

/// One check.
pub struct ImportRule {
    /// The name under which its findings are reported.
    pub id: &'static str,
    /// What it looks for.
    pub summary: &'static str,
    check: fn(&Published, &Expected<'_>, &mut Vec<ImportFinding>),
}

impl fmt::Debug for ImportRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ImportRule").field("id", &self.id).finish_non_exhaustive()
    }
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
    /// The CRDs that are stamped with this channel, if all are stamped and some with it: an archive of a bundle holds all its channels. The
    /// CRDs of other channels are skipped. Otherwise all CRDs stay, and [`check_bundle`] reports what is wrong.
    pub fn of_channel(mut self, channel: Channel) -> Self {
        let is_of = |crd: &PublishedCrd| crd.stamps.known_channel() == Some(channel);
        if self.crds.iter().any(|crd| crd.stamps.known_channel().is_none()) || !self.crds.iter().any(is_of) {
            return self;
        }
        let (wanted, others) = self.crds.into_iter().partition::<Vec<_>, _>(is_of);
        self.crds = wanted;
        // First, since users do not expect that a CRD is skipped.
        let others = others.into_iter().map(|crd| PassedOver {
            kind: format!("{KIND} of {}", crd.stamps.known_channel().map(Channel::name).unwrap_or_default()),
            name: Some(crd.crd.name.to_string()),
            file: crd.file,
            line: Some(crd.line),
        });
        self.passed_over.splice(0..0, others);
        self.more_passed_over += self.passed_over.len().saturating_sub(MOST_PASSED_OVER);
        self.passed_over.truncate(MOST_PASSED_OVER);
        self
    }
}

/// All findings against the import of a bundle under its named version and channel.
pub fn check_bundle(published: &Published, expected: &Expected<'_>) -> Vec<ImportFinding> {
    let mut findings = Vec::new();
    for rule in IMPORT_RULES {
        (rule.check)(published, expected, &mut findings);
    }
    for finding in &mut findings {
        for text in [&mut finding.message, &mut finding.fix] {
            *text = printable(std::mem::take(text));
        }
    }
    findings
}

/// The location of a stamp's annotation.
fn stamp_place(crd: &PublishedCrd, prefix: &str, stamp: &str) -> ImportPlace {
    place(crd, &format!("metadata.annotations[\"{prefix}/{stamp}\"]"))
}

fn place(crd: &PublishedCrd, path: &str) -> ImportPlace {
    let place = crd.places(&[path]).into_iter().next();
    ImportPlace {
        crd: crd.crd.name.to_string(),
        file: crd.file.clone(),
        line: place.map_or(crd.line, |place| place.line),
        column: place.map_or(1, |place| place.column),
    }
}

/// `1 CRD is` or `3 CRDs are`.
fn crds_are(count: usize) -> String {
    if count == 1 { "1 CRD is".to_owned() } else { format!("{count} CRDs are") }
}

/// The CRDs by something they say.
fn groups<'p>(
    published: &'p Published,
    key: impl Fn(&'p PublishedCrd) -> Option<&'p str>,
) -> BTreeMap<&'p str, Vec<&'p PublishedCrd>> {
    let mut groups: BTreeMap<&str, Vec<&PublishedCrd>> = BTreeMap::new();
    for crd in &published.crds {
        if let Some(key) = key(crd) {
            groups.entry(key).or_default().push(crd);
        }
    }
    groups
}

fn version_text(crd: &PublishedCrd) -> Option<&str> {
    crd.stamps.version.as_ref().map(|stamp| stamp.text.as_str())
}

fn channel_text(crd: &PublishedCrd) -> Option<&str> {
    crd.stamps.channel.as_ref().map(|stamp| stamp.text.as_str())
}

/// The places of the version stamps.
fn version_places(crds: &[&PublishedCrd]) -> Vec<ImportPlace> {
    let of = |crd: &&PublishedCrd| {
        Some(stamp_place(crd, &crd.stamps.version.as_ref()?.prefix, crate::stamp::BUNDLE_VERSION))
    };
    crds.iter().filter_map(of).collect()
}

/// The places of the channel stamps.
fn channel_places(crds: &[&PublishedCrd]) -> Vec<ImportPlace> {
    let of = |crd: &&PublishedCrd| Some(stamp_place(crd, &crd.stamps.channel.as_ref()?.prefix, crate::stamp::CHANNEL));
    crds.iter().filter_map(of).collect()
}
