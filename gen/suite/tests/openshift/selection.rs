//! The suites of the Go module with the CRDs that each of them is run on, and the listed differences. The testbed reads them too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crd_model::{CustomResourceDefinition, yaml};
use crd_suite::{Selection, Suite, read};
use serde_json::Value;

/// The module, in the version that was read.
const MODULE: &str = "github.com/openshift/api@v0.0.0-20260709102940-580f1c1ba691";
const FEATURE_SET: &str = "release.openshift.io/feature-set";
const PROFILE: &str = "include.release.openshift.io/";
const VERSION: &str = "release.openshift.io/major-version";

/// A suite, and a CRD that it is run on.
pub(crate) struct Run {
    pub(crate) suite: Arc<Suite>,
    pub(crate) crd: Arc<CustomResourceDefinition>,
}

/// A case whose answer is not the one that its suite expects.
pub(crate) struct Difference {
    pub(crate) file: String,
    pub(crate) case: String,
    /// One of the reasons of the answer.
    pub(crate) answer: String,
}

/// The listed differences.
pub(crate) fn differences() -> Vec<Difference> {
    let list = yaml::read(include_str!("differences.yaml")).unwrap().swap_remove(0);
    let text = |difference: &Value, key: &str| difference[key].as_str().unwrap_or_else(|| panic!("{key}")).to_owned();
    let difference = |listed: &Value| {
        // Each has an explanation.
        text(listed, "because");
        Difference { file: text(listed, "file"), case: text(listed, "case"), answer: text(listed, "answer") }
    };
    list.as_array().unwrap().iter().map(difference).collect()
}

pub(crate) struct Module {
    folder: PathBuf,
    /// The documents of the folder with the feature gates, in the order of their names.
    gates: Vec<Value>,
}

/// The files of a folder, by their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut paths = entries.collect::<Vec<_>>();
    paths.sort();
    paths
}

fn document(path: &Path) -> Option<Value> {
    yaml::read(&fs::read_to_string(path).ok()?).ok()?.into_iter().next()
}

fn annotations(object: &Value) -> BTreeMap<&str, &str> {
    let annotations = object["metadata"]["annotations"].as_object().into_iter().flatten();
    annotations.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?))).collect()
}

/// The parts of a list with commas.
fn parts<'a>(annotations: &BTreeMap<&str, &'a str>, begin: &str) -> BTreeSet<&'a str> {
    let found = annotations.iter().find(|(key, _)| key.starts_with(begin));
    found.into_iter().flat_map(|(_, value)| value.split(',')).filter(|part| !part.is_empty()).collect()
}

impl Module {
    pub(crate) fn read() -> Self {
        let folder = crd_testdata::go_module(MODULE);
        let gates =
            files(&folder.join("payload-manifests/featuregates")).iter().filter_map(|path| document(path)).collect();
        Self { folder, gates }
    }

    /// Each suite with each of its CRDs, and why some suites cannot be read.
    pub(crate) fn runs(&self) -> (Vec<Run>, Vec<String>) {
        let mut unread = Vec::new();
        let groups = files(&self.folder).into_iter().flat_map(|group| files(&group));
        (groups.flat_map(|version| self.of_version(&version, &mut unread)).collect(), unread)
    }

    fn of_version(&self, folder: &Path, unread: &mut Vec<String>) -> Vec<Run> {
        let crds = files(&folder.join("zz_generated.crd-manifests"));
        let crds = crds.iter().filter_map(|path| document(path)).collect::<Vec<_>>();
        let suites = files(&folder.join("tests")).into_iter().flat_map(|folder| files(&folder));
        let mut runs = Vec::new();
        for path in suites.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")) {
            let shown = path.strip_prefix(&self.folder).unwrap();
            let suite = match read(&fs::read_to_string(&path).unwrap(), shown) {
                Ok(suite) => Arc::new(suite),
                Err(errors) => {
                    unread.extend(errors.into_iter().map(|error| format!("{}: {}", error.location, error.message)));
                    continue;
                }
            };
            let selection = suite.selection.as_ref().unwrap();
            let of_name = crds.iter().filter(|crd| crd["metadata"]["name"] == selection.crd);
            let chosen = of_name.filter(|crd| self.is_chosen(selection, crd)).collect::<Vec<_>>();
            assert!(!chosen.is_empty(), "no CRD for {}", shown.display());
            runs.extend(chosen.into_iter().map(|crd| Run { suite: suite.clone(), crd: of_version(crd, selection) }));
        }
        runs
    }

    /// Whether the feature gates of a suite are as it requires in the feature sets of a CRD.
    fn is_chosen(&self, selection: &Selection, crd: &Value) -> bool {
        let annotations = annotations(crd);
        let mut sets = parts(&annotations, FEATURE_SET);
        let profiles = annotations.iter().filter(|(key, value)| key.starts_with(PROFILE) && **value == "true");
        let profile = profiles.map(|(key, _)| *key).next();
        if selection.gates.is_empty() {
            return true;
        }
        if sets.contains("CustomNoUpgrade") {
            return !selection.gates.iter().any(|gate| gate.starts_with('-'));
        }
        let Some(profile) = profile else { return true };
        if sets.is_empty() {
            sets.insert("Default");
        }
        let versions = parts(&annotations, VERSION);
        let is_same = |gates: &&Value| {
            let own = self::annotations(gates);
            own.contains_key(profile)
                && own.get(FEATURE_SET).is_some_and(|set| sets.contains(set))
                && (versions.is_empty() || !parts(&own, VERSION).is_disjoint(&versions))
        };
        let gates = self.gates.iter().find(is_same).unwrap_or_else(|| panic!("no feature gates for {sets:?}"));
        let is_enabled = |gate: &str| {
            let enabled = gates["status"]["featureGates"][0]["enabled"].as_array();
            enabled.into_iter().flatten().any(|enabled| enabled["name"] == gate)
        };
        selection
            .gates
            .iter()
            .all(|gate| gate.strip_prefix('-').map_or_else(|| is_enabled(gate), |gate| !is_enabled(gate)))
    }
}

/// The CRD with one version, which is served and stored.
fn of_version(crd: &Value, selection: &Selection) -> Arc<CustomResourceDefinition> {
    let mut crd = crd.clone();
    let versions = crd["spec"]["versions"].as_array_mut().unwrap();
    if let Some(wanted) = &selection.version {
        versions.retain(|version| version["name"] == **wanted);
    }
    assert_eq!(versions.len(), 1, "{}", selection.crd);
    versions[0]["served"] = true.into();
    versions[0]["storage"] = true.into();
    // A server leaves out what it does not know.
    Arc::new(CustomResourceDefinition::from_published(&crd).0)
}
