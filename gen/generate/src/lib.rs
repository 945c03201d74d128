//! From type descriptors to CustomResourceDefinitions: descriptors → annotated schema → projection to a channel → CRD.
//!
//! Knows nothing of `crd-syntax`, `crd-source`, `crd-bundle` or `crd-compat`.
//!
//! Invariants: pure functions over values; the same input gives the same bytes; all errors are reported together, each with type, field and
//! reason; projection is the only place where a channel removes anything.
//!
//! ```
//! use crd_channels::{Channel, ObjectMeta, api};
//! use crd_generate::settings::Settings;
//! use crd_generate::{Catalogue, generate};
//!
//! /// A thing.
//! #[api(group = "example.com", version = "v1", kind = "Thing")]
//! pub struct Thing {
//!     pub metadata: ObjectMeta,
//!     pub spec: Spec,
//! }
//!
//! #[api]
//! pub struct Spec {
//!     pub size: Option<i32>,
//!     /// +experimental
//!     pub colour: Option<String>,
//! }
//!
//! let settings = Settings::new("example.com", "v1.0.0".parse().unwrap());
//! let catalogue = Catalogue::new(settings).resource::<Thing>();
//! for (channel, has_colour) in [(Channel::Standard, false), (Channel::Experimental, true)] {
//!     let crds = generate(&catalogue, channel).unwrap();
//!     let spec = crds[0].versions[0].schema.properties.get("spec").unwrap();
//!     assert_eq!(spec.properties.get("colour").is_some(), has_colour);
//! }
//! ```

mod annotated;
mod assemble;
mod catalogue;
mod constant;
mod deprecated;
mod features;
mod foreign;
mod graduated;
mod kept;
mod lenses;
mod marks;
mod merge;
mod problem;
mod project;
mod projection;
mod quoted;
pub mod settings;
mod size;
mod unpublished;
pub mod written;

pub use annotated::{DeclaredTombstone, Origin};
pub use assemble::{AnnotatedResource, InChannels, annotated, generate, schema_by, schema_of};
pub use catalogue::{Catalogue, CodePart, Computations, Export, ExportedConstants};
pub use crd_model::policy::Policy;
pub use crd_model::webhook::Webhook;
pub use deprecated::deprecated_names;
pub use kept::flattened_maps;
pub use marks::{DeclaredException, DeclaredFeature, ExperimentalMark, MarkKind};
pub use problem::{PAGES, at, merged, source_line};
pub use projection::{BundleFile, DeclaredLenses, Projection};
pub use quoted::quoted_patterns;
pub use written::WrittenCrds;
