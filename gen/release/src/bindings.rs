//! The bindings of a release: archives of the Go module, the JSON schemas and the OpenAPI documents, and the schemas in a folder of `dist/` too.
//!
//! Invariants: an archive unpacks to the paths of its files.

use std::collections::BTreeMap;

use crd_bundle::Released;

use crate::Artefact;
use crate::archive::{Entry, tar_gz};
use crate::template::TemplateError;

/// The archive of the JSON schemas.
pub const SCHEMAS: &str = "crd-schemas.tar.gz";
/// Their folder, in the archive too.
pub const FOLDER: &str = "schemas";
/// The archive of the Go module.
pub const GO: &str = "go-module.tar.gz";
/// The archive of the OpenAPI documents.
pub const OPENAPI: &str = "openapi.tar.gz";

/// Each archive: its name, the folder in it, and what it is.
pub(crate) const ARCHIVES: [(&str, &str, &str); 3] = [
    (SCHEMAS, FOLDER, "JSON schemas for editors, kubeconform and Flux"),
    (GO, "go", "the types as a Go module"),
    (OPENAPI, "openapi", "OpenAPI documents for generators of clients"),
];

/// The archive of that name with these files.
///
/// # Errors
/// A path that no archive takes.
pub fn archive(name: &str, files: &BTreeMap<String, String>, released: Released) -> Result<Artefact, TemplateError> {
    let folder = ARCHIVES.iter().find(|(archive, ..)| *archive == name).map_or("", |(_, folder, _)| folder);
    let entries = files.iter().map(|(path, text)| Entry::new(format!("{folder}/{path}"), &**text));
    let bytes = tar_gz(&entries.collect::<Vec<_>>(), released).map_err(|refused| refused.of(name))?;
    Ok(Artefact { name: name.to_owned(), bytes })
}
