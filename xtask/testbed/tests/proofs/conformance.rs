//! CEL's conformance tests, as the Go module `cel.dev/expr` publishes them: the evaluator computes what they expect.
//!
//! `conformance/exceptions.txt` lists each case with another result, and why. A listed case that passes is an error too. Files and cases
//! that need protobuf messages or a library that Kubernetes does not have are not run. The proof of random rules compares operators and functions
//! with the evaluator of Kubernetes itself.

mod textproto;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use crd_cel::{Environment, Program, Value};
use textproto::Field;

/// The testbed's module that requires `cel.dev/expr`.
const MODULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/go/kubernetes-1.37");
const EXCEPTIONS: &str = include_str!("conformance/exceptions.txt");

/// The files that are run. Files that are not run test protobuf messages (`proto2`, `proto2_ext`, `proto3`, `enums`, `wrappers`, `dynamic`, `unknowns`)
/// and libraries that Kubernetes does not have (`bindings_ext`, `block_ext`, `encoders_ext`, `math_ext`).
const FILES: [&str; 18] = [
    "basic",
    "comparisons",
    "conversions",
    "fields",
    "fp_math",
    "integer_math",
    "lists",
    "logic",
    "macros",
    "macros2",
    "namespace",
    "optionals",
    "parse",
    "plumbing",
    "string",
    "string_ext",
    "timestamps",
    "type_deduction",
];

/// The share of the cases that Kubernetes' environment supports and that must pass.
const SHARE: f64 = 0.99;

fn folder() -> Option<PathBuf> {
    let go = std::env::var("GO").unwrap_or_else(|_| "go".to_owned());
    let is_required = std::env::var("CRD_TESTBED").is_ok_and(|value| value == "require");
    let output = Command::new(&go).args(["mod", "download", "-json", "cel.dev/expr"]).current_dir(MODULE).output();
    match output {
        Ok(output) if output.status.success() => {
            let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON of Go");
            answer["Dir"].as_str().map(PathBuf::from)
        }
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) if is_required => panic!("{go}: {error}"),
        Err(_) => None,
    }
}

/// Whether a case needs types of protobuf.
fn needs_messages(case: &Field, source: &str) -> bool {
    let is_message = |name: &str| format!("{case:?}").contains(name);
    is_message("object_value")
        || is_message("message_type")
        || is_message("enum_value")
        || is_message("wrapper: ")
        || is_message("well_known: ANY")
        || ["TestAllTypes", "GlobalEnum", "NestedTestAllTypes"].iter().any(|name| source.contains(name))
        || source.contains("google.protobuf.") && source.contains('{') && source.contains("Value{")
}

/// The value that a case expects or binds.
fn expected(value: &Field) -> Value<'static> {
    let Field::Message(fields) = value else { panic!("not a value: {value:?}") };
    let Some((name, content)) = fields.first() else { return Value::Null };
    match name.as_str() {
        "null_value" => Value::Null,
        "bool_value" => Value::Boolean(content.word() == "true"),
        "int64_value" => Value::Integer(content.word().parse().expect("an int")),
        "uint64_value" => Value::Unsigned(content.word().parse().expect("a uint")),
        "double_value" => Value::Double(content.word().parse().expect("a double")),
        "string_value" => Value::text(content.text()),
        "bytes_value" => match content {
            Field::Quoted(bytes) => Value::Bytes(bytes.as_slice().into()),
            other => panic!("not bytes: {other:?}"),
        },
        "list_value" => Value::list(content.all("values").map(expected).collect()),
        "map_value" => {
            let entries = content.all("entries").map(|entry| {
                let part = |name: &str| expected(entry.get(name).expect("a key and a value"));
                (part("key"), part("value"))
            });
            Value::map(entries.collect()).expect("keys of a map")
        }
        "type_value" => Value::type_named(content.text()).expect("the name of a type"),
        other => panic!("unknown kind of value `{other}`"),
    }
}

/// Whether both are the same value of the same type; NaN is itself.
fn is_same(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (one, other) {
        (Value::Double(one), Value::Double(other)) => one == other || one.is_nan() && other.is_nan(),
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other.iter()).all(|(one, other)| is_same(&one, &other))
        }
        (one, other) => one.type_name() == other.type_name() && one.equals(other),
    }
}

/// A case of cel-spec.
struct Case<'f> {
    name: String,
    source: &'f str,
    declarations: Vec<&'f Field>,
    values: BTreeMap<&'f str, Value<'static>>,
    is_checked: bool,
    is_check_only: bool,
    /// Nothing if an error is expected.
    wanted: Option<Value<'static>>,
}

/// What the evaluator makes of a case.
enum Answer {
    Value(Value<'static>),
    /// It refuses the expression, or its evaluation fails.
    Failed(String),
    /// It accepts an expression that is not evaluated.
    Checked,
}

impl<'f> Case<'f> {
    fn read(name: String, field: &'f Field) -> Self {
        let flag = |name: &str| field.get(name).is_some_and(|value| value.word() == "true");
        let binding = |binding: &'f Field| {
            let value = binding.get("value").and_then(|value| value.get("value")).expect("a value");
            (binding.get("key").expect("a name").text(), expected(value))
        };
        let result = field.get("value").or_else(|| field.get("typed_result")?.get("result"));
        Self {
            name,
            source: field.get("expr").expect("an expression").text(),
            declarations: field.all("type_env").collect(),
            values: field.all("bindings").map(binding).collect(),
            is_checked: !flag("disable_check"),
            is_check_only: flag("check_only"),
            wanted: field.get("eval_error").is_none().then(|| result.map_or(Value::Boolean(true), expected)),
        }
    }

    /// Whether a checker must accept the expression.
    fn must_check(&self) -> bool {
        self.is_checked && self.wanted.is_some()
    }

    /// The answer of this project.
    fn answer(&self) -> Answer {
        let declared = self.declarations.iter().filter_map(|declaration| declaration.get("name")).map(Field::text);
        let names: BTreeSet<&str> = declared.chain(self.values.keys().copied()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        if self.must_check()
            && let Err(problems) = Program::compile(self.source, Environment::dynamic(&names))
        {
            return Answer::Failed(format!("refused: {}", problems[0]));
        }
        if self.is_check_only {
            return Answer::Checked;
        }
        let program = match Program::compile_unchecked(self.source, &names) {
            Ok(program) => program,
            Err(problems) => return Answer::Failed(format!("not parsed: {}", problems[0])),
        };
        let mut inputs = vec![Value::Null, Value::Null];
        inputs.extend(names.iter().map(|name| self.values.get(name).cloned().unwrap_or(Value::Null)));
        match program.evaluate(&inputs, u64::MAX).value {
            Ok(value) => Answer::Value(value),
            Err(failure) => Answer::Failed(format!("failed: {failure}")),
        }
    }

    /// What is wrong with an answer; nothing if it is as expected.
    fn failure(&self, answer: &Answer) -> Option<String> {
        match (answer, &self.wanted) {
            (Answer::Checked, _) | (Answer::Failed(_), None) => None,
            (Answer::Value(value), Some(wanted)) if is_same(value, wanted) => None,
            (Answer::Value(value), Some(wanted)) => Some(format!("{value:?} instead of {wanted:?}")),
            (Answer::Value(value), None) => Some(format!("a value instead of an error: {value:?}")),
            (Answer::Failed(reason), Some(_)) => Some(reason.clone()),
        }
    }
}

#[test]
fn conformance_tests_of_cel_pass() {
    let Some(folder) = folder() else {
        println!("skipped: Go is not installed");
        return;
    };
    let mut exceptions: BTreeMap<&str, &str> = BTreeMap::new();
    for line in EXCEPTIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (case, reason) = line.split_once(": ").expect("a case and its reason");
        assert!(reason.starts_with("unsupported: ") || reason.starts_with("different: "), "{line}");
        assert!(exceptions.insert(case, reason).is_none(), "listed twice: {case}");
    }
    let (mut run, mut failed, mut report) = (0_u32, BTreeSet::new(), String::new());
    for file in FILES {
        let path = folder.join(format!("tests/simple/testdata/{file}.textproto"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let content = textproto::read(&text);
        for section in content.all("section") {
            for case in section.all("test") {
                let part = |of: &Field| of.get("name").map(|name| name.text().to_owned()).unwrap_or_default();
                let name = format!("{file}/{}/{}", part(section), part(case));
                if needs_messages(case, case.get("expr").expect("an expression").text()) {
                    continue;
                }
                run += 1;
                let case = Case::read(name, case);
                if let Some(why) = case.failure(&case.answer()) {
                    if !exceptions.contains_key(case.name.as_str()) {
                        let _ = writeln!(report, "{}: {}\n    {why}", case.name, case.source);
                    }
                    failed.insert(case.name);
                }
            }
        }
    }
    for case in exceptions.keys().filter(|case| !failed.contains(**case)) {
        let _ = writeln!(report, "{case} passes: remove it from conformance/exceptions.txt");
    }
    let count = |kind: &str| exceptions.values().filter(|reason| reason.starts_with(kind)).count();
    let unsupported = u32::try_from(count("unsupported: ")).expect("a small number");
    let different = u32::try_from(count("different: ")).expect("a small number");
    println!("{run} cases, {unsupported} not supported by Kubernetes, {different} different");
    assert!(report.is_empty(), "{report}");
    assert!(run > 1000, "only {run} cases");
    let supported = f64::from(run - unsupported);
    assert!((supported - f64::from(different)) / supported >= SHARE, "{different} of {supported}");
}
