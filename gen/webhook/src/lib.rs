//! The validating webhook of a bundle: what CRDs and admission policies cannot state, and versions that match the installed CRDs.
//!
//! Knows nothing of `crd-bundle`, `crd-compat` or `crd-release`.
//!
//! "A bundle is CRDs, API versions and a validating webhook with matching versions" (GEP-922). The webhook gives good feedback and is not a security mechanism:
//! its cache is behind the cluster, and it may be down. Where the CEL of an admission policy suffices, a policy is the better product.
#![deny(missing_docs)]
// Numbers of a client or a server are bounded before they are added.
#![warn(clippy::arithmetic_side_effects)]

mod bundle;
mod certificate;
pub mod certs;
mod clients;
mod codes;
mod command;
mod metrics;
mod objects;
mod readiness;
mod review;
mod reviewer;
mod rule;
mod serve;
mod server;
mod skew;
mod watches;
mod webhook;

pub use bundle::Bundle;
pub use certificate::{CertificateFiles, Facts, server_config};
pub use clients::ClientAuthority;
pub use codes::{CODES, PAGES};
pub use command::{command_line, run};
pub use objects::{Lookup, Objects, Watched, WatchedResource};
pub use review::{GroupVersionKind, Operation, Refusal, Request, VALIDATOR, Verdict, Warning};
pub use reviewer::{Reviewer, SOURCES};
pub use rule::{Change, Check, Described, Remark, Report, Rule};
pub use serve::{Addresses, ClusterSource, Settings, serve};
pub use server::{Limits, PATH};
pub use skew::{Skew, skew};
pub use webhook::Webhook;

/// The example of the page is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/webhook.md")]
struct Page;
