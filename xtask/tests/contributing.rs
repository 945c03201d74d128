//! CONTRIBUTING.md names files, packages and tests that exist.

use std::path::Path;

use crate::test_programs::packages;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Everything between backticks, outside of code blocks.
fn quoted(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

fn page() -> String {
    std::fs::read_to_string(format!("{ROOT}/CONTRIBUTING.md")).unwrap()
}

fn manifest(folder: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(folder).join("Cargo.toml")).unwrap()
}

/// The folder of a package of this workspace.
fn folder(package: &str) -> Option<String> {
    packages("Cargo.toml").into_iter().find(|folder| manifest(folder).contains(&format!("name = \"{package}\"\n")))
}

/// Programs that `cargo test` runs by name only are listed, each with its command.
#[test]
fn slow_programs_are_listed() {
    let page = page();
    let mut seen = 0;
    for manifest in packages("tests").iter().map(|folder| manifest(folder)) {
        let package = manifest.split('"').nth(1).unwrap();
        for target in manifest.split("[[test]]\n").skip(1).filter(|target| {
            target.split("\n\n").next().is_some_and(|target| target.lines().any(|line| line == "test = false"))
        }) {
            let name = target.split('"').nth(1).unwrap();
            assert!(page.contains(&format!("| `cargo test -p {package} --test {name}` |")), "{package} {name}");
            seen += 1;
        }
    }
    assert_eq!(seen, 8);
}

#[test]
fn tests_are_there() {
    let page = page();
    let mut seen = 0;
    for command in quoted(&page).into_iter().filter_map(|quoted| quoted.strip_prefix("cargo test ")) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let mut folders = Vec::new();
        for (index, word) in words.iter().enumerate() {
            match (index.checked_sub(1).map(|before| words[before]), *word) {
                (_, "-p" | "--test") => {}
                (Some("-p"), package) => folders.push(folder(package).unwrap_or_else(|| panic!("{command}"))),
                // A test program, or a module of one.
                (_, test) => {
                    let package = folders.last().unwrap_or_else(|| panic!("{command}"));
                    let (manifest, package) = (manifest(package), Path::new(ROOT).join(package));
                    let paths = [test.to_owned(), format!("{test}.rs"), format!("proofs/{test}.rs")];
                    let is_file = paths.iter().any(|path| package.join("tests").join(path).exists());
                    assert!(is_file || manifest.contains(&format!("[[test]]\nname = \"{test}\"\n")), "{command}");
                }
            }
        }
        seen += 1;
    }
    assert!(seen > 5, "{seen}");
}
