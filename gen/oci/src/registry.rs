//! A client of OCI registries: pushes a layout, and pulls the CRDs of an artefact.
//!
//! Invariants: every answer has a limit of bytes and of time. Credentials go to the registry that the user named, and to the token server that it
//! names, and are never part of a message.
//!
//! Source: the [distribution specification](https://github.com/opencontainers/distribution-spec) 1.1.

mod authorization;
pub mod chart_repository;
mod client;
mod codes;
mod push;
mod reference;
mod repository;

use std::time::Duration;

use crd_diagnostics::Diagnostic;

pub use codes::{CODES, PAGES};
pub use push::{Pushed, push};
pub use reference::{PREFIX, Reference};
pub use repository::Registry;

/// What a registry accepts.
#[derive(Clone)]
pub enum Credentials {
    /// A name and a password.
    Password { name: String, password: String },
    /// A token for the token server.
    Token(String),
}

/// The credentials for a host, which is only called if the host asks for them.
pub type Lookup<'c> = &'c dyn Fn(&str) -> Result<Option<Credentials>, Diagnostic>;

/// How long a registry may take.
#[derive(Clone, Debug)]
pub struct Timeouts {
    /// Until it is connected.
    pub connect: Duration,
    /// For each read and write.
    pub read: Duration,
    /// For a whole request.
    pub request: Duration,
}
