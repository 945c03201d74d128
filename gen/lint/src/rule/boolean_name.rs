//! Booleans: `ready`, not `isReady`.

pub(super) const RULE: super::Convention = super::Convention {
    name: "boolean-name",
    summary: "The name of a boolean is the property itself, without `is`.",
    reason: "In YAML, `ready: true` reads as a sentence already, and a prefix on some fields makes names hard to guess.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#naming-conventions",
    linters: &[],
    is_default: true,
    firing: "properties: {isReady: {type: boolean}}",
    silent: "properties: {issued: {type: boolean}}",
    check: |node, problems| {
        let rest = node.name.and_then(|name| name.strip_prefix("is")).unwrap_or_default();
        if node.kind() == "boolean" && rest.starts_with(|first: char| first.is_ascii_uppercase()) {
            let help = format!("name it `{}{}`", rest[..1].to_lowercase(), &rest[1..]);
            problems.push(super::Problem::new("the name of a boolean starts with `is`", help));
        }
    },
};
