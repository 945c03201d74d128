//! `semver` and its methods. Versions are compared by precedence, without build metadata.

use std::sync::Arc;

use semver::Version;

use crate::cost::Cost;
use crate::failure::{Failure, quoted};
use crate::functions::{Function, function, method};
use crate::shapes::{BOOLEAN, INTEGER, SEMVER, Shape, TEXT};
use crate::value::Value;

const TEXT_OR_NORMALIZED: &[&[Shape]] = &[&[TEXT], &[TEXT, BOOLEAN]];

// Go converts the numbers without a check.
#[rustfmt::skip]
pub(super) const FUNCTIONS: &[Function] = &[
    function("isSemver", TEXT_OR_NORMALIZED, BOOLEAN, |arguments, _| Ok(Value::Boolean(version(arguments)?.is_ok())))
        .since(34).costs(Cost::Scan(0)),
    method("major", &[&[SEMVER]], INTEGER, run!(Value::Version(version) => version.major.cast_signed())).since(34),
    method("minor", &[&[SEMVER]], INTEGER, run!(Value::Version(version) => version.minor.cast_signed())).since(34),
    method("patch", &[&[SEMVER]], INTEGER, run!(Value::Version(version) => version.patch.cast_signed())).since(34),
    function("semver", TEXT_OR_NORMALIZED, SEMVER, |arguments, _| Ok(Value::Version(Arc::new(version(arguments)??))))
        .since(34).costs(Cost::Scan(0)),
];

/// A version from a text; `normalize` removes a leading `v` and leading zeros, and completes `1` and `1.2`.
fn parsed(text: &str, normalize: bool) -> Result<Version, Failure> {
    if !normalize {
        return strict(text);
    }
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
        return Err(Failure::new("short version cannot contain PreRelease/Build meta data"));
    }
    parts.resize(3, "0".to_owned());
    strict(&parts.join("."))
}

fn without_zeros(part: &str) -> String {
    let trimmed = part.trim_start_matches('0');
    match trimmed.bytes().next() {
        _ if part.len() < 2 => part.to_owned(),
        Some(b'0'..=b'9') => trimmed.to_owned(),
        _ => format!("0{trimmed}"),
    }
}

fn strict(text: &str) -> Result<Version, Failure> {
    Version::parse(text).map_err(|problem| {
        Failure::new(why_not(text).unwrap_or_else(|| format!("Invalid version {}: {problem}", quoted(text))))
    })
}

/// Why a text is not a version, as the server's library writes it.
fn why_not(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("Version string empty".to_owned());
    }
    let parts: Vec<&str> = text.splitn(3, '.').collect();
    let [major, minor, rest] = parts[..] else { return Some("No Major.Minor.Patch elements found".to_owned()) };
    let (rest, build) = rest.split_once('+').map_or((rest, None), |(rest, build)| (rest, Some(build)));
    let (patch, pre) = rest.split_once('-').map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
    for (what, title, number) in [("major", "Major", major), ("minor", "Minor", minor), ("patch", "Patch", patch)] {
        if !number.bytes().all(|digit| digit.is_ascii_digit()) {
            return Some(format!("Invalid character(s) found in {what} number {}", quoted(number)));
        }
        if number.len() > 1 && number.starts_with('0') {
            return Some(format!("{title} number must not contain leading zeroes {}", quoted(number)));
        }
        if let Some(why) = why_not_number(number) {
            return Some(why);
        }
    }
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    for part in pre.into_iter().flat_map(|pre| pre.split('.')) {
        let is_number = part.bytes().all(|digit| digit.is_ascii_digit());
        match part {
            "" => return Some("Prerelease is empty".to_owned()),
            _ if is_number && part.len() > 1 && part.starts_with('0') => {
                return Some(format!("Numeric PreRelease version must not contain leading zeroes {}", quoted(part)));
            }
            _ if is_number => {
                if let Some(why) = why_not_number(part) {
                    return Some(why);
                }
            }
            _ if !is_word(part) => return Some(format!("Invalid character(s) found in prerelease {}", quoted(part))),
            _ => {}
        }
    }
    for part in build.into_iter().flat_map(|build| build.split('.')) {
        match part {
            "" => return Some("Build meta data is empty".to_owned()),
            _ if !is_word(part) => {
                return Some(format!("Invalid character(s) found in build meta data {}", quoted(part)));
            }
            _ => {}
        }
    }
    None
}

/// Why Go's `ParseUint` refuses digits.
fn why_not_number(digits: &str) -> Option<String> {
    let why = if digits.is_empty() {
        "invalid syntax"
    } else if digits.parse::<u64>().is_err() {
        "value out of range"
    } else {
        return None;
    };
    Some(format!("strconv.ParseUint: parsing {}: {why}", quoted(digits)))
}

fn version(arguments: &[Value<'_>]) -> Result<Result<Version, Failure>, Failure> {
    match arguments {
        [Value::Text(text)] => Ok(parsed(text, false)),
        [Value::Text(text), Value::Boolean(normalize)] => Ok(parsed(text, *normalize)),
        _ => Err(Failure::no_overload()),
    }
}
