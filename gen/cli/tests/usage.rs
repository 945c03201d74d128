//! Arguments: help, versions, and what is no command.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use crd_channels_cli::Exit;
use support::{Place, things};

fn run(arguments: &[&str]) -> support::Ran {
    let place = Place::new();
    let before = place.tree();
    let ran = place.run(&things(), arguments);
    support::assert_untouched(&before, &place.tree());
    ran
}

#[test]
fn help_is_no_error_and_names_what_there_is() {
    for arguments in [&["--help"] as &[&str], &["-h"], &["help"]] {
        let ran = run(arguments);
        assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""), "{arguments:?}");
        for part in ["Usage: cargo xtask <COMMAND>", "\n  generate ", "\n  markers ", "Exit codes:", "3  stale"] {
            assert!(ran.out.contains(part), "{part} is not in {}", ran.out);
        }
        // What is not there yet is not promised.
        for part in ["\n  diff ", "\n  release ", "\n  tombstones "] {
            assert!(!ran.out.contains(part), "{part} is in {}", ran.out);
        }
    }
}

#[test]
fn every_command_has_help_with_examples_that_are_understood() {
    for command in ["generate", "markers"] {
        let ran = run(&[command, "--help"]);
        assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
        let examples: Vec<&str> = ran.out.lines().filter_map(|line| line.strip_prefix("  cargo xtask ")).collect();
        assert!(examples.len() >= 4, "{}", ran.out);
        for example in examples {
            let arguments = example.split("  ").next().unwrap_or_default();
            let mut arguments: Vec<&str> = arguments.split(' ').collect();
            // Asking for the help of it checks the arguments before, and does nothing.
            arguments.push("--help");
            let ran = run(&arguments);
            assert_eq!(ran.exit, Exit::Fine, "{example}: {}", ran.err);
        }
    }
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
        (&["diff", "a", "b"], "unrecognized subcommand 'diff'"),
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
