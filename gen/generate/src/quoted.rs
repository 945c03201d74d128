//! Advice about patterns in single quotes.
//!
//! Double quotes and backticks delimit the value of a marker; single quotes are a part of it, as in controller-gen. A pattern that begins and
//! ends with one accepts only texts with quotes, which is hardly ever meant.

use std::collections::BTreeMap;

use crd_diagnostics::Diagnostic;
use crd_markers::rule::Rule;

use crate::assemble::AnnotatedResource;
use crate::problem::at;

/// A warning for each marker with such a pattern in the types of the resources.
pub fn quoted_patterns(resources: &[AnnotatedResource]) -> Vec<Diagnostic> {
    let mut warnings = BTreeMap::new();
    for (_, root) in resources.iter().flat_map(AnnotatedResource::roots) {
        root.each(&mut |node| {
            for applied in node.markers() {
                let Rule::Pattern(pattern) = applied.marker.rule else { continue };
                let inner = pattern.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                let Some(inner) = inner else { continue };
                let message = format!("the pattern `{pattern}` contains its single quotes");
                let warning = at(Diagnostic::warning("types::quoted-pattern", message), applied.location())
                    .of_rust(applied.owner.name, applied.field.map(|field| field.name.to_owned()))
                    .help(format!("write `{inner}` in backticks or double quotes"));
                warnings.insert((applied.location(), pattern), warning);
            }
        });
    }
    warnings.into_values().collect()
}
