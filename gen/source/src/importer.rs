//! From published CRDs to annotated Rust types: the CRDs of one channel or two become one source, from which `generate` writes CRDs of the
//! same structure. Also edits of such sources, see [`without_marks`].
//!
//! Invariants: pure functions over values; the same CRDs give the same text. Whatever the types do not express is a [`Difference`]. Each marker
//! that is written was parsed again and has the same value. Equal types of several versions and kinds are one type.
//!
//! ```
//! use crd_model::{CustomResourceDefinition, Profile, yaml};
//! use crd_source::importer::{Published, source};
//!
//! let text = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: lamps.example.com},
//!     spec: {group: example.com, names: {kind: Lamp, plural: lamps}, scope: Namespaced, versions: [{name: v1, served: true, storage: true,
//!     schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {lumens: {type: integer}}}}}}}]}}";
//! let crd = CustomResourceDefinition::from_value(&yaml::read(text).unwrap()[0]).unwrap();
//! let source = source(&Published::one_channel(vec![crd]), Profile::Semver);
//! let file = source.files.iter().find(|file| file.path == "v1/lamp.rs").unwrap();
//! assert!(file.text.contains("pub lumens: Option<isize>,"), "{}", file.text);
//! ```

mod accepted;
mod description;
mod difference;
mod edit;
mod facet;
mod item;
mod marker;
mod node;
mod place;
mod published;
mod resource;
mod shape;
mod sides;
mod text;

pub use difference::Difference;
pub use edit::{EditError, Language, LineEdit, SourceMark, edited, without_marks};
pub use published::{Published, ResourceType, Source, SourceFile, TypePlace};
pub use resource::source;
