//! Numbers have both bounds.

pub(super) const RULE: super::Convention = super::Convention {
    name: "number-bounds",
    summary: "A number that users set has a minimum and a maximum.",
    reason: "A value that is too large or negative fails in the controller, later and with less context.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#primitive-types",
    linters: &[],
    is_default: false,
    firing: "properties: {count: {type: integer, minimum: 1}}",
    silent: "properties: {count: {type: integer, minimum: 1, maximum: 100}}",
    check: |node, problems| {
        let is_number = matches!(node.kind(), "integer" | "number");
        let is_bounded = node.schema.minimum.is_some() && node.schema.maximum.is_some();
        if is_number && !is_bounded && node.schema.enumeration.is_none() && !node.is_in("status") {
            problems.push(super::Problem::new("the number lacks a bound", "set `minimum` and `maximum`"));
        }
    },
};
