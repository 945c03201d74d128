//! Hostile OCI layouts: paths in digests, links, loops, bombs, and more of everything than any release has. `verify`, `diff` and `push` refuse them with
//! little memory and time, in a process of their own, and before anything is sent.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::LazyLock;

use crd_bundle::Digest;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::hostile::{entry, measured};
use crate::support::THING;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const LAYER: &str = "application/vnd.cncf.flux.content.v1.tar+gzip";
const CONFIG: &str = "application/vnd.cncf.flux.config.v1+json";

/// A good CRD.
fn crd() -> &'static str {
    static CRD: LazyLock<String> = LazyLock::new(crate::hostile::crd);
    &CRD
}

/// A layout that is being written.
#[derive(Default)]
struct Draft {
    files: BTreeMap<String, Vec<u8>>,
    /// What is a link, and where it leads.
    links: Vec<(String, String)>,
    manifests: Vec<Value>,
}

impl Draft {
    /// A good layout with one CRD.
    fn good() -> Draft {
        let mut draft = Draft::default();
        draft.bundle(&gzip(&archive(THING)));
        draft
    }

    /// Stores a blob, and returns its descriptor.
    fn blob(&mut self, media_type: &str, bytes: &[u8]) -> Value {
        let digest = Digest::of(bytes);
        self.files.insert(format!("blobs/sha256/{digest}"), bytes.to_vec());
        json!({ "mediaType": media_type, "digest": format!("sha256:{digest}"), "size": bytes.len() })
    }

    fn manifest(&mut self, layer: Value) -> Value {
        let config = self.blob(CONFIG, b"{}");
        json!({ "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [layer] })
    }

    /// Lists a manifest under the name of a release, and what states its files.
    fn list(&mut self, manifest: &Value) {
        let mut listed = self.blob(MANIFEST, manifest.to_string().as_bytes());
        let head = "channels: [standard]\nearlier: []\nformat: 1\nimported: false\nversion: v1.2.0\n";
        let text = format!("{head}files:\n- path: standard/{THING}\n  sha256: {}\n", Digest::of(crd()));
        let mut layer = self.blob("application/yaml", text.as_bytes());
        layer["annotations"] = json!({ "org.opencontainers.image.title": "bundle.yaml" });
        let mut about = self.manifest(layer);
        about["subject"] = listed.clone();
        listed["annotations"] = names("standard", "v1.2.0");
        self.manifests.push(listed);
        let about = self.blob(MANIFEST, about.to_string().as_bytes());
        self.manifests.push(about);
    }

    /// A bundle with a layer.
    fn bundle(&mut self, layer: &[u8]) {
        let layer = self.blob(LAYER, layer);
        let manifest = self.manifest(layer);
        self.list(&manifest);
    }

    /// A bundle whose manifest is changed.
    fn with(change: impl Fn(&mut Value)) -> Draft {
        let mut draft = Draft::default();
        let layer = draft.blob(LAYER, &gzip(&archive(THING)));
        let mut manifest = draft.manifest(layer);
        change(&mut manifest);
        draft.list(&manifest);
        draft
    }

    /// A good layout whose index is changed.
    fn listing(change: impl Fn(&mut Vec<Value>)) -> Draft {
        let mut draft = Draft::good();
        change(&mut draft.manifests);
        draft
    }

    fn path_of_layer(&self) -> String {
        let largest = self.files.iter().max_by_key(|(_, bytes)| bytes.len());
        largest.map(|(path, _)| path.clone()).unwrap()
    }

    fn write(mut self, folder: &Path) {
        let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": self.manifests });
        self.files.entry("index.json".to_owned()).or_insert(index.to_string().into_bytes());
        self.files.entry("oci-layout".to_owned()).or_insert(br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec());
        fs::create_dir_all(folder.join("blobs/sha256")).unwrap();
        for (path, to) in self.links {
            self.files.remove(&path);
            symlink(to, folder.join(path)).unwrap();
        }
        for (path, bytes) in self.files {
            fs::write(folder.join(path), bytes).unwrap();
        }
    }
}

fn names(repository: &str, tag: &str) -> Value {
    json!({
        "org.opencontainers.image.ref.name": format!("{repository}-{tag}"),
        "crd-channels/repository": repository, "crd-channels/tag": tag,
    })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An archive with the CRD under this name.
fn archive(name: &str) -> Vec<u8> {
    let mut bytes = entry(name.as_bytes(), b'0', crd().as_bytes());
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// What a case is, the layout, and what `verify`, `diff` and `push` answer. Nothing: they accept it.
type Case = (&'static str, fn() -> Draft, [&'static str; 3]);

const DIGEST: &str = "is not a SHA-256 digest";
/// The layout is accepted, and nothing listens at the address of the registry.
const SENT: &str = "cannot be reached";

const CASES: &[Case] = &[
    ("nothing hostile", Draft::good, ["", "", SENT]),
    (
        "a path as the digest of a manifest",
        || Draft::listing(|all| all[0]["digest"] = "sha256:../../../secret".into()),
        [DIGEST; 3],
    ),
    (
        "a path as the digest of a layer",
        || Draft::with(|manifest| manifest["layers"][0]["digest"] = "sha256:../../index.json".into()),
        [DIGEST; 3],
    ),
    (
        "a path as the digest of a config",
        || Draft::with(|manifest| manifest["config"]["digest"] = "../../../v2/other".into()),
        [DIGEST; 3],
    ),
    ("an absolute path as a digest", || Draft::listing(|all| all[0]["digest"] = "/etc/passwd".into()), [DIGEST; 3]),
    (
        "upper-case digits",
        || Draft::listing(|all| all[0]["digest"] = all[0]["digest"].to_string().to_uppercase().into()),
        [DIGEST; 3],
    ),
    (
        "another algorithm",
        || Draft::listing(|all| all[0]["digest"] = format!("sha512:{}", "a".repeat(128)).into()),
        [DIGEST; 3],
    ),
    (
        "an endless layer",
        || {
            let mut draft = Draft::good();
            draft.links.push((draft.path_of_layer(), "/dev/zero".to_owned()));
            draft
        },
        ["is a symlink", "is a symlink", SENT],
    ),
    (
        "an endless index",
        || {
            let mut draft = Draft::good();
            draft.links.push(("index.json".to_owned(), "/dev/zero".to_owned()));
            draft
        },
        ["is a symlink"; 3],
    ),
    (
        "a link in a circle",
        || {
            let mut draft = Draft::good();
            let path = draft.path_of_layer();
            draft.links.push((path.clone(), path.rsplit('/').next().unwrap().to_owned()));
            draft
        },
        ["is a symlink", "is a symlink", SENT],
    ),
    (
        "an index of 200 MB",
        || {
            let mut draft = Draft::good();
            draft.files.insert("index.json".to_owned(), vec![b' '; 200 << 20]);
            draft
        },
        ["has more than 4194304 bytes"; 3],
    ),
    (
        "an index of nested lists",
        || {
            let mut draft = Draft::good();
            draft.files.insert("index.json".to_owned(), vec![b'['; 3 << 20]);
            draft
        },
        ["is malformed"; 3],
    ),
    (
        "20,000 manifests",
        || {
            Draft::listing(|all| {
                let name = |number: usize| {
                    let mut one = all[0].clone();
                    one["annotations"] = names("standard", &format!("v1.{number}.0"));
                    one
                };
                *all = (0..20_000).map(name).collect();
            })
        },
        ["has more than 4194304 bytes"; 3],
    ),
    (
        "20,000 manifests that do not exist",
        || {
            Draft::listing(|all| {
                let absent = |number: usize| json!({ "mediaType": MANIFEST, "size": 2, "digest": format!("sha256:{}", Digest::of(number.to_string())) });
                all.extend((0..20_000).map(absent));
            })
        },
        ["has more than 10000 manifests", "cannot be read", "cannot be read"],
    ),
    (
        "a chain of 9,000 manifests",
        || {
            let mut draft = Draft::good();
            let mut subject = draft.manifests[0].clone();
            for _ in 0..9_000 {
                let layer = draft.blob("text/plain", b"x");
                let mut manifest = draft.manifest(layer);
                manifest["subject"] =
                    json!({ "mediaType": MANIFEST, "digest": subject["digest"], "size": subject["size"] });
                subject = draft.blob(MANIFEST, manifest.to_string().as_bytes());
                draft.manifests.push(subject.clone());
            }
            draft
        },
        ["", "", SENT],
    ),
    (
        "a manifest about itself",
        || Draft::with(|manifest| manifest["subject"] = manifest["layers"][0].clone()),
        ["the subject of", "has no layer with CRDs", SENT],
    ),
    (
        "an index in an index in an index",
        || {
            let mut draft = Draft::good();
            for _ in 0..3 {
                let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": draft.manifests });
                draft.manifests = vec![draft.blob(INDEX, index.to_string().as_bytes())];
            }
            draft
        },
        ["", "in an index in an index", "in an index in an index"],
    ),
    ("a size below zero", || Draft::listing(|all| all[0]["size"] = (-1).into()), ["is malformed"; 3]),
    ("a size of 2^63", || Draft::listing(|all| all[0]["size"] = (1_u64 << 63).into()), ["and the limit is"; 3]),
    (
        "a size that is too small",
        || Draft::with(|manifest| manifest["layers"][0]["size"] = 10.into()),
        ["has another size", "has another size", SENT],
    ),
    (
        "no config",
        || Draft::with(|manifest| manifest["config"]["digest"] = format!("sha256:{}", Digest::of("absent")).into()),
        ["cannot be read", "", SENT],
    ),
    (
        "no layer",
        || Draft::with(|manifest| manifest["layers"][0]["digest"] = format!("sha256:{}", Digest::of("absent")).into()),
        ["cannot be read", "cannot be read", SENT],
    ),
    (
        "no layers",
        || Draft::with(|manifest| manifest["layers"] = json!([])),
        ["is not listed by a manifest", "has no layer with CRDs", SENT],
    ),
    (
        "a manifest listed as an index",
        || Draft::listing(|all| all[0]["mediaType"] = INDEX.into()),
        ["missing field `manifests`"; 3],
    ),
    (
        "a manifest that states to be an index",
        || Draft::with(|manifest| manifest["mediaType"] = INDEX.into()),
        ["is listed as"; 3],
    ),
    ("a manifest that is an index, too", || Draft::with(|manifest| manifest["manifests"] = json!([])), ["", "", SENT]),
    (
        "two digests in one descriptor",
        || {
            let mut draft = Draft::good();
            let index = json!({ "schemaVersion": 2, "manifests": draft.manifests }).to_string();
            draft.files.insert(
                "index.json".to_owned(),
                index.replace("\"digest\"", "\"digest\":\"sha256:a\",\"digest\"").into_bytes(),
            );
            draft
        },
        ["are the same for programs in Go"; 3],
    ),
    (
        "one name for two artefacts",
        || {
            let mut draft = Draft::good();
            draft.bundle(&gzip(&archive("other.yaml")));
            draft
        },
        ["twice", "for the second time", "has two artefacts"],
    ),
    (
        "a repository that leads elsewhere",
        || Draft::listing(|all| all[0]["annotations"] = names("../../../other", "v1.2.0")),
        ["", "", "the repository is malformed"],
    ),
    (
        "a tag with a query",
        || Draft::listing(|all| all[0]["annotations"] = names("standard", "v1?digest=x")),
        ["", "", "the tag is malformed"],
    ),
    (
        "a name with an escape",
        || Draft::listing(|all| all[0]["annotations"] = names("\u{1b}[31mstandard", "v1.2.0")),
        ["", "", "the repository is malformed"],
    ),
    (
        "a layer that ends early",
        || {
            let mut draft = Draft::default();
            let whole = gzip(&archive(THING));
            draft.bundle(&whole[..whole.len() / 2]);
            draft
        },
        ["ends too early", "ends too early", SENT],
    ),
    (
        "a layer of 4 GB of zeros",
        || {
            let mut draft = Draft::default();
            draft.bundle(&bomb(&[0; 1 << 20], 4096));
            draft
        },
        ["unpacks to", "unpacks to", SENT],
    ),
    (
        "a million files in a layer",
        || {
            let mut draft = Draft::default();
            draft.bundle(&bomb(&entry(b"crd.yaml", b'0', b""), 1_000_000));
            draft
        },
        ["unpacks to", "unpacks to", SENT],
    ),
    (
        "a file outside of the layer",
        || {
            let mut draft = Draft::default();
            draft.bundle(&gzip(&archive("../../evil.yaml")));
            draft
        },
        ["does not have `", "", SENT],
    ),
    (
        "another version of layouts",
        || {
            let mut draft = Draft::good();
            draft.files.insert("oci-layout".to_owned(), br#"{"imageLayoutVersion":"9.0.0"}"#.to_vec());
            draft
        },
        ["has not the version 1.0.0"; 3],
    ),
];

/// Many copies of some bytes, compressed.
fn bomb(part: &[u8], copies: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    (0..copies).for_each(|_| encoder.write_all(part).unwrap());
    encoder.finish().unwrap()
}

#[test]
fn hostile_layouts_are_refused_with_little_memory_and_time() {
    let mut wrong = Vec::new();
    for (case, draft, expected) in CASES {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        draft().write(&root.join("oci"));
        fs::write(root.join("crd.yaml"), crd()).unwrap();
        let commands = ["verify oci", "diff crd.yaml oci-layout:oci", "push oci 127.0.0.1:1/my/api"];
        for (command, expected) in commands.iter().zip(expected) {
            let outcome = measured(case, &root, &command.split(' ').collect::<Vec<_>>());
            let is_right = match outcome.exit {
                Some(0) => expected.is_empty(),
                Some(1 | 2) => !expected.is_empty() && format!("{}{}", outcome.out, outcome.err).contains(expected),
                _ => false,
            };
            if !is_right || outcome.err.contains('\u{1b}') {
                wrong.push(format!("{case}: `{command}` does not answer `{expected}`: {outcome:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
