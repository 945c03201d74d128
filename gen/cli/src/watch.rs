//! Watching: each save of the types writes the CRDs, and prints the findings that appear and disappear.
//!
//! Invariants: each run is a process of its own, because what it reads stays in memory until it ends. An error of a run is printed, and watching
//! continues. CRDs are written before findings are searched.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::count;
use crd_generate::settings::FILE_NAME;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use serde_json::Value;

use crd_generator::exit::Exit;
use crd_generator::file;
use crd_generator::session::Session;
use crd_generator::settings::TypesSource;

/// Events of one save arrive within this time.
const SAVE: Duration = Duration::from_millis(2);

/// What is watched, and how the program is called.
pub(crate) struct Watch {
    pub(crate) source: TypesSource,
    /// The arguments of `generate`.
    pub(crate) generate: Vec<OsString>,
    /// The arguments of `check`.
    pub(crate) check: Vec<OsString>,
}

/// What ends a wait.
enum Event {
    Saved,
    Interrupted,
}

impl Watch {
    /// Runs until it is interrupted.
    pub(crate) fn run(&self, session: &mut Session<'_>) -> Result<Exit, Diagnostic> {
        let (sender, events) = channel();
        let _watcher = self.watcher(sender.clone())?;
        interrupts(sender)?;
        let mut findings = None;
        let mut started = Instant::now();
        loop {
            if self.child(&self.generate, Stdio::inherit())?.status.success() {
                session.note(format_args!(
                    "generated in {} ms; watching for the next save",
                    started.elapsed().as_millis()
                ));
                self.print_findings(&mut findings, session)?;
            } else {
                session.note("fix the errors above; watching for the next save");
            }
            match next(&events) {
                Some(saved) => started = saved,
                None => return Ok(Exit::Fine),
            }
        }
    }

    fn watcher(&self, sender: Sender<Event>) -> Result<RecommendedWatcher, Diagnostic> {
        let failed =
            |path: &Path, error: &notify::Error| file::error("file::io", path, format!("cannot be watched: {error}"));
        let extensions = self.source.extensions;
        let handler = move |event: notify::Result<notify::Event>| {
            // After an error, such as an overflow, anything can have changed.
            if event.map_or(true, |event| {
                !matches!(event.kind, EventKind::Access(_))
                    && event.paths.iter().any(|path| is_source(path, extensions))
            }) {
                // The receiver lives as long as the watcher.
                let _ = sender.send(Event::Saved);
            }
        };
        let mut watcher = notify::recommended_watcher(handler).map_err(|error| failed(&self.source.root, &error))?;
        let root = (&*self.source.root, RecursiveMode::NonRecursive);
        let folders = self.source.folders.iter().map(|folder| (&**folder, RecursiveMode::Recursive));
        for (folder, mode) in std::iter::once(root).chain(folders) {
            watcher.watch(folder, mode).map_err(|error| failed(folder, &error))?;
        }
        Ok(watcher)
    }

    /// Runs this program with other arguments.
    fn child(&self, arguments: &[OsString], out: Stdio) -> Result<Output, Diagnostic> {
        let program = match cfg!(target_os = "linux") {
            // Also if cargo has replaced the file meanwhile.
            true => Ok(PathBuf::from("/proc/self/exe")),
            false => std::env::current_exe(),
        };
        let run = |program: PathBuf| {
            let mut command = Command::new(program);
            command
                .args(arguments)
                .stdin(Stdio::null())
                .stdout(out)
                .stderr(Stdio::inherit())
                .spawn()?
                .wait_with_output()
        };
        program.and_then(run).map_err(|error| file::cannot(&self.source.root, "checked by this program", &error))
    }

    /// Prints the findings that the last save has added or removed.
    fn print_findings(
        &self,
        known: &mut Option<BTreeSet<String>>,
        session: &mut Session<'_>,
    ) -> Result<(), Diagnostic> {
        let output = self.child(&self.check, Stdio::piped())?;
        let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else { return Ok(()) };
        let list = |key: &str| report[key].as_array().into_iter().flatten();
        for error in list("errors") {
            session.note(format_args!("`check`: {}", error["message"].as_str().unwrap_or_default()));
        }
        // The findings are unknown, not gone: a save can arrive between both runs.
        if list("errors").next().is_some() {
            return Ok(());
        }
        let found = list("findings").chain(list("problems")).filter_map(line).collect::<BTreeSet<_>>();
        let Some(before) = known.replace(found.clone()) else {
            session.note(format_args!("{} at the beginning; `check` lists them", count(found.len(), "finding")));
            return Ok(());
        };
        for (of, other, word) in [(&found, &before, "new"), (&before, &found, "gone")] {
            for line in of.difference(other) {
                session.note(format_args!("{word}: {line}"));
            }
        }
        Ok(())
    }
}

/// A finding or a problem in one line, without its source location, which other edits move. Notes are left out.
fn line(finding: &Value) -> Option<String> {
    let text = |key: &str| finding[key].as_str().unwrap_or_default();
    let name = [text("rule"), text("kind")].concat();
    let path = match text("path") {
        "" => String::new(),
        path => format!(" {path}"),
    };
    (text("severity") != "note").then(|| format!("[{name}] {}{path}: {}", text("crd"), text("message")))
}

/// Whether an edit of a file, or of a folder, can change what is generated.
fn is_source(path: &Path, extensions: &[&str]) -> bool {
    let end = path.extension();
    path.ends_with(FILE_NAME) || end.is_none() || end.is_some_and(|end| extensions.iter().any(|known| end == *known))
}

/// Waits for a save, and until all its events have arrived. The time of the first one; none if the program is interrupted.
fn next(events: &Receiver<Event>) -> Option<Instant> {
    let Ok(Event::Saved) = events.recv() else { return None };
    let saved = Instant::now();
    loop {
        match events.recv_timeout(SAVE) {
            Ok(Event::Saved) => {}
            Ok(Event::Interrupted) => return None,
            Err(_) => return Some(saved),
        }
    }
}

/// Ctrl-C ends the wait, so that the program ends as after success.
#[cfg(unix)]
fn interrupts(sender: Sender<Event>) -> Result<(), Diagnostic> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    let failed = |error: std::io::Error| Diagnostic::error("file::io", format!("signals cannot be received: {error}"));
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    std::thread::spawn(move || signals.forever().map(|_| sender.send(Event::Interrupted)).any(|sent| sent.is_err()));
    Ok(())
}

/// On this system, Ctrl-C ends the process.
#[cfg(not(unix))]
fn interrupts(_: Sender<Event>) -> Result<(), Diagnostic> {
    Ok(())
}
