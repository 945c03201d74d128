//! The contents of a cluster: CRDs, policies and objects of a release, recorded between the steps of a story.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crd_model::CustomResourceDefinition;
use serde_json::{Value, json};

use super::release::{PREFIX, kind_and_name};
use crate::install::{expected_spec, stored_crds};
use crate::requests::{CRDS, TIME_LIMIT, authored, create_namespace, send, wait_for};
use crate::server::Server;

const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

/// The namespace of the objects of a story.
const NAMESPACE: &str = "publishing";

/// The annotation of kubectl's client-side apply.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The annotations of Helm on its objects, and the chart's annotation that keeps them.
const OF_HELM: [&str; 3] = ["meta.helm.sh/release-name", "meta.helm.sh/release-namespace", "helm.sh/resource-policy"];

/// The contents of a cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cluster {
    /// By name.
    pub(super) crds: BTreeMap<String, Value>,
    /// Policies and bindings, by kind and name.
    pub(super) policies: BTreeMap<String, Value>,
    /// The objects of the story, by kind and name.
    pub(super) objects: BTreeMap<String, Value>,
}

impl Cluster {
    pub(super) fn look(server: &Server) -> Cluster {
        let crds = stored_crds(server);
        let mut policies = BTreeMap::new();
        for (path, kind) in [(POLICIES, "ValidatingAdmissionPolicy"), (BINDINGS, "ValidatingAdmissionPolicyBinding")] {
            let mut list = server.send("GET", path, None).expect("a list");
            for mut object in list["items"].as_array_mut().map(std::mem::take).unwrap_or_default() {
                object["kind"] = json!(kind);
                policies.insert(kind_and_name(&object), object);
            }
        }
        let mut objects = BTreeMap::new();
        for (collection, object) in objects_of_the_story() {
            let path = format!("{collection}/{}", object["metadata"]["name"].as_str().expect("a name"));
            let answer = server.send("GET", &path, None);
            if answer.is_success() {
                objects.insert(kind_and_name(&answer.body), answer.body);
            }
        }
        Cluster { crds, policies, objects }
    }

    /// The number of CRDs by stamps.
    pub(super) fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for crd in self.crds.values() {
            *counts.entry(stamps(crd)).or_insert(0) += 1;
        }
        counts
    }

    /// The names of CRDs, policies and objects that were created, deleted or changed between this state and a later one.
    pub(super) fn written_until(&self, later: &Cluster) -> Vec<String> {
        let mut names = Vec::new();
        for (before, after) in
            [(&self.crds, &later.crds), (&self.policies, &later.policies), (&self.objects, &later.objects)]
        {
            let version = |object: Option<&Value>| {
                object.map(|object| (object["metadata"]["uid"].clone(), object["metadata"]["resourceVersion"].clone()))
            };
            let all = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
            names.extend(all.filter(|name| version(before.get(*name)) != version(after.get(*name))).cloned());
        }
        names
    }

    /// The UIDs of all objects: a deleted and recreated object has another UID.
    pub(super) fn uids(&self) -> BTreeMap<&str, &str> {
        let all = self.crds.iter().chain(&self.policies).chain(&self.objects);
        all.map(|(name, object)| (name.as_str(), object["metadata"]["uid"].as_str().unwrap_or_default())).collect()
    }

    /// Panics if an object of an earlier state was deleted, or deleted and recreated.
    pub(super) fn assert_lost_nothing_since(&self, earlier: &Cluster) {
        let now = self.uids();
        for (name, uid) in earlier.uids() {
            assert_eq!(now.get(name), Some(&uid), "{name} was deleted, or made again");
        }
        for (name, object) in &earlier.objects {
            assert_eq!(authored(&self.objects[name]), authored(object), "{name}");
        }
    }

    /// Panics unless the CRD is the generated one, with only the additions of its installer: kubectl's annotation, or Helm's annotations and
    /// label.
    pub(super) fn assert_holds(&self, crd: &CustomResourceDefinition) {
        let stored = self.crds.get(&*crd.name).unwrap_or_else(|| panic!("{} is not there", crd.name));
        assert!(stored["spec"] == expected_spec(crd), "{}: another spec", crd.name);
        let mut metadata = authored(stored)["metadata"].take();
        if let Some(annotations) = metadata["annotations"].as_object_mut() {
            annotations.retain(|key, _| key != LAST_APPLIED && !OF_HELM.contains(&&**key));
        }
        if let Some(labels) = metadata.get_mut("labels").and_then(Value::as_object_mut) {
            labels.remove("app.kubernetes.io/managed-by");
        }
        if metadata.get("labels").is_some_and(|labels| *labels == json!({})) {
            metadata.as_object_mut().expect("an object").remove("labels");
        }
        assert_eq!(metadata, crd.to_value()["metadata"], "{}", crd.name);
    }
}

fn stamps(crd: &Value) -> String {
    let stamp = |name: &str| crd["metadata"]["annotations"][format!("{PREFIX}/{name}")].as_str().unwrap_or("none");
    format!("{} {}", stamp(crd_bundle::BUNDLE_VERSION), stamp(crd_bundle::CHANNEL))
}

/// Objects that no step may change: (collection, object).
fn objects_of_the_story() -> Vec<(String, Value)> {
    let group = format!("{}/v1", gateway_api_types::GROUP);
    let in_namespace = |plural: &str| format!("/apis/{group}/namespaces/{NAMESPACE}/{plural}");
    let object = |kind: &str, name: &str, spec: Value| {
        let metadata = json!({ "name": name });
        json!({ "apiVersion": group, "kind": kind, "metadata": metadata, "spec": spec })
    };
    let listeners = json!([{ "name": "http", "port": 80, "protocol": "HTTP" }]);
    vec![
        (
            format!("/apis/{group}/gatewayclasses"),
            object("GatewayClass", "publishing", json!({ "controllerName": "example.com/controller" })),
        ),
        (
            in_namespace("gateways"),
            object("Gateway", "front", json!({ "gatewayClassName": "publishing", "listeners": listeners })),
        ),
        (
            in_namespace("httproutes"),
            object("HTTPRoute", "paths", json!({ "parentRefs": [{ "name": "front" }], "hostnames": ["example.com"] })),
        ),
    ]
}

/// Creates the objects that no step may change.
pub(super) fn make_objects(server: &Server) {
    let client = server.client();
    server.block_on(async {
        create_namespace(&client, NAMESPACE).await;
        for (collection, object) in objects_of_the_story() {
            wait_for(&client, std::slice::from_ref(&collection)).await;
            send(&client, "POST", &collection, Some(&object)).await.expect("an object");
        }
    });
}

/// The answer to a dry run with an HTTPRoute that uses an experimental field.
pub(super) fn try_experimental_field(server: &Server) -> (u16, String) {
    let (collection, mut object) = objects_of_the_story().pop().expect("a route");
    object["metadata"]["name"] = json!("experimental");
    object["spec"]["useDefaultGateways"] = json!("All");
    let answer = server.send("POST", &format!("{collection}?dryRun=All"), Some(&object));
    (answer.code, answer.message().to_owned())
}

/// Waits until guardrails refuse it, and returns their message.
pub(super) fn wait_for_guardrails(server: &Server) -> (u16, String) {
    let start = Instant::now();
    loop {
        let printed_text = try_experimental_field(server);
        if printed_text.0 != 201 || start.elapsed() > TIME_LIMIT {
            return printed_text;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Waits until CRDs of these names are established.
pub(super) fn settle<'a>(server: &Server, names: impl Iterator<Item = &'a str> + Clone) {
    let is_established = |crd: &Value| {
        let conditions = crd["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
        conditions.iter().any(|condition| condition["type"] == "Established" && condition["status"] == "True")
    };
    let start = Instant::now();
    loop {
        let stored = stored_crds(server);
        if names.clone().all(|name| stored.get(name).is_some_and(is_established)) {
            return;
        }
        assert!(start.elapsed() < TIME_LIMIT, "the CRDs are not established");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The answer to a dry run of a CRD with other stamps.
fn probe(server: &Server, name: &str, version: &str, channel: &str) -> (u16, String) {
    let path = format!("{CRDS}/{name}");
    let mut crd = server.send("GET", &path, None).expect("the CRD");
    crd["metadata"]["annotations"][format!("{PREFIX}/bundle-version")] = json!(version);
    crd["metadata"]["annotations"][format!("{PREFIX}/channel")] = json!(channel);
    let answer = server.send("PUT", &format!("{path}?dryRun=All"), Some(&crd));
    (answer.code, answer.message().to_owned())
}

/// Waits until the policy is active or inactive: a very old bundle is refused or accepted. Returns the time that it took.
pub(super) fn wait_for_policy(server: &Server, channel: &str, acts: bool) -> Duration {
    let (start, name) = (Instant::now(), super::release::CHANGED);
    loop {
        let (code, message) = probe(server, name, "v0.0.1", channel);
        if (code != 200) == acts {
            assert!(!acts || message.contains("denied request"), "{code} {message}");
            return start.elapsed();
        }
        assert!(start.elapsed() < TIME_LIMIT, "the policy acts: {}, after {TIME_LIMIT:?}: {message}", !acts);
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Deletes policies, bindings and CRDs with all their objects.
pub(super) fn delete_everything(server: &Server) {
    let start = Instant::now();
    for path in [BINDINGS, POLICIES, CRDS] {
        server.send("DELETE", path, None).expect("a collection is deleted");
    }
    while !stored_crds(server).is_empty() {
        assert!(start.elapsed() < TIME_LIMIT, "CRDs are still there");
        std::thread::sleep(Duration::from_millis(100));
    }
}
