//! Bad input: one clear error with file and line, exit code 2, nothing written, no panic, and not more time or memory than for a good file.
//!
//! `gen/bundle/src/published/tests/bad.rs` has every variety. Here `diff` reads some, from both sides and in each format.

use std::fs;
use std::time::{Duration, Instant};

use crate::support::{Place, THING, line_of, published, things};
use crd_channels_cli::Exit;
use serde_json::Value;

const SYNTAX: &str = "Fix this line or the lines before it; if the file was cut off, fetch it again";
const NAME: &str = "Name a folder, file or archive that holds CRDs as YAML or JSON";

/// A good CRD.
fn crd() -> String {
    fs::read_to_string(published(&things()).path().join("standard").join(THING)).unwrap()
}

/// The line of a text that contains a part of it.
#[track_caller]
fn line(text: &str, part: &str) -> usize {
    line_of(text, "", part)
}

/// The errors of `diff` for a bad file named `bad.yaml`, compared with a good one.
#[track_caller]
fn errors(bytes: &[u8]) -> String {
    let place = Place::new();
    place.write("good.yaml", crd());
    place.write("bad.yaml", bytes);
    let started = Instant::now();
    let ran = place.run_unchanged(&things(), &["diff", "good.yaml", "bad.yaml"]);
    let took = started.elapsed();
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""), "{}", ran.err);
    // Idle it takes seconds; quadratic time would be hours.
    assert!(took < Duration::from_secs(600), "{took:?}");
    println!("{took:?} for {} kB", bytes.len() / 1000);
    if bytes.len() < 1_000_000 {
        // The same in the other direction and in each format.
        let reversed = place.run(&things(), &["diff", "bad.yaml", "good.yaml"]);
        assert_eq!((reversed.exit, &reversed.err), (Exit::Unusable, &ran.err));
        let json = place.run(&things(), &["diff", "good.yaml", "bad.yaml", "--format", "json"]);
        let document: Value = serde_json::from_str(&json.out).unwrap();
        assert!(!document["errors"].as_array().unwrap().is_empty(), "{document}");
        assert_eq!(document["fits"], false);
        let read = place.run_reading(bytes, &things(), &["diff", "good.yaml", "-"]);
        assert_eq!(read.err, ran.err.replace("bad.yaml", "-"));
    }
    ran.err.strip_suffix('\n').unwrap().to_owned()
}

#[track_caller]
fn is(bytes: impl AsRef<[u8]>, expected: &str) {
    assert_eq!(errors(bytes.as_ref()), format!("error: {expected}"));
}

#[test]
fn not_yaml() {
    is(
        "a: b: c\n",
        &format!("bad.yaml:1:5: this is not YAML: mapping values are not allowed in this context. {SYNTAX}"),
    );
}

#[test]
fn a_zip_archive() {
    is(
        b"PK\x03\x04abc",
        "bad.yaml: this is a zip archive, and only YAML, JSON, .tar, .tar.gz and .tar.xz are read. Unpack it, and name the CRDs in it",
    );
}

#[test]
fn a_folder_without_crds() {
    let place = Place::new();
    place.write("good.yaml", crd());
    fs::create_dir(place.path().join("empty")).unwrap();
    place.write("pods/pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n");
    place.write("readme/README.md", "# CRDs\n");
    place.write("above/standard/README.md", "# CRDs\n");
    for (folder, expected) in [
        ("empty", format!("empty: no CustomResourceDefinition found; there is no other object. {NAME}")),
        ("pods", format!("pods: no CustomResourceDefinition found; there is Pod `web` (pods/pod.yaml:1). {NAME}")),
        ("readme", format!("readme: no CustomResourceDefinition found; there is no other object. {NAME}")),
        ("above", format!("above: no CustomResourceDefinition found; there is no other object. {NAME}")),
    ] {
        let ran = place.run(&things(), &["diff", "good.yaml", folder]);
        assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Unusable, "", &*format!("error: {expected}\n")));
    }
}

/// All errors of all files are reported together, sorted by file, and each once.
#[test]
fn errors_of_all_files_are_reported_together() {
    let place = Place::new();
    place.write("good.yaml", crd());
    place.write("crds/c.yaml", crd());
    place.write("crds/a.yaml", "a: [\n");
    place.write("crds/b.yaml", b"\0");
    let ran = place.run(&things(), &["diff", "missing.yaml", "crds", "--format", "github"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, ""));
    let lines = ran.out.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("::error title=file%3A%3Aio::missing.yaml: cannot be read: "), "{}", ran.out);
    assert!(lines[1].starts_with("::error file=crds/a.yaml,line=1,col=4,title=yaml::this is not YAML"), "{}", ran.out);
    assert!(
        lines[2].starts_with("::error file=crds/b.yaml,line=1,col=1,title=binary::this is binary data"),
        "{}",
        ran.out
    );
    assert_eq!(lines.len(), 3);
    let ran = place.run(&things(), &["diff", "good.yaml", "crds", "--format", "sarif"]);
    let sarif: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (ran.exit, &sarif["runs"][0]["invocations"][0]["executionSuccessful"]),
        (Exit::Unusable, &Value::Bool(false))
    );
}

/// 10 MB of several kinds that are not a bundle, and more than is read.
#[test]
fn ten_megabytes() {
    const SIZE: usize = 10_000_000;
    let text = crd();
    let long = text.replace("A thing.", &"x".repeat(SIZE));
    let start = line(&text, "apiVersion");
    is(
        &long,
        &format!(
            "bad.yaml:{start}:1: things.things.example.com: this CRD is 9766 KiB as JSON, and no API server takes more than 3072 KiB [too-large]. Make it smaller, or read fewer CRDs at once"
        ),
    );
    is(vec![b'#'; SIZE], &format!("bad.yaml: no CustomResourceDefinition found; there is no other object. {NAME}"));
    is(
        vec![b'#'; 68_000_000],
        "bad.yaml: this is 64 MiB or more, and at most 64 MiB are read. Name the CRDs alone, or in several files",
    );
    // Many small values take longer than one large value, so these have half of the size.
    let entry = "- a: b\n";
    is(
        entry.repeat(SIZE / 2 / entry.len()),
        "bad.yaml:519481:3: this document takes more than 400 MB of memory up to here: split it into several, with `---` between them",
    );
    let document = "---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n";
    let count = SIZE / 2 / document.len();
    is(
        document.repeat(count),
        &format!(
            "bad.yaml: no CustomResourceDefinition found; there is ConfigMap `a` (bad.yaml:2), ConfigMap `a` (bad.yaml:6), ConfigMap `a` (bad.yaml:10) and {} more. {NAME}",
            count - 3
        ),
    );
}
