//! Named formats, and what is wrong with texts that do not have them. The texts are those of Kubernetes 1.37.

use crd_model::base64;

use super::calendar::{Timestamp, is_date};
use super::location::Location;
use super::names::Unit::Bytes;
use super::names::{self, of_prefix};
use super::shapes::NEWEST_MINOR;

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
    Format { function: "format.dns1035Label", pattern_length: 30, problems: |text| names::label_1035(text, Bytes) },
    Format {
        function: "format.dns1035LabelPrefix",
        pattern_length: 30,
        problems: |text| names::label_1035(&of_prefix(text), Bytes),
    },
    Format { function: "format.dns1123Label", pattern_length: 30, problems: |text| names::label(text, Bytes) },
    Format {
        function: "format.dns1123LabelPrefix",
        pattern_length: 30,
        problems: |text| names::label(&of_prefix(text), Bytes),
    },
    Format {
        function: "format.dns1123Subdomain",
        pattern_length: 60,
        problems: |text| names::subdomain(text, false, Bytes),
    },
    Format {
        function: "format.dns1123SubdomainPrefix",
        pattern_length: 60,
        problems: |text| names::subdomain(text, true, Bytes),
    },
    Format { function: "format.labelValue", pattern_length: 40, problems: |text| names::label_value(text, Bytes) },
    Format {
        function: "format.qualifiedName",
        pattern_length: 60,
        problems: |text| names::key(text, NEWEST_MINOR, Bytes),
    },
    Format { function: "format.uri", pattern_length: 1103, problems: uri },
    Format { function: "format.uuid", pattern_length: 70, problems: uuid },
];

/// The format of this name.
pub(super) fn named(name: &str) -> Option<Format> {
    FORMATS.into_iter().find(|format| format.function.strip_prefix("format.") == Some(name))
}

fn one(holds: bool, problem: &str) -> Vec<String> {
    if holds { Vec::new() } else { vec![problem.to_owned()] }
}

fn byte(text: &str) -> Vec<String> {
    one(!text.is_empty() && base64::decoded(text).is_some(), "invalid base64")
}

fn date(text: &str) -> Vec<String> {
    one(is_date(text), "invalid date")
}

fn date_time(text: &str) -> Vec<String> {
    one(Timestamp::parse(&text.to_ascii_uppercase()).is_some(), "invalid datetime")
}

fn uri(text: &str) -> Vec<String> {
    one(Location::is_valid(text), &Location::why_not(text))
}

fn uuid(text: &str) -> Vec<String> {
    one(is_uuid(text), "does not match the UUID format")
}

/// Whether it is eight, four, four, four and twelve hexadecimal digits, with optional dashes between them.
pub fn is_uuid(text: &str) -> bool {
    let rest = [8, 4, 4, 4, 12].into_iter().enumerate().try_fold(text, |rest, (at, count)| {
        let rest = if at > 0 { rest.strip_prefix('-').unwrap_or(rest) } else { rest };
        let (digits, rest) = rest.split_at_checked(count)?;
        digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(rest)
    });
    rest == Some("")
}
