//! OpenAPI documents: against what an API server published for the same CRD, and malformed input.
//!
//! `CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs openapi` writes the server's documents, without their descriptions.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_bindings::openapi::{INDEX, files};
use crd_model::{Channel, Channels, CustomResourceDefinition, yaml};
use serde_json::{Value, json};

#[path = "openapi/comparison.rs"]
mod comparison;
use comparison::{comparable, differences};

fn channels(documents: &[Value]) -> Channels {
    let crds = documents.iter().map(|crd| Arc::new(CustomResourceDefinition::from_value(crd).expect("a CRD")));
    Channels::from([(Channel::Standard, crds.collect())])
}

fn record() -> Value {
    yaml::read(include_str!("openapi/record.yaml")).expect("YAML").remove(0)
}

fn written(channels: &Channels) -> BTreeMap<String, Value> {
    let files = files(channels).expect("documents");
    files.into_iter().map(|(path, text)| (path, serde_json::from_str(&text).expect("JSON"))).collect()
}

#[test]
fn documents_are_those_that_a_server_published() {
    let mut ours = written(&channels(&[record()]));
    let index = ours.remove(INDEX).expect("an index");
    let published = [
        ("standard-swagger.json", include_str!("openapi/published-v2.json")),
        ("standard/v3/apis/tricky.example.com/v1.json", include_str!("openapi/published-v3.json")),
    ];
    assert_eq!(ours.keys().collect::<Vec<_>>(), published.map(|(path, _)| path));
    let listed = index["documents"].as_array().expect("a list").iter().map(|document| document["path"].as_str());
    assert_eq!(listed.collect::<Vec<_>>(), published.map(|(path, _)| Some(path)));
    for (path, text) in published {
        let theirs = serde_json::from_str(text).expect("JSON");
        let found = differences(&comparable(&ours[path]), &theirs);
        assert!(found.is_empty(), "{path}: {found:#?}");
    }
}

/// Every reference has a target.
#[test]
fn documents_are_complete() {
    let mut crd = record();
    crd["metadata"]["annotations"] = json!({ "example.com/bundle-version": "v1.2.3" });
    let mut documents = written(&channels(&[crd]));
    documents.remove(INDEX);
    for (path, document) in documents {
        let text = document.to_string();
        let references = text.split("\"$ref\":\"#").skip(1).filter_map(|rest| rest.split('"').next());
        let missing = references.filter(|pointer| document.pointer(pointer).is_none()).collect::<Vec<_>>();
        assert!(missing.is_empty(), "{path}: {missing:?}");
        let title = if path.contains("v3") { "tricky.example.com v1" } else { "tricky.example.com" };
        assert_eq!(document["info"], json!({ "title": format!("{title}, standard channel"), "version": "v1.2.3" }));
        assert!(document["paths"].as_object().is_some_and(|paths| paths.len() == 5), "{path}");
    }
}

#[test]
fn versions_that_are_not_served_have_no_document() {
    let mut crd = record();
    let mut old = crd["spec"]["versions"][0].clone();
    old["name"] = json!("v1alpha1");
    old["storage"] = json!(false);
    old["served"] = json!(false);
    crd["spec"]["versions"].as_array_mut().expect("a list").push(old);
    assert_eq!(written(&channels(&[crd])), written(&channels(&[record()])));
}

#[test]
fn two_kinds_with_one_schema_are_refused() {
    let mut other = record();
    other["spec"]["names"] = json!({ "kind": "Other", "listKind": "RecordList", "plural": "others" });
    let errors = files(&channels(&[record(), other])).expect_err("a clash");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(
        (errors[0].code, &*errors[0].message),
        ("bindings::path", "two schemas have the name `com.example.tricky.v1.RecordList`")
    );
}

#[test]
fn names_that_lead_out_of_the_folder_are_refused() {
    for (pointer, name) in [
        ("/spec/group", "../a"),
        ("/spec/group", ".."),
        ("/spec/group", ""),
        ("/spec/versions/0/name", "v1/../../x"),
        ("/spec/names/kind", "A B"),
        ("/spec/names/plural", "a{name}"),
        ("/spec/names/listKind", "A~1"),
    ] {
        let mut crd = record();
        *crd.pointer_mut(pointer).expect("a name") = json!(name);
        let errors = files(&channels(&[crd])).expect_err(name);
        assert!(errors.iter().all(|error| error.code == "bindings::name"), "{errors:?}");
    }
}
