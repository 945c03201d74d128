//! Lists of named objects instead of maps.

pub(super) const RULE: super::Convention = super::Convention {
    name: "no-maps",
    summary: "Objects are in a list with names, not in a map; maps have strings as values.",
    reason: "Every key in YAML is then a field of the API, except in labels and the like, which are texts.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#lists-of-named-subobjects-preferred-over-maps",
    linters: &["nomaps"],
    is_default: true,
    firing: "properties: {ports: {type: object, additionalProperties: {type: object}}}",
    silent: "properties: {labels: {type: object, additionalProperties: {type: string}}}",
    check: |node, problems| {
        let Some(values) = node.schema.values() else { return };
        if !values.int_or_string && values.kind.as_deref() != Some("string") {
            let help = "use a list map, whose items have the key as a field";
            problems.push(super::Problem::new("the values of the map are not strings", help));
        }
    },
};
