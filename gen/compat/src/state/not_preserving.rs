//! `not-preserving`: a version with object nodes that do not preserve unknown fields.
//!
//! The conversions of the API-versioning guide read everything that is stored. A server returns it only where every object node above
//! preserves unknown fields.

use crd_model::schema::Schema;

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
        nodes(&version.schema, &mut Vec::new(), &mut |path| {
            first.get_or_insert(path);
            count += 1;
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

fn nodes(schema: &Schema, path: &mut Vec<String>, report: &mut dyn FnMut(String)) {
    // A map keeps every name.
    let object = schema.kind.as_deref() == Some("object") && schema.values().is_none();
    // Servers have their own schema of metadata.
    let metadata = path.len() == 1 && path[0] == "metadata";
    if object && !metadata && schema.preserve_unknown_fields != Some(true) {
        report(path.join(".").replace(".[*]", "[*]"));
    }
    for (name, property) in &schema.properties {
        path.push(name.to_string());
        nodes(property, path, report);
        path.pop();
    }
    for each in schema.items.as_deref().into_iter().chain(schema.values()) {
        path.push("[*]".to_owned());
        nodes(each, path, report);
        path.pop();
    }
}
