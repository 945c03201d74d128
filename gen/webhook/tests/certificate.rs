//! The certificate that the server presents: bad files, and replacement while clients are connected.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crd_diagnostics::text;
use crd_webhook::{CertificateFiles, server_config};
use rcgen::{CertificateParams, KeyPair};
use rustls::SupportedProtocolVersion;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::version::{TLS12, TLS13};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::client::TlsStream;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::tls::{Authority, authority, trusting};

const HOUR: Duration = Duration::from_secs(3600);

/// 2027-01-15T08:00:00Z
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

/// A certificate for `localhost` and 127.0.0.1, and its key.
fn issue(authority: &Authority, not_before: SystemTime, not_after: SystemTime) -> [String; 2] {
    let mut params = CertificateParams::new(["localhost", "127.0.0.1", "::1"].map(str::to_owned)).unwrap();
    (params.not_before, params.not_after) = (not_before.into(), not_after.into());
    let key = KeyPair::generate().unwrap();
    [params.signed_by(&key, authority).unwrap().pem(), key.serialize_pem()]
}

fn good() -> [String; 2] {
    issue(&authority(), now() - HOUR, now() + HOUR)
}

fn write(folder: &Path, [certificate, key]: &[String; 2]) {
    fs::write(folder.join("tls.crt"), certificate).unwrap();
    fs::write(folder.join("tls.key"), key).unwrap();
}

fn state(files: &CertificateFiles, now: SystemTime) -> Result<String, &'static str> {
    files.state(now).map(|facts| facts.serial.clone()).map_err(|diagnostic| diagnostic.code)
}

#[test]
fn the_facts_are_those_of_the_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = CertificateFiles::new(folder.path().to_owned());
    assert_eq!(state(&files, now()), Err("webhook::certificate-missing"));
    write(folder.path(), &good());
    let facts = files.poll(now()).unwrap().clone();
    assert_eq!(facts.names, ["localhost", "127.0.0.1", "::1"]);
    assert_eq!((facts.not_before, facts.not_after), (now() - HOUR, now() + HOUR));
    assert_eq!(files.state(now()), Ok(&facts));
    assert_eq!(files.poll(now()), None);
    // The same content in new files is the same certificate.
    let content = fs::read(folder.path().join("tls.crt")).unwrap();
    fs::remove_file(folder.path().join("tls.crt")).unwrap();
    fs::write(folder.path().join("tls.crt"), content).unwrap();
    assert_eq!(files.poll(now()), None);
}

/// Makes a folder with good files bad.
type Damage = fn(&Path);

/// Every kind of bad content, with its code, the name of the file, and a part of the message.
const DAMAGES: &[(&str, Damage, &str, &str, &str)] = &[
    ("no folder", |folder| fs::remove_dir_all(folder).unwrap(), "certificate-missing", "tls.crt", "does not exist"),
    ("no certificate", |folder| remove(folder, "tls.crt"), "certificate-missing", "tls.crt", "does not exist"),
    ("no key", |folder| remove(folder, "tls.key"), "certificate-missing", "tls.key", "does not exist"),
    ("empty", |folder| put(folder, "tls.crt", ""), "certificate-unreadable", "tls.crt", "no certificate"),
    ("empty key", |folder| put(folder, "tls.key", ""), "certificate-unreadable", "tls.key", "no private key"),
    ("binary", |folder| put(folder, "tls.crt", "\u{0}\u{1}"), "certificate-unreadable", "tls.crt", "no certificate"),
    ("open", |folder| put(folder, "tls.crt", &open()), "certificate-unreadable", "tls.crt", "not a PEM file"),
    ("no DER", |folder| put(folder, "tls.crt", &no_der()), "certificate-unreadable", "tls.crt", "cannot be read"),
    ("swapped", swap, "certificate-unreadable", "tls.crt", "no certificate"),
    ("wrong key", |folder| put(folder, "tls.key", &good()[1]), "certificate-mismatch", "tls.key", "is not the key"),
    ("huge", |folder| put(folder, "tls.crt", &"x".repeat(1 << 21)), "certificate-unreadable", "tls.crt", "1048576"),
    ("folder", make_folder, "certificate-unreadable", "tls.key", "not a file"),
    ("expired", |folder| write(folder, &expired()), "certificate-expired", "tls.crt", "2027-01-15T07:00:00Z"),
    ("future", |folder| write(folder, &future()), "certificate-not-yet-valid", "tls.crt", "2027-01-15T09:00:00Z"),
];

fn remove(folder: &Path, file: &str) {
    fs::remove_file(folder.join(file)).unwrap();
}

fn put(folder: &Path, file: &str, content: &str) {
    fs::write(folder.join(file), content).unwrap();
}

fn open() -> String {
    "-----BEGIN CERTIFICATE-----\nAAAA\n".to_owned()
}

fn no_der() -> String {
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_owned()
}

fn swap(folder: &Path) {
    let [certificate, key] = good();
    write(folder, &[key, certificate]);
}

fn make_folder(folder: &Path) {
    remove(folder, "tls.key");
    fs::create_dir(folder.join("tls.key")).unwrap();
}

fn expired() -> [String; 2] {
    issue(&authority(), now() - 2 * HOUR, now() - HOUR)
}

fn future() -> [String; 2] {
    issue(&authority(), now() + HOUR, now() + 2 * HOUR)
}

#[test]
fn bad_files_are_an_error_at_once_if_there_never_was_a_good_certificate() {
    for (name, damage, code, file, message) in DAMAGES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("certificate");
        fs::create_dir(&path).unwrap();
        write(&path, &good());
        damage(&path);
        let mut files = CertificateFiles::new(path.clone());
        assert_eq!(files.poll(now()), None, "{name}");
        let diagnostic = files.state(now()).unwrap_err();
        assert_eq!(diagnostic.code, format!("webhook::{code}"), "{name}");
        assert_eq!(diagnostic.location.file, Some(path.join(file)), "{name}");
        assert!(diagnostic.message.contains(message), "{name}: {}", diagnostic.message);
        assert!(diagnostic.help.is_some(), "{name}");
    }
}

#[test]
fn bad_files_after_a_good_certificate_are_an_error_after_three_polls_and_its_return_ends_it() {
    for (name, damage, code, ..) in DAMAGES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("certificate");
        fs::create_dir(&path).unwrap();
        let pair = good();
        write(&path, &pair);
        let mut files = CertificateFiles::new(path.clone());
        let facts = files.poll(now()).unwrap().clone();
        damage(&path);
        // A certificate that is whole and not valid is not an unfinished replacement.
        if !["certificate-expired", "certificate-not-yet-valid"].contains(code) {
            for _ in 0..2 {
                assert_eq!(files.poll(now()), None, "{name}");
                assert_eq!(files.state(now()), Ok(&facts), "{name}");
            }
        }
        assert_eq!(files.poll(now()), None, "{name}");
        assert_eq!(state(&files, now()), Err(&*format!("webhook::{code}")), "{name}");
        fs::remove_dir_all(&path).ok();
        fs::create_dir(&path).unwrap();
        write(&path, &pair);
        // It was in use all the time.
        assert_eq!(files.poll(now()), None, "{name}");
        assert_eq!(files.state(now()), Ok(&facts), "{name}");
    }
}

#[test]
fn two_failing_polls_count_again_after_a_good_one() {
    let folder = tempfile::tempdir().unwrap();
    let (mut files, [first, second]) = (CertificateFiles::new(folder.path().to_owned()), [good(), good()]);
    write(folder.path(), &first);
    files.poll(now()).unwrap();
    for pair in [&second, &first, &second] {
        put(folder.path(), "tls.crt", &pair[0]);
        assert_eq!([files.poll(now()).cloned(), files.poll(now()).cloned()], [None, None]);
        put(folder.path(), "tls.key", &pair[1]);
        files.poll(now()).unwrap();
    }
}

#[test]
fn the_certificate_in_use_expires_at_once_and_a_future_one_becomes_valid() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = CertificateFiles::new(folder.path().to_owned());
    write(folder.path(), &good());
    files.poll(now()).unwrap();
    assert!(files.state(now() + HOUR).is_ok());
    let later = now() + HOUR + Duration::from_secs(1);
    assert_eq!(state(&files, later), Err("webhook::certificate-expired"));
    let mut files = CertificateFiles::new(folder.path().to_owned());
    write(folder.path(), &future());
    assert_eq!(files.poll(now()), None);
    assert_eq!(state(&files, now()), Err("webhook::certificate-not-yet-valid"));
    files.poll(now() + HOUR).unwrap();
}

#[test]
fn messages_contain_no_part_of_a_key() {
    let [certificate, key] = good();
    let lines = key.lines().filter(|line| !line.starts_with("-----")).collect::<Vec<_>>();
    let broken = key.replace("-----END", "----END");
    let without_begin = lines.join("\n");
    let folder = tempfile::tempdir().unwrap();
    for certificate in [&certificate, &key, &broken, &without_begin] {
        for key in [&certificate[..], &broken, &without_begin, &format!("-----BEGIN {}", lines[0])] {
            write(folder.path(), &[certificate.clone(), key.to_owned()]);
            let mut files = CertificateFiles::new(folder.path().to_owned());
            assert_eq!(files.poll(now()), None);
            let text = text::plain(&files.state(now()).unwrap_err());
            assert!(lines.iter().all(|line| !text.contains(line)), "{text}");
            assert!(!text.contains(&format!("{:?}", lines[0].as_bytes())[..20]), "{text}");
        }
    }
}

/// A server that answers each line with the same line, with the certificate of a folder. Ends with its runtime.
async fn serve(files: &CertificateFiles) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(server_config(files.resolver(), None)));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut byte = [0];
                while stream.read_exact(&mut byte).await.is_ok() {
                    stream.write_all(&byte).await.unwrap();
                    stream.flush().await.unwrap();
                }
            });
        }
    });
    address
}

async fn connect(
    address: SocketAddr,
    authority: &Authority,
    version: &'static SupportedProtocolVersion,
    alpn: &[&str],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut config = trusting(authority.der(), &[version]).with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    let stream = TcpStream::connect(address).await?;
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from("localhost").unwrap(), stream).await
}

fn presented(stream: &TlsStream<TcpStream>) -> CertificateDer<'static> {
    stream.get_ref().1.peer_certificates().unwrap()[0].clone().into_owned()
}

async fn echo(stream: &mut TlsStream<TcpStream>) {
    stream.write_all(b"a").await.unwrap();
    stream.flush().await.unwrap();
    assert_eq!(stream.read_u8().await.unwrap(), b'a');
}

/// As kubelets write a Secret volume: files are links into `..data`, which is a link to a folder.
#[cfg(unix)]
fn project(folder: &Path, name: &str, pair: &[String; 2]) {
    fs::create_dir(folder.join(name)).unwrap();
    write(&folder.join(name), pair);
    std::os::unix::fs::symlink(name, folder.join("..new")).unwrap();
    fs::rename(folder.join("..new"), folder.join("..data")).unwrap();
    for file in ["tls.crt", "tls.key"] {
        std::os::unix::fs::symlink(format!("..data/{file}"), folder.join(file)).ok();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_replaced_certificate_is_used_for_new_connections_and_old_connections_live_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = CertificateFiles::new(folder.path().to_owned());
    let address = serve(&files).await;
    // The client verifies with the clock of the machine.
    let now = SystemTime::now();
    let ca = authority();
    let refused = connect(address, &ca, &TLS13, &[]).await.unwrap_err();
    assert!(refused.to_string().contains("AccessDenied") || refused.to_string().contains("alert"), "{refused}");

    let mut connections = Vec::new();
    for round in 0..3 {
        project(folder.path(), &format!("..{round}"), &issue(&ca, now - HOUR, now + HOUR));
        files.poll(now).unwrap();
        for version in [&TLS12, &TLS13] {
            connections.push(connect(address, &ca, version, &["http/1.1"]).await.unwrap());
        }
        for connection in &mut connections {
            echo(connection).await;
        }
    }
    let mut serials = connections.iter().map(presented).collect::<Vec<_>>();
    serials.dedup();
    assert_eq!(serials.len(), 3, "each round has its own certificate");

    // The files disappear: connections, old and new, have the last good certificate.
    fs::remove_file(folder.path().join("..data")).unwrap();
    assert_eq!([files.poll(now).cloned(), files.poll(now).cloned()], [None, None]);
    assert_eq!(files.poll(now), None);
    assert_eq!(state(&files, now), Err("webhook::certificate-missing"));
    let mut last = connect(address, &ca, &TLS13, &["http/1.1"]).await.unwrap();
    assert_eq!(Some(&presented(&last)), serials.last());
    for connection in connections.iter_mut().chain([&mut last]) {
        echo(connection).await;
    }
}

#[tokio::test]
async fn clients_must_trust_the_certificate_and_speak_http_1() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = CertificateFiles::new(folder.path().to_owned());
    let (now, ca) = (SystemTime::now(), authority());
    write(folder.path(), &issue(&ca, now - HOUR, now + HOUR));
    files.poll(now).unwrap();
    let address = serve(&files).await;
    let connection = connect(address, &ca, &TLS13, &["h2", "http/1.1"]).await.unwrap();
    assert_eq!(connection.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    assert!(connect(address, &ca, &TLS13, &["h2"]).await.is_err());
    assert!(connect(address, &authority(), &TLS13, &[]).await.unwrap_err().to_string().contains("certificate"));
    echo(&mut connect(address, &ca, &TLS12, &[]).await.unwrap()).await;
}
