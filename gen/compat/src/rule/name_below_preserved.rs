//! `name-below-preserved`: new fields where unknown fields were kept.
//!
//! The exception from `graduated` and `name-added`: objects may already have a value of this name. What servers check in every resource is `words`.

use crd_inclusion::{Direction, Field, Position, Presence};
use crd_model::Schema;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "name-below-preserved",
    row: "name-below-preserved",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "field added where unknown ones are preserved",
    many: "fields added where unknown ones are preserved",
    section: Section::Changed,
    summary: "A field was added to a node that preserves unknown fields.",
    explanation: "\
        The node kept unknown fields, so objects may already have a field of this name with any value. The \
        schema of the new field may refuse it. Servers check `apiVersion`, `kind` and `metadata` of each \
        resource, so listing them without a constraint changes nothing.",
    example: "\
        old: { field: { type: object, x-kubernetes-preserve-unknown-fields: true } }\n\
        new: { field: { type: object, x-kubernetes-preserve-unknown-fields: true, properties: { mode: { type: string } } } }",
};

/// Whether one side lists `apiVersion`, `kind` or `metadata` of a resource without a constraint, and the other side preserves unknown fields.
pub(crate) fn is_checked_anyway(field: &Presence<Field<'_>>, position: &Position<'_>) -> bool {
    let Field { name, schema } = field.value();
    let kind = match *name {
        "apiVersion" | "kind" => "string",
        "metadata" => "object",
        _ => return false,
    };
    let nodes = [position.old_node(), position.new_node()];
    let other = nodes[usize::from(!field.is_addition())];
    let is_resource = nodes.into_iter().flatten().all(|node| node.embedded_resource);
    let plain = Schema { kind: Some(kind.into()), description: schema.description.clone(), ..Schema::default() };
    (position.steps.is_empty() || is_resource)
        && other.is_some_and(|other| other.preserve_unknown_fields == Some(true))
        && **schema == plain
}

pub(crate) fn assess() -> Assessment {
    let message = "the field was added where unknown fields were kept: stored values of this name may be refused now";
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}
