//! `names-missing`: a resource has a plural and a kind.
//!
//! The server makes up the singular (the kind in lower case) and the list kind (the kind and `List`) where they are
//! missing.

use super::{Examined, Report};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    let names = &examined.crd.names;
    for (field, value) in [("plural", &names.plural), ("kind", &names.kind)] {
        if value.is_empty() {
            report.document(
                format!("spec.names.{field}"),
                format!("`{field}` is missing; clients could not request the resource"),
            );
        }
    }
}
