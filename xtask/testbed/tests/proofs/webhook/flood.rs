//! The largest bodies that the webhook takes, from many connections at once: its memory is bounded, and it goes on.

use std::time::Instant;

use crd_channels::Channel;
use serde_json::json;
use tempfile::TempDir;

use super::requests::{Connection, post, review};
use super::{PATIENCE, Process, route, write_certificate};
use crate::objects::Case;
use crate::server::{Crds, server};

/// The limit of one body.
const BODY: usize = 7 << 20;
/// The connections that send at once.
const CONNECTIONS: usize = 48;
/// The limit of the manifests for a container, in MiB.
const MOST_MEBIBYTES: u64 = 256;

/// The limit of the values of one body.
const VALUES: usize = 300_000;

/// A review of nearly the largest size, with nearly as many values as are permitted. Each of them is an error, and has many more bytes in memory.
fn largest() -> Vec<u8> {
    let mut object = route("large", &json!([]));
    object["metadata"]["namespace"] = json!("default");
    object["spec"]["text"] = json!("");
    let empty = review(&Case::create(&object)).to_string();
    let values = vec!["1"; VALUES - 100].join(",");
    let text = "x".repeat(BODY - empty.len() - values.len() - 64);
    let body = empty.replace("\"rules\":[]", &format!("\"rules\":[{values}]"));
    let body = body.replace("\"text\":\"\"", &format!("\"text\":\"{text}\""));
    assert!(body.len() <= BODY && body.len() > BODY - 256, "{}", body.len());
    post(body.as_bytes())
}

#[test]
fn memory_is_bounded_under_the_largest_bodies() {
    let Some(server) = server(Crds::Experimental) else { return };
    let folder = TempDir::new().expect("a folder");
    let ca = write_certificate(folder.path());
    let process = Process::start(server, Channel::Experimental, folder.path(), "");
    let rounds = if crd_testdata::is_proof() { 4 } else { 1 };
    let connections = if crd_testdata::is_proof() { CONNECTIONS } else { 16 };
    let request = std::sync::Arc::new(largest());
    server.block_on(async {
        process.wait_until_ready().await;
        let before = process.peak_mebibytes();
        let mut clients = tokio::task::JoinSet::new();
        for _ in 0..connections {
            let (request, ca, address) = (request.clone(), ca.clone(), process.reviews);
            clients.spawn(async move {
                let mut answered = 0;
                for _ in 0..rounds {
                    // A body that waits too long for its place gets 503 before it was read, and its connection ends.
                    // So does one whose handshake takes too long, on a busy machine.
                    let Some(mut connection) = Connection::try_open(address, &ca).await else { continue };
                    match connection.attempt(&request).await {
                        Some((200, _)) => answered += 1,
                        Some((408 | 503, _)) | None => {}
                        Some((status, body)) => panic!("{status} {}", String::from_utf8_lossy(&body)),
                    }
                }
                answered
            });
        }
        let mut answered = clients.join_all().await.into_iter().sum::<usize>();
        let begun = Instant::now();
        // On a busy machine, all of them can wait for too long. Alone, one is answered.
        while answered == 0 {
            assert!(begun.elapsed() < PATIENCE, "no review is answered");
            let Some(mut connection) = Connection::try_open(process.reviews, &ca).await else { continue };
            answered += usize::from(matches!(connection.attempt(&request).await, Some((200, _))));
        }
        let after = process.peak_mebibytes();
        println!(
            "{} reviews of {BODY} bytes over {connections} connections: {answered} answered, the rest refused as too many at once; peak memory {before} MiB before, {after} MiB after",
            connections * rounds
        );
        assert!(!crd_testdata::is_proof() || after < MOST_MEBIBYTES, "{after}");
        let (status, _) = Connection::open(process.reviews, &ca).await.send(&post(b"{}")).await;
        assert_eq!(status, 400);
    });
}
