//! CRDs of `apiextensions.k8s.io/v1beta1`, as servers up to Kubernetes 1.21 converted them to v1.
//!
//! Invariants: the document is changed before it is read, so that the reader has one format. [`Moves`] leads from paths of the result to those of
//! the text. What cannot be converted stays where it is, and the reader reports it. Names that a server fills in on each creation of a v1 CRD
//! too (`singular`, `listKind`, the port of a webhook) are not filled in.
//!
//! A v1beta1 CRD need not have a schema, and a schema need not have a type. Both are read with what v1 requires and accepts the same: the root is an
//! object, and without a schema it keeps unknown fields.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

pub(super) const API_VERSION: &str = "apiextensions.k8s.io/v1beta1";

/// Parts of `spec` that hold for all versions, and their names in each version.
const OF_ALL_VERSIONS: [(&str, &str); 4] = [
    ("additionalPrinterColumns", "additionalPrinterColumns"),
    ("selectableFields", "selectableFields"),
    ("subresources", "subresources"),
    ("validation", "schema"),
];

/// The key of a print column that was renamed, in v1 and before.
const COLUMN_PATH: (&str, &str) = ("jsonPath", "JSONPath");

/// Where parts of the converted document are in the text: path → path.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves(BTreeMap<String, String>);

impl Moves {
    /// The path in the text: the longest part of it that was moved decides.
    pub(super) fn before(&self, path: &str) -> String {
        let ends = path.match_indices(['.', '[']).map(|(end, _)| end).chain([path.len()]);
        let mut parts = ends.collect::<Vec<_>>().into_iter().rev().map(|end| path.split_at(end));
        let moved = parts.find_map(|(part, rest)| Some(format!("{}{rest}", self.0.get(part)?)));
        moved.unwrap_or_else(|| path.to_owned())
    }

    fn add(&mut self, now: impl Into<String>, before: impl Into<String>) {
        self.0.insert(now.into(), before.into());
    }
}

pub(super) struct Converted {
    pub(super) moves: Moves,
    /// The paths in the text of keys that v1 has and v1beta1 did not have. A server drops them.
    pub(super) unknown: Vec<String>,
}

/// The parts of a document that are copied into each version, and the number of versions.
pub(super) fn copied(document: &Map<String, Value>) -> (impl Iterator<Item = &Value>, usize) {
    let spec = document.get("spec").and_then(Value::as_object);
    let versions = spec.and_then(|spec| spec.get("versions")).and_then(Value::as_array).map_or(0, Vec::len);
    let parts = OF_ALL_VERSIONS.iter().filter_map(move |(before, _)| spec?.get(*before));
    (parts, versions)
}

pub(super) fn to_v1(document: &mut Map<String, Value>) -> Converted {
    let mut converted = Converted { moves: Moves::default(), unknown: Vec::new() };
    document.insert("apiVersion".to_owned(), json!(super::crd::API_VERSION));
    let Some(spec) = document.get_mut("spec").and_then(Value::as_object_mut) else { return converted };
    spec.retain(|_, value| !value.is_null());
    if spec.get("scope").is_none_or(|scope| scope == "") {
        spec.insert("scope".to_owned(), json!("Namespaced"));
    }
    spec.entry("preserveUnknownFields").or_insert(Value::Bool(true));
    versions(spec, &mut converted);
    if let Some(conversion) = spec.get_mut("conversion").and_then(Value::as_object_mut) {
        webhook(conversion, &mut converted);
    }
    converted
}

fn versions(spec: &mut Map<String, Value>, converted: &mut Converted) {
    let version = spec.remove("version").filter(|version| version.as_str() != Some(""));
    let is_empty = spec.get("versions").is_none_or(|versions| versions.as_array().is_some_and(Vec::is_empty));
    if let Some(version) = version.filter(|_| is_empty) {
        spec.insert("versions".to_owned(), json!([{ "name": version, "served": true, "storage": true }]));
        converted.moves.add("spec.versions[0].name", "spec.version");
    }
    let of_all = OF_ALL_VERSIONS.map(|(before, now)| (before, now, spec.remove(before)));
    let Some(Value::Array(versions)) = spec.get_mut("versions") else { return };
    for (index, version) in versions.iter_mut().enumerate() {
        let Value::Object(version) = version else { continue };
        let path = format!("spec.versions[{index}]");
        for (before, now, value) in &of_all {
            if let Some(value) = value {
                version.insert((*now).to_owned(), value.clone());
                if *before == "additionalPrinterColumns" {
                    columns(version, &format!("{path}.{now}"), &format!("spec.{before}"), index == 0, converted);
                }
                converted.moves.add(format!("{path}.{now}"), format!("spec.{before}"));
            } else if *before == "additionalPrinterColumns" {
                let path = format!("{path}.{now}");
                columns(version, &path, &path, true, converted);
            }
        }
        let schema = version.entry("schema").or_insert_with(|| json!({}));
        if schema.is_null() {
            *schema = json!({});
        }
        let Value::Object(schema) = schema else { continue };
        match schema.entry("openAPIV3Schema").or_insert(Value::Null) {
            missing @ Value::Null => {
                *missing = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
            }
            Value::Object(root) if root.get("type").is_none_or(|kind| kind.is_null() || kind == "") => {
                root.insert("type".to_owned(), json!("object"));
            }
            _ => {}
        }
    }
}

/// Renames the path of print columns. Those of all versions are reported once.
fn columns(version: &mut Map<String, Value>, path: &str, before: &str, is_first: bool, converted: &mut Converted) {
    let Some(Value::Array(columns)) = version.get_mut("additionalPrinterColumns") else { return };
    for (index, column) in columns.iter_mut().enumerate() {
        let Value::Object(column) = column else { continue };
        let (now, formerly) = COLUMN_PATH;
        if column.remove(now).is_some() && is_first {
            converted.unknown.push(format!("{before}[{index}].{now}"));
        }
        if let Some(value) = column.remove(formerly) {
            column.insert(now.to_owned(), value);
            converted.moves.add(format!("{path}[{index}].{now}"), format!("{before}[{index}].{formerly}"));
        }
    }
}

fn webhook(conversion: &mut Map<String, Value>, converted: &mut Converted) {
    const PATH: &str = "spec.conversion";
    if conversion.remove("webhook").is_some() {
        converted.unknown.push(format!("{PATH}.webhook"));
    }
    let mut webhook = Map::new();
    for (before, now) in
        [("webhookClientConfig", "clientConfig"), ("conversionReviewVersions", "conversionReviewVersions")]
    {
        if let Some(value) = conversion.remove(before).filter(|value| !value.is_null()) {
            webhook.insert(now.to_owned(), value);
            converted.moves.add(format!("{PATH}.webhook.{now}"), format!("{PATH}.{before}"));
        }
    }
    let is_webhook = conversion.get("strategy").and_then(Value::as_str) == Some("Webhook");
    let reviews = webhook.get("conversionReviewVersions");
    if is_webhook && reviews.is_none_or(|reviews| reviews.as_array().is_some_and(Vec::is_empty)) {
        webhook.insert("conversionReviewVersions".to_owned(), json!(["v1beta1"]));
    }
    if !webhook.is_empty() {
        conversion.insert("webhook".to_owned(), Value::Object(webhook));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(spec: Value) -> (Value, Converted) {
        let mut document = Map::new();
        document.insert("spec".to_owned(), spec);
        let converted = to_v1(&mut document);
        (document["spec"].take(), converted)
    }

    #[test]
    fn parts_of_all_versions_move_into_each_and_lead_back() {
        let (spec, converted) = converted(json!({
            "validation": { "openAPIV3Schema": { "type": "object" } },
            "subresources": { "status": {} },
            "additionalPrinterColumns": [{ "name": "a", "type": "string", "JSONPath": ".a" }],
            "version": "v1",
            "versions": [{ "name": "v1", "served": true, "storage": true }, { "name": "v2", "served": true, "storage": false }],
        }));
        for (index, name) in ["v1", "v2"].iter().enumerate() {
            assert_eq!(
                spec["versions"][index],
                json!({
                    "name": name, "served": true, "storage": index == 0,
                    "schema": { "openAPIV3Schema": { "type": "object" } }, "subresources": { "status": {} },
                    "additionalPrinterColumns": [{ "name": "a", "type": "string", "jsonPath": ".a" }],
                })
            );
        }
        assert_eq!((&spec["scope"], &spec["preserveUnknownFields"]), (&json!("Namespaced"), &json!(true)));
        let moves = converted.moves;
        for (now, before) in [
            (
                "spec.versions[1].schema.openAPIV3Schema.properties.spec",
                "spec.validation.openAPIV3Schema.properties.spec",
            ),
            ("spec.versions[0].additionalPrinterColumns[0].jsonPath", "spec.additionalPrinterColumns[0].JSONPath"),
            ("spec.versions[1].additionalPrinterColumns[0].name", "spec.additionalPrinterColumns[0].name"),
            ("spec.versions[1].name", "spec.versions[1].name"),
            ("spec.versions[0].schemas", "spec.versions[0].schemas"),
        ] {
            assert_eq!(moves.before(now), before, "{now}");
        }
        assert_eq!(converted.unknown, Vec::<String>::new());
    }

    #[test]
    fn one_version_without_a_schema_accepts_every_object() {
        let (spec, converted) = converted(json!({ "version": "v1alpha1", "versions": [], "validation": null }));
        assert_eq!(
            spec["versions"],
            json!([{
                "name": "v1alpha1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }])
        );
        assert_eq!(converted.moves.before("spec.versions[0].name"), "spec.version");
        // Another structure is left to the reader, which reports it.
        let (spec, _) = self::converted(json!({ "version": "v1", "validation": { "openAPIV3Schema": 5 } }));
        assert_eq!(spec["versions"][0]["schema"], json!({ "openAPIV3Schema": 5 }));
    }

    #[test]
    fn the_root_is_an_object() {
        let (spec, _) =
            converted(json!({ "version": "v1", "validation": { "openAPIV3Schema": { "required": ["spec"] } } }));
        let root = json!({ "type": "object", "required": ["spec"] });
        assert_eq!(spec["versions"][0]["schema"]["openAPIV3Schema"], root);
    }

    #[test]
    fn webhooks_move_and_default_to_the_old_reviews() {
        let (spec, converted) = converted(json!({
            "conversion": { "strategy": "Webhook", "webhookClientConfig": { "url": "https://a" } },
        }));
        assert_eq!(
            spec["conversion"],
            json!({ "strategy": "Webhook",
                    "webhook": { "clientConfig": { "url": "https://a" }, "conversionReviewVersions": ["v1beta1"] } })
        );
        assert_eq!(
            converted.moves.before("spec.conversion.webhook.clientConfig.url"),
            "spec.conversion.webhookClientConfig.url"
        );
        let (spec, _) = self::converted(json!({ "conversion": { "strategy": "None" } }));
        assert_eq!(spec["conversion"], json!({ "strategy": "None" }));
    }

    #[test]
    fn keys_that_only_v1_has_are_unknown() {
        let (spec, converted) = converted(json!({
            "conversion": { "strategy": "None", "webhook": {} },
            "versions": [{ "name": "v1", "additionalPrinterColumns": [{ "name": "a", "jsonPath": ".a" }] }],
        }));
        assert_eq!(
            converted.unknown,
            ["spec.versions[0].additionalPrinterColumns[0].jsonPath", "spec.conversion.webhook"]
        );
        assert_eq!(spec["versions"][0]["additionalPrinterColumns"], json!([{ "name": "a" }]));
    }
}
