//! Findings about objects without what their authors chose: names, values, and keys of maps.
//!
//! Invariant: what stays is in the CRD, or is the kind of an error of servers.

use crd_diagnostics::ObjectName;
use crd_model::Schema;
use crd_model::path::{Part, parts, text};

/// Whether findings have what the authors of objects chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redaction {
    /// They have names and values.
    #[default]
    None,
    /// An object is called by its number.
    Names,
}

/// The name of an object by its number.
pub(crate) fn numbered(kind: &str, number: u64) -> ObjectName {
    ObjectName { kind: kind.to_owned(), namespace: None, name: format!("#{number}") }
}

/// A path with `*` for every name that the schema does not have.
pub(crate) fn declared(path: &str, schema: &Schema) -> String {
    let mut node = Some(schema);
    let mut hidden = |part| {
        let (is_known, below) = match &part {
            Part::Name(name) => {
                let property = node.and_then(|node| node.properties.get(name));
                (property.is_some() || matches!(&**name, "metadata" | "spec" | "status"), property)
            }
            Part::Sign(sign) => {
                let inside = sign.trim_matches(['[', ']', '{', '}']);
                (inside == "*" || inside.parse::<usize>().is_ok(), node.and_then(|node| node.items.as_deref()))
            }
        };
        node = below.or_else(|| node.and_then(Schema::values));
        if is_known { part } else { Part::Sign("[*]".into()) }
    };
    text(parts(path).map_while(Result::ok).map(|(_, part)| hidden(part)).collect::<Vec<_>>())
}
