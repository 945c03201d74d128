//! Descriptions start with the field name.

pub(super) const RULE: super::Convention = super::Convention {
    name: "description-start",
    summary: "The description of a field starts with the name of the field.",
    reason: "Go's documentation has this style, and the name in YAML is the one that users search for.",
    source: "https://github.com/kubernetes-sigs/kube-api-linter/blob/main/docs/linters.md#commentstart",
    linters: &["commentstart"],
    is_default: false,
    firing: "properties: {spec: {type: object, description: Where requests go.}}",
    silent: "properties: {spec: {type: object, description: spec is where requests go.}}",
    check: |node, problems| {
        let (Some(name), Some(text)) = (node.name, node.schema.description.as_deref()) else { return };
        if !text.strip_prefix(name).is_some_and(|rest| rest.starts_with(char::is_whitespace)) {
            problems
                .push(super::Problem::new("the description starts with another word", format!("start with `{name} `")));
        }
    },
};
