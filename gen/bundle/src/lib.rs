//! Bundles: the CRDs of one release, released here or published by another project and read.
//!
//! Knows nothing of `crd-markers`, `crd-generate`, `crd-compat`, `crd-release` or `ureq`.
//!
//! Invariants: nothing is opened here; every CRD of a generated bundle carries the bundle's version and channel (GEP-922).

pub mod admission;
mod digest;
pub mod history_archive;
pub mod json;
pub mod manifest;
pub mod published;
mod release;
mod released;
mod structure;

pub use crd_stamps::{
    BUNDLE_VERSION, Bump, BundleFile, BundleStamp, BundleVersion, CHANNEL, Channel, Month, ParseError, file_name,
    files, is_stamped, stamp,
};
pub use digest::Digest;
pub use manifest::BundleManifest;
pub use release::Release;
pub use released::Released;
pub use structure::structure;
