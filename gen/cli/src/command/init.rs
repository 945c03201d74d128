//! `init`: writes the files that a repository needs in addition to its types: a hook that updates the CRDs, and workflows that check and
//! publish them.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use crd_diagnostics::layout::{are, count};
use crd_diagnostics::style::NAME;
use crd_diagnostics::{Diagnostic, json};
use crd_generator::exit::Exit;
use crd_generator::init::{FILES, InitFile};
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_model::document::SchemaVersion;
use serde::Serialize;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{Format, after_help, flag, format, format_argument, named_root, root_argument};
use crate::project_kind;
use crate::repository_files::{FileState, RepositoryFile, State, update};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "init",
    about: "Write the pre-commit hook and the workflows of a repository",
    group: Group::Reference,
    arguments,
    run: Run::WithoutTypes(run),
};

fn arguments(command: Command, program: Program) -> Command {
    let mut long = "Write the files that a repository needs in addition to its types:\n\n".to_owned();
    let longest = longest_path(&FILES);
    for file in &FILES {
        long.push_str(&format!("  {:longest$}  {}\n", file.path, file.purpose));
    }
    long.push_str(
        "\nAn existing file is never overwritten: its differences are shown. Missing lines are added to \
         `.gitattributes` and `.gitignore`.\n\n\
         In a project of kubebuilder or operator-sdk whose types are in Go (`PROJECT` and `go.mod`), it also writes \
         `crd-channels.yaml`, its workflows have other names than those of the project, and the `Makefile` gets a \
         target `channels`.",
    );
    command
        .long_about(long)
        .arg(flag("check", "Write nothing; exit with 3 if something is missing").conflicts_with("dry-run"))
        .arg(flag("dry-run", "Write nothing; show what would be written"))
        .arg(root_argument())
        .arg(format_argument())
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable, Exit::Stale],
            &[
                ("init --dry-run", "show what it would write"),
                ("init", "once; later, to see what newer versions changed"),
            ],
        ))
}

fn longest_path<'f>(files: impl IntoIterator<Item = &'f InitFile>) -> usize {
    files.into_iter().map(|file| file.path.len()).max().unwrap_or_default()
}

/// The files, and whether they were written.
struct Report {
    files: Vec<RepositoryFile>,
    dry: bool,
    notes: Vec<String>,
}

/// Whether files are written, and in which root.
struct Request {
    check: bool,
    dry: bool,
    root: Option<PathBuf>,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let check = matches.get_flag("check");
        let dry = check || matches.get_flag("dry-run");
        Self { check, dry, root: named_root(matches), format: format(matches) }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let Request { check, dry, root, format } = Request::from(matches);
    let result = init(root.as_deref(), dry, session);
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(report) if check && report.unwritten() > 0 => Exit::Stale,
        Ok(_) => Exit::Fine,
    };
    if format == Format::Json {
        session.print(json::line(&document(&result, session)));
        return Ok(exit);
    }
    let report = result?;
    report.print(session);
    if exit == Exit::Stale {
        let unwritten = format!("{} missing or incomplete", are(report.unwritten(), "file"));
        let help = format!("run `{} init`", session.program.call());
        session.diagnostic(&Diagnostic::error("init::stale", unwritten).help(help));
    }
    Ok(exit)
}

fn init(explicit: Option<&Path>, dry: bool, session: &mut Session<'_>) -> Result<Report, Vec<Diagnostic>> {
    let root = project_kind::root(explicit, session)?;
    let files = update(project_kind::files(&root)?, &root, dry, session)?;
    Ok(Report { notes: notes(&root, &files, dry, session), files, dry })
}

fn notes(root: &Path, files: &[RepositoryFile], dry: bool, session: &Session<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if files.iter().any(|file| matches!(file.state, State::Different(_))) {
        notes.push("files that differ were not changed; copy what you need from the differences above".to_owned());
    }
    // In worktrees and submodules it is a file.
    if !root.join(".git").exists() {
        notes.push(format!(
            "{} is not the top folder of a git repository; GitHub and pre-commit read these files only there",
            session.shown(root).display()
        ));
    }
    if !dry && files.iter().any(|file| file.text.is_some()) {
        notes.push(
            "commit these files, and run `pre-commit install` (https://pre-commit.com) to enable the hook".to_owned(),
        );
    }
    notes
}

impl Report {
    /// How many files are written, or would be.
    fn unwritten(&self) -> usize {
        self.files.iter().filter(|file| file.text.is_some()).count()
    }

    fn print(&self, session: &mut Session<'_>) {
        let longest = longest_path(self.files.iter().map(|file| &file.file));
        for file in &self.files {
            let state = match (&file.state, self.dry) {
                (State::Missing, true) => "missing".to_owned(),
                (State::Missing, false) => "written".to_owned(),
                (State::Incomplete(lines), true) => format!("lacks {}", count(lines.len(), "line")),
                (State::Incomplete(lines), false) => format!("{} added", count(lines.len(), "line")),
                (State::UpToDate, _) => "up to date".to_owned(),
                (State::Different(_), _) => "differs".to_owned(),
            };
            let (path, purpose) = (file.file.path, file.file.purpose);
            session.print(format_args!("{NAME}{path:longest$}{NAME:#}  {state:13}  {purpose}\n"));
        }
        for file in &self.files {
            if let State::Different(difference) = &file.state {
                let path = session.shown(&file.path).to_owned();
                session.print(format_args!("\n{}", difference.render(&path)));
            }
        }
        for note in &self.notes {
            session.note(note);
        }
    }
}

/// What `init` prints with `--format json`: one document, on one line. Exit code 3: with `--check`, a file is missing or incomplete.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Init<'i> {
    schema_version: SchemaVersion<1>,
    /// The files of a repository.
    files: Vec<FileState<'i>>,
    /// Additional notes, each a sentence.
    notes: &'i [String],
    /// Why nothing was written.
    errors: Vec<Diagnostic>,
}

fn document<'i>(result: &'i Result<Report, Vec<Diagnostic>>, session: &Session<'_>) -> Init<'i> {
    let (files, notes) = match result {
        Ok(Report { files, notes, dry }) => (files.iter().map(|file| file.document(*dry)).collect(), &**notes),
        Err(_) => (Vec::new(), &[][..]),
    };
    Init { schema_version: SchemaVersion, files, notes, errors: session.errors(result) }
}
