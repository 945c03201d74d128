//! Whether objects are accepted alike with and without a change of one node.
//!
//! Invariant: a yes is proven by `crd_inclusion` for every object. Changes of what is stored, such as defaults, are never equal.

use crd_inclusion::{Difference, Position, differences};
use crd_model::schema::Schema;
use crd_model::schema::{SchemaPath, Step};

/// Whether two schemas, which differ only in the node at the path, accept the same objects.
pub(crate) fn is_equal(root: &Schema, other: &Schema, path: &SchemaPath) -> bool {
    let [old, new] = [root, other].map(|root| path.along(root).collect::<Vec<_>>());
    let (Some((node, old)), Some((changed, new))) = (old.split_last(), new.split_last()) else { return false };
    if [old.len(), new.len()] != [path.steps().len(); 2] {
        return false;
    }
    let steps: Vec<_> = path.steps().iter().map(Step::borrowed).collect();
    differences(node, changed, &|_, _| None).iter().all(|located| match &located.difference {
        Difference::Text(..) | Difference::RuleMessage(_) | Difference::Order { .. } => true,
        Difference::Type { .. }
        | Difference::Items(_)
        | Difference::Default(_)
        | Difference::ListType(_)
        | Difference::ListMapKeys(_)
        | Difference::MapType(_)
        | Difference::PreserveUnknownFields(_)
        | Difference::EmbeddedResource(_)
        | Difference::Field(_)
        | Difference::FieldName { .. } => false,
        constraint => {
            let Position { steps: below, old_nodes, new_nodes, .. } = &located.position;
            let position =
                Position::new([&steps[..], below].concat(), [old, old_nodes].concat(), [new, new_nodes].concat());
            constraint.direction(&position).is_none()
        }
    })
}
