//! The CRDs that we generate have the structure of Gateway API v1.7.0, and the released bundle has that of v1.6.1.
//!
//! They are compared path by path with the published CRDs in `testdata`. Only text may differ: descriptions, and the text of
//! `deprecationWarning`. Our side is read back from the YAML by an independent reader.

use std::collections::BTreeMap;
use std::path::Path;

use crd_bundle::{BundleVersion, files, stamp};
use crd_channels::Channel;
use crd_generate::generate;
use crd_model::document::{HtmlCharacters, JsonWriter};
use crd_model::yaml;
use crd_testdata::NEWEST_GATEWAY_API;
use serde_json::Value;

/// Our CRDs by `channel/name`, stamped as the release of upstream.
fn ours() -> BTreeMap<String, Value> {
    let catalogue = crate::catalogue::with_settings();
    let version: BundleVersion = NEWEST_GATEWAY_API.parse().unwrap();
    let mut documents = BTreeMap::new();
    for channel in Channel::ALL {
        let mut crds = generate(&catalogue, channel).unwrap_or_else(|errors| {
            panic!("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        });
        for crd in &mut crds {
            stamp(crd, catalogue.prefix(), version, channel);
        }
        for file in files(crds) {
            let mut read = yaml::read(&file.text).unwrap();
            assert_eq!(read.len(), 1, "{}", file.name);
            documents.insert(format!("{channel}/{}", file.crd.name), read.remove(0));
        }
    }
    documents
}

/// The published CRDs by `channel/name`.
fn upstream(version: &str) -> BTreeMap<String, Value> {
    let documents = Channel::ALL.into_iter().flat_map(|channel| {
        let files = crd_testdata::gateway_api(version, channel.name()).into_iter();
        files.map(move |file| (format!("{channel}/{}", file.path.trim_end_matches(".json")), file.json()))
    });
    documents.collect()
}

/// Takes the words out of a CRD, and leaves properties that are called `description` alone.
fn without_words(mut crd: Value) -> Value {
    for version in crd["spec"]["versions"].as_array_mut().unwrap() {
        version.as_object_mut().unwrap().remove("deprecationWarning");
        schema_without_words(&mut version["schema"]["openAPIV3Schema"]);
    }
    crd
}

fn schema_without_words(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else { return };
    map.remove("description");
    for (keyword, value) in map {
        match keyword.as_str() {
            "properties" => value.as_object_mut().unwrap().values_mut().for_each(schema_without_words),
            "items" | "additionalProperties" | "not" => schema_without_words(value),
            "allOf" | "anyOf" | "oneOf" => value.as_array_mut().unwrap().iter_mut().for_each(schema_without_words),
            _ => {}
        }
    }
}

fn differences(ours: &Value, theirs: &Value, path: &str, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys().filter(|key| !left.contains_key(*key))) {
                let below = format!("{path}/{key}");
                match (left.get(key), right.get(key)) {
                    (Some(left), Some(right)) => differences(left, right, &below, found),
                    (Some(_), None) => found.push(format!("{below}: only ours has it")),
                    _ => found.push(format!("{below}: only upstream has it")),
                }
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                differences(left, right, &format!("{path}/{index}"), found);
            }
        }
        _ if ours == theirs => {}
        _ => found.push(format!("{path}: ours is {ours}, upstream's is {theirs}")),
    }
}

/// Compares with the published CRDs, and fails with every path that differs.
fn assert_upstream(documents: BTreeMap<String, Value>, version: &str, experimental: usize) {
    let upstream = upstream(version);
    assert_eq!(documents.keys().collect::<Vec<_>>(), upstream.keys().collect::<Vec<_>>());
    assert_eq!(
        (upstream.len(), upstream.keys().filter(|name| name.starts_with("standard")).count()),
        (10 + experimental, 10)
    );
    let mut found = Vec::new();
    for (name, document) in documents {
        differences(&without_words(document), &without_words(upstream[&name].clone()), &name, &mut found);
    }
    println!("{} paths differ in {} CRDs", found.len(), upstream.len());
    assert!(found.is_empty(), "{} paths differ:\n{}", found.len(), found.join("\n"));
}

#[test]
fn no_path_differs_from_upstream() {
    assert_upstream(ours(), NEWEST_GATEWAY_API, 14);
}

/// The released bundle keeps the published structure, also after the types change.
#[test]
fn no_path_of_the_released_bundle_differs_from_upstream() {
    let bundle = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bundles/v1.6.1");
    let mut documents = BTreeMap::new();
    for channel in Channel::ALL {
        for entry in std::fs::read_dir(bundle.join(channel.name())).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|name| name == "kustomization.yaml") {
                continue;
            }
            let mut read = yaml::read(&std::fs::read_to_string(&path).unwrap()).unwrap();
            assert_eq!(read.len(), 1, "{}", path.display());
            let crd = read.remove(0);
            documents.insert(format!("{channel}/{}", crd["metadata"]["name"].as_str().unwrap()), crd);
        }
    }
    assert_upstream(documents, "v1.6.1", 13);
}

/// kubectl's client-side apply writes the whole object into an annotation, and annotations are limited to 262,144 bytes.
#[test]
fn every_crd_can_be_applied_by_kubectl() {
    const LIMIT: usize = 261_000;
    let catalogue = crate::catalogue::with_settings();
    let mut largest = (0, String::new());
    for channel in Channel::ALL {
        for mut crd in generate(&catalogue, channel).unwrap() {
            stamp(&mut crd, catalogue.prefix(), NEWEST_GATEWAY_API.parse().unwrap(), channel);
            let mut writer = JsonWriter::new(HtmlCharacters::Escaped);
            crd.send(&mut writer);
            let size = writer.finish().len();
            assert!(size < LIMIT, "{channel} {}: {size} bytes", crd.name);
            largest = largest.max((size, format!("{channel} {}", crd.name)));
        }
    }
    println!("largest as compact JSON with & < > escaped: {} bytes, {}", largest.0, largest.1);
    assert_eq!(largest.1, "experimental httproutes.gateway.networking.k8s.io");
}
