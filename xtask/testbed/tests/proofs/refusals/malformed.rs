//! Malformed CRDs, and some that only look malformed, with the expected answers of engine and server: the rows of `malformed.yaml`.
//!
//! Invariants: every document is an edit of the same small, valid one ([`crd_apiserver::refusal::example`]). Rows of a section are adjacent.
//! Where engine and server differ, the row contains the gap, and [`Gap::reason`] the reason.

use std::sync::LazyLock;

use crd_apiserver::refusal::example;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::tables::table;

/// A document and the expected answers.
pub(crate) struct Malformed {
    /// The section of the page.
    pub(crate) section: &'static str,
    /// A description of the malformed part.
    pub(crate) what: &'static str,
    /// The edit of the small document.
    pub(crate) edit: Value,
    /// The expected answers.
    pub(crate) expected: Expected,
}

/// The expected answers of engine and server.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Expected {
    /// Engine and server refuse it.
    #[default]
    Refused,
    /// Engine and server refuse it; only servers from this minor on.
    RefusedSince(u32),
    /// Engine and server accept it.
    Accepted,
    /// The server accepts it. The engine refuses it with rules that no server has, because it can only be a mistake.
    RefusedByEngine,
    /// The server accepts it, and the engine cannot read it.
    Unreadable(Gap),
    /// The server refuses it, and the engine accepts it.
    AcceptedByEngine(Gap),
    /// Servers up to this minor refuse it, and the engine accepts it.
    AcceptedByEngineUntil(u32, Gap),
}

/// Why engine and server differ.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Gap {
    /// Errors that only evaluation finds.
    Evaluation,
    /// `null` for an absent value.
    Null,
    /// Functions of a newer Kubernetes.
    NewFunction,
}

impl Gap {
    /// All gaps.
    pub(crate) const ALL: [Self; 3] = [Self::Evaluation, Self::Null, Self::NewFunction];

    /// The reason, as text for the page.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Evaluation => {
                "The engine evaluates a rule only with a default. The server also evaluates the constant parts of a rule when it compiles it."
            }
            Self::Null => "The server reads `null` as absent almost everywhere. The engine's reader refuses it.",
            Self::NewFunction => {
                "The engine accepts the functions of the newest Kubernetes. Older servers refuse rules that use the new functions."
            }
        }
    }
}

impl Malformed {
    /// The complete document.
    pub(crate) fn document(&self) -> Value {
        example(&self.edit.to_string()).unwrap_or_else(|| panic!("not an edit: {}", self.edit))
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Table {
    specimen: Value,
    sections: Vec<Section>,
}

#[derive(Deserialize)]
struct Section {
    title: &'static str,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    what: &'static str,
    #[serde(default)]
    expected: Expected,
    #[serde(flatten)]
    edit: Map<String, Value>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| table(include_str!("malformed.yaml")));

/// An object with properties of many types, all of them bounded.
pub(crate) fn specimen() -> Value {
    TABLE.specimen.clone()
}

/// All rows.
pub(crate) fn rows() -> Vec<Malformed> {
    let rows = TABLE.sections.iter().flat_map(|section| section.rows.iter().map(move |row| (section.title, row)));
    rows.map(|(section, row)| Malformed { section, what: row.what, edit: edit(row), expected: row.expected }).collect()
}

/// The edit of the small document: short forms of rows are written out.
fn edit(row: &Row) -> Value {
    let on_specimen = |validation: Value| {
        let mut field = specimen();
        field["x-kubernetes-validations"] = json!([validation]);
        json!({"field": field})
    };
    let only = row.edit.iter().next().filter(|_| row.edit.len() == 1).map(|(key, value)| (key.as_str(), value));
    match only {
        Some(("rule", rule)) => on_specimen(json!({"rule": rule})),
        Some(("validation", validation)) => on_specimen(validation.clone()),
        Some(("spec", spec)) => json!({"document": {"spec": spec}}),
        Some(("built", name)) if name == "nestedTooDeeply" => {
            on_specimen(json!({"rule": format!("{}self.flag{}", "!(".repeat(260), ")".repeat(260))}))
        }
        Some(("built", name)) if name == "manyRules" => {
            // Different bounds, because the server reports only the most expensive rules.
            let many = (0..16_u8).map(|index| (char::from(b'a' + index).to_string(), dear(590 - u64::from(index))));
            json!({"field": {"type": "object", "properties": many.collect::<Map<_, _>>()}})
        }
        _ => Value::Object(row.edit.clone()),
    }
}

/// A rule that is nearly too expensive.
fn dear(bound: u64) -> Value {
    let text =
        json!({"type": "string", "maxLength": 64, "x-kubernetes-validations": [{"rule": "self.matches('^a+$')"}]});
    json!({"type": "array", "maxItems": bound, "items": {"type": "array", "maxItems": bound, "items": text}})
}
