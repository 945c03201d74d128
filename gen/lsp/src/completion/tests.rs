//! Positions in texts of objects of Gateway API, and what is proposed there.

use std::time::Instant;

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_suite::objects::validation::KnownCrd;
use serde_json::json;

use super::*;
use crate::cursor::tests::marked;

/// The CRDs of Gateway API, of one channel or with another one that is left out.
pub(crate) fn gateway_api(channel: Channel, left_out: Option<Channel>) -> Kinds {
    let channels = [(channel, None)].into_iter().chain(left_out.map(|left_out| (left_out, Some(left_out))));
    let crds = channels.flat_map(|(channel, left_out)| {
        let files = crd_testdata::gateway_api("v1.7.0", channel.name()).into_iter();
        files.map(move |file| known(&file.json(), left_out))
    });
    Kinds::new(crds.collect())
}

fn known(crd: &Value, left_out: Option<Channel>) -> KnownCrd {
    let crd = CustomResourceDefinition::from_value(crd).unwrap();
    KnownCrd { crd, source: None, is_checked: true, left_out }
}

/// A CRD with two versions and fields of all forms.
fn widgets() -> Kinds {
    let spec = json!({
        "type": "object",
        "required": ["size"],
        "x-kubernetes-validations": [{ "rule": "self.mode == 'Fast' ? has(self.size) : self.mode == \"Slow\"" }],
        "properties": {
            "any": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
            "flag": { "type": "boolean", "default": true },
            "level": { "type": "integer", "enum": [1, 2] },
            "mode": { "type": "string" },
            "size": { "type": "string", "enum": ["on", "Big", "a: b"], "default": "Big" },
            "sizes": { "type": "array", "items": { "type": "string", "enum": ["A", "B"] } },
            "map": { "type": "object", "additionalProperties": { "type": "object", "properties": { "x": { "type": "string" } } } },
        },
    });
    let version = |name: &str, is_old: bool| {
        let schema = json!({ "type": "object", "required": ["spec"], "properties": { "spec": spec, "status": { "type": "object" } } });
        json!({
            "name": name, "served": true, "storage": !is_old, "deprecated": is_old,
            "schema": { "openAPIV3Schema": schema }, "subresources": { "status": {} },
        })
    };
    let names = json!({ "kind": "Widget", "plural": "widgets" });
    let versions = [version("v1alpha1", true), version("v1", false)];
    let spec = json!({ "group": "example.com", "names": names, "scope": "Cluster", "versions": versions });
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": { "name": "widgets.example.com" }, "spec": spec,
    });
    Kinds::new(vec![known(&crd, None)])
}

const GATEWAY: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n";
const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n";
const WIDGET: &str = "apiVersion: example.com/v1\nkind: Widget\n";

/// What must be proposed, as inserted texts, and what must not; `=` before the first if these are all proposals.
type Case = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const OBJECTS: &[Case] = &[
    ("", "¦", &["apiVersion: ", "kind: ", "metadata:\n  ", "spec:\n  "], &[]),
    ("", "# a comment\n\n¦\n", &["apiVersion: ", "kind: "], &[]),
    ("", "replicas: 1\n¦", &["="], &[]),
    ("", "kind: Deployment\napiVersion: apps/v1\n¦", &["=", "metadata:\n  "], &[]),
    ("", "kind: Deployment\napiVersion: apps/v1\nspec:\n  ¦", &["="], &[]),
    (GATEWAY, "¦", &["=", "metadata:\n  ", "spec:\n  "], &["status:\n  "]),
    (GATEWAY, "metadata:\n  ¦", &["=", "name: ", "annotations:\n    ", "labels:\n    ", "namespace: "], &[]),
    (GATEWAY, "metadata:\n  name: a\n  na¦", &["namespace: "], &["name: "]),
    (GATEWAY, "metadata:\n  labels:\n    ¦", &["="], &[]),
    (GATEWAY, "spec:\n  ¦", &["gatewayClassName: ", "listeners:\n    - "], &["kind: "]),
    (GATEWAY, "spec:\n  gateway¦", &["gatewayClassName: "], &[]),
    (GATEWAY, "spec:\n  gatewayClassName: x\n  ¦\n", &["listeners:\n    - "], &["gatewayClassName: "]),
    (GATEWAY, "spec:\n  gatewayClassName: ¦", &["="], &[]),
    (GATEWAY, "spec:\n  na¦: x", &["listeners"], &["listeners:\n    - "]),
    (
        GATEWAY,
        "spec:\n  listeners:\n  - ¦",
        &["name: ", "port: ", "protocol: ", "allowedRoutes:\n      "],
        &["listeners"],
    ),
    (GATEWAY, "spec:\n  listeners:\n    - name: a\n      ¦\n      port: 80", &["protocol: "], &["name: ", "port: "]),
    (GATEWAY, "spec:\n  listeners:\n    ¦", &["- name: ", "- allowedRoutes:\n        "], &[]),
    (GATEWAY, "spec:\n  listeners:\n  - name: a\n  ¦", &["infrastructure:\n    "], &["name: "]),
    (
        GATEWAY,
        "spec:\n  listeners:\n  - allowedRoutes:\n      namespaces:\n        from: ¦",
        &["=", "All", "Selector", "Same"],
        &[],
    ),
    (GATEWAY, "spec:\n  listeners:\n  - allowedRoutes:\n      namespaces:\n        from: A¦\n", &["All"], &[]),
    (GATEWAY, "spec:\n  listeners:\n  - allowedRoutes:\n      namespaces:\n        from:¦", &[" All"], &["All"]),
    (GATEWAY, "spec:\n  listeners:\n  - allowedRoutes: {namespaces: {from: ¦}}", &["All"], &[]),
    (GATEWAY, "spec:\n  listeners:\n  - allowedRoutes: {¦}", &["namespaces: ", "kinds: "], &[]),
    (GATEWAY, "spec:\n  listeners:\n  - {name: a, ¦}", &["port: "], &["name: "]),
    (GATEWAY, "spec:\n  listeners:\n  - tls:\n      options:\n        ¦", &["="], &[]),
    (GATEWAY, "spec:\n  listeners:\n  - tls:\n      mode: ¦", &["Terminate", "Passthrough"], &[]),
    (GATEWAY, "spec:\n  listeners: # ¦", &["="], &[]),
    (GATEWAY, "spec:\n  unknown:\n    ¦", &["="], &[]),
    (GATEWAY, "spec:\n  infrastructure: |\n    ¦", &["="], &[]),
    (
        ROUTE,
        "spec:\n  rules:\n  - matches:\n    - path:\n        type: ¦\n        value: /",
        &["=", "Exact", "PathPrefix", "RegularExpression"],
        &[],
    ),
    (ROUTE, "spec:\n  rules:\n  - matches:\n    - path:\n        type: \"Ex¦\"", &["Exact"], &["\"Exact\""]),
    (ROUTE, "spec:\n  rules:\n  - filters:\n    - type: ¦", &["RequestRedirect", "URLRewrite"], &[]),
    (ROUTE, "spec:\n  rules:\n  - filters:\n    - requestRedirect:\n        statusCode: ¦", &["301", "302"], &[]),
    (ROUTE, "spec:\n  rules:\n  - matches:\n    - method: G¦", &["GET", "POST"], &[]),
    (ROUTE, "spec:\n  rules:\n  - ¦\n  - backendRefs: []", &["matches:\n      - ", "backendRefs:\n      - "], &[]),
    (ROUTE, "spec:\n  parentRefs:\n  - name: a\n    ¦\n  hostnames:\n  - a", &["port: ", "sectionName: "], &["name: "]),
    (ROUTE, "spec:\n  parentRefs:\n  - kind: ¦", &["=", "Gateway"], &[]),
    ("", "kind: ¦", &["Gateway", "HTTPRoute", "XMesh"], &["Deployment"]),
    ("", "apiVersion: gateway.networking.k8s.io/v1\nkind: ¦", &["Gateway", "HTTPRoute"], &["XMesh"]),
    ("", "apiVersion: apps/v1\nkind: ¦", &["="], &[]),
    ("", "apiVersion: ¦", &["gateway.networking.k8s.io/v1", "gateway.networking.x-k8s.io/v1alpha1"], &[]),
    (
        "",
        "apiVersion: ¦\nkind: HTTPRoute",
        &["=", "gateway.networking.k8s.io/v1", "gateway.networking.k8s.io/v1beta1"],
        &[],
    ),
    (
        "",
        "{\"apiVersion\": \"gateway.networking.k8s.io/v1\", \"kind\": \"Gateway\", \"spec\": {¦}}",
        &["\"listeners\": "],
        &[],
    ),
    (
        "",
        "{\"apiVersion\": \"gateway.networking.k8s.io/v1\", \"kind\": \"Gateway\", \"spec\": {\"li¦\"}}",
        &["listeners"],
        &[],
    ),
    ("", "{\"kind\": \"HTTPRoute\", \"apiVersion\": \"¦\"}", &["gateway.networking.k8s.io/v1"], &[]),
    ("", "{\"kind\": \"HTTPRoute\", \"apiVersion\": ¦}", &["\"gateway.networking.k8s.io/v1\""], &[]),
    (
        "",
        "kind: List\napiVersion: v1\nitems:\n- apiVersion: gateway.networking.k8s.io/v1\n  kind: Gateway\n  spec:\n    ¦",
        &["listeners:\n      - "],
        &[],
    ),
    (
        "",
        "kind: Gateway\n---\nkind: HTTPRoute\napiVersion: gateway.networking.k8s.io/v1\nspec:\n  ¦\n---\n",
        &["rules:\n    - "],
        &["listeners:\n    - "],
    ),
];

const WIDGETS: &[Case] = &[
    (WIDGET, "¦", &["=", "metadata:\n  ", "spec:\n  "], &[]),
    (WIDGET, "metadata:\n  ¦", &["name: "], &["namespace: "]),
    (WIDGET, "spec:\n  size: ¦", &["=", "\"on\"", "Big", "\"a: b\""], &[]),
    (WIDGET, "spec: {size: ¦}", &["=", "\"on\"", "Big", "\"a: b\""], &[]),
    (WIDGET, "spec:\n  size: '¦'", &["=", "on", "Big", "a: b"], &[]),
    (WIDGET, "spec:\n  flag: ¦", &["=", "true", "false"], &[]),
    (WIDGET, "spec:\n  level: ¦", &["=", "1", "2"], &[]),
    (WIDGET, "spec:\n  mode: ¦", &["=", "Fast", "Slow"], &[]),
    (WIDGET, "spec:\n  any:\n    ¦", &["="], &[]),
    (WIDGET, "spec:\n  sizes:\n  - ¦", &["=", "A", "B"], &[]),
    (WIDGET, "spec:\n  sizes:\n  - A\n  - B¦", &["=", "A", "B"], &[]),
    (WIDGET, "spec:\n  sizes: [A, ¦]", &["=", "A", "B"], &[]),
    (WIDGET, "spec:\n  map:\n    key:\n      ¦", &["=", "x: "], &[]),
    (WIDGET, "spec:\n  map:\n    ¦", &["="], &[]),
    ("", "kind: Widget\napiVersion: ¦", &["=", "example.com/v1", "example.com/v1alpha1"], &[]),
];

fn check(cases: &[Case], kinds: &Kinds) {
    let mut wrong = Vec::new();
    for (above, text, wanted, unwanted) in cases {
        let (text, position) = marked(&format!("{above}{text}"));
        let (start, proposals) = completion(&text, position, kinds);
        let found = proposals.iter().map(|proposal| &*proposal.insert).collect::<Vec<_>>();
        let is_right = match wanted.split_first() {
            Some((&"=", wanted)) => found == wanted,
            _ => wanted.iter().all(|wanted| found.contains(wanted)) && !unwanted.iter().any(|one| found.contains(one)),
        };
        if !is_right || start > position.column {
            wrong.push((text, position, found.join("|")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_can_be_written_is_proposed() {
    check(OBJECTS, &gateway_api(Channel::Experimental, None));
    check(WIDGETS, &widgets());
}

#[test]
fn proposals_have_words() {
    let words = |text: &str, label: &str| {
        let (text, position) = marked(text);
        let (_, proposals) = completion(&text, position, &widgets());
        let index = proposals.iter().position(|proposal| proposal.label == label).unwrap();
        let Proposal { detail, documentation, .. } = &proposals[index];
        format!("{index} {detail}|{}", documentation.replace("\n\n", " / "))
    };
    assert_eq!(
        words(&format!("{WIDGET}spec:\n  ¦"), "size"),
        "0 string, required|Default: `Big` / One of `on`, `Big`, `a: b`"
    );
    assert_eq!(words(&format!("{WIDGET}spec:\n  ¦"), "flag"), "2 boolean|Default: `true`");
    assert_eq!(words(&format!("{WIDGET}spec:\n  size: ¦"), "Big").split('|').next(), Some("1 default"));
    assert_eq!(words("kind: Widget\napiVersion: ¦", "example.com/v1alpha1"), "1 deprecated|");
}

#[test]
fn fields_of_another_channel_are_not_proposed() {
    let kinds = gateway_api(Channel::Standard, Some(Channel::Experimental));
    check(
        &[
            ("", "kind: ¦", &["Gateway"], &["XMesh"]),
            ("", "kind: XMesh\napiVersion: gateway.networking.x-k8s.io/v1alpha1\nspec:\n  ¦", &["="], &[]),
        ],
        &kinds,
    );
}

/// The lines of a Gateway with many listeners.
fn long_text() -> String {
    let listener =
        "  - name: a\n    port: 80\n    protocol: HTTP\n    allowedRoutes:\n      namespaces:\n        from: Same\n";
    format!("{GATEWAY}metadata:\n  name: a\nspec:\n  listeners:\n{}  gatewayClassName: ¦x\n", listener.repeat(330))
}

/// `cargo test -p crd-lsp --release -- --ignored --nocapture times`
#[test]
#[ignore = "measures times"]
fn times() {
    let kinds = gateway_api(Channel::Experimental, None);
    let (text, end) = marked(&long_text());
    let json = serde_json::to_string_pretty(&read(&text).unwrap()[0]).unwrap();
    let last = TextPosition { line: json.lines().count() - 4, column: 10 };
    let middle = TextPosition { line: 1001, column: 5 };
    for (name, text, position) in [("end", &text, end), ("middle", &text, middle), ("json", &json, last)] {
        let start = Instant::now();
        let found = (0..100).map(|_| completion(text, position, &kinds).1.len()).sum::<usize>() / 100;
        println!("{name}: {} lines, completion {:?} ({found})", text.lines().count(), start.elapsed() / 100);
        let start = Instant::now();
        let found = (0..100).filter(|_| crate::hover::hover(text, position, &kinds).is_some()).count();
        println!("{name}: hover {:?} ({found})", start.elapsed() / 100);
    }
}
