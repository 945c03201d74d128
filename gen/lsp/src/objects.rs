//! The diagnostics of objects: those of `validate`.
//!
//! Invariants: a text without objects of Kubernetes has none. A template of Helm has one information, because only its rendered text has objects.

use crd_bundle::published::{Source, codes};
use crd_diagnostics::{Diagnostic, Severity};
use crd_suite::objects::validation::Validator;

/// The code of the information about a template.
const TEMPLATE: &str = "lsp::template";

/// Whether a text can have objects.
pub(crate) fn has_objects(text: &str) -> bool {
    let is_key = |line: &str| line.trim_start_matches(['-', ' ', '{', '"']).starts_with("apiVersion");
    text.lines().any(is_key)
}

/// The diagnostics of a text whose name in messages is `name`.
pub(crate) fn diagnostics(name: &str, text: &str, validator: &Validator) -> Vec<Diagnostic> {
    if !has_objects(text) {
        return Vec::new();
    }
    let source = Source::new(name.to_owned(), text.to_owned());
    let mut found = Vec::new();
    for file in validator.file((vec![source], Vec::new())) {
        found.extend(file.errors);
        found.extend(file.objects.into_iter().flat_map(|object| object.findings).map(|finding| finding.diagnostic));
    }
    match found.iter().find(|diagnostic| diagnostic.code == codes::TEMPLATE).cloned() {
        Some(template) => {
            let message = "this is a template of Helm: its objects are not checked";
            let mut information = Diagnostic { code: TEMPLATE, severity: Severity::Note, ..template };
            information.message = message.to_owned();
            vec![information.help("render it, and check the result: `helm template CHART | crd-channels validate -`")]
        }
        None => found,
    }
}
