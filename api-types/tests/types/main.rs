//! The tests of the types, in one program because building it takes longer than running it.
//!
//! Invariants: deterministic (random documents come from fixed seeds, and a failure names its seed); nothing is written.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]
#![allow(unreachable_pub, reason = "modules of a test program are all private")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it should be")]

mod conformance;
mod constants;
mod descriptors;
mod documents;
mod examples;
#[cfg(feature = "kube")]
mod kube;
mod lenient;
mod objects;
mod patterns;
mod projection;
mod properties;
mod validation;
mod words;
