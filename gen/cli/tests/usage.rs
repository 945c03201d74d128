//! Arguments: help, versions, and what is no command.

use crate::support::{Place, things};
use crd_channels_cli::Exit;

fn run(arguments: &[&str]) -> crate::support::Ran {
    let place = Place::new();
    let before = place.tree();
    let ran = place.run(&things(), arguments);
    crate::support::assert_untouched(&before, &place.tree());
    ran
}

#[test]
fn help_is_no_error_and_names_what_there_is() {
    for arguments in [&["--help"] as &[&str], &["-h"], &["help"]] {
        let ran = run(arguments);
        assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""), "{arguments:?}");
        for part in ["Usage: cargo xtask <COMMAND>", "Exit codes:", "1  findings", "3  stale"] {
            assert!(ran.out.contains(part), "{part} is not in {}", ran.out);
        }
        let listed = commands(&ran.out);
        for command in ["generate", "check", "diff", "tombstones", "import", "release", "init", "rules", "markers"] {
            assert!(listed.iter().any(|known| known == command), "{command} is not in {}", ran.out);
        }
    }
}

/// The commands that a help lists.
fn commands(help: &str) -> Vec<String> {
    let Some((_, rest)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let lines = rest.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty()));
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The help of a command and of the commands below it; its examples are checked.
fn help_of(path: &[&str]) {
    let ran = run(&[path, &["--help"]].concat());
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""), "{path:?}");
    for below in commands(&ran.out) {
        help_of(&[path, &[&below]].concat());
    }
    if path.is_empty() {
        return;
    }
    let examples: Vec<&str> = ran.out.lines().filter_map(|line| line.strip_prefix("  cargo xtask ")).collect();
    assert!(examples.len() >= 2, "{}", ran.out);
    for example in examples {
        // Behind two spaces stands what it is for; what a shell reads is not ours.
        let arguments = example.split("  ").next().unwrap_or_default().split(" < ").next().unwrap_or_default();
        let mut arguments: Vec<&str> = arguments.split(' ').collect();
        assert!(arguments.starts_with(path), "{example} stands in the help of {path:?}");
        // Asking for the help of it checks the arguments before, and does nothing.
        arguments.push("--help");
        let ran = run(&arguments);
        assert_eq!(ran.exit, Exit::Fine, "{example}: {}", ran.err);
    }
}

#[test]
fn every_command_has_help_with_examples_that_are_understood() {
    help_of(&[]);
}

#[test]
fn the_version_is_the_tool_s() {
    let ran = run(&["--version"]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Fine, concat!("crd-channels ", env!("CARGO_PKG_VERSION"), "\n")));
}

#[test]
fn wrong_usage_is_said_on_stderr_with_what_was_meant() {
    for (arguments, part) in [
        (&[] as &[&str], "Usage: cargo xtask <COMMAND>"),
        (&["generat"], "'generate'"),
        (&["marker"], "'markers'"),
        (&["dif", "a", "b"], "'diff'"),
        (&["diff", "a"], "<NEW>"),
        (&["diff", "a", "b", "--channel", "beta"], "[possible values: standard, experimental]"),
        (&["check", "surplus"], "'surplus'"),
        (&["check", "--against", "1.0"], "`1.0` is not a bundle version"),
        (&["check", "--profile", "gep"], "'gep-922'"),
        (&["check", "--format", "yaml"], "[possible values: text, json, github, sarif]"),
        (&["import", "a"], "--version <VERSION>"),
        (&["import", "a", "--version", "v1.0.0"], "--channel <CHANNEL>"),
        (&["tombstones"], "Usage: cargo xtask tombstones <COMMAND>"),
        (&["tombstones", "ad"], "'add'"),
        (&["tombstones", "add", "--name", "a"], "--kind <KIND>"),
        (&["tombstones", "list", "--format", "yaml"], "[possible values: text, json]"),
        (&["generate", "--chanel", "standard"], "'--channel'"),
        (&["generate", "--channel", "stadard"], "'standard'"),
        (&["generate", "--channel", "beta"], "[possible values: standard, experimental]"),
        (&["generate", "--format", "yaml"], "[possible values: text, json]"),
        (&["generate", "--out"], "'--out <DIR>'"),
        (&["generate", "--out", ""], "'--out <DIR>'"),
        (&["generate", "surplus"], "'surplus'"),
        (&["generate", "--check", "--check"], "'--check'"),
        (&["generate", "--out", "a", "--root", "b"], "'--root <DIR>'"),
        (&["markers", "--check"], "--page <FILE>"),
        (&["markers", "--page", "a.md", "--format", "json"], "'--format <FORMAT>'"),
    ] {
        let ran = run(arguments);
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""), "{arguments:?}");
        assert!(ran.err.contains(part), "{arguments:?}: {part} is not in {}", ran.err);
    }
}

#[test]
fn exit_codes_are_those_of_the_design() {
    let codes = [Exit::Fine, Exit::Findings, Exit::Unusable, Exit::Stale].map(Exit::code);
    assert_eq!(codes, [0, 1, 2, 3]);
}
