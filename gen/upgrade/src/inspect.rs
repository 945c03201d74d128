//! What a cluster holds, compared with the known bundles, and what an upgrade or a switch of channels would do to its objects.
//!
//! Invariants:
//! * Everything is computed from what [`crd_cluster`] read and from bundles: nothing is sent to the cluster.
//! * Memory depends on the CRDs, never on the number of objects.

mod admission;
mod api;
mod codes;
mod content;
mod difference;
pub mod forecast;
mod health;
mod known;
mod nearest;
mod objects;
mod owners;
mod ownership;
mod policies;
mod question;
mod redaction;
mod report;
mod stamps;
mod target;
mod unsupported;
mod versions;
mod webhooks;

pub use api::Api;
pub use codes::{CODES, PAGES, is_about_kubectl, is_about_target};
pub use content::Content;
pub use known::{InstalledBundle, KnownBundles, Part};
pub use owners::Owner;
pub use question::{Question, inspect};
pub use redaction::Redaction;
pub use report::{CrdReport, ObjectFinding, ObjectReport, ObjectsReport, PolicyReport, Report, VersionReport, Writes};
pub use target::Target;
pub use unsupported::ClassReport;
