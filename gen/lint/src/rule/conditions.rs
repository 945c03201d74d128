//! `conditions` of a status are the conditions that tools read.

pub(super) const RULE: super::Convention = super::Convention {
    name: "conditions",
    summary: "The field `conditions` of a status is optional, and a list map of the standard condition by `type`.",
    reason: "Tools such as `kubectl wait` read it, and controllers own entries of one list together.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties",
    linters: &["conditions"],
    is_default: true,
    firing: "properties: {status: {type: object, properties: {conditions: {type: array, x-kubernetes-list-type: atomic, items: {type: object, required: [lastTransitionTime, message, reason, status, type]}}}}}",
    silent: "properties: {status: {type: object, properties: {conditions: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type], items: {type: object, required: [lastTransitionTime, message, reason, status, type]}}}}}",
    check: |node, problems| {
        let schema = node.schema;
        if node.name != Some("conditions") || !node.is_in("status") {
            return;
        }
        let required = schema.items.as_deref().map_or(&[][..], |item| &item.required);
        let missing = FIELDS.iter().find(|field| !required.iter().any(|name| name == **field));
        let mut problem = |message: String, help| problems.push(super::Problem::new(message, help));
        if let Some(field) = missing {
            problem(format!("`{field}` is not required in each condition"), "use `Condition` of `meta/v1`");
        }
        if schema.list_type.as_deref() != Some("map") || schema.list_map_keys != ["type"] {
            problem("conditions are not a list map by `type`".into(), "set the list type `map` with the key `type`");
        }
        if node.is_required() {
            problem("conditions are required".into(), "make the field optional: an object has no conditions at first");
        }
    },
};

/// The required fields of a condition.
const FIELDS: [&str; 5] = ["lastTransitionTime", "message", "reason", "status", "type"];
