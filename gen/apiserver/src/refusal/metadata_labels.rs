//! `metadata-labels`: the labels of the document have keys and values that Kubernetes allows.

use super::{Examined, Report};
use crate::names::{label_key_problem, label_value_problem};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    for (key, value) in &examined.crd.labels {
        if let Some(problem) = label_key_problem(key) {
            report.document("metadata.labels", format!("{key:?} is not a label key: {problem}"));
        }
        if let Some(problem) = label_value_problem(value) {
            report.document("metadata.labels", format!("{value:?} is not a value for the label {key}: {problem}"));
        }
    }
}
