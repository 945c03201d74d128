//! Tests of types: recorded verdicts of the API server, and the texts of problems.
//!
//! The verdicts are those of Kubernetes 1.37 and 1.36 on rules of [`specimen`] (`k8s.io/apiextensions-apiserver`, cel-go 0.29.2
//! and 0.26.0), so that the tests compare with an independent implementation. The testbed's proofs ask a running server about more rules.

use serde_json::{Value, json};

use super::rules;
use crate::{ProblemKind, check_schema};
use crd_model::schema::Schema;

/// A schema with values of many types, and a rule about them.
fn specimen(validation: &Value) -> Schema {
    let text = json!({"type": "string", "maxLength": 20});
    let object = json!({"type": "object", "properties": {"a": text}});
    let rows = json!({"type": "object", "properties": {"key": text, "value": {"type": "integer"}}});
    Schema::from_value(&json!({"type": "object", "properties": {"field": {
        "type": "object",
        "x-kubernetes-validations": [validation],
        "properties": {
            "text": text, "inner": object, "other": object,
            "count": {"type": "integer"},
            "ratio": {"type": "number"},
            "flag": {"type": "boolean"},
            "secret": {"type": "string", "format": "byte"},
            "when": {"type": "string", "format": "date-time"},
            "span": {"type": "string", "format": "duration"},
            "port": {"x-kubernetes-int-or-string": true},
            "names": {"type": "array", "items": text},
            "labels": {"type": "object", "additionalProperties": text},
            "rows": {"type": "array", "items": rows},
        },
    }}}))
    .unwrap()
}

fn problems(validation: &Value) -> Vec<String> {
    check_schema(&specimen(validation)).iter().map(|found| found.problem.to_string()).collect()
}

fn of_rule(rule: &str) -> Vec<String> {
    problems(&json!({ "rule": rule }))
}

#[test]
fn rules_that_the_server_accepts_have_no_problems() {
    for rule in rules("types_accepted") {
        assert_eq!(of_rule(&rule), [""; 0], "{rule}");
    }
}

#[test]
fn rules_that_the_server_refuses_for_their_types_have_problems() {
    for rule in rules("types_refused") {
        let rule = rule.as_str();
        assert_eq!(of_rule(rule).len(), 1, "{rule}: {:?}", of_rule(rule));
    }
}

#[test]
fn types_that_are_decided_late_have_problems() {
    for rule in [
        "self.text in ['a', self.port]",
        "self.text == string",
        "int('one') == 1",
        "optional.none().value()",
        "[dyn(1), 1].size() == 2",
        "[optional.of('a'), null].size() == 2",
        "type(self.text) < type(self.count)",
        "self.span - [].min() == self.span",
        "[].sum().getHours() == 1",
        "[].map(x, x.y)[0] + 1 == self.text",
    ] {
        let found = match crate::Program::compile(
            rule,
            crate::Environment::rule(&specimen(&json!({})).properties["field"], false),
        ) {
            Ok(_) => 0,
            Err(problems) => problems.len(),
        };
        assert_eq!(found, 1, "{rule}");
    }
}

#[test]
fn message_expressions_are_texts() {
    let found = |expression: &str| problems(&json!({"rule": "self.flag", "messageExpression": expression}));
    assert_eq!(found("'a' + self.text"), [""; 0]);
    assert_eq!(found("self.count"), ["byte 0: the result must be a string, and it is an integer"]);
    assert_eq!(found("self.flag"), ["byte 0: the result must be a string, and it is a boolean"]);
    assert_eq!(found("'a' + self.count").len(), 1);
}

#[test]
fn an_optional_old_self_is_optional() {
    let found = |rule: &str| problems(&json!({"rule": rule, "optionalOldSelf": true}));
    assert_eq!(found("oldSelf.optMap(old, old.text == self.text).orValue(true)"), [""; 0]);
    assert_eq!(found("!oldSelf.hasValue() || oldSelf.value().text == self.text"), [""; 0]);
    assert_eq!(found("oldSelf.text.orValue('') == self.text"), [""; 0]);
    assert_eq!(found("oldSelf.text == self.text").len(), 1);
    assert_eq!(found("oldSelf == self").len(), 1);
}

#[test]
fn problems_name_the_cause_and_the_fix() {
    let table = [
        ("self.names", "byte 0: the result must be a boolean, and it is a list of strings"),
        (
            "self.flag && self.count == '1'",
            "byte 24: `==` does not accept an integer and a string; convert one of them with `string(…)` or `int(…)`",
        ),
        (
            "self.ratio == 1",
            "byte 11: `==` does not accept a number with a fraction and an integer; write whole numbers as `1.0` here, or \
             convert with `double(…)` or `int(…)`",
        ),
        (
            "self.text == null",
            "byte 10: `==` does not accept a string and null; only objects can be null; ask whether a field exists with \
             `has(…)`",
        ),
        (
            "self.?text >= 'a'",
            "byte 11: `>=` does not accept an optional value (a string) and a string; read the content of an \
             optional value with `.orValue(…)`, or with `.value()` after `.hasValue()`",
        ),
        ("self.flag || !self.text", "byte 14: `!` needs a boolean, and this is a string; compare it with a value"),
        ("self.text.startWith('a')", "byte 10: unknown function `startWith`; did you mean `startsWith`?"),
        ("math.abs(-1) == 1", "byte 0: unknown function `math.abs`"),
        (
            "self.text.startsWith(1)",
            "byte 10: `startsWith` does not accept a string and an integer; convert one of them with `string(…)` or `int(…)`",
        ),
        ("optional.of() == self.?text", "byte 9: `optional.of` needs arguments"),
        (
            "['a', 1].size() == 2",
            "byte 6: the items of a list must have one type, and these are a string and an integer",
        ),
        ("self.text.all(c, c == 'a')", "byte 10: `all` needs a list or a map, and this is a string"),
        ("self.labels[1] == self.text", "byte 11: `[ ]` does not accept a map of strings and an integer"),
        ("url(self.text).host == 'a'", "byte 15: `url(self.text)` is a URL, which has no fields; remove `.host`"),
        (
            "self.span > duration('1 day')",
            "byte 21: \"1 day\" is not a valid duration: write numbers with the units h, m, s, ms, us and ns, as in `1h30m`",
        ),
    ];
    for (rule, expected) in table {
        assert_eq!(of_rule(rule), [expected], "{rule}");
    }
    let found = &check_schema(&specimen(&json!({"rule": "true", "messageExpression": "1"})))[0];
    assert_eq!((found.path.as_str(), found.index), ("field", 0));
    assert_eq!(
        found.to_string(),
        "the CEL message expression `1` is not valid: byte 0: the result must be a string, and it is an integer"
    );
    assert!(matches!(found.problem.kind, ProblemKind::WrongResult { wanted: "a string", .. }));
}

#[test]
fn several_mistakes_are_reported_together_and_each_once() {
    let found = of_rule("self.count == 'a' && self.text == 1 && (self.text - 1) == 2 && self.flag");
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn suggestions_and_problems_are_limited() {
    let suggested = |found: &[crate::SchemaProblem]| {
        let has = |found: &&crate::SchemaProblem| {
            matches!(&found.problem.kind, ProblemKind::MissingField { suggestion: Some(_), .. })
        };
        found.iter().filter(has).count()
    };
    let mut schema = specimen(&json!({"rule": "true"}));
    let node = schema.properties.get_mut("field").unwrap();
    let rule = |index: usize| json!({"rule": format!("self.text{index} == 'a'")});
    let rules: Vec<Value> = (0..200).map(rule).collect();
    node.validations = Schema::from_value(&json!({"x-kubernetes-validations": rules})).unwrap().validations;
    let found = check_schema(&schema);
    assert_eq!((found.len(), suggested(&found)), (200, crate::SUGGESTIONS));

    let several = (0..200).map(|index| format!("self.text{index} == 'a'")).collect::<Vec<_>>().join(" && ");
    assert_eq!(of_rule(&several).len(), 20);
}

#[test]
fn types_that_pile_up_take_neither_long_nor_much_stack() {
    let nested = |opening: &str, inside: &str, closing: &str, times: usize| {
        format!("{}{inside}{}", opening.repeat(times), closing.repeat(times))
    };
    // Each map has the one before it as its keys and as its values.
    let doubled =
        (0..100).fold("[{'x': 1}]".to_owned(), |range, level| format!("{range}.map(a{level}, {{a{level}: a{level}}})"));
    let run = move || {
        for rule in [
            format!("{0} == {0}", nested("[", "1", "]", 240)),
            format!("{0} == {0}", nested("{'a': ", "1", "}", 240)),
            format!("{} == 1", nested("-(", "self.port", ")", 240)),
            format!("{} == 1", nested("optional.of(", "self.port", ").value()", 120)),
            format!("{doubled} == {doubled}"),
            nested("self.flag ? true : (", "true", ")", 120),
            nested("self.names.all(n, ", "true", ")", 120),
            format!("true{}", " && true".repeat(5000)),
        ] {
            assert_eq!(of_rule(&rule), [""; 0], "{}", &rule[..60]);
        }
        // However deep a literal is, what is in it is not of every type.
        for (times, (opening, closing, part)) in [2, 31, 33, 34, 65, 120, 240].into_iter().flat_map(|times| {
            [("[", "]", "[0]"), ("{'a': ", "}", ".a"), ("[optional.of(", ")]", "[0].value()")].map(|form| (times, form))
        }) {
            let times = if opening.len() > 6 { times / 2 } else { times };
            let literal = nested(opening, "1", closing, times);
            let found = of_rule(&format!("{literal}{part} == 1"));
            assert_eq!(found.len(), usize::from(times > 1), "{times} of {opening}: {found:?}");
        }
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn no_text_makes_the_checker_panic() {
    let mut dice = crd_testdata::Dice::new(1);
    let mut random = |limit: usize| dice.below(limit);
    let seeds = [rules("types_accepted"), rules("types_refused")].concat();
    for _ in 0..3_000 {
        let mut letters: Vec<char> = seeds[random(seeds.len())].chars().collect();
        for _ in 0..=random(3) {
            let position = random(letters.len() + 1);
            match random(3) {
                0 => letters.truncate(position),
                1 => letters.insert(position, ['.', '(', '?', '1', '[', '!', '\'', ',', 'é', ')'][random(10)]),
                _ => letters.extend(seeds[random(seeds.len())].chars().take(random(20))),
            }
        }
        let rule: String = letters.into_iter().collect();
        for found in check_schema(&specimen(&json!({ "rule": rule }))) {
            assert!(rule.is_char_boundary(found.problem.at), "{rule:?}: {found}");
        }
    }
}
