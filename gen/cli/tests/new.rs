//! `new`: its dependencies, the example, and a folder that cannot be written. The rest are sessions; `source.rs` builds what it writes.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::support::{Place, Ran, things};
use crd_channels_cli::Exit;

/// The repository, as a dependency.
fn repository() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap().display().to_string()
}

fn new(place: &Place, arguments: &[&str]) -> Ran {
    place.run(&things(), &[&["new"], arguments].concat())
}

#[test]
fn dependencies_are_a_repository_or_a_clone() {
    let place = Place::new();
    let repository = repository();
    assert_eq!(new(&place, &["a", "--git", "https://example.com/a"]).exit, Exit::Fine);
    let dependency = "command-line = { package = \"crd-channels-cli\", git = \"https://example.com/a\", default-features = false }\n";
    assert!(place.read("a/xtask/Cargo.toml").contains(dependency));
    // A clone is named by relative paths, and a note states that CI does not have it.
    symlink(&repository, place.path().join("link")).unwrap();
    fs::create_dir_all(place.path().join("project/.git")).unwrap();
    for package in ["channels", "generator", "cli"] {
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
        for (package, target) in [("api", "channels"), ("xtask", "cli"), ("xtask/generator", "generator")] {
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
        "xtask/generator/src/main.rs",
        "xtask/tests/source.rs",
        ".gitattributes",
    ] {
        // One folder deeper, the path begins with one more `../`.
        let inside = place.read(&format!("widgets/{file}")).replace(libraries, "../../../..");
        assert_eq!(inside, fs::read_to_string(example.join(file)).unwrap(), "{file}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_stays_as_it_is() {
    let place = Place::new();
    let locked = place.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    // Root writes anywhere.
    if fs::write(locked.join("probe"), "").is_ok() {
        println!("skipped: this user writes to read-only folders");
        return;
    }
    let ran = new(&place, &["locked"]);
    assert!(ran.exit == Exit::Unusable && ran.err.starts_with("error: locked"), "{ran:?}");
    assert_eq!(fs::read_dir(&locked).unwrap().count(), 0);
}
