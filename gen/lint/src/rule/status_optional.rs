//! Fields of a status are optional.

pub(super) const RULE: super::Convention = super::Convention {
    name: "status-optional",
    summary: "The fields of a status are optional.",
    reason: "Several controllers write parts of it, and the first one does not have what a later one reports.",
    source: "https://github.com/kubernetes-sigs/kube-api-linter/blob/main/docs/linters.md#statusoptional",
    linters: &["statusoptional"],
    is_default: false,
    firing: "properties: {status: {type: object, required: [nodes], properties: {nodes: {type: integer}}}}",
    silent: "properties: {status: {type: object, properties: {nodes: {type: integer}}}}",
    check: |node, problems| {
        if node.is_in("status") && node.path.steps().len() == 2 && node.is_required() {
            problems.push(super::Problem::new("a field of the status is required", "make the field optional"));
        }
    },
};
