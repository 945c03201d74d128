//! `validation-old-self`: rules read `oldSelf` only where the server can match a new value with its old value.
//!
//! It cannot match them below the items of a list, unless the list is of type map. Whether a rule mentions `oldSelf`
//! depends on its tokens ([`crd_cel::mentions_old_self`]); a message expression does not count.

use crd_cel::mentions_old_self;

use super::validation_text::name;
use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let Some(list) = &node.unstable_list else { return };
    for (index, validation) in node.schema.validations.iter().enumerate() {
        if mentions_old_self(&validation.rule) {
            let message = format!(
                "{} mentions oldSelf, but the items of {list} do not have old values; make {list} a list of type map, or move the rule to the whole list",
                name(index, validation)
            );
            report.here(message);
        }
    }
}
