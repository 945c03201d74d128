//! Lists state how they merge.

pub(super) const RULE: super::Convention = super::Convention {
    name: "list-type",
    summary: "A list states how it merges, and a set has scalar items.",
    reason: "Server-side apply replaces a list without a list type, so that two owners overwrite each other.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#lists-of-named-subobjects-preferred-over-maps",
    linters: &["ssatags"],
    is_default: true,
    firing: "properties: {names: {type: array, items: {type: string}}}",
    silent: "properties: {names: {type: array, x-kubernetes-list-type: set, items: {type: string}}}",
    check: |node, problems| {
        let schema = node.schema;
        let item = schema.items.as_deref().and_then(|item| item.kind.as_deref());
        match schema.list_type.as_deref() {
            None if node.kind() == "array" => {
                problems.push(super::Problem::new("the list has no list type", "choose `atomic`, `map` or `set`"));
            }
            Some("set") if matches!(item, Some("object" | "array")) => {
                problems.push(super::Problem::new("the list is a set of objects", "use `map` with keys, or `atomic`"));
            }
            _ => {}
        }
    },
};
