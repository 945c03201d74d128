//! `list-kind`: kind and list kind differ, so that objects and lists are distinct.

use super::{Examined, Report};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    let names = &examined.crd.names;
    if !names.kind.is_empty() && names.list_kind.as_ref() == Some(&names.kind) {
        let message =
            format!("the list kind is the kind, {}; leave it out and it becomes {}List", names.kind, names.kind);
        report.document("spec.names.listKind", message);
    }
}
