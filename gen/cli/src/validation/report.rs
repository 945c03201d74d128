//! The result of a validation in each format.
//!
//! Invariants: every format contains the same errors and findings. Paths are relative to the current folder.

pub(crate) mod json;
mod junit;
mod sarif;
mod text;

use clap::Arg;
use crd_bundle::published::skips::notes;
use crd_diagnostics::layout::{are, some_of};
use crd_diagnostics::{Diagnostic, github};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_model::document::send_value;
use crd_model::yaml::{Start, YamlWriter};
use crd_suite::objects::validation::{MOST_NAMED, Validation, Verdict, minors_in_words};

use crate::arguments::{Format, formats_argument};

pub(crate) fn validation_format_argument() -> Arg {
    formats_argument(
        "How the result is printed",
        &[
            (Format::Text, "for reading"),
            (Format::Json, "for programs; `schema validation` prints its JSON schema"),
            (Format::Github, "annotations in a workflow of GitHub"),
            (Format::Sarif, "SARIF 2.1.0, for code scanning"),
            (Format::Junit, "JUnit's XML, with a test case for each object"),
        ],
    )
}

/// Prints the result. Returns how the command ends.
pub(crate) fn print(validation: Validation, format: Format, shows_stored: bool, session: &mut Session<'_>) -> Exit {
    let validation = relative_to(validation, session);
    match format {
        Format::Json => session.print(crd_diagnostics::json::line(&json::document(&validation))),
        Format::Github => session.print_unchanged(&annotations(&validation)),
        Format::Sarif => session.print(crd_diagnostics::json::line(&sarif::document(&validation))),
        Format::Junit => session.print(crd_diagnostics::junit::document("validate", &junit::suites(&validation))),
        _ => text::print(&validation, shows_stored, session),
    }
    exit(&validation)
}

/// The result as annotations of GitHub.
fn annotations(validation: &Validation) -> String {
    let diagnostics = validation.all_errors().chain(validation.findings()).chain(&validation.warnings);
    let notes = notes(&validation.left_out).into_iter().chain([summary(validation)]);
    let notes = notes.chain(not_checked(validation).map(str::to_owned)).map(|note| github::line(&note));
    diagnostics.map(github::annotation).chain(notes).collect()
}

fn exit(validation: &Validation) -> Exit {
    if validation.all_errors().next().is_some() {
        Exit::Unusable
    } else if validation.objects().any(|object| object.verdict == Verdict::Refused) {
        Exit::Findings
    } else {
        Exit::Fine
    }
}

fn relative_to(mut validation: Validation, session: &Session<'_>) -> Validation {
    let relative = |diagnostic: &mut Diagnostic| {
        *diagnostic = std::mem::replace(diagnostic, Diagnostic::error("", "")).relative_to(&session.folder);
    };
    validation.errors.iter_mut().chain(&mut validation.warnings).for_each(relative);
    validation.files.iter_mut().flat_map(|file| &mut file.errors).for_each(relative);
    validation
}

/// The verdicts in a sentence.
fn summary(validation: &Validation) -> String {
    let of = |verdict| validation.count(verdict);
    let is_checked = of(Verdict::Accepted) + of(Verdict::Refused) > 0;
    let valid = format!("{} valid", are(of(Verdict::Accepted), "object"));
    let mut parts = vec![if is_checked { valid } else { "no object was checked".to_owned() }];
    for (verdict, word) in
        [(Verdict::Refused, "refused"), (Verdict::Unchecked, "not checked"), (Verdict::Skipped, "skipped")]
    {
        if let number @ 1.. = of(verdict)
            && (is_checked || verdict != Verdict::Unchecked)
        {
            parts.push(format!("{number} {word}"));
        }
    }
    format!("{} (Kubernetes {})", parts.join(", "), minors_in_words(&validation.minors))
}

/// What a server may refuse an object for that is not in its CRD.
fn not_checked(validation: &Validation) -> Option<&'static str> {
    (validation.count(Verdict::Accepted) > 0).then_some(
        "not checked, because it is not in the CRDs: admission policies and webhooks, quotas, permissions, names that exist, and references to \
         other objects",
    )
}

/// What is skipped, in a sentence.
fn skipped_in_words(validation: &Validation) -> Option<String> {
    let skipped = validation.skipped();
    let kinds = skipped.iter().map(|((api_version, kind), number)| match number {
        1 => format!("{kind} ({api_version})"),
        number => format!("{number} {kind} ({api_version})"),
    });
    (!skipped.is_empty())
        .then(|| format!("skipped, because no CRD has their kind: {}", some_of(&kinds.collect::<Vec<_>>(), MOST_NAMED)))
}

/// The stored objects as a stream of YAML documents.
fn stored(validation: &Validation) -> String {
    let stored = validation.objects().filter_map(|object| object.stored.as_ref());
    stored.fold(String::new(), |text, object| {
        let mut writer = YamlWriter::append_to(text, Start::Marker);
        send_value(object, &mut writer);
        writer.finish()
    })
}
