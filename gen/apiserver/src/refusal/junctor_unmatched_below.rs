//! `junctor-unmatched-below`: the same below the root.
//!
//! Only this crate refuses it. Servers accept it there (seen in 1.32 to 1.37) although the documentation forbids it. Where the field is
//! not declared, it is pruned before anything is checked, so that the condition is about nothing.

use super::junctor_unmatched::refuse_unmatched;
use super::{Examined, Report};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.structural_nodes() {
        if !node.is_root() && node.schema.preserve_unknown_fields != Some(true) {
            refuse_unmatched(
                version,
                node,
                "the server would drop it before it looks, so the condition means nothing",
                report,
            );
        }
    }
}
