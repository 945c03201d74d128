//! A made-up API with three bundles in two channels, and how it is installed.
//!
//! `alphas` have experimental fields, `betas` change their versions, `gammas` are experimental, `deltas` are never special, and `olds` are in v1.0.0 only.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crd_bundle::Release;
use crd_bundle::admission::safe_upgrades;
use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use crd_upgrade::inspect::KnownBundles;
use kube::Client;
use kube::config::Kubeconfig;
use serde_json::{Value, json};

use crate::facts::group::crd;
use crate::requests::{ADMISSION, Answer, CRDS, TIME_LIMIT, send, wait_for};
use crate::safe_upgrades::release;
use crate::server::{Server, client};

/// The API of a row on the server.
pub(super) struct Api<'s> {
    pub(super) server: &'s Server,
    pub(super) client: Client,
    /// Its group, and the prefix of its annotations.
    pub(super) group: String,
}

impl Api<'_> {
    /// The CRDs of the bundle v1.MINOR.0.
    pub(super) fn bundle(&self, minor: u64, channel: Channel) -> Vec<Value> {
        let is_experimental = channel == Channel::Experimental;
        let mut plurals = vec!["alphas", "betas", "deltas"];
        plurals.extend((minor > 0 && is_experimental).then_some("gammas"));
        plurals.extend((minor == 0).then_some("olds"));
        plurals.into_iter().map(|plural| self.crd(plural, minor, channel)).collect()
    }

    /// A CRD of a bundle.
    pub(super) fn crd(&self, plural: &str, minor: u64, channel: Channel) -> Value {
        let mut crd = self.unstamped(plural, minor, channel);
        crd["metadata"]["annotations"] = json!({
            format!("{}/bundle-version", self.group): format!("v1.{minor}.0"),
            format!("{}/channel", self.group): channel.name(),
        });
        // Groups of Kubernetes are protected.
        if self.group.ends_with(".k8s.io") {
            crd["metadata"]["annotations"]["api-approved.kubernetes.io"] = json!("https://example.com/approved");
        }
        crd
    }

    fn unstamped(&self, plural: &str, minor: u64, channel: Channel) -> Value {
        let is_experimental = channel == Channel::Experimental;
        let schema = json!({"type": "object", "properties": {
            "spec": spec(minor, is_experimental && plural == "alphas"),
            "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
        }});
        let version = |name: &str, served: bool, storage: bool| {
            let schema = json!({"openAPIV3Schema": schema});
            let mut version = json!({"name": name, "served": served, "storage": storage, "schema": schema, "subresources": {"status": {}}});
            if name == "v1beta1" && minor > 0 {
                version["deprecated"] = json!(true);
            }
            version
        };
        let versions = match (plural, minor) {
            ("alphas", _) if is_experimental => vec![version("v1", true, true), version("v1alpha2", true, false)],
            ("betas", 0) => vec![version("v1beta1", true, true)],
            ("betas", _) => vec![version("v1", true, true), version("v1beta1", minor == 1, false)],
            _ => vec![version("v1", true, true)],
        };
        let kind = kind(plural);
        crd(&self.group, &kind, "Namespaced", &versions)
    }

    /// The three bundles.
    pub(super) fn known(&self) -> KnownBundles {
        let mut known = KnownBundles::default();
        for minor in 0..3 {
            let read = |crd: &Value| CustomResourceDefinition::from_value(crd).expect("our own CRD");
            let of = |channel| self.bundle(minor, channel).iter().map(read).map(Arc::new).collect();
            let channels = Channel::ALL.map(|channel| (channel, of(channel))).into();
            let version = format!("v1.{minor}.0");
            known.add(&Release::new(&*version, version.parse().ok(), channels), None);
        }
        known
    }

    /// The policy that refuses downgrades, with its bindings.
    pub(super) fn policies(&self) -> Vec<Value> {
        safe_upgrades::policies(&release(&self.group, &self.bundle(1, Channel::Standard)))
    }

    pub(super) fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        self.server.block_on(send(&self.client, method, path, body))
    }

    /// The path of a CRD.
    pub(super) fn path(&self, plural: &str) -> String {
        format!("{CRDS}/{plural}.{}", self.group)
    }

    /// Writes what a server would refuse, but may have accepted at another time, into a CRD.
    pub(super) fn overwrite(&self, plural: &str, change: impl Fn(&mut Value)) {
        let path = self.path(plural);
        let before = self.send("GET", &path, None).expect("a CRD");
        let mut crd = before.clone();
        change(&mut crd);
        let name = format!("{plural}.{}", self.group);
        self.server.store(&format!("/registry/apiextensions.k8s.io/customresourcedefinitions/{name}"), &crd);
        // The server has a cache.
        let revision = |crd: &Value| crd["metadata"]["resourceVersion"].clone();
        self.until(&path, |read| revision(read) != revision(&before));
    }

    /// Creates a CRD, and waits until its names are accepted or not.
    pub(super) fn install(&self, crd: &Value) {
        self.send("POST", CRDS, Some(crd)).expect("a CRD");
        let path = format!("{CRDS}/{}", crd["metadata"]["name"].as_str().expect("a name"));
        self.until(&path, |crd| {
            let is = |kind: &str, status: &str| {
                let conditions = crd["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
                conditions.iter().any(|condition| condition["type"] == kind && condition["status"] == status)
            };
            is("Established", "True") || is("NamesAccepted", "False")
        });
    }

    pub(super) fn install_policy(&self, object: &Value) {
        let plural = match object["kind"].as_str().expect("a kind") {
            "ValidatingAdmissionPolicy" => "validatingadmissionpolicies",
            "ValidatingAdmissionPolicyBinding" => "validatingadmissionpolicybindings",
            _ => "validatingwebhookconfigurations",
        };
        self.send("POST", &format!("{ADMISSION}/{plural}"), Some(object)).expect("a policy");
    }

    /// Waits until an object is as wanted.
    pub(super) fn until(&self, path: &str, is_wanted: impl Fn(&Value) -> bool) {
        let start = Instant::now();
        while !is_wanted(&self.send("GET", path, None).body) {
            assert!(start.elapsed() < TIME_LIMIT, "{path} does not become as wanted");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Changes an object, as `kubectl edit` does.
    pub(super) fn edit(&self, path: &str, manager: &str, change: impl Fn(&mut Value)) {
        loop {
            let mut object = self.send("GET", path, None).expect("an object");
            change(&mut object);
            let answer = self.send("PUT", &format!("{path}{manager}"), Some(&object));
            if answer.code != 409 {
                answer.expect("the edited object");
                return;
            }
        }
    }

    /// Replaces the CRDs by those of another bundle.
    pub(super) fn upgrade(&self, minor: u64) {
        for crd in self.bundle(minor, Channel::Standard) {
            let path = format!("{CRDS}/{}", crd["metadata"]["name"].as_str().expect("a name"));
            self.edit(&path, "", |installed| {
                installed["spec"] = crd["spec"].clone();
                installed["metadata"]["annotations"] = crd["metadata"]["annotations"].clone();
            });
            let is_new = |installed: &Value| {
                installed["status"]["storedVersions"].as_array().is_some_and(|all| all.contains(&stored(&crd)))
            };
            self.until(&path, is_new);
        }
        if minor > 0 {
            self.send("DELETE", &self.path("olds"), None).expect("gone");
            self.until(&self.path("olds"), |answer| answer["code"] == 404);
        }
    }

    /// Creates an object through a version.
    pub(super) fn create(&self, plural: &str, version: &str, name: &str, spec: &Value) {
        let api_version = format!("{}/{version}", self.group);
        let object = json!({"apiVersion": api_version, "kind": kind(plural), "metadata": {"name": name}, "spec": spec});
        let path = format!("/apis/{api_version}/namespaces/default/{plural}");
        self.server.block_on(wait_for(&self.client, std::slice::from_ref(&path)));
        // The validation of a CRD that has just changed takes effect in a moment.
        self.send("POST", &path, Some(&object)).expect("an object");
    }

    /// Waits until the objects of all CRDs are served.
    pub(super) fn wait(&self) {
        let listed = self.send("GET", CRDS, None).expect("CRDs");
        let own = listed["items"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|crd| crd["spec"]["group"] == *self.group && crd["metadata"]["deletionTimestamp"].is_null());
        for crd in own {
            let conditions = crd["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
            let condition = |kind: &str| conditions.iter().find(|condition| condition["type"] == kind);
            // A server does not serve a CRD with a schema that it cannot read: the condition is then `Unknown`.
            let is_served = condition("Established").is_some_and(|condition| condition["status"] == "True")
                && condition("NonStructuralSchema").is_none();
            let versions = crd["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
            for version in versions.iter().filter(|version| is_served && version["served"] == true) {
                let (name, plural) = (
                    version["name"].as_str().expect("a name"),
                    crd["spec"]["names"]["plural"].as_str().expect("a plural"),
                );
                self.server.block_on(wait_for(&self.client, &[format!("/apis/{}/{name}/{plural}", self.group)]));
            }
        }
    }

    /// A client of another user.
    pub(super) fn client_of(&self, user: &str) -> Client {
        let mut kubeconfig = Kubeconfig::read_from(&self.server.environment()[0].1).expect("a kubeconfig");
        for named in &mut kubeconfig.auth_infos {
            named.auth_info.as_mut().expect("a user").impersonate = Some(user.to_owned());
        }
        client(kubeconfig)
    }
}

fn stored(crd: &Value) -> Value {
    let versions = crd["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    versions
        .iter()
        .find(|version| version["storage"] == true)
        .map(|version| version["name"].clone())
        .unwrap_or_default()
}

pub(super) fn kind(plural: &str) -> String {
    plural[..1].to_uppercase() + plural[1..].trim_end_matches('s')
}

/// The schema of `spec`: each minor raises a limit.
fn spec(minor: u64, is_experimental: bool) -> Value {
    let mut item = json!({"name": {"type": "string"}});
    let mut modes = vec!["On", "Off"];
    let mut fields = json!({
        "size": {"type": "integer", "maximum": 5 + minor},
        "mode": {"type": "string", "default": "On"},
        "oldMode": {"type": "string"},
        "newMode": {"type": "string"},
    });
    if is_experimental {
        item["extra"] = json!({"type": "string"});
        modes.push("Auto");
        fields["trial"] = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        fields["filledIn"] = json!({"type": "string", "default": "unused"});
    }
    fields["mode"]["enum"] = json!(modes);
    fields["items"] = json!({"type": "array", "maxItems": 8, "items": {"type": "object", "properties": item}});
    fields["byName"] =
        json!({"type": "object", "maxProperties": 8, "additionalProperties": {"type": "object", "properties": item}});
    let rule = json!({"rule": "!has(self.size) || self.size != 3", "message": "the size is not 3"});
    json!({"type": "object", "properties": fields, "x-kubernetes-validations": [rule]})
}
