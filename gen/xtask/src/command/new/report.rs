//! What `new` prints.

use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;
use crd_diagnostics::{Diagnostic, json, merged};
use crd_source::Difference;
use serde_json::{Value, json};

use super::Written;
use crate::session::Session;

pub(super) fn print(written: &Written, session: &mut Session<'_>) {
    let differences: Vec<Diagnostic> =
        written.differences.iter().map(|difference| diagnostic(difference, false)).collect();
    session.diagnostics(&merged(written.warnings.iter().cloned()));
    session.diagnostics(&differences);
    let folder = session.shown(&written.folder).display().to_string();
    let resources = match written.resources.len() {
        0 => String::new(),
        number => format!(", {}", count(number, "root type")),
    };
    let summary = match written.differences.len() {
        _ if written.resources.is_empty() => String::new(),
        0 => ", without differences".to_owned(),
        number => format!(", {}: the types do not express the parts listed above", count(number, "difference")),
    };
    session.print(format_args!(
        "{NAME}{folder}{NAME:#}: {} written{resources}{summary}\n",
        count(written.files.len(), "file")
    ));
    session.notes(&written.notes);
}

/// A difference as a diagnostic: an error if it leaves no resource at all.
pub(super) fn diagnostic(difference: &Difference, is_error: bool) -> Diagnostic {
    let message = format!("`{}`: {}", difference.keyword, difference.reason);
    let diagnostic = match is_error {
        true => Diagnostic::error("new::difference", message),
        false => Diagnostic::warning("new::difference", message),
    };
    let diagnostic = diagnostic.of_crd(difference.crd.clone(), difference.version.clone(), difference.path.clone());
    match difference.channel {
        Some(channel) => diagnostic.in_channel(channel),
        None => diagnostic,
    }
}

pub(super) fn document(result: &Result<Written, Vec<Diagnostic>>, session: &Session<'_>) -> Value {
    let written = result.as_ref().ok();
    json!({
        "schemaVersion": json::SCHEMA_VERSION,
        "folder": written.map(|written| session.shown(&written.folder).display().to_string()),
        "files": written.map(|written| &*written.files).unwrap_or_default(),
        "resources": written.into_iter().flat_map(|written| &written.resources).map(|resource| json!({
            "crd": resource.crd,
            "type": resource.path,
        })).collect::<Vec<_>>(),
        "differences": written.into_iter().flat_map(|written| &written.differences).map(|difference| json!({
            "crd": difference.crd,
            "version": difference.version,
            "channel": difference.channel.map(|channel| channel.name()),
            "path": difference.path,
            "keyword": difference.keyword,
            "reason": difference.reason,
        })).collect::<Vec<_>>(),
        "warnings": written.into_iter().flat_map(|written| &written.warnings).map(|warning| session.json(warning)).collect::<Vec<_>>(),
        "notes": written.map(|written| &*written.notes).unwrap_or_default(),
        "errors": session.json_errors(result),
    })
}
