//! A cluster with a made-up API: two CRDs, two bundles, both channels. It is data; tests change it, and a server answers with it.
//!
//! Invariant: a new cluster has nothing to report.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The prefix and the group of the API.
pub(crate) const PREFIX: &str = "example.com";

/// The bundles.
pub(crate) const BUNDLES: [&str; 2] = ["v1.0.0", "v1.1.0"];

/// The channels.
pub(crate) const CHANNELS: [&str; 2] = ["standard", "experimental"];

/// What a server has.
#[derive(Clone)]
pub(crate) struct Cluster {
    pub(crate) crds: Vec<Value>,
    /// The objects by `VERSION/PLURAL`.
    pub(crate) objects: BTreeMap<String, Vec<Value>>,
    pub(crate) policies: Vec<Value>,
    pub(crate) bindings: Vec<Value>,
    pub(crate) webhooks: Vec<Value>,
    /// Other answers, by the path with its query.
    pub(crate) answers: BTreeMap<String, (u16, Value)>,
}

impl Cluster {
    /// A cluster with a bundle, and two widgets that use nothing experimental.
    pub(crate) fn new(bundle: &str, channel: &str) -> Self {
        let policy = |name: &str| json!({"metadata": {"name": format!("{name}.{PREFIX}")}, "spec": {}});
        let mut guardrails = policy("guardrails");
        guardrails["metadata"]["annotations"] = json!({"example.com/bundle-version": bundle});
        let binding = |name: &str| {
            let mut binding = policy(name);
            binding["spec"] = json!({"policyName": binding["metadata"]["name"], "validationActions": ["Deny"]});
            binding
        };
        Self {
            crds: ["gadgets", "widgets"].map(|plural| installed(published(plural, bundle, channel))).into(),
            objects: BTreeMap::from([(
                "v1/widgets".to_owned(),
                vec![widget("a", &json!({"size": 1, "mode": "A"})), widget("b", &json!({"size": 2}))],
            )]),
            policies: vec![guardrails, policy("safe-upgrades")],
            bindings: vec![binding("guardrails"), binding("safe-upgrades")],
            webhooks: Vec::new(),
            answers: BTreeMap::new(),
        }
    }

    /// A CRD by its plural.
    pub(crate) fn crd(&mut self, plural: &str) -> &mut Value {
        self.crds.iter_mut().find(|crd| crd["spec"]["names"]["plural"] == plural).unwrap()
    }

    /// Adds a widget.
    pub(crate) fn add(&mut self, widget: Value) {
        self.objects.get_mut("v1/widgets").unwrap().push(widget);
    }

    /// The answers by path and query.
    pub(crate) fn answers(&self) -> BTreeMap<String, (u16, Value)> {
        let list = |items: &[Value]| (200, json!({"items": items, "metadata": {}}));
        let admission = |plural: &str| format!("/apis/admissionregistration.k8s.io/v1/{plural}?limit=500");
        let mut answers = BTreeMap::from([
            ("/version".to_owned(), (200, json!({"major": "1", "minor": "37", "gitVersion": "v1.37.1"}))),
            (
                "/apis/storagemigration.k8s.io/v1".to_owned(),
                (200, json!({"resources": [{"name": "storageversionmigrations"}]})),
            ),
            ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=500".to_owned(), list(&self.crds)),
            (admission("validatingadmissionpolicies"), list(&self.policies)),
            (admission("validatingadmissionpolicybindings"), list(&self.bindings)),
            (admission("validatingwebhookconfigurations"), list(&self.webhooks)),
        ]);
        for crd in &self.crds {
            let name = crd["metadata"]["name"].as_str().unwrap();
            let of_crd = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
            answers.insert(of_crd, (200, crd.clone()));
            for version in crd["spec"]["versions"].as_array().into_iter().flatten() {
                let of_version = format!(
                    "{}/{}",
                    version["name"].as_str().unwrap(),
                    crd["spec"]["names"]["plural"].as_str().unwrap()
                );
                let objects = self.objects.get(&of_version).map(Vec::as_slice).unwrap_or_default();
                let path = format!("/apis/{}/{of_version}?limit=500", crd["spec"]["group"].as_str().unwrap());
                answers.insert(path, list(objects));
            }
        }
        answers.extend(self.answers.clone());
        answers
    }
}

/// The path of the first page of objects: `VERSION/PLURAL`.
pub(crate) fn path(of_version: &str) -> String {
    format!("/apis/{PREFIX}/{of_version}?limit=500")
}

/// A `Status` of the server.
pub(crate) fn status(code: u16, message: &str) -> (u16, Value) {
    (code, json!({"kind": "Status", "status": "Failure", "message": message, "code": code}))
}

/// A widget in the namespace `shop`.
pub(crate) fn widget(name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {
            "namespace": "shop", "name": name, "uid": name, "resourceVersion": "7", "generation": 1,
            "creationTimestamp": "2026-01-02T03:04:05Z", "managedFields": [managed("operator", "v1")],
        },
        "spec": spec,
    })
}

/// The configuration of a validating webhook that has a certificate.
pub(crate) fn webhook(bundle: &str, channel: &str) -> Value {
    let service = json!({"namespace": "example-webhook", "name": "webhook", "path": "/validate", "port": 443});
    json!({
        "metadata": {
            "name": format!("webhook.{PREFIX}"),
            "annotations": {"example.com/bundle-version": bundle, "example.com/channel": channel},
        },
        "webhooks": [{
            "name": format!("webhook.{PREFIX}"), "failurePolicy": "Ignore",
            "clientConfig": {"service": service, "caBundle": "Y2VydGlmaWNhdGU="},
        }],
    })
}

/// An entry of `managedFields`.
pub(crate) fn managed(manager: &str, version: &str) -> Value {
    let api_version = format!("{PREFIX}/{version}");
    json!({"manager": manager, "operation": "Update", "apiVersion": api_version, "time": "2026-01-02T03:04:05Z"})
}

/// A CRD of a bundle, as it is published.
///
/// v1.1.0 limits `size`, needs a `spec`, limits `text` to letters, gives `theme.color` a default, and no longer serves gadgets as v1beta1.
pub(crate) fn published(plural: &str, bundle: &str, channel: &str) -> Value {
    let (is_new, is_experimental) = (bundle == "v1.1.0", channel == "experimental");
    let (kind, schema) = match plural {
        "widgets" => ("Widget", widgets(is_new, is_experimental)),
        _ => ("Gadget", json!({"type": "object", "properties": {"spec": {"type": "object"}}})),
    };
    let version = |name: &str, is_served: bool| json!({"name": name, "served": is_served, "storage": name == "v1", "schema": {"openAPIV3Schema": schema}});
    let mut beta = version("v1beta1", plural == "widgets" || !is_new);
    if plural == "widgets" {
        beta["deprecated"] = json!(true);
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{PREFIX}"),
            "annotations": {"example.com/bundle-version": bundle, "example.com/channel": channel},
        },
        "spec": {
            "group": PREFIX,
            "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": kind.to_lowercase()},
            "scope": "Namespaced",
            "versions": [version("v1", true), beta],
        },
    })
}

fn widgets(is_new: bool, is_experimental: bool) -> Value {
    let named = || json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let mut spec = json!({
        "size": {"type": "integer"},
        "mode": {"type": "string", "enum": ["A"]},
        "text": {"type": "string"},
        "theme": {"type": "object", "properties": {"font": {"type": "string"}}},
        "items": {"type": "array", "items": named()},
        "labels": {"type": "object", "additionalProperties": named()},
    });
    if is_experimental {
        let weight = json!({"type": "integer"});
        spec["extra"] = json!({"type": "string"});
        spec["theme"]["properties"]["level"] = json!({"type": "integer", "default": 1});
        spec["mode"]["enum"] = json!(["A", "B"]);
        spec["items"]["items"]["properties"]["weight"] = weight.clone();
        spec["labels"]["additionalProperties"]["properties"]["weight"] = weight;
    }
    let mut schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}});
    if is_new {
        let spec = &mut schema["properties"]["spec"]["properties"];
        spec["size"]["maximum"] = json!(10);
        spec["text"]["pattern"] = json!(r"^\p{L}+$");
        spec["theme"]["properties"]["color"] = json!({"type": "string", "default": "red"});
        schema["x-kubernetes-validations"] = json!([{"rule": "has(self.spec)", "message": "a widget has a spec"}]);
    }
    schema
}

/// A published CRD after its installation.
pub(crate) fn installed(mut crd: Value) -> Value {
    let condition =
        |kind: &str, reason: &str| json!({"type": kind, "status": "True", "reason": reason, "message": "ok"});
    crd["metadata"]["uid"] = json!("u");
    crd["metadata"]["managedFields"] = json!([
        {"manager": "kubectl", "operation": "Apply", "apiVersion": "apiextensions.k8s.io/v1"},
        {"manager": "kube-apiserver", "operation": "Update", "apiVersion": "apiextensions.k8s.io/v1", "subresource": "status"},
    ]);
    crd["status"] = json!({
        "storedVersions": ["v1"],
        "conditions": [condition("NamesAccepted", "NoConflicts"), condition("Established", "InitialNamesAccepted")],
    });
    crd
}
