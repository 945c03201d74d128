//! Answers to requests are those that Kubernetes' own libraries gave: `answers.jsonl` has a case in each line, with the answer.
//!
//! `CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs recorded_answers` writes the answers.

#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it should be")]

use crd_apiserver::objects::{FieldValidation, Request, Resource};
use crd_model::CustomResourceDefinition;
use crd_testdata::{thing, thing_crd};
use serde_json::{Value, json};

#[test]
fn recorded_answers_are_given() {
    let mut count = 0;
    for line in include_str!("answers.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let about = format!("{} on 1.{}", case["about"], case["minor"]);
        let crd = CustomResourceDefinition::from_value(&thing_crd(
            &case["schema"],
            case.get("subresources").unwrap_or(&json!({})),
        ))
        .unwrap();
        let minor = u32::try_from(case["minor"].as_u64().unwrap()).unwrap();
        let resource = Resource::prepare(&crd, "v1", minor).unwrap().unwrap_or_else(|problems| panic!("{problems:?}"));
        let (new, old) = (thing(&case["new"]), case.get("old").map(thing));
        let request = match &old {
            None => Request::create(new),
            Some(old) if case["status"] == true => Request::update_status(old, new),
            Some(old) => Request::update(old, new),
        };
        let answer = resource.answer(request.fields(FieldValidation::Warn));
        let mut errors: Vec<Value> =
            answer.errors.iter().map(|error| json!([error.kind.as_str(), error.field, error.message])).collect();
        errors.sort_by_key(Value::to_string);
        let mut warnings: Vec<String> = answer.warnings.iter().map(ToString::to_string).collect();
        warnings.sort_unstable();
        // What every object has is left out.
        let stored = answer.stored.map(|mut stored| {
            let map = stored.as_object_mut().unwrap();
            map.retain(|field, _| !matches!(field.as_str(), "apiVersion" | "kind"));
            stored
        });
        let given = json!({"stored": stored, "warnings": warnings, "errors": errors});
        assert_eq!(given, case["answer"], "{about}\n  given:    {given}\n  recorded: {}", case["answer"]);
        count += 1;
    }
    assert!(count > 30, "{count} cases");
}
