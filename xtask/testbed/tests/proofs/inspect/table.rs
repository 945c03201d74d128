//! The planted defects: how each is planted, and every finding about it.
//!
//! A line is the kind of finding, and its CRD, version and path; `NAME: …` is about the object NAME, `failure …` is what could not be read, and `error …` is
//! instead of a report.

use crd_channels::Channel;
use serde_json::{Value, json};

use super::api::{ADMISSION, Api};

/// A healthy bundle with at most one defect.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) name: &'static str,
    /// The installed bundle: v1.MINOR.0 in this channel.
    pub(super) minor: u64,
    pub(super) channel: Channel,
    /// The group of the API is below it.
    pub(super) domain: &'static str,
    /// Changes the CRDs before they are installed.
    pub(super) crds: fn(&Api<'_>, &mut Vec<Value>),
    /// Changes what is on the server.
    pub(super) then: fn(&Api<'_>),
    /// Changes the policies before they are installed.
    pub(super) policies: fn(&Api<'_>, &mut Vec<Value>),
    /// The user who inspects, if not one with all permissions.
    pub(super) user: Option<&'static str>,
    pub(super) expected: &'static [&'static str],
    /// Whether CI always runs it.
    pub(super) is_in_sample: bool,
}

const HEALTHY: Row = Row {
    name: "a healthy bundle",
    minor: 1,
    channel: Channel::Standard,
    domain: "planted.test",
    crds: |_, _| {},
    then: |_| {},
    policies: |_, _| {},
    user: None,
    expected: &[],
    is_in_sample: false,
};

const EXPERIMENTAL: Row = Row { channel: Channel::Experimental, ..HEALTHY };

/// The kind of finding of a line.
pub(super) fn kind(line: &str) -> &str {
    let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
    let line = line.strip_prefix("failure ").or(line.strip_prefix("error ")).unwrap_or(line);
    line.split(' ').next().unwrap_or_default()
}

fn named<'c>(crds: &'c mut [Value], plural: &str) -> &'c mut Value {
    crds.iter_mut().find(|crd| crd["spec"]["names"]["plural"] == plural).expect("a CRD of the bundle")
}

/// The schema of `spec` of the only version of `alphas`.
fn spec(crds: &mut [Value]) -> &mut Value {
    &mut named(crds, "alphas")["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
}

fn stamp(api: &Api<'_>, crd: &mut Value, key: &str, value: Option<&str>) {
    let annotations = crd["metadata"]["annotations"].as_object_mut().expect("annotations");
    let key = format!("{}/{key}", api.group);
    match value {
        Some(value) => annotations.insert(key, json!(value)),
        None => annotations.remove(&key),
    };
}

fn annotate(crd: &mut Value, key: &str, value: &str) {
    crd["metadata"]["annotations"][key] = json!(value);
}

/// A CRD without stamps, which no bundle has.
fn foreign(api: &Api<'_>, plural: &str) -> Value {
    let mut crd = api.crd(plural, 1, Channel::Standard);
    crd["metadata"].as_object_mut().expect("metadata").remove("annotations");
    crd
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

pub(super) const ROWS: &[Row] = &[
    // Nothing to report.
    Row {
        is_in_sample: true,
        then: |api| api.create("alphas", "v1", "plain", &json!({"size": 1, "items": [{"name": "a"}]})),
        ..HEALTHY
    },
    Row {
        name: "a healthy bundle of experimental, and values that only its defaults wrote",
        then: |api| api.create("alphas", "v1", "plain", &json!({"mode": "Off", "byName": {"a": {"name": "b"}}})),
        is_in_sample: true,
        ..EXPERIMENTAL
    },
    Row { name: "a healthy bundle with an unserved version", minor: 2, ..HEALTHY },
    Row {
        name: "a policy of the same version",
        policies: |api, policies| guardrails(api, policies, "v1.1.0"),
        ..HEALTHY
    },
    // CRDs that were edited.
    Row {
        name: "a field was added",
        crds: |_, crds| spec(crds)["properties"]["own"] = json!({"type": "string"}),
        expected: &["edited alphas"],
        ..HEALTHY
    },
    Row {
        name: "a limit was changed",
        crds: |_, crds| spec(crds)["properties"]["size"]["maximum"] = json!(100),
        expected: &["edited alphas"],
        ..HEALTHY
    },
    Row {
        name: "a rule was removed",
        crds: |_, crds| drop(spec(crds).as_object_mut().expect("a schema").remove("x-kubernetes-validations")),
        expected: &["edited alphas"],
        ..HEALTHY
    },
    Row {
        name: "a default was changed",
        crds: |_, crds| spec(crds)["properties"]["mode"]["default"] = json!("Off"),
        expected: &["edited alphas"],
        is_in_sample: true,
        ..HEALTHY
    },
    Row {
        name: "a value was added to an enum",
        crds: |_, crds| spec(crds)["properties"]["mode"]["enum"] = json!(["On", "Off", "Maybe"]),
        expected: &["edited alphas"],
        ..HEALTHY
    },
    Row {
        name: "a field was made required",
        crds: |_, crds| spec(crds)["required"] = json!(["size"]),
        expected: &["edited alphas"],
        ..HEALTHY
    },
    Row {
        name: "the status subresource was removed",
        crds: |_, crds| named(crds, "alphas")["spec"]["versions"][0]["subresources"] = json!({}),
        expected: &["edited alphas"],
        ..HEALTHY
    },
    Row {
        name: "a version was added",
        crds: |_, crds| {
            let versions = &mut named(crds, "alphas")["spec"]["versions"];
            let mut version = versions[0].clone();
            version["name"] = json!("v2");
            version["storage"] = json!(false);
            versions.as_array_mut().expect("versions").push(version);
        },
        expected: &["edited alphas"],
        ..HEALTHY
    },
    Row {
        name: "the only version is not served",
        crds: |_, crds| named(crds, "alphas")["spec"]["versions"][0]["served"] = json!(false),
        expected: &["edited alphas", "objects-not-read alphas"],
        ..HEALTHY
    },
    // Stamps.
    Row {
        name: "the content of an older bundle has the stamp of the new one",
        crds: |api, crds| {
            *named(crds, "alphas") = api.crd("alphas", 0, Channel::Standard);
            stamp(api, named(crds, "alphas"), "bundle-version", Some("v1.1.0"));
        },
        expected: &["wrong-version alphas"],
        is_in_sample: true,
        ..HEALTHY
    },
    Row {
        name: "the content of experimental has the stamp of standard",
        crds: |api, crds| {
            *named(crds, "alphas") = api.crd("alphas", 1, Channel::Experimental);
            stamp(api, named(crds, "alphas"), "channel", Some("standard"));
        },
        expected: &["wrong-channel alphas"],
        ..HEALTHY
    },
    Row {
        name: "no stamps",
        crds: |api, crds| {
            ["bundle-version", "channel"].iter().for_each(|key| stamp(api, named(crds, "alphas"), key, None))
        },
        expected: &["unstamped alphas"],
        ..HEALTHY
    },
    Row {
        name: "no bundle version",
        crds: |api, crds| stamp(api, named(crds, "alphas"), "bundle-version", None),
        expected: &["unstamped alphas"],
        ..HEALTHY
    },
    Row {
        name: "no channel",
        crds: |api, crds| stamp(api, named(crds, "alphas"), "channel", None),
        expected: &["unstamped alphas"],
        ..HEALTHY
    },
    Row {
        name: "a bundle version that is not one",
        crds: |api, crds| stamp(api, named(crds, "alphas"), "bundle-version", Some("latest")),
        expected: &["unreadable-stamp alphas"],
        ..HEALTHY
    },
    Row {
        name: "a channel that is not one",
        crds: |api, crds| stamp(api, named(crds, "alphas"), "channel", Some("beta")),
        expected: &["unreadable-stamp alphas"],
        ..HEALTHY
    },
    Row {
        name: "no CRD has stamps",
        crds: |api, crds| {
            crds.iter_mut()
                .for_each(|crd| ["bundle-version", "channel"].iter().for_each(|key| stamp(api, crd, key, None)));
        },
        expected: &["nothing-installed", "unstamped alphas", "unstamped betas", "unstamped deltas"],
        ..HEALTHY
    },
    Row {
        name: "a bundle that is not known",
        crds: |api, crds| crds.iter_mut().for_each(|crd| stamp(api, crd, "bundle-version", Some("v9.0.0"))),
        // The content is that of a known bundle.
        expected: &["unknown-bundle", "wrong-version alphas", "wrong-version betas", "wrong-version deltas"],
        ..HEALTHY
    },
    // The bundle as a whole.
    Row {
        name: "a CRD of an older bundle",
        crds: |api, crds| *named(crds, "alphas") = api.crd("alphas", 0, Channel::Standard),
        expected: &["mixed-versions"],
        is_in_sample: true,
        ..HEALTHY
    },
    Row {
        name: "a CRD of the other channel",
        crds: |api, crds| *named(crds, "alphas") = api.crd("alphas", 1, Channel::Experimental),
        expected: &["mixed-channels"],
        ..HEALTHY
    },
    Row {
        name: "a missing CRD",
        crds: |_, crds| crds.retain(|crd| crd["spec"]["names"]["plural"] != "deltas"),
        expected: &["missing-crd deltas"],
        is_in_sample: true,
        ..HEALTHY
    },
    Row {
        name: "a CRD that only an older bundle has",
        crds: |api, crds| crds.push(api.crd("olds", 0, Channel::Standard)),
        expected: &["left-over-crd olds"],
        ..HEALTHY
    },
    Row {
        name: "a CRD of the other channel, which this one does not have",
        crds: |api, crds| crds.push(api.crd("gammas", 1, Channel::Experimental)),
        expected: &["mixed-channels"],
        ..HEALTHY
    },
    Row {
        name: "a foreign CRD of the group",
        crds: |api, crds| crds.push(foreign(api, "mines")),
        expected: &["foreign-crd mines"],
        is_in_sample: true,
        ..HEALTHY
    },
    Row {
        name: "a foreign CRD of the group with stamps",
        crds: |api, crds| crds.push(api.crd("mines", 1, Channel::Standard)),
        expected: &["foreign-crd mines"],
        ..HEALTHY
    },
    // Versions.
    Row {
        name: "a stored version that was not removed after its migration",
        minor: 0,
        then: |api| api.upgrade(1),
        expected: &["stored-version-unpruned betas v1beta1"],
        is_in_sample: true,
        ..HEALTHY
    },
    Row {
        name: "a stored version that is not served",
        minor: 0,
        then: |api| api.upgrade(2),
        expected: &["stored-version-unserved betas v1beta1"],
        ..HEALTHY
    },
    Row {
        name: "a stored version that the CRD does not have",
        then: |api| {
            api.overwrite("alphas", |crd| crd["status"]["storedVersions"] = json!(["v0", "v1"]));
        },
        expected: &["stored-version-missing alphas v0"],
        ..HEALTHY
    },
    // The state of CRDs.
    Row {
        name: "a CRD that is being deleted",
        crds: |_, crds| named(crds, "alphas")["metadata"]["finalizers"] = json!(["planted.test/keep"]),
        then: |api| drop(api.send("DELETE", &api.path("alphas"), None).expect("being deleted")),
        expected: &["terminating alphas"],
        is_in_sample: true,
        ..HEALTHY
    },
    Row {
        name: "a foreign CRD with a kind of the bundle",
        crds: |api, crds| {
            let mut other = foreign(api, "doubles");
            other["spec"]["names"]["kind"] = json!("Alpha");
            crds.push(other);
        },
        expected: &["foreign-crd doubles", "names-not-accepted doubles"],
        ..HEALTHY
    },
    Row {
        name: "a CRD of the bundle whose kind a foreign one has",
        crds: |api, crds| {
            let mut other = foreign(api, "doubles");
            other["spec"]["names"]["kind"] = json!("Alpha");
            crds.insert(0, other);
        },
        expected: &["foreign-crd doubles", "names-not-accepted alphas"],
        ..HEALTHY
    },
    Row {
        name: "a schema that is not structural",
        then: |api| {
            api.overwrite("alphas", |crd| {
                crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["own"] =
                    json!({})
            });
            api.until(&api.path("alphas"), |crd| {
                crd["status"]["conditions"].to_string().contains("NonStructuralSchema")
            });
        },
        expected: &["edited alphas", "non-structural alphas"],
        ..HEALTHY
    },
    Row {
        name: "a CRD that cannot be read",
        then: |api| {
            api.overwrite("alphas", |crd| crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"]["$ref"] = json!("#/x"));
            api.until(&api.path("alphas"), |crd| {
                crd["status"]["conditions"].to_string().contains("NonStructuralSchema")
            });
        },
        expected: &["failure cluster::unreadable-crd alphas", "non-structural alphas"],
        ..HEALTHY
    },
    Row {
        name: "a protected group without approval",
        domain: "planted.k8s.io",
        crds: |_, crds| annotate(named(crds, "alphas"), "api-approved.kubernetes.io", "unapproved, experimental-only"),
        expected: &["not-approved alphas"],
        ..HEALTHY
    },
    Row {
        name: "a conversion webhook",
        crds: |_, crds| {
            let webhook =
                json!({"clientConfig": {"url": "https://localhost:1/convert"}, "conversionReviewVersions": ["v1"]});
            named(crds, "alphas")["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": webhook});
        },
        expected: &["conversion-webhook alphas", "edited alphas"],
        ..HEALTHY
    },
    // Managers.
    Row {
        name: "two programs that write a CRD",
        then: |api| {
            api.edit(&api.path("alphas"), "?fieldManager=helm", |crd| crd["metadata"]["labels"] = json!({"by": "helm"}))
        },
        expected: &["several-managers alphas"],
        is_in_sample: true,
        ..HEALTHY
    },
    Row {
        name: "one CRD belongs to a release of Helm",
        crds: |_, crds| annotate(named(crds, "alphas"), "meta.helm.sh/release-name", "mesh"),
        expected: &["several-owners"],
        ..HEALTHY
    },
    Row {
        name: "two releases of Helm",
        crds: |_, crds| {
            crds.iter_mut().for_each(|crd| annotate(crd, "meta.helm.sh/release-name", "crds"));
            annotate(named(crds, "alphas"), "meta.helm.sh/release-name", "mesh");
        },
        expected: &["several-owners"],
        ..HEALTHY
    },
    Row {
        name: "all CRDs belong to one release of Helm",
        crds: |_, crds| crds.iter_mut().for_each(|crd| annotate(crd, "meta.helm.sh/release-name", "crds")),
        ..HEALTHY
    },
    Row {
        name: "annotations near the limit",
        crds: |_, crds| {
            annotate(named(crds, "alphas"), "kubectl.kubernetes.io/last-applied-configuration", &"x".repeat(250_000))
        },
        expected: &["annotations-size alphas"],
        ..HEALTHY
    },
    // Policies.
    Row {
        name: "no policy",
        policies: |_, policies| policies.clear(),
        expected: &["policy-missing"],
        is_in_sample: true,
        ..HEALTHY
    },
    Row {
        name: "a policy without a binding",
        policies: |_, policies| policies.truncate(1),
        expected: &["policy-unbound"],
        ..HEALTHY
    },
    Row {
        name: "a policy that only audits",
        policies: |_, policies| {
            policies.iter_mut().skip(1).for_each(|binding| binding["spec"]["validationActions"] = json!(["Audit"]))
        },
        expected: &["policy-lenient"],
        ..HEALTHY
    },
    Row {
        name: "a policy of another version",
        policies: |api, policies| guardrails(api, policies, "v1.0.0"),
        expected: &["policy-version"],
        ..HEALTHY
    },
    Row {
        name: "a webhook of an older version",
        policies: |api, policies| policies.push(webhook(api, "v1.0.0", "standard")),
        expected: &["webhook-older", "webhook-without-ca"],
        ..HEALTHY
    },
    Row {
        name: "a webhook of a newer version, for the other channel",
        policies: |api, policies| policies.push(webhook(api, "v2.0.0", "experimental")),
        expected: &["webhook-channel", "webhook-newer", "webhook-without-ca"],
        ..HEALTHY
    },
    Row {
        name: "a webhook that is necessary",
        policies: |api, policies| {
            let mut webhook = webhook(api, "v1.1.0", "standard");
            webhook["webhooks"][0]["failurePolicy"] = json!("Fail");
            webhook["webhooks"][0]["clientConfig"] = json!({"url": "https://localhost:1/validate"});
            policies.push(webhook);
        },
        expected: &["webhook-fails-closed"],
        ..HEALTHY
    },
    Row {
        name: "a policy with an expression that does not fit its type",
        then: |api| {
            let rules = json!({"apiGroups": [api.group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["nothing"]});
            let name = format!("wrong.{}", api.group);
            api.install_policy(&policy(&name, &rules, "object.spec.missing == 1"));
            api.install_policy(&binding(&name));
            // The controller manager checks types, which the testbed does not have.
            let path = format!("{ADMISSION}/validatingadmissionpolicies/{name}/status");
            let warnings =
                json!([{"fieldRef": "spec.validations[0].expression", "warning": "undefined field 'missing'"}]);
            api.edit(&path, "", |policy| policy["status"]["typeChecking"] = json!({"expressionWarnings": warnings}));
        },
        expected: &["policy-warnings"],
        ..HEALTHY
    },
    // Uses of experimental.
    Row {
        name: "an experimental field",
        then: |api| api.create("alphas", "v1", "a", &json!({"trial": {}})),
        expected: &["experimental-use alphas v1 spec.trial", "a: experimental-use spec.trial"],
        is_in_sample: true,
        ..EXPERIMENTAL
    },
    Row {
        name: "an experimental field of a list item",
        then: |api| api.create("alphas", "v1", "a", &json!({"items": [{"name": "x"}, {"extra": "y"}]})),
        expected: &["experimental-use alphas v1 spec.items[*].extra", "a: experimental-use spec.items[1].extra"],
        ..EXPERIMENTAL
    },
    Row {
        name: "an experimental field of a value of a map",
        then: |api| api.create("alphas", "v1", "a", &json!({"byName": {"x": {"extra": "y"}}})),
        expected: &["experimental-use alphas v1 spec.byName[*].extra", "a: experimental-use spec.byName.x.extra"],
        ..EXPERIMENTAL
    },
    Row {
        name: "an experimental value of an enum",
        then: |api| api.create("alphas", "v1", "a", &json!({"mode": "Auto"})),
        expected: &["experimental-use alphas v1 spec.mode", "a: experimental-use spec.mode"],
        ..EXPERIMENTAL
    },
    Row {
        name: "an experimental field that has another value than its default",
        then: |api| api.create("alphas", "v1", "a", &json!({"filledIn": "used"})),
        expected: &["experimental-use alphas v1 spec.filledIn", "a: experimental-use spec.filledIn"],
        ..EXPERIMENTAL
    },
    Row {
        name: "an experimental resource",
        then: |api| api.create("gammas", "v1", "a", &json!({})),
        expected: &["experimental-use gammas v1", "a: experimental-use"],
        ..EXPERIMENTAL
    },
    Row {
        name: "an experimental version",
        then: |api| api.create("alphas", "v1alpha2", "a", &json!({})),
        expected: &["experimental-use alphas v1alpha2"],
        ..EXPERIMENTAL
    },
    // Objects.
    Row {
        name: "an object with an old form",
        then: |api| api.create("alphas", "v1", "a", &json!({"oldMode": "x"})),
        expected: &["old-form alphas v1", "a: old-form"],
        is_in_sample: true,
        ..HEALTHY
    },
    Row {
        name: "a client of a deprecated version",
        then: |api| api.create("betas", "v1beta1", "a", &json!({"size": 1})),
        expected: &["client-version betas v1beta1"],
        ..HEALTHY
    },
    Row {
        name: "a client of a version that is not served any more",
        minor: 0,
        then: |api| {
            api.create("betas", "v1beta1", "a", &json!({"size": 1}));
            api.upgrade(2);
        },
        expected: &["client-version betas v1beta1", "stored-version-unserved betas v1beta1"],
        ..HEALTHY
    },
    // Permissions.
    Row {
        name: "no permissions",
        user: Some("powerless@planted.test"),
        expected: &["error cluster::forbidden"],
        is_in_sample: true,
        ..HEALTHY
    },
    Row {
        name: "permissions for CRDs only",
        then: |api| role(api, "reader@planted.test"),
        user: Some("reader@planted.test"),
        expected: &[
            "failure cluster::forbidden",
            "failure cluster::forbidden",
            "failure cluster::forbidden",
            "failure cluster::forbidden alphas v1",
            "failure cluster::forbidden betas v1",
            "failure cluster::forbidden deltas v1",
        ],
        ..HEALTHY
    },
];
