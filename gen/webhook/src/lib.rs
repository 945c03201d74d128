//! The validating webhook of a bundle.
#![deny(missing_docs)]

mod bundle;
mod certificate;
pub mod certs;
mod codes;
mod objects;
mod rule;
mod webhook;

pub use bundle::Bundle;
pub use certificate::{CertificateFiles, Facts, Polled, server_config};
pub use codes::CODES;
pub use objects::{Lookup, Objects, Watched, WatchedResource};
pub use rule::{Change, Check, Described, Remark, Report, Rule};
pub use webhook::Webhook;
