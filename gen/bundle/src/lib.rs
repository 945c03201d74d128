//! Bundles: the CRDs of one release in one channel, stamped and written out.
//!
//! Fed with CRDs by the engine (`crd-schema`). Read by the command line, which puts the files somewhere.
//!
//! Invariants: every CRD of a bundle carries the bundle's version and channel (GEP-922); files are sorted and their bytes
//! depend on the CRDs only.
#![deny(missing_docs)]

mod digest;
mod files;
pub mod manifest;
pub mod published;
mod stamp;
mod version;

pub use digest::{Digest, DigestError};
pub use files::{BundleFile, ReadBack, file_name, files};
pub use manifest::BundleManifest;
pub use stamp::{BUNDLE_VERSION, CHANNEL, is_stamped, stamp};
pub use version::{BundleVersion, VersionError};
