//! `history`: each release of a project, compared with the release before it.

mod archive;
mod compatibility;

use crate::shape;
use crate::support::{Place, Ran, things};
use crd_channels_cli::Exit;
use crd_testdata::thing_crd;
use serde_json::{Value, json};

/// The CRD of things whose `spec.name` has this schema.
fn crd(name: &Value) -> Value {
    let spec = json!({"type": "object", "properties": {"name": name}});
    thing_crd(&json!({"type": "object", "properties": {"spec": spec}}), &json!({}))
}

fn text(most: u64) -> Value {
    json!({"type": "string", "maxLength": most})
}

/// A workspace with releases of things below `things`.
fn place(releases: &[(&str, Value)]) -> Place {
    let place = Place::new();
    for (tag, name) in releases {
        write(&place, &format!("things/{tag}/thing.json"), &crd(name));
    }
    place
}

fn write(place: &Place, path: &str, crd: &Value) {
    place.write(path, crd.to_string());
}

#[track_caller]
fn history(place: &Place, arguments: &[&str]) -> Ran {
    place.run_unchanged(&things(), &[&["history"], arguments].concat())
}

#[track_caller]
fn document(place: &Place, arguments: &[&str]) -> Value {
    let ran = history(place, &[arguments, &["--format", "json"]].concat());
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    read(&ran.out)
}

/// A document, which has the documented shape.
#[track_caller]
fn read(text: &str) -> Value {
    let document = serde_json::from_str(text).unwrap();
    assert_eq!(shape_errors(&document), [] as [&str; 0]);
    document
}

fn shape_errors(document: &Value) -> Vec<String> {
    shape::errors(&serde_json::from_str(include_str!("../schemas/history.json")).unwrap(), document)
}

/// Tag, baseline, declared bump, verdict, and whether it fits, of each comparison.
fn rows(document: &Value) -> Vec<String> {
    let releases = document["projects"][0]["releases"].as_array().unwrap().iter();
    let compared = releases.filter(|release| !release["comparison"].is_null());
    let row = compared.map(|release| {
        let of = |key: &str| release["comparison"][key].as_str().unwrap().to_owned();
        let fits = if release["comparison"]["fits"] == true { "fits" } else { "does not fit" };
        format!(
            "{} → {}: {}, {}, {fits}",
            of("baseline"),
            release["version"].as_str().unwrap(),
            of("declared"),
            of("verdict")
        )
    });
    row.collect()
}

#[test]
fn releases_are_ordered_as_versions_and_pre_releases_are_left_out() {
    let place = place(&[
        ("v1.10.0", text(20)),
        ("v1.9.0", text(10)),
        ("v1.9.1", text(10)),
        ("v2.0.0-rc.1", text(1)),
        ("v2.0.0", text(5)),
    ]);
    let document = document(&place, &["things"]);
    assert_eq!(
        rows(&document),
        [
            "v1.9.0 → v1.9.1: patch, none, fits",
            "v1.9.1 → v1.10.0: minor, minor, fits",
            "v1.10.0 → v2.0.0: major, major, fits",
        ]
    );
    assert_eq!(document["projects"][0]["leftOut"], json!([{"name": "v2.0.0-rc.1", "reason": "it is a pre-release"}]));
    assert_eq!([&document["compared"], &document["crds"], &document["fitting"]], [3, 3, 3]);
}

/// Projects name their tags in different ways.
#[test]
fn tags_of_other_forms_are_read_and_other_folders_are_reported() {
    let place = place(&[
        ("release-4.9", text(5)),
        ("release-4.10", text(5)),
        ("v.4.11.0", text(5)),
        ("4.12.0", text(5)),
        ("v4.12.0", text(5)),
        ("unreleased", text(5)),
        ("v1.2.3.4", text(5)),
        (".cache", text(5)),
    ]);
    place.write("things/README.md", "not a folder");
    let document = document(&place, &["things"]);
    let rows = rows(&document).into_iter().map(|row| row.split(':').next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(rows, ["release-4.9 → release-4.10", "release-4.10 → v.4.11.0", "v.4.11.0 → 4.12.0"]);
    let left_out = document["projects"][0]["leftOut"].as_array().unwrap().iter();
    let left_out = left_out.map(|left_out| format!("{} {}", left_out["name"], left_out["reason"]));
    assert_eq!(
        left_out.collect::<Vec<_>>(),
        [
            r#""unreleased" "its name is not a version such as v1.2.3""#,
            r#""v1.2.3.4" "its name is not a version such as v1.2.3""#,
            r#""v4.12.0" "`4.12.0` has the same version""#,
        ]
    );
    let page = history(&place, &["things", "--format", "markdown"]).out;
    assert!(page.contains("\n* `unreleased` is left out: its name is not a version such as v1.2.3\n"), "{page}");
}

/// A constraint that was tightened in a minor release: the object was accepted before, and is refused now.
#[test]
fn a_break_is_shown_with_an_object_in_every_format() {
    let place = place(&[("v1.0.0", text(5)), ("v1.1.0", text(2))]);
    let document = document(&place, &["things"]);
    assert_eq!(rows(&document), ["v1.0.0 → v1.1.0: minor, major, does not fit"]);
    let comparison = &document["projects"][0]["releases"][1]["comparison"];
    assert_eq!(comparison["needed"], "v2.0.0");
    assert_eq!(comparison["rules"], json!({"tightened": 1}));
    let findings = comparison["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1);
    let name = findings[0]["witness"]["object"]["spec"]["name"].as_str().unwrap();
    assert!((3..=5).contains(&name.len()), "{name}");

    let object = json!({"spec": {"name": name}});
    let printed = history(&place, &["things"]).out;
    assert!(printed.contains("declared minor  major  1 constraint tightened\n"), "{printed}");
    assert!(printed.contains(&format!("      refused now: {object}\n")), "{printed}");
    assert_eq!(
        history(&place, &["things", "--format", "markdown"]).out,
        format!(
            "# things\n\nWritten by `crd-channels history`. 1 release and 1 CRD compared; releases that need more than their version declares: 1, of \
             which 1 can break users. The profile is `semver`.\nThe [index](README.md) explains the columns. Objects are shown without `apiVersion`, \
             `kind` and `metadata`.\n\n| release | declared | verdict | what decides |\n|---|---|---|---|\n| v1.0.0 |  |  | the first release |\n\
             | [v1.1.0](#v110) | minor | **major** | 1 constraint tightened |\n\n## v1.1.0\n\nv1.1.0 declares a minor release, and after v1.0.0 it \
             needs a major release:\n\n* `things.example.com` v1 `spec.name`: the maximum length was tightened (`5` → `2`). major, `tightened`. \
             Refused now: `{object}`\n"
        )
    );
}

/// Releases that need more than they declare, without a break, have a row and no section. Rows about which the same is known are one row.
#[test]
fn neighbours_about_which_the_same_is_known_are_one_row() {
    let releases = [("v1.0.0", 5), ("v1.0.1", 5), ("v1.0.2", 5), ("v1.0.3", 6), ("v1.0.4", 7), ("v1.1.0", 8)]
        .map(|(tag, most)| (tag, text(most)));
    let page = history(&place(&releases), &["things", "--format", "markdown"]).out;
    let rows = page.lines().filter(|line| line.starts_with("| v")).collect::<Vec<_>>();
    assert_eq!(
        rows,
        [
            "| v1.0.0 |  |  | the first release |",
            "| v1.0.1 to v1.0.2, 2 releases | patch | patch |  |",
            "| v1.0.3 to v1.0.4, 2 releases | patch | **minor** | 1 constraint loosened |",
            "| v1.1.0 | minor | minor | 1 constraint loosened |",
        ]
    );
    assert!(!page.contains("\n## "), "{page}");
}

/// What an earlier release stored decides whether a version may be removed.
#[test]
fn every_earlier_release_counts_for_stored_versions() {
    let place = Place::new();
    let of_versions = |stored: &[(&str, bool)]| {
        let mut crd = crd(&text(5));
        let version = crd["spec"]["versions"][0].clone();
        let versions = stored.iter().map(|(name, is_stored)| {
            let mut version = version.clone();
            version["name"] = json!(name);
            version["storage"] = json!(is_stored);
            version
        });
        crd["spec"]["versions"] = versions.collect();
        crd
    };
    write(&place, "things/v0.1.0/thing.json", &of_versions(&[("v1alpha1", true)]));
    write(&place, "things/v0.2.0/thing.json", &of_versions(&[("v1alpha1", false), ("v1", true)]));
    write(&place, "things/v0.3.0/thing.json", &of_versions(&[("v1", true)]));
    let document = document(&place, &["things"]);
    assert_eq!(rows(&document)[1], "v0.2.0 → v0.3.0: minor, refused, does not fit");
    let finding = &document["projects"][0]["releases"][2]["comparison"]["findings"][0];
    assert_eq!([&finding["rule"], &finding["version"]], ["stored-version-removed", "v1alpha1"]);
}

#[test]
fn channels_are_compared_alone_and_the_profile_can_be_chosen() {
    let place = Place::new();
    for (tag, standard, experimental) in [("v1.0.0", 5, 5), ("v1.1.0", 5, 2)] {
        write(&place, &format!("things/{tag}/standard/thing.json"), &crd(&text(standard)));
        write(&place, &format!("things/{tag}/experimental/thing.json"), &crd(&text(experimental)));
    }
    let of = |arguments: &[&str]| document(&place, &[&["things"], arguments].concat());
    let comparison = |document: Value| document["projects"][0]["releases"][1]["comparison"].clone();
    let semver = comparison(of(&[]));
    let verdicts = semver["channels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|channel| format!("{} {}", channel["channel"], channel["verdict"]));
    // Standard is now wider than experimental.
    assert_eq!(verdicts.collect::<Vec<_>>(), [r#""standard" "finding""#, r#""experimental" "minor""#]);
    assert_eq!([&semver["profile"], &semver["crds"]], [&json!("semver"), &json!(2)]);
    assert_eq!(comparison(of(&["--profile", "gep-922"]))["profile"], "gep-922");
    let page = history(&place, &["things", "--format", "markdown"]).out;
    assert!(page.contains("**blocked** (standard blocked, experimental minor)"), "{page}");
    assert!(page.contains("`things.example.com` v1 standard `spec.name`"), "{page}");
}

#[test]
fn an_unread_release_is_listed_and_the_next_is_compared_with_the_last_that_was_read() {
    let place = place(&[("v1.0.0", text(5)), ("v1.2.0", text(2))]);
    place.write("things/v1.1.0/thing.json", "{");
    for format in ["text", "json", "markdown"] {
        let ran = history(&place, &["things", "--format", format]);
        assert_eq!(ran.exit, Exit::Unusable);
        assert!(ran.err.starts_with("error: things/v1.1.0/thing.json"), "{}", ran.err);
        match format {
            "json" => {
                let document = read(&ran.out);
                assert_eq!(rows(&document), ["v1.0.0 → v1.2.0: minor, major, does not fit"]);
                assert_eq!(document["unread"], 1);
                assert_eq!(document["projects"][0]["releases"][1]["errors"].as_array().unwrap().len(), 1);
            }
            "text" => assert!(ran.out.contains("\n  v1.1.0  not read: things/v1.1.0/thing.json"), "{}", ran.out),
            _ => assert!(ran.out.contains("\n| v1.1.0 |  |  | not read: `"), "{}", ran.out),
        }
    }
}

#[test]
fn a_release_without_a_common_channel_says_so() {
    let place = Place::new();
    write(&place, "things/v1.0.0/experimental/thing.json", &crd(&text(5)));
    write(&place, "things/v1.1.0/standard/thing.json", &crd(&text(5)));
    let page = history(&place, &["things", "--format", "markdown"]).out;
    assert!(page.contains("\n| v1.1.0 | minor | no common channel |  |\n"), "{page}");
}

#[test]
fn pages_are_written_checked_and_removed_together() {
    let place = place(&[("v1.0.0", text(5)), ("v1.1.0", text(2))]);
    write(&place, "boxes/v1.0.0/thing.json", &crd(&text(5)));
    let all = ["history", "things", "boxes", "--format", "markdown", "--out", "pages"];
    let check = [&all as &[&str], &["--check"]].concat();
    let missing = place.run_unchanged(&things(), &check);
    assert_eq!(
        (missing.exit, &*missing.out),
        (Exit::Stale, "pages/README.md is missing\npages/things.md is missing\npages/boxes.md is missing\n")
    );
    assert!(
        missing.err.contains("run `cargo xtask history things boxes --format markdown --out pages`"),
        "{}",
        missing.err
    );
    let written = place.run(&things(), &all);
    assert_eq!((written.exit, &*written.err), (Exit::Fine, ""));
    let index = place.read("pages/README.md");
    assert!(index.contains("\n| [things](things.md) | 1 | 1 | 1 | 1 | 0 |\n| [boxes](boxes.md) | 0 | 0 | 0 | 0 | 0 |\n| all | 1 | 1 | 1 | 1 | 0 |\n"), "{index}");
    assert_eq!(place.run_unchanged(&things(), &check).exit, Exit::Fine);
    // An edited page is out of date, and another file of the folder stays.
    place.write("pages/things.md", place.read("pages/things.md").replace("major", "minor"));
    place.write("pages/notes.md", "# Notes\n");
    assert_eq!(place.run_unchanged(&things(), &check).exit, Exit::Stale);
    // So is the page of a project that is no longer named.
    let one = ["history", "things", "--format", "markdown", "--out", "pages"];
    assert_eq!(
        place.run(&things(), &one).out,
        "pages/README.md is written\npages/things.md is written\npages/boxes.md is removed\n"
    );
    assert!(place.path().join("pages/notes.md").exists() && !place.path().join("pages/boxes.md").exists());
    // A file that the command has not written is never replaced.
    place.write("pages/boxes.md", "# Boxes\n");
    let ran = place.run_unchanged(&things(), &all);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(
        ran.err.contains("pages/boxes.md: is not a page of `cargo xtask history`, so it is not replaced"),
        "{}",
        ran.err
    );
}

#[test]
fn one_file_is_written_in_each_format() {
    let place = place(&[("v1.0.0", text(5)), ("v1.1.0", text(2))]);
    for (format, file) in [("text", "history.txt"), ("json", "history.json"), ("markdown", "history.md")] {
        let arguments = ["history", "things", "--format", format, "--out", file];
        assert_eq!(place.run(&things(), &arguments).exit, Exit::Fine, "{format}");
        let printed = history(&place, &["things", "--format", format]).out;
        assert!(place.read(file).ends_with(&printed), "{format}");
        assert_eq!(
            place.run_unchanged(&things(), &[&arguments as &[&str], &["--check"]].concat()).exit,
            Exit::Fine,
            "{format}"
        );
    }
}

#[test]
fn a_document_of_another_shape_is_noticed() {
    let place = place(&[("v1.0.0", text(5)), ("v1.1.0", text(2))]);
    let right = document(&place, &["things"]);
    let comparison = "/projects/0/releases/1/comparison";
    for (pointer, value, part) in [
        ("/projects/0/releases/1/version".to_owned(), json!(1), "/version: 1 is not of type"),
        (format!("{comparison}/verdict"), json!("huge"), comparison),
        (format!("{comparison}/rules/tightened"), json!("1"), comparison),
        (format!("{comparison}/findings/0/witness"), json!(true), comparison),
        ("/projects/0/leftOut".to_owned(), json!([{"name": "a"}]), "\"reason\" is a required property"),
    ] {
        let mut wrong = right.clone();
        *wrong.pointer_mut(&pointer).unwrap() = value;
        let errors = shape_errors(&wrong).join("\n");
        assert!(errors.contains(part), "{pointer}: {errors}");
    }
}

#[test]
fn wrong_folders_are_reported_together() {
    let place = place(&[("v1.0.0", text(5))]);
    write(&place, "other/things/v1.0.0/thing.json", &crd(&text(5)));
    place.write("empty/notes.txt", "");
    place.write("file", "");
    let ran = history(&place, &["things", "other/things", "empty", "file", "nowhere"]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    for error in [
        "error: two folders have the name `things`",
        "error: empty: contains no folder of a stable release",
        "error: file: contains no folder of a stable release",
        "error: nowhere: cannot be read",
    ] {
        assert!(ran.err.contains(error), "{error}\n{}", ran.err);
    }
}
