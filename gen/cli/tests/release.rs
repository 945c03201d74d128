//! `release` in tables, and with what only a catalogue declares. The rest are sessions.
//!
//! Each test has its own git repository.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use crate::registry_server::{Hook, Server};
use crate::support::{Place, Ran, api, files_below, good, root, things, with};
use crd_bundle::Digest;
use crd_channels_cli::{Catalogue, Exit, Policy, Webhook};
use crd_generate::settings::Settings;

/// A deprecated resource.
mod fading {
    use super::*;

    root!(
        /// +kubebuilder:storageversion
        /// +kubebuilder:deprecatedversion:warning="Lamps go; use Things"
        Lamp, "v1beta1", "Lamp"
    );
}

/// The time of all commits.
const COMMITTED: &str = "2026-03-01T01:02:03+02:00";

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

/// A release that succeeds. It is committed.
#[track_caller]
fn release(place: &Place, catalogue: &Catalogue, version: &str) -> Ran {
    let ran = place.run(catalogue, &["release", version]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    commit(place);
    ran
}

/// The files below a folder of the workspace, by path.
fn files(place: &Place, folder: &str) -> BTreeMap<String, Vec<u8>> {
    files_below(&place.path().join(folder))
}

fn names(place: &Place, folder: &str) -> Vec<String> {
    files(place, folder).into_keys().collect()
}

/// What the catalogue declares is published, listed in the notes, and covered by the sums and the SBOM. The bundle has none of it.
#[test]
fn lenses_and_features_are_computed_once() {
    let place = repository(&things());
    for arguments in [&["release", "v1.2.0"][..], &["generate", "--check"]] {
        let catalogue = things();
        let ran = place.run(&catalogue, arguments);
        let computations = catalogue.computations();
        assert_eq!((ran.exit, computations.lenses(), computations.features()), (Exit::Fine, 1, 1), "{ran:?}");
    }
}

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
    let new = names(&with, "dist").into_iter().filter(|name| !known.contains(name) && !name.starts_with("oci/"));
    let new = new.collect::<Vec<_>>();
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

/// Every blob of the layout is in the registry, and a wrong registry is refused before anything is written.
/// What a killed release left counts as no change that is not committed, and the next release removes it.
#[test]
fn folders_of_killed_releases_need_no_commit() {
    let place = repository(&things());
    let left = [".dist-12.tmp", "bundles/.release-12.tmp"];
    left.iter().for_each(|folder| place.write(&format!("{folder}/file"), "half"));
    let ran = place.run(&things(), &["release", "v1.2.0"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert!(left.iter().all(|folder| !place.path().join(folder).exists()));
}

#[test]
fn a_release_is_pushed() {
    let (catalogue, server) = (api::<good::Thing>("v1.0.0"), Server::start(|_| Hook::Pass));
    let (place, to) = (repository(&catalogue), format!("{}/api", server.host));
    let before = files(&place, "bundles");
    let ran = place.run(&catalogue, &["release", "v1.0.0", "--push", "ghcr.io"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("the repository is missing"), "{ran:?}");
    assert_eq!(files(&place, "bundles"), before);
    let ran = place.run(&catalogue, &["release", "v1.0.0", "--push", &to]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    for name in ["standard:v1.0.0", "experimental:v1.0.0", "charts/things-standard:1.0.0"] {
        assert!(ran.out.contains(&format!("{to}/{name}@sha256:")), "{name}: {ran:?}");
    }
    let stored = server.stored.lock().unwrap();
    for digest in names(&place, "dist/oci/blobs/sha256") {
        let digest = format!("sha256:{digest}");
        let is_manifest = stored.manifests.keys().any(|(_, name)| *name == digest);
        assert!(is_manifest || stored.blobs.contains_key(&digest), "{digest}");
    }
    drop(stored);
    commit(&place);
    let ran = place.run(&catalogue, &["release", "v1.0.0", "--push", &to, "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let pushed = document["pushed"].as_array().unwrap();
    assert!(pushed.len() == 4 && pushed.iter().all(|one| one["existed"] == true && one["sent"] == 0), "{document}");
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
    let both = repository(&catalogue);
    release(&both, &catalogue, "v1.0.0");
    release(&both, &catalogue, "v1.0.1");
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
        let place = Place::new();
        let copied = Command::new("cp").arg("-a").arg(both.path().join(".")).arg(place.path()).status().unwrap();
        assert!(copied.success());
        let released = files(&place, "bundles/v1.0.0");
        let commits = git(&place, &["log", "--format=%h", "--", path]);
        if is_tagged {
            git(&place, &["tag", "v1.0.0", commits.trim()]);
        }
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
