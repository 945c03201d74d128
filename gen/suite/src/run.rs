//! Runs of suites: whether each answer is the expected one, and how it differs.

use crd_apiserver::objects::{Answer, Warning};
use crd_diagnostics::layout::cut;
use crd_model::channel::Channel;
use crd_model::path::{Step, text, value_at};
use serde_json::Value;

use crate::case::{Case, Expected, Suite};
use crate::edit::{Edit, differences};
use crate::kinds::Kinds;

/// The result of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseResult {
    /// The answer; none if no CRD serves the kind, or if the case is skipped.
    pub answer: Option<Box<Answer>>,
    /// How the answer differs from the expected one.
    pub failure: Option<Box<Failure>>,
    /// Whether the case applies to other channels or minors only.
    pub is_skipped: bool,
}

/// How an answer differs from the expected one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// What is wrong, in a few words.
    pub message: String,
    /// What was expected.
    pub expected: Vec<String>,
    /// What the answer is.
    pub answer: Vec<String>,
    /// The path of a field that the API does not have, if that is wrong.
    pub unknown_field: Option<String>,
}

/// Runs the cases of a suite against the CRDs of a channel, as a server of a minor holds them: one after the other, because answers are large.
pub fn run(suite: &Suite, kinds: &Kinds, channel: Channel, minor: u32) -> impl Iterator<Item = CaseResult> {
    suite.cases.iter().map(move |case| result(case, kinds, channel, minor))
}

fn result(case: &Case, kinds: &Kinds, channel: Channel, minor: u32) -> CaseResult {
    let applies = case.channel.is_none_or(|own| own == channel)
        && case.minors.as_ref().is_none_or(|minors| minors.contains(&minor));
    if !applies {
        return CaseResult { is_skipped: true, ..CaseResult::default() };
    }
    let Some(answer) = kinds.answer(case) else {
        let text = |key: &str| case.object.get(key).and_then(Value::as_str).unwrap_or_default();
        let failure = Failure {
            message: format!("the CRDs do not serve {} of {}", text("kind"), text("apiVersion")),
            ..Failure::default()
        };
        return CaseResult { failure: Some(Box::new(failure)), ..CaseResult::default() };
    };
    CaseResult { failure: failure(case, &answer).map(Box::new), answer: Some(Box::new(answer)), is_skipped: false }
}

/// How an answer differs from the one that a case expects; none if it does not.
#[must_use]
pub fn failure(case: &Case, answer: &Answer) -> Option<Failure> {
    if answer.errors.is_empty() && !answer.undecided.is_empty() {
        let undecided = answer.undecided.iter().map(ToString::to_string).collect();
        return Some(Failure::new("it is not known what a server answers", Vec::new(), undecided));
    }
    match &case.expected {
        Expected::RefusedWith(part) => refused_with(part, case, answer),
        Expected::Refused(parts) => refused(parts, answer).or_else(|| unknown_fields(answer, &[])),
        Expected::Accepted { stored, parts, warnings } => {
            if !answer.errors.is_empty() {
                return Some(Failure::new("the object is refused", vec![ACCEPTED.to_owned()], reasons(answer)));
            }
            let object = answer.stored.as_ref().unwrap_or(&Value::Null);
            let differs = stored.as_ref().and_then(|stored| differs(stored, object)).or_else(|| lacks(parts, object));
            differs.or_else(|| match warnings {
                Some(warnings) => warned(warnings, answer),
                None if stored.is_none() => unknown_fields(answer, parts),
                None => None,
            })
        }
    }
}

const ACCEPTED: &str = "the object is accepted";
const NOT_WARNED: &str = "the answer has no warnings";

impl Failure {
    fn new(message: &str, expected: Vec<String>, answer: Vec<String>) -> Self {
        Self { message: message.to_owned(), expected, answer, unknown_field: None }
    }

    fn not_refused(parts: &[String]) -> Self {
        Self::new(ACCEPTED, parts.to_vec(), vec![ACCEPTED.to_owned()])
    }
}

/// The reasons of a refusal. That rules were not checked is not one.
pub(crate) fn reasons(answer: &Answer) -> Vec<String> {
    answer.errors.iter().filter(|error| !error.is_about_rules()).map(ToString::to_string).collect()
}

fn refused(parts: &[String], answer: &Answer) -> Option<Failure> {
    if answer.errors.is_empty() {
        return Some(Failure::not_refused(parts));
    }
    let reasons = reasons(answer);
    let is_explained = |reason: &String| parts.iter().any(|part| reason.contains(part.as_str()));
    let is_used = |part: &String| reasons.iter().any(|reason| reason.contains(part.as_str()));
    let message = match (reasons.iter().all(is_explained), parts.iter().all(is_used)) {
        (true, true) => return None,
        (_, false) => "the object is refused for another reason",
        (false, true) => "the object is refused for one more reason",
    };
    Some(Failure::new(message, parts.to_vec(), reasons))
}

/// Looks for a text in the whole message of a server, as OpenShift does.
fn refused_with(part: &str, case: &Case, answer: &Answer) -> Option<Failure> {
    let reasons = answer.errors.iter().map(ToString::to_string).collect::<Vec<_>>();
    let text = |pointer: &str| case.object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
    let all = match &*reasons {
        [] => return Some(Failure::not_refused(&[part.to_owned()])),
        [only] => only.clone(),
        reasons => format!("[{}]", reasons.join(", ")),
    };
    let message = format!("{}.{group} \"{}\" is invalid: {all}", text("/kind"), text("/metadata/name"));
    let failure = || Failure::new("the object is refused for another reason", vec![part.to_owned()], reasons.clone());
    (!message.contains(part)).then(failure)
}

/// Metadata that a server sets, or that a suite does not name.
const OF_SERVERS: [&str; 8] =
    ["creationTimestamp", "generateName", "generation", "managedFields", "name", "namespace", "resourceVersion", "uid"];

/// An object without the metadata that a server sets, or that a suite does not name.
pub(crate) fn without_servers_part(object: &Value) -> Value {
    let mut object = object.clone();
    let Some(map) = object.as_object_mut() else { return object };
    if let Some(metadata) = map.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|key, _| !OF_SERVERS.contains(&key.as_str()));
        if metadata.is_empty() {
            map.remove("metadata");
        }
    }
    object
}

/// How the stored form differs.
fn differs(expected: &Value, object: &Value) -> Option<Failure> {
    let (mut expected, object) = (without_servers_part(expected), without_servers_part(object));
    for key in ["apiVersion", "kind"] {
        if expected.get(key).is_none() {
            expected[key] = object[key].clone();
        }
    }
    let edits = differences(&expected, &object);
    let was = edits.iter().map(|(path, _)| part(path, value_at(&expected, path))).collect();
    let is = edits.iter().map(|(path, value)| part(path, value.as_ref())).collect();
    (!edits.is_empty()).then(|| Failure::new("the stored form differs", was, is))
}

/// The parts that the stored form does not have.
fn lacks(parts: &[Edit], object: &Value) -> Option<Failure> {
    let wrong = parts.iter().filter(|(path, value)| value_at(object, path) != value.as_ref()).collect::<Vec<_>>();
    let expected = wrong.iter().map(|(path, value)| part(path, value.as_ref())).collect();
    let answer = wrong.iter().map(|(path, _)| part(path, value_at(object, path))).collect();
    (!wrong.is_empty()).then(|| Failure::new("the stored form differs", expected, answer))
}

fn part(path: &[Step], value: Option<&Value>) -> String {
    match value {
        Some(value) => format!("{}: {}", text(path), cut(&value.to_string(), 300)),
        None => format!("{}: absent", text(path)),
    }
}

fn warned(parts: &[String], answer: &Answer) -> Option<Failure> {
    let warnings = answer.warnings.iter().map(ToString::to_string).collect::<Vec<_>>();
    let is_each = warnings.len() == parts.len()
        && parts.iter().all(|part| warnings.iter().any(|warning| warning.contains(part.as_str())))
        && warnings.iter().all(|warning| parts.iter().any(|part| warning.contains(part.as_str())));
    let shown = |texts: &[String]| if texts.is_empty() { vec![NOT_WARNED.to_owned()] } else { texts.to_vec() };
    (!is_each).then(|| Failure::new("the warnings differ", shown(parts), shown(&warnings)))
}

/// Unknown fields that no part expects to be absent.
fn unknown_fields(answer: &Answer, parts: &[Edit]) -> Option<Failure> {
    let absent = parts.iter().filter(|(_, value)| value.is_none()).map(|(path, _)| text(path)).collect::<Vec<_>>();
    let unknown = answer.warnings.iter().filter_map(|warning| match warning {
        Warning::UnknownField(path) if !absent.contains(path) => Some(path.clone()),
        _ => None,
    });
    let unknown = unknown.collect::<Vec<_>>();
    let expected = vec!["the API has all fields of the object".to_owned()];
    let failure = Failure::new("the object has a field that the API does not have", expected, Vec::new());
    let answer = unknown.iter().map(|path| format!("unknown field `{path}`")).collect();
    Some(Failure { answer, unknown_field: Some(unknown.first()?.clone()), ..failure })
}
