//! The pairs of `gen/cli/tests/opinions.yaml` in which `diff` and another tool disagree, on a real server.
//!
//! * A witness is accepted with the old CRD and refused with the new one.
//! * A value that only one version has is lost.
//! * Where no object is refused, objects of the old CRD are accepted with the new one.
//! * Where no server takes the new CRD, this one refuses it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crd_channels::Channel;
use crd_compat::Channels;
use crd_model::{CustomResourceDefinition, yaml};
use serde_json::{Value, json};

use crate::facts::group::Group;
use crate::server::{Crds, server};
use crate::verdicts::libraries::objects;
use crate::witnesses::{Bundle, Outcome, Trial, answers, findings, outcome, trials};
use crd_testdata::Dice;

const PAIRS: &str = include_str!("../../../../gen/cli/tests/opinions.yaml");
/// How many objects of each old CRD are sent, and how many of them it accepts at least.
const OBJECTS: usize = 24;
const ACCEPTED: usize = 3;

/// What the server has to answer to the objects of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Witness,
    Accepted,
    CrdRefused,
}

/// The pairs with a difference.
fn differences() -> Vec<Value> {
    let documents = yaml::read(PAIRS).expect("it is YAML");
    documents[0].as_array().expect("a list").iter().filter(|pair| pair.get("why").is_some()).cloned().collect()
}

fn text<'p>(pair: &'p Value, key: &str) -> &'p str {
    pair[key].as_str().unwrap_or_default()
}

fn bundle(word: String, side: &Value) -> Bundle {
    let (crd, _) = CustomResourceDefinition::from_published(&crd_testdata::side_crd(side));
    Bundle { word, channels: Channels::from([(Channel::Standard, vec![Arc::new(crd)])]) }
}

/// Objects of every version of the old CRD for both sides, with values near the changes.
fn samples(case: &str, old: &Bundle, new: &Bundle, near: &BTreeSet<String>) -> Vec<Trial> {
    let crd = &old.channels[&Channel::Standard][0];
    let of_version = crd.versions.iter().flat_map(|version| {
        let made = objects(&mut Dice::new(1), crd, &version.name, near, OBJECTS);
        made.into_iter().map(move |object| (version, object))
    });
    let trial = |(index, (version, mut object)): (usize, (&crd_model::crd::Version, Value))| {
        object["metadata"] = json!({});
        Trial {
            what: format!("{case}: {object}"),
            object,
            path: String::new(),
            is_status: false,
            old: old.seat(Channel::Standard, &crd.name, &version.name),
            new: new.seat(Channel::Standard, &crd.name, &version.name),
            name: format!("{}-{index}", old.word),
        }
    };
    of_version.enumerate().map(trial).collect()
}

#[test]
fn objects_show_why_verdicts_differ_from_those_of_other_tools() {
    let Some(server) = server(Crds::Nothing) else { return };
    let pairs = differences();
    let pairs = pairs.iter().filter(|pair| pair.get("lost").is_none()).enumerate();
    let bundles = pairs.map(|(index, pair)| {
        (pair, bundle(format!("opinion-old{index}"), &pair["old"]), bundle(format!("opinion-new{index}"), &pair["new"]))
    });
    let bundles = bundles.collect::<Vec<_>>();
    let (mut all, mut expected) = (Vec::new(), Vec::new());
    for (pair, old, new) in &bundles {
        let found = findings(old, new);
        let near = found.iter().map(|finding| finding.path.clone()).collect();
        let witnesses = trials(old, new, &found);
        let (kind, trials) = match pair.get("crd-refused") {
            Some(_) => (Expected::CrdRefused, samples(text(pair, "case"), old, new, &near)),
            None if witnesses.is_empty() => (Expected::Accepted, samples(text(pair, "case"), old, new, &near)),
            None => (Expected::Witness, witnesses),
        };
        assert!(!trials.is_empty(), "{} has no object", text(pair, "case"));
        expected.extend(trials.iter().map(|_| (*pair, kind)));
        all.extend(trials);
    }
    let of_pairs = bundles.iter().flat_map(|(_, old, new)| [old, new]).collect::<Vec<_>>();
    let answered = answers(server, &of_pairs, all);
    let (mut wrong, mut accepted, mut witnesses) = (Vec::new(), Vec::new(), 0);
    for ((pair, kind), (trial, answer)) in expected.iter().zip(&answered) {
        match (kind, answer) {
            (Expected::CrdRefused, Err(refusal)) if refusal.contains(text(pair, "crd-refused")) => {}
            (Expected::Accepted, Ok(verdict)) if !verdict.old.is_success() => {}
            (Expected::Accepted, Ok(verdict)) if verdict.new.is_success() => accepted.push(text(pair, "case")),
            (Expected::Accepted, Ok(verdict)) => wrong.push(format!("{}: {}", trial.what, verdict.new.message())),
            (Expected::Witness, Ok(verdict)) => match outcome(trial, verdict) {
                Outcome::Confirmed => witnesses += 1,
                Outcome::Elsewhere => wrong.push(format!("{}: refused elsewhere: {}", trial.what, verdict.new.body)),
                Outcome::Refuted(refutation) => wrong.push(refutation),
            },
            (kind, Err(refusal)) => wrong.push(format!("{}: {kind:?}, and a CRD is refused: {refusal}", trial.what)),
            (Expected::CrdRefused, Ok(_)) => wrong.push(format!("{}: the CRD is accepted", trial.what)),
        }
    }
    for (pair, _) in expected.iter().filter(|(_, kind)| *kind == Expected::Accepted) {
        let count = accepted.iter().filter(|case| **case == text(pair, "case")).count();
        if count < ACCEPTED {
            wrong.push(format!("{}: the old CRD accepts {count} objects", text(pair, "case")));
        }
    }
    println!(
        "{witnesses} witnesses are confirmed, and {} objects stay accepted, of {} pairs",
        accepted.len(),
        bundles.len()
    );
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_value_that_only_one_version_has_is_lost() {
    let Some(first) = Group::of(a_value_that_only_one_version_has_is_lost) else { return };
    let pairs = differences();
    let pairs = pairs.iter().filter(|pair| pair.get("lost").is_some()).collect::<Vec<_>>();
    for pair in &pairs {
        let group = first.create_second(text(pair, "case"), pair["new"]["versions"].as_array().expect("versions"));
        let (through, spec) = (text(&pair["lost"], "through"), &pair["lost"]["spec"]);
        let made = group.post_with("?fieldValidation=Strict", through, "thing", spec.clone());
        assert_eq!(made.spec(201), json!({}), "{}", text(pair, "case"));
    }
    assert_eq!(pairs.len(), 2);
}
