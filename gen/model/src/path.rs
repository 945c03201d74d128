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

/// The steps of a path, as [`text`] writes it; keys with other characters are JSON strings in brackets.
///
/// # Errors
/// What is wrong with it.
pub fn steps(path: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() || steps.is_empty() {
        let error = || format!("`{rest}` is not a part of a path such as `spec.rules[0].name` or `[\"a key\"]`");
        if rest.starts_with("[\"") {
            let mut keys = serde_json::Deserializer::from_str(&rest[1..]).into_iter::<String>();
            let key = keys.next().and_then(Result::ok).ok_or_else(error)?;
            let after = rest.get(1 + keys.byte_offset()..).and_then(|after| after.strip_prefix(']'));
            rest = after.ok_or_else(error)?;
            steps.push(Step::Field(key));
        } else if let Some(index) = rest.strip_prefix('[') {
            let (index, after) = index.split_once(']').ok_or_else(error)?;
            steps.push(Step::Item(index.parse().map_err(|_| error())?));
            rest = after;
        } else {
            let name = if steps.is_empty() { Some(rest) } else { rest.strip_prefix('.') }.ok_or_else(error)?;
            let (name, after) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
            if !is_plain_name(name) {
                return Err(error());
            }
            steps.push(Step::Field(name.to_owned()));
            rest = after;
        }
    }
    Ok(steps)
}

/// The path of a field of the node or value at this path.
pub fn field(path: &str, name: &str) -> String {
    let mut path = path.to_owned();
    push_field(&mut path, name);
    path
}

/// Whether a path of an accepted finding is about this one. A path that ends in `*` is about every path with this beginning.
pub fn covers(accepted: &str, path: &str) -> bool {
    match accepted.strip_suffix('*') {
        // `[*]` is a step of a path, not the end of a prefix.
        Some(prefix) if !accepted.ends_with("[*]") => path.starts_with(prefix),
        _ => path == accepted,
    }
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
