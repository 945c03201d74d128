//! Hostile clients: the server answers or closes the connection, and goes on.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crd_testdata::Dice;
use crd_webhook::Limits;

use crate::api::{lamp, review};
use crate::cluster::{Cluster, Content};
use crate::running::{Answer, Running, patient, post, short};

fn bright() -> String {
    review("CREATE", &lamp("v1", &json!({"lumens": 5})), &Value::Null).to_string()
}

async fn running() -> Running {
    within(patient()).await
}

async fn within(limits: Limits) -> Running {
    Running::ready(&Cluster::new(Content::default()), limits).await
}

/// The server still answers.
async fn check_alive(running: &Running) {
    let answer = running.review(&bright()).await;
    assert!(answer.body.contains("\"allowed\":true"), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_are_no_reviews_get_an_error() {
    let running = running().await;
    let head =
        |method: &str, path: &str, headers: &str| format!("{method} {path} HTTP/1.1\r\nHost: a\r\n{headers}\r\n");
    let json = "Content-Type: application/json\r\n";
    for (request, status, text) in [
        (head("GET", "/validate", ""), 405, "reviews are sent by POST\n"),
        (head("POST", "/other", ""), 404, "the only path is /validate\n"),
        (head("POST", "/validate", "Content-Length: 0\r\n"), 415, "reviews are sent as application/json\n"),
        (
            head("POST", "/validate", &format!("{json}Transfer-Encoding: chunked\r\n")),
            411,
            "reviews are sent with a Content-Length\n",
        ),
        (
            head("POST", "/validate", &format!("{json}Content-Length: 7340033\r\n")),
            413,
            "a review has at most 7340032 bytes\n",
        ),
        (
            head("POST", "/validate", &format!("{json}Content-Length: 9223372036854775807\r\n")),
            413,
            "a review has at most 7340032 bytes\n",
        ),
        (
            head("POST", "/validate", &format!("{json}Content-Length: 0\r\n")),
            400,
            "this is not a review: the body ends too early (line 1, column 0)\n",
        ),
        (post("{\"secret\": "), 400, "this is not a review: the body ends too early (line 1, column 11)\n"),
        (
            post(&bright().replace("admission.k8s.io/v1", "admission.k8s.io/v1beta1")),
            400,
            "this is not a review: the body is not an AdmissionReview of admission.k8s.io/v1\n",
        ),
        (post(&"[".repeat(300_001)), 413, "a review has at most 300000 values\n"),
        (head("POST", "/validate", &"A: b\r\n".repeat(100)), 431, ""),
    ] {
        let mut stream = running.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        let Some(answer) = Answer::read(&mut stream).await else { panic!("no answer to {request}") };
        assert_eq!((answer.status, answer.body.as_str()), (status, text), "{request}");
        assert!(answer.closes, "{request}");
    }
    check_alive(&running).await;
    let failures = running.probe("/metrics").await.1;
    assert!(failures.contains("crd_webhook_http_failures_total{status=\"413\"} 3"), "{failures}");
    assert_eq!(running.probe("/other").await.0, 404);
    assert!(!running.probe("/metrics").await.1.contains("secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_and_truncated_clients_are_closed() {
    let running = within(short()).await;
    let request = post(&bright());
    // The head never ends, the body never ends, and nothing is sent. On a busy machine, a handshake can take too long as well.
    let connect = async || running.connect_trusting(&running.certificate).await.ok();
    if let Some(mut slow_head) = connect().await {
        let _ = slow_head.write_all(&request.as_bytes()[..20]).await;
        assert_eq!(slow_head.read(&mut [0; 1]).await.unwrap_or_default(), 0);
    }
    if let Some(mut slow_body) = connect().await {
        let _ = slow_body.write_all(&request.as_bytes()[..request.len() - 1]).await;
        let answer = Answer::read(&mut slow_body).await;
        assert!(answer.as_ref().is_none_or(|answer| answer.body == "the body took too long\n"), "{answer:?}");
    }
    let mut silent = TcpStream::connect(running.addresses.reviews).await.unwrap();
    assert_eq!(silent.read(&mut [0; 1]).await.unwrap_or_default(), 0);
    if let Some(mut truncated) = connect().await {
        let _ = truncated.write_all(&request.as_bytes()[..request.len() - 1]).await;
    }
    // The server closes a connection, and counts it afterwards.
    let is_counted = |_, metrics: &str| !metrics.contains("crd_webhook_tls_handshake_failures_total 0");
    running.wait_until("/metrics", is_counted).await;
}

/// The limit of a head begins with its first byte.
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_connection_is_not_slow() {
    // A machine that is busy for longer than a limit needs a longer one.
    for limit in [250, 1_000, 4_000, 16_000, 64_000].map(Duration::from_millis) {
        let running = within(Limits { part: limit, ..patient() }).await;
        let mut idle = running.connect().await;
        tokio::time::sleep(limit * 2).await;
        let begun = Instant::now();
        let _ = idle.write_all(post(&bright()).as_bytes()).await;
        match Answer::read(&mut idle).await {
            Some(answer) if answer.status == 200 => return,
            other => assert!(begun.elapsed() >= limit, "an idle connection is closed: {other:?}"),
        }
    }
    panic!("the machine is too busy for this test");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_in_use_is_not_idle() {
    // A machine that is busy for longer than a limit needs a longer one.
    for idle in [250, 1_000, 4_000, 16_000, 64_000].map(Duration::from_millis) {
        let running = within(Limits { idle, ..patient() }).await;
        // The server counts from its last answer, so from some time after the request before.
        let mut last = Instant::now();
        let mut used = running.connect().await;
        let (begun, mut is_used) = (Instant::now(), true);
        while is_used && begun.elapsed() < idle * 2 {
            let sent = Instant::now();
            is_used =
                used.write_all(post(&bright()).as_bytes()).await.is_ok() && Answer::read(&mut used).await.is_some();
            assert!(is_used || last.elapsed() >= idle, "a connection in use is closed after {:?}", begun.elapsed());
            last = sent;
        }
        if is_used {
            assert_eq!(
                used.read(&mut [0; 1]).await.unwrap_or_default(),
                0,
                "an idle connection is closed after its limit"
            );
            return;
        }
    }
    panic!("the machine is too busy for this test");
}

#[tokio::test]
async fn large_reviews_are_answered_on_one_thread_too() {
    let running = running().await;
    let review = review("CREATE", &lamp("v1", &json!({"lumens": 5, "room": "x".repeat(200 << 10)})), &Value::Null);
    let answer = running.review(&review.to_string()).await;
    assert!(answer.body.contains("\"allowed\":true"), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_tls_ends_the_connection_only() {
    let running = running().await;
    for bytes in [post(&bright()).into_bytes(), vec![0; 4096], vec![0x16, 3, 1, 255, 255], vec![0x80, 46, 1, 0, 2]] {
        let mut stream = TcpStream::connect(running.addresses.reviews).await.unwrap();
        stream.write_all(&bytes).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    }
    check_alive(&running).await;
}

/// Replaces, removes, repeats or inserts a value somewhere.
fn mutate(value: &mut Value, dice: &mut Dice, depth: usize) {
    let other = match dice.below(12) {
        0 => Value::Null,
        1 => json!(-1),
        2 => json!(1e300),
        3 => json!(u64::MAX),
        4 => json!("\u{0}\u{feff}é".repeat(dice.below(40))),
        5 => json!([[], {}, null]),
        6 => json!({"": {"spec": []}}),
        7 => json!(true),
        8 => json!("{\"spec\": {\"brightness\": []}}"),
        9 => json!("UPDATE"),
        10 => json!({"kubectl.kubernetes.io/last-applied-configuration": "[{"}),
        _ => json!("v1beta1"),
    };
    match value {
        Value::Object(fields) if !fields.is_empty() && depth < 8 && dice.below(8) > 0 => {
            let position = dice.below(fields.len());
            let key = fields.keys().nth(position).cloned().unwrap_or_default();
            match dice.below(10) {
                0 => drop(fields.remove(&key)),
                1 => drop(fields.insert(format!("{key}x"), other)),
                _ => mutate(fields.get_mut(&key).unwrap(), dice, depth + 1),
            }
        }
        Value::Array(items) if !items.is_empty() && dice.below(4) > 0 => {
            let position = dice.below(items.len());
            mutate(&mut items[position], dice, depth + 1);
        }
        _ => *value = other,
    }
}

/// The proof sends all of them: `cargo xtask prove webhook-fuzz`.
#[tokio::test(flavor = "multi_thread")]
async fn fuzzed_reviews_get_an_answer() {
    let running = running().await;
    let mut dice = Dice::new(17);
    let (mut accepted, mut refused, mut unread) = (0_usize, 0_usize, 0_usize);
    let all = if crd_testdata::is_proof() { 100_000 } else { 2_000 };
    let mut stream = running.connect().await;
    for _ in 0..all {
        let old = lamp("v1beta1", &json!({"lumens": 5, "room": "Hall"}));
        let object = lamp("v1", &json!({"lumens": 3, "room": "hall", "mode": "On"}));
        let mut review = match dice.below(2) {
            0 => review("CREATE", &object, &Value::Null),
            _ => review("UPDATE", &object, &old),
        };
        for _ in 0..=dice.below(3) {
            let part = match dice.below(12) {
                0 => "",
                1..=3 => "/request/oldObject",
                _ => "/request/object",
            };
            if let Some(part) = review.pointer_mut(part) {
                mutate(part, &mut dice, 0);
            }
        }
        let mut body = review.to_string().into_bytes();
        // Some are not even JSON.
        if dice.below(20) == 0 {
            let position = dice.below(body.len());
            body[position] = u8::try_from(dice.below(256)).unwrap();
        }
        let head = format!(
            "POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), &body].concat()).await.unwrap();
        let answer = Answer::read(&mut stream).await.expect("an answer");
        match answer.status {
            200 => {
                let answer: Value = serde_json::from_str(&answer.body).unwrap();
                let is_accepted = answer["response"]["allowed"].as_bool().unwrap();
                *(if is_accepted { &mut accepted } else { &mut refused }) += 1;
            }
            400 => unread += 1,
            status => panic!("{status}: {}", answer.body),
        }
        if answer.closes {
            stream = running.connect().await;
        }
    }
    println!("{all} fuzzed reviews: {accepted} accepted, {refused} refused, {unread} not read");
    assert!(accepted > all / 20 && refused > all / 10 && unread > all / 20, "{accepted} {refused} {unread}");
    check_alive(&running).await;
}
