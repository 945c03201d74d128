//! No booleans.

pub(super) const RULE: super::Convention = super::Convention {
    name: "no-booleans",
    summary: "A choice is an enum, not a boolean.",
    reason: "A boolean cannot get a third value; an enum such as `Enabled` and `Disabled` can, and names its states.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#primitive-types",
    linters: &["nobools"],
    is_default: false,
    firing: "properties: {suspend: {type: boolean}}",
    silent: "properties: {state: {type: string, enum: [Active, Suspended]}}",
    check: |node, problems| {
        if node.kind() == "boolean" {
            problems.push(super::Problem::new("the value is a boolean", "use an enum whose values name the states"));
        }
    },
};
