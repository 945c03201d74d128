//! A release of Gateway API as users get it: programs of other projects read its layout, its signatures and what is pushed of both, and
//! `crd-channels` reads what those programs push.
//!
//! Invariants: cases are data. Programs have a home of their own, and registries are on loopback. CI runs everything except cosign, which takes
//! minutes to build: `cargo xtask prove oci` has it.

mod edits;
mod programs;
mod reading;
mod registry;
mod release;
mod sources;
mod tampering;
