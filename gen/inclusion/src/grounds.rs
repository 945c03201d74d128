//! The grounds of a proof: the keywords and rules of the old schema without which it fails.
//!
//! Invariants: with all grounds the change is proven to refuse no object, and without any one of them it is not. Whatever engine proved it is
//! asked again, with a schema that lacks one keyword. Only nodes on the way to the change are asked, their items, and fields that their
//! rules, their branches, their keys or the change name.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crd_model::Schema;
use crd_model::path;
use crd_model::schema::below;

use crate::difference::Difference;
use crate::edit::{Edit, Presence};
use crate::position::{Position, Shared, Step};
use crate::walk::differences;

/// How many keywords are asked, and how deep below a node on the way.
const MOST: usize = 96;
const DEEPEST: usize = 3;

/// How the type of a list is called among differences.
const LIST_TYPE: &str = "the list type";

/// A keyword or a rule that a proof needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ground {
    /// The path of its node, such as `spec.tls`; empty for the whole object.
    pub path: String,
    /// The keyword, such as `` `enum` ``, or the text of a CEL rule.
    pub keyword: String,
}

impl fmt::Display for Ground {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" => write!(formatter, "{} of the object", self.keyword),
            path => write!(formatter, "{} of {path}", self.keyword),
        }
    }
}

/// What a ground removes from its node.
enum Part {
    Keyword(&'static str),
    Required(String),
    Rule(String),
}

impl Difference<'_> {
    /// What the proof that this refuses no accepted object needs of the old schema; nothing if there is no such proof.
    pub fn grounds(&self, position: &Position<'_>) -> Vec<Ground> {
        let Some(root) = position.old_nodes.first() else { return Vec::new() };
        let mut left = (*root).clone();
        if !self.is_proven_from(&left, position) {
            return Vec::new();
        }
        let mut grounds = Vec::new();
        for (steps, part) in parts(self, position) {
            let mut without = left.clone();
            let Some(node) = steps.iter().try_fold(&mut without, |node, step| step.below_mut(node)) else { continue };
            if !part.remove(node) {
                continue;
            }
            match self.is_proven_from(&without, position) {
                true => left = without,
                false => grounds.push(Ground { path: path::text(&steps), keyword: part.words() }),
            }
        }
        grounds
    }

    /// Whether the change is proven to refuse no object of this schema.
    fn is_proven_from(&self, root: &Schema, position: &Position<'_>) -> bool {
        let mut old_nodes = vec![root];
        for step in &position.steps {
            let last = old_nodes[old_nodes.len() - 1];
            let Some(below) = step.below(last) else { return false };
            old_nodes.push(below);
        }
        let shared = Shared {
            elsewhere: position.shared.elsewhere.clone(),
            prover: position.shared.prover.clone(),
            ..Shared::default()
        };
        let steps = position.steps.clone();
        let new_nodes = position.new_nodes.clone();
        let position = Position { shared: Arc::new(shared), ..Position::new(steps, old_nodes, new_nodes) };
        self.refuses_nothing(&position)
    }
}

/// The parts of the old schema that may be grounds, those of the farthest nodes first.
fn parts<'a>(difference: &Difference<'a>, position: &Position<'a>) -> Vec<(Vec<Step<'a>>, Part)> {
    let mut texts = position.old_nodes.iter().flat_map(|node| stated(node)).collect::<Vec<_>>();
    texts.extend(difference.name().map(str::to_owned));
    if let Difference::Rule(Edit::Added(rule) | Edit::Replaced { new: rule, .. }) = difference {
        texts.push(rule.rule.to_string());
    }
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let words = texts.iter().flat_map(|text| text.split(|character| !is_word(character))).collect::<BTreeSet<_>>();
    let mut found = Vec::new();
    for (depth, node) in position.old_nodes.iter().enumerate().rev() {
        let steps = position.steps[..depth].to_vec();
        collect(node, &steps, &words, depth + DEEPEST, &position.steps, &mut found);
    }
    found.truncate(MOST);
    found.reverse();
    found
}

/// The rules, branches and keys of a node as text.
fn stated(node: &Schema) -> Vec<String> {
    let Schema { all_of, any_of, one_of, not, .. } = node;
    let branches = all_of.iter().chain(any_of).chain(one_of).chain(not.as_deref());
    let branches = branches.map(|branch| branch.to_value().to_string());
    let keys = node.list_map_keys.iter().map(ToString::to_string);
    node.validations.iter().map(|rule| rule.rule.to_string()).chain(branches).chain(keys).collect()
}

/// The parts of a node, and of the fields below it that are named and are not on the way.
fn collect<'a>(
    node: &'a Schema,
    steps: &[Step<'a>],
    words: &BTreeSet<&str>,
    deepest: usize,
    way: &[Step<'a>],
    found: &mut Vec<(Vec<Step<'a>>, Part)>,
) {
    if steps.len() < deepest {
        for (step, node) in below(node) {
            let below = [steps, &[step]].concat();
            if step.name().is_none_or(|name| words.contains(name)) && !way.starts_with(&below) {
                collect(node, &below, words, deepest, way, found);
            }
        }
    }
    let empty = bare(node);
    for located in
        differences(&empty, node, &|_, _| None).into_iter().filter(|located| located.position.steps.is_empty())
    {
        let part = match located.difference {
            Difference::Required(Presence::Added(name)) => Part::Required(name.to_owned()),
            Difference::Rule(Edit::Added(rule)) => Part::Rule(rule.rule.to_string()),
            difference => Part::Keyword(difference.description()),
        };
        found.push((steps.to_vec(), part));
    }
}

/// A node of this type without keywords.
fn bare(node: &Schema) -> Schema {
    Schema { kind: node.kind.clone(), int_or_string: node.int_or_string, ..Schema::default() }
}

impl Part {
    /// Removes it from a node; false if the node has nothing to remove.
    fn remove(&self, node: &mut Schema) -> bool {
        let before = node.clone();
        match self {
            Self::Required(name) => node.required.retain(|required| **required != **name),
            Self::Rule(rule) => node.validations.retain(|known| *known.rule != **rule),
            Self::Keyword(keyword) => {
                let empty = bare(node);
                let all = differences(&empty, &before, &|_, _| None);
                let own = all.iter().filter(|located| located.position.steps.is_empty());
                own.filter(|located| located.difference.description() == *keyword).for_each(|located| {
                    located.difference.copy_keyword(&empty, node);
                });
                if *keyword == LIST_TYPE {
                    (node.list_type, node.list_map_keys) = (None, Vec::new());
                }
            }
        }
        *node != before
    }

    fn words(&self) -> String {
        match self {
            Self::Required(name) => format!("`required: {name}`"),
            Self::Rule(rule) => format!("the rule \"{rule}\""),
            Self::Keyword(keyword) => (*keyword).to_owned(),
        }
    }
}
