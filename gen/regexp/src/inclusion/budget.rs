//! How much work a comparison may cost.
//!
//! [`super`] makes one for each comparison; every step that could grow out of hand takes from it. Invariant: work is
//! counted, not timed, so that the same patterns give the same answer on every machine.

/// Steps of a comparison at most: a few tens of milliseconds, and a few tens of megabytes. The dearest pair of Gateway
/// API's patterns takes about 1 % of it.
pub(super) const ALLOWED: usize = 4_000_000;

/// The patterns are too large to be compared.
#[derive(Debug)]
pub(super) struct TooLarge;

/// The steps that are left.
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    pub(super) fn of(steps: usize) -> Self {
        Self { left: steps }
    }

    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Uses the given number of steps, if they are available.
    pub(super) fn take(&mut self, steps: usize) -> Result<(), TooLarge> {
        self.left = self.left.checked_sub(steps).ok_or(TooLarge)?;
        Ok(())
    }
}
