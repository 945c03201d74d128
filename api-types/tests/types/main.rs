//! The tests of the types, in one program because building it takes longer than running it.
//!
//! Fed with the types, the CRDs that `crd-schema` makes of them, committed facts beside this file and, where they are, the data under
//! `../shared`. A part that needs `../shared` says so when it is skipped. Read by whoever changes a type.
//!
//! Invariants: deterministic (random documents come from fixed seeds, and a failure names its seed); nothing is written.
#![allow(unreachable_pub, reason = "modules of a test program are all private")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it should be")]

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
mod random;
mod words;
