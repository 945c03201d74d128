//! Paths in objects and in schemas, as messages and reports write them: `spec.rules[*].name`, `spec.map["a key"][0]`.
//!
//! Invariants: a field begins with a dot, except the first one; a name with characters of paths is a string in brackets. `[*]` is every item of
//! a list or every value of a map. Servers write paths in other ways: see `crd_apiserver`.

use std::fmt::Write as _;

/// One step from a value to a value in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// To the field or key of this name.
    Field(String),
    /// To the item of a list, counted from 0.
    Item(usize),
}

impl Step {
    /// Whether it is written without quotes.
    pub fn is_plain(&self) -> bool {
        match self {
            Self::Field(name) => is_plain_name(name),
            Self::Item(_) => true,
        }
    }
}

/// The path of these steps; empty without steps.
pub fn text(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Field(name) => push_field(&mut text, name),
            // Writing to a String cannot fail.
            Step::Item(index) => drop(write!(text, "[{index}]")),
        }
    }
    text
}

/// The path of a field of the node or value at this path.
pub fn field(path: &str, name: &str) -> String {
    let mut path = path.to_owned();
    push_field(&mut path, name);
    path
}

fn push_field(path: &mut String, name: &str) {
    if !is_plain_name(name) {
        let _ = write!(path, "[{name:?}]");
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// Whether a name is written in a path without quotes.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '-' | '$'))
}
