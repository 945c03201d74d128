//! Verdicts about rules, keywords and defaults, compared with the answers of servers.
//!
//! Each round makes a random schema with CEL rules and changes it. Where the verdict permits a minor release, each object and each update
//! that the old CRD accepts must be accepted by the new one.

use std::sync::Arc;

use crd_apiserver::objects::{Answer, FieldValidation, MINORS, Request, Resource};
use crd_compat::{Channels, Comparison, Declared, Finding, RequiredBump, policy::Profile};
use crd_model::channel::Channel;
use crd_model::crd::{Names, Version};
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::{Map, Value, json};

use crd_testdata::Dice;

const PAIRS: usize = 40_000;
const OBJECTS: usize = 16;

/// Rules about the node, most of which state the same as another one or a keyword.
const RULES: [&str; 100] = [
    "!has(self.a) || self.a != 'x'",
    "self.?a.orValue('') != 'x'",
    "(has(self.a) ? self.a : 'x') != 'x'",
    "has(self.a) && self.a == 'x' ? has(self.n) : true",
    "self.?a.orValue('y') != 'x' || has(self.n)",
    "!has(self.a) || size(self.a) <= 1",
    "!has(self.a) || self.a.size() < 3",
    "!has(self.a) || self.a.matches('^[xy]+$')",
    "!has(self.a) || self.a in ['x', 'y']",
    "self.?a.orValue('x') in ['x', 'y', 'xy']",
    "!has(self.a) || self.a.startsWith('x')",
    "has(self.a)",
    "has(self.n)",
    "!has(self.n) || self.n > 0",
    "!has(self.n) || self.n >= 1 && self.n <= 3",
    "self.?n.orValue(1) > 0",
    "(has(self.n) ? self.n : 2) < 3",
    "!has(self.n) || self.n % 2 == 0",
    "!has(self.l) || self.l.all(i, self.l.exists_one(j, i.k == j.k))",
    "!has(self.l) || self.l.all(i, self.l.filter(j, j.k == i.k).size() == 1)",
    "!has(self.l) || self.l.all(i, self.l.exists_one(j, i == j))",
    "!has(self.l) || self.l.all(i, i.k != 'x')",
    "(has(self.l) ? self.l : []).all(i, i.k != 'x')",
    "self.?l.orValue([]).exists(i, i.k == 'x')",
    "!has(self.l) || self.l.exists(i, i.k == 'x')",
    "!has(self.l) || size(self.l) <= 1",
    "self.?l.orValue([]).size() < 3",
    "!has(self.l) || self.l.all(i, has(i.v))",
    "!has(self.l) || self.l.all(i, has(i.v) ? i.v > 0 : true)",
    "!has(self.l) || self.l.all(i, i.?v.orValue(1) > 0)",
    "!has(self.l) || self.l.filter(i, has(i.v)).size() <= 1",
    "!has(self.s) || self.s.all(i, self.s.exists_one(j, i == j))",
    "!has(self.s) || self.s.all(i, i in ['x', 'y'])",
    "!has(self.s) || self.s.all(i, i.size() <= 1)",
    "!has(self.a) || !has(self.p) || !has(self.p.b) || [self.a, self.p.b] in [['x', 'y'], ['y', 'x']]",
    "!has(self.a) || !has(self.p) || !has(self.p.b) || [self.a, self.p.b] in [['x', 'y'], ['y', 'x'], ['x', 'x']]",
    "(has(self.a)?1:0) + (has(self.n)?1:0) + (has(self.l)?1:0) + (has(self.s)?1:0) + (has(self.p)?1:0) <= 2",
    "(has(self.a)?1:0) + (has(self.n)?1:0) + (has(self.l)?1:0) + (has(self.s)?1:0) + (has(self.p)?1:0) + (has(self.c)?1:0) + (has(self.d)?1:0) + (has(self.e)?1:0) <= 2",
    "(has(self.a)?1:0) + (has(self.e)?1:0) + (has(self.c)?1:0) + (has(self.d)?1:0) + (has(self.l)?1:0) + (has(self.n)?1:0) + (has(self.p)?1:0) < 3",
    "[has(self.a), has(self.n), has(self.l), has(self.s), has(self.p), has(self.c), has(self.d), has(self.e)].filter(i, i).size() <= 2",
    "[has(self.c), has(self.a), has(self.n), has(self.d), has(self.l), has(self.p), has(self.e)].filter(i, i == true).size() < 4",
    "[has(self.c), has(self.d), has(self.e), has(self.n), has(self.p), has(self.s), has(self.l)].exists_one(i, i)",
    "has(self.a) || has(self.n) || has(self.p)",
    "self == oldSelf",
    "!has(oldSelf.p) || has(self.p)",
    "!has(self.p) || !has(oldSelf.p) || self.p == oldSelf.p",
    "!has(self.p) || !has(oldSelf.p) || self.p.?b.orValue('') == oldSelf.p.?b.orValue('')",
    "!has(oldSelf.a) || has(self.a) && self.a == oldSelf.a",
    "!has(oldSelf.a) || !has(self.a) || self.a == oldSelf.a",
    "!has(oldSelf.a) || !has(self.a) || self.a == oldSelf.a || self.?n.orValue(0) > 1",
    "!has(oldSelf.n) || !has(self.n) || self.n >= oldSelf.n",
    "!has(self.s) || !has(oldSelf.s) || self.s == oldSelf.s",
    "!has(self.s) || !has(oldSelf.s) || self.s.all(i, i in oldSelf.s)",
    "!has(self.s) || !has(oldSelf.s) || size(self.s) == size(oldSelf.s)",
    "!has(self.s) || !has(oldSelf.s) || size(self.s) == 0 || size(oldSelf.s) == 0 || self.s[0] == oldSelf.s[0]",
    "!has(self.l) || !has(oldSelf.l) || self.l == oldSelf.l",
    "!has(self.p) || !has(self.p.b) || self.p.b != 'x'",
    "!has(self.p) || self.p.?b.orValue('y') != 'x'",
    "!has(self.p) || has(self.p.b)",
    // These have `optionalOldSelf`.
    "!oldSelf.hasValue() || !has(oldSelf.value().a) || has(self.a)",
    "oldSelf.hasValue() || has(self.a)",
    "oldSelf.?a.orValue('x') == self.?a.orValue('x')",
    "oldSelf.hasValue() ? self.?a == oldSelf.value().?a : true",
    "!oldSelf.hasValue() || !has(oldSelf.value().n) || has(self.n) && self.n >= oldSelf.value().n",
    "self.?a.orValue('') == oldSelf.orValue(self).?a.orValue('')",
    "has(self.a) != has(self.n)",
    "has(self.a) || has(self.n)",
    "!has(self.a) || !has(self.n)",
    "!has(self.s) || !('z' in self.s)",
    "!has(self.s) || !self.s.exists(i, i == 'z')",
    "!has(self.l) || self.l.filter(i, !has(i.v)).all(i, i.k != 'x')",
    "!has(self.l) || self.l.filter(i, !has(i.v) || i.v > 0).size() < 3",
    "!has(self.l) || self.l.filter(i, i.k != 'z').exists(i, i.k == 'x')",
    // Rules of fields.
    "/properties/a self != 'x'",
    "/properties/a self == oldSelf",
    "/properties/a self.size() <= 1",
    "/properties/a oldSelf.hasValue() ? self == oldSelf.value() : true",
    "/properties/a self == oldSelf.orValue(self)",
    "/properties/a !oldSelf.hasValue() || self == oldSelf.value() || self == 'x'",
    "/properties/n self > 0",
    "/properties/n self >= oldSelf",
    "/properties/n oldSelf.orValue(0) <= self",
    "/properties/p has(self.b)",
    "/properties/p !has(self.b) || self.b != 'x'",
    "/properties/p self == oldSelf",
    "/properties/p !has(self.b) || !has(oldSelf.b) || self.b == oldSelf.b",
    "/properties/p/properties/b self != 'x'",
    "/properties/p/properties/b self == oldSelf",
    "/properties/l self.all(i, i.k != 'x')",
    "/properties/l self.size() <= 1",
    "/properties/l/items has(self.v)",
    "/properties/l/items self.k != 'x'",
    "/properties/l/items !has(self.v) || self.v > 0",
    "/properties/l/items/properties/k self != 'x'",
    "/properties/l/items/properties/v self == oldSelf",
    "/properties/s !('z' in self)",
    "/properties/s/items self in ['x', 'y']",
    // These fail for some objects.
    "self.l[0].k != 'x'",
    "self.a == 'x' || self.n > 1",
    "has(self.a) == (self.n > 0)",
];

/// The schema of `spec`, without rules.
fn schema(random: &mut Dice) -> Value {
    let mut item = json!({"type": "object", "required": ["k"], "properties": {"k": {"type": "string", "maxLength": 2}, "v": {"type": "integer"}}});
    if random.one_in(3) {
        item["properties"]["v"]["default"] = json!(random.below(3));
    }
    let mut list = json!({"type": "array", "maxItems": 1 + random.below(3), "items": item});
    if random.one_in(3) {
        list["x-kubernetes-list-type"] = json!("map");
        list["x-kubernetes-list-map-keys"] = json!(["k"]);
    }
    let mut set = json!({"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 2}});
    if random.one_in(2) {
        set["x-kubernetes-list-type"] = json!("set");
    }
    let mut spec = json!({"type": "object", "properties": {
        "a": {"type": "string", "maxLength": 3}, "n": {"type": "integer"}, "l": list, "s": set,
        "p": {"type": "object", "properties": {"b": {"type": "string", "maxLength": 3}}},
        "c": {"type": "boolean"}, "d": {"type": "boolean"}, "e": {"type": "boolean"},
    }});
    for _ in 0..random.below(3) {
        keyword(random, &mut spec);
    }
    spec
}

/// A field that only one side has.
const ALONE: [&str; 7] = [
    "/properties/a",
    "/properties/n",
    "/properties/p",
    "/properties/d",
    "/properties/p/properties/b",
    "/properties/l/items/properties/v",
    "/properties/s",
];

/// What rules compare with all of its fields.
const WHOLE: [&str; 4] = ["i == j", "self == oldSelf", "self.p == oldSelf.p", "self.l == oldSelf.l"];

/// Removes a field, and the rules that read it.
fn remove(path: &str, spec: &mut Value, rules: &mut Vec<&str>) {
    let (above, name) = path.rsplit_once('/').expect("a path");
    spec.pointer_mut(above).and_then(Value::as_object_mut).expect("a node").remove(name);
    if let Some(required) = spec.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|required| required != name);
    }
    rules.retain(|rule| {
        !rule.contains(&format!(".{name}")) && !rule.contains(&format!("?{name}")) && !rule.starts_with(path)
    });
    for junctor in JUNCTORS {
        spec.as_object_mut().expect("an object").remove(junctor);
    }
}

const JUNCTORS: [&str; 3] = ["oneOf", "anyOf", "not"];

/// Adds a keyword, or removes it.
fn keyword(random: &mut Dice, spec: &mut Value) {
    let either = || json!([{ "required": ["a"] }, { "required": ["n"] }]);
    let (path, name, value) = match random.below(20) {
        14 => ("", "oneOf", either()),
        15 => ("", "anyOf", either()),
        16 => ("", "not", json!({ "required": ["a", "n"] })),
        17 => ("", "anyOf", json!([{ "properties": { "a": { "enum": ["x"] } } }, { "not": { "required": ["p"] } }])),
        18 => (*random.pick(&["/properties/a", "/properties/n", "/properties/p"]), "nullable", json!(true)),
        0 => ("/properties/a", "enum", json!(["x", "y"])),
        1 => ("/properties/a", "enum", json!(["x", "xy"])),
        2 => ("/properties/a", "maxLength", json!(1 + random.below(3))),
        3 => ("/properties/a", "pattern", json!("^[xy]+$")),
        4 => ("/properties/n", "minimum", json!(random.below(2))),
        5 => ("/properties/n", "maximum", json!(2 + random.below(2))),
        6 => ("/properties/n", "multipleOf", json!(2)),
        7 => ("/properties/l", "maxItems", json!(1 + random.below(3))),
        8 => ("", "required", json!([random.pick(&["a", "n"])])),
        9 => ("/properties/a", "default", json!(random.pick(&["x", "y"]))),
        10 => ("/properties/n", "default", json!(random.below(3))),
        11 => ("/properties/p/properties/b", "default", json!(random.pick(&["x", "y"]))),
        12 => ("/properties/l/items/properties/v", "default", json!(random.below(3))),
        _ => ("/properties/s/items", "enum", json!(["x", "y"])),
    };
    let node = spec.pointer_mut(path).and_then(Value::as_object_mut).expect("a node");
    let was_there = node.insert(name.to_owned(), value).is_some();
    if was_there && random.one_in(2) && !["maxLength", "maxItems"].contains(&name) {
        node.remove(name);
    }
}

fn with_rules(spec: &Value, rules: &[&str]) -> Value {
    let mut spec = spec.clone();
    for (index, rule) in rules.iter().enumerate() {
        let (path, rule) = if rule.starts_with('/') { rule.split_once(' ').expect("a rule") } else { ("", *rule) };
        let mut written = json!({ "rule": rule });
        if ["oldSelf.hasValue()", "oldSelf.?a", "oldSelf.orValue("].iter().any(|optional| rule.contains(optional)) {
            written["optionalOldSelf"] = json!(true);
        }
        // The words of a refusal have no effect.
        if index % 2 == 0 && path.is_empty() {
            written["messageExpression"] = json!("self.a");
            written["fieldPath"] = json!(".a");
        }
        if let Some(node) = spec.pointer_mut(path).and_then(Value::as_object_mut) {
            let rules = node.entry("x-kubernetes-validations").or_insert_with(|| json!([]));
            rules.as_array_mut().expect("a list").push(written);
        }
    }
    spec
}

fn crd(spec: &Value) -> CustomResourceDefinition {
    let root = json!({ "type": "object", "properties": { "spec": spec } });
    CustomResourceDefinition {
        name: "things.example.com".into(),
        group: "example.com".into(),
        names: Names { kind: "Thing".into(), plural: "things".into(), ..Names::default() },
        versions: vec![Version {
            name: "v1".into(),
            served: true,
            storage: true,
            schema: Schema::from_value(&root).expect("a schema"),
            ..Version::default()
        }],
        ..CustomResourceDefinition::default()
    }
}

fn object(random: &mut Dice) -> Value {
    let mut spec = Map::new();
    let text = |random: &mut Dice| json!(random.pick(&["x", "y", "xy", "z"]));
    let mut set = |name: &str, value: Value| drop(spec.insert(name.to_owned(), value));
    if random.one_in(2) {
        set("a", text(random));
    }
    if random.one_in(2) {
        set("n", json!(random.below(5)));
    }
    if random.one_in(2) {
        let item = |random: &mut Dice| match random.one_in(2) {
            true => json!({ "k": text(random), "v": random.below(3) }),
            false => json!({ "k": text(random) }),
        };
        let count = random.below(4);
        set("l", (0..count).map(|_| item(random)).collect());
    }
    if random.one_in(2) {
        let count = random.below(3);
        set("s", (0..count).map(|_| text(random)).collect());
    }
    for name in ["c", "d", "e"] {
        if random.one_in(4) {
            set(name, json!(true));
        }
    }
    if random.one_in(2) {
        set("p", if random.one_in(3) { json!({}) } else { json!({ "b": text(random) }) });
    }
    if random.one_in(6) {
        spec.insert((*random.pick(&["a", "n", "p"])).to_owned(), Value::Null);
    }
    json!({
        "apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "thing", "namespace": "default"}, "spec": spec,
    })
}

/// An object that differs in one field, or in all.
fn changed(random: &mut Dice, before: &Value) -> Value {
    let mut after = before.clone();
    let other = object(random);
    if random.one_in(4) {
        return other;
    }
    let field = *random.pick(&["a", "n", "l", "s", "p", "d"]);
    let spec = after["spec"].as_object_mut().expect("an object");
    match other["spec"].get(field) {
        Some(value) => drop(spec.insert(field.to_owned(), value.clone())),
        None => drop(spec.remove(field)),
    }
    if let Some(set) = spec.get_mut("s").and_then(Value::as_array_mut).filter(|_| random.one_in(2)) {
        set.reverse();
    }
    after
}

#[test]
fn what_a_minor_release_may_change_refuses_no_object() {
    let mut random = Dice::new(20_261_126);
    let (mut permitted, mut by_proof, mut asked, mut accepted) = (0, 0, 0_usize, 0_usize);
    let pairs = crd_testdata::sample(PAIRS);
    for _ in 0..pairs {
        let mut spec = schema(&mut random);
        let mut rules = (0..random.below(4)).map(|_| *random.pick(&RULES)).collect::<Vec<_>>();
        let (mut old_spec, mut old_rules) = (spec.clone(), rules.clone());
        let alone = random.one_in(3).then(|| (random.one_in(2), *random.pick(&ALONE)));
        if let Some((true, path)) = alone {
            remove(path, &mut old_spec, &mut old_rules);
        }
        let old = with_rules(&old_spec, &old_rules);
        for _ in 0..=random.below(3) {
            match random.below(5) {
                0 | 1 => keyword(&mut random, &mut spec),
                2 if !rules.is_empty() => drop(rules.remove(random.below(rules.len()))),
                3 if !rules.is_empty() => {
                    let index = random.below(rules.len());
                    rules[index] = *random.pick(&RULES);
                }
                _ => rules.push(*random.pick(&RULES)),
            }
        }
        if let Some((false, path)) = alone {
            remove(path, &mut spec, &mut rules);
            // What the removal does to a rule of both sides is not a change of the rule.
            rules.retain(|rule| !WHOLE.iter().any(|whole| rule.contains(whole)) || !old_rules.contains(rule));
        }
        let new = with_rules(&spec, &rules);
        let (old_crd, new_crd) = (crd(&old), crd(&new));
        let minor = if random.one_in(2) { MINORS.0 } else { MINORS.1 };
        let prepare = |crd: &CustomResourceDefinition| Resource::prepare(crd, "v1", minor);
        let (Some(Ok(old_server)), Some(Ok(new_server))) = (prepare(&old_crd), prepare(&new_crd)) else { continue };
        let channels = |crd| Channels::from([(Channel::Standard, vec![Arc::new(crd)])]);
        let (before, after) = (channels(old_crd.clone()), channels(new_crd.clone()));
        let findings = Comparison::new(&before, &after, Profile::Semver, &Declared::default()).findings();
        // A removed field is dropped, and no object is refused for it.
        let is_dropped = |finding: &Finding| finding.rule == "name-removed" && finding.direction.is_none();
        if findings.iter().any(|finding| finding.required_bump > RequiredBump::Minor && !is_dropped(finding)) {
            continue;
        }
        permitted += 1;
        by_proof +=
            usize::from(findings.iter().any(|finding| finding.proof.is_some_and(|proof| proof.word() != "keyword")));
        for _ in 0..OBJECTS {
            let first = object(&mut random);
            let second = changed(&mut random, &first);
            let create = |server: &Resource, object: &Value| {
                server.answer(Request::create(object.clone()).fields(FieldValidation::Ignore))
            };
            let by_old = create(&old_server, &first);
            // A field that is new was dropped from each stored object.
            let is_new = alone.is_some_and(|(is_new, _)| is_new);
            let sent = |object: &Value, answer: &Answer| {
                answer.stored.clone().filter(|_| is_new).unwrap_or_else(|| object.clone())
            };
            let by_new = create(&new_server, &sent(&first, &by_old));
            asked += 1;
            assert!(
                !by_old.is_accepted() || by_new.is_accepted() || !by_new.undecided.is_empty(),
                "{first}\n{:?}\n{old:#}\n{new:#}\n{findings:#?}",
                by_new.errors
            );
            let Some(stored) = by_old.stored else { continue };
            let update = |server: &Resource, object: Value| {
                server.answer(Request::update(&stored, object).fields(FieldValidation::Ignore))
            };
            accepted += 1;
            let by_old = update(&old_server, second.clone());
            let by_new = update(&new_server, sent(&second, &by_old));
            assert!(
                !by_old.is_accepted() || by_new.is_accepted() || !by_new.undecided.is_empty(),
                "{stored}\n{second}\n{:?}\n{old:#}\n{new:#}\n{findings:#?}",
                by_new.errors
            );
        }
    }
    println!("{pairs} pairs: {permitted} permitted, {by_proof} by proof; {asked} objects, {accepted} accepted");
    assert!(by_proof > pairs / 50 && accepted > asked / 4, "the cases test nothing");
}
