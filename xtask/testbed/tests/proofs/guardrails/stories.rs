//! Changes of objects over time: updates, other versions, patches, deletion, and namespaces that revoke the permission.
//!
//! Invariants: each story has its own objects, so stories run concurrently. Each row is one request with the expected answer.

use futures_util::future::{BoxFuture, join_all};
use serde_json::{Value, json};

use crate::requests::{Answer, send, send_with};

use super::largest::external_auth;
use super::policies::{ANNOTATION, PLAIN, ROUTES, Verdict, annotated_namespace, route, wait_until_refused};
use super::stage::{MESHES, Stage};

/// One request.
pub(super) struct Row {
    pub(super) what: String,
    pub(super) expected: Verdict,
    pub(super) answer: Answer,
}

const SESSION: &str = "spec.rules[*].sessionPersistence";
const GATEWAYS: &str = "spec.useDefaultGateways";

struct Story<'s> {
    stage: &'s Stage,
    rows: Vec<Row>,
}

impl Story<'_> {
    async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        send(&self.stage.client, method, path, body).await
    }

    fn add(&mut self, what: &str, expected: Verdict, answer: Answer) {
        self.rows.push(Row { what: what.to_owned(), expected, answer });
    }

    async fn post(&mut self, what: &str, expected: Verdict, path: &str, object: &Value) {
        let answer = self.send("POST", &format!("{path}?dryRun=All"), Some(object)).await;
        self.add(what, expected, answer);
    }

    /// Reads an object, changes it, and writes it back.
    async fn change(&mut self, what: &str, expected: Verdict, path: &str, change: impl Fn(&mut Value)) {
        let mut object = self.send("GET", path, None).await.expect(path);
        change(&mut object);
        let answer = self.send("PUT", path, Some(&object)).await;
        self.add(what, expected, answer);
    }

    /// A patch of this kind.
    async fn patch(&mut self, what: &str, expected: Verdict, path: &str, kind: &str, patch: &Value) {
        let answer = send_with(&self.stage.client, "PATCH", path, &[("content-type", kind)], Some(patch)).await;
        self.add(what, expected, answer);
    }
}

/// The path of an existing route.
fn kept(name: &str) -> String {
    assert!(super::stage::KEPT.contains(&name), "{name}");
    format!("/apis/{ROUTES}/{name}")
}

fn older(name: &str) -> String {
    kept(name).replace("/v1/", "/v1beta1/")
}

fn rule(object: &mut Value) -> &mut Value {
    &mut object["spec"]["rules"][0]
}

async fn updates(story: &mut Story<'_>) {
    let (passes, refused) = (|| Verdict::Passes, Verdict::refused);
    let label = |object: &mut Value| object["metadata"]["labels"] = json!({"a": "b"});
    story.change("another label", passes(), &kept("labelled"), label).await;
    let hostname = |object: &mut Value| object["spec"]["hostnames"] = json!(["shop.example"]);
    story.change("another field of standard", passes(), &kept("renamed"), hostname).await;
    let timeout = |object: &mut Value| rule(object)["sessionPersistence"]["absoluteTimeout"] = json!("3h");
    story.change("another value of the same field", passes(), &kept("retimed"), timeout).await;
    let spread = |object: &mut Value| {
        let another = rule(object).clone();
        object["spec"]["rules"].as_array_mut().expect("a list").push(another);
    };
    story.change("the same field in another rule", passes(), &kept("spread"), spread).await;
    let gateways = |object: &mut Value| object["spec"]["useDefaultGateways"] = json!("All");
    story.change("a second experimental field", refused(&[GATEWAYS]), &kept("extended"), gateways).await;
    let both = |object: &mut Value| {
        gateways(object);
        rule(object)["filters"] = json!([external_auth(1)]);
    };
    let [field, value] = ["externalAuth", "type=ExternalAuth"].map(|end| format!("spec.rules[*].filters[*].{end}"));
    let expected = refused(&[&field, &value, GATEWAYS]);
    story.change("a second and a third experimental field", expected, &kept("extended"), both).await;
    let swap = |object: &mut Value| {
        gateways(object);
        rule(object).as_object_mut().expect("an object").remove("sessionPersistence");
    };
    let what = "another experimental field instead of the first";
    story.change(what, refused(&[GATEWAYS]), &kept("extended"), swap).await;
    // This does not avoid the policy: only the server writes the field.
    let leaving = |object: &mut Value| {
        gateways(object);
        object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    };
    let path = kept("extended");
    let mut object = story.send("GET", &path, None).await.expect(&path);
    leaving(&mut object);
    let answer = story.send("PUT", &path, Some(&object)).await;
    assert!(answer.code == 422 && answer.message().contains("field is immutable"), "{}", answer.message());
    let without =
        |object: &mut Value| drop(rule(object).as_object_mut().expect("an object").remove("sessionPersistence"));
    story.change("the field removed", passes(), &kept("emptied"), without).await;
    let with = |object: &mut Value| rule(object)["sessionPersistence"] = json!({"cookie": {}});
    story.change("the removed field added again", refused(&[SESSION]), &kept("emptied"), with).await;
    let another_filter = |object: &mut Value| {
        let filter = rule(object)["filters"][0].clone();
        rule(object)["filters"].as_array_mut().expect("a list").push(filter);
    };
    story.change("the same enum value again", passes(), &kept("value"), another_filter).await;
    let elsewhere = |object: &mut Value| {
        let filters = rule(object)["filters"].clone();
        rule(object)["backendRefs"][0]["filters"] = filters;
    };
    let places =
        ["externalAuth", "type=ExternalAuth"].map(|end| format!("spec.rules[*].backendRefs[*].filters[*].{end}"));
    let places = Verdict::Refused(places.into());
    story.change("the same enum value in another list", places, &kept("value"), elsewhere).await;
}

async fn ways_of_writing(story: &mut Story<'_>) {
    let (passes, refused) = (|| Verdict::Passes, Verdict::refused);
    let hostname = |object: &mut Value| object["spec"]["hostnames"] = json!(["shop.example"]);
    story.change("through v1beta1, another field of standard", passes(), &older("older"), hostname).await;
    let more = |object: &mut Value| object["spec"]["useDefaultGateways"] = json!("All");
    let what = "through v1beta1, a second experimental field";
    story.change(what, refused(&[GATEWAYS]), &older("older-extended"), more).await;
    let merge = "application/merge-patch+json";
    let gateways = json!({"spec": {"useDefaultGateways": "All"}});
    let names = ["spec.useDefaultGateways"];
    story
        .patch("a merge patch that adds an experimental field", refused(&names), &kept("merged"), merge, &gateways)
        .await;
    let labels = json!({"metadata": {"labels": {"a": "b"}}});
    story.patch("a merge patch of labels", passes(), &kept("merged"), merge, &labels).await;
    let apply = "application/apply-patch+yaml";
    let applied = |path: &str| format!("{path}?fieldManager=guardrails&force=true");
    let same = route(PLAIN, "applied");
    let what = "server-side apply without changes";
    story.patch(what, passes(), &applied(&kept("applied")), apply, &same).await;
    let mut more = route(PLAIN, "applied-extended");
    more["spec"]["useDefaultGateways"] = json!("All");
    let what = "server-side apply that adds an experimental field";
    story.patch(what, refused(&names), &applied(&kept("applied-extended")), apply, &more).await;
    let new = route(PLAIN, "applied-new");
    let path = applied(&format!("/apis/{ROUTES}/applied-new"));
    story.patch("server-side apply that creates a route", refused(&[SESSION]), &path, apply, &new).await;
    // The server drops the rest of the object in a status update.
    let report = |object: &mut Value| {
        object["status"] = json!({"parents": []});
        object["spec"]["useDefaultGateways"] = json!("All");
    };
    story
        .change(
            "status, from a controller that also sends another spec",
            passes(),
            &format!("{}/status", kept("reported")),
            report,
        )
        .await;
}

async fn deletion(story: &mut Story<'_>) {
    let answer = story.send("DELETE", &kept("deleted"), None).await;
    story.add("deletion", Verdict::Passes, answer);
    for name in ["finalized", "finalized-extended"] {
        story.send("DELETE", &kept(name), None).await.expect("it waits for its finalizer");
        let waiting = story.send("GET", &kept(name), None).await.expect("it exists");
        assert_ne!(waiting["metadata"]["deletionTimestamp"], Value::Null);
    }
    // Updates of an object that is being deleted are accepted, so that a controller can clean up.
    let more = |object: &mut Value| object["spec"]["useDefaultGateways"] = json!("All");
    let what = "being deleted, with another experimental field";
    story.change(what, Verdict::Passes, &kept("finalized-extended"), more).await;
    for name in ["finalized", "finalized-extended"] {
        let free = |object: &mut Value| object["metadata"]["finalizers"] = json!([]);
        story.change("being deleted, its finalizer removed", Verdict::Passes, &kept(name), free).await;
        assert_eq!(story.send("GET", &kept(name), None).await.code, 404, "{name} is deleted");
    }
}

async fn namespaces(story: &mut Story<'_>) {
    let client = story.stage.client.clone();
    let collection = |namespace: &str| format!("/apis/{}", ROUTES.replace(PLAIN, namespace));
    for (index, value) in ["true", "Allowed", "", "allowed "].into_iter().enumerate() {
        let namespace = format!("guardrails-other-{index}");
        annotated_namespace(&client, &namespace, &json!({ANNOTATION: value})).await;
        let what = format!("new, the namespace has `{value:?}`");
        story.post(&what, Verdict::refused(&[SESSION]), &collection(&namespace), &route(&namespace, "a")).await;
    }
    let mut itself = route(PLAIN, "itself");
    itself["metadata"]["annotations"] = json!({ANNOTATION: "allowed"});
    let what = "new, the route itself has `\"allowed\"`";
    story.post(what, Verdict::refused(&[SESSION]), &collection(PLAIN), &itself).await;
    let mut unnamed = route(PLAIN, "a");
    unnamed["metadata"] = json!({"generateName": "a-", "namespace": PLAIN});
    story.post("new, with `generateName`", Verdict::refused(&[SESSION]), &collection(PLAIN), &unnamed).await;
    let mut leaving = route(PLAIN, "leaving");
    leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let what = "new, with a `deletionTimestamp`";
    story.post(what, Verdict::refused(&[SESSION]), &collection(PLAIN), &leaving).await;
    let standard = json!({"rules": [{"backendRefs": [{"name": "shop", "port": 80}]}]});
    let mut plain = route(PLAIN, "plain");
    plain["spec"] = standard.clone();
    story.post("new, with nothing experimental", Verdict::Passes, &collection(PLAIN), &plain).await;
    plain["status"] = json!({"parents": []});
    plain["spec"]["rules"][0]["sessionPersistence"] = Value::Null;
    story.post("new, with the field as `null`", Verdict::Passes, &collection(PLAIN), &plain).await;

    let namespace = "guardrails-closing";
    annotated_namespace(&client, namespace, &json!({ANNOTATION: "allowed"})).await;
    let what = "new, the namespace has `\"allowed\"`";
    let answer = story.send("POST", &collection(namespace), Some(&route(namespace, "a"))).await;
    story.add(what, Verdict::Passes, answer);
    let mut own = story.send("GET", &format!("/api/v1/namespaces/{namespace}"), None).await.expect("a namespace");
    own["metadata"]["annotations"] = json!({});
    story.send("PUT", &format!("/api/v1/namespaces/{namespace}"), Some(&own)).await.expect("it closes");
    wait_until_refused(&client, &collection(namespace), &route(namespace, "b")).await;
    let path = format!("{}/a", collection(namespace));
    let hostname = |object: &mut Value| object["spec"]["hostnames"] = json!(["shop.example"]);
    story.change("the annotation was removed, another field of standard", Verdict::Passes, &path, hostname).await;
    let more = |object: &mut Value| object["spec"]["useDefaultGateways"] = json!("All");
    let names = Verdict::refused(&["spec.useDefaultGateways"]);
    story.change("the annotation was removed, a second experimental field", names, &path, more).await;
}

async fn cluster_wide(story: &mut Story<'_>) {
    let refused = || Verdict::refused(&["the resource xmeshes.gateway.networking.x-k8s.io"]);
    let mesh = |annotations: Value| {
        json!({
            "apiVersion": "gateway.networking.x-k8s.io/v1alpha1",
            "kind": "XMesh",
            "metadata": {"name": "new", "annotations": annotations},
            "spec": {"controllerName": "example.com/mesh"},
        })
    };
    story.post("XMesh, new", refused(), MESHES, &mesh(Value::Null)).await;
    let what = "XMesh, new, it has `\"true\"`";
    story.post(what, refused(), MESHES, &mesh(json!({ANNOTATION: "true"}))).await;
    let what = "XMesh, new, it has `\"allowed\"`";
    story.post(what, Verdict::Passes, MESHES, &mesh(json!({ANNOTATION: "allowed"}))).await;
    let path = format!("{MESHES}/kept");
    let describe = |object: &mut Value| object["spec"]["description"] = json!("more");
    story.change("existing XMesh, another description", Verdict::Passes, &path, describe).await;
}

/// Runs all stories concurrently. The rows are in the order of the stories below.
pub(super) fn run(stage: &Stage) -> Vec<Row> {
    let run = |story: for<'s> fn(&'s mut Story<'_>) -> BoxFuture<'s, ()>| async move {
        let mut rows = Story { stage, rows: Vec::new() };
        story(&mut rows).await;
        rows.rows
    };
    let stories: [for<'s> fn(&'s mut Story<'_>) -> BoxFuture<'s, ()>; 5] = [
        |story| Box::pin(namespaces(story)),
        |story| Box::pin(updates(story)),
        |story| Box::pin(ways_of_writing(story)),
        |story| Box::pin(deletion(story)),
        |story| Box::pin(cluster_wide(story)),
    ];
    let rows = stage.server.block_on(join_all(stories.map(run)));
    rows.into_iter().flatten().collect()
}
