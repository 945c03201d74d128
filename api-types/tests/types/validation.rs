//! The feature `validation`: every example is accepted through its Rust type, and what a server refuses is refused.

use crd_channels::Channel;
use crd_channels::validation::{ErrorKind, Validate};
use gateway_api_types::v1::HTTPRoute;
use gateway_api_types::v1alpha1::XMesh;
use serde_json::{Value, json};

use crate::examples::{Documents, ours, upstream};
use crate::objects::version_of;

fn namespaced(mut object: Value) -> Value {
    if object["kind"] != "GatewayClass" && object["kind"] != "XMesh" {
        object["metadata"]["namespace"] = json!("default");
    }
    object
}

#[test]
fn every_example_is_accepted_and_can_replace_itself() {
    let mut count = 0;
    for documents in [ours as Documents, upstream] {
        for channel in Channel::ALL {
            for (file, document) in documents(channel) {
                let Some(version) = version_of(&document) else { continue };
                let text = namespaced(document).to_string();
                (version.validate)(&text, channel).unwrap_or_else(|error| panic!("{file}: {error}"));
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count} examples");
}

fn route(spec: Value) -> HTTPRoute {
    serde_json::from_value(json!({"metadata": {"name": "a", "namespace": "b"}, "spec": spec})).unwrap()
}

#[test]
fn errors_are_those_of_a_server() {
    let long = route(json!({"hostnames": vec!["a.b"; 17]}));
    let error = long.validate(Channel::Standard).unwrap_err();
    assert_eq!(error.errors[0].kind, ErrorKind::TooMany);
    assert_eq!(error.errors[0].to_string(), "spec.hostnames: Too many: 17: must have at most 16 items");

    let path = json!({"type": "PathPrefix", "value": "a"});
    let error = route(json!({"rules": [{"matches": [{"path": path}]}]})).validate(Channel::Standard).unwrap_err();
    assert_eq!(
        error.to_string(),
        "spec.rules[0].matches[0].path: Invalid value: value must be an absolute path and start with '/' when type one of ['Exact', \
         'PathPrefix']"
    );
}

#[test]
fn a_channel_refuses_the_fields_that_it_does_not_have() {
    let with_session = route(json!({"rules": [{"sessionPersistence": {"cookie": {}}}]}));
    with_session.validate(Channel::Experimental).unwrap();
    let error = with_session.validate(Channel::Standard).unwrap_err();
    assert_eq!(error.to_string(), "strict decoding error: unknown field \"spec.rules[0].sessionPersistence\"");
}

#[test]
fn a_channel_without_the_resource_is_named() {
    let mesh: XMesh =
        serde_json::from_value(json!({"metadata": {"name": "a"}, "spec": {"controllerName": "a.b/c"}})).unwrap();
    mesh.validate(Channel::Experimental).unwrap();
    let error = mesh.validate(Channel::Standard).unwrap_err();
    assert_eq!(error.to_string(), "the standard channel does not have gateway.networking.x-k8s.io/v1alpha1 XMesh");
}

#[test]
fn an_update_excuses_what_was_stored() {
    let relabelled = |hostname: &str, label: &str| -> HTTPRoute {
        let metadata = json!({"name": "a", "namespace": "b", "labels": {"c": label}});
        serde_json::from_value(json!({"metadata": metadata, "spec": {"hostnames": [hostname]}})).unwrap()
    };
    let (stored, changed) = (relabelled("-", "old"), relabelled("-", "new"));
    assert!(changed.validate(Channel::Standard).is_err());
    changed.validate_update(&stored, Channel::Standard).unwrap();
    let error = relabelled("_", "new").validate_update(&stored, Channel::Standard).unwrap_err();
    assert_eq!(error.errors[0].field, "spec.hostnames[0]");
    let renamed: HTTPRoute =
        serde_json::from_value(json!({"metadata": {"name": "z", "namespace": "b"}, "spec": {}})).unwrap();
    let error = renamed.validate_update(&stored, Channel::Standard).unwrap_err();
    assert!(error.to_string().starts_with("metadata.name: Invalid value: \"z\": field is immutable"), "{error}");
}

#[test]
fn the_status_is_an_update_of_its_own() {
    let parents = |count: usize| -> HTTPRoute {
        let parent = |index| {
            json!({"controllerName": "a.b/c", "parentRef": {"name": format!("p{index}")}, "conditions": [
            {"type": "Accepted", "status": "True", "reason": "Accepted", "message": "", "lastTransitionTime": "2024-01-01T00:00:00Z"}]})
        };
        let status = json!({"parents": (0..count).map(parent).collect::<Vec<Value>>()});
        serde_json::from_value(json!({"metadata": {"name": "a", "namespace": "b"}, "spec": {}, "status": status}))
            .unwrap()
    };
    // A creation drops the status, so that nothing is wrong with it.
    parents(33).validate(Channel::Standard).unwrap();
    parents(32).validate_status(&parents(1), Channel::Standard).unwrap();
    let error = parents(33).validate_status(&parents(1), Channel::Standard).unwrap_err();
    assert_eq!(error.errors[0].to_string(), "status.parents: Too many: 33: must have at most 32 items");
}
