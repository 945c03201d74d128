//! The installation as a whole: stamps, owners and policies.

use serde_json::json;

use super::case::Case;
use super::cluster::{installed, published, webhook};

#[tokio::test]
async fn stamps_that_are_missing_or_unreadable_are_named() {
    for (annotations, code, message) in [
        (json!({}), "unstamped", "it has neither bundle version nor channel"),
        (json!({"example.com/channel": "standard"}), "unstamped", "it has no bundle version"),
        (json!({"example.com/bundle-version": "v1.0.0"}), "unstamped", "it has no channel"),
        (
            json!({"example.com/bundle-version": "1.0", "example.com/channel": "beta"}),
            "unreadable-stamp",
            "the bundle version `1.0` and the channel `beta` cannot be read",
        ),
        (json!({"example.com/channel": "beta"}), "unreadable-stamp", "the channel `beta` cannot be read"),
    ] {
        let mut case = Case::new();
        case.cluster.crd("gadgets")["metadata"]["annotations"] = annotations;
        let inspected = case.inspected().await;
        assert_eq!((inspected.codes(), inspected.message(code)), (vec![code], message));
    }
}

/// A cluster whose CRDs are those of v1.0.0, stamped with months.
fn monthly(stamps: [&str; 2]) -> Case {
    let mut case = Case::new();
    case.cluster.policies.remove(0);
    for (plural, stamp) in ["gadgets", "widgets"].into_iter().zip(stamps) {
        case.cluster.crd(plural)["metadata"]["annotations"]["example.com/bundle-version"] = json!(stamp);
    }
    case
}

#[tokio::test]
async fn a_month_is_compared_with_the_nearest_bundle() {
    let month = "monthly-2026.06";
    let begin = "the bundle is monthly-2026.06 experimental, which has no semantic version; ";
    for (change, nearest, differences) in [
        ("nothing", "the nearest known bundle is v1.0.0 experimental (CRDs that differ: 0; differences: 0)", 0),
        // A field of both bundles; the rest is that of v1.0.0.
        ("edit", "the nearest known bundle is v1.0.0 experimental (CRDs that differ: 1; differences: 1)", 1),
        ("newer", "the nearest known bundle is v1.1.0 experimental (CRDs that differ: 0; differences: 0)", 0),
        ("missing", "the nearest known bundle is v1.0.0 experimental (CRDs that differ: 1; differences: 1)", 0),
        ("unknown", "no release is known to compare it with", 0),
    ] {
        let mut case = monthly([month; 2]);
        match change {
            "edit" => case.cluster.crd("gadgets")["spec"]["names"]["shortNames"] = json!(["g"]),
            "newer" => {
                for plural in ["gadgets", "widgets"] {
                    let spec = installed(published(plural, "v1.1.0", "experimental"))["spec"].take();
                    case.cluster.crd(plural)["spec"] = spec;
                }
            }
            "missing" => drop(case.cluster.crds.remove(0)),
            "unknown" => case.releases.clear(),
            _ => {}
        }
        let inspected = case.inspected().await;
        assert_eq!(inspected.message("monthly-bundle"), format!("{begin}{nearest}"), "{change}");
        let (bundle, channel) = inspected.report.installed.unwrap();
        assert_eq!((&*bundle.to_string(), channel.name()), (month, "experimental"));
        assert!(!inspected.report.has_findings(), "{change}: {:?}", inspected.codes());
        let contents = inspected.report.crds.iter().map(|crd| serde_json::to_value(&crd.content).unwrap());
        let found = contents.map(|content| content["differences"].as_array().unwrap().len()).sum::<usize>();
        assert_eq!(found, differences, "{change}");
    }
}

#[tokio::test]
async fn months_are_compared_with_other_bundles_by_name_only() {
    let inspected = monthly(["monthly-2026.06", "v1.0.0"]).inspected().await;
    assert_eq!(inspected.codes(), ["mixed-versions"]);
    assert_eq!(
        inspected.message("mixed-versions"),
        "the CRDs are of 2 bundles: monthly-2026.06 (gadgets.example.com); v1.0.0 (widgets.example.com)"
    );
    assert_eq!(monthly(["monthly-2026.13", "v1.0.0"]).inspected().await.codes(), ["unreadable-stamp"]);
    // The policies and the webhook of a release, with CRDs of a month.
    let mut case = monthly(["monthly-2026.06"; 2]);
    case.cluster.policies = Case::new().cluster.policies;
    case.cluster.webhooks.push(webhook("v1.0.0", "experimental"));
    let inspected = case.inspected().await;
    assert_eq!(inspected.codes(), ["monthly-bundle", "policy-version", "policy-version"]);
    let findings =
        inspected.report.findings().map(|finding| (&*finding.message, finding.help.as_deref().unwrap_or("")));
    assert_eq!(
        findings.skip(1).collect::<Vec<_>>(),
        [
            (
                "the policy guardrails.example.com is of v1.0.0, and the CRDs are of monthly-2026.06",
                "install the CRDs and the policies of one bundle"
            ),
            (
                "the webhook webhook.example.com is of v1.0.0, and the CRDs are of monthly-2026.06; a month has no order with versions, so it is not ready",
                "install the CRDs of v1.0.0 experimental"
            ),
        ]
    );
    case.cluster.policies.remove(0);
    case.cluster.webhooks = vec![webhook("monthly-2026.06", "experimental")];
    assert_eq!(case.inspected().await.codes(), ["monthly-bundle"]);
}

#[tokio::test]
async fn the_installed_bundle_is_that_of_most_crds() {
    let mut case = Case::new();
    let mut other = published("gadgets", "v1.0.0", "experimental");
    other["metadata"]["name"] = json!("doodads.example.com");
    other["spec"]["names"] = json!({"kind": "Doodad", "plural": "doodads"});
    for channel in ["standard", "experimental"] {
        case.releases.get_mut(&("v1.0.0".to_owned(), channel)).unwrap().push(other.clone());
    }
    case.cluster.crds.insert(0, installed(other));
    *case.cluster.crd("gadgets") = installed(published("gadgets", "v1.1.0", "experimental"));
    let inspected = case.inspected().await;
    assert_eq!(inspected.report.installed.unwrap().0.to_string(), "v1.0.0");
    assert_eq!(
        inspected.message("mixed-versions"),
        "the CRDs are of 2 bundles: v1.0.0 (doodads.example.com, widgets.example.com); v1.1.0 (gadgets.example.com)"
    );
}

#[tokio::test]
async fn nothing_is_missing_where_nothing_is_installed() {
    let mut case = Case::new();
    case.cluster.crds.clear();
    let inspected = case.inspected().await;
    assert_eq!(inspected.codes(), ["nothing-installed"]);
    let expected = "no CRD has a readable bundle version and channel with the prefix example.com";
    assert_eq!(inspected.message("nothing-installed"), expected);
}

#[tokio::test]
async fn owners_are_named() {
    let mut case = Case::new();
    let crd = case.cluster.crd("widgets");
    crd["metadata"]["annotations"]["meta.helm.sh/release-name"] = json!("mesh");
    crd["metadata"]["annotations"]["meta.helm.sh/release-namespace"] = json!("system");
    crd["metadata"]["managedFields"] = json!([
        {"manager": "kubectl-client-side-apply", "operation": "Update"},
        {"manager": "kubectl", "operation": "Apply"},
        {"manager": "helm", "operation": "Update"},
    ]);
    let inspected = case.inspected().await;
    let expected = "the CRDs have several owners: Helm release system/mesh and kubectl (widgets.example.com), kubectl (gadgets.example.com)";
    assert_eq!(inspected.message("several-owners"), expected);
    assert_eq!(inspected.codes(), ["several-owners"]);
}

/// What managed fields, annotations and labels show, and what the owner does.
#[tokio::test]
async fn tools_and_platforms_are_recognised() {
    let by = |manager: &str| json!({"managedFields": [{"manager": manager, "operation": "Apply"}]});
    for (metadata, owner, effect) in [
        (by("kubectl-create"), "kubectl", None),
        (by("my-operator"), "my-operator", None),
        (by("helm"), "Helm release", Some("helm upgrade")),
        (
            json!({"annotations": {"argocd.argoproj.io/tracking-id": "crds:apiextensions.k8s.io/CRD:/x"}}),
            "Argo CD application crds",
            Some("selfHeal"),
        ),
        (
            json!({"labels": {"kustomize.toolkit.fluxcd.io/name": "infra", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}}),
            "Flux Kustomization flux-system/infra",
            Some("interval"),
        ),
        // Flux runs Helm.
        (
            json!({"labels": {"helm.toolkit.fluxcd.io/name": "crds"}, "annotations": {"meta.helm.sh/release-name": "crds"}}),
            "Flux HelmRelease crds",
            Some("Flux writes"),
        ),
        (by("ingress-operator"), "OpenShift", Some("operator of OpenShift")),
        (json!({"labels": {"addonmanager.kubernetes.io/mode": "Reconcile"}}), "addon manager", Some("EnsureExists")),
        (
            json!({"annotations": {"components.gke.io/component-name": "gateway-api-crds"}}),
            "GKE",
            Some("addon manager"),
        ),
        (json!({"labels": {"doks.digitalocean.com/managed": "true"}}), "DigitalOcean Kubernetes", Some("DigitalOcean")),
        (json!({"annotations": {"objectset.rio.cattle.io/owner-name": "crds"}}), "k3s crds", Some("at each start")),
        // The user has taken over.
        (json!({"annotations": {"doks.digitalocean.com/install-policy": "external"}}), "", None),
    ] {
        let mut case = Case::new();
        case.upgrade();
        for plural in ["gadgets", "widgets"] {
            let own = case.cluster.crd(plural)["metadata"].as_object_mut().unwrap();
            own.remove("managedFields");
            let annotations = own["annotations"].clone();
            own.extend(metadata.as_object().unwrap().clone());
            own["annotations"].as_object_mut().unwrap().extend(annotations.as_object().unwrap().clone());
        }
        let inspected = case.inspected().await;
        let owners = &inspected.report.crds[0].owners;
        assert_eq!(owners.iter().map(|owner| &*owner.name).collect::<Vec<_>>().join(", "), owner);
        let told = owners.first().and_then(|owner| owner.take_over.as_deref());
        assert!(
            told.is_some() == effect.is_some() && told.unwrap_or_default().contains(effect.unwrap_or_default()),
            "{owner}"
        );
        let found = inspected.codes().into_iter().filter(|code| *code == "take-over").count();
        assert_eq!(found, if effect.is_some() { 2 } else { 0 }, "{owner}");
    }
}

#[tokio::test]
async fn policies_are_reported_with_their_bindings() {
    let mut case = Case::new();
    case.cluster.bindings[1]["spec"]["validationActions"] = json!(["Warn"]);
    let mut webhook = webhook("v0.9.0", "experimental");
    webhook["metadata"]["name"] = json!("guard");
    case.cluster.webhooks.push(webhook);
    let inspected = case.inspected().await;
    let policies = inspected.report.policies.iter();
    let policies =
        policies.map(|policy| (policy.kind, &*policy.name, policy.version.as_deref(), policy.actions.join(",")));
    let (policy, webhook) = ("ValidatingAdmissionPolicy", "ValidatingWebhookConfiguration");
    assert_eq!(
        policies.collect::<Vec<_>>(),
        [
            (policy, "guardrails.example.com", Some("v1.0.0"), "Deny".to_owned()),
            (policy, "safe-upgrades.example.com", None, "Warn".to_owned()),
            (webhook, "guard", Some("v0.9.0"), String::new()),
        ]
    );
    let message = inspected.message("webhook-older");
    assert_eq!(message, "the webhook guard is of v0.9.0, and the CRDs are of v1.0.0; it is not ready for newer CRDs");
    let message = inspected.message("policy-lenient");
    assert_eq!(message, "the policy safe-upgrades.example.com refuses nothing: the actions of its bindings are Warn");
}

#[tokio::test]
async fn webhooks_of_the_bundle_are_compared_and_others_are_not() {
    let mut both = webhook("v1.0.1", "standard");
    both["webhooks"][0]["clientConfig"]["caBundle"] = json!("");
    let mut unreadable = webhook("latest", "experimental");
    // A URL may have a certificate that every server trusts.
    unreadable["webhooks"][0]["clientConfig"] = json!({"url": "https://example.com/validate"});
    let mut foreign = webhook("v0.9.0", "standard");
    foreign["metadata"]["annotations"] = json!({});
    foreign["webhooks"][0]["clientConfig"]["caBundle"].take();
    for (webhook, expected) in [
        (both, &["webhook-newer", "webhook-channel", "webhook-without-ca"][..]),
        (unreadable, &["policy-version"]),
        (foreign, &[]),
    ] {
        let mut case = Case::new();
        case.cluster.webhooks.push(webhook.clone());
        let inspected = case.inspected().await;
        assert_eq!(inspected.codes(), expected);
        let channel = inspected.report.policies.last().unwrap().channel.clone();
        assert_eq!(channel.as_deref(), webhook["metadata"]["annotations"]["example.com/channel"].as_str());
    }
    let mut case = Case::new();
    case.cluster.webhooks.push(webhook("v1.0.0", "standard"));
    assert_eq!(
        case.inspected().await.message("webhook-channel"),
        "the webhook webhook.example.com is for standard, and the CRDs are of experimental; it is not ready for CRDs of another channel"
    );
    // Without CRDs there is nothing to compare with.
    let mut case = Case::new();
    case.cluster.crds.clear();
    case.cluster.webhooks.push(webhook("v9.0.0", "standard"));
    assert_eq!(case.inspected().await.codes(), ["nothing-installed"]);
}
