//! The cases that can notice a mutant: those with a value for which the changed node has another result.
//!
//! Invariants: values that the original refuses come first, because their cases were written for the declaration. The result of the original is computed
//! once for all mutants of a declaration.

use std::collections::HashMap;

use crd_apiserver::validate::{Patterns, Subject, Validator};
use crd_cel::{CALL_BUDGET, Environment, Program, Value as CelValue, mentions_old_self};
use crd_model::schema::{AdditionalProperties, Schema, Validation};
use crd_model::schema::{SchemaPath, Step};
use serde_json::Value;

use super::Run;
use super::values::Group;
use crate::case::{Case, Expected};
use crate::mutant::Mutant;

/// What a node answers to a value: nothing, or why it refuses it.
type Refusal = Option<String>;

/// Whether a case notices the mutant.
type Notices<'n> = &'n mut dyn FnMut(usize) -> bool;

/// A node of a version, with the values of cases.
pub(super) struct Place<'p> {
    pub(super) key: (usize, usize),
    pub(super) path: &'p SchemaPath,
    pub(super) groups: &'p [Group<'p>],
    pub(super) schema: &'p Schema,
}

/// The results of the original at the places of one declaration.
#[derive(Default)]
pub(super) struct Effects {
    originals: HashMap<((usize, usize), SchemaPath), Vec<Refusal>>,
    patterns: Patterns,
}

impl Effects {
    /// The first case that notices the mutant.
    pub(super) fn killer(
        &mut self,
        place: &Place<'_>,
        mutant: &Mutant,
        run: &Run<'_>,
        notices: Notices<'_>,
    ) -> Option<usize> {
        let node = place.path.node(place.schema)?;
        if let Some(rule) = mutant.rule {
            let old = node.validations.get(rule)?;
            let new =
                mutant.node.validations.get(rule).filter(|_| mutant.node.validations.len() == node.validations.len());
            let is_about_updates = [Some(old), new].into_iter().flatten().any(|rule| mentions_old_self(&rule.rule));
            if is_about_updates {
                let is_update = |case: &Case| case.old.is_some() || old.optional_old_self == Some(true);
                return all(place, run, &is_update, notices);
            }
            let [old, new] = OneRule::both(node, mutant, rule, place.path, run.minor)?;
            let original = |_: &Patterns, value: &Value| old.as_ref().and_then(|rule| rule.refusal(value));
            let changed = |_: &Patterns, value: &Value| new.as_ref().and_then(|rule| rule.refusal(value));
            return self.differing(place, &original, &changed, notices);
        }
        if node.default != mutant.node.default {
            let is_read = is_read(place);
            let lacks = |case: &Case| {
                let objects = [Some(&case.object), case.old.as_ref()];
                objects.into_iter().flatten().any(|object| lacks(Some(object), place.path.steps()))
            };
            let compares = |case: &Case| match &case.expected {
                Expected::Accepted { stored, parts, .. } => stored.is_some() || !parts.is_empty(),
                _ => false,
            };
            let above = run.cases.iter().enumerate().filter(|(_, case)| lacks(case));
            let (first, rest): (Vec<_>, Vec<_>) = above.partition(|(_, case)| compares(case));
            let rest = rest.into_iter().filter(|_| is_read);
            return first.into_iter().chain(rest).map(|(case, _)| case).find(|case| notices(*case));
        }
        let (old, new) = (own(node), own(&mutant.node));
        let original = |patterns: &Patterns, value: &Value| refusal(&old, value, patterns);
        let changed = |patterns: &Patterns, value: &Value| refusal(&new, value, patterns);
        let found = self.differing(place, &original, &changed, notices);
        if found.is_none()
            && (node.list_type != mutant.node.list_type || node.format != mutant.node.format && is_read(place))
        {
            return all(place, run, &|_| true, notices);
        }
        found
    }

    /// The first case that notices the mutant, among those with a value for which the results differ.
    fn differing(
        &mut self,
        place: &Place<'_>,
        original: &dyn Fn(&Patterns, &Value) -> Refusal,
        changed: &dyn Fn(&Patterns, &Value) -> Refusal,
        notices: Notices<'_>,
    ) -> Option<usize> {
        let Self { originals, patterns } = self;
        let key = (place.key, place.path.clone());
        let originals = originals
            .entry(key)
            .or_insert_with(|| place.groups.iter().map(|group| original(patterns, group.value)).collect());
        let pairs = || place.groups.iter().zip(originals.iter());
        let ordered = pairs().filter(|(_, old)| old.is_some()).chain(pairs().filter(|(_, old)| old.is_none()));
        let mut later: Vec<&Group<'_>> = Vec::new();
        for (group, old) in ordered {
            let new = changed(patterns, group.value);
            if new.is_some() == old.is_some() {
                later.extend((new != *old).then_some(group));
                continue;
            }
            let killer = group.cases.iter().find(|case| notices(**case));
            if killer.is_some() {
                return killer.copied();
            }
        }
        later.into_iter().flat_map(|group| &group.cases).find(|case| notices(**case)).copied()
    }
}

/// The first of some cases with a value at the place that notices the mutant.
fn all(place: &Place<'_>, run: &Run<'_>, is_wanted: &dyn Fn(&Case) -> bool, notices: Notices<'_>) -> Option<usize> {
    let mut cases: Vec<usize> = place.groups.iter().flat_map(|group| group.cases.iter().copied()).collect();
    cases.sort_unstable();
    cases.dedup();
    // Those that are refused were written for a declaration.
    cases.sort_by_key(|case| run.cases[*case].expected.is_accepted());
    cases.into_iter().filter(|case| is_wanted(&run.cases[*case])).find(|case| notices(*case))
}

/// Whether a declaration around a node may read its value.
fn is_read(place: &Place<'_>) -> bool {
    let steps = place.path.steps();
    let names: Vec<&str> =
        steps.iter().filter_map(|step| if let Step::Field(name) = step { Some(&**name) } else { None }).collect();
    let Some(name) = names.last() else { return true };
    place.path.along(place.schema).enumerate().any(|(depth, node)| {
        let is_here = depth == steps.len();
        node.validations.iter().any(|rule| is_here || rule.rule.contains(name))
            || !is_here && (node.required.iter().any(|required| **required == **name) || is_counted(node))
    })
}

/// Whether a node reads which entries it has, or a list which items.
fn is_counted(node: &Schema) -> bool {
    node.min_properties.is_some()
        || node.max_properties.is_some()
        || matches!(node.list_type.as_deref(), Some("set" | "map"))
}

/// Whether a value lacks a field on a path.
fn lacks(value: Option<&Value>, steps: &[Step]) -> bool {
    let (Some(value), Some((step, rest))) = (value, steps.split_first()) else { return value.is_none() };
    match (step, value) {
        (Step::Field(name), value) => lacks(value.get(&**name), rest),
        (Step::Item, Value::Array(items)) => items.iter().any(|item| lacks(Some(item), rest)),
        (Step::Value, Value::Object(map)) => map.values().any(|value| lacks(Some(value), rest)),
        _ => false,
    }
}

/// The constraints of a node on its own value.
fn own(node: &Schema) -> Schema {
    let mut own =
        Schema { description: None, default: None, items: None, preserve_unknown_fields: Some(true), ..node.clone() };
    own.properties.clear();
    own.validations.clear();
    if !matches!(own.additional_properties, Some(AdditionalProperties::Allowed(_))) {
        own.additional_properties = None;
    }
    own
}

fn refusal(node: &Schema, value: &Value, patterns: &Patterns) -> Refusal {
    let matches = |pattern: &str, text: &str| patterns.matches(pattern, text);
    let found = Validator { matches: &matches, subject: Subject::Part }.validate(node, value);
    found.into_iter().map(|violation| violation.message).reduce(|all, message| format!("{all}\n{message}"))
}

/// A rule of a node.
struct OneRule<'r> {
    rule: &'r Validation,
    node: &'r Schema,
    is_resource: bool,
    program: Option<Program>,
}

impl<'r> OneRule<'r> {
    /// A rule of the original and that of a mutant; none for one that was dropped.
    fn both(
        node: &'r Schema,
        mutant: &'r Mutant,
        rule: usize,
        path: &SchemaPath,
        minor: u32,
    ) -> Option<[Option<Self>; 2]> {
        let is_resource = path.steps().is_empty() || node.embedded_resource;
        let of = |rule: &'r Validation| {
            let environment = Environment::rule(node, is_resource).kubernetes(minor);
            Self { rule, node, is_resource, program: Program::compile(&rule.rule, environment).ok() }
        };
        let old = node.validations.get(rule)?;
        let is_kept = mutant.node.validations.len() == node.validations.len();
        Some([Some(old), mutant.node.validations.get(rule).filter(|_| is_kept)].map(|rule| rule.map(of)))
    }

    fn refusal(&self, value: &Value) -> Refusal {
        let value = match self.is_resource {
            true => CelValue::from_resource(value, self.node),
            false => CelValue::from_json(value, self.node),
        };
        let words =
            || self.rule.message.as_deref().filter(|text| !text.is_empty()).unwrap_or(&self.rule.rule).to_owned();
        match self.program.as_ref()?.evaluate(&[value], CALL_BUDGET).value {
            Ok(CelValue::Boolean(true)) => None,
            Ok(_) => Some(words()),
            Err(failure) => Some(format!("{failure} {}", words())),
        }
    }
}
