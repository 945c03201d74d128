//! Sums and comparisons of sets and of lists with keys: random expressions with `+`, `==`, `in` and `size` have the results of Kubernetes' own
//! libraries on each minor. Rules of one node share `self` and `oldSelf`, so that their order counts.

use std::sync::LazyLock;

use crd_apiserver::objects::Resource;
use crd_cel::{Environment, Program};
use crd_model::{CustomResourceDefinition, Schema};
use crd_testbed::Minor;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::objects::{Case, oracles, ours};
use crate::oracle::Oracle;
use crate::random::schema::crd;
use crate::server::number;
use crate::tables::table;
use crd_testdata::Dice;

/// How many expressions a proof compares on each minor.
const EXPRESSIONS: usize = 20_000;
/// How many rules a node has.
const RULES: usize = 4;

/// Lists whose items have one type.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Family {
    /// The fields of `spec`: the last one is atomic.
    fields: [&'static str; 3],
    /// Items as objects have them.
    items: Vec<Value>,
    /// Items as expressions write them.
    written: Vec<&'static str>,
    /// The schema of an item.
    schema: Value,
    /// The keys of the items; a list without keys is a set.
    #[serde(default)]
    keys: Vec<&'static str>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Families {
    families: Vec<Family>,
}

/// The families: in JSON, because `1.0` is an integer in YAML.
static FAMILIES: LazyLock<Vec<Family>> =
    LazyLock::new(|| table::<Families>(include_str!("sets/families.json")).families);

impl Family {
    fn list(&self, field: &str) -> Value {
        let mut schema = json!({"type": "array", "maxItems": 6, "items": self.schema});
        if self.fields[..2].contains(&field) {
            schema["x-kubernetes-list-type"] = json!(if self.keys.is_empty() { "set" } else { "map" });
            if !self.keys.is_empty() {
                schema["x-kubernetes-list-map-keys"] = json!(self.keys);
            }
        }
        schema
    }

    /// A list without two items of the same key. Numbers are equal whatever their type is.
    fn value(&self, dice: &mut Dice) -> Value {
        let key = |item: &Value| {
            let parts: Vec<String> = self.keys.iter().map(|key| item[*key].to_string()).collect();
            let text = if parts.is_empty() { item.to_string() } else { parts.join("\0") };
            text.replace(".0", "")
        };
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..dice.below(6) {
            let item = dice.pick(&self.items).clone();
            if !items.iter().any(|known| key(known) == key(&item)) {
                items.push(item);
            }
        }
        json!(items)
    }
}

/// Writes expressions about the lists of one family, which are fields of `self`, or `self` itself.
struct Writer<'d> {
    dice: &'d mut Dice,
    family: &'static Family,
    is_field: bool,
    with_old: bool,
    variables: usize,
}

impl Writer<'_> {
    fn item(&mut self) -> &'static str {
        self.dice.one(&self.family.written)
    }

    fn list(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.percent(25) {
            let variable = self.variables.saturating_sub(1);
            return match self.dice.below(8) {
                0 | 1 => {
                    let items: Vec<&str> = (0..self.dice.below(4)).map(|_| self.item()).collect();
                    format!("[{}]", items.join(", "))
                }
                2 | 3 if self.variables > 0 => format!("v{variable}"),
                choice => {
                    let of = if self.with_old && choice > 5 { "oldSelf" } else { "self" };
                    match self.is_field {
                        true => format!("{of}.{}", self.dice.one(&self.family.fields)),
                        false => of.to_owned(),
                    }
                }
            };
        }
        match self.dice.below(10) {
            0..7 => format!("({} + {})", self.list(depth - 1), self.list(depth - 1)),
            7 => format!("({} ? {} : {})", self.condition(depth - 1), self.list(depth - 1), self.list(depth - 1)),
            8 => format!("{}.filter(x, x != {})", self.list(depth - 1), self.item()),
            _ => format!("optional.of({}).value()", self.list(depth - 1)),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let below = depth.saturating_sub(1);
        match self.dice.below(if depth == 0 { 9 } else { 17 }) {
            0..4 => format!("{} == {}", self.list(depth), self.list(depth)),
            4 => format!("{} != {}", self.list(depth), self.list(depth)),
            5 | 6 => format!("{} in {}", self.item(), self.list(depth)),
            7 => format!("size({}) == {}", self.list(depth), self.dice.below(8)),
            8 => format!("size({}) <= size({})", self.list(depth), self.list(depth)),
            9 => format!("({} && {})", self.condition(below), self.condition(below)),
            10 => format!("({} || {})", self.condition(below), self.condition(below)),
            11 => format!("!({})", self.condition(below)),
            12 => format!("{}.all(x, x in {})", self.list(below), self.list(below)),
            13 => format!("[{}] == [{}]", self.list(below), self.list(below)),
            14 => format!("{} in [{}, {}]", self.list(below), self.list(below), self.list(below)),
            15 => format!("{}.exists(x, x == {})", self.list(below), self.item()),
            _ => {
                let range = self.list(below);
                self.variables += 1;
                let name = format!("v{}", self.variables - 1);
                let body = self.condition(below);
                self.variables -= 1;
                format!("[{range}].all({name}, {body})")
            }
        }
    }
}

/// What was compared on a minor.
#[derive(Default)]
struct Tally {
    expressions: usize,
    refused: usize,
    answers: usize,
    /// Answers that are not decided here.
    undecided: usize,
    errors: usize,
    differences: Vec<String>,
}

/// Rules of a node that compile.
fn rules(dice: &mut Dice, schema: &Value, family: Option<&'static Family>, minor: u32, tally: &mut Tally) -> Value {
    let node = Schema::from_value(schema).expect("a schema");
    let mut rules = Vec::new();
    for _ in 0..RULES {
        let one = dice.below(FAMILIES.len());
        let is_field = family.is_none();
        let with_old = dice.percent(40);
        let family = family.unwrap_or(&FAMILIES[one]);
        let depth = 1 + dice.below(3);
        let source = Writer { dice, family, is_field, with_old, variables: 0 }.condition(depth);
        if Program::compile(&source, Environment::rule(&node, false).kubernetes(minor)).is_err() {
            tally.refused += 1;
            continue;
        }
        tally.expressions += 1;
        rules.push(json!({"rule": source}));
    }
    Value::Array(rules)
}

fn compare(dice: &mut Dice, minor: u32, oracle: &mut Oracle, tally: &mut Tally) {
    let mut spec = json!({"type": "object", "properties": {}});
    for family in &*FAMILIES {
        for field in family.fields {
            spec["properties"][field] = family.list(field);
        }
    }
    for family in &*FAMILIES {
        let field = family.fields[dice.below(3)];
        if dice.percent(30) {
            let found = rules(dice, &spec["properties"][field], Some(family), minor, tally);
            spec["properties"][field]["x-kubernetes-validations"] = found;
        }
    }
    let found = rules(dice, &spec, None, minor, tally);
    spec["x-kubernetes-validations"] = found;
    let document = crd(&json!({"type": "object", "properties": {"spec": spec}}));
    oracle.ask(&json!({"define": "a", "crd": document}));
    let parsed = CustomResourceDefinition::from_value(&document).expect("a CRD");
    let resource = Resource::prepare(&parsed, "v1", minor).expect("its version").expect("its rules compile");
    let object = |dice: &mut Dice| {
        let fields = FAMILIES.iter().flat_map(|family| family.fields.iter().map(move |field| (family, field)));
        let spec: Map<_, _> = fields.map(|(family, field)| ((*field).to_owned(), family.value(dice))).collect();
        json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "b"}, "spec": spec})
    };
    let (new, other) = (object(dice), object(dice));
    // The same lists in another order.
    let mut turned = new.clone();
    for (_, list) in turned["spec"].as_object_mut().expect("an object") {
        list.as_array_mut().expect("a list").reverse();
    }
    let cases = [
        Case::create(&new),
        Case::create(&other),
        Case::update(&other, &new, false),
        Case::update(&new, &turned, false),
    ];
    let lines: Vec<String> = cases.iter().map(|case| case.line("a", "v1").to_string()).collect();
    for ((case, line), answer) in cases.iter().zip(&lines).zip(oracle.ask_all(&lines)) {
        let own = case.answer(&resource);
        tally.answers += 1;
        if !own.undecided.is_empty() {
            tally.undecided += 1;
            continue;
        }
        tally.errors += own.errors.len();
        let (own, expected) = (ours(&own), oracles(&answer));
        if own != expected {
            let errors = |answer: &Value| answer["errors"].as_array().cloned().unwrap_or_default();
            let only = |one: Vec<Value>, other: Vec<Value>| -> Value {
                one.into_iter().filter(|error| !other.contains(error)).collect()
            };
            tally.differences.push(format!(
                "here: {}\n  server: {}\n  {line}\n  {}",
                only(errors(&own), errors(&expected)),
                only(errors(&expected), errors(&own)),
                spec["x-kubernetes-validations"],
            ));
        }
    }
}

fn prove(minor: &'static Minor, expressions: usize) -> Tally {
    let number = number(minor);
    let seed = std::env::var("CRD_RANDOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let (mut oracle, mut tally, mut dice) = (Oracle::start(minor), Tally::default(), Dice::new(seed));
    while tally.expressions < expressions {
        compare(&mut dice, number, &mut oracle, &mut tally);
    }
    tally
}

#[test]
fn sets_and_lists_with_keys_have_the_results_of_kubernetes() {
    if !crate::oracle::is_available() {
        return;
    }
    let expressions = std::env::var("CRD_RANDOM_CASES").ok().and_then(|cases| cases.parse().ok());
    let expressions = expressions.unwrap_or_else(|| crd_testdata::sample(EXPRESSIONS));
    let mut problems = String::new();
    println!("| minor | expressions (refused) | answers (not decided) | errors | differences |\n|-|-|-|-|-|");
    for minor in crate::oracle::minors() {
        let Tally { expressions, refused, answers, undecided, errors, differences } = prove(minor, expressions);
        let count = differences.len();
        println!("| {} | {expressions} ({refused}) | {answers} ({undecided}) | {errors} | {count} |", minor.name);
        for text in differences.iter().take(10) {
            problems.push_str(&format!("# {}\n{text}\n", minor.name));
        }
        assert!(undecided * 10 < answers && errors > answers, "{}", minor.name);
    }
    assert!(problems.is_empty(), "{problems}");
}
