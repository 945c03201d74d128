//! The progress of a build: one line that is overwritten on a terminal, and a line every 15 seconds elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::programs::Progress;

/// The interval between lines that are not overwritten.
const LINE_INTERVAL: Duration = Duration::from_secs(15);
/// The interval between updates of the line on a terminal.
const TERMINAL_INTERVAL: Duration = Duration::from_millis(100);

/// Shows the progress of builds.
pub(crate) struct ProgressLine {
    terminal: bool,
    begun: Instant,
    shown: Option<Instant>,
    program: String,
}

impl ProgressLine {
    /// Shows progress on stderr, so that stdout contains only results.
    pub(crate) fn on_stderr() -> Self {
        Self { terminal: std::io::stderr().is_terminal(), begun: Instant::now(), shown: None, program: String::new() }
    }

    /// Shows a step, unless the previous one was shown less than an interval ago.
    pub(crate) fn show(&mut self, step: &Progress) {
        let (program, text) = match step {
            Progress::Waiting => (String::new(), "waiting for another process that builds".to_owned()),
            Progress::Downloading { program, module } => {
                (program.clone(), format!("building {program}: downloading {module}"))
            }
            Progress::Compiling { program, packages: 0, .. } => (program.clone(), format!("building {program}")),
            Progress::Compiling { program, packages, of } => {
                // Packages in Go's cache are not compiled again, so the number may stay below `of`.
                (program.clone(), format!("building {program}: {packages} of at most {of} packages compiled"))
            }
            Progress::Built { program } => (String::new(), format!("built {program}")),
        };
        let last = matches!(step, Progress::Built { .. } | Progress::Waiting);
        let interval = if self.terminal { TERMINAL_INTERVAL } else { LINE_INTERVAL };
        let due = self.shown.is_none_or(|shown| shown.elapsed() >= interval);
        if !due && !last && program == self.program {
            return;
        }
        if program != self.program && !program.is_empty() {
            self.begun = Instant::now();
        }
        if !program.is_empty() {
            self.program = program;
        }
        self.shown = Some(Instant::now());
        let seconds = self.begun.elapsed().as_secs();
        let mut stderr = std::io::stderr().lock();
        // If stderr is closed, there is no way to report that.
        let _ = match (self.terminal, last) {
            // Clear the rest of the line: the previous text may have been longer.
            (true, false) => write!(stderr, "\r{text} ({seconds} s)\x1b[K"),
            (true, true) => writeln!(stderr, "\r{text} ({seconds} s)\x1b[K"),
            (false, _) => writeln!(stderr, "{text} ({seconds} s)"),
        }
        .and_then(|()| stderr.flush());
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.terminal && self.shown.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
