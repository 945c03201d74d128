//! The rules and states against their cases, the policy and the history of Gateway API.
//!
//! Cases are data: `tests/cases/<rule>.yaml`, read by [`case`]. The policy is the table of
//! `docs/policy.md`, and the history is in `testdata`.

pub(crate) mod case;
mod fires;
mod history;
mod meta;
mod mirror;
mod reference;
mod semver;
mod walk;
