//! Integers are `int32` or `int64`.

pub(super) const RULE: super::Convention = super::Convention {
    name: "integer-format",
    summary: "An integer has the format `int32` or `int64`.",
    reason: "Clients choose their type by the format; without one, each language has another range.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#primitive-types",
    linters: &["integers"],
    is_default: true,
    firing: "properties: {count: {type: integer}}",
    silent: "properties: {count: {type: integer, format: int32}}",
    check: |node, problems| {
        if node.kind() == "integer" && !matches!(node.schema.format.as_deref(), Some("int32" | "int64")) {
            problems.push(super::Problem::new(
                "the integer has no known format",
                "use `int32`, or `int64` for larger values",
            ));
        }
    },
};
