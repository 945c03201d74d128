//! Objects that several rules of the old schema demand together: after each step, fewer rules are broken.
//!
//! A rule may demand the value of a field, and another rule the field that belongs to that value. The search tries single edits next to the
//! path of the wanted value, and keeps the first one after which fewer rules are broken.
//!
//! Invariants: the wanted value stays. The number of steps and edits is limited.

use crd_boundary::{AcceptedObject, Keyword, ObjectStep, Search, constraints};
use crd_model::Schema;
use crd_model::schema::{SchemaPath, Step};
use serde_json::{Map, Value};

use super::trial::Trial;

/// How many edits an object gets.
const MOST_STEPS: usize = 6;
/// How many members of an `enum` are tried.
const MOST_MEMBERS: usize = 24;
/// How many objects are edited.
const MOST_STARTS: usize = 2;

/// Objects of the right structure with a value at the path, whatever the rules say.
pub(super) fn starts(trial: &Trial<'_>, path: &SchemaPath, frame: &Map<String, Value>) -> Vec<AcceptedObject> {
    let mut search = trial.objects(trial.old, frame, |_, object| trial.has_structure(object));
    search.accepted(path).into_iter().take(MOST_STARTS).collect()
}

/// The object with edits next to the path, after which it breaks no rule of the old schema.
pub(super) fn climb(trial: &Trial<'_>, start: AcceptedObject, path: &SchemaPath) -> Option<AcceptedObject> {
    let AcceptedObject { mut object, object_path } = start;
    let mut broken = trial.broken_rules(&trial.rules.old, &object).len();
    for _ in 0..MOST_STEPS {
        if broken == 0 || trial.is_exhausted() {
            break;
        }
        let better = edits(trial, &object, &object_path, path)
            .into_iter()
            .filter(|edited| trial.has_structure(edited))
            .map(|edited| (trial.broken_rules(&trial.rules.old, &edited).len(), edited))
            .min_by_key(|(left, _)| *left);
        match better {
            Some((left, edited)) if left < broken => (object, broken) = (edited, left),
            _ => return None,
        }
    }
    (broken == 0).then_some(AcceptedObject { object, object_path })
}

/// The object with one other value next to the path: another member of an `enum`, a field more, or a field less.
fn edits(trial: &Trial<'_>, object: &Value, object_path: &[ObjectStep], path: &SchemaPath) -> Vec<Value> {
    let mut found = Vec::new();
    for depth in (0..object_path.len()).rev() {
        let around = AcceptedObject { object: object.clone(), object_path: object_path[..depth].to_vec() };
        let steps = &path.steps()[..depth];
        let node = steps.iter().fold(SchemaPath::root(), |path, step| path.with(step.clone()));
        let (Some(node), Some(Value::Object(now))) = (node.node(trial.old), around.value()) else { continue };
        let kept = match &path.steps()[depth] {
            Step::Field(name) => name.as_str(),
            Step::Item | Step::Value => continue,
        };
        for (name, child) in node.properties.iter().filter(|(name, _)| ***name != *kept) {
            // The identity of the object stays.
            if depth == 0 && !["spec", "status"].contains(&&**name) {
                continue;
            }
            found.extend(with_another(&around, now, name, child));
            // A field deeper, as a rule about a field next to the path may demand it.
            let Some(inner) = now.get(&**name).and_then(Value::as_object) else { continue };
            let mut object_path = around.object_path.clone();
            object_path.push(ObjectStep::Field(name.to_string()));
            let below = AcceptedObject { object: object.clone(), object_path };
            for (name, child) in &child.properties {
                found.extend(with_another(&below, inner, name, child));
            }
        }
    }
    found
}

/// The object with another member of an `enum`, with the field, or without it. `now` is the value of the object at its path.
fn with_another(around: &AcceptedObject, now: &Map<String, Value>, name: &str, child: &Schema) -> Vec<Value> {
    let members = child.enumeration.iter().flatten().take(MOST_MEMBERS).cloned();
    let mut values = members.filter(|member| now.get(name) != Some(member)).map(Some).collect::<Vec<_>>();
    match now.contains_key(name) {
        true => values.push(None),
        false if child.enumeration.is_none() => values.extend(smallest(child).into_iter().map(Some)),
        false => {}
    }
    let put = |value: Option<Value>| {
        let mut edited = now.clone();
        match value {
            Some(value) => drop(edited.insert(name.to_owned(), value)),
            None => drop(edited.remove(name)),
        }
        around.with(Value::Object(edited))
    };
    values.into_iter().filter_map(put).collect()
}

/// Small values of a node.
pub(super) fn smallest(node: &Schema) -> Vec<Value> {
    let mut search = Search::new(node, Map::new(), Vec::new(), |_, _| true);
    search.accepted(&SchemaPath::root()).into_iter().take(MOST_STARTS).map(|found| found.object).collect()
}

/// Values that a keyword of a node refuses.
pub(super) fn outside(node: &Schema, keyword: Keyword) -> Vec<Value> {
    let mut search = Search::new(node, Map::new(), Vec::new(), |_, _| true);
    let own = constraints(node)
        .into_iter()
        .filter(|constraint| constraint.path.steps().is_empty() && constraint.keyword == keyword);
    own.filter_map(|constraint| search.boundary(&constraint).ok()).map(|boundary| boundary.outside_value).collect()
}
