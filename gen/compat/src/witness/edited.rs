//! A value that satisfies the rules of a node: a combination of what they read, or else edits of the fields that they read. Values that break
//! fewer rules are edited first.
//!
//! Invariants: every value has the structure of the node. Of values that break the same rules, the first is edited. The number of edited
//! values, and of edits of each, is limited.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crd_boundary::size;
use crd_inclusion::Acceptor;
use crd_model::Schema;
use crd_model::identity::Identity;
use serde_json::{Map, Value, json};

use super::assigned::{self, of_field};
use super::constants::Constants;
use super::smallest::smallest;
use super::trial::{Trial, work_of};
use super::{NODES, Node, RULE, rules_in, take};

/// How many values are edited.
const MOST_EDITED: usize = 12;
/// How many edits a value gets.
const MOST_EDITS: usize = 96;
/// How many values of a field are tried.
const MOST_OF_FIELD: usize = 8;
/// How deep below the node fields are edited.
const DEEPEST: usize = 4;

/// The search for values of the nodes of one schema.
pub(super) struct Edits<'t> {
    trial: &'t Trial<'t>,
    /// What was found for a field.
    satisfying: RefCell<HashMap<Node<'t>, Option<Value>>>,
    /// The constants of the rules of a node and of so many around it.
    constants: RefCell<HashMap<(Node<'t>, usize), Rc<Constants>>>,
}

impl<'t> Edits<'t> {
    pub(super) fn of(trial: &'t Trial<'t>) -> Self {
        Self { trial, satisfying: RefCell::default(), constants: RefCell::default() }
    }

    /// The first value of a node that satisfies its rules, unless the smallest ones do.
    pub(super) fn satisfying(&self, node: &'t Schema) -> Option<Value> {
        take(self.trial.work, RULE * rules_in(node) + node.all_nodes().count() / NODES);
        if self.trial.is_exhausted() {
            return None;
        }
        let acceptor = Acceptor::new(node)?;
        let accepts = |value: &Value| {
            take(self.trial.work, 2 * work_of(node, value));
            !self.trial.is_exhausted() && acceptor.accepts(value.clone())
        };
        if smallest(node).iter().any(accepts) {
            return None;
        }
        let rules = node.validations.iter().map(|rule| &*rule.rule).collect::<Vec<_>>();
        let assigned = assigned::values(node, &Constants::in_texts(&rules), false).into_iter().find(accepts);
        assigned.or_else(|| self.edited(node, &acceptor))
    }

    /// The same for a field, once; none if nothing in it has rules.
    fn of_field(&self, node: &'t Schema) -> Option<Value> {
        if let Some(known) = self.satisfying.borrow().get(&Identity(node)) {
            return known.clone();
        }
        let has_rules = node.all_nodes().any(|node| !node.validations.is_empty());
        let found = has_rules.then(|| self.satisfying(node)).flatten();
        self.satisfying.borrow_mut().insert(Identity(node), found.clone());
        found
    }

    /// The value of a node after edits, if no rule refuses it.
    fn edited(&self, node: &'t Schema, acceptor: &Acceptor) -> Option<Value> {
        let broken = |value: &Value| {
            take(self.trial.work, 2 * work_of(node, value));
            acceptor.broken_rules(value.clone())
        };
        // Values that break the same rules are alike.
        let (mut seen, mut known) = (HashSet::new(), HashSet::new());
        let mut open: Vec<(usize, Value)> = Vec::new();
        for start in smallest(node) {
            let left = broken(&start);
            if known.insert(left.clone()) {
                open.push((left.len(), start));
            }
        }
        for _ in 0..MOST_EDITED {
            let (next, _) = open.iter().enumerate().min_by_key(|(_, (left, _))| *left)?;
            let (_, value) = open.remove(next);
            let mut edits = Vec::new();
            self.edit(node, &value, &[], 0, &mut |edited| {
                take(self.trial.work, size(&edited));
                if edits.len() < MOST_EDITS {
                    edits.push(edited);
                }
            });
            for edited in edits {
                if self.trial.is_exhausted() {
                    return None;
                }
                if !seen.insert(edited.to_string()) || !self.trial.fits(node, &edited) {
                    continue;
                }
                let left = broken(&edited);
                if left.is_empty() && acceptor.accepts(edited.clone()) {
                    return Some(edited);
                }
                if known.insert(left.clone()) {
                    open.push((left.len(), edited));
                }
            }
        }
        None
    }

    /// Offers the value with each edit of one field that a rule reads. `above` are the rules around the node.
    fn edit(&self, node: &'t Schema, value: &Value, above: &[&'t str], depth: usize, offer: &mut dyn FnMut(Value)) {
        if depth > DEEPEST {
            return;
        }
        take(self.trial.work, 1 + above.len() + node.properties.len() / NODES);
        let own = node.validations.iter().map(|rule| &*rule.rule);
        let rules = above.iter().copied().chain(own).collect::<Vec<_>>();
        match value {
            Value::Object(now) => {
                let key = (Identity(node), above.len());
                let new = || Rc::new(Constants::in_texts(&rules));
                let constants = Rc::clone(self.constants.borrow_mut().entry(key).or_insert_with(new));
                for (name, child) in node.properties.iter().filter(|(name, _)| constants.reads(name)) {
                    let is_required = node.required.iter().any(|required| required == name);
                    if now.contains_key(&**name) && !is_required {
                        let mut without = now.clone();
                        without.remove(&**name);
                        offer(Value::Object(without));
                    }
                    let values = of_field(child, name, &constants).into_iter().take(MOST_OF_FIELD);
                    for value in self.of_field(child).into_iter().chain(values) {
                        offer(with(now, name, value));
                    }
                }
                for (name, value) in now {
                    let Some(child) = node.entry(name) else { continue };
                    self.edit(child, value, &rules, depth + 1, &mut |value| offer(with(now, name, value)));
                }
            }
            Value::Array(items) => {
                let Some((below, first)) = node.items.as_deref().zip(items.first()) else { return };
                // Rules of a list are about all of its items, or about different ones.
                self.edit(below, first, &rules, depth + 1, &mut |edited| {
                    offer(items.iter().map(|item| if item == first { &edited } else { item }).cloned().collect());
                });
                for name in below.properties.keys().filter(|_| items.len() > 1) {
                    offer(items.iter().enumerate().map(|(index, item)| numbered(item, name, index)).collect());
                }
            }
            _ => {}
        }
    }
}

/// The item with a text of its own, if the field is a text.
fn numbered(item: &Value, name: &str, index: usize) -> Value {
    match item.as_object() {
        Some(item) if item.get(name).is_some_and(Value::is_string) => with(item, name, json!(format!("a{index}"))),
        _ => item.clone(),
    }
}

fn with(object: &Map<String, Value>, name: &str, value: Value) -> Value {
    let mut edited = object.clone();
    edited.insert(name.to_owned(), value);
    Value::Object(edited)
}
