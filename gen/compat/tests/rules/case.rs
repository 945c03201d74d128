//! Cases: small changes, and what is to be found in them.
//!
//! The files below `tests/cases` contain them, one for each rule.
//!
//! A file has two lists, `fires` and `silent`. A case of either has
//!
//! * `case`: what it is about;
//! * `old` and `new`: the baseline and the candidate, in short (see [`crd`]);
//! * `experimental`: the experimental channel of the same bundle: the baseline's in cases of changes, and the candidate's in cases of
//!   states (whose baseline has `old-experimental`). Without the key there is none. In the column `experimental`, the compared channel has
//!   `old` and `new`, and there is no other channel;
//! * `constants`: the constants that each bundle lists: `old` and `new`, each by API version and name (a name with `CONDITION` is a condition type);
//! * `declared`: what tombstones say: `renames` (`at`, `old`, `new`), `moved`, `ever-stored`, `migrated`, `long-deprecated`.
//!
//! A case that fires also has what is found: `ruled`, for each column that it is for what is ruled there, in the words of the policy
//! (`standard: "major, tombstone"`); `at`, the path; `version` (v1 by default; null for what concerns the resource); `before`, `after` and `direction`, which
//! are absent where they are not given; `message`, a part of the message; `fix`, a part of the advice; and `also`, rules that claim other
//! parts of the change.
//!
//! A silent case has `instead`, the rules that claim the change; without it there must be no finding at all. It is for all columns unless
//! `columns` names some.
//!
//! Invariants: an unknown key is a mistake of the case and fails.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use crd_compat::policy::{COLUMNS, Column, Profile};
use crd_compat::{Channels, Comparison, Declared, Finding, constant_findings, states};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::constants::{Constant, Constants};
use crd_model::yaml;
use serde_json::{Map, Value, json};

/// A case of a file.
pub(crate) struct Case {
    /// The rule or state that it is for.
    pub(crate) id: String,
    /// What it is about.
    pub(crate) name: String,
    /// True if the rule must fire.
    pub(crate) fires: bool,
    /// Everything else.
    pub(crate) data: Map<String, Value>,
}

const OF_BOTH: &[&str] = &["case", "old", "new", "experimental", "old-experimental", "declared", "constants"];
const OF_FIRING: &[&str] =
    &["ruled", "at", "version", "before", "after", "direction", "message", "fix", "also", "known"];
const OF_SILENT: &[&str] = &["instead", "columns"];

/// The cases of a rule or state.
pub(crate) fn cases(id: &str) -> Vec<Case> {
    let path = folder().join(format!("{id}.yaml"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let document = yaml::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())).remove(0);
    let mut cases = Vec::new();
    for (list, entries) in document.as_object().expect("a file of cases is a map") {
        let fires = match list.as_str() {
            "fires" => true,
            "silent" => false,
            _ => panic!("{id}.yaml: `{list}` is neither `fires` nor `silent`"),
        };
        for entry in entries.as_array().unwrap_or_else(|| panic!("{id}.yaml: `{list}` is not a list")) {
            cases.push(Case::of(id, fires, entry.as_object().expect("a case is a map").clone()));
        }
    }
    cases
}

/// Where the cases are.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// The cases of every file.
pub(crate) fn all_cases() -> Vec<Case> {
    let mut names = fs::read_dir(folder())
        .expect("there are cases")
        .map(|entry| entry.expect("a folder can be read").file_name().into_string().expect("names are plain"))
        .collect::<Vec<_>>();
    names.sort();
    names.iter().flat_map(|name| cases(name.strip_suffix(".yaml").expect("cases are YAML"))).collect()
}

impl Case {
    fn of(id: &str, fires: bool, data: Map<String, Value>) -> Self {
        let name = data.get("case").and_then(Value::as_str).unwrap_or_else(|| panic!("{id}: a case has no name"));
        let known = OF_BOTH.iter().chain(if fires { OF_FIRING } else { OF_SILENT }).collect::<BTreeSet<_>>();
        let unknown = data.keys().find(|key| !known.contains(&key.as_str()));
        assert!(unknown.is_none(), "{id}, {name}: the key {unknown:?} is unknown");
        Self { id: id.to_owned(), name: name.to_owned(), fires, data }
    }

    /// The example of a rule as a case.
    pub(crate) fn of_example(id: &str, example: &str) -> Self {
        let mut data = yaml::read(example).unwrap_or_else(|error| panic!("{id}: {error}")).remove(0);
        data["case"] = json!("the example of the reference");
        Self::of(id, true, data.as_object().expect("an example is a map").clone())
    }

    /// The key of a case.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.data.get(key)
    }

    /// A key that holds one text or several.
    pub(crate) fn texts(&self, key: &str) -> Vec<&str> {
        match self.get(key) {
            None => Vec::new(),
            Some(Value::Array(texts)) => texts.iter().map(|text| text.as_str().expect("a text")).collect(),
            Some(text) => vec![text.as_str().expect("a text")],
        }
    }

    /// What must be ruled in a column; none if the case is not for it.
    pub(crate) fn required_bump(&self, column: Column) -> Option<&str> {
        let ruled = self.get("ruled")?.get(name(column))?;
        Some(ruled.as_str().expect("a required bump is a text"))
    }

    /// The columns that the case is for.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let all = COLUMNS.iter().map(|(column, _)| *column);
        let named = self.texts("columns");
        match self.fires {
            true => all.filter(|column| self.required_bump(*column).is_some()).collect(),
            false => all.filter(|column| named.is_empty() || named.contains(&name(*column))).collect(),
        }
    }

    fn crds(&self, key: &str) -> Vec<Arc<CustomResourceDefinition>> {
        let short = self.get(key).cloned().unwrap_or_else(|| json!({}));
        let list = match short {
            Value::Array(list) => list,
            one => vec![one],
        };
        list.iter().filter_map(|short| crd(short, &format!("{}, {}", self.id, self.name))).map(Arc::new).collect()
    }

    /// The baseline and the candidate in a column.
    pub(crate) fn bundles(&self, column: Column) -> (Channels, Channels) {
        let of_state = crd_compat::STATES.iter().any(|state| state.rule.id == self.id);
        let channel = channel(column);
        let (mut old, mut new) = (Channels::new(), Channels::new());
        old.insert(channel, self.crds("old"));
        new.insert(channel, self.crds("new"));
        if self.get("old-experimental").is_some() && channel == Channel::Standard {
            old.insert(Channel::Experimental, self.crds("old-experimental"));
        }
        if self.get("experimental").is_some() && channel == Channel::Standard {
            let side = if of_state { &mut new } else { &mut old };
            side.insert(Channel::Experimental, self.crds("experimental"));
        }
        (old, new)
    }

    /// What tombstones declare.
    pub(crate) fn declared(&self) -> Declared {
        let mut declared = Declared::default();
        let empty = Map::new();
        let given = self.get("declared").map_or(&empty, |given| given.as_object().expect("a map"));
        let texts = |value: &Value| {
            let list = value.as_array().expect("a list").iter();
            list.map(|text| text.as_str().expect("a text").to_owned()).collect::<Vec<_>>()
        };
        let here = || "tests.example.com".to_owned();
        for (key, value) in given {
            match key.as_str() {
                "renames" => {
                    for rename in value.as_array().expect("a list") {
                        let word = |key: &str| rename[key].as_str().expect("a text");
                        declared.renames.declare(&here(), word("at"), word("old"), word("new"));
                    }
                }
                "values" => {
                    for value in value.as_array().expect("a list") {
                        let word = |key: &str| value[key].as_str().expect("a text");
                        declared.replaced_values.declare(&here(), word("at"), word("old"), word("new"));
                    }
                }
                "moved" => {
                    let pairs = value.as_object().expect("a map").iter();
                    declared.moved =
                        pairs.map(|(old, new)| (old.clone(), new.as_str().expect("a text").to_owned())).collect();
                }
                "ever-stored" => {
                    declared.ever_stored = texts(value).into_iter().map(|version| (here(), version)).collect();
                }
                "migrated" => declared.migrated = texts(value).into_iter().map(|version| (here(), version)).collect(),
                "long-deprecated" => declared.long_deprecated = texts(value).into_iter().collect(),
                _ => panic!("{}, {}: `{key}` cannot be declared", self.id, self.name),
            }
        }
        declared
    }

    /// Every finding in a column: about the changes, or about the states if the case is for one.
    pub(crate) fn findings(&self, column: Column) -> Vec<Finding> {
        let (old, new) = self.bundles(column);
        if crd_compat::STATES.iter().any(|state| state.rule.id == self.id) {
            let baseline = self.get("old").map(|_| &old);
            return states(baseline, &new, profile(column), &Arc::default(), true);
        }
        let mut findings = Comparison::new(&old, &new, profile(column), &self.declared()).findings();
        let [old, new] = ["old", "new"].map(|side| self.constants(side));
        findings.extend(constant_findings(old.as_ref(), new.as_ref(), channel(column), profile(column)));
        findings
    }

    /// The constants of a side; none if it does not list them.
    fn constants(&self, side: &str) -> Option<Constants> {
        let versions = self.get("constants")?.get(side)?.as_object().expect("a map").iter();
        let constant = |(name, value): (&String, &Value)| {
            let kind = if name.contains("CONDITION") { "condition" } else { "reason" };
            let value = value.as_str().expect("a text").to_owned();
            (name.clone(), Constant { kind: kind.to_owned(), value })
        };
        let of_version = |(version, constants): (&String, &Value)| {
            (version.clone(), constants.as_object().expect("a map").iter().map(constant).collect())
        };
        Some(Constants(versions.map(of_version).collect()))
    }
}

/// The name of a column.
pub(crate) fn name(column: Column) -> &'static str {
    COLUMNS.iter().find(|(known, _)| *known == column).expect("every column has a name").1
}

/// The channel that a case is compared in.
pub(crate) fn channel(column: Column) -> Channel {
    match column {
        Column::Experimental | Column::SemverUnstable => Channel::Experimental,
        Column::Standard | Column::ApiGuide | Column::Semver => Channel::Standard,
    }
}

/// The profile of a column.
pub(crate) fn profile(column: Column) -> Profile {
    match column {
        Column::ApiGuide => Profile::ApiGuide,
        Column::Semver | Column::SemverUnstable => Profile::Semver,
        Column::Standard | Column::Experimental => Profile::Gep922,
    }
}

/// A CRD in short form: its keys replace those of a small CRD, and null removes them.
///
/// * `field`, `spec`, `status`: the schema of `spec.field` (a string), of `spec` and of `status`;
/// * `root`: keywords of the top of the schema;
/// * `version`: keys of the only version (v1, served and stored); `versions`: several, each with the keys above;
/// * `names`, `metadata`, `crd`: keys of `spec.names`, of `metadata` (whose name is otherwise made of plural and group) and of `spec`;
/// * `absent: true`: there is no such CRD.
pub(crate) fn crd(short: &Value, place: &str) -> Option<CustomResourceDefinition> {
    let short = short.as_object().unwrap_or_else(|| panic!("{place}: a CRD in short is a map"));
    let known = ["field", "spec", "status", "root", "version", "versions", "names", "metadata", "crd", "absent"];
    let unknown = short.keys().find(|key| !known.contains(&key.as_str()));
    assert!(unknown.is_none(), "{place}: a CRD in short has no key {unknown:?}");
    if short.contains_key("absent") {
        return None;
    }
    let versions = match short.get("versions") {
        Some(Value::Array(list)) => list.iter().map(|one| version(one.as_object().expect("a map"), short)).collect(),
        Some(other) => panic!("{place}: `versions` is not a list: {other}"),
        None => vec![version(&Map::new(), short)],
    };
    let mut spec = json!({ "group": "example.com", "names": { "kind": "Test", "plural": "tests" }, "scope": "Namespaced", "versions": versions });
    put(&mut spec["names"], short.get("names"));
    put(&mut spec, short.get("crd"));
    let word = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut metadata = json!({ "name": format!("{}.{}", word(&spec["names"]["plural"]), word(&spec["group"])) });
    put(&mut metadata, short.get("metadata"));
    let whole = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    });
    Some(CustomResourceDefinition::from_value(&whole).unwrap_or_else(|errors| panic!("{place}: {errors:?}")))
}

/// A version: keys of its own in a list of versions, then those of the CRD in short.
fn version(own: &Map<String, Value>, short: &Map<String, Value>) -> Value {
    let given = |key: &str| own.get(key).or_else(|| short.get(key)).cloned();
    let field = given("field").unwrap_or_else(|| json!({ "type": "string" }));
    let spec = given("spec").unwrap_or_else(|| json!({ "type": "object", "properties": { "field": field } }));
    let status = given("status").unwrap_or_else(|| json!({ "type": "object" }));
    let mut root = json!({ "type": "object", "properties": { "spec": spec, "status": status } });
    put(&mut root, given("root").as_ref());
    let mut version = json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": root } });
    put(&mut version, short.get("version"));
    for (key, value) in own.iter().filter(|(key, _)| !["field", "spec", "status", "root"].contains(&key.as_str())) {
        version[key] = value.clone();
    }
    version
}

fn put(into: &mut Value, keys: Option<&Value>) {
    let into = into.as_object_mut().expect("a map");
    for (key, value) in keys.and_then(Value::as_object).into_iter().flatten() {
        match value {
            Value::Null => into.remove(key),
            _ => into.insert(key.clone(), value.clone()),
        };
    }
}
