//! The parts of a CRD that have most of its bytes.
//!
//! Invariants: a node with most of its bytes in one node below it is not listed, because that one is.

use std::cmp::Reverse;

use crate::document::json_bytes;
use crate::schema::{SchemaPath, Step, below};
use crate::{CustomResourceDefinition, Schema};

/// A node with all nodes below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subtree {
    /// The API version.
    pub version: String,
    /// Its path.
    pub path: SchemaPath,
    /// The bytes of its schema as compact JSON.
    pub bytes: usize,
}

/// The heaviest subtrees of a CRD, at most so many, the heaviest first.
pub fn heaviest(crd: &CustomResourceDefinition, number: usize) -> Vec<Subtree> {
    let mut found = Vec::new();
    for version in &crd.versions {
        weigh(&version.schema, &mut Vec::new(), &mut |steps, bytes| {
            found.push(Subtree { version: version.name.to_string(), path: steps.into(), bytes });
        });
    }
    found.sort_by_key(|subtree| Reverse(subtree.bytes));
    found.truncate(number);
    found
}

/// The bytes of a node with those below it.
fn weigh<'s>(node: &'s Schema, steps: &mut Vec<Step<&'s str>>, list: &mut dyn FnMut(&[Step<&'s str>], usize)) -> usize {
    let bytes = json_bytes(|sink| node.send(sink));
    let mut most = 0;
    for (step, node) in below(node) {
        steps.push(step);
        most = most.max(weigh(node, steps, list));
        steps.pop();
    }
    if most <= bytes / 2 {
        list(steps, bytes);
    }
    bytes
}
