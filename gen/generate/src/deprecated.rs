//! Advice about marker names that controller-gen deprecates.
//!
//! Invariant: one warning for each name, with the lines of all its markers.

use std::collections::BTreeMap;

use crd_diagnostics::{Diagnostic, Related};
use crd_markers::descriptor::Presence;
use crd_markers::rule::Rule;
use crd_markers::table::{MARKERS, Meaning, RuleKind};

use crate::annotated::Applied;
use crate::assemble::AnnotatedResource;
use crate::problem::at;

/// A warning for each deprecated name in the types of the resources.
pub fn deprecated_names(resources: &[AnnotatedResource]) -> Vec<Diagnostic> {
    let mut locations: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    let of_rust = resources.iter().filter(|resource| !resource.is_written());
    for (_, root) in of_rust.flat_map(AnnotatedResource::roots) {
        root.each(&mut |node| {
            for applied in node.markers().filter(|applied| applied.marker.rule == Rule::DeprecatedName) {
                if let Some((old, new)) = names(applied) {
                    locations.entry((old, new)).or_default().insert(applied.location(), *applied);
                }
            }
        });
    }
    let warnings = locations.into_iter().map(|((old, new), markers)| {
        let mut warnings = markers.into_iter().map(|(location, applied)| {
            let warning = Diagnostic::warning("types::deprecated-marker", format!("`+{old}` is deprecated"));
            at(warning, location).of_rust(applied.owner.name, applied.field.map(|field| field.name.to_owned()))
        });
        let mut first = warnings.next()?;
        let related = warnings.map(|warning| Related { message: String::new(), location: *warning.location });
        first.related.extend(related);
        Some(first.help(format!("write `+{new}`, or remove the marker: the Rust type states the same")))
    });
    warnings.flatten().collect()
}

/// The deprecated name of a marker about presence, and the name that replaces it.
fn names(applied: &Applied) -> Option<(&'static str, &'static str)> {
    let meaning = match applied.field?.presence {
        Presence::Required => Meaning::Required,
        Presence::Optional => Meaning::Optional,
    };
    let mut rows = MARKERS.iter().filter(|spec| spec.meaning == meaning);
    let new = rows.next()?;
    let old = rows.find(|spec| spec.rule() == Some(RuleKind::DeprecatedName))?;
    Some((old.name, new.name))
}
