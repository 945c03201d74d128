//! The server's verdict about 2,000 objects and updates is the validator's, with what the rules add; and an API server passes it on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_apiserver::objects::Resource;
use crd_channels::Channel;
use crd_webhook::{Request, Reviewer, VALIDATOR};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::requests::{Connection, post, review};
use super::{CONFIGURATIONS, Process, configuration, configure, write_certificate};
use crate::documents::{VersionedKind, crds, our_examples, upstream_examples};
use crate::objects::{Case, cases};
use crate::requests::{create_namespace, send};
use crate::server::{Crds, server};

/// The namespace of all objects.
const NAMESPACE: &str = "webhook-verdicts";

/// A list of headers with one name twice, which only the rule refuses, in the first HTTP or gRPC match.
fn with_header_twice(object: &Value) -> Option<Value> {
    let mut object = object.clone();
    let first = object.pointer_mut("/spec/rules/0/matches/0")?;
    first["headers"] = json!([{"name": "X-Twice", "value": "a"}, {"name": "x-twice", "value": "b"}]);
    Some(object)
}

/// All cases of a channel, with their kinds.
fn all(channel: Channel) -> Vec<(VersionedKind, Case)> {
    let mut all = Vec::new();
    for example in upstream_examples(channel).into_iter().chain(our_examples(channel)) {
        let Some(versioned) = VersionedKind::of(channel, &example.object) else { continue };
        let mut object = example.object;
        object["metadata"]["uid"] = json!("6e9c1b1c-3a5e-4d0e-9a55-0a4ad6ac8bd5");
        object["metadata"]["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
        if !versioned.is_cluster_wide() {
            object["metadata"]["namespace"] = json!(NAMESPACE);
        }
        let mut of_example = cases(&object, 2);
        if let Some(twice) = with_header_twice(&object) {
            of_example.extend([
                Case::create(&twice),
                Case::update(&object, &twice, false),
                Case::update(&twice, &twice, false),
            ]);
        }
        all.extend(of_example.into_iter().map(|case| (versioned, case)));
    }
    all
}

#[test]
fn verdicts_are_those_of_the_validator_and_the_rules() {
    let channel = Channel::Experimental;
    let Some(server) = server(Crds::Experimental) else { return };
    let minor = server.number();
    let folder = TempDir::new().expect("a folder");
    let ca = write_certificate(folder.path());
    let process = Process::start(server, channel, folder.path(), "");
    let mut resources = BTreeMap::new();
    for crd in crds(channel) {
        for version in &crd.versions {
            let resource =
                Resource::prepare(crd, &version.name, minor).expect("its version").expect("its rules compile");
            resources.insert((&crd.name, &version.name), resource);
        }
    }
    // The rules with an empty cache: what they refuse without other objects.
    let reviewer = Reviewer::prepare(Arc::new(gateway_api_webhook::webhook().expect("a webhook")), channel, minor);
    let reviewer = reviewer.unwrap_or_else(|errors| panic!("{errors:?}"));
    let all = all(channel);
    assert!(all.len() >= 2000, "{}", all.len());
    let cases = crd_testdata::sample_of(all, |(_, case)| case.new.to_string().contains("X-Twice"));
    let client = server.client();
    server.block_on(async {
        create_namespace(&client, NAMESPACE).await;
        process.wait_until_ready().await;
        let mut connection = Connection::open(process.reviews, &ca).await;
        let (mut accepted, mut by_validator, mut by_rules) = (0, 0, 0);
        for (versioned, case) in &cases {
            let body = review(case).to_string();
            let (status, answer) = connection.send(&post(body.as_bytes())).await;
            assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
            let answer: Value = serde_json::from_slice(&answer).expect("JSON");
            let answer = &answer["response"];
            let validated = case.answer(&resources[&(&versioned.crd.name, &versioned.version.name)]);
            let verdict = reviewer.verdict(&Request::read(body.as_bytes()).expect("a review"));
            let of_rules = verdict.refusals.iter().filter(|refusal| refusal.source != VALIDATOR);
            let of_rules = of_rules.map(|refusal| (refusal.field.clone(), format!("{} [{}]", refusal.message, refusal.source))).collect::<BTreeSet<_>>();
            let of_validator = validated.errors.iter().map(|error| (error.field.clone(), error.message.clone()));
            let expected = of_validator.chain(of_rules.clone()).collect::<BTreeSet<_>>();
            assert_eq!(answer["allowed"], expected.is_empty(), "{body}\n{answer:#}\n{expected:?}");
            let causes = answer["status"]["details"]["causes"].as_array().map(Vec::as_slice).unwrap_or_default();
            let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
            let causes = causes.iter().map(|cause| (text(cause, "field"), text(cause, "message"))).collect::<BTreeSet<_>>();
            // An answer lists the first 16 reasons, and cuts long ones.
            if expected.len() <= 16 && expected.iter().all(|(_, message)| message.len() < 1000) {
                assert_eq!(causes, expected, "{body}");
            }
            match (validated.errors.is_empty(), of_rules.is_empty()) {
                (true, true) => accepted += 1,
                (true, false) => by_rules += 1,
                (false, _) => by_validator += 1,
            }
        }
        println!(
            "Kubernetes {}: {} reviews have the verdict of the validator and the rules: {accepted} accepted, {by_validator} refused by the CRD, {by_rules} by rules only",
            server.minor(),
            cases.len()
        );
        assert!(accepted > 20 && by_validator > 20 && by_rules > 5, "{accepted} {by_validator} {by_rules}");

        // The same creations, as an API server answers them: it refuses what the CRD refuses before it asks the webhook.
        let url = format!("https://{}/validate", process.reviews);
        let name = "webhook-verdicts.test";
        configure(&client, &configuration(name, &url, Some(&ca), NAMESPACE), NAMESPACE).await;
        let (mut created, mut denied, mut refused) = (0, 0, 0);
        for (versioned, case) in cases.iter().filter(|(versioned, case)| case.old.is_none() && !versioned.is_cluster_wide()) {
            let mut object = case.new.clone();
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove("uid");
                metadata.remove("creationTimestamp");
            }
            let path = format!("{}?dryRun=All&fieldValidation=Ignore", versioned.collection(NAMESPACE));
            let answer = send(&client, "POST", &path, Some(&object)).await;
            let validated = Case::create(&object).answer(&resources[&(&versioned.crd.name, &versioned.version.name)]);
            let verdict = reviewer.verdict(&Request::read(review(case).to_string().as_bytes()).expect("a review"));
            let of_rules = verdict.refusals.iter().any(|refusal| refusal.source != VALIDATOR);
            let is_denied = answer.message().contains("admission webhook \"objects.webhook.test\" denied the request");
            let expected = (validated.errors.is_empty() && !of_rules, validated.errors.is_empty() && of_rules);
            assert_eq!((answer.is_success(), is_denied), expected, "{object}\n{} {}", answer.code, answer.body);
            match expected {
                (true, _) => created += 1,
                (_, true) => denied += 1,
                _ => refused += 1,
            }
        }
        send(&client, "DELETE", &format!("{CONFIGURATIONS}/{name}"), None).await.expect("deleted");
        println!("through the API server: {created} accepted, {refused} refused by the CRD, {denied} denied by the webhook");
        let least = if crd_testdata::is_proof() { 5 } else { 1 };
        assert!(created > least && denied > 2 && refused > 5, "{created} {denied} {refused}");
    });
}

/// A deprecated version has one warning, although both the API server and the webhook send it.
#[test]
fn warnings_reach_the_user_once() {
    let namespace = "webhook-warnings";
    let Some(server) = server(Crds::Experimental) else { return };
    let folder = TempDir::new().expect("a folder");
    let ca = write_certificate(folder.path());
    let process = Process::start(server, Channel::Experimental, folder.path(), "");
    let client = server.client();
    server.block_on(async {
        create_namespace(&client, namespace).await;
        process.wait_until_ready().await;
        let url = format!("https://{}/validate", process.reviews);
        let name = "webhook-warnings.test";
        configure(&client, &configuration(name, &url, Some(&ca), namespace), namespace).await;
        let deprecated =
            crds(Channel::Experimental).iter().flat_map(|crd| crd.versions.iter().map(move |version| (crd, version)));
        let mut deprecated =
            deprecated.filter(|(crd, version)| version.served && version.deprecated && crd.names.kind == "TCPRoute");
        let (crd, version) = deprecated.next_back().expect("a deprecated version of TCPRoute");
        let backends =
            json!([{"name": "elsewhere", "namespace": "kube-system", "port": 80}, {"name": "missing", "port": 80}]);
        let route = json!({
            "apiVersion": format!("{}/{}", crd.group, version.name),
            "kind": "TCPRoute",
            "metadata": {"name": "a"},
            "spec": {"parentRefs": [{"name": "main"}], "rules": [{"backendRefs": backends}]},
        });
        let path = format!("/apis/{}/{}/namespaces/{namespace}/tcproutes?dryRun=All", crd.group, version.name);
        let answer = send(&client, "POST", &path, Some(&route)).await;
        assert_eq!(answer.code, 201, "{}", answer.body);
        // What `kubectl` prints of a refusal: the object, the field, the reason and the rule.
        let headers = json!([{"name": "X-A", "value": "1"}, {"name": "x-a", "value": "1"}]);
        let twice = super::route("twice", &json!([{"matches": [{"headers": headers}]}])).to_string();
        let printed = server.kubectl_reading(&["apply", "--namespace", namespace, "--dry-run=server", "-f", "-"], &twice);
        let expected = "The HTTPRoute \"twice\" is invalid: spec.rules[0].matches[0].headers[1].name: the header names `X-A` and `x-a` are the same name";
        assert!(!printed.success && printed.stderr.contains(expected), "{}", printed.stderr);
        assert!(printed.stderr.contains("[header-names]"), "{}", printed.stderr);
        send(&client, "DELETE", &format!("{CONFIGURATIONS}/{name}"), None).await.expect("deleted");
        let number = |text: &str| answer.warnings.iter().filter(|warning| warning.contains(text)).count();
        let text = crd_apiserver::objects::deprecation_warning(crd, version);
        let expected = [(&*text, 1), ("[reference-grants]", 1), ("[backends]", 1)];
        assert_eq!(expected.map(|(text, _)| (text, number(text))), expected, "{:#?}", answer.warnings);
    });
}
