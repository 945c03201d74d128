//! Repositories of charts: what an index leads to, and answers that lead nowhere.

use crd_bundle::Digest;
use crd_diagnostics::Diagnostic;
use crd_oci::registry::Timeouts;
use crd_oci::registry::chart_repository::chart;

use super::server::{Asked, Hook, Server, response};

const ARCHIVE: &[u8] = b"an archive";

/// An index with a chart in each of the forms that repositories have.
fn index() -> String {
    let digest = Digest::of(ARCHIVE);
    format!(
        "apiVersion: v1\nentries:\n  lamps:\n  - {{version: 1.2.0, urls: [charts/lamps-1.2.0.tgz], digest: {digest}}}\n  \
         - {{version: v1.1.0, urls: [/moved.tgz]}}\n  - {{version: 1.0.0, urls: [charts/other.tgz], digest: {digest}}}\n  \
         - {{version: 0.9.0, urls: ['oci://registry.example.com/lamps:0.9.0']}}\n  - {{version: 0.8.0, urls: ['ftp://example.com/a.tgz']}}\n  \
         - {{version: 0.7.0}}\n  - {{version: 0.6.0, urls: [charts/loop.tgz]}}\n"
    )
}

fn answers(asked: &Asked) -> Hook {
    let text = |bytes: Vec<u8>| Hook::Once(String::from_utf8(bytes).unwrap());
    match asked.line.as_str() {
        "GET /stable/index.yaml" => text(response(200, "", index().as_bytes())),
        "GET /large/index.yaml" => text(response(200, "", b"entries: {a: 1")),
        "GET /list/index.yaml" => text(response(200, "", b"[]")),
        "GET /stable/charts/lamps-1.2.0.tgz" | "GET /files/lamps.tgz" => text(response(200, "", ARCHIVE)),
        "GET /moved.tgz" => text(response(302, "location: /files/lamps.tgz\r\n", b"")),
        "GET /stable/charts/other.tgz" => text(response(200, "", b"another archive")),
        "GET /stable/charts/loop.tgz" => text(response(302, "location: /stable/charts/loop.tgz\r\n", b"")),
        "GET /endless/index.yaml" => Hook::Endless("HTTP/1.1 200 X\r\n\r\n".to_owned(), "# \n".repeat(1 << 16)),
        _ => text(response(404, "", b"")),
    }
}

fn error(repository: &str, name: &str, version: &str) -> Diagnostic {
    chart(repository, name, version, &Timeouts::default()).unwrap_err()
}

#[test]
fn archives_are_fetched_and_compared_with_the_index() {
    let server = Server::start(answers);
    let stable = format!("http://{}/stable/", server.host);
    for version in ["1.2.0", "v1.2.0", "1.1.0"] {
        assert_eq!(chart(&stable, "lamps", version, &Timeouts::default()).as_deref(), Ok(ARCHIVE), "{version}");
    }
    // Nothing is sent but requests for files.
    assert!(server.lines().iter().all(|line| line.starts_with("GET ")));
    for (name, version, code, part) in [
        ("lamps", "2.0.0", "registry::unknown", "has no version 2.0.0"),
        ("lamp", "1.2.0", "registry::unknown", "has no chart lamp"),
        ("lamps", "1.0.0", "registry::refused", "does not have the digest"),
        ("lamps", "0.9.0", "registry::unknown", "is in a registry"),
        ("lamps", "0.8.0", "registry::redirect", "not encrypted"),
        ("lamps", "0.7.0", "registry::unknown", "answers 404"),
        ("lamps", "0.6.0", "registry::redirect", "more than 5 times"),
    ] {
        let error = error(&stable, name, version);
        assert!(error.code == code && error.message.contains(part), "{name} {version}: {error:?}");
    }
    assert_eq!(error(&stable, "lamp", "1.2.0").help.as_deref(), Some("did you mean `lamps`?"));
}

#[test]
fn wrong_repositories_are_errors() {
    let server = Server::start(answers);
    let at = |path: &str| format!("http://{}/{path}", server.host);
    for (repository, code, part) in [
        ("http://example.com/stable".to_owned(), "registry::reference", "is not the address"),
        ("example.com".to_owned(), "registry::reference", "is not the address"),
        ("https://me:secret@example.com".to_owned(), "registry::reference", "is not the address"),
        (at("nothing"), "registry::unknown", "answers 404"),
        (at("large"), "registry::refused", "is not the index"),
        (at("list"), "registry::refused", "it has no `entries`"),
        (at("endless"), "registry::too-large", "larger than"),
    ] {
        let error = error(&repository, "lamps", "1.2.0");
        assert!(error.code == code && error.message.contains(part), "{repository}: {error:?}");
    }
}
