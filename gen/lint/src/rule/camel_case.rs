//! Field names are in camelCase.

pub(super) const RULE: super::Convention = super::Convention {
    name: "camel-case",
    summary: "A field name is in camelCase: a lower-case letter, then letters and digits.",
    reason: "Clients in Go and other languages derive names from it, and one style lets users guess names.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#naming-conventions",
    linters: &["jsontags"],
    is_default: true,
    firing: "properties: {max_size: {type: integer}}",
    silent: "properties: {maxSize: {type: integer}}",
    check: |node, problems| {
        let name = node.name.unwrap_or("a");
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_plain || !name.starts_with(|first: char| first.is_ascii_lowercase()) {
            let help = "start with a lower-case letter, and begin each further word with an upper-case letter";
            problems.push(super::Problem::new("the field name is not in camelCase", help));
        }
    },
};
