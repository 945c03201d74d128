//! Where the Rust types of CRDs are written. CRDs of files have none.

use crd_diagnostics::SourceLine;
use crd_model::schema::Schema;

/// The lines of types. A line is a file and its number; a path is that of objects in a version of a CRD, and empty for the version itself.
pub trait TypeLines {
    /// The line of the field or type at a path.
    fn line(&self, crd: &str, version: &str, path: &str) -> Option<SourceLine>;

    /// What the types declare at a path: each marker and enum value, with the schema that it alone makes and its line.
    fn declarations(&self, crd: &str, version: &str, path: &str) -> Vec<(Schema, SourceLine)>;
}
