//! Conditions instead of a phase.

pub(super) const RULE: super::Convention = super::Convention {
    name: "no-phase",
    summary: "A status has conditions, not a phase.",
    reason: "Each new phase breaks clients that handle only the old ones; conditions are independent of each other.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties",
    linters: &["nophase"],
    is_default: true,
    firing: "properties: {status: {type: object, properties: {phase: {type: string}}}}",
    silent: "properties: {status: {type: object, properties: {conditions: {type: array, items: {type: object}}}}}",
    check: |node, problems| {
        if node.name.is_some_and(|name| name.to_lowercase().contains("phase")) {
            problems.push(super::Problem::new("the field is a phase", "report each fact as a condition"));
        }
    },
};
