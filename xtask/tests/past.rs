//! Gateway API's own past: the history archive has every release, and each break between neighbours has an answer.
//!
//! A break is a change by a rule that needs a tombstone or a conversion in some column of the policy, or that a column refuses: a removed, renamed
//! or retyped name. `xtask/past-breaks.yaml` has the answers, and `docs/evidence/gateway-api-history.md` shows both.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crd_bundle::history_archive::HistoryArchive;
use crd_bundle::published::{Input, read};
use crd_bundle::structure;
use crd_channels::Channel;
use crd_compat::tombstone::Ledger;
use crd_compat::{Comparison, Finding, RULES, RequiredBump, states};
use crd_model::profile::Profile;
use crd_model::yaml;
use crd_review::history::{ARCHIVE, LEDGER, declared, stored};

const PAGE: &str = "docs/evidence/gateway-api-history.md";
const ANSWERS: &str = "xtask/past-breaks.yaml";
const COMMAND: &str = "UPDATE_SNAPSHOTS=1 cargo test -p xtask --test tests past";

fn at_root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn archive() -> HistoryArchive {
    HistoryArchive::read(Input::new(ARCHIVE, fs::read(at_root(ARCHIVE)).unwrap())).unwrap()
}

/// A break: the release, the CRD and the schema path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    release: String,
    crd: String,
    path: String,
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {} {}", self.release, self.crd, self.path)
    }
}

/// What happened at a place.
#[derive(Default)]
struct Break {
    rules: BTreeSet<&'static str>,
    messages: BTreeSet<String>,
    channels: BTreeSet<Channel>,
    versions: BTreeSet<String>,
}

/// Whether a rule is about names that were removed, renamed or retyped.
fn is_break(finding: &Finding) -> bool {
    // States are not rules of changes.
    RULES.iter().find(|rule| rule.id == finding.rule).is_some_and(|rule| {
        let cells = [rule.cells.standard, rule.cells.experimental, rule.cells.api_guide];
        cells.iter().any(|cell| !cell.needs.is_empty() || cell.bumps.contains(&RequiredBump::NotAllowed))
    })
}

/// The breaks between neighbours in each channel, oldest first.
fn breaks() -> Vec<(Place, Break)> {
    let archive = archive();
    let ledger = fs::read_to_string(at_root(LEDGER)).unwrap();
    let ledger = Ledger::read(&ledger, Path::new(LEDGER), &|_| true).unwrap();
    let mut declared = declared(ledger.entries());
    let mut breaks: Vec<(Place, Break)> = Vec::new();
    for pair in archive.releases().windows(2) {
        declared.ever_stored.extend(stored(&pair[0].channels));
        let (baseline, candidate) = (&pair[0].channels, &pair[1].channels);
        let mut found = Comparison::new(baseline, candidate, Profile::Gep922, &declared).findings();
        found.extend(states(Some(baseline), candidate, Profile::Gep922, &std::sync::Arc::default(), false));
        let mut of_release: BTreeMap<Place, Break> = BTreeMap::new();
        for finding in found.into_iter().filter(is_break) {
            let release = pair[1].name.clone();
            let place = Place { release, crd: finding.crd, path: finding.path };
            let known = of_release.entry(place).or_default();
            known.rules.insert(finding.rule);
            known.messages.insert(finding.message.split(": ").next().unwrap_or_default().to_owned());
            known.channels.insert(finding.channel);
            known.versions.extend(finding.version);
        }
        breaks.extend(of_release);
    }
    breaks
}

/// The answers: whether it is a lens, and the words.
fn answers() -> BTreeMap<Place, (bool, String)> {
    let text = fs::read_to_string(at_root(ANSWERS)).unwrap();
    let document = yaml::read(&text).unwrap().remove(0);
    let mut answers = BTreeMap::new();
    for entry in document["answers"].as_array().unwrap() {
        let keys = entry.as_object().unwrap().keys().map(|key| &**key).collect::<BTreeSet<_>>();
        let known = BTreeSet::from(["release", "crd", "path", "lens", "reason"]);
        assert!(keys.is_subset(&known), "{ANSWERS}: {entry}");
        let text = |key: &str| entry.get(key).map(|value| value.as_str().unwrap().to_owned());
        let place = Place {
            release: text("release").unwrap(),
            crd: text("crd").unwrap(),
            path: text("path").unwrap_or_default(),
        };
        let answer = match (text("lens"), text("reason")) {
            (Some(lens), None) => (true, lens),
            (None, Some(reason)) => (false, reason),
            _ => panic!("{ANSWERS}: {place} needs either `lens` or `reason`"),
        };
        assert!(!answer.1.trim().is_empty(), "{ANSWERS}: the answer for {place} is empty");
        assert!(answers.insert(place.clone(), answer).is_none(), "{ANSWERS}: {place} has two answers");
    }
    answers
}

/// The breaks without an answer, and the answers to nothing.
fn unmatched<'p>(
    breaks: impl IntoIterator<Item = &'p Place>,
    answers: impl IntoIterator<Item = &'p Place>,
) -> Vec<String> {
    let breaks = breaks.into_iter().collect::<BTreeSet<_>>();
    let answers = answers.into_iter().collect::<BTreeSet<_>>();
    let unanswered = breaks.difference(&answers).map(|place| format!("no answer to the break {place}"));
    unanswered.chain(answers.difference(&breaks).map(|place| format!("no break for the answer {place}"))).collect()
}

fn page(breaks: &[(Place, Break)], answers: &BTreeMap<Place, (bool, String)>) -> String {
    let archive = archive();
    let releases = archive.releases();
    let range = releases.first().zip(releases.last()).map(|(first, last)| format!("{} to {}", first.name, last.name));
    let mut page = format!(
        "# Breaks in the history of Gateway API\n\n\
         Written by `{COMMAND}`.\n\n\
         Each of the {} releases from {} is compared with the one before it, in both channels. A break is a removed, renamed or retyped \
         name: a change that needs a tombstone or a conversion in some column of the [policy](../policy.md), or that a column refuses. All \
         other changes are in [Compatibility](compatibility/gateway-api.md).\n\n\
         The last column describes how objects of the old form become objects of the new form, or why they cannot. A *lens* is a conversion, \
         which `api-types` declares. The answers are in [`{ANSWERS}`](../../{ANSWERS}).\n\n\
         | release | resource | change | API versions | channels | answer |\n|---|---|---|---|---|---|\n",
        releases.len(),
        range.unwrap_or_default(),
    );
    for (place, found) in breaks {
        let (is_lens, answer) = &answers[place];
        let resource = place.crd.split('.').next().unwrap_or_default();
        let at = if place.path.is_empty() { String::new() } else { format!("`{}`: ", place.path) };
        let messages = found.messages.iter().map(|message| message.split(", and ").next().unwrap_or_default());
        let change = format!("{at}{}", messages.collect::<Vec<_>>().join("; "));
        let versions = found.versions.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let channels = found.channels.iter().map(|channel| channel.name()).collect::<Vec<_>>().join(", ");
        let kind = if *is_lens { "lens" } else { "no lens" };
        let release = &place.release;
        writeln!(page, "| {release} | {resource} | {change} | {versions} | {channels} | {kind}: {answer} |").unwrap();
    }
    page
}

#[test]
fn every_break_has_an_answer_and_the_page_shows_it() {
    let (breaks, answers) = (breaks(), answers());
    assert_eq!(unmatched(breaks.iter().map(|(place, _)| place), answers.keys()), [""; 0], "{ANSWERS}");
    let rules = breaks.iter().flat_map(|(_, found)| &found.rules).copied().collect::<BTreeSet<_>>();
    assert_eq!(
        rules.into_iter().collect::<Vec<_>>(),
        ["name-removed", "renamed", "resource-moved", "stored-version-removed", "type-changed"]
    );
    let page = page(&breaks, &answers);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(at_root(PAGE), &page).unwrap();
    }
    assert!(fs::read_to_string(at_root(PAGE)).unwrap() == page, "{PAGE} is out of date: {COMMAND}");
}

/// The archive is the structure of what upstream published: all releases in `testdata`.
#[test]
fn the_archive_has_every_published_release() {
    let archive = archive();
    let mut published = BTreeMap::new();
    let folder = tempfile::tempdir().unwrap();
    crd_testdata::unpack_history("gateway-api", folder.path());
    let releases = fs::read_dir(folder.path()).unwrap().map(|release| release.unwrap().path());
    for release in releases.filter(|release| release.is_dir()) {
        for channel in Channel::ALL {
            let entries = fs::read_dir(release.join(channel.name())).unwrap();
            let inputs = entries.map(|entry| {
                let path = entry.unwrap().path();
                Input::new(path.display().to_string(), fs::read(path).unwrap())
            });
            let crds = read("release", inputs.collect::<Vec<_>>()).unwrap().crds;
            let version = release.file_name().unwrap().to_string_lossy().into_owned();
            let of = |name: &str| (version.clone(), channel, name.to_owned());
            published.extend(crds.iter().map(|crd| (of(&crd.crd.name), structure(&crd.crd))));
        }
    }
    let mut kept = BTreeMap::new();
    for release in archive.releases() {
        for (channel, crds) in &release.channels {
            let of = |name: &str| (release.name.clone(), *channel, name.to_owned());
            kept.extend(crds.iter().map(|crd| (of(&crd.name), (**crd).clone())));
        }
    }
    assert_eq!((archive.releases().len(), kept.len()), (24, 387));
    assert!(kept.keys().eq(published.keys()));
    for (place, crd) in &kept {
        assert!(*crd == published[place], "{place:?}");
    }
    let dates = archive.releases().iter().map(|release| release.released.unwrap().date()).collect::<Vec<_>>();
    assert_eq!((&*dates[0], &*dates[23]), ("2022-07-13", "2026-10-29"));
}
