//! Each field has a description.

pub(super) const RULE: super::Convention = super::Convention {
    name: "description",
    summary: "Each field has a description.",
    reason: "Users see it in `kubectl explain` and in generated references; without one, they have only the name.",
    source: "https://github.com/kubernetes-sigs/kube-api-linter/blob/main/docs/linters.md#commentstart",
    linters: &["commentstart"],
    is_default: true,
    firing: "{description: A route., properties: {spec: {type: object}}}",
    silent: "{description: A route., properties: {spec: {type: object, description: Where requests go.}}}",
    check: |node, problems| {
        // Some projects publish CRDs without any description, to keep them small.
        let root = &node.version.schema;
        let has_texts =
            [Some(root), root.properties.get("apiVersion")].iter().flatten().any(|schema| schema.description.is_some());
        if node.name.is_some() && node.schema.description.is_none() && has_texts {
            problems
                .push(super::Problem::new("the field has no description", "describe it, and what its absence means"));
        }
    },
};
