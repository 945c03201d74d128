//! What only the macro would report about types without some of their `+experimental` marks: a marker that applies twice.
//!
//! A projection finds everything else, such as bounds that contradict each other, and enums without values.
//!
//! Invariant: marks that the source has are not reported, because the types compile with them.

use crd_diagnostics::Diagnostic;
use crd_markers::rule::Rule;
use crd_markers::table::{MARKERS, Meaning, RuleKind};

use crate::annotated::{Applied, Node, Removed};
use crate::marks::name;
use crate::problem::{at, of_owner};

const CODE: &str = "types::graduation";

/// The contradictions of a node, without the nodes in it.
pub(crate) fn contradictions(node: &Node, removed: &Removed, errors: &mut Vec<Diagnostic>) {
    let markers: Vec<&Applied> = node.markers().collect();
    for (index, later) in markers.iter().enumerate() {
        for earlier in markers[..index].iter().filter(|earlier| is_together(earlier, later)) {
            let is_about_removed = [earlier, later].iter().any(|applied| removed.contains(&applied.location()));
            if is_about_removed && exclude(&earlier.marker.rule, &later.marker.rule) {
                let message = format!("`+{}` would apply twice in standard", name(later.marker));
                let diagnostic = of_owner(CODE, later.owner, later.field, message);
                let line = earlier.marker.line;
                errors
                    .push(at(diagnostic, later.location()).help(format!("remove or change the marker in line {line}")));
            }
        }
    }
}

/// Whether both markers are on one type or field, for the same part of it, in a common channel.
fn is_together(earlier: &Applied, later: &Applied) -> bool {
    let field = |applied: &Applied| applied.field.map(|field| field.name);
    std::ptr::eq(earlier.owner, later.owner)
        && field(earlier) == field(later)
        && earlier.marker.items == later.marker.items
        && !earlier.channels.and(later.channels).is_empty()
}

/// Whether a type or field cannot have both.
fn exclude(earlier: &Rule, later: &Rule) -> bool {
    earlier.kind() == later.kind() && (earlier == later || !is_repeatable(later.kind()))
}

fn is_repeatable(kind: RuleKind) -> bool {
    MARKERS.iter().any(|row| row.meaning == Meaning::Rule(kind) && row.repeatable)
}
