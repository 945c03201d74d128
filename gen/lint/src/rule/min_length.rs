//! Strings, lists, maps and objects have a minimum.

use crate::bounds::{accepts_empty, is_short, states};

pub(super) const RULE: super::Convention = super::Convention {
    name: "min-length",
    summary: "A string, list, map or object states whether it can be empty.",
    reason: "An empty value means the same as an absent one in most APIs; a minimum, also of 0, shows that the author chose.",
    source: "https://github.com/kubernetes-sigs/kube-api-linter/blob/main/docs/linters.md#minlength",
    linters: &["minlength"],
    is_default: false,
    firing: "properties: {name: {type: string}}",
    silent: "properties: {name: {type: string, minLength: 1}}",
    check: |node, problems| {
        let keyword = match node.kind() {
            "string" if !is_short(node.schema) && !states(node.schema, |node| node.min_length.is_some()) => "minLength",
            "array" if !states(node.schema, |node| node.min_items.is_some()) => "minItems",
            "object" if !node.is_root() && accepts_empty(node.schema) => "minProperties",
            _ => return,
        };
        problems.push(super::Problem::new("the size of the value has no minimum", format!("set `{keyword}`")));
    },
};
