//! Objects of an old CRD, and whether the API server's own libraries accept them with the old and the new CRD.

use std::collections::BTreeSet;

use crd_apiserver::objects::{Request, Resource};
use crd_boundary::Search;
use crd_model::CustomResourceDefinition;
use crd_testbed::Minor;
use serde_json::{Value, json};

use crate::objects::oracles;
use crate::oracle::{Oracle, variants};
use crate::random::object::valid;
use crate::served::{frame, written_nodes};
use crd_testdata::Dice;

/// The minor whose libraries answer.
pub(crate) const MINOR: (&str, u32) = ("1.36", 36);
/// How many nodes near a change, and elsewhere, have values of their own.
const NEAR: usize = 8;
const ELSEWHERE: usize = 3;
/// How many random values a node gets in each accepted object.
const RANDOM: usize = 4;
/// How many variants of an object are taken together.
const VARIANTS: usize = 24;

/// An old CRD and the new one, with objects of one version.
pub(crate) struct Libraries {
    oracle: Oracle,
}

/// An object that the old CRD accepts, and the refusal of the new one if there is one.
pub(super) struct Compared {
    pub(super) object: Value,
    pub(super) refusal: Option<Value>,
}

impl Libraries {
    pub(crate) fn start() -> Self {
        Self { oracle: Oracle::start(Minor::named(MINOR.0).expect("a minor of the testbed")) }
    }

    /// Prepares a CRD. Returns what a server would refuse in it.
    pub(crate) fn define(&mut self, id: &str, crd: &Value) -> Vec<String> {
        let answer = self.oracle.ask(&json!({ "define": id, "crd": crd }));
        let errors = answer["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text = |error: &Value| {
            format!(
                "{}: {}",
                error["field"].as_str().unwrap_or_default(),
                error["message"].as_str().unwrap_or_default()
            )
        };
        errors.iter().map(text).chain(answer["refused"].as_str().map(str::to_owned)).collect()
    }

    /// The answers to the creation of objects.
    fn answers(&mut self, id: &str, version: &str, objects: &[Value]) -> Vec<Value> {
        let line = |object: &Value| json!({ "crd": id, "version": version, "new": object });
        self.ask(objects.iter().map(line))
    }

    /// The answers to requests, in the form of our own.
    pub(crate) fn ask(&mut self, requests: impl Iterator<Item = Value>) -> Vec<Value> {
        let lines = requests.map(|request| request.to_string()).collect::<Vec<_>>();
        self.oracle.ask_all(&lines).iter().map(oracles).collect()
    }

    /// The objects that the CRD `old` accepts without dropping a field, and what the CRD `new` answers.
    pub(super) fn compare(&mut self, version: &str, mut objects: Vec<Value>) -> Vec<Compared> {
        if objects.is_empty() {
            return Vec::new();
        }
        let mut answers = self.answers("old", version, &objects).into_iter();
        // What is dropped was never part of an object.
        let is_whole = |answer: Value| is_accepted(&answer) && answer["unknown"] == json!([]);
        objects.retain(|_| answers.next().is_some_and(is_whole));
        if objects.is_empty() {
            return Vec::new();
        }
        let answers = self.answers("new", version, &objects);
        let refusal = |answer: Value| (!is_accepted(&answer)).then_some(answer);
        objects.into_iter().zip(answers).map(|(object, answer)| Compared { object, refusal: refusal(answer) }).collect()
    }
}

pub(crate) fn is_accepted(answer: &Value) -> bool {
    answer.get("refused").is_none() && answer["errors"] == json!([])
}

/// Objects of a version for its validation: with values at the paths `near` and elsewhere, random values there, and variants of all of them.
/// A part of them is accepted.
pub(crate) fn objects(
    dice: &mut Dice,
    crd: &CustomResourceDefinition,
    version: &str,
    near: &BTreeSet<String>,
    most: usize,
) -> Vec<Value> {
    let Some(known) = crd.versions.iter().find(|known| known.name == *version) else { return Vec::new() };
    let Some(Ok(resource)) = Resource::prepare(crd, version, MINOR.1) else { return Vec::new() };
    let (mut close, mut elsewhere): (Vec<_>, Vec<_>) = written_nodes(&known.schema).partition(|(path, _)| {
        let text = path.to_string().replace("[]", "[*]").replace(".*", "[*]");
        near.iter().any(|changed| *changed == text || changed.rsplit_once('.').is_some_and(|(above, _)| above == text))
    });
    let mut search = Search::new(&known.schema, frame(crd, known), Vec::new(), |_, object| {
        resource.answer(Request::create(object.clone())).is_accepted()
    });
    let mut found = Vec::new();
    for (paths, count) in [(&mut close, NEAR), (&mut elsewhere, ELSEWHERE)] {
        for _ in 0..count.min(paths.len()) {
            let (path, node) = paths.swap_remove(dice.below(paths.len()));
            let schema = node.to_value();
            for accepted in search.accepted(&path).into_iter().take(2) {
                let is_root = path.steps().is_empty();
                for _ in 0..if is_root { 0 } else { RANDOM } {
                    found.extend(accepted.with(valid(dice, &schema, 0)));
                }
                found.push(accepted.object);
            }
        }
    }
    let known = found.len();
    while known > 0 && found.len() < most.max(known) {
        // A large object has thousands of variants.
        let mut near = variants(&found[dice.below(known)]);
        if near.is_empty() {
            break;
        }
        for _ in 0..VARIANTS.min(near.len()) {
            found.push(near.swap_remove(dice.below(near.len())));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|object| seen.insert(object.to_string()));
    while found.len() > most {
        found.swap_remove(dice.below(found.len()));
    }
    found
}
