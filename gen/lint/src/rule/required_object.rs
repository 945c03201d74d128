//! A required object has something to require.

use crate::bounds::accepts_empty;

pub(super) const RULE: super::Convention = super::Convention {
    name: "required-object",
    summary: "A required object has a required field.",
    reason: "The value `{}` satisfies it, so users write a line without content.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#serialization-of-optionalrequired-fields",
    linters: &["nonpointerstructs"],
    is_default: false,
    firing: "{required: [spec], properties: {spec: {type: object, properties: {name: {type: string}}}}}",
    silent: "{required: [spec], properties: {spec: {type: object, required: [name], properties: {name: {type: string}}}}}",
    check: |node, problems| {
        if node.is_required() && !node.schema.properties.is_empty() && accepts_empty(node.schema) {
            problems.push(super::Problem::new(
                "the object is required, and `{}` is valid",
                "make it optional, or require a field",
            ));
        }
    },
};
