//! A status is a subresource.

pub(super) const RULE: super::Convention = super::Convention {
    name: "status-subresource",
    summary: "A version with a status has the status subresource.",
    reason: "Without it, each update by a user can overwrite the status, and permissions cannot separate users from controllers.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#spec-and-status",
    linters: &["statussubresource"],
    is_default: true,
    firing: "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {properties: {status: {type: object}}}}}]}}",
    silent: "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {properties: {status: {type: object}}}}}]}}",
    check: |node, problems| {
        let has_subresource = node.version.subresources.as_ref().is_some_and(|subresources| subresources.status);
        let has_status = node.schema.properties.get("status").is_some();
        if node.is_root() && has_subresource != has_status {
            let (problem, help) = match has_status {
                true => ("the version has a status, and not the status subresource", "add the subresource"),
                false => {
                    ("the version has the status subresource, and no status", "add a status, or remove the subresource")
                }
            };
            problems.push(super::Problem::new(problem, help));
        }
    },
};
