//! Patches of a kustomization that declare `spec.conversion` of CRDs: projects of kubebuilder have conversion webhooks nowhere else.
//!
//! Invariant: kustomize is not run. What is read here is what kustomize does; a list of patches with anything else is named as not applied.

use crd_apiserver::refusal::merge;
use crd_model::yaml::read;
use serde_json::{Value, json};

use super::PublishedCrd;
use super::found::KIND;
use super::skips::Glob;

/// The keys of a kustomization that list patches.
pub(super) const PATCHES: [&str; 3] = ["patches", "patchesStrategicMerge", "patchesJson6902"];

/// A patch of `spec.conversion`.
#[derive(Debug)]
pub(super) struct Patch {
    /// The names of the CRDs.
    name: Glob,
    conversion: Value,
    /// Whether it replaces the existing value.
    replaces: bool,
}

/// Reads an entry of a list of patches, and returns whether it changes nothing else. `file` reads a file that the entry names.
pub(super) fn read_entry(entry: &Value, file: impl Fn(&str) -> Option<String>, found: &mut Vec<Patch>) -> bool {
    let word = |key: &str| entry.get(key).and_then(Value::as_str);
    // A file, or the patch itself.
    let text = match entry.as_str().or(word("path")) {
        Some(path) if !path.contains('\n') => file(path),
        text => text.or(word("patch")).map(str::to_owned),
    };
    let name = entry.get("target").map(target);
    let (Some(documents), false) = (text.and_then(|text| read(&text).ok()), name == Some(None)) else { return false };
    let operations = |document: &Value| document.as_array().cloned().unwrap_or_else(|| vec![document.clone()]);
    let patches = documents.iter().flat_map(operations).map(|patch| of_patch(&patch, name.clone().flatten()));
    patches.fold(true, |is_whole, patch| {
        let is_read = patch.as_ref().is_some_and(|(_, is_whole)| *is_whole);
        found.extend(patch.map(|(patch, _)| patch));
        is_whole && is_read
    })
}

/// The names of the CRDs that a target selects; none if not only the name decides.
fn target(target: &Value) -> Option<Glob> {
    let keys = ["group", "version", "kind", "name"];
    let is_known = target.as_object()?.keys().all(|key| keys.contains(&&**key));
    // A regular expression, with the dots of the name of a CRD.
    let name = target.get("name").map_or(Some(".*"), Value::as_str)?.replace("\\.", ".").replace(".*", "*");
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || ".-*".contains(letter));
    (is_known && is_plain && target.get("kind").is_none_or(|kind| kind == KIND)).then(|| Glob::new(&name))
}

/// The change of `spec.conversion` by a strategic merge patch or an operation of RFC 6902, and whether it is all that the patch changes.
fn of_patch(patch: &Value, target: Option<Glob>) -> Option<(Patch, bool)> {
    if let Some(path) = patch["path"].as_str() {
        let value = if patch["op"] == "remove" { &Value::Null } else { patch.get("value")? };
        let names = path.strip_prefix("/spec/conversion")?.split('/').collect::<Vec<_>>();
        // A merge does not replace a map, and changes no items of a list.
        let is_merge = names.iter().all(|name| !name.contains(['~', '-']) && name.parse::<usize>().is_err());
        let is_known = ["add", "replace", "remove"].iter().any(|known| patch["op"] == **known);
        let replaces = names.len() == 1;
        let is_read = is_known && names[0].is_empty() && is_merge && (replaces || !value.is_object());
        let conversion = names[1..].iter().rev().fold(value.clone(), |below, name| json!({ *name: below }));
        return is_read.then_some((Patch { name: target?, conversion, replaces }, true));
    }
    let conversion = patch["spec"].get("conversion").filter(|value| !value.to_string().contains("\"$patch\""))?;
    let is_of_v1 = patch["kind"] == KIND && patch["apiVersion"] == super::crd::API_VERSION;
    let name = target.or(patch["metadata"]["name"].as_str().map(Glob::new)).filter(|_| is_of_v1)?;
    let mut rest = patch.clone();
    merge(
        &mut rest,
        &json!({ "apiVersion": null, "kind": null, "metadata": { "name": null }, "spec": { "conversion": null } }),
    );
    let is_whole = rest == json!({ "metadata": {}, "spec": {} });
    Some((Patch { name, conversion: conversion.clone(), replaces: conversion.is_null() }, is_whole))
}

/// Applies patches in their order.
pub(super) fn apply(patches: &[Patch], crds: &mut [PublishedCrd]) {
    for Patch { name, conversion, replaces } in patches {
        for crd in crds.iter_mut().map(|crd| &mut crd.crd).filter(|crd| name.is_match(&crd.name)) {
            let mut patched = crd.conversion.take().filter(|_| !replaces).unwrap_or(Value::Null);
            merge(&mut patched, conversion);
            crd.conversion = Some(patched).filter(|patched| !patched.is_null());
        }
    }
}
