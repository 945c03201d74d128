//! `semver` and its methods. Versions are compared by precedence, without build metadata.

use std::sync::Arc;

use semver::Version;

use crate::failure::Failure;
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
    if text.splitn(3, '.').count() < 3 {
        return Err(Failure::new("No Major.Minor.Patch elements found"));
    }
    Version::parse(text).map_err(|problem| Failure::new(format!("Invalid version {text:?}: {problem}")))
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
