//! The result as SARIF 2.1.0: a result for each finding.

use crd_diagnostics::page::pages;
use crd_diagnostics::sarif::Run;
use crd_diagnostics::text::one_line;
use crd_diagnostics::{Diagnostic, Severity};
use serde_json::{Value, json};

use super::Validation;
use crate::codes::OBJECT_PAGES;
use crate::exit::Exit;

pub(super) fn document(validation: &Validation) -> Value {
    let mut run = Run::of_pages(pages(OBJECT_PAGES));
    for diagnostic in validation.findings().chain(&validation.warnings) {
        let object = diagnostic.location.object.as_ref().map(ToString::to_string).unwrap_or_default();
        let file = diagnostic.location.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
        let named = Diagnostic { message: named(&object, &diagnostic.message), ..diagnostic.clone() };
        run.result(&named, &[diagnostic.code, &file, &object, &diagnostic.message], json!({}));
    }
    let errors = validation.all_errors().map(|error| (Severity::Error, one_line(error)));
    let notes = validation.left_out_in_words().into_iter().chain(validation.skipped_in_words());
    let notes = notes.chain([validation.summary()]);
    let messages = errors.chain(notes.map(|note| (Severity::Note, note))).collect::<Vec<_>>();
    let is_usable = validation.exit() != Exit::Unusable;
    run.log(is_usable, &messages, json!({"valid": validation.exit() == Exit::Fine}))
}

fn named(object: &str, message: &str) -> String {
    if object.is_empty() { message.to_owned() } else { format!("{object}: {message}") }
}
