//! Tests of syntax and of fields: published rules, recorded verdicts of cel-go and of the API server, and mutations.
//!
//! The tables of verdicts were recorded from cel-go 0.29.2 (parser with optional types, two-variable comprehensions,
//! lists, bindings, names in backticks) and from the schema compiler of Kubernetes 1.37
//! (`k8s.io/apiextensions-apiserver`), so that the tests compare with an independent implementation.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]

mod types;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Value, from_value, json};

use super::infer;
use super::parser::{self, DEPTH_LIMIT, LENGTH_LIMIT};
use super::{CelProblem, Environment, ProblemKind, check_schema};
use crd_model::schema::{AdditionalProperties, Schema, Text};

/// A table of verdicts of cel-go and of the API server.
fn recorded(table: &str) -> Value {
    let mut tables: Value = serde_json::from_str(include_str!("../tests/verdicts.json")).unwrap();
    tables[table].take()
}

fn rules(table: &str) -> Vec<String> {
    from_value(recorded(table)).unwrap()
}

fn schema(value: &Value) -> Schema {
    Schema::from_value(value).unwrap()
}

fn texts(problems: &[CelProblem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

fn context(node: &Schema, resource: bool) -> Environment<'_> {
    Environment { result: None, ..Environment::rule(node, resource) }
}

/// Whether a node has `apiVersion`, `kind` and a bare `metadata`.
fn is_root_of_resource(node: &Schema) -> bool {
    let kind = |name| node.properties.get(name).and_then(|property| property.kind.as_deref());
    [kind("apiVersion"), kind("kind"), kind("metadata")] == [Some("string"), Some("string"), Some("object")]
        && node.properties.get("metadata").is_some_and(|metadata| metadata.properties.is_empty())
}

/// The syntax errors of a rule, or else its problems with names. The recorded verdicts of this file are about these only.
fn check_rule(rule: &str, node: &Schema) -> Vec<CelProblem> {
    check_names(rule, context(node, is_root_of_resource(node)))
}

fn check_rule_on_root(rule: &str, node: &Schema) -> Vec<CelProblem> {
    check_names(rule, context(node, true))
}

fn check_names(rule: &str, context: Environment<'_>) -> Vec<CelProblem> {
    match parser::parse(rule) {
        Ok(tree) => {
            let problems = infer::check(&tree, context);
            problems.into_iter().filter(|problem| problem.kind.is_about_a_name()).collect()
        }
        Err(problems) => problems,
    }
}

// ---- published rules ----

struct Published {
    rule: String,
    node: Schema,
    root: bool,
}

/// Every rule of the published CRDs with its node, each pair once. Read once for all tests.
fn published() -> &'static [Published] {
    static ALL: LazyLock<Vec<Published>> = LazyLock::new(read_published);
    &ALL
}

fn read_published() -> Vec<Published> {
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    let mut all = Vec::new();
    for (_, file) in crd_testdata::all_gateway_api() {
        for version in file.json()["spec"]["versions"].as_array().into_iter().flatten() {
            let root = schema(&version["schema"]["openAPIV3Schema"]);
            collect(&root, true, &mut seen, &mut all);
        }
    }
    all
}

fn collect(node: &Schema, root: bool, seen: &mut BTreeSet<(String, String)>, all: &mut Vec<Published>) {
    for validation in &node.validations {
        let rules = [Some(&validation.rule), validation.message_expression.as_ref()];
        for rule in rules.into_iter().flatten() {
            if seen.insert((rule.clone().into_owned(), node.to_value().to_string())) {
                all.push(Published { rule: rule.clone().into_owned(), node: node.clone(), root });
            }
        }
    }
    for property in node.properties.values() {
        collect(property, false, seen, all);
    }
    if let Some(items) = &node.items {
        collect(items, false, seen, all);
    }
    if let Some(AdditionalProperties::Values(values)) = &node.additional_properties {
        collect(values, false, seen, all);
    }
}

#[test]
fn published_rules_have_no_problems() {
    for Published { rule, node, root } in published() {
        assert_eq!(texts(&check_rule(rule, node)), [""; 0], "{rule}");
        if *root {
            assert_eq!(texts(&check_rule_on_root(rule, node)), [""; 0], "{rule}");
        }
    }
}

#[test]
fn published_schemas_have_no_problems() {
    for (label, file) in crd_testdata::all_gateway_api() {
        for version in file.json()["spec"]["versions"].as_array().into_iter().flatten() {
            let problems = check_schema(&schema(&version["schema"]["openAPIV3Schema"]));
            assert!(problems.is_empty(), "{label}: {problems:#?}");
        }
    }
}

/// Renames all properties of a name anywhere in a copy.
fn rename_all(node: &mut Schema, name: &str) -> usize {
    let mut count = 0;
    if let Some(property) = node.properties.remove(name) {
        node.properties.insert(Text::Owned(format!("{name}Renamed")), property);
        count += 1;
    }
    for property in node.properties.values_mut() {
        count += rename_all(property, name);
    }
    if let Some(items) = &mut node.items {
        count += rename_all(items, name);
    }
    if let Some(AdditionalProperties::Values(values)) = &mut node.additional_properties {
        count += rename_all(values, name);
    }
    count
}

#[test]
fn renaming_every_property_of_a_name_in_a_rule_is_found() {
    // The names in a rule are found by the letters between dots and other signs, not by the code under test.
    let mut renamed = 0;
    for Published { rule, node, .. } in published() {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for (index, _) in rule.match_indices('.') {
            let rest = &rule[index + 1..];
            let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(rest.len());
            let in_string = rule[..index].matches(['\'', '"']).count() % 2 == 1;
            if end > 0 && !in_string && !rest[end..].starts_with('(') {
                names.insert(&rest[..end]);
            }
        }
        for name in names {
            let property = if name == "__namespace__" { "namespace" } else { name };
            let mut copy = node.clone();
            if rename_all(&mut copy, property) == 0 {
                continue;
            }
            renamed += 1;
            let reported = check_rule(rule, &copy)
                .iter()
                .any(|problem| matches!(&problem.kind, ProblemKind::MissingField { field, .. } if field == name));
            assert!(reported, "{rule}: `{property}` was renamed, and nothing found");
        }
    }
    println!("{renamed} renamed properties found");
}

// ---- recorded verdicts of cel-go's parser ----

/// Whether the rule is refused for its syntax.
fn is_refused(rule: &str) -> bool {
    parser::parse(rule).is_err()
}

#[test]
fn syntax_is_accepted_where_cel_go_accepts_it() {
    for rule in rules("syntax_accepted") {
        let rule = rule.as_str();
        assert!(!is_refused(rule), "{rule}: {:?}", texts(&check_rule(rule, &Schema::default())));
    }
}

#[test]
fn syntax_is_refused_where_cel_go_refuses_it() {
    for rule in rules("syntax_refused") {
        assert!(is_refused(&rule), "{rule}");
    }
}

#[test]
fn depth_is_limited_where_cel_go_limits_it() {
    // A stack of half the size of a test thread's, so that callers have enough.
    let tests = || {
        for (opening, closing, times, accepted) in
            from_value::<Vec<(String, String, usize, bool)>>(recorded("brackets")).unwrap()
        {
            let rule = format!("{}a{}", opening.repeat(times), closing.repeat(times));
            assert_eq!(is_refused(&rule), !accepted, "{opening}{closing} {times} times");
        }
        for (link, times, accepted) in from_value::<Vec<(String, usize, bool)>>(recorded("chains")).unwrap() {
            let rule = format!("a{}", link.repeat(times));
            assert_eq!(is_refused(&rule), !accepted, "{link} {times} times");
        }
        for opening in
            ["(", "[", "{a:", "!(", "f(", "a.f(", "a[", "a?b:", "[a].all(x,", "(a||a&&a<a+", "m{x:", "-(", "a?(b):("]
        {
            let rule = opening.repeat(LENGTH_LIMIT / opening.len());
            let problems = check_rule(&rule, &Schema::default());
            assert!(matches!(problems[..], [CelProblem { kind: ProblemKind::TooDeep { limit: DEPTH_LIMIT }, .. }]));
        }
        // The name of a message has no depth.
        assert!(!is_refused(&format!("a{}{{}}", ".b".repeat(300))));
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(tests).unwrap().join().unwrap();
}

#[test]
fn length_is_limited_in_characters() {
    let rule = |letter: &str, count: usize| format!("'{}'", letter.repeat(count - 2));
    assert!(!is_refused(&rule("a", LENGTH_LIMIT)));
    assert!(!is_refused(&rule("é", LENGTH_LIMIT)));
    assert!(is_refused(&rule("a", LENGTH_LIMIT + 1)));
}

// ---- recorded verdicts of the API server's compiler ----

/// What the server reports: an undefined field, an undeclared reference, a selection from a value without fields, or an object that is
/// indexed, searched, or the range of a macro.
fn verdict(problem: &CelProblem) -> String {
    match &problem.kind {
        ProblemKind::MissingField { field, .. } | ProblemKind::HiddenField { field, .. } => format!("field {field}"),
        ProblemKind::UnknownVariable { name, .. } => format!("name {name}"),
        ProblemKind::NoFields { .. } => "selection".to_owned(),
        ProblemKind::NotAMap { .. } => "container".to_owned(),
        other => other.to_string(),
    }
}

#[test]
fn fields_are_missing_where_the_api_server_misses_them() {
    let node = schema(&json!({
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {"x": {"type": "string"}}},
            "b": {"type": "object", "properties": {"x": {"type": "string"}}},
            "s": {"type": "string"},
            "n": {"type": "integer"},
            "l": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string"}}}},
            "m": {"type": "object", "additionalProperties": {
                "type": "object", "properties": {"x": {"type": "string"}},
            }},
            "p": {"x-kubernetes-preserve-unknown-fields": true},
            "po": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "ios": {"x-kubernetes-int-or-string": true},
            "namespace": {"type": "string"},
            "foo-bar": {"type": "string"},
            "t": {"type": "string", "format": "date-time"},
            "a__b": {"type": "string"},
            "in": {"type": "string"},
            "if": {"type": "string"},
            "metadata": {"type": "object"},
            "é": {"type": "string"},
            "9a": {"type": "string"},
            "e": {
                "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
            },
            "c": {"type": "array", "items": {"type": "object", "properties": {
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "ports": {"type": "array", "items": {"type": "integer"}},
            }}},
        },
    }));
    let below = context(&node, false);
    for (table, environment) in [
        ("fields", below),
        ("fields_with_optional_old_self", below.optional_old_self(true)),
        ("fields_on_root", context(&node, true)),
    ] {
        for (rule, expected) in from_value::<Vec<(String, BTreeSet<String>)>>(recorded(table)).unwrap() {
            let problems = check_names(&rule, environment);
            let found: BTreeSet<String> = problems.iter().map(verdict).collect();
            assert_eq!(found, expected, "{rule}: {:?}", texts(&problems));
        }
    }
}

// ---- texts of problems ----

fn example() -> Schema {
    schema(&json!({
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": {"type": "object", "properties": {
                "rules": {"type": "array", "items": {"type": "object", "properties": {
                    "name": {"type": "string"},
                    "matches": {"type": "array", "items": {"type": "string"}},
                    "foo-bar": {"type": "string"},
                }}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "anything": {"x-kubernetes-preserve-unknown-fields": true},
            }},
        },
    }))
}

#[test]
fn problems_name_the_position_the_cause_and_the_fix() {
    let table = [
        (
            "self.spec.rules.all(r, r.nmae != '' && r.nmae != 'x')",
            "byte 25: `self.spec.rules[*]` has no field `nmae`; did you mean `name`? \
             The fields are `name`, `foo__dash__bar`, `matches`",
        ),
        (
            "self.spec.rules.all(r, has(r.`foo-bar`))",
            "byte 29: `self.spec.rules[*]` has no field `foo-bar`; did you mean `foo__dash__bar`? \
             The fields are `foo__dash__bar`, `matches`, `name`",
        ),
        (
            "oldSelf.spec.other == self.spec.labels.other",
            "byte 13: `oldSelf.spec` has no field `other`; the fields are `labels`, `rules`",
        ),
        (
            "self.metadata.labels.size() == 0",
            "byte 14: `self.metadata` has no field `labels`; the fields are `generateName`, `name`",
        ),
        (
            "self.spec.anything.x",
            "byte 10: rules cannot read the field `anything` of `self.spec`: the schema does not state its `type`, or \
             that of its items or values; give the field a `type`, or remove it from the rule",
        ),
        ("self.kind.name == ''", "byte 10: `self.kind` is a string, which has no fields; remove `.name`"),
        (
            "(self.spec.rules + self.spec.rules).name == ''",
            "byte 36: this value is a list, which has no fields; remove `.name`",
        ),
        (
            "self.spec['rules'].size() > 0",
            "byte 9: `self.spec` is an object with fields, not a map or a list: `[…]`, `in` and macros such as `all` \
             do not work on it; read a field with `self.spec.field`, or ask for it with `has(self.spec.field)`",
        ),
        (
            "spec.rules.size() > 0",
            "byte 0: unknown variable `spec`; did you mean `self.spec`? The variables here are `self`, `oldSelf`",
        ),
        (
            "self.spec.rules.all(rule, rules.name != '')",
            "byte 26: unknown variable `rules`; did you mean `rule`? The variables here are `rule`, `self`, `oldSelf`",
        ),
        (
            "self.spec.rules.all(r, r.name != ''",
            "byte 35: expected `)` for the `(` at byte 19, found the end of the expression",
        ),
        ("self.kind and true", "byte 10: expected an operator or the end of the rule, found `and`; CEL writes `&&`"),
        ("self.kind = 'a'", "byte 10: a single `=` is not an operator of CEL; compare with `==`"),
        (
            "namespace == ''",
            "byte 0: `namespace` is a reserved word of CEL and cannot be a variable; a field of this name is written \
             `self.__namespace__`",
        ),
        ("self.in == ''", "byte 5: expected a field name (a field called `in` is written `__in__`), found `in`"),
        (
            "self.kind == '\\d'",
            "byte 14: CEL does not have this escape; write `\\\\` for a backslash, or use a raw string: r\"…\"",
        ),
        ("99999999999999999999 > 1", "byte 0: the number 99999999999999999999 does not fit into 64 bits"),
        ("has(self)", "byte 0: `has` needs one field: `has(self.field)`"),
    ];
    for (rule, expected) in table {
        assert_eq!(texts(&check_rule(rule, &example())), [expected], "{rule}");
    }
}

#[test]
fn all_problems_of_a_rule_are_reported_in_order() {
    let problems = check_rule("self.b == c || self.spec.x.y == self.a.b", &example());
    let offsets: Vec<usize> = problems.iter().map(|problem| problem.at).collect();
    assert_eq!(offsets, [5, 10, 25, 37], "{:?}", texts(&problems));
}

#[test]
fn a_long_list_of_fields_is_cut() {
    let properties: serde_json::Map<String, Value> =
        (0..12).map(|number| (format!("field{number:02}"), json!({"type": "string"}))).collect();
    let node = schema(&json!({"type": "object", "properties": properties}));
    let problems = check_rule("self.nothing == ''", &node);
    let [CelProblem { kind: ProblemKind::MissingField { fields, more, .. }, .. }] = &problems[..] else { panic!() };
    assert_eq!((fields.len(), *more), (8, 4));
    assert!(problems[0].to_string().ends_with("`field07` and 4 more"));
}

// ---- robustness ----

#[test]
fn no_text_makes_the_checker_panic() {
    let mut seeds = [rules("syntax_accepted"), rules("syntax_refused")].concat();
    let fields: Vec<(String, Vec<String>)> = from_value(recorded("fields")).unwrap();
    seeds.extend(fields.into_iter().map(|(rule, _)| rule));
    let node = example();
    let mut dice = crd_testdata::Dice::new(1);
    let mut random = |limit: usize| dice.below(limit);
    for _ in 0..20_000 {
        let mut letters: Vec<char> = seeds[random(seeds.len())].chars().collect();
        let mut other: Vec<char> = seeds[random(seeds.len())].chars().collect();
        for _ in 0..random(4) {
            let position = random(letters.len() + 1);
            match random(3) {
                0 => letters.truncate(position),
                1 => letters
                    .insert(position, ['\'', '"', '.', '(', '?', '{', '\\', 'é', '`', '0', '\n', 'r'][random(12)]),
                _ => {
                    letters.truncate(position);
                    letters.append(&mut other);
                }
            }
        }
        let rule: String = letters.into_iter().collect();
        for problem in check_rule(&rule, &node) {
            assert!(rule.is_char_boundary(problem.at), "{rule:?}: {problem}");
        }
    }
}

#[test]
fn types_that_pile_up_take_neither_long_nor_much_stack() {
    use std::fmt::Write as _;
    // Each map has the one before it as its keys and values, and each list the one before it many times over.
    let (mut doubled, mut piled) = (String::from("cel.bind(a0, {'x': 1},"), String::from("cel.bind(a0, 1,"));
    for level in 1..240 {
        let below = level - 1;
        if level < 100 {
            write!(doubled, "cel.bind(a{level}, {{a{below}: a{below}}},").unwrap();
        }
        let brackets = 240 - level;
        write!(piled, "cel.bind(a{level}, {}a{below}{},", "[".repeat(brackets), "]".repeat(brackets)).unwrap();
    }
    let doubled = format!("{doubled} [a99, a98, a97]{}", ")".repeat(100));
    let piled = format!("{piled} [a239, a238, a237]{}", ")".repeat(240));
    let run = move || {
        for rule in [&doubled, &piled] {
            assert_eq!(texts(&check_rule(rule, &example())), [""; 0]);
        }
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}
