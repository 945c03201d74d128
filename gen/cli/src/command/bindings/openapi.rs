//! `bindings openapi`: OpenAPI documents for generators of clients.

use std::collections::BTreeSet;

use crd_bindings::openapi::{INDEX, files};
use serde_json::Value;

use super::Binding;
use super::input::by_index;

pub(super) const BINDING: Binding = Binding {
    name: "openapi",
    about: "Write OpenAPI documents for generators of clients",
    long_about: "Write the OpenAPI documents that an API server with the CRDs publishes: `CHANNEL/v3/apis/GROUP/VERSION.json` for each API version \
                 (v3), and `CHANNEL-swagger.json` for each channel (v2). Both contain the schemas and the operations; `index.json` lists all \
                 documents.\n\n\
                 Versions that are not served have no document. Files of earlier runs that `index.json` lists are replaced or removed; other \
                 files never change.",
    folder: "openapi",
    arguments: |command| command,
    tree: |input, _, folder, _| by_index(folder, files(&input.channels)?, INDEX, listed, input.is_check),
    examples: &[
        ("bindings openapi", "write the documents of the types to `openapi`"),
        ("bindings openapi --check", "whether they are up to date"),
        ("bindings openapi --crds config/crd --out public/openapi", "those of published CRDs"),
    ],
};

/// The files that an index lists, unless another program has written it.
fn listed(index: &[u8]) -> Option<BTreeSet<String>> {
    let index: Value = serde_json::from_slice(index).ok()?;
    let documents = index.get("documents").filter(|_| index["schemaVersion"].is_u64())?.as_array()?;
    documents.iter().map(|document| Some(document.get("path")?.as_str()?.to_owned())).collect()
}
