//! Client certificates: which clients may send reviews.

use std::path::Path;
use std::sync::Arc;

use crd_webhook::ClientAuthority;
use rcgen::{CertificateParams, DnType, KeyPair};
use rustls::pki_types::{PrivateKeyDer, ServerName};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::api::{lamp, review};
use crate::cluster::{Cluster, Content};
use crate::running::{Answer, NAME, Running, patient, post};
use crate::tls::{Authority, BOTH, authority, trusting};

/// A client certificate with a common name and DNS names.
fn identity(ca: &Authority, common_name: &str, names: &[&str]) -> (rcgen::Certificate, KeyPair) {
    let names = names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let mut params = CertificateParams::new(names).unwrap();
    params.distinguished_name.push(DnType::CommonName, common_name);
    params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth];
    let key = KeyPair::generate().unwrap();
    (params.signed_by(&key, ca).unwrap(), key)
}

/// Whether reviews of a client with this certificate are answered over TLS 1.2 and 1.3.
async fn is_answered(running: &Running, identity: Option<&(rcgen::Certificate, KeyPair)>) -> Vec<bool> {
    let mut answers = Vec::new();
    for version in BOTH {
        let config = trusting(&running.certificate, &[version]);
        let config = match identity {
            None => config.with_no_client_auth(),
            Some((certificate, key)) => {
                let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
                config.with_client_auth_cert(vec![certificate.der().clone()], key).unwrap()
            }
        };
        let stream = TcpStream::connect(running.addresses.reviews).await.unwrap();
        let name = ServerName::try_from(NAME).unwrap();
        let answer = async {
            let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.ok()?;
            let body = review("CREATE", &lamp("v1", &json!({"lumens": 5})), &Value::Null).to_string();
            stream.write_all(post(&body).as_bytes()).await.ok()?;
            Answer::read(&mut stream).await
        };
        answers.push(answer.await.is_some_and(|answer| answer.body.contains("\"allowed\":true")));
    }
    answers
}

async fn running(file: &Path, names: &[&str]) -> Running {
    let (file, names) = (file.to_owned(), names.iter().map(|name| (*name).to_owned()).collect());
    let change = |settings: &mut crd_webhook::Settings| settings.clients = Some(ClientAuthority { file, names });
    Running::with_settings(&Cluster::new(Content::default()), patient(), change).await
}

#[tokio::test(flavor = "multi_thread")]
async fn only_clients_of_the_authority_and_of_a_name_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.crt");
    let (own, other) = (authority(), authority());
    std::fs::write(&file, own.pem()).unwrap();
    let server = identity(&own, "kube-apiserver", &[]);
    let named = identity(&own, "x", &["kube-apiserver"]);
    let pod = identity(&own, "a-pod", &["kube-apiserver.example.com"]);
    let foreign = identity(&other, "kube-apiserver", &["kube-apiserver"]);
    for (names, expected) in [(&["other", "kube-apiserver"][..], false), (&[], true)] {
        let running = running(&file, names).await;
        running.wait_for(200, "[+] CA of clients\n").await;
        let clients = [Some(&server), Some(&named), Some(&pod), Some(&foreign), None];
        for (client, expected) in clients.into_iter().zip([true, true, expected, false, false]) {
            assert_eq!(is_answered(&running, client).await, [expected; 2], "{names:?}");
        }
        // Probes need no certificate.
        assert_eq!(running.probe("/livez").await.0, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_of_the_authority_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.crt");
    let (old, new) = (authority(), authority());
    let clients = [identity(&old, "a", &[]), identity(&new, "a", &[])];
    let running = running(&file, &["a"]).await;
    running.wait_for(503, "[-] CA of clients: it cannot be used: No such file").await;
    assert_eq!(is_answered(&running, Some(&clients[0])).await, [false; 2]);
    for (text, is_ready, expected) in [
        (old.pem(), true, [true, false]),
        (old.pem() + &new.pem(), true, [true, true]),
        ("garbage".to_owned(), false, [true, true]),
        (String::new(), false, [true, true]),
        (new.pem(), true, [false, true]),
    ] {
        std::fs::write(&file, &text).unwrap();
        let state = if is_ready { (200, "[+] CA of clients\n") } else { (503, "[-] CA of clients: ") };
        running.wait_for(state.0, state.1).await;
        // The text of the last file can have the same state.
        for (client, expected) in clients.iter().zip(expected) {
            while is_answered(&running, Some(client)).await != [expected; 2] {}
        }
    }
}
