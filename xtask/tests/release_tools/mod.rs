//! Programs of other projects that read what this repository writes, and a repository with what a release of Gateway API reads.
#![allow(dead_code, unreachable_pub, reason = "three test programs use parts of it")]

pub mod loopback;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program, if it is installed. With `CRD_RELEASE_TOOLS=require`, as CI has it, a test fails without it.
pub fn tool(name: &str) -> Option<&str> {
    tool_with(name, "--version")
}

/// The same for a program that exits with 0 for another argument.
pub fn tool_with<'n>(name: &'n str, argument: &str) -> Option<&'n str> {
    let mut command = Command::new(name);
    command.arg(argument).stdin(Stdio::null());
    if command.output().is_ok_and(|output| output.status.success()) {
        return Some(name);
    }
    let required = std::env::var_os("CRD_RELEASE_TOOLS").is_some_and(|value| value == "require");
    assert!(!required, "CRD_RELEASE_TOOLS=require, and {name} is not installed");
    println!("skipped: {name} is not installed");
    None
}

/// Runs `git` in a folder, with nothing of this machine's or this user's settings.
pub fn git(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder);
    alone(&mut command);
    command.output().expect("git is not here")
}

/// Removes the variables that git and cargo set for the programs they run, and sets an author.
pub fn alone(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let is_git = name.to_string_lossy().starts_with("GIT_");
        if is_git || ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CLICOLOR_FORCE"].iter().any(|known| name == *known)
        {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "A. Tester").env(format!("GIT_{role}_EMAIL"), "tester@example.com");
    }
}

/// Writes a script that can be run. A child process writes it: another thread may start a program at the same time, which would inherit the open
/// file, and a script that is open for writing cannot be run ("text file busy").
pub fn script(path: &Path, text: &str) {
    let mut writer = Command::new("sh");
    writer.args(["-c", "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\""]).arg(path).arg(text);
    assert!(writer.status().expect("sh runs").success());
}

/// What a program printed, both streams.
pub fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Commits what a release of Gateway API reads, and these files, in a new repository.
pub fn flagship(folder: &Path, more: &[&str]) {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = package.ancestors().find(|folder| folder.join("crd-channels.yaml").exists()).expect("a workspace");
    let paths = ["bundles/unreleased", "bundles/history.tar.xz", "bundles/tombstones.yaml", "Cargo.lock"];
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join("crd-channels.yaml"), settings_without_source()).expect("the settings");
    for path in paths.iter().chain(more) {
        copy(&workspace.join(path), &folder.join(path));
    }
    // It depends on conformance reports and on the released bundles. A workspace need not have it.
    fs::remove_file(folder.join("bundles/unreleased/graduation.json")).expect("the file");
    for arguments in
        [&["init", "--quiet"] as &[&str], &["add", "--all"], &["commit", "--quiet", "--message", "as it is"]]
    {
        let output = git(folder, arguments);
        assert!(output.status.success(), "{}", printed(&output));
    }
}

/// The settings of Gateway API, without those that need the source of its types.
pub fn settings_without_source() -> String {
    let text = include_str!("../../../crd-channels.yaml");
    let (before, after) = text.split_once("types: api-types\ngo:\n").expect("the types and the Go module");
    let rest: Vec<&str> = after.lines().skip_while(|line| line.starts_with(' ')).collect();
    // Without a baseline, every convention that the API broke long ago would be new.
    format!("{before}{}\n", rest.join("\n")).replace("  check: true\n", "")
}

/// Copies a file, or a folder with all below it.
pub fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder") {
            let entry = entry.expect("an entry");
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }
}

/// Every file below a folder, by its path from there.
pub fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let below = path.strip_prefix(folder).expect("it is below").to_path_buf();
                    files.insert(below, fs::read(&path).expect("a file"));
                }
            }
        }
    }
    files
}
