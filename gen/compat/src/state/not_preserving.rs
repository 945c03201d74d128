//! `not-preserving`: a version with object nodes that do not preserve unknown fields.
//!
//! The conversions of the API-versioning guide read everything that is stored. A server returns it only where every object node above
//! preserves unknown fields.

use crd_model::schema::path::{Step, text};
use crd_model::schema::{Schema, walk};

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump;
use crate::rule::{Rule, Section};
use crate::state::{Occurrence, State, Subject};

pub(super) const STATE: State = State {
    rule: Rule {
        id: "not-preserving",
        row: "not-preserving",
        cells: Cells::of(Cell::EMPTY, Cell::EMPTY, Cell::of(&[RequiredBump::NotAllowed])),
        one: "node closed to unknown fields",
        many: "nodes closed to unknown fields",
        section: Section::States,
        summary: "A version has object nodes that do not preserve unknown fields.",
        explanation: "\
            The guide requires that every version preserves unknown fields, so that a program can read and \
            convert everything that is stored. A server keeps a nested unknown field only where every object \
            node above it has the keyword.",
        example: "new: { field: { type: object } }",
    },
    found,
};

fn found<'a>(&Subject { crd, .. }: &Subject<'a>) -> Vec<Occurrence<'a>> {
    let mut found = Vec::new();
    for version in &crd.versions {
        let (mut first, mut count) = (None, 0_usize);
        walk(&version.schema, &mut |steps, node| {
            if drops(steps, node) {
                first.get_or_insert_with(|| text(steps));
                count += 1;
            }
        });
        // One for each version: the guide is about the whole version, and most versions have hundreds of nodes.
        if let Some(path) = first {
            found.push(Occurrence {
                crd: crd.name.to_string(),
                version: Some(version.name.to_string()),
                path,
                message:
                    "not all object nodes of this version preserve unknown fields: fields without a schema are dropped"
                        .to_owned(),
                fix: Some(match count {
                    1 => "One node lacks `+kubebuilder:pruning:PreserveUnknownFields`: this one.".to_owned(),
                    _ => format!("{count} nodes lack `+kubebuilder:pruning:PreserveUnknownFields`; this is the first."),
                }),
                // The whole version has the state, also if one of its nodes is fixed: without an identity of its own.
                ..Occurrence::default()
            });
        }
    }
    found
}

/// Whether a server drops the unknown fields of a node.
fn drops(steps: &[Step<&str>], node: &Schema) -> bool {
    // A map keeps every name.
    let is_object = node.kind.as_deref() == Some("object") && node.values().is_none();
    // Servers have their own schema of metadata.
    let is_metadata = steps == [Step::Field("metadata")];
    is_object && !is_metadata && node.preserve_unknown_fields != Some(true)
}
