//! Arguments: help, versions, and unknown subcommands.

use std::collections::BTreeSet;

use crate::support::{Place, Ran, things};
use anstream::adapter::strip_str;
use crd_channels_cli::{Exit, Session, run_without_types_in};

fn run(arguments: &[&str]) -> Ran {
    Place::new().run_unchanged(&things(), arguments)
}

#[test]
fn help_is_not_an_error_and_lists_all_subcommands() {
    for arguments in [&["--help"] as &[&str], &["-h"], &["help"]] {
        let ran = run(arguments);
        assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""), "{arguments:?}");
        for part in ["Usage: cargo xtask [OPTIONS] <COMMAND>", "Exit codes:", "1  findings", "3  out of date"] {
            assert!(ran.out.contains(part), "{part} is not in {}", ran.out);
        }
        let listed = commands(&ran.out);
        let expected =
            "generate check diff tombstones import release init new conversions rules markers explain completions man";
        for command in expected.split(' ') {
            assert!(listed.iter().any(|known| known == command), "{command} is not in {}", ran.out);
        }
    }
}

/// Each JSON schema of this crate can be printed by a program that has no repository.
#[test]
fn schema_prints_each_file() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas");
    let all = run(&["schema"]).out;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".json")) else { continue };
        let ran = run(&["schema", name]);
        assert_eq!((ran.exit, ran.out), (Exit::Fine, std::fs::read_to_string(&path).unwrap()));
        assert!(strip_str(&all).to_string().lines().any(|line| line.split(' ').next() == Some(name)), "{name}: {all}");
    }
}

/// The commands that a help lists, in its groups.
fn commands(help: &str) -> Vec<String> {
    const HEADINGS: [&str; 7] = [
        "An API in Rust:",
        "CRDs of any project:",
        "Objects:",
        "Clusters:",
        "What a release publishes:",
        "Settings and reference:",
        "Commands:",
    ];
    let mut lists_commands = false;
    let mut names = Vec::new();
    for line in help.lines() {
        lists_commands = HEADINGS.contains(&line) || lists_commands && !line.is_empty();
        let name = line.strip_prefix("  ").and_then(|line| line.split(' ').next());
        names.extend(name.filter(|name| lists_commands && !name.is_empty() && *name != "help").map(str::to_owned));
    }
    names
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
        // After two spaces follows the purpose; redirections belong to the shell.
        let arguments =
            example.split("  ").next().unwrap_or_default().split(['<', '>']).next().unwrap_or_default().trim_end();
        let mut arguments: Vec<&str> = arguments.split(' ').collect();
        assert!(arguments.starts_with(path), "{example} is in the help of {path:?}");
        // `--help` checks the arguments before it, and does nothing else.
        arguments.push("--help");
        let ran = run(&arguments);
        assert_eq!(ran.exit, Exit::Fine, "{example}: {}", ran.err);
    }
}

#[test]
fn every_subcommand_has_help_with_valid_examples() {
    help_of(&[]);
}

#[test]
fn the_version_is_the_tool_s() {
    let ran = run(&["--version"]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Fine, concat!("crd-channels ", env!("CARGO_PKG_VERSION"), "\n")));
}

/// `import` has an option of this name with a value, and answers without one.
#[test]
fn every_subcommand_has_the_version_of_the_program() {
    let version = concat!("crd-channels ", env!("CARGO_PKG_VERSION"), "\n");
    let names = commands(&run(&["--help"]).out);
    assert!(names.len() > 11, "{names:?}");
    for name in &names {
        for flag in ["--version", "-V"] {
            let ran = run(&[name, flag]);
            assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Fine, version, ""), "{name} {flag}");
        }
    }
    let ran = run(&["tombstones", "add", "--version"]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Fine, version));
    let ran = run(&["import", "crds", "--channel", "standard", "--version"]);
    assert!(ran.exit == Exit::Unusable && ran.err.contains("a value is required for '--version <VERSION>'"), "{ran:?}");
}

#[test]
fn quiet_leaves_out_notes_and_keeps_results_and_errors() {
    let place = Place::with(&things());
    let loud = place.run(&things(), &["check"]);
    assert!(loud.err.starts_with("note: there is no baseline"), "{}", loud.err);
    for arguments in [["check", "--quiet"], ["check", "-q"], ["-q", "check"]] {
        let ran = place.run(&things(), &arguments);
        assert_eq!((ran.exit, &*ran.out, &*ran.err), (loud.exit, &*loud.out, ""), "{arguments:?}");
    }
    let ran = place.run(&things(), &["rules", "nothing", "--quiet"]);
    assert!(ran.err.starts_with("error: unknown rule"), "{}", ran.err);
}

/// Each option that the help of a subcommand lists is completed.
#[test]
fn completions_contain_every_subcommand_and_option() {
    let words = |text: &str| -> BTreeSet<String> {
        let is_word = |character: char| character.is_ascii_alphanumeric() || character == '-';
        text.split(|character| !is_word(character)).map(str::to_owned).collect()
    };
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = words(&run(&["completions", shell]).out);
        let mut paths = vec![Vec::new()];
        let mut options = 0;
        while let Some(path) = paths.pop() {
            let arguments = path.iter().map(String::as_str).chain(["--help"]).collect::<Vec<_>>();
            let help = run(&arguments).out;
            for name in commands(&help) {
                assert!(script.contains(&name), "{shell}: {name}");
                paths.push([&path[..], &[name]].concat());
            }
            let lines = help.lines().filter(|line| line.starts_with("      --") || line.starts_with("  -"));
            for option in lines.flat_map(|line| line.split_whitespace().find(|word| word.starts_with("--"))) {
                options += 1;
                // Fish writes them without their dashes.
                let name = if shell == "fish" { option.trim_start_matches('-') } else { option };
                assert!(script.contains(name), "{shell}: {path:?} {option}");
            }
        }
        assert!(options > 80, "{options}");
    }
}

#[test]
fn wrong_usage_is_reported_on_stderr_with_a_suggestion() {
    for (arguments, part) in [
        (&[] as &[&str], "Usage: cargo xtask [OPTIONS] <COMMAND>"),
        (&["generat"], "'generate'"),
        (&["marker"], "'markers'"),
        (&["dif", "a", "b"], "'diff'"),
        (&["diff", "a"], "<NEW>"),
        (&["diff", "a", "b", "--channel", "beta"], "[possible values: standard, experimental]"),
        (&["check", "surplus"], "'surplus'"),
        (&["check", "--against", "1.0"], "`1.0` is not a bundle version"),
        (&["check", "--profile", "gep"], "'gep-922'"),
        (&["check", "--format", "yaml"], "[possible values: text, json, github, sarif, markdown]"),
        (&["import", "a"], "--version <VERSION>"),
        (&["import", "a", "--version", "v1.0.0"], "a: cannot be read"),
        (&["tombstones"], "Usage: cargo xtask tombstones [OPTIONS] <COMMAND>"),
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

/// Runs the program `crd-channels`.
fn run_program(arguments: &[&str]) -> (Exit, String, String) {
    let place = Place::new();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run_without_types_in(arguments, &mut Session::new(place.path(), &mut out, &mut err));
    let plain = |bytes: Vec<u8>| strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    (exit, plain(out), plain(err))
}

#[test]
fn the_program_has_every_subcommand() {
    let (exit, out, err) = run_program(&["--help"]);
    assert_eq!((exit, &*err), (Exit::Fine, ""));
    assert!(out.contains("Usage: crd-channels [OPTIONS] <COMMAND>"), "{out}");
    let expected = "new generate check tombstones graduate release diff gate history lint import fit docs bindings validate lsp test convert conversions upgrade inspect skew migrate \
                    guardrails verify push markers init settings rules schema explain completions man";
    let expected = expected.split(' ').collect::<Vec<_>>();
    assert_eq!(commands(&out), expected, "{out}");
    for command in expected {
        let (exit, out, _) = run_program(&[command, "--help"]);
        assert_eq!(exit, Exit::Fine);
        assert!(out.contains("\n  crd-channels ") && !out.contains("cargo xtask"), "{out}");
        for part in ["Examples:", "Exit codes:", "  0  success"] {
            assert!(out.contains(part), "{part} is not in {out}");
        }
    }
    assert_eq!(run_program(&["generate"]).0, Exit::Unusable);
}

#[test]
fn completions_are_printed_for_each_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (exit, out, err) = run_program(&["completions", shell]);
        assert_eq!((exit, &*err), (Exit::Fine, ""));
        assert!(out.contains("crd-channels") && out.contains("import") && !out.contains('\u{1b}'), "{shell}: {out}");
    }
    assert_eq!(run_program(&["completions", "cmd"]).0, Exit::Unusable);
}

#[test]
fn manual_pages_are_roff() {
    for (arguments, part) in [(&["man"] as &[&str], "completions"), (&["man", "diff"], "OLD")] {
        let (exit, out, err) = run_program(arguments);
        assert_eq!((exit, &*err), (Exit::Fine, ""));
        assert!(out.contains(".TH crd-channels") && out.contains(part) && !out.contains('\u{1b}'), "{out}");
    }
    let (exit, _, err) = run_program(&["man", "dif"]);
    assert_eq!(exit, Exit::Unusable);
    assert_eq!(err, "error[usage::unknown-subcommand]: unknown subcommand `dif`\n   = help: did you mean `diff`?\n");
}

#[test]
fn each_code_has_a_page() {
    let (exit, list, _) = run_program(&["explain"]);
    assert_eq!(exit, Exit::Fine);
    let codes = list.lines().filter(|line| !line.starts_with(' ') && !line.contains(' ') && !line.is_empty());
    let codes = codes.collect::<Vec<_>>();
    assert!(codes.len() > 150, "{list}");
    for code in &codes {
        let (exit, page, err) = run_program(&["explain", code]);
        assert_eq!((exit, &*err), (Exit::Fine, ""), "{code}");
        assert!(page.starts_with(&format!("{code}: ")), "{page}");
    }
    for code in ["tightened", "tombstone-missing", "default-invalid", "crd-kind", "mixed-bundles", "file::kind"] {
        assert!(codes.contains(&code), "{list}");
    }
    assert_eq!(run_program(&["explain", "error[file::io]"]).0, Exit::Fine);
    let (exit, _, err) = run_program(&["explain", "file::iot"]);
    assert_eq!(exit, Exit::Unusable);
    assert_eq!(err, "error[usage::unknown-code]: unknown code `file::iot`\n   = help: did you mean `file::io`?\n");
}

/// Each code in the sources of all crates has a page.
#[test]
fn no_diagnostic_has_a_code_without_a_page() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crates = std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let mut files = crates.filter(|path| path.is_dir()).collect::<Vec<_>>();
    let (_, list, _) = run_program(&["explain"]);
    let pages = list.lines().collect::<std::collections::BTreeSet<_>>();
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let constructors =
        ["Diagnostic::error(", "Diagnostic::warning(", "Diagnostic::note(", "Diagnostic::new(", "report("];
    let mut found = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let parts = text.split('"').collect::<Vec<_>>();
        for pair in parts.windows(2).step_by(2) {
            let [before, literal] = pair else { continue };
            let has_area = literal.split_once("::").is_some_and(|(area, name)| is_word(area) && is_word(name));
            let is_first = constructors.iter().any(|constructor| before.trim_end().ends_with(constructor));
            if has_area || (is_first && is_word(literal)) {
                found += 1;
                assert!(pages.contains(literal), "{}: {literal}", path.display());
            }
        }
    }
    assert!(found > 100, "{found}");
}
