//! Releases of projects: each compared with the release before it.
//!
//! Invariants: releases are ordered as semantic versions, and pre-releases are left out. A release that cannot be read is listed with its errors,
//! and the next one is compared with the last that was read. Each format contains what decides the verdict; JSON has it with unchanged values.

mod breaks;
mod json;
mod markdown;
mod predecessor;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_bundle::{BundleVersion, Month, Release, Released};
use crd_compat::policy::Profile;
use crd_compat::tombstone::{Kind, names};
use crd_compat::{Decision, Declared, Evidence, Prover, RequiredBump, Waiver, Witness};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::some_of;
use crd_model::channel::Channel;
use serde::Serialize;

use crate::comparison::{accept_between, findings, report};
use crate::history::stored;
use crate::profile::ChosenProfile;
use crate::report::Report;
use crate::side::Side;

pub use json::{History, document};
pub use markdown::{Page, index, page};
pub use predecessor::predecessors;
pub use text::render;

/// How many tags and folders that are left out are named; the rest is counted.
pub const MOST_LEFT_OUT: usize = 5;

/// What every written file contains in its first lines.
pub const MARK: &str = "Written by `crd-channels history`";

/// A tag, which is the name of the folder of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    pub name: String,
    /// The version in it.
    pub version: BundleVersion,
    /// When it was made, if that is known.
    pub released: Option<Released>,
}

/// A folder that is not one of a stable release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// Why it is left out.
    pub reason: String,
    /// Whether its name is that of a pre-release.
    #[serde(skip)]
    pub is_prerelease: bool,
}

/// A project: its releases, oldest first.
#[derive(Debug)]
pub struct Project {
    /// The name of its folder.
    pub name: String,
    pub rows: Vec<Row>,
    /// The folders that are none.
    pub left_out: Vec<LeftOut>,
    /// The releases that are compared with the first one of the minor version before them, because no dates are known, and there are later ones.
    pub undated: Vec<String>,
    /// What servers refuse of its releases: errors about the newest, and warnings about the older ones.
    pub refused: Vec<Diagnostic>,
}

/// A release and what is known about it.
#[derive(Debug)]
pub struct Row {
    pub tag: String,
    pub outcome: Outcome,
}

/// What is known about a release.
#[derive(Debug)]
pub enum Outcome {
    /// It is the first one.
    First,
    /// It cannot be read.
    Unread(Vec<Diagnostic>),
    /// It was compared with the one before it.
    Compared(Box<Compared>),
}

/// A release compared with the one before it.
#[derive(Debug)]
pub struct Compared {
    /// The tag of the one before it.
    pub baseline: String,
    /// The bump between the two version numbers.
    pub declared: RequiredBump,
    /// The number of CRDs that were compared: those that both releases have, counted in each channel.
    pub crds: usize,
    /// The number of findings of each rule.
    pub rules: BTreeMap<&'static str, usize>,
    /// What decided the findings about accepted objects, and how many each.
    pub decided: BTreeMap<&'static str, usize>,
    /// The number of findings that were not decided, by the change and the reason.
    pub not_decided: BTreeMap<(String, &'static str), usize>,
    /// The report, with the findings that decide, and with those that waivers accept.
    pub report: Report,
}

impl Compared {
    pub fn verdict(&self) -> RequiredBump {
        self.report.verdict.bundle
    }

    /// Whether the version permits the changes.
    pub fn fits(&self) -> bool {
        self.report.fits()
    }

    /// Whether a change that the version does not permit can break users.
    pub fn breaks(&self) -> bool {
        !breaks::breaks(self).is_empty()
    }

    /// The channels that were compared.
    fn channels(&self) -> impl Iterator<Item = Channel> {
        self.report.channels.iter().filter(|channel| channel.skipped.is_none()).map(|channel| channel.channel)
    }
}

impl Project {
    pub fn compared(&self) -> impl Iterator<Item = &Compared> {
        self.rows.iter().filter_map(|row| match &row.outcome {
            Outcome::Compared(compared) => Some(&**compared),
            Outcome::First | Outcome::Unread(_) => None,
        })
    }

    /// The baseline of each row, if it is not the release in the row before.
    fn other_baselines(&self) -> Vec<Option<&str>> {
        let mut before = None;
        let each = self.rows.iter().map(|row| {
            let other = match &row.outcome {
                Outcome::Compared(compared) => Some(&*compared.baseline).filter(|baseline| before != Some(*baseline)),
                Outcome::First | Outcome::Unread(_) => None,
            };
            before = Some(&*row.tag);
            other
        });
        each.collect()
    }

    /// Which releases are compared with another one because they have no dates, as a sentence.
    fn undated_sentence(&self) -> Option<String> {
        (!self.undated.is_empty()).then(|| {
            let tags = some_of(&self.undated, 3);
            format!("Without dates, these are compared with the first release of the minor version before: {tags}.")
        })
    }

    /// The errors of the releases that cannot be read, and what servers refuse.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.refused.iter().chain(self.unread())
    }

    fn unread(&self) -> impl Iterator<Item = &Diagnostic> {
        self.rows.iter().flat_map(|row| match &row.outcome {
            Outcome::Unread(errors) => errors.as_slice(),
            Outcome::First | Outcome::Compared(_) => &[],
        })
    }
}

/// The releases among names with their versions, lowest version first, and the names that are none.
pub fn releases(names: impl IntoIterator<Item = (String, Option<BundleVersion>)>) -> (Vec<Tag>, Vec<LeftOut>) {
    let (mut releases, mut left_out): (Vec<Tag>, Vec<LeftOut>) = (Vec::new(), Vec::new());
    for (name, version) in names {
        match version {
            None => left_out.push(LeftOut {
                reason: "its name is not a version such as v1.2.3".to_owned(),
                name,
                is_prerelease: false,
            }),
            Some(version) if !version.is_release() => {
                left_out.push(LeftOut { name, reason: "it is a pre-release".to_owned(), is_prerelease: true });
            }
            Some(version) => releases.push(Tag { name, version, released: None }),
        }
    }
    releases.sort_by(|one, other| (one.version, &one.name).cmp(&(other.version, &other.name)));
    let mut known: BTreeMap<BundleVersion, String> = BTreeMap::new();
    releases.retain(|release| match known.get(&release.version) {
        None => known.insert(release.version, release.name.clone()).is_none(),
        Some(other) => {
            let reason = format!("`{other}` has the same version");
            left_out.push(LeftOut { name: release.name.clone(), reason, is_prerelease: false });
            false
        }
    });
    left_out.sort_by(|one, other| one.name.cmp(&other.name));
    (releases, left_out)
}

/// Whether a folder of this name is one of a release, or of a pre-release.
pub fn is_tag(name: &str) -> bool {
    version(name).is_some()
}

/// The version in a tag: `v1.2.3`, and also `1.2.3`, `release-1.2` and `v.1.2.3`, as projects name their tags. A month has none. Tags of registries have
/// `_` in place of `+` before build metadata (the rule of Helm).
pub fn version(tag: &str) -> Option<BundleVersion> {
    if tag.starts_with(Month::PREFIX) {
        return None;
    }
    let number = tag.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let end = number.find(['-', '+', '_']).unwrap_or(number.len());
    let (core, rest) = number.split_at(end);
    let rest = rest.replacen('_', "+", usize::from(!rest.contains('+')));
    let patch = if core.split('.').count() == 2 { ".0" } else { "" };
    format!("v{core}{patch}{rest}").parse().ok()
}

/// What is known after each release, of it and of its predecessors: where objects were stored, and the fields that were lost.
pub fn declared(bundles: &[&Release], predecessors: &[Option<usize>]) -> Vec<Declared> {
    let mut each: Vec<Declared> = Vec::new();
    // The fields of the release before, which is the predecessor of most.
    let mut before = BTreeSet::new();
    for (index, (bundle, predecessor)) in bundles.iter().zip(predecessors).enumerate() {
        let predecessor = predecessor.and_then(|known| Some((known, bundles.get(known)?, each.get(known)?)));
        let mut declared = predecessor.map_or_else(Declared::default, |(_, _, known)| known.clone());
        let had = match predecessor {
            Some((known, bundle, _)) if known + 1 < index => fields(bundle),
            Some(_) => before,
            None => BTreeSet::new(),
        };
        let fields = fields(bundle);
        declared.ever_stored.extend(stored(&bundle.channels));
        declared.renames.has(&fields);
        had.difference(&fields).for_each(|(crd, path)| declared.renames.had(crd.clone(), path.clone()));
        each.push(declared);
        before = fields;
    }
    each
}

fn fields(bundle: &Release) -> BTreeSet<(String, String)> {
    let names = names(&bundle.channels);
    names.iter().filter(|name| name.kind == Kind::Field).map(|name| (name.crd.clone(), name.path.clone())).collect()
}

/// Compares a release with the one before it. Comparisons that share a prover prove each question once.
pub fn compare(
    (old, baseline): (&Tag, &Release),
    (new, candidate): (&Tag, &Release),
    (declared, waivers): (&Declared, &[Waiver]),
    prover: &Arc<Prover>,
    requested: Option<Profile>,
) -> Compared {
    let profile = ChosenProfile::of_bundles(requested, None, baseline, candidate);
    let [old_side, new_side] = [(old, baseline), (new, candidate)].map(|(tag, release)| Side {
        name: tag.name.clone(),
        version: Ok(tag.version),
        ..Side::of(release)
    });
    let mut found =
        findings(Some(&old_side), &new_side, &profile, declared, prover, Evidence { witnesses: true, grounds: false });
    accept_between(&mut found, waivers, [old.version, new.version].map(Some));
    let (mut rules, mut decided, mut not_decided) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for finding in &found {
        *rules.entry(finding.rule).or_default() += 1;
        let Some(decision) = finding.decision() else { continue };
        *decided.entry(decision.word()).or_default() += 1;
        if let (Decision::NotDecided, Some(Witness::None(reason))) = (decision, &finding.witness) {
            let change = finding.message.split_once(": ").map_or(&*finding.message, |(change, _)| change);
            *not_decided.entry((change.to_owned(), *reason)).or_default() += 1;
        }
    }
    let mut report = report(Some(&old_side), &new_side, profile, found, &|_| None);
    let mut findings = std::mem::take(&mut report.findings);
    findings.retain(|located| report.decides(&located.finding) || located.finding.waived.is_some());
    report.findings = findings;
    report.has_channels = baseline.has_channels || candidate.has_channels;
    let crds = baseline.channels.iter().filter_map(|(channel, crds)| {
        let others = candidate.channels.get(channel)?;
        let names = others.iter().map(|crd| &*crd.name).collect::<BTreeSet<_>>();
        Some(crds.iter().filter(|crd| names.contains(&*crd.name)).count())
    });
    Compared {
        baseline: old.name.clone(),
        declared: report.permitted.unwrap_or(RequiredBump::None),
        crds: crds.sum(),
        rules,
        decided,
        not_decided,
        report,
    }
}
