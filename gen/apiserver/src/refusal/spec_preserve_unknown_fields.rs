//! `spec-preserve-unknown-fields`: a CRD of `apiextensions.k8s.io/v1` drops unknown fields.
//!
//! A node that keeps them has `x-kubernetes-preserve-unknown-fields` in its schema.

use super::{Examined, Report};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    if examined.crd.preserve_unknown_fields == Some(true) {
        let message =
            "this cannot be true; set `x-kubernetes-preserve-unknown-fields` on the nodes that keep unknown fields";
        report.document("spec.preserveUnknownFields", message);
    }
}
