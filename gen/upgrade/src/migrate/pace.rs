//! The pace of writes.
//!
//! Invariant: between the starts of two writes there is at least one interval.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// A bound on the writes in a second.
pub(crate) struct Pace {
    interval: Duration,
    next: Mutex<Instant>,
}

impl Pace {
    /// A pace of this many writes in a second, at least one.
    pub(crate) fn new(rate: u32) -> Self {
        Self { interval: Duration::from_secs(1) / rate.max(1), next: Mutex::new(Instant::now()) }
    }

    /// Waits until the next write may start.
    pub(crate) async fn wait(&self) {
        let at = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let at = (*next).max(Instant::now());
            *next = at + self.interval;
            at
        };
        // A sleep of any length takes a millisecond or more.
        if at > Instant::now() {
            sleep_until(at).await;
        }
    }
}
