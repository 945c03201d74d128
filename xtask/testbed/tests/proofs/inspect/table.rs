//! The planted defects of `table.yaml`: how each is planted, and every finding about it.

use std::sync::LazyLock;

use crd_channels::Channel;
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::Api;
use crate::requests::ADMISSION;
use crate::tables::table;

/// A healthy bundle with at most one defect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) name: &'static str,
    /// The installed bundle: v1.MINOR.0.
    #[serde(default = "one")]
    pub(super) minor: u64,
    /// Whether its channel is experimental.
    #[serde(default)]
    experimental: bool,
    /// The group of the API is below it.
    #[serde(default = "domain")]
    pub(super) domain: &'static str,
    /// Changes of the CRDs before they are installed.
    #[serde(default)]
    crds: Vec<Edit>,
    /// Changes on the server.
    #[serde(default)]
    then: Vec<Step>,
    /// Changes of the policies before they are installed.
    #[serde(default)]
    policies: Vec<PolicyEdit>,
    /// The user who inspects, if not one with all permissions.
    pub(super) user: Option<&'static str>,
    #[serde(default)]
    pub(super) expected: Vec<&'static str>,
    /// Whether CI always runs it.
    #[serde(default, rename = "sample")]
    pub(super) is_in_sample: bool,
}

fn one() -> u64 {
    1
}

fn domain() -> &'static str {
    "planted.test"
}

/// A change of CRDs. Without `crd`, `set` and `schema` change `alphas`, other changes all CRDs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
enum Edit {
    /// Sets a part of a CRD, or removes it (`null`).
    Set {
        at: &'static str,
        value: Value,
    },
    /// The same with a part of the schema of `spec`.
    Schema {
        at: &'static str,
        value: Value,
    },
    /// Copies the only version under this name.
    Version(&'static str),
    /// Sets or removes a stamp.
    Stamp {
        crd: Option<&'static str>,
        key: &'static str,
        value: Option<&'static str>,
    },
    /// Sets an annotation.
    Annotate {
        crd: Option<&'static str>,
        key: &'static str,
        value: &'static str,
        #[serde(default = "once")]
        times: usize,
    },
    /// Adds a CRD of a bundle, or replaces it.
    Bundle {
        crd: &'static str,
        minor: u64,
        #[serde(default)]
        experimental: bool,
    },
    /// Adds a CRD without stamps, which no bundle has.
    Foreign {
        plural: &'static str,
        kind: Option<&'static str>,
        #[serde(default)]
        first: bool,
    },
    Remove(&'static str),
}

fn once() -> usize {
    1
}

/// A change on the server. What is not created is about `alphas`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
enum Step {
    Create {
        plural: &'static str,
        version: &'static str,
        name: &'static str,
        spec: Value,
    },
    /// Replaces the bundle by that of this minor.
    Upgrade(u64),
    /// Writes what a server would refuse, but may have accepted at another time.
    Overwrite {
        at: &'static str,
        value: Value,
    },
    /// Waits for a condition.
    Until(&'static str),
    /// Edits the CRD as another program.
    EditAs {
        manager: &'static str,
        at: &'static str,
        value: Value,
    },
    Delete,
    /// Gives a user the permission to read CRDs.
    PermitCrds(&'static str),
    /// Installs a policy with a type error, and the warning about it.
    WrongPolicy,
}

/// A change of policies.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
enum PolicyEdit {
    /// Adds the policy that warns users of experimental API, of this version.
    Guardrails(&'static str),
    RemoveAll,
    RemoveBindings,
    OnlyAudit,
    Webhook {
        version: &'static str,
        channel: &'static str,
    },
    /// Adds a webhook without which the server refuses requests.
    NecessaryWebhook,
}

pub(super) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| table(include_str!("table.yaml")));

impl Row {
    /// The CRDs to install.
    pub(super) fn crds(&self, api: &Api<'_>) -> Vec<Value> {
        let mut crds = api.bundle(self.minor, channel(self.experimental));
        self.crds.iter().for_each(|edit| edit.apply(api, &mut crds));
        crds
    }

    /// Changes what is on the server.
    pub(super) fn change(&self, api: &Api<'_>) {
        self.then.iter().for_each(|step| step.run(api));
    }

    /// The policies to install.
    pub(super) fn policies(&self, api: &Api<'_>) -> Vec<Value> {
        let mut policies = api.policies();
        self.policies.iter().for_each(|edit| edit.apply(api, &mut policies));
        policies
    }
}

fn channel(is_experimental: bool) -> Channel {
    if is_experimental { Channel::Experimental } else { Channel::Standard }
}

/// The kind of finding of a line.
pub(super) fn kind(line: &str) -> &str {
    let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
    let line = line.strip_prefix("failure ").or(line.strip_prefix("error ")).unwrap_or(line);
    line.split(' ').next().unwrap_or_default()
}

fn named<'c>(crds: &'c mut [Value], plural: &str) -> &'c mut Value {
    crds.iter_mut().find(|crd| crd["spec"]["names"]["plural"] == plural).expect("a CRD of the bundle")
}

/// Sets a part of a CRD, or removes it (`null`).
fn set(crd: &mut Value, at: &str, value: &Value) {
    let (above, key) = at.rsplit_once('/').expect("a pointer");
    let above = crd.pointer_mut(above).and_then(Value::as_object_mut).expect("a part of the CRD");
    match value {
        Value::Null => drop(above.remove(key)),
        value => drop(above.insert(key.to_owned(), value.clone())),
    }
}

fn stamp(api: &Api<'_>, crd: &mut Value, key: &str, value: Option<&str>) {
    let annotations = crd["metadata"]["annotations"].as_object_mut().expect("annotations");
    let key = format!("{}/{key}", api.group);
    match value {
        Some(value) => annotations.insert(key, json!(value)),
        None => annotations.remove(&key),
    };
}

impl Edit {
    fn apply(&self, api: &Api<'_>, crds: &mut Vec<Value>) {
        let is_wanted =
            |crd: &Value, wanted: &Option<&str>| wanted.is_none_or(|plural| crd["spec"]["names"]["plural"] == plural);
        match self {
            Self::Set { at, value } => set(named(crds, "alphas"), at, value),
            Self::Schema { at, value } => {
                let at = format!("/spec/versions/0/schema/openAPIV3Schema/properties/spec/{at}");
                set(named(crds, "alphas"), &at, value);
            }
            Self::Version(name) => {
                let versions = named(crds, "alphas")["spec"]["versions"].as_array_mut().expect("versions");
                let mut version = versions[0].clone();
                version["name"] = json!(name);
                version["storage"] = json!(false);
                versions.push(version);
            }
            Self::Stamp { crd: plural, key, value } => {
                let wanted = crds.iter_mut().filter(|crd| is_wanted(crd, plural));
                wanted.for_each(|crd| stamp(api, crd, key, *value));
            }
            Self::Annotate { crd: plural, key, value, times } => {
                let wanted = crds.iter_mut().filter(|crd| is_wanted(crd, plural));
                wanted.for_each(|crd| crd["metadata"]["annotations"][*key] = json!(value.repeat(*times)));
            }
            Self::Bundle { crd: plural, minor, experimental } => {
                crds.retain(|crd| !is_wanted(crd, &Some(plural)));
                crds.push(api.crd(plural, *minor, channel(*experimental)));
            }
            Self::Foreign { plural, kind, first } => {
                let mut foreign = api.crd(plural, 1, Channel::Standard);
                foreign["metadata"].as_object_mut().expect("metadata").remove("annotations");
                if let Some(kind) = kind {
                    foreign["spec"]["names"]["kind"] = json!(kind);
                }
                crds.insert(if *first { 0 } else { crds.len() }, foreign);
            }
            Self::Remove(plural) => crds.retain(|crd| !is_wanted(crd, &Some(plural))),
        }
    }
}

impl Step {
    fn run(&self, api: &Api<'_>) {
        let path = api.path("alphas");
        match self {
            Self::Create { plural, version, name, spec } => api.create(plural, version, name, spec),
            Self::Upgrade(minor) => api.upgrade(*minor),
            Self::Overwrite { at, value } => api.overwrite("alphas", |crd| set(crd, at, value)),
            Self::Until(condition) => {
                api.until(&path, |crd| crd["status"]["conditions"].to_string().contains(condition));
            }
            Self::EditAs { manager, at, value } => {
                api.edit(&path, &format!("?fieldManager={manager}"), |crd| set(crd, at, value));
            }
            Self::Delete => drop(api.send("DELETE", &path, None).expect("being deleted")),
            Self::PermitCrds(user) => role(api, user),
            Self::WrongPolicy => {
                let rules = json!({"apiGroups": [api.group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["nothing"]});
                let name = format!("wrong.{}", api.group);
                api.install_policy(&policy(&name, &rules, "object.spec.missing == 1"));
                api.install_policy(&binding(&name));
                // The controller manager checks types, which the testbed does not have.
                let path = format!("{ADMISSION}/validatingadmissionpolicies/{name}/status");
                let warnings =
                    json!([{"fieldRef": "spec.validations[0].expression", "warning": "undefined field 'missing'"}]);
                api.edit(&path, "", |policy| {
                    policy["status"]["typeChecking"] = json!({"expressionWarnings": warnings})
                });
            }
        }
    }
}

impl PolicyEdit {
    fn apply(&self, api: &Api<'_>, policies: &mut Vec<Value>) {
        match self {
            Self::Guardrails(version) => guardrails(api, policies, version),
            Self::RemoveAll => policies.clear(),
            Self::RemoveBindings => policies.truncate(1),
            Self::OnlyAudit => {
                let bindings = policies.iter_mut().skip(1);
                bindings.for_each(|binding| binding["spec"]["validationActions"] = json!(["Audit"]));
            }
            Self::Webhook { version, channel } => policies.push(webhook(api, version, channel)),
            Self::NecessaryWebhook => {
                let mut webhook = webhook(api, "v1.1.0", "standard");
                webhook["webhooks"][0]["failurePolicy"] = json!("Fail");
                webhook["webhooks"][0]["clientConfig"] = json!({"url": "https://localhost:1/validate"});
                policies.push(webhook);
            }
        }
    }
}

fn policy(name: &str, rules: &Value, expression: &str) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {"matchConstraints": {"resourceRules": [rules]}, "validations": [{"expression": expression}]},
    })
}

fn binding(name: &str) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": ["Deny"]},
    })
}

/// The policy that warns users of experimental API, reduced to its name, stamp and binding.
fn guardrails(api: &Api<'_>, policies: &mut Vec<Value>, version: &str) {
    let rules = json!({"apiGroups": [api.group], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["*"]});
    let name = format!("guardrails.{}", api.group);
    let mut guardrails = policy(&name, &rules, "true");
    guardrails["metadata"]["annotations"] = json!({format!("{}/bundle-version", api.group): version});
    policies.extend([guardrails, binding(&name)]);
}

/// The validating webhook of the bundle, without a certificate.
fn webhook(api: &Api<'_>, version: &str, channel: &str) -> Value {
    let rules =
        json!([{"apiGroups": [api.group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["nothing"]}]);
    let stamp = |key: &str| format!("{}/{key}", api.group);
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {
            "name": format!("webhook.{}", api.group),
            "annotations": {stamp("bundle-version"): version, stamp("channel"): channel},
        },
        "webhooks": [{
            "name": format!("webhook.{}", api.group), "admissionReviewVersions": ["v1"], "sideEffects": "None", "rules": rules,
            "failurePolicy": "Ignore",
            "clientConfig": {"service": {"namespace": "none", "name": "webhook", "path": "/validate"}},
        }],
    })
}

fn role(api: &Api<'_>, user: &str) {
    let name = api.group.clone();
    let rbac = "rbac.authorization.k8s.io";
    let rules =
        json!([{"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": ["list"]}]);
    let role =
        json!({"apiVersion": format!("{rbac}/v1"), "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules});
    let binding = json!({
        "apiVersion": format!("{rbac}/v1"), "kind": "ClusterRoleBinding", "metadata": {"name": name},
        "subjects": [{"kind": "User", "name": user, "apiGroup": rbac}],
        "roleRef": {"kind": "ClusterRole", "name": name, "apiGroup": rbac},
    });
    for (plural, object) in [("clusterroles", role), ("clusterrolebindings", binding)] {
        api.send("POST", &format!("/apis/{rbac}/v1/{plural}"), Some(&object)).expect("a role");
    }
}
