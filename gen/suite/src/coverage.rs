//! Coverage: which cases fire an element, and which satisfy it.
//!
//! Invariants: a case counts only if the answer is the expected one. A case fires a constraint or rule if the object is refused for it;
//! a warning about a stored value is not a refusal. An accepted case satisfies it with a value that the request checks: in an update of the
//! status that is the status, in other requests everything else. A rule about `oldSelf` needs a stored value. An element without effect is
//! never covered.

pub mod covered;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crd_apiserver::apply_defaults;
use crd_apiserver::objects::{Answer, Broken, Combinator, FieldError, Request, Resource, Step, Warning};
use crd_apiserver::validate::{Patterns, Subject, Validator, ViolationKind};
use crd_boundary::Keyword;
use crd_model::CustomResourceDefinition;
use crd_model::identity::Identity;
use crd_model::schema::Schema;
use serde_json::Value;

use crate::case::Case;
use crate::element::{Element, OPEN, Requirement, branches};
use crate::equality::is_equal;
use crate::kinds::Kinds;
use crate::run::failure;

/// What cases show of elements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// For each element, in the same order.
    pub hits: Vec<Hits>,
}

/// What cases show of one element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The cases that are refused for it, by their indices.
    pub fired: Vec<usize>,
    /// The accepted cases that have a value for it, by their indices.
    pub satisfied: Vec<usize>,
    /// Whether it is proven that objects are accepted alike without it: see [`Coverage::prove`].
    pub is_without_effect: bool,
}

/// Whether an element is covered, and what is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Nothing is missing.
    Covered,
    /// A refused case whose reason it is.
    NeverRefused,
    /// An accepted case with a value for it.
    NeverAccepted,
    /// Both.
    Untested,
    /// It cannot be covered: objects are accepted alike without it.
    WithoutEffect,
}

impl Coverage {
    /// The state of an element.
    #[must_use]
    pub fn state(&self, elements: &[Element], index: usize) -> State {
        let Hits { fired, satisfied, is_without_effect, .. } = &self.hits[index];
        let is_fired = !fired.is_empty() || !elements[index].requirement.refuses();
        match (is_fired, !satisfied.is_empty()) {
            _ if *is_without_effect => State::WithoutEffect,
            (true, true) => State::Covered,
            (false, true) => State::NeverRefused,
            (true, false) => State::NeverAccepted,
            (false, false) => State::Untested,
        }
    }

    /// Finds the elements without effect. Of several of which each follows from the rest, one keeps its effect.
    pub fn prove(&mut self, elements: &[Element], crds: &[Arc<CustomResourceDefinition>]) {
        let mut roots = Vec::new();
        for crd in crds {
            let mut versions: Vec<Schema> = crd.versions.iter().map(|version| version.schema.clone()).collect();
            versions.iter_mut().for_each(|root| root.each_mut(&mut |node| node.description = None));
            roots.push(versions);
        }
        // Constraints are checked before rules, so that a rule is what is not needed.
        let mut order: Vec<usize> = (0..elements.len()).collect();
        order.sort_by_key(|index| !matches!(elements[*index].requirement, Requirement::Rule(_)));
        for index in order {
            self.hits[index].is_without_effect = is_removed(&elements[index], &mut roots);
        }
    }
}

/// Removes an element at all of its places, if objects are accepted alike without it.
fn is_removed(element: &Element, roots: &mut [Vec<Schema>]) -> bool {
    let mut before = Vec::new();
    for place in &element.places {
        let root = &mut roots[place.crd][place.version];
        let mut other = root.clone();
        let node = place.path.node_mut(&mut other).and_then(|node| place.inner_mut(node));
        if node.is_some_and(|node| element.requirement.remove(node)) && is_equal(root, &other, &place.path) {
            before.push((place, std::mem::replace(root, other)));
            continue;
        }
        for (place, root) in before.into_iter().rev() {
            roots[place.crd][place.version] = root;
        }
        return false;
    }
    true
}

impl Requirement {
    /// Whether objects are refused for it.
    #[must_use]
    pub fn refuses(&self) -> bool {
        matches!(self, Self::Constraint(_) | Self::Rule(_))
    }

    /// Removes it from its node. False if its removal is seen in stored objects.
    fn remove(&self, node: &mut Schema) -> bool {
        match self {
            Self::Constraint(keyword) => keyword.remove(node),
            Self::Rule(rule) => node.validations.retain(|other| other != rule),
            Self::Value(value) => node.enumeration.iter_mut().for_each(|values| values.retain(|other| other != value)),
            Self::Default(_) | Self::Member(_) => return false,
        }
        true
    }

    /// Whether an error of a node is about it.
    fn is_broken(&self, broken: &Broken, node: &Schema) -> bool {
        match (self, broken) {
            (Self::Constraint(Keyword::Required(name)), Broken::Required(absent)) => name == absent,
            (Self::Constraint(keyword), Broken::Keyword(broken)) => keyword.of_schema() == *broken,
            (Self::Rule(rule), Broken::Rule(index)) => node.validations.get(*index) == Some(rule),
            _ => false,
        }
    }

    /// Whether an accepted value of the node shows that the requirement can be met.
    fn is_met(&self, value: &Value, has_old: bool) -> bool {
        match self {
            Self::Constraint(keyword) => is_checked(keyword, value),
            Self::Rule(rule) => {
                has_old || rule.optional_old_self == Some(true) || !crd_cel::mentions_old_self(&rule.rule)
            }
            Self::Value(listed) => value == listed,
            Self::Member(name) => value.get(&**name).is_some_and(|member| !member.is_null()),
            Self::Default(_) => false,
        }
    }
}

/// Whether servers check a keyword for values of this type.
fn is_checked(keyword: &Keyword, value: &Value) -> bool {
    match keyword {
        Keyword::Pattern | Keyword::MinLength | Keyword::MaxLength => value.is_string(),
        Keyword::Minimum | Keyword::Maximum | Keyword::MultipleOf => value.is_number(),
        _ => true,
    }
}

/// What these cases show of the elements of CRDs. The cases are those that apply to the channel and minor of the kinds.
#[must_use]
pub fn coverage(
    elements: &[Element],
    crds: &[Arc<CustomResourceDefinition>],
    cases: &[Case],
    kinds: &Kinds,
) -> Coverage {
    let mut by_node: HashMap<Identity<'_, Schema>, Vec<usize>> = HashMap::new();
    for (index, element) in elements.iter().enumerate() {
        for place in &element.places {
            if let Some(node) = place.node(crds) {
                by_node.entry(Identity(node)).or_default().push(index);
            }
        }
    }
    let hits = vec![Hits::default(); elements.len()];
    let patterns = Patterns::default();
    let mut run = Run { elements, by_node: &by_node, patterns: &patterns, hits, case: 0, violated: BTreeSet::new() };
    for (index, case) in cases.iter().enumerate() {
        let identity = |name: &str| case.object.get(name).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind) = (identity("apiVersion"), identity("kind"));
        let of_kind = |crd: &&Arc<CustomResourceDefinition>| *crd.names.kind == *kind;
        let versions = crds.iter().filter(of_kind).flat_map(|crd| crd.versions.iter().map(move |of| (crd, of)));
        let mut served = versions.filter(|(_, version)| version.served);
        let found = served.find(|(crd, version)| format!("{}/{}", crd.group, version.name) == api_version);
        let (Some((_, version)), Some(resource)) = (found, kinds.resource(api_version, kind)) else { continue };
        let Some(answer) = kinds.answer(case) else { continue };
        run.case = index;
        match failure(case, &answer) {
            Some(_) => {}
            None if answer.stored.is_none() => run.refused(&version.schema, &answer.errors),
            None => run.accepted(&version.schema, case, &answer, resource),
        }
    }
    Coverage { hits: run.hits }
}

struct Run<'r> {
    elements: &'r [Element],
    by_node: &'r HashMap<Identity<'r, Schema>, Vec<usize>>,
    patterns: &'r Patterns,
    hits: Vec<Hits>,
    case: usize,
    /// The elements that the accepted object does not satisfy, because it is stored like this.
    violated: BTreeSet<usize>,
}

/// A value of an accepted object.
#[derive(Clone, Copy)]
struct Part<'p> {
    value: &'p Value,
    /// The value in the request, or in the default that was filled in; none if it is filled in here.
    given: Option<&'p Value>,
    /// The stored value of an update.
    old: Option<&'p Value>,
    /// Whether the request checks it.
    is_checked: bool,
}

impl Run<'_> {
    /// The elements of a node.
    fn of<'n>(&'n self, node: &'n Schema) -> &'n [usize] {
        self.by_node.get(&Identity(node)).map_or(&[], Vec::as_slice)
    }

    /// The elements that an error is about.
    fn broken(&self, root: &Schema, error: &FieldError) -> Vec<usize> {
        let mut found = Vec::new();
        for origin in &error.origins {
            let Some(node) = node_of(root, &origin.steps, &origin.branches) else { continue };
            let is_broken = |index: &&usize| self.elements[**index].requirement.is_broken(&origin.broken, node);
            found.extend(self.of(node).iter().filter(is_broken));
        }
        found
    }

    fn refused(&mut self, root: &Schema, errors: &[FieldError]) {
        for error in errors {
            for index in self.broken(root, error) {
                push(&mut self.hits[index].fired, self.case);
            }
        }
    }

    fn accepted(&mut self, root: &Schema, case: &Case, answer: &Answer, resource: &Resource) {
        let Some(stored) = &answer.stored else { return };
        let mut old = case.old.clone();
        if let Some(old) = &mut old {
            apply_defaults(root, old);
        }
        self.violated = match case.old {
            Some(_) => self.violations(root, stored, answer, case.is_status, resource),
            None => BTreeSet::new(),
        };
        // What the server takes of the request.
        let mut given = if case.is_status { case.old.clone().unwrap_or_default() } else { case.object.clone() };
        if resource.has_status() {
            let status = if case.is_status { &case.object } else { case.old.as_ref().unwrap_or(&Value::Null) };
            given["status"] = status.get("status").cloned().unwrap_or_default();
        }
        let whole = Part { value: stored, given: Some(&given), old: old.as_ref(), is_checked: true };
        self.own(root, whole);
        for (name, below) in &root.properties {
            let is_status = resource.has_status() && name == "status";
            if let Some(part) = whole.member(below, name) {
                self.node(below, Part { is_checked: is_status == case.is_status, ..part });
            }
        }
    }

    /// What a stored object does not satisfy, because an update left it as it was.
    fn violations(
        &self,
        root: &Schema,
        stored: &Value,
        answer: &Answer,
        is_status: bool,
        resource: &Resource,
    ) -> BTreeSet<usize> {
        let mut without = stored.clone();
        let request = match &mut without {
            Value::Object(object) if is_status => {
                object.remove("status");
                Request::update_status(&without, stored.clone())
            }
            _ => Request::create(stored.clone()),
        };
        let again = resource.answer(request);
        let ratcheted = answer.warnings.iter().filter_map(|warning| match warning {
            Warning::Rule(error) => Some(error),
            _ => None,
        });
        again.errors.iter().chain(ratcheted).flat_map(|error| self.broken(root, error)).collect()
    }

    /// A value and everything in it.
    fn node(&mut self, node: &Schema, part: Part<'_>) {
        self.own(node, part);
        // A default that was filled in is what is given below.
        let default = node.default.as_ref().filter(|_| part.given.is_none());
        let part = Part { given: part.given.or(default), ..part };
        match part.value {
            Value::Object(object) => {
                for name in object.keys() {
                    let below = node.entry(name);
                    if let Some((below, part)) = below.and_then(|below| Some((below, part.member(below, name)?))) {
                        self.node(below, part);
                    }
                }
            }
            Value::Array(items) => {
                let Some(below) = node.items.as_deref() else { return };
                for index in 0..items.len() {
                    self.node(below, part.item(node, below, index));
                }
            }
            _ => {}
        }
    }

    /// The elements of one node and of its branches.
    fn own(&mut self, node: &Schema, part: Part<'_>) {
        for position in 0..self.of(node).len() {
            let index = self.of(node)[position];
            let requirement = &self.elements[index].requirement;
            let is_met = match requirement {
                Requirement::Default(_) => part.given.is_none(),
                other => part.is_checked && !part.value.is_null() && other.is_met(part.value, part.old.is_some()),
            };
            if is_met && !self.violated.contains(&index) {
                push(&mut self.hits[index].satisfied, self.case);
            }
        }
        for combinator in OPEN {
            for branch in branches(node, combinator) {
                if combinator == Combinator::AllOf || self.holds(branch, part.value) {
                    self.node(branch, part);
                }
            }
        }
    }

    fn holds(&self, branch: &Schema, value: &Value) -> bool {
        let matches = |pattern: &str, text: &str| self.patterns.matches(pattern, text);
        let violations = Validator { matches: &matches, subject: Subject::Part }.validate(branch, value);
        violations.iter().all(|violation| violation.kind == ViolationKind::UnknownField)
    }
}

impl<'p> Part<'p> {
    /// The value below a node, which has this schema.
    fn member(self, below: &Schema, name: &str) -> Option<Self> {
        // A default takes the place of a null.
        let is_given = |value: &&Value| !value.is_null() || below.nullable;
        let given = self.given.and_then(|given| given.get(name)).filter(is_given);
        Some(Self { value: self.value.get(name)?, given, old: self.old.and_then(|old| old.get(name)), ..self })
    }

    /// An item of a list, whose stored item has the same keys.
    fn item(self, list: &Schema, below: &Schema, index: usize) -> Self {
        let value = &self.value[index];
        let is_keyed = list.list_type.as_deref() == Some("map");
        let has_keys = |old: &&Value| list.list_map_keys.iter().all(|key| old.get(&**key) == value.get(&**key));
        let stored = self.old.and_then(Value::as_array).filter(|_| is_keyed);
        let is_given = |value: &&Value| !value.is_null() || below.nullable;
        let given = self.given.and_then(|given| given.get(index)).filter(is_given);
        Self { value, given, old: stored.and_then(|stored| stored.iter().find(has_keys)), ..self }
    }
}

fn push(cases: &mut Vec<usize>, case: usize) {
    if cases.last() != Some(&case) {
        cases.push(case);
    }
}

/// The node of a value, through these branches.
fn node_of<'s>(root: &'s Schema, steps: &[Step], way: &[crd_apiserver::objects::Branch]) -> Option<&'s Schema> {
    let mut node = root;
    for depth in 0..=steps.len() {
        for branch in way.iter().filter(|branch| branch.depth == depth) {
            node = branches(node, branch.combinator).get(branch.index)?;
        }
        node = match steps.get(depth) {
            None => node,
            Some(Step::Field(name)) => node.entry(name)?,
            Some(Step::Item(_)) => node.items.as_deref()?,
        };
    }
    Some(node)
}
