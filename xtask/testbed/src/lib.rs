//! A real Kubernetes API server on one machine: etcd, kube-apiserver and kubectl, built from their Go modules, on loopback.
//!
//! Invariants:
//! * A testbed never outlives its caller. A *supervisor*, a process of this package, owns the servers. It ends them when the pipe to its
//!   caller closes, however the caller ended. The servers end with the supervisor, even when it is killed.
//! * Processes are ended by the ids of processes that this package started, never by name.
//! * Two testbeds share only programs. Each has its own ports, folders, certificates and keys.
//! * A cached program is written to a temporary file and renamed, under a lock that the operating system releases.
//!
//! A testbed has no nodes or scheduler, on purpose: no pod runs. Without [`Options::controllers`] it has no controllers: no namespace is
//! finalised, and nothing is garbage collected. It answers the requests that an API server answers.
#![deny(missing_docs)]

mod certificates;
mod failure;
mod folders;
mod lock;
mod minor;
mod programs;
mod progress;
mod ready;
mod servers;
mod supervisor;
mod testbed;

pub mod command;

pub use failure::Failure;
pub use minor::{DEFAULT_MINOR, ETCD_VERSION, HELM_3_VERSION, HELM_CONTROLLER_VERSION, HELM_VERSION, MINORS, Minor};
pub use testbed::{Options, Testbed, is_required, oracle, program};
