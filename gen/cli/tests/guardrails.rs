//! `guardrails`: from what an implementation supports to a policy. What the policies do is proven on real servers.

use std::sync::Arc;

use http::Request;
use serde_json::{Value, json};

use crate::cluster::{Cluster, published, widget};
use crate::remote::{Printed, Remote};
use crate::shape;

/// `size` needs Size, `mode` needs Mode or Style, and a widget names its class with `text`.
fn features() -> Value {
    let element = |path: &str, features: Value| json!({"crd": "widgets.example.com", "path": path, "versions": ["v1"], "features": features});
    json!({
        "schemaVersion": 1, "generator": "test", "prefix": "example.com",
        "implementations": {
            "class": "gadgets.example.com", "features": "spec.features[*]",
            "references": [{"from": "widgets.example.com", "path": "spec.text", "to": ["gadgets.example.com"]}],
        },
        "elements": [element("spec.size", json!(["Size"])), element("spec.mode", json!(["Mode", "Style"]))],
    })
}

/// A cluster with the classes `small`, which lists Size, and `old`, which lists nothing.
fn remote() -> Remote {
    let mut answers = Cluster::new("v1.0.0", "standard").answers();
    for (name, features) in [("small", json!(["Size"])), ("old", json!([]))] {
        let class = widget(name, &json!({"features": features}));
        answers.insert(format!("/apis/example.com/v1/gadgets/{name}"), (200, class));
    }
    let answers = Arc::new(answers);
    let remote = Remote::new(move |request: Request<Vec<u8>>| {
        let missing = || {
            (
                404,
                json!({"kind": "Status", "reason": "NotFound", "code": 404, "message": "gadgets.example.com \"absent\" not found"}),
            )
        };
        let (code, body) = answers.get(&request.uri().to_string()).cloned().unwrap_or_else(missing);
        (code, body.to_string().into_bytes())
    });
    let crd = published("widgets", "v1.0.0", "standard").to_string();
    remote.place.write("crds.yaml", crd);
    remote.place.write("features.json", features().to_string());
    remote
}

fn run(remote: &Remote, arguments: &[&str]) -> Printed {
    remote.run(&[&["guardrails", "--features", "features.json"], arguments].concat())
}

/// The documents that were printed.
fn printed(printed: &Printed) -> Vec<Value> {
    assert_eq!(printed.code, 0, "{printed:?}");
    crd_model::yaml::read(&printed.out).unwrap().into_iter().filter(|document| !document.is_null()).collect()
}

/// What a policy lists, and the action of its binding.
fn listed(objects: &[Value]) -> (Vec<String>, &Value) {
    let variables = objects[0]["spec"]["variables"].as_array().unwrap().iter();
    let uses = variables.filter(|variable| variable["name"].as_str().unwrap().starts_with("uses_"));
    let name = |of: &Value| {
        of["expression"].as_str().unwrap().rsplit(" ? ").next().unwrap().split('\'').nth(1).unwrap().to_owned()
    };
    assert_eq!(objects[0]["metadata"]["name"], objects[1]["spec"]["policyName"]);
    (uses.map(name).collect(), &objects[1]["spec"]["validationActions"])
}

#[test]
fn reports_and_lists_say_what_is_supported() {
    let remote = remote();
    let report = "apiVersion: gateway.networking.k8s.io/v1\nkind: ConformanceReport\ndate: '2026-01-02T00:00:00Z'\ngatewayAPIVersion: v1.0.0\n\
        implementation: {organization: a, project: b, version: v1}\nprofiles: [{name: X, extended: {result: partial, supportedFeatures: [Style]}}]\n";
    for (text, expected) in [
        ("Size\n", &["spec.mode (Mode or Style)"][..]),
        ("[Other, Mode]\n", &["spec.size (Size)"]),
        ("- Nothing\n", &["spec.mode (Mode or Style)", "spec.size (Size)"]),
        (report, &["spec.size (Size)"]),
    ] {
        remote.place.write("supported", text);
        let objects = printed(&run(&remote, &["--supported", "supported", "crds.yaml"]));
        assert_eq!(objects[0]["metadata"], json!({"name": "unsupported.example.com"}), "{text}");
        assert_eq!(
            listed(&objects),
            (expected.iter().map(|&name| name.to_owned()).collect(), &json!(["Deny"])),
            "{text}"
        );
    }
    let warned = printed(&run(&remote, &["--supported", "supported", "crds.yaml", "--action", "warn"]));
    assert_eq!(listed(&warned).1, &json!(["Warn"]));
    remote.place.write("supported", "Size Style");
    let all = run(&remote, &["--supported", "supported", "crds.yaml"]);
    assert_eq!((&*all.out, &*all.err), ("", "note: everything is supported, so no policy is needed\n"));
}

#[test]
fn a_class_of_the_cluster_lists_its_features() {
    let remote = remote();
    let objects = printed(&run(&remote, &["--class", "small"]));
    assert_eq!(objects[0]["metadata"]["name"], "unsupported.small.example.com");
    assert_eq!(listed(&objects).0, ["spec.mode (Mode or Style)"]);
    let conditions = objects[0]["spec"]["matchConditions"].as_array().unwrap();
    let condition = "(request.resource.resource + '.' + request.resource.group != 'widgets.example.com' || \
        has(dyn(object).spec) && has(dyn(object).spec.text) && dyn(object).spec.text == 'small')";
    assert_eq!(conditions[2], json!({"name": "is-of-the-class", "expression": condition}));
}

#[test]
fn what_is_not_known_is_an_error() {
    let remote = remote();
    remote.place.write("empty", "");
    remote.place.write("words", "Size, Mode");
    remote.place.write("broken.json", "{}");
    for (arguments, error) in [
        (
            &["--class", "old"][..],
            "error[features::unlisted]: the Gadget `old` lists no features at `spec.features[*]`",
        ),
        (&["--class", "absent"], "error[features::unlisted]: the cluster has no Gadget `absent`"),
        (&["--supported", "missing", "crds.yaml"], "error[features::unlisted]: `missing` does not exist"),
        (&["--supported", "empty", "crds.yaml"], "error[evidence::malformed]: the file lists no features"),
        (&["--supported", "words", "crds.yaml"], "error[evidence::malformed]: `Size,` is not the name of a feature"),
        (&["--supported", "words"], "error[evidence::malformed]: "),
        (&[], "error: the following required arguments were not provided"),
    ] {
        let ran = run(&remote, arguments);
        assert!(ran.code != 0 && ran.out.is_empty() && ran.err.starts_with(error), "{arguments:?} {ran:?}");
    }
    let broken = remote.run(&["guardrails", "--features", "broken.json", "--supported", "words"]);
    assert!(broken.err.starts_with("error[features::document]: missing field `schemaVersion` at line 1"), "{broken:?}");
    let none = remote.run(&["guardrails", "--supported", "words"]);
    assert!(
        none.err.starts_with("error[features::document]: the workspace has no `bundles/unreleased/features.json`"),
        "{none:?}"
    );
}

/// The documents of this test and of Gateway API have the published form.
#[test]
fn the_schema_describes_the_document() {
    let schema: Value = serde_json::from_str(include_str!("../schemas/features.json")).unwrap();
    let published = serde_json::from_str(include_str!("../../../bundles/unreleased/features.json")).unwrap();
    for document in [features(), published] {
        assert_eq!(shape::errors(&schema, &document), [] as [&str; 0]);
    }
    assert_ne!(shape::errors(&schema, &json!({"schemaVersion": 1, "elements": [{}]})), [] as [&str; 0]);
}
