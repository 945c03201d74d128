//! Durations are integers with a unit in their name.

use crate::words::is_duration;

pub(super) const RULE: super::Convention = super::Convention {
    name: "durations",
    summary: "A duration is an integer with its unit in the field name.",
    reason: "A text such as `1h30m` needs a parser of Go in each client, and `timeout: 5` can mean minutes; `timeoutSeconds` is plain.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#units",
    linters: &["nodurations"],
    is_default: true,
    firing: "properties: {timeout: {type: string}}",
    silent: "properties: {timeoutSeconds: {type: integer, format: int32}}",
    check: |node, problems| {
        let schema = node.schema;
        let format = schema.format.as_deref().unwrap_or_default();
        let is_named = node.name.is_some_and(is_duration) && schema.enumeration.is_none() && format != "date-time";
        let has_units = |pattern: &str| pattern.contains("m|h") || pattern.contains("h|m");
        let is_text = format == "duration" || schema.pattern.as_deref().is_some_and(has_units);
        let message = match node.kind() {
            "string" if is_named || is_text => "the duration is a string",
            "integer" | "number" if is_named => "the name of the duration has no unit",
            _ => return,
        };
        problems.push(super::Problem::new(message, "use an integer, and add its unit to the name, such as `Seconds`"));
    },
};
