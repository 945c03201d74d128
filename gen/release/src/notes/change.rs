//! Changes: findings that say the same of the same place, folded over API versions and channels.
//!
//! Published bundles repeat a type in several versions and in both channels, so that one change is found up to six times.
//!
//! Invariants: every finding is in exactly one change; only what a reader would read twice is folded: the same sentence, the same values, the
//! same path; channels are folded only if they have the same versions. The result is sorted by CRD and path.

use std::collections::{BTreeMap, BTreeSet};

use crd_compat::Finding;
use crd_compat::tombstone::{Kind, Ledger, Tombstone};
use crd_model::channel::Channel;
use serde_json::Value;

use super::bundles::{Bundles, version};
use super::section::{Section, section};

/// What changed at a place.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    pub section: Section,
    /// One of its findings.
    pub finding: &'a Finding,
    /// All of them, by their index.
    pub findings: Vec<usize>,
    /// The channels that have it.
    pub channels: BTreeSet<Channel>,
    /// The API versions that have it; none for what concerns the resource.
    pub versions: BTreeSet<&'a str>,
    /// The reason and the replacement from its tombstone; or the server's warning about a deprecated version.
    pub remark: Option<Remark<'a>>,
}

/// Facts about a change in addition to the finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remark<'a> {
    /// Of a name that went.
    Gone { reason: &'a str, replacement: Option<&'a str> },
    /// Of a version that is deprecated: the server's warning.
    Warning(&'a str),
}

/// What must be equal.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Sameness<'a> {
    section: Section,
    crd: &'a str,
    path: &'a str,
    rule: &'a str,
    message: &'a str,
    values: [Option<String>; 2],
    marks: (bool, bool),
    remark: Option<Remark<'a>>,
}

impl<'a> Sameness<'a> {
    fn of(finding: &'a Finding, section: Section, remark: Option<Remark<'a>>) -> Self {
        let text = |value: &Option<Value>| value.as_ref().map(ToString::to_string);
        Self {
            section,
            crd: &finding.crd,
            path: &finding.path,
            rule: finding.rule,
            message: &finding.message,
            values: [text(&finding.before), text(&finding.after)],
            marks: (finding.known, finding.waived.is_some()),
            remark,
        }
    }
}

/// The changes behind these findings.
pub(super) fn changes<'a>(findings: &'a [Finding], bundles: &Bundles<'a>, ledger: &'a Ledger) -> Vec<Change<'a>> {
    let mut folded: BTreeMap<(Sameness<'a>, Channel), Vec<usize>> = BTreeMap::new();
    for (index, finding) in findings.iter().enumerate() {
        let section = section(finding, bundles);
        let same = Sameness::of(finding, section, remark(finding, section, bundles, ledger));
        folded.entry((same, finding.channel)).or_default().push(index);
    }
    let mut changes: Vec<Change<'a>> = Vec::new();
    let mut last: Option<Sameness<'a>> = None;
    for ((same, channel), indices) in folded {
        let versions = indices.iter().filter_map(|index| findings[*index].version.as_deref()).collect::<BTreeSet<_>>();
        // The other channel follows directly, and agrees or gets its own line.
        match changes.last_mut() {
            Some(change) if last.as_ref() == Some(&same) && change.versions == versions => {
                change.channels.insert(channel);
                change.findings.extend(indices);
            }
            _ => {
                let finding = &findings[indices[0]];
                changes.push(Change {
                    section: same.section,
                    finding,
                    channels: BTreeSet::from([channel]),
                    versions,
                    remark: same.remark,
                    findings: indices,
                });
            }
        }
        last = Some(same);
    }
    changes
}

fn remark<'a>(finding: &'a Finding, section: Section, bundles: &Bundles<'a>, ledger: &'a Ledger) -> Option<Remark<'a>> {
    match section {
        Section::Removed => {
            let tombstone = ledger.entries().iter().find(|tombstone| is_of(tombstone, finding))?;
            Some(Remark::Gone { reason: &tombstone.reason, replacement: tombstone.replacement.as_deref() })
        }
        Section::Deprecated => {
            let crd = bundles.in_new(finding.channel, &finding.crd)?;
            let version = version(crd, finding.version.as_deref()?)?;
            version.deprecation_warning.as_deref().filter(|_| version.deprecated).map(Remark::Warning)
        }
        _ => None,
    }
}

/// Whether a tombstone is that of the removed name of a finding.
fn is_of(tombstone: &Tombstone, finding: &Finding) -> bool {
    let name = &tombstone.name;
    name.crd == finding.crd
        && match (finding.rule, name.kind) {
            ("resource-removed" | "resource-moved", Kind::Resource) => true,
            ("version-removed" | "stored-version-removed", Kind::Version) => {
                finding.version.as_deref() == Some(&*name.name)
            }
            ("name-removed", Kind::Field) => name.path == finding.path,
            ("name-removed", Kind::Value) => {
                let value = match &finding.before {
                    Some(Value::String(text)) => text.clone(),
                    other => other.as_ref().map(ToString::to_string).unwrap_or_default(),
                };
                name.path == finding.path && name.name == value
            }
            _ => false,
        }
}
