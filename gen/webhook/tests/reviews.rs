//! Bodies that are not reviews, and the form of answers.

use crd_webhook::{GroupVersionKind, Refusal, Request, Verdict, Warning};
use serde_json::{Value, json};

use crate::api::{lamp, review};

#[test]
fn a_body_that_is_not_a_review_is_reported_without_its_content() {
    let of_version = |version: &str| {
        let mut review = review("CREATE", &lamp("v1", &json!({})), &Value::Null);
        review["apiVersion"] = json!(version);
        review.to_string()
    };
    let without = |field: &str| {
        let mut review = review("CREATE", &lamp("v1", &json!({})), &Value::Null);
        review["request"].as_object_mut().unwrap().remove(field);
        review.to_string()
    };
    let deep = format!("{{\"request\": {{\"object\": {}1{}}}}}", "[".repeat(200), "]".repeat(200));
    for (body, expected) in [
        (String::new(), "the body ends too early (line 1, column 0)"),
        ("{\"apiVersion\": \"secret".to_owned(), "the body ends too early (line 1, column 22)"),
        ("secret".to_owned(), "the body is not JSON (line 1, column 1)"),
        (deep, "the body is not JSON (line 1, column 149)"),
        ("[]".to_owned(), "a field of the review has another type (line 1, column 2)"),
        ("{\"kind\": {\"secret\": 1}}".to_owned(), "a field of the review has another type (line 1, column 9)"),
        ("{}".to_owned(), "the body is not an AdmissionReview of admission.k8s.io/v1"),
        (of_version("admission.k8s.io/v1beta1"), "the body is not an AdmissionReview of admission.k8s.io/v1"),
        (of_version("admission.k8s.io/v2"), "the body is not an AdmissionReview of admission.k8s.io/v1"),
        (
            json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}).to_string(),
            "the review has no request",
        ),
        (without("uid"), "the request has no uid"),
    ] {
        let error = Request::read(body.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, expected, "{body}");
        assert!(!error.contains("secret"));
    }
    assert!(Request::read(&[b'{', 0xff, b'}']).is_err());
}

#[test]
fn fields_of_later_versions_and_unknown_operations_are_read() {
    let mut body = review("APPLY", &lamp("v1", &json!({})), &Value::Null);
    body["request"]["later"] = json!({"a": 1});
    body["response"] = Value::Null;
    let request = Request::read(body.to_string().as_bytes()).unwrap();
    assert_eq!(request.operation, crd_webhook::Operation::Connect);
    assert_eq!(request.kind.kind, "Lamp");
}

fn request() -> Request {
    let kind =
        GroupVersionKind { group: "home.example.com".to_owned(), version: "v1".to_owned(), kind: "Lamp".to_owned() };
    Request { uid: "u".to_owned(), name: Some("a".to_owned()), kind, ..Request::default() }
}

fn answer(verdict: &Verdict) -> Value {
    let body: Value = serde_json::from_slice(&verdict.body(&request())).unwrap();
    assert_eq!((&body["apiVersion"], &body["kind"]), (&json!("admission.k8s.io/v1"), &json!("AdmissionReview")));
    assert_eq!(body["response"]["uid"], "u");
    body["response"].clone()
}

#[test]
fn answers_list_all_reasons() {
    assert_eq!(answer(&Verdict::default()), json!({"uid": "u", "allowed": true}));
    let of_rule = |field: &str| Refusal {
        source: "rooms",
        reason: "FieldValueInvalid",
        field: field.to_owned(),
        message: "wrong".to_owned(),
    };
    let one = Verdict { refusals: vec![of_rule("spec.room")], warnings: Vec::new() };
    let response = answer(&one);
    assert_eq!(response["allowed"], false);
    assert_eq!(
        response["status"],
        json!({
            "status": "Failure", "code": 422, "reason": "Invalid", "message": "spec.room: wrong [rooms]",
            "details": {
                "name": "a", "group": "home.example.com", "kind": "Lamp",
                "causes": [{"reason": "FieldValueInvalid", "field": "spec.room", "message": "wrong [rooms]"}],
            },
        })
    );
    let two = Verdict { refusals: vec![of_rule("spec.room"), of_rule("")], warnings: Vec::new() };
    assert_eq!(answer(&two)["status"]["message"], "2 reasons:\n  spec.room: wrong [rooms]\n  wrong [rooms]");
}

#[test]
fn answers_are_bounded() {
    let refusal =
        Refusal { source: "rooms", reason: "FieldValueInvalid", field: String::new(), message: "é".repeat(5000) };
    let warning = Warning { source: "rooms", text: "x".repeat(5000) };
    let verdict = Verdict { refusals: vec![refusal; 500], warnings: vec![warning; 500] };
    let response = answer(&verdict);
    assert_eq!(response["warnings"].as_array().unwrap().len(), 17);
    assert_eq!(response["warnings"][16], "484 more warnings");
    assert!(response["status"]["message"].as_str().unwrap().ends_with("\n  and 484 more"));
    assert!(verdict.body(&request()).len() < 70_000, "{}", verdict.body(&request()).len());
}
