//! A session: the folder where a command runs, and its input and output.
//!
//! Invariants: commands use the process only through this. A closed pipe (`… | head`) is not an error and does not stop the command; any other
//! failure of stdout is an error.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anstream::adapter::strip_str;
use crd_diagnostics::layout::{first_of_each, not_shown};
use crd_diagnostics::style::NOTE;
use crd_diagnostics::{Diagnostic, Format, Printed, merged, printable, text};
use crd_generate::Catalogue;
use crd_generate::settings::Settings;
use crd_model::yaml::SharedSchemas;

use crate::activity::Activity;
use crate::exit::Exit;
use crate::program::Program;
use crate::subcommand_package::SubcommandPackage;

/// The width of texts without a terminal.
const DEFAULT_WIDTH: usize = 100;
/// Longer lines are hard to read.
const GREATEST_WIDTH: usize = 120;
/// Wrapping to a smaller width does not help.
const SMALLEST_WIDTH: usize = 40;

/// The folder where a command runs, and its input and output.
pub struct Session<'a> {
    pub folder: PathBuf,
    package: Option<PathBuf>,
    /// The number of columns of a line of text.
    pub width: usize,
    /// The subcommand packages that the help lists.
    pub(crate) packages: &'a [SubcommandPackage],
    /// The program that runs.
    pub program: Program,
    /// Whether the project has a program of its own. Without one, texts name the installed program, and comments are those of Go.
    pub(crate) has_xtask: Cell<bool>,
    /// Its sources of CRDs that are not on disk.
    pub(crate) sources: &'static [RemoteSource],
    /// Reads types that are not in Rust, if the program can.
    pub(crate) written_types: Option<ReadWrittenTypes>,
    /// How charts are rendered.
    pub charts: ChartOptions,
    /// What the CRDs that are read share.
    schemas: SharedSchemas,
    repositories: Arc<RepositorySettings>,
    /// Documents with pages of codes that only this program has.
    pub pages: &'static [&'static str],
    /// The value of `SOURCE_DATE_EPOCH`.
    pub source_date_epoch: Option<String>,
    /// Whether colours are removed from what is printed to stdout. If the writer removes them instead, it changes the user's texts too.
    pub(crate) is_plain: bool,
    /// Whether notes are left out.
    pub is_quiet: bool,
    /// Who prints what the command does, if it takes long.
    pub(crate) activity: Option<Activity>,
    input: Option<RefCell<&'a mut dyn Read>>,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    /// What is printed to stdout and stderr passes through these, so that no text of an input is obeyed.
    printed: Printed,
    printed_err: Printed,
    failure: Option<io::Error>,
}

/// The current folder of a program.
#[derive(Clone, Copy)]
pub struct WorkingFolder<'s> {
    pub path: &'s Path,
    pub program: Program,
    /// Its sources of CRDs that are not on disk.
    pub sources: &'static [RemoteSource],
    /// How charts are rendered.
    pub charts: &'s ChartOptions,
    /// What the CRDs that are read share.
    pub schemas: &'s SharedSchemas,
    /// The settings of repositories that were read.
    pub repositories: &'s Arc<RepositorySettings>,
}

/// How the charts of Helm that a command reads are found and rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartOptions {
    /// The files with values.
    pub values: Vec<OsString>,
    /// Single values: `crds.enabled=true`.
    pub set: Vec<String>,
    /// The address of the repository of charts that are named `chart:NAME@VERSION`.
    pub repository: Option<String>,
    /// The name of the release that templates see.
    pub release: String,
    pub namespace: String,
    /// The program `helm`, if it is installed.
    pub helm: Option<PathBuf>,
}

impl ChartOptions {
    /// Whether charts have their own values only.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.set.is_empty()
    }
}

impl Default for ChartOptions {
    fn default() -> Self {
        let (release, namespace) = ("release-name".to_owned(), "default".to_owned());
        Self { values: Vec::new(), set: Vec::new(), repository: None, release, namespace, helm: None }
    }
}

/// The names of the settings of a repository that could run a program, by the folder that was asked.
pub type RepositorySettings = Mutex<BTreeMap<PathBuf, Vec<String>>>;

/// What a source that is not on disk has.
#[derive(Debug)]
pub enum Fetched {
    Texts(Vec<(String, String)>),
    /// An archive, such as that of a chart.
    Archive(Vec<u8>),
}

/// Reads the CRDs of the settings in a root, and the types or marks that divide them into channels.
pub type ReadWrittenTypes = fn(&Path, Settings, &Session<'_>) -> Result<Catalogue, Vec<Diagnostic>>;

/// A source of CRDs that is not on disk, such as a registry.
#[derive(Clone, Copy)]
pub struct RemoteSource {
    /// How an argument of it begins: `oci://`.
    pub prefix: &'static str,
    /// Reads what an argument names. A source with several releases has each in a folder of its tag if `by_release`, and otherwise it is an error.
    pub read: fn(argument: &str, by_release: bool, charts: &ChartOptions) -> Result<Fetched, Vec<Diagnostic>>,
}

impl WorkingFolder<'_> {
    /// A path as the user would write it from the current folder.
    pub fn shown<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(self.path).ok().filter(|path| !path.as_os_str().is_empty()).unwrap_or(path)
    }
}

impl<'a> Session<'a> {
    /// A session in this folder, from which relative paths and the search for the workspace start. Both writers get colours; wrap them to
    /// remove the colours. Standard input is that of the process unless [`Session::input`] sets another.
    pub fn new(folder: impl Into<PathBuf>, out: &'a mut dyn Write, err: &'a mut dyn Write) -> Self {
        Self {
            folder: folder.into(),
            package: None,
            width: DEFAULT_WIDTH,
            packages: &[],
            program: Program::Xtask,
            has_xtask: Cell::new(true),
            sources: &[],
            written_types: None,
            charts: ChartOptions::default(),
            schemas: SharedSchemas::default(),
            repositories: Arc::default(),
            pages: &[],
            source_date_epoch: None,
            is_plain: false,
            is_quiet: false,
            activity: None,
            input: None,
            out,
            err,
            printed: Printed::default(),
            printed_err: Printed::default(),
            failure: None,
        }
    }

    /// The folder of the package that cargo runs, if it runs one: the workspace around it is the root, in any current folder.
    #[must_use]
    pub fn package(mut self, folder: Option<OsString>) -> Self {
        self.package = folder.filter(|folder| !folder.is_empty()).map(PathBuf::from);
        self
    }

    /// The number of columns of the terminal, if there is one.
    #[must_use]
    pub fn width(mut self, columns: Option<usize>) -> Self {
        self.width = columns.unwrap_or(DEFAULT_WIDTH).clamp(SMALLEST_WIDTH, GREATEST_WIDTH);
        self
    }

    /// The subcommand packages that the help lists; [`crate::run_with_packages`] runs them.
    #[must_use]
    pub fn packages_in_help(mut self, packages: &'a [SubcommandPackage]) -> Self {
        self.packages = packages;
        self
    }

    /// The program `helm`, if it is installed: it renders charts.
    #[must_use]
    pub fn helm(mut self, program: Option<PathBuf>) -> Self {
        self.charts.helm = program;
        self
    }

    /// The environment variable `SOURCE_DATE_EPOCH`, if it is set: the default release date in seconds after the beginning of 1970
    /// (<https://reproducible-builds.org/specs/source-date-epoch/>).
    #[must_use]
    pub fn source_date_epoch(mut self, seconds: Option<String>) -> Self {
        self.source_date_epoch = seconds.filter(|seconds| !seconds.is_empty());
        self
    }

    /// The input that the argument `-` names.
    #[must_use]
    pub fn input(mut self, input: &'a mut dyn Read) -> Self {
        self.input = Some(RefCell::new(input));
        self
    }

    /// Reads at most so many bytes of standard input.
    pub fn read_input(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match &self.input {
            Some(input) => (&mut **input.borrow_mut()).take(most).read_to_end(&mut bytes)?,
            None => io::stdin().lock().take(most).read_to_end(&mut bytes)?,
        };
        Ok(bytes)
    }

    /// Asks a person. Nothing if the input or the questions are not on a terminal.
    pub fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        if self.input.is_none() && !is_terminal {
            return Ok(None);
        }
        self.print_err(question);
        let mut answer = String::new();
        match &self.input {
            Some(input) => BufReader::new(&mut **input.borrow_mut()).read_line(&mut answer)?,
            None => io::stdin().lock().read_line(&mut answer)?,
        };
        Ok(Some(answer.trim().to_owned()))
    }

    /// Where the search for the workspace starts.
    pub fn start(&self) -> &Path {
        self.package.as_deref().unwrap_or(&self.folder)
    }

    /// What other threads need of it.
    pub fn working_folder(&self) -> WorkingFolder<'_> {
        WorkingFolder {
            path: &self.folder,
            program: self.program,
            sources: self.sources,
            charts: &self.charts,
            schemas: &self.schemas,
            repositories: &self.repositories,
        }
    }

    /// A path as the user would write it from the current folder.
    pub fn shown<'p>(&self, path: &'p Path) -> &'p Path {
        self.working_folder().shown(path)
    }

    /// The text with the program and the comments that the user has: crates below the command line know those of Rust workspaces only.
    fn named(&self, text: String) -> String {
        if self.has_xtask.get() {
            return text;
        }
        text.replace(Program::Xtask.call(), Program::CrdChannels.call()).replace("/// +", "// +")
    }

    /// Prints to stdout, without a line break at the end.
    pub fn print(&mut self, text: impl Display) {
        let mut text = self.named(text.to_string());
        if self.is_plain {
            text = strip_str(&text).to_string();
        }
        text = self.printed.next(&text);
        self.print_unchanged(&text);
    }

    /// Prints to stdout, byte for byte: text of the user, or commands for the runner of GitHub, which have escapes of their own.
    pub fn print_unchanged(&mut self, text: &str) {
        if self.failure.is_none() {
            self.failure = self.out.write_all(text.as_bytes()).err();
        }
    }

    /// Prints a text in a format to stdout: commands for the runner of GitHub as they are.
    pub fn print_in(&mut self, format: Format, text: &str) {
        match format {
            Format::Github => self.print_unchanged(text),
            _ => self.print(text),
        }
    }

    /// Prints diagnostics to stderr, with paths relative to the current folder. Of a long list, it prints the first.
    pub fn diagnostics(&mut self, diagnostics: &[Diagnostic]) {
        let relative = diagnostics.iter().map(|diagnostic| diagnostic.clone().relative_to(&self.folder));
        // Equal ones at several places are one.
        let text = text::render_all(&merged(relative));
        self.print_err(text);
    }

    /// Prints a diagnostic to stderr, with paths relative to the current folder.
    pub fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        self.diagnostics(std::slice::from_ref(diagnostic));
    }

    /// A diagnostic with paths relative to the current folder.
    #[must_use]
    pub fn relative(&self, diagnostic: &Diagnostic) -> Diagnostic {
        diagnostic.clone().relative_to(&self.folder)
    }

    /// The errors of a result, with paths relative to the current folder.
    pub fn errors<T>(&self, result: &Result<T, Vec<Diagnostic>>) -> Vec<Diagnostic> {
        result.as_ref().err().into_iter().flatten().map(|error| self.relative(error)).collect()
    }

    /// A diagnostic as one line without its code, for lists of notes.
    pub fn in_one_line(&self, diagnostic: &Diagnostic) -> String {
        text::one_line(&self.relative(diagnostic))
    }

    /// Where the steps of the command are printed, unless it is quiet.
    pub fn activity(&self) -> Option<&Activity> {
        self.activity.as_ref().filter(|_| !self.is_quiet)
    }

    /// A step of the command begins. If it takes long, it is printed to stderr.
    pub fn begin(&self, step: impl Display) {
        if let Some(activity) = self.activity() {
            activity.begin(printable(&step.to_string()));
        }
    }

    /// Prints a note to stderr.
    pub fn note(&mut self, text: impl Display) {
        if !self.is_quiet {
            self.print_err(format_args!("{NOTE}note:{NOTE:#} {text}\n"));
        }
    }

    /// Prints notes to stderr. Of a long list, it prints the first.
    pub fn notes(&mut self, notes: &[String]) {
        let (first, more) = first_of_each(notes, |_| ());
        for note in first {
            self.note(printable(note));
        }
        for number in more.into_values() {
            self.note(not_shown(number, "note", "`--format json`"));
        }
    }

    /// Prints to stderr. A failure is ignored, because it cannot be reported.
    pub fn print_err(&mut self, text: impl Display) {
        if self.failure.is_none() {
            // Keeps the order of both streams in a terminal.
            self.failure = self.out.flush().err();
        }
        let text = self.named(text.to_string());
        let _ = self.err.write_all(self.printed_err.next(&text).as_bytes());
    }

    /// Ends the session. A failure of stdout is an error, unless the pipe was closed.
    pub fn close(&mut self, exit: Exit) -> Exit {
        if self.failure.is_none() {
            self.failure = self.out.flush().err();
        }
        match self.failure.take() {
            Some(failure) if failure.kind() != io::ErrorKind::BrokenPipe => {
                self.diagnostic(&Diagnostic::error("usage::output", format!("cannot write the output: {failure}")));
                Exit::Unusable
            }
            _ => exit,
        }
    }
}
