//! CEL rules have a message.

pub(super) const RULE: super::Convention = super::Convention {
    name: "rule-message",
    summary: "A CEL rule has a message, which states what must hold.",
    reason: "Without one, users read the expression; `should` sounds as if the rule were optional.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#validation",
    linters: &[],
    is_default: true,
    firing: "properties: {spec: {type: object, x-kubernetes-validations: [{rule: self.min < self.max}]}}",
    silent: "properties: {spec: {type: object, x-kubernetes-validations: [{rule: self.min < self.max, message: min must be less than max}]}}",
    check: |node, problems| {
        for rule in &node.schema.validations {
            let message = rule.message.as_deref().unwrap_or_default();
            let problem = match (message.split(' ').any(|word| word == "should"), &rule.message_expression) {
                (true, _) => "the message of the rule contains `should`",
                (false, None) if message.is_empty() => "the rule has no message",
                _ => continue,
            };
            let help = "set a message such as `min must be less than max`";
            problems.push(super::Problem::new(problem, help).of_part(&*rule.rule));
        }
    },
};
