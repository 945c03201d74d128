//! `crd_apiserver::objects` answers what the API server's own libraries answer, for each minor: creations, updates, and updates of the status
//! of Gateway API's examples and of their variants. Stored objects, warnings, and errors with type, path and text are compared.

use std::collections::BTreeMap;

use crd_apiserver::objects::{Answer, ErrorKind, FieldValidation, Request, Resource, Warning};
use crd_channels::Channel;
use crd_testdata::{thing, thing_crd};
use serde_json::{Value, json};

use crate::documents::{VersionedKind, crds, our_examples, upstream_examples};
use crate::oracle::{Oracle, variants};
use crate::server::number;

/// A question that both answer.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) new: Value,
    pub(crate) old: Option<Value>,
    pub(crate) is_status: bool,
}

impl Case {
    pub(crate) fn create(new: &Value) -> Self {
        Self { new: new.clone(), old: None, is_status: false }
    }

    /// The replacement of an object; the stored one has what a server adds.
    pub(crate) fn update(old: &Value, new: &Value, is_status: bool) -> Self {
        let stored = |object: &Value| {
            let mut object = object.clone();
            object["metadata"]["resourceVersion"] = json!("7");
            object
        };
        Self { new: stored(new), old: Some(stored(old)), is_status }
    }

    pub(crate) fn line(&self, crd: &str, version: &str) -> Value {
        let mut line = json!({"crd": crd, "version": version, "new": self.new, "status": self.is_status});
        if let Some(old) = &self.old {
            line["old"] = old.clone();
        }
        line
    }

    pub(crate) fn answer(&self, resource: &Resource) -> Answer {
        let request = match &self.old {
            None => Request::create(self.new.clone()),
            Some(old) if self.is_status => Request::update_status(old, self.new.clone()),
            Some(old) => Request::update(old, self.new.clone()),
        };
        resource.answer(request.fields(FieldValidation::Warn))
    }
}

/// What is compared of our answer, in the oracle's form. Errors have no order that is always the same, because Go takes maps in any order.
pub(crate) fn ours(answer: &Answer) -> Value {
    if answer.errors.iter().any(|error| error.kind == ErrorKind::Malformed) {
        return json!({"refused": true});
    }
    let (mut unknown, mut warnings) = (Vec::new(), Vec::new());
    for warning in &answer.warnings {
        match warning {
            Warning::UnknownField(path) => unknown.push(path),
            other => warnings.push(other.to_string()),
        }
    }
    unknown.sort_unstable();
    warnings.sort_unstable();
    let mut errors: Vec<(&str, &String, &String)> =
        answer.errors.iter().map(|error| (error.kind.as_str(), &error.field, &error.message)).collect();
    errors.sort_unstable();
    json!({"unknown": unknown, "warnings": warnings, "errors": errors, "stored": answer.stored})
}

/// The same of an answer of the oracle.
pub(crate) fn oracles(answer: &Value) -> Value {
    if answer.get("refused").is_some() {
        return json!({"refused": true});
    }
    let texts = |field: &str| {
        let list = answer[field].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
        texts.sort_unstable();
        texts
    };
    let list = answer["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |error: &'_ Value, field: &str| error[field].as_str().unwrap_or_default().to_owned();
    let mut errors: Vec<(String, String, String)> =
        list.iter().map(|error| (text(error, "type"), text(error, "field"), text(error, "message"))).collect();
    errors.sort_unstable();
    json!({"unknown": texts("unknown"), "warnings": texts("warnings"), "errors": errors, "stored": answer.get("stored")})
}

/// How many answers were compared, and how they differ.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    accepted: usize,
    /// Accepted here, refused by the server.
    open: usize,
    verdicts: usize,
    stored: usize,
    texts: usize,
    shown: Vec<String>,
}

impl Tally {
    fn compare(&mut self, case: &Case, ours: &Value, oracles: &Value) {
        self.cases += 1;
        let accepts = |answer: &Value| answer.get("refused").is_none() && answer["errors"] == json!([]);
        self.accepted += usize::from(accepts(oracles));
        if ours == oracles {
            return;
        }
        match (accepts(ours), accepts(oracles)) {
            (true, false) => self.open += 1,
            (false, true) => self.verdicts += 1,
            (true, true) if ours["stored"] != oracles["stored"] => self.stored += 1,
            _ => self.texts += 1,
        }
        if self.shown.len() < 12 {
            let old = case.old.as_ref().map(|old| format!("\n  old: {old}")).unwrap_or_default();
            self.shown.push(format!(
                "new: {}{old}\n  status: {}\n  here: {ours}\n  oracle: {oracles}",
                case.new, case.is_status
            ));
        }
    }
}

/// Creations and updates of an example and of its variants.
pub(crate) fn cases(example: &Value, step: usize) -> Vec<Case> {
    let variants: Vec<Value> = variants(example).into_iter().step_by(step).collect();
    let mut cases = vec![Case::create(example)];
    cases.extend(variants.iter().map(Case::create));
    for (index, variant) in variants.iter().enumerate() {
        let is_status = index % 4 == 3;
        cases.push(Case::update(example, variant, is_status));
        cases.push(Case::update(variant, example, is_status));
        cases.push(Case::update(variant, &variants[(index * 7 + 1) % variants.len()], is_status));
        // The rest of the object is as bad as before, so that an error can be excused.
        let mut relabelled = variant.clone();
        relabelled["metadata"]["labels"] = json!({"a": "b"});
        cases.push(Case::update(variant, &relabelled, is_status));
    }
    cases
}

#[test]
fn objects_of_gateway_api_are_answered_as_by_each_minor() {
    let step = if crd_testdata::is_proof() { 1 } else { 20 };
    for minor in crate::oracle::minors() {
        let number = number(minor);
        let mut oracle = Oracle::start(minor);
        let mut tally = Tally::default();
        for channel in Channel::ALL {
            let mut resources = BTreeMap::new();
            for crd in crds(channel) {
                let answer = oracle.ask(&json!({"define": crd.name, "crd": crd.to_value()}));
                assert!(answer.get("errors").is_none() && answer.get("refused").is_none(), "{}: {answer}", crd.name);
                for version in &crd.versions {
                    let resource = Resource::prepare(crd, &version.name, number).expect("its version");
                    resources.insert((&crd.name, &version.name), resource.expect("its rules compile"));
                }
            }
            for example in upstream_examples(channel).into_iter().chain(our_examples(channel)) {
                let Some(versioned) = VersionedKind::of(channel, &example.object) else { continue };
                let mut object = example.object;
                if !versioned.is_cluster_wide() {
                    object["metadata"]["namespace"] = json!("oracle");
                }
                let resource = &resources[&(&versioned.crd.name, &versioned.version.name)];
                for case in cases(&object, step) {
                    let theirs = oracle.ask(&case.line(&versioned.crd.name, &versioned.version.name));
                    tally.compare(&case, &ours(&case.answer(resource)), &oracles(&theirs));
                }
            }
        }
        let Tally { cases, accepted, open, verdicts, stored, texts, .. } = &tally;
        println!(
            "{}: {cases} cases, {accepted} accepted; {open} accepted here only, {verdicts} refused here only, {stored} stored differently, {texts} \
             other texts",
            minor.name
        );
        assert!(tally.shown.is_empty(), "{}\n{}", minor.name, tally.shown.join("\n\n"));
        assert!(tally.accepted > 100 && tally.cases > tally.accepted);
    }
}

/// The cases that `crd-apiserver` tests without Go.
#[test]
fn recorded_answers_are_those_of_kubernetes() {
    if !crate::oracle::is_available() {
        return;
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../gen/apiserver/tests/answers.jsonl");
    let recorded = std::fs::read_to_string(path).expect("the recorded answers");
    let asked = crate::oracle::minors().iter().map(|minor| minor.name).collect::<Vec<_>>();
    let mut oracles: BTreeMap<u64, Oracle> = BTreeMap::new();
    let mut written = String::new();
    for line in recorded.lines() {
        let mut case: Value = serde_json::from_str(line).expect("a case");
        let minor = case["minor"].as_u64().expect("a minor");
        if !asked.contains(&&*format!("1.{minor}")) {
            written.push_str(line);
            written.push('\n');
            continue;
        }
        let oracle = oracles.entry(minor).or_insert_with(|| {
            Oracle::start(crd_testbed::Minor::named(&format!("1.{minor}")).expect("a minor of the testbed"))
        });
        let crd = thing_crd(&case["schema"], case.get("subresources").unwrap_or(&json!({})));
        let defined = oracle.ask(&json!({"define": "a", "crd": crd}));
        assert!(defined.get("errors").is_none() && defined.get("refused").is_none(), "{}: {defined}", case["about"]);
        let asked =
            Case { new: thing(&case["new"]), old: case.get("old").map(thing), is_status: case["status"] == true };
        let answer = oracle.ask(&asked.line("a", "v1"));
        let expected = self::oracles(&answer);
        let mut stored = expected["stored"].clone();
        if let Some(stored) = stored.as_object_mut() {
            stored.retain(|field, _| !matches!(field.as_str(), "apiVersion" | "kind"));
        }
        let mut warnings: Vec<String> = expected["unknown"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|path| format!("unknown field \"{}\"", path.as_str().unwrap_or_default()))
            .collect();
        warnings
            .extend(expected["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
        warnings.sort_unstable();
        let mut errors = expected["errors"].as_array().cloned().unwrap_or_default();
        errors.sort_by_key(Value::to_string);
        case["answer"] = json!({"stored": stored, "warnings": warnings, "errors": errors});
        written.push_str(&case.to_string());
        written.push('\n');
    }
    if std::env::var_os("CRD_TESTBED_WRITE").is_some() {
        std::fs::write(path, &written).expect("the recorded answers are written");
    }
    assert_eq!(
        written,
        std::fs::read_to_string(path).expect("the recorded answers"),
        "write them with CRD_TESTBED_WRITE=1"
    );
}
