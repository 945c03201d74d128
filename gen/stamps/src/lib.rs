//! Stamps: the annotations that say which bundle and channel a CRD belongs to (GEP-922). The files of stamped CRDs, and what a cluster or an object
//! has of a bundle. With the feature `skew` also the clients of CRDs, and which bundles they work with.
//!
//! Knows nothing of `crd-markers`, `crd-diagnostics`, `crd-apiserver`, `crd-convert`, `crd-bundle` or `kube`.
//!
//! Invariants: values in, values out: nothing is opened here. Files are sorted and their bytes depend on the CRDs only.
#![deny(missing_docs)]

mod bump;
pub mod experimental_only;
pub mod features;
mod files;
pub mod installed;
#[cfg(feature = "skew")]
pub mod skew;
mod stamp;
pub mod uses;

pub use bump::Bump;
pub use crd_model::channel::Channel;
pub use crd_model::version::{BundleStamp, BundleVersion, Month, ParseError};
pub use files::{BundleFile, file_name, files};
pub use stamp::{BUNDLE_VERSION, BundlePart, CHANNEL, is_stamped, stamp};
