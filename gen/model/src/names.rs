//! Names of DNS, and keys and values of labels: their forms, and the server's texts for what is wrong with one.
//!
//! Invariants: lengths are counted in bytes; letters are ASCII letters; a good name has no problems. `unit` is what a text calls a byte: the
//! library of CEL writes `bytes`, the validation of metadata `characters`.

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

/// `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
pub fn is_label(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(is_inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// A label that starts with a letter.
pub fn is_label_1035(text: &str) -> bool {
    is_label(text) && text.starts_with(|first: char| first.is_ascii_lowercase())
}

/// Labels of any length, separated by dots.
pub fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

/// The name of a label key, or a label value that is not empty.
pub fn is_label_text(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_outer = |character: char| character.is_ascii_alphanumeric();
    text.bytes().all(is_inner) && text.starts_with(is_outer) && text.ends_with(is_outer)
}

fn too_long(most: usize, unit: &str) -> String {
    format!("must be no more than {most} {unit}")
}

fn problems(text: &str, (most, unit): (usize, &str), is_good: bool, problem: &str) -> Vec<String> {
    let length = (text.len() > most).then(|| too_long(most, unit));
    length.into_iter().chain((!is_good).then(|| problem.to_owned())).collect()
}

/// What is wrong with a subdomain of DNS, such as the name of an object.
pub fn subdomain_problems(text: &str, unit: &str) -> Vec<String> {
    problems(text, (253, unit), is_subdomain(text), SUBDOMAIN)
}

/// What is wrong with a label of DNS, such as the name of a namespace.
pub fn label_problems(text: &str, unit: &str) -> Vec<String> {
    let problem = if is_subdomain(text) { "must not contain dots" } else { LABEL };
    problems(text, (63, unit), is_label(text), problem)
}

/// What is wrong with a label of DNS that starts with a letter, such as a kind in lower case.
pub fn label_1035_problems(text: &str, unit: &str) -> Vec<String> {
    problems(text, (63, unit), is_label_1035(text), LABEL_1035)
}

/// What is wrong with the value of a label.
pub fn label_value_problems(text: &str, unit: &str) -> Vec<String> {
    problems(text, (63, unit), text.is_empty() || is_label_text(text), VALUE)
}

/// What is wrong with the key of a label or annotation, or with a finalizer. `what`: what the text calls a key.
pub fn key_problems(text: &str, unit: &str, what: &str) -> Vec<String> {
    let mut found = Vec::new();
    let name = match text.split_once('/') {
        None => text,
        Some((_, rest)) if rest.contains('/') => {
            return vec![format!(
                "{what} {KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
        Some(("", name)) => {
            found.push("prefix part must be non-empty".to_owned());
            name
        }
        Some((prefix, name)) => {
            found.extend(subdomain_problems(prefix, unit).iter().map(|problem| format!("prefix part {problem}")));
            name
        }
    };
    if name.is_empty() {
        found.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        found.push(format!("name part {}", too_long(63, unit)));
    }
    if !is_label_text(name) {
        found.push(format!("name part {KEY}"));
    }
    found
}
