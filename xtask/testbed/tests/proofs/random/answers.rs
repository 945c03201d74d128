//! Whole answers to random requests: the stored object, the warnings, and the errors with type, path and text.
//!
//! The CRD has only the rules that compile. In addition to the objects of the definition, objects with one part removed, null, unknown or of another
//! type are created, stored and replaced.

use crd_apiserver::objects::Resource;
use crd_model::CustomResourceDefinition;
use serde_json::{Value as Json, json};

use super::{ANSWER_TEXTS, ANSWERS, Definition, Dice, Tally, schema};
use crate::objects::{Case, oracles, ours};
use crate::oracle::{Oracle, variants};

/// How many changed objects there are of each object.
const VARIANTS: usize = 3;

/// Compares the answers to all requests of a definition. Without rules, more objects are accepted.
pub(super) fn compare(
    definition: &Definition,
    with_rules: bool,
    minor: u32,
    dice: &mut Dice,
    oracle: &mut Oracle,
    tally: &mut Tally,
) {
    let mut schema = definition.schema.clone();
    for node in &definition.nodes {
        let target = node.path.iter().fold(&mut schema, |target, name| &mut target["properties"][name]);
        let compiles = node.rules.iter().filter(|rule| with_rules && rule.program.is_some());
        // A message that does not compile makes its rule one that does not.
        let compiles = compiles.filter(|rule| rule.message_expression.is_none() || rule.message.is_some());
        target["x-kubernetes-validations"] = compiles.map(super::Rule::to_json).collect();
    }
    let document = schema::crd(&schema);
    // The proof of estimates compares estimates.
    oracle.ask(&json!({"define": "b", "crd": document}));
    let crd = CustomResourceDefinition::from_value(&document).expect("a CRD");
    let resource = match Resource::prepare(&crd, "v1", minor).expect("its version") {
        Ok(resource) => resource,
        Err(problems) => return tally.differ(ANSWERS, format!("{problems:?}\n    {document}")),
    };
    let cases = cases(definition, dice);
    let lines: Vec<String> = cases.iter().map(|case| case.line("b", "v1").to_string()).collect();
    let answers = oracle.ask_all(&lines);
    let rules = if with_rules { definition.nodes.iter().map(|node| node.rules.len()).sum() } else { 1 };
    for ((case, line), answer) in cases.iter().zip(&lines).zip(&answers) {
        let own = case.answer(&resource);
        // Which rules are evaluated before the budget ends depends on the order in which a server reads maps.
        if !own.undecided.is_empty() || is_stopped(answer) || own.errors.iter().any(|error| is_stop(&error.message)) {
            tally.skipped += 1;
            continue;
        }
        tally.answers += 1;
        tally.cases += rules;
        let (own, expected) = (ours(&own), oracles(answer));
        tally.accepted += usize::from(accepts(&expected));
        let errors = |answer: &Json| answer["errors"].as_array().cloned().unwrap_or_default();
        let (own_errors, expected_errors) = (errors(&own), errors(&expected));
        let equal = expected_errors.iter().filter(|error| own_errors.contains(error)).count();
        if own != expected {
            let again = vec![line.clone(); 8];
            if oracle.ask_all(&again).iter().any(|answer| oracles(answer) != expected) {
                tally.varying += 1;
                continue;
            }
            tally.fail_open += usize::from(accepts(&own) && !accepts(&expected));
            let kind = if accepts(&own) || accepts(&expected) { ANSWERS } else { ANSWER_TEXTS };
            let only = |one: &[Json], other: &[Json]| -> Json {
                one.iter().filter(|error| !other.contains(error)).take(2).cloned().collect()
            };
            let text = format!(
                "{line}\n    only here: {}\n    only the server: {}\n    else: {}\n    else: {}\n    CRD: {document}",
                only(&own_errors, &expected_errors),
                only(&expected_errors, &own_errors),
                json!([own["stored"], own["unknown"], own["warnings"], own_errors.len()]),
                json!([expected["stored"], expected["unknown"], expected["warnings"], expected_errors.len()]),
            );
            tally.differ(kind, text);
        }
        tally.texts += expected_errors.len();
        tally.equal_texts += equal;
    }
}

/// Whether an object is accepted.
fn accepts(answer: &Json) -> bool {
    answer.get("refused").is_none() && answer["errors"] == json!([])
}

fn is_stop(message: &str) -> bool {
    message.contains("no further validation rules will be run")
}

fn is_stopped(answer: &Json) -> bool {
    let errors = answer["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    errors.iter().any(|error| error["message"].as_str().is_some_and(is_stop))
}

fn cases(definition: &Definition, dice: &mut Dice) -> Vec<Case> {
    let mut cases = Vec::new();
    for (new, old) in &definition.requests {
        let found = variants(new);
        let mut changed: Vec<Json> = (0..VARIANTS.min(found.len())).map(|_| dice.pick(&found).clone()).collect();
        cases.push(Case::create(new));
        cases.extend(changed.iter().map(Case::create));
        changed.extend(old.clone());
        for old in &changed {
            let is_status = dice.percent(25);
            cases.push(Case::update(old, new, is_status));
            cases.push(Case::update(new, old, is_status));
            let mut relabelled = old.clone();
            relabelled["metadata"]["labels"] = json!({"a": "b"});
            cases.push(Case::update(old, &relabelled, is_status));
        }
    }
    cases
}
