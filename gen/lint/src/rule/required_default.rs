//! A default makes a field optional.

pub(super) const RULE: super::Convention = super::Convention {
    name: "required-default",
    summary: "A field with a default is optional.",
    reason: "The server fills in the default before it checks, so no client has to set the field, although the schema lists it as required.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#optional-vs-required",
    linters: &["defaultorrequired", "defaults"],
    is_default: true,
    firing: "{required: [port], properties: {port: {type: integer, default: 80}}}",
    silent: "properties: {port: {type: integer, default: 80}}",
    check: |node, problems| {
        if node.is_required() && node.schema.default.is_some() {
            problems
                .push(super::Problem::new("a required field has a default", "make it optional, or remove the default"));
        }
    },
};
