//! The dates of past releases, from a file.
//!
//! Invariant: all errors of a file are reported together, each with its line.

use std::collections::BTreeMap;
use std::path::Path;

use crd_bundle::{BundleVersion, Released};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::count;
use crd_generator::file;

use crate::input;

/// The dates of releases.
pub(crate) type Dates = BTreeMap<BundleVersion, Released>;

/// Reads the file of release dates that the user names.
pub(crate) fn named_dates(path: &Path) -> Result<Dates, Vec<Diagnostic>> {
    match input::text(path)? {
        Some(text) => dates(path, &text),
        None => Err(file::error("file::io", path, "does not exist").into()),
    }
}

/// Release dates: a version and a date in each line. A first line with the names of the columns is skipped, and so are empty lines.
pub(crate) fn dates(path: &Path, text: &str) -> Result<Dates, Vec<Diagnostic>> {
    let (mut dates, mut errors) = (Dates::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let words = line.split_whitespace().collect::<Vec<_>>();
        let mut wrong = |message: String| {
            let error = Diagnostic::error("history::dates", message).at_line(path, index + 1);
            errors.push(error.help("write a version and a date in each line, such as `v1.0.0 2023-10-31`"));
        };
        match words[..] {
            [] | ["version", _] if words.is_empty() || index == 0 => {}
            [version, released] => match (version.parse::<BundleVersion>(), released.parse::<Released>()) {
                (Ok(version), Ok(_)) if dates.contains_key(&version) => wrong(format!("{version} has two dates")),
                (Ok(version), Ok(released)) => drop(dates.insert(version, released)),
                (version, released) => {
                    version.err().into_iter().chain(released.err()).for_each(|error| wrong(error.to_string()))
                }
            },
            _ => wrong(format!("this line has {}, not two", count(words.len(), "word"))),
        }
    }
    if errors.is_empty() { Ok(dates) } else { Err(errors) }
}
