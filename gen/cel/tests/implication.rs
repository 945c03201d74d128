//! What is proven of rules, and that nothing is proven that the evaluator refutes.

use std::sync::atomic::{AtomicUsize, Ordering};

use crd_cel::implication::{Answers, Proof};
use crd_cel::{CALL_BUDGET, Environment, Program, Value};
use crd_model::Schema;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;

fn proves(schema: &Schema, is_resource: bool, assumed: &[&str], rule: &str) -> Option<Proof> {
    Answers::default().proves(schema, is_resource, assumed, rule, &mut 1_000_000)
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
            "one": {"type": "array", "maxItems": 1, "items": {
                "type": "object", "properties": {"kind": {"type": "string"}, "port": {"type": "integer"}}, "required": ["kind"],
            }},
            "keys": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}},
            "names": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "refs": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["kind", "name"], "items": {
                "type": "object", "properties": {"kind": {"type": "string"}, "name": {"type": "string"}, "port": {"type": "integer"}},
                "required": ["kind", "name"],
            }},
            "level": {"type": "integer", "enum": [1, 5]},
            "part": part(),
        }),
        &["mode"],
    )
}

/// An object whose values are exact, and one level more.
fn part() -> serde_json::Value {
    json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string"},
        "b": {"type": "integer"},
        "c": {"type": "object", "properties": {"d": {"type": "string"}, "e": {"type": "array", "items": {"type": "string"}}}},
        "n": {"type": "number"},
    }})
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
fn rules_about_enums_short_lists_and_keys_follow_from_the_schema() {
    for rule in [
        "self.mode.matches('^[AB]$')",
        "self.mode.lowerAscii() in ['a', 'b']",
        "size(self.mode) == 1",
        "('is' + self.mode).startsWith('is')",
        "!has(self.level) || self.level in [1, 2, 3, 5]",
        "!has(self.one) || self.one.all(a, self.one.exists_one(b, a.kind == b.kind))",
        "!has(self.one) || self.one.filter(a, a.kind == 'x').size() <= 1",
        "!has(self.one) || self.one.all(a, self.one.filter(b, b.kind == a.kind).size() == 1)",
        "!has(self.one) || size(self.one) < 2",
        "!has(self.one) || !self.one.exists(a, a.kind == 'x') || self.one.all(a, a.kind == 'x')",
        "!has(self.names) || self.names.all(a, self.names.exists_one(b, a == b))",
        "!has(self.refs) || self.refs.all(a, self.refs.exists_one(b, b.name == a.name && a.kind == b.kind))",
        "!has(self.refs) || self.refs.all(a, a.kind != 'x' || self.refs.exists_one(b, b.kind == 'x' && a.name == b.name))",
        "self.?names.orValue([]).all(a, self.names.exists_one(b, b == a))",
        "[self.mode, 'x'] in [['A', 'x'], ['B', 'x'], ['C', 'y']]",
        "[self.mode] != ['C']",
        // What no item is, and a filter that keeps each item.
        "!has(self.keys) || !('A b' in self.keys) && !self.keys.exists(k, k == '*')",
        "!has(self.list) || self.list.filter(l, !has(l.new)).size() == self.list.size()",
        "!has(self.list) || self.list.filter(l, !has(l.new) || l.new > 3).all(l, has(l.kind))",
        "!has(self.list) || self.list.filter(l, !has(l.new)) == self.list || !self.on",
        "[has(self.key), has(self.name), has(self.port), has(self.on), has(self.list), has(self.one), has(self.part), has(self.new)].filter(x, x).size() <= 7",
    ] {
        assert_eq!(proves(&thing(), false, &[], rule), Some(Proof::Schema), "{rule}");
    }
}

#[test]
fn rules_follow_from_other_rules() {
    let mut faults = Vec::new();
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
        // A conditional is an implication, and a fallback is the other value.
        (
            "(has(self.name) && self.name.startsWith('u')) ? !has(self.key) : true",
            "(has(self.name) ? self.name : '').startsWith('u') ? !has(self.key) : true",
        ),
        (
            "(has(self.name) ? self.name : '').startsWith('u') ? !has(self.key) : true",
            "!has(self.name) || !self.name.startsWith('u') || !has(self.key)",
        ),
        ("self.?name.orValue('') != 'a'", "!has(self.name) || self.name != 'a'"),
        ("!has(self.name) || self.name != 'a'", "self.?name.orValue('b') != 'a'"),
        (
            "has(self.part) ? self.?part.c.d.orValue('') == '' : true",
            "!has(self.part) || !has(self.part.c) || !has(self.part.c.d) || self.part.c.d == ''",
        ),
        ("!has(self.port) || self.port > 5", "(has(self.port) ? self.port : 9) > 5"),
        ("!has(self.name) || self.name != ''", "!has(self.name) || size(self.name) > 0"),
        ("!has(self.name) || size(self.name) > 0", "!has(self.name) || self.name != ''"),
        // An absent list is an empty one.
        (
            "!has(self.list) || self.list.all(l, l.kind == 'x')",
            "(has(self.list) ? self.list : []).all(l, l.kind == 'x')",
        ),
        ("self.?list.orValue([]).all(l, l.kind == 'x')", "!has(self.list) || self.list.all(l, l.kind == 'x')"),
        ("!has(self.list) || size(self.list) <= 3", "size(self.?list.orValue([])) < 4"),
        ("!self.?list.orValue([]).exists(l, l.kind == 'x')", "!has(self.list) || !self.list.exists(l, l.kind == 'x')"),
        // Tuples are compared item by item.
        ("[self.name, self.key] in [['a', 'b']]", "[self.name, self.key] in [['c', 'd'], ['a', 'b']]"),
        ("self.name == 'a' && self.key == 'b'", "[self.name, self.key] == ['a', 'b']"),
        // Equal wholes have equal parts.
        ("self.part == oldSelf.part", "!has(self.part.a) || self.part.a == oldSelf.part.a"),
        ("self == oldSelf", "has(self.part) == has(oldSelf.part) && (!has(self.part) || self.part == oldSelf.part)"),
        ("self == oldSelf", "!has(self.part) || !has(self.part.n) || self.part.n == oldSelf.part.n"),
        ("self.part.c == oldSelf.part.c", "size(self.part.c.?e.orValue([])) == size(oldSelf.part.c.?e.orValue([]))"),
        ("self.part == oldSelf.part", "!has(self.part.b) || self.part.b <= oldSelf.part.b"),
    ] {
        if proves(&thing(), false, &[assumed], rule) != Some(Proof::Rules) {
            faults.push(format!("{assumed} => {rule}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
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
        // A list that fails before its items are read.
        ("true", "[self.name, 'x'].exists(n, n == 'x')"),
        ("true", "[?self.?name].exists(n, true)"),
        ("true", "[self.name].filter(n, true).size() == 1"),
        ("true", "self.name in ['a', self.name]"),
        ("true", "(has(self.name) ? self.name : 'a') != 'b'"),
        ("!has(self.name) || self.name != 'a'", "self.?name.orValue('a') != 'a'"),
        ("true", "self.?part.?c.orValue(self.part.c) == self.part.c"),
        ("self.?list.orValue([]).all(l, l.kind == 'x')", "self.list.all(l, l.kind == 'x')"),
        ("true", "!has(self.list) || self.list.all(a, self.list.exists_one(b, a.kind == b.kind))"),
        ("true", "!has(self.one) || self.one.exists(a, a.kind == 'x')"),
        ("true", "!has(self.one) || self.one.all(a, a.port == a.port)"),
        ("true", "!has(self.refs) || self.refs.all(a, self.refs.exists_one(b, a.kind == b.kind))"),
        (
            "true",
            "!has(self.refs) || self.refs.all(a, self.refs.exists_one(b, a.kind == b.kind && a.name == b.name && a.port == b.port))",
        ),
        ("true", "!has(self.names) || self.names.all(a, self.names.exists_one(b, a != b))"),
        ("true", "self.mode.matches('^A$')"),
        ("true", "!has(self.keys) || !('a' in self.keys)"),
        ("true", "!has(self.names) || !('A b' in self.names)"),
        ("true", "!has(self.list) || self.list.filter(l, has(l.port)).size() == self.list.size()"),
        ("true", "self.labels.filter(l, true) == self.labels"),
        ("true", "!has(self.list) || self.list.filter(l, l.port > 0 || true).all(l, has(l.port))"),
        ("true", "!has(self.level) || self.level < 5"),
        ("[self.name, self.key] in [['a', 'b'], ['c', 'd']]", "[self.name, self.key] in [['a', 'd'], ['c', 'b']]"),
        ("has(self.part) && self.part.c == oldSelf.part.c", "self.part == oldSelf.part"),
        ("self.part.a == oldSelf.part.a", "self.part == oldSelf.part"),
        ("self == oldSelf", "self.part.a == oldSelf.part.a"),
        ("self.names == oldSelf.names", "self.names[0] == oldSelf.names[0]"),
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
    for rule in ["!has(self.new) && has(self.metadata)", "has(self.metadata.name) && self.metadata.name.size() >= 0"] {
        assert_eq!(proves(&thing(), true, &[], rule), Some(Proof::Schema), "{rule}");
    }
    let by_name = "self.metadata.name == 'default' ? !has(self.new) : true";
    assert_eq!(proves(&thing(), true, &[], by_name), Some(Proof::Schema));
    // It does not describe the parts of one, and a name need not be generated.
    assert_eq!(proves(&thing(), false, &[], by_name), None);
    assert_eq!(proves(&thing(), true, &[], "has(self.metadata.generateName)"), None);
    let mut embedded = thing();
    embedded.embedded_resource = true;
    assert_eq!(proves(&embedded, false, &[], by_name), None);
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
    let answers = Answers::default();
    assert_eq!(answers.proves(&thing(), false, &[], rule, &mut 0), None);
    assert_eq!(answers.proves(&thing(), false, &[], rule, &mut left), Some(Proof::Schema));
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
            "(has(self.name) ? self.name : 'ab').startsWith('a')",
            "self.?name.orValue('a') == 'a'",
            "self.?name.orValue(self.key) == 'ab'",
            "(has(self.port) ? self.port : 7) > 6",
            "self.?list.orValue([]).all(l, l.kind == 'x')",
            "(has(self.list) ? self.list : []).exists(l, l.kind == 'x')",
            "size(self.?list.orValue([])) <= 1",
            "[self.mode, self.name] in [['A', 'a'], ['B', 'ab']]",
            "[self.name, self.key] == ['a', 'a']",
            "self.name in [self.key, 'a']",
            "[self.name, 'a'].exists(n, n == 'a')",
            "[?self.?name, 'a'].all(n, n == 'a')",
            "self.mode.lowerAscii() == 'a'",
            "self.mode.matches('^[AB]$')",
            "self.one.all(a, a.kind == 'x')",
            "self.one.exists(a, has(a.port) && a.port > 1)",
            "self.one.exists_one(a, a.port > 0)",
            "self.one.all(a, self.one.exists_one(b, a.kind == b.kind))",
            "self.one.filter(a, a.kind == 'x').size() == 1",
            "size(self.one) == 1",
            "self.names.all(a, self.names.exists_one(b, a == b))",
            "self.names.all(a, self.names.exists_one(b, a == 'x' && b == 'x'))",
            "self.refs.all(a, self.refs.exists_one(b, a.kind == b.kind))",
            "self.refs.all(a, self.refs.exists_one(b, a.name == b.name && b.kind == a.kind))",
            "self.level > 4",
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
        prop::option::of(prop::option::of((prop::sample::select(vec!["x", "y"]), prop::option::of(0..3)))),
        (
            prop::option::of(prop::sample::subsequence(vec!["x", "y", "z"], 0..3)),
            prop::option::of(prop::sample::subsequence(vec![("x", "a"), ("x", "b"), ("y", "a")], 0..3)),
            prop::option::of(prop::sample::select(vec![1, 5])),
        ),
    )
        .prop_map(|(mode, name, key, port, on, list, labels, one, (names, refs, level))| {
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
            set("one", one.map(|only| only.into_iter().map(item).collect()));
            set("names", names.map(|names| json!(names)));
            let reference = |(kind, name): (&str, &str)| json!({"kind": kind, "name": name});
            set("refs", refs.map(|refs| refs.into_iter().map(reference).collect()));
            set("level", level.map(|level| json!(level)));
            set("labels", labels.map(|keys| keys.into_iter().map(|key| (key.to_owned(), json!("x"))).collect()));
            value
        })
}

fn is_true(rule: &str, schema: &Schema, value: &serde_json::Value) -> bool {
    is_true_after(rule, schema, value, value)
}

fn is_true_after(rule: &str, schema: &Schema, value: &serde_json::Value, old: &serde_json::Value) -> bool {
    let program = Program::compile(rule, Environment::rule(schema, false).kubernetes(37)).expect("a rule");
    let result = program.evaluate(&[Value::from_json(value, schema), Value::from_json(old, schema)], CALL_BUDGET);
    matches!(result.value, Ok(Value::Boolean(true)))
}

/// The evaluator decides: it was compared with real servers.
#[test]
fn nothing_is_proven_that_a_value_breaks() {
    let schema = thing();
    let cases = (rule(), rule(), 0..3, prop::collection::vec(value(), 24));
    let config = ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
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
    assert!(proven > 100, "{proven} of 500 proven: the cases test nothing");
}

/// How many of the random cases were proven.
static PROVEN: AtomicUsize = AtomicUsize::new(0);

/// Random rules about an update, which compare wholes and parts.
fn update_rule() -> impl Strategy<Value = String> {
    let paths = ["", ".p", ".p.a", ".p.b", ".p.c", ".p.c.d", ".p.c.e", ".p.n", ".q", ".q.a", ".s", ".t"];
    let path = || prop::sample::select(paths.to_vec());
    let root = || prop::sample::select(vec!["self", "oldSelf"]);
    let leaf = prop_oneof![
        4 => path().prop_map(|path| format!("self{path} == oldSelf{path}")),
        2 => (path(), path()).prop_map(|(one, other)| format!("self{one} == oldSelf{other}")),
        1 => Just("self.p == self.q".to_owned()),
        2 => (root(), prop::sample::select(paths[1..].to_vec())).prop_map(|(root, path)| format!("has({root}{path})")),
        1 => path().prop_filter("a field", |path| !path.is_empty()).prop_map(|path| format!("has(self{path}) == has(oldSelf{path})")),
        2 => (root(), prop::sample::select(vec!["a", "x"])).prop_map(|(root, text)| format!("{root}.p.a == '{text}'")),
        1 => root().prop_map(|root| format!("{root}.p.b > 1")),
        1 => Just("self.p.b < oldSelf.p.b".to_owned()),
        1 => Just("self.p.b >= oldSelf.p.b".to_owned()),
        1 => Just("self.p.c == {'d': 'a'}".to_owned()).prop_map(|_| "size(self.p.c.e) == size(oldSelf.p.c.e)".to_owned()),
        1 => root().prop_map(|root| format!("{root}.s[0] == 'a'")),
        1 => root().prop_map(|root| format!("{root}.p.c.e[0] == 'a'")),
        1 => root().prop_map(|root| format!("{root}.s.all(x, x == 'a')")),
        1 => root().prop_map(|root| format!("{root}.t.exists(x, x.k == 'a' && x.v == 1)")),
        1 => root().prop_map(|root| format!("string({root}.p.n) == '1'")),
    ]
    .prop_map(|rule| format!("({rule})"));
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} && {other})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} || {other})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(test, yes, no)| format!("({test} ? {yes} : {no})")),
            inner.prop_map(|of| format!("!({of})")),
        ]
    })
}

/// The schema of [`update_rule`]: parts that are exact, and numbers, sets and map lists, which are not.
fn whole() -> Schema {
    schema(
        json!({
            "p": part(),
            "q": part(),
            "s": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "t": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": {
                "type": "object", "required": ["k"], "properties": {"k": {"type": "string"}, "v": {"type": "integer"}},
            }},
        }),
        &[],
    )
}

/// An object without the fields that a bit mask excludes. Few values, so that objects are often equal in part.
fn masked(bits: u32) -> serde_json::Value {
    let mut rest = bits;
    let mut take = |count: u32| {
        let taken = rest % count;
        rest /= count;
        taken as usize
    };
    let part = |take: &mut dyn FnMut(u32) -> usize| {
        let a = ["a", "x"][take(2)];
        let mut part = json!({ "a": a });
        if let Some(b) = [None, Some(1), Some(2)][take(3)] {
            part["b"] = json!(b);
        }
        match take(4) {
            0 => {}
            1 => part["c"] = json!({}),
            2 => part["c"] = json!({"d": "a", "e": ["a", "b"]}),
            _ => part["c"] = json!({"e": ["b", "a"]}),
        }
        match take(3) {
            0 => {}
            1 => part["n"] = json!(1),
            _ => part["n"] = json!(1.0),
        }
        part
    };
    let mut value = json!({});
    for name in ["p", "q"] {
        if take(5) > 0 {
            value[name] = part(&mut take);
        }
    }
    if let Some(set) = [None, Some(["a", "b"]), Some(["b", "a"])][take(3)] {
        value["s"] = json!(set);
    }
    let items = [json!({"k": "a", "v": 1}), json!({"k": "b"})];
    match take(3) {
        0 => {}
        1 => value["t"] = json!([items[0], items[1]]),
        _ => value["t"] = json!([items[1], items[0]]),
    }
    value
}

/// How many masks differ.
const MASKS: u32 = 360 * 360 * 9;

#[test]
fn no_update_breaks_what_is_proven() {
    let schema = whole();
    let change = |bits: u32, other: u32, form: u32| match form {
        0 => bits,
        // The low digits are those of the first part.
        1 => bits - bits % 10 + other % 10,
        2 => bits % 360 + other - other % 360,
        _ => other,
    };
    let pair = (0..MASKS, 0..MASKS, 0..4_u32).prop_map(move |(bits, other, form)| (bits, change(bits, other, form)));
    let cases = (update_rule(), update_rule(), any::<bool>(), prop::collection::vec(pair, 40));
    let mut proven = 0;
    let config = ProptestConfig { cases: 750, failure_persistence: None, ..ProptestConfig::default() };
    let counted = std::cell::RefCell::new(&mut proven);
    let result = TestRunner::new(config).run(&cases, |(assumed, weaker, is_weaker, pairs)| {
        let goal = if is_weaker { format!("({assumed}) || {weaker}") } else { weaker };
        let compiles = |rule: &str| Program::compile(rule, Environment::rule(&schema, false).kubernetes(37)).is_ok();
        if compiles(&goal) && compiles(&assumed) && proves(&schema, false, &[&assumed], &goal).is_some() {
            for (old, new) in pairs {
                let (old, new) = (masked(old), masked(new));
                let is_broken =
                    is_true_after(&assumed, &schema, &new, &old) && !is_true_after(&goal, &schema, &new, &old);
                prop_assert!(!is_broken, "{assumed}\n{goal}\n{old}\n{new}");
            }
            **counted.borrow_mut() += 1;
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(proven > 100, "{proven} of 750 proven: the cases test nothing");
}

/// Random rules about fields with defaults.
fn default_rule() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(
        [
            "has(self.s)",
            "self.s == 1",
            "self.s > 0",
            "(has(self.s) ? self.s : 1) >= self.limit",
            "!has(self.s) || self.s > 1",
            "self.?s.orValue(1) < self.limit",
            "has(self.limit)",
            "self.limit > 1",
            "self.mode == 'a'",
            "self.mode.startsWith('a')",
            "size(self.mode) > 1",
            "(has(self.mode) ? self.mode : 'a') in ['a', 'b']",
            "has(self.deep)",
            "has(self.deep.s)",
            "self.deep.s == 2",
            "self.?deep.s.orValue(2) > 1",
            "self == oldSelf",
            "self.deep == oldSelf.deep",
            "self.deep.s == oldSelf.deep.s",
            "has(oldSelf.deep) && has(oldSelf.deep.s)",
            "self.list.all(i, i.on)",
            "self.list.all(i, !has(i.on) || i.on)",
            "self.list.exists(i, has(i.on))",
            "self.list.exists_one(i, has(i.on) ? i.on : true)",
            "self.list.all(i, self.list.exists_one(j, i == j))",
            "self.list == oldSelf.list",
            "self.list[0].on",
            "self.list.filter(i, i.k == 'x').size() > 0",
            "self.list.filter(i, i.k == 'x')[0].on",
            "self.list.exists(i, i == self.list[0])",
            "self.list.map(i, i.k) == ['x']",
            "size(self.list) == 1",
            "self.one.all(i, i.on)",
            "self.one.exists(i, !has(i.on))",
        ]
        .map(|rule| format!("({rule})"))
        .to_vec(),
    );
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} && {other})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} || {other})")),
            inner.prop_map(|of| format!("!({of})")),
        ]
    })
}

/// The schema of [`default_rule`].
fn with_defaults() -> Schema {
    let items = json!({
        "type": "object", "properties": {"k": {"type": "string"}, "on": {"type": "boolean", "default": true}},
    });
    schema(
        json!({
            "s": {"type": "integer", "default": 1},
            "limit": {"type": "integer"},
            "mode": {"type": "string", "default": "a"},
            "deep": {"type": "object", "properties": {"s": {"type": "integer", "default": 2}}},
            "list": {"type": "array", "items": items},
            "one": {"type": "array", "maxItems": 1, "items": items},
        }),
        &["s"],
    )
}

fn before_defaults() -> impl Strategy<Value = serde_json::Value> {
    let item = (prop::option::of(prop::sample::select(vec!["x", "y"])), prop::option::of(any::<bool>()));
    let object = |fields: Vec<(&str, Option<serde_json::Value>)>| {
        let there = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        serde_json::Value::Object(there.collect())
    };
    let list = move |length: std::ops::Range<usize>| {
        prop::option::of(prop::collection::vec(item.clone(), length).prop_map(move |items| {
            let item = |(k, on): (Option<&str>, Option<bool>)| {
                object(vec![("k", k.map(|k| json!(k))), ("on", on.map(|on| json!(on)))])
            };
            items.into_iter().map(item).collect::<serde_json::Value>()
        }))
    };
    (
        prop::option::of(0..3),
        prop::option::of(0..3),
        prop::option::of(prop::sample::select(vec!["a", "ab", "c"])),
        prop::option::of(prop::option::of(1..4)),
        list(0..3),
        list(0..2),
    )
        .prop_map(move |(s, limit, mode, deep, list, one)| {
            object(vec![
                ("s", s.map(|s| json!(s))),
                ("limit", limit.map(|limit| json!(limit))),
                ("mode", mode.map(|mode| json!(mode))),
                ("deep", deep.map(|s| object(vec![("s", s.map(|s| json!(s)))]))),
                ("list", list),
                ("one", one),
            ])
        })
}

/// The object with the defaults of its schema.
fn filled(value: &serde_json::Value, schema: &Schema) -> serde_json::Value {
    match value {
        serde_json::Value::Object(fields) => {
            let mut fields = fields.clone();
            for (name, child) in &schema.properties {
                let value = fields.get(&**name).or(child.default.as_ref()).map(|value| filled(value, child));
                if let Some(value) = value {
                    fields.insert(name.to_string(), value);
                }
            }
            fields.into()
        }
        serde_json::Value::Array(items) => {
            items.iter().map(|item| filled(item, schema.items.as_deref().expect("items"))).collect()
        }
        other => other.clone(),
    }
}

#[test]
fn a_default_that_equals_a_fallback_breaks_no_rule() {
    for rule in [
        "(has(self.s) ? self.s : 1) >= self.limit",
        "self.?s.orValue(1) >= self.limit",
        "!has(self.deep) || (has(self.deep.s) ? self.deep.s : 2) == self.limit",
        "self.list.all(i, has(i.on) ? i.on : true)",
        "!has(self.mode) || self.mode == 'a'",
        "self.limit > 1 && size(self.list) == 2",
        "self.list.map(i, i.k) == ['x']",
    ] {
        let proven = proves(&with_defaults(), false, &[rule], rule).is_some();
        assert_eq!(proven, rule != "self.list.map(i, i.k) == ['x']", "{rule}");
    }
    for rule in [
        "(has(self.s) ? self.s : 2) >= self.limit",
        "!has(self.s) || self.s > 1",
        "!has(self.deep) || (has(self.deep.s) ? self.deep.s : 1) == self.limit",
        "self.list.all(i, !has(i.on) || !i.on)",
        "self.list.filter(i, !has(i.on)).size() > 0",
        "!has(self.deep) || !has(self.deep.s)",
        "self.deep == oldSelf.deep && !has(self.deep.s)",
    ] {
        assert_eq!(proves(&with_defaults(), false, &[rule], rule), None, "{rule}");
    }
}

/// The goal reads the object with defaults, and the assumed rule reads the object before.
#[test]
fn no_default_breaks_what_is_proven() {
    let schema = with_defaults();
    let mut before = schema.clone();
    before.each_mut(&mut |node| {
        node.default = None;
        node.required.clear();
    });
    let values = prop::collection::vec((before_defaults(), before_defaults(), any::<bool>()), 24);
    let cases = (default_rule(), default_rule(), 0..3, values);
    let mut proven = 0;
    let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
    let counted = std::cell::RefCell::new(&mut proven);
    let result = TestRunner::new(config).run(&cases, |(assumed, weaker, form, values)| {
        let goal = match form {
            0 => weaker,
            1 => assumed.clone(),
            _ => format!("({assumed}) || {weaker}"),
        };
        if proves(&schema, false, &[&assumed], &goal).is_some() {
            for (old, new, is_same) in values {
                let old = if is_same { new.clone() } else { old };
                let after = [&new, &old].map(|value| filled(value, &schema));
                let is_broken = is_true_after(&assumed, &before, &new, &old)
                    && !is_true_after(&goal, &schema, &after[0], &after[1]);
                prop_assert!(!is_broken, "{assumed}\n{goal}\n{new}\n{old}");
            }
            **counted.borrow_mut() += 1;
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(proven > 30, "{proven} of 300 proven: the cases test nothing");
}
