//! The page for new users shows the example's files, and the release of Gateway API is that of its page. `gen/cli/tests/adopter.rs` runs the
//! commands of the README and of the pages for first steps.

use std::path::Path;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn readme() -> String {
    std::fs::read_to_string(format!("{ROOT}/README.md")).unwrap()
}

/// The text of the first code block behind a place.
fn code_block(text: &str) -> &str {
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

#[test]
fn commands_work() {
    let page = std::fs::read_to_string(format!("{ROOT}/docs/gateway-api.md")).unwrap();
    let commands = code_block(page.split_once("<!-- commands -->").unwrap().1);
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    std::fs::write(root.join(".gitignore"), "/dist\n").unwrap();
    std::fs::create_dir(root.join("bundles")).unwrap();
    for name in ["history.tar.xz", "tombstones.yaml"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bundles").join(name);
        std::fs::copy(path, root.join("bundles").join(name)).unwrap();
    }
    let settings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crd-channels.yaml");
    std::fs::copy(settings, root.join("crd-channels.yaml")).unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(root)
            .args(["-c", "user.name=Author", "-c", "user.email=author@example.com"])
            .args(arguments);
        assert!(command.output().unwrap().status.success(), "git {arguments:?}");
    };
    git(&["init", "--quiet"]);
    let mut run = 0;
    for line in commands.lines().filter_map(|line| line.strip_prefix("$ cargo xtask ")) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        let output = command.args(line.split_whitespace()).arg("--root").arg(root).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stdout.is_empty(), "{line}");
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "--allow-empty", "--message", line]);
        run += 1;
    }
    assert_eq!(run, 2);
    assert_eq!(std::fs::read_dir(root.join("bundles/unreleased/experimental")).unwrap().count(), 13);
    assert_eq!(std::fs::read_dir(root.join("bundles/v1.6.1/standard")).unwrap().count(), 11);
    assert!(root.join("dist/SHA256SUMS").exists());
}

#[test]
fn no_figure_is_missing() {
    assert!(!readme().contains("@@"));
}

/// CI runs this command.
#[test]
fn the_test_command_is_there() {
    assert_eq!(code_block(readme().split_once("<!-- test command -->").unwrap().1), "cargo test -- --show-output\n");
}
