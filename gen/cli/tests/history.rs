//! Gateway API's own history: every release is imported as a bundle, each is compared with the next in both channels, and what is found is
//! held against snapshots and against what is known of that history (the last paragraph of `../shared/POLICY.md`).
//!
//! Fed with `../shared/oracle`, which is not part of this repository: where it is absent, every test says that it was skipped. Snapshots lie
//! in `tests/snapshots/history`, beside a page that explains what is surprising in them; `UPDATE_SNAPSHOTS=1` writes them anew.
//!
//! Invariants: all goes through the command line, as a user would have it; what it finds is compared with the published documents as
//! serde_json reads them ([`raw`]), which is none of our code.

mod facts;
mod imports;
mod library;
mod names;
mod net;
mod page;
mod raw;
mod releases;
mod snapshots;
mod stored;
