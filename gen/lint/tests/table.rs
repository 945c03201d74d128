//! Each file in `src/rule` is a convention in the table.

use std::fmt::Write;
use std::fs;
use std::path::Path;

#[test]
fn the_table_has_each_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rule");
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path().file_stem().unwrap().to_owned());
    let mut names = files.map(|name| name.into_string().unwrap()).filter(|name| name != "table").collect::<Vec<_>>();
    names.sort_unstable();
    let mut text =
        "//! The files of this folder. Written by `UPDATE_SNAPSHOTS=1 cargo test -p crd-lint table`; do not edit.\n\n\
        use super::{Convention, Problem};\n\n"
            .to_owned();
    for name in &names {
        writeln!(text, "#[path = \"{name}.rs\"]\nmod {name};").unwrap();
    }
    text.push_str("\n/// Every convention, in the order of their names.\npub const RULES: &[&Convention] = &[\n");
    for name in &names {
        writeln!(text, "    &{name}::RULE,").unwrap();
    }
    text.push_str("];\n");
    let path = folder.join("table.rs");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(written, text, "`UPDATE_SNAPSHOTS=1 cargo test -p crd-lint table` writes it again");
}
