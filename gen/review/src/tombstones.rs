//! Advice about tombstones: the exact line or command for each missing one, with its source location.

use std::collections::BTreeSet;
use std::path::Path;

use crd_bundle::BundleVersion;
use crd_channels::descriptor::Location;
use crd_compat::tombstone::{Kind, LedgerProblem, Tombstone, WireName};
use crd_compat::{Channels, Declared, Finding};
use crd_diagnostics::layout::{count, for_shell};
use crd_generate::{AnnotatedResource, DeclaredTombstone, Origin};

use crate::history::{Bundle, History};
use crate::report::{Problem, ProblemKind, SourceLine};

fn resource<'r>(resources: &'r [AnnotatedResource], crd: &str) -> Option<&'r AnnotatedResource> {
    resources.iter().find(|resource| resource.crd_name() == crd)
}

/// The line of the types that a finding comes from.
pub(crate) fn line_of(resources: &[AnnotatedResource], finding: &Finding) -> Option<SourceLine> {
    let resource = resource(resources, &finding.crd)?;
    // What concerns the resource, or a version that is gone, comes from the resource.
    let of_version = finding.version.as_deref().and_then(|version| resource.origin(version, &finding.path));
    let origin = of_version.or_else(|| resource.version_names().find_map(|version| resource.origin(version, "")))?;
    Some(line(origin.location))
}

fn line(location: Location) -> SourceLine {
    SourceLine { file: location.file.to_owned(), line: location.line }
}

/// What is wrong with names: those that lack a tombstone, and the rest.
pub(crate) struct Names {
    pub(crate) missing: Vec<(WireName, String)>,
    pub(crate) others: Vec<LedgerProblem>,
}

impl Names {
    pub(crate) fn of(problems: Vec<LedgerProblem>) -> Self {
        let mut names = Names { missing: Vec::new(), others: Vec::new() };
        for problem in problems {
            match problem {
                LedgerProblem::Missing { name, last } => names.missing.push((name, last)),
                other => names.others.push(other),
            }
        }
        names
    }
}

/// Describes what a removed name needs.
pub(crate) struct Advisor<'a> {
    pub(crate) version: BundleVersion,
    pub(crate) resources: &'a [AnnotatedResource],
    pub(crate) declared: &'a Declared,
    pub(crate) history: &'a History,
    pub(crate) candidate: &'a Channels,
}

/// A problem that is the same for other names.
fn with_others(mut problem: Problem, others: &[&WireName]) -> Problem {
    let elsewhere = others.iter().take(OTHERS).map(|name| {
        let path = match name.kind {
            Kind::Field => name.whole_path(),
            _ => name.path.clone(),
        };
        match problem.crd.as_ref() == Some(&name.crd) {
            true => path,
            false => format!("{} {path}", name.crd),
        }
    });
    let elsewhere = elsewhere.collect::<Vec<_>>().join(", ");
    let more = match others.len().saturating_sub(OTHERS) {
        0 => String::new(),
        more => format!(" and {}", count(more, "more place")),
    };
    if !elsewhere.is_empty() {
        problem.message.push_str(&format!("; the same at {elsewhere}{more}"));
    }
    problem
}

/// So many other places are named.
const OTHERS: usize = 4;

impl Advisor<'_> {
    /// A problem for each missing line: a type that is used at several schema paths needs one line.
    pub(crate) fn problems(&self, missing: &[(WireName, String)]) -> Vec<Problem> {
        let mut problems: Vec<(Problem, Vec<&WireName>)> = Vec::new();
        for (name, last) in missing {
            let (fix, source) = self.advice(name, last);
            let same = |(problem, _): &&mut (Problem, Vec<&WireName>)| {
                problem.source.is_some() && problem.fix.as_ref() == Some(&fix)
            };
            match problems.iter_mut().find(same) {
                Some((_, others)) => others.push(name),
                None => {
                    let problem =
                        Problem::of_tombstone(&LedgerProblem::Missing { name: name.clone(), last: last.clone() });
                    problems.push((Problem { fix: Some(fix), source, ..problem }, Vec::new()));
                }
            }
        }
        problems.into_iter().map(|(problem, others)| with_others(problem, &others)).collect()
    }

    /// The exact line that a missing tombstone needs, on a line of its own, and where it goes.
    fn advice(&self, name: &WireName, last: &str) -> (String, Option<SourceLine>) {
        let (until, since) = self.around(last);
        let version = since.unwrap_or(self.version);
        if let Some(origin) = self.holder(name) {
            let fix = format!(
                "Take it back, or add this line above `{}` ({}), and run `cargo xtask tombstones add`:\n/// +tombstone:name={},removed={version},reason=\"…\"",
                origin.type_name,
                origin.location,
                marker_text(&name.name),
            );
            return (fix, Some(line(origin.location)));
        }
        let mut command = format!("cargo xtask tombstones add --kind {} --crd {}", name.kind.word(), name.crd);
        for (argument, text) in [("path", &name.path), ("name", &name.name)] {
            if !text.is_empty() {
                command.push_str(&format!(" --{argument} {}", for_shell(Path::new(text))));
            }
        }
        command.push_str(&format!(" --removed {version} --reason '…'"));
        let stored = || self.declared.ever_stored.contains(&(name.crd.clone(), name.name.clone()));
        let more = match name.kind {
            Kind::Resource => match self.successor(&name.crd, until) {
                Some(successor) => format!(", with `--replacement {successor}` if that takes over"),
                None => ", with `--replacement CRD` if another one takes over".to_owned(),
            },
            Kind::Version if stored() => ", with `--migrated` once no object is stored in it any more".to_owned(),
            _ => String::new(),
        };
        (format!("Take it back, or record it{more}:\n{command}"), None)
    }

    /// The type that had a field or value, if it is still there.
    fn holder(&self, name: &WireName) -> Option<Origin> {
        let resource = match name.kind {
            Kind::Field | Kind::Value => resource(self.resources, &name.crd)?,
            Kind::Resource | Kind::Version => return None,
        };
        resource.version_names().find_map(|version| resource.type_at(version, &name.path))
    }

    /// The bundles up to the last one that had a name, and the release that lacked it first, if one is there.
    fn around(&self, last: &str) -> (&[(BundleVersion, Bundle)], Option<BundleVersion>) {
        let bundles = self.history.bundles.as_slice();
        let had = bundles.iter().position(|(version, _)| version.to_string() == last).map_or(0, |index| index + 1);
        let (until, since) = bundles.split_at(had);
        let lacked = since.iter().map(|(version, _)| *version).find(|version| version.is_release());
        (until, lacked.filter(|version| *version < self.version))
    }

    /// The only new CRD of the same kind, without regard to the `X` before the kinds of experimental groups.
    fn successor(&self, gone: &str, until: &[(BundleVersion, Bundle)]) -> Option<&str> {
        let bundles = until.iter().rev().flat_map(|(_, bundle)| bundle.channels.values().flatten());
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

/// What else is wrong with names, with the lines that it comes from.
pub(crate) fn other_problems(
    wrongs: &[LedgerProblem],
    marks: &[(Tombstone, DeclaredTombstone)],
    resources: &[AnnotatedResource],
    file: &str,
) -> Vec<Problem> {
    let marker =
        |name: &WireName| marks.iter().find(|(known, _)| known.name == *name).map(|(_, mark)| line(mark.location));
    let mut problems: Vec<(Problem, Vec<&WireName>)> = Vec::new();
    for wrong in wrongs {
        let mut problem = Problem::of_tombstone(wrong);
        match wrong {
            LedgerProblem::Unrecorded(tombstone) => {
                problem.source = marker(&tombstone.name);
                // A marker applies wherever its type is used.
                let same = |(known, _): &&mut (Problem, Vec<&WireName>)| {
                    known.kind == problem.kind && known.source == problem.source
                };
                if let Some((_, others)) = problems.iter_mut().find(same) {
                    others.push(&tombstone.name);
                    continue;
                }
            }
            LedgerProblem::Returned(tombstone) => {
                problem.source = returned(&tombstone.name, resources).or_else(|| marker(&tombstone.name));
                if let Some(replacement) = &tombstone.replacement {
                    problem.fix = Some(format!("Choose another name; `{replacement}` took over from this one."));
                }
            }
            LedgerProblem::Lost { .. } | LedgerProblem::Altered { .. } => {
                problem.source = Some(SourceLine { file: file.to_owned(), line: 1 })
            }
            LedgerProblem::Missing { .. } => {}
        }
        problems.push((problem, Vec::new()));
    }
    problems.into_iter().map(|(problem, others)| with_others(problem, &others)).collect()
}

/// The line of the types that has a name which must not return.
fn returned(name: &WireName, resources: &[AnnotatedResource]) -> Option<SourceLine> {
    let resource = resource(resources, &name.crd)?;
    let mut versions = resource.version_names();
    let location = match name.kind {
        Kind::Resource => versions.find_map(|version| resource.origin(version, ""))?.location,
        Kind::Version => resource.origin(&name.name, "")?.location,
        Kind::Value => {
            let mut origins = versions.filter_map(|version| {
                resource.type_at(version, &name.path).or_else(|| resource.origin(version, &name.path))
            });
            origins.next()?.location
        }
        Kind::Field => {
            let whole = name.whole_path();
            // If a version lacks the field, its parent gives the origin.
            let origins = versions.filter_map(|version| {
                let origin = resource.origin(version, &whole)?;
                let is_field = resource.origin(version, &name.path).as_ref() != Some(&origin);
                Some((is_field, origin))
            });
            let origins = origins.collect::<Vec<_>>();
            origins.iter().find(|(is_field, _)| *is_field).or(origins.first())?.1.location
        }
    };
    Some(line(location))
}

/// Markers that say something else than the ledger does of the same name.
pub(crate) fn contradictions(history: &History, marks: &[(Tombstone, DeclaredTombstone)], file: &str) -> Vec<Problem> {
    let said = |tombstone: &Tombstone| match &tombstone.replacement {
        Some(replacement) => format!("removed in {}, replaced by {replacement}", tombstone.removed),
        None => format!("removed in {}", tombstone.removed),
    };
    let mut problems: Vec<(Problem, Vec<&WireName>)> = Vec::new();
    for (mark, declared) in marks {
        let entry = history.ledger.entries().iter().find(|entry| entry.name == mark.name);
        // The reason may be worded otherwise.
        let Some(entry) = entry.filter(|entry| said(entry) != said(mark)) else { continue };
        let source = Some(line(declared.location));
        if let Some((_, others)) = problems.iter_mut().find(|(known, _)| known.source == source) {
            others.push(&mark.name);
            continue;
        }
        let path = match mark.name.kind {
            Kind::Field => mark.name.whole_path(),
            _ => mark.name.path.clone(),
        };
        let problem = Problem {
            kind: ProblemKind::TombstoneUnrecorded,
            crd: Some(mark.name.crd.clone()),
            path,
            message: format!(
                "the types and the ledger contradict each other on `{}`: the marker has {}, the ledger {}",
                mark.name.name,
                said(mark),
                said(entry)
            ),
            fix: Some(format!("Change the marker to match {file}: entries of the ledger never change.")),
            source,
        };
        problems.push((problem, Vec::new()));
    }
    problems.into_iter().map(|(problem, others)| with_others(problem, &others)).collect()
}

#[cfg(test)]
mod tests {
    use super::marker_text;

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
