//! Pushes to a registry, and what is read back from it.

use std::cell::Cell;
use std::collections::BTreeMap;

use crd_bundle::Digest;
use crd_diagnostics::Diagnostic;
use crd_oci::layout::{Artifact, Blob, Layout};
use crd_oci::registry::{Credentials, Lookup, Pushed, Reference, Registry, Timeouts, push};
use crd_oci::source::{Blobs, files};
use crd_oci::{Descriptor, Index, media_type};

use super::server::{Hook, Server};

pub(crate) struct Memory(pub(crate) BTreeMap<String, Vec<u8>>);

impl Blobs for Memory {
    fn name(&self) -> String {
        "memory".to_owned()
    }

    fn manifests(&self) -> Result<Vec<Descriptor>, Diagnostic> {
        Ok(serde_json::from_slice::<Index>(&self.0["index.json"]).unwrap().manifests)
    }

    fn unchecked(&self, _: &Descriptor, digest: Digest) -> Result<Vec<u8>, Diagnostic> {
        Ok(self.0[&format!("blobs/sha256/{digest}")].clone())
    }
}

/// A release with two channels, each with an SBOM.
pub(crate) fn release(text: &str) -> Memory {
    let mut layout = Layout::default();
    for channel in ["standard", "experimental"] {
        let layer = |media_type: &str, text: String| {
            vec![Blob { media_type: media_type.to_owned(), title: None, bytes: text.into_bytes() }]
        };
        let subject = layout.add(Artifact {
            layers: layer(media_type::FLUX_CONTENT, format!("kind: {channel}{text}")),
            name: Some((channel.to_owned(), "v1.7.0".to_owned())),
            ..Artifact::default()
        });
        let artifact_type = Some("application/vnd.cyclonedx+json".to_owned());
        let layers = layer("application/vnd.cyclonedx+json", format!("{{\"of\": \"{channel}\"}}"));
        layout.add(Artifact { artifact_type, layers, subject: Some(subject), ..Artifact::default() });
    }
    Memory(layout.files())
}

pub(crate) fn anonymous(_: &str) -> Result<Option<Credentials>, Diagnostic> {
    Ok(None)
}

fn send(server: &Server, layout: &Memory, credentials: Lookup<'_>) -> Result<Vec<Pushed>, Vec<Diagnostic>> {
    let to = format!("{}/org/api", server.host).parse::<Reference>().unwrap();
    push(layout, &to, &Timeouts::default(), credentials, false, &|_| {})
}

fn read(server: &Server, name: &str) -> Vec<(String, String)> {
    let reference = format!("oci://{}/org/api/{name}", server.host).parse::<Reference>().unwrap();
    files(&Registry::new(reference, "pull", &Timeouts::default(), &anonymous), false).unwrap()
}

#[test]
fn a_release_is_pushed_and_read_back() {
    let server = Server::start(|_| Hook::Pass);
    let pushed = send(&server, &release(""), &anonymous).unwrap();
    let shown = pushed.iter().map(|one| (one.reference.to_string(), one.was_there, one.sent, one.referrers));
    let of = |channel: &str| format!("{}/org/api/{channel}:v1.7.0", server.host);
    // The config `{}` is one blob of the model, which does not keep repositories apart.
    assert_eq!(shown.collect::<Vec<_>>(), [(of("standard"), false, 5, 1), (of("experimental"), false, 4, 1)]);
    let expected = [("crds.yaml".to_owned(), "kind: standard".to_owned())];
    assert_eq!(read(&server, "standard:v1.7.0"), expected);
    assert_eq!(read(&server, &format!("standard@{}", pushed[0].digest)), expected);
    // The tag of an artefact is written last.
    let lines = server.lines();
    let puts = lines.iter().filter(|line| line.starts_with("PUT") && line.contains("/manifests/")).collect::<Vec<_>>();
    assert!(puts[0].contains("/manifests/sha256:") && puts[1].ends_with("/standard/manifests/v1.7.0"), "{puts:?}");
    let again = send(&server, &release(""), &anonymous).unwrap();
    assert!(again.iter().all(|one| one.was_there && one.sent == 0));
    let writes = server.lines()[lines.len()..].iter().filter(|line| !line.starts_with(['G', 'H'])).count();
    assert_eq!(writes, 0);
}

#[test]
fn a_tag_never_changes() {
    let server = Server::start(|_| Hook::Pass);
    let pushed = send(&server, &release(""), &anonymous).unwrap();
    let before = server.lines().len();
    let errors = send(&server, &release("2"), &anonymous).unwrap_err();
    assert_eq!(errors.iter().map(|error| error.code).collect::<Vec<_>>(), ["registry::tag-exists"; 2]);
    assert!(errors[0].message.contains(&pushed[0].digest), "{}", errors[0]);
    assert!(server.lines()[before..].iter().all(|line| line.starts_with("GET")));
}

#[test]
fn an_interrupted_push_sends_the_rest() {
    let server = Server::start(|_| Hook::Pass);
    server.stored.lock().unwrap().uploads_left = Some(3);
    let errors = send(&server, &release(""), &anonymous).unwrap_err();
    assert!(errors[0].help.as_deref().unwrap().ends_with("run the push again: what was sent is kept"), "{}", errors[0]);
    let uploads =
        |lines: &[String]| lines.iter().filter(|line| line.starts_with("PUT") && line.contains("uploads")).count();
    let before = server.lines();
    assert_eq!(uploads(&before), 3);
    server.stored.lock().unwrap().uploads_left = None;
    send(&server, &release(""), &anonymous).unwrap();
    // The config, two layers and two SBOMs.
    assert_eq!(uploads(&server.lines()), 5);
}

#[test]
fn referrers_are_listed_in_a_tag_without_the_api() {
    let server = Server::start(|_| Hook::Pass);
    server.stored.lock().unwrap().has_referrers = false;
    let pushed = send(&server, &release(""), &anonymous).unwrap();
    let digest = pushed[0].digest.trim_start_matches("sha256:");
    let reference = format!("{}/org/api/standard", server.host).parse::<Reference>().unwrap();
    let registry = Registry::new(reference, "pull", &Timeouts::default(), &anonymous);
    let (listed, is_api) = registry.referrers(digest.parse().unwrap()).unwrap();
    assert!(!is_api && listed.len() == 1);
    assert_eq!(listed[0].artifact_type.as_deref(), Some("application/vnd.cyclonedx+json"));
    assert_eq!(registry.tags().unwrap(), [format!("sha256-{digest}"), "v1.7.0".to_owned()]);
    let before = server.lines().len();
    send(&server, &release(""), &anonymous).unwrap();
    assert!(server.lines()[before..].iter().all(|line| line.starts_with(['G', 'H'])));
}

/// A registry that accepts one header, and asks for it with these challenges.
fn guarded(accepted: &'static str, challenge: &'static str) -> Server {
    Server::start(move |asked| {
        let port = asked.headers["host"].rsplit(':').next().unwrap().to_owned();
        if asked.line.starts_with("GET /token") {
            let is_user = asked.headers.get("authorization").is_some_and(|sent| sent == "Basic bWU6c2VjcmV0");
            assert!(is_user && asked.line.contains("scope=repository%3Aorg%2Fapi%2F"), "{asked:?}");
            return Hook::Once("HTTP/1.1 200 X\r\ncontent-length: 17\r\n\r\n{\"token\": \"abcd\"}".to_owned());
        }
        match asked.headers.get("authorization").is_some_and(|sent| sent == accepted) {
            true => Hook::Pass,
            false => {
                let challenge = challenge.replace("PORT", &port);
                Hook::Once(format!("HTTP/1.1 401 X\r\ncontent-length: 0\r\nwww-authenticate: {challenge}\r\n\r\n"))
            }
        }
    })
}

#[test]
fn credentials_are_sent_when_the_registry_asks_for_them() {
    let bearer = "Bearer realm=\"http://127.0.0.1:PORT/token\",service=\"registry\",scope=\"repository:x:pull\"";
    for (accepted, challenge) in [("Basic bWU6c2VjcmV0", "Basic realm=\"x\""), ("Bearer abcd", bearer)] {
        let server = guarded(accepted, challenge);
        let calls = Cell::new(0);
        let lookup = |host: &str| {
            assert_eq!(host, server.host);
            calls.set(calls.get() + 1);
            Ok(Some(Credentials::Password { name: "me".to_owned(), password: "secret".to_owned() }))
        };
        assert_eq!(send(&server, &release(""), &lookup).unwrap().len(), 2);
        // Once for each repository.
        assert_eq!(calls.get(), 2);
        let wrong = |_: &str| Ok(Some(Credentials::Password { name: "me".to_owned(), password: "wrong".to_owned() }));
        if challenge.starts_with("Basic") {
            let error = send(&server, &release(""), &wrong).unwrap_err().remove(0);
            assert_eq!(error.code, "registry::forbidden");
            assert!(!format!("{error:?}").contains("wrong"), "{error:?}");
        }
    }
}
