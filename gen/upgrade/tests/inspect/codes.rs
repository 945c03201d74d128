//! Each kind of finding has a cluster in which it is the only one.

use std::collections::BTreeSet;

use crd_model::channel::Channel;
use crd_upgrade::inspect::CODES;
use serde_json::{Value, json};

use super::case::Case;
use super::cluster::{Cluster, installed, managed, path, published, webhook, widget};

type Row = (&'static str, fn(&mut Case));

/// The codes in the order of [`CODES`], each with what is wrong. A code that cannot be alone comes last.
const ROWS: &[Row] = &[
    ("no-prefix", |case| {
        case.prefix = None;
        case.releases.clear();
        case.everywhere("gadgets", |crd| crd["metadata"]["annotations"] = json!({}));
        case.everywhere("widgets", |crd| crd["metadata"]["annotations"] = json!({}));
    }),
    ("unknown-target", |case| {
        case.releases.clear();
        case.channel = Some(Channel::Standard);
    }),
    ("nothing-installed", |case| case.cluster.crds.clear()),
    ("missing-crd", |case| drop(case.cluster.crds.remove(0))),
    ("mixed-versions", |case| {
        case.cluster = Cluster::new("v1.1.0", "experimental");
        *case.cluster.crd("widgets") = installed(published("widgets", "v1.0.0", "experimental"));
    }),
    ("mixed-channels", |case| *case.cluster.crd("gadgets") = installed(published("gadgets", "v1.0.0", "standard"))),
    ("unstamped", |case| drop(annotations(case, "gadgets").remove("example.com/channel"))),
    ("unreadable-stamp", |case| annotate(case, "gadgets", "example.com/bundle-version", "latest")),
    ("wrong-version", |case| annotate(case, "widgets", "example.com/bundle-version", "v1.1.0")),
    ("wrong-channel", |case| annotate(case, "widgets", "example.com/channel", "standard")),
    ("edited", |case| property(case.cluster.crd("widgets"), "size")["maximum"] = json!(100)),
    ("unknown-bundle", |case| case.releases.clear()),
    ("monthly-bundle", |case| {
        case.cluster = Cluster::new("v1.0.0", "experimental");
        case.cluster.policies.remove(0);
        for plural in ["gadgets", "widgets"] {
            annotate(case, plural, "example.com/bundle-version", "monthly-2026.06");
        }
    }),
    ("left-over-crd", |case| {
        let relic = other("relics", "v0.9.0");
        case.releases.insert(("v0.9.0".to_owned(), "experimental"), vec![relic.clone()]);
        case.cluster.crds.push(installed(relic));
    }),
    ("foreign-crd", |case| {
        let mut foreign = installed(other("foreigners", "v1.0.0"));
        foreign["metadata"]["annotations"] = json!({});
        case.cluster.crds.push(foreign);
    }),
    ("stored-version-missing", |case| store(case, "gadgets", "v1alpha1")),
    ("stored-version-unserved", |case| {
        case.cluster = Cluster::new("v1.1.0", "experimental");
        store(case, "gadgets", "v1beta1");
    }),
    ("stored-version-unpruned", |case| store(case, "gadgets", "v1beta1")),
    ("not-established", |case| condition(case, "Established", "False")),
    ("names-not-accepted", |case| {
        // A new CRD whose names are taken is not established either.
        condition(case, "NamesAccepted", "False");
        condition(case, "Established", "False");
    }),
    ("non-structural", |case| condition(case, "NonStructuralSchema", "True")),
    ("not-approved", |case| condition(case, "KubernetesAPIApprovalPolicyConformant", "False")),
    ("terminating", |case| {
        case.cluster.crd("gadgets")["metadata"]["deletionTimestamp"] = json!("2026-01-02T03:04:05Z");
    }),
    ("conversion-webhook", |case| {
        case.everywhere("gadgets", |crd| {
            let service = json!({"namespace": "system", "name": "converter"});
            let webhook = json!({"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}});
            crd["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": webhook});
        });
    }),
    ("several-owners", |case| annotate(case, "gadgets", "meta.helm.sh/release-name", "mesh")),
    ("annotations-size", |case| {
        annotate(case, "gadgets", "kubectl.kubernetes.io/last-applied-configuration", &"x".repeat(250_000));
    }),
    ("policy-missing", |case| drop(case.cluster.policies.pop())),
    ("policy-unbound", |case| drop(case.cluster.bindings.pop())),
    ("policy-lenient", |case| case.cluster.bindings[0]["spec"]["validationActions"] = json!(["Warn", "Audit"])),
    ("policy-version", |case| {
        case.cluster.policies[0]["metadata"]["annotations"]["example.com/bundle-version"] = json!("v1.1.0");
    }),
    ("policy-warnings", |case| {
        let warning = json!({"fieldRef": "spec.validations[0].expression", "warning": "undefined field 'x'"});
        case.cluster.policies[0]["status"] = json!({"typeChecking": {"expressionWarnings": [warning]}});
    }),
    ("webhook-older", |case| case.cluster.webhooks.push(webhook("v0.9.0", "experimental"))),
    ("webhook-newer", |case| case.cluster.webhooks.push(webhook("v1.0.1", "experimental"))),
    ("webhook-channel", |case| case.cluster.webhooks.push(webhook("v1.0.0", "standard"))),
    ("webhook-without-ca", |case| {
        let mut webhook = webhook("v1.0.0", "experimental");
        webhook["webhooks"][0]["clientConfig"].as_object_mut().unwrap().remove("caBundle");
        case.cluster.webhooks.push(webhook);
    }),
    ("webhook-fails-closed", |case| {
        let mut webhook = webhook("v1.0.0", "experimental");
        webhook["webhooks"][0]["failurePolicy"] = json!("Fail");
        case.cluster.webhooks.push(webhook);
    }),
    ("experimental-use", |case| case.cluster.add(widget("c", &json!({"extra": "x"})))),
    ("unsupported-use", |case| {
        case.with_features();
        case.class("small", &["Size"]);
        case.cluster.add(widget("c", &json!({"text": "small", "size": 1, "mode": "A"})));
    }),
    ("features-unlisted", |case| {
        case.with_features();
        case.class("old", &[]);
        case.cluster.add(widget("c", &json!({"text": "old", "mode": "A"})));
    }),
    ("class-unknown", |case| {
        case.with_features();
        case.cluster.add(widget("c", &json!({"text": "absent", "mode": "A"})));
    }),
    ("old-form", |case| {
        case.rename("v1.0.0");
        case.cluster.add(widget("c", &json!({"title": "x"})));
    }),
    ("client-version", |case| write(case, "v1beta1")),
    ("objects-not-read", |case| {
        case.everywhere("gadgets", |crd| {
            for version in crd["spec"]["versions"].as_array_mut().unwrap() {
                version["served"] = json!(false);
            }
        });
    }),
    ("inconsistent-listing", |case| {
        let expired = json!({"kind": "Status", "reason": "Expired", "code": 410, "metadata": {"continue": "new"}});
        let first = json!({"items": [widget("a", &json!({}))], "metadata": {"continue": "old"}});
        let answers = &mut case.cluster.answers;
        answers.insert(path("v1/widgets"), (200, first));
        answers.insert(path("v1/widgets") + "&continue=old", (410, expired));
        answers.insert(path("v1/widgets") + "&continue=new", (200, json!({"items": [], "metadata": {}})));
    }),
    ("lost-values uncounted", |case| {
        // Each key of a map is a path of its own.
        case.upgrade();
        let labels = (0..1001).map(|index| (format!("key{index}"), json!({"gone": 1})));
        case.cluster.add(widget("c", &json!({"labels": labels.collect::<serde_json::Map<_, _>>()})));
    }),
    ("target-without-crd", |case| {
        case.channel = Some(Channel::Standard);
        case.releases.get_mut(&("v1.0.0".to_owned(), "standard")).unwrap().remove(0);
    }),
    ("target-refused", |case| case.upgrade()[0]["spec"]["scope"] = json!("Cluster")),
    ("policy-refuses", |case| guard(case, "Deny", "false")),
    ("policy-warns", |case| guard(case, "Warn", "object.spec.scope == ''")),
    ("policy-undecided", |case| guard(case, "Deny", "request.userInfo.username == 'operator'")),
    ("take-over", |case| {
        case.upgrade();
        ["gadgets", "widgets"].iter().for_each(|plural| annotate(case, plural, "meta.helm.sh/release-name", "crds"));
    }),
    ("target-version-unserved", |case| {
        case.upgrade();
        let gadget = json!({
            "apiVersion": "example.com/v1",
            "kind": "Gadget",
            "metadata": {"namespace": "shop", "name": "g", "resourceVersion": "7", "managedFields": [managed("old-operator", "v1beta1")]},
        });
        case.cluster.objects.insert("v1/gadgets".to_owned(), vec![gadget]);
    }),
    ("refused-update", |case| {
        case.upgrade();
        let mut empty = widget("c", &json!({}));
        empty.as_object_mut().unwrap().remove("spec");
        case.cluster.add(empty);
    }),
    ("refused-creation", |case| {
        case.upgrade();
        case.cluster.add(widget("c", &json!({"size": 11})));
    }),
    ("lost-values", |case| {
        case.upgrade();
        case.cluster.add(widget("c", &json!({"gone": 1})));
    }),
    ("owners-lose", |case| {
        case.upgrade();
        property(&mut case.target.as_mut().unwrap().1[1], "labels")["x-kubernetes-map-type"] = json!("atomic");
        let mut widget = widget("c", &json!({"labels": {"a": {}, "b": {}}}));
        for (manager, key) in [("gitops", "f:a"), ("operator", "f:b")] {
            let mut entry = managed(manager, "v1");
            entry["fieldsV1"] = json!({"f:spec": {"f:labels": {key: {}}}});
            push(&mut widget["metadata"]["managedFields"], entry);
        }
        case.cluster.add(widget);
    }),
    ("new-defaults", |case| {
        case.upgrade();
        case.cluster.add(widget("c", &json!({"theme": {"level": 1}})));
    }),
    ("converted", |case| {
        case.rename("v1.1.0");
        case.upgrade();
        // The server still shows what the lens reads.
        property(&mut case.target.as_mut().unwrap().1[1], "title")["type"] = json!("string");
        case.cluster.add(widget("c", &json!({"title": "x"})));
    }),
    ("undecided", |case| {
        case.upgrade();
        case.cluster.add(widget("c", &json!({"text": "é"})));
    }),
    ("target-unusable", |case| {
        let rules = json!([{"rule": "self.x =="}]);
        case.upgrade()[1]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["x-kubernetes-validations"] = rules;
    }),
];

fn annotations<'c>(case: &'c mut Case, plural: &str) -> &'c mut serde_json::Map<String, Value> {
    case.cluster.crd(plural)["metadata"]["annotations"].as_object_mut().unwrap()
}

fn annotate(case: &mut Case, plural: &str, key: &str, value: &str) {
    annotations(case, plural).insert(key.to_owned(), value.into());
}

/// The schema of a property of `spec` in v1.
pub(crate) fn property<'c>(crd: &'c mut Value, name: &str) -> &'c mut Value {
    &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"][name]
}

/// A policy for widgets, and an upgrade.
pub(crate) fn guard(case: &mut Case, action: &str, expression: &str) {
    case.upgrade();
    let rule = json!({
        "apiGroups": ["apiextensions.k8s.io"], "apiVersions": ["*"], "operations": ["UPDATE"], "resources": ["*"],
        "resourceNames": ["widgets.example.com"],
    });
    let spec = json!({"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": expression}]});
    case.cluster.policies.push(json!({"metadata": {"name": "guard"}, "spec": spec}));
    let spec = json!({"policyName": "guard", "validationActions": [action]});
    case.cluster.bindings.push(json!({"metadata": {"name": "guard"}, "spec": spec}));
}

fn push(list: &mut Value, item: Value) {
    list.as_array_mut().unwrap().push(item);
}

/// A CRD that neither of the two bundles has.
pub(crate) fn other(plural: &str, bundle: &str) -> Value {
    let mut crd = published("gadgets", bundle, "experimental");
    crd["metadata"]["name"] = json!(format!("{plural}.example.com"));
    crd["spec"]["names"] = json!({"kind": plural, "plural": plural});
    crd
}

/// Objects may be stored in this version too.
fn store(case: &mut Case, plural: &str, version: &str) {
    case.cluster.crd(plural)["status"]["storedVersions"] = json!([version, "v1"]);
}

fn condition(case: &mut Case, kind: &str, status: &str) {
    let conditions = &mut case.cluster.crd("gadgets")["status"]["conditions"];
    conditions.as_array_mut().unwrap().retain(|condition| condition["type"] != kind);
    push(conditions, json!({"type": kind, "status": status, "reason": "Why", "message": "because"}));
}

/// A client writes a widget through this version.
fn write(case: &mut Case, version: &str) {
    let mut widget = widget("c", &json!({}));
    push(&mut widget["metadata"]["managedFields"], managed("old-operator", version));
    case.cluster.add(widget);
}

#[test]
fn every_code_has_a_row() {
    let rows =
        ROWS.iter().map(|(codes, _)| format!("inspect::{}", codes.split(' ').next_back().unwrap())).collect::<Vec<_>>();
    assert_eq!(rows, CODES.iter().map(|code| code.name).collect::<Vec<_>>());
}

#[test]
fn every_code_has_a_page() {
    let pages = crd_diagnostics::page::pages(crd_upgrade::inspect::PAGES).map(|page| page.code).collect::<Vec<_>>();
    assert_eq!(pages, CODES.iter().map(|code| code.name).collect::<Vec<_>>());
}

#[tokio::test]
async fn each_defect_has_its_finding_and_no_other() {
    for (code, change) in ROWS {
        let mut case = Case::new();
        change(&mut case);
        let found = match case.run().await {
            Ok(inspected) => {
                assert_eq!(inspected.report.failures, [], "{code}");
                inspected.report.findings().map(|finding| finding.code).collect::<BTreeSet<_>>()
            }
            Err(diagnostic) => [diagnostic.code].into(),
        };
        let found = found.into_iter().map(|found| found.strip_prefix("inspect::").unwrap()).collect::<Vec<_>>();
        assert_eq!(found.join(" "), *code);
    }
}

#[tokio::test]
async fn a_healthy_cluster_has_no_finding() {
    for bundle in super::cluster::BUNDLES {
        for channel in super::cluster::CHANNELS {
            let mut case = Case::of(bundle, channel);
            case.cluster.webhooks.push(webhook(bundle, channel));
            let inspected = case.inspected().await;
            assert_eq!((inspected.codes(), &*inspected.report.failures), (Vec::new(), &[][..]), "{bundle} {channel}");
            assert_eq!((inspected.report.objects(), inspected.objects.len()), (2, 0));
            assert!(!inspected.report.has_findings());
        }
    }
    // An upgrade that changes nothing for these objects.
    let mut case = Case::new();
    case.upgrade();
    assert_eq!(case.inspected().await.lines(), [] as [&str; 0]);
}
