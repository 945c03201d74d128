//! The edit that graduates elements: their markers are removed from the files with the types. What `check` would report about the types then.
//!
//! Invariants: files change only if `check` would accept the types, and only below the root. Only the lines of the markers change.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use crd_bundle::BundleVersion;
use crd_diagnostics::style::{ADDED, FAINT, HEADING, REMOVED};
use crd_diagnostics::{Diagnostic, Format, Severity, fail_on, printable};
use crd_generate::ExperimentalMark;
use crd_generator::file::Content;
use crd_generator::locked_folder::LockedFolder;
use crd_generator::session::Session;
use crd_generator::transaction::Transaction;
use crd_graduation::{Kind, Row, Table, id};
use crd_review::elements::TypesOfElements;
use crd_review::profile::ChosenProfile;
use crd_review::report::{Findings, Report, render_diagnostics};
use crd_review::{Baseline, Request, Reviewed};
use crd_source::importer::{Language, LineEdit, SourceMark, edited, without_marks};
use serde::Serialize;

use crate::graduation::GraduationsOfTypes;
use crate::types::Types;
use crate::workspace::Workspace;
use crate::{input, release_date};

const CODE: &str = "graduate::marker";

pub(crate) struct Edit {
    files: Vec<EditedFile>,
    /// The names of all elements that graduate: a marker may be that of several.
    pub(crate) elements: Vec<String>,
    /// What `check` would report, or why there would be no CRDs.
    checked: Result<Report, Vec<Diagnostic>>,
}

struct EditedFile {
    /// Relative to the root.
    name: String,
    path: PathBuf,
    old: Content,
    lines: Vec<LineEdit>,
    new: String,
}

/// The edit that graduates these rows of the table.
pub(crate) fn edit(
    graduations: &GraduationsOfTypes<'_>,
    table: &Table,
    rows: &[&Row],
    root: &Path,
    session: &Session<'_>,
) -> Result<Edit, Vec<Diagnostic>> {
    let types = &graduations.types;
    let catalogue = types.catalogue;
    let mut errors = Vec::new();
    let mut marks = BTreeMap::new();
    for row in rows {
        let of_row = types.marks(&row.element);
        if of_row.is_empty() {
            errors.push(unmarked(row));
        }
        marks.extend(of_row.into_iter().map(|mark| ((mark.marker.file, mark.marker.line), mark)));
    }
    let mut files: BTreeMap<&str, Vec<&ExperimentalMark>> = BTreeMap::new();
    for mark in marks.values() {
        files.entry(mark.marker.file).or_default().push(mark);
    }
    let files = files.into_iter().filter_map(|(name, marks)| match in_file(root, name, &marks) {
        Ok(file) => Some(file),
        Err(more) => {
            errors.extend(more);
            None
        }
    });
    let files = files.collect::<Vec<_>>();
    fail_on(errors)?;
    let is_removed = |mark: &ExperimentalMark| marks.contains_key(&(mark.marker.file, mark.marker.line));
    let blocked = rows.iter().filter(|row| types.is_blocked(&row.element, &is_removed)).map(|row| {
        let error = Diagnostic::error(
            "graduate::blocked",
            format!("`{}` is not in standard without its marker either", id(&row.element)),
        );
        error.help(row.blockers.join("; "))
    });
    fail_on(blocked.collect())?;
    let request = Request {
        version: graduations.graduations.bundle,
        against: Baseline::Highest,
        profile: ChosenProfile::of_settings(None, catalogue.policy_profile()),
        evidence: crd_compat::Evidence::default(),
        release_date: &|| release_date::unreleased(root, session),
        is_release: false,
    };
    session.begin("generating the CRDs of the edited types");
    let edited = Types::of(catalogue, types.graduated(&is_removed), request.version);
    let workspace = Workspace::read(edited, root, None, session);
    let all = table.rows.iter().filter(|row| types.marks(&row.element).iter().any(&is_removed));
    let all = all.collect::<Vec<_>>();
    let checked = workspace.and_then(|workspace| {
        let Reviewed { mut report, baseline, .. } = workspace.compare(request, session)?;
        report_early(&mut report, &all, types);
        report.warnings.extend(unconventional(&workspace, baseline)?);
        Ok(report)
    });
    Ok(Edit { files, elements: all.iter().map(|row| id(&row.element)).collect(), checked })
}

/// What breaks conventions in standard from now on, where `check` does not report it.
fn unconventional(
    workspace: &Workspace<'_>,
    baseline: Option<BundleVersion>,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    if workspace.types.projection.catalogue.settings().conventions.check {
        return Ok(Vec::new());
    }
    let found = workspace.lint(baseline.and_then(|version| workspace.history.bundle(version)), None)?.into_iter();
    let errors = found.filter(|found| found.severity == Severity::Error);
    Ok(errors.map(|error| Diagnostic { severity: Severity::Warning, ..error }).collect())
}

/// Reports rows that graduate before their criteria are met: as errors where the settings enforce the criteria.
fn report_early(report: &mut Report, rows: &[&Row], types: &TypesOfElements<'_>) {
    let early = rows.iter().filter(|row| !row.assessment.is_ready());
    let early = early.map(|row| types.early(&row.element, &row.assessment.outcomes));
    match types.catalogue.settings().graduation.is_enforced() {
        true => report.problems.extend(early),
        false => report.warnings.extend(early.map(|problem| {
            let warning = Diagnostic { severity: Severity::Warning, ..problem };
            warning.help(
                "the settings do not enforce the criteria; `enforced: true` below `graduation` makes this an error",
            )
        })),
    }
}

fn unmarked(row: &Row) -> Diagnostic {
    let error = Diagnostic::error(CODE, format!("`{}` has no marker of its own", id(&row.element)));
    error.help(match row.element.kind {
        Kind::Version => "an alpha version is only in experimental: add a GA version such as `v1` to its resource",
        _ => "see what is experimental around it",
    })
}

fn in_file(root: &Path, name: &str, marks: &[&ExperimentalMark]) -> Result<EditedFile, Vec<Diagnostic>> {
    let relative = Path::new(name);
    let is_below = relative.components().all(|component| matches!(component, Component::Normal(_)));
    let path = root.join(relative);
    let text = if is_below { input::committed_text(&path)? } else { None };
    let Some(text) = text else {
        let line = marks.first().and_then(|mark| usize::try_from(mark.marker.line).ok());
        let error = Diagnostic::error(CODE, "the marker is in no file of this workspace").at_line(name, line);
        return Err(vec![error.help("remove it where the types are written")]);
    };
    if relative.extension().is_some_and(|extension| extension != "rs" && extension != "go") {
        return in_marks(name, path, text, marks);
    }
    let source = |mark: &&ExperimentalMark| SourceMark {
        name: mark.origin.field.unwrap_or(mark.origin.type_name),
        line: mark.origin.location.line,
        marker: mark.marker.line,
    };
    let marks = marks.iter().map(source).collect::<Vec<_>>();
    let language = match relative.extension().and_then(|extension| extension.to_str()) {
        Some("go") => Language::Go,
        _ => Language::Rust,
    };
    let lines = without_marks(&text, &marks, language).map_err(|errors| {
        let diagnostic = |error: crd_source::importer::EditError| {
            let line = usize::try_from(error.line).ok();
            Diagnostic::error(CODE, error.message).at_line(name, line).help(error.help)
        };
        errors.into_iter().map(diagnostic).collect::<Vec<_>>()
    })?;
    Ok(EditedFile { name: name.to_owned(), path, old: Content::of(&text), new: edited(&text, &lines), lines })
}

/// The edit of a file of marks.
fn in_marks(
    name: &str,
    path: PathBuf,
    text: String,
    marks: &[&ExperimentalMark],
) -> Result<EditedFile, Vec<Diagnostic>> {
    let changed = crd_generate::written::marks::without(&text, &marks.iter().map(|mark| mark.marker.line).collect());
    let changed = changed.map_err(|errors| {
        let diagnostic = |(line, message)| {
            let line = usize::try_from(line).ok();
            Diagnostic::error(CODE, message).at_line(name, line).help("remove the mark by hand")
        };
        errors.into_iter().map(diagnostic).collect::<Vec<_>>()
    })?;
    let before = |line: u32| {
        let index = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
        index.and_then(|index| text.lines().nth(index)).unwrap_or_default()
    };
    let edit = |(line, after): (u32, Option<String>)| LineEdit { line, before: before(line).to_owned(), after };
    let lines = changed.into_iter().map(edit).collect::<Vec<_>>();
    Ok(EditedFile { name: name.to_owned(), path, old: Content::of(&text), new: edited(&text, &lines), lines })
}

impl Edit {
    /// Whether `check` would accept the types.
    pub(crate) fn is_accepted(&self) -> bool {
        self.checked.as_ref().is_ok_and(Report::fits)
    }

    /// What does not prevent the edit, such as criteria that are missing and not enforced.
    pub(crate) fn warnings(&self) -> &[Diagnostic] {
        self.checked.as_ref().map_or(&[], |report| &report.warnings)
    }

    /// The files that change, relative to the root.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| &*file.name)
    }

    pub(crate) fn write(&self, root: &Path, session: &mut Session<'_>) -> Result<(), Vec<Diagnostic>> {
        let mut locked = LockedFolder::lock(root, root, session)?;
        let mut transaction = Transaction::new(&mut locked);
        for file in &self.files {
            transaction.write(file.path.clone(), Some(file.old), &file.new)?;
        }
        transaction.commit()
    }

    /// The lines that change.
    pub(crate) fn difference(&self) -> String {
        let mut text = String::new();
        for EditedFile { name, lines, .. } in &self.files {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{HEADING}{name}{HEADING:#}");
            for LineEdit { line, before, after } in lines {
                let _ = writeln!(text, "{FAINT}{line:>5}{FAINT:#} {REMOVED}-{}{REMOVED:#}", printable(before));
                if let Some(after) = after {
                    let _ = writeln!(text, "{FAINT}{line:>5}{FAINT:#} {ADDED}+{}{ADDED:#}", printable(after));
                }
            }
        }
        text.push('\n');
        text
    }

    /// What `check` would print.
    pub(crate) fn report(&self, verbose: bool, session: &Session<'_>) -> String {
        match &self.checked {
            Ok(report) => report.render(Format::Text, session.width, verbose),
            Err(diagnostics) => render_diagnostics(diagnostics, Format::Text),
        }
    }

    /// The edit for `--format json`.
    pub(crate) fn document(&self, written: bool) -> EditDocument<'_> {
        let lines = self.files.iter().flat_map(|EditedFile { name, lines, .. }| {
            lines.iter().map(move |LineEdit { line, before, after }| EditedLine {
                file: name,
                line: *line,
                before,
                after: after.as_deref(),
            })
        });
        EditDocument {
            lines: lines.collect(),
            elements: &self.elements,
            check: match &self.checked {
                Ok(report) => report.document(),
                Err(diagnostics) => Findings::refusal(diagnostics),
            },
            accepted: self.is_accepted(),
            written,
        }
    }
}

/// The edit that graduates elements.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Edit"))]
pub(crate) struct EditDocument<'e> {
    /// The lines that change.
    lines: Vec<EditedLine<'e>>,
    /// The names of all elements that graduate: a marker may be that of several.
    elements: &'e [String],
    /// What `check` would print.
    check: Findings<'e>,
    /// Whether `check` would accept the types.
    accepted: bool,
    /// Whether the files were changed.
    written: bool,
}

/// A line that changes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EditedLine<'e> {
    /// The file, relative to the root.
    file: &'e str,
    /// The line, from 1.
    line: u32,
    /// The line as it is.
    before: &'e str,
    /// The line as it will be; null if it is removed.
    after: Option<&'e str>,
}
