//! `validation-optional-old-self`: a CEL rule has `optionalOldSelf`, true or false, only where it mentions `oldSelf`.

use crd_cel::mentions_old_self;

use super::validation_text::name;
use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    for (index, validation) in node.schema.validations.iter().enumerate() {
        // An empty rule is another rule's.
        let is_empty = validation.rule.trim().is_empty();
        if validation.optional_old_self.is_some() && !is_empty && !mentions_old_self(&validation.rule) {
            let message = format!("{} does not mention oldSelf; leave optionalOldSelf out", name(index, validation));
            report.here(message);
        }
    }
}
