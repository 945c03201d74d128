//! Estimated costs of rules.
//!
//! `estimates.jsonl` has a schema for the items of a list without a bound, and then for each rule what Kubernetes' own libraries estimate, by
//! minor. A minor that does not compile the rule is left out.

use crd_cel::Expression;
use crd_cel::estimate::{CRD_LIMIT, Estimator, RULE_LIMIT, estimate, grouped};
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::{Value, json};

fn schema(spec: &Value) -> Schema {
    Schema::from_value(&json!({"type": "object", "properties": {"spec": spec}})).expect("a schema")
}

#[test]
fn estimates_are_those_of_kubernetes() {
    let mut lines = include_str!("estimates.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let base: Value = lines.next().expect("the schema");
    let (mut count, mut differences) = (0, Vec::new());
    for recorded in lines {
        let mut item = base["schema"].clone();
        let (rule, message) = (&recorded["rule"], &recorded["message"]);
        item["x-kubernetes-validations"] = json!([{"rule": rule, "messageExpression": message}]);
        if message.is_null() {
            item["x-kubernetes-validations"] = json!([{"rule": rule}]);
        }
        let schema = schema(&json!({"type": "object", "properties": {"things": {"type": "array", "items": item}}}));
        for minor in 32..=37 {
            let wanted = if message.is_null() { Expression::Rule } else { Expression::Message };
            let estimate = estimate(&schema, minor);
            let own = estimate.rules.iter().find(|rule| rule.expression == wanted).map(|rule| rule.cost);
            let server = recorded["costs"].get(format!("1.{minor}")).and_then(Value::as_u64);
            if own != server {
                differences.push(format!("1.{minor} {rule} {message}: server {server:?}, own {own:?}"));
            }
            count += usize::from(server.is_some());
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(count > 200, "{count}");
}

/// The figures of the release, as an API server computes them.
#[test]
fn gateway_api_is_far_below_the_limits() {
    let (mut rules, mut highest, mut total) = (0, 0, 0);
    for file in crd_testdata::gateway_api("v1.6.1", "experimental") {
        let crd = CustomResourceDefinition::from_value(&file.json()).expect("a CRD");
        for version in &crd.versions {
            let estimator = Estimator::new(&version.schema);
            assert!(estimator.is_accepted());
            let worst = estimator.worst();
            rules += worst.rules.iter().filter(|rule| rule.expression == Expression::Rule).count();
            highest = highest.max(worst.rules.iter().map(|rule| rule.cost).max().unwrap_or_default());
            total = total.max(worst.total);
            assert_eq!(worst.errors(), []);
        }
    }
    assert_eq!((rules, highest, total), (350, 5_894_144, 11_401_558));
}

#[test]
fn advice_names_bounds_that_are_enough() {
    let with = |spec: Value| {
        let schema = schema(&spec);
        let estimate = Estimator::new(&schema).worst();
        let rule = estimate.rules.iter().find(|rule| rule.cost > RULE_LIMIT).expect("an expensive rule").clone();
        let bounds = estimate.bounds_for(&schema, &rule).into_iter();
        bounds.map(|bound| format!("{} {}={}", bound.path, bound.keyword, bound.value)).collect::<Vec<_>>()
    };
    let rule = json!([{"rule": "self.matches('^a+$')"}]);
    let list = json!({"type": "array", "items": {"type": "string", "maxLength": 64, "x-kubernetes-validations": rule}});
    assert_eq!(with(list), ["spec maxItems=262144"]);
    let list = json!({"type": "array", "items": {"type": "string", "x-kubernetes-validations": rule}});
    assert_eq!(with(list), ["spec maxItems=16"]);
    let map = json!({"type": "object", "additionalProperties": {"type": "string", "x-kubernetes-validations": rule}});
    assert_eq!(with(map), ["spec maxProperties=16"]);
    let quadratic = json!([{"rule": "self.all(a, self.all(b, a == b || a.contains(b)))"}]);
    let list = json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": quadratic});
    assert_eq!(with(list), ["spec maxItems=64", "spec[*] maxLength=64"]);
    let bounded = json!({"type": "array", "maxItems": 100_000, "items": {"type": "integer"},
        "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, a == b))"}]});
    assert_eq!(with(bounded), [""; 0], "no bound is missing");
}

#[test]
fn errors_have_the_texts_of_a_server() {
    let rule = json!({"rule": "self.matches('^[a-z]+$')"});
    let spec = json!({"type": "array", "maxItems": 200_000, "items": {"type": "string", "maxLength": 64,
        "x-kubernetes-validations": [rule, rule, rule, rule, rule, rule, rule, rule, rule, rule]}});
    let schema = schema(&spec);
    let estimate = estimate(&schema, 37);
    assert!(estimate.total > CRD_LIMIT);
    let errors = estimate.errors();
    let advice = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
    let field = ".properties[spec].items.x-kubernetes-validations[0].rule";
    assert_eq!(
        errors[0],
        (field.to_owned(), format!("estimated rule cost exceeds budget by factor of 1.060000x {advice}"))
    );
    assert_eq!(errors.iter().filter(|(_, text)| text.starts_with("contributed to")).count(), 4);
    let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    let total = format!("{what} exceeds budget by factor of 1.060000x {advice}");
    assert_eq!(errors.last(), Some(&(String::new(), total)));
    assert_eq!(
        (grouped(0), grouped(999), grouped(1_000), grouped(1_234_567)),
        ("0".into(), "999".into(), "1,000".into(), "1,234,567".into())
    );
}
