//! `release`: the gate, the bundle and its artefacts.
//!
//! Each test has its own git repository. The written files are compared with the output of `sha256sum` and git, and with the files that
//! `generate` writes.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use crate::support::{
    Place, Ran, api, assert_untouched, edited, files_below, good, graduated, narrow, removed, root, tightened, with,
};
use crd_bundle::Digest;
use crd_channels_cli::{Catalogue, Exit, Policy, Session, Webhook, run_in};
use crd_generate::settings::Settings;
use serde_json::{Value, json};

/// A deprecated resource.
mod fading {
    use super::*;

    root!(
        /// +kubebuilder:storageversion
        /// +kubebuilder:deprecatedversion:warning="Lamps go; use Things"
        Lamp, "v1beta1", "Lamp"
    );
}

/// A new API, only in experimental.
mod beginning {
    use super::*;

    root!(
        /// +experimental
        Lamp, "v1alpha1", "Lamp"
    );
}

/// The output of git.
#[track_caller]
fn git(place: &Place, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(place.path()).args(["-c", "user.name=Author", "-c", "user.email=author@example.com"]);
    command.args(arguments).stdin(Stdio::null()).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("GIT_AUTHOR_DATE", COMMITTED).env("GIT_COMMITTER_DATE", COMMITTED);
    let output = command.output().expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The time of all commits, in another zone than UTC.
const COMMITTED: &str = "2026-03-01T01:02:03+02:00";
/// The same in UTC.
const COMMITTED_UTC: &str = "2026-02-28T23:02:03Z";

#[track_caller]
fn commit(place: &Place) {
    git(place, &["add", "--all"]);
    git(place, &["commit", "--quiet", "--allow-empty", "--message", "as it is"]);
}

/// A repository with the generated files of a catalogue, committed.
#[track_caller]
fn repository(catalogue: &Catalogue) -> Place {
    let place = Place::with(catalogue);
    place.write(".gitignore", "/dist\n/bundles/.release.lock\n");
    git(&place, &["init", "--quiet"]);
    commit(&place);
    place
}

/// Generates the CRDs of other types, and commits them.
#[track_caller]
fn change(place: &Place, catalogue: &Catalogue) {
    let ran = place.run(catalogue, &["generate"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    commit(place);
}

/// Checks out a file with the line ends of Windows, as git does if it is configured so.
#[track_caller]
fn check_out_with_crlf(place: &Place, path: &str) {
    git(place, &["config", "core.autocrlf", "true"]);
    fs::remove_file(place.path().join(path)).unwrap();
    git(place, &["checkout", "--quiet", "--", path]);
    assert!(place.read(path).contains("\r\n"));
    assert_eq!(git(place, &["status", "--porcelain"]), "");
}

/// A release that succeeds. It is committed.
#[track_caller]
fn release(place: &Place, catalogue: &Catalogue, version: &str) -> Ran {
    let ran = place.run(catalogue, &["release", version]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    commit(place);
    ran
}

/// A release that is refused and changes nothing.
#[track_caller]
fn refused(place: &Place, catalogue: &Catalogue, arguments: &[&str], exit: Exit) -> Ran {
    let ran = place.run_unchanged(catalogue, &[&["release"], arguments].concat());
    assert_eq!(ran.exit, exit, "{ran:?}");
    assert!(!place.path().join("bundles/.release.lock").exists());
    ran
}

/// The files below a folder of the workspace, by path.
fn files(place: &Place, folder: &str) -> BTreeMap<String, Vec<u8>> {
    files_below(&place.path().join(folder))
}

fn names(place: &Place, folder: &str) -> Vec<String> {
    files(place, folder).into_keys().collect()
}

#[test]
fn the_first_release_writes_the_bundle_and_its_artefacts() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = repository(&catalogue);
    let ran = place.run(&catalogue, &["release", "v1.0.0"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert!(
        ran.out.starts_with(&format!(
            "v1.0.0  the first bundle: there is no baseline; released {COMMITTED_UTC} (the last commit)\nbundles/v1.0.0: 6 files, "
        )),
        "{}",
        ran.out
    );
    assert!(
        ran.err
            .ends_with("note: commit bundles/v1.0.0 and tag the commit v1.0.0; CI builds the same dist at the tag\n")
    );
    let thing = "things.example.com_things.yaml";
    assert_eq!(
        names(&place, "bundles/v1.0.0"),
        [
            "bundle.yaml".to_owned(),
            "experimental/kustomization.yaml".to_owned(),
            format!("experimental/{thing}"),
            "graduation.json".to_owned(),
            "standard/kustomization.yaml".to_owned(),
            format!("standard/{thing}"),
        ]
    );
    assert_eq!(
        names(&place, "dist"),
        [
            "SHA256SUMS",
            "experimental-install.yaml",
            "graduation.json",
            "guardrails.yaml",
            "reference.html",
            "release-notes.md",
            "standard-install.yaml",
            "things-experimental-1.0.0.tgz",
            "things-standard-1.0.0.tgz",
            "things-v1.0.0.cdx.json",
            "things-v1.0.0.tar.gz",
        ]
    );
    // The same CRDs as `generate` writes, except for their stamps.
    for channel in ["standard", "experimental"] {
        let generated = place.read(&format!("bundles/unreleased/{channel}/{thing}"));
        let released = place.read(&format!("bundles/v1.0.0/{channel}/{thing}"));
        assert_eq!(generated.replace("bundle-version: v1.0.0-dev", "bundle-version: v1.0.0"), released);
        assert_ne!(generated, released);
    }
    // Every digest of the manifest and of SHA256SUMS, from another program.
    let manifest = place.read("bundles/v1.0.0/bundle.yaml");
    for (name, folder) in names(&place, "bundles/v1.0.0").iter().map(|name| (name, "bundles/v1.0.0")) {
        if name != "bundle.yaml" {
            let entry = format!("- path: {name}\n  sha256: {}\n", sha256sum(&place, folder, name));
            assert!(manifest.contains(&entry), "{entry}{manifest}");
        }
    }
    let mut sums = String::new();
    for name in names(&place, "dist").iter().filter(|name| *name != "SHA256SUMS") {
        sums.push_str(&format!("{}  {name}\n", sha256sum(&place, "dist", name)));
    }
    assert_eq!(place.read("dist/SHA256SUMS"), sums);
    assert!(
        manifest.contains(&format!("released: '{COMMITTED_UTC}'\ntool: crd-channels {}\n", env!("CARGO_PKG_VERSION")))
    );
    assert_eq!(git(&place, &["status", "--porcelain"]), "?? bundles/v1.0.0/\n", "nothing else is left to be committed");
    // `diff` reads the bundle.
    commit(&place);
    let ran = place.run(&catalogue, &["diff", "v1.0.0", "bundles/unreleased"]);
    assert_eq!((ran.exit, ran.out.contains("nothing to report")), (Exit::Fine, true), "{ran:?}");
}

#[track_caller]
fn sha256sum(place: &Place, folder: &str, name: &str) -> String {
    let output = Command::new("sha256sum").arg(place.path().join(folder).join(name)).output().expect("sha256sum runs");
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().trim_start_matches('\\').to_owned()
}

/// What the catalogue declares is published, listed in the notes, and covered by the sums and the SBOM. The bundle has none of it.
#[test]
fn the_webhook_and_the_policies_of_a_catalogue_are_published() {
    let plain = api::<good::Thing>("v1.0.0");
    let policy = Policy::new("short-names", "names that are short")
        .resource("things.example.com", "things")
        .validation("object.metadata.name.size() < 10", "the name is too long", None);
    let catalogue = plain.clone().webhook(Webhook::new("registry.example.com/webhook")).policy(policy);
    let [without, with] = [plain, catalogue].map(|catalogue| {
        let place = repository(&catalogue);
        release(&place, &catalogue, "v1.0.0");
        place
    });
    assert_eq!(files(&with, "bundles/v1.0.0"), files(&without, "bundles/v1.0.0"));
    let known = names(&without, "dist");
    let new = names(&with, "dist").into_iter().filter(|name| !known.contains(name)).collect::<Vec<_>>();
    assert_eq!(new, ["experimental-webhook-install.yaml", "policies.yaml", "standard-webhook-install.yaml"]);
    let texts =
        ["SHA256SUMS", "release-notes.md", "things-v1.0.0.cdx.json"].map(|name| with.read(&format!("dist/{name}")));
    for (name, text) in new.iter().flat_map(|name| texts.iter().map(move |text| (name, text))) {
        assert!(text.contains(name.as_str()), "{name}: {text}");
    }
    assert!(texts[1].contains("| `policies.yaml` | opt-in policies: names that are short |"), "{}", texts[1]);
    let manifests = with.read("dist/standard-webhook-install.yaml");
    assert!(manifests.contains("image: registry.example.com/webhook:v1.0.0\n"), "{manifests}");
    assert!(with.read("dist/policies.yaml").contains("  name: short-names.things.example.com\n"));
}

#[test]
fn an_existing_bundle_stays_and_only_dist_is_written_again() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = repository(&catalogue);
    release(&place, &catalogue, "v1.0.0");
    let (bundle, dist) = (files(&place, "bundles/v1.0.0"), files(&place, "dist"));
    // At the tag, in a clone: without `dist`, after another commit, and with another `--date`.
    for arguments in [&["release", "v1.0.0"][..], &["release", "v1.0.0", "--date", "2030-01-01"]] {
        fs::remove_dir_all(place.path().join("dist")).unwrap();
        let ran = place.run(&catalogue, arguments);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        assert!(ran.out.contains(&format!("released {COMMITTED_UTC} (the committed bundle)\n")), "{}", ran.out);
        assert!(ran.out.contains("bundles/v1.0.0: 6 files, ") && ran.out.contains(", unchanged\n"));
        assert!(!ran.err.contains("there is no baseline"), "it was released without one: {}", ran.err);
        assert_eq!((files(&place, "bundles/v1.0.0"), files(&place, "dist")), (bundle.clone(), dist.clone()));
    }
    assert_eq!(git(&place, &["status", "--porcelain"]), "");
}

#[test]
fn a_dry_run_writes_nothing_and_lists_the_files() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = repository(&catalogue);
    let ran = refused(&place, &catalogue, &["v1.0.0", "--dry-run"], Exit::Fine);
    assert!(ran.out.contains("bundles/v1.0.0: 6 files, ") && ran.out.contains(", would be written\n"), "{}", ran.out);
    let ran = refused(&place, &catalogue, &["v1.0.0", "--dry-run", "--format", "json"], Exit::Fine);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    for (key, expected) in [
        ("version", json!("v1.0.0")),
        ("baseline", Value::Null),
        ("released", json!(COMMITTED_UTC)),
        ("releasedBy", json!("the last commit")),
        ("dryRun", json!(true)),
        ("isThere", json!(false)),
        ("written", json!(false)),
        ("refusals", json!([])),
        ("errors", json!([])),
    ] {
        assert_eq!(document[key], expected, "{key}");
    }
    let ran = place.run(&catalogue, &["release", "v1.0.0", "--format", "json"]);
    let written: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&written["written"], &written["bundle"], &written["dist"]),
        (&json!(true), &document["bundle"], &document["dist"])
    );
    for (folder, key) in [("bundles/v1.0.0", "bundle"), ("dist", "dist")] {
        let found = files(&place, folder)
            .iter()
            .map(|(path, bytes)| json!({"path": path, "bytes": bytes.len()}))
            .collect::<Value>();
        assert_eq!(written[key]["files"], found);
    }
}

#[test]
fn versions_are_strict() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = repository(&catalogue);
    for version in [
        "1.0.0",
        "v1.0",
        "v01.0.0",
        "v1.0.0-final",
        "v1.0.12345",
        "v1.0.0-rc.x",
        "v1.0.0+build",
        "latest",
        "../v1.0.0",
        "",
    ] {
        let ran = refused(&place, &catalogue, &[version], Exit::Unusable);
        assert!(
            ran.err.contains("is not a bundle version") || ran.err.contains("a value is required"),
            "{version}: {}",
            ran.err
        );
    }
    refused(&place, &catalogue, &[], Exit::Unusable);
}

#[test]
fn a_version_below_an_existing_one_is_refused() {
    let catalogue = api::<good::Thing>("v1.1.1");
    let place = repository(&catalogue);
    place.publish(&api::<good::Thing>("v1.1.0"));
    place.publish(&api::<good::Thing>("v1.2.0"));
    commit(&place);
    for (version, words) in [
        ("v1.0.0", "v1.0.0 is below v1.2.0, and would start an older minor series"),
        ("v1.2.0-rc.1", "v1.2.0-rc.1 is below v1.2.0, which is in `bundles/`"),
    ] {
        let ran = refused(&place, &catalogue, &[version], Exit::Findings);
        assert!(ran.err.contains(words), "{}", ran.err);
        assert!(ran.err.ends_with(&format!("{version} was not released; no file has changed\n")), "{}", ran.err);
    }
    // A patch of an older minor is accepted.
    let ran = release(&place, &catalogue, "v1.1.1");
    assert!(
        ran.out.starts_with("v1.1.1  over v1.1.0: none, standard none, experimental none; released "),
        "{}",
        ran.out
    );
    let manifest = place.read("bundles/v1.1.1/bundle.yaml");
    assert!(manifest.starts_with("baseline: v1.1.0\n"), "{manifest}");
    assert!(
        manifest.contains("verdict:\n  bundle: none\n  experimental: none\n  standard: none\nversion: v1.1.1\n"),
        "{manifest}"
    );
}

#[test]
fn a_bundle_that_was_released_with_other_bytes_is_never_altered() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = repository(&catalogue);
    release(&place, &catalogue, "v1.0.0");
    let graduated = api::<graduated::Thing>("v1.0.0");
    change(&place, &graduated);
    let ran = refused(&place, &graduated, &["v1.0.0"], Exit::Findings);
    let expected = "error: bundles/v1.0.0/bundle.yaml: differs from what would be released now; a released bundle never changes. \
                    release the next version; or, if v1.0.0 was never published, remove bundles/v1.0.0 and release it again\n";
    assert!(ran.err.contains(expected), "{}", ran.err);
    let ran = refused(&place, &graduated, &["v1.0.0", "--format", "json"], Exit::Findings);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["refusals"][0]["reason"], "differs");
    assert_eq!(document["refusals"][0]["path"], "bundles/v1.0.0/bundle.yaml");
    assert_eq!(document["written"], json!(false));
    // An imported bundle is not replaced either.
    let other = repository(&catalogue);
    other.publish(&catalogue);
    commit(&other);
    let ran = refused(&other, &catalogue, &["v1.0.0"], Exit::Findings);
    assert!(ran.err.contains("bundles/v1.0.0/bundle.yaml: differs from what would be released now"), "{}", ran.err);
}

#[test]
fn each_altered_file_of_a_committed_bundle_is_reported() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = repository(&catalogue);
    release(&place, &catalogue, "v1.0.0");
    let next = api::<good::Thing>("v1.0.1");
    change(&place, &next);
    for name in ["standard/things.example.com_things.yaml", "experimental/kustomization.yaml"] {
        let path = format!("bundles/v1.0.0/{name}");
        let text = place.read(&path);
        place.write(&path, format!("{text}# a remark\n"));
        commit(&place);
        for command in [&["check"][..], &["release", "v1.0.1"], &["release", "v1.0.0"]] {
            let before = place.tree();
            let ran = place.run(&next, command);
            assert_eq!(
                ran.exit,
                if command == ["release", "v1.0.0"] { Exit::Findings } else { Exit::Unusable },
                "{ran:?}"
            );
            assert!(ran.err.contains(&path), "{}", ran.err);
            assert_untouched(&before, &place.tree());
        }
        place.write(&path, text);
    }
    commit(&place);
    // Additional files are errors too.
    for name in ["notes.txt", "standard/remarks.md", "standard/things.example.com_boxes.yaml"] {
        let path = format!("bundles/v1.0.0/{name}");
        place.write(&path, "a: 1\n");
        let ran = place.run(&next, &["check"]);
        assert_eq!(ran.exit, Exit::Unusable, "{ran:?}");
        let words =
            format!("{path}: is not listed in bundle.yaml; a committed bundle never changes. move the file away");
        assert!(ran.err.contains(&words), "{}", ran.err);
        fs::remove_file(place.path().join(path)).unwrap();
    }
    release(&place, &next, "v1.0.1");
    // The next bundle records the digest of this manifest, so a change of file and digest together is detected.
    let path = "bundles/v1.0.0/bundle.yaml";
    let text = place.read(path);
    place.write(path, text.replace(COMMITTED_UTC, "2020-01-01T00:00:00Z"));
    let ran = place.run(&next, &["check"]);
    assert_eq!(ran.exit, Exit::Unusable, "{ran:?}");
    let words = format!(
        "error: {path}: changed after the release of v1.0.1; a committed bundle never changes. restore it: `git checkout HEAD -- bundles/v1.0.0`\n"
    );
    assert_eq!(ran.err, words);
    fs::remove_dir_all(place.path().join("bundles/v1.0.0")).unwrap();
    let ran = place.run(&next, &["check"]);
    assert!(
        ran.err.contains(&format!("error: {path}: is missing, and existed at the release of v1.0.1")),
        "{}",
        ran.err
    );
}

/// An altered file may be committed, so the advised command must restore the released bytes, whatever else is committed.
#[test]
fn the_advice_about_an_altered_file_restores_its_released_bytes() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let path = "bundles/v1.0.0/standard/things.example.com_things.yaml";
    let alter = |place: &Place| place.write(path, place.read(path).replace("maximum: 10", "maximum: 9"));
    let delete = |place: &Place| fs::remove_file(place.path().join(path)).unwrap();
    let remove = |place: &Place| fs::remove_dir_all(place.path().join("bundles/v1.0.0")).unwrap();
    // Both bytes and checksum are altered: only the tag has the old ones, and a later bundle the checksum of the manifest.
    let forge = |place: &Place| {
        let old = Digest::of(place.read(path)).to_string();
        alter(place);
        let manifest = "bundles/v1.0.0/bundle.yaml";
        place.write(manifest, place.read(manifest).replace(&old, &Digest::of(place.read(path)).to_string()));
    };
    for (alter, is_tagged, is_committed, revision) in [
        (&alter as &dyn Fn(&Place), true, false, Some("HEAD")),
        (&alter, true, true, Some("v1.0.0")),
        (&alter, false, true, None),
        (&delete, false, false, Some("HEAD")),
        (&delete, true, true, Some("v1.0.0")),
        (&delete, false, true, None),
        (&remove, false, true, None),
        (&forge, true, true, Some("v1.0.0")),
    ] {
        let place = repository(&catalogue);
        release(&place, &catalogue, "v1.0.0");
        let released = files(&place, "bundles/v1.0.0");
        if is_tagged {
            git(&place, &["tag", "v1.0.0"]);
        }
        let commits = git(&place, &["log", "--format=%h", "--", path]);
        release(&place, &catalogue, "v1.0.1");
        alter(&place);
        if is_committed {
            commit(&place);
        }
        let ran = place.run_unchanged(&catalogue, &["check"]);
        assert_eq!(ran.exit, Exit::Unusable, "{ran:?}");
        let commands = ran.err.split('`').filter_map(|part| part.strip_prefix("git ")).collect::<Vec<_>>();
        let [command] = *commands else { panic!("{}", ran.err) };
        let words = command.split(' ').collect::<Vec<_>>();
        assert_eq!(words[1], revision.unwrap_or(commits.trim()), "{}", ran.err);
        git(&place, &words);
        assert_eq!(files(&place, "bundles/v1.0.0"), released, "{}", ran.err);
        // The bytes are right, and the commit may still be wrong.
        let ran = place.run(&catalogue, &["release", "v1.0.0"]);
        let is_wrong = is_committed && !git(&place, &["ls-tree", "HEAD", path]).is_empty();
        assert_eq!(ran.exit == Exit::Findings, is_wrong, "{ran:?}");
        assert_eq!(ran.err.contains("is not committed as it was released. commit it: "), is_wrong, "{ran:?}");
        assert!(!ran.err.contains("differs"), "{ran:?}");
        commit(&place);
        assert_eq!(place.run(&catalogue, &["release", "v1.0.0"]).exit, Exit::Fine);
        assert_eq!(place.run(&catalogue, &["check"]).exit, Exit::Fine);
    }
}

#[test]
fn without_the_released_bytes_nothing_is_advised_that_does_not_restore_them() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let path = "bundles/v1.0.0/standard/things.example.com_things.yaml";
    let place = repository(&catalogue);
    assert_eq!(place.run(&catalogue, &["release", "v1.0.0"]).exit, Exit::Fine);
    let text = place.read(path);
    // It was altered before its first commit.
    place.write(path, text.replace("maximum: 10", "maximum: 9"));
    commit(&place);
    let help = |place: &Place| {
        let ran = place.run_unchanged(&catalogue, &["check"]);
        assert_eq!(ran.exit, Exit::Unusable, "{ran:?}");
        let help = ran.err.split_once("never changes. ").unwrap().1.to_owned();
        // `release` prints the same, and nothing about another version.
        let ran = refused(place, &catalogue, &["v1.0.0"], Exit::Findings);
        assert!(ran.err.contains(&help) && !ran.err.contains("release the next version"), "{}", ran.err);
        help
    };
    let archive = "restore it from the archive that was published with v1.0.0\n";
    assert_eq!(help(&place), format!("no commit has its released bytes: {archive}"));
    place.write(path, &text);
    commit(&place);
    check_out_with_crlf(&place, path);
    let words = "git changed its line ends: set `-text` for it in `.gitattributes`, remove it, and restore it: ";
    assert_eq!(help(&place), format!("{words}`git checkout HEAD -- {path}`\n"));
    place.write(".gitattributes", "/bundles/** -text\n");
    fs::remove_file(place.path().join(path)).unwrap();
    git(&place, &["checkout", "HEAD", "--", path]);
    assert_eq!(place.run(&catalogue, &["check"]).exit, Exit::Fine);
    fs::remove_dir_all(place.path().join(".git")).unwrap();
    place.write(path, text.replace("maximum: 10", "maximum: 9"));
    let ran = place.run_unchanged(&catalogue, &["check"]);
    assert!(ran.err.ends_with(&format!("never changes. {archive}")), "{}", ran.err);
}

/// `check` and `release` agree that they are not part of a bundle.
#[test]
fn files_of_systems_and_editors_do_not_count() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = repository(&catalogue);
    release(&place, &catalogue, "v1.0.0");
    for path in [".DS_Store", "standard/Thumbs.db", "standard/desktop.ini", "standard/.a.swp", "experimental/a.yaml~"] {
        place.write(&format!("bundles/v1.0.0/{path}"), "a: [");
        place.write(&format!("bundles/unreleased/{path}"), "a: [");
        place.write(path.rsplit('/').next().unwrap(), "a: [");
    }
    assert_eq!(place.run_unchanged(&catalogue, &["check"]).exit, Exit::Fine);
    let ran = place.run(&catalogue, &["release", "v1.0.0"]);
    assert_eq!((ran.exit, ran.out.contains("unchanged")), (Exit::Fine, true), "{ran:?}");
    let next = api::<good::Thing>("v1.0.1");
    assert_eq!(place.run(&next, &["generate"]).exit, Exit::Fine);
    git(&place, &["commit", "--quiet", "--all", "--message", "generated"]);
    let ran = place.run(&next, &["release", "v1.0.1"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert!(!names(&place, "bundles/v1.0.1").iter().any(|name| name.contains("DS_Store")));
    // Other files are not part of a bundle either, and count for both.
    place.write("bundles/v1.0.0/notes.txt", "");
    for command in [&["check"][..], &["release", "v1.0.0"]] {
        let ran = place.run(&next, command);
        assert!(ran.err.contains("bundles/v1.0.0/notes.txt: is not listed in bundle.yaml"), "{}", ran.err);
        assert!(ran.err.contains("move the file away"), "{}", ran.err);
    }
}

#[test]
fn a_change_must_fit_the_version() {
    let first = api::<good::Thing>("v1.0.0");
    let place = repository(&first);
    release(&place, &first, "v1.0.0");

    let graduated = api::<graduated::Thing>("v1.0.1");
    change(&place, &graduated);
    let ran = refused(&place, &graduated, &["v1.0.1"], Exit::Findings);
    assert!(
        ran.out.contains("This does not fit v1.0.1: over v1.0.0 that permits a patch bundle, and a minor bundle"),
        "{}",
        ran.out
    );
    assert!(
        ran.err.contains("error: `check` reports errors for v1.0.1. fix or waive the findings, or release v1.1.0\n"),
        "{}",
        ran.err
    );
    // Findings that require no bump, such as the new stamps, are printed with `--verbose` only.
    assert!(ran.out.contains("left out; `--verbose` lists all.\n") && !ran.out.contains("[stamps]"), "{}", ran.out);
    let ran = refused(&place, &graduated, &["v1.0.1", "--verbose"], Exit::Findings);
    assert!(!ran.out.contains("left out") && ran.out.contains("[stamps]"), "{}", ran.out);
    // The catalogue names another version: a note, and the change fits.
    let ran = release(&place, &graduated, "v1.1.0");
    assert!(
        ran.err.contains(
            "note: the next version of the settings is v1.0.1, so `cargo xtask check` checks v1.0.1 and not v1.1.0"
        ),
        "{}",
        ran.err
    );
    assert!(ran.out.starts_with("v1.1.0  over v1.0.0: minor, standard minor, experimental "), "{}", ran.out);
}

#[test]
fn a_major_bundle_needs_allow_major() {
    let first = api::<good::Thing>("v1.0.0");
    let place = repository(&first);
    release(&place, &first, "v1.0.0");
    let tightened = api::<tightened::Thing>("v2.0.0");
    change(&place, &tightened);
    let ran = refused(&place, &tightened, &["v2.0.0"], Exit::Findings);
    assert!(
        ran.err.contains(
            "error: v2.0.0 breaks users: the change requires a major bundle. pass `--allow-major` if this is intended\n"
        ),
        "{}",
        ran.err
    );
    let ran = refused(&place, &tightened, &["v1.1.0", "--allow-major"], Exit::Findings);
    assert!(ran.err.contains("fix or waive the findings, or release v2.0.0\n"), "{}", ran.err);
    let ran = place.run(&tightened, &["release", "v2.0.0", "--allow-major"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    commit(&place);
    // At the tag, `--allow-major` is not required again.
    assert_eq!(place.run(&tightened, &["release", "v2.0.0"]).exit, Exit::Fine);
}

#[test]
fn a_standard_channel_that_experimental_does_not_contain_is_refused() {
    let first = api::<good::Thing>("v1.0.0");
    let place = repository(&first);
    release(&place, &first, "v1.0.0");
    let narrow = api::<narrow::Thing>("v1.1.0");
    change(&place, &narrow);
    let ran = refused(&place, &narrow, &["v1.1.0"], Exit::Findings);
    assert!(ran.out.contains("experimental is stricter: `maximum` [containment]"), "{}", ran.out);
    assert!(ran.err.contains("fix the findings, or waive them in `bundles/waivers.yaml`\n"), "{}", ran.err);
    place.write(
        "bundles/waivers.yaml",
        "waivers:\n- rule: containment\n  crd: things.things.example.com\n  path: spec.size\n  channel: standard\n  bundle: v1.1.0\n  to: minor\n  reason: 8 is enough\n",
    );
    commit(&place);
    release(&place, &narrow, "v1.1.0");
    let notes = place.read("dist/release-notes.md");
    for words in [
        "As a whole, what changed since v1.0.0 asks for a minor bundle. Without waivers, it is permitted by no version.\n",
        "* `containment` is permitted by no version; waived, it asks for a minor bundle: 8 is enough\n",
    ] {
        assert!(notes.contains(words), "{notes}");
    }
}

#[test]
fn a_removed_name_needs_a_tombstone_and_a_bundle_records_the_ledger() {
    let first = api::<good::Thing>("v1.0.0");
    let place = repository(&first);
    release(&place, &first, "v1.0.0");
    let removed = api::<removed::Thing>("v1.1.0");
    change(&place, &removed);
    let ran = refused(&place, &removed, &["v1.1.0"], Exit::Findings);
    assert!(ran.out.contains("+tombstone:name=volume,removed=v1.1.0"), "{}", ran.out);
    assert!(
        ran.err.contains("`check` reports errors for v1.1.0. fix the errors above\n"),
        "no waiver applies: {}",
        ran.err
    );
    let add = "tombstones add --kind field --crd things.things.example.com --path spec --name volume --removed v1.1.0";
    let ran = place.run_line(&removed, &format!("{add} --reason 'too loud'"));
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    commit(&place);
    release(&place, &removed, "v1.1.0");
    let manifest = place.read("bundles/v1.1.0/bundle.yaml");
    assert!(manifest.contains("tombstones:\n  entries:\n  - id: "), "{manifest}");
    // The ledger only grows from here.
    let ledger = place.read("bundles/tombstones.yaml");
    place.write("bundles/tombstones.yaml", ledger.replace("too loud", "noise"));
    let next = api::<removed::Thing>("v1.1.1");
    change(&place, &next);
    let ran = refused(&place, &next, &["v1.1.1"], Exit::Findings);
    assert!(ran.out.contains("volume") && ran.out.contains("v1.1.0"), "{}", ran.out);
}

#[test]
fn waivers_apply_to_their_bundle_and_its_pre_releases_and_are_in_the_manifest() {
    let first = api::<good::Thing>("v1.0.0");
    let place = repository(&first);
    release(&place, &first, "v1.0.0");
    let tightened = api::<tightened::Thing>("v1.0.1");
    change(&place, &tightened);
    place.write(
        "bundles/waivers.yaml",
        "waivers:\n- rule: tightened\n  crd: things.things.example.com\n  path: spec.size\n  bundle: v1.0.1\n  to: patch\n  reason: as v0.9.0 had it\n",
    );
    commit(&place);
    release(&place, &tightened, "v1.0.1-rc.1");
    let ran = release(&place, &tightened, "v1.0.1");
    assert!(ran.out.starts_with("v1.0.1  over v1.0.0: patch, standard patch, experimental patch; "), "{}", ran.out);
    let digest = sha256sum(&place, "bundles", "waivers.yaml");
    assert!(place.read("bundles/v1.0.1/bundle.yaml").ends_with(&format!("version: v1.0.1\nwaivers: {digest}\n")));
    // The waiver has expired.
    let next = api::<tightened::Thing>("v1.0.2");
    change(&place, &next);
    let ran = refused(&place, &next, &["v1.0.2"], Exit::Findings);
    assert!(ran.out.contains("the waiver is for the bundle v1.0.1, and the candidate is v1.0.2"), "{}", ran.out);
}

#[test]
fn a_beta_resource_may_be_removed_after_nine_months_and_three_minors() {
    let with = |version: &str| api::<good::Thing>(version).resource::<fading::Lamp>();
    for (how, first_date, second, date, fits) in [
        ("released", "2025-01-31", "v1.3.0", "2025-10-31", true),
        ("imported", "2025-01-31", "v1.3.0", "2025-10-31", true),
        ("released", "2025-01-31", "v1.3.0", "2025-10-30", false),
        ("released", "2025-01-31", "v1.2.0", "2026-10-31", false),
        ("imported without a date", "", "v1.3.0", "2026-10-31", false),
    ] {
        let first = with("v1.0.0");
        let place = repository(&first);
        let elsewhere = crate::support::published(&first);
        for channel in ["standard", "experimental"].iter().filter(|_| how != "released") {
            let folder = elsewhere.path().join(channel);
            let mut arguments = vec!["import", folder.to_str().unwrap(), "--version", "v1.0.0", "--channel", channel];
            if !first_date.is_empty() {
                arguments.extend(["--date", first_date]);
            }
            assert_eq!(place.run(&first, &arguments).exit, Exit::Fine);
        }
        if how == "released" {
            assert_eq!(place.run(&first, &["release", "v1.0.0", "--date", first_date]).exit, Exit::Fine);
        }
        commit(&place);
        let next = api::<good::Thing>(second);
        let add =
            format!("tombstones add --kind resource --crd lamps.things.example.com --removed {second} --reason x");
        assert_eq!(place.run_line(&next, &add).exit, Exit::Fine);
        change(&place, &next);
        let ran = place.run(&next, &["release", second, "--date", date]);
        assert_eq!(ran.exit, if fits { Exit::Fine } else { Exit::Findings }, "{how} {second} {date}: {ran:?}");
        if !fits {
            assert!(ran.out.contains("[resource-removed]"), "{}", ran.out);
        }
    }
}

#[test]
fn stale_files_and_uncommitted_ones_are_refused() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = repository(&catalogue);
    let edited = api::<edited::Thing>("v1.0.0");
    let ran = refused(&place, &edited, &["v1.0.0"], Exit::Stale);
    assert!(
        ran.err.contains(
            "error: 2 files are out of date: bundles/unreleased/experimental/things.example.com_things.yaml, \
             bundles/unreleased/standard/things.example.com_things.yaml. run `cargo xtask generate` and commit the result\n"
        ),
        "{}",
        ran.err
    );
    assert_eq!(place.run(&edited, &["generate"]).exit, Exit::Fine);
    place.write("new file", "");
    let ran = refused(&place, &edited, &["v1.0.0"], Exit::Findings);
    assert!(
        ran.err.contains(
            "error: 3 files are not committed, and a release contains committed files only: bundles/unreleased/experimental/things.example.com_things.yaml, \
             bundles/unreleased/standard/things.example.com_things.yaml, new file. commit or stash them\n"
        ),
        "{}",
        ran.err
    );
    // All reasons are reported together.
    let ran = refused(&place, &catalogue, &["v1.0.0"], Exit::Findings);
    assert_eq!(ran.err.matches("error: ").count(), 2, "{}", ran.err);
    fs::remove_file(place.path().join("new file")).unwrap();
    commit(&place);
    // Files that git ignores are not in any commit.
    place.write("templates/chart/NOTES.txt", "Mine.\n");
    place.write(".git/info/exclude", "/templates\n");
    let ran = refused(&place, &edited, &["v1.0.0"], Exit::Findings);
    assert!(
        ran.err.contains(
            "1 file is not committed, and a release contains committed files only: templates/chart/NOTES.txt (git ignores it)"
        ),
        "{}",
        ran.err
    );
    fs::remove_dir_all(place.path().join("templates")).unwrap();
    place.write("Cargo.toml", "[workspace]\n# altered\n");
    git(&place, &["update-index", "--assume-unchanged", "Cargo.toml"]);
    assert_eq!(git(&place, &["status", "--porcelain"]), "");
    let ran = refused(&place, &edited, &["v1.0.0"], Exit::Findings);
    assert!(
        ran.err.contains("Cargo.toml (git does not compare it: `assume-unchanged` or `skip-worktree` is set)"),
        "{}",
        ran.err
    );
    git(&place, &["update-index", "--no-assume-unchanged", "Cargo.toml"]);
    commit(&place);
    // The files of an earlier attempt of the same release need not be committed.
    assert_eq!(place.run(&edited, &["release", "v1.0.0"]).exit, Exit::Fine);
    place.write(".gitignore", "");
    git(&place, &["add", ".gitignore"]);
    git(&place, &["commit", "--quiet", "--message", "nothing is ignored"]);
    assert_eq!(place.run(&edited, &["release", "v1.0.0"]).exit, Exit::Fine);
    let ran = refused(&place, &edited, &["v1.0.1"], Exit::Findings);
    assert!(ran.err.contains("6 files are not committed"), "{}", ran.err);
}

#[test]
fn notes_list_changes_since_the_baseline_and_of_a_pre_release_since_the_last_one() {
    let first = api::<good::Thing>("v1.0.0");
    let place = repository(&first);
    release(&place, &first, "v1.0.0");
    let notes = place.read("dist/release-notes.md");
    assert!(notes.contains("v1.0.0") && notes.contains("things.things.example.com"), "{notes}");
    let graduated = api::<graduated::Thing>("v1.1.0");
    change(&place, &graduated);
    release(&place, &graduated, "v1.1.0-rc.1");
    let notes = place.read("dist/release-notes.md");
    assert!(notes.contains("v1.0.0") && notes.contains("spec.volume"), "{notes}");
    // Without further changes.
    release(&place, &graduated, "v1.1.0-rc.2");
    let notes = place.read("dist/release-notes.md");
    assert!(notes.contains("v1.1.0-rc.1") && !notes.contains("spec.volume"), "{notes}");
    // The release lists all changes.
    release(&place, &graduated, "v1.1.0");
    let notes = place.read("dist/release-notes.md");
    assert!(notes.contains("v1.0.0") && !notes.contains("-rc.") && notes.contains("spec.volume"), "{notes}");
}

/// Runs a command with this `SOURCE_DATE_EPOCH` instead of the one of the process.
fn run_with(place: &Place, catalogue: &Catalogue, arguments: &[&str], epoch: Option<&str>) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut session = Session::new(place.path(), &mut out, &mut err).source_date_epoch(epoch.map(str::to_owned));
    let exit = run_in(catalogue, arguments.iter().copied(), &mut session);
    let text = |bytes: Vec<u8>| anstream::adapter::strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    Ran { exit, out: text(out), err: crate::support::one_line_each(&text(err)) }
}

#[test]
fn a_release_is_made_of_the_bytes_that_are_committed() {
    let catalogue = api::<good::Thing>("v1.0.1");
    let place = repository(&catalogue);
    place.publish(&api::<good::Thing>("v1.0.0"));
    let lock = "version = 4\n\n[[package]]\nname = \"things\"\nversion = \"0.1.0\"\n";
    place.write("Cargo.lock", lock);
    place.write("outside.yaml", "waivers: []\n");
    commit(&place);
    // Git commits a link, not its target.
    std::os::unix::fs::symlink("../outside.yaml", place.path().join("bundles/waivers.yaml")).unwrap();
    commit(&place);
    let ran = place.run(&catalogue, &["release", "v1.0.1", "--dry-run"]);
    assert_ne!(ran.exit, Exit::Fine, "{ran:?}");
    assert!(ran.err.contains("bundles/waivers.yaml"), "{}", ran.err);
    fs::remove_file(place.path().join("bundles/waivers.yaml")).unwrap();
    commit(&place);
    // Git is configured to convert line ends, and to run a program that watches files.
    check_out_with_crlf(&place, "Cargo.lock");
    let hook = place.path().join(".git/watch");
    fs::write(&hook, "#!/bin/sh\ntouch \"$(dirname \"$0\")/was-run\"\nprintf 'token\\0'\n").unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    git(&place, &["config", "core.fsmonitor", hook.to_str().unwrap()]);
    git(&place, &["status"]);
    let _ = fs::remove_file(place.path().join(".git/was-run"));
    let ran = refused(&place, &catalogue, &["v1.0.1"], Exit::Findings);
    assert!(
        ran.err.contains("1 file is not committed, and a release contains committed files only: Cargo.lock"),
        "{}",
        ran.err
    );
    assert!(!place.path().join(".git/was-run").exists(), "the program was run");
    // For git, the file is committed, so the help is another one.
    let words = "Cargo.lock (git changes its bytes on their way out of the repository, as it does with line ends). set `-text` for it in `.gitattributes`, and check it out again\n";
    assert!(ran.err.contains(words), "{}", ran.err);
    git(&place, &["config", "core.autocrlf", "false"]);
    place.write("Cargo.lock", lock);
    // Files of these names elsewhere in the repository belong to another workspace.
    let inner = Place::with(&catalogue);
    inner.write(".gitignore", "/dist\n");
    git(&inner, &["init", "--quiet"]);
    let root = inner.path().join("deep");
    fs::create_dir(&root).unwrap();
    fs::rename(inner.path().join("bundles"), root.join("bundles")).unwrap();
    commit(&inner);
    inner.write("bundles/v1.0.1/mine.yaml", "");
    let ran = place.run(&catalogue, &["release", "v1.0.1", "--dry-run", "--root", root.to_str().unwrap()]);
    assert!(ran.err.contains(":/bundles/v1.0.1/mine.yaml"), "{}", ran.err);
}

/// A workspace is compared with its own part of the commit, and not with files of the same names at the top.
#[test]
fn a_workspace_may_be_a_folder_of_the_repository() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = Place::with(&catalogue);
    let lock = "version = 4\n\n[[package]]\nname = \"things\"\nversion = \"0.1.0\"\n";
    place.write(".gitignore", "dist\n.release.lock\n");
    git(&place, &["init", "--quiet"]);
    let root = place.path().join("apis/my things");
    fs::create_dir_all(&root).unwrap();
    fs::rename(place.path().join("bundles"), root.join("bundles")).unwrap();
    fs::write(root.join("Cargo.lock"), lock).unwrap();
    let run = || place.run(&catalogue, &["release", "v1.0.0", "--root", root.to_str().unwrap()]);
    place.write("Cargo.lock", lock);
    commit(&place);
    check_out_with_crlf(&place, "apis/my things/Cargo.lock");
    let ran = run();
    assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
    assert!(
        ran.err
            .contains("1 file is not committed, and a release contains committed files only: Cargo.lock (git changes"),
        "{}",
        ran.err
    );
    git(&place, &["config", "core.autocrlf", "false"]);
    fs::write(root.join("Cargo.lock"), lock).unwrap();
    place.write("Cargo.lock", "not a lock file\n");
    git(&place, &["commit", "--quiet", "--all", "--message", "another project"]);
    let ran = run();
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert!(root.join("dist/SHA256SUMS").is_file() && !place.path().join("dist").exists());
}

#[test]
fn a_repository_that_git_cannot_read_is_an_error() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = repository(&catalogue);
    fs::rename(place.path().join(".git"), place.path().join("moved")).unwrap();
    place.write(".git", "gitdir: /nowhere\n");
    let ran = refused(&place, &catalogue, &["v1.0.0", "--date", "2026-11-21"], Exit::Unusable);
    assert!(ran.err.contains("whose state cannot be read"), "{}", ran.err);
    fs::remove_file(place.path().join(".git")).unwrap();
    fs::rename(place.path().join("moved"), place.path().join(".git")).unwrap();
    git(&place, &["config", "core.bare", "true"]);
    let ran = refused(&place, &catalogue, &["v1.0.0", "--date", "2026-11-21"], Exit::Unusable);
    assert!(ran.err.contains("whose state cannot be read"), "{}", ran.err);
}

#[test]
fn an_older_bundle_can_be_built_again_after_newer_ones() {
    let first = api::<good::Thing>("v1.0.0");
    let place = repository(&first);
    release(&place, &first, "v1.0.0");
    release(&place, &first, "v1.0.1");
    let ran = place.run(&first, &["release", "v1.0.0"]);
    assert_eq!((ran.exit, ran.out.contains("unchanged")), (Exit::Fine, true), "{ran:?}");
    // Also after a patch of an older minor.
    release(&place, &first, "v1.1.0");
    release(&place, &first, "v1.0.2");
    let ran = place.run(&first, &["release", "v1.1.0"]);
    assert_eq!((ran.exit, ran.out.contains("unchanged")), (Exit::Fine, true), "{ran:?}");
    assert_eq!(place.run(&first, &["check"]).exit, Exit::Fine);
    // If the types have changed since then, the tag has the right ones.
    let graduated = api::<graduated::Thing>("v1.2.0");
    change(&place, &graduated);
    let ran = refused(&place, &graduated, &["v1.1.0"], Exit::Findings);
    let words = "error: bundles/v1.1.0/bundle.yaml: differs from what would be released now; a released bundle never changes. release the next version";
    assert!(ran.err.contains(words), "{}", ran.err);
    let ran = refused(&place, &graduated, &["v1.0.1"], Exit::Findings);
    assert!(ran.err.contains("release it from its tag (`git checkout v1.0.1`)"), "{}", ran.err);
    change(&place, &first);
    // A manifest that was altered after its commit is an error.
    let path = "bundles/v1.0.1/bundle.yaml";
    place.write(path, place.read(path).replace(COMMITTED_UTC, "2020-01-01T00:00:00Z"));
    let ran = refused(&place, &first, &["v1.0.1"], Exit::Findings);
    let words = format!(
        "error: {path}: differs from its commit; a committed bundle never changes. restore it: `git checkout HEAD -- {path}`\n"
    );
    assert!(ran.err.contains(&words), "{}", ran.err);
}

/// The API reference of a release is that of `docs` at its commit. Later releases do not change it.
#[test]
fn the_reference_of_a_release_has_the_releases_until_then() {
    let first = api::<good::Thing>("v1.0.0");
    let place = repository(&first);
    let mut references = Vec::new();
    let graduated = api::<graduated::Thing>("v1.1.0");
    for (catalogue, version) in [(&first, "v1.0.0"), (&first, "v1.0.1"), (&graduated, "v1.1.0")] {
        if version == "v1.1.0" {
            change(&place, &graduated);
        }
        release(&place, catalogue, version);
        let reference = place.read("dist/reference.html");
        let ran = place.run(catalogue, &["docs"]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        assert!(place.read("site/index.html") == reference, "{version}");
        fs::remove_dir_all(place.path().join("site")).unwrap();
        assert!(references.iter().all(|(_, other)| *other != reference), "{version}");
        references.push((version, reference));
    }
    change(&place, &first);
    for (version, reference) in &references[..2] {
        let ran = place.run(&first, &["release", version]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        assert!(place.read("dist/reference.html") == *reference, "{version}");
    }
}

#[test]
fn a_symlink_in_the_way_is_reported_with_all_other_reasons() {
    let first = api::<good::Thing>("v1.0.0");
    let place = repository(&first);
    release(&place, &first, "v1.0.0");
    let graduated = api::<graduated::Thing>("v1.0.1");
    change(&place, &graduated);
    fs::remove_dir_all(place.path().join("dist")).unwrap();
    std::os::unix::fs::symlink("/tmp", place.path().join("dist")).unwrap();
    let ran = refused(&place, &graduated, &["v1.0.1"], Exit::Unusable);
    assert!(ran.out.contains("This does not fit v1.0.1"), "{}", ran.out);
    assert!(ran.err.contains("dist: is a symlink") && ran.err.contains("release v1.1.0"), "{}", ran.err);
    let ran = refused(&place, &graduated, &["v1.0.1", "--format", "json"], Exit::Unusable);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let reasons = document["refusals"].as_array().unwrap().iter().map(|refusal| refusal["reason"].as_str().unwrap());
    assert!(reasons.clone().any(|reason| reason == "in-the-way") && reasons.clone().any(|reason| reason == "findings"));
    assert_eq!(document["judgement"]["fits"], json!(false));
}

#[test]
fn types_that_changed_after_their_release_need_another_version() {
    let first = api::<good::Thing>("v1.0.0");
    let place = repository(&first);
    release(&place, &first, "v1.0.0");
    let ran = place.run(&first, &["check"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let ran = place.run(&api::<graduated::Thing>("v1.0.0"), &["check"]);
    assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
    for words in [
        "v1.0.0 is released, and the types have changed since then [version-released]",
        "v1.1.0 is the smallest that fits",
    ] {
        assert!(ran.out.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{words}: {}", ran.out);
    }
    // The required tombstone names a version that lacks the name.
    let ran = place.run(&api::<removed::Thing>("v1.0.0"), &["check"]);
    assert!(ran.out.contains("+tombstone:name=volume,removed=v1.1.0,"), "{}", ran.out);
    // A version that was skipped is not accepted either.
    release(&place, &first, "v1.2.0");
    assert_eq!(place.run(&api::<good::Thing>("v1.1.0"), &["check"]).exit, Exit::Fine);
    let ran = place.run(&api::<graduated::Thing>("v1.1.0"), &["check"]);
    assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
    for words in [
        "v1.2.0 is released, and the types have changed since then [version-released]",
        "v1.3.0 is the smallest that fits",
    ] {
        assert!(ran.out.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{words}: {}", ran.out);
    }
    // A patch of an older minor is accepted.
    assert_eq!(place.run(&api::<graduated::Thing>("v1.2.1"), &["check"]).exit, Exit::Findings);
    assert_eq!(place.run(&api::<good::Thing>("v1.0.1"), &["check"]).exit, Exit::Fine);
}

/// Installed policies compare the stamps of an earlier bundle.
#[test]
fn another_prefix_of_the_stamps_gets_a_note() {
    let first = api::<good::Thing>("v1.0.0");
    let place = repository(&first);
    release(&place, &first, "v1.0.0");
    let other = Catalogue::new(Settings::new("thing.example.com", "v1.1.0".parse().unwrap()));
    let other = with(&other, "name: things").resource::<good::Thing>();
    let words = "note: the annotations of the baseline begin with `things.example.com`, and the prefix in `crd-channels.yaml` is `thing.example.com`: ";
    let ran = place.run(&other, &["check"]);
    assert!(ran.err.contains(words), "{}", ran.err);
    change(&place, &other);
    let ran = place.run(&other, &["release", "v1.1.0", "--dry-run"]);
    assert!(ran.err.contains(words), "{}", ran.err);
    assert!(!place.run(&api::<good::Thing>("v1.1.0"), &["check"]).err.contains("the annotations of the baseline"));
}

#[test]
fn the_release_date_is_not_read_from_a_clock() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = repository(&catalogue);
    let plan = |arguments: &[&str], epoch: Option<&str>| {
        run_with(&place, &catalogue, &[&["release", "v1.0.0", "--dry-run"], arguments].concat(), epoch)
    };
    for (arguments, epoch, expected) in [
        (&["--date", "2026-11-21"][..], Some("0"), "released 2026-11-21T00:00:00Z (--date)"),
        (&["--date", "2026-11-21T12:13:14Z"], None, "released 2026-11-21T12:13:14Z (--date)"),
        (&[], Some("1709251199"), "released 2024-02-29T23:59:59Z (SOURCE_DATE_EPOCH)"),
        (&[], Some(""), "released 2026-02-28T23:02:03Z (the last commit)"),
        (&[], None, "released 2026-02-28T23:02:03Z (the last commit)"),
    ] {
        let ran = plan(arguments, epoch);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        assert!(ran.out.contains(expected), "{expected}: {}", ran.out);
    }
    for epoch in ["yesterday", "-1", "99999999999"] {
        let ran = plan(&[], Some(epoch));
        assert_eq!(ran.exit, Exit::Unusable);
        assert!(
            ran.err.contains(&format!(
                "SOURCE_DATE_EPOCH is {epoch:?}, which is not a number of seconds between the years 1970 and 2106"
            )),
            "{}",
            ran.err
        );
    }
    let ran = plan(&["--date", "tomorrow"], None);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("`tomorrow` is not a release date: write a date such as 2026-11-21"), "{}", ran.err);
    // Without git, `--date` is required.
    let bare = Place::with(&catalogue);
    let ran = run_with(&bare, &catalogue, &["release", "v1.0.0"], None);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("such as `--date 2026-11-21`"), "{}", ran.err);
    let ran = run_with(&bare, &catalogue, &["release", "v1.0.0", "--date", "2026-11-21"], None);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert!(
        ran.err.contains("note: without a git repository, the release cannot check that all files are committed"),
        "{}",
        ran.err
    );
}

#[test]
fn texts_can_be_replaced_and_a_mistake_in_one_changes_nothing() {
    let catalogue = api::<good::Thing>("v1.0.0");
    let place = repository(&catalogue);
    place.write("templates/chart/NOTES.txt", "Bundle {{ version }} of {{ name }}.\n");
    commit(&place);
    release(&place, &catalogue, "v1.0.0");
    let chart = place.path().join("dist/things-standard-1.0.0.tgz");
    let notes =
        Command::new("tar").arg("-xzOf").arg(chart).arg("things-standard/templates/NOTES.txt").output().unwrap();
    assert_eq!(String::from_utf8(notes.stdout).unwrap(), "Bundle v1.0.0 of things.\n");
    for (path, text, words) in [
        ("chart/NOTE.txt", "", "templates/chart/NOTE.txt: "),
        ("chart/NOTES.txt", "Bundle\n{{ versoin }}\n", "templates/chart/NOTES.txt:2: "),
        ("chart/NOTES.txt", "{% if %}", "templates/chart/NOTES.txt:1: "),
    ] {
        place.write(&format!("templates/{path}"), text);
        commit(&place);
        let ran = refused(&place, &catalogue, &["v1.0.0"], Exit::Unusable);
        assert!(ran.err.contains(words), "{}", ran.err);
        fs::remove_dir_all(place.path().join("templates")).unwrap();
    }
    // A link is reported once, whatever its target contains.
    place.write("texts/chart/NOTES.txt", "Bundle.\n");
    place.write("texts/notes/release-notes.md", "Notes.\n");
    std::os::unix::fs::symlink("texts", place.path().join("templates")).unwrap();
    commit(&place);
    let ran = refused(&place, &catalogue, &["v1.0.0"], Exit::Unusable);
    assert_eq!(ran.err.matches("templates: is a symlink").count(), 1, "{}", ran.err);
    fs::remove_file(place.path().join("templates")).unwrap();
    // Folders with this name are common: a note names folders in it that are not read.
    place.write("templates/web/index.html", "{{ unknown }}");
    place.write(".gitignore", "/dist\n/bundles/.release.lock\n*.log\n");
    commit(&place);
    place.write("templates/web/debug.log", "nothing of a release");
    let ran = place.run(&catalogue, &["release", "v1.0.0"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let words = "note: templates/web is not read: the templates of a release are in templates/archive, templates/chart, templates/install, templates/notes\n";
    assert!(ran.err.contains(words), "{}", ran.err);
}

#[test]
fn notes_of_an_experimental_channel_alone_do_not_mention_standard() {
    let catalogue = api::<beginning::Lamp>("v0.1.0");
    let place = repository(&catalogue);
    release(&place, &catalogue, "v0.1.0");
    let notes = place.read("dist/release-notes.md");
    assert!(notes.contains("| experimental | 1 | what may still change |"), "{notes}");
    for name in names(&place, "dist").iter().filter(|name| !name.ends_with("gz")) {
        assert!(!place.read(&format!("dist/{name}")).contains("everything in standard"), "{name}");
    }
}
