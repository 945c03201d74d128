//! The kinds of names in metadata, with the server's texts for what is wrong with one.
//!
//! Invariants: lengths are counted in bytes; a good name has no problems.

use crate::names::{is_label_text, is_lowercase_label, is_subdomain};

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start \
                         and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                         '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with \
                     an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
                     '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
                          character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
                          validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const KEY: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character \
                   (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                   '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and \
                     end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
                     '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

fn too_long(most: usize) -> String {
    format!("must be no more than {most} characters")
}

fn problems(text: &str, most: usize, is_good: bool, problem: &str) -> Vec<String> {
    let length = (text.len() > most).then(|| too_long(most));
    length.into_iter().chain((!is_good).then(|| problem.to_owned())).collect()
}

/// The name of an object. The dash at the end of a prefix does not count: the server appends to the prefix.
pub(super) fn subdomain(text: &str, is_prefix: bool) -> Vec<String> {
    let text = if is_prefix { without_last_dash(text) } else { text.to_owned() };
    problems(&text, 253, is_subdomain(&text), SUBDOMAIN)
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
    if is_lowercase_label(text) || !is_subdomain(text) {
        return problems(text, 63, is_lowercase_label(text), LABEL);
    }
    problems(text, 63, false, "must not contain dots")
}

/// A kind in lower case.
pub(super) fn label_1035(text: &str) -> Vec<String> {
    let starts_with_letter = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    problems(text, 63, starts_with_letter && is_lowercase_label(text), LABEL_1035)
}

/// The key of a label or annotation, and a finalizer.
pub(super) fn key(text: &str, minor: u32) -> Vec<String> {
    let mut found = Vec::new();
    let name = match text.split_once('/') {
        None => text,
        Some((_, rest)) if rest.contains('/') => {
            let what = if minor < 35 { "a qualified name" } else { "a valid label key" };
            return vec![format!(
                "{what} {KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
        Some(("", name)) => {
            found.push("prefix part must be non-empty".to_owned());
            name
        }
        Some((prefix, name)) => {
            let problems = problems(prefix, 253, is_subdomain(prefix), SUBDOMAIN);
            found.extend(problems.into_iter().map(|problem| format!("prefix part {problem}")));
            name
        }
    };
    if name.is_empty() {
        found.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        found.push(format!("name part {}", too_long(63)));
    }
    if !is_label_text(name) {
        found.push(format!("name part {KEY}"));
    }
    found
}

pub(super) fn label_value(text: &str) -> Vec<String> {
    problems(text, 63, text.is_empty() || is_label_text(text), VALUE)
}

/// The name of an embedded resource.
pub(super) fn path_segment(text: &str, is_prefix: bool) -> Vec<String> {
    if !is_prefix && matches!(text, "." | "..") {
        return vec![format!("may not be '{text}'")];
    }
    ["/", "%"].into_iter().filter(|part| text.contains(part)).map(|part| format!("may not contain '{part}'")).collect()
}
