//! Uses of features that the class of an object does not list, and the way to the class.

use crd_stamps::features::Features;
use serde_json::{Value, json};

use super::case::Case;
use super::cluster::{installed, widget};

/// The findings about unsupported uses in a cluster with the classes `small`, which lists Size, and `full`.
async fn lines(widgets: &[(&str, Value)]) -> Vec<String> {
    let mut case = Case::new();
    case.with_features();
    case.class("small", &["Size"]);
    case.class("full", &["Size", "Mode", "Other"]);
    widgets.iter().for_each(|(name, spec)| case.cluster.add(widget(name, spec)));
    let lines = case.inspected().await.lines().into_iter();
    lines.filter(|line| line.contains("unsupported-use")).map(|line| line.replace(" unsupported-use", "")).collect()
}

const MODE: &str = "spec.mode Mode, which the class `small` does not list";

#[tokio::test]
async fn an_object_has_the_classes_of_its_parents() {
    let found = lines(&[
        ("direct", json!({"text": "small", "mode": "A"})),
        ("full", json!({"text": "full", "mode": "A"})),
        ("child", json!({"items": [{"name": "direct"}, {"name": "full"}], "mode": "A"})),
        ("grandchild", json!({"items": [{"name": "child"}], "mode": "A"})),
        ("elsewhere", json!({"items": [{"name": "direct", "namespace": "other"}], "mode": "A"})),
        ("other-kind", json!({"items": [{"name": "direct", "kind": "Service", "group": ""}], "mode": "A"})),
        ("unused", json!({"text": "small", "size": 3})),
    ])
    .await;
    assert_eq!(found, ["direct", "child", "grandchild"].map(|name| format!("{name} {MODE}")));
}

#[tokio::test]
async fn cycles_of_parents_end() {
    let found = lines(&[
        ("a1", json!({"items": [{"name": "a2"}], "mode": "A"})),
        ("a2", json!({"items": [{"name": "a1"}, {"name": "a3"}], "mode": "A"})),
        ("a3", json!({"items": [{"name": "a3"}], "text": "small"})),
    ])
    .await;
    assert_eq!(found, ["a1", "a2"].map(|name| format!("{name} {MODE}")));
}

#[tokio::test]
async fn what_is_not_known_is_counted_and_classes_are_listed() {
    let mut case = Case::new();
    case.with_features();
    case.class("old", &[]);
    case.class("small", &["Size"]);
    for (name, text) in [("c", "absent"), ("d", "absent"), ("e", "small"), ("f", "old")] {
        case.cluster.add(widget(name, &json!({"text": text, "mode": "A"})));
    }
    let inspected = case.inspected().await;
    assert_eq!(
        inspected.message("class-unknown"),
        "the class of 2 objects is not known: a parent does not exist, or is of another kind"
    );
    assert_eq!(
        inspected.message("features-unlisted"),
        "the class `old` lists no features, so no use of a feature is checked"
    );
    assert_eq!(
        inspected.message("unsupported-use"),
        "`spec.mode` needs Mode, which the class `small` does not list, and is used by 1 object (shop/e)"
    );
    let classes = json!([
        {"name": "old", "controller": "example.com/controller", "features": null},
        {"name": "small", "controller": "example.com/controller", "features": ["Size"]},
    ]);
    assert_eq!(serde_json::to_value(&inspected.report.classes).unwrap(), classes);
}

#[tokio::test]
async fn a_policy_that_warns_about_unsupported_fields_is_no_finding() {
    let mut case = Case::new();
    let name = "unsupported.small.example.com";
    case.cluster.policies.push(json!({"metadata": {"name": name}, "spec": {}}));
    let spec = json!({"policyName": name, "validationActions": ["Warn"]});
    case.cluster.bindings.push(json!({"metadata": {"name": name}, "spec": spec}));
    let inspected = case.inspected().await;
    assert_eq!(inspected.codes(), [] as [&str; 0]);
    assert_eq!(inspected.report.policies.last().unwrap().actions, ["Warn"]);
}

/// A cluster with Gateway API, its own `features.json`, a class with these features, and a Gateway `web` of it.
fn gateway_api(features: &[&str]) -> Case {
    let mut case = Case::new();
    case.prefix = Some("gateway.networking.k8s.io".to_owned());
    case.releases.clear();
    let text = include_str!("../../../../bundles/unreleased/features.json");
    case.features = Some(Features::from_json(text).unwrap());
    let files = crd_testdata::gateway_api("v1.7.0", "standard");
    case.cluster.crds = files.iter().map(|file| installed(file.json())).collect();
    let features = features.iter().map(|feature| json!({"name": feature})).collect::<Vec<_>>();
    let mut class = object("GatewayClass", "class", json!({"controllerName": "example.com/controller"}));
    class["status"] = json!({"supportedFeatures": features});
    class["metadata"]["namespace"].take();
    case.cluster.objects = [
        ("v1/gatewayclasses".to_owned(), vec![class]),
        (
            "v1/gateways".to_owned(),
            vec![object("Gateway", "web", json!({"gatewayClassName": "class", "listeners": []}))],
        ),
    ]
    .into();
    case
}

fn object(kind: &str, name: &str, spec: Value) -> Value {
    let mut object = widget(name, &spec);
    object["apiVersion"] = json!("gateway.networking.k8s.io/v1");
    object["kind"] = json!(kind);
    object
}

async fn found(case: Case) -> Vec<String> {
    let lines = case.inspected().await.lines().into_iter();
    let unsupported = lines
        .filter_map(|line| line.split_once(" unsupported-use ").map(|(name, use_)| (name.to_owned(), use_.to_owned())));
    unsupported
        .map(|(name, used)| format!("{name} {}", used.replace(", which the class `class` does not list", "")))
        .collect()
}

/// gateway-api#1804 asks for a warning; cilium#45272 is such a case: the route is accepted, and its CORS filter does nothing.
#[tokio::test]
async fn a_filter_that_is_accepted_and_ignored() {
    let cors = json!({"type": "CORS", "cors": {"allowOrigins": ["https://a.example.com"]}});
    let header = json!({"type": "RequestHeaderModifier", "requestHeaderModifier": {"remove": ["x"]}});
    let spec = json!({"parentRefs": [{"name": "web"}], "rules": [{"filters": [header, cors], "backendRefs": [{"name": "s", "port": 80}]}]});
    let route = object("HTTPRoute", "shop", spec);
    let with = |features: &[&str]| {
        let mut case = gateway_api(features);
        case.cluster.objects.insert("v1/httproutes".to_owned(), vec![route.clone()]);
        case
    };
    assert_eq!(
        found(with(&["Gateway", "HTTPRoute", "HTTPRouteMethodMatching"])).await,
        [
            r#"shop spec.rules[0].filters[1].cors HTTPRouteCORS"#,
            r#"shop spec.rules[0].filters[1].type "CORS": HTTPRouteCORS"#
        ]
    );
    assert_eq!(found(with(&["Gateway", "HTTPRoute", "HTTPRouteCORS"])).await, [] as [&str; 0]);
    assert_eq!(found(with(&[])).await, [] as [&str; 0]);
}

/// gateway-api#2590: each implementation refuses routes with unsupported features by a webhook of its own.
#[tokio::test]
async fn a_route_with_many_extended_fields() {
    let redirect = |code: u16| json!({"type": "RequestRedirect", "requestRedirect": {"statusCode": code}});
    let matched = json!({"method": "GET", "queryParams": [{"name": "q", "value": "1"}]});
    let rules = json!([
        {"name": "first", "matches": [matched], "timeouts": {"backendRequest": "1s"}, "retry": {"codes": [500]}},
        {"filters": [redirect(302)]}, {"filters": [redirect(307)]}, {"filters": [redirect(301)]},
    ]);
    let mut case = gateway_api(&["HTTPRoute", "Gateway", "HTTPRouteMethodMatching", "HTTPRouteRequestTimeout"]);
    let spec = json!({"parentRefs": [{"name": "web", "port": 80}], "rules": rules});
    case.cluster.objects.insert("v1/httproutes".to_owned(), vec![object("HTTPRoute", "shop", spec)]);
    assert_eq!(
        found(case).await,
        [
            "shop spec.parentRefs[0].port HTTPRouteDestinationPortMatching or HTTPRouteParentRefPort",
            "shop spec.rules[2].filters[0].requestRedirect.statusCode 307: HTTPRoute307RedirectStatusCode",
            "shop spec.rules[0].matches[0].queryParams HTTPRouteQueryParamMatching",
            "shop spec.rules[0].name HTTPRouteNamedRouteRule",
            "shop spec.rules[0].retry HTTPRouteRetry or HTTPRouteRetryBackendTimeout or HTTPRouteRetryCodes or HTTPRouteRetryConnectionError",
            "shop spec.rules[0].timeouts.backendRequest HTTPRouteBackendTimeout",
        ]
    );
}

/// gateway-api#3624: what is ignored is not only a field of a route, but a resource on the way, or a field of the Gateway.
#[tokio::test]
async fn resources_and_fields_on_the_way_to_the_class() {
    let mut case = gateway_api(&["Gateway", "HTTPRoute", "GatewayAddressEmpty"]);
    let parent = |kind: &str, name: &str| json!({"group": "gateway.networking.k8s.io", "kind": kind, "name": name});
    let set = object("ListenerSet", "more", json!({"parentRef": parent("Gateway", "web"), "listeners": []}));
    let port = json!({"name": "alt", "protocol": "HTTP", "port": 8080});
    let spec = json!({"gatewayClassName": "class", "listeners": [port], "addresses": [{"value": "10.0.0.1"}, {"type": "IPAddress"}],
        "infrastructure": {"parametersRef": {"group": "", "kind": "ConfigMap", "name": "c"}}});
    case.cluster.objects.get_mut("v1/gateways").unwrap().push(object("Gateway", "alt", spec));
    case.cluster.objects.insert("v1/listenersets".to_owned(), vec![set]);
    let method = |parent: Value| json!({"parentRefs": [parent], "rules": [{"matches": [{"method": "GET"}]}]});
    let mesh = json!({"group": "", "kind": "Service", "name": "s"});
    let routes = [("in-mesh", mesh), ("on-set", parent("ListenerSet", "more"))]
        .map(|(name, parent)| object("HTTPRoute", name, method(parent)));
    case.cluster.objects.insert("v1/httproutes".to_owned(), routes.into());
    assert_eq!(
        found(case).await,
        [
            "alt spec.addresses[0].value \"10.0.0.1\": GatewayStaticAddresses",
            "alt spec.listeners[0].port 8080: GatewayPort8080",
            "on-set spec.rules[0].matches[0].method HTTPRouteMethodMatching",
            "more  ListenerSet",
        ]
    );
}
