//! The part of two schemas that matters for a change: the fields that an object with a value at its path must or may have.
//!
//! A schema with thousands of fields has a small part for each of them, so that a search does not depend on their number.
//!
//! Invariants: an object with only these fields is valid for a part exactly if it is valid for the whole. Every field is kept that one of the
//! schemas requires or fills in. Below the first node on the path whose rules, branches or counts can see each field, everything is kept.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use crd_apiserver::objects::Resource;
use crd_model::Schema;
use crd_model::identity::Identity;
use crd_model::schema::AdditionalProperties;
use crd_model::schema::{SchemaPath, Step};
use serde_json::{Map, Value};

use super::Node;

/// The parts of two schemas for a path.
pub(super) struct Relevant {
    pub(super) old: Schema,
    pub(super) new: Schema,
    /// How many nodes both have together.
    pub(super) size: usize,
    /// Whether the old one has rules.
    pub(super) has_rules: bool,
    /// Both with their rules, once they are needed; none if a rule does not compile.
    pub(super) resources: [OnceCell<Option<Rc<Resource>>>; 2],
}

/// Nodes with only the fields that every object has or a server fills in, by the node and its other side.
#[derive(Default)]
pub(super) struct Stubs<'a>(HashMap<(Node<'a>, Option<Node<'a>>), Rc<Schema>>);

impl<'a> Stubs<'a> {
    /// The parts for a path.
    pub(super) fn relevant(&mut self, old: &'a Schema, new: &'a Schema, path: &SchemaPath) -> Relevant {
        let [old, new] = [(old, new), (new, old)].map(|(one, other)| self.part(one, Some(other), path.steps(), true));
        let size = old.all_nodes().count() + new.all_nodes().count();
        let has_rules = old.all_nodes().any(|node| !node.validations.is_empty());
        Relevant { old, new, size, has_rules, resources: [OnceCell::new(), OnceCell::new()] }
    }

    fn part(&mut self, node: &'a Schema, other: Option<&'a Schema>, path: &[Step], is_root: bool) -> Schema {
        let Some((step, rest)) = path.split_first().filter(|_| !is_whole(node, other)) else { return node.clone() };
        let mut part = (*self.stub(node, other, is_root)).clone();
        let Some(below) = step.below(node) else { return part };
        let below = self.part(below, other.and_then(|other| step.below(other)), rest, false);
        match step {
            Step::Field(name) => drop(part.properties.insert(name.clone().into(), below)),
            Step::Item => part.items = Some(Box::new(below)),
            Step::Value => part.additional_properties = Some(AdditionalProperties::Values(Box::new(below))),
        }
        part
    }

    fn stub(&mut self, node: &'a Schema, other: Option<&'a Schema>, is_root: bool) -> Rc<Schema> {
        let key = (Identity(node), other.map(Identity));
        if let Some(known) = self.0.get(&key) {
            return Rc::clone(known);
        }
        let mut stub = node.clone();
        if !is_whole(node, other) {
            stub.properties.clear();
            for (name, below) in &node.properties {
                let counterpart = other.and_then(|other| other.properties.get(name));
                let is_kept = is_root && ["apiVersion", "kind", "metadata"].contains(&&**name)
                    || [Some(node), other].into_iter().flatten().any(|side| side.required.binary_search(name).is_ok())
                    || [Some(below), counterpart].into_iter().flatten().any(|side| side.default.is_some());
                if is_root && **name == *"metadata" {
                    stub.properties.insert(name.clone(), below.clone());
                } else if is_kept {
                    stub.properties.insert(name.clone(), (*self.stub(below, counterpart, false)).clone());
                }
            }
        }
        let stub = Rc::new(stub);
        self.0.insert(key, Rc::clone(&stub));
        stub
    }
}

/// The path to the first node of which everything is kept: paths with the same one have the same parts.
pub(super) fn whole(old: &Schema, new: &Schema, path: &SchemaPath) -> SchemaPath {
    let mut whole = SchemaPath::root();
    for step in path.steps() {
        if whole.node(old).is_none_or(|node| is_whole(node, whole.node(new))) {
            break;
        }
        whole = whole.with(step.clone());
    }
    whole
}

/// Whether everything of a node is kept: a rule, a branch or a count may see or demand each field, and a default may have it.
fn is_whole(node: &Schema, other: Option<&Schema>) -> bool {
    [Some(node), other].into_iter().flatten().any(|side| {
        let is_plain = side.validations.is_empty()
            && side.branches().next().is_none()
            && side.default.as_ref().and_then(Value::as_object).is_none_or(Map::is_empty);
        !is_plain || side.min_properties.is_some_and(|least| least > 0) || side.embedded_resource
    })
}
