//! Bundles: the CRDs of one release, stamped and written out, or published by another project and read.
//!
//! Invariants: nothing is opened here; every CRD of a generated bundle carries the bundle's version and channel (GEP-922); files are sorted and their bytes
//! depend on the CRDs only.
#![deny(missing_docs)]

mod bump;
#[cfg(feature = "history")]
mod digest;
#[cfg(feature = "experimental")]
pub mod experimental_only;
mod files;
#[cfg(feature = "history")]
pub mod history_archive;
pub mod installed;
#[cfg(feature = "history")]
pub mod manifest;
#[cfg(feature = "history")]
pub mod published;
#[cfg(feature = "history")]
mod release;
#[cfg(feature = "history")]
mod released;
mod stamp;
#[cfg(feature = "experimental")]
pub mod uses;

pub use bump::{BUMPS, Bump};
pub use crd_model::channel::Channel;
pub use crd_model::version::{BundleVersion, ParseError};
#[cfg(feature = "history")]
pub use digest::Digest;
pub use files::{BundleFile, file_name, files};
#[cfg(feature = "history")]
pub use manifest::BundleManifest;
#[cfg(feature = "history")]
pub use release::Release;
#[cfg(feature = "history")]
pub use released::Released;
pub use stamp::{BUNDLE_VERSION, CHANNEL, is_stamped, stamp};
