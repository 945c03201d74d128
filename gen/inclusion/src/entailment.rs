//! Whether every value of one schema satisfies a keyword of another, by cases.
//!
//! Keywords, `required` and branches are claims over atoms: that a field has a value, that the value is null, that it satisfies one keyword. A
//! claim of the other schema is proven if no case of the atoms satisfies what the first schema claims and not this one.
//!
//! Invariants: a yes is proven, for values as the other schema stores them. An atom of both schemas is one atom only where both store the
//! same value. A part that has no atoms here is one atom, equal only to itself.

mod claims;

use std::borrow::Cow;
use std::sync::PoisonError;

use crd_model::Schema;

use crate::difference::Difference;
use crate::edit::Side;
use crate::position::Position;
use claims::Pair;
pub(crate) use claims::is_taken_apart;

/// How much work all proofs of a comparison may take, in evaluated nodes.
pub(crate) const WORK: usize = 4_000_000;

/// The keyword of a difference, as the node has it; empty if the node does not have it, none if it is about something else.
pub(crate) fn keyword_of(difference: &Difference<'_>, node: &Schema) -> Option<Schema> {
    let mut keyword = Schema::default();
    match difference {
        Difference::EnumValue(_) => keyword.enumeration = node.enumeration.clone(),
        Difference::Required(name) => {
            keyword.required = node.required.iter().filter(|known| **known == **name.value()).cloned().collect();
        }
        _ => return difference.copy_keyword(node, &mut keyword).then_some(keyword),
    }
    Some(keyword)
}

/// The node below some fields.
fn at<'n>(node: &'n Schema, path: &[&str]) -> Option<&'n Schema> {
    path.iter().try_fold(node, |node, name| node.properties.get(name))
}

pub(crate) fn has_branches(node: &Schema) -> bool {
    node.not.is_some() || [&node.all_of, &node.any_of, &node.one_of].iter().any(|branches| !branches.is_empty())
}

/// Whether the second schema certainly accepts every value that the first accepts, by the keywords alone.
pub(crate) type Includes = fn(&Schema, &Schema) -> bool;

/// Whether every value of the other side satisfies this keyword of a node of this side.
pub(crate) fn satisfies(keyword: &Schema, side: Side, position: &Position<'_>, includes: Includes) -> bool {
    let [from, to] = match side {
        Side::New => [&position.old_nodes, &position.new_nodes],
        Side::Old => [&position.new_nodes, &position.old_nodes],
    };
    // The fields below the top, or below the last item or map value.
    let root = position.steps.iter().rposition(|step| step.name().is_none()).map_or(0, |each| each + 1);
    let list = root.checked_sub(1).and_then(|list| Some([*from.get(list)?, *to.get(list)?]));
    // Items of such a list keep what their own schema does not list.
    if list.is_some_and(|lists| lists.iter().any(|list| list.preserve_unknown_fields == Some(true))) {
        return false;
    }
    let of_items = list.iter().flat_map(|[list, _]| &list.all_of).filter_map(|branch| branch.items.as_deref());
    let of_items = of_items.cloned().collect::<Vec<_>>();
    // The branches next to the keyword may state it alone; with those of all nodes around it, there may be too many cases.
    let nearest = (root..from.len()).rev().find(|node| has_branches(from[*node]));
    if !has_branches(keyword) && of_items.is_empty() && nearest.is_none() {
        return false;
    }
    let roots = nearest.filter(|nearest| *nearest > root).into_iter().chain([root]);
    roots.into_iter().any(|top| {
        let of_items = if top == root { &of_items[..] } else { &[] };
        is_claimed(keyword, [from, to], of_items, top, position, includes)
    })
}

/// The same by what the nodes from this one on claim, and the branches for items in the list around it.
fn is_claimed(
    keyword: &Schema,
    [from, to]: [&[&Schema]; 2],
    of_items: &[Schema],
    root: usize,
    position: &Position<'_>,
    includes: Includes,
) -> bool {
    let Some(steps) = position.steps.get(root..) else { return false };
    let names = steps.iter().map(|step| step.name().copied().unwrap_or_default());
    let path = names.collect::<Vec<_>>();
    let (Some(first), Some(second)) = (from.get(root), to.get(root)) else { return false };
    // A renamed field has its values under the old name.
    if at(first, &path).zip(from.last()).is_none_or(|(found, node)| !std::ptr::eq(found, *node)) {
        return false;
    }
    let is_known = |names: &[&str]| position.is_known_elsewhere(root, names);
    let mut first = Cow::Borrowed(*first);
    if !of_items.is_empty() {
        first.to_mut().all_of.extend_from_slice(of_items);
    }
    let pair = Pair { first: &first, second, is_top: root == 0, is_known: &is_known, includes };
    let mut work = position.shared.work.lock().unwrap_or_else(PoisonError::into_inner);
    pair.proves(keyword, &path, work.get_or_insert(WORK))
}
