//! Reads a Kubernetes cluster: CustomResourceDefinitions, custom resources, admission policies, and facts about the server.
//!
//! Invariants:
//! * Only GET requests are sent: one private type has the client, and its only request is GET.
//! * Nothing is decided here. What was read is data, and whatever could not be read is a [`Diagnostic`](crd_diagnostics::Diagnostic) with a code of [`CODES`].
//! * After a listing that fails, the next one is still read.
//! * Memory depends on one page of a listing, never on the number of objects.
//! * Every wait has a limit: [`Limits`].
//!
//! ```no_run
//! use crd_cluster::{Cluster, Selection, run};
//!
//! let result = run(async {
//!     let cluster = Cluster::connect(None).await?;
//!     for installed in cluster.crds(&Selection::prefix("gateway.networking.k8s.io")).await? {
//!         println!("{}: stored as {}", installed.metadata.name, installed.stored_versions.join(", "));
//!     }
//!     Ok(())
//! });
//! ```
#![deny(missing_docs)]

mod cluster;
mod codes;
mod crds;
mod failure;
mod get;
mod kubeconfig;
mod limits;
mod list;
mod metadata;
mod objects;
mod policies;
mod server;

pub use cluster::{Cluster, run};
pub use codes::CODES;
pub use crds::{Condition, InstalledCrd, Selection};
pub use limits::Limits;
pub use list::Progress;
pub use metadata::{ManagedField, Metadata};
pub use objects::{Listing, Object};
pub use policies::{Binding, Policies, Policy, Webhook};
pub use server::Server;
