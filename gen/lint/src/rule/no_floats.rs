//! No floating-point numbers.

pub(super) const RULE: super::Convention = super::Convention {
    name: "no-floats",
    summary: "A number is an integer, or a quantity as a string.",
    reason: "Floating-point numbers change when they are decoded and encoded again, and differ between languages.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#primitive-types",
    linters: &["nofloats"],
    is_default: true,
    firing: "properties: {ratio: {type: number}}",
    silent: "properties: {ratioPercent: {type: integer, format: int32}}",
    check: |node, problems| {
        if node.kind() == "number" {
            let help = "use an integer of a smaller unit, or a quantity such as `100m`";
            problems.push(super::Problem::new("the value is a floating-point number", help));
        }
    },
};
