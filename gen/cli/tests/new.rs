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
    assert_eq!((ran.exit, &*ran.out), (Exit::Fine, "api: 15 files written\n"), "{ran:?}");
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
    assert_eq!((ran.exit, codes(&ran)), (Exit::Unusable, vec!["new::exists".to_owned(); 15]));
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
    assert_eq!(new(&place, &["a", "--git", "https://example.com/a"]).exit, Exit::Fine);
    let dependency = "command-line = { package = \"crd-xtask\", git = \"https://example.com/a\" }\n";
    assert!(place.read("a/xtask/Cargo.toml").contains(dependency));
    // A clone is named by relative paths, and a note states that CI does not have it.
    symlink(&repository, place.path().join("link")).unwrap();
    fs::create_dir_all(place.path().join("project/.git")).unwrap();
    for package in ["channels", "generator", "xtask"] {
        place.write(&format!("project/vendor/gen/{package}/Cargo.toml"), "");
    }
    let real = fs::canonicalize(place.path()).unwrap();
    for (folder, clone, is_outside) in [
        ("b", &*repository, true),
        ("c/../c", "link", true),
        ("project/apis/new", "project/vendor", false),
        ("project/vendor/api", "project/vendor", false),
        ("d", "project/vendor", true),
    ] {
        fs::create_dir_all(place.path().join("c")).unwrap();
        let ran = new(&place, &[folder, "--name", "b", "--path", clone]);
        assert_eq!(
            (ran.exit, ran.err.contains("outside its repository, so CI cannot build it")),
            (Exit::Fine, is_outside),
            "{ran:?}"
        );
        for (package, target) in [("api", "channels"), ("xtask", "xtask"), ("xtask/generator", "generator")] {
            let manifest = place.read(&format!("{folder}/{package}/Cargo.toml"));
            // The path of the types of this workspace is behind it.
            let (_, path) = manifest.split_once(" path = \"../").unwrap();
            let path = Path::new("..").join(path.split_once('"').unwrap().0);
            let found = fs::canonicalize(real.join(folder).join(package).join(path)).unwrap();
            assert_eq!(found, fs::canonicalize(place.path().join(clone)).unwrap().join("gen").join(target));
        }
    }
    // The packages of `lamp-api` are not named `lamp-api-api`.
    assert_eq!(new(&place, &["lamp-api", "--path", &repository]).exit, Exit::Fine);
    assert!(place.read("lamp-api/api/Cargo.toml").contains("name = \"lamp-api\"\n"));
    assert!(place.read("lamp-api/xtask/src/main.rs").contains("use lamp_api::RESOURCES;"));
    let ran = new(&place, &["e", "--path", "."]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("name the folder of a clone of CRD channels"), "{ran:?}");
    assert!(!place.path().join("e").exists());
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
    let manifest = place.read("widgets/api/Cargo.toml");
    let (libraries, _) = manifest.split_once("path = \"").unwrap().1.split_once("/channels\"").unwrap();
    for file in [
        "Cargo.toml",
        ".cargo/config.toml",
        "api/Cargo.toml",
        "xtask/Cargo.toml",
        "xtask/generator/Cargo.toml",
        ".gitattributes",
    ] {
        // One folder deeper, the path begins with one more `../`.
        let inside = place.read(&format!("widgets/{file}")).replace(libraries, "../../../..");
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
        (Exit::Fine, "api: 16 files written, 1 root type, without differences\n"),
        "{ran:?}"
    );
    assert!(
        place
            .read("api/api/src/v1/lamp.rs")
            .contains("    /// +kubebuilder:validation:Minimum=1\n    pub lumens: Option<isize>,\n")
    );
    let settings = place.read("api/crd-channels.yaml");
    assert!(settings.contains("profile: semver\nchannels: [standard]\n"), "{settings}");
    // From standard input, and the same every time.
    let arguments = ["new", "again", "--name", "api", "--from-crds", "-", "--format", "json"];
    let ran = place.run_reading(LAMP.as_bytes(), &things(), &arguments);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert_eq!(document(&ran)["resources"], json!([{"crd": "lamps.example.com", "type": "v1::Lamp"}]));
    let files = document(&ran)["files"].as_array().unwrap().clone();
    assert_eq!(files.len(), 16);
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
    place.write("twice.yaml", format!("{LAMP}---\n{LAMP}"));
    let before = place.tree();
    let ran = new(&place, &["api", "--from-crds", "crds", "--format", "json"]);
    assert_eq!((ran.exit, codes(&ran)), (Exit::Unusable, vec!["crd-structure".to_owned(); 2]), "{}", ran.out);
    let ran = new(&place, &["api", "--standard", "crds/a.yaml", "--experimental", "crds/b.yaml", "--format", "json"]);
    assert_eq!((ran.exit, codes(&ran)), (Exit::Unusable, vec!["crd-structure".to_owned(); 2]), "{}", ran.out);
    for (input, code) in [("text.yaml", "no-crds"), ("twice.yaml", "crd-twice"), ("nowhere", "file::io")] {
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

/// The CRD with the annotations of a bundle, whose prefix is not its group.
fn stamped(channel: &str) -> String {
    let stamps = format!("lights.example.org/bundle-version: v1.4.2, lights.example.org/channel: {channel}");
    let annotations = format!("annotations: {{{stamps}, olm.example.net/channel: fast}}");
    LAMP.replace("{name: lamps.example.com}", &format!("{{name: lamps.example.com, {annotations}}}"))
}

/// `diff` recognises them too.
#[test]
fn channels_are_those_of_folders_and_stamps() {
    let place = Place::new();
    let (standard, experimental) = (LAMP.to_owned(), LAMP.replace("minimum: 1", "minimum: 1, maximum: 9"));
    place.write("folders/standard/lamps.yaml", &standard);
    place.write("folders/experimental/lamps.yaml", &experimental);
    place.write("folders/notes.yaml", "a: b\n");
    let wider = |channel: &str| stamped(channel).replace("minimum: 1", "minimum: 1, maximum: 9");
    place.write("install.yaml", format!("{}---\n{}", stamped("standard"), wider("experimental")));
    for (folder, input) in [("a", "folders"), ("b", "install.yaml")] {
        let ran = new(&place, &[folder, "--from-crds", input]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        let types = place.read(&format!("{folder}/api/src/v1/lamp.rs"));
        assert!(
            types.contains(
                "    /// +experimental:kubebuilder:validation:Maximum=9\n    /// +kubebuilder:validation:Minimum=1\n"
            ),
            "{types}"
        );
        assert!(place.read(&format!("{folder}/crd-channels.yaml")).contains("channels: [standard, experimental]"));
    }
    // One channel alone, in its folder or by its stamp, is an API without channels.
    place.write("one/experimental/lamps.yaml", &experimental);
    place.write("one.yaml", stamped("experimental"));
    // So is an API with the stamped CRDs of another project next to its own.
    place.write("vendored/own.yaml", LAMP.replace("lamps", "torches").replace("Lamp", "Torch"));
    place.write("vendored/other.yaml", stamped("experimental"));
    for (folder, input) in [("c", "one"), ("d", "one.yaml"), ("e", "vendored")] {
        let ran = new(&place, &[folder, "--from-crds", input]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        assert!(place.read(&format!("{folder}/crd-channels.yaml")).contains("channels: [standard]"), "{input}");
    }
    // A folder and a stamp that differ, and a CRD that a channel has twice.
    place.write("wrong/standard/lamps.yaml", stamped("experimental"));
    place.write("wrong/experimental/lamps.yaml", &experimental);
    let ran = new(&place, &["f", "--from-crds", "wrong"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("is stamped experimental"), "{ran:?}");
    let ran = new(&place, &["f", "--from-crds", "folders", "folders/standard/lamps.yaml"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("for the second time"), "{ran:?}");
}

#[test]
fn a_workspace_continues_the_stamps_of_its_crds() {
    let place = Place::new();
    place.write("standard.yaml", stamped("standard"));
    place.write("experimental.yaml", stamped("experimental"));
    let channels: &[&str] = &["--standard", "standard.yaml", "--experimental", "experimental.yaml"];
    let stamps = "prefix: lights.example.org\nversion: v1.4.2\n";
    for (index, (arguments, expected)) in [
        (channels, stamps),
        (&["--from-crds", "standard.yaml", "experimental.yaml"], stamps),
        (&["--from-crds", "standard.yaml"], stamps),
        (
            &["--from-crds", "standard.yaml", "--version", "v2.0.0-rc.1"],
            "prefix: lights.example.org\nversion: v2.0.0-rc.1\n",
        ),
        (&["--from-crds", "standard.yaml", "--group", "a.example.com"], "prefix: a.example.com\nversion: v1.4.2\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = format!("w{index}");
        let ran = new(&place, &[&[&*folder, "--name", "api"], arguments].concat());
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        let settings = place.read(&format!("{folder}/crd-channels.yaml"));
        assert!(settings.contains(expected), "{arguments:?}: {settings}");
        // The old stamps are replaced; the annotation of another tool stays.
        assert!(
            !settings.contains("lights.example.org/") && settings.contains("\"olm.example.net/channel\": \"fast\""),
            "{settings}"
        );
    }
    // Without one version that all have, the default.
    place.write("other.yaml", LAMP.replace("lamps", "torches").replace("Lamp", "Torch"));
    place.write(
        "newer.yaml",
        stamped("standard").replace("lamps", "lights").replace("Lamp", "Light").replace("v1.4.2", "v1.4.3"),
    );
    for (folder, second) in [("x", "other.yaml"), ("y", "newer.yaml")] {
        assert_eq!(new(&place, &[folder, "--from-crds", "standard.yaml", second]).exit, Exit::Fine);
        assert!(place.read(&format!("{folder}/crd-channels.yaml")).contains("version: v0.1.0\n"));
    }
}

/// What servers of `apiextensions.k8s.io/v1beta1` accepted, and v1 does not.
#[test]
fn parts_of_v1beta1_are_in_the_types_or_in_the_list() {
    let place = Place::new();
    place.write(
        "lamps.yaml",
        "apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  names: {kind: Lamp, plural: lamps}
  version: v1
  validation:
    openAPIV3Schema:
      properties:
        kind: {pattern: ^L}
        spec:
          required: [colour]
          properties:
            colour: {type: string, maxLength: 8}
            shades: {items: {properties: {depth: {type: integer, minimum: 1}}}}
            tags: {additionalProperties: {type: string}}
            word: {pattern: ^w}
            odd: {type: boolean, required: [a], items: {type: string}}
",
    );
    let ran = new(&place, &["api", "--from-crds", "lamps.yaml", "--format", "json"]);
    assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
    let types = place.read("api/api/src/v1/lamp.rs");
    for part in [
        "    pub spec: Option<LampSpec>,\n",
        "    /// +kubebuilder:validation:MaxLength=8\n    pub colour: String,\n",
        "    pub shades: Option<Vec<LampSpecShade>>,\n",
        "    /// +kubebuilder:validation:Minimum=1\n    pub depth: Option<isize>,\n",
        "    pub tags: Option<BTreeMap<String, String>>,\n",
        "    /// +kubebuilder:validation:Pattern=\"^w\"\n    pub word: Option<AnyJson>,\n",
    ] {
        assert!(types.contains(part), "{part} is not in {types}");
    }
    let differences = document(&ran)["differences"].clone();
    let row = |difference: &Value| ["path", "keyword"].map(|key| difference[key].as_str().unwrap().to_owned());
    let rows: Vec<[String; 2]> = differences.as_array().unwrap().iter().map(row).collect();
    let expected = [
        ["", "spec.preserveUnknownFields"],
        ["kind", "pattern"],
        ["spec", "type"],
        ["spec.odd", "items"],
        ["spec.odd", "required"],
        ["spec.shades", "type"],
        ["spec.shades[*]", "type"],
        ["spec.tags", "type"],
        ["spec.word", "x-kubernetes-preserve-unknown-fields"],
    ];
    assert_eq!(rows, expected.map(|row| row.map(str::to_owned)));
}

#[test]
fn markers_are_above_a_description_that_does_not_close_a_code_fence() {
    let place = Place::new();
    for (index, (text, is_first)) in [
        ("A size", false),
        ("``` <size> ::= <number> ```", false),
        ("```\\nsize: 1\\n```", false),
        ("``` <size> ::= <number>\\n\\n(or none) ```", true),
        ("As in\\n~~~~ yaml\\nsize: 1\\n~~~", true),
        ("```\\na\\n```\\n```", true),
    ]
    .into_iter()
    .enumerate()
    {
        let lamp = LAMP.replace("minimum: 1", &format!("minimum: 1, description: \"{text}\""));
        let folder = format!("w{index}");
        place.write("lamps.yaml", lamp);
        let ran = new(&place, &[&folder, "--from-crds", "lamps.yaml"]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        let types = place.read(&format!("{folder}/api/src/v1/lamp.rs"));
        let marker = "    /// +kubebuilder:validation:Minimum=1\n";
        let part =
            if is_first { format!("{marker}    ///\n    /// ") } else { format!("    ///\n{marker}    pub lumens") };
        assert!(types.contains(&part), "{text}: {types}");
    }
}

#[test]
fn each_channel_has_its_description() {
    let place = Place::new();
    let lamp = |text: &str| LAMP.replace("minimum: 1", &format!("minimum: 1{text}"));
    for (index, (standard, experimental, expected)) in [
        (
            ", description: One",
            ", description: Two",
            "/// Two\n    ///\n    /// +standard:schema:description=\"One\"\n",
        ),
        ("", ", description: Two", "/// Two\n    ///\n    /// +standard:schema:description=\"\"\n"),
        (", description: \"a\\nb `c`\"", "", "    /// +standard:schema:description=\"a\\nb `c`\"\n"),
        (
            ", description: \"a  \\n\\n\\nb\"",
            ", description: \"a\\n\\nb\"",
            "/// a\n    ///\n    /// b\n    ///\n    /// +kube",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        place.write("standard.yaml", lamp(standard));
        place.write("experimental.yaml", lamp(experimental));
        let folder = format!("w{index}");
        let ran = new(&place, &[&folder, "--standard", "standard.yaml", "--experimental", "experimental.yaml"]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        let types = place.read(&format!("{folder}/api/src/v1/lamp.rs"));
        assert!(types.contains(expected), "{types}");
    }
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
}

#[test]
fn rustc_finds_the_folder_of_every_group() {
    let place = Place::new();
    let groups =
        ["match.example.com", "type.example.com", "self.example.com", "a.b-c.example.com", "a.b.c.example.com"];
    let text: Vec<String> = groups.iter().map(|group| LAMP.replace("example.com", group)).collect();
    place.write("lamps.yaml", text.join("---\n"));
    let ran = new(&place, &["api", "--from-crds", "lamps.yaml"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let library = place.read("api/api/src/lib.rs");
    let modules: Vec<&str> =
        library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(modules.len(), groups.len(), "{library}");
    assert!(modules.contains(&"r#match") && modules.contains(&"self_"), "{library}");
    for module in modules {
        let folder = format!("api/api/src/{}", module.trim_start_matches("r#"));
        assert!(place.read(&format!("{folder}/mod.rs")).contains("pub mod v1;"));
        assert!(place.read(&format!("{folder}/v1/mod.rs")).contains("pub use lamp::Lamp;"));
        assert!(place.path().join(folder).join("v1/lamp.rs").is_file());
    }
}
