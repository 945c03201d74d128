//! The CRDs that we generate have the structure of upstream's published ones: all of it but the words.
//!
//! Compared with `oracle/gateway-api-v1.6.1` path by path where it is there, and everywhere with digests of it that are kept
//! beside this file (`structure.sha256`; `UPDATE_DIGESTS=1 cargo test -p xtask` writes them anew, from the oracle only). Words
//! are descriptions and the text of `deprecationWarning`. Our side is read back from the YAML by an independent reader.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../src/catalogue.rs"]
mod catalogue;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crd_bundle::{BundleVersion, files, stamp};
use crd_channels::Channel;
use crd_generate::generate;
use crd_model::document::{HtmlCharacters, JsonWriter, send_value};
use crd_model::yaml;
use serde_json::Value;
use sha2::{Digest, Sha256};

const ORACLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/oracle/gateway-api-v1.6.1");
const DIGESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structure.sha256");

/// Our CRDs by `channel/name`, stamped as the release that the oracle is.
fn ours() -> BTreeMap<String, Value> {
    let catalogue = catalogue::catalogue();
    let version: BundleVersion = "v1.6.1".parse().unwrap();
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

/// Upstream's CRDs by `channel/name`; `None`: they are not here.
fn upstream() -> Option<BTreeMap<String, Value>> {
    if !Path::new(ORACLE).is_dir() {
        println!("skipped: {ORACLE} is not here; the digests beside this file are compared instead");
        return None;
    }
    let mut documents = BTreeMap::new();
    for channel in Channel::ALL {
        for entry in std::fs::read_dir(format!("{ORACLE}/{channel}")).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            documents.insert(format!("{channel}/{name}"), serde_json::from_str(&text).unwrap());
        }
    }
    Some(documents)
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

fn digest(document: &Value) -> String {
    let mut writer = JsonWriter::new(HtmlCharacters::Plain);
    send_value(document, &mut writer);
    Sha256::digest(writer.finish()).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn digests(documents: BTreeMap<String, Value>) -> String {
    documents.into_iter().fold(String::new(), |mut text, (name, document)| {
        let _ = writeln!(text, "{}  {name}", digest(&without_words(document)));
        text
    })
}

#[test]
fn no_path_differs_from_upstream() {
    let Some(upstream) = upstream() else { return };
    let ours = ours();
    assert_eq!(ours.keys().collect::<Vec<_>>(), upstream.keys().collect::<Vec<_>>());
    assert_eq!((upstream.len(), upstream.keys().filter(|name| name.starts_with("standard")).count()), (23, 10));
    let mut found = Vec::new();
    for (name, document) in ours {
        differences(&without_words(document), &without_words(upstream[&name].clone()), &name, &mut found);
    }
    assert!(found.is_empty(), "{} paths differ:\n{}", found.len(), found.join("\n"));
}

#[test]
fn structure_has_the_digests_of_upstream() {
    let upstream = upstream().map(digests);
    if std::env::var_os("UPDATE_DIGESTS").is_some() {
        std::fs::write(DIGESTS, upstream.as_deref().expect("digests are made from the oracle")).unwrap();
    }
    let kept = std::fs::read_to_string(DIGESTS).unwrap();
    if let Some(upstream) = upstream {
        assert_eq!(upstream, kept, "the digests are those of the oracle");
    }
    assert_eq!(digests(ours()), kept);
}

/// The released bundle, as it lies in the tree: whatever becomes of the types, it stays what upstream published.
#[test]
fn the_released_bundle_has_the_digests_of_upstream() {
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
    assert_eq!(digests(documents), std::fs::read_to_string(DIGESTS).unwrap());
}

/// kubectl's client-side apply writes the whole object into an annotation, and annotations are limited to 262,144 bytes.
#[test]
fn every_crd_can_be_applied_by_kubectl() {
    const LIMIT: usize = 261_000;
    let catalogue = catalogue::catalogue();
    let mut largest = (0, String::new());
    for channel in Channel::ALL {
        for mut crd in generate(&catalogue, channel).unwrap() {
            stamp(&mut crd, catalogue.prefix(), "v1.6.1".parse().unwrap(), channel);
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

/// Every node of every schema says what it is for; only `metadata` cannot, because servers refuse it.
#[test]
fn every_property_has_a_description() {
    fn walk(schema: &crd_model::Schema, path: &str, missing: &mut Vec<String>) {
        for (name, property) in &schema.properties {
            let below = format!("{path}.{name}");
            if property.description.as_deref().is_none_or(|text| text.len() < 20) && !below.ends_with(":.metadata") {
                missing.push(below.clone());
            }
            walk(property, &below, missing);
        }
        if let Some(items) = &schema.items {
            walk(items, &format!("{path}[*]"), missing);
        }
    }
    let mut missing = Vec::new();
    for crd in generate(&catalogue::catalogue(), Channel::Experimental).unwrap() {
        for version in &crd.versions {
            assert!(version.schema.description.is_some(), "{} {}", crd.name, version.name);
            walk(&version.schema, &format!("{} {}:", crd.name, version.name), &mut missing);
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
