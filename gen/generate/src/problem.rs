//! Problems of types, as diagnostics: their codes, their locations, and how equal ones are merged.
//!
//! Invariants: a diagnostic has the Rust type and field as far as they are known, and the channel if it applies to one channel only.

use std::collections::HashMap;

use crd_apiserver::refusal::Refusal;
use crd_cel::SchemaProblem;
use crd_diagnostics::{Diagnostic, SourceLine};
use crd_markers::descriptor::{Field, Location, TypeDescriptor};
use crd_names::channel::Channel;

/// The page of each code of this crate, in Markdown.
///
/// Generation also reports the rules of [`crd_apiserver::refusal::RULES`] and the codes of [`crd_cel::PAGES`].
pub const PAGES: &str = include_str!("codes.md");

/// The reason for a diagnostic of a projection, as data.
pub(crate) enum Cause {
    Cel(SchemaProblem),
    /// A rule of the API server.
    Refusal(Refusal),
    Types,
}

impl Cause {
    /// Whether it is about a name or value that another channel may have.
    pub(crate) fn is_about_a_name(&self) -> bool {
        match self {
            Cause::Cel(_) => true,
            Cause::Refusal(refusal) => refusal.subject.is_some(),
            Cause::Types => false,
        }
    }

    /// Whether both have the same reason, although the channels may have different candidates for a name.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Cause::Cel(one), Cause::Cel(other)) => one.is_same_problem(other),
            (Cause::Refusal(one), Cause::Refusal(other)) => one.is_same_refusal(other),
            (Cause::Types, Cause::Types) => true,
            _ => false,
        }
    }
}

/// An error of a type.
pub(crate) fn of_type(code: &'static str, descriptor: &TypeDescriptor, message: impl Into<String>) -> Diagnostic {
    at(Diagnostic::error(code, message), descriptor.location).of_rust(descriptor.name, None)
}

/// An error of a field.
pub(crate) fn of_field(
    code: &'static str,
    descriptor: &TypeDescriptor,
    field: &Field,
    message: impl Into<String>,
) -> Diagnostic {
    let location = Location { file: descriptor.location.file, line: field.line };
    at(Diagnostic::error(code, message), location).of_rust(descriptor.name, Some(field.name.to_owned()))
}

/// An error of a field, or of the type without a field.
pub(crate) fn of_owner(
    code: &'static str,
    descriptor: &TypeDescriptor,
    field: Option<&Field>,
    message: impl Into<String>,
) -> Diagnostic {
    match field {
        Some(field) => of_field(code, descriptor, field, message),
        None => of_type(code, descriptor, message),
    }
}

/// The diagnostic at a line of the source.
pub fn at(diagnostic: Diagnostic, location: Location) -> Diagnostic {
    source_line(location).locate(diagnostic)
}

/// The line of a location in the source.
pub fn source_line(location: Location) -> SourceLine {
    SourceLine { file: location.file.to_owned(), line: location.line }
}

/// Each diagnostic once: several resources share types. Without a channel where it applies to all channels.
pub fn merged(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut merged: Vec<(Diagnostic, Vec<Channel>)> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for mut diagnostic in diagnostics {
        let channel = diagnostic.location.channel.take();
        let position = *positions.entry(identity(&diagnostic)).or_insert_with(|| {
            merged.push((diagnostic, Vec::new()));
            merged.len() - 1
        });
        merged[position].1.extend(channel);
    }
    let mut all = Vec::new();
    for (diagnostic, mut channels) in merged {
        channels.sort_unstable();
        channels.dedup();
        if channels.is_empty() || channels == Channel::ALL {
            all.push(diagnostic);
        } else {
            all.extend(channels.into_iter().map(|channel| diagnostic.clone().in_channel(channel)));
        }
    }
    all
}

/// What two equal diagnostics have in common: everything except the CRD and its version.
fn identity(diagnostic: &Diagnostic) -> String {
    let path = diagnostic.location.crd.as_ref().map(|crd| crd.path.as_str());
    let Diagnostic { code, message, help, location, .. } = diagnostic;
    format!("{code} {message} {help:?} {location} {:?} {path:?}", location.rust)
}
