//! Reviews as an API server sends them, over TLS connections that stay open.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::objects::Case;

/// The body of the review of a creation, an update, or an update of the status.
pub(crate) fn review(case: &Case) -> Value {
    let (group, version) = case.new["apiVersion"].as_str().and_then(|text| text.split_once('/')).unwrap_or_default();
    let kind = json!({"group": group, "version": version, "kind": case.new["kind"]});
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "e911857d-c318-11e8-bbad-025000000001",
            "kind": kind,
            "requestKind": kind,
            "resource": {"group": group, "version": version, "resource": "httproutes"},
            "subResource": if case.is_status { "status" } else { "" },
            "name": case.new["metadata"]["name"],
            "namespace": case.new["metadata"]["namespace"],
            "operation": if case.old.is_some() { "UPDATE" } else { "CREATE" },
            "userInfo": {"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]},
            "object": case.new,
            "oldObject": case.old,
            "dryRun": false,
            "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "kubectl-client-side-apply", "fieldValidation": "Strict"},
        },
    })
}

/// The bytes of a request with a body.
pub(crate) fn post(body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST /validate?timeout=10s HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: kube-apiserver-admission\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// An open connection.
pub(crate) struct Connection {
    stream: TlsStream<TcpStream>,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr, ca: &str) -> Self {
        Self::try_open(address, ca).await.expect("a connection and a handshake")
    }

    /// The same; nothing if the server closes it.
    pub(crate) async fn try_open(address: SocketAddr, ca: &str) -> Option<Self> {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(ca.as_bytes()).expect("a certificate")).expect("a CA");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.expect("versions").with_root_certificates(roots).with_no_client_auth();
        let stream = TcpStream::connect(address).await.ok()?;
        stream.set_nodelay(true).expect("an option");
        let name = ServerName::try_from("127.0.0.1").expect("an address");
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.ok()?;
        Some(Self { stream, buffer: Vec::with_capacity(64 << 10) })
    }

    /// The status and the body of the answer to a request.
    pub(crate) async fn send(&mut self, request: &[u8]) -> (u16, Vec<u8>) {
        self.attempt(request).await.expect("an answer")
    }

    /// The same; nothing if the connection ends before the answer.
    pub(crate) async fn attempt(&mut self, request: &[u8]) -> Option<(u16, Vec<u8>)> {
        self.stream.write_all(request).await.ok()?;
        self.buffer.clear();
        let (head, length) = loop {
            if self.stream.read_buf(&mut self.buffer).await.ok()? == 0 {
                return None;
            }
            if let Some(end) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&self.buffer[..end]).to_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
                break (end + 4, length?);
            }
        };
        while self.buffer.len() < head + length {
            if self.stream.read_buf(&mut self.buffer).await.ok()? == 0 {
                return None;
            }
        }
        let status = String::from_utf8_lossy(&self.buffer[9..12]).parse().ok()?;
        Some((status, self.buffer[head..].to_vec()))
    }
}
