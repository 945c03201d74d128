//! `startTime`, not `startTimestamp`.

pub(super) const RULE: super::Convention = super::Convention {
    name: "no-timestamp",
    summary: "A point in time is named `somethingTime`, without `stamp`.",
    reason: "Names of times end alike in all APIs.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#naming-conventions",
    linters: &["notimestamp"],
    is_default: true,
    firing: "properties: {status: {type: object, properties: {startTimestamp: {type: string, format: date-time}}}}",
    silent: "properties: {status: {type: object, properties: {startTime: {type: string, format: date-time}}}}",
    check: |node, problems| {
        if node.name.is_some_and(|name| name.to_lowercase().contains("timestamp")) {
            problems.push(super::Problem::new("the name of a time contains `timestamp`", "end the name with `Time`"));
        }
    },
};
