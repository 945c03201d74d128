//! What `new` prints.

use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;
use crd_diagnostics::{Diagnostic, json, merged};
use serde_json::{Value, json};

use super::Written;
use crate::session::Session;

pub(super) fn print(written: &Written, session: &mut Session<'_>) {
    let published = &written.published;
    let differences: Vec<Diagnostic> =
        published.differences.iter().map(|difference| difference.diagnostic.clone()).collect();
    session.diagnostics(&merged(published.warnings.iter().cloned()));
    session.diagnostics(&differences);
    let folder = session.shown(&written.folder).display().to_string();
    let resources = match published.resources.len() {
        0 => String::new(),
        number => format!(", {}", count(number, "root type")),
    };
    let summary = match differences.len() {
        _ if published.resources.is_empty() => String::new(),
        0 => ", without differences".to_owned(),
        number => format!(", {}: the types do not express the parts listed above", count(number, "difference")),
    };
    session.print(format_args!(
        "{NAME}{folder}{NAME:#}: {} written{resources}{summary}\n",
        count(written.files.len(), "file")
    ));
    session.notes(&written.notes);
}

pub(super) fn document(result: &Result<Written, Vec<Diagnostic>>, session: &Session<'_>) -> Value {
    let written = result.as_ref().ok();
    let published = written.map(|written| &written.published);
    json!({
        "schemaVersion": json::SCHEMA_VERSION,
        "folder": written.map(|written| session.shown(&written.folder).display().to_string()),
        "files": written.map(|written| &*written.files).unwrap_or_default(),
        "resources": published.into_iter().flat_map(|published| &published.resources).map(|(crd, path)| json!({
            "crd": crd,
            "type": path,
        })).collect::<Vec<_>>(),
        "differences": published.into_iter().flat_map(|published| &published.differences).map(|difference| &difference.document).collect::<Vec<_>>(),
        "warnings": published.into_iter().flat_map(|published| &published.warnings).map(|warning| session.json(warning)).collect::<Vec<_>>(),
        "notes": written.map(|written| &*written.notes).unwrap_or_default(),
        "errors": session.json_errors(result),
    })
}
