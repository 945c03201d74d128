//! `validation-hidden`: a CEL rule belongs to a value that rules can read.
//!
//! Rules see values with a type, and lists and maps whose items or values have one. What only keeps unknown fields
//! (`x-kubernetes-preserve-unknown-fields` without `type`) they do not see. Below such a value there can be rules, but only where no rule
//! belongs to a node above it: the server takes the types of a node from those of the node above, from the highest that has a rule on. For the same
//! reason rules are not allowed below the items of a node that is not a list, or below the values of a node that is not a map, such as an integer or string, where a node above has a
//! rule; there some servers do not even answer properly (seen in 1.32 to 1.37).

use super::validation_text::name;
use super::walk::Edge;
use super::{ExaminedVersion, Node, Report};
use crd_cel::is_visible;
use crd_model::schema::{Schema, Step};

/// What rules can read of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// Neither the node nor a node above it has a rule.
    Unasked,
    /// Its type.
    Seen,
    /// Nothing, and nothing of what is below.
    Hidden,
}

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    let mut sights: Vec<Sight> = Vec::with_capacity(version.nodes.len());
    for node in &version.nodes {
        let parent = node.parent.map(|parent| (&version.nodes[parent], sights[parent]));
        let sight = if node.is_structural { sight(node, parent) } else { Sight::Unasked };
        sights.push(sight);
        if sight != Sight::Hidden {
            continue;
        }
        for (index, validation) in node.schema.validations.iter().enumerate() {
            let message = format!(
                "{} belongs to a value that rules cannot read, because the schema does not state the type of it (or of each of its items or \
                 values, or something above it) has; give it a `type`, or move the rule up",
                name(index, validation)
            );
            report.node(version, node, message);
        }
    }
}

fn sight(node: &Node<'_>, parent: Option<(&Node<'_>, Sight)>) -> Sight {
    let by_itself = || if is_visible(node.schema) { Sight::Seen } else { Sight::Hidden };
    match parent {
        Some((_, Sight::Hidden)) => Sight::Hidden,
        Some((parent, Sight::Seen)) => match node.edge {
            Edge::Below(Step::Item | Step::Value) if !has_elements(parent.schema) => Sight::Hidden,
            _ => by_itself(),
        },
        _ if node.schema.validations.is_empty() => Sight::Unasked,
        _ => by_itself(),
    }
}

/// Whether rules see a list or a map.
fn has_elements(schema: &Schema) -> bool {
    match schema.kind.as_deref() {
        _ if schema.int_or_string => false,
        Some("array") => schema.items.is_some(),
        Some("object") => schema.values().is_some(),
        _ => false,
    }
}
