//! Conventions of Kubernetes APIs: rules about names, types and constraints that a server does not check.
//!
//! Knows nothing of `crd-markers`, `crd-apiserver`, `crd-boundary` or `crd-compat`.
//!
//! Invariants: pure functions over CRDs. One rule is one file, with its reason, its source, and an example that fires and one that does not.
//! Only what a baseline does not have is new, per channel.

mod bounds;
mod diagnostics;
mod exception;
mod finding;
mod known;
pub mod linters;
mod page;
pub mod rule;
mod words;

pub use diagnostics::{Levels, check_names, diagnostics, levels, not_a_convention};
pub use exception::{Element, Exception, without_allowed};
pub use finding::{Finding, Origin, Place, by_enum, findings, findings_of_types};
pub use page::{page, pages};
pub use rule::{Convention, Node, Problem, RULES};
