//! The lock file of each workspace of this repository is current: `.ci/run` fetches with `--locked`, before any test.

use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).current_dir(ROOT).output().unwrap()
}

/// Cargo reads each workspace without the network. A lock file is not checked where its crates were never fetched.
#[test]
fn every_lock_file_is_current() {
    let listed = run("git", &["ls-files", "*Cargo.lock"]);
    let locks = String::from_utf8(listed.stdout).unwrap();
    let stale: Vec<&str> = locks
        .lines()
        .filter(|lock| {
            let manifest = lock.replace("Cargo.lock", "Cargo.toml");
            let arguments =
                ["metadata", "--locked", "--offline", "--format-version", "1", "--manifest-path", &manifest];
            String::from_utf8_lossy(&run(env!("CARGO"), &arguments).stderr).contains("cannot update the lock file")
        })
        .collect();
    assert!(locks.lines().count() >= 4, "git lists {locks:?}");
    assert!(stale.is_empty(), "out of date, `cargo fetch --manifest-path` of each makes it current: {stale:?}");
}
