//! Published CRDs are read as a server reads them: each row of the table of oddities is put to a server, and CRDs of v1beta1 become what
//! Kubernetes' own conversion makes of them.

use crd_bundle::published::{Input, SERVER_ANSWERS, ServerAnswer, read};
use serde_json::{Map, Value, json};

use crate::oracle::{Oracle, is_available};
use crate::server::{Crds, server};

/// A CRD with a field of this schema, as it is written.
fn document(schema: &str) -> String {
    format!(
        r#"{{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {{"name": "oddities.published.example.com"}},
        "spec": {{"group": "published.example.com", "scope": "Namespaced",
            "names": {{"kind": "Oddity", "plural": "oddities"}},
            "versions": [{{"name": "v1", "served": true, "storage": true, "schema": {{"openAPIV3Schema":
                {{"type": "object", "properties": {{"field": {schema}}}}}}}}}]}}}}"#
    )
}

#[test]
fn a_server_answers_as_the_table_says() {
    let Some(server) = server(Crds::Nothing) else { return };
    let answer = |schema: &str, validation: &str| {
        let path =
            format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All&fieldValidation={validation}");
        let printed = server.kubectl_reading(&["create", "--raw", &path, "-f", "-"], &document(schema));
        match (printed.success, printed.stderr.contains("Warning: ")) {
            (true, false) => ServerAnswer::Accepts,
            (true, true) => ServerAnswer::Warns,
            (false, _) => ServerAnswer::Refuses,
        }
    };
    assert_eq!(answer(r#"{"type": "string"}"#, "Strict"), ServerAnswer::Accepts);
    for row in SERVER_ANSWERS {
        let found = (answer(row.example, "Warn"), answer(row.example, "Strict"));
        assert_eq!(found, (row.warn, row.strict), "{:?}: {}", row.oddity, row.example);
    }
}

/// CRDs of v1beta1 with everything that the conversion moves, renames or fills in.
fn old_documents() -> Vec<Value> {
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "integer", "minimum": 1}, "any": {}}, "required": ["size", "any"]}}}});
    let columns = json!([{"name": "Size", "type": "integer", "JSONPath": ".spec.size", "priority": 1}]);
    let scale =
        json!({"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}});
    let client = json!({"service": {"namespace": "a", "name": "b", "path": "/c"}, "caBundle": "YQ=="});
    let versions = |more: Value| {
        let mut first = json!({"name": "v2", "served": true, "storage": true});
        first.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
        json!([first, {"name": "v1", "served": true, "storage": false}])
    };
    [
        json!({"version": "v1", "validation": schema, "subresources": scale, "additionalPrinterColumns": columns}),
        json!({"version": "v1", "scope": "Cluster", "preserveUnknownFields": false, "validation": schema}),
        json!({"version": "v1", "versions": [], "scope": ""}),
        json!({"version": "v1", "validation": null, "subresources": null, "versions": null}),
        json!({"version": "v1", "validation": {}}),
        json!({"version": "v1", "validation": {"openAPIV3Schema": {"properties": {"spec": {"properties": {"size": {}}}}}}}),
        json!({"versions": versions(json!({})), "version": "v2", "validation": schema, "subresources": {"status": {}}}),
        json!({"versions": versions(json!({"schema": schema, "subresources": scale, "additionalPrinterColumns": columns}))}),
        json!({"versions": versions(json!({"deprecated": true, "deprecationWarning": "use v1"})), "validation": schema}),
        json!({"version": "v1", "conversion": {"strategy": "None"}}),
        json!({"version": "v1", "conversion": {"strategy": "None", "conversionReviewVersions": ["v1beta1"]}}),
        json!({"version": "v1", "conversion": {"strategy": "Webhook", "webhookClientConfig": client}}),
        json!({"version": "v1", "conversion": {"strategy": "Webhook", "webhookClientConfig": client,
            "conversionReviewVersions": ["v1", "v1beta1"]}}),
        json!({"version": "v1", "conversion": {"strategy": "Webhook", "webhookClientConfig": {"url": "https://a.b/c"},
            "conversionReviewVersions": []}}),
        // Keys that only v1 has, which a server drops.
        json!({"version": "v1", "conversion": {"strategy": "None", "webhook": {"clientConfig": client}},
            "additionalPrinterColumns": [{"name": "Size", "type": "integer", "JSONPath": ".spec.size", "jsonPath": ".a"}]}),
    ]
    .into_iter()
    .map(|mut spec| {
        let names = json!({"kind": "Thing", "plural": "things", "shortNames": ["th"], "categories": ["all"]});
        let all = spec.as_object_mut().expect("a map");
        all.insert("group".to_owned(), json!("old.example.com"));
        all.insert("names".to_owned(), names);
        json!({"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "things.old.example.com"}, "spec": spec})
    })
    .collect()
}

#[test]
fn v1beta1_becomes_what_kubernetes_makes_of_it() {
    if !is_available() {
        return;
    }
    let mut oracle = Oracle::start(crate::oracle::minors()[0]);
    let mut converted = |document: &Value| {
        let answer = oracle.ask(&json!({"convert": document}));
        let spec = answer["stored"]["spec"].clone();
        assert!(spec.is_object(), "{document}: {answer}");
        comparable(spec)
    };
    for document in old_documents() {
        let theirs = converted(&document);
        let published = read("old", [Input::new("old.json", document.to_string())]);
        let published = published.unwrap_or_else(|errors| panic!("{document}: {errors:?}"));
        // Through v1 too, so that both have what v1 fills in.
        assert_eq!(converted(&published.crds[0].crd.to_value()), theirs, "{document}");
    }
}

/// Without nulls, which are absent parts; and with the schema that replaces a missing one, and the type of a root without a type.
fn comparable(mut spec: Value) -> Value {
    for version in spec["versions"].as_array_mut().into_iter().flatten() {
        if version.pointer("/schema/openAPIV3Schema").is_none_or(Value::is_null) {
            let anything = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
            version["schema"] = json!({"openAPIV3Schema": anything});
        }
        let root = version.pointer_mut("/schema/openAPIV3Schema").and_then(Value::as_object_mut).expect("a schema");
        root.entry("type").or_insert_with(|| json!("object"));
    }
    without_nulls(spec)
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().filter(|(_, value)| !value.is_null());
            let mut kept = kept.map(|(key, value)| (key, without_nulls(value))).collect::<Map<_, _>>();
            // A set, which our reader sorts.
            if let Some(Value::Array(required)) = kept.get_mut("required") {
                required.sort_by_key(ToString::to_string);
            }
            Value::Object(kept)
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
}
