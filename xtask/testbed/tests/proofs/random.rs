//! Random rules over random schemas and objects: the evaluator has the verdicts and texts of Kubernetes' own libraries, on each minor.
//!
//! A case is one rule for one object, which is created or updated. Its verdict is: the rule holds, it fails, or it has an error. Rules that do
//! not compile are compared too. Rules belong to nodes that are reached by properties, so that their old values are known.

mod dice;
mod object;
mod rule;
mod schema;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crd_cel::{CALL_BUDGET, Environment, Expression, Failure, OBJECT_BUDGET, Program, Value, mentions_old_self};
use crd_model::Schema;
use crd_testbed::{MINORS, Minor};
use serde_json::{Value as Json, json};

use crate::oracle::Oracle;
use dice::Dice;
use rule::{Rules, Type, type_of};

/// How many cases a proof compares on each minor.
const CASES: usize = 200_000;
/// How many objects are created or updated with one CRD.
const OBJECTS: usize = 12;
/// How many rules a node has.
const RULES: usize = 12;
/// The longest text of a message expression that is used.
const LONGEST_MESSAGE: usize = 5 * 1024;
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

/// The result of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Holds,
    Fails(Error),
    Broken(Error),
    /// Not decided here.
    Undecided,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Error {
    kind: String,
    field: String,
    message: String,
}

impl Verdict {
    fn is_same(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    fn error(&self) -> Option<&Error> {
        match self {
            Self::Fails(error) | Self::Broken(error) => Some(error),
            Self::Holds | Self::Undecided => None,
        }
    }
}

/// What was compared on a minor.
#[derive(Default)]
struct Tally {
    definitions: usize,
    refused_definitions: usize,
    compiled: usize,
    refused_rules: usize,
    cases: usize,
    failed: usize,
    broken: usize,
    undecided: usize,
    /// Cases whose answer of the server depends on the order in which it reads a map.
    varying: usize,
    texts: usize,
    equal_texts: usize,
    fail_open: usize,
    invalid_objects: usize,
    /// By kind.
    differences: BTreeMap<&'static str, Vec<String>>,
    waited: Duration,
    took: Duration,
}

impl Tally {
    fn differ(&mut self, kind: &'static str, text: String) {
        self.differences.entry(kind).or_default().push(text);
    }

    fn count(&self, kind: &str) -> usize {
        self.differences.get(kind).map_or(0, Vec::len)
    }
}

const COMPILES: &str = "compile verdicts";
const VERDICTS: &str = "verdicts";
const TEXTS: &str = "texts";

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

fn at<'j>(json: &'j Json, path: &[String]) -> Option<&'j Json> {
    path.iter().try_fold(json, |json, name| json.get(name))
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
    for _ in 0..if is_expensive { OBJECTS / 2 } else { OBJECTS } {
        let new = object::resource(dice, &schema);
        let old = dice.percent(40).then(|| object::old(dice, &schema, &new));
        requests.push((new, old));
    }
    Definition { schema, nodes: made, requests }
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
    /// The lines that ask an oracle.
    fn lines(&self) -> Vec<String> {
        let mut lines = vec![json!({"define": "a", "crd": schema::crd(&self.schema)}).to_string()];
        for (new, old) in &self.requests {
            let mut line = json!({"crd": "a", "version": "v1", "new": new});
            if let Some(old) = old {
                line["old"] = old.clone();
            }
            lines.push(line.to_string());
        }
        lines
    }

    /// Compiles the rules, and compares what does not compile with the errors of the CRD. Returns whether a server accepts the rest.
    fn compile(&mut self, answer: &Json, model: &Schema, minor: u32, tally: &mut Tally) -> bool {
        let mut refusals: HashMap<String, &str> = HashMap::new();
        for error in answer["errors"].as_array().into_iter().flatten() {
            let (field, message) =
                (error["field"].as_str().unwrap_or_default(), error["message"].as_str().unwrap_or_default());
            let Some((_, path)) = field.split_once("openAPIV3Schema") else { return false };
            match path.contains("x-kubernetes-validations") {
                // This proof does not compare estimates of costs.
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

// ---- requests ----

/// What the rules of a CRD result in for one object.
struct Results {
    /// By the id of the rule.
    verdicts: BTreeMap<String, Verdict>,
    /// The error after which the server does not evaluate more rules.
    stop: Option<Error>,
}

/// Evaluates all rules as a server does.
fn evaluate(definition: &Definition, model: &Schema, new: &Json, old: Option<&Json>) -> Results {
    let mut results = Results { verdicts: BTreeMap::new(), stop: None };
    let mut budget = OBJECT_BUDGET;
    for node in &definition.nodes {
        let Some(value) = at(new, &node.path).filter(|value| !value.is_null()) else { continue };
        let old_value = old.and_then(|old| at(old, &node.path)).filter(|value| !value.is_null());
        let schema = node.path.iter().fold(model, |schema, name| &schema.properties[name.as_str()]);
        let kind = schema.kind.as_deref().unwrap_or_default();
        let field = if node.path.is_empty() { "<nil>".to_owned() } else { node.path.join(".") };
        let read = |json| {
            if node.path.is_empty() { Value::from_resource(json, schema) } else { Value::from_json(json, schema) }
        };
        let own = read(value);
        for rule in &node.rules {
            let Some(program) = &rule.program else { continue };
            let is_transition = mentions_old_self(&rule.source);
            let is_optional = rule.optional_old_self == Some(true);
            if is_transition && old_value.is_none() && !is_optional {
                continue;
            }
            let old_self = match (old_value, is_optional) {
                (Some(old), false) => read(old),
                (Some(old), true) => Value::some(read(old)),
                (None, _) => Value::Optional(None),
            };
            let inputs = [own.clone(), old_self];
            let invalid = |text: String| Error {
                kind: "FieldValueInvalid".to_owned(),
                field: field.clone(),
                message: format!("Invalid value: {kind:?}: {text}"),
            };
            let result = program.evaluate(&inputs, CALL_BUDGET);
            if result.cost > budget {
                let text =
                    "validation failed due to running out of cost budget, no further validation rules will be run";
                results.stop = Some(invalid(text.to_owned()));
                return results;
            }
            budget -= result.cost;
            let verdict = match result.value {
                Ok(Value::Boolean(true)) => Verdict::Holds,
                Err(failure) if failure.is_undecided() => Verdict::Undecided,
                Err(failure) if failure.is_over_budget() => {
                    results.stop = Some(invalid(format!(
                        "'{failure}': no further validation rules will be run due to call cost exceeds limit for rule: {}",
                        rule.id
                    )));
                    return results;
                }
                Err(failure) => Verdict::Broken(invalid(text_of(&failure, &rule.id))),
                Ok(_) => {
                    let field = match &rule.field {
                        Some(name) if node.path.is_empty() => name.clone(),
                        Some(name) => format!("{field}.{name}"),
                        None => field.clone(),
                    };
                    let mut detail = rule.id.clone();
                    if let Some(message) = &rule.message {
                        let result = message.evaluate(&inputs, CALL_BUDGET);
                        if result.cost > budget {
                            let text = "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
                            results.stop = Some(Error { field, ..invalid(text.to_owned()) });
                            return results;
                        }
                        budget -= result.cost;
                        match &result.value {
                            Ok(Value::Text(text)) => {
                                let text = text.trim();
                                if !text.is_empty() && !text.contains('\n') && text.len() <= LONGEST_MESSAGE {
                                    detail = text.to_owned();
                                }
                            }
                            Err(failure) if failure.is_undecided() => detail.push('?'),
                            _ => {}
                        }
                    }
                    if old_value == Some(value) && !is_transition {
                        Verdict::Holds
                    } else {
                        Verdict::Fails(Error { kind: kind_of(rule.reason), field, message: detail })
                    }
                }
            };
            results.verdicts.insert(rule.id.clone(), verdict);
        }
    }
    results
}

fn kind_of(reason: Option<&str>) -> String {
    reason.unwrap_or("FieldValueInvalid").to_owned()
}

fn text_of(failure: &Failure, id: &str) -> String {
    let text = failure.to_string();
    if text.starts_with("no such overload") {
        format!(
            "'{text}': call arguments did not match a supported operator, function or macro signature for rule: {id}"
        )
    } else {
        format!("{text} evaluating rule: {id}")
    }
}

/// The id of a rule in a text: `#12#`.
fn id_of(text: &str) -> Option<&str> {
    text.match_indices('#').find_map(|(start, _)| {
        let rest = &text[start + 1..];
        let digits = rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        (digits > 0 && rest[digits..].starts_with('#')).then(|| &text[start..start + digits + 2])
    })
}

/// What an oracle answers; nothing where rules were not evaluated.
fn expected(answer: &Json) -> Option<Results> {
    let mut results = Results { verdicts: BTreeMap::new(), stop: None };
    if answer.get("refused").is_some() {
        return None;
    }
    for error in answer["errors"].as_array().into_iter().flatten() {
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        let error = Error { kind: text("type"), field: text("field"), message: text("message") };
        if error.message.contains("no further validation rules will be run") {
            results.stop = Some(error);
        } else if error.message.contains("rule compile error") {
            continue;
        } else if let Some(id) = id_of(&error.message) {
            let id = id.to_owned();
            let is_broken = error.message.ends_with(&format!("evaluating rule: {id}"))
                || error.message.ends_with(&format!("signature for rule: {id}"));
            let verdict = if is_broken { Verdict::Broken(error) } else { Verdict::Fails(error) };
            results.verdicts.insert(id, verdict);
        } else {
            return None;
        }
    }
    Some(results)
}

/// Whether both errors have the same text. The value that a failed rule shows is not compared.
fn is_same_text(own: &Verdict, server: &Verdict) -> bool {
    match (own, server) {
        (Verdict::Fails(own), Verdict::Fails(server)) => {
            (&own.kind, &own.field) == (&server.kind, &server.field)
                && (server.message.ends_with(&own.message) || own.kind == "FieldValueDuplicate")
        }
        (own, server) => own == server,
    }
}

fn decoded(model: &Schema, object: &Json) -> Json {
    let mut object = object.clone();
    crd_apiserver::prune(model, &mut object);
    crd_apiserver::apply_defaults(model, &mut object);
    object
}

fn compare(definition: &Definition, model: &Schema, at: usize, answer: &Json, oracle: &mut Oracle, tally: &mut Tally) {
    let (new, old) = &definition.requests[at];
    let Some(mut server) = expected(answer) else {
        tally.invalid_objects += 1;
        return;
    };
    let new = decoded(model, new);
    let old = old.as_ref().map(|old| decoded(model, old));
    let own = evaluate(definition, model, &new, old.as_ref());
    let is_ordered = definition.nodes.len() == 1;
    // A stop depends on the order of nodes, which is that of a map of Go.
    let is_stopped = own.stop.is_some() || server.stop.is_some();
    let mut compared = Vec::new();
    if is_stopped && (own.stop.is_some() != server.stop.is_some() || is_ordered && own.stop != server.stop) {
        tally.differ(
            VERDICTS,
            format!(
                "stop of {}\n    node: {new}\n    ours: {:?}\n    server: {:?}",
                rules_of(definition),
                own.stop,
                server.stop
            ),
        );
    }
    if is_stopped && !is_ordered {
        return;
    }
    for (id, verdict) in &own.verdicts {
        tally.cases += 1;
        let expected = server.verdicts.remove(id).unwrap_or(Verdict::Holds);
        match &expected {
            _ if *verdict == Verdict::Undecided => {
                tally.undecided += 1;
                continue;
            }
            Verdict::Fails(_) => tally.failed += 1,
            Verdict::Broken(_) => tally.broken += 1,
            _ => {}
        }
        compared.push((id, verdict, expected));
    }
    // An oracle evaluates rules that a server refuses in new CRDs.
    let is_refused = |id: &str| {
        let rule = definition.nodes.iter().flat_map(|node| &node.rules).find(|rule| rule.id == id);
        rule.is_none_or(|rule| rule.program.is_none())
    };
    for (id, verdict) in server.verdicts.iter().filter(|(id, _)| !is_refused(id)) {
        tally.differ(VERDICTS, format!("{id} of {new}\n    ours: not evaluated\n    server: {verdict:?}"));
    }
    let mut others: Option<Vec<Results>> = None;
    for (id, verdict, expected) in compared {
        let is_text = expected.error().is_some();
        if verdict.is_same(&expected) && is_same_text(verdict, &expected) {
            tally.texts += usize::from(is_text);
            tally.equal_texts += usize::from(is_text);
            continue;
        }
        // A server reads maps in any order.
        let others = others.get_or_insert_with(|| {
            let lines = definition.lines();
            let again: Vec<String> =
                std::iter::once(lines[0].clone()).chain((0..8).map(|_| lines[at + 1].clone())).collect();
            oracle.ask_all(&again)[1..].iter().filter_map(expected_of).collect()
        });
        let other = |results: &Results| results.verdicts.get(id).cloned().unwrap_or(Verdict::Holds);
        if others.iter().any(|results| other(results) != expected) {
            tally.varying += 1;
            continue;
        }
        tally.texts += usize::from(is_text);
        let rule = definition.nodes.iter().flat_map(|node| &node.rules).find(|rule| rule.id == *id).expect("a rule");
        let node = definition.nodes.iter().find(|node| node.rules.iter().any(|rule| rule.id == *id)).expect("a node");
        let value = self::at(&new, &node.path);
        let mut text = format!("{}\n    ours: {verdict:?}\n    server: {expected:?}", rule.source);
        if let Some(message) = &rule.message_expression {
            let _ = write!(text, "\n    message: {message}");
        }
        let _ = write!(text, "\n    self: {}", value.unwrap_or(&Json::Null));
        if let Some(old) = old.as_ref().and_then(|old| self::at(old, &node.path)) {
            let _ = write!(text, "\n    oldSelf: {old}");
        }
        let _ = write!(text, "\n    node: {}", shortened(at_schema(&definition.schema, &node.path)));
        if verdict.is_same(&expected) {
            tally.differ(TEXTS, text);
        } else {
            tally.fail_open += usize::from(*verdict == Verdict::Holds);
            tally.differ(VERDICTS, text);
        }
    }
}

/// The rules that were evaluated.
fn rules_of(definition: &Definition) -> String {
    let rules = definition.nodes.iter().flat_map(|node| &node.rules).filter(|rule| rule.program.is_some());
    rules.map(|rule| rule.source.as_str()).collect::<Vec<_>>().join(" ;; ")
}

fn expected_of(answer: &Json) -> Option<Results> {
    expected(answer)
}

/// Compares this many cases.
fn prove(minor: &'static Minor, cases: usize, seed: u64) -> Tally {
    let number: u32 = minor.name.strip_prefix("1.").and_then(|number| number.parse().ok()).expect("a minor");
    let mut oracle = Oracle::start(minor);
    let mut tally = Tally::default();
    let start = Instant::now();
    let mut seed = seed;
    while tally.cases < cases {
        seed += 1;
        let mut dice = Dice::new(seed.wrapping_mul(1_000_003) + u64::from(number));
        let mut definition = definition(&mut dice, number);
        let waiting = Instant::now();
        let answers = oracle.ask_all(&definition.lines());
        tally.waited += waiting.elapsed();
        let model = Schema::from_value(&definition.schema).expect("a schema");
        if !definition.compile(&answers[0], &model, number, &mut tally) {
            tally.refused_definitions += 1;
            continue;
        }
        tally.definitions += 1;
        for (at, answer) in answers[1..].iter().enumerate() {
            compare(&definition, &model, at, answer, &mut oracle, &mut tally);
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
    let mut table = "| minor | CRDs (refused) | expressions (refused) | cases | fail, error | undecided | varying | compile, verdict differences | fail-open | equal texts | cases per second |\n|-|-|-|-|-|-|-|-|-|-|-|\n".to_owned();
    let mut problems = String::new();
    for pair in MINORS.chunks(2) {
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
                "| {} | {} ({}) | {} ({}) | {} | {}, {} | {} | {} | {}, {} | {} | {:.2} % of {} | {speed:.0} |",
                minor.name,
                tally.definitions,
                tally.refused_definitions,
                tally.compiled,
                tally.refused_rules,
                tally.cases,
                tally.failed,
                tally.broken,
                tally.undecided,
                tally.varying,
                tally.count(COMPILES),
                tally.count(VERDICTS),
                tally.fail_open,
                share * 100.0,
                tally.texts,
            );
            // A sample is too small for a share.
            let is_equal = share >= EQUAL_TEXTS || !crd_testdata::is_proof();
            let is_proven = tally.count(COMPILES) + tally.count(VERDICTS) == 0 && is_equal;
            for (kind, texts) in &tally.differences {
                if !is_proven {
                    let _ = writeln!(problems, "# {} {kind}: {}", minor.name, texts.len());
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
