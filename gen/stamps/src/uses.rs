//! The experimental or unsupported fields and values that an object uses.
//!
//! Invariant: a value that a default of the experimental schema put there does not count, because the author of the object never wrote it. Guardrails decide likewise.

use crd_model::crd::Version;
use crd_model::schema::Step;
use serde_json::Value;

use crate::experimental_only::{Element, ExperimentalOnly};

/// An element that objects can use.
#[derive(Clone, Debug)]
pub struct Usable {
    /// The path of the field, or of the field with the value.
    pub path: String,
    steps: Vec<Step>,
    element: Element,
    default: Option<Value>,
}

/// Where an object uses an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Use<'v> {
    /// The path with indexes and keys, such as `spec.rules[0].retry`.
    pub path: String,
    /// The value, if it is the value that is experimental.
    pub value: Option<&'v Value>,
}

impl Usable {
    /// The elements of one version that objects can use.
    pub fn all(elements: &[ExperimentalOnly], version: &Version) -> Vec<Self> {
        elements.iter().filter_map(|element| Self::of(element, version)).collect()
    }

    /// The element, if it is of this version and objects can use it.
    pub fn of(only: &ExperimentalOnly, version: &Version) -> Option<Self> {
        let is_usable = !matches!(only.element, Element::Resource | Element::Version { .. });
        let schema = only.path.node(&version.schema);
        (is_usable && only.version.as_deref() == Some(&*version.name)).then(|| Self {
            path: only.path.text(),
            steps: only.path.steps().to_vec(),
            element: only.element.clone(),
            default: schema.and_then(|schema| schema.default.clone()),
        })
    }

    /// Where an object uses the element.
    pub fn uses<'v>(&self, object: &'v Value) -> Vec<Use<'v>> {
        let mut found = Vec::new();
        self.walk(&self.steps, object, &mut String::new(), &mut found);
        found
    }

    fn walk<'v>(&self, steps: &[Step], value: &'v Value, path: &mut String, found: &mut Vec<Use<'v>>) {
        let Some((step, rest)) = steps.split_first() else {
            if self.is_used(value) {
                let has_values = matches!(self.element, Element::Values(_) | Element::ValuesExcept(_));
                found.push(Use { path: path.clone(), value: has_values.then_some(value) });
            }
            return;
        };
        let length = path.len();
        match (step, value) {
            (Step::Field(name), Value::Object(fields)) => {
                // What is absent is used at its end.
                let absent = (rest.is_empty() && self.element == Element::Empty).then_some(&Value::Null);
                if let Some(value) = fields.get(name).or(absent) {
                    field(path, name);
                    self.walk(rest, value, path, found);
                    path.truncate(length);
                }
            }
            (Step::Item, Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    path.extend(["[", &index.to_string(), "]"]);
                    self.walk(rest, item, path, found);
                    path.truncate(length);
                }
            }
            (Step::Value, Value::Object(values)) => {
                for (key, value) in values {
                    field(path, key);
                    self.walk(rest, value, path, found);
                    path.truncate(length);
                }
            }
            _ => {}
        }
    }

    /// Whether the value at the end of the path is a use.
    fn is_used(&self, value: &Value) -> bool {
        if self.element == Element::Empty {
            return value.is_null() || value == "";
        }
        if value.is_null() || self.default.as_ref() == Some(value) {
            return false;
        }
        match &self.element {
            Element::Field => true,
            Element::Values(values) => values.contains(value),
            Element::ValuesExcept(values) => !values.contains(value),
            Element::Resource | Element::Version { .. } | Element::Empty => false,
        }
    }
}

fn field(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}
