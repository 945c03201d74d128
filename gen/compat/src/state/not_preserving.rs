//! `not-preserving`: a version whose object nodes do not all preserve unknown fields.
//!
//! The API-versioning guide builds its conversions on reading everything that is stored, which a server only gives where every object node
//! on the way preserves unknown fields.

use crd_model::channel::Channel;
use crd_model::schema::{AdditionalProperties, Schema};

use crate::comparison::Channels;
use crate::policy::{Cell, Cells};
use crate::ruling::Ruling;
use crate::state::{Occurrence, State};

pub(super) const STATE: State = State {
    id: "not-preserving",
    row: "not-preserving",
    cells: Cells::of(Cell::SILENT, Cell::SILENT, Cell::of(&[Ruling::Refused])),
    summary: "A version has object nodes that do not preserve unknown fields.",
    explanation: "The guide says that every version must preserve unknown fields, so that a program can read all \
        that is stored and convert it. A server keeps a nested unknown field only where every object node above it \
        has the keyword.",
    example: "new: { field: { type: object } }",
    found,
};

fn found(channels: &Channels, channel: Channel) -> Vec<Occurrence> {
    let mut found = Vec::new();
    for crd in channels.get(&channel).map(Vec::as_slice).unwrap_or_default() {
        for version in &crd.versions {
            let (mut first, mut count) = (None, 0_usize);
            nodes(&version.schema, &mut Vec::new(), &mut |path| {
                first.get_or_insert(path);
                count += 1;
            });
            // One for each version: the guide asks it of the version as a whole, and most have hundreds of nodes.
            if let Some(path) = first {
                found.push(Occurrence {
                    crd: crd.name.to_string(),
                    version: Some(version.name.to_string()),
                    path,
                    message:
                        "not all object nodes of this version preserve unknown fields: what they do not name is dropped"
                            .to_owned(),
                    fix: Some(match count {
                        1 => "One node lacks `+kubebuilder:pruning:PreserveUnknownFields`: this one.".to_owned(),
                        _ => format!(
                            "{count} nodes lack `+kubebuilder:pruning:PreserveUnknownFields`; this is the first."
                        ),
                    }),
                    // The version either does or does not: mending one node leaves the others as they were.
                    identity: String::new(),
                });
            }
        }
    }
    found
}

fn nodes(schema: &Schema, path: &mut Vec<String>, report: &mut dyn FnMut(String)) {
    // A map keeps every name anyway; one of anything keeps nothing below the names.
    let map = matches!(schema.additional_properties, Some(AdditionalProperties::Values(_)));
    let object = schema.kind.as_deref() == Some("object") && !map;
    // The server knows the metadata of every object by itself.
    let metadata = path.len() == 1 && path[0] == "metadata";
    if object && !metadata && schema.preserve_unknown_fields != Some(true) {
        report(path.join(".").replace(".[*]", "[*]"));
    }
    for (name, property) in &schema.properties {
        path.push(name.to_string());
        nodes(property, path, report);
        path.pop();
    }
    let values = match &schema.additional_properties {
        Some(AdditionalProperties::Values(values)) => Some(values),
        _ => None,
    };
    for each in schema.items.iter().chain(values) {
        path.push("[*]".to_owned());
        nodes(each, path, report);
        path.pop();
    }
}
