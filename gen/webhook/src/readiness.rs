//! Whether the webhook is ready, and why not.
//!
//! Invariants: it is ready if every part is. A change of a part is one line of the log. The text contains nothing of objects.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The state of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It works.
    Ready,
    /// It works, with this remark.
    Warning(String),
    /// It does not work, for this reason.
    NotReady(String),
}

/// The states of all parts.
#[derive(Debug, Default)]
pub(crate) struct Readiness(Mutex<BTreeMap<String, State>>);

impl Readiness {
    /// A webhook with parts that have not been looked at.
    pub(crate) fn new(parts: impl IntoIterator<Item = String>) -> Self {
        let parts = parts.into_iter().map(|part| (part, State::NotReady("it was not read yet".to_owned())));
        Self(Mutex::new(parts.collect()))
    }

    fn parts(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the state of a part.
    pub(crate) fn set(&self, part: &str, state: State) {
        let mut parts = self.parts();
        if parts.get(part) == Some(&state) {
            return;
        }
        match &state {
            State::Ready => tracing::info!(part, "ready"),
            State::Warning(text) => tracing::warn!(part, reason = text, "ready, with a warning"),
            State::NotReady(text) => tracing::error!(part, reason = text, "not ready"),
        }
        parts.insert(part.to_owned(), state);
    }

    /// The process ends on request: it is not ready, and nothing is wrong.
    pub(crate) fn shut_down(&self) {
        self.parts().insert("shutdown".to_owned(), State::NotReady("the process is ending".to_owned()));
    }

    /// Whether every part is ready.
    pub(crate) fn is_ready(&self) -> bool {
        self.parts().values().all(|state| !matches!(state, State::NotReady(_)))
    }

    /// Why a part is not ready.
    pub(crate) fn reason(&self, part: &str) -> Option<String> {
        match self.parts().get(part) {
            Some(State::NotReady(text)) => Some(text.clone()),
            _ => None,
        }
    }

    /// A line for each part, in the order of their names.
    pub(crate) fn text(&self) -> String {
        let line = |(part, state): (&String, &State)| match state {
            State::Ready => format!("[+] {part}\n"),
            State::Warning(text) => format!("[+] {part}: warning: {text}\n"),
            State::NotReady(text) => format!("[-] {part}: {text}\n"),
        };
        self.parts().iter().map(line).collect()
    }

    /// The parts with whether they are ready, for metrics.
    pub(crate) fn each(&self) -> Vec<(String, bool)> {
        self.parts().iter().map(|(part, state)| (part.clone(), !matches!(state, State::NotReady(_)))).collect()
    }
}
