//! CONTRIBUTING.md names files, packages and tests that exist.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use release_tools::said;

mod release_tools;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Everything between backticks, outside of code blocks.
fn quoted(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

fn page() -> String {
    std::fs::read_to_string(format!("{ROOT}/CONTRIBUTING.md")).unwrap()
}

#[test]
fn paths_are_there() {
    let page = page();
    let mut seen = 0;
    for path in quoted(&page) {
        let is_path = path.contains('/') && !path.contains(' ');
        // The part before what stands for a name: `src/rule/NAME.rs`.
        let stands_for =
            |part: &&str| part.bytes().filter(u8::is_ascii_uppercase).count() > 3 && !part.ends_with(".md");
        if is_path {
            let known: Vec<&str> = path.split('/').take_while(|part| !stands_for(part)).collect();
            assert!(Path::new(ROOT).join(known.join("/")).exists(), "{path}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn tests_are_there() {
    let page = page();
    let packages = [
        ("xtask", "xtask"),
        ("crd-testbed", "xtask/testbed"),
        ("crd-grammar", "gen/grammar"),
        ("crd-channels", "gen/channels"),
        ("crd-schema", "gen/schema"),
        ("crd-compat", "gen/compat"),
        ("crd-artefacts", "gen/artefacts"),
        ("crd-channels-cli", "gen/cli"),
    ];
    let mut seen = 0;
    for command in quoted(&page).into_iter().filter_map(|quoted| quoted.strip_prefix("cargo test ")) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let mut folder = "";
        for pair in words.windows(2) {
            match pair {
                ["-p", package] => {
                    folder = packages.iter().find(|(name, _)| name == package).unwrap_or_else(|| panic!("{command}")).1;
                }
                ["--test", test] => {
                    let tests = Path::new(ROOT).join(folder).join("tests");
                    let found = tests.join(format!("{test}.rs")).exists() || tests.join(test).join("main.rs").exists();
                    assert!(found, "{command}");
                }
                _ => {}
            }
        }
        seen += 1;
    }
    assert!(seen > 5, "{seen}");
}

/// The subcommands and their arguments, as far as they can be asked for their help.
#[test]
fn subcommands_are_there() {
    let page = page();
    let mut seen = 0;
    for command in quoted(&page).into_iter().filter_map(|quoted| quoted.strip_prefix("cargo xtask ")) {
        let name = command.split(' ').next().unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_xtask")).arg("--help").output().unwrap();
        assert!(said(&output).contains(&format!("\n  {name} ")), "{command}");
        seen += 1;
    }
    assert!(seen > 4, "{seen}");
}
