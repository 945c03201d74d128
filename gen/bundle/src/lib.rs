//! Bundles: the CRDs of one release, released here or published by another project and read.
//!
//! Invariants: nothing is opened here; every CRD of a generated bundle carries the bundle's version and channel (GEP-922).
#![deny(missing_docs)]

mod digest;
pub mod history_archive;
pub mod json;
pub mod manifest;
pub mod published;
mod release;
mod released;
mod structure;

pub use crd_stamps::{
    BUMPS, BUNDLE_VERSION, Bump, BundleFile, BundleStamp, BundleVersion, CHANNEL, Channel, Month, ParseError,
    file_name, files, is_stamped, stamp,
};
pub use digest::Digest;
pub use manifest::BundleManifest;
pub use release::Release;
pub use released::Released;
pub use structure::structure;
