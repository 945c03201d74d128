//! OCI artefacts: manifests, layouts on disk, and the CRDs in an artefact. With the feature `signature` also signatures of artefacts and published
//! files, and with the feature `registry` a client of registries.
//!
//! Knows nothing of `crd-generate`, `crd-release` or `ureq`.
//!
//! Invariants: values to values: nothing is opened here, except by the client of registries. The same artefacts are the same bytes. What is read is checked against the size and the
//! digest of its descriptor before anything looks into it.
//!
//! Sources: the [image specification](https://github.com/opencontainers/image-spec) 1.1: `descriptor.md`, `manifest.md`, `image-index.md`,
//! `image-layout.md`.

mod codes;
pub mod layout;
mod manifest;
pub mod media_type;
#[cfg(feature = "registry")]
pub mod registry;
#[cfg(feature = "signature")]
pub mod signature;
pub mod source;

pub use codes::{CODES, PAGES};
pub use manifest::{Descriptor, Index, Manifest};
