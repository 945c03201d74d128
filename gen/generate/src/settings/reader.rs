//! From the text of the file to its checked document.
//!
//! Invariants: every value is checked against the table of keys, and then against the other values. All errors are reported together, each at
//! the line of its key or item.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use crd_apiserver::refusal::refusals;
use crd_convert::Lens;
use crd_diagnostics::Diagnostic;
use crd_markers::nearest::nearest;
use crd_model::CustomResourceDefinition;
use crd_model::profile::Profile;
use crd_model::yaml::{documents, item_positions, locate, push_key};
use serde_json::{Map, Value, json};

use super::keys::{Form, Key, keys};

/// The codes of the file.
const SYNTAX: &str = "settings::syntax";
const UNKNOWN: &str = "settings::unknown-key";
const VALUE: &str = "settings::value";
const MISSING: &str = "settings::missing";

/// An error at a path of the document.
struct Problem {
    code: &'static str,
    path: String,
    message: String,
    help: String,
}

#[derive(Default)]
struct Problems(Vec<Problem>);

/// The document, and the lines of the items of its lists that are checked again later.
pub(super) fn read(
    file: &Path,
    text: &str,
    required: &[&str],
) -> Result<(Map<String, Value>, BTreeMap<&'static str, Vec<usize>>), Vec<Diagnostic>> {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for document in documents(text) {
        match document {
            Ok(document) => found.push(document),
            Err(invalid) => errors.extend(
                invalid
                    .into_iter()
                    .map(|error| Diagnostic::error(SYNTAX, error.message).at_position(file, error.line, error.column)),
            ),
        }
    }
    if let Some(second) = found.get(1) {
        let error = Diagnostic::error(SYNTAX, "the file has more than one document");
        errors.push(error.at_line(file, second.section.content_position().line).help("write all keys into the first"));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let (root, section) = match found.pop() {
        Some(document) => (document.value, document.section),
        None => (Value::Object(Map::new()), Default::default()),
    };
    let Value::Object(root) = root else {
        let error = Diagnostic::error(SYNTAX, "the file must be a map of keys, such as `version: v1.0.0`");
        return Err(error.at_line(file, section.content_position().line).into());
    };
    let mut problems = Problems::default();
    for key in required.iter().filter(|key| !root.contains_key(**key)) {
        let example = if *key == "version" { "v0.1.0" } else { "widgets.example.com" };
        problems.add(
            MISSING,
            "",
            format!("a project with types needs the key `{key}`"),
            format!("add `{key}: {example}`"),
        );
    }
    problems.section("", &keys(), &root);
    problems.across_keys(&root);
    let paths = problems.0.iter().map(|problem| &*problem.path).collect::<Vec<_>>();
    let mut located = locate(text, section, &paths).into_iter().zip(&problems.0).collect::<Vec<_>>();
    located.sort_by_key(|(position, _)| *position);
    let errors = located.into_iter().map(|(position, problem)| {
        Diagnostic::error(problem.code, &*problem.message).at_line(file, position.line).help(&*problem.help)
    });
    let errors = errors.collect::<Vec<_>>();
    if !errors.is_empty() {
        return Err(errors);
    }
    let lines = ["exclude", "lenses"].map(|list| {
        let positions = item_positions(text, section, list);
        (list, positions.into_iter().map(|position| position.line).collect())
    });
    Ok((root, BTreeMap::from(lines)))
}

impl Problems {
    fn add(&mut self, code: &'static str, path: &str, message: String, help: impl Into<String>) {
        self.0.push(Problem { code, path: path.to_owned(), message, help: help.into() });
    }

    /// Checks the keys of a section and their values.
    fn section(&mut self, path: &str, keys: &[Key], map: &Map<String, Value>) {
        for (name, value) in map {
            let mut below = path.to_owned();
            push_key(&mut below, name);
            let names = keys.iter().map(|key| key.name);
            match keys.iter().find(|key| key.name == *name) {
                Some(key) => self.value(&below, &key.form, value),
                None => {
                    let help = nearest(name, names.clone()).map_or_else(
                        || format!("the keys are {}", names.collect::<Vec<_>>().join(", ")),
                        |near| format!("did you mean `{near}`?"),
                    );
                    let of = if path.is_empty() { String::new() } else { format!(" of `{path}`") };
                    self.add(UNKNOWN, &below, format!("unknown key `{name}`{of}"), help);
                }
            }
        }
    }

    fn value(&mut self, path: &str, form: &Form, value: &Value) {
        let items = value.as_array().map(Vec::as_slice);
        match (form, value) {
            (Form::Section(keys), Value::Object(map)) => self.section(path, keys, map),
            (Form::Text(check), Value::String(text)) => {
                if let Err(help) = check(text) {
                    self.add(VALUE, path, format!("`{text}` is not a valid `{path}`"), help);
                }
            }
            (Form::Word(words), Value::String(word)) => self.word(path, path, words, word),
            (Form::Words(words), Value::Array(_)) => {
                self.names(path, value, |problems, at, word| problems.word(at, path, words, word));
                let first = words.first().copied().unwrap_or_default();
                if items.is_some_and(|items| items.iter().all(|item| item != first)) {
                    self.add(
                        VALUE,
                        path,
                        format!("`{path}` lacks `{first}`"),
                        format!("add `{first}`: every project has it"),
                    );
                }
            }
            (Form::Names, Value::Array(_)) => self.names(path, value, |_, _, _| {}),
            (Form::Path, Value::String(text)) => self.path(path, text),
            (Form::Paths, Value::String(text)) => self.path(path, text),
            (Form::Paths, Value::Array(paths)) if !paths.is_empty() => self.names(path, value, Self::path),
            (Form::Number, Value::Number(number))
                if number.as_u64().is_some_and(|number| number <= u64::from(u16::MAX)) => {}
            (Form::Flag, Value::Bool(_)) => {}
            (Form::Annotations, Value::Object(map)) => self.annotations(path, map),
            (Form::Lenses, Value::Array(lenses)) => {
                for (index, lens) in lenses.iter().enumerate() {
                    for error in Lens::from_value(lens).err().into_iter().flatten() {
                        let below = format!("{path}[{index}]{}", error.path.trim_start_matches('$'));
                        self.add("catalogue::lens", &below, error.message, error.help);
                    }
                }
            }
            (form, value) => self.form(path, &form.words(), value),
        }
    }

    /// A value of another form.
    fn form(&mut self, path: &str, expected: &str, value: &Value) {
        let help = match value {
            Value::Null => "write a value, or remove the key".to_owned(),
            Value::Number(_) | Value::Bool(_) if expected == "a text" => {
                format!(
                    "YAML reads {value} as a {}: put it into quotes",
                    if value.is_number() { "number" } else { "boolean" }
                )
            }
            _ => String::new(),
        };
        self.add(VALUE, path, format!("`{path}` must be {expected}"), help);
    }

    /// Checks a list of different names.
    fn names(&mut self, path: &str, list: &Value, check: impl Fn(&mut Self, &str, &str)) {
        let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
        for (index, item) in items.iter().enumerate() {
            let at = format!("{path}[{index}]");
            match item.as_str().filter(|name| !name.is_empty()) {
                None => self.form(&at, "a text", item),
                Some(name) if items[..index].contains(item) => {
                    self.add(VALUE, &at, format!("`{path}` has `{name}` twice"), "remove one of them");
                }
                Some(name) => check(self, &at, name),
            }
        }
    }

    fn word(&mut self, at: &str, key: &str, words: &[&'static str], word: &str) {
        if !words.contains(&word) {
            let help = nearest(word, words.iter().copied()).map_or_else(
                || format!("the values are {}", words.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            self.add(VALUE, at, format!("`{word}` is not a value of `{key}`"), help);
        }
    }

    /// A path that leads into the root, on every system.
    fn path(&mut self, at: &str, text: &str) {
        let is_below = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if text.is_empty() || text.contains('\\') || !Path::new(text).components().all(is_below) {
            let help = "write it relative to the folder of this file, with `/` and without `..`";
            self.add(VALUE, at, format!("`{text}` is not a path below the root"), help);
        }
    }

    /// What a server refuses in annotations is an error here.
    fn annotations(&mut self, path: &str, map: &Map<String, Value>) {
        for (key, value) in map {
            let mut below = path.to_owned();
            push_key(&mut below, key);
            let Some(text) = value.as_str() else {
                self.form(&below, "a text", value);
                continue;
            };
            let mut crd = CustomResourceDefinition::default();
            crd.annotations.insert(key.clone().into(), text.to_owned().into());
            for refusal in refusals(&crd).into_iter().filter(|refusal| refusal.rule == "metadata-annotations") {
                self.add(VALUE, &below, format!("a server refuses the annotation: {}", refusal.message), "");
            }
        }
    }

    /// Checks values that do not fit each other.
    fn across_keys(&mut self, root: &Map<String, Value>) {
        let gate = root.get("gate").and_then(Value::as_object);
        if gate.is_some_and(|gate| gate.contains_key("fail-on") && gate.contains_key("expect")) {
            self.add(VALUE, "gate.expect", "`gate` has both `fail-on` and `expect`".to_owned(), "remove one of them");
        }
        let profile = match root.get("profile") {
            None if root.contains_key("version") => Some(Profile::default()),
            profile => profile.and_then(Value::as_str).and_then(Profile::named),
        };
        let is_standard = root.get("channels").is_some_and(|channels| *channels == json!(["standard"]));
        if let Some(profile) = profile.filter(|profile| is_standard && profile.has_experimental_stage()) {
            let message = format!("the profile `{profile}` needs the channel experimental");
            self.add("catalogue::channels", "channels", message, "add `profile: semver`, or the channel experimental");
        }
    }
}
