//! `metadata-annotations`: annotations have keys that Kubernetes allows, and all of them together at most 262,144
//! bytes.
//!
//! Upper case counts as lower case in the part before the `/`, unlike in labels. The annotation that client-side
//! `kubectl apply` adds counts too, but is not in the document.

use super::{Examined, Report};
use crate::names::label_key_problem;
use crd_model::crd::ANNOTATIONS_LIMIT;

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    let annotations = &examined.crd.annotations;
    for key in annotations.keys() {
        if let Some(problem) = label_key_problem(&key.to_lowercase()) {
            report.document("metadata.annotations", format!("{key:?} is not an annotation key: {problem}"));
        }
    }
    let size: usize = annotations.iter().map(|(key, value)| key.len() + value.len()).sum();
    if size > ANNOTATIONS_LIMIT {
        let message =
            format!("the annotations have {size} bytes; all keys and values together may have {ANNOTATIONS_LIMIT}");
        report.document("metadata.annotations", message);
    }
}
