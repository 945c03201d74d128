//! The page for new users shows the example's files. `gen/cli/tests/adopter.rs` runs the commands of the README and of the pages for first
//! steps, and `workflows.rs` those of the page of Gateway API.

use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The text of the first code block behind a place.
pub(crate) fn code_block(text: &str) -> &str {
    let start = text.find("```").unwrap();
    let start = start + text[start..].find('\n').unwrap() + 1;
    &text[start..start + text[start..].find("\n```").unwrap() + 1]
}

#[test]
fn files_are_those_of_the_example() {
    let page = std::fs::read_to_string(format!("{ROOT}/docs/getting-started.md")).unwrap();
    let example = format!("{ROOT}/gen/cli/examples/widgets");
    let mut shown = Vec::new();
    for part in page.split("<!-- file: ").skip(1) {
        let name = &part[..part.find(" -->").unwrap()];
        let file = std::fs::read_to_string(format!("{example}/{name}")).unwrap();
        assert_eq!(code_block(part), file, "{name}");
        shown.push(name.to_owned());
    }
    let mut all = Vec::new();
    files(Path::new(&example), "", &mut all);
    shown.sort();
    all.sort();
    assert_eq!(shown, all, "docs/getting-started.md shows the whole example");
}

fn files(folder: &Path, prefix: &str, names: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        // What `new` wrote is not shown; a test of the command line compares both.
        let by_new = [
            ".cargo",
            ".gitattributes",
            ".github",
            ".gitignore",
            ".pre-commit-config.yaml",
            "Cargo.toml",
            "api/Cargo.toml",
            "xtask/Cargo.toml",
            "xtask/generator",
            "xtask/tests",
        ];
        if by_new.contains(&name.as_str()) || matches!(name.as_str(), "target" | "Cargo.lock" | "bundles") {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), &format!("{name}/"), names);
        } else {
            names.push(name);
        }
    }
}
