//! Clients of CRDs, such as controllers, and the bundles that they meet: which client works with which bundle and channel, and why not.
//!
//! Invariants: pure functions over values. A verdict depends on API versions and fields only: newer fields that a client ignores are not a failure.

pub mod client;
pub mod decision;
#[cfg(feature = "kube")]
mod discovery;
pub mod matrix;
pub mod offer;
pub mod verdict;

pub use client::{Client, ClientKind};
pub use decision::{Decided, Decision, decide};
pub use matrix::{Bundle, Bundles, Cell, Neighbours, neighbours};
pub use offer::Offer;
pub use verdict::{Cause, Finding, KindVerdict, Verdict};

/// The page of each code, in Markdown.
pub const PAGES: &str = include_str!("skew/codes.md");
