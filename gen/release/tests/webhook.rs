//! The manifests of the webhook as values: rights, pods, the configuration, and the files that contain them. What a server does with them is
//! proven in `xtask/testbed/tests/proofs/webhook_install.rs`.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use crd_bundle::admission::declared;
use crd_model::channel::Channel;
use crd_model::policy::Policy;
use crd_model::webhook::Webhook;
use crd_release::archive::bundle_archive;
use crd_release::install;
use crd_release::template::Templates;
use crd_release::webhook::objects;
use crd_release::{Release, webhook};
use serde_json::{Value, json};

use crate::archives::{crd, put, python_yaml, release_of, said, sorted, unpacked};

/// A release with a webhook that reads three resources, and a policy.
fn release() -> Release {
    let channels =
        vec![(Channel::Standard, vec![crd("tests")]), (Channel::Experimental, vec![crd("samples"), crd("tests")])];
    let webhook = Webhook::new("registry.example.com/webhook")
        .reads("example.com", "tests")
        .reads("", "services")
        .reads("", "namespaces")
        .reads("", "services");
    let policy = Policy::new("unique-names", "names that are unique")
        .resource("example.com", "samples")
        .variable("names", "object.spec.names")
        .validation("variables.names.size() > 0", "no names", Some("'no names: ' + object.metadata.name"));
    Release { webhook: Some(webhook), policies: vec![policy], ..release_of(channels, "sample-api", "example.com") }
}

fn standard() -> Vec<Value> {
    objects(&release(), Channel::Standard)
}

fn of_kind<'o>(objects: &'o [Value], kind: &str) -> Vec<&'o Value> {
    objects.iter().filter(|object| object["kind"] == kind).collect()
}

/// The only object of this kind.
#[track_caller]
fn the<'o>(objects: &'o [Value], kind: &str) -> &'o Value {
    let found = of_kind(objects, kind);
    assert_eq!(found.len(), 1, "{kind}");
    found[0]
}

/// The specs of all pods, by the kind of what creates them.
fn pods(objects: &[Value]) -> Vec<(&'static str, &Value)> {
    vec![
        ("Deployment", &the(objects, "Deployment")["spec"]["template"]["spec"]),
        ("Job", &the(objects, "Job")["spec"]["template"]["spec"]),
        ("CronJob", &the(objects, "CronJob")["spec"]["jobTemplate"]["spec"]["template"]["spec"]),
    ]
}

#[test]
fn objects_are_in_the_order_of_their_dependencies() {
    let objects = standard();
    let names = objects.iter().map(|object| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        format!("{} {}/{}", text("/kind"), text("/metadata/namespace"), text("/metadata/name"))
    });
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            "Namespace /sample-api-webhook",
            "ServiceAccount sample-api-webhook/webhook",
            "ServiceAccount sample-api-webhook/webhook-certs",
            "ClusterRole /sample-api-webhook",
            "ClusterRoleBinding /sample-api-webhook",
            "ClusterRole /sample-api-webhook-certs",
            "ClusterRoleBinding /sample-api-webhook-certs",
            "Role sample-api-webhook/webhook-certs",
            "RoleBinding sample-api-webhook/webhook-certs",
            "NetworkPolicy sample-api-webhook/webhook",
            "NetworkPolicy sample-api-webhook/webhook-certs",
            "Service sample-api-webhook/webhook",
            "Deployment sample-api-webhook/webhook",
            "PodDisruptionBudget sample-api-webhook/webhook",
            "Job sample-api-webhook/webhook-certs-v1-6-1",
            "CronJob sample-api-webhook/webhook-certs",
            "ValidatingWebhookConfiguration /webhook.example.com",
        ]
    );
    // A channel that replaces another one replaces every object.
    let names = |channel| {
        let name = |object: &Value| {
            (object["kind"].clone(), object["metadata"]["namespace"].clone(), object["metadata"]["name"].clone())
        };
        objects_of(channel).iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(Channel::Standard), names(Channel::Experimental));
}

/// Every pod has a policy, and a policy opens nothing that no pod listens on.
#[test]
fn pods_are_reached_at_the_port_of_reviews_and_metrics_by_labelled_namespaces() {
    let objects = standard();
    let policies = of_kind(&objects, "NetworkPolicy");
    for (kind, template) in
        [("Deployment", "/spec/template"), ("Job", "/spec/template"), ("CronJob", "/spec/jobTemplate/spec/template")]
    {
        let template = the(&objects, kind).pointer(template).unwrap();
        let selects = |policy: &&&Value| policy["spec"]["podSelector"]["matchLabels"] == template["metadata"]["labels"];
        let policy = policies.iter().find(selects).unwrap();
        let opened = policy["spec"]["ingress"].as_array().into_iter().flatten().map(|rule| {
            (rule["ports"][0]["port"].clone(), rule["from"][0]["namespaceSelector"]["matchLabels"].clone())
        });
        let ports = template["spec"]["containers"][0]["ports"].as_array().into_iter().flatten();
        let from = [Value::Null, json!({"metrics": "enabled"})];
        let expected = ports.map(|port| port["containerPort"].clone()).zip(from);
        assert_eq!(opened.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{kind}");
    }
}

fn objects_of(channel: Channel) -> Vec<Value> {
    objects(&release(), channel)
}

/// A rule of a role as `GROUP/RESOURCE[=NAME]: VERB …`, one for each resource.
fn rights(role: &Value) -> Vec<String> {
    let list = |value: &Value| {
        let texts = value.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned());
        texts.collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for rule in role["rules"].as_array().unwrap() {
        let keys = rule.as_object().unwrap().keys().map(String::as_str).collect::<BTreeSet<_>>();
        assert!(keys.is_subset(&["apiGroups", "resources", "resourceNames", "verbs"].into()), "{rule}");
        for group in list(&rule["apiGroups"]) {
            for resource in list(&rule["resources"]) {
                let names = list(&rule["resourceNames"]).join(",");
                let names = if names.is_empty() { names } else { format!("={names}") };
                found.push(format!("{group}/{resource}{names}: {}", list(&rule["verbs"]).join(" ")));
            }
        }
    }
    found
}

/// Every right of both accounts. An addition is a decision, which this list makes visible.
#[test]
fn the_server_only_reads_and_the_jobs_write_two_objects() {
    let objects = standard();
    let mut granted = Vec::new();
    for kind in ["ClusterRole", "Role"] {
        for binding in of_kind(&objects, &format!("{kind}Binding")) {
            let roles = of_kind(&objects, kind);
            let is_bound = |role: &&&Value| role["metadata"]["name"] == binding["roleRef"]["name"];
            let role = roles.iter().find(is_bound).unwrap();
            assert_eq!(
                (&binding["roleRef"]["kind"], role["metadata"]["namespace"].clone()),
                (&json!(kind), binding["metadata"]["namespace"].clone())
            );
            let subjects = binding["subjects"].as_array().unwrap();
            assert_eq!((subjects.len(), &subjects[0]["namespace"]), (1, &json!("sample-api-webhook")));
            assert_eq!(subjects[0]["kind"], "ServiceAccount");
            let account = subjects[0]["name"].as_str().unwrap();
            granted.extend(rights(role).iter().map(|right| format!("{account} {kind} {right}")));
        }
    }
    assert_eq!(
        granted,
        [
            "webhook ClusterRole /namespaces: list watch",
            "webhook ClusterRole /services: list watch",
            "webhook ClusterRole apiextensions.k8s.io/customresourcedefinitions: list watch",
            "webhook ClusterRole example.com/tests: list watch",
            "webhook-certs ClusterRole admissionregistration.k8s.io/validatingwebhookconfigurations=webhook.example.com: get patch",
            "webhook-certs Role /secrets=webhook-certificate: get patch",
            "webhook-certs Role /secrets: create",
        ]
    );
    // Each pod states its account and that it gets a token; no other pod gets one.
    for account in of_kind(&objects, "ServiceAccount") {
        assert_eq!(account["automountServiceAccountToken"], false);
    }
    for (kind, pod) in pods(&objects) {
        let expected = if kind == "Deployment" { "webhook" } else { "webhook-certs" };
        assert_eq!(
            (&pod["serviceAccountName"], &pod["automountServiceAccountToken"]),
            (&json!(expected), &json!(true)),
            "{kind}"
        );
    }
}

#[test]
fn the_key_of_the_authority_is_in_no_pod() {
    let objects = standard();
    let pod = &the(&objects, "Deployment")["spec"]["template"]["spec"];
    assert_eq!(
        pod["volumes"],
        json!([{
            "name": "certificate",
            "secret": {
                "secretName": "webhook-certificate", "optional": true, "defaultMode": 0o440,
                "items": [{"key": "tls.crt", "path": "tls.crt"}, {"key": "tls.key", "path": "tls.key"}],
            },
        }])
    );
    for (kind, pod) in pods(&objects) {
        let text = pod.to_string();
        assert!(!text.contains("ca.key") && !text.contains("secretKeyRef") && !text.contains("secretRef"), "{kind}");
        assert_eq!(kind == "Deployment", pod.get("volumes").is_some(), "{kind}: the jobs read the Secret by the API");
    }
}

/// The fields of the Pod Security Standard `restricted`, and more: each pod writes them out. A server checks them in the proofs.
#[test]
fn every_pod_is_restricted() {
    for channel in Channel::ALL {
        for (kind, pod) in pods(&objects_of(channel)) {
            let security = &pod["securityContext"];
            assert_eq!(
                (&security["runAsNonRoot"], &security["seccompProfile"]["type"]),
                (&json!(true), &json!("RuntimeDefault")),
                "{kind}"
            );
            assert!(security["runAsUser"].as_u64().is_some_and(|user| user > 0), "{kind}");
            for container in pod["containers"].as_array().unwrap() {
                let expected = json!({
                    "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": true,
                });
                assert_eq!(container["securityContext"], expected, "{kind}");
                assert_eq!(container["image"], "registry.example.com/webhook:v1.6.1", "{kind}");
                let resources = &container["resources"];
                assert!(
                    resources["limits"]["memory"].is_string() && resources["requests"]["cpu"].is_string(),
                    "{kind}"
                );
            }
            for field in ["hostNetwork", "hostPID", "hostIPC", "initContainers", "hostUsers"] {
                assert_eq!(pod.get(field), None, "{kind}");
            }
        }
    }
    let objects = standard();
    let labels = &the(&objects, "Namespace")["metadata"]["labels"];
    for mode in ["enforce", "warn", "audit"] {
        assert_eq!(labels[format!("pod-security.kubernetes.io/{mode}")], "restricted");
    }
}

/// What selects the servers selects no job, and what a server refuses to change does not depend on version or channel.
#[test]
fn selectors_select_servers_and_never_change() {
    let objects = standard();
    let deployment = the(&objects, "Deployment");
    let selector = &deployment["spec"]["selector"]["matchLabels"];
    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    assert_eq!(selector, labels);
    assert_eq!(&the(&objects, "Service")["spec"]["selector"], selector);
    assert_eq!(&the(&objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"], selector);
    for spec in [&the(&objects, "Job")["spec"], &the(&objects, "CronJob")["spec"]["jobTemplate"]["spec"]] {
        let component = "app.kubernetes.io/component";
        assert_ne!(spec["template"]["metadata"]["labels"][component], selector[component]);
    }
    let newer = Release { version: "v1.7.0-rc.1".parse().unwrap(), ..release() };
    let of_newer = webhook::objects(&newer, Channel::Experimental);
    assert_eq!(&the(&of_newer, "Deployment")["spec"]["selector"]["matchLabels"], selector);
    let fixed = |objects: &[Value], kind: &str| {
        of_kind(objects, kind).iter().map(|binding| binding["roleRef"].clone()).collect::<Vec<_>>()
    };
    for kind in ["ClusterRoleBinding", "RoleBinding"] {
        assert_eq!(fixed(&objects, kind), fixed(&of_newer, kind));
    }
    assert_eq!(the(&of_newer, "Job")["metadata"]["name"], "webhook-certs-v1-7-0-rc-1");
    // The Job is the same in both channels, which may follow each other.
    assert_eq!(the(&objects, "Job"), the(&objects_of(Channel::Experimental), "Job"));
}

#[test]
fn the_configuration_names_every_served_version_and_its_own_namespace() {
    for channel in Channel::ALL {
        let mut release = release();
        let served = &mut release.channels.iter_mut().find(|released| released.channel == channel).unwrap().files;
        let crd = Arc::make_mut(&mut served.last_mut().unwrap().crd);
        let mut unserved = crd.versions[0].clone();
        (unserved.name, unserved.served, unserved.storage) = ("v1alpha1".into(), false, false);
        let mut more = crd.versions[0].clone();
        (more.name, more.storage) = ("v2".into(), false);
        crd.versions.extend([unserved, more]);
        let objects = objects(&release, channel);
        let configuration = the(&objects, "ValidatingWebhookConfiguration");
        assert_eq!(
            configuration["metadata"]["annotations"],
            json!({"example.com/bundle-version": "v1.6.1", "example.com/channel": channel.name()})
        );
        let webhooks = configuration["webhooks"].as_array().unwrap();
        assert_eq!(webhooks.len(), 1);
        let rules = webhooks[0]["rules"].as_array().unwrap();
        assert_eq!(rules.len(), release.channel(channel).len());
        let rule = json!({
            "apiGroups": ["example.com"], "apiVersions": ["v1", "v2"], "operations": ["CREATE", "UPDATE"],
            "resources": ["tests"], "scope": "Namespaced",
        });
        assert_eq!(rules.last(), Some(&rule));
        let webhook = &webhooks[0];
        assert_eq!(
            webhook["clientConfig"],
            json!({"service": {"namespace": "sample-api-webhook", "name": "webhook", "path": "/validate", "port": 443}}),
            "a bundle of certificates would be removed when the file is applied again"
        );
        let own = json!({"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["sample-api-webhook"]}]});
        assert_eq!(webhook["namespaceSelector"], own);
        assert_eq!((&webhook["failurePolicy"], &webhook["sideEffects"]), (&json!("Ignore"), &json!("None")));
    }
}

/// The server has time to drain: longer than the drain and the timeout of a call together.
#[test]
fn a_server_ends_after_its_drain_and_its_last_call() {
    let objects = standard();
    let pod = &the(&objects, "Deployment")["spec"]["template"]["spec"];
    let arguments = pod["containers"][0]["args"].as_array().unwrap();
    let drain =
        arguments.iter().find_map(|argument| argument.as_str()?.strip_prefix("--drain=")?.parse::<u64>().ok()).unwrap();
    let timeout = the(&objects, "ValidatingWebhookConfiguration")["webhooks"][0]["timeoutSeconds"].as_u64().unwrap();
    assert!(pod["terminationGracePeriodSeconds"].as_u64().unwrap() >= drain + 2 * timeout);
    let rolling = &the(&objects, "Deployment")["spec"]["strategy"]["rollingUpdate"];
    assert_eq!(rolling, &json!({"maxSurge": 1, "maxUnavailable": 0}));
    // The ports of the program, of the probes and of the Service are the same.
    let ports = &pod["containers"][0]["ports"];
    for (port, argument) in [("https", "--listen=[::]:"), ("probes", "--probes=[::]:")] {
        let declared = ports.as_array().unwrap().iter().find(|declared| declared["name"] == port).unwrap();
        assert!(arguments.contains(&json!(format!("{argument}{}", declared["containerPort"]))), "{port}");
    }
    assert_eq!(the(&objects, "Service")["spec"]["ports"][0]["targetPort"], "https");
    assert_eq!(pod["containers"][0]["readinessProbe"]["httpGet"], json!({"path": "/readyz", "port": "probes"}));
}

#[test]
fn files_and_archive_contain_the_same_objects() {
    let folder = tempfile::tempdir().unwrap();
    let (release, templates) = (release(), Templates::embedded());
    let artefact = bundle_archive(&release, &[], &[], &templates).unwrap();
    let archive = unpacked(&put(folder.path(), &artefact), folder.path());
    let in_archive = |below: &str| {
        let prefix = format!("sample-api-v1.6.1/{below}/");
        let files = archive
            .iter()
            .flatten()
            .filter(|(path, _)| path.starts_with(&prefix) && !path.ends_with("kustomization.yaml"));
        files.count()
    };
    for channel in Channel::ALL {
        let objects = objects(&release, channel);
        let artefact = install::webhook(&release, channel, &objects, &templates).unwrap();
        assert_eq!(artefact, install::webhook(&release, channel, &objects_of(channel), &templates).unwrap());
        assert_eq!(artefact.name, format!("{channel}-webhook-install.yaml"));
        let text = std::str::from_utf8(&artefact.bytes).unwrap();
        let header = text.split("---\n").next().unwrap();
        assert!(header.lines().all(|line| line.starts_with('#') && !line.ends_with(' ')), "{header}");
        for part in [
            "cert-manager.io/inject-ca-from=sample-api-webhook/",
            &format!("{channel}-install.yaml"),
            "webhook.example.com",
        ] {
            assert!(header.contains(part), "{part}: {header}");
        }
        put(folder.path(), &artefact);
        let Some(read) = python_yaml(folder.path(), &[&artefact.name]) else { return };
        assert_eq!(read, objects);
        assert!(archive.is_none() || in_archive(&format!("webhook/{channel}")) == objects.len());
        let base = folder.path().join("sample-api-v1.6.1/webhook").join(channel.name());
        let kubectl = std::env::var("KUBECTL").unwrap_or_else(|_| "kubectl".to_owned());
        if let Some(built) = said(kubectl, &["kustomize", "."], &base).filter(|_| archive.is_some()) {
            fs::write(base.join("built"), built).unwrap();
            assert_eq!(python_yaml(&base, &["built"]).map(sorted), Some(sorted(objects)), "{channel}");
        }
    }
    let policies = declared::policies(&release);
    let artefact = install::policies(&release, &policies, &templates).unwrap();
    assert_eq!(artefact.name, "policies.yaml");
    put(folder.path(), &artefact);
    let Some(read) = python_yaml(folder.path(), &[&artefact.name]) else { return };
    assert_eq!(read, policies);
    let text = std::str::from_utf8(&artefact.bytes).unwrap();
    assert!(text.contains("# * names that are unique (unique-names.example.com)\n"), "{text}");
    assert!(
        text.split("---\n").next().unwrap().lines().all(|line| line.starts_with('#') && !line.ends_with(' ')),
        "{text}"
    );
    assert!(archive.is_none() || in_archive("policies/checks") == policies.len());
}

#[test]
fn a_declared_policy_is_for_the_resources_of_the_release() {
    let policies = declared::policies(&release());
    assert_eq!(policies.len(), 2);
    let (policy, binding) = (&policies[0], &policies[1]);
    assert_eq!(policy["metadata"]["name"], "unique-names.example.com");
    assert_eq!(policy["metadata"], binding["metadata"]);
    assert_eq!(policy["metadata"]["annotations"], json!({"example.com/bundle-version": "v1.6.1"}));
    assert_eq!(binding["spec"], json!({"policyName": "unique-names.example.com", "validationActions": ["Deny"]}));
    let rule = json!({
        "apiGroups": ["example.com"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
        "resources": ["samples"], "scope": "Namespaced",
    });
    assert_eq!(policy["spec"]["matchConstraints"]["resourceRules"], json!([rule]));
    assert_eq!(policy["spec"]["variables"], json!([{"name": "names", "expression": "object.spec.names"}]));
    let validation = json!({
        "expression": "variables.names.size() > 0", "message": "no names", "reason": "Invalid",
        "messageExpression": "'no names: ' + object.metadata.name",
    });
    assert_eq!(policy["spec"]["validations"], json!([validation]));
    let others =
        vec![Policy::new("other", "anything").resource("example.com", "others").validation("true", "never", None)];
    assert_eq!(declared::policies(&Release { policies: others, ..release() }), Vec::<Value>::new());
}

#[test]
fn without_a_declaration_there_is_nothing() {
    let none = Release { webhook: None, policies: Vec::new(), ..release() };
    assert_eq!((webhook::of_channels(&none).len(), declared::policies(&none).len()), (0, 0));
    assert_eq!(webhook::of_channels(&release()).len(), 2);
    // An API that is all experimental has a standard channel without CRDs.
    let mut experimental = release();
    experimental.channels[0].files.clear();
    let channels = webhook::of_channels(&experimental);
    assert_eq!(channels.iter().map(|(channel, _)| *channel).collect::<Vec<_>>(), [Channel::Experimental]);
}
