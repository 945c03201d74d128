//! The kinds of names in metadata, with the server's texts for what is wrong with one.
//!
//! Invariants: a good name has no problems.

use crd_model::names;

/// What the texts about metadata call a byte.
const UNIT: &str = "characters";

/// The name of an object. The dash at the end of a prefix does not count: the server appends to the prefix.
pub(super) fn subdomain(text: &str, is_prefix: bool) -> Vec<String> {
    match is_prefix {
        true => names::subdomain_problems(&without_last_dash(text), UNIT),
        false => names::subdomain_problems(text, UNIT),
    }
}

/// The dash at the end and the character before it, replaced by a letter as the server does.
fn without_last_dash(text: &str) -> String {
    match text.strip_suffix('-').and_then(|before| before.strip_suffix(|character: char| character.is_ascii())) {
        Some(before) => format!("{before}a"),
        None => text.to_owned(),
    }
}

/// The name of a namespace.
pub(super) fn label(text: &str) -> Vec<String> {
    names::label_problems(text, UNIT)
}

/// A kind in lower case.
pub(super) fn label_1035(text: &str) -> Vec<String> {
    names::label_1035_problems(text, UNIT)
}

/// The key of a label or annotation, and a finalizer.
pub(super) fn key(text: &str, minor: u32) -> Vec<String> {
    names::key_problems(text, UNIT, if minor < 35 { "a qualified name" } else { "a valid label key" })
}

pub(super) fn label_value(text: &str) -> Vec<String> {
    names::label_value_problems(text, UNIT)
}

/// The name of an embedded resource.
pub(super) fn path_segment(text: &str, is_prefix: bool) -> Vec<String> {
    if !is_prefix && matches!(text, "." | "..") {
        return vec![format!("may not be '{text}'")];
    }
    ["/", "%"].into_iter().filter(|part| text.contains(part)).map(|part| format!("may not contain '{part}'")).collect()
}
