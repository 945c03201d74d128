//! Verdicts of `diff` on ten projects that are not in the archived histories.
//!
//! * Few changes to the accepted objects are *not decided*: they have neither a proof nor a witness.
//! * If the changes of a version fit a minor, the API server's own libraries accept every generated object with the new CRD too.
//!
//! Invariants: the CRDs are read from Go modules of exact versions and are not copied. The versions are neighbours, as far as the module
//! proxy has them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crd_compat::{Decision, Witness};
use serde::Deserialize;

use crate::tables::table;
use crate::verdicts::corpus::{History, neighbours, of_project};
use crate::verdicts::{answered, compatible};
use crate::witnesses::findings;

/// How many objects of compatible changes are compared.
const OBJECTS: usize = 100_000;
/// The largest share of the changes to the accepted objects that may be not decided, in percent.
const MOST_NOT_DECIDED: usize = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Project {
    name: &'static str,
    /// The path of the Go module, up to what differs between the versions.
    module: &'static str,
    /// The folder of the CRDs.
    folder: &'static str,
    /// What follows the path, oldest version first.
    versions: [&'static str; 6],
}

/// The projects of `outside.yaml`.
static PROJECTS: LazyLock<Vec<Project>> = LazyLock::new(|| table(include_str!("outside.yaml")));

/// The releases of all projects, in a proof only: Go downloads their modules.
fn histories() -> Option<Vec<History>> {
    if !crd_testdata::is_proof() {
        eprintln!("skipped: `cargo xtask prove outside-projects` reads the Go modules of ten projects");
        return None;
    }
    let of = |project: &Project| {
        let folder =
            |version: &str| crd_testdata::go_module(&format!("{}{version}", project.module)).join(project.folder);
        let versions = project.versions.map(|version| (version.to_owned(), folder(version)));
        of_project("outside", project.name, &versions)
    };
    Some(PROJECTS.iter().flat_map(of).collect())
}

#[test]
fn few_changes_to_the_accepted_objects_are_not_decided() {
    let Some(histories) = histories() else { return };
    // Findings by their decision, for each project.
    let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut not_decided = Vec::new();
    for pair in neighbours(&histories) {
        for finding in findings(pair.old, pair.new) {
            let Some(decision) = finding.decision() else { continue };
            for name in [pair.history, "all"] {
                *counts.entry(name).or_default().entry(decision.word()).or_default() += 1;
            }
            if let (Decision::NotDecided, Some(Witness::None(reason))) = (decision, &finding.witness) {
                not_decided.push(format!(
                    "not decided: {} → {} {} {} {} {}: {}: {reason}",
                    pair.old.word,
                    pair.new.word,
                    finding.crd,
                    finding.version.as_deref().unwrap_or_default(),
                    finding.path,
                    finding.rule,
                    finding.message,
                ));
            }
        }
    }
    for history in &histories {
        let counts = counts.entry(&history.name).or_default();
        println!(
            "{}: {} releases, {} unread files, {counts:?}",
            history.name,
            history.releases.len(),
            history.unread.len()
        );
        history.unread.iter().for_each(|file| println!("unread: {file}"));
    }
    not_decided.iter().for_each(|finding| println!("{finding}"));
    let all = counts["all"].values().sum::<usize>();
    println!("all: {all} changes to the accepted objects, {:?}", counts["all"]);
    assert!(not_decided.len() * 100 <= all * MOST_NOT_DECIDED, "{} of {all} are not decided", not_decided.len());
    // A project whose files move would be counted as one without changes.
    for history in &histories {
        assert!(history.releases.len() == 6 && history.unread.is_empty(), "{}: {:?}", history.name, history.unread);
    }
}

#[test]
fn objects_stay_accepted_in_other_projects() {
    let Some(histories) = histories() else { return };
    if !crate::oracle::is_available() {
        return;
    }
    let pairs = neighbours(&histories);
    // Descriptions refuse nothing.
    let chosen = pairs.iter().flat_map(|pair| compatible(pair, |finding| finding.rule != "words")).collect::<Vec<_>>();
    answered(&chosen, OBJECTS).check();
}
