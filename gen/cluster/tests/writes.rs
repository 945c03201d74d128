//! What a writer sends, and what it makes of each answer. The texts of answers are those of `apimachinery/pkg/api/errors` and of the admission
//! plugins of `apiserver` 0.36.

use std::io;

use crd_cluster::{Content, Limits, Metadata, Part, Resource, Writer, Written};
use crd_diagnostics::Diagnostic;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use crate::script::{Answer, Script, Sent, crd, document, ok, page, status, widgets};

const OBJECT: &str = "/apis/example.com/v1/namespaces/shop/widgets/a";
const QUERY: &str = "?fieldManager=crd-channels";
const CRD: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
const CONFLICT: &str = "Operation cannot be fulfilled on widgets.example.com \"a\": the object has been modified; please apply your \
                        changes to the latest version and try again";
const PATCH_ERROR: &str = "the server rejected our request due to an error in our request";

fn resource() -> Resource {
    Resource::new("example.com", "v1", "widgets")
}

fn metadata() -> Metadata {
    let [name, uid, resource_version] = ["a", "u1", "7"].map(str::to_owned);
    Metadata { name, uid, resource_version, namespace: Some("shop".to_owned()), ..Metadata::default() }
}

fn widget() -> Value {
    let metadata = json!({"namespace": "shop", "name": "a", "uid": "u1", "resourceVersion": "7"});
    json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata, "spec": {"size": 1}})
}

/// A kind of write.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Touch,
    Replace(Part),
    Create,
    Delete,
    Patch(Part),
}

const KINDS: [Kind; 7] = [
    Kind::Touch,
    Kind::Replace(Part::Object),
    Kind::Replace(Part::Status),
    Kind::Create,
    Kind::Delete,
    Kind::Patch(Part::Object),
    Kind::Patch(Part::Status),
];

impl Kind {
    async fn send(self, writer: Writer<'_>) -> Result<Written, Diagnostic> {
        let operations = [json!({"op": "replace", "path": "/spec/size", "value": 2})];
        match self {
            Self::Touch => writer.touch(&resource(), &metadata()).await,
            Self::Replace(part) => writer.replace(&resource(), &widget(), part).await,
            Self::Create => writer.create(&resource(), &widget()).await,
            Self::Delete => writer.delete(&resource(), &metadata()).await,
            Self::Patch(part) => writer.patch(&resource(), &metadata(), part, &operations).await,
        }
    }

    /// What the server should receive.
    fn expected(self, dry_run: &str) -> Sent {
        let guard = json!({"uid": "u1", "resourceVersion": "7"});
        let patch = json!([
            {"op": "test", "path": "/metadata/uid", "value": "u1"},
            {"op": "replace", "path": "/spec/size", "value": 2},
        ]);
        let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": guard});
        let (method, content, body) = match self {
            Self::Touch => ("PATCH", "application/merge-patch+json", json!({"metadata": guard})),
            Self::Replace(_) => ("PUT", "application/json", widget()),
            Self::Create => ("POST", "application/json", widget()),
            Self::Delete => ("DELETE", "application/json", options),
            Self::Patch(_) => ("PATCH", "application/json-patch+json", patch),
        };
        let path = match self {
            Self::Create => OBJECT.trim_end_matches("/a").to_owned(),
            Self::Replace(Part::Status) | Self::Patch(Part::Status) => format!("{OBJECT}/status"),
            _ => OBJECT.to_owned(),
        };
        let [method, content] = [method, content].map(str::to_owned);
        Sent { method, path: format!("{path}{QUERY}{dry_run}"), content, body }
    }

    /// The result of a write with these answers, how many requests there were, and how long it took.
    async fn answered(self, answers: Vec<Answer>) -> (Result<Written, Diagnostic>, usize, Duration) {
        let sent = self.expected("");
        let script = Script::new().on(&format!("{} {}", sent.method, sent.path), answers);
        let (cluster, start) = (script.cluster().await, Instant::now());
        let result = self.send(cluster.writer(false)).await;
        let requests = script.sent();
        assert!(requests.iter().all(|request| *request == sent), "{requests:?}");
        (result, requests.len(), start.elapsed())
    }
}

fn broken() -> Answer {
    Answer::Failure(|| io::Error::new(io::ErrorKind::ConnectionReset, "connection reset"))
}

/// One word for a result.
fn word(result: &Result<Written, Diagnostic>) -> String {
    match result {
        Ok(Written::Done(_)) => "done".to_owned(),
        Ok(Written::Changed) => "changed".to_owned(),
        Ok(Written::Gone) => "gone".to_owned(),
        Ok(Written::Refused(diagnostic)) => format!("refused {}", diagnostic.code),
        Err(diagnostic) => format!("error {}", diagnostic.code),
    }
}

#[tokio::test]
async fn each_write_has_its_method_path_type_and_guards() {
    for kind in KINDS {
        for (is_dry_run, dry_run) in [(false, ""), (true, "&dryRun=All")] {
            let (expected, stored) = (kind.expected(dry_run), json!({"metadata": {"resourceVersion": "8"}}));
            let script = Script::new().on(&format!("{} {}", expected.method, expected.path), [ok(&stored)]);
            let written = kind.send(script.cluster().await.writer(is_dry_run)).await.unwrap();
            assert_eq!(script.sent(), [expected], "{kind:?}");
            let answer = if kind == Kind::Delete { Value::Null } else { stored };
            assert_eq!(written, Written::Done(answer), "{kind:?}");
        }
    }
}

#[tokio::test]
async fn an_object_of_the_whole_cluster_has_a_path_without_a_namespace() {
    let metadata = Metadata { namespace: None, ..metadata() };
    let path = format!("/apis/example.com/v1/widgets/a{QUERY}");
    let script = Script::new().on(&format!("PATCH {path}"), [ok(&json!({}))]);
    script.cluster().await.writer(false).touch(&resource(), &metadata).await.unwrap();
    assert_eq!(script.sent()[0].path, path);
}

#[tokio::test(start_paused = true)]
async fn every_answer_has_its_result() {
    let forbidden = |text: &str| format!("widgets.example.com \"a\" is forbidden: {text}");
    let role = forbidden(
        "User \"me\" cannot patch resource \"widgets\" in API group \"example.com\" in the namespace \"shop\"",
    );
    let policy =
        forbidden("ValidatingAdmissionPolicy 'p' with binding 'b' denied request: a User \"x\" cannot do this");
    let quota = forbidden("exceeded quota: q, requested: count=1; it cannot grow");
    let webhook = "admission webhook \"w.example.com\" denied the request: widgets \"a\" not found";
    let invalid = "Widget.example.com \"a\" is invalid: spec.size: Invalid value: 0: should be at least 1";
    let precondition = "Operation cannot be fulfilled on widgets.example.com \"a\": Precondition failed: UID in precondition: u1, UID in \
                        object meta: u2";
    for (code, message, expected) in [
        (409, CONFLICT, "changed"),
        (409, precondition, "changed"),
        (409, webhook, "refused cluster::refused"),
        (404, "widgets.example.com \"a\" not found", "gone"),
        // The name of the object is a part of this text.
        (404, "404 page not found", "error cluster::not-served"),
        (404, webhook, "refused cluster::not-served"),
        (422, invalid, "refused cluster::refused"),
        (422, webhook, "refused cluster::refused"),
        (403, &*role, "error cluster::forbidden"),
        (403, &*policy, "refused cluster::forbidden"),
        (403, &*quota, "refused cluster::forbidden"),
        (403, webhook, "refused cluster::forbidden"),
        (400, "strict decoding error: unknown field \"spec.x\"", "refused cluster::refused"),
        (413, "Request entity too large: limit is 3145728", "refused cluster::refused"),
        (500, "Internal error occurred: failed calling webhook \"w.example.com\"", "refused cluster::server-error"),
        (401, "Unauthorized", "error cluster::unauthorized"),
        (405, "the server does not allow this method on the requested resource", "error cluster::refused"),
        (503, "the server is currently unable to handle the request", "error cluster::server-error"),
        (504, "Timeout: request did not complete within the allotted timeout", "error cluster::server-error"),
    ] {
        for kind in KINDS {
            let (result, ..) = kind.answered(vec![status(code, message)]).await;
            assert_eq!(word(&result), expected, "{kind:?}: {code} {message}");
        }
    }
}

#[tokio::test]
async fn a_test_of_a_json_patch_that_does_not_hold_is_a_change() {
    for kind in KINDS {
        let expected = if matches!(kind, Kind::Patch(_)) { "changed" } else { "refused cluster::refused" };
        assert_eq!(word(&kind.answered(vec![status(422, PATCH_ERROR)]).await.0), expected, "{kind:?}");
    }
}

#[tokio::test]
async fn a_refusal_has_the_text_of_the_server() {
    let message = "Widget.example.com \"a\" is invalid: spec.size: Invalid value: 0: should be at least 1";
    let (Ok(Written::Refused(diagnostic)), ..) = Kind::Touch.answered(vec![status(422, message)]).await else {
        panic!("not refused")
    };
    assert_eq!(diagnostic.message, format!("the server refuses to patch `widgets.example.com` (422): {message}"));
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_gets_the_write_again_after_its_pause() {
    let busy = || Answer::Http(429, Some("7"), b"too many requests".to_vec());
    for kind in KINDS {
        let (result, requests, took) = kind.answered(vec![busy(), busy(), ok(&json!({}))]).await;
        assert_eq!((&*word(&result), requests, took.as_secs()), ("done", 3, 14), "{kind:?}");
        let (result, requests, took) = kind.answered(vec![busy()]).await;
        assert_eq!((&*word(&result), requests, took.as_secs()), ("error cluster::busy", 5, 28), "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_failures_of_a_moment_are_repeated() {
    let unreadable = || Answer::Http(200, None, b"<html>".to_vec());
    for kind in KINDS {
        for failure in [status(500, "etcd"), status(503, "starting"), broken()] {
            let (result, requests, _) = kind.answered(vec![failure.clone(), failure, ok(&json!({}))]).await;
            assert_eq!((&*word(&result), requests), ("done", 3), "{kind:?}");
        }
        for (answer, expected, requests) in
            [(broken(), "error cluster::unreachable", 4), (Answer::Silence, "error cluster::slow", 1)]
        {
            let (result, sent, _) = kind.answered(vec![answer]).await;
            assert_eq!((&*word(&result), sent), (expected, requests), "{kind:?}");
        }
        // A deletion is done, whatever the body is.
        let expected = if kind == Kind::Delete { "done" } else { "error cluster::unreadable-answer" };
        let (result, requests, _) = kind.answered(vec![unreadable()]).await;
        assert_eq!((&*word(&result), requests), (expected, 1), "{kind:?}");
    }
}

/// The server has done the first write, and its answer was lost. The second one fails at its guard, and so it never counts as a write.
#[tokio::test(start_paused = true)]
async fn a_write_that_is_repeated_after_a_lost_answer_fails_at_its_guard() {
    for kind in KINDS {
        let (again, expected) = match kind {
            Kind::Touch | Kind::Replace(_) => (status(409, CONFLICT), "changed"),
            Kind::Create => (status(409, "widgets.example.com \"a\" already exists"), "changed"),
            Kind::Delete => (status(404, "widgets.example.com \"a\" not found"), "gone"),
            Kind::Patch(_) => (status(422, PATCH_ERROR), "changed"),
        };
        let (result, requests, _) = kind.answered(vec![broken(), again]).await;
        assert_eq!((&*word(&result), requests), (expected, 2), "{kind:?}");
    }
}

#[tokio::test]
async fn pages_of_metadata_have_no_values_and_whole_pages_have_them() {
    let mut first = widgets(&["a", "b"], "t");
    first["items"][0]["spec"] = json!({"size": 1});
    first["items"][0]["metadata"]["managedFields"] = json!([{"manager": "kubectl"}]);
    first["metadata"]["remainingItemCount"] = json!(1);
    let script = Script::new()
        .on(&page("limit=500"), [ok(&first)])
        .on(&page("limit=500&continue=t"), [ok(&widgets(&["c"], ""))]);
    let (cluster, crd) = (script.cluster().await, crd());
    let partial = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    for (content, accepted) in [(Content::Metadata, partial), (Content::Whole, "application/json")] {
        let mut pages = cluster.pages(&crd, "v1", content);
        let page = pages.next().await.unwrap().unwrap();
        let names = page.objects.iter().map(|entry| &*entry.metadata.name).collect::<Vec<_>>();
        assert_eq!((names, page.remaining), (vec!["a", "b"], Some(1)));
        let value = match content {
            Content::Metadata => Value::Null,
            Content::Whole => json!({"metadata": {"namespace": "shop", "name": "a"}, "spec": {"size": 1}}),
        };
        assert_eq!((&page.objects[0].value, page.objects[0].metadata.managed_fields.len()), (&value, 1));
        let page = pages.next().await.unwrap().unwrap();
        assert_eq!((page.objects.len(), page.remaining), (1, None));
        assert!(pages.next().await.unwrap().is_none() && !pages.is_of_several_times());
        assert_eq!(script.accepted().last().unwrap(), accepted);
    }
}

#[tokio::test]
async fn the_count_is_one_object_and_those_that_follow() {
    let count = async |mut answer: Value, remaining: Option<u64>| {
        if let Some(remaining) = remaining {
            answer["metadata"]["remainingItemCount"] = json!(remaining);
        }
        let script = Script::new().on(&page("limit=1"), [ok(&answer)]);
        let count = script.cluster().await.count(&crd(), "v1").await.unwrap();
        assert_eq!(script.requests(), ["widgets?limit=1"]);
        count
    };
    assert_eq!(count(widgets(&["a"], "t"), Some(41)).await, Some(42));
    assert_eq!(count(widgets(&["a"], "t"), None).await, None);
    assert_eq!(count(widgets(&["a"], ""), None).await, Some(1));
    assert_eq!(count(widgets(&[], ""), None).await, Some(0));
    assert_eq!(count(json!({"items": null, "metadata": {}}), None).await, Some(0));
    let script = Script::new().on(&page("limit=1"), [status(403, "forbidden")]);
    assert_eq!(script.cluster().await.count(&crd(), "v1").await.unwrap_err().code, "cluster::forbidden");
}

#[tokio::test]
async fn an_absent_object_is_not_an_error_and_an_unserved_resource_is() {
    for (answer, expected) in [
        (ok(&widget()), Ok(Some(widget()))),
        (status(404, "widgets.example.com \"a\" not found"), Ok(None)),
        (status(404, "404 page not found"), Err("cluster::not-served")),
        (Answer::Http(404, None, b"404 page not found\n".to_vec()), Err("cluster::not-served")),
        (status(403, "forbidden"), Err("cluster::forbidden")),
        (Answer::Http(200, None, b"<html>".to_vec()), Err("cluster::unreadable-answer")),
    ] {
        let cluster = Script::new().on(OBJECT, [answer]).cluster().await;
        let found = cluster.get(&resource(), Some("shop"), "a").await.map_err(|diagnostic| diagnostic.code);
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn one_crd_is_read_as_in_a_list() {
    let script = Script::new().on(CRD, [ok(&document())]);
    let (installed, value) = script.cluster().await.crd("widgets.example.com").await.unwrap().unwrap();
    assert_eq!((&installed.crd.unwrap(), &value), (&crd(), &document()));
    assert_eq!((installed.stored_versions, installed.metadata.generation), (vec!["v1".to_owned()], Some(3)));
    let absent = status(404, "customresourcedefinitions.apiextensions.k8s.io \"widgets.example.com\" not found");
    for (answer, expected) in [(absent, Ok(true)), (status(500, "etcd"), Err("cluster::server-error"))] {
        let script = Script::new().on(CRD, [answer]);
        let cluster = script.connect(Limits { retries: 0, ..Limits::default() }).await.unwrap();
        let found = cluster.crd("widgets.example.com").await;
        assert_eq!(found.map(|found| found.is_none()).map_err(|diagnostic| diagnostic.code), expected);
    }
}
