//! `default-unusable`: an object that gets a default is valid where it got it.
//!
//! Ours. There are defaults that the server accepts in a CRD, fills into objects, and then refuses the objects for: in
//! the values of maps, which it does not look at; CEL rules that see the defaults below it; lists with an item twice although they are sets or maps; values of
//! any type with `x-kubernetes-int-or-string`; formats that it ignores in one case and not in the other.

use super::default_invalid::{rule_violations, violations};
use super::{Examined, Report};
use crate::apply_defaults;
use crate::validate::{Subject, Validator};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    let validator = Validator { matches: examined.matches, subject: Subject::Part };
    for (version, node) in examined.structural_nodes() {
        let Some(default) = node.default() else { continue };
        // What the server refuses in the CRD, or does not allow at all, is already reported. The root and metadata make no
        // parts.
        let is_refused = !node.is_in_map && !violations(examined, version, node, default, &mut 0).is_empty();
        if is_refused || node.is_root() || node.is_in_metadata {
            continue;
        }
        let mut value = default.clone();
        apply_defaults(node.schema, &mut value);
        let mut found = validator.validate(node.schema, &value);
        if found.is_empty() && (node.is_in_map || value != *default) {
            found = rule_violations(node, &value, &mut 0);
        }
        for violation in found {
            report.node(
                version,
                node,
                format!("the server would accept this default and refuse every object that gets it: {violation}"),
            );
        }
    }
}
