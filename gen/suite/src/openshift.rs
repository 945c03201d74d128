//! Suites of OpenShift (`schemas/openshift.json`), as `tests/generator.go` of github.com/openshift/api runs them.
//!
//! Invariants: a test becomes a case for each of its requests: the creation, the first status, the update, and its status. The last one has the
//! expected answer; those before must be accepted. An object that was stored under another CRD (`initialCRDPatches`) is not asked for.

use crd_model::yaml::{Problem, Problems, checked, item_positions, read as documents};
use serde_json::{Map, Value};

use crate::case::{Case, Expected, Selection, Suite, completed};
use crate::codes::{CODES, MALFORMED};

/// The JSON schema of a file.
pub const SCHEMA: &str = include_str!("../schemas/openshift.json");

/// Reads a suite, with the lines of its tests.
pub(crate) fn read(text: &str) -> Result<Suite, Vec<Problem>> {
    let schema = serde_json::from_str(SCHEMA).unwrap_or(Value::Null);
    let mut suite = Suite::default();
    let mut of_tests = Vec::new();
    let (_, section) = checked(text, &schema, CODES, |root, problems| {
        let text = |key: &str| root.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let gates = root.get("featureGates").and_then(Value::as_array).into_iter().flatten();
        suite.name = text("name");
        suite.selection = Some(Selection {
            crd: text("crdName"),
            version: root.get("version").and_then(Value::as_str).map(str::to_owned),
            gates: gates.filter_map(Value::as_str).map(str::to_owned).collect(),
        });
        for list in ["onCreate", "onUpdate"] {
            let tests = root.get("tests").and_then(|tests| tests.get(list)?.as_array()).into_iter().flatten();
            for (index, test) in tests.enumerate() {
                let path = format!("tests.{list}[{index}]");
                let test = Test { map: test.as_object(), path: &path };
                let cases = if list == "onCreate" { test.creation(problems) } else { test.update(problems) };
                of_tests.push((list, index, cases));
            }
        }
    })?;
    let lines = ["onCreate", "onUpdate"].map(|list| (list, item_positions(text, section, &format!("tests.{list}"))));
    for (list, index, cases) in of_tests {
        let of_list = lines.iter().find(|(known, _)| *known == list);
        let line = of_list.and_then(|(_, lines)| lines.get(index)).map_or(0, |position| position.line);
        for mut case in cases {
            let is_known = |name: &str| suite.cases.iter().any(|known| known.name == name);
            let mut names =
                (1..).map(|number| if number == 1 { case.name.clone() } else { format!("{} ({number})", case.name) });
            case.name = names.find(|name| !is_known(name)).unwrap_or_default();
            suite.cases.push(Case { line, ..case });
        }
    }
    Ok(suite)
}

/// A test.
struct Test<'t> {
    map: Option<&'t Map<String, Value>>,
    path: &'t str,
}

impl<'t> Test<'t> {
    fn text(&self, key: &str) -> Option<&'t str> {
        self.map?.get(key)?.as_str().filter(|text| !text.trim().is_empty())
    }

    /// The object of a text.
    fn object(&self, key: &str, problems: &mut Problems<'_>) -> Option<Value> {
        let at = format!("{}.{key}", self.path);
        match documents(self.text(key)?).map(|mut documents| documents.pop()) {
            Ok(Some(object @ Value::Object(_))) => {
                let mut object = completed(object, "", "");
                // A metadata that is not a map is wrong in the request too.
                if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                    metadata.insert("namespace".to_owned(), Value::from("default"));
                }
                Some(object)
            }
            Ok(_) => {
                problems.add(
                    MALFORMED,
                    &at,
                    format!("`{key}` is not an object"),
                    "write the object as a string of YAML",
                );
                None
            }
            Err(error) => {
                problems.add(MALFORMED, &at, format!("`{key}` is not YAML: {}", error.message), "");
                None
            }
        }
    }

    fn case(&self, step: &str, old: Option<&Value>, object: &Value, expected: Expected) -> Case {
        let name = format!("{}{step}", self.text("name").unwrap_or_default());
        let (line, channel, minors) = (0, None, None);
        Case { name, line, channel, minors, old: old.cloned(), object: object.clone(), is_status: false, expected }
    }

    /// The answer to the last request.
    fn expected(&self, object: &Value, problems: &mut Problems<'_>) -> Expected {
        let stored = Some(self.object("expected", problems).unwrap_or_else(|| object.clone()));
        Expected::Accepted { stored, parts: Vec::new(), warnings: None }
    }

    fn creation(&self, problems: &mut Problems<'_>) -> Vec<Case> {
        let Some(object) = self.object("initial", problems) else { return Vec::new() };
        let expected = match self.text("expectedError") {
            Some(error) => Expected::RefusedWith(error.to_owned()),
            None => self.expected(&object, problems),
        };
        vec![self.case("", None, &object, expected)]
    }

    fn update(&self, problems: &mut Problems<'_>) -> Vec<Case> {
        let (initial, updated) = (self.object("initial", problems), self.object("updated", problems));
        let Some((initial, mut updated)) = initial.zip(updated) else { return Vec::new() };
        // The update takes over the name of the stored object.
        if let Some(metadata) = updated.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("name".to_owned(), initial["metadata"]["name"].clone());
        }
        let mut cases = Vec::new();
        if self.map.is_none_or(|map| !map.contains_key("initialCRDPatches")) {
            cases.push(self.case(" (creation)", None, &initial, Expected::ACCEPTED));
            if initial.get("status").is_some() {
                let case =
                    self.case(" (first status)", Some(&with_status(&initial, None)), &initial, Expected::ACCEPTED);
                cases.push(Case { is_status: true, ..case });
            }
        }
        let status = updated.get("status").cloned();
        let expected = match self.text("expectedError") {
            Some(error) => Expected::RefusedWith(error.to_owned()),
            None if status.is_some() => Expected::ACCEPTED,
            None => self.expected(&updated, problems),
        };
        let is_refused = !expected.is_accepted();
        cases.push(self.case("", Some(&initial), &updated, expected));
        if status.is_some() && !is_refused {
            let old = with_status(&updated, initial.get("status"));
            let expected = match self.text("expectedStatusError") {
                Some(error) => Expected::RefusedWith(error.to_owned()),
                None => self.expected(&updated, problems),
            };
            cases.push(Case { is_status: true, ..self.case(" (status)", Some(&old), &updated, expected) });
        }
        cases
    }
}

/// The object with this status.
fn with_status(object: &Value, status: Option<&Value>) -> Value {
    let mut object = object.clone();
    if let Some(map) = object.as_object_mut() {
        map.remove("status");
        map.extend(status.map(|status| ("status".to_owned(), status.clone())));
    }
    object
}
