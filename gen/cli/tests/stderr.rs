//! A stderr that cannot be written: a full disk, a closed file, a closed pipe. The result and the exit code stay.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Place, install_file, published, things};

/// Longer than a step is silent, unless the machine is busy.
const LONG: Duration = Duration::from_millis(1300);

/// How a shell redirects stderr. The last one is a pipe without a reader.
const REDIRECTIONS: &[&str] = &[FILE, "2>/dev/full", "2>&-", "2>pipe"];
const FILE: &str = "2>stderr";

/// Commands that read standard input, which is written after a while.
const COMMANDS: &[(&str, Input, i32)] = &[
    ("convert - --conversions lenses.json", Input::Object, 0),
    ("validate - --crds crds/standard", Input::Thing, 1),
    ("diff crds/standard -", Input::Crds, 0),
    ("diff crds/standard - --format json", Input::Crds, 0),
    ("import - --version v1.2.0 --channel standard", Input::Crds, 0),
    ("import - --version v1.2.0 --channel standard", Input::Nothing, 2),
];

#[derive(Clone, Copy)]
enum Input {
    Object,
    Thing,
    Crds,
    Nothing,
}

/// The exit code and stdout of a command, and its stderr if that is a file. The input comes when stderr has the step, or may have it.
fn run(arguments: &str, input: &str, redirection: &str) -> (Option<i32>, String, String) {
    let place = Place::new();
    place.write("lenses.json", crate::convert::LENSES);
    let crds = published(&things());
    for channel in ["standard", "experimental"] {
        place.write(&format!("crds/{channel}/all.yaml"), install_file(crds.path(), &[channel]));
    }
    // A pipe that is opened for reading and writing, read by no process, becomes a closed one when this shell replaces itself.
    let before = if redirection == "2>pipe" { "mkfifo pipe; exec 3<>pipe; exec 2>pipe; exec 3>&-; " } else { "" };
    let redirection = if redirection == "2>pipe" { "" } else { redirection };
    let script = format!("{before}exec \"$PROGRAM\" {arguments} {redirection}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(place.path()).env("PROGRAM", env!("CARGO_BIN_EXE_crd-channels"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(LONG);
    let err = || fs::read_to_string(place.path().join("stderr")).unwrap_or_default();
    while redirection == FILE && !err().contains("note: reading") && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(20));
    }
    // A command that does not read it prints the reason.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), err())
}

#[test]
fn the_result_of_a_long_command_stays() {
    let crds = published(&things());
    let install = install_file(crds.path(), &["standard"]);
    let input_of = |input: &Input| match input {
        Input::Object => "apiVersion: example.com/v1\nkind: Policy\nmetadata: {name: a}\nspec: {tls: x}\n",
        Input::Thing => "apiVersion: things.example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {size: 11}\n",
        Input::Crds => &*install,
        Input::Nothing => "kind: [\n",
    };
    std::thread::scope(|scope| {
        let start = |(arguments, input, code)| {
            let input = input_of(input);
            let runs = REDIRECTIONS.iter().map(|how| scope.spawn(move || run(arguments, input, how)));
            (arguments, code, runs.collect::<Vec<_>>())
        };
        let started = COMMANDS.iter().map(|(arguments, input, code)| start((*arguments, input, *code)));
        for (arguments, code, runs) in started.collect::<Vec<_>>() {
            let ran = runs.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>();
            let (expected, out, err) = &ran[0];
            assert_eq!(*expected, Some(code), "{arguments}: {out}{err}");
            assert!(err.contains("note: reading"), "{arguments}: no step took long: {err}");
            for ((code, other, _), how) in ran.iter().zip(REDIRECTIONS) {
                assert_eq!((code, other), (expected, out), "{arguments} {how}");
            }
        }
    });
}

/// `eprintln` panics if stderr cannot be written, and a panic aborts an optimised program.
#[test]
fn no_program_panics_where_it_prints_to_stderr() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")];
    let mut panicking = Vec::new();
    let is_shipped = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        !name.starts_with('.') && !["target", "tests", "tests.rs", "testdata", "templates"].contains(&name)
    };
    while let Some(folder) = folders.pop() {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for path in paths.filter(|path| is_shipped(path)).collect::<Vec<PathBuf>>() {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let is_macro = |line: &&str| line.contains("eprint!(") || line.contains("eprintln!(");
                panicking.extend(text.lines().filter(is_macro).map(|line| format!("{}: {line}", path.display())));
            }
        }
    }
    assert_eq!(panicking, Vec::<String>::new(), "write to `anstream::stderr()`, and ignore its errors");
}
