//! Values, failures and costs of expressions.
//!
//! `recorded.jsonl` has what Kubernetes' own libraries (version 1.37, all functions enabled) return for each expression: the value or the
//! failure, and the run-time cost.

use crd_cel::{CALL_BUDGET, Environment, Evaluation, Expression, Program, Value};
use crd_model::Schema;
use serde_json::{Value as Json, json};

/// The text of a value without parts, as the recording has it.
fn written(value: &Value<'_>) -> Option<String> {
    Some(match value {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Unsigned(value) => value.to_string(),
        Value::Text(text) => text.to_string(),
        _ => return None,
    })
}

#[test]
fn values_failures_and_costs_are_those_of_kubernetes() {
    let mut report = Vec::new();
    let mut count = 0;
    for line in include_str!("recorded.jsonl").lines() {
        let recorded: Json = serde_json::from_str(line).expect("JSON");
        let source = recorded["expr"].as_str().expect("an expression");
        count += 1;
        let program = match Program::compile(source, Environment::dynamic(&[])) {
            Ok(_) if recorded["refused"] == true => {
                report.push(format!("{source}: compiles"));
                continue;
            }
            Ok(program) => program,
            Err(_) if recorded["refused"] == true => continue,
            Err(problems) => {
                report.push(format!("{source}: {}", problems[0]));
                continue;
            }
        };
        let Evaluation { value, cost } = program.evaluate(&[Value::from_plain_json(&recorded["self"])], CALL_BUDGET);
        let actual = match &value {
            Ok(value) => json!({"type": value.type_name(), "value": written(value)}),
            Err(failure) => json!({"error": failure.to_string()}),
        };
        let has = |key: &str| recorded.get(key).is_none_or(|wanted| actual[key] == *wanted);
        let is_cost = recorded.get("cost").is_none_or(|wanted| *wanted == cost);
        if !has("type")
            || !has("value")
            || !has("error")
            || value.is_err() != recorded.get("error").is_some()
            || !is_cost
        {
            report.push(format!("{source}: {actual} for {cost}, and Kubernetes: {line}"));
        }
    }
    assert!(report.is_empty(), "{}", report.join("\n"));
    assert!(count > 100, "{count} expressions");
}

/// The result of a rule of this schema.
fn evaluated(schema: &Json, object: &Json, rule: &str) -> Result<String, String> {
    let schema = Schema::from_value(schema).expect("a schema");
    let environment = Environment::rule(&schema, true).expression(Expression::Message);
    let source = format!("string({rule})");
    let program = Program::compile(&source, environment).map_err(|problems| format!("refused: {}", problems[0]))?;
    let value = program.evaluate(&[Value::from_resource(object, &schema)], CALL_BUDGET).value;
    match value {
        Ok(value) => Ok(written(&value).expect("a text")),
        Err(failure) => Err(failure.to_string()),
    }
}

#[test]
fn fields_have_the_types_of_their_schemas() {
    let schema = json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
            "a-b": {"type": "string"},
            "namespace": {"type": "string"},
            "labels": {"type": "object", "additionalProperties": {"type": "integer"}},
            "data": {"type": "string", "format": "byte"},
            "at": {"type": "string", "format": "date-time"},
            "day": {"type": "string", "format": "date"},
            "wait": {"type": "string", "format": "duration"},
            "port": {"x-kubernetes-int-or-string": true},
            "half": {"type": "number"},
            "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "rows": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k-1"],
                "items": {"type": "object", "properties": {"k-1": {"type": "string"}, "v": {"type": "integer"}}}},
            "none": {"type": "string", "nullable": true},
            "items": {"type": "array", "items": {"type": "string", "nullable": true}},
        }},
    }});
    let object = json!({"apiVersion": "v1", "kind": "Widget", "metadata": {"name": "one"}, "spec": {
        "a-b": "x", "namespace": "n", "labels": {"a-b": 1}, "data": "YWI=", "at": "2024-01-02T03:04:05Z", "day": "2024-01-02",
        "wait": "90s", "port": "http", "half": 1, "set": ["a", "b"], "rows": [{"k-1": "x", "v": 1}, {"k-1": "y", "v": 2}],
        "none": null, "items": [null, "a"],
    }});
    let table = [
        ("self.spec.a__dash__b", Ok("x")),
        ("self.spec.__namespace__ + self.spec.namespace", Ok("nn")),
        ("self.spec.labels['a-b']", Ok("1")),
        ("has(self.spec.labels.a__dash__b)", Ok("false")),
        ("self.spec.data == b'ab'", Ok("true")),
        ("self.spec.at.getFullYear()", Ok("2024")),
        ("self.spec.at - self.spec.day", Ok("11045s")),
        ("self.spec.wait.getMinutes()", Ok("1")),
        ("type(self.spec.port) == string && self.spec.port == 'http'", Ok("true")),
        ("self.spec.port + 1 > 2", Err("no such overload")),
        ("self.spec.half / 2.0", Ok("0.5")),
        ("self.spec.set == ['b', 'a']", Ok("true")),
        ("['b', 'a'] == self.spec.set", Ok("false")),
        ("(self.spec.set + ['b', 'c']).size()", Ok("3")),
        // A server looks for the escaped name of the key `k-1`, so that the last row counts for each.
        ("self.spec.rows == self.spec.rows.map(r, r).reverse()", Ok("false")),
        ("self.spec.rows == self.spec.rows", Ok("false")),
        ("(self.spec.rows + self.spec.rows).size()", Ok("2")),
        ("has(self.spec.none)", Ok("false")),
        ("self.spec.none", Err("no such key: none")),
        ("self.spec.items.filter(i, dyn(i) == null).size()", Ok("1")),
        ("self.metadata.name + self.kind", Ok("oneWidget")),
        ("self.spec.?missing.orValue('x')", Err("refused: byte 18: `self.spec` has no field `missing`")),
    ];
    for (rule, expected) in table {
        let actual = evaluated(&schema, &object, rule);
        let actual = actual.as_deref().map_err(|error| error.split(';').next().unwrap_or_default());
        assert_eq!(actual, expected, "{rule}");
    }
}

#[test]
fn transition_rules_read_the_old_value() {
    let schema =
        Schema::from_value(&json!({"type": "object", "properties": {"n": {"type": "integer"}}})).expect("a schema");
    let (old, new) = (json!({"n": 1}), json!({"n": 2}));
    let inputs = [Value::from_json(&new, &schema), Value::from_json(&old, &schema)];
    let program = Program::compile("self.n > oldSelf.n", Environment::rule(&schema, false)).expect("a rule");
    let Evaluation { value, cost } = program.evaluate(&inputs, CALL_BUDGET);
    assert!(matches!(value, Ok(Value::Boolean(true))));
    assert_eq!(cost, 5);
    let environment = Environment::rule(&schema, false).optional_old_self(true);
    let program = Program::compile("oldSelf.?n.orValue(0) < self.n", environment).expect("a rule");
    let inputs = [Value::from_json(&new, &schema), Value::Optional(None)];
    assert!(matches!(program.evaluate(&inputs, CALL_BUDGET).value, Ok(Value::Boolean(true))));
}

#[test]
fn a_budget_stops_an_evaluation_and_is_not_absorbed() {
    let program = Program::compile("self.all(x, x > 0) || true", Environment::dynamic(&[])).expect("an expression");
    let list = json!(vec![1; 1000]);
    let result = program.evaluate(&[Value::from_plain_json(&list)], 100);
    let failure = result.value.expect_err("over the budget");
    assert!(failure.is_over_budget());
    assert_eq!(failure.to_string(), "operation cancelled: actual cost limit exceeded");
    assert!(result.cost > 100 && result.cost < 120);
    assert_eq!(program.evaluate(&[Value::from_plain_json(&list)], CALL_BUDGET).cost, 5002);
}

#[test]
fn older_minors_refuse_newer_functions() {
    let table = [
        ("[1].sort() == [1]", 34, Some("`sort` needs Kubernetes 1.35, and Kubernetes 1.34 refuses it in new rules")),
        ("[1].sort() == [1]", 35, None),
        (
            "isSemver('1.2.3')",
            33,
            Some("`isSemver` needs Kubernetes 1.34, and Kubernetes 1.33 refuses it in new rules"),
        ),
        ("isSemver('1.2.3')", 34, None),
        ("[1].all(i, v, v > i)", 32, Some("`all` needs Kubernetes 1.33, and Kubernetes 1.32 refuses it in new rules")),
        ("[1].all(i, v, v > i)", 33, None),
        (
            "[1].sortBy(x, x) == [1]",
            34,
            Some("`sortBy` needs Kubernetes 1.35, and Kubernetes 1.34 refuses it in new rules"),
        ),
        ("[1].includes(1)", 37, Some("`includes` needs Kubernetes 1.38, and Kubernetes 1.37 refuses it in new rules")),
        ("isQuantity('1Gi')", 32, None),
    ];
    for (source, minor, expected) in table {
        let found = Program::compile(source, Environment::dynamic(&[]).kubernetes(minor)).err();
        let found = found.map(|problems| problems[0].kind.to_string());
        assert_eq!(found.as_deref(), expected, "{source}");
    }
}

#[test]
fn what_cannot_be_decided_says_so() {
    let zone = "timestamp('2024-01-01T00:00:00Z').getHours('Europe/Paris') == 1";
    for (source, object) in [(zone, json!(null)), (r"self.matches('^\\pL$')", json!("é"))] {
        let program = Program::compile(source, Environment::dynamic(&[])).expect(source);
        let failure = program.evaluate(&[Value::from_plain_json(&object)], CALL_BUDGET).value.expect_err(source);
        assert!(failure.is_undecided(), "{failure}");
    }
}

#[test]
fn programs_are_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Program>();
    is_shared::<Value<'static>>();
}

/// The result of a rule on a server of this minor.
fn of_minor(minor: u32, schema: &Json, object: &Json, rule: &str) -> Result<bool, String> {
    let schema = Schema::from_value(schema).expect("a schema");
    let program = Program::compile(rule, Environment::rule(&schema, false).kubernetes(minor)).expect(rule);
    match program.evaluate(&[Value::from_json(object, &schema)], CALL_BUDGET).value {
        Ok(value) => Ok(matches!(value, Value::Boolean(true))),
        Err(failure) => Err(failure.to_string()),
    }
}

#[test]
fn results_depend_on_the_minor_as_those_of_servers() {
    let schema = json!({"type": "object", "properties": {
        "none": {"type": "string", "nullable": true}, "__m__": {"type": "string"}, "data": {"type": "string", "format": "byte"},
        "at": {"type": "string", "format": "date-time"},
    }});
    let null = json!({"none": null});
    let equal = "self == self";
    // A null is not found in the other object.
    assert_eq!(of_minor(33, &schema, &null, equal), Ok(false));
    assert_eq!(of_minor(34, &schema, &null, equal), Ok(true));
    // A name with underscores is not found in either.
    assert_eq!(of_minor(33, &schema, &json!({"__m__": "a"}), equal), Ok(false));
    assert_eq!(of_minor(37, &schema, &json!({"__m__": "a"}), equal), Ok(true));
    let data = json!({"data": "AAEC/w==", "at": "2023-06-15t10:00:00z"});
    let illegal = "Invalid byte formatted string AAEC/w==: illegal base64 data at input byte 4".to_owned();
    assert_eq!(of_minor(37, &schema, &data, "self.data == b''"), Err(illegal.clone()));
    assert_eq!(of_minor(37, &schema, &json!({"data": "AAEC/w=="}), equal), Err(illegal));
    assert_eq!(of_minor(37, &schema, &json!({"data": "AAEC/w=="}), "self != self"), Ok(true));
    let time = "Invalid date-time formatted string 2023-06-15t10:00:00z: parsing time \"2023-06-15t10:00:00z\" as \
                \"2006-01-02T15:04:05\": cannot parse \"t10:00:00z\" as \"T\"";
    assert_eq!(of_minor(37, &schema, &data, "self.at > timestamp('2020-01-01T00:00:00Z')"), Err(time.to_owned()));
    // A branch reads the content of an optional value again.
    let branch = "(true ? optional.of(ip('::1')) : optional.none()).value() == ip('::1')";
    assert_eq!(
        of_minor(36, &schema, &null, branch),
        Err("unsupported conversion to ref.Val: (netip.Addr)::1".to_owned())
    );
    assert_eq!(of_minor(37, &schema, &null, branch), Ok(true));
    let table = [
        (33, "''.lastIndexOf('a') == -1", Err("index out of range: -1")),
        (34, "''.lastIndexOf('a') == -1", Ok(true)),
        (36, "lists.range(-1) == []", Ok(true)),
        (37, "lists.range(-1) == []", Err("lists.range: size must be non-negative, got -1")),
        (36, "duration(1) == duration('1s')", Err("refused")),
        (37, "quantity('18446744073709551615').isGreaterThan(quantity('12E'))", Ok(true)),
        (37, "quantity('Gi') == quantity('0')", Ok(true)),
        (37, "quantity('1') == quantity('1').add(0)", Err("no such overload")),
        (37, "quantity('1') != quantity('1').add(0)", Ok(true)),
        (37, "optional.ofNonZeroValue(timestamp('0001-01-01T00:00:00Z')).hasValue()", Ok(false)),
        (37, "optional.ofNonZeroValue(optional.none()).hasValue()", Ok(true)),
        (37, "double('NaN') < 1.0", Err("NaN values cannot be ordered")),
        (37, "double('0x1p4') == 16.0 && double('1_0') == 10.0", Ok(true)),
        (
            37,
            "ip('1.2.3') == ip('::1')",
            Err(
                "IP Address \"1.2.3\" parse error during conversion from string: ParseAddr(\"1.2.3\"): IPv4 address too short",
            ),
        ),
        (37, "ip('fe80::1%a') == ip('::1')", Err("IP address \"fe80::1%a\" with zone value is not allowed")),
        (
            37,
            "url('http://a/%zz') == url('/')",
            Err("URL parse error during conversion from string: parse \"http://a/%zz\": invalid URL escape \"%zz\""),
        ),
        (37, "semver('01.2.3') == semver('1.2.3')", Err("Major number must not contain leading zeroes \"01\"")),
        (37, "[self.none].distinct().size() == 1 || true", Ok(true)),
    ];
    for (minor, rule, expected) in table {
        let actual = match Program::compile(rule, Environment::dynamic(&[]).kubernetes(minor)) {
            Err(_) => Err("refused".to_owned()),
            Ok(_) if rule.contains("self") => of_minor(minor, &schema, &json!({"none": "a"}), rule),
            Ok(_) => of_minor(minor, &schema, &null, rule),
        };
        assert_eq!(actual.as_ref().map_err(String::as_str).copied(), expected, "{rule}");
    }
}

#[test]
fn formats_are_checked_with_their_values() {
    let schema = Schema::from_value(&json!({"type": "string"})).expect("a schema");
    let refused = |rule: &str| Program::compile(rule, Environment::rule(&schema, false)).is_err();
    for rule in
        ["'%s'.format([]) == ''", "'%d'.format([self]) == ''", "'%q'.format([1]) == ''", "'%'.format([1]) == ''"]
    {
        assert!(refused(rule), "{rule}");
    }
    for rule in ["'%s %d'.format([self, 1]) == ''", "'%s'.format([[1, 'a']]) == ''", "'%.2f'.format([1.0]) == ''"] {
        assert!(!refused(rule), "{rule}");
    }
}

/// The results of rules of one node, which share `self`.
fn of_node(minor: u32, schema: &Json, object: &Json, rules: &[&str]) -> Vec<Result<bool, String>> {
    let schema = Schema::from_value(schema).expect("a schema");
    let this = [Value::from_json(object, &schema)];
    let result = |rule: &&str| {
        let program = Program::compile(rule, Environment::rule(&schema, false).kubernetes(minor)).expect(rule);
        match program.evaluate(&this, CALL_BUDGET).value {
            Ok(value) => Ok(matches!(value, Value::Boolean(true))),
            Err(failure) if failure.is_undecided() => Err("not decided".to_owned()),
            Err(failure) => Err(failure.to_string()),
        }
    };
    rules.iter().map(result).collect()
}

fn set_of(items: Json) -> Json {
    json!({"type": "array", "x-kubernetes-list-type": "set", "items": items})
}

#[test]
fn a_sum_of_sets_is_a_set() {
    let text = set_of(json!({"type": "string"}));
    for minor in [32, 36, 37] {
        for (rule, expected) in [
            ("self + ['q'] == ['q', 'b', 'a']", true),
            ("['q', 'b', 'a'] == self + ['q']", false),
            ("self + ['a', 'q', 'q'] == ['b', 'q', 'a']", true),
            ("size(self + ['q', 'q']) == 3", true),
            ("size(['q', 'q'] + self) == 4", true),
            ("self + self == ['b', 'a']", true),
            ("(self + ['q']) + ['b', 'r'] == ['r', 'q', 'b', 'a']", true),
            // An empty list is not part of a sum, which is the other operand.
            ("[] + self == ['b', 'a']", true),
            ("self + [] == ['b', 'a']", true),
            ("'q' in self + ['q']", true),
            ("(self + ['q']).all(x, x in ['q', 'a', 'b'])", true),
            ("[self] == [['b', 'a']]", true),
            ("[['b', 'a']] == [self]", false),
        ] {
            assert_eq!(of_node(minor, &text, &json!(["a", "b"]), &[rule]), [Ok(expected)], "1.{minor}: {rule}");
        }
        let others = [
            (json!({"type": "integer"}), json!([5, 6]), "self + [7, 7] == [7, 6, 5]"),
            (json!({"type": "boolean"}), json!([true]), "self + [false, true, false] == [false, true]"),
            (json!({"type": "number"}), json!([0.5, 2.5]), "self + [2.5, 1.0] == [1.0, 2.5, 0.5]"),
        ];
        for (items, object, rule) in others {
            assert_eq!(of_node(minor, &set_of(items), &object, &[rule]), [Ok(true)], "1.{minor}: {rule}");
        }
    }
}

#[test]
fn members_of_a_set_are_raw_values_before_1_37() {
    let numbers = set_of(json!({"type": "number"}));
    for (minor, expected) in [(36, false), (37, true)] {
        assert_eq!(of_node(minor, &numbers, &json!([1, 2.5]), &["self == self"]), [Ok(expected)]);
        assert_eq!(of_node(minor, &numbers, &json!([1.0, 2.5]), &["self == [2.5, 1.0]"]), [Ok(true)]);
        let size = ["size(self + [1.0]) == 2"];
        assert_eq!(of_node(minor, &numbers, &json!([1, 2.5]), &size), [Ok(expected)]);
        let times = set_of(json!({"type": "string", "format": "date-time"}));
        let rules = ["self == self", "size(self + self) == 1"];
        let found = of_node(minor, &times, &json!(["2024-01-01T00:00:00Z"]), &rules);
        assert_eq!(found, [Ok(expected), Ok(expected)]);
    }
    let bytes = set_of(json!({"type": "string", "format": "byte"}));
    let panic = Err("internal error: runtime error: hash of unhashable type []uint8".to_owned());
    let rules = ["self == self", "self == self || true", "true || self == self"];
    assert_eq!(of_node(36, &bytes, &json!(["YQ=="]), &rules), [panic.clone(), panic, Ok(true)]);
    assert_eq!(of_node(37, &bytes, &json!(["YQ=="]), &rules), [Ok(true), Ok(true), Ok(true)]);
    let empty = Err("internal error: hash of unhashable type: []uint8".to_owned());
    assert_eq!(of_node(36, &bytes, &json!([]), &["self + [b'a'] == self"]), [empty]);
}

#[test]
fn a_set_remembers_what_was_added_before_1_37() {
    let text = set_of(json!({"type": "string"}));
    let rules =
        ["size(self + ['q']) == 3", "size(self + ['q']) == 3", "self == ['a', 'q']", "self + ['q'] == self + ['q']"];
    let older = [Ok(true), Ok(false), Ok(true), Ok(true)];
    assert_eq!(of_node(36, &text, &json!(["a", "b"]), &rules), older);
    assert_eq!(of_node(36, &text, &json!(["a", "b"]), &rules[3..]), [Ok(false)]);
    let newer = [Ok(true), Ok(true), Ok(false), Ok(true)];
    assert_eq!(of_node(37, &text, &json!(["a", "b"]), &rules), newer);
}

#[test]
fn sums_that_may_share_an_array_are_not_decided_before_1_37() {
    for list_type in ["set", "atomic"] {
        let list = json!({"type": "array", "x-kubernetes-list-type": list_type, "items": {"type": "string"}});
        let schema = json!({"type": "object", "properties": {"a": list}});
        let rules = [
            "self.a + ['q'] == self.a + ['r']",
            "self.a + ['q'] != self.a + ['r']",
            // The first sum is not read after the second one.
            "size(self.a + ['q']) == size(self.a + ['r'])",
            // Both write the same.
            "self.a + ['q'] == self.a + ['q']",
            "(self.a + ['q']) + ['r'] == self.a + ['q', 'r']",
            "(self.a + ['q']).all(x, size(self.a + ['r']) == 3)",
        ];
        let undecided = Err("not decided".to_owned());
        let same = [Ok(true), Ok(true), Ok(true), Ok(true)];
        let object = json!({"a": ["a", "b"]});
        let older = of_node(36, &schema, &object, &rules);
        assert_eq!(older[..2], [undecided.clone(), undecided], "{list_type}");
        assert_eq!(older[2..], same, "{list_type}");
        let newer = of_node(37, &schema, &object, &rules);
        assert_eq!(newer[..2], [Ok(false), Ok(true)], "{list_type}");
        assert_eq!(newer[2..], same, "{list_type}");
        // An empty list does not have an array.
        assert_eq!(of_node(36, &schema, &json!({"a": []}), &rules[..1]), [Ok(false)], "{list_type}");
    }
}

#[test]
fn a_sum_of_lists_with_keys_replaces_entries() {
    let properties = json!({"namespace": {"type": "string"}, "port": {"type": "number"}, "v": {"type": "integer"}});
    let items = json!({"type": "object", "required": ["namespace"], "properties": properties});
    let list = |keys: Json| json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items});
    let object = json!({
        "one": [{"namespace": "a", "port": 1, "v": 1}, {"namespace": "b", "port": 2, "v": 2}],
        "two": [{"namespace": "c", "port": 3, "v": 4}, {"namespace": "b", "port": 2.0, "v": 3}],
    });
    let by_port = json!({"type": "object", "properties": {"one": list(json!(["port"])), "two": list(json!(["port"]))}});
    let by_name =
        json!({"type": "object", "properties": {"one": list(json!(["namespace"])), "two": list(json!(["namespace"]))}});
    let rules = [
        "size(self.one + dyn(self.two)) == 3",
        "(self.one + dyn(self.two))[1].v == 3",
        "self.one + dyn(self.two) == [dyn(self.two[0]), dyn(self.one[0]), dyn(self.two[1])]",
        "size(self.one + dyn([{'port': 1.0}])) == 2",
    ];
    // 2 and 2.0 are different before 1.37, and computed maps do not have a key.
    assert_eq!(of_node(36, &by_port, &object, &rules), [Ok(false), Ok(false), Ok(false), Ok(false)]);
    assert_eq!(of_node(37, &by_port, &object, &rules)[..3], [Ok(true), Ok(true), Ok(true)]);
    assert_eq!(of_node(37, &by_port, &object, &rules[3..]), [Ok(true)]);
    // `__namespace__` is not found before 1.37, so that all entries have the same key: the last entry is replaced twice.
    let (sizes, last) = (["size(self.one + dyn(self.two)) == 2"], ["(self.one + dyn(self.two))[1].v == 3"]);
    assert_eq!(of_node(36, &by_name, &object, &[sizes[0], last[0]]), [Ok(true), Ok(true)]);
    assert_eq!(of_node(37, &by_name, &object, &[sizes[0], last[0]]), [Ok(false), Ok(true)]);
}
