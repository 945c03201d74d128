//! The oracle answers what a server answers: for Gateway API's examples, and for each example with one part removed, of another type, null or
//! unknown. Verdict, stored object, errors and unknown fields are compared, and our pruning and defaulting with those of the oracle.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use crd_channels::Channel;
use crd_testbed::Minor;
use serde_json::{Map, Value, json};

use crate::documents::{self, VersionedKind, crds, our_examples, upstream_examples};
use crate::requests::{Answer, create_namespace, wait_for, without};
use crate::server::server;

const NAMESPACE: &str = "oracle";

/// What a server adds to metadata.
const ADDED: [&str; 6] = ["creationTimestamp", "generation", "managedFields", "namespace", "resourceVersion", "uid"];

/// A running oracle.
pub(crate) struct Oracle {
    process: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Oracle {
    /// The oracle of a minor. The first call of a minor builds it with Go.
    pub(crate) fn start(minor: &Minor) -> Self {
        let program = crd_testbed::oracle(minor).expect("the oracle is built");
        let mut process =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the oracle starts");
        let answers = BufReader::new(process.stdout.take().expect("piped"));
        Self { process, answers }
    }

    /// The answer to one line.
    pub(crate) fn ask(&mut self, line: &Value) -> Value {
        let stdin = self.process.stdin.as_mut().expect("piped");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("the oracle reads");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("the oracle answers");
        serde_json::from_str(&answer).expect("an answer is JSON")
    }

    /// The answers to many lines, which are written while answers are read.
    pub(crate) fn ask_all(&mut self, lines: &[String]) -> Vec<Value> {
        let Self { process, answers } = self;
        let stdin = process.stdin.as_mut().expect("piped");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut text = lines.join("\n");
                text.push('\n');
                stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).expect("the oracle reads");
            });
            let read = |_| {
                let mut answer = String::new();
                answers.read_line(&mut answer).expect("the oracle answers");
                serde_json::from_str(&answer).expect("an answer is JSON")
            };
            lines.iter().map(read).collect()
        })
    }
}

/// The minors whose oracles are asked: all of them in a proof, otherwise the default minor, because Go builds each oracle first. `gen/cel/tests` and
/// `gen/apiserver/tests` compare with recorded answers of all minors. `CRD_RANDOM_MINORS=1.33,1.37` names the minors to ask.
pub(crate) fn minors() -> Vec<&'static Minor> {
    let named = std::env::var("CRD_RANDOM_MINORS").ok();
    let is_asked = |minor: &&Minor| match &named {
        Some(named) => named.split(',').any(|name| name == minor.name),
        None => crd_testdata::is_proof() || minor.name == crd_testbed::DEFAULT_MINOR,
    };
    crd_testbed::MINORS.iter().filter(is_asked).collect()
}

/// Whether oracles can be built. Prints `skipped` if they cannot.
pub(crate) fn is_available() -> bool {
    match crd_testbed::oracle(minors()[0]) {
        Ok(_) => true,
        Err(failure) if failure.is_missing_go() && !crd_testbed::is_required() => {
            eprintln!("skipped: {failure}");
            false
        }
        Err(failure) => panic!("{failure}"),
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Variants of an object: each part below the root removed, of another type, null, or with an unknown field.
pub(crate) fn variants(object: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    let mut pointers = Vec::new();
    collect(object, String::new(), &mut pointers);
    for pointer in pointers {
        if matches!(pointer.as_str(), "/apiVersion" | "/kind") || pointer.starts_with("/metadata") {
            continue;
        }
        let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
        let mut changed = |change: &dyn Fn(&mut Value)| {
            let mut object = object.clone();
            change(object.pointer_mut(parent).expect("it was found there"));
            found.push(object);
        };
        match object.pointer(parent) {
            Some(Value::Object(_)) => {
                changed(&|parent| drop(parent.as_object_mut().and_then(|map| map.remove(name))));
                changed(&|parent| parent[name] = Value::Null);
                changed(&|parent| parent[name] = another(&parent[name]));
                changed(&|parent| parent["unknown"] = json!({"a": 1}));
            }
            Some(Value::Array(_)) => {
                let index: usize = name.parse().expect("an index");
                changed(&|parent| parent[index] = another(&parent[index]));
                changed(&|parent| {
                    let items = parent.as_array_mut().expect("a list");
                    items.push(items[index].clone());
                });
            }
            _ => {}
        }
    }
    found
}

/// A value of another type.
fn another(value: &Value) -> Value {
    match value {
        Value::String(_) => json!(7),
        Value::Array(_) => json!({}),
        Value::Object(_) => json!([]),
        _ => json!("seven"),
    }
}

fn collect(value: &Value, pointer: String, found: &mut Vec<String>) {
    let below = |name: &str| format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Object(map) => map.iter().for_each(|(name, member)| collect(member, below(name), found)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| collect(item, below(&index.to_string()), found));
        }
        _ => {}
    }
    // A name with such characters is not addressed again by this simple form.
    if !pointer.is_empty() && !pointer.contains('~') {
        found.push(pointer);
    }
}

/// What is compared of a server's answer, in the oracle's form.
fn compared(answer: &Answer) -> Value {
    let mut result = Map::new();
    let mut unknown: Vec<String> = answer.warnings.iter().filter_map(|text| field_of(text)).collect();
    unknown.sort();
    result.insert("unknown".to_owned(), json!(unknown));
    if answer.is_success() {
        result.insert("stored".to_owned(), without(&answer.body, &ADDED));
    } else if answer.code == 422 {
        let causes = answer.causes().into_iter().map(|(field, message)| json!({"field": field, "message": message}));
        result.insert("errors".to_owned(), causes.collect());
    } else {
        result.insert("refused".to_owned(), json!(answer.code));
    }
    Value::Object(result)
}

fn field_of(warning: &str) -> Option<String> {
    Some(warning.strip_prefix("unknown field \"")?.strip_suffix('"')?.to_owned())
}

/// The same of an answer of the oracle.
fn expected(answer: &Value) -> Value {
    let mut result = Map::new();
    let unknown = answer["unknown"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut unknown: Vec<&str> = unknown.iter().filter_map(Value::as_str).collect();
    unknown.sort_unstable();
    result.insert("unknown".to_owned(), json!(unknown));
    match (answer.get("refused"), answer["errors"].as_array()) {
        (Some(_), _) => drop(result.insert("refused".to_owned(), json!(400))),
        (None, Some(errors)) => {
            let causes =
                errors.iter().map(|error| json!({"field": error["field"], "message": error["message"]})).collect();
            result.insert("errors".to_owned(), causes);
        }
        (None, None) => drop(result.insert("stored".to_owned(), without(&answer["stored"], &ADDED))),
    }
    Value::Object(result)
}

/// The unknown fields of an object, those of its metadata left out, and without status and metadata the object after pruning and defaulting.
fn decoded(versioned: VersionedKind, object: &Value) -> (Vec<String>, Option<Value>) {
    let mut object = object.clone();
    let unknown = crd_apiserver::prune(&versioned.version.schema, &mut object);
    crd_apiserver::apply_defaults(&versioned.version.schema, &mut object);
    (unknown, Some(body(object)))
}

/// The same from an answer of the oracle. A refused object is not shown, so that it is not compared.
fn decoded_by_oracle(versioned: VersionedKind, answer: &Value, object: &Value) -> (Vec<String>, Option<Value>) {
    if answer.get("refused").is_some() {
        return decoded(versioned, object);
    }
    let unknown = answer["unknown"].as_array().map(Vec::as_slice).unwrap_or_default();
    let unknown = unknown.iter().filter_map(Value::as_str).filter(|path| !path.starts_with("metadata."));
    let stored = answer.get("stored").cloned().map(body).or_else(|| decoded(versioned, object).1);
    (unknown.map(str::to_owned).collect(), stored)
}

fn body(mut object: Value) -> Value {
    if let Some(object) = object.as_object_mut() {
        object.retain(|name, _| !matches!(name.as_str(), "metadata" | "status"));
    }
    object
}

#[test]
fn the_oracle_answers_what_a_server_answers() {
    let channel = Channel::Experimental;
    let Some(server) = server(documents::crds_of(channel)) else { return };
    let client = server.client();
    server.block_on(async {
        create_namespace(&client, NAMESPACE).await;
        wait_for(&client, &documents::collections(channel)).await;
    });
    let mut oracle = Oracle::start(Minor::named(server.minor()).expect("a minor of the testbed"));
    for crd in crds(channel) {
        let answer = oracle.ask(&json!({"define": crd.name, "crd": crd.to_value()}));
        assert!(answer.get("errors").is_none() && answer.get("refused").is_none(), "{}: {answer}", crd.name);
    }
    let (mut compared_objects, mut accepted, mut differences) = (0, 0, Vec::new());
    let examples = Channel::ALL.into_iter().flat_map(upstream_examples).chain(our_examples(channel));
    for example in examples {
        let Some(versioned) = VersionedKind::of(channel, &example.object) else { continue };
        let mut object = example.object;
        if !versioned.is_cluster_wide() {
            object["metadata"]["namespace"] = json!(NAMESPACE);
        }
        let path = format!("{}?dryRun=All&fieldValidation=Warn", versioned.collection(NAMESPACE));
        // Every fifth variant, because each is a request.
        for object in std::iter::once(object.clone()).chain(variants(&object).into_iter().step_by(5)) {
            let answer = server.send("POST", &path, Some(&object));
            let own = oracle.ask(&json!({"crd": versioned.crd.name, "version": versioned.version.name, "new": object}));
            assert_eq!(decoded(versioned, &object), decoded_by_oracle(versioned, &own, &object), "{}", example.file);
            let (server, oracle) = (compared(&answer), expected(&own));
            compared_objects += 1;
            accepted += usize::from(answer.is_success());
            if server != oracle {
                differences.push(format!("{}: {object}\n  server: {server}\n  oracle: {oracle}", example.file));
            }
        }
    }
    println!("{compared_objects} objects compared, {accepted} of them accepted");
    assert!(
        differences.is_empty(),
        "{} differences\n{}",
        differences.len(),
        differences[..5.min(differences.len())].join("\n")
    );
    assert!(accepted > 100 && compared_objects > 2 * accepted);
}
