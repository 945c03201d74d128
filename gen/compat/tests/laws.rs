//! Rules that are rewritten by laws are equal, and rules that differ have a witness.
//!
//! `testdata/laws.tsv` lists the laws. Each pair of rules applies one law, or three inside each other; the sides of half of the pairs are then
//! made to differ. A server's answer about random objects decides whether they do.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_apiserver::objects::{FieldValidation, MINORS, Request, Resource};
use crd_compat::{Channels, Comparison, Declared, RequiredBump, Witness, policy::Profile};
use crd_model::channel::Channel;
use crd_model::{CustomResourceDefinition, parallel};
use serde_json::{Value, json};

use crd_testdata::{Dice, Law, laws};

const PAIRS: usize = 2_000;
/// Objects for each pair.
const OBJECTS: usize = 200;

/// The least percentages of equal pairs that are decided, and of other pairs that have a witness.
const DECIDED: [usize; 2] = [98, 98];

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

fn crd(rule: &str) -> CustomResourceDefinition {
    let item = json!({"type": "object", "required": REQUIRED, "properties": fields()});
    let mut spec = item.clone();
    spec["required"].as_array_mut().expect("a list").extend(["items", "tags", "labels"].map(Value::from));
    spec["properties"]["items"] = json!({"type": "array", "maxItems": 5, "items": item});
    spec["properties"]["tags"] = json!({"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 5}});
    spec["properties"]["labels"] =
        json!({"type": "object", "maxProperties": 5, "additionalProperties": {"type": "string", "maxLength": 5}});
    spec["x-kubernetes-validations"] = json!([{ "rule": rule }]);
    let root = json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}});
    CustomResourceDefinition::from_published(&crd_testdata::thing_crd(&root, &json!({}))).0
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

/// Whether each object is accepted; none if a server refuses the CRD.
fn accepted(crd: &CustomResourceDefinition, objects: &[Value]) -> Option<Vec<bool>> {
    let server = Resource::prepare(crd, "v1", MINORS.1)?.ok()?;
    let is_accepted =
        |object: &Value| server.answer(Request::create(object.clone()).fields(FieldValidation::Ignore)).is_accepted();
    Some(objects.iter().map(is_accepted).collect())
}

/// The largest bump that the change needs, and whether an object shows it.
fn verdict(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> (RequiredBump, bool) {
    let channels = |crd: &CustomResourceDefinition| Channels::from([(Channel::Standard, vec![Arc::new(crd.clone())])]);
    let (old, new) = (channels(old), channels(new));
    let declared = Declared::default();
    let comparison = Comparison::new(&old, &new, Profile::Semver, &declared);
    let findings = Comparison { with_witnesses: true, ..comparison }.findings();
    let bump = findings.iter().map(|finding| finding.required_bump).max().unwrap_or(RequiredBump::Patch);
    (bump, findings.iter().any(|finding| matches!(finding.witness, Some(Witness::Object(_)))))
}

/// What is wrong with the decision about a pair of rules.
enum Outcome {
    /// Equal or with a witness, as it should be.
    Right,
    NotDecided,
    /// The pair tests nothing.
    Useless,
}

#[test]
fn rewritten_rules_are_equal_and_others_have_a_witness() {
    let laws = laws();
    let pairs = crd_testdata::sample(PAIRS);
    let numbers = (0..pairs * 2).collect::<Vec<_>>();
    let outcomes = parallel::each(&numbers, |number| {
        let mut random = Dice::new(20_261_130 + *number as u64);
        let is_equal = number % 2 == 0;
        let depth = if number / 2 % 2 == 0 { 1 } else { 3 };
        let mut names = Vec::new();
        let [mut left, mut right] = condition(&mut random, &laws, Scope::Object, depth, &mut names);
        if depth == 1 && is_equal {
            // Each law is used by a pair of its own.
            let own = std::slice::from_ref(&laws[number / 4 % laws.len()]);
            names.clear();
            [left, right] = condition(&mut random, own, Scope::Object, 1, &mut names);
        }
        if !is_equal {
            let Some(rule) = changed(&mut random, &right) else { return (names, left, right, Outcome::Useless) };
            right = rule;
        }
        let objects = (0..OBJECTS).map(|_| object(&mut random)).collect::<Vec<_>>();
        let (old, new) = (crd(&left), crd(&right));
        let [by_old, by_new] = [&old, &new].map(|crd| accepted(crd, &objects));
        let (Some(by_old), Some(by_new)) = (by_old, by_new) else {
            assert!(!is_equal, "no server has these rules:\n{left}\n{right}");
            return (names, left, right, Outcome::Useless);
        };
        let broken = by_old.iter().zip(&by_new).position(|(old, new)| *old && !*new);
        let outcome = if is_equal {
            assert!(by_old == by_new, "{names:?} are not laws:\n{left}\n{right}");
            let is_decided =
                [(&old, &new), (&new, &old)].into_iter().all(|(old, new)| verdict(old, new).0 <= RequiredBump::Minor);
            if is_decided { Outcome::Right } else { Outcome::NotDecided }
        } else if broken.is_some() {
            let (bump, has_witness) = verdict(&old, &new);
            assert!(
                bump > RequiredBump::Minor,
                "refused, and permitted: {}\n{left}\n{right}",
                objects[broken.unwrap_or_default()]
            );
            if has_witness { Outcome::Right } else { Outcome::NotDecided }
        } else {
            Outcome::Useless
        };
        (names, left, right, outcome)
    });
    let mut counts = [[0_usize; 3]; 2];
    for (number, (names, left, right, outcome)) in outcomes.iter().enumerate() {
        let is_differing = number % 2;
        match outcome {
            Outcome::Right => counts[is_differing][0] += 1,
            Outcome::Useless => counts[is_differing][2] += 1,
            Outcome::NotDecided => {
                counts[is_differing][1] += 1;
                println!("{} {names:?}\n  {left}\n  {right}", ["not proven equal:", "no witness:"][is_differing]);
            }
        }
    }
    let [equal, differing] = counts;
    println!(
        "{} laws; equal: {} of {}; with a witness: {} of {}",
        laws.len(),
        equal[0],
        equal[0] + equal[1],
        differing[0],
        differing[0] + differing[1]
    );
    for ([right, undecided, _], least) in counts.into_iter().zip(DECIDED) {
        assert!(right > 0 && right * 100 >= (right + undecided) * least, "{right} of {}", right + undecided);
    }
}
