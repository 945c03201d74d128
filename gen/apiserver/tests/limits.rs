//! Limits: what a server does not read, and work that has a budget here. Tests count results and not time.

#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it should be")]

use crd_apiserver::objects::{Answer, REQUEST_LIMIT, Request, Resource, bytes_above};
use crd_apiserver::refusal::refusals;
use crd_model::CustomResourceDefinition;
use crd_testdata::{thing, thing_crd};
use serde_json::{Value, json};

fn crd(spec: &Value) -> CustomResourceDefinition {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    CustomResourceDefinition::from_value(&thing_crd(&schema, &json!({}))).unwrap()
}

fn answer(spec: &Value, object: Value) -> Answer {
    Resource::prepare(&crd(spec), "v1", 37).unwrap().unwrap().answer(Request::create(object))
}

fn of_spec(spec: &Value, value: &Value) -> Answer {
    answer(spec, thing(&json!({"spec": value})))
}

#[test]
fn a_request_has_3_mib_as_a_client_writes_it() {
    let spec = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    // A letter and the bytes of it in JSON as Go writes it.
    for (letter, bytes) in [("a", 1), ("é", 2), ("<", 6), ("\u{2028}", 6), ("\n", 2), ("\"", 2), ("\u{1}", 6)] {
        let empty = thing(&json!({"spec": {"a": ""}}));
        let room = REQUEST_LIMIT - empty.to_string().len() - 1;
        let text = format!("{}{}", letter.repeat(room / bytes), "a".repeat(room % bytes));
        for (more, is_accepted) in [("", true), ("a", false)] {
            let object = thing(&json!({"spec": {"a": format!("{text}{more}")}}));
            assert_eq!(bytes_above(&object, REQUEST_LIMIT), (!is_accepted).then_some(REQUEST_LIMIT + 1), "{letter:?}");
            let answer = answer(&spec, object);
            assert_eq!(answer.is_accepted(), is_accepted, "{letter:?}: {:?}", answer.errors);
            let errors: Vec<String> = answer.errors.iter().map(ToString::to_string).collect();
            let expected = (!is_accepted).then(|| "Request entity too large: limit is 3145728".to_owned());
            assert_eq!(errors, expected.into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn patterns_of_an_object_have_one_budget() {
    let hard = |index: usize| json!({"type": "string", "pattern": format!("(a|b|ab|ba|{index}){{1,100}}c$")});
    let fields = |count: usize| {
        let properties: Value = (0..count).map(|index| (format!("f{index}"), hard(index))).collect();
        let values: Value = (0..count).map(|index| (format!("f{index}"), json!("ab".repeat(400)))).collect();
        of_spec(&json!({"type": "object", "properties": properties}), &values)
    };
    let (few, many) = (fields(5), fields(800));
    assert_eq!((few.errors.len(), few.undecided.len()), (5, 0));
    assert_eq!(many.errors.len() + many.undecided.len(), 800);
    assert!(many.undecided.len() > 400, "{} are not decided", many.undecided.len());

    // The rules of an object share the budget.
    let rule = json!([{"rule": "self.matches('(a|b|ab|ba){1,100}c$')"}]);
    let items = json!({"type": "string", "maxLength": 1000, "x-kubernetes-validations": rule});
    let list = json!({"type": "array", "maxItems": 1000, "items": items});
    let spec = json!({"type": "object", "properties": {"list": list}});
    let found = of_spec(&spec, &json!({"list": vec!["ab".repeat(400); 800]}));
    assert!(found.undecided.len() > 400 && !found.is_accepted(), "{} are not decided", found.undecided.len());

    // So do the defaults of a CRD.
    let defaults: Value = (0..800)
        .map(|index| {
            let mut field = hard(index);
            field["default"] = json!("ab".repeat(400));
            (format!("f{index}"), field)
        })
        .collect();
    let found = refusals(&crd(&json!({"type": "object", "properties": defaults})));
    let undecided = found.iter().filter(|refusal| refusal.message.contains("is not decided here")).count();
    // With the steps and the patterns of the rest of the rules.
    assert!(found.len() >= 800 && undecided > 400, "{undecided} of {} are not decided", found.len());
}

#[test]
fn members_of_a_long_enum_are_those_of_a_short_one() {
    let members = json!([1, 65, 1.5, -0.0, 3.0, "a", "1", "€", true, null, "", "\u{fffd}", 9_007_199_254_740_993_i64]);
    let members = members.as_array().unwrap();
    let values = json!([
        1, 1.0, 1.7, 65, 65.2, "A", 0, 0.0, -0.0, 3, 3.0, "a", "1", 97, 49, 8364, -1, true, false, "", 1e300, 55296,
        9_007_199_254_740_992_i64, 9.007199254740993e15, [1], {"a": 1}
    ]);
    let is_member = |members: &[Value], value: &Value| {
        let field = json!({"enum": members, "x-kubernetes-preserve-unknown-fields": true});
        let answer = of_spec(&json!({"type": "object", "properties": {"e": field}}), &json!({"e": value}));
        !answer.errors.iter().any(|error| error.message.contains("supported values"))
    };
    for value in values.as_array().unwrap() {
        let one_by_one = members.iter().any(|member| is_member(std::slice::from_ref(member), value));
        let padding = (0..20).map(|index| json!(format!("other {index}")));
        let long: Vec<Value> = members.iter().cloned().chain(padding).collect();
        assert_eq!(is_member(&long, value), one_by_one, "{value}");
    }
}

#[test]
fn errors_do_not_repeat_long_texts_without_end() {
    let bytes = |answer: &Answer| answer.errors.iter().map(|error| error.message.len()).sum::<usize>();
    let of_owners = |count: usize| {
        let owner = |index| json!({"apiVersion": "v1", "kind": "A", "name": format!("{index}"), "uid": "u", "controller": true});
        let owners: Vec<Value> = (0..count).map(owner).collect();
        let mut object = thing(&json!({}));
        object["metadata"]["ownerReferences"] = owners.into();
        bytes(&answer(&json!({"type": "object"}), object))
    };
    let of_enum = |count: usize| {
        let allowed: Vec<String> = (0..count).map(|index| format!("a{index}")).collect();
        let items = json!({"type": "string", "enum": allowed});
        let spec = json!({"type": "object", "properties": {"e": {"type": "array", "items": items}}});
        bytes(&of_spec(&spec, &json!({"e": vec!["b"; count]})))
    };
    for (what, bytes) in [("owners", &of_owners as &dyn Fn(usize) -> usize), ("enum", &of_enum)] {
        let (one, two) = (bytes(1000), bytes(2000));
        assert!(one > 0 && two * 10 <= one * 22, "{what}: {one} and {two} bytes");
    }
}
