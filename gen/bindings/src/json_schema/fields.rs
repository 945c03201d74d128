//! Every field of a schema as a line: its path, a tab, and its type.
//!
//! Invariants: lines are sorted as fields are nested. `[*]` is any item and `.*` any value of a map. A name that is not a plain word is quoted, so
//! that a line is a field for any input.

use std::fmt::Write as _;

use std::borrow::Cow;

use crd_model::Schema;
use crd_model::path::{self, Part};
use crd_model::schema::{Step, walk};

/// The lines of all fields.
pub(super) fn lines(root: &Schema) -> String {
    let mut lines = String::new();
    walk(root, &mut |steps, node| {
        if let Some(Step::Field(_)) = steps.last() {
            // Writing to a string does not fail.
            let _ = writeln!(lines, "{}\t{}", text(steps), type_of(node));
        }
    });
    lines
}

fn text(steps: &[Step<&str>]) -> String {
    path::text(steps.iter().map(|step| match step {
        Step::Value => Part::Sign(Cow::Borrowed(".*")),
        step => step.into(),
    }))
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
