//! `settings`: the page and the schema. What the file does is in the session `settings`.

use std::fs;

use crd_generate::settings::{SCHEMA, Settings, page};

use crate::support::{Place, things};

#[test]
fn the_page_is_current_and_the_schema_is_printed() {
    let place = Place::new();
    assert_eq!(place.run(&things(), &["settings", "--format", "schema"]).out, SCHEMA);
    let text = page();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/settings.md");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == text,
        "stale: run `cargo xtask settings --page docs/reference/settings.md`"
    );
    let ran = place.run(&things(), &["settings"]);
    assert!(ran.out.contains("\ngate.fail-on: one of `patch`, `minor`, `major`\n"), "{}", ran.out);
}

#[test]
fn a_go_module_has_a_folder_of_its_own() {
    let read = |folder: &str| {
        let text = format!("types: api\ngo: {{module: example.com/api, folder: {folder}}}\n");
        Settings::read("crd-channels.yaml".as_ref(), &text, &[]).map_err(|errors| errors[0].to_string())
    };
    for (folder, part) in [
        (".git", "is that of git"),
        (".git/go", "is that of git"),
        ("go/.GIT/x", "is that of git"),
        ("api", "has the source of the types"),
        ("./api/", "has the source of the types"),
        ("api/src", "has the source of the types"),
        ("api/./src/v1", "has the source of the types"),
    ] {
        let error = read(folder).unwrap_err();
        assert!(error.contains("settings::value") && error.contains(part), "{folder}: {error}");
    }
    for folder in ["go", "api/go", "apis", ".github/go", "src", "api/srcs", "gen/api"] {
        assert_eq!(read(folder).unwrap().go.unwrap().folder, folder);
    }
}
