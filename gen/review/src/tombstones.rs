//! Advice about tombstones: the exact line or command for each missing one, with its source location.

use std::collections::BTreeSet;
use std::path::Path;

use crd_bundle::{BundleVersion, Release};
use crd_compat::tombstone::{Element, Kind, LedgerProblem, Tombstone};
use crd_compat::{Channels, Declared, Finding};
use crd_diagnostics::layout::{count, for_shell};
use crd_diagnostics::{Diagnostic, SourceLine};
use crd_generate::{AnnotatedResource, DeclaredTombstone, Origin, at, source_line};
use serde_json::Value;

use crate::history::{History, LEDGER};

fn resource<'r>(resources: &'r [AnnotatedResource], crd: &str) -> Option<&'r AnnotatedResource> {
    resources.iter().find(|resource| resource.crd_name() == crd)
}

/// The line of the types that a finding comes from.
pub(crate) fn line_of(resources: &[AnnotatedResource], finding: &Finding) -> Option<SourceLine> {
    let resource = resource(resources, &finding.crd)?;
    // A renamed field comes from its new name.
    let new_name = finding.after.as_ref().filter(|_| finding.rule == "renamed").and_then(Value::as_str);
    let path = match (new_name, finding.path.rsplit_once('.')) {
        (Some(name), Some((above, _))) => format!("{above}.{name}"),
        (Some(name), None) => name.to_owned(),
        (None, _) => finding.path.clone(),
    };
    // What concerns the resource, or a version that is gone, comes from the resource.
    let of_version = finding.version.as_deref().and_then(|version| resource.origin(version, &path));
    let origin = of_version.or_else(|| resource.version_names().find_map(|version| resource.origin(version, "")))?;
    Some(source_line(origin.location))
}

/// Describes what a removed name needs.
pub(crate) struct Advisor<'a> {
    pub(crate) version: BundleVersion,
    pub(crate) resources: &'a [AnnotatedResource],
    pub(crate) declared: &'a Declared,
    pub(crate) history: &'a History,
    pub(crate) candidate: &'a Channels,
}

/// How many other locations are named.
const MOST_NAMED: usize = 4;

/// Problems, each with the other names that have the same problem.
#[derive(Default)]
struct Problems<'n>(Vec<(Diagnostic, Vec<&'n Element>)>);

impl<'n> Problems<'n> {
    /// Adds a problem of a name, or adds the name to the same problem.
    fn add(&mut self, problem: Diagnostic, name: &'n Element, is_same: impl Fn(&Diagnostic) -> bool) {
        match self.0.iter_mut().find(|(known, _)| is_same(known)) {
            Some((_, others)) => others.push(name),
            None => self.0.push((problem, Vec::new())),
        }
    }

    /// The problems. Their messages name the other locations.
    fn finish(self) -> Vec<Diagnostic> {
        let finished = self.0.into_iter().map(|(mut problem, others)| {
            let crd = problem.location.crd.as_ref().map(|crd| &crd.name);
            let named = others.iter().take(MOST_NAMED).map(|name| match crd == Some(&name.crd) {
                true => name.path.clone(),
                false => format!("{} {}", name.crd, name.path),
            });
            let named = named.collect::<Vec<_>>().join(", ");
            let more = match others.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {}", count(more, "more place")),
            };
            if !named.is_empty() {
                problem.message.push_str(&format!("; the same at {named}{more}"));
            }
            problem
        });
        finished.collect()
    }
}

/// Problems of names. Those with the same cause at the same line become one.
pub(crate) fn together(found: Vec<(&Element, Diagnostic)>) -> Vec<Diagnostic> {
    let mut problems = Problems::default();
    for (name, problem) in found {
        let same = problem.clone();
        problems.add(problem, name, |known| known.code == same.code && is_at_same_line(known, &same));
    }
    problems.finish()
}

/// Two diagnostics at the same line.
fn is_at_same_line(one: &Diagnostic, other: &Diagnostic) -> bool {
    one.location.line.is_some()
        && (&one.location.file, one.location.line) == (&other.location.file, other.location.line)
}

/// The problem of a name, without its line.
pub(crate) fn of_ledger(problem: &LedgerProblem) -> Diagnostic {
    let (code, name, message, help) = match problem {
        LedgerProblem::Missing { name, last } => (
            "tombstone-missing",
            Some(name),
            format!("the {} is gone; {last} had it last, and it has no tombstone", called(name)),
            "Give it a tombstone, or take it back.",
        ),
        LedgerProblem::Unrecorded(Tombstone { name, .. }) => (
            "tombstone-unrecorded",
            Some(name),
            format!("the types declare that the {} was removed, and the ledger has no tombstone for it", called(name)),
            "Record it with `cargo xtask tombstones add`.",
        ),
        LedgerProblem::Returned(Tombstone { name, removed, reason, .. }) => (
            "tombstone-returned",
            Some(name),
            format!("the {} was removed in {removed} ({reason}) and must not return", called(name)),
            "Choose another name.",
        ),
        LedgerProblem::Lost { id, bundle } => (
            "tombstone-lost",
            None,
            format!("the tombstone of the {id} is gone from the ledger; {bundle} was released with it"),
            "Put the entry back as it was.",
        ),
        LedgerProblem::Altered { id, bundle } => (
            "tombstone-altered",
            None,
            format!("the tombstone of the {id} is not the one that {bundle} was released with"),
            "Put the entry back as it was.",
        ),
    };
    let problem = Diagnostic::error(code, message).help(help);
    match name {
        Some(name) => problem.of_crd(&*name.crd, None, &*name.path),
        None => problem,
    }
}

/// Without the CRD, which is printed before it.
pub(crate) fn called(name: &Element) -> String {
    match name.kind {
        Kind::Resource => "resource".to_owned(),
        Kind::Version => format!("API version {}", name.name),
        kind => format!("{} `{}`", kind.word(), name.name),
    }
}

impl Advisor<'_> {
    /// A problem for each missing line: a type that is used at several schema paths needs one line.
    pub(crate) fn problems(&self, missing: &[&LedgerProblem]) -> Vec<Diagnostic> {
        let mut problems = Problems::default();
        for problem in missing {
            let LedgerProblem::Missing { name, last } = problem else { continue };
            let (help, line) = self.advice(name, last);
            let diagnostic = of_ledger(problem).help(&*help);
            let diagnostic = line.map_or(diagnostic.clone(), |line| line.locate(diagnostic));
            problems
                .add(diagnostic, name, |known| known.location.line.is_some() && known.help.as_deref() == Some(&*help));
        }
        problems.finish()
    }

    /// The exact line that a missing tombstone needs, on a line of its own, and where it goes.
    fn advice(&self, name: &Element, last: &str) -> (String, Option<SourceLine>) {
        let (until, since) = self.around(last);
        let version = since.unwrap_or(self.version);
        if let Some(origin) = self.former_type(name) {
            let fix = format!(
                "Take it back, or add this line above `{}` ({}), and run `cargo xtask tombstones add`:\n/// +tombstone:name={},removed={version},reason=\"…\"",
                origin.type_name,
                origin.location,
                marker_text(&name.name),
            );
            return (fix, Some(source_line(origin.location)));
        }
        let mut command = format!("cargo xtask tombstones add --kind {} --crd {}", name.kind.word(), name.crd);
        for (argument, text) in [("path", name.place()), ("name", &name.written_name())] {
            if !text.is_empty() {
                command.push_str(&format!(" --{argument} {}", for_shell(Path::new(text))));
            }
        }
        command.push_str(&format!(" --removed {version} --reason '…'"));
        let stored = || self.declared.ever_stored.contains(&(name.crd.clone(), name.name.clone()));
        let more = match name.kind {
            Kind::Resource => match self.successor(&name.crd, &until) {
                Some(successor) => format!(", with `--replacement {successor}` if that takes over"),
                None => ", with `--replacement CRD` if another one takes over".to_owned(),
            },
            Kind::Version if stored() => ", with `--migrated` once no object is stored in it any more".to_owned(),
            _ => String::new(),
        };
        (format!("Take it back, or record it{more}:\n{command}"), None)
    }

    /// The type that had a field or value, if it still exists.
    fn former_type(&self, name: &Element) -> Option<Origin> {
        let resource = match name.kind {
            Kind::Field | Kind::Value => resource(self.resources, &name.crd)?,
            _ => return None,
        };
        resource.version_names().find_map(|version| resource.type_at(version, name.place()))
    }

    /// The releases up to the last one that had a name, and the first release without it.
    fn around(&self, last: &str) -> (Vec<&Release>, Option<BundleVersion>) {
        let last = last.parse::<BundleVersion>().ok();
        let (until, since): (Vec<_>, Vec<_>) =
            self.history.releases.all().partition(|(version, _)| last.is_some_and(|last| *version <= last));
        let lacked = since.iter().map(|(version, _)| *version).find(|version| version.is_release());
        (until.into_iter().map(|(_, release)| release).collect(), lacked.filter(|version| *version < self.version))
    }

    /// The only new CRD of the same kind, without regard to the `X` before the kinds of experimental groups.
    fn successor(&self, gone: &str, until: &[&Release]) -> Option<&str> {
        let bundles = until.iter().rev().flat_map(|release| release.crds().map(|(_, crd)| crd));
        let kind = &bundles.clone().find(|crd| crd.name == gone)?.names.kind;
        let known = bundles.map(|crd| &*crd.name).collect::<BTreeSet<_>>();
        let kinds = [Some(&**kind), kind.strip_prefix('X')];
        let candidates = self.candidate.values().flatten().filter(|crd| kinds.contains(&Some(&*crd.names.kind)));
        let new = candidates.map(|crd| &*crd.name).filter(|name| !known.contains(name)).collect::<BTreeSet<_>>();
        match new.len() {
            1 => new.into_iter().next(),
            _ => None,
        }
    }
}

/// A text in a marker: bare if it is a word and nothing else, else in quotes.
fn marker_text(text: &str) -> String {
    let mut bytes = text.bytes();
    let is_word =
        bytes.next().is_some_and(|first| first.is_ascii_alphabetic()) && bytes.all(|byte| byte.is_ascii_alphanumeric());
    if is_word && !["true", "false", "null"].contains(&text) {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            other if other.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(other))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// The remaining problems of names, with their lines.
pub(crate) fn other_problems(
    others: &[&LedgerProblem],
    marks: &[(Tombstone, DeclaredTombstone)],
    resources: &[AnnotatedResource],
) -> Vec<Diagnostic> {
    let marker = |name: &Element| {
        marks.iter().find(|(known, _)| known.name == *name).map(|(_, mark)| source_line(mark.location))
    };
    let mut problems = Problems::default();
    for other in others {
        let problem = of_ledger(other);
        let (line, help) = match other {
            LedgerProblem::Unrecorded(tombstone) => (marker(&tombstone.name), None),
            LedgerProblem::Returned(Tombstone { name, replacement, .. }) => {
                let help =
                    replacement.as_ref().map(|new| format!("Choose another name; `{new}` took over from this one."));
                (returned(name, resources).or_else(|| marker(name)), help)
            }
            LedgerProblem::Lost { .. } | LedgerProblem::Altered { .. } => {
                (Some(SourceLine { file: LEDGER.to_owned(), line: 1 }), None)
            }
            LedgerProblem::Missing { .. } => (None, None),
        };
        let problem = line.map_or(problem.clone(), |line| line.locate(problem));
        let problem = Diagnostic { help: help.or(problem.help), ..problem };
        match other {
            // A marker applies wherever its type is used.
            LedgerProblem::Unrecorded(tombstone) => {
                let same = problem.clone();
                let is_same = |known: &Diagnostic| known.code == same.code && is_at_same_line(known, &same);
                problems.add(problem, &tombstone.name, is_same);
            }
            _ => problems.0.push((problem, Vec::new())),
        }
    }
    problems.finish()
}

/// The line of the types that has a name which must not return.
fn returned(name: &Element, resources: &[AnnotatedResource]) -> Option<SourceLine> {
    let resource = resource(resources, &name.crd)?;
    let mut versions = resource.version_names();
    let location = match name.kind {
        Kind::Resource => versions.find_map(|version| resource.origin(version, ""))?.location,
        Kind::Version => resource.origin(&name.name, "")?.location,
        Kind::Value | Kind::Rule | Kind::Constraint => {
            let mut origins = versions.filter_map(|version| {
                resource.type_at(version, &name.path).or_else(|| resource.origin(version, &name.path))
            });
            origins.next()?.location
        }
        Kind::Field => {
            // If a version lacks the field, its parent gives the origin.
            let origins = versions.filter_map(|version| {
                let origin = resource.origin(version, &name.path)?;
                let is_field = resource.origin(version, name.place()).as_ref() != Some(&origin);
                Some((is_field, origin))
            });
            let origins = origins.collect::<Vec<_>>();
            origins.iter().find(|(is_field, _)| *is_field).or(origins.first())?.1.location
        }
    };
    Some(source_line(location))
}

/// Markers that contradict the ledger's entry of the same name.
pub(crate) fn contradictions(history: &History, marks: &[(Tombstone, DeclaredTombstone)]) -> Vec<Diagnostic> {
    let removal = |tombstone: &Tombstone| match &tombstone.replacement {
        Some(replacement) => format!("removed in {}, replaced by {replacement}", tombstone.removed),
        None => format!("removed in {}", tombstone.removed),
    };
    let mut problems = Problems::default();
    for (mark, declared) in marks {
        let entry = history.ledger.entries().iter().find(|entry| entry.name == mark.name);
        // The reasons may have different words.
        let Some(entry) = entry.filter(|entry| removal(entry) != removal(mark)) else { continue };
        let message = format!(
            "the types and the ledger contradict each other on `{}`: the marker has {}, the ledger {}",
            mark.name.name,
            removal(mark),
            removal(entry)
        );
        let problem = Diagnostic::error("tombstone-unrecorded", message)
            .of_crd(&*mark.name.crd, None, &*mark.name.path)
            .help(format!("Change the marker to match {LEDGER}: entries of the ledger never change."));
        let problem = at(problem, declared.location);
        let same = problem.clone();
        problems.add(problem, &mark.name, |known| is_at_same_line(known, &same));
    }
    problems.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::PROBLEMS;

    fn tombstone(kind: Kind, path: &str, name: &str) -> Tombstone {
        let name = Element::at("things.example.com", kind, path, name);
        let (removed, reason) = ("v0.5.0".to_owned(), "it was unused".to_owned());
        Tombstone { name, removed, reason, replacement: None, migrated: false }
    }

    #[test]
    fn each_problem_of_a_name_names_it() {
        let missing = |tombstone: Tombstone| LedgerProblem::Missing { name: tombstone.name, last: "v0.4.0".to_owned() };
        for (problem, code, path, message) in [
            (
                missing(tombstone(Kind::Field, "spec", "old")),
                "tombstone-missing",
                "spec.old",
                "the field `old` is gone; v0.4.0",
            ),
            (
                missing(tombstone(Kind::Value, "spec.mode", "Auto")),
                "tombstone-missing",
                "spec.mode",
                "the value `Auto` is gone",
            ),
            (
                missing(tombstone(Kind::Version, "", "v1alpha1")),
                "tombstone-missing",
                "",
                "the API version v1alpha1 is gone",
            ),
            (missing(tombstone(Kind::Resource, "", "")), "tombstone-missing", "", "the resource is gone"),
            (
                LedgerProblem::Unrecorded(tombstone(Kind::Field, "", "spec")),
                "tombstone-unrecorded",
                "spec",
                "declare that the field `spec` was removed, and the ledger",
            ),
            (
                LedgerProblem::Returned(tombstone(Kind::Field, "spec", "old")),
                "tombstone-returned",
                "spec.old",
                "was removed in v0.5.0 (it was unused) and must not return",
            ),
            (
                LedgerProblem::Altered { id: "field spec.old of a".to_owned(), bundle: "v0.5.0".to_owned() },
                "tombstone-altered",
                "",
                "the tombstone of the field spec.old of a is not the one that v0.5.0",
            ),
        ] {
            let problem = of_ledger(&problem);
            let found = problem.location.crd.map(|crd| crd.path).unwrap_or_default();
            assert_eq!((problem.code, &*found), (code, path));
            assert!(problem.message.contains(message), "{}", problem.message);
            assert!(problem.help.is_some());
            assert!(PROBLEMS.iter().any(|row| row.id == problem.code), "{}", problem.code);
        }
    }

    #[test]
    fn texts_in_markers_are_bare_where_that_is_certain() {
        for (text, expected) in [
            ("tls", "tls"),
            ("v1", "v1"),
            ("True", "True"),
            ("true", "\"true\""),
            ("null", "\"null\""),
            ("1", "\"1\""),
            ("", "\"\""),
            ("a-b", "\"a-b\""),
            ("a, b", "\"a, b\""),
            ("é", "\"é\""),
            ("a\"b\\", "\"a\\\"b\\\\\""),
            ("a\nb", "\"a\\u000ab\""),
        ] {
            assert_eq!(marker_text(text), expected, "{text:?}");
        }
    }
}
