//! `enumeration`: an `enum` has values, all of them of the node's type, each once.
//!
//! Ours. The server takes an empty `enum` for none, and accepts values twice and values that no object can ever have. Null is left
//! alone: it does no harm, although the server never finds it in an `enum` either.

use std::collections::HashSet;

use super::{Node, NodeReport};
use crate::validate::{ViolationKind, short, validate};
use crd_model::schema::Schema;

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let Some(values) = &node.schema.enumeration else { return };
    if values.is_empty() {
        report.here("`enum` is empty; the server would ignore it. Name the values or leave it out");
    }
    let mut seen = HashSet::new();
    for value in values {
        if !seen.insert(value) {
            report.here(format!("`enum` has {} twice", short(value)));
        }
    }
    let only_type =
        Schema { kind: node.schema.kind.clone(), int_or_string: node.schema.int_or_string, ..Schema::default() };
    for value in values.iter().filter(|value| !value.is_null()) {
        if validate(&only_type, value).iter().any(|violation| violation.kind == ViolationKind::WrongType) {
            report.here(format!("`enum` has {}, which is not of the type of this node", short(value)));
        }
    }
}
