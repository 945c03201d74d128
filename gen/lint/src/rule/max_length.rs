//! Strings, lists and maps have a maximum.

use crate::bounds::{is_short, states};

pub(super) const RULE: super::Convention = super::Convention {
    name: "max-length",
    summary: "A string, list or map has a maximum length.",
    reason: "It bounds the size of objects and the estimated cost of CEL rules.",
    source: "https://github.com/kubernetes-sigs/kube-api-linter/blob/main/docs/linters.md#maxlength",
    linters: &["maxlength"],
    is_default: false,
    firing: "properties: {name: {type: string}}",
    silent: "properties: {name: {type: string, maxLength: 253}}",
    check: |node, problems| {
        let keyword = match node.kind() {
            "string" if !is_short(node.schema) && !states(node.schema, |node| node.max_length.is_some()) => "maxLength",
            "array" if !states(node.schema, |node| node.max_items.is_some()) => "maxItems",
            _ if node.schema.values().is_some() && node.schema.max_properties.is_none() => "maxProperties",
            _ => return,
        };
        problems.push(super::Problem::new("the size of the value has no maximum", format!("set `{keyword}`")));
    },
};
