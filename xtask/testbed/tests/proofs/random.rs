//! Random rules over random schemas and objects: the evaluator has the verdicts and texts of Kubernetes' own libraries, on each minor.
//!
//! Which rules compile is compared, and the whole answers to creations, updates and updates of the status: see `answers`. A case is one rule
//! for one object.

mod answers;
pub(crate) mod object;
mod rule;
pub(crate) mod schema;
mod words;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crd_cel::{Environment, Expression, Program, mentions_old_self};
use crd_model::Schema;
use crd_testbed::Minor;
use serde_json::{Value as Json, json};

use crate::oracle::Oracle;
use crate::server::number;
use crd_testdata::Dice;
use rule::{Rules, Type, type_of};

/// How many cases a proof compares on each minor.
const CASES: usize = 200_000;
/// How many objects are created or updated with one CRD.
const OBJECTS: usize = 3;
/// How many rules a node has.
const RULES: usize = 12;
/// How many differences of a kind are kept.
const SHOWN: usize = 200;
/// The share of equal texts that is required.
const EQUAL_TEXTS: f64 = 0.99;

/// A rule, and what it is compiled to.
struct Rule {
    /// A text that occurs in each error about this rule.
    id: String,
    source: String,
    optional_old_self: Option<bool>,
    message_expression: Option<String>,
    reason: Option<&'static str>,
    field: Option<String>,
    program: Option<Program>,
    message: Option<Program>,
}

/// A schema node with rules.
struct Node {
    path: Vec<String>,
    rules: Vec<Rule>,
}

/// A CRD and requests about it.
struct Definition {
    schema: Json,
    nodes: Vec<Node>,
    /// New objects, and old ones of updates.
    requests: Vec<(Json, Option<Json>)>,
}

/// What was compared on a minor.
#[derive(Default)]
struct Tally {
    definitions: usize,
    refused_definitions: usize,
    compiled: usize,
    refused_rules: usize,
    /// One rule for one object each.
    cases: usize,
    answers: usize,
    accepted: usize,
    /// Answers that are not decided here, and those whose evaluation stops because of its cost.
    skipped: usize,
    /// Answers that depend on the order in which a server reads a map.
    varying: usize,
    /// Errors of refused objects, and those with the same type, path and text.
    texts: usize,
    equal_texts: usize,
    fail_open: usize,
    /// How many there are of each kind, and the first ones.
    differences: BTreeMap<&'static str, (usize, Vec<String>)>,
    took: Duration,
}

impl Tally {
    fn differ(&mut self, kind: &'static str, text: String) {
        let (count, texts) = self.differences.entry(kind).or_default();
        *count += 1;
        if texts.len() < SHOWN {
            texts.push(text);
        }
    }

    fn count(&self, kind: &str) -> usize {
        self.differences.get(kind).map_or(0, |(count, _)| *count)
    }
}

const COMPILES: &str = "compile verdicts";
const ANSWERS: &str = "answers";
const ANSWER_TEXTS: &str = "texts of answers";

// ---- definitions ----

/// The nodes that are reached by properties and that rules can read.
fn nodes<'s>(schema: &'s Json, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, &'s Json)>) {
    if type_of(schema, path.is_empty()).is_none() {
        return;
    }
    found.push((path.clone(), schema));
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if crd_cel::escape(name).is_some() || type_of(property, false).is_some() {
            path.push(name.clone());
            nodes(property, path, found);
            path.pop();
        }
    }
}

fn definition(dice: &mut Dice, minor: u32) -> Definition {
    let is_expensive = dice.percent(4);
    let mut schema = if is_expensive { schema::expensive(dice) } else { schema::resource(dice) };
    let mut chosen = Vec::new();
    let mut made = Vec::new();
    {
        let mut found = Vec::new();
        nodes(&schema, &mut Vec::new(), &mut found);
        let mut count = 0;
        for (index, (path, node)) in found.iter().enumerate() {
            // The spec, the resource, and a few other nodes.
            let is_chosen = match index {
                0 => !is_expensive && dice.percent(30),
                1 => true,
                _ => !is_expensive && dice.percent(300 / found.len()),
            };
            if !is_chosen {
                continue;
            }
            let found = type_of(node, path.is_empty()).expect("it was found");
            let mut rules = Vec::new();
            for _ in 0..RULES {
                rules.push(random_rule(dice, minor, found, node, format!("#{count}#")));
                count += 1;
            }
            chosen.push((path.clone(), rules.iter().map(Rule::to_json).collect::<Json>()));
            made.push(Node { path: path.clone(), rules });
        }
    }
    for (path, rules) in chosen {
        let node = path.iter().fold(&mut schema, |node, name| &mut node["properties"][name]);
        node["x-kubernetes-validations"] = rules;
    }
    let mut requests = Vec::new();
    for _ in 0..if is_expensive { 1 } else { OBJECTS } {
        let new = object::resource(dice, &schema);
        let old = dice.percent(40).then(|| object::old(dice, &schema, &new));
        requests.push((new, old));
    }
    Definition { schema, nodes: made, requests }
}

/// A CRD with rules in nodes of all kinds, whose costs are multiplied in lists and maps.
pub(crate) fn crd_with_rules(dice: &mut Dice, minor: u32) -> Json {
    let mut schema = schema::resource(dice);
    let below = schema::pointers(&schema["properties"]["spec"], "/properties/spec");
    for pointer in &below {
        schema::limit(dice, schema.pointer_mut(pointer).expect("a node"));
    }
    let mut rules: Vec<(String, Json)> = Vec::new();
    for pointer in below.into_iter().chain([String::new()]) {
        let node = schema.pointer(&pointer).expect("a node");
        if let Some(found) = type_of(node, pointer.is_empty())
            && dice.percent(40)
        {
            let made = (0..RULES / 3).map(|_| random_rule(dice, minor, found, node, "rule".to_owned()).to_json());
            rules.push((pointer, made.collect()));
        }
    }
    for (pointer, rules) in rules {
        schema.pointer_mut(&pointer).expect("a node")["x-kubernetes-validations"] = rules;
    }
    schema::crd(&schema)
}

fn random_rule(dice: &mut Dice, minor: u32, found: Type<'_>, node: &Json, id: String) -> Rule {
    let old = match dice.below(10) {
        0..3 => Some(false),
        3 => Some(true),
        _ => None,
    };
    let source = Rules::new(dice, minor).rule(found, old, false);
    let mentions = mentions_old_self(&source);
    let message_expression = dice
        .percent(12)
        .then(|| format!("'{id} ' + {}", Rules::new(dice, minor).rule(found, old.filter(|_| mentions), true)));
    let reasons = ["FieldValueRequired", "FieldValueForbidden", "FieldValueInvalid", "FieldValueDuplicate"];
    let reason = dice.percent(10).then(|| dice.one(&reasons));
    let plain: Vec<&String> = node["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase()))
        .collect();
    let field = (!plain.is_empty() && dice.percent(10)).then(|| (*dice.pick(&plain)).clone());
    Rule {
        id,
        source,
        optional_old_self: old.filter(|_| mentions).filter(|is_optional| *is_optional),
        message_expression,
        reason,
        field,
        program: None,
        message: None,
    }
}

impl Rule {
    fn to_json(&self) -> Json {
        let mut rule = json!({"rule": self.source, "message": self.id});
        if let Some(optional) = self.optional_old_self {
            rule["optionalOldSelf"] = json!(optional);
        }
        if let Some(expression) = &self.message_expression {
            rule["messageExpression"] = json!(expression);
        }
        if let Some(reason) = self.reason {
            rule["reason"] = json!(reason);
        }
        if let Some(field) = &self.field {
            rule["fieldPath"] = json!(format!(".{field}"));
        }
        rule
    }
}

impl Definition {
    /// The line that defines the CRD.
    fn line(&self) -> Json {
        json!({"define": "a", "crd": schema::crd(&self.schema)})
    }

    /// Compiles the rules, and compares what does not compile with the errors of the CRD. Returns whether a server accepts the rest.
    fn compile(&mut self, answer: &Json, model: &Schema, minor: u32, tally: &mut Tally) -> bool {
        let mut refusals: HashMap<String, &str> = HashMap::new();
        for error in answer["errors"].as_array().into_iter().flatten() {
            let (field, message) =
                (error["field"].as_str().unwrap_or_default(), error["message"].as_str().unwrap_or_default());
            let Some((_, path)) = field.split_once("openAPIV3Schema") else { return false };
            match path.contains("x-kubernetes-validations") {
                // Another proof compares estimates of costs.
                true if error["type"] == "FieldValueForbidden" && message.contains("cost") => {}
                true => drop(refusals.insert(path.to_owned(), message)),
                false if message.contains("cost") => {}
                false => return false,
            }
        }
        // A server panics on an optional item whose type is not known, such as `[?dyn(1), 2]`.
        if answer.get("refused").is_some() {
            return false;
        }
        for node in &mut self.nodes {
            let schema = node.path.iter().fold(model, |schema, name| &schema.properties[name.as_str()]);
            let written: String =
                node.path.iter().fold(String::new(), |path, name| format!("{path}.properties[{name}]"));
            for (index, rule) in node.rules.iter_mut().enumerate() {
                let environment = Environment::rule(schema, node.path.is_empty())
                    .optional_old_self(rule.optional_old_self == Some(true))
                    .kubernetes(minor);
                let mut compiled = |source: &str, what: &str, environment: Environment<'_>| {
                    let refusal = refusals.get(&format!("{written}.x-kubernetes-validations[{index}].{what}"));
                    let program = Program::compile(source, environment);
                    tally.compiled += 1;
                    tally.refused_rules += usize::from(refusal.is_some());
                    if program.is_err() != refusal.is_some() {
                        let own = program.as_ref().err().map(|problems| problems[0].to_string());
                        let node = shortened(at_schema(&self.schema, &node.path));
                        tally.differ(
                            COMPILES,
                            format!("{source}\n    ours: {own:?}\n    server: {refusal:?}\n    node: {node}"),
                        );
                    }
                    program.ok().filter(|_| refusal.is_none())
                };
                rule.program = compiled(&rule.source, "rule", environment);
                // A message is compiled only if its rule is.
                rule.message = match (&rule.program, &rule.message_expression) {
                    (Some(_), Some(source)) => {
                        compiled(source, "messageExpression", environment.expression(Expression::Message))
                    }
                    _ => None,
                };
            }
        }
        true
    }
}

fn at_schema<'j>(schema: &'j Json, path: &[String]) -> &'j Json {
    path.iter().fold(schema, |node, name| &node["properties"][name])
}

/// A schema without its rules.
fn shortened(schema: &Json) -> Json {
    let mut schema = schema.clone();
    remove_rules(&mut schema);
    schema
}

fn remove_rules(schema: &mut Json) {
    match schema {
        Json::Object(map) => {
            map.remove("x-kubernetes-validations");
            map.values_mut().for_each(remove_rules);
        }
        Json::Array(items) => items.iter_mut().for_each(remove_rules),
        _ => {}
    }
}

/// Compares this many cases.
fn prove(minor: &'static Minor, cases: usize, seed: u64) -> Tally {
    let number = number(minor);
    let mut oracle = Oracle::start(minor);
    let mut tally = Tally::default();
    let start = Instant::now();
    let mut seed = seed;
    while tally.cases < cases {
        seed += 1;
        let mut dice = Dice::new(seed.wrapping_mul(1_000_003) + u64::from(number));
        let mut definition = definition(&mut dice, number);
        let defined = oracle.ask(&definition.line());
        let model = Schema::from_value(&definition.schema).expect("a schema");
        if !definition.compile(&defined, &model, number, &mut tally) {
            tally.refused_definitions += 1;
            continue;
        }
        tally.definitions += 1;
        for with_rules in [true, false] {
            answers::compare(&definition, with_rules, number, &mut dice, &mut oracle, &mut tally);
        }
    }
    tally.took = start.elapsed();
    tally
}

#[test]
fn random_rules_have_the_results_of_kubernetes() {
    if !crate::oracle::is_available() {
        return;
    }
    let cases = if crd_testdata::is_proof() { CASES } else { crd_testdata::sample(CASES) / 50 };
    let cases = std::env::var("CRD_RANDOM_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    let seed = std::env::var("CRD_RANDOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut table = "| minor | CRDs (refused) | expressions (refused) | cases | answers (accepted) | skipped | varying | expressions that only one compiles | different answers | accepted here only | equal errors | cases per second |\n|-|-|-|-|-|-|-|-|-|-|-|-|\n".to_owned();
    let mut problems = String::new();
    for pair in crate::oracle::minors().chunks(2) {
        let tallies: Vec<Tally> = std::thread::scope(|scope| {
            let threads: Vec<_> = pair.iter().map(|minor| scope.spawn(move || prove(minor, cases, seed))).collect();
            threads.into_iter().map(|thread| thread.join().expect("a proof")).collect()
        });
        for (minor, tally) in pair.iter().zip(tallies) {
            #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
            let (share, speed) =
                (tally.equal_texts as f64 / tally.texts.max(1) as f64, tally.cases as f64 / tally.took.as_secs_f64());
            let _ = writeln!(
                table,
                "| {} | {} ({}) | {} ({}) | {} | {} ({}) | {} | {} | {} | {} | {} | {:.2} % of {} | {speed:.0} |",
                minor.name,
                tally.definitions,
                tally.refused_definitions,
                tally.compiled,
                tally.refused_rules,
                tally.cases,
                tally.answers,
                tally.accepted,
                tally.skipped,
                tally.varying,
                tally.count(COMPILES),
                tally.count(ANSWERS),
                tally.fail_open,
                share * 100.0,
                tally.texts,
            );
            // A sample is too small for a share.
            let is_equal = share >= EQUAL_TEXTS || !crd_testdata::is_proof();
            let is_proven = tally.count(COMPILES) + tally.count(ANSWERS) == 0 && is_equal;
            for (kind, (count, texts)) in &tally.differences {
                if !is_proven {
                    let _ = writeln!(problems, "# {} {kind}: {count}", minor.name);
                    // One example of each rule.
                    let mut seen = std::collections::HashSet::new();
                    let texts = texts.iter().filter(|text| seen.insert(text.lines().next().unwrap_or_default()));
                    for text in texts.take(100) {
                        let _ = writeln!(problems, "{text}");
                    }
                }
            }
        }
    }
    println!("{table}");
    assert!(problems.is_empty(), "{problems}");
}
