//! Files of suites: reading our form (`schemas/suite.json`) and the one of OpenShift.
//!
//! Invariants: all errors of a file are reported together, each with its line.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_model::channel::Channel;
use crd_model::path::{Step, steps};
use crd_model::yaml::{Problem, Problems, checked, item_positions, push_key, read as documents};
use crd_names::nearest;
use serde_json::{Map, Value, json};

use crate::case::{Case, Expected, Suite, completed};
use crate::codes::{CODES, MALFORMED};
use crate::edit::{Edit, apply};
use crate::{openshift, repeat};

/// The JSON schema of a file of our form.
pub const SCHEMA: &str = include_str!("../schemas/suite.json");
/// The end of the names of files of our form.
pub const EXTENSION: &str = ".suite.yaml";

/// Reads a suite in either form.
///
/// # Errors
/// All errors of the file.
pub fn read(text: &str, file: &Path) -> Result<Suite, Vec<Diagnostic>> {
    let is_openshift = |root: &Value| root.get("crdName").is_some();
    let mut suite = match documents(text) {
        Ok(roots) if roots.first().is_some_and(is_openshift) => openshift::read(text),
        _ => own(text),
    }
    .map_err(|problems| problems.into_iter().map(|problem| Diagnostic::of_file(problem, file)).collect::<Vec<_>>())?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    suite.file = file.display().to_string();
    if suite.name.is_empty() {
        suite.name = name.strip_suffix(EXTENSION).unwrap_or(&name).to_owned();
    }
    Ok(suite)
}

/// Reads a suite of our form, with the lines of its cases.
fn own(text: &str) -> Result<Suite, Vec<Problem>> {
    let schema = serde_json::from_str(SCHEMA).unwrap_or(Value::Null);
    let mut suite = Suite::default();
    let (_, section) = checked(text, &schema, CODES, |root, problems| {
        let mut form = Form { root, problems };
        suite.name = form.text("name").to_owned();
        suite.cases = form.cases();
    })?;
    for (case, position) in suite.cases.iter_mut().zip(item_positions(text, section, "cases")) {
        case.line = position.line;
    }
    Ok(suite)
}

/// A file of our form. Its values may be wrong: what the schema reports is left out here.
struct Form<'f, 's> {
    root: &'f Map<String, Value>,
    problems: &'f mut Problems<'s>,
}

impl<'f> Form<'f, '_> {
    fn text(&self, key: &str) -> &'f str {
        self.root.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    fn problem(&mut self, path: &str, message: String, help: impl Into<String>) {
        self.problems.add(MALFORMED, path, message, help);
    }

    fn cases(&mut self) -> Vec<Case> {
        let mut names = BTreeSet::new();
        let cases = self.root.get("cases").and_then(Value::as_array).into_iter().flatten().enumerate();
        let cases = cases.filter_map(|(index, case)| Some((format!("cases[{index}]"), case.as_object()?)));
        let mut read = Vec::new();
        for (path, case) in cases {
            let name = case.get("name").and_then(Value::as_str).unwrap_or_default();
            if !names.insert(name) {
                let message = format!("the file has two cases with the name `{name}`");
                self.problem(&format!("{path}.name"), message, "write in the name how they differ");
            }
            read.push(self.case(&path, name, case));
        }
        read
    }

    fn case(&mut self, path: &str, name: &str, case: &Map<String, Value>) -> Case {
        let is_status = case.get("status") == Some(&Value::Bool(true));
        let base = self.base(path, case);
        let mut object = base.clone();
        self.edit(path, &mut object, case);
        let old = case.get("old").and_then(Value::as_object).map(|edits| {
            let mut old = base.clone();
            self.edit(&format!("{path}.old"), &mut old, edits);
            old
        });
        let channel = case.get("channel").or(self.root.get("channel")).and_then(Value::as_str);
        let own = case.get("kubernetes");
        let at = if own.is_some() { format!("{path}.kubernetes") } else { "kubernetes".to_owned() };
        let minors = own.or(self.root.get("kubernetes")).and_then(Value::as_str);
        Case {
            name: name.to_owned(),
            line: 0,
            channel: channel.and_then(Channel::named),
            minors: minors.and_then(|text| self.minors(&at, text)),
            old: old.or_else(|| is_status.then_some(base)),
            object,
            is_status,
            expected: self.expected(path, case),
        }
    }

    /// The object that a case begins with.
    fn base(&mut self, path: &str, case: &Map<String, Value>) -> Value {
        let bases = self.root.get("bases").and_then(Value::as_object);
        let (at, base) = match case.get("base").and_then(Value::as_str) {
            None => ("base".to_owned(), self.root.get("base")),
            Some(name) => {
                let base = bases.and_then(|bases| bases.get(name));
                if base.is_none() {
                    let known = bases.into_iter().flatten().map(|(name, _)| name.as_str());
                    let help = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
                    let help = help.unwrap_or_else(|| format!("add `{name}` to `bases`"));
                    self.problem(&format!("{path}.base"), format!("`bases` has no `{name}`"), help);
                }
                let mut at = "bases".to_owned();
                push_key(&mut at, name);
                (at, base)
            }
        };
        let base = self.value(&at, base.unwrap_or(&json!({})));
        completed(base, self.text("apiVersion"), self.text("kind"))
    }

    /// Applies `set` and `remove`.
    fn edit(&mut self, path: &str, object: &mut Value, edits: &Map<String, Value>) {
        for (at, edit) in self.parts(&format!("{path}.set"), edits.get("set")) {
            self.apply(&at, object, edit);
        }
        let removed = edits.get("remove").and_then(Value::as_array).into_iter().flatten().enumerate();
        let removed =
            removed.filter_map(|(index, removed)| Some((format!("{path}.remove[{index}]"), removed.as_str()?)));
        let mut removed =
            removed.filter_map(|(at, removed)| self.steps(&at, removed).map(|steps| (at, steps))).collect::<Vec<_>>();
        // The last item of a list first, so that indices are those before any removal.
        removed.sort_by(|(_, one), (_, other)| other.cmp(one));
        for (at, steps) in removed {
            self.apply(&at, object, (steps, None));
        }
    }

    fn apply(&mut self, at: &str, object: &mut Value, edit: Edit) {
        if let Err(error) = apply(object, &edit) {
            self.problem(at, error, "check the path: `set` can add a field, or the item after the last one");
        }
    }

    /// The values of a map whose keys are paths.
    fn parts(&mut self, path: &str, map: Option<&Value>) -> Vec<(String, Edit)> {
        let mut parts = Vec::new();
        for (key, value) in map.and_then(Value::as_object).into_iter().flatten() {
            let mut at = path.to_owned();
            push_key(&mut at, key);
            if let Some(steps) = self.steps(&at, key) {
                let value = self.value(&at, value);
                parts.push((at, (steps, Some(value))));
            }
        }
        parts
    }

    fn steps(&mut self, at: &str, path: &str) -> Option<Vec<Step>> {
        steps(path).map_err(|error| self.problem(at, error, "")).ok()
    }

    fn value(&mut self, at: &str, value: &Value) -> Value {
        repeat::expanded(value).unwrap_or_else(|error| {
            self.problem(at, error, "");
            Value::Null
        })
    }

    fn minors(&mut self, at: &str, text: &str) -> Option<RangeInclusive<u32>> {
        let minor = |text: &str| text.strip_prefix("1.")?.parse().ok();
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let minors: RangeInclusive<u32> = minor(first)?..=minor(last)?;
        if minors.is_empty() {
            self.problem(at, format!("the range `{text}` is empty"), "write the lower minor first");
        }
        Some(minors)
    }

    fn expected(&mut self, path: &str, case: &Map<String, Value>) -> Expected {
        let texts = |value: &Value| match value {
            Value::Array(texts) => texts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            value => value.as_str().map(str::to_owned).into_iter().collect::<Vec<_>>(),
        };
        if let Some(refused) = case.get("refused") {
            for key in ["accepted", "stored", "warnings"].into_iter().filter(|key| case.contains_key(*key)) {
                let message = format!("a refused object has no `{key}`");
                self.problem(&format!("{path}.{key}"), message, format!("remove `refused` or `{key}`"));
            }
            return Expected::Refused(texts(refused));
        }
        let stored = case.get("stored").map(|stored| self.value(&format!("{path}.stored"), stored));
        let parts = self.parts(&format!("{path}.accepted"), case.get("accepted"));
        let parts = parts.into_iter().map(|(_, (steps, value))| (steps, value.filter(|value| !value.is_null())));
        Expected::Accepted { stored, parts: parts.collect(), warnings: case.get("warnings").map(texts) }
    }
}
