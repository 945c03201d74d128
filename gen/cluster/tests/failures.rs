//! Failures of requests: which are repeated, for how long, and their diagnostics.

use std::io;
use std::time::Duration;

use crd_cluster::Limits;
use tokio::time::Instant;

use crate::script::{Answer, Script, crd, ok, page, status, widgets};

const FIRST: &str = "limit=500";

/// Lists widgets. The result: the objects, the number of requests, and how long it took.
async fn listed(answers: Vec<Answer>) -> (crate::script::Widgets, usize, Duration) {
    let script = Script::new().on(&page(FIRST), answers);
    let start = Instant::now();
    let listed = script.widgets(Limits::default()).await;
    (listed, script.requests().len(), start.elapsed())
}

fn busy(seconds: &'static str) -> Answer {
    Answer::Http(429, Some(seconds), b"storage is (re)initializing".to_vec())
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_is_asked_again_after_the_pause_that_it_names() {
    let (listed, requests, took) = listed(vec![busy("7"), busy("2"), ok(&widgets(&["a"], ""))]).await;
    assert_eq!((listed.names(), requests, took.as_secs()), (vec!["shop/a".to_owned()], 3, 9));
    assert!(listed.listing.is_complete);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stays_busy_is_reported_within_the_limit() {
    let (listed, requests, took) = listed(vec![busy("7")]).await;
    assert_eq!((requests, took.as_secs()), (5, 28));
    assert_eq!(
        listed.diagnostic(),
        "error[cluster::busy]: the server is too busy to list `widgets.example.com`: storage is (re)initializing\n   \
         = in: widgets.example.com v1\n   = help: try again later; if the answer stays the same, compare `status.storedVersions` of the CRD \
         with its versions\n"
    );
}

#[tokio::test(start_paused = true)]
async fn a_longer_pause_than_the_limit_is_not_waited_for() {
    let (listed, requests, took) = self::listed(vec![busy("3600")]).await;
    assert_eq!((requests, took), (1, Duration::ZERO));
    assert!(listed.diagnostic().starts_with("error[cluster::busy]"));
    // A date instead of seconds, and no pause at all.
    let date = vec![busy("Wed, 21 Oct 2026 07:28:00 GMT"), busy("0"), ok(&widgets(&[], ""))];
    let (listed, requests, took) = self::listed(date).await;
    assert_eq!((listed.listing.is_complete, requests, took), (true, 3, Duration::from_millis(1250)));
}

#[tokio::test(start_paused = true)]
async fn failures_of_a_moment_are_repeated() {
    let reset = Answer::Failure(|| io::Error::new(io::ErrorKind::ConnectionReset, "connection reset"));
    for failure in [status(500, "etcd"), status(503, "starting"), reset] {
        let (listed, requests, _) = self::listed(vec![failure.clone(), failure, ok(&widgets(&["a"], ""))]).await;
        assert_eq!((listed.names().len(), requests, listed.listing.is_complete), (1, 3, true));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_fails_is_reported_after_three_repetitions() {
    let (listed, requests, took) = self::listed(vec![status(500, "conversion webhook failed: no endpoints")]).await;
    assert_eq!((requests, took), (4, Duration::from_millis(1750)));
    assert_eq!(
        listed.diagnostic(),
        "error[cluster::server-error]: the server cannot list `widgets.example.com` (500): conversion webhook failed: no endpoints\n   \
         = in: widgets.example.com v1\n   = help: check the log of the API server, and the conversion webhook of the CRD\n"
    );
}

#[tokio::test]
async fn a_missing_permission_names_the_verb_and_the_resource_and_the_rest_is_read() {
    let message = "widgets.example.com is forbidden: User \"jane@example.com\" cannot list resource \"widgets\"";
    let script = Script::new()
        .on(&page(FIRST), [status(403, message)])
        .on("/apis/example.com/v2/widgets?limit=500", [ok(&widgets(&["a"], ""))]);
    let listed = script.widgets(Limits::default()).await;
    assert_eq!(
        listed.diagnostic(),
        format!(
            "error[cluster::forbidden]: no permission to list `widgets.example.com`: {message}\n   = in: widgets.example.com v1\n   \
             = help: grant the verb `list`, for example:\n       \
             kubectl create clusterrole read-crds --verb=list --resource=widgets.example.com\n       \
             kubectl create clusterrolebinding read-crds --clusterrole=read-crds --user=jane@example.com\n"
        )
    );
    let mut seen = 0;
    let listing = script.cluster().await.objects(&crd(), "v2", &mut |_| seen += 1, &mut |_| {}).await;
    assert!(listing.is_complete && listing.diagnostics.is_empty());
    assert_eq!(seen, 1);
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_is_reported_after_its_deadline() {
    let (listed, requests, took) = listed(vec![Answer::Silence]).await;
    assert_eq!((requests, took.as_secs()), (1, 60));
    assert_eq!(
        listed.diagnostic(),
        "error[cluster::slow]: no answer of the server https://cluster.example.com within 60s: list `widgets.example.com`\n   \
         = in: widgets.example.com v1\n   = help: try again when the server is less busy\n"
    );
}

#[tokio::test]
async fn a_version_that_is_not_served_is_reported() {
    let listed = Script::new().widgets(Limits::default()).await;
    assert_eq!(
        listed.diagnostic(),
        "error[cluster::not-served]: the server does not serve `/apis/example.com/v1/widgets`\n   = in: widgets.example.com v1\n   \
         = help: `kubectl api-resources` lists what it serves\n"
    );
}

#[tokio::test]
async fn an_answer_that_is_not_a_list_is_reported() {
    for body in [
        "<html>Sign in</html>",
        "{\"items\": [{\"metadata\": {\"name\": \"a\"}}, {\"meta",
        "{}",
        "[1]",
        "",
        "{\"items\": 1}",
    ] {
        let (listed, requests, _) = listed(vec![Answer::Http(200, None, body.as_bytes().to_vec())]).await;
        assert_eq!((listed.objects.len(), requests), (0, 1), "{body}");
        let diagnostic = listed.diagnostic();
        let start = "error[cluster::unreadable-answer]: the answer of the server https://cluster.example.com to list `widgets.example.com` cannot be read: ";
        assert!(diagnostic.starts_with(start), "{body}: {diagnostic}");
    }
}
