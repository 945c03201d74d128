//! The library for crates that define a Kubernetes API: the attribute `#[api]`, the base types of Kubernetes, and descriptors of annotated types.
//!
//! Knows nothing of `crd-model`, `crd-generate` or `crd-apiserver`.
//!
//! Write Rust types, put [`#[api]`](macro@api) above them, and markers into their doc comments. `cargo xtask generate` writes a
//! CustomResourceDefinition for each release channel from them. [Getting started] sets up a workspace, [authoring] explains types,
//! channels and tombstones, and [markers] lists every marker.
//!
//! [Getting started]: https://github.com/crd-channels/crd-channels/blob/main/docs/getting-started.md
//! [authoring]: https://github.com/crd-channels/crd-channels/blob/main/docs/authoring.md
//! [markers]: https://github.com/crd-channels/crd-channels/blob/main/docs/reference/markers.md
//!
//! # Example
//!
//! ```
//! use crd_channels::{Condition, ObjectMeta, Quantity, api};
//!
//! /// A cache for the objects of a namespace.
//! ///
//! /// +kubebuilder:resource:shortName=ca
//! /// +kubebuilder:subresource:status
//! /// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
//! /// +kubebuilder:printcolumn:name=Replicas,type=integer,JSONPath=.spec.replicas
//! #[api(group = "cache.example.com", version = "v1", kind = "Cache")]
//! pub struct Cache {
//!     /// Standard object metadata.
//!     pub metadata: ObjectMeta,
//!     /// The wanted state.
//!     pub spec: CacheSpec,
//!     /// The observed state.
//!     pub status: Option<CacheStatus>,
//! }
//!
//! /// The wanted state of a cache.
//! ///
//! /// +kubebuilder:validation:XValidation:rule="self.replicas >= oldSelf.replicas",message="a cache does not shrink"
//! #[api]
//! pub struct CacheSpec {
//!     /// The number of replicas.
//!     ///
//!     /// +kubebuilder:validation:Minimum=1
//!     /// +kubebuilder:validation:Maximum=9
//!     pub replicas: i32,
//!     /// The memory of each replica.
//!     pub memory: Option<Quantity>,
//!     /// What is removed when the cache is full. The default is Oldest.
//!     ///
//!     /// +kubebuilder:default=Oldest
//!     pub eviction: Option<Eviction>,
//!     /// The namespaces that share the cache. Only the experimental channel has this field.
//!     ///
//!     /// +experimental
//!     /// +listType=set
//!     /// +kubebuilder:validation:MaxItems=16
//!     pub shared_with: Option<Vec<String>>,
//! }
//!
//! /// What is removed when a cache is full.
//! #[api]
//! pub enum Eviction {
//!     /// The oldest entry.
//!     Oldest,
//!     /// The entry that is read least often.
//!     ///
//!     /// +experimental
//!     LeastUsed,
//! }
//!
//! /// The observed state of a cache.
//! #[api]
//! pub struct CacheStatus {
//!     /// The number of replicas that run.
//!     pub replicas: Option<i32>,
//!     /// What a controller reports.
//!     ///
//!     /// +listType=map
//!     /// +listMapKey=type
//!     pub conditions: Option<Vec<Condition>>,
//! }
//! # fn main() {}
//! ```
//!
//! # Base types
//!
//! | type | in Kubernetes |
//! |---|---|
//! | [`ObjectMeta`], [`Condition`], [`LabelSelector`] | the types of these names |
//! | [`Quantity`], [`IntOrString`], [`Duration`], [`Time`] | scalars with a notation of their own |
//! | [`Bytes`] | a base64 string |
//! | [`RawExtension`], [`AnyJson`] | any object, any value |
//!
//! # Features
//!
//! Without features, types are only described: this is what the generator compiles.
//!
//! | feature | effect |
//! |---|---|
//! | `serde` | lenient readers and strict writers for `#[api]` types (`strict` has readers that report everything), and `Clone`, `Debug`, `Default`, `PartialEq` |
//! | `kube` | what kube-rs' derive gives: `kube::Resource`, `new`, `crd()`, `HasSpec`, `HasStatus`; the `ObjectMeta` of k8s-openapi, and conversions to and from its types; includes `serde` |
//! | `validation` | `validate` and `validate_update` for every root type, as a server answers: module `validation`; includes `serde` |
//! | `schemars` | `JsonSchema` for `#[api]` types, and fields of types of other crates that implement it: `#[api(foreign)]` |
//!
//! Invariants: light: without features, the only dependencies are descriptors, the marker table and the macro.
#![deny(missing_docs)]
// The macro writes `::crd_channels::…`, also for the base types in here.
extern crate self as crd_channels;

pub mod base;
pub mod check;
mod conditions;
#[cfg(feature = "kube")]
pub mod conversions;
#[cfg(any(feature = "kube", feature = "validation"))]
pub mod definition;
#[doc(hidden)]
pub mod exports;
#[cfg(feature = "schemars")]
pub mod foreign;
#[cfg(feature = "schemars")]
pub mod json_schema;
#[cfg(feature = "serde")]
pub mod strict;
#[cfg(feature = "validation")]
pub mod validation;
#[cfg(feature = "serde")]
pub mod variants;
#[cfg(feature = "serde")]
pub mod wire;

pub use crd_macros::{api, resources};
pub use crd_markers::{Constant, ConstantKind, deferred, descriptor, facts, json, rule, typed};
pub use crd_names::{Channel, ChannelSet, channel};

pub use base::*;
pub use descriptor::{
    Field, Location, Presence, ResourceDescriptor, Shape, Tombstone, TypeDescriptor, TypeRef, Variant,
};
pub use typed::{Described, Resource, Typed};
