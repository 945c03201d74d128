//! `crd-channels.yaml`: both programs read it, an option overrides it, and a wrong file changes nothing.

use std::fs;

use crd_channels_cli::{Catalogue, Exit, Session, run_without_types_in};
use crd_generate::settings::{FILE_NAME, SCHEMA, page};
use serde_json::Value;

use crate::support::{Place, Ran, assert_untouched, edited, good, one_line_each, published, things};

const TYPES: &str = "prefix: things.example.com\nversion: v1.2.0\n";

/// A catalogue without settings: the command line reads the file.
fn types() -> Catalogue {
    Catalogue::default().resource::<good::Thing>().resource::<good::Case>()
}

/// Runs `crd-channels` in a folder of the place.
fn standalone(place: &Place, folder: &str, arguments: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run_without_types_in(arguments, &mut Session::new(place.path().join(folder), &mut out, &mut err));
    let plain = |bytes: Vec<u8>| anstream::adapter::strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    Ran { exit, out: plain(out), err: one_line_each(&plain(err)) }
}

/// A repository without Rust: one CRD, and the file.
fn repository(settings: &str) -> Place {
    let place = Place::new();
    fs::remove_file(place.path().join("Cargo.toml")).unwrap();
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: lamps.example.com}\nspec:\n  \
               group: example.com\n  names: {kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}\n  scope: Namespaced\n  versions:\n  \
               - name: v1\n    served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, \
               properties: {a: {type: string}, b: {type: integer}}}}}}\n";
    place.write("old/lamps.yaml", crd);
    place.write("config/crd/lamps.yaml", crd.replace("a: {type: string}, ", ""));
    place.write(FILE_NAME, settings);
    place
}

#[test]
fn both_programs_take_the_profile_of_the_file() {
    let place = Place::new();
    let profile = |ran: &Ran| serde_json::from_str::<Value>(&ran.out).unwrap()["profile"].clone();
    for (settings, expected) in
        [("profile: semver\n", "semver"), ("profile: api-guide\n", "api-guide"), ("", "gep-922")]
    {
        place.write(FILE_NAME, format!("{TYPES}{settings}"));
        assert_eq!(place.run(&types(), &["generate"]).exit, Exit::Fine);
        let diff = ["diff", "bundles/unreleased", "bundles/unreleased", "--format", "json"];
        let [ours, theirs] = [place.run(&types(), &diff), standalone(&place, "", &diff)];
        assert_eq!((profile(&ours), profile(&theirs)), (expected.into(), expected.into()), "{settings}");
        assert_eq!(ours.out, theirs.out);
        // CRDs of another project have a profile of their own, and an option comes first.
        let other = published(&things().with_settings(crd_generate::settings::Settings {
            prefix: "other.example.com".to_owned(),
            ..things().settings().clone()
        }));
        let other = other.path().to_str().unwrap();
        assert_eq!(profile(&standalone(&place, "", &["diff", other, other, "--format", "json"])), "gep-922");
        let asked = [&diff as &[&str], &["--profile", "semver"]].concat();
        assert_eq!(profile(&standalone(&place, "", &asked)), "semver");
    }
}

#[test]
fn settings_apply_from_each_folder_of_a_repository_without_rust() {
    let place = repository("crds: config/crd\nprofile: semver\ngate:\n  expect: minor\n");
    for folder in ["", "config"] {
        let old = if folder.is_empty() { "old" } else { "../old" };
        let ran = standalone(&place, folder, &["diff", old]);
        assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
        assert!(
            ran.out.contains("profile semver")
                && ran.out.contains("gate: --expect minor, because `crd-channels.yaml` sets it"),
            "{ran:?}"
        );
    }
    // An option overrides the gate, and an argument the folder.
    assert_eq!(standalone(&place, "", &["diff", "old", "--expect", "major"]).exit, Exit::Fine);
    assert_eq!(standalone(&place, "", &["diff", "old", "old"]).exit, Exit::Fine);
    place.write("lamp.yaml", "apiVersion: example.com/v1\nkind: Lamp\nmetadata: {name: a}\nspec: {a: text}\n");
    let ran = standalone(&place, "", &["validate", "lamp.yaml"]);
    assert!(ran.exit == Exit::Findings && ran.err.contains("spec.a") || ran.out.contains("spec.a"), "{ran:?}");
    place.write(FILE_NAME, "crds: config/crd\nname: lamps\nfolders: {site: public}\n");
    let ran = standalone(&place, "config", &["docs"]);
    assert!(ran.exit == Exit::Fine && place.read("public/index.html").contains("lamps"), "{ran:?}");
    // Without the key, the candidate is missing.
    place.write(FILE_NAME, "crds: [config/crd, old]\n");
    let ran = standalone(&place, "", &["diff", "old"]);
    assert!(ran.exit == Exit::Unusable && ran.err.starts_with("error: the candidate `<NEW>` is missing. "), "{ran:?}");
}

#[test]
fn a_wrong_or_missing_file_is_reported_and_nothing_is_written() {
    let place = Place::new();
    place.write(FILE_NAME, TYPES);
    assert_eq!(place.run(&types(), &["generate"]).exit, Exit::Fine);
    place.write(FILE_NAME, format!("{TYPES}profil: semver\nchannels: all\n"));
    let before = place.tree();
    let commands: [&[&str]; 10] = [
        &["generate"],
        &["check"],
        &["release", "v1.2.0", "--date", "2026-01-01"],
        &["tombstones", "add"],
        &["graduate", "--write"],
        &["diff", "v1.1.0", "v1.2.0"],
        &["docs"],
        &["import", "old", "--version", "v1.0.0"],
        &["conversions"],
        &["convert", "lamp.yaml", "--in-place"],
    ];
    let words = "error: crd-channels.yaml:3: unknown key `profil`. did you mean `profile`?\n\
                 error: crd-channels.yaml:4: `channels` must be a list, each item one of `standard`, `experimental`. write `[all]`\n";
    for command in commands {
        let ran = place.run(&types(), command);
        assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, words), "{command:?}");
    }
    for command in [commands[5], commands[6], commands[7], commands[8]] {
        assert_eq!(standalone(&place, "", command).err, words, "{command:?}");
    }
    let json = place.run(&types(), &["check", "--format", "json"]);
    let document: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(
        (&document["errors"][1]["line"], &document["errors"][0]["kind"]),
        (&4.into(), &Value::Null),
        "{document}"
    );
    let ran = place.run(&types(), &["validate", "lamp.yaml"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("did you mean `profile`?"), "{ran:?}");
    assert_untouched(&before, &place.tree());
    fs::remove_file(place.path().join(FILE_NAME)).unwrap();
    let ran = place.run(&types(), &["check"]);
    let words = "error: crd-channels.yaml: does not exist. write the settings of the API into it, such as: ";
    assert!(ran.exit == Exit::Unusable && ran.err.starts_with(words), "{ran:?}");
}

#[test]
fn excluded_types_are_not_generated() {
    let place = Place::new();
    place.write(FILE_NAME, format!("{TYPES}exclude: [v1/Box]\n"));
    let ran = place.run(&types(), &["generate"]);
    assert!(ran.exit == Exit::Fine && ran.out.contains("standard      1 CRD, 1 version"), "{ran:?}");
    place.write(FILE_NAME, format!("{TYPES}exclude:\n- Box\n- v1/Bocks\n"));
    let ran = place.run_unchanged(&types(), &["generate"]);
    assert_eq!(
        ran.err,
        "error: crd-channels.yaml:5: `exclude` names `v1/Bocks`, which is not a root type. write `KIND` or `VERSION/KIND`\n"
    );
}

#[test]
fn a_release_uses_the_folders_of_the_file() {
    let place = Place::new();
    place.write(FILE_NAME, format!("{TYPES}name: shop\nfolders: {{dist: out, templates: some/texts}}\n"));
    place.write("some/texts/notes/release-notes.md", "Notes of {{ name }}.\n");
    let types = types();
    assert_eq!(place.run(&types, &["generate"]).exit, Exit::Fine);
    let ran = place.run(&types, &["release", "v1.2.0", "--date", "2026-03-01"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert_eq!(place.read("out/release-notes.md"), "Notes of shop.\n");
    assert!(place.path().join("out/shop-standard-1.2.0.tgz").is_file() && !place.path().join("dist").exists());
    // The version is raised in the file alone.
    place.write(FILE_NAME, TYPES.replace("v1.2.0", "v1.3.0"));
    let edited = Catalogue::default().resource::<edited::Thing>().resource::<good::Case>();
    let ran = place.run(&edited, &["check"]);
    assert!(ran.out.starts_with("v1.2.0 → the types (v1.3.0)"), "{ran:?}");
}

#[test]
fn the_page_is_current_and_the_schema_is_printed() {
    let place = Place::new();
    assert_eq!(place.run(&types(), &["settings", "--format", "schema"]).out, SCHEMA);
    let text = page();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/settings.md");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == text,
        "stale: run `cargo xtask settings --page docs/reference/settings.md`"
    );
    let ran = place.run(&types(), &["settings"]);
    assert!(ran.out.contains("\ngate.fail-on: one of `patch`, `minor`, `major`\n"), "{}", ran.out);
}
