//! Data of CustomResourceDefinitions: [`Schema`], [`CustomResourceDefinition`], and YAML in and out.
//!
//! Knows nothing of `crd-markers`, `crd-cel`, `crd-apiserver` or `crd-diagnostics`.
//!
//! Invariants: pure functions over values; the same document gives the same bytes; nothing here decides whether a document is valid.
//!
//! ```
//! use crd_model::Schema;
//! use crd_model::yaml::{Start, YamlWriter, read};
//!
//! let value = read("type: object\nproperties: {size: {type: integer}}").unwrap().remove(0);
//! let schema = Schema::from_value(&value).unwrap();
//! assert_eq!(schema.properties.get("size").unwrap().kind.as_deref(), Some("integer"));
//! let mut writer = YamlWriter::new(Start::None);
//! schema.send(&mut writer);
//! assert_eq!(writer.finish(), "properties:\n  size:\n    type: integer\ntype: object\n");
//! ```

pub mod base64;
pub mod constants;
pub mod crd;
pub mod document;
mod entries;
pub mod fit;
pub mod graduation;
pub mod identity;
pub mod inventory;
pub mod parallel;
pub mod path;
pub mod policy;
pub mod profile;
pub mod schema;
pub mod version;
pub mod webhook;
pub mod word;
pub mod yaml;

pub use crd::{Channels, CustomResourceDefinition};
pub use crd_names::channel::{self, Channel};
pub use profile::Profile;
pub use schema::{Properties, Schema};
pub use version::{BundleStamp, BundleVersion};
