//! `semver` and its methods. Versions are compared by precedence, without build metadata.

use std::sync::Arc;

use semver::Version;

use crate::failure::{Failure, quoted};
use crate::value::{Outcome, Value};

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

fn arguments_of<'v>(arguments: &[Value<'v>]) -> Result<Result<Version, Failure>, Failure> {
    match arguments {
        [Value::Text(text)] => Ok(parsed(text, false)),
        [Value::Text(text), Value::Boolean(normalize)] => Ok(parsed(text, *normalize)),
        _ => Err(Failure::no_overload()),
    }
}

pub(super) fn semver<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    arguments_of(arguments)?.map(|version| Value::Version(Arc::new(version)))
}

pub(super) fn is_semver<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    Ok(Value::Boolean(arguments_of(arguments)?.is_ok()))
}

fn part<'v>(arguments: &[Value<'v>], read: impl Fn(&Version) -> u64) -> Outcome<'v> {
    let [Value::Version(version)] = arguments else { return Err(Failure::no_overload()) };
    // Go converts the number without a check.
    Ok(Value::Integer(read(version).cast_signed()))
}

pub(super) fn major<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |version| version.major)
}

pub(super) fn minor<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |version| version.minor)
}

pub(super) fn patch<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |version| version.patch)
}
