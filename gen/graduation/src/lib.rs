//! Graduation from experimental to standard: the life of every experimental element, the evidence for it, and when the criteria are met.
//!
//! Knows nothing of `crd-markers`, `crd-generate`, `crd-review` or `crd-release`.
//!
//! ```text
//! releases → Inventory → Lives → Life ┐
//! reports → Evidence, approvals ──────┼→ Assessment → table, graduation.json
//! criteria of the catalogue ──────────┘
//! ```
//!
//! Invariants: pure functions over values: no clock, files or network. The same releases and evidence give the same result.

pub mod approval;
mod assessment;
mod day;
pub mod document;
mod element;
pub mod evidence;
mod graduations;
mod life;
mod only_experimental;
mod page;
mod past;
mod report;
mod supported;
mod table;

pub use assessment::{Assessment, Basis, Eligible, Outcome, Probation, State};
pub use crd_model::inventory::{Element, Kind};
pub use element::id;
pub use graduations::{Candidate, Graduations, Records, early_problem};
pub use life::{Change, Dated, Life, Lives};
pub use only_experimental::only_experimental;
pub use page::page;
pub use past::{Early, PastBasis, PastGraduation, Timing, early, past};
pub use report::{details, report};
pub use supported::supported;
pub use table::{OfTypes, Row, Table, table};
