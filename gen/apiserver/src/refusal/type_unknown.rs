//! `type-unknown`: a type is one of the six types of Kubernetes. `null` is not one of them; `nullable` replaces it.

use super::{Node, NodeReport};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let kind = node.kind();
    if kind.is_empty() || TYPES.contains(&kind) {
        return;
    }
    let advice = if kind == "null" { "add `nullable: true` to the real type" } else { "use one of these" };
    report.here(format!("{kind:?} is not a type; the types are {}; {advice}", TYPES.join(", ")));
}
