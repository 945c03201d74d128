//! A real Kubernetes API server on one machine: etcd, kube-apiserver and kubectl, built from their Go modules, on loopback.
//!
//! Fed with the Go modules below `go/` and an installed Go. Read by the proofs of this package, by people through `cargo xtask testbed`,
//! and by CI.
//!
//! Invariants:
//! * A testbed never outlives whoever asked for it. It belongs to a *keeper*, a process of this package that ends everything when the pipe
//!   to its caller closes, however the caller ended; and what the keeper started ends with the keeper, also when that is killed.
//! * Processes are ended by their own ids, which are known to be theirs, never by name.
//! * Two testbeds share nothing but programs: ports, folders, certificates and keys are each one's own.
//! * What is cached is written beside its place and renamed, under a lock that the operating system gives back.
//!
//! Deliberately absent: nodes, controllers and a scheduler. Nothing runs in a testbed, no namespace is finalised, and nothing is garbage
//! collected; it is there to be asked what an API server says.
#![deny(missing_docs)]

mod certificates;
mod failure;
mod folders;
mod held;
mod keeper;
mod minor;
mod programs;
mod testbed;

pub mod command;

pub use failure::Failure;
pub use minor::{DEFAULT_MINOR, ETCD_VERSION, HELM_VERSION, MINORS, Minor};
pub use testbed::{Options, Testbed, helm, required};
