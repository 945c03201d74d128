//! Reads a Kubernetes cluster: CustomResourceDefinitions, custom resources, admission policies, and facts about the server. A [`Writer`] changes
//! single objects.
//!
//! Knows nothing of `crd-markers`, `crd-apiserver`, `crd-bundle` or `crd-generate`.
//!
//! Invariants:
//! * A [`Cluster`] sends only GET requests. A write is sent by a [`Writer`], and has guards: it fails if the object is not the expected one.
//! * Nothing is decided here. What was read is data, and whatever could not be read is a [`Diagnostic`](crd_diagnostics::Diagnostic) with a code of [`PAGES`].
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
// Numbers of a server are bounded before they are added.
#![warn(clippy::arithmetic_side_effects)]

mod cluster;
mod codes;
mod crds;
mod dump;
mod failure;
mod helm_release;
mod kubeconfig;
mod limits;
mod list;
mod metadata;
mod objects;
mod policies;
mod requests;
mod resource;
mod server;
mod write;

pub use cluster::{Cluster, client_of, run};
pub use codes::{CODES, NOT_SERVED, PAGES};
pub use crds::{Condition, InstalledCrd, Selection};
pub use helm_release::{HelmChart, HelmChartMetadata, HelmRelease};
pub use limits::Limits;
pub use list::Progress;
pub use metadata::{ManagedField, Metadata};
pub use objects::{Content, Listing, Object, ObjectPage, ObjectPages};
pub use policies::{Binding, BindingSpec, Policies, Policy, Webhook};
pub use resource::Resource;
pub use server::Server;
pub use write::{FIELD_MANAGER, Part, Writer, Written};
