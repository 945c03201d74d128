//! Every field of a schema as a line: its path, a tab, and its type.
//!
//! Invariants: lines are sorted as fields are nested. `[*]` is any item and `.*` any value of a map. A name that is not a plain word is quoted, so
//! that a line is a field for any input.

use std::fmt::Write as _;

use crd_model::{Schema, path};

/// The lines of all fields.
pub(super) fn lines(root: &Schema) -> String {
    let mut lines = String::new();
    fields(root, "", &mut lines);
    lines
}

fn fields(schema: &Schema, path: &str, lines: &mut String) {
    for (name, field) in &schema.properties {
        let path = path::field(path, name);
        // Writing to a string does not fail.
        let _ = writeln!(lines, "{path}\t{}", type_of(field));
        below(field, &path, lines);
    }
}

fn below(schema: &Schema, path: &str, lines: &mut String) {
    fields(schema, path, lines);
    if let Some(items) = &schema.items {
        below(items, &format!("{path}[*]"), lines);
    }
    if let Some(values) = schema.values() {
        below(values, &format!("{path}.*"), lines);
    }
}

fn type_of(schema: &Schema) -> String {
    match (schema.kind.as_deref(), &schema.items, schema.values()) {
        _ if schema.int_or_string => "int-or-string".to_owned(),
        (Some("array"), Some(items), _) => format!("[]{}", type_of(items)),
        (Some("object"), _, Some(values)) => format!("map[string]{}", type_of(values)),
        (Some(kind @ ("array" | "boolean" | "integer" | "number" | "object" | "string")), ..) => kind.to_owned(),
        _ => "any".to_owned(),
    }
}
