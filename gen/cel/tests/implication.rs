//! What is proven of rules, and that nothing is proven that the evaluator refutes.

use std::sync::atomic::{AtomicUsize, Ordering};

use crd_cel::implication::{self, Proof};
use crd_cel::{CALL_BUDGET, Environment, Program, Value};
use crd_model::Schema;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;

fn proves(schema: &Schema, is_resource: bool, assumed: &[&str], rule: &str) -> Option<Proof> {
    implication::proves(schema, is_resource, assumed, rule, &mut 1_000_000)
}

fn schema(properties: serde_json::Value, required: &[&str]) -> Schema {
    Schema::from_value(&json!({"type": "object", "properties": properties, "required": required})).expect("a schema")
}

/// `mode` is required and has two values; `new` is not a field.
fn thing() -> Schema {
    schema(
        json!({
            "mode": {"type": "string", "enum": ["A", "B"]},
            "name": {"type": "string", "minLength": 1, "maxLength": 9},
            "key": {"type": "string", "pattern": "^[a-z]+$"},
            "port": {"type": "integer", "minimum": 1, "maximum": 100},
            "small": {"type": "integer", "format": "int32"},
            "on": {"type": "boolean"},
            "list": {"type": "array", "minItems": 1, "items": {
                "type": "object", "properties": {"kind": {"type": "string"}, "port": {"type": "integer"}}, "required": ["kind"],
            }},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        }),
        &["mode"],
    )
}

#[test]
fn rules_about_absent_and_required_fields_and_closed_values_follow_from_the_schema() {
    for rule in [
        "!(has(self.new) && has(self.other))",
        "has(self.mode) && self.mode == 'C' ? has(self.new) : !has(self.new)",
        "(has(self.mode) && !has(self.new)) || (!has(self.mode) && has(self.new))",
        "self.mode in ['A', 'B', 'C']",
        "self.mode != 'C'",
        "!has(self.name) || self.name != ''",
        "!has(self.name) || size(self.name) > 0",
        "!has(self.name) || self.name.size() <= 9",
        "!has(self.key) || self.key != 'A b'",
        "!has(self.key) || self.key.matches('^[a-z]+')",
        "!has(self.port) || (self.port > 0 && self.port <= 100)",
        "!has(self.list) || self.list.size() >= 1",
        "!has(self.list) || self.list.all(l, has(l.kind))",
        "!has(self.list) || self.list.all(l, !has(l.new) || l.new > 3)",
        "[has(self.mode), has(self.new)].filter(x, x == true).size() == 1",
        "[has(self.mode), has(self.new)].exists_one(x, x)",
        "(has(self.mode) ? 1 : 0) + (has(self.new) ? 1 : 0) == 1",
        "has(self.new) == has(self.other)",
        "cel.bind(m, self.mode, m == 'A' || m == 'B')",
        "self.mode != 'C' || (has(self.new) && self.new.name.startsWith('x'))",
    ] {
        assert_eq!(proves(&thing(), false, &[], rule), Some(Proof::Schema), "{rule}");
    }
}

#[test]
fn rules_follow_from_other_rules() {
    for (assumed, rule) in [
        (
            "self.mode == 'A' ? size(self.name) > 0 : true",
            "self.mode == 'A' ? size(self.name) > 0 || size(self.key) > 0 : true",
        ),
        ("self.port <= 10", "self.port < 20"),
        ("self.port == 10", "10 == self.port"),
        ("has(self.name) && self.name in ['a', 'b']", "!has(self.name) || self.name in ['b', 'c', 'a']"),
        ("self.list.all(l, l.kind == 'x')", "self.list.all(item, item.kind in ['x', 'y'])"),
        ("self.list.exists(l, l.kind == 'x')", "self.list.exists(item, item.kind == 'x' || item.kind == 'y')"),
        (
            "self.list.all(a, self.list.exists_one(b, a.kind == b.kind))",
            "self.list.all(one, self.list.exists_one(other, (one.kind == other.kind)))",
        ),
        ("self.list.exists_one(b, b.kind == 'x')", "self.list.exists_one(b, !(b.kind != 'x'))"),
        (
            "self.list.all(a, a.kind == 'x' ? self.list.exists_one(b, b.kind == a.kind && b.port == a.port) : true)",
            "self.list.all(a, a.kind == 'x' && has(a.port) ? self.list.exists_one(b, b.kind == a.kind && has(b.port) && b.port == a.port) : true)",
        ),
        ("!has(self.name) && !has(self.key)", "!(has(self.name) || has(self.key))"),
        ("self.on", "self.on == true"),
        ("self.name.startsWith('a')", "self.name.startsWith('a') || self.name.endsWith('b')"),
        ("self.name == oldSelf.name", "self.name == oldSelf.name || self.on"),
        ("self.labels.all(k, k != 'a')", "self.labels.all(key, !(key == 'a'))"),
    ] {
        assert_eq!(proves(&thing(), false, &[assumed], rule), Some(Proof::Rules), "{assumed} => {rule}");
    }
}

#[test]
fn what_some_value_breaks_is_not_proven() {
    for (assumed, rule) in [
        ("true", "self.mode == 'A'"),
        ("true", "has(self.name)"),
        ("true", "self.name != 'a'"),
        ("true", "self.port != 50"),
        // Servers before 1.36 accept larger integers.
        ("true", "!has(self.small) || self.small <= 2147483647"),
        ("true", "!has(self.port) || self.port < 100"),
        ("true", "!has(self.list) || self.list.all(l, l.port > 0)"),
        ("self.list.exists(l, l.kind == 'x')", "self.list.all(l, l.kind == 'x')"),
        ("self.list.exists_one(l, l.kind == 'x')", "self.list.exists_one(l, l.kind in ['x', 'y'])"),
        // An operand that fails.
        ("true", "int(self.mode) > 0 || int(self.mode) <= 0"),
        ("true", "self.list[0].kind == 'a' || self.list[0].kind != 'a'"),
        ("true", "self.name == 'a' || self.name != 'a'"),
        ("true", "self.port + 1 > self.port"),
        // The other operand of `||` does not absorb what `==` does not have.
        ("self.name == 'a' || has(self.key)", "self.name == 'a'"),
        // A syntax error.
        ("true", "self.mode =="),
    ] {
        assert_eq!(proves(&thing(), false, &[assumed], rule), None, "{assumed} => {rule}");
    }
}

#[test]
fn unlisted_fields_are_absent_only_where_they_are_pruned() {
    let mut open = thing();
    open.preserve_unknown_fields = Some(true);
    assert_eq!(proves(&open, false, &[], "!has(self.new)"), None);
    // The server describes the metadata of a resource.
    let rule = "!has(self.metadata.name)";
    assert_eq!(proves(&thing(), true, &[], rule), None);
    assert_eq!(proves(&thing(), true, &[], "!has(self.new) && has(self.metadata)"), Some(Proof::Schema));
}

#[test]
fn work_is_limited() {
    let fields = (0..60).map(|field| format!("self.f{field}.matches('a') == self.g{field}.matches('b')"));
    let rule = fields.collect::<Vec<_>>().join(" || ");
    assert_eq!(proves(&Schema::default(), false, &[], &rule), None);
    let deep = (0..40).fold("x == 'a'".to_owned(), |body, _| format!("self.list.all(x, {body})"));
    proves(&thing(), false, &[&deep], &deep);
    // Nothing is proven where no work is left, and each proof takes some.
    let (rule, mut left) = ("has(self.mode)", 100);
    assert_eq!(implication::proves(&thing(), false, &[], rule, &mut 0), None);
    assert_eq!(implication::proves(&thing(), false, &[], rule, &mut left), Some(Proof::Schema));
    assert!(left < 100, "{left}");
}

/// A rule over the fields of [`thing`], some of which never exist.
fn rule() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(
        [
            "has(self.mode)",
            "has(self.name)",
            "has(self.key)",
            "has(self.port)",
            "has(self.on)",
            "has(self.list)",
            "self.mode == 'A'",
            "self.mode == 'B'",
            "self.mode == 'C'",
            "self.mode in ['A', 'C']",
            "self.name == ''",
            "self.name == 'a'",
            "self.name != 'b'",
            "self.name == self.key",
            "size(self.name) > 1",
            "self.name.size() < 9",
            "self.key == 'ab'",
            "self.key in ['ab', 'A']",
            "self.key.startsWith('a')",
            "self.key < self.name",
            "self.port > 1",
            "self.port >= 100",
            "self.port == 7",
            "self.port + 1 > 7",
            "100 / self.port > 20",
            "int(self.name) > 0",
            "self.on",
            "self.on == false",
            "size(self.list) == 1",
            "self.list.size() > 1",
            "self.list[0].kind == 'x'",
            "self.list.all(l, l.kind == 'x')",
            "self.list.all(l, l.kind == 'x' || l.port > 1)",
            "self.list.exists(l, l.port == 1)",
            "self.list.exists(l, has(l.port) && l.port > 0)",
            "self.list.exists_one(l, l.kind == 'x')",
            "self.list.exists_one(l, !(l.kind != 'x'))",
            "self.list.map(l, l.kind) == ['x']",
            "self.list.filter(l, l.kind == 'x').size() > 0",
            "self.list.all(l, self.list.exists_one(m, m.kind == l.kind))",
            "'a' in self.labels",
            "self.labels.all(k, k != 'a')",
            "self.labels.exists(k, k == 'a' || self.labels[k] == 'x')",
            "size(self.labels) > 0",
            "[has(self.name), has(self.key)].exists_one(x, x)",
            "[has(self.name), has(self.key)].filter(x, x == true).size() == 1",
            "true",
            "false",
        ]
        .map(|rule| format!("({rule})"))
        .to_vec(),
    );
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} && {other})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} || {other})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} == {other})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(test, yes, no)| format!("({test} ? {yes} : {no})")),
            inner.prop_map(|of| format!("!({of})")),
        ]
    })
}

/// A value that the schema of [`thing`] accepts.
fn value() -> impl Strategy<Value = serde_json::Value> {
    let item = (prop::sample::select(vec!["x", "y", ""]), prop::option::of(0..3));
    let list = prop::collection::vec(item, 1..4);
    (
        prop::sample::select(vec!["A", "B"]),
        prop::option::of(prop::sample::select(vec!["a", "b", "ab", "7", "abcdefghi"])),
        prop::option::of(prop::sample::select(vec!["a", "ab", "z"])),
        prop::option::of(prop::sample::select(vec![1, 2, 6, 7, 8, 99, 100])),
        prop::option::of(any::<bool>()),
        prop::option::of(list),
        prop::option::of(prop::sample::subsequence(vec!["a", "b", "x"], 0..3)),
    )
        .prop_map(|(mode, name, key, port, on, list, labels)| {
            let mut value = json!({"mode": mode});
            let mut set = |name: &str, field: Option<serde_json::Value>| {
                if let Some(field) = field {
                    value[name] = field;
                }
            };
            set("name", name.map(|name| json!(name)));
            set("key", key.map(|key| json!(key)));
            set("port", port.map(|port| json!(port)));
            set("on", on.map(|on| json!(on)));
            let item = |(kind, port): (&str, Option<i32>)| match port {
                Some(port) => json!({"kind": kind, "port": port}),
                None => json!({"kind": kind}),
            };
            set("list", list.map(|items| items.into_iter().map(item).collect()));
            set("labels", labels.map(|keys| keys.into_iter().map(|key| (key.to_owned(), json!("x"))).collect()));
            value
        })
}

fn is_true(rule: &str, schema: &Schema, value: &serde_json::Value) -> bool {
    let program = Program::compile(rule, Environment::rule(schema, false).kubernetes(37)).expect("a rule");
    let result = program.evaluate(&[Value::from_json(value, schema)], CALL_BUDGET);
    matches!(result.value, Ok(Value::Boolean(true)))
}

/// The evaluator decides: it was compared with real servers.
#[test]
fn nothing_is_proven_that_a_value_breaks() {
    let schema = thing();
    let cases = (rule(), rule(), 0..3, prop::collection::vec(value(), 24));
    let config = ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&cases, |(assumed, weaker, form, values)| {
        let goal = match form {
            0 => weaker,
            1 => format!("({assumed}) || {weaker}"),
            _ => format!("!({assumed}) || {weaker}"),
        };
        if proves(&schema, false, &[&assumed], &goal).is_some() {
            for value in values {
                let is_broken = is_true(&assumed, &schema, &value) && !is_true(&goal, &schema, &value);
                prop_assert!(!is_broken, "{assumed}\n{goal}\n{value}");
            }
            PROVEN.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let proven = PROVEN.load(Ordering::Relaxed);
    assert!(proven > 500, "{proven} of 2000 proven: the cases test nothing");
}

/// How many of the random cases were proven.
static PROVEN: AtomicUsize = AtomicUsize::new(0);
