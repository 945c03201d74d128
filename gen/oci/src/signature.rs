//! Signatures of published files and artefacts.
//!
//! Invariants: values to values: nothing is opened here, and no clock or source of random numbers is used: the same key signs the same bytes
//! with the same signature (RFC 6979). No key is part of a message.

mod bundle;
mod error;
mod key;
mod provenance;
mod statement;

pub use error::WRONG_SIGNATURE;
pub use key::{PublicKey, SigningKey};
pub use provenance::{Build, PROVENANCE, provenance, release_of};
pub use statement::{COSIGN_SIGNATURE, Statement, Subject};

/// The pages of the codes of signatures.
pub const PAGES: &str = include_str!("signature/codes.md");
