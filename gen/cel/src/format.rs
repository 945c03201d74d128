//! Named formats, and what is wrong with texts that do not have them. The texts are those of Kubernetes 1.37.

use crd_model::base64;

use super::calendar::Timestamp;
use super::location::Location;

/// A named format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The function that returns it.
    pub(super) function: &'static str,
    /// The length of a pattern that the cost model counts.
    pub(super) pattern_length: u32,
    pub(super) problems: fn(&str) -> Vec<String>,
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function
    }
}

pub(super) const FORMATS: [Format; 13] = [
    Format { function: "format.byte", pattern_length: 84, problems: byte },
    Format { function: "format.date", pattern_length: 71, problems: date },
    Format { function: "format.datetime", pattern_length: 71, problems: date_time },
    Format { function: "format.dns1035Label", pattern_length: 30, problems: dns1035_label },
    Format { function: "format.dns1035LabelPrefix", pattern_length: 30, problems: |text| dns1035_label(&prefix(text)) },
    Format { function: "format.dns1123Label", pattern_length: 30, problems: dns1123_label },
    Format { function: "format.dns1123LabelPrefix", pattern_length: 30, problems: |text| dns1123_label(&prefix(text)) },
    Format { function: "format.dns1123Subdomain", pattern_length: 60, problems: dns1123_subdomain },
    Format {
        function: "format.dns1123SubdomainPrefix",
        pattern_length: 60,
        problems: |text| dns1123_subdomain(&prefix(text)),
    },
    Format { function: "format.labelValue", pattern_length: 40, problems: label_value },
    Format { function: "format.qualifiedName", pattern_length: 60, problems: qualified_name },
    Format { function: "format.uri", pattern_length: 1103, problems: uri },
    Format { function: "format.uuid", pattern_length: 70, problems: uuid },
];

/// The format of this name.
pub(super) fn named(name: &str) -> Option<Format> {
    FORMATS.into_iter().find(|format| format.function.strip_prefix("format.") == Some(name))
}

const NAME: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const NAME_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
                         character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '";

fn too_long(limit: usize) -> String {
    format!("must be no more than {limit} bytes")
}

/// A name that the server may add to: a final dash, with the character before it, becomes a letter.
fn prefix(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(before) if !before.is_empty() => {
            let mut characters = before.chars();
            characters.next_back();
            format!("{}a", characters.as_str())
        }
        _ => text.to_owned(),
    }
}

fn is_label(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(is_inner) && !text.starts_with('-') && !text.ends_with('-')
}

fn is_name(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_outer = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    text.bytes().all(is_inner) && is_outer(text.as_bytes().first()) && is_outer(text.as_bytes().last())
}

/// The problems of a text that has at most this many bytes and a form.
fn limited(text: &str, limit: usize, has_form: bool, form: &str) -> Vec<String> {
    let length = (text.len() > limit).then(|| too_long(limit));
    length.into_iter().chain((!has_form).then(|| form.to_owned())).collect()
}

fn dns1123_label(text: &str) -> Vec<String> {
    let form = if text.split('.').all(is_label) {
        "must not contain dots"
    } else {
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an \
         alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
    };
    limited(text, 63, is_label(text), form)
}

fn dns1123_subdomain(text: &str) -> Vec<String> {
    let form = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and \
                end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    limited(text, 253, text.split('.').all(is_label), form)
}

fn dns1035_label(text: &str) -> Vec<String> {
    let form = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and \
                end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
                '[a-z]([-a-z0-9]*[a-z0-9])?')";
    limited(text, 63, is_label(text) && !text.as_bytes()[0].is_ascii_digit(), form)
}

fn label_value(text: &str) -> Vec<String> {
    let form = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and \
                end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
                '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    limited(text, 63, text.is_empty() || is_name(text), form)
}

fn qualified_name(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts[..] {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else {
                problems.extend(dns1123_subdomain(prefix).into_iter().map(|problem| format!("prefix part {problem}")));
            }
            name
        }
        _ => {
            return vec![format!(
                "a valid label key {NAME_RULE}{NAME}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        problems.push(format!("name part {}", too_long(63)));
    }
    if !is_name(name) {
        problems.push(format!("name part {NAME_RULE}{NAME}')"));
    }
    problems
}

fn one(holds: bool, problem: &str) -> Vec<String> {
    if holds { Vec::new() } else { vec![problem.to_owned()] }
}

fn byte(text: &str) -> Vec<String> {
    one(!text.is_empty() && base64::decoded(text).is_some(), "invalid base64")
}

fn date(text: &str) -> Vec<String> {
    one(text.len() == 10 && Timestamp::parse(&format!("{text}T00:00:00Z")).is_some(), "invalid date")
}

fn date_time(text: &str) -> Vec<String> {
    one(Timestamp::parse(&text.to_ascii_uppercase()).is_some(), "invalid datetime")
}

fn uri(text: &str) -> Vec<String> {
    one(Location::is_valid(text), &Location::why_not(text))
}

/// Eight, four, four, four and twelve hexadecimal digits, with optional dashes between them.
fn uuid(text: &str) -> Vec<String> {
    let mut rest = text;
    let mut is_uuid = true;
    for (at, count) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        rest = if at > 0 { rest.strip_prefix('-').unwrap_or(rest) } else { rest };
        is_uuid &= rest.len() >= count && rest.as_bytes()[..count].iter().all(u8::is_ascii_hexdigit);
        if !is_uuid {
            break;
        }
        rest = &rest[count..];
    }
    one(is_uuid && rest.is_empty(), "does not match the UUID format")
}
