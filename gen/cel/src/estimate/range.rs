//! Sizes and costs as ranges, with the arithmetic of the server.
//!
//! Invariants: sums and products saturate, except where the server's wrap around; factors are doubles, and their products are rounded up.

/// 2 to the power of 64.
const OVERFLOW: f64 = 18_446_744_073_709_551_616.0;

/// The smallest and the largest size or cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    pub min: u64,
    pub max: u64,
}

impl Range {
    pub(super) const UNKNOWN: Self = Self { min: 0, max: u64::MAX };
    /// What a range is before the first union.
    pub(super) const EMPTY: Self = Self { min: u64::MAX, max: 0 };

    pub(super) const fn exactly(value: u64) -> Self {
        Self { min: value, max: value }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// Each end multiplied and rounded up.
    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { min: scaled(self.min, factor), max: scaled(self.max, factor) }
    }

    /// Both ranges and what is between them.
    pub(super) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the server computes with doubles too, and sizes are positive"
)]
fn scaled(size: u64, factor: f64) -> u64 {
    let size = size as f64;
    if size > 0.0 && factor > 0.0 && size > OVERFLOW / factor {
        return u64::MAX;
    }
    // The conversion saturates.
    (size * factor).ceil() as u64
}

/// A quotient rounded up, as the server computes it on amd64, where 2 to the power of 64 becomes half of it.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the server computes with doubles too, and sizes are positive"
)]
pub(super) fn divided(size: u64, by: u64) -> u64 {
    let quotient = (size as f64 / by as f64).ceil();
    if quotient >= OVERFLOW { 1 << 63 } else { quotient as u64 }
}
