//! The progress of a build: one line that is written over on a terminal, and a line now and then elsewhere.
//!
//! Fed with [`Progress`] by the build. Read by whoever waits.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::programs::Progress;

/// How often a line is written where lines stay.
const PAUSE: Duration = Duration::from_secs(15);
/// How often the line is renewed on a terminal.
const BLINK: Duration = Duration::from_millis(100);

/// Where progress is shown.
pub(crate) struct ProgressLine {
    terminal: bool,
    begun: Instant,
    shown: Option<Instant>,
    what: String,
}

impl ProgressLine {
    /// On stderr, so that results on stdout stay alone.
    pub(crate) fn on_stderr() -> Self {
        Self { terminal: std::io::stderr().is_terminal(), begun: Instant::now(), shown: None, what: String::new() }
    }

    /// Shows a step, unless the last one was shown just now.
    pub(crate) fn show(&mut self, step: &Progress) {
        let (what, text) = match step {
            Progress::Waiting => (String::new(), "waiting for another process that builds".to_owned()),
            Progress::Downloading { program, module } => {
                (program.clone(), format!("building {program}: downloading {module}"))
            }
            Progress::Compiling { program, packages: 0, .. } => (program.clone(), format!("building {program}")),
            Progress::Compiling { program, packages, of } => {
                // What an earlier build left in Go's cache is not compiled again, so the number need not be reached.
                (program.clone(), format!("building {program}: {packages} of at most {of} packages compiled"))
            }
            Progress::Built { program } => (String::new(), format!("built {program}")),
        };
        let last = matches!(step, Progress::Built { .. } | Progress::Waiting);
        let pause = if self.terminal { BLINK } else { PAUSE };
        let due = self.shown.is_none_or(|shown| shown.elapsed() >= pause);
        if !due && !last && what == self.what {
            return;
        }
        if what != self.what && !what.is_empty() {
            self.begun = Instant::now();
        }
        if !what.is_empty() {
            self.what = what;
        }
        self.shown = Some(Instant::now());
        let seconds = self.begun.elapsed().as_secs();
        let mut stderr = std::io::stderr().lock();
        // Nobody is left to be told that it cannot be shown.
        let _ = match (self.terminal, last) {
            // Cleared to its end, since the line before may have been longer.
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
