//! Label selectors, as Kubernetes evaluates them.

use std::collections::BTreeMap;

use crd_channels::{LabelSelector, LabelSelectorRequirement};

/// Whether labels match a selector; nothing if the selector has an operator that is not known. A selector without requirements matches
/// everything.
pub(crate) fn matches(selector: &LabelSelector, labels: &BTreeMap<String, String>) -> Option<bool> {
    let is_equal = |(key, value): (&String, &String)| labels.get(key) == Some(value);
    let are_equal = selector.match_labels.iter().flatten().all(is_equal);
    let expressions = selector.match_expressions.iter().flatten();
    expressions.map(|requirement| holds(requirement, labels)).try_fold(are_equal, |all, holds| Some(all && holds?))
}

fn holds(requirement: &LabelSelectorRequirement, labels: &BTreeMap<String, String>) -> Option<bool> {
    let value = labels.get(&requirement.key);
    let is_listed = value.is_some_and(|value| requirement.values.iter().flatten().any(|listed| listed == value));
    match &*requirement.operator {
        "In" => Some(is_listed),
        // A missing label is not in the list.
        "NotIn" => Some(!is_listed),
        "Exists" => Some(value.is_some()),
        "DoesNotExist" => Some(value.is_none()),
        _ => None,
    }
}
