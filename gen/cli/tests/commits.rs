//! Paths in commits as sources: `git:REF:PATH` is read as the same files on disk are, and what cannot be read is an error.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Place, program as run, run_at, things};
use crd_channels_cli::Exit;

fn crd(plural: &str, maximum: u32) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {plural}.example.com}}\nspec:\n  \
         group: example.com\n  scope: Namespaced\n  names: {{kind: Box, plural: {plural}}}\n  versions:\n  - name: v1\n    \
         served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          \
         size: {{type: integer, maximum: {maximum}}}\n"
    )
}

pub(crate) fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "A").env(format!("GIT_{role}_EMAIL"), "a@example.com");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?} {output:?}");
}

/// A repository whose tag `v1.0.0` has files that the work tree no longer has.
pub(crate) fn repository(write: impl Fn(&Place)) -> Place {
    let place = Place::new();
    write(&place);
    git(place.path(), &["init", "--quiet"]);
    git(place.path(), &["add", "--all", "--force"]);
    git(place.path(), &["commit", "--quiet", "--message", "a"]);
    git(place.path(), &["tag", "v1.0.0"]);
    for entry in fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            _ if entry.ends_with(".git") => {}
            true => fs::remove_dir_all(entry).unwrap(),
            false => fs::remove_file(entry).unwrap(),
        }
    }
    place
}

fn link(place: &Place, path: &str, target: &str) {
    fs::create_dir_all(place.path().join(path).parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, place.path().join(path)).unwrap();
}

/// Each command prints the same for a path in a commit and for the same files on disk.
#[test]
fn a_path_in_a_commit_is_read_as_on_disk() {
    let write = |place: &Place| {
        place.write("crds/bases/boxes.yaml", crd("boxes", 10));
        place.write("crds/kustomization.yaml", "resources: [bases/boxes.yaml, ../shared]\npatches: [{path: x.yaml}]\n");
        place.write("shared/kustomization.yaml", "resources: [jars.yaml]\n");
        place.write("shared/jars.yaml", crd("jars", 10));
        place.write("releases/v1.0.0/boxes.yaml", crd("boxes", 10));
        place.write("releases/v1.1.0/boxes.yaml", crd("boxes", 5));
        link(place, "releases/v1.2.0", "v1.1.0");
        link(place, "linked/all", "../crds/bases");
        link(place, "linked/bases", "../crds/bases");
        link(place, "linked/file.yaml", "../shared/jars.yaml");
        place.write("more/standard/boxes.yaml", crd("boxes", 10));
        link(place, "more/experimental", "standard");
        place.write(".hidden.yaml", "a: [");
        place.write("more/standard/.lids.yaml", crd("lids", 10).replace("Box", "Lid"));
        place.write("object.yaml", "apiVersion: example.com/v1\nkind: Box\nmetadata: {name: a}\nsize: 11\n");
        place.write("new.yaml", crd("boxes", 5) + "---\n" + &crd("jars", 5).replace("Box", "Jar"));
    };
    let (place, disk) = (repository(write), Place::new());
    write(&disk);
    git(disk.path(), &["init", "--quiet"]);
    write_inputs(&place);
    for line in [
        "diff PATH:crds new.yaml --format json",
        "diff PATH:linked new.yaml",
        "diff PATH:linked/bases new.yaml",
        "diff PATH:./crds/../crds/bases/boxes.yaml new.yaml",
        "diff PATH:more new.yaml",
        "diff new.yaml PATH:more",
        "history PATH:releases",
        "validate object.yaml --crds PATH:crds --skip boxes.yaml",
        "validate object.yaml --crds PATH:crds",
        "docs --crds PATH:releases --format json",
        "docs --crds PATH:crds/bases=v1.0.0 --format json",
        "import PATH:crds --version v1.0.0 --channel standard --root .",
        "new workspace --from-crds PATH:shared --git x",
        "diff PATH:absent new.yaml",
    ] {
        let run = |place: &Place, prefix: &str| {
            let line = line.replace("PATH:", prefix);
            let ran = run(place, &line.split(' ').collect::<Vec<_>>());
            let plain = |text: &str| text.replace("git:HEAD:", "").replace(&*place.path().to_string_lossy(), "");
            (ran.exit, plain(&ran.out), plain(&ran.err))
        };
        let (of_commit, of_disk) = (run(&place, "git:HEAD:"), run(&disk, ""));
        assert_eq!(of_commit.0, of_disk.0, "{line}: {of_commit:?} {of_disk:?}");
        if !line.contains("absent") {
            assert_eq!(of_commit, of_disk, "{line}");
        }
    }
}

/// Inputs that are on disk for both.
fn write_inputs(place: &Place) {
    place.write("object.yaml", "apiVersion: example.com/v1\nkind: Box\nmetadata: {name: a}\nsize: 11\n");
    place.write("new.yaml", crd("boxes", 5) + "---\n" + &crd("jars", 5).replace("Box", "Jar"));
}

/// Sources that cannot be read, and a part of the error.
#[test]
fn what_cannot_be_read_in_a_commit_is_an_error() {
    let place = repository(|place| {
        place.write("crds/boxes.yaml", crd("boxes", 10));
        place.write("sub/a.yaml", crd("jars", 10));
        for (path, target) in [
            ("a/out.yaml", "../../x.yaml"),
            ("b/absolute.yaml", "/etc/passwd"),
            ("c/nothing.yaml", "../crds/nothing.yaml"),
            ("d/loop.yaml", "loop.yaml"),
            ("e/above", ".."),
            ("f", "nowhere"),
        ] {
            link(place, path, target);
        }
    });
    write_inputs(&place);
    place.write("sub/x", "");
    for (source, words) in [
        ("git:v1.0.0:a", "leads out of the repository"),
        ("git:v1.0.0:b", "is a link to `/etc/passwd`, which leads out of the repository"),
        ("git:v1.0.0:c", "is a link that leads to nothing in the commit"),
        ("git:v1.0.0:d", "loop of links"),
        ("git:v1.0.0:e", "is a link to a folder that it is in"),
        ("git:v1.0.0:f", "is a link that leads to nothing in the commit"),
        ("git:v1.0.0:f/below", "is a link that leads to nothing in the commit"),
        ("git:v1.0.0:../crds", "leads out of the repository"),
        ("git:v1.0.0:/etc", "is outside of the repository"),
        ("git:v1.0.0:absent", "`absent` does not exist in v1.0.0"),
        ("git:v2.0.0:crds", "`v2.0.0` is not a commit of this repository"),
        ("git:--all:crds", "`--all` is not a commit of this repository"),
        ("git::crds", "write `git:REF:PATH`, such as `git:main:config/crd`"),
        ("git:v1.0.0", "write `git:REF:PATH`, such as `git:main:config/crd`"),
    ] {
        for arguments in [&["diff", source, "new.yaml"] as &[&str], &["validate", "object.yaml", "--crds", source]] {
            let ran = run(&place, arguments);
            assert!(ran.exit == Exit::Unusable && ran.err.contains(words), "{source}: {ran:?}");
        }
        for line in [["history", source], ["docs", &format!("--crds={source}")]] {
            let ran = run(&place, &line);
            assert!(ran.exit == Exit::Unusable && ran.out.is_empty(), "{source}: {ran:?}");
        }
    }
    // A path is relative to the current folder, or absolute.
    let ran = run_at(
        &place.path().join("sub"),
        &things(),
        &["diff", "git:v1.0.0:../crds", "git:v1.0.0:", "--channel", "standard", "--format", "json"],
    );
    assert!(ran.exit == Exit::Findings && ran.out.contains("jars.example.com"), "{ran:?}");
    let absolute = format!("git:v1.0.0:{}", place.path().join("crds/boxes.yaml").display());
    assert_eq!(run(&place, &["diff", &absolute, "git:v1.0.0:crds"]).exit, Exit::Fine);
}

/// Folders on disk that cannot be read, and the commands that read them.
#[test]
fn what_cannot_be_read_on_disk_is_an_error() {
    for (target, words) in [
        ("nothing.yaml", "cannot be read: No such file"),
        ("link.yaml", "cannot be read: Too many levels of symbolic links"),
        ("../../outside.yaml", "is a symlink that leads out of"),
        ("/etc/passwd", "is a symlink that leads out of"),
    ] {
        let place = Place::new();
        for path in ["in/crds/boxes.yaml", "in/objects/boxes.yaml", "in/releases/v1.0.0/boxes.yaml", "outside.yaml"] {
            place.write(path, crd("boxes", 10));
        }
        for of in ["in/crds/link.yaml", "in/objects/link.yaml", "in/releases/v1.1.0"] {
            link(&place, of, if of.contains("v1.1") && target.ends_with("link.yaml") { "v1.1.0" } else { target });
        }
        for line in [
            "diff in/crds in/crds",
            "validate outside.yaml --crds in/crds",
            "validate in/objects --crds outside.yaml",
            "history in/releases",
            "docs --crds in/crds",
            "docs --crds in/releases",
            "import in/crds --version v1.0.0 --channel standard --root .",
            "new workspace --from-crds in/crds --git x",
        ] {
            let ran = run(&place, &line.split(' ').collect::<Vec<_>>());
            assert!(ran.exit == Exit::Unusable && ran.err.contains(words), "{line} {target}: {ran:?}");
        }
    }
}

/// Files next to the CRDs that are links to nothing, or below one.
#[test]
fn settings_and_files_of_the_history_that_cannot_be_read_are_errors() {
    for path in ["crd-channels.yaml", "bundles", "bundles/tombstones.yaml"] {
        let place = Place::new();
        place.write("crds.yaml", crd("boxes", 10));
        place.write("Cargo.toml", "[workspace]\n");
        link(&place, path, "nowhere");
        let ran = run(&place, &["diff", "crds.yaml", "crds.yaml"]);
        assert!(ran.exit == Exit::Unusable && ran.err.contains("error: "), "{path}: {ran:?}");
    }
}

/// The tag of the base is not a version of its CRDs, and neither is the version of the candidate.
#[test]
fn a_base_of_unknown_version_counts_as_v1() {
    for (stamp, expected) in [("", "major"), ("annotations: {example.com/bundle-version: v0.1.0}, ", "minor")] {
        let stamped =
            |stamp: &str, maximum| crd("boxes", maximum).replace("{name: boxes", &format!("{{{stamp}name: boxes"));
        let place = repository(|place| place.write("crds/boxes.yaml", stamped(stamp, 10)));
        place.write("crds/boxes.yaml", stamped("annotations: {example.com/bundle-version: v0.2.0}, ", 5));
        let gate =
            ["gate", "crds", "--base", "v1.0.0", "--profile", "semver", "--fail-on", "major", "--format", "json"];
        let ran = run(&place, &gate);
        let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(document["verdict"], expected, "{document}");
        assert_eq!(ran.exit == Exit::Fine, expected == "minor");
    }
}
