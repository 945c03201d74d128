//! Connections, and facts about the server.

use std::io;
use std::time::Duration;

use crd_cluster::{Cluster, Limits};
use crd_diagnostics::text;
use kube::{Client, Config};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};

use crate::script::{Answer, Script, crd, ok, status};

const MIGRATION: &str = "/apis/storagemigration.k8s.io/v1";

/// The code and the message of a connection that fails.
async fn refused(script: &Script) -> (&'static str, String) {
    let Err(diagnostic) = script.connect(Limits::default()).await else { panic!("connected") };
    (diagnostic.code, diagnostic.message)
}

#[tokio::test]
async fn the_server_has_a_version_and_storage_migration() {
    let cluster = Script::new().cluster().await;
    let server = cluster.server();
    assert_eq!((server.version.as_deref(), server.minor), (Some("v1.37.1"), Some(37)));
    assert_eq!((server.serves_storage_migration, &*server.address), (Some(true), "https://cluster.example.com"));
    assert!(server.diagnostics.is_empty());
}

#[tokio::test]
async fn minors_of_vendors_and_servers_without_storage_migration_are_read() {
    let version = ok(&json!({"major": "1", "minor": "33+", "gitVersion": "v1.33.2-gke.7"}));
    let other = ok(&json!({"resources": [{"name": "other"}]}));
    for (answer, expected) in
        [(status(404, "not found"), Some(false)), (other, Some(false)), (status(403, "forbidden"), None)]
    {
        let cluster = Script::new().on("/version", [version.clone()]).on(MIGRATION, [answer]).cluster().await;
        let server = cluster.server();
        assert_eq!((server.minor, server.serves_storage_migration), (Some(33), expected));
        assert_eq!(server.diagnostics.len(), usize::from(expected.is_none()));
    }
}

#[tokio::test]
async fn a_server_that_hides_its_version_is_read_all_the_same() {
    let cluster =
        Script::new().on("/version", [status(403, "User \"me\" cannot get path \"/version\"")]).cluster().await;
    let server = cluster.server();
    assert_eq!((server.minor, server.serves_storage_migration), (None, Some(true)));
    let [diagnostic] = &*server.diagnostics else { panic!("{server:?}") };
    assert_eq!(diagnostic.code, "cluster::forbidden");
    assert!(diagnostic.help.as_ref().unwrap().contains("--verb=get --non-resource-url=/version"), "{diagnostic:?}");
}

#[tokio::test(start_paused = true)]
async fn connections_that_fail_are_explained() {
    let refusing = |answer: Answer| async { refused(&Script::new().on("/version", [answer])).await };
    assert_eq!(
        refusing(status(401, "Unauthorized")).await,
        ("cluster::unauthorized", "the server https://cluster.example.com does not accept the credentials".to_owned())
    );
    let unknown_issuer = || {
        let error = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        io::Error::other(io::Error::new(io::ErrorKind::InvalidData, error))
    };
    let (code, message) = refusing(Answer::Failure(unknown_issuer)).await;
    assert_eq!(code, "cluster::certificate");
    assert!(message.ends_with("https://cluster.example.com: invalid peer certificate: UnknownIssuer"), "{message}");
    let timed_out = || io::Error::new(io::ErrorKind::TimedOut, "deadline has elapsed");
    let (code, message) = refusing(Answer::Failure(timed_out)).await;
    assert_eq!(code, "cluster::slow");
    assert!(message.contains("within 5s"), "{message}");
    assert_eq!(refusing(Answer::Silence).await.0, "cluster::slow");
    assert_eq!(refusing(Answer::Http(200, None, b"<html>".to_vec())).await.0, "cluster::unreadable-answer");
}

/// A cluster whose connections are real.
async fn over_tcp(address: &str, limits: Limits) -> Result<Cluster, crd_diagnostics::Diagnostic> {
    let mut config = Config::new(address.parse().unwrap());
    config.default_retry = false;
    Cluster::of_client(Client::try_from(config).unwrap(), address, limits).await
}

#[tokio::test]
async fn a_server_that_does_not_run_is_unreachable() {
    // Without `listen`, the port refuses connections, and no other process gets it.
    let closed = TcpSocket::new_v4().unwrap();
    closed.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = format!("http://{}", closed.local_addr().unwrap());
    let Err(diagnostic) = over_tcp(&address, Limits { retries: 0, ..Limits::default() }).await else {
        panic!("connected")
    };
    let text = text::plain(&diagnostic);
    assert!(text.starts_with(&format!("error[cluster::unreachable]: cannot reach the server {address}: ")), "{text}");
    assert!(text.contains("onnection refused"), "{text}");
}

/// A server on a real connection. It answers the requests in this order, each on a connection of its own, and the last one again and again.
async fn server(answers: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for index in 0.. {
            let (mut connection, _) = listener.accept().await.unwrap();
            // All of the request: closing a connection with unread bytes would discard the answer.
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") && connection.read_buf(&mut request).await.is_ok_and(|read| read > 0)
            {
            }
            let answer = &answers[index.min(answers.len() - 1)];
            let _ = connection.write_all(answer.as_bytes()).await;
        }
    });
    address
}

/// An answer whose header promises this many bytes more than it has.
fn answer(body: &str, missing: usize) -> String {
    format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len() + missing)
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_requested_again() {
    let version = answer(r#"{"minor": "37", "gitVersion": "v1.37.1"}"#, 0);
    let resources = answer(r#"{"resources": []}"#, 0);
    let page = answer(r#"{"items": [{"metadata": {"name": "a"}}], "metadata": {}}"#, 0);
    let broken = answer(r#"{"items": [{"metadata""#, 100);
    let address = server(vec![version.clone(), resources.clone(), broken.clone(), page]).await;
    let cluster = over_tcp(&address, Limits::default()).await.unwrap();
    let mut seen = 0;
    let listing = cluster.objects(&crd(), "v1", &mut |_| seen += 1, &mut |_| {}).await;
    assert!(listing.is_complete, "{listing:?}");
    assert_eq!(seen, 1);
    let address = server(vec![version, resources, broken]).await;
    let cluster = over_tcp(&address, Limits { retries: 1, ..Limits::default() }).await.unwrap();
    let listing = cluster.objects(&crd(), "v1", &mut |_| {}, &mut |_| {}).await;
    assert_eq!(listing.diagnostics[0].code, "cluster::unreachable", "{listing:?}");
}

#[tokio::test]
async fn an_answer_that_stops_half_way_has_a_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let held = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        connection.write_all(answer("{\"minor\"", 100).as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_secs(600)).await;
    });
    let limits = Limits { request: Duration::from_millis(300), ..Limits::default() };
    let Err(diagnostic) = over_tcp(&address, limits).await else { panic!("connected") };
    assert_eq!(diagnostic.code, "cluster::slow", "{diagnostic:?}");
    held.abort();
}

#[test]
fn programs_without_a_runtime_can_read() {
    let script = Script::new();
    let minor = crd_cluster::run(async { Ok(script.connect(Limits::default()).await?.server().minor) });
    assert_eq!(minor.unwrap(), Some(37));
}
