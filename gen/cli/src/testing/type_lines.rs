//! The lines of annotated types.

use crd_diagnostics::SourceLine;
use crd_generate::{AnnotatedResource, source_line};
use crd_model::schema::Schema;
use crd_suite::TypeLines;

/// The lines of these resources.
pub(super) struct LinesOfTypes<'t>(pub(super) &'t [AnnotatedResource]);

impl LinesOfTypes<'_> {
    fn resource(&self, crd: &str) -> Option<&AnnotatedResource> {
        self.0.iter().find(|resource| resource.crd_name() == crd)
    }
}

impl TypeLines for LinesOfTypes<'_> {
    fn line(&self, crd: &str, version: &str, path: &str) -> Option<SourceLine> {
        Some(source_line(self.resource(crd)?.origin(version, path)?.location))
    }

    fn declarations(&self, crd: &str, version: &str, path: &str) -> Vec<(Schema, SourceLine)> {
        let declared = self.resource(crd).map(|resource| resource.declarations(version, path)).unwrap_or_default();
        declared.into_iter().map(|(schema, location)| (schema, source_line(location))).collect()
    }
}
