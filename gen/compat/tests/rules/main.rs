//! The rules and states against their cases, the policy and the history of Gateway API.
//!
//! Cases are data: `tests/cases/<rule>.yaml`, read by [`case`]. What is compared with the policy's page and with published CRDs looks for
//! them in `../shared` beside the workspace, and says so where they are not.

mod case;
mod fires;
mod history;
mod meta;
mod mirror;
mod net;
mod reference;
mod walk;
