//! Admission policies that come with a bundle: generated, never edited.
//!
//! Invariants: plain CEL that compiles on every supported Kubernetes minor (`semver()` does not exist on 1.32 and 1.33); objects are values, so that
//! YAML and JSON of them are the same.

pub mod guardrails;
pub mod safe_upgrades;
