//! Verdicts on random changes of the nodes of other projects (`crd_testdata::nodes`), compared with the API server's own libraries.
//!
//! Each node is put into a small CRD and changed. A fifth of the changes are defaults at or below a node with a rule that reads `oldSelf`. Where
//! the verdict permits a minor release, each object and each update that the old CRD accepts must be accepted by the new one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_compat::policy::Profile;
use crd_compat::{Channels, Comparison, Declared, Finding, RequiredBump};
use crd_model::CustomResourceDefinition;
use serde_json::{Value, json};

use crate::random::object::{old as another, valid};
use crate::random::schema::{self, pointers};
use crate::verdicts::corpus::CHANNEL;
use crate::verdicts::edits::edit;
use crate::verdicts::libraries::{Libraries, is_accepted, objects};
use crate::verdicts::shrink::shrink;
use crd_testdata::Dice;

/// How many mutations a proof has, and a sample.
const MUTATIONS: usize = 50_000;
const SAMPLE: usize = 600;
/// How many objects each mutation has, and how many updates.
const OBJECTS: usize = 16;
const UPDATES: usize = 24;

/// Rules of a field `v`'s parent about updates.
const OF_PARENT: [&str; 5] = [
    "!has(oldSelf.v) || has(self.v)",
    "!has(oldSelf.v) || has(self.v) && self.v == oldSelf.v",
    "!has(self.v) || !has(oldSelf.v) || self.v == oldSelf.v",
    "has(self.v) == has(oldSelf.v)",
    "has(oldSelf.v) || !has(self.v)",
];
/// Rules of any value about updates; the second one has `optionalOldSelf`.
const OF_VALUE: [&str; 2] = ["self == oldSelf", "!oldSelf.hasValue() || self == oldSelf.value()"];

/// Two schemas of `spec`, and whether it is written as a status.
struct Mutation {
    specs: [Value; 2],
    is_status: bool,
}

impl Mutation {
    fn new(dice: &mut Dice, nodes: &[Value]) -> Self {
        let node = dice.pick(nodes).clone();
        let mut spec = match dice.below(8) {
            0 => {
                let item = json!({ "type": "object", "required": ["k"], "properties": { "k": { "type": "string", "maxLength": 9 }, "v": node } });
                let list = json!({ "type": "array", "maxItems": 4, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": item });
                json!({ "type": "object", "properties": { "l": list } })
            }
            1 => {
                json!({ "type": "object", "properties": { "m": { "type": "object", "maxProperties": 4, "additionalProperties": node } } })
            }
            2 => {
                json!({ "type": "object", "properties": { "o": { "type": "object", "properties": { "v": node, "w": { "type": "string" } } } } })
            }
            _ => json!({ "type": "object", "properties": { "v": node, "w": { "type": "string" } } }),
        };
        let mut root = json!({ "properties": { "spec": spec } });
        for _ in 0..dice.below(2) {
            edit(dice, &mut root);
        }
        spec = root["properties"]["spec"].take();
        let new = match dice.percent(20) {
            true => default_below_rule(dice, &mut spec),
            false => {
                root["properties"]["spec"] = spec.clone();
                for _ in 0..1 + dice.below(2) {
                    match dice.percent(20) {
                        true => union(dice, &mut root["properties"]["spec"]),
                        false => edit(dice, &mut root),
                    }
                }
                root["properties"]["spec"].take()
            }
        };
        Self { specs: [spec, new], is_status: dice.percent(15) }
    }

    fn crds(&self) -> [Value; 2] {
        self.specs.each_ref().map(|spec| crd(spec, self.is_status))
    }
}

fn crd(spec: &Value, is_status: bool) -> Value {
    let name = if is_status { "status" } else { "spec" };
    let mut crd = schema::crd(&json!({ "type": "object", "properties": { name: spec } }));
    if is_status {
        crd["spec"]["versions"][0]["subresources"] = json!({ "status": {} });
    }
    crd
}

/// Gives a node of the schema a rule about updates, if it has none, and returns the schema with a default there or below.
fn default_below_rule(dice: &mut Dice, spec: &mut Value) -> Value {
    let all = pointers(spec, "");
    let is_about_updates = |pointer: &&String| {
        let rules = spec.pointer(pointer).map(|node| node["x-kubernetes-validations"].to_string());
        rules.is_some_and(|rules| rules.contains("oldSelf"))
    };
    let known = all.iter().filter(is_about_updates).cloned().collect::<Vec<_>>();
    let at = if dice.percent(70) { dice.any(&known).cloned() } else { None };
    let at = at.unwrap_or_else(|| {
        let at = dice.pick(&all).clone();
        let node = spec.pointer_mut(&at).expect("it was found");
        let index = dice.below(OF_VALUE.len());
        let mut rule = json!({ "rule": OF_VALUE[index] });
        if index == 1 {
            rule["optionalOldSelf"] = json!(true);
        }
        if node["properties"]["v"].is_object() && dice.percent(60) {
            rule = json!({ "rule": dice.one(&OF_PARENT) });
        }
        match node["x-kubernetes-validations"].as_array_mut() {
            Some(rules) => rules.push(rule),
            None => node["x-kubernetes-validations"] = json!([rule]),
        }
        at
    });
    let mut new = spec.clone();
    // The field itself, one around it, or one below.
    let near = all.iter().filter(|pointer| pointer.starts_with(&at) || at.starts_with(&**pointer)).collect::<Vec<_>>();
    let near = near.into_iter().filter(|pointer| !pointer.is_empty() && !pointer.ends_with("/items"));
    let near = near.cloned().collect::<Vec<_>>();
    if let Some(node) = dice.any(&near).and_then(|pointer| new.pointer_mut(pointer)) {
        let default = valid(dice, node, 2);
        if !default.is_null() {
            node["default"] = default;
        }
        if dice.percent(10) {
            node["nullable"] = json!(true);
        }
    }
    new
}

/// Changes a union of required fields, or makes one.
fn union(dice: &mut Dice, spec: &mut Value) {
    let all = pointers(spec, "");
    let node = spec.pointer_mut(dice.pick::<String>(&all)).expect("it was found");
    let names = node["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let key = ["oneOf", "anyOf", "not"].into_iter().find(|key| node.get(key).is_some());
    match key.filter(|_| dice.percent(70)) {
        Some("not") => drop(node.as_object_mut().map(|node| node.remove("not"))),
        Some(key) => {
            let branches = node[key].as_array_mut().expect("branches");
            match names.is_empty() || dice.percent(50) {
                true => drop(branches.pop()),
                false => branches.push(json!({ "required": [dice.pick(&names)] })),
            }
            if branches.is_empty() {
                node.as_object_mut().map(|node| node.remove(key));
            }
        }
        None if names.is_empty() => {}
        None => {
            let required = |dice: &mut Dice| json!({ "required": [dice.pick(&names)] });
            match dice.below(3) {
                0 => node["not"] = required(dice),
                _ => node[dice.one(&["oneOf", "anyOf"])] = json!([required(dice), required(dice)]),
            }
        }
    }
}

/// The findings, where they permit a minor release.
fn permitted(crds: [&Value; 2]) -> Option<Vec<Finding>> {
    let [old, new] = crds.map(|crd| CustomResourceDefinition::from_value(crd).ok());
    let [old, new] = [old?, new?].map(|crd| Channels::from([(CHANNEL, vec![Arc::new(crd)])]));
    let found = Comparison::new(&old, &new, Profile::Semver, &Declared::default()).findings();
    found.iter().all(|finding| finding.required_bump <= RequiredBump::Minor).then_some(found)
}

/// A request: the object, and the stored one of an update.
fn request(id: &str, request: &Value, is_status: bool) -> Value {
    let mut line = json!({ "crd": id, "version": "v1", "new": request["sent"] });
    if request["stored"].is_object() {
        line["old"] = request["stored"].clone();
        line["status"] = json!(is_status);
    }
    line
}

/// Those of the requests that the old CRD accepts without dropping a field, with its answers.
fn accepted(libraries: &mut Libraries, requests: Vec<Value>, is_status: bool) -> Vec<(Value, Value)> {
    let answers = libraries.ask(requests.iter().map(|sent| request("old", sent, is_status)));
    let is_whole = |answer: &Value| is_accepted(answer) && answer["unknown"] == json!([]);
    requests.into_iter().zip(answers).filter(|(_, answer)| is_whole(answer)).collect()
}

/// Requests that the old CRD accepts: creations, and updates of what they stored.
fn requests(dice: &mut Dice, libraries: &mut Libraries, mutation: &Mutation, near: &BTreeSet<String>) -> Vec<Value> {
    let [old, new] = &mutation.specs;
    let plain = CustomResourceDefinition::from_value(&crd(old, false)).expect("a CRD");
    let near = near.iter().map(|path| path.replacen("status", "spec", 1)).collect();
    let mut sent = objects(dice, &plain, "v1", &near, OBJECTS);
    // Values that only the new schema names, such as a default.
    let schema = json!({ "properties": { "spec": new } });
    let others = sent.iter().take(OBJECTS).map(|object| another(dice, &schema, object)).collect::<Vec<_>>();
    sent.extend(others);
    let mut bare = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a", "namespace": "default" } });
    if mutation.is_status {
        let created = accepted(libraries, vec![json!({ "sent": bare })], false).pop();
        let Some((_, answer)) = created else { return Vec::new() };
        bare = answer["stored"].clone();
        bare["metadata"]["resourceVersion"] = json!("1");
        for object in &mut sent {
            object["metadata"]["resourceVersion"] = json!("1");
            object["status"] = object["spec"].take();
            object.as_object_mut().map(|object| object.remove("spec"));
        }
    }
    let creations = sent.iter().map(|object| match mutation.is_status {
        true => json!({ "stored": bare, "sent": object }),
        false => json!({ "sent": object }),
    });
    let creations = accepted(libraries, creations.collect(), mutation.is_status);
    let stored = creations.iter().map(|(_, answer)| answer["stored"].clone()).collect::<Vec<_>>();
    let mut updates = Vec::new();
    for _ in 0..if stored.is_empty() { 0 } else { UPDATES } {
        let (mut stored, mut object) = (dice.pick(&stored).clone(), dice.pick(&sent).clone());
        stored["metadata"]["resourceVersion"] = json!("1");
        for key in ["uid", "creationTimestamp", "generation"] {
            object["metadata"][key] = stored["metadata"][key].clone();
        }
        object["metadata"]["name"] = stored["metadata"]["name"].clone();
        object["metadata"]["resourceVersion"] = json!("1");
        updates.push(json!({ "stored": stored, "sent": object }));
    }
    let updates = accepted(libraries, updates, mutation.is_status);
    creations.into_iter().chain(updates).map(|(request, _)| request).collect()
}

#[derive(Default)]
struct Tally {
    made: usize,
    permitted: usize,
    requests: usize,
    updates: usize,
    /// The smallest example of each kind, with the number of mutations.
    refused: BTreeMap<String, (usize, String)>,
}

/// Makes so many mutations.
fn tally(seed: u64, mutations: usize) -> Tally {
    let nodes = serde_json::from_str::<Vec<Value>>(crd_testdata::nodes()).expect("a list");
    let (mut libraries, mut tally) = (Libraries::start(), Tally::default());
    let mut number = seed.wrapping_mul(1_000_000_007);
    while tally.made < mutations {
        number += 1;
        let mut dice = Dice::new(number);
        let mutation = Mutation::new(&mut dice, &nodes);
        let [old, new] = &mutation.crds();
        if old == new || CustomResourceDefinition::from_value(old).is_err() || !libraries.define("old", old).is_empty()
        {
            continue;
        }
        tally.made += 1;
        let Some(found) = permitted([old, new]) else { continue };
        if !libraries.define("new", new).is_empty() {
            continue;
        }
        tally.permitted += 1;
        let near = found.iter().map(|finding| finding.path.clone()).collect();
        let sent = requests(&mut dice, &mut libraries, &mutation, &near);
        let answers = libraries.ask(sent.iter().map(|sent| request("new", sent, mutation.is_status)));
        tally.requests += sent.len();
        tally.updates += sent.iter().filter(|sent| sent["stored"].is_object()).count();
        let Some((refused, _)) = sent.into_iter().zip(answers).find(|(_, answer)| !is_accepted(answer)) else {
            continue;
        };
        let [old, new] = mutation.specs.clone();
        let is_status = mutation.is_status;
        let smallest = shrink([old, new, refused], &mut |values| broken(&mut libraries, values, is_status).is_some());
        let Some((found, errors)) = broken(&mut libraries, &smallest, is_status) else { continue };
        let words = found.iter().map(|finding| format!("{} ({})", finding.rule, finding.message)).collect::<Vec<_>>();
        let [old, new, refused] = smallest;
        let (count, text) = tally.refused.entry(format!("{} after {}", errors[0][0], words.join(", "))).or_default();
        *count += 1;
        let example = format!(
            "    mutation {number}{}\n    old: {old}\n    new: {new}\n    stored: {}\n    sent: {}\n    errors: {errors}",
            if is_status { " of the status" } else { "" },
            refused["stored"],
            refused["sent"],
        );
        if text.is_empty() || example.len() < text.len() {
            *text = example;
        }
    }
    tally
}

/// What is wrong with a verdict that fits a minor: the errors of the new CRD for this request of the old one.
fn broken(libraries: &mut Libraries, [old, new, sent]: &[Value; 3], is_status: bool) -> Option<(Vec<Finding>, Value)> {
    let [old, new] = [old, new].map(|spec| crd(spec, is_status));
    let found = permitted([&old, &new])?;
    for (id, crd) in [("old", &old), ("new", &new)] {
        if !libraries.define(id, crd).is_empty() {
            return None;
        }
    }
    // What is stored is what the old CRD stores.
    if sent["stored"].is_object() && !is_status {
        let created = accepted(libraries, vec![json!({ "sent": sent["stored"] })], false);
        created.first().filter(|(_, answer)| answer["stored"]["spec"] == sent["stored"]["spec"])?;
    }
    accepted(libraries, vec![sent.clone()], is_status).pop()?;
    let answer = libraries.ask([request("new", sent, is_status)].into_iter()).pop()?;
    (!is_accepted(&answer)).then(|| (found, answer["errors"].clone()))
}

#[test]
fn mutations_that_a_minor_release_permits_refuse_no_object_and_no_update() {
    if !crate::oracle::is_available() {
        return;
    }
    let mutations = if crd_testdata::is_proof() { MUTATIONS } else { SAMPLE };
    let seed = std::env::var("CRD_RANDOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1_u64);
    let tallies = std::thread::scope(|scope| {
        let threads = [2 * seed, 2 * seed + 1].map(|seed| scope.spawn(move || tally(seed, mutations / 2)));
        threads.map(|thread| thread.join().expect("no panic"))
    });
    let sum = |of: fn(&Tally) -> usize| tallies.iter().map(of).sum::<usize>();
    let examples = tallies.iter().flat_map(|tally| &tally.refused);
    let examples = examples.map(|(kind, (count, text))| format!("{count} × {kind}\n{text}")).collect::<Vec<_>>();
    println!(
        "{} mutations, {} that fit a minor; {} requests that the old CRD accepts, {} of them updates; {} kinds are refused",
        sum(|tally| tally.made),
        sum(|tally| tally.permitted),
        sum(|tally| tally.requests),
        sum(|tally| tally.updates),
        examples.len(),
    );
    assert!(examples.is_empty(), "{}", examples.join("\n"));
    assert!(sum(|tally| tally.updates) > mutations, "the cases test nothing");
}
