//! `bindings schemas`: JSON Schemas for editors and validators.

use std::collections::BTreeSet;

use crd_bindings::json_schema::{INDEX, files};
use serde_json::Value;

use super::Binding;
use super::input::by_index;

pub(super) const BINDING: Binding = Binding {
    name: "schemas",
    about: "Write JSON schemas for editors, kubeconform and Flux",
    long_about: "Write a JSON schema (draft-07) of each version of each resource: `CHANNEL/GROUP/kind_version.json`, and the same in \
                 `CHANNEL-strict`, which refuses unknown fields. `kind_version.fields.txt` lists the path and the type of each field, and \
                 `index.json` lists all schemas.\n\n\
                 A schema counts defaults as a server does, and keeps CEL rules, which only servers evaluate. Files of earlier runs that \
                 `index.json` lists are replaced or removed; other files never change.",
    folder: "schemas",
    arguments: |command| command,
    tree: |input, _, folder, _| by_index(folder, files(&input.channels)?, INDEX, listed, input.is_check),
    examples: &[
        ("bindings schemas", "write the schemas of the types to `schemas`"),
        ("bindings schemas --check", "whether they are up to date"),
        ("bindings schemas --crds config/crd --out public/schemas", "those of published CRDs"),
        ("bindings schemas --crds git:v1.2.0:config/crd --channel standard", "one channel of a commit"),
    ],
};

/// The files that an index lists, unless another program has written it.
fn listed(index: &[u8]) -> Option<BTreeSet<String>> {
    let index: Value = serde_json::from_slice(index).ok()?;
    let schemas = index.get("schemas").filter(|_| index["schemaVersion"].is_u64())?.as_array()?;
    let paths =
        |schema: &Value| ["path", "strictPath", "fieldsPath"].map(|key| Some(schema.get(key)?.as_str()?.to_owned()));
    schemas.iter().flat_map(paths).collect()
}
