//! The lens of the client certificates of listeners: what is kept exactly, and what fails. And a program that reads objects of any age, as the page for
//! implementers shows it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "conversions/reader.rs"]
#[allow(unreachable_pub, reason = "the page shows it as an author of a library writes it")]
mod reader;

use crd_convert::{Conversions, Document};
use crd_model::{CustomResourceDefinition, yaml};
use gateway_api_types::conversions::FUNCTIONS;
use serde_json::{Value, json};

fn conversions() -> Conversions {
    let text = include_str!("../../bundles/unreleased/conversions.json");
    Conversions::with_code(&Document::read(text).unwrap(), &FUNCTIONS).unwrap()
}

fn gateway(spec: Value) -> Value {
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"name": "a"}, "spec": spec})
}

/// A listener of a port, with the CA certificates that it trusts.
fn listener(name: &str, port: u16, ca: Option<&str>) -> Value {
    let mut listener =
        json!({"name": name, "port": port, "protocol": "HTTPS", "tls": {"certificateRefs": [{"name": "server"}]}});
    if let Some(ca) = ca {
        listener["tls"]["frontendValidation"] = validation(ca);
    }
    listener
}

fn validation(ca: &str) -> Value {
    json!({"caCertificateRefs": [{"group": "", "kind": "ConfigMap", "name": ca}]})
}

fn entry(port: u16, ca: &str) -> Value {
    json!({"port": port, "tls": {"validation": validation(ca)}})
}

#[track_caller]
fn forward(object: &Value) -> Value {
    let mut object = object.clone();
    conversions().forward(&mut object).unwrap();
    object
}

#[track_caller]
fn back(object: &Value) -> Value {
    conversions().convert_back(object, "v1.3.0".parse().unwrap()).unwrap().object
}

#[test]
fn each_port_gets_the_validation_of_its_listeners() {
    let old = gateway(json!({"backendTLS": {}, "listeners": [
        listener("a", 443, Some("x")), listener("b", 8443, None), listener("c", 443, Some("x")), listener("d", 9443, Some("y")),
        {"name": "e", "port": 443, "protocol": "TLS", "tls": {"mode": "Passthrough"}}
    ]}));
    let new = gateway(
        json!({"tls": {"backend": {}, "frontend": {"default": {}, "perPort": [entry(443, "x"), entry(9443, "y")]}}, "listeners": [
            listener("a", 443, None), listener("b", 8443, None), listener("c", 443, None), listener("d", 9443, None),
            {"name": "e", "port": 443, "protocol": "TLS", "tls": {"mode": "Passthrough"}}
        ]}),
    );
    assert_eq!(forward(&old), new);
    assert_eq!(back(&new), old);
    // A Gateway without validation has nothing to convert.
    let without = gateway(json!({"listeners": [listener("a", 443, None)]}));
    assert_eq!(forward(&without), without);
}

#[test]
fn a_gateway_that_would_mean_something_else_fails() {
    for (listeners, why) in [
        (
            json!([listener("a", 443, Some("x")), listener("b", 443, Some("y"))]),
            "the listener `b` has another `frontendValidation` than the listeners before it with the port 443",
        ),
        (
            json!([listener("a", 443, None), listener("b", 443, Some("y"))]),
            "the listener `b` has another `frontendValidation` than the listeners before it with the port 443",
        ),
        (
            json!([{"name": "a", "port": 443, "protocol": "TLS", "tls": {"frontendValidation": validation("x")}}]),
            "the listener `a` has `frontendValidation`, and the new form is about listeners with the protocol `HTTPS` only",
        ),
        (
            json!([{"name": "a", "port": 443, "protocol": "HTTPS", "tls": {"frontendValidation": {}}}]),
            "`frontendValidation` of the listener `a` has no `caCertificateRefs`, which the new form requires",
        ),
        (
            json!([{"name": "a", "protocol": "HTTPS", "tls": {"frontendValidation": validation("x")}}]),
            "the listener `a` has no port",
        ),
    ] {
        let old = gateway(json!({"listeners": listeners}));
        let mut object = old.clone();
        let failure = conversions().forward(&mut object).unwrap_err();
        assert!(failure.is_refusal() && failure.why.contains(why), "{failure}");
        assert!(failure.lens.ends_with("code spec.listeners[*].tls.frontendValidation"), "{failure}");
        assert_eq!(object, old);
    }
}

/// The default of a Gateway applies to each listener whose port has no entry, and returns as the default.
#[test]
fn a_default_becomes_the_validation_of_listeners() {
    let frontend =
        json!({"default": {"validation": validation("x")}, "perPort": [{"port": 8443, "tls": {}}, entry(1, "z")]});
    let new = gateway(json!({"tls": {"frontend": frontend}, "listeners": [
        listener("a", 443, None), listener("b", 8443, None), {"name": "c", "port": 80, "protocol": "HTTP"}, {"name": "d", "port": 444, "protocol": "HTTPS"}
    ]}));
    let old = back(&new);
    assert_eq!(
        old["spec"],
        json!({"listeners": [
            listener("a", 443, Some("x")), listener("b", 8443, None), {"name": "c", "port": 80, "protocol": "HTTP"}, {"name": "d", "port": 444, "protocol": "HTTPS"}
        ]})
    );
    assert_eq!(forward(&old), new);
}

/// The old form is strict: every client that the new form refuses is refused.
#[test]
fn a_mode_returns_unless_listeners_change() {
    let mut fallback = entry(443, "x");
    fallback["tls"]["validation"]["mode"] = json!("AllowInsecureFallback");
    let new = gateway(
        json!({"tls": {"frontend": {"default": {}, "perPort": [fallback]}}, "listeners": [listener("a", 443, None)]}),
    );
    let mut old = back(&new);
    assert_eq!(old["spec"]["listeners"], json!([listener("a", 443, Some("x"))]));
    assert_eq!(forward(&old), new);
    old["spec"]["listeners"][0]["port"] = json!(8443);
    assert_eq!(forward(&old)["spec"]["tls"]["frontend"], json!({"default": {}, "perPort": [entry(8443, "x")]}));
}

/// The page for implementers contains a program, an old policy, and what the program makes of it.
#[test]
fn the_program_of_the_page_reads_its_policy() {
    let page = include_str!("../../docs/controllers.md").split("\n## Reading objects of any age\n").last().unwrap();
    let blocks = |language: &str| {
        let begin = format!("\n```{language}\n");
        let blocks = page.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
        blocks.collect::<Vec<_>>()
    };
    assert_eq!(blocks("rust,ignore"), [include_str!("conversions/reader.rs").split_once("\n\n").unwrap().1]);
    let crd =
        yaml::read(include_str!("../../bundles/v1.6.1/experimental/gateway.networking.k8s.io_backendtlspolicies.yaml"));
    let crd = CustomResourceDefinition::from_value(&crd.unwrap()[0]).unwrap();
    let document = include_str!("../../bundles/unreleased/conversions.json");
    let reader = reader::Reader::new(document, "v1.6.1".parse().unwrap(), &[crd]).unwrap();
    let read = |object: &Value, installed: Option<&str>| {
        let read = reader.read(object.clone(), installed.map(|installed| installed.parse().unwrap()));
        read.map(|policy| serde_json::to_value(policy).unwrap())
    };
    let json = blocks("json").into_iter().take(2).map(|text| serde_json::from_str(&text).unwrap());
    let [old, new]: [Value; 2] = json.collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(read(&old, None), read(&new, None));
    assert_eq!(read(&old, None).unwrap()["spec"], new["spec"]);
    let mut other = new;
    other["spec"]["novel"] = json!(1);
    let unknown = "the field `spec.novel` is not in the current form";
    let newer = format!("it is newer: {unknown}; the installed CRDs have the bundle version v1.7.0");
    assert_eq!(read(&other, None), Err(unknown.to_owned()));
    assert_eq!(read(&other, Some("v1.6.1")), Err(unknown.to_owned()));
    assert_eq!(read(&other, Some("v1.7.0")), Err(newer));
}
