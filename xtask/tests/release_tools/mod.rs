//! Programs of other projects that read what this repository writes.
#![allow(dead_code, unreachable_pub, reason = "two test programs use parts of it")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program, if it is installed. With `CRD_RELEASE_TOOLS=require`, as CI has it, a test fails without it.
pub fn tool(name: &str) -> Option<&str> {
    let mut command = Command::new(name);
    command.arg("--version").stdin(Stdio::null());
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
