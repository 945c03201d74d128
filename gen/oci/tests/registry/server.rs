//! A registry in memory, as a thread: the distribution specification in its smallest form, and hooks for hostile answers.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crd_bundle::Digest;
use crd_oci::media_type::INDEX;
use crd_oci::{Descriptor, Index};

/// A request: its line, headers in lower case, and body.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// What a registry has.
#[derive(Default)]
pub(crate) struct Stored {
    /// Manifests by repository and tag or digest, each with its media type.
    pub(crate) manifests: BTreeMap<(String, String), (String, Vec<u8>)>,
    pub(crate) blobs: BTreeMap<String, Vec<u8>>,
    pub(crate) asked: Vec<Asked>,
    /// Whether it finds referrers itself.
    pub(crate) has_referrers: bool,
    /// The bytes of answers without end, after their connections were closed.
    pub(crate) endless: Option<usize>,
    /// How many more uploads it answers; the next is closed.
    pub(crate) uploads_left: Option<usize>,
}

/// An answer of a hook: bytes to write, again and again if they are endless; nothing lets the registry answer.
pub(crate) enum Hook {
    Pass,
    Once(String),
    Endless(String, String),
    /// The bytes one by one, with so many milliseconds between them.
    Drip(String, u64),
}

pub(crate) struct Server {
    pub(crate) host: String,
    pub(crate) stored: Arc<Mutex<Stored>>,
}

pub(crate) type Answers = dyn Fn(&Asked) -> Hook + Send + Sync;

impl Server {
    pub(crate) fn start(answers: impl Fn(&Asked) -> Hook + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let stored = Arc::new(Mutex::new(Stored { has_referrers: true, ..Stored::default() }));
        let (shared, answers): (_, Arc<Answers>) = (Arc::clone(&stored), Arc::new(answers));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shared, answers) = (Arc::clone(&shared), Arc::clone(&answers));
                thread::spawn(move || serve(stream, &shared, &*answers));
            }
        });
        Self { host, stored }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.stored.lock().unwrap().asked.iter().map(|asked| asked.line.clone()).collect()
    }
}

/// Answers the requests of a connection, until it ends.
fn serve(stream: TcpStream, stored: &Mutex<Stored>, answers: &Answers) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    while let Some(asked) = read(&mut reader) {
        stored.lock().unwrap().asked.push(asked.clone());
        let written = match answers(&asked) {
            Hook::Pass => match answer(&asked, &mut stored.lock().unwrap()) {
                Some(bytes) => writer.write_all(&bytes),
                None => break,
            },
            Hook::Once(text) => writer.write_all(text.as_bytes()),
            Hook::Endless(text, more) => {
                let mut written = text.len();
                let _ = writer.write_all(text.as_bytes());
                while writer.write_all(more.as_bytes()).is_ok() {
                    written += more.len();
                }
                stored.lock().unwrap().endless = Some(written);
                break;
            }
            Hook::Drip(text, pause) => {
                for byte in text.bytes() {
                    thread::sleep(std::time::Duration::from_millis(pause));
                    if writer.write_all(&[byte]).is_err() {
                        break;
                    }
                }
                break;
            }
        };
        if written.is_err() {
            break;
        }
    }
    let _ = writer.shutdown(Shutdown::Both);
}

fn read(reader: &mut impl BufRead) -> Option<Asked> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let headers = lines.iter().skip(1).filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect::<BTreeMap<_, _>>();
    let mut body = vec![0; headers.get("content-length").map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { line: lines[0].trim_end_matches(" HTTP/1.1").to_owned(), headers, body })
}

pub(crate) fn response(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// The answer of a registry; nothing closes the connection.
fn answer(asked: &Asked, stored: &mut Stored) -> Option<Vec<u8>> {
    let (method, path) = asked.line.split_once(" /v2/").unwrap();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let (repository, kind, name) = ["/manifests/", "/blobs/uploads/", "/blobs/", "/referrers/", "/tags/"]
        .iter()
        .find_map(|kind| {
            path.split_once(kind).map(|(repository, name)| (repository.to_owned(), *kind, name.to_owned()))
        })
        .unwrap();
    let not_found = || response(404, "", if method == "HEAD" { b"" } else { br#"{"errors":[{"code":"UNKNOWN"}]}"# });
    let found = |body: &[u8], media_type: &str| {
        let mut bytes = response(200, &format!("content-type: {media_type}\r\n"), body);
        if method == "HEAD" {
            bytes.truncate(bytes.len() - body.len());
        }
        bytes
    };
    Some(match (method, kind) {
        ("POST", _) => {
            if stored.uploads_left == Some(0) {
                return None;
            }
            stored.uploads_left = stored.uploads_left.map(|left| left - 1);
            response(202, &format!("location: /v2/{repository}/blobs/uploads/1?state=a\r\n"), b"")
        }
        ("PUT", "/blobs/uploads/") => {
            let digest = query.split_once("digest=").unwrap().1;
            assert_eq!(digest, format!("sha256:{}", Digest::of(&asked.body)));
            stored.blobs.insert(digest.to_owned(), asked.body.clone());
            response(201, "", b"")
        }
        ("PUT", "/manifests/") => {
            let manifest = (asked.headers["content-type"].clone(), asked.body.clone());
            let digest = format!("sha256:{}", Digest::of(&asked.body));
            stored.manifests.insert((repository.clone(), name), manifest.clone());
            stored.manifests.insert((repository, digest), manifest);
            response(201, "", b"")
        }
        (_, "/manifests/") => match stored.manifests.get(&(repository, name)) {
            Some((media_type, bytes)) => found(bytes, media_type),
            None => not_found(),
        },
        (_, "/blobs/") => match stored.blobs.get(&name) {
            Some(bytes) => found(bytes, "application/octet-stream"),
            None => not_found(),
        },
        (_, "/tags/") => {
            let names = stored.manifests.keys().filter(|(known, name)| *known == repository && !name.contains(':'));
            let tags = names.map(|(_, name)| name).collect::<Vec<_>>();
            found(serde_json::json!({ "tags": tags }).to_string().as_bytes(), "application/json")
        }
        (_, "/referrers/") if stored.has_referrers => found(&about(stored, &repository, &name), INDEX),
        _ => not_found(),
    })
}

/// The index of the manifests about one with this digest.
fn about(stored: &Stored, repository: &str, digest: &str) -> Vec<u8> {
    let is_about = |bytes: &[u8]| {
        let manifest = serde_json::from_slice::<serde_json::Value>(bytes).unwrap();
        manifest["subject"]["digest"].as_str() == Some(digest)
    };
    let manifests = stored.manifests.iter().filter(|((known, name), _)| known == repository && name.contains(':'));
    let about = manifests.filter(|(_, (_, bytes))| is_about(bytes));
    let manifests = about.map(|(_, (media_type, bytes))| Descriptor::of(media_type, bytes)).collect();
    serde_json::to_vec(&Index { manifests, ..Index::default() }).unwrap()
}
