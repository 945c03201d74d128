//! What a command does now, for people who wait: one line on stderr for each step that takes longer than a second.
//!
//! Invariants: a thread prints, because a step does not return to do so. Results never depend on it, also if stderr cannot be written.
//! Sessions of tests have none.

use std::io::Write as _;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crd_diagnostics::style::NOTE;

/// How long a step is silent: most are shorter.
const PATIENCE: Duration = Duration::from_secs(1);

/// The steps of a command, as it begins them. The thread ends with this value.
#[derive(Debug)]
pub struct Activity(Sender<String>);

impl Activity {
    /// Watches the steps of this process, unless cargo is asked to be quiet.
    pub(crate) fn of_process() -> Option<Self> {
        let is_quiet = std::env::var("CARGO_TERM_QUIET").is_ok_and(|value| value == "true");
        let print = |step: &str| drop(writeln!(anstream::stderr(), "{NOTE}note:{NOTE:#} {step} …"));
        (!is_quiet).then(|| Self::watch(print))
    }

    fn watch(print: impl Fn(&str) + Send + 'static) -> Self {
        let (sender, steps) = channel::<String>();
        thread::spawn(move || {
            let mut next = steps.recv();
            while let Ok(step) = next {
                next = match steps.recv_timeout(PATIENCE) {
                    Err(RecvTimeoutError::Timeout) => {
                        print(&step);
                        steps.recv()
                    }
                    other => other.map_err(|_| std::sync::mpsc::RecvError),
                };
            }
        });
        Self(sender)
    }

    /// A step begins, and the one before it ends.
    pub fn begin(&self, step: String) {
        // Without the thread nothing is printed.
        let _ = self.0.send(step);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_step_that_takes_long_is_printed_once() {
        let (sender, printed) = channel();
        let activity = Activity::watch(move |step| drop(sender.send(step.to_owned())));
        let started = Instant::now();
        for step in 0..1000 {
            activity.begin(format!("short {step}"));
        }
        activity.begin("long".to_owned());
        let took = started.elapsed();
        let mut step = printed.recv().unwrap();
        // On a busy machine, a short step can take long as well.
        while took >= PATIENCE && step.starts_with("short ") {
            step = printed.recv().unwrap();
        }
        assert_eq!(step, "long");
        activity.begin("longer".to_owned());
        assert_eq!(printed.recv().as_deref(), Ok("longer"));
        drop(activity);
        assert!(printed.recv().is_err(), "the thread ends, and nothing is printed twice");
    }
}
