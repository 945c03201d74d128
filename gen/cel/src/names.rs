//! The kinds of names in Kubernetes, with the server's texts for what is wrong with one.
//!
//! Invariants: lengths are counted in bytes; letters are ASCII letters; a good name has no problems.

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

/// What servers write a limit of the length in.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// For names in objects.
    Characters,
    /// For values of CEL rules.
    Bytes,
}

impl Unit {
    fn too_long(self, most: usize) -> String {
        let unit = match self {
            Self::Characters => "characters",
            Self::Bytes => "bytes",
        };
        format!("must be no more than {most} {unit}")
    }
}

fn problems(text: &str, most: usize, unit: Unit, is_good: bool, problem: &str) -> Vec<String> {
    let length = (text.len() > most).then(|| unit.too_long(most));
    length.into_iter().chain((!is_good).then(|| problem.to_owned())).collect()
}

/// The name of an object. The dash at the end of a prefix does not count: the server appends to the prefix.
pub fn subdomain(text: &str, is_prefix: bool, unit: Unit) -> Vec<String> {
    let text = if is_prefix { of_prefix(text) } else { text.to_owned() };
    problems(&text, 253, unit, is_subdomain(&text), SUBDOMAIN)
}

/// A prefix as the server checks it: a letter instead of the dash at the end and the character before it.
pub fn of_prefix(text: &str) -> String {
    match text.strip_suffix('-').and_then(|before| before.strip_suffix(|character: char| character.is_ascii())) {
        Some(before) => format!("{before}a"),
        None => text.to_owned(),
    }
}

/// The name of a namespace.
pub fn label(text: &str, unit: Unit) -> Vec<String> {
    if is_lowercase_label(text) || !is_subdomain(text) {
        return problems(text, 63, unit, is_lowercase_label(text), LABEL);
    }
    problems(text, 63, unit, false, "must not contain dots")
}

/// A kind in lower case.
pub fn label_1035(text: &str, unit: Unit) -> Vec<String> {
    let starts_with_letter = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    problems(text, 63, unit, starts_with_letter && is_lowercase_label(text), LABEL_1035)
}

/// The key of a label or annotation, and a finalizer.
pub fn key(text: &str, minor: u32, unit: Unit) -> Vec<String> {
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
            let problems = problems(prefix, 253, unit, is_subdomain(prefix), SUBDOMAIN);
            found.extend(problems.into_iter().map(|problem| format!("prefix part {problem}")));
            name
        }
    };
    if name.is_empty() {
        found.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        found.push(format!("name part {}", unit.too_long(63)));
    }
    if !is_label_text(name) {
        found.push(format!("name part {KEY}"));
    }
    found
}

/// The value of a label.
pub fn label_value(text: &str, unit: Unit) -> Vec<String> {
    problems(text, 63, unit, text.is_empty() || is_label_text(text), VALUE)
}

/// Parts of any length, separated by dots.
pub fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_lowercase_label)
}

/// `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
pub fn is_lowercase_label(text: &str) -> bool {
    let ends = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    ends(text.bytes().next())
        && ends(text.bytes().next_back())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// `[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?`
pub fn is_label_text(text: &str) -> bool {
    let ends = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    ends(text.bytes().next())
        && ends(text.bytes().next_back())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::{Unit, label_1035, of_prefix, subdomain};

    #[test]
    fn prefixes_are_checked_without_their_dash() {
        for (prefix, checked) in [("ab-", "aa"), ("b-", "a"), ("-", "-"), ("ab", "ab"), ("é-", "é-"), ("--", "a")] {
            assert_eq!(of_prefix(prefix), checked, "{prefix}");
        }
        assert!(subdomain("a.b-", true, Unit::Bytes).is_empty() && !subdomain("é-", true, Unit::Bytes).is_empty());
    }

    #[test]
    fn a_limit_is_in_the_unit_of_its_server() {
        let long = "a".repeat(64);
        assert_eq!(label_1035(&long, Unit::Bytes), ["must be no more than 63 bytes"]);
        assert_eq!(label_1035(&long, Unit::Characters), ["must be no more than 63 characters"]);
    }
}
