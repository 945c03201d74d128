//! What the scale subresource refuses in the objects themselves: counts of replicas beyond 32 bits or below 0, and a selector that is not a text.
//!
//! A server checks this in every request that writes an object, not only in requests for `/scale`.
//!
//! Invariants: a field that is limited by the schema of either side is left out. A path leads as far as both schemas have it.

use crd_inclusion::{Position, Presence, Step};
use crd_model::Schema;
use crd_model::crd::{Scale, Version};
use serde_json::Number;

/// What a field must contain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Count,
    Text,
}

/// The fields that only one version's scale subresource reads, where the schema accepts more than servers do.
pub(crate) fn scaled<'a>(old: &'a Version, new: &'a Version) -> Vec<(Presence<&'a str>, Position<'a>)> {
    let [before, after] = [old, new].map(fields);
    let removed =
        before.iter().filter(|field| !after.contains(field)).map(|field| (Presence::Removed(field.0), field.1));
    let added = after.iter().filter(|field| !before.contains(field)).map(|field| (Presence::Added(field.0), field.1));
    let located = |(presence, content): (Presence<&'a str>, Content)| {
        Some((presence, unlimited(presence.value(), content, &old.schema, &new.schema)?))
    };
    removed.chain(added).filter_map(located).collect()
}

/// The paths of the counts that the scale subresource of a version reads.
pub(crate) fn counts(version: &Version) -> Vec<&str> {
    fields(version).into_iter().filter(|(_, content)| *content == Content::Count).map(|(path, _)| path).collect()
}

/// The paths of the fields that the scale subresource of a version reads.
fn fields(version: &Version) -> Vec<(&str, Content)> {
    let Some(Scale { label_selector_path, spec_replicas_path, status_replicas_path }) =
        version.subresources.as_ref().and_then(|subresources| subresources.scale.as_ref())
    else {
        return Vec::new();
    };
    let counts = [spec_replicas_path, status_replicas_path].map(|path| (&**path, Content::Count));
    counts.into_iter().chain(label_selector_path.as_deref().map(|path| (path, Content::Text))).collect()
}

/// Where the value of a path is, unless each value there is one that servers accept.
fn unlimited<'a>(path: &'a str, content: Content, old: &'a Schema, new: &'a Schema) -> Option<Position<'a>> {
    let (mut steps, mut old_nodes, mut new_nodes) = (Vec::new(), vec![old], vec![new]);
    for name in path.strip_prefix('.').unwrap_or(path).split('.') {
        let [above, new_above] = [&old_nodes, &new_nodes].map(|nodes| nodes[nodes.len() - 1]);
        match (above.properties.get(name), new_above.properties.get(name)) {
            (Some(old), Some(new)) => {
                steps.push(Step::Field(name));
                old_nodes.push(old);
                new_nodes.push(new);
            }
            // Elsewhere a value of this name is dropped.
            _ if keeps(above) && keeps(new_above) => return Some(Position::new(steps, old_nodes, new_nodes)),
            _ => return None,
        }
    }
    let is_limited = [&old_nodes, &new_nodes].into_iter().any(|nodes| is_limited(nodes[nodes.len() - 1], content));
    (!is_limited).then(|| Position::new(steps, old_nodes, new_nodes))
}

/// Whether a node keeps values of names that it does not list.
fn keeps(node: &Schema) -> bool {
    node.preserve_unknown_fields == Some(true) || node.additional_properties.is_some()
}

/// Whether a node accepts only what servers accept in a field like this.
fn is_limited(node: &Schema, content: Content) -> bool {
    let is = |kind| node.kind.as_deref() == Some(kind) && !node.int_or_string && !node.nullable;
    let at = |limit: &Option<Number>| limit.as_ref().and_then(Number::as_f64);
    match content {
        Content::Text => is("string"),
        Content::Count => {
            let is_small = node.format.as_deref() == Some("int32");
            let least = at(&node.minimum).is_some_and(|least| least >= if node.exclusive_minimum { -1.0 } else { 0.0 });
            let most = at(&node.maximum).is_some_and(|most| most <= f64::from(i32::MAX));
            is("integer") && least && (most || is_small)
        }
    }
}
