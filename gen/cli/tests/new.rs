//! `new`: the files that it writes, arguments and inputs that it refuses, and what it prints. `source.rs` builds what it writes.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::support::{Place, Ran, assert_untouched, things};
use crd_channels_cli::Exit;
use serde_json::{Value, json};

const LAMP: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  names: {kind: Lamp, plural: lamps}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: {lumens: {type: integer, minimum: 1}}
";

/// The repository, as a dependency.
fn repository() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap().display().to_string()
}

fn new(place: &Place, arguments: &[&str]) -> Ran {
    place.run(&things(), &[&["new"], arguments].concat())
}

fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap()
}

/// The codes of the errors.
fn codes(ran: &Ran) -> Vec<String> {
    let report = document(ran);
    report["errors"].as_array().unwrap().iter().map(|error| error["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_workspace_is_written_once() {
    let place = Place::new();
    let ran = new(&place, &["api", "--group", "lamps.example.com", "--kind", "Lamp"]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Fine, "api: 13 files written\n"), "{ran:?}");
    assert_eq!(ran.err, "note: next: `cd api`, `git init` and `cargo xtask generate`\n");
    for file in [".cargo/config.toml", ".github/workflows/ci.yml", ".gitignore", "Cargo.toml", "README.md"] {
        assert!(place.path().join("api").join(file).is_file(), "{file}");
    }
    assert!(
        place.read("api/api/src/v1.rs").contains("group = \"lamps.example.com\", version = \"v1\", kind = \"Lamp\"")
    );
    let repository = concat!("crd-channels = { git = \"", env!("CARGO_PKG_REPOSITORY"), "\" }\n");
    assert!(place.read("api/api/Cargo.toml").contains(repository));
    // All existing files are reported together.
    let before = place.tree();
    let ran = new(&place, &["api", "--format", "json"]);
    assert_eq!((ran.exit, codes(&ran)), (Exit::Unusable, vec!["new::exists".to_owned(); 13]));
    assert_untouched(&before, &place.tree());
    // One is enough.
    fs::create_dir(place.path().join("other")).unwrap();
    fs::write(place.path().join("other/README.md"), "mine").unwrap();
    let before = place.tree();
    let ran = new(&place, &["other"]);
    assert_eq!(
        (ran.exit, &*ran.err),
        (
            Exit::Unusable,
            "error: other/README.md: exists, and `new` replaces no file. name a new folder, or move the file away\n"
        )
    );
    assert_untouched(&before, &place.tree());
}

#[test]
fn dependencies_are_a_repository_or_a_clone() {
    let place = Place::new();
    let repository = repository();
    // An `xtask` does not build what talks to clusters.
    let features = ", default-features = false, features = [\"bundles\"] }\n";
    assert_eq!(new(&place, &["a", "--git", "https://example.com/a"]).exit, Exit::Fine);
    assert!(
        place
            .read("a/xtask/Cargo.toml")
            .contains(&format!("crd-channels-cli = {{ git = \"https://example.com/a\"{features}"))
    );
    assert_eq!(new(&place, &["b", "--path", &repository]).exit, Exit::Fine);
    let path = |package: &str| format!("{{ path = \"{repository}/gen/{package}\"");
    assert!(place.read("b/api/Cargo.toml").ends_with(&format!("crd-channels = {} }}\n", path("channels"))));
    assert!(place.read("b/xtask/Cargo.toml").contains(&format!("crd-channels-cli = {}{features}", path("cli"))));
    // The packages of `lamp-api` are not named `lamp-api-api`.
    assert_eq!(new(&place, &["lamp-api", "--path", &repository]).exit, Exit::Fine);
    assert!(place.read("lamp-api/api/Cargo.toml").contains("name = \"lamp-api\"\n"));
    assert!(place.read("lamp-api/xtask/src/main.rs").contains("<lamp_api::v1::"));
    let ran = new(&place, &["c", "--path", "."]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("name the folder of a clone of CRD channels"), "{ran:?}");
    assert!(!place.path().join("c").exists());
}

/// The page for new users starts with `new`, and its example has the same files.
#[test]
fn the_example_has_the_files_of_a_new_workspace() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/widgets");
    if !example.exists() {
        println!("skipped: {} is not here", example.display());
        return;
    }
    let place = Place::new();
    let ran = new(&place, &["widgets", "--group", "widgets.example.com", "--path", &repository()]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let gen_ = format!("{}/gen", repository());
    for file in ["Cargo.toml", ".cargo/config.toml", "api/Cargo.toml", "xtask/Cargo.toml", ".gitattributes"] {
        let written = place.read(&format!("widgets/{file}"));
        let inside = written
            .replace(&format!("{gen_}/channels"), "../../../../channels")
            .replace(&format!("{gen_}/cli"), "../../..");
        assert_eq!(inside, fs::read_to_string(example.join(file)).unwrap(), "{file}");
    }
}

#[test]
fn wrong_arguments_are_reported_together() {
    let place = Place::new();
    let before = place.tree();
    let ran = new(&place, &["My_API", "--group", "example", "--kind", "lamp", "--path", "nowhere", "--format", "json"]);
    assert_eq!(
        (ran.exit, codes(&ran)),
        (Exit::Unusable, ["new::name", "new::name", "new::name", "file::io"].map(str::to_owned).to_vec())
    );
    for (arguments, part) in [
        (&["api", "--profile", "gep-922", "--standard-only"] as &[&str], "needs the channel experimental"),
        (&["xtask"], "not a name for packages"),
        (&["api", "--version", "1.0"], "not a bundle version"),
        (&["api", "--standard", "a"], "--experimental <PATH>"),
        (&["api", "--from-crds", "a", "--kind", "Lamp"], "cannot be used with"),
        (&["api", "--from-crds"], "--from-crds <PATH>"),
        (&[], "<DIR>"),
    ] {
        let ran = new(&place, arguments);
        assert!(ran.exit == Exit::Unusable && ran.err.contains(part), "{arguments:?}: {}", ran.err);
    }
    assert_untouched(&before, &place.tree());
}

#[test]
fn folders_that_cannot_be_written_stay_as_they_are() {
    let place = Place::new();
    place.write("file", "text");
    let ran = new(&place, &["file"]);
    assert!(ran.exit == Exit::Unusable && ran.err.starts_with("error: file: is a file, not a folder"), "{ran:?}");
    // A symlink inside the workspace is not followed.
    fs::create_dir_all(place.path().join("linked")).unwrap();
    fs::create_dir(place.path().join("elsewhere")).unwrap();
    symlink(place.path().join("elsewhere"), place.path().join("linked/api")).unwrap();
    let ran = new(&place, &["linked"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("is a symlink"), "{ran:?}");
    assert_eq!(fs::read_dir(place.path().join("elsewhere")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(place.path().join("linked")).unwrap().count(), 1);
    // Root writes anywhere.
    let locked = place.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        println!("skipped: this user writes to read-only folders");
        return;
    }
    let ran = new(&place, &["locked"]);
    assert!(ran.exit == Exit::Unusable && ran.err.starts_with("error: locked"), "{ran:?}");
    assert_eq!(fs::read_dir(&locked).unwrap().count(), 0);
}

#[test]
fn published_crds_become_types() {
    let place = Place::new();
    place.write("crds/lamps.yaml", LAMP);
    let ran = new(&place, &["api", "--from-crds", "crds"]);
    assert_eq!(
        (ran.exit, &*ran.out),
        (Exit::Fine, "api: 14 files written, 1 root type, without differences\n"),
        "{ran:?}"
    );
    assert!(
        place
            .read("api/api/src/v1/lamp.rs")
            .contains("    /// +kubebuilder:validation:Minimum=1\n    pub lumens: Option<isize>,\n")
    );
    let main = place.read("api/xtask/src/main.rs");
    assert!(
        main.contains(".profile(Profile::Semver)\n        .standard_only()\n        .resource::<api_api::v1::Lamp>();"),
        "{main}"
    );
    // From standard input, and the same every time.
    let arguments = ["new", "again", "--name", "api", "--from-crds", "-", "--format", "json"];
    let ran = place.run_reading(LAMP.as_bytes(), &things(), &arguments);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert_eq!(document(&ran)["resources"], json!([{"crd": "lamps.example.com", "type": "v1::Lamp"}]));
    let files = document(&ran)["files"].as_array().unwrap().clone();
    assert_eq!(files.len(), 14);
    for file in files {
        let file = file.as_str().unwrap();
        assert_eq!(place.read(&format!("again/{file}")), place.read(&format!("api/{file}")), "{file}");
    }
}

#[test]
fn what_the_types_do_not_express_is_listed() {
    let place = Place::new();
    let text = LAMP.replace("type: integer, minimum: 1", "type: integer, maxLength: 1");
    place.write("standard/lamps.yaml", &text);
    place.write(
        "experimental/lamps.yaml",
        text.replace("lumens: {type: integer", "lumens: {type: array, items: {type: string}"),
    );
    let ran = new(&place, &["api", "--standard", "standard", "--experimental", "experimental"]);
    assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
    assert!(
        ran.out.ends_with("1 root type, 2 differences: the types do not express the parts listed above\n"),
        "{}",
        ran.out
    );
    for part in [
        "warning: lamps.example.com v1 spec.lumens (standard): `type`: a Rust type is that of every channel; the types have the one of experimental\n",
        "warning: lamps.example.com v1 spec.lumens (experimental): `maxLength`: it has no effect, because it is for strings and this is a list\n",
    ] {
        assert!(ran.err.contains(part), "{part} is not in {}", ran.err);
    }
    assert!(place.read("api/api/src/v1/lamp.rs").contains("pub lumens: Option<Vec<String>>,"));
    assert!(!place.read("api/xtask/src/main.rs").contains("Profile"));
    let ran = new(&place, &["b", "--standard", "standard", "--experimental", "experimental", "--format", "json"]);
    let differences = &document(&ran)["differences"];
    let part = |index: usize, key: &str| differences[index][key].as_str().unwrap().to_owned();
    let parts = [0, 1].map(|index| ["channel", "path", "keyword"].map(|key| part(index, key)));
    assert_eq!(
        parts,
        [["standard", "spec.lumens", "type"], ["experimental", "spec.lumens", "maxLength"]]
            .map(|row| row.map(str::to_owned))
    );
}

#[test]
fn inputs_that_are_no_crds_are_reported_together() {
    let place = Place::new();
    place.write("crds/a.yaml", LAMP.replace("served: true", "served: maybe"));
    place.write("crds/b.yaml", LAMP.replace("scope: Namespaced", "scope: Global"));
    place.write("text.yaml", "a: b\n");
    place.write("two.yaml", format!("{}---\n{}", stamped("standard"), stamped("experimental")));
    let before = place.tree();
    let ran = new(&place, &["api", "--from-crds", "crds", "--format", "json"]);
    assert_eq!((ran.exit, codes(&ran)), (Exit::Unusable, vec!["crd-structure".to_owned(); 2]), "{}", ran.out);
    let ran = new(&place, &["api", "--standard", "crds/a.yaml", "--experimental", "crds/b.yaml", "--format", "json"]);
    assert_eq!((ran.exit, codes(&ran)), (Exit::Unusable, vec!["crd-structure".to_owned(); 2]), "{}", ran.out);
    for (input, code) in [("text.yaml", "no-crds"), ("two.yaml", "new::two-channels"), ("nowhere", "file::io")] {
        let ran = new(&place, &["api", "--from-crds", input, "--format", "json"]);
        assert_eq!((ran.exit, codes(&ran)), (Exit::Unusable, vec![code.to_owned()]), "{}", ran.out);
    }
    // A resource that the types cannot name leaves nothing.
    place.write("odd.yaml", LAMP.replace("kind: Lamp,", "kind: L-amp,"));
    let ran = new(&place, &["api", "--from-crds", "odd.yaml"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("the resource is left out"), "{ran:?}");
    fs::remove_file(place.path().join("odd.yaml")).unwrap();
    assert_untouched(&before, &place.tree());
}

/// The CRD with the annotations of a bundle.
fn stamped(channel: &str) -> String {
    let annotations = format!("annotations: {{example.com/bundle-version: v1.0.0, example.com/channel: {channel}}}");
    LAMP.replace("{name: lamps.example.com}", &format!("{{name: lamps.example.com, {annotations}}}"))
}

/// Two groups with one kind have a folder each.
#[test]
fn a_kind_of_two_groups_is_in_two_folders() {
    let place = Place::new();
    place.write("a.yaml", LAMP);
    place.write("b.yaml", LAMP.replace("example.com", "other.example.org"));
    let ran = new(&place, &["api", "--from-crds", "a.yaml", "b.yaml"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    for (file, part) in [
        ("lib.rs", "pub mod example;\npub mod other;\n"),
        ("example/mod.rs", "//! The group example.com.\n\npub mod v1;\n"),
        ("other/v1/mod.rs", "pub use lamp::Lamp;\n"),
    ] {
        let text = place.read(&format!("api/api/src/{file}"));
        assert!(text.contains(part), "{file}: {text}");
    }
    assert!(place.read("api/xtask/src/main.rs").contains("api_api::other::v1::Lamp>"));
}
