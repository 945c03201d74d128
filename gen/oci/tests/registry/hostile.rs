//! Hostile registries: each is refused or times out, and reads are bounded.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crd_diagnostics::Diagnostic;
use crd_oci::layout::{Artifact, Blob, Layout};
use crd_oci::media_type::{FLUX_CONTENT, MANIFEST};
use crd_oci::registry::{Credentials, Reference, Registry, Timeouts};
use crd_oci::source::files;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::push::anonymous;
use super::server::{Asked, Hook, Server};

/// The name of a case, the answer to a request, and the code of the error.
type Case = (&'static str, fn(&Asked) -> Hook, &'static str);

fn registry<'c>(server: &Server, timeouts: &Timeouts, credentials: crd_oci::registry::Lookup<'c>) -> Registry<'c> {
    let reference = format!("{}/a:v1", server.host).parse::<Reference>().unwrap();
    Registry::new(reference, "pull", timeouts, credentials)
}

fn password(_: &str) -> Result<Option<Credentials>, Diagnostic> {
    Ok(Some(Credentials::Password { name: "me".to_owned(), password: "secret".to_owned() }))
}

/// The error of a source. The registry has an artefact with this layer.
fn error(server: &Server, layer: &[u8], timeouts: &Timeouts) -> Diagnostic {
    let mut layout = Layout::default();
    let layer = Blob { media_type: FLUX_CONTENT.to_owned(), title: None, bytes: layer.to_vec() };
    let manifest = layout.add(Artifact { layers: vec![layer], ..Artifact::default() });
    {
        let mut stored = server.stored.lock().unwrap();
        for (path, bytes) in layout.files().into_iter().filter(|(path, _)| path.starts_with("blobs/")) {
            let digest = path.trim_start_matches("blobs/").replace('/', ":");
            if digest == manifest.digest {
                for name in ["v1", &digest] {
                    let name = ("a".to_owned(), name.to_owned());
                    stored.manifests.insert(name, (MANIFEST.to_owned(), bytes.clone()));
                }
            }
            stored.blobs.insert(digest, bytes);
        }
    }
    files(&registry(server, timeouts, &password), false).unwrap_err().remove(0)
}

fn on(asked: &Asked, part: &str, hook: impl FnOnce() -> Hook) -> Hook {
    if asked.line.contains(part) { hook() } else { Hook::Pass }
}

fn once(text: &str) -> Hook {
    Hook::Once(text.to_owned())
}

fn redirect(to: &str) -> Hook {
    Hook::Once(format!("HTTP/1.1 307 X\r\ncontent-length: 0\r\nlocation: {to}\r\n\r\n"))
}

/// A manifest with a descriptor.
fn manifest(descriptor: &str) -> Hook {
    let config = format!(r#"{{"mediaType": "a", "size": 2, "digest": "sha256:{:064}"}}"#, 1);
    let text = format!(r#"{{"schemaVersion": 2, "config": {config}, "layers": [{descriptor}]}}"#);
    let head = format!("HTTP/1.1 200 X\r\ncontent-type: {MANIFEST}\r\ncontent-length: {}", text.len());
    Hook::Once(format!("{head}\r\n\r\n{text}"))
}

const ENDLESS: &str = "HTTP/1.1 200 X\r\ncontent-type: application/json\r\n\r\n";

const CASES: [Case; 17] = [
    (
        "other bytes",
        |it| on(it, "/blobs/", || once("HTTP/1.1 200 X\r\ncontent-length: 5\r\n\r\nsixes")),
        "oci::altered",
    ),
    ("fewer bytes", |it| on(it, "/blobs/", || once("HTTP/1.1 200 X\r\ncontent-length: 2\r\n\r\nab")), "oci::altered"),
    (
        "more bytes",
        |it| on(it, "/blobs/", || once("HTTP/1.1 200 X\r\ncontent-length: 6\r\n\r\nlayers")),
        "registry::too-large",
    ),
    (
        "a body that stops",
        |it| on(it, "/blobs/", || once("HTTP/1.1 200 X\r\ncontent-length: 9999\r\nconnection: close\r\n\r\nlayer")),
        "registry::slow",
    ),
    (
        "a closed connection",
        |it| on(it, "/blobs/", || Hook::Drip("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nlayer".to_owned(), 0)),
        "registry::unreachable",
    ),
    ("no HTTP", |_| once("220 mail.example.com ESMTP\r\n\r\n"), "registry::unreachable"),
    ("a redirect loop", |it| redirect(it.line.trim_start_matches("GET ")), "registry::redirect"),
    ("an unencrypted redirect", |_| redirect("http://192.0.2.1/v2/"), "registry::redirect"),
    ("a redirect to a file", |_| redirect("file:///etc/passwd"), "registry::redirect"),
    ("a redirect with credentials", |_| redirect("https://me:secret@192.0.2.1/"), "registry::redirect"),
    (
        "an endless challenge",
        |_| once("HTTP/1.1 401 X\r\ncontent-length: 0\r\nwww-authenticate: Basic realm=\"a\"\r\n\r\n"),
        "registry::forbidden",
    ),
    (
        "an unencrypted token server",
        |_| once("HTTP/1.1 401 X\r\ncontent-length: 0\r\nwww-authenticate: Bearer realm=\"http://192.0.2.1/\"\r\n\r\n"),
        "registry::credentials",
    ),
    (
        "a path as digest",
        |_| manifest(&format!(r#"{{"mediaType": "{FLUX_CONTENT}", "size": 1, "digest": "sha256:../../../v2/x"}}"#)),
        "oci::malformed",
    ),
    (
        "a huge layer",
        |_| {
            manifest(&format!(
                r#"{{"mediaType": "{FLUX_CONTENT}", "size": 99999999999, "digest": "sha256:{:064}"}}"#,
                0
            ))
        },
        "oci::too-large",
    ),
    (
        "a tag that changes",
        |it| {
            on(it, "/manifests/v1", || {
                manifest(&format!(r#"{{"mediaType": "{FLUX_CONTENT}", "size": 1, "digest": "sha256:{:064}"}}"#, 0))
            })
        },
        "registry::unknown",
    ),
    ("slow bytes", |it| on(it, "/blobs/", || Hook::Drip(format!("{ENDLESS}layer"), 20)), "registry::slow"),
    ("silence", |_| Hook::Drip(ENDLESS.to_owned(), 5_000), "registry::slow"),
];

#[test]
fn hostile_answers_are_refused_or_time_out() {
    let timeouts =
        Timeouts { read: Duration::from_millis(400), request: Duration::from_millis(800), ..Timeouts::default() };
    thread::scope(|scope| {
        for (name, hook, code) in CASES {
            let timeouts = &timeouts;
            scope.spawn(move || {
                let server = Server::start(hook);
                let error = error(&server, b"layer", timeouts);
                assert_eq!(error.code, code, "{name}: {error}");
                assert!(!format!("{error:?}").contains("secret"), "{name}: {error:?}");
                assert!(server.lines().len() < 8, "{name}: {:?}", server.lines());
            });
        }
    });
}

#[test]
fn answers_without_end_are_not_read() {
    let body = |status: u16| format!("HTTP/1.1 {status} X\r\n\r\n{{\"a\": \"");
    let more = "a".repeat(64 << 10);
    for (text, more, code) in [
        (body(200), &more, "registry::too-large"),
        (body(500), &more, "registry::refused"),
        (body(302), &more, "registry::refused"),
        ("HTTP/1.1 200 X\r\n".to_owned(), &format!("x: {more}\r\n"), "registry::too-large"),
        ("HTTP/1.1 200 X\r\n".to_owned(), &"x: y\r\n".repeat(1000), "registry::unreachable"),
    ] {
        let (begin, rest) = (text.clone(), more.clone());
        let server = Server::start(move |_| Hook::Endless(begin.clone(), rest.clone()));
        assert_eq!(error(&server, b"layer", &Timeouts::default()).code, code, "{text}");
        let written = loop {
            if let Some(written) = server.stored.lock().unwrap().endless {
                break written;
            }
            thread::sleep(Duration::from_millis(5));
        };
        // The limit is 4 MiB, and the rest is in buffers of the kernel.
        assert!(written < 32 << 20, "{text}: {written}");
    }
}

#[test]
fn credentials_do_not_follow_a_redirect() {
    let storage = Server::start(|_| Hook::Pass);
    let to = storage.host.clone();
    let server = Server::start(move |asked| match asked.headers.get("authorization") {
        None => once("HTTP/1.1 401 X\r\ncontent-length: 0\r\nwww-authenticate: Basic realm=\"a\"\r\n\r\n"),
        Some(_) => on(asked, "/blobs/", || redirect(&format!("http://{to}/v2/a/blobs/sha256:none"))),
    });
    assert_eq!(error(&server, b"layer", &Timeouts::default()).code, "registry::unknown");
    let stored = storage.stored.lock().unwrap();
    assert!(stored.asked.len() == 1 && !stored.asked[0].headers.contains_key("authorization"), "{:?}", stored.asked);
}

#[test]
fn a_gzip_bomb_is_not_unpacked() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&vec![b'a'; 65 << 20]).unwrap();
    let error = error(&Server::start(|_| Hook::Pass), &encoder.finish().unwrap(), &Timeouts::default());
    assert!(error.message.contains("unpacks to"), "{error}");
}

#[test]
fn the_number_of_tags_is_limited() {
    let page = |next: &str, tags: &str| {
        let text = format!("{{\"tags\": [{tags}]}}");
        Hook::Once(format!("HTTP/1.1 200 X\r\ncontent-length: {}\r\n{next}\r\n{text}", text.len()))
    };
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    let pages = Server::start(move |_| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let tags = (0..1000).map(|tag| format!("\"v{number}.{tag}.0\"")).collect::<Vec<_>>().join(",");
        page("link: </v2/a/tags/list?last=x>; rel=\"next\"\r\n", &tags)
    });
    let one = Server::start(move |_| page("", &format!("\"a\"{}", ", \"v1.0.0\"".repeat(100_000))));
    let many = Server::start(move |_| page("", &format!("\"a\"{}", ", \"v1.0.0\"".repeat(1_000_000))));
    for server in [&pages, &one, &many] {
        let error = registry(server, &Timeouts::default(), &anonymous).tags().unwrap_err();
        assert_eq!(error.code, "registry::too-large");
    }
    assert_eq!(requests.load(Ordering::Relaxed), 11);
    // Pages of one tag: their number is limited, and the time of all of them.
    let small = |pause| {
        Server::start(move |_| {
            std::thread::sleep(Duration::from_millis(pause));
            page("link: </v2/a/tags/list?last=x>; rel=\"next\"\r\n", "\"v1.0.0\"")
        })
    };
    let error = registry(&small(0), &Timeouts::default(), &anonymous).tags().unwrap_err();
    assert!(
        error.code == "registry::too-large" && error.message.ends_with("has more than 500 pages of tags"),
        "{error}"
    );
    let timeouts = Timeouts { request: Duration::from_millis(1500), ..Timeouts::default() };
    let error = registry(&small(200), &timeouts, &anonymous).tags().unwrap_err();
    assert!(error.code == "registry::slow" && error.message.contains("does not list its tags within"), "{error}");
}

#[test]
fn what_cannot_be_reached_is_named() {
    for (reference, code) in
        [("localhost:1/a:v1", "registry::unreachable"), ("127.0.0.2:1/a:v1", "registry::unreachable")]
    {
        let registry = Registry::new(reference.parse().unwrap(), "pull", &Timeouts::default(), &anonymous);
        let error = files(&registry, false).unwrap_err().remove(0);
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains("refused"), "{error}");
    }
}
