//! Random expressions over random values: no panic, and the cost is bounded by the budget.

use crd_cel::{Environment, Program, Value};
use proptest::prelude::*;
use serde_json::Value as Json;

/// A small budget, so that nested loops end early.
const BUDGET: u64 = 20_000;

fn atom() -> impl Strategy<Value = String> {
    let texts = [
        "self",
        "self.a",
        "self.b.c",
        "self.l",
        "self.l[0]",
        "self.?a",
        "self[?'b']",
        "x",
        "y",
        "1",
        "-9223372036854775808",
        "2u",
        "1.5",
        "1e300",
        "'abc'",
        "'é😀'",
        "'10.0.0.0/8'",
        "'1Gi'",
        "'1.2.3'",
        "'https://a:80/b?c=d'",
        "b'\\xff'",
        "true",
        "null",
        "[]",
        "{}",
        "['a', 'b']",
        "[1, 2, 3]",
        "{'a': 1}",
        "timestamp('9999-12-31T23:59:59Z')",
        "duration('-1h')",
        "optional.none()",
        "optional.of(1)",
        "int",
        "quantity('1e18')",
        "ip('::1')",
        "cidr('::/0')",
        "semver('1.0.0-a')",
        "format.dns1123Label()",
    ];
    proptest::sample::select(texts.to_vec()).prop_map(str::to_owned)
}

fn expression() -> impl Strategy<Value = String> {
    let binary = ["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "in", "&&", "||"];
    let methods = [
        "size()",
        "contains('b')",
        "startsWith('')",
        "matches('a|b+')",
        "charAt(1)",
        "substring(1, 2)",
        "indexOf('b')",
        "lastIndexOf('b', 1)",
        "split('')",
        "split('b', 2)",
        "join('-')",
        "replace('', 'zz')",
        "replace('a', '', 1)",
        "trim()",
        "upperAscii()",
        "find('.b')",
        "findAll('b*')",
        "format([1, 'a'])",
        "sum()",
        "min()",
        "isSorted()",
        "sort()",
        "distinct()",
        "flatten()",
        "flatten(3)",
        "reverse()",
        "slice(0, 1)",
        "first()",
        "last()",
        "value()",
        "hasValue()",
        "orValue(1)",
        "or(optional.of(2))",
        "unwrapOpt()",
        "getFullYear()",
        "getHours('-23:59')",
        "getMilliseconds()",
        "getHost()",
        "getQuery()",
        "family()",
        "containsIP('1.1.1.1')",
        "masked()",
        "add(1)",
        "sub(quantity('1n'))",
        "asInteger()",
        "compareTo(quantity('1'))",
        "major()",
        "validate('a')",
        "exists(x, x == 1)",
        "all(x, x > 0)",
        "all(x, y, x != y)",
        "exists_one(x, x)",
        "map(x, [x, x])",
        "filter(x, x != 1)",
        "map(x, x == x, x)",
        "transformMap(x, y, y)",
        "transformMapEntry(x, y, {y: x})",
        "transformList(x, y, x == 0, y)",
        "sortBy(x, x)",
        "optMap(x, x)",
        "optFlatMap(x, optional.of(x))",
    ];
    let functions = [
        "size",
        "int",
        "uint",
        "double",
        "string",
        "bytes",
        "bool",
        "type",
        "dyn",
        "timestamp",
        "duration",
        "quantity",
        "ip",
        "cidr",
        "url",
        "semver",
        "isSemver",
        "isURL",
        "lists.range",
        "optional.of",
        "optional.ofNonZeroValue",
        "strings.quote",
        "!",
        "-",
        "has",
    ];
    atom().prop_recursive(5, 40, 3, move |inner| {
        prop_oneof![
            (inner.clone(), proptest::sample::select(binary.to_vec()), inner.clone())
                .prop_map(|(left, operator, right)| format!("({left} {operator} {right})")),
            (inner.clone(), proptest::sample::select(methods.to_vec()))
                .prop_map(|(target, call)| format!("{target}.{call}")),
            (proptest::sample::select(functions.to_vec()), inner.clone())
                .prop_map(|(function, argument)| format!("{function}({argument})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(test, yes, no)| format!("({test} ? {yes} : {no})")),
            (inner.clone(), inner.clone()).prop_map(|(of, key)| format!("{of}[{key}]")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("[{one}, ?{other}]")),
            (inner.clone(), inner.clone()).prop_map(|(key, value)| format!("{{{key}: {value}, ?'k': {key}}}")),
            (inner.clone(), inner).prop_map(|(range, body)| format!("{range}.map(x, {body})")),
        ]
    })
}

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        ".{0,8}".prop_map(Json::from),
        "[0-9]{1,25}(\\.[0-9]{0,12})?(Ki|Ei|m|n|E|e-?[0-9]{1,9})?".prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            proptest::collection::btree_map("[abcl]", inner, 0..4)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

/// The characters of a printed value, sorted: the index of a map prints in any order.
fn characters(value: &Value<'_>) -> Vec<char> {
    let mut characters: Vec<char> = format!("{value:?}").chars().collect();
    characters.sort_unstable();
    characters
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_expression_panics(source in expression(), object in value()) {
        let inputs = [Value::from_plain_json(&object), Value::Null, Value::from_plain_json(&object), Value::Integer(1)];
        let names = ["x", "y"];
        let unchecked = Program::compile_unchecked(&source, &names).map(|program| program.evaluate(&inputs, BUDGET));
        if let Ok(result) = &unchecked {
            prop_assert!(result.cost <= BUDGET || result.value.as_ref().is_err_and(crd_cel::Failure::is_over_budget));
        }
        if let Ok(program) = Program::compile(&source, Environment::dynamic(&names)) {
            let checked = program.evaluate(&inputs, BUDGET);
            if let (Ok(checked), Ok(unchecked)) = (&checked.value, &unchecked.expect("it parses").value) {
                // The type checker chooses costs, not values, except for the sum of nothing.
                let is_sum = source.contains("sum()");
                let is_same = characters(checked) == characters(unchecked);
                prop_assert!(is_sum || is_same);
            }
        }
    }

    #[test]
    fn no_text_panics(source in ".{0,40}", text in "[0-9+\\-.eEKiMnu:/%@#?\\[\\]a-z ]{0,20}") {
        let _ = Program::compile_unchecked(&source, &[]).map(|program| program.evaluate(&[], BUDGET));
        let calls = "[url(self)].size() == 1 || sign(quantity(self)) == 1 || ip(self) == ip(self) || cidr(self).masked() == cidr(self) \
                     || semver(self, true).major() == 1 || timestamp(self) == timestamp(self) || duration(self) == duration(self) \
                     || format.uuid().validate(self).hasValue() || format.byte().validate(self).hasValue() || url(self).getQuery() == {}";
        let program = Program::compile(calls, Environment::dynamic(&[])).expect("an expression");
        let _ = program.evaluate(&[Value::text(text)], BUDGET);
    }
}
