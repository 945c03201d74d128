//! The published documents as serde_json reads them, and what they say, counted without our code.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::releases::Release;

/// The CRDs of a channel, by their plural.
pub(crate) fn crds(release: &Release, channel: &str) -> BTreeMap<String, Value> {
    let crds = crd_testdata::gateway_api(release.name, channel).into_iter().map(|file| file.json());
    crds.map(|crd| (crd["spec"]["names"]["plural"].as_str().unwrap().to_owned(), crd)).collect()
}

/// The versions of a CRD, with their schemas.
pub(crate) fn versions(crd: &Value) -> BTreeMap<&str, &Value> {
    let versions = crd["spec"]["versions"].as_array().unwrap().iter();
    versions.map(|version| (version["name"].as_str().unwrap(), &version["schema"]["openAPIV3Schema"])).collect()
}

/// The nodes of a schema by their paths.
pub(crate) fn nodes(schema: &Value) -> BTreeMap<String, &Value> {
    fn walk<'s>(schema: &'s Value, path: String, found: &mut BTreeMap<String, &'s Value>) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let dot = if path.is_empty() { "" } else { "." };
            walk(property, format!("{path}{dot}{name}"), found);
        }
        for each in ["items", "additionalProperties"] {
            if schema[each].is_object() {
                walk(&schema[each], format!("{path}[*]"), found);
            }
        }
        found.insert(path, schema);
    }
    let mut found = BTreeMap::new();
    walk(schema, String::new(), &mut found);
    found
}

/// Where both releases have a node: CRD, version, path, and the node in each.
pub(crate) fn shared_nodes(
    baseline: &BTreeMap<String, Value>,
    candidate: &BTreeMap<String, Value>,
    mut see: impl FnMut(&str, &str, &str, &Value, &Value),
) {
    for (plural, old) in baseline {
        let Some(new) = candidate.get(plural) else { continue };
        let new_versions = versions(new);
        for (version, old_schema) in versions(old) {
            let Some(new_schema) = new_versions.get(version) else { continue };
            let new_nodes = nodes(new_schema);
            for (path, old_node) in nodes(old_schema) {
                if let Some(new_node) = new_nodes.get(&path) {
                    see(plural, version, &path, old_node, new_node);
                }
            }
        }
    }
}

/// What is required at a node.
pub(crate) fn required(node: &Value) -> BTreeSet<&str> {
    node["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap()).collect()
}
