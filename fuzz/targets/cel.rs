//! A rule is compiled, estimated and evaluated without a panic and within its budget, and gives the same answer twice.
#![no_main]

use std::sync::LazyLock;

use crd_cel::{CALL_BUDGET, Environment, Program, Value};
use crd_model::Schema;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 20},
            "port": {"type": "integer", "default": 80},
            "names": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "size": {"x-kubernetes-int-or-string": true},
        },
    });
    Schema::from_value(&schema).expect("a schema")
});

fuzz_target!(|input: (u8, &str)| {
    let (minor, rule) = input;
    let environment = || Environment::rule(&SCHEMA, false).kubernetes(32 + u32::from(minor) % 6);
    let Ok(program) = Program::compile(rule, environment()) else { return };
    let object = json!({"name": "a", "port": 1, "names": ["b", "c"], "labels": {"d": "e"}, "size": "5%"});
    let evaluated = || program.evaluate(&[Value::from_json(&object, &SCHEMA)], CALL_BUDGET);
    let (first, second) = (evaluated(), evaluated());
    assert_eq!(first.cost, second.cost);
    assert_eq!(format!("{:?}", first.value), format!("{:?}", second.value));
});
