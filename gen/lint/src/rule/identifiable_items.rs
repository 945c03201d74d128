//! Items of lists have a field that identifies them.

use crate::bounds::requires_field;

pub(super) const RULE: super::Convention = super::Convention {
    name: "identifiable-items",
    summary: "Objects in a list have a required field or exactly one of several.",
    reason: "Where every field is optional, a misplaced `-` in YAML makes two valid items of one.",
    source: "https://github.com/kubernetes-sigs/kube-api-linter/blob/main/docs/linters.md#arrayofstruct",
    linters: &["arrayofstruct"],
    is_default: true,
    firing: "properties: {ports: {type: array, items: {type: object, properties: {name: {type: string}}}}}",
    silent: "properties: {ports: {type: array, items: {type: object, required: [name], properties: {name: {type: string}}}}}",
    check: |node, problems| {
        let Some(item) = node.schema.items.as_deref().filter(|item| !item.properties.is_empty()) else { return };
        if !requires_field(item) {
            problems.push(super::Problem::new(
                "the items have no required field",
                "require the field that identifies an item",
            ));
        }
    },
};
