//! The features that an implementation supports, from a file: conformance reports, or a list of names.

use std::collections::BTreeSet;
use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_model::yaml;
use serde_json::Value;

use crate::evidence::{Evidence, MALFORMED};

/// Reads the features that a file lists: those of all of its reports together, or the names of a list, in YAML or as words.
///
/// # Errors
/// The file is neither, or lists nothing.
pub fn supported(file: &Path, text: &str) -> Result<BTreeSet<String>, Vec<Diagnostic>> {
    let mut names = BTreeSet::new();
    for document in yaml::documents(text).flatten() {
        match document.value {
            Value::String(words) => names.extend(words.split_whitespace().map(str::to_owned)),
            Value::Array(items) => names.extend(items.iter().filter_map(Value::as_str).map(str::to_owned)),
            _ => {}
        }
    }
    // A report has no such documents.
    if names.is_empty() {
        let (evidence, _) = Evidence::read([(file, text)])?;
        names.extend(evidence.reports().iter().flat_map(|report| report.supported.iter().cloned()));
    }
    let is_word = |name: &String| name.chars().all(|letter| letter.is_ascii_alphanumeric());
    match names.iter().find(|name| !is_word(name)) {
        None if !names.is_empty() => Ok(names),
        wrong => {
            let message = match wrong {
                Some(name) => format!("`{name}` is not the name of a feature"),
                None => "the file lists no features".to_owned(),
            };
            let error = Diagnostic::error(MALFORMED, message).at_file(file);
            Err(error.help("name a `ConformanceReport`, or a list of names of features").into())
        }
    }
}
