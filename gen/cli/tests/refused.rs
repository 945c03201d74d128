//! Bad input of `generate`: exit code 2, a message with the reason and a fix, and no file has changed.
//!
//! Errors at compile time (a marker typo, a type without `#[api]`, two fields of one name after flattening) are tested with the macro.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::support::{
    BOX, Place, Ran, THING, edited, edited_things, good, immutable, let_time_pass, published, root, things,
};
use crd_channels_cli::{Catalogue, Exit};
use crd_generate::settings::{FILE_NAME, Settings};
use serde_json::Value;

/// Types that cannot become CRDs.
#[allow(dead_code, reason = "only their descriptors are read")]
mod bad {
    use super::*;
    use crd_channels::{ObjectMeta, api};

    // A type that contains itself.
    root!(Tree, "v1", "Tree", Branch);

    #[api]
    pub struct Branch {
        pub twigs: Option<Vec<Twig>>,
    }

    #[api]
    pub struct Twig {
        pub branch: Option<Branch>,
    }

    // The kind of another type.
    root!(Impostor, "v1", "Thing");

    // A rule in standard about a field of experimental.
    root!(Narrow, "v1", "Narrow", NarrowSpec);

    /// +kubebuilder:validation:XValidation:rule="has(self.volume)",message="too quiet"
    #[api]
    pub struct NarrowSpec {
        pub size: Option<i32>,
        /// +experimental
        pub volume: Option<i32>,
    }

    /// Paths to fields that do not exist, or only in experimental.
    ///
    /// +kubebuilder:printcolumn:name=Engine,type=string,JSONPath=.spec.enginee
    /// +kubebuilder:printcolumn:name=Colour,type=string,JSONPath=.spec.colour
    /// +kubebuilder:subresource:scale:specpath=.spec.replica,statuspath=.status.engine
    #[api(group = "things.example.com", version = "v1", kind = "Car")]
    pub struct Car {
        pub metadata: ObjectMeta,
        pub spec: CarSpec,
        pub status: Option<CarSpec>,
    }

    #[api]
    pub struct CarSpec {
        pub engine: Option<String>,
        pub replicas: Option<i32>,
        /// +experimental
        pub colour: Option<String>,
    }

    /// Correct, except for `status`.
    #[api(group = "things.example.com", version = "v1", kind = "Boat")]
    pub struct Boat {
        pub metadata: ObjectMeta,
        pub status: Option<CarSpec>,
    }

    // A rule about a field that does not exist.
    root!(Nowhere, "v1", "Nowhere", NowhereSpec);

    /// +kubebuilder:validation:XValidation:rule="has(self.tone)",message="no tone"
    #[api]
    pub struct NowhereSpec {
        pub size: Option<i32>,
        /// +experimental
        pub volume: Option<i32>,
    }

    /// A default that is not valid.
    #[api(group = "things.example.com", version = "v1", kind = "Default")]
    pub struct Defaulted {
        pub metadata: ObjectMeta,
        /// +kubebuilder:default={size: 12}
        pub spec: Option<good::ThingSpec>,
    }
}

/// A run that is refused, and changes no existing file.
#[track_caller]
fn refused(place: &Place, catalogue: &Catalogue, arguments: &[&str]) -> Ran {
    let_time_pass();
    let ran = place.run_unchanged(catalogue, arguments);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""), "{ran:?}");
    assert!(!ran.err.is_empty() && ran.err.lines().all(|line| line.starts_with("error: ")), "{}", ran.err);
    ran
}

/// The types do not become CRDs, and the messages contain all of these parts.
#[track_caller]
fn refused_types(catalogue: Catalogue, parts: &[&str]) {
    let place = Place::with(&things());
    let ran = refused(&place, &catalogue, &["generate"]);
    for part in parts {
        assert!(ran.err.contains(part), "{part:?} is not in {}", ran.err);
    }
    // The same with `--check`, into a new folder, and in an empty workspace.
    refused(&place, &catalogue, &["generate", "--check"]);
    refused(&place, &catalogue, &["generate", "--out", "new/folder"]);
    refused(&Place::new(), &catalogue, &["generate"]);
}

#[test]
fn a_recursive_type() {
    refused_types(things().resource::<bad::Tree>(), &["refused.rs:", "Branch → Twig → Branch"]);
}

#[test]
fn two_types_with_one_kind() {
    refused_types(
        things().resource::<bad::Impostor>(),
        &["refused.rs:", "Impostor", "Thing things.example.com/v1", "`Thing`"],
    );
}

#[test]
fn a_rule_about_a_field_that_the_channel_lacks() {
    let hint = "If only experimental has what the marker names, write `+experimental:` before the marker";
    refused_types(things().resource::<bad::Narrow>(), &["refused.rs:", "Narrow", "(standard)", "volume", hint]);
    // If the rule is wrong in each channel, the help does not recommend a channel.
    let ran = refused(&Place::with(&things()), &things().resource::<bad::Nowhere>(), &["generate"]);
    let lines = ran.err.lines().collect::<Vec<_>>();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.contains("`tone`") && !line.contains(hint)), "{lines:?}");
    // Also if only the other channel is written.
    let place = Place::with(&things());
    refused(&place, &things().resource::<bad::Narrow>(), &["generate", "--channel", "experimental"]);
}

#[test]
fn paths_to_fields_that_do_not_exist() {
    let ran = refused(&Place::with(&things()), &things().resource::<bad::Car>(), &["generate"]);
    let lines = ran.err.lines().collect::<Vec<_>>();
    let line =
        |part: &str| lines.iter().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part}: {lines:?}"));
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(line(".spec.enginee ").contains("there is no field \"enginee\"; did you mean \"engine\"?"), "{lines:?}");
    assert!(line(".spec.colour ").contains("(standard)"), "{lines:?}");
    assert!(line(".spec.colour ").contains("write `+experimental:` before the marker"), "{lines:?}");
    assert!(line(".spec.replica:").contains("did you mean \"replicas\"?"), "{lines:?}");
    assert!(line(".status.engine:").contains("type string, and the server reads a value of type integer"), "{lines:?}");
}

#[test]
fn a_status_without_the_subresource_is_a_warning() {
    let place = Place::with(&things());
    let ran = place.run(&things().resource::<bad::Boat>(), &["generate"]);
    assert_eq!(ran.exit, Exit::Fine, "{}", ran.err);
    assert_eq!(ran.err.matches("[status-without-subresource]").count(), 1, "{}", ran.err);
    assert!(
        ran.err.starts_with("warning: gen/cli/tests/refused.rs:")
            && ran.err.contains("+kubebuilder:subresource:status"),
        "{}",
        ran.err
    );
    let ran = place.run(&things().resource::<bad::Boat>(), &["generate", "--check", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["warnings"][0]["code"], "status-without-subresource", "{document}");
}

#[test]
fn a_default_that_does_not_validate() {
    refused_types(things().resource::<bad::Defaulted>(), &["refused.rs:", "12"]);
}

#[test]
fn all_errors_are_reported_together_and_each_once() {
    let place = Place::with(&things());
    let catalogue = things().resource::<bad::Narrow>().resource::<bad::Defaulted>();
    let ran = refused(&place, &catalogue, &["generate"]);
    // The rule is wrong in one channel; the default is wrong in both, and reported once.
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(lines.iter().filter(|line| line.contains("volume")).count(), 1, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.contains("12")).count(), 1, "{lines:?}");
    assert!(lines.iter().all(|line| line.contains("(standard)") == line.contains("volume")), "{lines:?}");
}

#[test]
fn errors_as_json() {
    let place = Place::with(&things());
    let catalogue = things().resource::<bad::Narrow>();
    let ran = place.run_unchanged(&catalogue, &["generate", "--format", "json"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, ""));
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&document["schemaVersion"], &document["channels"]), (&1.into(), &serde_json::json!([])));
    let error = &document["errors"][0];
    assert!(error["file"].as_str().unwrap().ends_with("refused.rs") && error["line"].is_u64(), "{error}");
    assert_eq!(error["channel"], "standard");
    assert!(error["type"].is_string() && error["message"].as_str().unwrap().contains("volume"), "{error}");

    fs::remove_file(place.file("standard", THING)).unwrap();
    fs::create_dir(place.file("standard", THING)).unwrap();
    let ran = place.run(&things(), &["generate", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let error = &document["errors"][0];
    assert_eq!(error["file"], format!("bundles/unreleased/standard/{THING}"));
    assert_eq!(error["type"], Value::Null);
}

#[test]
fn settings_that_cannot_stamp() {
    let place = Place::with(&things());
    place.write(FILE_NAME, "prefix: no good/prefix\nversion: '1.2'\n");
    let ran = refused(&place, &Catalogue::default().resource::<good::Thing>(), &["generate"]);
    let expected = [
        "error: crd-channels.yaml:1: `no good/prefix` is not a valid value of `prefix`. write a DNS name",
        "error: crd-channels.yaml:2: `1.2` is not a valid value of `version`. write a semantic version",
    ];
    assert!(ran.err.lines().zip(expected).all(|(line, expected)| line.starts_with(expected)), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 2, "{}", ran.err);
    // All files would be removed.
    let ran =
        refused(&place, &Catalogue::new(Settings::new("things.example.com", "v1.2.0".parse().unwrap())), &["generate"]);
    assert!(ran.err.contains("no resources"), "{}", ran.err);
}

#[test]
fn no_workspace_around() {
    let place = Place::new();
    fs::remove_file(place.path().join("Cargo.toml")).unwrap();
    let ran = refused(&place, &things(), &["generate"]);
    assert!(ran.err.contains("no `Cargo.toml`") && ran.err.contains("--root DIR"), "{}", ran.err);
    let ran = refused(&place, &things(), &["generate", "--root", "nowhere"]);
    assert!(ran.err.starts_with("error: nowhere: cannot be used as root: "), "{}", ran.err);
}

/// Replaces a path, and expects this error for it.
#[track_caller]
fn refused_place(path: &str, put: impl Fn(&Path), words: &str) {
    let place = Place::with(&things());
    let target = place.path().join(path);
    match target.is_dir() {
        true => fs::rename(&target, place.path().join("moved-away")).unwrap(),
        false => fs::remove_file(&target).unwrap(),
    }
    fs::write(place.path().join("precious"), "precious\n").unwrap();
    put(&target);
    for arguments in [&["generate"] as &[&str], &["generate", "--check"], &["generate", "--no-read-back"]] {
        let ran = refused(&place, &edited_things(), arguments);
        assert_eq!(ran.err, format!("error: {path}: {words}\n"));
    }
    // It does not matter whether the file would change.
    refused(&place, &things(), &["generate"]);
}

const FILE: &str = "bundles/unreleased/standard/things.example.com_things.yaml";
const CHANNEL: &str = "bundles/unreleased/experimental";

#[test]
fn a_symlink_in_place_of_a_file() {
    let words = "is a symlink, which is not followed. remove it; a file replaces it";
    refused_place(FILE, |path| symlink("../../../precious", path).unwrap(), words);
    // Also without a target, which would make a file elsewhere.
    refused_place(FILE, |path| symlink("../../../new", path).unwrap(), words);
}

#[test]
fn a_symlink_in_place_of_a_folder() {
    let words = "is a symlink, which is not followed. remove it; a folder replaces it";
    refused_place(CHANNEL, |path| symlink("../../moved-away", path).unwrap(), words);
    refused_place(CHANNEL, |path| symlink("nowhere", path).unwrap(), words);
    refused_place("bundles/unreleased", |path| symlink("../moved-away", path).unwrap(), words);
    refused_place("bundles", |path| symlink("moved-away", path).unwrap(), words);
}

#[test]
fn a_folder_in_place_of_a_file() {
    refused_place(FILE, |path| fs::create_dir(path).unwrap(), "is a folder, not a file. move it away");
}

#[test]
fn a_file_in_place_of_a_folder() {
    let words = "is a file, not a folder. move it away, or use another folder with `--out DIR`";
    for path in [CHANNEL, "bundles/unreleased", "bundles"] {
        refused_place(path, |path| fs::write(path, "a file").unwrap(), words);
    }
    let place = Place::new();
    let ran = refused(&place, &things(), &["generate", "--out", "Cargo.toml"]);
    assert!(ran.err.starts_with("error: Cargo.toml: is a file, not a folder"), "{}", ran.err);
    let ran = refused(&place, &things(), &["generate", "--out", "Cargo.toml/below"]);
    assert!(ran.err.starts_with("error: Cargo.toml/below: "), "{}", ran.err);
}

/// Opening a pipe would wait for a writer.
#[test]
fn a_pipe_in_place_of_a_file() {
    if !matches!(Command::new("mkfifo").arg("--version").output(), Ok(output) if output.status.success()) {
        println!("skipped: no mkfifo here");
        return;
    }
    let make = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    refused_place(FILE, make, "is neither a file nor a folder, and a file is needed. move it away");
}

#[test]
fn errors_of_several_files_are_reported_together() {
    let place = Place::with(&things());
    for name in [THING, BOX] {
        fs::remove_file(place.file("standard", name)).unwrap();
        fs::create_dir(place.file("standard", name)).unwrap();
    }
    let experimental = place.path().join(CHANNEL);
    fs::rename(&experimental, place.path().join("moved-away")).unwrap();
    fs::write(experimental, "a file").unwrap();
    assert_eq!(refused(&place, &things(), &["generate"]).err.lines().count(), 3);
}

/// Not even root can make folders there.
#[test]
fn a_folder_that_cannot_be_made() {
    if !Path::new("/proc/self").exists() {
        println!("skipped: no /proc here");
        return;
    }
    let ran = refused(&Place::new(), &things(), &["generate", "--out", "/proc/self/crds"]);
    assert!(ran.err.starts_with("error: /proc/self/crds: cannot be made: "), "{}", ran.err);
    assert!(!ran.err.contains("tmp"), "{}", ran.err);
}

/// Clears the flag also when the test fails, so that the folder can be removed.
struct Immutable<'a>(&'a Path);

impl Drop for Immutable<'_> {
    fn drop(&mut self) {
        immutable(self.0, false);
    }
}

#[test]
fn a_folder_that_cannot_be_written() {
    let place = Place::with(&things());
    let folder = place.path().join("bundles/unreleased/experimental");
    if !immutable(&folder, true) {
        return;
    }
    let _clear = Immutable(&folder);
    // The files of the other channel are not written either.
    let ran = refused(&place, &edited_things(), &["generate"]);
    let beginning = format!("error: bundles/unreleased/experimental/{BOX}: cannot be written: ");
    assert!(ran.err.starts_with(&beginning) && ran.err.contains("--out DIR"), "{}", ran.err);
    // Other commands have no such option.
    let bundle = published(&things());
    let path = bundle.path().join("standard");
    let arguments = ["import", path.to_str().unwrap(), "--version", "v1.2.0", "--channel", "standard"];
    let bundles = place.path().join("bundles");
    for (folder, arguments) in [(&bundles, &arguments[..]), (&place.path().to_owned(), &["init"])] {
        assert!(immutable(folder, true));
        let _clear = Immutable(folder);
        let ran = refused(&place, &things(), arguments);
        let has_advice = ["give yourself the permission, or use another folder\n", "or use your own clone\n"];
        assert!(has_advice.iter().any(|advice| ran.err.ends_with(advice)), "{}", ran.err);
    }
    // Files that are up to date need no write permission.
    assert_eq!(place.run(&things(), &["generate"]).exit, Exit::Fine);
}

/// Each file is written next to its target first. One target cannot be replaced.
#[test]
fn a_file_that_cannot_be_replaced() {
    for name in [BOX, THING] {
        let place = Place::with(&things());
        let fixed = place.file("experimental", name);
        if !immutable(&fixed, true) {
            return;
        }
        let _clear = Immutable(&fixed);
        let ran = refused(&place, &edited_things(), &["generate"]);
        let beginning = format!("error: bundles/unreleased/experimental/{name}: cannot be replaced: ");
        assert!(ran.err.starts_with(&beginning), "{}", ran.err);
        // The same for a file that is removed.
        let alone =
            Catalogue::new(Settings::new("things.example.com", "v1.2.0".parse().unwrap())).resource::<edited::Case>();
        refused(&place, &alone, &["generate"]);
    }
}
