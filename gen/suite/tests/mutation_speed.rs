//! The mutants of Gateway API against a generated suite: how many a second, and that threads do not matter.

use std::sync::Arc;
use std::time::Instant;

use crd_apiserver::objects::{Request, Resource};
use crd_boundary::{Search, constraints};
use crd_model::CustomResourceDefinition;
use crd_suite::{Case, Expected, Run, Score, Verdict, elements, mutants};
use serde_json::{Map, Value, json};

const MINOR: u32 = 36;

fn crds() -> Vec<Arc<CustomResourceDefinition>> {
    let files = crd_testdata::gateway_api("v1.6.1", "experimental");
    files.iter().map(|file| Arc::new(CustomResourceDefinition::from_value(&file.json()).unwrap())).collect()
}

fn case(object: Value, expected: Expected, number: usize) -> Case {
    let name = number.to_string();
    Case { name, line: 0, channel: None, minors: None, old: None, object, is_status: false, expected }
}

/// Both sides of each constraint.
fn generated(crds: &[Arc<CustomResourceDefinition>]) -> Vec<Case> {
    let mut cases = Vec::new();
    for crd in crds {
        for version in crd.versions.iter().filter(|version| version.served) {
            let resource = Resource::prepare(crd, &version.name, MINOR).unwrap().unwrap();
            let frame = json!({
                "apiVersion": resource.api_version(), "kind": resource.kind(), "metadata": {"name": "a", "namespace": "default"},
            });
            let frame: Map<String, Value> = frame.as_object().unwrap().clone();
            let accepts = |_: &_, object: &Value| resource.answer(Request::create(object.clone())).is_accepted();
            let mut search = Search::new(&version.schema, frame, Vec::new(), accepts);
            for constraint in constraints(&version.schema) {
                if constraint.path.to_string().starts_with("status") {
                    continue;
                }
                let Ok(found) = search.boundary(&constraint) else { continue };
                let stored = resource.answer(Request::create(found.inside.clone())).stored;
                let accepted = Expected::Accepted { stored, parts: Vec::new(), warnings: None };
                cases.push(case(found.inside, accepted, cases.len()));
                let answer = resource.answer(Request::create(found.outside.clone()));
                let reasons = answer.errors.iter().filter(|error| !error.is_about_rules()).map(ToString::to_string);
                cases.push(case(found.outside, Expected::Refused(reasons.collect()), cases.len()));
            }
        }
    }
    cases
}

#[test]
#[ignore = "measures"]
fn speed() {
    let crds = crds();
    let started = Instant::now();
    let cases = generated(&crds);
    println!("{} cases in {:?}", cases.len(), started.elapsed());
    let started = Instant::now();
    let elements = elements(&crds);
    println!("{} elements in {:?}", elements.len(), started.elapsed());
    let started = Instant::now();
    let mutants = mutants(&elements, &crds);
    println!("{} mutants in {:?}", mutants.len(), started.elapsed());
    let mut operators = std::collections::BTreeMap::new();
    for mutant in &mutants {
        *operators.entry(mutant.operator).or_insert(0) += 1;
    }
    println!("{operators:?}");
    let started = Instant::now();
    let run = Run { crds: &crds, cases: &cases, minor: MINOR, threads: 2, progress: &|_| {} };
    let killers = run.killers(&mutants).unwrap();
    println!("{} killed in {:?}", killers.iter().flatten().count(), started.elapsed());
    let mut survived = std::collections::BTreeMap::new();
    for (mutant, _) in mutants.iter().zip(&killers).filter(|(_, killer)| killer.is_none()) {
        *survived.entry(mutant.operator).or_insert(0) += 1;
    }
    println!("survived: {survived:?}");
    for (mutant, _) in mutants.iter().zip(&killers).filter(|(_, killer)| killer.is_none()).step_by(97) {
        println!("  {} ({})", mutant.name, mutant.operator);
    }
    let started = Instant::now();
    let verdicts = run.verdicts(&mutants).unwrap();
    let score = Score::of(&verdicts);
    println!("{score:?} {:.1} in {:?}", score.percent(), started.elapsed());
    let mut counts = std::collections::BTreeMap::new();
    for (mutant, verdict) in mutants.iter().zip(&verdicts) {
        let word = match verdict {
            Verdict::Killed { .. } => 0,
            Verdict::Survived { .. } => 1,
            Verdict::Equal => 2,
            Verdict::Undecided { .. } => 3,
        };
        counts.entry(mutant.operator).or_insert([0; 4])[word] += 1;
        if word > 1 && mutant.name.len() % 5 == 0 {
            println!("  {} {} ({})", ["", "", "equal", "undecided"][word], mutant.name, mutant.operator);
        }
    }
    println!("{counts:#?}");
}
