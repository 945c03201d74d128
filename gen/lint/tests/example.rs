//! CRDs from the examples of conventions.

use std::sync::Arc;

use crd_lint::{Convention, Finding, findings};
use crd_model::channel::Channel;
use crd_model::{Channels, CustomResourceDefinition, yaml};
use serde_json::{Value, json};

/// The CRD of an example: a whole CRD, or a schema. A schema is the version `v1` of `widgets.example.com`, with a status if it has one.
pub(crate) fn example(text: &str) -> CustomResourceDefinition {
    let value = yaml::read(text).unwrap().remove(0);
    CustomResourceDefinition::from_value(&if value["kind"] == "CustomResourceDefinition" {
        value
    } else {
        around(value)
    })
    .unwrap_or_else(|errors| panic!("{errors:?} in\n{text}"))
}

fn around(schema: Value) -> Value {
    let has_status = schema["properties"].get("status").is_some();
    let mut version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    if has_status {
        version["subresources"] = json!({"status": {}});
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"},
            "versions": [version],
        },
    })
}

/// A bundle with these CRDs.
pub(crate) fn channels(crds: &[(Channel, CustomResourceDefinition)]) -> Channels {
    let mut channels = Channels::new();
    for (channel, crd) in crds {
        channels.entry(*channel).or_default().push(Arc::new(crd.clone()));
    }
    channels
}

/// The findings of one rule in one example.
pub(crate) fn found(rule: &'static Convention, text: &str) -> Vec<Finding> {
    findings(&[rule], &channels(&[(Channel::Standard, example(text))]), None, &Default::default())
}
