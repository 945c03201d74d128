//! Pairs of CEL rules that the laws of `laws.tsv` make equal, pairs that differ in one place, and random objects for both.
//!
//! Invariant: a number always gives the same pair and the same sequence of objects.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{Dice, thing_crd};

/// Two conditions of CEL that accept the same objects, with names in place of parts.
#[derive(Clone, Debug)]
pub struct Law {
    /// Its name.
    pub name: String,
    /// A condition.
    pub left: String,
    /// Another form of it.
    pub right: String,
}

/// The laws of `laws.tsv`, whose first lines explain the names.
#[must_use]
pub fn laws() -> Vec<Law> {
    let lines = include_str!("../laws.tsv").lines().filter(|line| !line.starts_with('#'));
    let law = |line: &str| {
        let [name, left, right] = line.split('\t').map(str::to_owned).collect::<Vec<_>>().try_into().expect("a law");
        Law { name, left, right }
    };
    lines.map(law).collect()
}

/// Two rules of `spec`, and random objects for them.
pub struct RulePair<'l> {
    /// The names of the laws that rewrite one rule as the other.
    pub laws: Vec<&'l str>,
    /// Both rules.
    pub rules: [String; 2],
    random: Dice,
}

impl<'l> RulePair<'l> {
    /// Equal rules of this number: one law, or three inside each other.
    #[must_use]
    pub fn equal(laws: &'l [Law], number: usize) -> Self {
        let mut pair = Self::new(laws, 2 * number, depth(number));
        if depth(number) == 1 {
            // Each law is used by a pair of its own.
            let own = std::slice::from_ref(&laws[number / 2 % laws.len()]);
            pair.laws.clear();
            pair.rules = condition(&mut pair.random, own, Scope::Object, 1, &mut pair.laws);
        }
        pair
    }

    /// Rewritten rules of this number, of which the second one has one change. Some changes refuse no object. `None` if the rule has no part
    /// that can be changed.
    #[must_use]
    pub fn differing(laws: &'l [Law], number: usize) -> Option<Self> {
        let mut pair = Self::new(laws, 2 * number + 1, depth(number));
        pair.rules[1] = changed(&mut pair.random, &pair.rules[1])?;
        Some(pair)
    }

    fn new(laws: &'l [Law], seed: usize, depth: usize) -> Self {
        let mut random = Dice::new(20_261_130 + seed as u64);
        let mut names = Vec::new();
        let rules = condition(&mut random, laws, Scope::Object, depth, &mut names);
        Self { laws: names, rules, random }
    }

    /// A CRD of each rule.
    #[must_use]
    pub fn crds(&self) -> [Value; 2] {
        self.rules.each_ref().map(|rule| crd(rule))
    }

    /// The next objects, which are valid except for the rules.
    pub fn objects(&mut self, count: usize) -> Vec<Value> {
        (0..count).map(|_| object(&mut self.random)).collect()
    }
}

/// How many laws the pairs of this number apply inside each other.
fn depth(number: usize) -> usize {
    if number.is_multiple_of(2) { 1 } else { 3 }
}

/// The texts of rules and objects.
const TEXTS: [&str; 5] = ["a", "b", "ab", "ba", "x"];

/// Conditions that no value makes fail.
const ATOMS: [&str; 12] = [
    "has($x.opt)",
    "has($x.num)",
    "$x.n > $k",
    "$x.n < $x.m",
    "$x.s == $c",
    "$x.s != $x.q",
    "$x.q in [$c, $d]",
    "$x.s.startsWith($c)",
    "$x.s.size() > $k",
    "!has($x.num) || $x.num < $k",
    "has($x.opt) && $x.opt == $c",
    "$x.on",
];

/// Those that read the whole object.
const ATOMS_OF_SELF: [&str; 3] =
    ["self.tags.exists(t, t == $c)", "self.items.all(i, i.n > $k)", "self.items.exists(i, i.s == self.s)"];

/// What a condition is about.
#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Object,
    Item,
}

/// The texts and numbers of one use of a law.
fn constants(random: &mut Dice, scope: Scope) -> impl Fn(&str) -> String + use<> {
    let mut texts = TEXTS.to_vec();
    let mut replaced = BTreeMap::new();
    for name in ["c", "d", "e"] {
        let chosen = texts.remove(random.below(texts.len()));
        replaced.insert(format!("${name}"), format!("'{chosen}'"));
        replaced.insert(format!("@{name}"), chosen.to_owned());
    }
    let number = random.below(4);
    replaced.insert("$k".to_owned(), number.to_string());
    replaced.insert("$l".to_owned(), (number + 1).to_string());
    replaced.insert("$x".to_owned(), if scope == Scope::Item { "i" } else { "self" }.to_owned());
    move |text| replaced.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
}

/// A condition in two forms, which apply so many laws inside each other. The names of the laws are added.
fn condition<'l>(
    random: &mut Dice,
    laws: &'l [Law],
    scope: Scope,
    depth: usize,
    names: &mut Vec<&'l str>,
) -> [String; 2] {
    if depth == 0 {
        let own = if scope == Scope::Object && random.one_in(4) { &ATOMS_OF_SELF[..] } else { &ATOMS[..] };
        let atom = *random.pick(own);
        let atom = constants(random, scope)(atom);
        return [atom.clone(), atom];
    }
    let parts = |law: &Law| ["$A", "$B", "$C", "$P", "$Q"].into_iter().filter(|part| law.left.contains(part)).collect();
    let possible = laws.iter().filter(|law| {
        let parts: Vec<&str> = parts(law);
        (scope == Scope::Object || !law.left.contains("self")) && (depth == 1 || !parts.is_empty())
    });
    let law = *random.pick(&possible.collect::<Vec<_>>());
    names.push(&law.name);
    let parts: Vec<&str> = parts(law);
    let deeper = (!parts.is_empty()).then(|| *random.pick(&parts));
    let fill = constants(random, scope);
    let mut sides = [fill(&law.left), fill(&law.right)];
    for part in parts {
        let of_item = scope == Scope::Item || ["$P", "$Q"].contains(&part);
        let scope = if of_item { Scope::Item } else { Scope::Object };
        let depth = if deeper == Some(part) { depth - 1 } else { 0 };
        let inner = condition(random, laws, scope, depth, names);
        for (side, inner) in sides.iter_mut().zip(inner) {
            *side = side.replace(part, &format!("({inner})"));
        }
    }
    if random.one_in(2) {
        sides.swap(0, 1);
    }
    sides
}

/// What makes a rule another one.
const CHANGES: [(&str, &str); 16] = [
    (" && ", " || "),
    (" || ", " && "),
    ("==", "!="),
    ("!=", "=="),
    (" > ", " >= "),
    (" >= ", " > "),
    (" < ", " <= "),
    (" <= ", " < "),
    (".all(", ".exists("),
    (".exists(", ".all("),
    ("!has", "has"),
    ("'a'", "'b'"),
    ("'b'", "'x'"),
    ("startsWith", "endsWith"),
    ("self.n", "self.m"),
    ("exists_one", "exists"),
];

/// A rule with one change.
fn changed(random: &mut Dice, rule: &str) -> Option<String> {
    let places = CHANGES.iter().flat_map(|(from, to)| rule.match_indices(from).map(move |(at, _)| (at, from, to)));
    let places = places.collect::<Vec<_>>();
    let (at, from, to) = places.get(random.below(places.len()))?;
    Some(format!("{}{to}{}", &rule[..*at], &rule[at + from.len()..]))
}

fn fields() -> Value {
    json!({
        "s": {"type": "string", "maxLength": 5}, "q": {"type": "string", "maxLength": 5}, "opt": {"type": "string", "maxLength": 5},
        "n": {"type": "integer"}, "m": {"type": "integer"}, "num": {"type": "integer"}, "on": {"type": "boolean"},
    })
}

const REQUIRED: [&str; 5] = ["s", "q", "n", "m", "on"];

/// A CRD whose `spec` has this rule.
fn crd(rule: &str) -> Value {
    let item = json!({"type": "object", "required": REQUIRED, "properties": fields()});
    let mut spec = item.clone();
    spec["required"].as_array_mut().expect("a list").extend(["items", "tags", "labels"].map(Value::from));
    spec["properties"]["items"] = json!({"type": "array", "maxItems": 5, "items": item});
    spec["properties"]["tags"] = json!({"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 5}});
    spec["properties"]["labels"] =
        json!({"type": "object", "maxProperties": 5, "additionalProperties": {"type": "string", "maxLength": 5}});
    spec["x-kubernetes-validations"] = json!([{ "rule": rule }]);
    let root = json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}});
    thing_crd(&root, &json!({}))
}

/// The fields of an object or an item.
fn values(random: &mut Dice) -> Value {
    let text = |random: &mut Dice| json!(random.pick(&["a", "b", "ab", "ba", "x", "", "1", "*a"]));
    let mut values = json!({
        "s": text(random), "q": text(random), "n": random.below(6), "m": random.below(6), "on": random.one_in(2),
    });
    if random.one_in(2) {
        values["opt"] = text(random);
    }
    if random.one_in(2) {
        values["num"] = json!(random.below(6));
    }
    values
}

fn object(random: &mut Dice) -> Value {
    let mut spec = values(random);
    spec["items"] = (0..random.below(4)).map(|_| values(random)).collect();
    spec["tags"] = (0..random.below(3)).map(|_| json!(random.pick(&TEXTS))).collect();
    spec["labels"] = (0..random.below(3)).map(|_| (*random.pick(&TEXTS), json!("a"))).collect();
    json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "thing", "namespace": "default"}, "spec": spec})
}
