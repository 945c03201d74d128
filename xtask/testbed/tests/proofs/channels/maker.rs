//! Objects with experimental fields and values: example manifests with additions that are generated from the schema.
//!
//! Invariants: the same answers of the server give the same objects in every run. An object is kept only if the server accepts it and it uses
//! something that no earlier object used.

use std::collections::BTreeSet;
use std::future::Future;

use crd_apiserver::apply_defaults;
use crd_apiserver::validate::{Patterns, Subject, Validator};
use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::{Map, Value, json};

use super::only::{Element, Only, Pair, Step};
use crate::random::dice::Dice;

/// The number of attempts for one entry.
const ATTEMPTS: usize = 4000;

/// The path that a value must have, and the value at its end.
#[derive(Clone, Copy)]
struct Goal<'g> {
    path: &'g [Step],
    /// The value at the end of the path.
    value: Option<&'g Value>,
    /// The number of steps above the experimental node. Above it, only required fields are added next to the path.
    above: usize,
    /// The value at the end of these steps, if a fitting one is known.
    known: Option<&'g Value>,
}

impl<'g> Goal<'g> {
    const NONE: Goal<'static> = Goal { path: &[], value: None, above: 0, known: None };

    fn toward(&self, step: &Step) -> Option<Goal<'g>> {
        let (first, path) = self.path.split_first()?;
        (first == step).then(|| Goal { path, above: self.above.saturating_sub(1), ..*self })
    }
}

/// Generates objects.
pub(crate) struct Maker {
    dice: Dice,
    words: Vec<Value>,
    patterns: Patterns,
    /// Accepted values of experimental fields, with their schemas.
    known: Vec<(Schema, Value)>,
    /// Accepted objects, which mostly fit other versions of their kind.
    objects: Vec<Value>,
    /// The number of requests to the server.
    pub(crate) requests: usize,
}

/// All strings of a value, without keys.
fn strings(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => drop(found.insert(text.clone())),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(entries) => entries.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}

/// Whether a path has a value, through the first items of lists.
fn leads(value: &Value, path: &[Step]) -> bool {
    let Some((step, path)) = path.split_first() else { return true };
    let next = match step {
        Step::Property(name) => value.get(name),
        Step::Item => value.get(0),
        Step::Entry => None,
    };
    next.is_some_and(|next| leads(next, path))
}

impl Maker {
    /// A maker with the strings of these objects, which are also tried as objects.
    pub(crate) fn new(examples: Vec<Value>) -> Self {
        let mut words = BTreeSet::new();
        examples.iter().for_each(|example| strings(example, &mut words));
        let words = words.into_iter().map(Value::String).collect();
        Self {
            dice: Dice::new(7),
            words,
            patterns: Patterns::default(),
            known: Vec::new(),
            objects: examples,
            requests: 0,
        }
    }

    /// Whether a schema accepts the value, without CEL rules.
    fn fits(&self, schema: &Schema, value: &Value, subject: Subject) -> bool {
        let mut value = value.clone();
        apply_defaults(schema, &mut value);
        let matches = |pattern: &str, text: &str| self.patterns.matches(pattern, text);
        Validator { matches: &matches, subject }.validate(schema, &value).is_empty()
    }

    /// A value of a schema; `None` if none was found.
    fn make(&mut self, schema: &Schema, goal: Goal<'_>, density: usize) -> Option<Value> {
        if let (0, Some(known)) = (goal.above, goal.known) {
            return Some(known.clone());
        }
        if let ([], Some(value)) = (goal.path, goal.value) {
            return Some(value.clone());
        }
        if let Some(choices) = &schema.enumeration {
            return self.dice.any(choices).cloned();
        }
        match schema.kind.as_deref() {
            Some("object") => self.make_object(schema, goal, density),
            Some("array") => self.make_list(schema, goal, density),
            Some("boolean") => Some(json!(self.dice.below(2) == 0)),
            Some("integer" | "number") => {
                let bounds = [&schema.minimum, &schema.maximum].into_iter().flatten().map(|bound| json!(bound));
                let choices: Vec<Value> = bounds.chain([json!(1), json!(0), json!(80)]).collect();
                self.pick_fitting(schema, &choices)
            }
            _ => {
                let words = std::mem::take(&mut self.words);
                let word = self.pick_fitting(schema, &words);
                self.words = words;
                word
            }
        }
    }

    fn pick_fitting(&mut self, schema: &Schema, choices: &[Value]) -> Option<Value> {
        let fitting: Vec<&Value> = choices.iter().filter(|choice| self.fits(schema, choice, Subject::Part)).collect();
        self.dice.any(&fitting).copied().cloned()
    }

    fn make_object(&mut self, schema: &Schema, goal: Goal<'_>, density: usize) -> Option<Value> {
        let mut object = Map::new();
        for (name, property) in &schema.properties {
            let toward = goal.toward(&Step::Property(name.to_string()));
            let is_needed = schema.required.contains(name) && property.default.is_none();
            let is_wanted = goal.above == 0 && self.dice.below(4) < density;
            if toward.is_some() || is_needed || is_wanted {
                let inner = Goal { above: goal.above.saturating_sub(1), ..Goal::NONE };
                object.insert(name.to_string(), self.make(property, toward.unwrap_or(inner), density)?);
            }
        }
        if let Some(AdditionalProperties::Values(values)) = &schema.additional_properties {
            let entry = self.make(values, goal.toward(&Step::Entry).unwrap_or(Goal::NONE), density)?;
            object.insert("example.com/key".to_owned(), entry);
        }
        Some(Value::Object(object))
    }

    fn make_list(&mut self, schema: &Schema, goal: Goal<'_>, density: usize) -> Option<Value> {
        let items = schema.items.as_deref()?;
        let count = usize::try_from(schema.min_items.unwrap_or(1)).unwrap_or(1).max(1);
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(self.make(items, goal.toward(&Step::Item).unwrap_or(Goal::NONE), density)?);
        }
        Some(Value::Array(list))
    }

    /// Adds new values on the path of the goal to the base. The first `kept` steps of the path remain unchanged, if the base has them.
    fn add(&mut self, schema: &Schema, base: &mut Value, goal: Goal<'_>, kept: usize, density: usize) -> Option<()> {
        if let (Some((step, _)), 1..) = (goal.path.split_first(), kept) {
            let toward = goal.toward(step)?;
            match (step, &mut *base) {
                (Step::Property(name), Value::Object(entries)) => {
                    let property = schema.properties.get(name)?;
                    if let Some(inner) = entries.get_mut(name) {
                        return self.add(property, inner, toward, kept - 1, density);
                    }
                    entries.insert(name.clone(), self.make(property, toward, density)?);
                    return Some(());
                }
                (Step::Item, Value::Array(items)) if !items.is_empty() && kept > 1 => {
                    return self.add(schema.items.as_deref()?, &mut items[0], toward, kept - 1, density);
                }
                _ => {}
            }
        }
        *base = self.make(schema, goal, density)?;
        Some(())
    }

    /// The schema at the end of a path.
    fn schema_at<'s>(schema: &'s Schema, path: &[Step]) -> Option<&'s Schema> {
        path.iter().try_fold(schema, |schema, step| match step {
            Step::Property(name) => schema.properties.get(name),
            Step::Item => schema.items.as_deref(),
            Step::Entry => match &schema.additional_properties {
                Some(AdditionalProperties::Values(values)) => Some(&**values),
                _ => None,
            },
        })
    }

    /// A candidate that uses this entry, built from an accepted object: alternately from one that was accepted for another entry, with as few
    /// changes as possible, and from the base, with more and more changes.
    fn candidate(
        &mut self,
        pair: &Pair<'_>,
        only: &Only,
        base: &Value,
        kept: &[Value],
        attempt: usize,
    ) -> Option<Value> {
        let schema = &pair.version.schema;
        let value = match &only.element {
            Element::Value(value) | Element::InnerValue(value) => serde_json::from_str::<Value>(value).ok(),
            _ => None,
        };
        let mut goal = Goal { path: &only.path, value: value.as_ref(), above: 0, known: None };
        let density = [0, 1, 2, 2][self.dice.below(4)];
        let leads = |object: &&Value| only.path.split_last().is_some_and(|(_, parent)| leads(object, parent));
        let near: Vec<&Value> = kept.iter().filter(leads).collect();
        if let (0, Some(near)) = (attempt % 2, self.dice.any(&near)) {
            let mut object = (*near).clone();
            self.add(schema, &mut object, goal, only.path.len(), density)?;
            return Some(object);
        }

        // The outermost experimental node on the path.
        let everything = pair.everything();
        let root = (0..=only.path.len()).find(|length| {
            let path = only.path[..*length].to_vec();
            everything.contains(&Only { element: Element::Field, path })
        });
        goal.above = root.unwrap_or(if pair.standard.is_none() { 0 } else { only.path.len() });
        // A value that fits elsewhere is tried every second time.
        let known: Vec<Value> = match root.and_then(|root| Self::schema_at(schema, &only.path[..root])) {
            Some(schema) if attempt % 4 == 1 => {
                self.known.iter().filter(|(known, _)| known == schema).map(|(_, value)| value.clone()).collect()
            }
            _ => Vec::new(),
        };
        let known = self.dice.any(&known).cloned();
        goal.known = known.as_ref();
        // As much of the base as possible, or less and less, because other fields may have to fit.
        let least = usize::from(!only.path.is_empty()).min(goal.above);
        let steps = goal.above.saturating_sub(attempt / 4 % (goal.above - least + 1));
        let mut object = base.clone();
        self.add(schema, &mut object, goal, steps, density)?;
        for common in ["apiVersion", "kind", "metadata"] {
            object[common] = base[common].clone();
        }
        Some(object)
    }

    /// Records an accepted object.
    fn learn(&mut self, pair: &Pair<'_>, object: &Value) {
        for used in pair.used_by(object).iter().filter(|used| used.only.element == Element::Field) {
            let schema = Self::schema_at(&pair.version.schema, &used.only.path);
            if let (Some(schema), Some(value)) = (schema, object.pointer(&used.pointer)) {
                self.known.push((schema.clone(), value.clone()));
            }
        }
        self.objects.push(object.clone());
    }

    /// Accepted objects that together use all experimental entries of this version, and the entries that no object uses.
    pub(crate) async fn cover<J: Future<Output = bool>>(
        &mut self,
        pair: &Pair<'_>,
        accepts: impl Fn(Value) -> J,
    ) -> (Vec<Value>, Vec<Only>) {
        let everything = pair.everything();
        let mut missing = everything.clone();
        let mut kept: Vec<Value> = Vec::new();
        let api_version = format!("{}/{}", pair.crd.group, pair.version.name);
        let of_kind = self.objects.iter().filter(|object| object["kind"] == *pair.crd.names.kind);
        let ready: Vec<Value> = of_kind
            .cloned()
            .map(|mut object| {
                object["apiVersion"] = json!(api_version);
                object
            })
            .collect();
        // The base is the first example without experimental entries, so that only additions are lost.
        let is_plain = |object: &&Value| !pair.used_by(object).iter().any(|used| !used.only.path.is_empty());
        let base = ready.iter().find(is_plain).or(ready.first()).expect("every kind has an example").clone();

        let mut ready = ready.into_iter();
        let mut attempt = 0;
        let mut unused = Vec::new();
        let mut asked = BTreeSet::new();
        loop {
            let Some(target) = missing.first().cloned() else { return (kept, unused) };
            let candidate = match ready.next() {
                Some(object) => Some(object),
                None if attempt == ATTEMPTS => {
                    missing.remove(&target);
                    unused.push(target);
                    attempt = 0;
                    continue;
                }
                None => {
                    attempt += 1;
                    self.candidate(pair, &target, &base, &kept, attempt - 1)
                }
            };
            let Some(mut object) = candidate else { continue };
            // A status is not needed here.
            let uses_status = |used: &Only| used.path.first() == Some(&Step::Property("status".to_owned()));
            if !missing.iter().any(uses_status)
                && let Some(entries) = object.as_object_mut()
            {
                entries.remove("status");
            }
            let used: BTreeSet<Only> = pair.used_by(&object).into_iter().map(|used| used.only).collect();
            if used.is_disjoint(&missing) || !self.fits(&pair.version.schema, &object, Subject::Resource) {
                continue;
            }
            if !asked.insert(object.to_string()) {
                continue;
            }
            self.requests += 1;
            if accepts(object.clone()).await {
                missing.retain(|only| !used.contains(only));
                self.learn(pair, &object);
                kept.push(object);
                attempt = 0;
            }
        }
    }
}
