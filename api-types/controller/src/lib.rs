//! An example to copy: a controller of Gateway API that works with every release and channel of its CRDs.
//!
//! It watches CRDs. After a change it compares what the server offers with what it was built for, and starts, stops or restarts one watch for each kind. An
//! object of any age arrives in the types of the newest release. A kind that is absent is waited for.
//!
//! Invariants:
//! * Nothing that the server offers or answers ends the controller.
//! * After a CRD has changed, its objects are listed again: a server sends no events when a schema hides fields, or shows hidden ones.
#![deny(missing_docs)]

mod controller;
mod kinds;
mod reader;

pub use controller::{Handler, Key, Seen, run};
pub use crd_stamps::installed::KindUse;
pub use crd_stamps::skew::{Decided, Decision};
pub use kinds::{KINDS, Object, built_for};
