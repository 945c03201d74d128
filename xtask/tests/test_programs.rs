//! Every test file belongs to a test program. Crates list their programs (`autotests = false`), so cargo would ignore an undeclared file.

use std::fs;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The folders of all packages with such a part.
pub(crate) fn packages(part: &str) -> Vec<String> {
    let manifest = fs::read_to_string(format!("{ROOT}/Cargo.toml")).unwrap();
    let members = manifest.split_once("\nmembers = [").unwrap().1.split_once(']').unwrap().0;
    let mut folders = Vec::new();
    for member in members.split(',').map(|member| member.trim().trim_matches('"')) {
        match member.strip_suffix("/*") {
            Some(parent) => {
                let entries = fs::read_dir(Path::new(ROOT).join(parent)).unwrap();
                folders.extend(entries.map(|entry| format!("{parent}/{}", entry.unwrap().file_name().display())));
            }
            None => folders.push(member.to_owned()),
        }
    }
    folders.retain(|folder| ["Cargo.toml", part].iter().all(|part| Path::new(ROOT).join(folder).join(part).exists()));
    folders
}

#[test]
fn every_test_file_belongs_to_a_program() {
    let mut files = 0;
    for folder in packages("tests") {
        let folder = Path::new(ROOT).join(folder);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        if !manifest.contains("autotests = false") {
            continue;
        }
        let main = fs::read_to_string(folder.join("tests/main.rs")).unwrap_or_default();
        for entry in fs::read_dir(folder.join("tests")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") else { continue };
            let is_declared =
                main.contains(&format!("mod {module};\n")) || manifest.contains(&format!("path = \"tests/{name}\"\n"));
            assert!(is_declared, "declare tests/{name} in tests/main.rs of {}", folder.display());
            files += 1;
        }
    }
    assert!(files > 20, "{files}");
}

/// `doctest = false` saves the start of rustdoc for a crate without examples.
#[test]
fn crates_without_doc_tests_have_no_examples() {
    let mut crates = 0;
    for folder in packages("src") {
        let folder = Path::new(ROOT).join(folder);
        if !fs::read_to_string(folder.join("Cargo.toml")).unwrap().contains("\ndoctest = false\n") {
            continue;
        }
        crates += 1;
        let mut paths = vec![folder.join("src")];
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                paths.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let docs =
                text.lines().map(str::trim_start).filter(|line| line.starts_with("///") || line.starts_with("//!"));
            // Each second fence opens a block; one without a language is Rust.
            let opened = docs.filter_map(|line| line[3..].trim_start().strip_prefix("```")).step_by(2);
            let examples = opened.filter(|language| language.is_empty() || language.starts_with("rust"));
            assert_eq!(examples.count(), 0, "{} has an example: remove `doctest = false`", path.display());
        }
    }
    assert!(crates > 8, "{crates}");
}
