//! Lenses between old and new forms of custom resources, and what applies them.
//!
//! Knows nothing of `crd-markers`, `crd-diagnostics`, `crd-apiserver` or `crd-bundle`.
//!
//! "Designers MUST define how controllers should manage conversion for every semantic breaking change" ("API versioning guide" of Gateway API,
//! required by GEP-922). A [`Lens`] is such a definition as data. Controllers read the lenses from `conversions.json` and convert objects of
//! any age to the current form in memory.
//!
//! ```
//! use crd_convert::{Conversions, Document};
//! use serde_json::json;
//!
//! let document = json!({
//!     "schemaVersion": 1,
//!     "generator": "example",
//!     "prefix": "example.com",
//!     "lenses": [{
//!         "name": "tls-to-validation",
//!         "resource": "policies.example.com",
//!         "group": "example.com",
//!         "kind": "Policy",
//!         "since": "v1.1.0",
//!         "steps": [{"operation": "rename", "from": "spec.tls", "to": "spec.validation"}]
//!     }]
//! });
//! let conversions = Conversions::new(&Document::from_value(&document).unwrap()).unwrap();
//! let mut object = json!({"apiVersion": "example.com/v1", "kind": "Policy", "spec": {"tls": {"hostname": "a"}}});
//! assert_eq!(conversions.forward(&mut object).unwrap(), ["tls-to-validation"]);
//! assert_eq!(object["spec"], json!({"validation": {"hostname": "a"}}));
//! ```
//!
//! Invariants:
//! * Old and new forms are recognised from the object alone, never from a stored version.
//! * An object that fails is left as it is. No input panics. Recursion is limited: objects have at most [`DEEPEST`] levels, paths at most
//!   [`path::LONGEST`] parts.
//! * The same input gives the same output. No clock, file system or network.
#![deny(missing_docs)]

mod canonical;
mod conversions;
mod data;
mod document;
mod dropped;
mod example;
mod items;
mod lens;
mod operation;
pub mod path;
mod recognise;
mod step;

pub use canonical::DEEPEST;
pub use conversions::{Canonical, Conversions, ConvertedBack, ConvertedForward, Failure, LeftOut, NotReturned};
pub use crd_model::BundleVersion;
pub use data::{DATA_SCHEMA, LARGEST_ANNOTATIONS};
pub use document::{Document, DocumentError, FILE_NAME, Removed, SCHEMA, SCHEMA_VERSION};
pub use dropped::ReturnedDropped;
pub use example::Example;
pub use lens::{Identity, Lens, Step};
pub use operation::{Code, Operation, OperationKind, Places, TextForm};
pub use path::{Path, PathError, Segment};
pub use recognise::CurrentForm;
