//! JSON Schemas (draft-07) of CRDs, for editors and for validators without a server.
//!
//! Files, below one folder: `CHANNEL/GROUP/kind_version.json`, the same in `CHANNEL-strict` without unknown fields, `kind_version.fields.txt` with a
//! path and its type in each line, and `index.json` with every schema. It is the layout of kubeconform and of the CRDs catalogue.
//!
//! Invariants:
//! * A schema refuses an object only if a server refuses it. Exceptions: unknown fields (`-strict`), an explicit `null` in place of an absent field, and
//!   formats and white space of patterns, which a reader understands in its own way.
//! * Schemas are made of typed nodes, so that a field called `properties` or `enum` is never taken for a keyword.
//! * A path has the names of a group, a kind and a version in it, and leads out of the folder for no input.

mod fields;
mod metadata;
mod node;
mod pattern;

use std::collections::BTreeMap;

use crd_diagnostics::{Diagnostic, fail_on};
use crd_model::crd::Version;
use crd_model::{Channels, CustomResourceDefinition, Schema};
use serde_json::{Value, json};

/// The file that lists every schema.
pub const INDEX: &str = "index.json";

/// The version of the format of [`INDEX`]. It grows when a key changes its meaning or is removed.
pub const INDEX_VERSION: u32 = 1;

/// The dialect that editors and kubeconform both read.
const DIALECT: &str = "http://json-schema.org/draft-07/schema#";

/// The text of each file, by path.
///
/// # Errors
/// A name that cannot be part of a path, or two schemas with one path.
pub fn files(channels: &Channels) -> Result<BTreeMap<String, String>, Vec<Diagnostic>> {
    let (mut files, mut listed, mut errors) = (BTreeMap::new(), Vec::new(), Vec::new());
    let versions = channels.iter().flat_map(|(channel, crds)| {
        crds.iter().flat_map(move |crd| crd.versions.iter().map(move |version| (*channel, &**crd, version)))
    });
    for (channel, crd, version) in versions {
        let (group, kind) = (&*crd.group, &*crd.names.kind);
        if let Some(error) = malformed(crd, version) {
            errors.push(error.in_channel(channel));
            continue;
        }
        let name = format!("{group}/{}_{}", kind.to_ascii_lowercase(), version.name);
        let path = format!("{channel}/{name}.json");
        let strict_path = format!("{channel}-strict/{name}.json");
        let fields_path = format!("{channel}/{name}.fields.txt");
        if files.contains_key(&path) {
            let error = Diagnostic::error("bindings::path", format!("two schemas have the path `{path}`"));
            let error = error.of_crd(&*crd.name, Some(version.name.to_string()), "spec.names.kind");
            errors
                .push(error.in_channel(channel).help("the file has the kind in lower case: leave out one of the CRDs"));
            continue;
        }
        listed.push(json!({
            "channel": channel.name(),
            "group": group,
            "kind": kind,
            "version": version.name,
            "path": path,
            "strictPath": strict_path,
            "fieldsPath": fields_path,
            "served": version.served,
            "storage": version.storage,
            "deprecated": version.deprecated,
        }));
        // Such a CRD prunes nothing.
        let is_strict = crd.preserve_unknown_fields != Some(true);
        files.insert(path, text(document(crd, version, false)));
        files.insert(strict_path, text(document(crd, version, is_strict)));
        files.insert(fields_path, fields::lines(&version.schema));
    }
    fail_on(errors)?;
    files.insert(INDEX.to_owned(), text(json!({ "schemaVersion": INDEX_VERSION, "schemas": listed })));
    Ok(files)
}

/// The schema of the objects of a version. Without unknown fields if it is strict.
pub fn document(crd: &CustomResourceDefinition, version: &Version, is_strict: bool) -> Value {
    let mut root = version.schema.clone();
    let (group, kind, version) = (&crd.group, &crd.names.kind, &version.name);
    for (name, value) in [("apiVersion", format!("{group}/{version}")), ("kind", kind.to_string())] {
        let property = root.properties.get_or_insert_default(name.into());
        *property = Schema {
            description: property.description.take(),
            enumeration: Some(vec![value.into()]),
            kind: Some("string".into()),
            ..Schema::default()
        };
        root.required.push(name.into());
    }
    metadata::complete(root.properties.get_or_insert_default("metadata".into()));
    let mut document = node::schema(&root, is_strict);
    document["$schema"] = DIALECT.into();
    document["x-kubernetes-group-version-kind"] = json!([{ "group": group, "kind": kind, "version": version }]);
    document
}

/// Why names cannot be parts of a path. Servers refuse such a CRD.
fn malformed(crd: &CustomResourceDefinition, version: &Version) -> Option<Diagnostic> {
    let is_label = |text: &str| {
        let is_within = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !text.is_empty() && text.bytes().all(is_within) && !text.starts_with('-') && !text.ends_with('-')
    };
    let (what, name, path) = if !crd.group.split('.').all(is_label) {
        ("API group", &crd.group, "spec.group")
    } else if !is_label(&crd.names.kind) {
        ("kind", &crd.names.kind, "spec.names.kind")
    } else if !is_label(&version.name) {
        ("version", &version.name, "spec.versions")
    } else {
        return None;
    };
    let error = Diagnostic::error("bindings::name", format!("`{name}` is not a valid name of a {what}"));
    let error = error.of_crd(&*crd.name, None, path);
    Some(error.help("use letters, digits and dashes; an API group has labels between dots"))
}

fn text(mut document: Value) -> String {
    // The order of keys does not depend on the features of `serde_json`.
    document.sort_all_objects();
    format!("{document:#}\n")
}
