//! Compatibility of bundles: what changed, what it means, and which bundle it fits.
//!
//! Fed with the CRDs of two bundles. Read by the command line, which says it, and by the release, which asks for permission.
//!
//! ```text
//! walk → Difference → rule → Finding → verdict
//! ```
//!
//! Invariants: pure functions over CRDs; detection, data and rendering are apart, and nothing here renders but the rules' own reference.
#![deny(missing_docs)]

mod branches;
mod comparison;
mod difference;
mod direction;
mod finding;

pub mod policy;
mod record;
mod reference;
mod rule;
mod ruling;
mod state;
pub mod tombstone;
mod verdict;
mod waiver;
mod walk;
pub mod witness;

pub use comparison::{Channels, Comparison};
pub use difference::{Difference, Parts, PathText, Place, Step, Subject};
pub use finding::{DIRECTIONS, Direction, Finding, Severity, Waived, Witness};
pub use record::RecordFault;
pub use reference::{explain, reference};
pub use rule::{Claim, Context, Declared, RULES, Rule, UNCLAIMED};
pub use ruling::{RULINGS, Ruling};
pub use state::{Occurrence, STATES, State, containment, states};
pub use verdict::{Verdict, deciding_first};
pub use waiver::{Waiver, WaiverFault, waive};
pub use walk::{Renames, differences};
