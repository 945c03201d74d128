//! Tests of syntax and of fields: published rules, recorded verdicts of cel-go and of the API server, and mutations.
//!
//! The tables of verdicts were recorded from cel-go 0.29.2 (parser with optional types, two-variable comprehensions,
//! lists, bindings, names in backticks) and from the schema compiler of Kubernetes 1.37
//! (`k8s.io/apiextensions-apiserver`), so that the tests compare with an independent implementation.

mod types;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::infer::{self, Context};
use super::parser::{self, DEPTH_LIMIT, LENGTH_LIMIT};
use super::{CelProblem, ProblemKind, SUGGESTIONS, check_schema};
use crd_model::schema::{AdditionalProperties, Schema, Text};

fn schema(value: &Value) -> Schema {
    Schema::from_value(value).unwrap()
}

fn texts(problems: &[CelProblem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

fn context(node: &Schema, resource: bool) -> Context<'_> {
    Context {
        schema: node,
        resource,
        result: None,
        optional_old_self: false,
        minor: 37,
        variables: &[],
        suggestions: SUGGESTIONS,
    }
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

fn check_names(rule: &str, context: Context<'_>) -> Vec<CelProblem> {
    match parser::parse(rule) {
        Ok(tree) => {
            let problems = infer::check(rule, &tree, context);
            problems.into_iter().filter(|problem| problem.kind.is_about_a_name()).collect()
        }
        Err(problems) => problems,
    }
}

/// The properties that a rule names and the schema has, as paths from the node.
fn properties_read(rule: &str, node: &Schema) -> Vec<Vec<String>> {
    let context = context(node, is_root_of_resource(node));
    parser::parse(rule).map(|tree| infer::properties_read(rule, &tree, context)).unwrap_or_default()
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

/// Renames one property of a copy.
fn rename(node: &mut Schema, path: &[String]) -> bool {
    let Some((first, rest)) = path.split_first() else { return false };
    if first == "[*]" {
        let values = match &mut node.additional_properties {
            Some(AdditionalProperties::Values(values)) => Some(values),
            _ => None,
        };
        return node.items.as_mut().or(values).is_some_and(|inner| rename(inner, rest));
    }
    if !rest.is_empty() {
        return node.properties.get_mut(first.as_str()).is_some_and(|inner| rename(inner, rest));
    }
    let Some(property) = node.properties.remove(first.as_str()) else { return false };
    node.properties.insert(Text::Owned(format!("{first}Renamed")), property);
    true
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
fn renaming_a_property_that_a_rule_reads_is_found() {
    let (mut renamed, mut found) = (0, 0);
    for Published { rule, node, .. } in published() {
        for path in properties_read(rule, node) {
            let mut copy = node.clone();
            assert!(rename(&mut copy, &path), "{rule}: {path:?} is not in the schema");
            renamed += 1;
            let problems = check_rule(rule, &copy);
            let missing = path.last().map(|name| super::fields::escape(name).unwrap().into_owned());
            let reported = problems.iter().any(|problem| match &problem.kind {
                ProblemKind::MissingField { field, .. } => Some(field) == missing.as_ref(),
                _ => false,
            });
            assert!(reported, "{rule}: {path:?} was renamed, but: {:?}", texts(&problems));
            found += usize::from(reported);
        }
    }
    println!("{found} of {renamed} renamed properties found");
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
    for rule in ACCEPTED {
        assert!(!is_refused(rule), "{rule}: {:?}", texts(&check_rule(rule, &Schema::default())));
    }
}

#[test]
fn syntax_is_refused_where_cel_go_refuses_it() {
    for rule in REFUSED {
        assert!(is_refused(rule), "{rule}");
    }
}

#[test]
fn depth_is_limited_where_cel_go_limits_it() {
    // A stack of half the size of a test thread's, so that callers have enough.
    let tests = || {
        for (opening, closing, times, accepted) in BRACKETS {
            let rule = format!("{}a{}", opening.repeat(times), closing.repeat(times));
            assert_eq!(is_refused(&rule), !accepted, "{opening}{closing} {times} times");
        }
        for (link, times, accepted) in CHAINS {
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

/// The verdict of the server.
#[derive(Debug)]
enum Verdict {
    /// `undefined field`
    Field(&'static str),
    /// `undeclared reference`
    Name(&'static str),
    /// `does not support field selection`
    Selection,
    /// An object is indexed, searched, or the range of a macro.
    Container,
}
use Verdict::{Container, Field, Name, Selection};

fn agrees(verdict: &Verdict, problem: &ProblemKind) -> bool {
    match (verdict, problem) {
        (Field(name), ProblemKind::MissingField { field, .. } | ProblemKind::HiddenField { field, .. }) => {
            name == field
        }
        (Name(unknown), ProblemKind::UnknownVariable { name, .. }) => unknown == name,
        (Selection, ProblemKind::NoFields { .. }) | (Container, ProblemKind::NotAMap { .. }) => true,
        _ => false,
    }
}

/// Rules with their verdicts.
type Rows<'a> = &'a [(&'a str, &'a [Verdict])];

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
    let with_optional_old_self = Context { optional_old_self: true, ..below };
    let tables: [(Context<'_>, Rows<'_>); 3] = [
        (below, &VERDICTS),
        (with_optional_old_self, &VERDICTS_WITH_OPTIONAL_OLD_SELF),
        (context(&node, true), &VERDICTS_ON_ROOT),
    ];
    for (context, (rule, verdicts)) in
        tables.iter().flat_map(|(context, table)| table.iter().map(|row| (*context, row)))
    {
        let problems = check_names(rule, context);
        let reported = |verdict: &Verdict| problems.iter().any(|problem| agrees(verdict, &problem.kind));
        let expected = |problem: &CelProblem| verdicts.iter().any(|verdict| agrees(verdict, &problem.kind));
        assert!(
            verdicts.iter().all(reported) && problems.iter().all(expected),
            "{rule}\n the server: {verdicts:?}\n this checker: {:?}",
            texts(&problems)
        );
        for problem in problems {
            assert!(rule.is_char_boundary(problem.at), "{rule}: {problem}");
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

// ---- what a rule reads ----

#[test]
fn named_fields_are_paths_of_the_schema() {
    let table: [(&str, &[&str]); 8] = [
        ("true", &[]),
        ("self == oldSelf", &[]),
        ("has(self.spec.rules)", &["spec", "spec rules"]),
        ("self.spec.rules.all(r, r.name == '')", &["spec", "spec rules", "spec rules [*] name"]),
        ("oldSelf.spec.rules[0].foo__dash__bar == ''", &["spec", "spec rules", "spec rules [*] foo-bar"]),
        ("self.spec.labels.x == self.spec.labels['y']", &["spec", "spec labels"]),
        ("self.metadata.name == '' || self.spec.missing", &["metadata", "spec"]),
        ("self.spec.", &[]),
    ];
    for (rule, expected) in table {
        let paths: Vec<String> = properties_read(rule, &example()).iter().map(|path| path.join(" ")).collect();
        assert_eq!(paths, expected, "{rule}");
    }
}

// ---- robustness ----

#[test]
fn no_text_makes_the_checker_panic() {
    let seeds: Vec<&str> =
        ACCEPTED.iter().chain(&REFUSED).copied().chain(VERDICTS.iter().map(|(rule, _)| *rule)).collect();
    let node = example();
    // A small generator of our own: the texts must be the same in every run.
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut random = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % limit as u64).unwrap()
    };
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
        properties_read(&rule, &node);
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

// ---- the recorded tables ----

/// cel-go parses these.
const ACCEPTED: [&str; 85] = [
    "a",
    "self.a.b == 'x'",
    ".a",
    "a ? b : c",
    "a ? b : c ? d : e",
    "a ? (b ? c : d) : e",
    "a || b && !c",
    "a == b == c",
    "a < b < c",
    "a in b",
    "!a",
    "!!a",
    "!-1",
    "--a",
    "-1u",
    "1",
    "007",
    "0x1F",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615u",
    "1.5",
    ".5",
    "1.e5",
    "1e5",
    "5in [5]",
    "'a'",
    "\"a\"",
    "''",
    "'''a\nb'''",
    "\"\"\"\"\"\"",
    "r\"\\d\"",
    "b'x'",
    "br'\\x'",
    "'\\x41'",
    "'\\u00e9'",
    "'\\101'",
    "'\\?\\`'",
    "\"\"\"a\\\"\"\"\"",
    "'é😀'",
    "[]",
    "[,]",
    "[1,]",
    "[?a]",
    "{}",
    "{,}",
    "{'a': 1,}",
    "{?'a': b}",
    "{a ? b : c : d}",
    "a.b{}",
    "a.b{c: d}",
    "a.b{,}",
    "a{`b-c`: 1}",
    "a[0]",
    "a[?0]",
    "a.?b",
    "a?.b:c",
    "a.`b-c`",
    "f()",
    "a.f(b, c)",
    "((a))",
    "a // c",
    "a\t\n\u{c}",
    "self.for",
    "for.x{}",
    "self.__in__",
    "null.a",
    "true.a",
    "has(a.b)",
    "has(a.b, c)",
    "has()",
    "a.has(b)",
    "has((a.b))",
    "has(has(a.b))",
    "has(!!a.b)",
    "a.all(x, x)",
    "a.all(x, y, x)",
    "a.all(x)",
    "a.existsOne(1, x)",
    "a.map(x, y, z)",
    "a.transformList(i, v, v)",
    "a.optMap(v, v)",
    "cel.bind(v, a, v)",
    "b.bind(1, a, v)",
    "a.sortBy(x, x)",
];

/// cel-go refuses these.
const REFUSED: [&str; 72] = [
    "",
    " ",
    "a b",
    "a.",
    ".",
    "a ? b ? c : d : e",
    "a ?: b",
    "a | b",
    "a & b",
    "a = b",
    "a inb",
    "ain b",
    "!-a",
    "-!a",
    "+1",
    "0xg",
    "0x",
    "0X1",
    "9223372036854775808",
    "--9223372036854775808",
    "18446744073709551616u",
    "1.",
    "1e400",
    "1..5",
    "\"a\nb\"",
    "\"abc",
    "'''abc''",
    "\"\"\"\"\"",
    "r\"\\\"\"",
    "rb'x'",
    "'\\q'",
    "'\\x4'",
    "'\\ud800'",
    "'\\U00110000'",
    "b'\\u0041'",
    "'\\400'",
    "é",
    "[,,]",
    "[1,,2]",
    "{'a'}",
    "a.b().c{}",
    "(a).b{}",
    "a[]",
    "a[1:2]",
    "a.?b()",
    "a?.b",
    "a.``",
    "a.`b`()",
    "f(a,)",
    "f(a b)",
    "(a",
    "a)",
    "a /* c */",
    "a\u{a0}",
    "for",
    "for(a)",
    "self.in",
    "has(a)",
    "has(a[0])",
    "has(a.?b)",
    "a.all(1, x)",
    "a.all(x.y, x)",
    "a.all(x, x, x)",
    "a.exists_one(1, x)",
    "a.existsOne(1, x, y)",
    "a.all(__result__, x)",
    "a.map(1, y, z)",
    "a.transformMap(1, v, v)",
    "a.optMap(1, v)",
    "cel.bind(1, a, v)",
    "{}.sortBy(x, x)",
    "'a'.sortBy(x, x)",
];

/// Opening and closing, how many times around `a`, and whether cel-go parses it.
const BRACKETS: [(&str, &str, usize, bool); 14] = [
    ("(", ")", 249, true),
    ("(", ")", 250, false),
    ("[", "]", 248, true),
    ("[", "]", 250, false),
    ("a?b:", "", 249, true),
    ("a?b:", "", 250, false),
    ("-(", ")", 249, true),
    ("-(", ")", 250, false),
    ("1+(", ")", 124, true),
    ("1+(", ")", 125, false),
    ("f(", ")", 249, true),
    ("f(", ")", 250, false),
    ("a<b+c*(", ")", 83, true),
    ("a<b+c*(", ")", 84, false),
];

/// What is written after `a`, how many times, and whether cel-go parses it.
const CHAINS: [(&str, usize, bool); 11] = [
    (".b", 250, true),
    (".b", 251, false),
    ("[0]", 250, true),
    ("[0]", 251, false),
    (".f()", 250, true),
    (".f()", 251, false),
    ("+a", 250, true),
    ("+a", 251, false),
    ("<a", 250, true),
    ("<a", 251, false),
    ("&&a", 5000, true),
];

/// Rules and the server's verdicts.
const VERDICTS: [(&str, &[Verdict]); 96] = [
    ("self.s == 'a' && has(self.a.x)", &[]),
    ("self.p == 1", &[Field("p")]),
    ("self.po.foo == 1", &[Field("foo")]),
    ("self.ios.foo == 1", &[]),
    ("self.namespace == ''", &[]),
    ("self.__namespace__ == ''", &[]),
    ("self.foo__dash__bar == ''", &[]),
    ("self.`foo-bar` == ''", &[Field("foo-bar")]),
    ("self.`namespace` == ''", &[]),
    ("self.a__b == ''", &[Field("a__b")]),
    ("self.a__underscores__b == ''", &[]),
    ("self.__in__ == ''", &[]),
    ("self.if == ''", &[]),
    ("self.e.metadata.name == ''", &[]),
    ("self.e.metadata.labels.size() == 0", &[Field("labels")]),
    ("self.e.apiVersion == self.e.kind", &[]),
    ("self.e.spec == 1", &[Field("spec")]),
    ("self['s'] == ''", &[Container]),
    ("'s' in self", &[Container]),
    ("'k' in self.m && 1 in self.c[0].ports", &[]),
    ("self.a.all(v, true)", &[Container]),
    ("self.s.x == ''", &[Selection]),
    ("self.n.x == 0", &[Selection]),
    ("self.l.x == ''", &[Selection]),
    ("self.t.x == ''", &[Selection]),
    ("self.m.x.x == ''", &[]),
    ("self.m.x.y == ''", &[Field("y")]),
    ("self.m['k'].y == ''", &[Field("y")]),
    ("self.l[0].y == ''", &[Field("y")]),
    ("has(self.a.y)", &[Field("y")]),
    ("has(self.m.y)", &[]),
    ("has(self.l[0].y)", &[Field("y")]),
    ("(true ? self.a : oldSelf.a).y == ''", &[Field("y")]),
    ("(true ? self.l : []).all(i, i.y == '')", &[Field("y")]),
    ("(true ? [] : self.l).all(i, i.y == '')", &[Field("y")]),
    ("(true ? dyn(self.a) : self.b).y == ''", &[]),
    ("[self.a].all(i, i.y == '')", &[Field("y")]),
    ("[self.a, oldSelf.a].all(i, i.y == '')", &[Field("y")]),
    ("[].all(v, v.y == '')", &[]),
    ("self.m.all(k, k.size() > 0)", &[]),
    ("self.m.all(k, k.y == '')", &[Selection]),
    ("self.m.all(k, v, k != v.x)", &[]),
    ("self.m.all(k, v, v.y == '')", &[Field("y")]),
    ("self.l.all(i, v, v.y == '')", &[Field("y")]),
    ("self.l.all(i, v, i.y == 0)", &[Selection]),
    ("self.l.exists(v, self.l.exists_one(w, v.x == w.y))", &[Field("y")]),
    ("self.l.all(self, self.x == '')", &[]),
    ("self.l.all(self, self.s == '')", &[Field("s")]),
    ("self.l.map(v, v.x).all(v, v.y == '')", &[Selection]),
    ("self.l.map(v, v.x == '', v)[0].y == ''", &[Field("y")]),
    ("self.l.filter(v, v.x == '')[0].y == ''", &[Field("y")]),
    ("self.m.filter(k, k.y == '').size() == 0", &[Selection]),
    ("self.m.transformList(k, v, v)[0].y == ''", &[Field("y")]),
    ("self.m.transformMap(k, v, v)['a'].y == ''", &[Field("y")]),
    ("self.m.transformMapEntry(k, v, {k: v})['a'].y == ''", &[Field("y")]),
    ("self.c.all(v, v.labels.all(k, v.labels[k] == '') && v.ports.all(p, p > 0))", &[]),
    ("self.c.all(v, v.label.all(k, true) || v.port[0] == 1)", &[Field("label"), Field("port")]),
    ("self.?a.?y.orValue('') == ''", &[Field("y")]),
    ("self.?a.?x.orValue('') == ''", &[]),
    ("self.?a.y.orValue('') == ''", &[Field("y")]),
    ("self.?a.orValue(oldSelf.a).y == ''", &[Field("y")]),
    ("self.?a.optMap(v, v.y).orValue('') == ''", &[Field("y")]),
    ("self.?a.optFlatMap(v, v.?y).orValue('') == ''", &[Field("y")]),
    ("optional.of(self.a).value().y == ''", &[Field("y")]),
    ("optional.none().or(optional.of(self.a)).value().y == ''", &[Field("y")]),
    ("self.m[?'a'].?y.orValue('') == ''", &[Field("y")]),
    ("self.l.first().value().y == ''", &[Field("y")]),
    ("self.l.distinct()[0].y == ''", &[Field("y")]),
    ("self.l.reverse()[0].y == ''", &[Field("y")]),
    ("self.l.sortBy(v, v.x)[0].y == ''", &[Field("y")]),
    ("self.l.sortBy(v, v.y)[0].x == ''", &[Field("y")]),
    ("[self.l].flatten()[0].y == ''", &[Field("y")]),
    ("(self.l + self.l)[0].y == ''", &[Field("y")]),
    ("{'a': self.a}.a.y == ''", &[Field("y")]),
    ("optional.unwrap([self.?a])[0].y == ''", &[Field("y")]),
    ("[?self.?a][0].y == ''", &[Field("y")]),
    ("{?'a': self.?a}.a.y == ''", &[Field("y")]),
    ("oldSelf.y == ''", &[Field("y")]),
    ("oldSelf.a.y == ''", &[Field("y")]),
    ("type(self.s) == string && type(self.s) != net.IP", &[]),
    ("type(self.s) == google.protobuf.Timestamp", &[]),
    ("type(self.s) == any", &[Name("any")]),
    ("a.x == ''", &[Name("a")]),
    ("slef.all(x, true)", &[Name("slef")]),
    ("foo.size() == 1", &[Name("foo")]),
    ("self.l.all(v, w.x == '')", &[Name("w")]),
    (".self.y == ''", &[Field("y")]),
    ("self.y.z.w == self.y", &[Field("y")]),
    ("self.l[self.y].x == ''", &[Field("y")]),
    ("size(self.y) == 0 && sets.contains([self.zz], [])", &[Field("y"), Field("zz")]),
    ("google.protobuf.Duration{seconds: self.y} == duration('1s')", &[Field("y")]),
    ("-self.y == 1 || !self.zz || self.y + self.zz == [self.n]", &[Field("y"), Field("zz")]),
    ("isIP(self.s) && ip(self.s).family() == 4 && !format.dns1123Label().validate(self.s).hasValue()", &[]),
    ("quantity(self.s).isGreaterThan(quantity('1')) || url(self.s).getHost() == self.q", &[Field("q")]),
    ("self.s.split('/')[0].size() < 253 && self.s.matches(r\"\"\"^a$\"\"\")", &[]),
    ("self.metadata.name == ''", &[Field("name")]),
];

/// The same where `optionalOldSelf` is true.
const VERDICTS_WITH_OPTIONAL_OLD_SELF: [(&str, &[Verdict]); 8] = [
    ("oldSelf.y == ''", &[Field("y")]),
    ("oldSelf.?a.y.orValue('') == ''", &[Field("y")]),
    ("oldSelf.value().y == ''", &[Field("y")]),
    ("oldSelf.value().a.x == ''", &[]),
    ("oldSelf.orValue(self).y == ''", &[Field("y")]),
    ("oldSelf.hasValue() ? oldSelf.value().a.y == '' : true", &[Field("y")]),
    ("oldSelf.optMap(o, o.a.y == '').orValue(true)", &[Field("y")]),
    ("oldSelf.optMap(o, o.a.x == self.s).orValue(true)", &[]),
];

/// The same where the node is the root of a resource.
const VERDICTS_ON_ROOT: [(&str, &[Verdict]); 6] = [
    ("self.metadata.name == '' && self.metadata.generateName == ''", &[]),
    ("self.metadata.labels.size() == 0", &[Field("labels")]),
    ("self.apiVersion == self.kind", &[]),
    ("self.metadata.nmae == ''", &[Field("nmae")]),
    ("oldSelf.metadata.name == self.s", &[]),
    ("self.apiversion == ''", &[Field("apiversion")]),
];
