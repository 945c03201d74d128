//! `diff`: two bundles, from any source.
//!
//! The bundles are published [`things`] with edits of their text, so the changes are known without types.

use std::fs;
use std::path::Path;

use crate::support::{BOX, Place, Ran, THING, good, install_file, published, things, things_of};
use crd_channels_cli::{Catalogue, Exit};
use crd_generate::settings::Settings;
use serde_json::{Value, json};
use tempfile::TempDir;

#[track_caller]
fn diff(place: &Place, old: &str, new: &str, arguments: &[&str]) -> Ran {
    place.run_unchanged(&things(), &[&["diff", old, new], arguments].concat())
}

/// Things of a version, with edits in every file.
fn bundle(version: &str, edits: &[(&str, &str)]) -> TempDir {
    let bundle = published(&things_of(version));
    for channel in ["standard", "experimental"] {
        for entry in fs::read_dir(bundle.path().join(channel)).unwrap() {
            let path = entry.unwrap().path();
            let mut text = fs::read_to_string(&path).unwrap();
            for (from, to) in edits {
                text = text.replace(from, to);
            }
            fs::write(path, text).unwrap();
        }
    }
    bundle
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The JSON document without the names of the bundles and of their files.
fn document(ran: &Ran) -> Value {
    assert_eq!(ran.err, "");
    let mut document: Value = serde_json::from_str(&ran.out).unwrap();
    for side in ["baseline", "candidate"] {
        document[side]["name"] = Value::Null;
    }
    for finding in document["findings"].as_array_mut().unwrap() {
        finding["source"] = Value::Null;
    }
    document
}

const LOOSER: (&str, &str) = ("maximum: 10\n", "maximum: 20\n");

#[test]
fn every_form_of_a_bundle_is_the_same_bundle() {
    let place = Place::new();
    let (old, new) = (bundle("v1.2.0", &[]), bundle("v1.3.0", &[LOOSER]));
    place.publish(&things());
    let folder = text(new.path()).to_owned();
    let expected = diff(&place, "v1.2.0", &folder, &["--format", "json"]);
    assert_eq!(expected.exit, Exit::Fine);
    let expected = document(&expected);
    assert_eq!(
        (&expected["verdict"], &expected["permitted"], &expected["needed"]),
        (&json!("minor"), &json!("minor"), &json!("v1.3.0"))
    );
    assert_eq!(
        (&expected["baseline"]["version"], &expected["candidate"]["version"]),
        (&json!("v1.2.0"), &json!("v1.3.0"))
    );
    let loosened = expected["findings"].as_array().unwrap().iter().filter(|found| found["rule"] == "loosened");
    assert_eq!(
        loosened.map(|found| (&found["channel"], &found["path"])).collect::<Vec<_>>(),
        [(&json!("standard"), &json!("spec.size")), (&json!("experimental"), &json!("spec.size"))]
    );

    let file = old.path().join("install.yaml");
    fs::write(&file, install_file(old.path(), &["experimental", "standard"])).unwrap();
    for (old, what) in [
        (text(&file), "an install file"),
        (text(&place.path().join("bundles/v1.2.0")), "a folder"),
        ("bundles/v1.2.0", "a folder below"),
    ] {
        assert_eq!(document(&diff(&place, old, &folder, &["--format", "json"])), expected, "{what}");
    }
    // On standard input, on either side.
    let arguments = ["diff", "v1.2.0", "-", "--format", "json"];
    let ran =
        place.run_reading(install_file(new.path(), &["standard", "experimental"]).as_bytes(), &things(), &arguments);
    assert_eq!(document(&ran), expected);
    let arguments = ["diff", "-", &folder, "--format", "json"];
    let ran = place.run_reading(fs::read(&file).unwrap().as_slice(), &things(), &arguments);
    assert_eq!(document(&ran), expected);
    // Other files next to CRDs are skipped.
    fs::write(new.path().join("standard/kustomization.yaml"), format!("resources: [{THING}, {BOX}, namespace.yaml]\n"))
        .unwrap();
    fs::write(new.path().join("kustomization.yaml"), "resources: [standard]\n").unwrap();
    fs::write(new.path().join("standard/namespace.yaml"), "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n")
        .unwrap();
    fs::write(new.path().join("experimental/NOTES.md"), "a: [\n").unwrap();
    assert_eq!(document(&diff(&place, "v1.2.0", &folder, &["--format", "json"])), expected);
    let archive = new.path().join("crds.tgz");
    let tar = std::process::Command::new("tar")
        .arg("czf")
        .arg(&archive)
        .args(["-C", &folder, "standard", "experimental"])
        .output();
    match tar {
        Ok(output) if output.status.success() => {
            assert_eq!(
                document(&diff(&place, "v1.2.0", text(&archive), &["--format", "json"])),
                expected,
                "an archive"
            );
        }
        _ => println!("skipped: no tar here"),
    }
    fs::write(new.path().join("experimental/.draft.yaml"), "a: [\n").unwrap();
    assert_eq!(document(&diff(&place, "v1.2.0", &folder, &["--format", "json"])), expected);
}

#[test]
fn findings_have_their_lines() {
    let place = Place::new();
    let (old, new) = (bundle("v1.2.0", &[]), bundle("v1.3.0", &[LOOSER]));
    let ran = diff(&place, text(old.path()), text(new.path()), &[]);
    let file = new.path().join("standard").join(THING);
    let line = fs::read_to_string(&file).unwrap().lines().position(|line| line.ends_with(" size:")).unwrap() + 1;
    let expected = format!("      10 → 20\n      {}:{}\n", file.display(), line);
    assert!(ran.out.contains(&expected), "{expected}{}", ran.out);
    let ran = diff(&place, text(old.path()), text(new.path()), &["--format", "github"]);
    assert!(
        ran.out.contains(&format!(
            "::notice file={},line={},title=loosened%3A things.things.example.com::",
            file.display(),
            line
        )),
        "{}",
        ran.out
    );
}

#[test]
fn a_bundle_does_not_differ_from_itself() {
    let place = Place::new();
    place.publish(&things());
    let ran = diff(&place, "v1.2.0", "v1.2.0", &[]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    assert_eq!(
        ran.out,
        "v1.2.0 → v1.2.0, profile gep-922: nothing to report in standard and experimental\n\
         gate: --fail-on major, because there is no bump from v1.2.0 to v1.2.0\n"
    );
}

/// 0 if the version of the candidate fits. Without a bump to it, users must not break.
#[test]
fn the_exit_code_depends_on_whether_the_change_fits() {
    let place = Place::new();
    let old = bundle("v1.2.0", &[]);
    let retyped =
        ("                type: integer\n              volume", "                type: string\n              volume");
    let tighter = ("maximum: 10\n", "maximum: 5\n");
    let nameless = ("/bundle-version: ", "/bundle-number: ");
    for (version, edits, exit, sentence) in [
        (
            "v1.3.0",
            &[LOOSER] as &[_],
            Exit::Fine,
            "This fits v1.3.0: over v1.2.0 that permits a minor bundle, and a minor bundle is needed.",
        ),
        (
            "v1.2.1",
            &[LOOSER],
            Exit::Findings,
            "This does not fit v1.2.1: over v1.2.0 that permits a patch bundle, and a minor bundle is needed: v1.3.0 is the smallest version that fits.",
        ),
        (
            "v1.3.0",
            &[tighter],
            Exit::Findings,
            "This does not fit v1.3.0: over v1.2.0 that permits a minor bundle, and a major bundle is needed: v2.0.0 is the smallest version that fits.",
        ),
        (
            "v2.0.0",
            &[tighter],
            Exit::Fine,
            "This fits v2.0.0: over v1.2.0 that permits a major bundle, and a major bundle is needed.",
        ),
        // An older one, or one without a version.
        (
            "v1.1.0",
            &[tighter],
            Exit::Findings,
            "This needs a major bundle: v2.0.0 or later. `--fail-on major` does not permit it.",
        ),
        (
            "v1.3.0",
            &[tighter, nameless],
            Exit::Findings,
            "This needs a major bundle: v2.0.0 or later. `--fail-on major` does not permit it.",
        ),
        ("v2.0.0", &[retyped], Exit::Findings, "As it is, this fits no version."),
    ] {
        let new = bundle(version, edits);
        let ran = diff(&place, text(old.path()), text(new.path()), &[]);
        assert_eq!((ran.exit, &*ran.err), (exit, ""), "{version} {edits:?} {}", ran.out);
        let unwrapped = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(unwrapped.contains(sentence), "{sentence}: {}", ran.out);
    }
}

#[test]
fn crds_without_a_channel_need_one() {
    let place = Place::new();
    let unstamped = [("/channel: ", "/train: ")];
    let (old, new) = (bundle("v1.2.0", &unstamped), bundle("v1.3.0", &[unstamped[0], LOOSER]));
    // The name of the folder is the channel.
    let ran = diff(&place, text(old.path()), text(new.path()), &[]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    let [old_file, new_file] = [&old, &new].map(|bundle| {
        let file = bundle.path().join("standard.yaml");
        fs::write(&file, install_file(bundle.path(), &["standard"])).unwrap();
        file
    });
    let ran = diff(&place, text(&old_file), text(&new_file), &[]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    // Once for both bundles, with all their CRDs.
    assert_eq!(
        ran.err,
        format!(
            "error: {}:2: the channel of CRDs is unknown: they have no channel stamp, and they are not in the folder of a channel, and 3 more. pass `--channel`\n",
            old_file.display()
        )
    );
    let ran = diff(&place, text(&old_file), text(&new_file), &["--channel", "standard"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    assert!(ran.out.contains("  standard v1 spec.size\n    minor: the maximum was loosened"), "{}", ran.out);
    // A stamp has precedence over the argument; an unknown stamp is ignored.
    let file = old.path().join("stamped.yaml");
    fs::write(&file, install_file(bundle("v1.3.0", &[]).path(), &["experimental"])).unwrap();
    let ran = diff(&place, text(&old_file), text(&file), &["--channel", "standard"]);
    let (old_name, name) = (old_file.display(), file.display());
    let words = format!(
        "the bundles have no channel in common: {old_name} has standard, and {name} has experimental. each channel is compared with the same channel only"
    );
    assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Unusable, "", &*format!("error: {words}\n")));
    fs::write(&file, install_file(bundle("v1.3.0", &[("channel: standard", "channel: beta")]).path(), &["standard"]))
        .unwrap();
    let ran = diff(&place, text(&old_file), text(&file), &[]);
    assert!(ran.err.contains("the channel of CRDs is unknown: their stamps name the unknown channel \"beta\", and they are not in the folder"), "{}", ran.err);
    let ran = diff(&place, text(&old_file), text(&file), &["--channel", "standard"]);
    assert_eq!(ran.exit, Exit::Fine, "{}", ran.err);
}

#[test]
fn a_folder_of_a_channel_contains_only_that_channel() {
    let place = Place::new();
    let (old, new) = (bundle("v1.2.0", &[]), bundle("v1.3.0", &[]));
    let file = new.path().join("standard").join(THING);
    fs::copy(new.path().join("experimental").join(THING), &file).unwrap();
    let ran = diff(&place, text(old.path()), text(new.path()), &[]);
    let words = "the CRD `things.things.example.com` is in the folder of standard, and is stamped experimental. move it, or correct its stamp";
    assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, &*format!("error: {}:2: {words}\n", file.display())));
}

/// A CRD next to the folders of channels belongs to the bundle.
#[test]
fn a_crd_next_to_the_folders_of_channels_is_read() {
    let place = Place::new();
    let (old, new) = (bundle("v1.2.0", &[]), bundle("v1.3.0", &[]));
    let outside = new.path().join("outside.yaml");
    fs::rename(new.path().join("standard").join(BOX), &outside).unwrap();
    let ran = diff(&place, text(old.path()), text(new.path()), &[]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    assert!(ran.out.contains(": nothing to report in"), "{}", ran.out);
    fs::copy(&outside, new.path().join("standard").join(BOX)).unwrap();
    let ran = diff(&place, text(old.path()), text(new.path()), &[]);
    let words = "the CRD `boxes.things.example.com` is here for the second time, the first is in ";
    let file = new.path().join("standard").join(BOX);
    assert!(
        ran.exit == Exit::Unusable && ran.err.starts_with(&format!("error: {}:2: {words}", file.display())),
        "{ran:?}"
    );
}

#[test]
fn a_channel_that_one_side_lacks_is_not_compared() {
    let place = Place::new();
    let (old, new) = (bundle("v1.2.0", &[]), bundle("v1.3.0", &[LOOSER]));
    fs::remove_dir_all(old.path().join("experimental")).unwrap();
    let ran = diff(&place, text(old.path()), text(new.path()), &[]);
    assert_eq!(ran.exit, Exit::Fine);
    assert!(ran.out.contains("\nexperimental: not checked: the baseline has no such channel.\n"), "{}", ran.out);
    let ran = diff(&place, text(new.path()), text(old.path()), &["--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        document["channels"],
        json!([
            {"channel": "standard", "judged": true, "reason": null, "verdict": "major"},
            {"channel": "experimental", "judged": false, "reason": "the candidate has no such channel", "verdict": null},
        ])
    );
}

/// A pre-release is never a baseline, so a bump is printed, and no version.
#[test]
fn after_a_pre_release_no_version_is_named() {
    let place = Place::new();
    let (old, new) = (bundle("v1.2.0-rc.1", &[]), bundle("v1.2.0", &[LOOSER]));
    let ran = diff(&place, text(old.path()), text(new.path()), &[]);
    assert!(ran.out.contains("\nThis needs a minor bundle. `--fail-on major` permits it.\n"), "{}", ran.out);
    let old = bundle("v1.2.0", &[]);
    let ran = diff(&place, text(old.path()), text(new.path()), &[]);
    assert!(
        ran.out.contains("\nThis needs a minor bundle: v1.3.0 or later. `--fail-on major` permits it.\n"),
        "{}",
        ran.out
    );
}

#[test]
fn missing_bundles_are_reported_for_both_sides() {
    let place = Place::new();
    place.publish(&things_of("v1.1.0"));
    place.publish(&things_of("v1.2.0"));
    let what =
        "a bundle is a version in `bundles/` such as v1.6.0, a folder, a file, an archive, `git:REF:PATH`, or `-`";
    let missing = "cannot be read: No such file or directory (os error 2)";
    let ran = diff(&place, "v1.3.0", "1.2.0", &[]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    assert_eq!(
        ran.err,
        format!(
            "error: bundles/v1.3.0: is not a bundle of `bundles/`. the bundles are v1.1.0, v1.2.0; `cargo xtask import` adds published CRDs\nerror: 1.2.0: {missing}. did you mean v1.2.0?\n"
        )
    );
    let ran = diff(&place, "v1.2.0", "v1.3", &[]);
    assert_eq!(ran.err, format!("error: v1.3: {missing}. {what}\n"));
    let ran = diff(&place, "-", "-", &[]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, "error: only one of the two bundles can be standard input\n"));
    let ran = diff(&place, "bundles", "v1.2.0", &[]);
    let fix = "/bundle-version:VALUE`; the values are v1.1.0, v1.2.0\n";
    assert!(ran.exit == Exit::Unusable && ran.err.contains(fix), "{}", ran.err);
    let ran = diff(&place, "v1.1.0", "v1.2.0", &["--root", "nowhere"]);
    assert_eq!(ran.err, "error: nowhere: cannot be used as root: No such file or directory (os error 2)\n");
    for arguments in [&["diff"] as &[&str], &["diff", "a", "b", "c"]] {
        let ran = place.run(&things(), arguments);
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
        assert!(ran.err.contains("Usage: cargo xtask diff"), "{}", ran.err);
    }
    let ran = diff(&place, "v1.3.0", "v1.4.0", &["--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.exit, &*ran.err, document["errors"].as_array().unwrap().len()), (Exit::Unusable, "", 2));
}

#[test]
fn files_are_compared_anywhere_and_versions_where_there_are_bundles() {
    let (old, new) = (bundle("v1.2.0", &[]), bundle("v1.3.0", &[LOOSER]));
    let place = Place::new();
    fs::remove_file(place.path().join("Cargo.toml")).unwrap();
    assert_eq!(diff(&place, text(old.path()), text(new.path()), &[]).exit, Exit::Fine);
    let ran = diff(&place, "v1.2.0", text(new.path()), &[]);
    assert_eq!(
        (ran.exit, &*ran.err),
        (
            Exit::Unusable,
            "error: `v1.2.0` is a bundle version, and there is no workspace with `bundles`. name a folder or file, or the root with `--root DIR`\n"
        )
    );
    // A folder may have the name of a version.
    fs::rename(old.path().join("standard"), place.path().join("v1.2.0")).unwrap();
    let ran = diff(&place, "v1.2.0", text(new.path()), &[]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    // A bundle of that version has precedence.
    let other = Place::new();
    other.publish(&things());
    fs::create_dir(other.path().join("v1.2.0")).unwrap();
    assert_eq!(diff(&other, "v1.2.0", text(new.path()), &[]).exit, Exit::Fine);
    assert_eq!(diff(&place, "v1.2.0", text(new.path()), &["--root", text(other.path())]).exit, Exit::Fine);
}

#[test]
fn renames_are_recognised_when_the_ledger_declares_them() {
    let place = Place::new();
    let (old, new) = (bundle("v1.2.0", &[]), bundle("v1.3.0", &[("              size:\n", "              width:\n")]));
    let rules = || {
        let ran = diff(&place, text(old.path()), text(new.path()), &["--format", "json"]);
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        let found = document["findings"].as_array().unwrap().iter().filter(|found| found["rule"] != "stamps");
        let found = found.map(|found| {
            (found["rule"].as_str().unwrap().to_owned(), found["fix"].as_str().unwrap_or_default().to_owned())
        });
        found.collect::<std::collections::BTreeMap<_, _>>()
    };
    let found = rules();
    assert_eq!(found.keys().collect::<Vec<_>>(), ["name-added", "name-removed"]);
    // The rename is suggested, and not assumed.
    assert!(
        found["name-removed"].contains(
            "If it was renamed to `width`, which has the same schema, declare it: `replacement=width` in its tombstone."
        ),
        "{found:?}"
    );
    // The types do not have the field; a bundle has the CRD.
    let without =
        Catalogue::new(Settings::new("things.example.com", "v1.3.0".parse().unwrap())).resource::<good::Case>();
    place.publish(&things_of("v1.2.0"));
    let add = "tombstones add --kind field --crd things.things.example.com --path spec --name size --removed v1.3.0";
    let ran = place.run_line(&without, &format!("{add} --reason renamed --replacement width"));
    assert_eq!(ran.exit, Exit::Fine, "{}", ran.err);
    assert_eq!(rules().keys().collect::<Vec<_>>(), ["renamed"]);
    place.write("bundles/tombstones.yaml", "tombstones: 1\n");
    let ran = diff(&place, text(old.path()), text(new.path()), &[]);
    assert_eq!(
        (ran.exit, &*ran.err),
        (Exit::Unusable, "error: bundles/tombstones.yaml:1: `tombstones` must be a list\n")
    );
}

/// Each finding is found, and the summary counts all of them.
#[test]
fn a_long_list_of_findings_is_cut_and_counted() {
    let (place, new) = (Place::new(), published(&things()));
    place.publish(&things());
    for channel in ["standard", "experimental"] {
        let box_ = fs::read_to_string(new.path().join(channel).join(BOX)).unwrap();
        for number in 0..120 {
            let text = box_.replace("boxes", &format!("boxes{number}")).replace("Box", &format!("Box{number}"));
            let text = text.replace("singular: box", &format!("singular: box{number}"));
            fs::write(new.path().join(channel).join(format!("{number}.yaml")), text).unwrap();
        }
    }
    let cut = diff(&place, "v1.2.0", text(new.path()), &[]).out;
    let all = diff(&place, "v1.2.0", text(new.path()), &["--verbose"]).out;
    let listed = |out: &str| out.matches("[name-added]").count();
    assert_eq!(listed(&all), 240, "{all}");
    let more = "`name-added`: 70 more findings are not shown; `--verbose` lists all\n";
    assert_eq!((listed(&cut), cut.matches(more).count()), (100, 2), "{cut}");
    assert!(!all.contains("not shown"), "{all}");
    let json = diff(&place, "v1.2.0", text(new.path()), &["--format", "json"]);
    let added =
        document(&json)["findings"].as_array().unwrap().iter().filter(|found| found["rule"] == "name-added").count();
    assert_eq!(added, 240);
}

#[test]
fn a_tombstone_of_the_ledger_is_not_needed_again() {
    let place = Place::new();
    place.publish(&things());
    let new = bundle("v2.0.0", &[("              size:\n", "              extent:\n")]);
    let needs = |place: &Place| diff(place, "v1.2.0", text(new.path()), &[]).out.matches("needs a tombstone").count();
    assert!(needs(&place) > 0);
    let entry = "kind: field, path: spec, name: size, removed: v2.0.0, reason: renamed";
    let entries = ["things", "boxes", "shelves"].map(|crd| format!("- {{crd: {crd}.things.example.com, {entry}}}\n"));
    place.write("bundles/tombstones.yaml", format!("tombstones:\n{}", entries.concat()));
    assert_eq!(needs(&place), 0);
}

#[test]
fn an_altered_committed_bundle_is_an_error() {
    let place = Place::new();
    place.publish(&things());
    let file = format!("bundles/v1.2.0/standard/{THING}");
    place.write(&file, place.read(&file).replace("maximum: 10", "maximum: 9"));
    let words = "does not have the checksum that bundle.yaml lists; a committed bundle never changes. remove the folder of v1.2.0, and import the published CRDs again";
    // By its version, or as a folder.
    for old in ["v1.2.0", "bundles/v1.2.0"] {
        let ran = diff(&place, old, old, &[]);
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
        assert_eq!(ran.err, format!("error: {file}: {words}\n").repeat(2));
    }
    // The folder of one channel has no manifest.
    assert_eq!(diff(&place, "bundles/v1.2.0/standard", "bundles/v1.2.0/standard", &[]).exit, Exit::Fine);
}

#[test]
fn a_witness_is_printed_on_request() {
    let place = Place::new();
    let (old, new) = (bundle("v1.0.0", &[]), bundle("v1.1.0", &[("maximum: 10\n", "maximum: 4\n")]));
    let (old, new) = (text(old.path()), text(new.path()));
    let without = diff(&place, old, new, &[]);
    assert!(without.out.contains("[tightened]") && !without.out.contains("refused now: "), "{}", without.out);
    let shown = diff(&place, old, new, &["--witness"]);
    let line = shown.out.lines().find_map(|line| line.trim_start().strip_prefix("refused now: ")).unwrap();
    let shown = serde_json::from_str::<Value>(line).unwrap();
    let found = document(&diff(&place, old, new, &["--witness", "--format", "json"]));
    let found = found["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == "tightened");
    assert!(
        found.clone().count() > 0
            && found.clone().all(|finding| finding["witness"].to_string().contains(&shown.to_string()))
    );
}

/// A creation drops the status where the candidate has the subresource: the object is not refused, and its status is.
#[test]
fn a_new_status_subresource_refuses_a_status_by_itself() {
    let place = Place::new();
    let mode = |mode: Value| json!({ "type": "object", "properties": { "mode": mode } });
    let schema = |status: Value| json!({ "type": "object", "properties": { "spec": mode(json!({ "type": "string" })), "status": status } });
    let old = schema(mode(json!({ "type": "string", "maxLength": 7 })));
    let new = schema(mode(json!({ "type": "string", "maxLength": 3 })));
    place.write("old.json", crd_testdata::thing_crd(&old, &json!({})).to_string());
    for (subresources, words, subresource) in [
        (json!({ "status": {} }), "refused by `/status`: ", json!("status")),
        (json!({}), "refused now: ", Value::Null),
    ] {
        place.write("new.json", crd_testdata::thing_crd(&new, &subresources).to_string());
        let arguments = ["--channel", "standard", "--witness"];
        let shown = diff(&place, "old.json", "new.json", &arguments).out;
        let lines = shown.lines().filter_map(|line| line.trim_start().strip_prefix("refused "));
        assert_eq!(lines.clone().count(), 1, "{shown}");
        let line =
            shown.lines().find_map(|line| line.trim_start().strip_prefix(words)).unwrap_or_else(|| panic!("{shown}"));
        let object = serde_json::from_str::<Value>(line).unwrap();
        assert_eq!(object["status"], json!({ "mode": "aaaa" }));
        let found = document(&diff(&place, "old.json", "new.json", &[&arguments[..], &["--format", "json"]].concat()));
        let mut found = found["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == "tightened");
        let expected = json!({ "object": object, "stored": null, "subresource": subresource, "reason": null });
        assert_eq!(found.next().unwrap()["witness"], expected);
    }
}

/// The limit of all searches is a fact of the report.
#[test]
fn the_report_contains_how_many_changes_were_not_searched() {
    let place = Place::new();
    for (file, most) in [("old.json", 9_000), ("new.json", 8_000)] {
        let list = json!({ "type": "array", "maxItems": most, "items": { "type": "string" } });
        let lists = (0..400).map(|index| (format!("f{index}"), list.clone())).collect::<serde_json::Map<_, _>>();
        let schema = json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": lists } } });
        place.write(file, crd_testdata::thing_crd(&schema, &json!({})).to_string());
    }
    let note = "the work of all searches for witnesses is limited";
    let arguments = ["--channel", "standard", "--format", "json"];
    let without = document(&diff(&place, "old.json", "new.json", &arguments));
    assert!(!without["notes"].to_string().contains(note), "{}", without["notes"]);
    let searched = document(&diff(&place, "old.json", "new.json", &[&arguments[..], &["--witness"]].concat()));
    let findings = searched["findings"].as_array().unwrap();
    let count = |words: &str| {
        let reasons = findings.iter().filter_map(|finding| finding["witness"]["reason"].as_str());
        reasons.filter(|reason| reason.starts_with(words)).count()
    };
    let (unsearched, ended) = (count("not searched"), count("the search ended"));
    let notes = searched["notes"].to_string();
    assert!(
        unsearched > 0 && notes.contains(&format!("{note}: {unsearched} changes without a search, and {ended} change")),
        "{notes}"
    );
}

/// A chart has CRDs of one channel and policies about CRDs. The archive has all channels. Both equal their bundle.
#[test]
fn the_files_of_a_release_do_not_differ_from_its_bundle() {
    let catalogue = things_of("v1.2.0");
    let place = Place::with(&catalogue);
    let ran = place.run(&catalogue, &["release", "v1.2.0", "--date", "2026-03-01"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    for (shipped, channels) in [
        ("things-standard-1.2.0.tgz", "standard"),
        ("things-experimental-1.2.0.tgz", "experimental"),
        ("things-v1.2.0.tar.gz", "standard and experimental"),
        ("standard-install.yaml", "standard"),
        ("experimental-install.yaml", "experimental"),
    ] {
        let shipped = format!("dist/{shipped}");
        for (old, new) in [(&*shipped, "v1.2.0"), ("bundles/v1.2.0", &*shipped), (&shipped, &shipped)] {
            let ran = diff(&place, old, new, &["--format", "json"]);
            let document: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!((ran.exit, &document["errors"]), (Exit::Fine, &json!([])), "{old} {new}: {document}");
            let compared = document["channels"].as_array().unwrap().iter().filter(|channel| channel["judged"] == true);
            let compared = compared.map(|channel| channel["channel"].as_str().unwrap()).collect::<Vec<_>>();
            assert_eq!(compared.join(" and "), channels, "{old} {new}");
            // The annotation for Helm is not a change.
            assert_eq!(document["findings"], json!([]), "{old} {new}");
        }
    }
    // The chart contains such policies.
    let read = |name: &str| fs::read(place.path().join("dist").join(name)).unwrap();
    let mut policies = 0;
    let bytes = read("things-standard-1.2.0.tgz");
    let mut chart = tar::Archive::new(flate2::read::GzDecoder::new(&*bytes));
    for entry in chart.entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut entry, &mut text).unwrap();
        let is_conditional = text.starts_with("{{- if ") && text.ends_with("{{- end }}\n");
        policies += usize::from(is_conditional && text.contains("CustomResourceDefinition"));
    }
    assert!(policies > 0);
    // A change is found.
    let other = bundle("v1.3.0", &[LOOSER]);
    let ran = diff(&place, "dist/things-v1.2.0.tar.gz", text(other.path()), &[]);
    assert!(ran.out.contains("the maximum was loosened"), "{ran:?}");
}
