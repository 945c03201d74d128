//! `import`: published CRDs become a bundle of the history, or nothing is written.

use std::fs;
use std::path::Path;

use crate::support::{
    BOX, Place, Ran, SHELF, THING, Tree, assert_untouched, edited_things, immutable, install_file, published, things,
    things_of,
};
use crd_bundle::Digest;
use crd_channels_cli::{Catalogue, Exit};
use serde_json::{Value, json};

const STANDARD: [&str; 2] = ["--channel", "standard"];

/// The candidate after the imported v1.2.0.
fn next() -> Catalogue {
    things_of("v1.2.1")
}

fn import(place: &Place, path: &Path, version: &str, arguments: &[&str]) -> Ran {
    let arguments = [&["import", path.to_str().unwrap(), "--version", version], arguments].concat();
    place.run(&things(), &arguments)
}

/// The options of one channel.
fn of(channel: &str) -> [&str; 2] {
    ["--channel", channel]
}

/// An import that is refused, as text and as JSON, and writes nothing.
#[track_caller]
fn refused(place: &Place, path: &Path, version: &str, channel: &str) -> Ran {
    let before = place.tree();
    let ran = import(place, path, version, &of(channel));
    assert_untouched(&before, &place.tree());
    assert_eq!(ran.out, "", "{ran:?}");
    assert!(ran.exit == Exit::Unusable || ran.err.ends_with("\nnothing was written\n"), "{ran:?}");
    let document = import(place, path, version, &[&of(channel) as &[&str], &["--format", "json"]].concat());
    assert_untouched(&before, &place.tree());
    assert_eq!((document.exit, &*document.err), (ran.exit, ""));
    let document: Value = serde_json::from_str(&document.out).unwrap();
    let lists = [&document["errors"], &document["findings"]].map(|list| list.as_array().unwrap().len());
    assert!(
        (lists[0] > 0) == (ran.exit == Exit::Unusable) && (lists[1] > 0) == (ran.exit == Exit::Findings),
        "{document}"
    );
    assert_eq!((&document["schemaVersion"], &document["written"]), (&json!(1), &json!(0)));
    ran
}

#[track_caller]
fn imported(ran: &Ran, out: &str) {
    assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Fine, out, ""));
}

const MANIFEST: &str = "bundles/v1.2.0/bundle.yaml";

#[test]
fn a_folder_becomes_a_bundle_of_history() {
    let (bundle, place) = (published(&things()), Place::new());
    imported(
        &import(&place, &bundle.path().join("standard"), "v1.2.0", &STANDARD),
        "bundles/v1.2.0/standard: 2 CRDs imported\n",
    );
    let files = |channel: &str, names: &[&str]| {
        let lines = names.iter().map(|name| {
            let path = format!("{channel}/things.example.com_{name}.yaml");
            format!("- path: {path}\n  sha256: {}\n", Digest::of(place.read(&format!("bundles/v1.2.0/{path}"))))
        });
        lines.collect::<String>()
    };
    let standard = files("standard", &["boxes", "things"]);
    assert_eq!(
        place.read(MANIFEST),
        format!("channels:\n- standard\nfiles:\n{standard}format: 1\nimported: true\nversion: v1.2.0\n")
    );
    // This tool wrote the files, so their bytes stay the same.
    let path = format!("standard/{THING}");
    assert_eq!(place.read(&format!("bundles/v1.2.0/{path}")), fs::read_to_string(bundle.path().join(path)).unwrap());
    // The other channel is added to the same bundle.
    let ran = import(&place, &bundle.path().join("experimental"), "v1.2.0", &of("experimental"));
    imported(&ran, "bundles/v1.2.0/experimental: 3 CRDs imported\n");
    let experimental = files("experimental", &["boxes", "shelves", "things"]);
    let expected = format!(
        "channels:\n- standard\n- experimental\nfiles:\n{experimental}{standard}format: 1\nimported: true\nversion: v1.2.0\n"
    );
    assert_eq!(place.read(MANIFEST), expected);
    // `check` uses it as the baseline, and `diff` finds it by its version.
    let ran = place.run(&next(), &["check"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    assert!(
        ran.out.starts_with(
            "v1.2.0 → the types (v1.2.1), profile gep-922: nothing to report in standard and experimental"
        ),
        "{}",
        ran.out
    );
    let ran = place.run(&next(), &["diff", "v1.2.0", bundle.path().to_str().unwrap()]);
    assert_eq!(ran.exit, Exit::Fine);
    assert!(ran.out.contains(": nothing to report in standard\n  and experimental\n"), "{}", ran.out);
}

#[test]
fn the_same_again_changes_nothing() {
    let (bundle, place) = (published(&things()), Place::new());
    let folder = bundle.path().join("experimental");
    for channel in ["standard", "experimental"] {
        assert_eq!(import(&place, &bundle.path().join(channel), "v1.2.0", &of(channel)).exit, Exit::Fine);
    }
    let before = place.tree();
    imported(
        &import(&place, &folder, "v1.2.0", &of("experimental")),
        "bundles/v1.2.0/experimental: unchanged, 3 CRDs as before\n",
    );
    let ran = import(&place, &folder, "v1.2.0", &["--channel", "experimental", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        document,
        json!({
            "schemaVersion": 1, "folder": "bundles/v1.2.0/experimental", "crds": 3, "written": 0,
            "passedOver": [], "morePassedOver": 0, "findings": [], "errors": [],
        })
    );
    assert_untouched(&before, &place.tree());
}

/// Each form of the same CRDs becomes the same bytes.
#[test]
fn files_archives_and_standard_input_are_read_too() {
    let (bundle, place) = (published(&things()), Place::new());
    assert_eq!(import(&place, &bundle.path().join("standard"), "v1.2.0", &STANDARD).exit, Exit::Fine);
    let expected = place.tree();
    let same = |ran: &Ran, form: &str, other: &Place, notes: &str| {
        assert_eq!(
            (ran.exit, &*ran.out, &*ran.err),
            (Exit::Fine, "bundles/v1.2.0/standard: 2 CRDs imported\n", notes),
            "{form}"
        );
        let content =
            |tree: &Tree| tree.iter().map(|(path, entry)| (path.clone(), entry.content.clone())).collect::<Vec<_>>();
        assert_eq!(content(&other.tree()), content(&expected), "{form}");
    };
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: things\n---\n";
    let install = format!("{namespace}{}", install_file(bundle.path(), &["standard"]));
    let file = bundle.path().join("standard-install.yaml");
    fs::write(&file, &install).unwrap();
    let other = Place::new();
    let note = format!("note: skipped: Namespace `things` ({}:1)\n", file.display());
    same(&import(&other, &file, "v1.2.0", &STANDARD), "an install file", &other, &note);

    let other = Place::new();
    let arguments = ["import", "-", "--version", "v1.2.0", "--channel", "standard"];
    let ran = other.run_reading(install.as_bytes(), &things(), &arguments);
    same(&ran, "standard input", &other, "note: skipped: Namespace `things` (-:1)\n");

    // The output of `kubectl get crds -o json`.
    let items = crd_model::yaml::read(&install).unwrap();
    let list =
        serde_json::to_string_pretty(&json!({"apiVersion": "v1", "kind": "List", "items": &items[1..]})).unwrap();
    let file = bundle.path().join("list.json");
    fs::write(&file, list).unwrap();
    let other = Place::new();
    same(&import(&other, &file, "v1.2.0", &STANDARD), "a list as JSON", &other, "");

    let archive = bundle.path().join("crds.tar.gz");
    let tar = std::process::Command::new("tar")
        .args(["czf"])
        .arg(&archive)
        .args(["-C", bundle.path().to_str().unwrap(), "standard"])
        .output();
    if !matches!(tar, Ok(output) if output.status.success()) {
        println!("skipped: no tar here");
        return;
    }
    let other = Place::new();
    same(&import(&other, &archive, "v1.2.0", &STANDARD), "an archive", &other, "");
    let other = Place::new();
    let ran = other.run_reading(&fs::read(&archive).unwrap(), &things(), &arguments);
    same(&ran, "an archive on standard input", &other, "");
}

#[test]
fn skipped_documents_are_listed_up_to_a_number() {
    let (bundle, place) = (published(&things()), Place::new());
    let folder = bundle.path().join("standard");
    fs::write(folder.join("kustomization.yaml"), format!("resources: [{THING}, {BOX}, more.yaml]\n")).unwrap();
    fs::write(folder.join("README.md"), "# CRDs\n").unwrap();
    fs::write(folder.join(".hidden.yaml"), "a: [\n").unwrap();
    let more = (0..15).map(|number| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m{number}}}\n---\n"));
    fs::write(folder.join("more.yaml"), more.collect::<String>()).unwrap();
    let ran = import(&place, &folder, "v1.2.0", &STANDARD);
    assert_eq!((ran.exit, &*ran.out), (Exit::Fine, "bundles/v1.2.0/standard: 2 CRDs imported\n"));
    let lines = ran.err.lines().collect::<Vec<_>>();
    let file = folder.join("more.yaml").display().to_string();
    assert_eq!(lines[0], format!("note: skipped: ConfigMap `m0` ({file}:1)"));
    assert_eq!(lines[1], format!("note: skipped: ConfigMap `m1` ({file}:5)"));
    assert_eq!((lines.len(), lines[10]), (11, "note: skipped: 5 documents more"));
}

#[test]
fn crds_that_differ_from_the_existing_bundle_are_refused() {
    let (bundle, place) = (published(&things()), Place::new());
    assert_eq!(import(&place, &bundle.path().join("standard"), "v1.2.0", &STANDARD).exit, Exit::Fine);
    let other = published(&edited_things());
    let ran = refused(&place, &other.path().join("standard"), "v1.2.0", "standard");
    let words =
        "differs from the imported CRDs; an existing bundle never changes. remove bundles/v1.2.0 if it was a mistake";
    assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, &*format!("error: bundles/v1.2.0/standard/{}: {words}\n", BOX)));
    // Also with one CRD less, or one more.
    let folder = bundle.path().join("standard");
    fs::rename(folder.join(THING), bundle.path().join(THING)).unwrap();
    let ran = refused(&place, &folder, "v1.2.0", "standard");
    assert_eq!(ran.err, format!("error: bundles/v1.2.0/standard/{THING}: {words}\n"));
    fs::rename(bundle.path().join(THING), folder.join(THING)).unwrap();
    let text = fs::read_to_string(folder.join(THING)).unwrap();
    fs::write(
        folder.join("more.yaml"),
        text.replace("things.things", "lamps.things").replace("plural: things", "plural: lamps"),
    )
    .unwrap();
    let ran = refused(&place, &folder, "v1.2.0", "standard");
    assert_eq!(ran.err, format!("error: bundles/v1.2.0/standard/things.example.com_lamps.yaml: {words}\n"));
}

#[test]
fn nothing_is_imported_into_an_altered_bundle() {
    let (bundle, place) = (published(&things()), Place::new());
    assert_eq!(import(&place, &bundle.path().join("standard"), "v1.2.0", &STANDARD).exit, Exit::Fine);
    let file = format!("bundles/v1.2.0/standard/{THING}");
    place.write(&file, place.read(&file).replace("maximum: 10", "maximum: 9"));
    for channel in ["standard", "experimental"] {
        let ran = refused(&place, &bundle.path().join(channel), "v1.2.0", channel);
        let words = "does not have the checksum that bundle.yaml lists; a committed bundle never changes. remove the folder of v1.2.0, and import the published CRDs again";
        assert_eq!(ran.err, format!("error: {file}: {words}\n"));
    }
    place.write(MANIFEST, "a: [");
    let ran = refused(&place, &bundle.path().join("experimental"), "v1.2.0", "experimental");
    assert!(ran.err.starts_with(&format!("error: {MANIFEST}:1:4: ")), "{}", ran.err);
    // A folder without a manifest.
    fs::remove_file(place.path().join(MANIFEST)).unwrap();
    let ran = refused(&place, &bundle.path().join("experimental"), "v1.2.0", "experimental");
    assert_eq!(
        ran.err,
        "error: bundles/v1.2.0: already exists and has no bundle.yaml. move it away, or import another version\n"
    );
}

#[test]
fn a_bundle_that_was_released_here_is_never_touched() {
    let (bundle, place) = (published(&things()), Place::new());
    assert_eq!(import(&place, &bundle.path().join("standard"), "v1.2.0", &STANDARD).exit, Exit::Fine);
    place.write(MANIFEST, place.read(MANIFEST).replace("imported: true", "imported: false"));
    // The same channel, or another one.
    for channel in ["standard", "experimental"] {
        let ran = refused(&place, &bundle.path().join(channel), "v1.2.0", channel);
        let words = "is the manifest of a bundle released here, so v1.2.0 cannot be imported";
        assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, &*format!("error: {MANIFEST}: {words}\n")));
    }
}

/// Replaces a text in the CRD of a folder.
fn restamped(folder: &Path, name: &str, from: &str, to: &str) {
    let path = folder.join(name);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn contradicting_stamps_are_refused() {
    let (bundle, place) = (published(&things()), Place::new());
    let folder = bundle.path().join("standard");
    let (boxes, thing) = (folder.join(BOX), folder.join(THING));
    let ran = refused(&place, &folder, "v1.1.0", "standard");
    assert_eq!(ran.exit, Exit::Findings);
    let first = format!(
        "error: {}:6:5: boxes.things.example.com: 2 CRDs are stamped v1.2.0, and v1.1.0 is asked for [version-differs], and 1 more. Ask for v1.2.0, or correct the stamps",
        boxes.display()
    );
    assert_eq!(ran.err, format!("{first}\nnothing was written\n"));
    let ran = refused(&place, &folder, "v1.2.0", "experimental");
    let second = "boxes.things.example.com: 2 CRDs are stamped standard, and experimental is asked for [channel-differs], and 1 more. Import them with `--channel standard`, or leave them out";
    assert_eq!(ran.err, format!("error: {}:7:5: {second}\nnothing was written\n", boxes.display()));
    // Both together.
    assert_eq!(refused(&place, &folder, "v1.1.0", "experimental").err.lines().count(), 3);

    restamped(&folder, THING, "bundle-version: v1.2.0", "bundle-version: v1.1.0");
    let ran = refused(&place, &folder, "v1.2.0", "standard");
    let lines = ran.err.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("error: ") && lines[0].ends_with("the CRDs are of 2 bundle versions: v1.1.0 (things.things.example.com); v1.2.0 (boxes.things.example.com) [mixed-bundles]. Import each bundle alone"), "{}", ran.err);
    assert_eq!(
        lines[1],
        format!(
            "error: {}:6:5: things.things.example.com: 1 CRD is stamped v1.1.0, and v1.2.0 is asked for [version-differs]. Ask for v1.1.0, or correct the stamps",
            thing.display()
        )
    );
    restamped(&folder, THING, "bundle-version: v1.1.0", "bundle-version: v1.2");
    restamped(&folder, THING, "channel: standard", "channel: beta");
    let ran = refused(&place, &folder, "v1.2.0", "standard");
    for part in [
        "1 CRD is stamped with a version that is none: `v1.2` is not a bundle version: unexpected end of input while parsing minor version number.",
        "1 CRD is stamped with the channel \"beta\", which does not exist [unreadable-stamp]. The channels are standard and experimental\n",
    ] {
        assert!(
            ran.err.contains(&format!("error: {}:", thing.display())) && ran.err.contains(part),
            "{part} is not in {}",
            ran.err
        );
    }
}

#[test]
fn crds_without_stamps_get_the_version_and_channel_of_the_arguments() {
    let (bundle, place) = (published(&things()), Place::new());
    let folder = bundle.path().join("standard");
    for name in [BOX, THING] {
        restamped(&folder, name, "bundle-version", "version");
        restamped(&folder, name, "/channel", "/train");
    }
    let ran = import(&place, &folder, "v1.2.0", &STANDARD);
    assert_eq!((ran.exit, &*ran.out), (Exit::Fine, "bundles/v1.2.0/standard: 2 CRDs imported\n"));
    let warning = |stamp: &str| {
        format!(
            "warning: {}:5:3: boxes.things.example.com: 2 CRDs are without the stamp PREFIX/{stamp} [unstamped], and 1 more. The publisher should stamp them; the import uses its arguments instead\n",
            folder.join(BOX).display()
        )
    };
    assert_eq!(ran.err, format!("{}{}", warning("bundle-version"), warning("channel")));
    // `diff` reads version and channel from the folder.
    let ran = place.run(&next(), &["diff", "v1.2.0", "v1.2.0"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    assert!(ran.out.starts_with("v1.2.0 → v1.2.0, profile gep-922: nothing to report in standard"), "{}", ran.out);
}

#[test]
fn crds_that_no_server_accepts_are_refused() {
    let (bundle, place) = (published(&things()), Place::new());
    let folder = bundle.path().join("standard");
    restamped(&folder, THING, "storage: true", "storage: false");
    restamped(&folder, THING, "type: integer", "nullable: false");
    let ran = refused(&place, &folder, "v1.2.0", "standard");
    assert_eq!(ran.exit, Exit::Findings);
    let file = folder.join(THING).display().to_string();
    let lines = ran.err.lines().collect::<Vec<_>>();
    assert!(
        lines.iter().all(|line| line.starts_with(&format!("error: {file}:")) || *line == "nothing was written"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("things.things.example.com")
            && ran.err.contains("[storage-version]")
            && ran.err.contains("[type-missing]"),
        "{}",
        ran.err
    );
}

/// JSON contains all of them.
#[test]
fn a_long_list_of_errors_is_cut_and_counted() {
    let (bundle, place) = (published(&things()), Place::new());
    let thing = fs::read_to_string(bundle.path().join("standard").join(THING)).unwrap();
    let path = bundle.path().join("many.yaml");
    fs::write(&path, format!("{thing}---\n").repeat(1200)).unwrap();
    let ran = refused(&place, &path, "v1.2.0", "standard");
    assert_eq!(ran.exit, Exit::Unusable);
    assert_eq!(ran.err.matches("error: ").count(), 50);
    let note = "note: `crd-twice`: 1,149 more diagnostics are not shown; `--format json` lists all\n";
    assert!(ran.err.ends_with(note) && ran.err.lines().count() == 51, "{}", ran.err);
    let ran = import(&place, &path, "v1.2.0", &["--channel", "standard", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["errors"].as_array().unwrap().len(), 1199);
}

#[test]
fn unreadable_input_is_refused() {
    let (bundle, place) = (published(&things()), Place::new());
    let ran = refused(&place, &bundle.path().join("nowhere"), "v1.2.0", "standard");
    let missing = bundle.path().join("nowhere").display().to_string();
    assert_eq!(
        (ran.exit, &*ran.err),
        (
            Exit::Unusable,
            &*format!(
                "error: {missing}: cannot be read: No such file or directory (os error 2). name a folder, a file, an archive, `git:REF:PATH`, or `-`\n"
            )
        )
    );
    let folder = bundle.path().display();
    fs::write(bundle.path().join("a.yaml"), "a: [\n").unwrap();
    fs::write(
        bundle.path().join("b.yaml"),
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: 1\n",
    )
    .unwrap();
    let ran = refused(&place, bundle.path(), "v1.2.0", "standard");
    let lines = ran.err.lines().collect::<Vec<_>>();
    assert!(
        lines[0].starts_with(&format!("error: {folder}/a.yaml:1:"))
            && lines[1].starts_with(&format!("error: {folder}/b.yaml:")),
        "{}",
        ran.err
    );
    for (arguments, part) in [
        (
            &["--version", "1.2.0", "--channel", "standard"] as &[&str],
            "invalid value '1.2.0' for '--version <VERSION>': `1.2.0` is not a bundle version: it does not begin with `v`",
        ),
        (&["--version", "v1.2.0", "--channel", "beta"], "[possible values: standard, experimental]"),
        (&["--version", "v1.2.0"], "--channel <CHANNEL>"),
        (&["--channel", "standard"], "--version <VERSION>"),
    ] {
        let ran = place.run(&things(), &[&["import", "a.yaml"], arguments].concat());
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
        assert!(ran.err.contains(part), "{part} is not in {}", ran.err);
    }
}

/// Concurrent imports into one bundle wait for each other, and both succeed.
#[test]
fn concurrent_imports_of_two_channels() {
    let bundle = published(&things());
    for _ in 0..10 {
        let place = Place::new();
        std::thread::scope(|scope| {
            for channel in ["standard", "experimental"] {
                let (place, folder) = (&place, bundle.path().join(channel));
                scope.spawn(move || assert_eq!(import(place, &folder, "v1.2.0", &of(channel)).exit, Exit::Fine));
            }
        });
        assert!(
            place.read(MANIFEST).starts_with("channels:\n- standard\n- experimental\n"),
            "{}",
            place.read(MANIFEST)
        );
        let ran = place.run(&next(), &["check"]);
        assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    }
}

#[test]
fn nothing_is_written_through_a_symlink_or_in_place_of_a_file() {
    let bundle = published(&things());
    let folder = bundle.path().join("standard");
    for (path, link) in [("bundles", "elsewhere"), ("bundles/v1.2.0", "../elsewhere")] {
        let place = Place::new();
        fs::create_dir(place.path().join("elsewhere")).unwrap();
        fs::create_dir_all(place.path().join(path).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(link, place.path().join(path)).unwrap();
        let ran = refused(&place, &folder, "v1.2.0", "standard");
        assert!(ran.err.starts_with(&format!("error: {path}: is a symlink, which is not followed")), "{}", ran.err);
        let place = Place::new();
        place.write(path, "a file");
        let ran = refused(&place, &folder, "v1.2.0", "standard");
        assert!(ran.err.starts_with(&format!("error: {path}: is a file, not a folder")), "{}", ran.err);
    }
}

#[test]
fn a_failed_import_leaves_no_files() {
    let (bundle, place) = (published(&things()), Place::new());
    assert_eq!(import(&place, &bundle.path().join("standard"), "v1.2.0", &STANDARD).exit, Exit::Fine);
    let folder = place.path().join("bundles/v1.2.0");
    if !immutable(&folder, true) {
        return;
    }
    let ran = refused(&place, &bundle.path().join("experimental"), "v1.2.0", "experimental");
    immutable(&folder, false);
    assert!(ran.err.starts_with("error: bundles/v1.2.0: cannot be replaced: "), "{}", ran.err);
    assert_eq!(import(&place, &bundle.path().join("experimental"), "v1.2.0", &of("experimental")).exit, Exit::Fine);
    // In a new workspace, no folder is left.
    let place = Place::new();
    refused(&place, &bundle.path().join("nowhere"), "v1.2.0", "standard");
    refused(&place, &bundle.path().join("standard"), "v1.1.0", "standard");
    assert!(!place.path().join("bundles").exists());
}

/// The conditional templates of a chart are policies, not CRDs.
#[test]
fn a_released_chart_is_a_bundle_of_its_channel() {
    let catalogue = things_of("v1.2.0");
    let place = Place::with(&catalogue);
    let ran = place.run(&catalogue, &["release", "v1.2.0", "--date", "2026-03-01"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let other = Place::new();
    for (channel, crds) in [("standard", 2), ("experimental", 3)] {
        let chart = place.path().join(format!("dist/things-{channel}-1.2.0.tgz"));
        let ran = import(&other, &chart, "v1.2.0", &of(channel));
        let out = format!("bundles/v1.2.0/{channel}: {crds} CRDs imported\n");
        assert_eq!((ran.exit, &*ran.out), (Exit::Fine, &*out), "{ran:?}");
        let policy =
            format!("note: skipped: a Helm template ({}!things-{channel}/templates/safe-upgrades/", chart.display());
        assert!(ran.err.contains(&policy), "{}", ran.err);
    }
    let ran = place.run(&catalogue, &["diff", "v1.2.0", other.path().join("bundles/v1.2.0").to_str().unwrap()]);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(ran.exit == Exit::Fine && words.contains("nothing to report in standard and experimental"), "{ran:?}");
    // To the byte.
    for (channel, name) in [("standard", THING), ("experimental", SHELF)] {
        let file = format!("bundles/v1.2.0/{channel}/{name}");
        assert_eq!(other.read(&file), place.read(&file));
    }
}

/// The archive of a release contains all channels; `--channel` selects one.
#[test]
fn one_channel_of_an_archive_is_imported_alone() {
    let catalogue = things_of("v1.2.0");
    let place = Place::with(&catalogue);
    let ran = place.run(&catalogue, &["release", "v1.2.0", "--date", "2026-03-01"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let archive = place.path().join("dist/things-v1.2.0.tar.gz");
    let other = Place::new();
    for (channel, crds, passed_over) in [("experimental", 3, "standard"), ("standard", 2, "experimental")] {
        let ran = import(&other, &archive, "v1.2.0", &of(channel));
        let out = format!("bundles/v1.2.0/{channel}: {crds} CRDs imported\n");
        assert_eq!((ran.exit, &*ran.out), (Exit::Fine, &*out), "{ran:?}");
        let file = format!("{}!things-v1.2.0/{passed_over}/{THING}:2", archive.display());
        let words = format!("CustomResourceDefinition of {passed_over} `things.things.example.com` ({file})");
        assert!(ran.err.contains(&format!("note: skipped: {words}\n")), "{}", ran.err);
        // The second import is unchanged, and prints JSON.
        let ran = import(&other, &archive, "v1.2.0", &[&of(channel) as &[&str], &["--format", "json"]].concat());
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(
            (&document["crds"], &document["written"], &document["findings"]),
            (&json!(crds), &json!(0), &json!([]))
        );
        assert!(document["passedOver"].as_array().unwrap().contains(&json!(words)), "{document}");
        for name in [BOX, THING] {
            let file = format!("bundles/v1.2.0/{channel}/{name}");
            assert_eq!(other.read(&file), place.read(&file));
        }
    }
}

#[test]
fn a_manifest_that_is_a_pipe_does_not_block() {
    let (bundle, place) = (published(&things()), Place::new());
    fs::create_dir_all(place.path().join("bundles/v1.2.0")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(place.path().join(MANIFEST)).status().unwrap().success());
    // If the import blocks, this thread ends the wait, and the test fails.
    let (path, (sender, receiver)) = (place.path().join(MANIFEST), std::sync::mpsc::channel::<()>());
    let rescue = std::thread::spawn(move || {
        let waits = receiver.recv_timeout(std::time::Duration::from_secs(600)).is_err();
        if waits {
            drop(fs::OpenOptions::new().write(true).open(path));
        }
        waits
    });
    let ran = import(&place, &bundle.path().join("standard"), "v1.2.0", &STANDARD);
    let _ = sender.send(());
    assert!(!rescue.join().unwrap(), "it waits for a pipe");
    let words = "is neither a file nor a folder, and a file is needed. move it away";
    assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, &*format!("error: {MANIFEST}: {words}\n")));
}
