//! Tests of the history archive: what is written is read again, and other content is refused with all its errors.

use std::io::Read as _;

use crd_diagnostics::text::one_line;
use lzma_rust2::XzReader;
use serde_json::json;

use super::*;
use crate::published::limits::MOST_UNPACKED;

/// A CRD of things with this schema of `spec`, with stamps and text.
fn thing(spec: Value) -> CustomResourceDefinition {
    let value = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "annotations": {"a.b/bundle-version": "v1.0.0", "a.b/channel": "standard", "a.b/kept": "yes"},
            "name": "things.a.b"
        },
        "spec": {
            "group": "a.b",
            "names": {"kind": "Thing", "plural": "things"},
            "scope": "Namespaced",
            "versions": [{
                "additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": ".a", "description": "text"}],
                "deprecated": true,
                "deprecationWarning": "text",
                "name": "v1",
                "schema": {"openAPIV3Schema": {"type": "object", "description": "text", "properties": {"spec": spec}}},
                "served": true,
                "storage": true
            }]
        }
    });
    CustomResourceDefinition::from_value(&value).unwrap()
}

fn text() -> Value {
    json!({"type": "string", "title": "text", "example": "text", "enum": ["A", "B"]})
}

fn number() -> Value {
    json!({"type": "integer"})
}

fn release(version: &str, crds: Vec<CustomResourceDefinition>) -> Release {
    let channels = [(Channel::Standard, crds.into_iter().map(Arc::new).collect())].into();
    Release { released: "2026-01-02".parse().ok(), ..Release::new(version, version.parse().ok(), channels) }
}

fn packed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, text) in files {
        let mut header = tar::Header::new_ustar();
        header.set_path(path).unwrap();
        header.set_size(text.len() as u64);
        header.set_cksum();
        tar.append(&header, text.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap()
}

fn read(bytes: impl Into<Vec<u8>>) -> Result<HistoryArchive, Vec<String>> {
    HistoryArchive::read(Input::new("h", bytes)).map_err(|errors| errors.iter().map(one_line).collect())
}

/// The errors without the help, which is the same of all.
#[track_caller]
fn errors(files: &[(&str, &str)]) -> Vec<String> {
    let errors = HistoryArchive::read(Input::new("h", packed(files))).unwrap_err();
    assert!(errors.iter().all(|error| error.code == MALFORMED && error.help.is_some()));
    errors.into_iter().map(|error| one_line(&Diagnostic { help: None, ..error })).collect()
}

/// The files of an archive with their texts.
fn files(bytes: &[u8]) -> Vec<(String, String)> {
    let mut archive = tar::Archive::new(XzReader::new(bytes, false));
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        (entry.path().unwrap().display().to_string(), text)
    });
    entries.collect()
}

#[test]
fn what_is_written_is_read_again_without_text_and_stamps() {
    let archive = HistoryArchive::new([
        release("v1.10.0", vec![thing(number())]),
        release("v1.9.0", vec![thing(text())]),
        release("v1.9.1", vec![thing(text())]),
    ]);
    let bytes = archive.to_bytes().unwrap();
    assert_eq!(bytes, archive.to_bytes().unwrap());
    let back = read(&*bytes).unwrap();
    assert_eq!(back, archive);
    let files = files(&bytes);
    let paths = files.iter().map(|(path, _)| &**path).collect::<Vec<_>>();
    assert_eq!(paths, ["history.json", "v1.9.0/standard/things.a.b.json", "v1.10.0/standard/things.a.b.json"]);
    let [old, same, new] = back.releases() else { panic!("{back:?}") };
    let crd = |release: &Release| release.channels[&Channel::Standard][0].clone();
    assert!(Arc::ptr_eq(&crd(old), &crd(same)));
    assert_ne!(crd(old), crd(new));
    assert_eq!(old.released.unwrap().date(), "2026-01-02");
    assert_eq!(crd(old).annotations.keys().collect::<Vec<_>>(), ["a.b/kept"]);
    assert!(!files[1].1.contains("text"), "{}", files[1].1);
    assert!(files[1].1.contains(r#""enum":["A","B"]"#));
}

#[test]
fn a_crd_that_returns_has_a_file_again() {
    let archive = HistoryArchive::new([
        release("v1.0.0", vec![thing(text())]),
        release("v1.1.0", Vec::new()),
        release("v1.2.0", vec![thing(text())]),
    ]);
    let bytes = archive.to_bytes().unwrap();
    assert_eq!(files(&bytes).len(), 3);
    assert_eq!(read(bytes).unwrap(), archive);
}

#[test]
fn all_errors_are_reported_together() {
    let crd = super::text(&thing(number()));
    let index = r#"{"format": 1, "releases": [
        {"version": "v1.0.0", "released": "2026-01-02", "channels": {"standard": ["things.a.b", "broken.a.b", "wrong.a.b"]}},
        {"version": "v1.1.0", "released": "2026-01-02", "channels": {"standard": ["things.a.b", "things.a.b", "broken.a.b", "new.a.b"]}},
        {"version": "v1.1.0", "released": "2026-01-02", "channels": {}},
        {"version": "v1.0.1", "released": "2026-01-02", "channels": {}},
        {"version": "v2.0.0-rc.1", "released": "today", "channels": {"beta": [], "standard": 1}},
        {"version": 1, "released": "2026-01-02"}
    ]}"#;
    assert_eq!(
        errors(&[
            ("history.json", index),
            ("v1.0.0/standard/things.a.b.json", &crd),
            ("v1.0.0/standard/broken.a.b.json", "[]"),
            ("v1.0.0/standard/wrong.a.b.json", &crd),
            ("v1.0.0/standard/extra.a.b.json", &crd),
            ("v1.0.0/standard/extra.a.b.json", &crd),
        ]),
        [
            "h!v1.0.0/standard/extra.a.b.json: this file is in the archive twice",
            "h!history.json: v1.1.0 must be listed once, after all lower versions",
            "h!history.json: v1.0.1 must be listed once, after all lower versions",
            "h!history.json: release 5: v2.0.0-rc.1 is a pre-release, and only stable releases are kept",
            "h!history.json: release 5: `today` is not a release date: write a date such as 2026-11-21 (its midnight in UTC) or a \
             moment such as 2026-11-21T16:53:52Z, between 1970 and 2106",
            "h!history.json: release 5: `beta` is not a channel",
            "h!history.json: release 5: the channel standard must be a list of names of CRDs",
            "h!history.json: release 6: `` is not a bundle version: it does not begin with `v`. Write vMAJOR.MINOR.PATCH, such as \
             v1.6.1, or a pre-release such as v1.7.0-rc.1",
            "h!history.json: release 6: `channels` must be a map of channels",
            "h!v1.0.0/standard/extra.a.b.json: `history.json` does not list this file",
            "h!v1.0.0/standard/broken.a.b.json: expected an object, found a list",
            "h!v1.0.0/standard/wrong.a.b.json: this is the CRD `things.a.b`",
            "h!v1.1.0/standard/new.a.b.json: this file is missing, and the previous release does not have the CRD",
            "h!v1.1.0/standard/things.a.b.json: `history.json` lists this CRD twice",
        ]
    );
}

#[test]
fn an_archive_without_a_list_or_of_another_format_is_refused() {
    let of = |index| errors(&[("history.json", index)]);
    assert_eq!(errors(&[("a.json", "{}")])[0], "h: the archive has no `history.json`");
    assert_eq!(of("{")[0], "h!history.json: this is not valid JSON: EOF while parsing an object at line 1 column 1");
    assert_eq!(of("{}"), ["h!history.json: `format` is missing", "h!history.json: `releases` must be a list"]);
    assert_eq!(
        of(r#"{"format": 2, "releases": {}}"#),
        ["h!history.json: the format is 2, and this version reads format 1"]
    );
}

#[test]
fn hostile_archives_are_refused() {
    let archive = HistoryArchive::new([release("v1.0.0", vec![thing(text())])]);
    let bytes = archive.to_bytes().unwrap();
    for length in [6, 12, bytes.len() / 2, bytes.len() - 1] {
        assert!(read(&bytes[..length]).is_err(), "{length}");
    }
    // The check of the block.
    let mut damaged = bytes.clone();
    let end = damaged.len() - 40;
    damaged[end] ^= 1;
    assert!(read(damaged).is_err());
    let index = r#"{"format":1,"releases":[{"version":"v1.0.0","released":"2026-01-02","channels":{"standard":["things.a.b"]}}]}"#;
    let of = |crd: &str| errors(&[("history.json", index), ("v1.0.0/standard/things.a.b.json", crd)]).remove(0);
    assert_eq!(
        of(&"{".repeat(MOST_MAPS + 1)),
        format!("h: the CRDs have more than {MOST_MAPS} maps, which is a hundred times those of Gateway API")
    );
    assert!(of(&"[".repeat(100_000)).contains("recursion limit exceeded"));
    assert_eq!(
        of(&" ".repeat(MOST_CRD_BYTES + 1)),
        "h!v1.0.0/standard/things.a.b.json: this CRD is 3072 KiB as JSON, and no API server takes more than 3072 KiB"
    );
    // A few kilobytes that unpack to more than is unpacked.
    let mut bomb = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_path("zeros.bin").unwrap();
    header.set_size(2 * MOST_UNPACKED);
    header.set_cksum();
    let mut zeros = io::repeat(0).take(MOST_UNPACKED + (1 << 20));
    io::Write::write_all(&mut bomb, header.as_bytes()).unwrap();
    io::copy(&mut zeros, &mut bomb).unwrap();
    let found = read(bomb.finish().unwrap()).unwrap_err();
    assert!(found[0].contains("unpacks to 256 MiB or more"), "{found:?}");
    // The header asks for a dictionary of 4 GiB.
    let mut options = XzOptions::with_preset(0);
    options.lzma_options.dict_size = 256 << 20;
    let large = XzWriter::new(Vec::new(), options);
    let mut large = large.unwrap();
    io::Write::write_all(&mut large, &packed(&[("history.json", "{}")])).unwrap();
    let found = read(large.finish().unwrap()).unwrap_err();
    assert!(found[0].contains("cannot be unpacked"), "{found:?}");
}
