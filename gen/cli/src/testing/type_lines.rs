//! The lines of annotated types.

use crd_generate::AnnotatedResource;
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
    fn line(&self, crd: &str, version: &str, path: &str) -> Option<(String, usize)> {
        let location = self.resource(crd)?.origin(version, path)?.location;
        Some((location.file.to_owned(), location.line as usize))
    }

    fn declarations(&self, crd: &str, version: &str, path: &str) -> Vec<(Schema, (String, usize))> {
        let declared = self.resource(crd).map(|resource| resource.declarations(version, path)).unwrap_or_default();
        let declared = declared.into_iter();
        declared.map(|(schema, location)| (schema, (location.file.to_owned(), location.line as usize))).collect()
    }
}
