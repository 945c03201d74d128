//! Migration of a cluster: what the user names becomes a plan for each CRD, which is shown, confirmed and carried out.
//!
//! Invariant: nothing is written before the whole plan is known and confirmed.

mod consent;
pub(crate) mod document;
mod holder;
pub(crate) mod job;
pub(crate) mod journal;
pub(crate) mod question;
mod selection;
mod serving;
pub(crate) mod target;
mod text;
pub(crate) mod work;
