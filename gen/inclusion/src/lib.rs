//! Whether one schema accepts everything that another accepts, in both directions.
//!
//! Knows nothing of `crd-markers`, `crd-diagnostics`, `crd-boundary` or `crd-compat`.
//!
//! [`compare`] answers for two schemas, [`differences`] lists where they differ, [`Difference::direction`] answers for one keyword, and
//! [`containment`] lists where the CRDs of one channel accept more than those of another.
//!
//! Invariants: pure functions over schemas. *Loosened* and *tightened* are proven for every value. What cannot be proven is *neither*.
//!
//! ```
//! use crd_inclusion::{Direction, compare};
//! use crd_model::Schema;
//!
//! let short = Schema { kind: Some("string".into()), max_length: Some(63), ..Schema::default() };
//! let long = Schema { max_length: Some(253), ..short.clone() };
//! assert_eq!(compare(&short, &long), Some(Direction::Loosened));
//! assert_eq!(compare(&long, &short), Some(Direction::Tightened));
//! assert_eq!(compare(&long, &long), None);
//! ```

mod carried;
mod containment;
mod defaults;
mod difference;
mod direction;
mod edit;
mod entailment;
mod grounds;
mod implied;
mod kept;
mod keyword;
mod pairs;
mod position;
mod prover;
mod rule_text;
mod usable;
mod walk;

pub use containment::{Excess, containment};
pub use difference::{Bound, Branches, Difference, Entries, Field, NodeType};
pub use direction::{Direction, Effect, compare};
pub use edit::{Edit, Presence};
pub use grounds::Ground;
pub use implied::Proof;
pub use pairs::{memberships, orders, paired};
pub use position::{Elsewhere, Position, Step};
pub use prover::{Prover, TECHNIQUES, Technique};
pub use usable::Acceptor;
pub use walk::{LocatedDifference, NewName, as_read, differences, differences_of_version, text};
