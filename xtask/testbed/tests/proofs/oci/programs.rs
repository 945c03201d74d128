//! Commands, as text with placeholders: programs of other projects, and `crd-channels` itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use anstream::adapter::strip_str;
use crd_channels_cli::{Exit, Session, run_without_types_in};
use tempfile::TempDir;

/// What a command printed, and whether it succeeded.
pub(super) struct Ran {
    pub(super) success: bool,
    /// Both streams.
    pub(super) text: String,
}

impl Ran {
    /// Asserts that it succeeded and printed this.
    #[track_caller]
    pub(super) fn has(&self, command: &str, part: &str) {
        assert!(self.success && self.text.contains(part), "{command}: expected `{part}`\n{}", self.text);
    }
}

/// The folders and addresses of commands, by the names of their placeholders.
#[derive(Clone, Default)]
pub(super) struct Names(BTreeMap<&'static str, String>);

impl Names {
    pub(super) fn with(&self, name: &'static str, value: impl std::fmt::Display) -> Names {
        let mut names = self.clone();
        names.0.insert(name, value.to_string());
        names
    }

    pub(super) fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    /// Runs a command: a program and its arguments, between spaces.
    #[track_caller]
    pub(super) fn run(&self, command: &str) -> Ran {
        let filled = self.fill(command);
        assert!(!filled.contains(['{', '}']), "a placeholder has no value: {filled}");
        let mut words = filled.split_whitespace();
        let (program, arguments) = (words.next().expect("a program"), words.collect::<Vec<_>>());
        match program {
            "crd-channels" => ours(&arguments),
            _ => theirs(program, &arguments),
        }
    }

    /// Runs rows of commands, and what each must print; without those of cosign unless this is a proof.
    #[track_caller]
    pub(super) fn run_all(&self, rows: &[(&str, &str)]) {
        for (command, part) in rows.iter().filter(|(command, _)| is_run(command)) {
            self.run(command).has(command, &self.fill(part));
        }
    }
}

/// Whether a command is not one of cosign, or this is a proof.
pub(super) fn is_run(command: &str) -> bool {
    !command.starts_with("cosign ") || crd_testdata::is_proof()
}

/// Whether the programs can be built. Prints `skipped` if Go is needed and not installed.
pub(super) fn are_found() -> bool {
    static FOUND: LazyLock<bool> = LazyLock::new(|| {
        let needed = ["helm", "oras", "crane", "interop", "cosign"];
        needed.iter().filter(|name| is_run(&format!("{name} "))).all(|name| match crd_testbed::program(name) {
            Ok(_) => true,
            Err(failure) if failure.is_missing_go() && !crd_testbed::is_required() => {
                println!("skipped: {failure}");
                false
            }
            Err(failure) => panic!("{failure}"),
        })
    });
    *FOUND
}

/// A program of another project, without anything of this user.
pub(super) fn command(program: &str) -> Command {
    static HOME: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));
    let path: PathBuf = match program {
        "openssl" => program.into(),
        _ => crd_testbed::program(program).expect("a program"),
    };
    let mut command = Command::new(path);
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path))).stdin(Stdio::null());
    for name in ["HOME", "TMPDIR", "DOCKER_CONFIG", "HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"] {
        command.env(name, HOME.path());
    }
    command
}

fn theirs(program: &str, arguments: &[&str]) -> Ran {
    let output = command(program).args(arguments).output().expect("it runs");
    let text = [output.stdout, output.stderr].map(|stream| String::from_utf8_lossy(&stream).into_owned()).concat();
    Ran { success: output.status.success(), text }
}

fn ours(arguments: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run_without_types_in(arguments.iter().copied(), &mut Session::new(Path::new("/"), &mut out, &mut err));
    let text = [out, err].map(|stream| strip_str(&String::from_utf8_lossy(&stream)).to_string()).concat();
    // Without the ends of lines, which depend on the length of paths.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Ran { success: exit == Exit::Fine, text }
}
