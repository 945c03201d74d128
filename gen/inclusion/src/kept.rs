//! Whether entries that a node keeps now, and dropped before, can refuse objects: something around them counts or compares them.

use crd_cel::escape;
use crd_model::Schema;

use crate::defaults::is_part_read;
use crate::position::Step;

/// Whether a constraint at the last node or around it may refuse a value for its unlisted entries. More of them make the items of a list more
/// different, and reach a minimum of entries earlier.
pub(crate) fn may_refuse(nodes: &[&Schema], steps: &[Step<'_>]) -> bool {
    let Some((node, around)) = nodes.split_last() else { return false };
    let mut names = Vec::new();
    let is_read =
        |node: &Schema, names: &[_]| node.validations.iter().any(|rule| is_part_read(node, names, &rule.rule));
    let is_counted = node.max_properties.is_some() || branches(node).any(|branch| sees_entries(branch, node));
    if is_counted || is_listed(node) || is_read(node, &names) {
        return true;
    }
    around.iter().zip(steps).rev().any(|(above, step)| {
        if let Step::Field(name) = step {
            names.extend(escape(name));
        }
        is_listed(above) || branches(above).any(|branch| sees_below(branch, step)) || is_read(above, &names)
    })
}

fn is_listed(node: &Schema) -> bool {
    node.enumeration.as_ref().is_some_and(|values| !values.is_empty())
}

fn branches(node: &Schema) -> impl Iterator<Item = &Schema> {
    node.all_of.iter().chain(&node.any_of).chain(&node.one_of).chain(node.not.as_deref())
}

/// Whether a branch counts or compares the entries of a node, or is about one that the node does not list.
fn sees_entries(branch: &Schema, node: &Schema) -> bool {
    branch.max_properties.is_some()
        || branch.min_properties.is_some()
        || is_listed(branch)
        || branch.required.iter().any(|name| node.properties.get(name).is_none())
        || !branch.validations.is_empty()
        || branches(branch).any(|branch| sees_entries(branch, node))
}

/// Whether a branch is about the value at a step below its node.
fn sees_below(branch: &Schema, step: &Step<'_>) -> bool {
    let is_there = match step {
        Step::Field(_) => step.below(branch).is_some(),
        Step::Item | Step::Value => branch.items.is_some() || branch.additional_properties.is_some(),
    };
    is_there
        || is_listed(branch)
        || !branch.validations.is_empty()
        || branches(branch).any(|branch| sees_below(branch, step))
}
