//! `secretRef`, not `secretReference`.

pub(super) const RULE: super::Convention = super::Convention {
    name: "reference-name",
    summary: "The name of a reference ends with `Ref`, of a list of references with `Refs`.",
    reason: "Users see from the name that a field names another object.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#naming-of-the-reference-field",
    linters: &["noreferences"],
    is_default: true,
    firing: "properties: {secretReference: {type: object}}",
    silent: "properties: {secretRef: {type: object}}",
    check: |node, problems| {
        let name = node.name.unwrap_or_default();
        let is_scalar = matches!(node.kind(), "boolean" | "integer" | "number");
        let is_long = name.starts_with("reference") || name.ends_with("Reference") || name.ends_with("References");
        if is_long && !is_scalar {
            problems.push(super::Problem::new("the name of a reference is not short", "write `Ref` for `Reference`"));
        } else if name.ends_with("Ref") && node.schema.items.is_some() {
            problems
                .push(super::Problem::new("the name of a list of references ends with `Ref`", "end it with `Refs`"));
        }
    },
};
