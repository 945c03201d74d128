//! `settings`: the page and the schema. What the file does is in the session `settings`.

use std::fs;

use crd_generate::settings::{SCHEMA, page};

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
