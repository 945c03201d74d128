//! `list-type`: how lists and maps are merged.
//!
//! List type, list-map keys, and the map type of maps and structs. Writing out what a server fills in is not a change. Within a list or object that
//! is atomic on both sides, map types are `words`, and list types are `tightened` or `loosened`.

use crd_inclusion::{Difference, Direction, Edit, Position};
use crd_model::Schema;

use crate::policy::{Cell, Cells, Column};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section, loosened, tightened, words};

pub(crate) const RULE: Rule = Rule {
    id: "list-type",
    row: "list-type",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])).semver(Cell::of(&[Major, Minor])),
    one: "list or map merged differently",
    many: "lists or maps merged differently",
    section: Section::Changed,
    summary: "The type of a list, a map or a struct, or the keys of a list, was changed.",
    explanation: "\
        It decides what server-side apply merges, which manager owns which part, and for lists which \
        duplicates are refused. An absent list type equals atomic, and an absent map type equals granular. \
        Server-side apply does not look into a list or object that is atomic: there, a map type has no \
        effect, and a list type only decides which duplicates are refused. In the profile `semver`, the map \
        type of an object with one plain field needs a minor release: its writers conflict in both forms.",
    example: "\
        old: { field: { type: array, items: { type: string } } }\n\
        new: { field: { type: array, items: { type: string }, x-kubernetes-list-type: set } }",
};

/// How the list type was changed. From an atomic list, duplicates are refused; rules compare lists by their type.
pub(crate) fn list_type(difference: &Difference<'_>, edit: &Edit<&str>, position: &Position<'_>) -> Assessment {
    let direction = match edit {
        Edit::Added(_) => Direction::Tightened,
        Edit::Removed(_) => Direction::Loosened,
        Edit::Replaced { .. } => Direction::Neither,
    };
    let message = "the list type was changed: this changes how server-side apply merges the list and which duplicates are rejected";
    assess(difference, direction, message, position)
}

/// More keys distinguish more entries.
pub(crate) fn list_map_keys(difference: &Difference<'_>, is_addition: bool, position: &Position<'_>) -> Assessment {
    let direction = if is_addition { Direction::Loosened } else { Direction::Tightened };
    let message = "the keys of the list were changed: server-side apply identifies entries differently";
    assess(difference, direction, message, position)
}

/// Where server-side apply does not look into the list, only the duplicates count.
fn assess(difference: &Difference<'_>, direction: Direction, message: &str, position: &Position<'_>) -> Assessment {
    let nodes = || position.old_nodes.iter().chain(&position.new_nodes);
    match direction {
        Direction::Tightened if is_within_atomic(position) => tightened::assess(difference),
        Direction::Loosened if is_within_atomic(position) && nodes().all(|node| node.validations.is_empty()) => {
            loosened::assess(difference)
        }
        _ => Assessment::new(&RULE, message).directed(direction),
    }
}

pub(crate) fn map_type(position: &Position<'_>, column: Column) -> Assessment {
    if is_within_atomic(position) {
        return words::text(
            "the map type was changed, and server-side apply does not look into the atomic value around it",
        );
    }
    let assessment =
        Assessment::new(&RULE, "the map type was changed: this changes how server-side apply merges the map")
            .directed(Direction::Neither);
    let nodes = [position.old_node(), position.new_node()];
    match nodes.into_iter().all(|node| node.is_some_and(has_one_part)) {
        true => Assessment { required_bump: RULE.cells.cell(column).bumps.last().copied(), ..assessment },
        false => assessment,
    }
}

/// Whether a list or object around a node is atomic on both sides.
fn is_within_atomic(position: &Position<'_>) -> bool {
    let is_atomic = |node: &Schema| {
        let is_atomic_list = node.list_type.as_deref().is_none_or(|list_type| list_type == "atomic");
        node.kind.as_deref() == Some("array") && is_atomic_list || node.map_type.as_deref() == Some("atomic")
    };
    let mut around = position.old_nodes.iter().zip(&position.new_nodes).rev().skip(1);
    around.any(|(old, new)| is_atomic(old) && is_atomic(new))
}

/// Whether an object has one field, whose value is one to server-side apply: its writers conflict in either way.
fn has_one_part(node: &Schema) -> bool {
    let is_scalar = |field: &Schema| {
        let is_known =
            ["string", "integer", "number", "boolean"].iter().any(|kind| field.kind.as_deref() == Some(*kind));
        (is_known || field.int_or_string) && field.validations.is_empty()
    };
    let is_closed = node.additional_properties.is_none() && node.preserve_unknown_fields != Some(true);
    is_closed && node.properties.len() == 1 && node.properties.values().all(is_scalar)
}
