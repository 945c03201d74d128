//! `verify`: every change of a signed release is refused, also by an attacker who writes checksums and digests again. Its text is in `sessions/verify.txt`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crd_bundle::Digest;
use crd_channels_cli::Exit;
use serde_json::{Value, json};

use crate::shape;
use crate::support::{Place, Ran, files_below, program_at, things_of};

/// The key of RFC 6979, appendix A.2.5, and another key.
const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
+mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
-----END PRIVATE KEY-----
";
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7
Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
-----END PUBLIC KEY-----
";
const OTHER: &str = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt
6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==
-----END PUBLIC KEY-----
";

type Files = BTreeMap<String, Vec<u8>>;

/// A signed `dist/`.
static RELEASED: LazyLock<Files> = LazyLock::new(|| {
    let (place, catalogue) = (Place::with(&things_of("v1.0.0")), things_of("v1.0.0"));
    place.write("key", PRIVATE);
    fs::set_permissions(place.path().join("key"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let key = place.path().join("key");
    let ran = place.run(&catalogue, &["release", "v1.0.0", "--date", "2026-03-01", "--sign", key.to_str().unwrap()]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    files_below(&place.path().join("dist"))
});

fn write(files: &Files, folder: &Path) {
    for (name, bytes) in files {
        let path = folder.join("dist").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    fs::write(folder.join("key.pub"), PUBLIC).unwrap();
    fs::write(folder.join("other.pub"), OTHER).unwrap();
}

/// The exit code, the document, and the codes of the findings.
fn document(folder: &Path, arguments: &[&str]) -> (Exit, Value, Vec<String>) {
    let Ran { exit, out, err } = program_at(folder, &[&["verify", "--format", "json"], arguments].concat());
    assert_eq!(err, "");
    let document: Value = serde_json::from_str(&out).unwrap();
    let codes = document["findings"].as_array().unwrap().iter();
    let mut codes = codes.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    codes.sort();
    codes.dedup();
    (exit, document, codes)
}

/// What `verify` finds in changed files.
fn found(files: &Files, arguments: &[&str]) -> (Exit, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    write(files, folder.path());
    let (exit, _, codes) = document(folder.path(), arguments);
    (exit, codes)
}

/// Writes all checksums again.
fn repair(files: &mut Files) {
    for sums in ["", "oci/", "schemas/", "signatures/"] {
        let listed = files.iter().filter_map(|(name, bytes)| Some((name.strip_prefix(sums)?, Digest::of(bytes))));
        let listed = listed.filter(|(name, _)| *name != "SHA256SUMS" && (!sums.is_empty() || !name.contains('/')));
        let text = listed.map(|(name, digest)| format!("{digest}  {name}\n")).collect::<String>();
        files.insert(format!("{sums}SHA256SUMS"), text.into_bytes());
    }
}

#[test]
fn a_release_and_its_layout_are_verified_with_and_without_the_key() {
    let folder = tempfile::tempdir().unwrap();
    write(&RELEASED, folder.path());
    let top = RELEASED.keys().filter(|name| !name.contains('/')).count();
    for (path, verified) in [("dist", "signature"), ("dist/oci", "blob"), ("dist/release-notes.md", "checksum")] {
        let (exit, with_key, codes) = document(folder.path(), &[path, "--key", "key.pub"]);
        assert_eq!((exit, codes), (Exit::Fine, vec![]), "{with_key}");
        assert_eq!(with_key["unchecked"], json!([]));
        let (exit, without, codes) = document(folder.path(), &[path]);
        assert_eq!((exit, codes), (Exit::Fine, vec![]), "{without}");
        // What is not checked is named: each signature that the key verifies.
        assert_eq!(without["unchecked"].as_array().unwrap().len(), with_key["verified"]["signature"], "{without}");
        assert!(with_key["verified"][verified].as_u64() > Some(0), "{with_key}");
        if path == "dist" {
            assert_eq!(with_key["verified"]["signature"], top + 1 + 2 * 4);
            assert_eq!(with_key["releases"], json!(["things v1.0.0"]));
        }
        let (exit, _, codes) = document(folder.path(), &[path, "--key", "other.pub"]);
        assert!(exit == Exit::Findings && codes.contains(&"signature::wrong".to_owned()), "{path}: {codes:?}");
    }
}

#[test]
fn one_flipped_bit_of_any_file_is_refused() {
    let step = if crd_testdata::is_proof() { 1 } else { 4 };
    for name in RELEASED.keys().step_by(step) {
        let mut files = RELEASED.clone();
        let bytes = files.get_mut(name).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        assert_eq!(found(&files, &["dist"]).0, Exit::Findings, "{name}");
        if name.ends_with("SHA256SUMS") {
            continue;
        }
        repair(&mut files);
        let (exit, codes) = found(&files, &["dist", "--key", "key.pub"]);
        let expected: &[&str] = match name.split_once('/') {
            None => &["signature::wrong"],
            Some(("schemas", _)) => &["verify::provenance"],
            Some(("oci", _)) => &["oci::altered", "oci::malformed"],
            Some(_) => &["signature::bundle", "signature::wrong"],
        };
        assert_eq!(exit, Exit::Findings, "{name}");
        assert!(codes.iter().any(|code| expected.contains(&&**code)), "{name}: {codes:?}");
    }
}

/// An OCI layout whose digests an attacker writes again.
struct Layout<'f>(&'f mut Files);

impl Layout<'_> {
    fn index(&mut self, change: impl FnOnce(&mut Vec<Value>)) {
        let index = self.0.get_mut("oci/index.json").unwrap();
        let mut value: Value = serde_json::from_slice(index).unwrap();
        change(value["manifests"].as_array_mut().unwrap());
        *index = value.to_string().into_bytes();
    }

    fn read(&self, descriptor: &Value) -> Value {
        let digest = descriptor["digest"].as_str().unwrap().replace(':', "/");
        serde_json::from_slice(&self.0[&format!("oci/blobs/{digest}")]).unwrap()
    }

    fn store(&mut self, bytes: &[u8], descriptor: &mut Value) {
        let digest = Digest::of(bytes);
        self.0.insert(format!("oci/blobs/sha256/{digest}"), bytes.to_vec());
        descriptor["digest"] = format!("sha256:{digest}").into();
        descriptor["size"] = bytes.len().into();
    }

    /// Replaces the first manifest of the index with this artifact type.
    fn replace(&mut self, artifact_type: &str, change: impl FnOnce(&mut Self, &mut Value)) {
        let index: Value = serde_json::from_slice(&self.0["oci/index.json"]).unwrap();
        let at =
            index["manifests"].as_array().unwrap().iter().position(|of| of["artifactType"] == artifact_type).unwrap();
        let mut descriptor = index["manifests"][at].clone();
        let old = descriptor["digest"].as_str().unwrap().replace(':', "/");
        let mut manifest = self.read(&descriptor);
        change(self, &mut manifest);
        self.0.remove(&format!("oci/blobs/{old}"));
        self.store(manifest.to_string().as_bytes(), &mut descriptor);
        self.index(|manifests| manifests[at] = descriptor);
    }
}

const SBOM: &str = "application/vnd.cyclonedx+json";
const SIGNATURE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

/// What an attacker changes, and the codes of some of what `verify dist --key` finds.
type Case = (&'static str, fn(&mut Files), &'static [&'static str]);

const CASES: &[Case] = &[
    ("a file is added", |files| _ = files.insert("a.yaml".into(), vec![]), &["verify::provenance", "verify::unsigned"]),
    (
        "a file is removed, with its signature",
        |files| files.retain(|name, _| !name.contains("standard-install.yaml")),
        &["verify::provenance"],
    ),
    (
        "the signatures are removed",
        |files| files.retain(|name, _| !name.starts_with("signatures")),
        &["verify::unsigned"],
    ),
    (
        "a signature is removed",
        |files| _ = files.remove("signatures/guardrails.yaml.sigstore.json"),
        &["verify::unsigned"],
    ),
    (
        "the provenance is removed",
        |files| _ = files.remove("signatures/provenance.sigstore.json"),
        &["verify::unsigned"],
    ),
    (
        "a signature of another file",
        |files| copy(files, "signatures/release-notes.md.sigstore.json", "signatures/guardrails.yaml.sigstore.json"),
        &["signature::wrong"],
    ),
    (
        "a file is another signed file",
        |files| copy(files, "release-notes.md", "guardrails.yaml"),
        &["signature::wrong"],
    ),
    (
        "the signature of an artefact as provenance of files",
        |files| {
            let mut layout = Layout(files);
            let mut bundle = Vec::new();
            layout.replace(SIGNATURE, |layout, manifest| {
                bundle = layout.read(&manifest["layers"][0]).to_string().into_bytes();
            });
            files.insert("signatures/provenance.sigstore.json".into(), bundle);
        },
        &["verify::provenance"],
    ),
    ("a folder is changed", |files| _ = files.insert("schemas/a.json".into(), vec![]), &["verify::provenance"]),
    (
        "a blob is added",
        |files| _ = files.insert(format!("oci/blobs/sha256/{}", Digest::of("")), vec![]),
        &["verify::files"],
    ),
    ("a blob is removed", |files| _ = files.remove(&blob_of(files, SBOM)), &["file::io"]),
    (
        "another SBOM",
        |files| {
            Layout(files).replace(SBOM, |layout, manifest| layout.store(b"{}", &mut manifest["layers"][0]));
        },
        &["verify::provenance"],
    ),
    (
        "a referrer is removed",
        |files| Layout(files).index(|manifests| manifests.retain(|of| of["artifactType"] != SBOM)),
        &["verify::provenance", "verify::files"],
    ),
    (
        "the subject is another artefact",
        |files| {
            Layout(files).replace(SIGNATURE, |layout, manifest| {
                let mut named = Vec::new();
                layout.index(|manifests| {
                    named.extend(manifests.iter().filter(|of| of["annotations"].is_object()).cloned())
                });
                let other = named.into_iter().find(|of| of["digest"] != manifest["subject"]["digest"]).unwrap();
                manifest["subject"]["digest"] = other["digest"].clone();
                manifest["subject"]["size"] = other["size"].clone();
            });
        },
        &["verify::subject", "verify::unsigned"],
    ),
    (
        "an artefact is removed, and its referrers stay",
        |files| Layout(files).index(|manifests| _ = manifests.remove(0)),
        &["verify::subject"],
    ),
    (
        "two names are exchanged",
        |files| {
            Layout(files).index(|manifests| {
                let named = |at: &usize| manifests[*at]["annotations"].is_object();
                let named = (0..manifests.len()).filter(named).collect::<Vec<_>>();
                let first = manifests[named[0]]["annotations"].take();
                manifests[named[0]]["annotations"] = manifests[named[1]]["annotations"].take();
                manifests[named[1]]["annotations"] = first;
            });
        },
        &["verify::subject"],
    ),
    ("a wrong size", |files| Layout(files).index(|manifests| manifests[0]["size"] = json!(7)), &["oci::altered"]),
    (
        "a huge size",
        |files| Layout(files).index(|manifests| manifests[0]["size"] = json!(u64::MAX)),
        &["oci::too-large"],
    ),
    (
        "a path as digest",
        |files| Layout(files).index(|manifests| manifests[0]["digest"] = json!("sha256:../../../key.pub")),
        &["oci::malformed"],
    ),
    (
        "an index that is not JSON",
        |files| _ = files.insert("oci/index.json".into(), b"[".repeat(99_999)),
        &["oci::malformed"],
    ),
    ("no artefact", |files| Layout(files).index(Vec::clear), &["verify::files"]),
    (
        "thousands of manifests",
        |files| {
            Layout(files).index(|manifests| {
                let digests = (0..20_000).map(|number| format!("sha256:{}", Digest::of(format!("{number}"))));
                let new =
                    digests.map(|digest| json!({"mediaType": manifests[0]["mediaType"], "digest": digest, "size": 2}));
                let new = new.collect::<Vec<_>>();
                manifests.extend(new);
            });
        },
        &["file::io", "verify::files"],
    ),
    (
        "the CRDs of a layer",
        |files| {
            Layout(files).index(|manifests| manifests.truncate(1));
            let index: Value = serde_json::from_slice(&files["oci/index.json"]).unwrap();
            let mut descriptor = index["manifests"][0].clone();
            let mut layout = Layout(files);
            let mut manifest = layout.read(&descriptor);
            layout.store(b"kind: Mine", &mut manifest["layers"][0]);
            layout.store(manifest.to_string().as_bytes(), &mut descriptor);
            layout.index(|manifests| manifests[0] = descriptor);
        },
        &["verify::files", "verify::unsigned"],
    ),
];

fn copy(files: &mut Files, from: &str, to: &str) {
    let bytes = files[from].clone();
    files.insert(to.into(), bytes);
}

/// The blob of the first manifest with this artifact type.
fn blob_of(files: &Files, artifact_type: &str) -> String {
    let index: Value = serde_json::from_slice(&files["oci/index.json"]).unwrap();
    let mut manifests = index["manifests"].as_array().unwrap().iter();
    let manifest = manifests.find(|of| of["artifactType"] == artifact_type).unwrap();
    format!("oci/blobs/{}", manifest["digest"].as_str().unwrap().replace(':', "/"))
}

#[test]
fn every_change_is_refused_with_checksums_that_were_written_again() {
    let mut wrong = Vec::new();
    for (name, change, expected) in CASES {
        let mut files = RELEASED.clone();
        change(&mut files);
        if files.keys().any(|name| name.starts_with("signatures/")) {
            repair(&mut files);
        }
        let (exit, codes) = found(&files, &["dist", "--key", "key.pub"]);
        if exit != Exit::Findings || !expected.iter().all(|code| codes.iter().any(|found| found == code)) {
            wrong.push(format!("{name}: {codes:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_is_not_a_file_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    write(&RELEASED, folder.path());
    let blob = folder.path().join("dist").join(blob_of(&RELEASED, SBOM));
    let (exit, ..) = document(folder.path(), &["dist/oci"]);
    assert_eq!(exit, Exit::Fine);
    // A sparse file, larger than the memory of most machines: no more is read than what is listed.
    fs::OpenOptions::new().write(true).open(&blob).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(document(folder.path(), &["dist/oci"]).2[0], "oci::altered");
    fs::remove_file(&blob).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &blob).unwrap();
    assert_eq!(document(folder.path(), &["dist/oci"]).2[0], "file::kind");
}

#[test]
fn the_document_has_its_documented_shape_with_findings_and_with_errors() {
    let schema: Value = serde_json::from_str(include_str!("../schemas/verification.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    write(&RELEASED, folder.path());
    for (arguments, expected) in [
        (&["dist", "--key", "key.pub"][..], Exit::Fine),
        (&["dist/oci", "--key", "other.pub"], Exit::Findings),
        (&["absent"], Exit::Unusable),
        (&["dist", "--key", "dist/SHA256SUMS"], Exit::Unusable),
    ] {
        let (exit, document, _) = document(folder.path(), arguments);
        assert_eq!((exit, shape::errors(&schema, &document)), (expected, vec![]), "{document}");
    }
}

/// Programs in Go take the last of keys that are equal in any case: no document of a layout has two, and none has a name in other case.
#[test]
fn keys_that_go_reads_in_another_way_are_refused() {
    let capital = |key: &str| key[..1].to_uppercase() + &key[1..];
    let mut texts = Vec::new();
    let index = String::from_utf8(RELEASED["oci/index.json"].clone()).unwrap();
    for key in ["mediaType", "digest", "size", "annotations", "artifactType", "schemaVersion", "manifests"] {
        let (name, value) = (format!("\"{key}\":"), if key == "annotations" { "{}" } else { "null" });
        for other in [key.to_owned(), capital(key), key.to_uppercase(), key.replace('s', "ſ")] {
            texts.push(index.replacen(&name, &format!("\"{other}\":{value},{name}"), 1));
            // At the end of the same object, for Go the last.
            let at = index.find(&name).unwrap();
            let end = at + index[at..].find(if at < 40 || key == "manifests" { "]}" } else { "}" }).unwrap();
            let end = if index[end..].starts_with("]}") { end + 1 } else { end };
            texts.push(format!("{},\"{other}\":{value}{}", &index[..end], &index[end..]));
        }
        texts.push(index.replacen(&name, &format!("\"{}\":", capital(key)), 1));
    }
    texts.push(index.replacen("\"mediaType\":", "\"Subject\":{},\"mediaType\":", 1));
    texts.push(index.replacen("\"annotations\":{", "\"annotations\":{\"crd-channels/Tag\":\"v9.0.0\",", 1));
    texts.push(format!("{index} {index}"));
    texts.retain(|text| *text != index);
    assert!(texts.len() > 50, "{}", texts.len());
    for text in texts {
        let mut files = RELEASED.clone();
        files.insert("oci/index.json".into(), text.clone().into_bytes());
        let (exit, codes) = found(&files, &["dist/oci"]);
        assert!(exit == Exit::Findings && codes.contains(&"oci::malformed".to_owned()), "{codes:?} {text}");
    }
}

/// The same in a manifest, a config, a list of software and a signature, whose digests are written again.
#[test]
fn each_document_of_a_release_has_one_meaning() {
    let twice = |text: &[u8]| {
        let text = String::from_utf8(text.to_vec()).unwrap();
        let name = text.trim_start().trim_start_matches('{').trim_start();
        let key = name.split('"').nth(1).unwrap();
        text.replacen('{', &format!("{{\"{}\": null,", key.to_uppercase()), 1).into_bytes()
    };
    let mut kinds = 0;
    for (name, bytes) in RELEASED.iter() {
        let is_document =
            name.ends_with(".sigstore.json") || name.ends_with(".cdx.json") || name.ends_with("oci-layout");
        let is_blob = name.starts_with("oci/blobs/") && bytes.starts_with(b"{\"") && bytes.len() < 20_000;
        if !is_document && !is_blob {
            continue;
        }
        let mut files = RELEASED.clone();
        let changed = twice(bytes);
        if is_blob {
            // Everything that names its digest.
            let (old, new) = (Digest::of(bytes).to_string(), Digest::of(&changed).to_string());
            let (old_size, new_size) = (format!("\"size\":{}", bytes.len()), format!("\"size\":{}", changed.len()));
            files.remove(name);
            files.insert(format!("oci/blobs/sha256/{new}"), changed);
            let index = String::from_utf8(files["oci/index.json"].clone()).unwrap();
            if !index.contains(&old) {
                continue;
            }
            let index = index.replace(&format!("{old}\",{old_size}"), &format!("{new}\",{new_size}"));
            files.insert("oci/index.json".into(), index.into_bytes());
        } else {
            files.insert(name.clone(), changed);
        }
        kinds += 1;
        repair(&mut files);
        let (exit, codes) = found(&files, &["dist"]);
        assert_eq!(exit, Exit::Findings, "{name}");
        assert!(codes.iter().any(|code| ["oci::malformed", "verify::files"].contains(&&**code)), "{name} {codes:?}");
    }
    assert!(kinds > 10, "{kinds}");
}
