//! Compatibility of bundles: what changed, which rule covers it, and which release it needs.
//!
//! Knows nothing of `crd-markers`, `crd-generate`, `crd-bundle` or `crd-release`.
//!
//! ```text
//! walk → Change → rule → Finding → Verdict
//! ```
//!
//! Invariants: pure functions over CRDs. Detection, data and rendering are separate; the only text rendered here is the reference of the
//! rules.

mod change;
mod clash;
mod classify;
mod comparison;
mod constants;
mod constraint;
mod context;
mod finding;
mod origin;
pub mod policy;
mod preserved;
mod project;
pub mod record;
mod reference;
mod required_bump;
mod rule;
mod scaled;
mod stability;
mod state;
pub mod tombstone;
mod verdict;
mod waiver;
mod walk;
pub mod witness;

pub use change::{Change, Column, LocatedChange, Location};
pub use classify::classify;
pub use comparison::{Comparison, Evidence};
pub use constants::constant_findings;
pub use context::{Context, Declared};
pub use crd_diagnostics::Severity;
pub use crd_inclusion::{Difference, Direction, Edit, Ground, Presence, Proof, Prover, TECHNIQUES, Technique};
pub use crd_model::Channels;
pub use finding::{Decision, Finding, Waived};
pub use project::{Project, Projects};
pub use reference::{explain, reference};
pub use required_bump::{Lowered, RequiredBump};
pub use rule::{Assessment, RULES, Rule, Section, UNCLAIMED};
pub use state::{Occurrence, STATES, State, all_rules, rule, rule_pages, states};
pub use verdict::Verdict;
pub use waiver::{Waiver, added, waive};
pub use walk::{Renames, changes};
pub use witness::Witness;
