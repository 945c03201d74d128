//! Gateway API's history: every release is imported as a bundle and compared with the next one in both channels. The findings are
//! compared with snapshots and with known facts of that history.
//!
//! [`karpenter`] does the same with a project that has one channel and the profile `semver`.
//!
//! Snapshots are in `tests/snapshots/history`, with a page that explains the surprising ones; `UPDATE_SNAPSHOTS=1` writes them again.
//!
//! Invariants: tests use the command line, as a user does; its findings are compared with the published documents as serde_json reads
//! them ([`raw`]), which is independent of our code.

mod facts;
mod karpenter;
mod library;
mod names;
mod net;
mod page;
mod raw;
mod releases;
mod snapshots;
mod stored;
