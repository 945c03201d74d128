//! The library for annotated crates: the attribute `#[api]`, descriptors of annotated types, and Kubernetes' base types.
//!
//! Invariants: light (without features, the only dependencies are the marker table and the macro); descriptors are constants;
//! a named type is reached through a function, so that a recursive type compiles and generation can report the recursion.
//!
//! ```
//! use crd_channels::{ObjectMeta, api};
//!
//! /// A thing with a size.
//! ///
//! /// +kubebuilder:resource:categories=things
//! #[api(group = "things.example.com", version = "v1", kind = "Thing")]
//! pub struct Thing {
//!     /// Standard object metadata.
//!     pub metadata: ObjectMeta,
//!     /// The wanted state.
//!     pub spec: ThingSpec,
//! }
//!
//! /// The wanted state of a Thing.
//! #[api]
//! pub struct ThingSpec {
//!     /// The size in metres. The default is 1.
//!     ///
//!     /// +kubebuilder:default=1
//!     /// +kubebuilder:validation:Minimum=1
//!     pub size: Option<i32>,
//!     /// The colour of the surface.
//!     ///
//!     /// +experimental
//!     pub colour: Option<String>,
//! }
//! ```
#![deny(missing_docs)]
// The macro writes `::crd_channels::…`, also for the base types in here.
extern crate self as crd_channels;

pub mod base;
pub mod check;
#[cfg(feature = "kube")]
pub mod conversions;
pub mod descriptor;
#[doc(hidden)]
pub mod exports;
pub mod facts;
#[cfg(feature = "schemars")]
pub mod foreign;
pub mod json;
pub mod rule;
#[cfg(feature = "serde")]
pub mod strict;
pub mod typed;
#[cfg(feature = "serde")]
pub mod wire;

pub use crd_macros::api;
pub use crd_markers::channel::{self, Channel, ChannelSet};

pub use base::*;
pub use descriptor::{
    Field, Location, Presence, ResourceDescriptor, Shape, Tombstone, TypeDescriptor, TypeRef, Variant,
};
pub use typed::{Described, Resource, Typed};
