//! controller-gen v0.23 makes our CRDs of our Go modules: of the flagship's types in both channels, and of published CRDs of nine projects.
//!
//! A sample is the experimental channel, and one project. Descriptions are not compared. What types do not express of published CRDs is what `new --from-crds` lists; every other difference is in
//! [`DIFFERENCES`], with its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crd_bindings::go::places::Places;
use crd_channels_cli::types_of_crds::TypesOfCrds;
use crd_generate::settings::{FILE_NAME, GoModule, Settings};
use crd_generator::go_module;
use crd_model::channel::Channel;
use crd_model::crd::Subresources;
use crd_model::{CustomResourceDefinition, yaml};
use crd_testdata::{HISTORIES, history_files};
use serde_json::Value;

use super::go_modules::{controller_gen, is_skipped, run, written};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Differences with their reasons: the CRD, the end of the path, and why.
const DIFFERENCES: [(&str, &str, &str); 5] = [
    ("", ".allOf", NO_MARKER),
    ("", ".anyOf", NO_MARKER),
    ("", ".oneOf", NO_MARKER),
    ("", ".not", NO_MARKER),
    (
        "clusterclasses.cluster.x-k8s.io",
        ".enum.items.type",
        "controller-gen has no marker for items of any type, so they are objects",
    ),
];
const NO_MARKER: &str = "controller-gen has no markers of these keywords";

/// The structure of CRDs: without descriptions and without what `generate` stamps.
fn structure(crds: impl IntoIterator<Item = CustomResourceDefinition>) -> BTreeMap<String, Value> {
    let crds = crds.into_iter().map(|mut crd| {
        for version in &mut crd.versions {
            version.schema.each_mut(&mut |schema| {
                schema.description = None;
                // Go leaves out an empty format, which means none.
                schema.format.take_if(|format| format.is_empty());
            });
            // An empty object and none mean the same; controller-gen writes one if there are print columns.
            version.subresources.take_if(|subresources| *subresources == Subresources::default());
        }
        (crd.name.to_string(), crd.to_value()["spec"].take())
    });
    crds.collect()
}

/// The paths at which two values differ.
fn differences(ours: &Value, theirs: &Value, path: &str, found: &mut Vec<String>) {
    let keys = |value: &Value| -> BTreeSet<String> {
        match value {
            Value::Object(map) => map.keys().cloned().collect(),
            Value::Array(items) => (0..items.len()).map(|index| index.to_string()).collect(),
            _ => BTreeSet::new(),
        }
    };
    let child = |value: &Value, key: &str| match value {
        Value::Array(items) => key.parse::<usize>().ok().and_then(|index| items.get(index)).cloned(),
        value => value.get(key).cloned(),
    };
    let all: BTreeSet<String> = keys(ours).union(&keys(theirs)).cloned().collect();
    if all.is_empty() && ours != theirs {
        found.push(format!("{path}: {ours} and {theirs}"));
    }
    for key in all {
        match (child(ours, &key), child(theirs, &key)) {
            (Some(ours), Some(theirs)) => differences(&ours, &theirs, &format!("{path}.{key}"), found),
            _ => found.push(format!("{path}.{key}")),
        }
    }
}

/// What controller-gen makes of a module.
fn made(tool: &str, files: &BTreeMap<String, String>) -> BTreeMap<String, Value> {
    let folder = written(files);
    let out = folder.path().join("crds");
    // Types of CRDs may have floating-point numbers.
    let options = format!("output:crd:dir={}", out.display());
    run(tool, &["crd:allowDangerousTypes=true", "paths=./...", &options], folder.path());
    let files = std::fs::read_dir(&out).expect("CRDs").map(|entry| entry.expect("an entry").path());
    let crds = files.flat_map(|path| yaml::read(&std::fs::read_to_string(path).expect("text")).expect("YAML"));
    structure(crds.map(|crd| CustomResourceDefinition::from_value(&crd).expect("a CRD")))
}

/// The differences that have no reason.
fn unexplained(name: &str, ours: &BTreeMap<String, Value>, theirs: &BTreeMap<String, Value>) -> Vec<String> {
    let mut all = Vec::new();
    for (crd, spec) in ours {
        let mut found = Vec::new();
        match theirs.get(crd) {
            Some(theirs) => differences(spec, theirs, "", &mut found),
            None => found.push("is missing".to_owned()),
        }
        found.retain(|path| {
            let place = path.split(':').next().unwrap_or_default();
            let is_listed = DIFFERENCES.iter().any(|(of, end, _)| (of.is_empty() || crd == of) && place.ends_with(end));
            !is_listed
        });
        all.extend(found.into_iter().map(|path| format!("{name} {crd} {path}")));
    }
    all
}

#[test]
fn controller_gen_makes_the_flagships_crds_of_its_go_module() {
    if is_skipped() {
        return;
    }
    let tool = controller_gen();
    let root = Path::new(REPOSITORY);
    let text = std::fs::read_to_string(root.join(FILE_NAME)).expect("settings");
    let settings = Settings::read(FILE_NAME.as_ref(), &text, &[]).expect("settings");
    let types = settings.types.clone().expect("types");
    let catalogue = crd_generator::source::catalogue(root, &types, settings).expect("types");
    let module = catalogue.settings().go.clone().expect("a Go module");
    for channel in crd_testdata::sample_of(Channel::ALL.to_vec(), |_| false) {
        let ours = structure(crd_generate::generate(&catalogue, channel).expect("CRDs"));
        let theirs = made(&tool.1, &go_module::files(&catalogue, &module, Some(channel), None).expect("a module"));
        let wrong = unexplained(channel.name(), &ours, &theirs);
        assert!(ours.keys().eq(theirs.keys()) && wrong.is_empty(), "{}", wrong.join("\n"));
        println!("{channel}: {} equal CRDs", ours.len());
    }
}

#[test]
fn controller_gen_makes_published_crds_of_their_go_modules() {
    if is_skipped() {
        return;
    }
    let tool = controller_gen();
    let (mut count, mut wrong) = (0, Vec::new());
    for project in crd_testdata::sample_of(HISTORIES.to_vec(), |_| false) {
        let numbers = |version: &str| {
            version
                .split(|letter: char| !letter.is_ascii_digit())
                .map(|part| part.parse().unwrap_or(0))
                .collect::<Vec<u64>>()
        };
        let versions = history_files(project).filter_map(|file| file.path.split('/').next());
        let newest = versions.max_by_key(|version| numbers(version)).expect("a release");
        for (channel, files) in crd_testdata::project(project, newest) {
            let crds = files.iter().map(|file| CustomResourceDefinition::from_published(&file.json()).0).collect();
            let types = TypesOfCrds::new(crd_source::importer::Published::one_channel(crds));
            let listed = types.differences().len();
            let places = Places { types: types.places(), ..Places::default() };
            let types = types.catalogue().expect("types");
            let module = GoModule { module: "example.com/api".to_owned(), ..GoModule::default() };
            let files = go_module::files(&types, &module, None, Some(&places))
                .unwrap_or_else(|errors| panic!("{project}: {errors:?}"));
            let expected = structure(crd_generate::generate(&types, Channel::Standard).expect("CRDs"));
            let found = unexplained(project, &expected, &made(&tool.1, &files));
            let crds = expected.len();
            println!(
                "{project} {newest} {channel}: {crds} CRDs, {listed} parts that types do not express, {} differences",
                found.len()
            );
            count += crds;
            wrong.extend(found);
        }
    }
    let least = if crd_testdata::is_proof() { 200 } else { 1 };
    assert!(count >= least && wrong.is_empty(), "{count} CRDs\n{}", wrong.join("\n"));
}
