//! `history --format archive`: published releases and their dates become the history archive.

use super::{crd, place, text, write};
use crate::support::{Place, Ran, things};
use crd_bundle::published::{Input, texts};
use crd_channels_cli::Exit;
use flate2::Compression;
use flate2::write::GzEncoder;

const ARCHIVE: [&str; 7] = ["--format", "archive", "--dates", "dates.tsv", "--out", "history.tar.xz", "things"];

fn archive(place: &Place) -> Ran {
    place.run(&things(), &[&["history"], &ARCHIVE[..]].concat())
}

#[track_caller]
fn written(place: &Place) -> Vec<u8> {
    let ran = archive(place);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    std::fs::read(place.path().join("history.tar.xz")).unwrap()
}

/// A tar.gz of a folder, below another folder.
fn packed(place: &Place, folder: &str, below: &str) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    tar.append_dir_all(below, place.path().join(folder)).unwrap();
    tar.into_inner().unwrap().finish().unwrap()
}

fn two() -> Place {
    let place = place(&[("v1.0.0", text(5)), ("v1.1.0", text(6)), ("v1.2.0-rc.1", text(7))]);
    place.write(
        "dates.tsv",
        "version\treleased\nv0.9.0\t2020-01-01\nv1.0.0\t2021-01-01\n\nv1.1.0\t2022-01-01T01:02:03Z\n",
    );
    place
}

#[test]
fn an_archive_is_written_once_and_checked() {
    let place = two();
    let check = |place: &Place| place.run_unchanged(&things(), &[&["history", "--check"], &ARCHIVE[..]].concat());
    let ran = check(&place);
    assert_eq!(ran.exit, Exit::Stale);
    assert!(ran.err.contains("the archive is missing"), "{ran:?}");
    let ran = archive(&place);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, "note: `v1.2.0-rc.1` is left out: it is a pre-release\n"));
    assert!(ran.out.starts_with("history.tar.xz is written: 2 releases, "), "{ran:?}");
    let again = place.run_unchanged(&things(), &[&["history"], &ARCHIVE[..]].concat());
    assert_eq!((again.exit, &*again.out), (Exit::Fine, "history.tar.xz is up to date: 2 releases\n"));
    assert_eq!(check(&place).exit, Exit::Fine);
    write(&place, "things/v1.2.0/thing.json", &crd(&text(8)));
    place.write("dates.tsv", format!("{}v1.2.0 2023-01-01\n", place.read("dates.tsv")));
    let ran = check(&place);
    assert!(ran.err.contains("the archive is out of date"), "{ran:?}");
    assert_eq!((ran.exit, archive(&place).exit, check(&place).exit), (Exit::Stale, Exit::Fine, Exit::Fine));
}

#[test]
fn folders_and_archives_give_the_same_bytes() {
    let place = two();
    let bytes = written(&place);
    // A release as an archive in the folder.
    place.write("things/v1.1.0.tar.gz", packed(&place, "things/v1.1.0", "crds"));
    std::fs::remove_dir_all(place.path().join("things/v1.1.0")).unwrap();
    std::fs::remove_file(place.path().join("history.tar.xz")).unwrap();
    assert!(written(&place) == bytes);
    // All releases in one archive.
    let place = two();
    let packed = packed(&place, "things", "published/things");
    std::fs::remove_dir_all(place.path().join("things")).unwrap();
    place.write("things", packed);
    assert!(written(&place) == bytes);
}

#[test]
fn past_releases_never_change() {
    let place = two();
    let bytes = written(&place);
    write(&place, "things/v1.0.0/thing.json", &crd(&text(9)));
    std::fs::remove_dir_all(place.path().join("things/v1.1.0")).unwrap();
    let ran = place.run_unchanged(&things(), &[&["history"], &ARCHIVE[..]].concat());
    assert_eq!(ran.exit, Exit::Unusable);
    for part in [
        "has another structure or date of v1.0.0, and a past release never changes",
        "has the release v1.1.0, and a past release never changes",
    ] {
        assert!(ran.err.contains(part), "{ran:?}");
    }
    assert!(std::fs::read(place.path().join("history.tar.xz")).unwrap() == bytes);
    place.write("history.tar.xz", "something else");
    let ran = place.run_unchanged(&things(), &[&["history"], &ARCHIVE[..]].concat());
    assert_eq!(ran.exit, Exit::Unusable);
}

#[test]
fn all_errors_of_dates_and_releases_are_reported_together() {
    let place = two();
    place.write("dates.tsv", "v1.0.0 2021-01-01\nv1.0.0 2021-01-02\n1.1.0 soon\nv1.1.0\n");
    place.write("things/v1.0.0/thing.json", "[");
    let ran = place.run_unchanged(&things(), &[&["history"], &ARCHIVE[..]].concat());
    assert_eq!(ran.exit, Exit::Unusable);
    assert_eq!(ran.err.matches("error: dates.tsv:").count(), 4, "{}", ran.err);
    for part in [
        "v1.0.0 has two dates",
        "`1.1.0` is not a bundle version",
        "`soon` is not a release date",
        "has 1 word, not two",
    ] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    place.write("dates.tsv", "v0.9.0 2021-01-02\n");
    let ran = place.run_unchanged(&things(), &[&["history"], &ARCHIVE[..]].concat());
    assert_eq!(ran.exit, Exit::Unusable);
    for part in ["dates.tsv: has no date of v1.1.0", "things/v1.0.0/thing.json"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

#[test]
fn arguments_of_the_archive_fit_together() {
    let place = two();
    let error = |arguments: &[&str]| {
        let ran = place.run_unchanged(&things(), &[&["history", "things"], arguments].concat());
        assert_eq!(ran.exit, Exit::Unusable, "{ran:?}");
        ran.err
    };
    assert!(error(&["--format", "archive"]).contains("`--format archive` requires `--dates` and `--out`"));
    let archive = ["--format", "archive", "--dates", "dates.tsv", "--out", "a.tar.xz"];
    assert!(error(&[&["others"], &archive[..]].concat()).contains("has the releases of one project"));
    let others = ["--format", "json", "--dates", "dates.tsv", "--out", "a.json"];
    assert!(error(&others).contains("`--dates` is for `--format archive` only"));
    let elsewhere = ["--format", "archive", "--dates", "dates.tsv", "--out", "nowhere/a.tar.xz"];
    assert!(error(&elsewhere).contains("its folder does not exist"));
    let missing = ["--format", "archive", "--dates", "no.tsv", "--out", "a.tar.xz"];
    assert!(error(&missing).contains("no.tsv: does not exist"));
}

#[test]
fn the_list_of_releases_has_the_documented_shape() {
    let place = two();
    let (sources, errors) = texts(Input::new("archive", written(&place)));
    assert!(errors.is_empty());
    let index = sources.iter().find(|source| source.name == "archive!history.json").unwrap();
    let index = serde_json::from_str::<serde_json::Value>(&index.text).unwrap();
    let schema = serde_json::from_str(include_str!("../../schemas/history-archive.json")).unwrap();
    assert_eq!(crate::shape::errors(&schema, &index), [] as [&str; 0]);
    assert_eq!(
        index["releases"][1],
        serde_json::json!({
            "version": "v1.1.0",
            "released": "2022-01-01T01:02:03Z",
            "channels": {"standard": ["things.example.com"]}
        })
    );
}

/// It has no file for a CRD that did not change.
#[test]
fn a_history_archive_is_read_as_the_releases_in_it() {
    let place = two();
    write(&place, "things/v1.1.0/thing.json", &crd(&text(5)));
    write(&place, "things/v1.2.0/thing.json", &crd(&text(4)));
    place.write("dates.tsv", format!("{}v1.2.0 2023-01-01\n", place.read("dates.tsv")));
    written(&place);
    let document = super::document(&place, &["history.tar.xz", "--channel", "standard"]);
    assert_eq!(document["projects"][0]["name"], "history");
    assert_eq!(
        super::rows(&document),
        ["v1.0.0 → v1.1.0: minor, none, fits", "v1.1.0 → v1.2.0: minor, major, does not fit"]
    );
}
