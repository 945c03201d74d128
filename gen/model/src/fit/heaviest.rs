//! The parts of CRDs that have most of their bytes.
//!
//! Invariants: a node with most of its bytes in one node below it is not listed, because that one is.

use std::cmp::Reverse;

use serde::Serialize;

use crate::document::json_bytes;
use crate::schema::{SchemaPath, Step, below};
use crate::{CustomResourceDefinition, Schema};

/// A node of a CRD with all nodes below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subtree {
    /// The name of the CRD.
    pub crd: String,
    /// The API version.
    pub version: String,
    /// The path; `(root)` for the whole schema.
    pub path: String,
    /// The bytes of its schema as compact JSON.
    pub bytes: usize,
    /// The share of the bytes of all CRDs that are weighed, rounded down.
    pub percent: usize,
}

/// The heaviest subtrees of CRDs together, at most so many, the heaviest first.
pub fn heaviest(crds: &[CustomResourceDefinition], number: usize) -> Vec<Subtree> {
    let all = crds.iter().map(|crd| json_bytes(|sink| crd.send(sink))).sum::<usize>().max(1);
    let mut found = Vec::new();
    for (crd, version) in crds.iter().flat_map(|crd| crd.versions.iter().map(move |version| (crd, version))) {
        weigh(&version.schema, &mut Vec::new(), &mut |steps, bytes| {
            let (crd, version) = (crd.name.to_string(), version.name.to_string());
            let (path, percent) = (SchemaPath::from(steps).to_string(), bytes * 100 / all);
            found.push(Subtree { crd, version, path, bytes, percent });
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
