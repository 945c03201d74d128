//! Positions in texts of objects of Gateway API, and what is shown there.

use crd_model::yaml::{documents, locate, push_key};
use serde_json::Value;

use super::*;
use crate::completion::completion;
use crate::completion::tests::gateway_api;
use crate::cursor::tests::marked;
use crate::words::scalar_text;

const GATEWAY: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n";
const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n";

/// Texts, and what the words about the position begin with and contain; nothing if there are none.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        GATEWAY,
        "spec:\n  gate¦wayClassName: x",
        &["**spec.gatewayClassName**: string, required", "Limits: from 1 to 253 characters"],
    ),
    (GATEWAY, "spec:\n  listeners:\n  - ¦name: x", &["**spec.listeners[*].name**: string, required", "pattern `"]),
    (GATEWAY, "spec:\n  listen¦ers:\n", &["**spec.listeners**: list of objects (map by name)", "items", "Rules:\n* "]),
    (
        GATEWAY,
        "spec:\n  listeners:\n  - port¦: 1",
        &["**spec.listeners[*].port**: integer (int32), required", "from 1 to 65535"],
    ),
    (
        GATEWAY,
        "spec:\n  listeners:\n  - tls: {mo¦de: x}",
        &["**spec.listeners[*].tls.mode**: string, optional", "Default: `Terminate`"],
    ),
    (
        GATEWAY,
        "spec:\n  listeners:\n  - tls: {mode: Pass¦through}",
        &["`Passthrough`, a value of **spec.listeners[*].tls.mode**"],
    ),
    (
        GATEWAY,
        "spec:\n  listeners:\n  - tls: {options: {a¦: b}}",
        &["**spec.listeners[*].tls.options[*]**: string\n\n"],
    ),
    (GATEWAY, "spec:\n  gatewayClassName: x¦", &[]),
    (GATEWAY, "spec:\n  unk¦nown: x", &[]),
    (GATEWAY, "metadata:\n  na¦me: x", &["**metadata.name**: string, required"]),
    (GATEWAY, "metadata:\n  labels: {a¦: b}", &["**metadata.labels[*]**: string"]),
    (
        "",
        "apiVersion: gateway.networking.k8s.io/v1\nki¦nd: Gateway",
        &["**Gateway**: `gateways.gateway.networking.k8s.io`", "Served versions: `v1`, `v1beta1`", "Channel: standard"],
    ),
    ("", "apiVersion: gateway.networking.k8s.io/v¦1\nkind: Gateway", &["**Gateway**: `gateways"]),
    ("", "apiVersion: apps/v1\nkind¦: Deployment", &["**kind**: string, required"]),
    ("", "a¦: 1", &[]),
    (
        "",
        "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XM¦esh",
        &["**XMesh** of `gateway", "Only in the experimental channel"],
    ),
    (
        "",
        "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XMesh\nsp¦ec:",
        &["**spec**: object, required\n\nOnly in the experimental channel"],
    ),
    (
        ROUTE,
        "spec:\n  rules:\n  - sessionPersis¦tence:\n",
        &["**spec.rules[*].sessionPersistence**: object, optional\n\nOnly in the experimental channel"],
    ),
    (
        ROUTE,
        "spec:\n  rules:\n  - matches:\n    - method: GE¦T\n",
        &["`GET`, a value of **spec.rules[*].matches[*].method**"],
    ),
    (ROUTE, "spec:\n  rules:\n  - filters:\n    - requestRedirect:\n        statusCode: 30¦1", &["`301`, a value of"]),
];

#[test]
fn what_is_written_has_words() {
    let kinds = gateway_api(Channel::Standard, Some(Channel::Experimental));
    let mut wrong = Vec::new();
    for (above, text, wanted) in CASES {
        let (text, position) = marked(&format!("{above}{text}"));
        let found = hover(&text, position, &kinds).map(|hover| hover.text).unwrap_or_default();
        let first = wanted.first().copied().unwrap_or_default();
        if !found.starts_with(first)
            || found.is_empty() != wanted.is_empty()
            || !wanted.iter().all(|wanted| found.contains(wanted))
        {
            wrong.push((text, position, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The paths of all keys of a value whose schema is known: as they are located, with every value.
fn keys<'v>(value: &'v Value, path: &str, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let mut path = path.to_owned();
                push_key(&mut path, key);
                found.push((path.clone(), value));
                keys(value, &path, found);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| keys(item, &format!("{path}[{index}]"), found));
        }
        _ => {}
    }
}

fn without_numbers(path: &str) -> String {
    let parts = path.split('[').map(|part| match part.split_once(']') {
        Some((number, rest)) if number.parse::<usize>().is_ok() => format!("*]{rest}"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("[")
}

/// Checks the keys of a text, and counts them and its values of enums.
fn check_keys(text: &str, kinds: &Kinds, counts: &mut (usize, usize)) {
    for document in documents(text) {
        let document = document.unwrap();
        let Some((api_version, kind)) = document.value["apiVersion"].as_str().zip(document.value["kind"].as_str())
        else {
            continue;
        };
        if kinds.version(api_version, kind).is_none() {
            continue;
        }
        let mut found = Vec::new();
        keys(&document.value, "", &mut found);
        let paths = found.iter().map(|(path, _)| path).collect::<Vec<_>>();
        for ((path, value), mut position) in found.iter().zip(locate(text, document.section, &paths)) {
            let line = text.lines().nth(position.line - 1).unwrap();
            position.column += usize::from(line.chars().nth(position.column - 1) == Some('"'));
            let hover = hover(text, position, kinds).unwrap_or_else(|| panic!("{path} {position:?}: {text}"));
            let shown = hover.text.trim_start_matches("**").split("**").next().unwrap();
            let is_other = shown.ends_with("[*]") || shown == kind;
            assert!(is_other || shown == without_numbers(path), "{path} {shown}: {text}");
            assert_eq!(hover.start, position);
            counts.0 += 1;
            counts.1 += usize::from(check_value(text, position, value, kinds));
        }
    }
}

/// Whether the words about a value are those of an enum; then it is proposed.
fn check_value(text: &str, key: TextPosition, value: &Value, kinds: &Kinds) -> bool {
    let line = text.lines().nth(key.line - 1).unwrap();
    let rest = line.chars().skip(key.column - 1).collect::<String>();
    let Some((before, after)) = rest.split_once(": ") else { return false };
    let quotes = usize::from(after.starts_with('"'));
    let position = TextPosition { column: key.column + before.chars().count() + 2 + quotes, ..key };
    let is_enum =
        hover(text, position, kinds).is_some_and(|hover| hover.text.starts_with('`') || hover.text.starts_with("**"));
    if is_enum {
        let (start, proposals) = completion(text, position, kinds);
        let label = scalar_text(value);
        assert!(proposals.iter().any(|proposal| proposal.label == label), "{label} {position:?}: {text}");
        assert_eq!(start, position.column);
    }
    is_enum
}

#[test]
fn every_key_of_the_examples_has_words() {
    let kinds = gateway_api(Channel::Experimental, None);
    let (mut counts, mut in_json) = ((0, 0), (0, 0));
    for file in crd_testdata::gateway_api_examples("standard")
        .into_iter()
        .chain(crd_testdata::gateway_api_examples("experimental"))
    {
        check_keys(file.text, &kinds, &mut counts);
        for document in documents(file.text) {
            let json = serde_json::to_string_pretty(&document.unwrap().value).unwrap();
            check_keys(&json, &kinds, &mut in_json);
        }
    }
    assert_eq!(counts, in_json);
    assert!(counts.0 > 1000 && counts.1 > 300, "{counts:?}");
}

#[test]
fn every_position_has_an_answer_or_none() {
    let kinds = gateway_api(Channel::Experimental, None);
    for file in crd_testdata::gateway_api_examples("standard").into_iter().step_by(12) {
        let json = documents(file.text).next().unwrap().map(|document| document.value.to_string()).unwrap();
        let flow = json.replace('"', "").replace(',', ", ").replace(':', ": ");
        for text in [file.text, &file.text.replace(": ", ":\t "), &file.text[..file.text.len() / 2], &json, &flow] {
            for (index, line) in text.split('\n').enumerate() {
                for column in 0..=line.chars().count() + 2 {
                    let position = TextPosition { line: index + 1, column };
                    hover(text, position, &kinds);
                    let (start, _) = completion(text, position, &kinds);
                    assert!(start <= column);
                }
            }
        }
    }
}
