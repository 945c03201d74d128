//! The constants of an API: recommended condition types and reasons, by API version. A bundle has them in a file of its own.
//!
//! Invariants: the same constants are the same bytes, and what was written reads back. A constant has one value in its API version.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::{Value, json};

use crate::schema::kind_of;

/// The name of the file in the bundle's folder.
pub const FILE_NAME: &str = "constants.json";

/// A string that controllers write into the status of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constant {
    /// What it is: `condition` or `reason`. Files of other programs may have other words.
    pub kind: String,
    pub value: String,
}

/// The constants of an API: by API version, and by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constants(pub BTreeMap<String, BTreeMap<String, Constant>>);

impl Constants {
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(BTreeMap::is_empty)
    }

    /// The text of the file: one line for each constant, sorted by API version and name.
    pub fn to_json(&self) -> String {
        let versions = self.0.iter().map(|(version, constants)| {
            let lines = constants.iter().map(|(name, constant)| {
                json!({"name": name, "type": constant.kind, "value": constant.value}).to_string()
            });
            format!("{}: [\n{}\n]", json!(version), lines.collect::<Vec<_>>().join(",\n"))
        });
        format!("{{\n{}\n}}\n", versions.collect::<Vec<_>>().join(",\n"))
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// All errors, each with its place in the document.
    pub fn from_json(text: &str) -> Result<Self, Vec<String>> {
        let document: Value = serde_json::from_str(text).map_err(|error| vec![format!("this is not JSON: {error}")])?;
        let Value::Object(versions) = &document else {
            return Err(vec![format!("expected a map of API versions, found {}", kind_of(&document))]);
        };
        let (mut constants, mut errors) = (Self::default(), Vec::new());
        for (version, list) in versions {
            let Some(list) = list.as_array() else {
                errors.push(format!("{version}: expected a list of constants, found {}", kind_of(list)));
                continue;
            };
            let known = constants.0.entry(version.clone()).or_default();
            for (index, constant) in list.iter().enumerate() {
                let mut text = |key: &str| {
                    let text = constant.get(key).and_then(Value::as_str);
                    if text.is_none() {
                        errors.push(format!("{version}[{index}]: `{key}` must be a string"));
                    }
                    text.map(str::to_owned)
                };
                let (name, kind, value) = (text("name"), text("type"), text("value"));
                let (Some(name), Some(kind), Some(value)) = (name, kind, value) else { continue };
                match known.entry(name) {
                    Entry::Vacant(entry) => drop(entry.insert(Constant { kind, value })),
                    Entry::Occupied(entry) => {
                        errors.push(format!("{version}[{index}]: `{}` is there twice", entry.key()));
                    }
                }
            }
        }
        if errors.is_empty() { Ok(constants) } else { Err(errors) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let text = r#"{
"v1": [
{"name":"A_CONDITION_READY","type":"condition","value":"Ready"},
{"name":"A_REASON_\"QUOTED\"","type":"reason","value":"é"}
],
"v1alpha1": [
{"name":"A_CONDITION_READY","type":"condition","value":"Ready"}
]
}
"#;
        let constants = Constants::from_json(text).unwrap();
        assert_eq!(constants.to_json(), text);
        assert!(!constants.is_empty());
        assert!(Constants::from_json("{}").unwrap().is_empty() && Constants::default().is_empty());
    }

    /// Upstream's list has the same form.
    #[test]
    fn constants_of_gateway_api_are_read() {
        let upstream = crd_testdata::gateway_api_constants();
        let constants = Constants::from_json(&upstream.to_string()).unwrap();
        assert_eq!(constants.0.values().map(BTreeMap::len).sum::<usize>(), 246);
        assert_eq!(constants.0["v1"]["GatewayConditionProgrammed"].value, "Programmed");
    }

    #[test]
    fn all_errors_are_reported_together() {
        let errors = |text: &str| Constants::from_json(text).unwrap_err();
        assert_eq!(errors("[]"), ["expected a map of API versions, found a list"]);
        assert!(errors("{")[0].starts_with("this is not JSON: "));
        assert_eq!(
            errors(
                r#"{"v1": 3, "v2": [{"name": "A", "type": "reason", "value": "a"}, {"name": "A", "type": "reason", "value": "b"}, {"name": 1, "value": "c"}]}"#
            ),
            [
                "v1: expected a list of constants, found a number",
                "v2[1]: `A` is there twice",
                "v2[2]: `name` must be a string",
                "v2[2]: `type` must be a string",
            ]
        );
    }
}
