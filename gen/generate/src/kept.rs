//! Advice about flattened maps.
//!
//! A struct with `#[serde(flatten)] rest: BTreeMap<String, AnyJson>` has fields that it does not declare. Its schema is
//! `x-kubernetes-preserve-unknown-fields`: servers keep each unknown field, a misspelt one too, and check none of them.

use std::collections::BTreeMap;

use crd_diagnostics::Diagnostic;

use crate::assemble::AnnotatedResource;
use crate::problem::at;

/// A warning for each flattened map in the types of the resources.
pub fn flattened_maps(resources: &[AnnotatedResource]) -> Vec<Diagnostic> {
    let mut warnings = BTreeMap::new();
    for (_, root) in resources.iter().flat_map(AnnotatedResource::roots) {
        root.each(&mut |node| {
            for applied in node.markers() {
                let Some(field) = applied.flattened_map() else { continue };
                let message =
                    "servers keep every unknown field of this object, also a misspelt one, and check none of them";
                let warning = at(Diagnostic::warning("types::flattened-map", message), applied.location())
                    .of_rust(applied.owner.name, Some(field.name.to_owned()))
                    .help("make the map a field of its own, or declare the fields, so that servers check them");
                warnings.insert(applied.location(), warning);
            }
        });
    }
    warnings.into_values().collect()
}
