//! `init`: files that a repository needs in addition to its types: a hook that updates the CRDs, and workflows that check and publish them.
//!
//! Invariants: nothing that is there is ever overwritten: a file is written where none is, missing lines are added to lists, and a file
//! that says something else is shown and left alone; all of it happens or nothing; no symlink is followed.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use crd_release::init::{InitFile, files, missing_lines, with_lines};
use serde_json::{Value, json};

use super::{Outcome, Run, Subcommand};
use crate::arguments::{Format, ROOT, after_help, format, format_argument, root_argument};
use crate::difference::Difference;
use crate::exit::Exit;
use crate::file;
use crate::folder::{HeldFolder, present};
use crate::program::Program;
use crate::root;
use crate::session::Session;
use crate::transaction::Transaction;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::json as document;
use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "init", arguments, run: Run::WithoutTypes(run) };

fn arguments(command: Command, program: Program) -> Command {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    let mut long = "Write the files that a repository needs in addition to its types:\n\n".to_owned();
    let longest = files().iter().map(|file| file.path.len()).max().unwrap_or_default();
    for file in files() {
        long.push_str(&format!("  {:longest$}  {}\n", file.path, file.purpose));
    }
    long.push_str(
        "\nAn existing file is never overwritten: its differences are shown. Missing lines are added to \
         `.gitattributes` and `.gitignore`.",
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

/// How a file was found.
enum State {
    /// It is not there.
    Missing,
    /// It lacks lines of a list.
    Incomplete(Vec<&'static str>),
    /// It is as it would be written.
    UpToDate,
    /// It says something else.
    Different(Difference),
}

impl State {
    fn name(&self) -> &'static str {
        match self {
            State::Missing => "missing",
            State::Incomplete(_) => "incomplete",
            State::UpToDate => "upToDate",
            State::Different(_) => "different",
        }
    }
}

/// A file, and what is to be done about it.
struct Found {
    file: &'static InitFile,
    path: PathBuf,
    state: State,
    /// The whole new text, if there is one.
    text: Option<String>,
}

/// What was found, and done.
struct Report {
    found: Vec<Found>,
    /// Whether nothing was to be written.
    dry: bool,
    notes: Vec<String>,
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let check = matches.get_flag("check");
    let dry = check || matches.get_flag("dry-run");
    let result = init(matches.get_one::<PathBuf>(ROOT).map(PathBuf::as_path), dry, session);
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(report) if check && report.unwritten() > 0 => Exit::Stale,
        Ok(_) => Exit::Fine,
    };
    if format(matches) == Format::Json {
        session.print(document::line(&in_json(&result, session)));
        return Ok(exit);
    }
    let report = result?;
    report.print(session);
    if exit == Exit::Stale {
        let unwritten = match report.unwritten() {
            1 => "1 file is missing or incomplete".to_owned(),
            more => format!("{} are missing or incomplete", count(more, "file")),
        };
        let help = format!("run `{} init`", session.program().call());
        session.diagnostic(&Diagnostic::error("init::stale", unwritten).help(help));
    }
    Ok(exit)
}

fn init(explicit: Option<&Path>, dry: bool, session: &mut Session<'_>) -> Result<Report, Vec<Diagnostic>> {
    let one = |fault| vec![fault];
    let root = root::locate(explicit, session).map_err(one)?;
    // Held from before the comparison, so that two runs cannot add the same lines.
    let mut held = match dry {
        true => None,
        false => Some(HeldFolder::hold(&root, &root, session).map_err(one)?),
    };
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for file in files() {
        match look(file, &root) {
            Ok(file) => found.push(file),
            // A link above two files is reported once.
            Err(fault) if faults.contains(&fault) => {}
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    if let Some(held) = &mut held {
        write(&found, held)?;
    }
    Ok(Report { notes: notes(&root, &found, dry, session), found, dry })
}

/// A file as it is, beside what it should be.
fn look(file: &'static InitFile, root: &Path) -> Result<Found, Diagnostic> {
    let path = root.join(file.path);
    let folder = path.parent().unwrap_or(root);
    let old = match present(folder, root)? {
        true => read(&path)?,
        false => None,
    };
    let (state, text) = match old {
        None => (State::Missing, Some(file.text.to_owned())),
        Some(old) => compared(file, &old),
    };
    Ok(Found { file, path, state, text })
}

fn compared(file: &'static InitFile, old: &[u8]) -> (State, Option<String>) {
    if old == file.text.as_bytes() {
        return (State::UpToDate, None);
    }
    match (file.is_list, str::from_utf8(old)) {
        (true, Ok(old)) => match missing_lines(file.text, old) {
            missing if missing.is_empty() => (State::UpToDate, None),
            missing => (State::Incomplete(missing), Some(with_lines(file.text, old))),
        },
        // What is no text is nothing to add lines to either.
        _ => (State::Different(Difference::between(&String::from_utf8_lossy(old), file.text)), None),
    }
}

/// What stands in a file, if it is there.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Diagnostic> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            fs::read(path).map(Some).map_err(|error| file::cannot(path, "read", &error))
        }
        Ok(metadata) => Err(file::wrong_kind(path, metadata.file_type(), "file")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file::cannot(path, "read", &error)),
    }
}

fn write(found: &[Found], held: &mut HeldFolder) -> Result<(), Vec<Diagnostic>> {
    let one = |fault| vec![fault];
    let mut transaction = Transaction::default();
    for found in found {
        let Some(text) = &found.text else { continue };
        if let Some(folder) = found.path.parent() {
            held.make(folder).map_err(one)?;
        }
        transaction.write(found.path.clone(), text).map_err(one)?;
    }
    transaction.commit()
}

/// What is worth knowing beside.
fn notes(root: &Path, found: &[Found], dry: bool, session: &Session<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if found.iter().any(|found| matches!(found.state, State::Different(_))) {
        notes.push("what differs is left alone; take over from the differences what you want".to_owned());
    }
    // A file in worktrees and submodules.
    if !root.join(".git").exists() {
        notes.push(format!(
            "{} is not the top of a git repository: only there, GitHub finds workflows and pre-commit its configuration",
            session.shown(root).display()
        ));
    }
    if !dry && found.iter().any(|found| found.text.is_some()) {
        notes.push(
            "commit what was written; `pre-commit install` (https://pre-commit.com) switches the hook on for you"
                .to_owned(),
        );
    }
    notes
}

impl Report {
    /// How many files would be written, or were.
    fn unwritten(&self) -> usize {
        self.found.iter().filter(|found| found.text.is_some()).count()
    }

    fn print(&self, session: &mut Session<'_>) {
        let longest = files().iter().map(|file| file.path.len()).max().unwrap_or_default();
        for found in &self.found {
            let state = match (&found.state, self.dry) {
                (State::Missing, true) => "missing".to_owned(),
                (State::Missing, false) => "written".to_owned(),
                (State::Incomplete(lines), true) => format!("lacks {}", count(lines.len(), "line")),
                (State::Incomplete(lines), false) => format!("{} added", count(lines.len(), "line")),
                (State::UpToDate, _) => "up to date".to_owned(),
                (State::Different(_), _) => "differs".to_owned(),
            };
            session.print(format_args!(
                "{NAME}{:longest$}{NAME:#}  {state:13}  {}\n",
                found.file.path, found.file.purpose
            ));
        }
        for found in &self.found {
            if let State::Different(difference) = &found.state {
                let path = session.shown(&found.path).to_owned();
                session.print(format_args!("\n{}", difference.render_as(&path, "as `init` writes it")));
            }
        }
        for note in &self.notes {
            session.note(note);
        }
    }
}

fn in_json(result: &Result<Report, Vec<Diagnostic>>, session: &Session<'_>) -> Value {
    let (report, faults) = match result {
        Ok(report) => (Some(report), [].as_slice()),
        Err(faults) => (None, faults.as_slice()),
    };
    let found = report.map(|report| &*report.found).unwrap_or_default();
    json!({
        "schemaVersion": document::SCHEMA_VERSION,
        "files": found.iter().map(|found| json!({
            "path": found.file.path,
            "purpose": found.file.purpose,
            "state": found.state.name(),
            "missingLines": match &found.state {
                State::Incomplete(lines) => lines.as_slice(),
                _ => &[],
            },
            "written": found.text.is_some() && report.is_some_and(|report| !report.dry),
        })).collect::<Vec<_>>(),
        "notes": report.map(|report| &*report.notes).unwrap_or_default(),
        "errors": faults.iter().map(|fault| session.json(fault)).collect::<Vec<_>>(),
    })
}
