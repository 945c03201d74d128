//! `selectable-fields-across-versions`: versions with selectable fields agree in schema and selectable fields, or in
//! neither.
//!
//! A server keeps what all versions have in common in one place and the rest in each version, and demands that
//! selectable fields are next to their schema. So where all versions have the same selectable fields but not the same
//! schema, or the same schema but not the same selectable fields, it refuses the document. A limitation of the server
//! (seen in 1.32 to 1.37); an annotation of the schema that differs, such as a description, gets around it.

use super::{Examined, Report};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    let versions = &examined.crd.versions;
    if versions.iter().all(|version| version.selectable_fields.is_empty()) {
        return;
    }
    let same_schema = versions.windows(2).all(|pair| pair[0].schema == pair[1].schema);
    let same_fields = versions.windows(2).all(|pair| pair[0].selectable_fields == pair[1].selectable_fields);
    let message = match (same_schema, same_fields) {
        (true, false) => "all versions have the same schema but not the same selectable fields",
        (false, true) => "all versions have the same selectable fields but not the same schema",
        _ => return,
    };
    let message =
        format!("{message}; servers can only keep both for all versions or both for each. Let both differ, or neither");
    report.document("spec.versions", message);
}
