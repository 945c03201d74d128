//! The structure of a CRD: what the history archive keeps, and what releases with and without texts are compared by.

use crd_model::CustomResourceDefinition;
use crd_model::schema::Text;

use crate::{BUNDLE_VERSION, CHANNEL};

/// A CRD without the text that only people read, and without stamps: what the archive keeps. Messages of CEL rules stay, because they are part
/// of the rules.
#[must_use]
pub fn structure(crd: &CustomResourceDefinition) -> CustomResourceDefinition {
    let mut crd = crd.clone();
    let is_stamp = |key: &Text| {
        let names = [BUNDLE_VERSION, CHANNEL];
        names.iter().any(|name| key.strip_suffix(name).is_some_and(|prefix| prefix.ends_with('/')))
    };
    crd.annotations.retain(|key, _| !is_stamp(key));
    for version in &mut crd.versions {
        version.deprecation_warning = None;
        for column in &mut version.columns {
            column.description = None;
        }
        version.schema.each_mut(&mut |schema| {
            schema.description = None;
            schema.title = None;
            schema.example = None;
            schema.external_docs = None;
        });
    }
    crd
}
