//! The server: ready or not and why, answers, metrics, certificates, and its end.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::api::{lamp, review};
use crate::cluster::{Cluster, Content};
use crate::running::{Answer, Running, patient, post, settings, write_certificate, write_certificate_until};

fn bright() -> String {
    review("CREATE", &lamp("v1", &json!({"lumens": 5})), &Value::Null).to_string()
}

fn dark() -> String {
    review("CREATE", &lamp("v1", &json!({"lumens": 0})), &Value::Null).to_string()
}

fn response(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    serde_json::from_str::<Value>(&answer.body).unwrap()["response"].take()
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_are_answered_and_counted() {
    let mut other = lamp("v1", &json!({"lumens": 7}));
    other["metadata"]["name"] = json!("other");
    let cluster = Cluster::new(Content { lamps: vec![other], ..Content::default() });
    let running = Running::ready(&cluster, patient()).await;
    assert_eq!(running.probe("/livez").await, (200, "ok\n".to_owned()));
    let text = running.probe("/readyz").await.1;
    assert_eq!(text, "[+] API server\n[+] cache of lamps.home.example.com\n[+] certificate\n[+] crds\n");
    // From the cache.
    let refused = response(&running.review(&bright()).await);
    let expected = "spec.lumens: the lamp other of this room is brighter [brightest]";
    assert_eq!((&refused["allowed"], &refused["status"]["message"]), (&json!(false), &json!(expected)));
    cluster.change(|content| content.lamps.clear());
    while response(&running.review(&bright()).await)["allowed"] == json!(false) {}
    assert_eq!(response(&running.review(&dark()).await)["allowed"], false);
    let metrics = running.probe("/metrics").await.1;
    for line in [
        "crd_webhook_bundle_info{version=\"v1.2.0\",channel=\"standard\"} 1",
        "crd_webhook_reviews_total{kind=\"Lamp\",operation=\"create\",allowed=\"true\"} 1",
        "crd_webhook_refusals_total{source=\"validator\"} 1",
        "crd_webhook_ready{part=\"crds\"} 1",
        "# TYPE crd_webhook_review_duration_seconds histogram",
        "# EOF",
    ] {
        assert!(metrics.lines().any(|known| known == line), "{line} is not in\n{metrics}");
    }
    assert!(!metrics.contains("crd_webhook_certificate_expiry_timestamp_seconds 0"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_rights_it_is_not_ready_and_says_which() {
    let cluster = Cluster::new(Content { permits: false, ..Content::default() });
    let running = Running::start(&cluster, patient()).await;
    let reason = "[-] cache of lamps.home.example.com: no right to list and watch it: lamps.home.example.com is forbidden: User \"webhook\" cannot list resource";
    let text = running.wait_for(503, reason).await;
    assert!(text.contains("apply the ClusterRole of the install file again"), "{text}");
    cluster.change(|content| content.permits = true);
    running.wait_for(200, "[+] cache of lamps.home.example.com\n").await;
    // Once read, the cache is useful although it is not followed.
    cluster.change(|content| content.permits = false);
    running.wait_for(200, "[+] cache of lamps.home.example.com: warning: ").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_older_crds_do_not_serve_is_a_warning() {
    let crd = Some(("v1.1.0", "standard"));
    let cluster = Cluster::new(Content { crd, serves: false, ..Content::default() });
    let running = Running::start(&cluster, patient()).await;
    let warning = "[+] cache of lamps.home.example.com: warning: rules that need these objects are silent: the server does not serve lamps in v1\n";
    running.wait_for(200, warning).await;
    assert_eq!(response(&running.review(&bright()).await)["allowed"], true);
    cluster.change(|content| content.serves = true);
    running.wait_for(200, "[+] cache of lamps.home.example.com\n").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_works_again_is_no_warning() {
    let cluster = Cluster::new(Content::default());
    let running = Running::ready(&cluster, patient()).await;
    cluster.change(|content| content.answers = false);
    running.wait_for(200, "[+] cache of lamps.home.example.com: warning: ").await;
    running.wait_for(200, "[+] crds: warning: ").await;
    cluster.change(|content| content.answers = true);
    running.wait_for(200, "[+] cache of lamps.home.example.com\n[+] certificate\n[+] crds\n").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_not_ready_while_the_crds_are_newer_or_of_another_channel() {
    let cluster = Cluster::new(Content { crd: Some(("v1.3.0", "standard")), ..Content::default() });
    let running = Running::start(&cluster, patient()).await;
    running.wait_for(503, "[-] crds: the CRDs are of v1.3.0, and this webhook is of v1.2.0: update the webhook").await;
    running.wait_for(503, "[+] certificate\n").await;
    // A request that arrives all the same is not refused by older rules.
    let answer = response(&running.review(&dark()).await);
    let expected = "the object was not checked: the CRDs are of v1.3.0, and this webhook is of v1.2.0: update the webhook (lamps.home.example.com)";
    assert_eq!((&answer["allowed"], &answer["warnings"]), (&json!(true), &json!([expected])));
    cluster.change(|content| content.crd = Some(("v1.2.0", "experimental")));
    running.wait_for(503, "[-] crds: the CRDs are of the channel experimental").await;
    cluster.change(|content| content.crd = Some(("v1.1.0", "standard")));
    running.wait_for(200, "[+] crds: warning: the CRDs are of v1.1.0").await;
    assert_eq!(response(&running.review(&dark()).await)["allowed"], false);
    cluster.change(|content| content.crd = None);
    running.wait_for(503, "[-] crds: no CRD of the bundle is installed: install v1.2.0 standard").await;
    cluster.change(|content| content.crd = Some(("v1.2.0", "standard")));
    running.wait_for(200, "[+] crds\n").await;
    // While the API server does not answer, what was read last counts.
    cluster.change(|content| content.answers = false);
    running.wait_for(200, "[+] crds: warning: ").await;
    cluster.change(|content| (content.answers, content.crd) = (true, Some(("v1.3.0", "standard"))));
    running.wait_for(503, "[-] crds: the CRDs are of v1.3.0").await;
    cluster.change(|content| content.answers = false);
    running.wait_for(503, "[+] cache of lamps.home.example.com: warning: ").await;
    let text = running.probe("/readyz").await.1;
    assert!(text.contains("[-] crds: the CRDs are of v1.3.0"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_api_server_that_does_not_answer_is_waited_for() {
    let cluster = Cluster::new(Content { answers: false, ..Content::default() });
    let running = Running::start(&cluster, patient()).await;
    running.wait_for(503, "[-] API server: ").await;
    running.wait_for(503, "[+] certificate\n").await;
    assert_eq!(running.review(&bright()).await.status, 503);
    cluster.change(|content| content.answers = true);
    running.wait_for(200, "[+] API server\n").await;
    assert_eq!(response(&running.review(&bright()).await)["allowed"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_disappears_is_reported_and_a_new_one_is_used() {
    let running = Running::ready(&Cluster::new(Content::default()), patient()).await;
    let mut old = running.connect().await;
    std::fs::remove_file(running.folder.path().join("tls.crt")).unwrap();
    running.wait_for(503, "[-] certificate: `tls.crt` does not exist").await;
    // New connections still get the last one.
    assert_eq!(response(&running.review(&bright()).await)["allowed"], true);
    let new = write_certificate(running.folder.path());
    running.wait_for(200, "[+] certificate\n").await;
    let mut stream = running.connect_trusting(&new).await.unwrap();
    assert!(running.connect_trusting(&running.certificate).await.is_err());
    for stream in [&mut stream, &mut old] {
        stream.write_all(post(&bright()).as_bytes()).await.unwrap();
        assert_eq!(response(&Answer::read(stream).await.unwrap())["allowed"], true);
    }
}

/// Of the bad certificates that tests/certificate.rs has, what a user sees of two.
#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_or_expired_certificate_is_reported_and_a_good_one_makes_it_ready() {
    let running = Running::ready(&Cluster::new(Content::default()), patient()).await;
    let folder = running.folder.path();
    std::fs::write(folder.join("tls.crt"), "garbage").unwrap();
    running.wait_for(503, "[-] certificate: `tls.crt` contains no certificate in PEM form").await;
    write_certificate_until(folder, (2020, 1, 1));
    running.wait_for(503, "[-] certificate: `tls.crt` expired at 2020-01-01T00:00:00Z").await;
    write_certificate(folder);
    running.wait_for(200, "[+] certificate\n").await;
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Set in a process that runs one test only.
const ALONE: &str = "CRD_WEBHOOK_TEST_ALONE";

/// Whether this process runs this test only. If not, another process does that: `tracing` remembers for the whole process which events are read,
/// and tests without a subscriber on another thread would turn them off.
fn is_alone(test: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(ALONE, "1");
    let output = command.output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success() && out.contains("1 passed"), "{out}\n{err}");
    false
}

/// On one thread, which has the subscriber.
#[tokio::test]
async fn logs_and_metrics_name_objects_and_contain_nothing_of_them() {
    if !is_alone("serving::logs_and_metrics_name_objects_and_contain_nothing_of_them") {
        return;
    }
    let lines = Lines::default();
    let written = lines.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || written.clone());
    let _guard = tracing::subscriber::set_default(subscriber.with_ansi(false).finish());
    let mut unreadable = lamp("v1", &json!({"lumens": "secret-of-the-cache"}));
    unreadable["metadata"]["name"] = json!("unreadable");
    let cluster = Cluster::new(Content { lamps: vec![unreadable], ..Content::default() });
    let running = Running::ready(&cluster, patient()).await;
    let spec = json!({"lumens": 0, "room": "Secret-Room", "colour": "secret-colour"});
    let mut object = lamp("v1", &spec);
    object["metadata"]["annotations"] = json!({"a": "secret-annotation"});
    let answer = running.review(&review("CREATE", &object, &Value::Null).to_string()).await;
    assert_eq!(response(&answer)["allowed"], false);
    assert_eq!(running.review(r#"{"apiVersion": {"secret": 1}}"#).await.status, 400);
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let own = log.lines().filter(|line| line.contains(" crd_webhook::")).collect::<Vec<_>>().join("\n");
    assert!(
        own.contains("refused") && own.contains("name=\"a\"") && own.contains("rules=\"validator,rooms\""),
        "{own}"
    );
    assert!(own.contains("an object cannot be read") && own.contains("name=\"unreadable\""), "{own}");
    let metrics = running.probe("/metrics").await.1;
    for text in [own, metrics] {
        assert!(!text.to_lowercase().contains("secret"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn at_its_end_requests_are_answered_until_the_drain_is_over() {
    // A machine that is busy for longer than a drain needs a longer one.
    for drain in [500, 5_000, 50_000].map(Duration::from_millis) {
        let mut running = Running::with_drain(&Cluster::new(Content::default()), patient(), drain).await;
        running.wait_for(200, "").await;
        let (mut active, mut idle) = (running.connect().await, running.connect().await);
        for stream in [&mut active, &mut idle] {
            stream.write_all(post(&bright()).as_bytes()).await.unwrap();
            assert!(!Answer::read(stream).await.unwrap().closes);
        }
        let begun = Instant::now();
        running.end();
        let Some(answers) = answers_in_the_drain(&running, &mut active).await else {
            assert!(begun.elapsed() >= drain, "a request has no answer");
            continue;
        };
        for answer in answers {
            assert_eq!(response(&answer)["allowed"], true);
        }
        assert_eq!(active.read(&mut [0]).await.unwrap_or_default(), 0);
        let ended = (&mut running.task).await.unwrap();
        assert_eq!(ended, Ok(()));
        assert!(begun.elapsed() >= drain);
        assert_eq!(idle.read(&mut [0]).await.unwrap_or_default(), 0);
        return;
    }
    panic!("the machine is too busy for this test");
}

/// The answers over a new connection, and over one that was open, until that is closed. Nothing if one of them is missing.
async fn answers_in_the_drain(
    running: &Running,
    open: &mut (impl AsyncRead + AsyncWrite + Unpin),
) -> Option<Vec<Answer>> {
    loop {
        let (status, text) = running.try_probe("/readyz").await?;
        if status == 503 && text.contains("[-] shutdown: the process is ending\n") {
            break;
        }
    }
    let mut answers = vec![running.try_review(&bright()).await?];
    while !answers[1..].last().is_some_and(|answer| answer.closes) {
        open.write_all(post(&bright()).as_bytes()).await.ok()?;
        answers.push(Answer::read(open).await?);
    }
    Some(answers)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_in_use_is_an_error() {
    let cluster = Cluster::new(Content::default());
    let running = Running::start(&cluster, patient()).await;
    for is_probe in [false, true] {
        let mut settings = settings(running.folder.path(), &cluster, patient(), Duration::ZERO);
        let (taken, option) = match is_probe {
            false => (&mut settings.listen, "--listen"),
            true => (&mut settings.probes, "--probes"),
        };
        *taken = if is_probe { running.addresses.probes } else { running.addresses.reviews };
        let taken = *taken;
        let served = crd_webhook::serve(crate::api::webhook(), &settings, std::future::pending(), |_| ()).await;
        let errors = served.unwrap_err();
        assert_eq!(errors[0].code, "webhook::address");
        assert!(errors[0].message.starts_with(&format!("cannot listen on {taken}: ")), "{}", errors[0].message);
        let help = format!("end the other process, or name another port with `{option}`");
        assert_eq!(errors[0].help.as_deref(), Some(&*help));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_channel_that_the_bundle_does_not_have_ends_the_process() {
    let cluster = Cluster::new(Content::default());
    let folder = tempfile::TempDir::new().unwrap();
    let settings = settings(folder.path(), &cluster, patient(), Duration::ZERO);
    let bundle =
        crd_webhook::Bundle::of_crds("home", "home.example.com", "v1.0.0", Default::default(), None, &[]).unwrap();
    let served = crd_webhook::serve(crd_webhook::Webhook::new(bundle), &settings, std::future::pending(), |_| ()).await;
    assert_eq!(served.unwrap_err()[0].code, "webhook::channel");
}
