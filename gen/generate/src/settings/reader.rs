//! From the text of the file to its checked document.
//!
//! Invariants: every value is checked against the JSON schema, of which the keywords of `settings.json` are read, and then against the other
//! values. All errors are reported together, each at the line of its key or item.

use std::collections::BTreeSet;
use std::path::Path;

use crd_apiserver::refusal::refusals;
use crd_convert::Lens;
use crd_diagnostics::{Diagnostic, fail_on};
use crd_markers::nearest::nearest;
use crd_model::CustomResourceDefinition;
use crd_model::profile::Profile;
use crd_model::yaml::{Section, documents, locate, push_key};
use crd_stamps::BundleVersion;
use serde_json::{Map, Value, json};

use super::SCHEMA;

/// The codes of the file.
const SYNTAX: &str = "settings::syntax";
const UNKNOWN: &str = "settings::unknown-key";
const VALUE: &str = "settings::value";
const MISSING: &str = "settings::missing";

/// The document, and where it is in the text.
pub(super) fn read(
    file: &Path,
    text: &str,
    required: &[&str],
) -> Result<(Map<String, Value>, Section), Vec<Diagnostic>> {
    let at = |code, line, message: &str, help: &str| Diagnostic::error(code, message).at_line(file, line).help(help);
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for document in documents(text) {
        match document {
            Ok(document) => found.push(document),
            Err(invalid) => errors.extend(invalid.iter().map(|error| at(SYNTAX, error.line, &error.message, ""))),
        }
    }
    if let Some(line) = found.get(1).map(|second| second.section.content_position().line) {
        errors.push(at(SYNTAX, line, "the file has more than one document", "write all keys into the first"));
    }
    fail_on(errors)?;
    let (root, section) = match found.pop() {
        Some(document) => (document.value, document.section),
        None => (json!({}), Default::default()),
    };
    let Value::Object(root) = root else {
        let message = "the file must be a map of keys, such as `version: v1.0.0`";
        return Err(at(SYNTAX, section.content_position().line, message, "").into());
    };
    let schema = serde_json::from_str(SCHEMA).unwrap_or(Value::Null);
    let mut problems = Problems { root: &schema, found: Vec::new() };
    for key in required.iter().filter(|key| !root.contains_key(**key)) {
        problems.add(MISSING, "", format!("a project with types needs the key `{key}`"), format!("add `{key}: …`"));
    }
    problems.section("", &schema, &root);
    problems.across_keys(&root);
    let paths = problems.found.iter().map(|(_, path, ..)| path.as_str()).collect::<Vec<_>>();
    let mut located = locate(text, section, &paths).into_iter().zip(&problems.found).collect::<Vec<_>>();
    located.sort_by_key(|(position, _)| *position);
    let errors = located.iter().map(|(position, (code, _, message, help))| at(code, position.line, message, help));
    fail_on(errors.collect())?;
    Ok((root, section))
}

/// The schema that applies to a value: of an alternative, and what a reference names.
fn resolved<'s>(schema: &'s Value, root: &'s Value, is_list: bool) -> &'s Value {
    let schema = schema["anyOf"].get(usize::from(is_list)).unwrap_or(schema);
    let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    reference.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

/// What a schema accepts, in a few words.
pub(super) fn words(schema: &Value, root: &Value) -> String {
    if let Some(any) = schema["anyOf"].as_array() {
        return any.iter().map(|schema| words(schema, root)).collect::<Vec<_>>().join(", or ");
    }
    let schema = resolved(schema, root, false);
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().filter_map(Value::as_str).map(|value| format!("`{value}`")).collect::<Vec<_>>();
        return format!("one of {}", values.join(", "));
    }
    match schema["type"].as_str().unwrap_or_default() {
        "array" => format!("a list, each item {}", words(&schema["items"], root)),
        "object" => "a map of keys".to_owned(),
        "integer" => format!("a number from 0 to {}", schema["maximum"]),
        "boolean" => "true or false".to_owned(),
        _ => "a text".to_owned(),
    }
}

/// Errors of the document: code, path, message and help.
struct Problems<'s> {
    /// The schema of the whole document.
    root: &'s Value,
    found: Vec<(&'static str, String, String, String)>,
}

impl<'s> Problems<'s> {
    fn add(&mut self, code: &'static str, path: &str, message: String, help: impl Into<String>) {
        self.found.push((code, path.to_owned(), message, help.into()));
    }

    /// Checks the keys of a map and their values.
    fn section(&mut self, path: &str, schema: &'s Value, map: &Map<String, Value>) {
        for (name, value) in map {
            let mut below = path.to_owned();
            push_key(&mut below, name);
            match (schema["properties"].get(name), &schema["additionalProperties"]) {
                (Some(schema), _) | (None, schema @ Value::Object(_)) => self.value(&below, schema, value),
                (None, Value::Bool(false)) => {
                    let keys = schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str());
                    let keys = keys.collect::<BTreeSet<_>>().into_iter();
                    let of = if path.is_empty() { String::new() } else { format!(" of `{path}`") };
                    self.add(UNKNOWN, &below, format!("unknown key `{name}`{of}"), instead(name, keys, "keys"));
                }
                _ => {}
            }
        }
    }

    fn value(&mut self, path: &str, schema: &'s Value, value: &Value) {
        let schema = resolved(schema, self.root, value.is_array());
        match (schema["type"].as_str(), value) {
            (Some("object"), Value::Object(map)) => self.section(path, schema, map),
            (Some("array"), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    let at = format!("{path}[{index}]");
                    self.value(&at, &schema["items"], item);
                    if schema["uniqueItems"] == true && items[..index].contains(item) {
                        self.add(VALUE, &at, format!("`{path}` has {item} twice"), "remove one of them");
                    }
                }
            }
            (Some("string"), Value::String(text)) => {
                let pattern = schema["pattern"].as_str().and_then(|pattern| crd_regexp::recognise(pattern).ok());
                let is_short = schema["maxLength"].as_u64().is_none_or(|most| text.len() as u64 <= most);
                if !is_short || pattern.is_some_and(|pattern| pattern.is_match(text) == Some(false)) {
                    let help = schema["x-help"].as_str().unwrap_or_default();
                    self.add(VALUE, path, format!("`{text}` is not a valid value of `{path}`"), help);
                }
            }
            (Some("integer"), Value::Number(number))
                if number.as_u64() <= schema["maximum"].as_u64() && number.is_u64() => {}
            (Some("boolean"), Value::Bool(_)) => {}
            (None, Value::String(word)) => {
                let values = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
                if values.clone().all(|value| value != word) {
                    self.add(
                        VALUE,
                        path,
                        format!("`{word}` is not a value of `{path}`"),
                        instead(word, values, "values"),
                    );
                }
            }
            (form, value) => {
                let help = match (form, value) {
                    _ if schema["x-help"].is_string() => schema["x-help"].as_str().unwrap_or_default().to_owned(),
                    (_, Value::Null) => "write a value, or remove the key".to_owned(),
                    (Some("string"), Value::Number(_)) => format!("YAML reads {value} as a number: put it into quotes"),
                    (Some("string"), Value::Bool(_)) => format!("YAML reads {value} as a boolean: put it into quotes"),
                    (Some("array"), Value::String(text)) => format!("write `[{text}]`"),
                    _ => String::new(),
                };
                self.add(VALUE, path, format!("`{path}` must be {}", words(schema, self.root)), help);
            }
        }
    }

    /// Checks what the schema cannot express: versions, annotations, lenses, and values that do not fit each other.
    fn across_keys(&mut self, root: &Map<String, Value>) {
        let map = |key: &str| root.get(key).and_then(Value::as_object);
        let list = |key: &str| root.get(key).and_then(Value::as_array);
        let text = |key: &str| root.get(key).and_then(Value::as_str);
        if let Some(Err(error)) = text("version").filter(|text| text.starts_with('v')).map(str::parse::<BundleVersion>)
        {
            self.add(VALUE, "version", error.to_string(), "");
        }
        for (key, text) in
            map("annotations").into_iter().flatten().filter_map(|(key, text)| Some((key, text.as_str()?)))
        {
            let mut path = "annotations".to_owned();
            push_key(&mut path, key);
            let mut crd = CustomResourceDefinition::default();
            crd.annotations.insert(key.clone().into(), text.to_owned().into());
            for refusal in refusals(&crd).into_iter().filter(|refusal| refusal.rule == "metadata-annotations") {
                self.add(VALUE, &path, format!("a server refuses the annotation: {}", refusal.message), "");
            }
        }
        for (index, lens) in list("lenses").into_iter().flatten().enumerate().filter(|(_, lens)| lens.is_object()) {
            for error in Lens::from_value(lens).err().into_iter().flatten() {
                let path = format!("lenses[{index}]{}", error.path.trim_start_matches('$'));
                self.add("catalogue::lens", &path, error.message, error.help);
            }
        }
        if map("gate").is_some_and(|gate| gate.contains_key("fail-on") && gate.contains_key("expect")) {
            self.add(VALUE, "gate.expect", "`gate` has both `fail-on` and `expect`".to_owned(), "remove one of them");
        }
        if let Some(go) = map("go") {
            if !go.contains_key("module") {
                self.add(MISSING, "go", "`go` lacks the key `module`".to_owned(), "add `module: example.com/api`");
            }
            if !root.contains_key("types") {
                let message = "the Go module is written from the source of the types".to_owned();
                self.add(MISSING, "go", message, "add `types: …`, the folder of their crate");
            }
        }
        let Some(channels) = list("channels") else { return };
        let default = root.contains_key("version").then(Profile::default);
        let profile = if root.contains_key("profile") { text("profile").and_then(Profile::named) } else { default };
        if !channels.contains(&json!("standard")) {
            self.add(
                VALUE,
                "channels",
                "`channels` lacks `standard`".to_owned(),
                "add `standard`: every project has it",
            );
        } else if let Some(profile) = profile.filter(|profile| channels.len() == 1 && profile.has_experimental_stage())
        {
            let message = format!("the profile `{profile}` needs the channel experimental");
            self.add("catalogue::channels", "channels", message, "add `profile: semver`, or the channel experimental");
        }
    }
}

/// The help for an unknown name.
fn instead<'n>(name: &str, known: impl Iterator<Item = &'n str>, what: &str) -> String {
    let known = known.collect::<Vec<_>>();
    nearest(name, known.iter().copied())
        .map_or_else(|| format!("the {what} are {}", known.join(", ")), |near| format!("did you mean `{near}`?"))
}
