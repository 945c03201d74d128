//! Enum values: `RoundRobin`, not `round-robin`.

pub(super) const RULE: super::Convention = super::Convention {
    name: "enum-case",
    summary: "Enum values are in CamelCase and start with an upper-case letter.",
    reason: "Values look the same in all APIs; only names of programs such as `iptables` keep their spelling.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#constants",
    linters: &[],
    is_default: true,
    firing: "properties: {mode: {type: string, enum: [Random, round-robin]}}",
    silent: "properties: {mode: {type: string, enum: [Random, RoundRobin]}}",
    check: |node, problems| {
        for value in node.schema.enumeration.iter().flatten().filter_map(|value| value.as_str()) {
            // Versions and algorithms such as `v1.2`, and names such as `eBPF`, keep their spelling.
            let has_digit = value.contains(|character: char| character.is_ascii_digit());
            let is_name = value.chars().nth(1).is_some_and(|second| second.is_ascii_uppercase());
            let is_lower = value.starts_with(|first: char| first.is_ascii_lowercase()) && !is_name;
            if !has_digit && (is_lower || value.contains(['-', '_', ' '])) {
                let message = format!("the enum value `{value}` is not in CamelCase");
                let help = "begin each word with an upper-case letter, without characters between words";
                problems.push(super::Problem::new(message, help).of_part(value));
            }
        }
    },
};
