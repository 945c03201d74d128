//! Texts, and what kubectl 1.36 reads from them.
//!
//! Invariants: the answers are those of Go's libraries, written by the oracle of the testbed (`xtask/testbed/go/oracle`). `cargo xtask prove yaml`
//! compares many more.

use serde_json::{Value, json};

use crate::yaml::documents;

/// A line is a text and an answer. Floats are shown by their bits.
const ANSWERS: &str = include_str!("kubectl.tsv");

fn with_bits(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            json!({"float": format!("{:016x}", number.as_f64().unwrap().to_bits())})
        }
        Value::Array(items) => items.into_iter().map(with_bits).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, with_bits(value))).collect(),
        other => other,
    }
}

#[test]
fn texts_mean_what_they_mean_to_kubectl() {
    for line in ANSWERS.lines() {
        let (text, answer) = line.split_once('\t').unwrap();
        let text: String = serde_json::from_str(text).unwrap();
        let mut answer: Value = serde_json::from_str(answer).unwrap();
        let read = documents(&text).with_repeated_keys().map(|document| Ok(with_bits(document?.value)));
        let read: Result<Value, Vec<_>> = read.collect();
        match (answer.get("refused"), read) {
            (Some(_), Err(_)) => {}
            (None, Ok(read)) => {
                let expected = answer.get_mut("documents").map_or_else(|| json!([]), Value::take);
                assert_eq!(read, expected, "{text:?}");
            }
            (_, read) => panic!("{text:?}: {read:?} instead of {answer}"),
        }
    }
    assert!(ANSWERS.lines().count() > 140);
}
