//! No `nullable`.

pub(super) const RULE: super::Convention = super::Convention {
    name: "no-nullable",
    summary: "A field is absent, not null.",
    reason: "Null and absent would be two spellings of one state, and a merge patch with null removes the field.",
    source: "https://github.com/kubernetes-sigs/kube-api-linter/blob/main/docs/linters.md#nonullable",
    linters: &["nonullable"],
    is_default: true,
    firing: "properties: {name: {type: string, nullable: true}}",
    silent: "properties: {name: {type: string}}",
    check: |node, problems| {
        if node.schema.nullable {
            problems.push(super::Problem::new("the value can be null", "make the field optional instead"));
        }
    },
};
