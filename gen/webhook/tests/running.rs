//! A webhook that runs in the process of the test, and clients that speak HTTP and TLS to it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crd_diagnostics::Diagnostic;
use crd_model::channel::Channel;
use crd_webhook::{Addresses, ClusterSource, Limits, Settings, serve};
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::{CertificateDer, ServerName};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::api::webhook;
use crate::cluster::Cluster;
use crate::tls::{BOTH, trusting};

/// The name of the webhook.
pub(crate) const NAME: &str = "webhook.lamps.svc";

/// How long a test waits for a state. Only a fault reaches it: a busy machine can take minutes.
const PATIENCE: Duration = Duration::from_secs(300);

/// A running webhook.
pub(crate) struct Running {
    pub(crate) addresses: Addresses,
    pub(crate) folder: TempDir,
    pub(crate) certificate: CertificateDer<'static>,
    end: Option<oneshot::Sender<()>>,
    pub(crate) task: JoinHandle<Result<(), Vec<Diagnostic>>>,
}

/// Limits that a busy machine does not exceed.
pub(crate) fn patient() -> Limits {
    let poll = Duration::from_millis(50);
    Limits {
        handshake: PATIENCE,
        part: PATIENCE,
        pause: PATIENCE,
        idle: PATIENCE * 2,
        end: PATIENCE,
        poll,
        ..Limits::default()
    }
}

/// Limits that tests can wait for. A busy machine can exceed them, so only clients that are too slow anyway have them.
pub(crate) fn short() -> Limits {
    let short = Duration::from_millis(300);
    Limits { part: short, handshake: short, ..Limits::default() }
}

/// Writes a new certificate to a folder.
pub(crate) fn write_certificate(folder: &Path) -> CertificateDer<'static> {
    write_certificate_until(folder, (2100, 1, 1))
}

/// Writes a certificate that expires on a day.
pub(crate) fn write_certificate_until(folder: &Path, (year, month, day): (i32, u8, u8)) -> CertificateDer<'static> {
    let key = KeyPair::generate().unwrap();
    let mut parameters = CertificateParams::new(vec![NAME.to_owned()]).unwrap();
    parameters.not_after = rcgen::date_time_ymd(year, month, day);
    parameters.not_before = rcgen::date_time_ymd(2019, 1, 1);
    let certificate = parameters.self_signed(&key).unwrap();
    std::fs::write(folder.join("tls.key"), key.serialize_pem()).unwrap();
    std::fs::write(folder.join("tls.crt"), certificate.pem()).unwrap();
    certificate.der().clone()
}

pub(crate) fn settings(folder: &Path, cluster: &Cluster, limits: Limits, drain: Duration) -> Settings {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    Settings {
        channel: Channel::Standard,
        listen: any,
        probes: any,
        certificate: folder.to_owned(),
        clients: None,
        drain,
        cluster: ClusterSource::Client(cluster.client(), "https://cluster.test".to_owned()),
        limits,
    }
}

impl Running {
    /// Starts a webhook with a certificate.
    pub(crate) async fn start(cluster: &Cluster, limits: Limits) -> Self {
        Self::with_drain(cluster, limits, Duration::ZERO).await
    }

    /// The same, with a drain at its end.
    pub(crate) async fn with_drain(cluster: &Cluster, limits: Limits, drain: Duration) -> Self {
        Self::with_settings(cluster, limits, |settings| settings.drain = drain).await
    }

    /// The same, with other settings.
    pub(crate) async fn with_settings(cluster: &Cluster, limits: Limits, change: impl FnOnce(&mut Settings)) -> Self {
        let folder = TempDir::new().unwrap();
        let certificate = write_certificate(folder.path());
        let (end, ended) = oneshot::channel();
        let (started, addresses) = oneshot::channel();
        let mut settings = settings(folder.path(), cluster, limits, Duration::ZERO);
        change(&mut settings);
        let task = tokio::spawn(async move {
            let end = async { drop(ended.await) };
            serve(webhook(), &settings, end, |addresses| _ = started.send(addresses)).await
        });
        Self { addresses: addresses.await.unwrap(), folder, certificate, end: Some(end), task }
    }

    /// Starts one that is ready.
    pub(crate) async fn ready(cluster: &Cluster, limits: Limits) -> Self {
        let running = Self::start(cluster, limits).await;
        running.wait_for(200, "").await;
        running
    }

    /// Asks the process to end.
    pub(crate) fn end(&mut self) {
        let _ = self.end.take().unwrap().send(());
    }

    /// The status and the text of `/readyz` or another probe. Repeated without an answer: short limits close the connection of a busy client.
    pub(crate) async fn probe(&self, path: &str) -> (u16, String) {
        let begun = Instant::now();
        loop {
            if let Some(found) = self.try_probe(path).await {
                return found;
            }
            assert!(!self.task.is_finished() && begun.elapsed() < PATIENCE, "no answer to {path}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The same once; nothing without an answer.
    pub(crate) async fn try_probe(&self, path: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(self.addresses.probes).await.ok()?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: probes\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.ok()?;
        let answer = Answer::read(&mut stream).await?;
        Some((answer.status, answer.body))
    }

    /// Waits until `/readyz` has this status and contains a text.
    pub(crate) async fn wait_for(&self, status: u16, text: &str) -> String {
        self.wait_until("/readyz", |found, body| found == status && body.contains(text)).await
    }

    /// Waits until a probe has a status and a text that are wanted.
    pub(crate) async fn wait_until(&self, path: &str, is_wanted: impl Fn(u16, &str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let (found, body) = self.probe(path).await;
            if is_wanted(found, &body) {
                return body;
            }
            assert!(begun.elapsed() < PATIENCE, "{found}: {body}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// A client that trusts this certificate.
    pub(crate) async fn connect_trusting(
        &self,
        certificate: &CertificateDer<'static>,
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let config = trusting(certificate, &BOTH).with_no_client_auth();
        let stream = TcpStream::connect(self.addresses.reviews).await?;
        TlsConnector::from(Arc::new(config)).connect(ServerName::try_from(NAME).unwrap(), stream).await
    }

    pub(crate) async fn connect(&self) -> TlsStream<TcpStream> {
        self.connect_trusting(&self.certificate).await.unwrap()
    }

    /// Sends one review over a connection of its own.
    pub(crate) async fn review(&self, body: &str) -> Answer {
        self.try_review(body).await.unwrap()
    }

    /// The same; nothing without an answer.
    pub(crate) async fn try_review(&self, body: &str) -> Option<Answer> {
        let mut stream = self.connect_trusting(&self.certificate).await.ok()?;
        stream.write_all(post(body).as_bytes()).await.ok()?;
        Answer::read(&mut stream).await
    }
}

/// A request with a review.
pub(crate) fn post(body: &str) -> String {
    let length = body.len();
    format!(
        "POST /validate HTTP/1.1\r\nHost: {NAME}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// An answer of the server.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) closes: bool,
    pub(crate) body: String,
}

impl Answer {
    /// Reads an answer with its length; nothing if the connection ends before it.
    pub(crate) async fn read(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> Option<Self> {
        let mut bytes = Vec::new();
        let head = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let text = String::from_utf8(bytes[..head].to_vec()).unwrap().to_lowercase();
        let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let length: usize = value("content-length:")?.parse().unwrap();
        while bytes.len() < head + length {
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        }
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        let body = String::from_utf8(bytes[head..].to_vec()).unwrap();
        Some(Self { status, closes: value("connection:") == Some("close"), body })
    }
}
