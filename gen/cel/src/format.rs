//! Named formats, and what is wrong with texts that do not have them. The texts are those of Kubernetes 1.37.

use crd_model::{base64, names};

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

/// What the texts of the library call a byte.
const UNIT: &str = "bytes";

fn dns1123_label(text: &str) -> Vec<String> {
    names::label_problems(text, UNIT)
}

fn dns1123_subdomain(text: &str) -> Vec<String> {
    names::subdomain_problems(text, UNIT)
}

fn dns1035_label(text: &str) -> Vec<String> {
    names::label_1035_problems(text, UNIT)
}

fn label_value(text: &str) -> Vec<String> {
    names::label_value_problems(text, UNIT)
}

fn qualified_name(text: &str) -> Vec<String> {
    names::key_problems(text, UNIT, "a valid label key")
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
