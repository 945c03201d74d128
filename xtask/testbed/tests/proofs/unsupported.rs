//! Policies about what an implementation does not support, for the conformance reports of three implementations, on a real server.
//!
//! Invariants: what an example needs comes from a table that is written by hand after the documents of Gateway API, and from another walk than that of the policies.
//! Each policy is bound to a namespace of its own, so that one server has all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crd_bundle::admission::unsupported::{Action, Policy};
use crd_channels::Channel;
use crd_graduation::evidence::Evidence;
use crd_stamps::features::Features;
use kube::Client;
use serde_json::{Value, json};

use crate::documents::{Example, VersionedKind, collections, crds, our_examples, upstream_examples};
use crate::guardrails::policies::install;
use crate::requests::{Answer, TIME_LIMIT, create_namespace, send, wait_for};
use crate::server::{Crds, Server, repeat_on_other_minors, start};

/// The project and the version of each report; of two with the same, the first.
const REPORTS: [(&str, &str); 3] = [
    ("GKE/gke-gateway", "1.36.2-gke.2154000"),
    ("agentgateway/agentgateway", "v1.5.0"),
    ("traefik/traefik", "v3.7.10"),
];

/// What needs features: a kind, a path and, after `=`, a value; `-` is an absent or empty field. One of the features is enough.
const NEEDS: &[(&str, &str, &[&str])] = &[
    ("BackendTLSPolicy", "", &["BackendTLSPolicy"]),
    ("BackendTLSPolicy", "spec/validation/subjectAltNames", &["BackendTLSPolicySANValidation"]),
    ("GRPCRoute", "", &["GRPCRoute"]),
    ("GRPCRoute", "spec/rules/*/name", &["GRPCRouteNamedRouteRule"]),
    ("Gateway", "", &["Gateway"]),
    ("Gateway", "spec/addresses/*/routability", &["GatewayAddressRoutability"]),
    ("Gateway", "spec/addresses/*/value", &["GatewayStaticAddresses"]),
    ("Gateway", "spec/addresses/*/value-", &["GatewayAddressEmpty"]),
    ("Gateway", "spec/allowedListeners", &["ListenerSet"]),
    ("Gateway", "spec/infrastructure/annotations", &["GatewayInfrastructure", "GatewayInfrastructurePropagation"]),
    ("Gateway", "spec/infrastructure/labels", &["GatewayInfrastructure", "GatewayInfrastructurePropagation"]),
    ("Gateway", "spec/listeners/*/filters", &["GatewayListenerFilters"]),
    ("Gateway", "spec/listeners/*/port=8080", &["GatewayPort8080"]),
    ("Gateway", "spec/tls/backend", &["GatewayBackendClientCertificate"]),
    ("Gateway", "spec/tls/frontend", &["GatewayFrontendClientCertificateValidation"]),
    (
        "Gateway",
        "spec/tls/frontend/default/validation/mode=\"AllowInsecureFallback\"",
        &["GatewayFrontendClientCertificateValidationInsecureFallback"],
    ),
    (
        "Gateway",
        "spec/tls/frontend/perPort/*/tls/validation/mode=\"AllowInsecureFallback\"",
        &["GatewayFrontendClientCertificateValidationInsecureFallback"],
    ),
    ("HTTPRoute", "", &["HTTPRoute"]),
    ("HTTPRoute", "spec/parentRefs/*/port", &["HTTPRouteDestinationPortMatching", "HTTPRouteParentRefPort"]),
    (
        "HTTPRoute",
        "spec/rules/*/backendRefs/*/filters",
        &["HTTPRouteBackendRequestHeaderModification", "HTTPRouteBackendURLRewrite"],
    ),
    ("HTTPRoute", "spec/rules/*/filters/*/cors", &["HTTPRouteCORS"]),
    ("HTTPRoute", "spec/rules/*/filters/*/requestMirror", &["HTTPRouteRequestMirror"]),
    ("HTTPRoute", "spec/rules/*/filters/*/requestMirror/fraction", &["HTTPRouteRequestPercentageMirror"]),
    ("HTTPRoute", "spec/rules/*/filters/*/requestMirror/percent", &["HTTPRouteRequestPercentageMirror"]),
    ("HTTPRoute", "spec/rules/*/filters/*/requestRedirect/path", &["HTTPRoutePathRedirect"]),
    ("HTTPRoute", "spec/rules/*/filters/*/requestRedirect/port", &["HTTPRoutePortRedirect"]),
    ("HTTPRoute", "spec/rules/*/filters/*/requestRedirect/scheme", &["HTTPRouteSchemeRedirect"]),
    ("HTTPRoute", "spec/rules/*/filters/*/requestRedirect/statusCode=303", &["HTTPRoute303RedirectStatusCode"]),
    ("HTTPRoute", "spec/rules/*/filters/*/requestRedirect/statusCode=307", &["HTTPRoute307RedirectStatusCode"]),
    ("HTTPRoute", "spec/rules/*/filters/*/requestRedirect/statusCode=308", &["HTTPRoute308RedirectStatusCode"]),
    ("HTTPRoute", "spec/rules/*/filters/*/responseHeaderModifier", &["HTTPRouteResponseHeaderModification"]),
    ("HTTPRoute", "spec/rules/*/filters/*/urlRewrite", &["HTTPRouteHostRewrite", "HTTPRoutePathRewrite"]),
    ("HTTPRoute", "spec/rules/*/filters/*/urlRewrite/hostname", &["HTTPRouteHostRewrite"]),
    ("HTTPRoute", "spec/rules/*/filters/*/urlRewrite/path", &["HTTPRoutePathRewrite"]),
    ("HTTPRoute", "spec/rules/*/matches/*/method", &["HTTPRouteMethodMatching"]),
    ("HTTPRoute", "spec/rules/*/matches/*/queryParams", &["HTTPRouteQueryParamMatching"]),
    ("HTTPRoute", "spec/rules/*/name", &["HTTPRouteNamedRouteRule"]),
    (
        "HTTPRoute",
        "spec/rules/*/retry",
        &["HTTPRouteRetry", "HTTPRouteRetryBackendTimeout", "HTTPRouteRetryCodes", "HTTPRouteRetryConnectionError"],
    ),
    ("HTTPRoute", "spec/rules/*/retry/codes", &["HTTPRouteRetry", "HTTPRouteRetryCodes"]),
    ("HTTPRoute", "spec/rules/*/timeouts/backendRequest", &["HTTPRouteBackendTimeout"]),
    ("HTTPRoute", "spec/rules/*/timeouts/request", &["HTTPRouteRequestTimeout"]),
    ("ListenerSet", "", &["ListenerSet"]),
    ("ListenerSet", "spec/listeners/*/filters", &["GatewayListenerFilters"]),
    ("ReferenceGrant", "", &["ReferenceGrant"]),
    ("TCPRoute", "", &["TCPRoute"]),
    ("TLSRoute", "", &["TLSRoute"]),
    ("UDPRoute", "", &["UDPRoute"]),
    ("XBackend", "spec/tls/validation/subjectAltNames", &["BackendTLSPolicySANValidation"]),
];

/// The steps from a row to the row above it that hides it: a field of the same object.
const HIDING: [&str; 3] = ["spec/rules/*/filters/*/requestMirror", "spec/rules/*/retry", "spec/tls/frontend"];

/// The values at the end of a path; null where the last field is absent.
fn values<'v>(object: &'v Value, path: &str) -> Vec<&'v Value> {
    path.split('/').filter(|step| !step.is_empty()).fold(vec![object], |values, step| match step {
        "*" => values.into_iter().filter_map(Value::as_array).flatten().collect(),
        name => values.into_iter().filter(|value| value.is_object()).map(|value| &value[name]).collect(),
    })
}

/// The alternatives of features that an object needs and an implementation does not have.
fn missing(object: &Value, supported: &BTreeSet<String>) -> BTreeSet<String> {
    let mut missing = BTreeSet::new();
    let lacks = |features: &[&str]| !features.iter().any(|feature| supported.contains(*feature));
    let of_kind = NEEDS.iter().filter(|(kind, ..)| object["kind"] == *kind);
    for (_, path, features) in of_kind.clone().filter(|(.., features)| lacks(features)) {
        let is_hidden = |(_, above, of): &(&str, &str, &[&str])| {
            path.len() > above.len()
                && path.starts_with(above)
                && (above.is_empty() || HIDING.contains(above))
                && lacks(of)
        };
        let is_used = match path.split_once(['=', '-']) {
            Some((path, "")) => values(object, path).iter().any(|value| value.is_null() || **value == ""),
            Some((path, text)) => values(object, path).iter().any(|value| value.to_string() == text),
            None => values(object, path).iter().any(|value| !value.is_null() && **value != ""),
        };
        if is_used && !of_kind.clone().any(is_hidden) {
            missing.insert(features.join(" or "));
        }
    }
    missing
}

/// The alternatives of features in a message of the policy.
fn named(message: &str) -> Option<BTreeSet<String>> {
    let (_, list) = message.split_once(" does not support: ")?;
    let name = |item: &str| Some(item.rsplit_once('(')?.1.trim_end_matches(')').to_owned());
    list.split(", ").map(name).collect()
}

/// What a policy found: in the refusal, or in the warning.
fn found(answer: &Answer, action: Action) -> Result<BTreeSet<String>, String> {
    let other = || format!("{} {} {:?}", answer.code, answer.message(), answer.warnings);
    let is_about_policy = |text: &&String| text.contains("does not support: ");
    match (action, answer.is_success()) {
        (Action::Deny, true) if !answer.warnings.iter().any(|text| is_about_policy(&text)) => Ok(BTreeSet::new()),
        (Action::Deny, false) if answer.code == 403 => named(answer.message()).ok_or_else(other),
        (Action::Warn, true) => match answer.warnings.iter().find(is_about_policy) {
            Some(warning) => named(warning).ok_or_else(other),
            None => Ok(BTreeSet::new()),
        },
        _ => Err(other()),
    }
}

/// A policy in a namespace.
struct Bound {
    namespace: String,
    action: Action,
    supported: BTreeSet<String>,
}

fn features() -> Features {
    let text = include_str!("../../../../bundles/unreleased/features.json");
    Features::from_json(text).expect("our own document is readable")
}

/// The features that each report lists.
fn reports() -> Vec<BTreeSet<String>> {
    let text = include_str!("../../../../bundles/evidence/conformance.jsonl");
    let (evidence, _) = Evidence::read([("conformance.jsonl".as_ref(), text)]).expect("the reports are readable");
    let of = |(project, version): (&str, &str)| {
        let report = evidence.reports().iter().find(|report| report.project == project && report.version == version);
        report.expect(project).supported.clone()
    };
    REPORTS.map(of).into()
}

/// A policy and its binding, for the namespace only.
fn in_namespace(mut objects: Vec<Value>, namespace: &str) -> Vec<Value> {
    for object in &mut objects {
        object["metadata"]["name"] = json!(format!("{namespace}.example.com"));
    }
    objects[1]["spec"]["policyName"] = objects[0]["metadata"]["name"].clone();
    let selector = json!({"matchLabels": {"kubernetes.io/metadata.name": namespace}});
    objects[1]["spec"]["matchResources"] = json!({"namespaceSelector": selector});
    objects
}

fn route(name: &str, namespace: &str, rule: &Value) -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
        "metadata": {"name": name, "namespace": namespace}, "spec": {"rules": [rule]},
    })
}

fn routes(namespace: &str) -> String {
    format!("/apis/gateway.networking.k8s.io/v1/namespaces/{namespace}/httproutes")
}

/// Sends a dry run until the answer fits: a new policy needs a moment.
async fn until(client: &Client, path: &str, object: &Value, fits: impl Fn(&Answer) -> bool) {
    let start = Instant::now();
    while !fits(&send(client, "POST", &format!("{path}?dryRun=All"), Some(object)).await) {
        assert!(start.elapsed() < TIME_LIMIT, "the policy is not active");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Installs the policies of all reports, each in a namespace for refusals and in one for warnings.
async fn install_all(client: &Client) -> Vec<Bound> {
    let features = features();
    let mut all = Vec::new();
    for (index, supported) in reports().into_iter().enumerate() {
        for (action, word) in [(Action::Deny, "deny"), (Action::Warn, "warn")] {
            let policy = Policy { features: &features, supported: &supported, class: None, action };
            let namespace = format!("unsupported-{word}-{index}");
            create_namespace(client, &namespace).await;
            install(client, &in_namespace(policy.objects(crds(Channel::Experimental)), &namespace)).await;
            all.push(Bound { namespace, action, supported: supported.clone() });
        }
    }
    // No report has this one.
    let gateway = |namespace: &str| {
        json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"name": "probe", "namespace": namespace},
            "spec": {"gatewayClassName": "a", "listeners": [{"name": "a", "port": 80, "protocol": "HTTP"}], "addresses": [{"value": "10.0.0.1", "routability": "Cluster"}]},
        })
    };
    for Bound { namespace, action, .. } in &all {
        let path = format!("/apis/gateway.networking.k8s.io/v1/namespaces/{namespace}/gateways");
        until(client, &path, &gateway(namespace), |answer| found(answer, *action).is_ok_and(|found| !found.is_empty()))
            .await;
    }
    all
}

fn server() -> Option<Server> {
    let server = start(Crds::Experimental)?;
    server.block_on(wait_for(&server.client(), &collections(Channel::Experimental)));
    Some(server)
}

#[test]
fn examples_are_refused_or_warned_about_exactly_for_what_is_not_supported() {
    let Some(server) = server() else { return };
    let client = server.client();
    let examples: Vec<Example> =
        Channel::ALL.into_iter().flat_map(|of| our_examples(of).into_iter().chain(upstream_examples(of))).collect();
    let (mut differences, mut counts, mut seen) = (Vec::new(), BTreeMap::<_, usize>::new(), BTreeSet::new());
    server.block_on(async {
        for bound in install_all(&client).await {
            for (index, example) in examples.iter().enumerate() {
                let Some(versioned) = VersionedKind::of(Channel::Experimental, &example.object) else { continue };
                // A binding with a namespace selector is about cluster-wide objects too.
                if versioned.is_cluster_wide() {
                    continue;
                }
                let object = versioned.placed(&example.object, &bound.namespace, &format!("example-{index}"));
                let expected = missing(&object, &bound.supported);
                let path = format!("{}?dryRun=All", versioned.collection(&bound.namespace));
                let answer = send(&client, "POST", &path, Some(&object)).await;
                let found = found(&answer, bound.action);
                *counts.entry((bound.namespace.clone(), expected.is_empty())).or_default() += 1;
                if found.as_ref() != Ok(&expected) {
                    differences
                        .push(format!("{} in {}: {found:?} instead of {expected:?}", example.file, bound.namespace));
                }
                seen.extend(expected);
            }
        }
    });
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
    println!("(namespace, accepted) of examples: {counts:?}; {} different features are missing: {seen:?}", seen.len());
    assert!(counts.len() == 2 * 2 * REPORTS.len(), "each policy accepts some and refuses some: {counts:?}");
}

#[test]
fn what_was_used_may_stay_and_objects_of_other_classes_are_not_checked() {
    let Some(server) = server() else { return };
    let (client, features) = (server.client(), features());
    let namespace = "unsupported-kept";
    let used = json!({"filters": [{"type": "CORS", "cors": {}}], "backendRefs": [{"name": "a", "port": 80}]});
    let gateway = |class: &str, name: &str| {
        json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"name": name, "namespace": namespace},
            "spec": {"gatewayClassName": class, "listeners": [{"name": "a", "port": 8080, "protocol": "HTTP"}]},
        })
    };
    server.block_on(async {
        create_namespace(&client, namespace).await;
        let stored = send(&client, "POST", &routes(namespace), Some(&route("kept", namespace, &used))).await.expect("a route");
        let supported = ["Gateway", "HTTPRoute"].map(str::to_owned).into();
        let policy = Policy { features: &features, supported: &supported, class: Some("mine"), action: Action::Deny };
        assert_eq!(policy.name(), "unsupported.mine.gateway.networking.k8s.io");
        install(&client, &policy.objects(crds(Channel::Experimental))).await;
        until(&client, &routes(namespace), &route("new", namespace, &used), |answer| !answer.is_success()).await;
        let update = async |change: fn(&mut Value)| {
            let mut route = stored.clone();
            change(&mut route["spec"]["rules"][0]);
            send(&client, "PUT", &format!("{}/kept?dryRun=All", routes(namespace)), Some(&route)).await
        };
        assert!(update(|rule| rule["backendRefs"][0]["port"] = json!(81)).await.is_success());
        let added = update(|rule| rule["matches"][0]["method"] = json!("GET")).await;
        added.refuses(403, "HTTPRoute uses what the class mine does not support: spec.rules[*].matches[*].method (HTTPRouteMethodMatching)");
        assert!(!added.message().contains("CORS"));
        let path = format!("/apis/gateway.networking.k8s.io/v1/namespaces/{namespace}/gateways?dryRun=All");
        let mine = send(&client, "POST", &path, Some(&gateway("mine", "a"))).await;
        mine.refuses(403, "Gateway uses what the class mine does not support: spec.listeners[*].port=8080 (GatewayPort8080)");
        send(&client, "POST", &path, Some(&gateway("other", "b"))).await.expect("another class");
    });
}

#[test]
fn other_minors_give_the_same_answers() {
    let tests = [
        "examples_are_refused_or_warned_about_exactly_for_what_is_not_supported",
        "what_was_used_may_stay_and_objects_of_other_classes_are_not_checked",
    ];
    repeat_on_other_minors(module_path!(), &tests);
}
