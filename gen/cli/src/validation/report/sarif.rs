//! The result as SARIF 2.1.0: a result for each finding.

use crd_bundle::published::skips::notes;
use crd_diagnostics::page::pages;
use crd_diagnostics::sarif::Run;
use crd_diagnostics::text::one_line;
use crd_diagnostics::{Diagnostic, Severity};
use crd_generator::exit::Exit;
use serde_json::{Value, json};

use super::{Validation, exit, skipped_in_words, summary};
use crate::codes::OBJECT_PAGES;

pub(super) fn document(validation: &Validation) -> Value {
    let mut run = Run::of_pages(pages(OBJECT_PAGES));
    for diagnostic in validation.findings().chain(&validation.warnings) {
        let object = diagnostic.location.object.as_ref().map(ToString::to_string).unwrap_or_default();
        let file = diagnostic.location.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
        let named = Diagnostic { message: named(&object, &diagnostic.message), ..diagnostic.clone() };
        run.result(&named, &[diagnostic.code, &file, &object, &diagnostic.message], json!({}));
    }
    let errors = validation.all_errors().map(|error| (Severity::Error, one_line(error)));
    let notes = notes(&validation.left_out).into_iter().chain(skipped_in_words(validation));
    let notes = notes.chain([summary(validation)]);
    let messages = errors.chain(notes.map(|note| (Severity::Note, note))).collect::<Vec<_>>();
    let is_usable = exit(validation) != Exit::Unusable;
    run.log(is_usable, &messages, json!({"valid": exit(validation) == Exit::Fine}))
}

fn named(object: &str, message: &str) -> String {
    if object.is_empty() { message.to_owned() } else { format!("{object}: {message}") }
}
