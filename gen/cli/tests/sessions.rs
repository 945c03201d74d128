//! Sessions on a command line: the files of `tests/sessions`, with one test each.
//!
//! A file has sessions. Each begins with a heading (`## …`) and has a new workspace of its own. Its lines:
//!
//! ```text
//! types good::Thing good::Case v1.2.0     the Rust types from here on, from `types.rs`, and the next version
//! settings profile: semver; chart: {}     lines of the settings, for the next `types`
//! publish                                 imports the types as the published bundle of their version
//! $ cargo xtask check --verbose           runs the command line of these types in this process
//! $ crd-channels diff old.yaml new.yaml   runs the program without types in this process
//! $ sed -i s/10/9/ Cargo.toml             runs another command in `sh`, where `$TESTS` is the folder of the tests
//! < a line                                standard input of the command above
//! | a line                                standard output
//! ! a line                                standard error
//! = Findings                              the exit code, if the command failed
//! ```
//!
//! Other lines are comments. `| …` is any number of lines. A command of this process can end with `2>&1`, `2> /dev/null`, `< FILE`, `> FILE`, `&> /dev/null`, or a pipe into
//! `sh`; `| select /findings/*/rule` prints values of a JSON document. A line of `types.rs` is shown by its module and text. Commands that
//! only read, and commands that fail, must leave all files as they are (`convert` and `new` write what they can). `UPDATE_SNAPSHOTS=1` writes what the commands print.

#[allow(
    dead_code,
    unreachable_pub,
    reason = "the types are written as an author writes them, and only their descriptors are read"
)]
mod types;

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anstream::adapter::strip_str;
use crd_channels_cli::{Catalogue, Exit, Session, run_in, run_without_types_in};
use crd_generate::settings::Settings;
use serde_json::Value;

use crate::support::{self, Place, assert_untouched};

/// One test for each file, and a test that no file is left out.
macro_rules! sessions {
    ($($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                compare(stringify!($name));
            }
        )+

        #[test]
        fn every_file_is_listed() {
            let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
            let mut files = files.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
            let listed = [$(stringify!($name)),+];
            assert_eq!(files.find(|path| !listed.contains(&path.file_stem().unwrap().to_str().unwrap())), None);
        }
    };
}

sessions! {
    bindings
    causes
    check
    conversions
    convert
    coverage
    diff
    fit
    generate
    go
    graduate
    history
    import
    init
    inspect
    installed
    lint
    months
    new
    pages
    past_names
    push
    reading
    release
    semver
    settings
    skew
    test
    tombstones
    upgrade
    validate
    verify
    waivers
    written_types
}

const UPDATE: &str = "UPDATE_SNAPSHOTS=1 cargo test -p crd-channels-cli --test tests sessions::";

/// Functions of the shell.
const FUNCTIONS: &str = include_str!("sessions/functions.sh");

/// The time of all commits, in another zone than UTC.
const COMMITTED: &str = "2026-03-01T01:02:03+02:00";

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions")
}

#[track_caller]
fn compare(name: &str) {
    let path = folder().join(name).with_extension("txt");
    let text = fs::read_to_string(&path).unwrap();
    let found = run(&text);
    if found != text && std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, found).unwrap();
    } else if found != text {
        let difference = similar::TextDiff::from_lines(&text, &found);
        panic!("{name}.txt: if the outputs are right, run `{UPDATE}{name}`\n{}", difference.unified_diff());
    }
}

/// The text of a file with the outputs that its commands have now.
fn run(text: &str) -> String {
    let starts = text.match_indices("## ").map(|(start, _)| start).filter(|start| text[..*start].ends_with("\n\n"));
    let starts = starts.chain([text.len()]).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let sessions = starts.windows(2).map(|sides| &text[sides[0]..sides[1]]);
        let sessions = sessions.map(|session| scope.spawn(move || run_session(session))).collect::<Vec<_>>();
        let sessions = sessions.into_iter().map(|session| session.join().unwrap());
        [text[..starts[0]].to_owned()].into_iter().chain(sessions).collect()
    })
}

fn run_session(text: &str) -> String {
    let mut lines = text.lines().collect::<VecDeque<_>>();
    let mut found = String::new();
    let mut session = Workspace { place: Place::new(), catalogue: Catalogue::default(), settings: String::new() };
    while let Some(line) = lines.pop_front() {
        found.push_str(&format!("{line}\n"));
        if let Some(types) = line.strip_prefix("types ") {
            session.catalogue = session.types(types);
        } else if let Some(settings) = line.strip_prefix("settings") {
            session.settings = settings.trim_start().replace("; ", "\n");
        } else if line == "publish" {
            session.place.publish(&session.catalogue);
        } else if let Some(command) = line.strip_prefix("$ ") {
            let mut block = |begins: &[&str]| {
                let mut block = Vec::new();
                while lines.front().is_some_and(|line| begins.iter().any(|begin| line.starts_with(begin))) {
                    block.extend(lines.pop_front());
                }
                block
            };
            let input = block(&["<"]);
            let expected = block(&["|", "!", "="]);
            let text = |line: &&str| format!("{}\n", line[1..].strip_prefix(' ').unwrap_or_default());
            let printed = session.command(command, &input.iter().map(text).collect::<String>());
            let printed = printed.iter().map(String::as_str).collect::<Vec<_>>();
            let output = if matches(&expected, &printed) { expected } else { printed };
            found.extend(input.iter().chain(&output).map(|line| format!("{line}\n")));
        }
    }
    found
}

/// Lines are those of a pattern, in which `| …` is any number of lines.
fn matches(pattern: &[&str], lines: &[&str]) -> bool {
    match pattern {
        [] => lines.is_empty(),
        ["| …", rest @ ..] => (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..])),
        [first, rest @ ..] => lines.first() == Some(first) && matches(rest, &lines[1..]),
    }
}

struct Workspace {
    place: Place,
    catalogue: Catalogue,
    settings: String,
}

/// What a command printed, and its exit code, which is empty if it did not fail.
#[derive(Default)]
struct Output {
    out: String,
    err: String,
    exit: String,
}

impl Workspace {
    /// A catalogue of types, whose names are followed by the next version, or by `file`: the settings are those of the workspace.
    fn types(&self, line: &str) -> Catalogue {
        let (names, version) = line.rsplit_once(' ').unwrap_or(("", line));
        let catalogue = match version {
            "file" => Catalogue::default(),
            _ => {
                let settings = Settings::new("things.example.com", version.parse().unwrap());
                support::with(&Catalogue::new(settings), &self.settings)
            }
        };
        names.split_whitespace().fold(catalogue, types::resource)
    }

    /// The lines that a command prints, as a file has them.
    fn command(&self, command: &str, input: &str) -> Vec<String> {
        let is_ours =
            ["cargo xtask", "crd-channels ", "SOURCE_DATE_EPOCH="].iter().any(|ours| command.starts_with(ours));
        let output = if is_ours { self.ours(command, input) } else { self.shell(command, input) };
        let folder = self.place.path().file_name().unwrap().to_string_lossy();
        let mut lines = Vec::new();
        for (begin, text) in [("|", output.out), ("!", output.err), ("=", output.exit)] {
            let text = text.replace(self.place.path().to_str().unwrap(), "ROOT").replace(&*folder, "ROOT");
            let text = without_commits(&text);
            let text = types::shown(&text);
            lines.extend(
                text.lines().map(|line| if line.is_empty() { begin.to_owned() } else { format!("{begin} {line}") }),
            );
        }
        lines
    }

    fn shell(&self, command: &str, input: &str) -> Output {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{FUNCTIONS}{command}")]).current_dir(self.place.path());
        shell.env("TESTS", folder().parent().unwrap()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        shell.env("GIT_AUTHOR_DATE", COMMITTED).env("GIT_COMMITTER_DATE", COMMITTED);
        for role in ["AUTHOR", "COMMITTER"] {
            shell.env(format!("GIT_{role}_NAME"), "Author").env(format!("GIT_{role}_EMAIL"), "author@example.com");
        }
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A command may end without reading its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let done = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let exit = if done.status.success() { String::new() } else { done.status.code().unwrap().to_string() };
        Output { out: text(done.stdout), err: text(done.stderr), exit }
    }

    /// Runs a command line of the product, and what comes after it.
    fn ours(&self, line: &str, input: &str) -> Output {
        let (line, pipe) = line.split_once(" | ").map_or((line, None), |(line, pipe)| (line, Some(pipe)));
        let line = line.replace(" &> ", " 2> /dev/null > ");
        let (mut line, mut streams) = (&*line, BTreeMap::new());
        let last =
            |line: &str| [" < ", " > ", " 2>"].into_iter().filter_map(|kind| Some((line.rfind(kind)?, kind))).max();
        while let Some((at, kind)) = last(line) {
            streams.insert(kind, line[at + kind.len()..].trim());
            line = &line[..at];
        }
        let from = streams.get(" < ").map(|file| {
            fs::read(self.place.path().join(file)).unwrap_or_else(|error| panic!("{line}: {file}: {error}"))
        });
        let input = from.unwrap_or(input.into());
        let (epoch, command) = match line.strip_prefix("SOURCE_DATE_EPOCH=").and_then(|rest| rest.split_once(' ')) {
            Some((epoch, command)) => (Some(epoch.to_owned()), command),
            None => (None, line),
        };
        let mut output = self.run(command, &input, epoch);
        match (streams.get(" 2>"), std::mem::take(&mut output.err)) {
            (Some(&"&1"), err) => output.out.push_str(&err),
            (Some(_), _) => {}
            (None, err) => output.err = err,
        }
        if let Some(file) = streams.get(" > ") {
            fs::write(self.place.path().join(file), std::mem::take(&mut output.out)).unwrap();
        }
        match pipe.map(|pipe| pipe.strip_prefix("select ").ok_or(pipe)) {
            None => {}
            Some(Ok(paths)) => output.out = select(&output.out, paths),
            Some(Err(pipe)) => output.out = self.shell(pipe, &output.out).out,
        }
        output
    }

    fn run(&self, command: &str, mut input: &[u8], epoch: Option<String>) -> Output {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let before = self.place.tree();
        let session = Session::new(self.place.path(), &mut out, &mut err);
        let mut session = session.input(&mut input).source_date_epoch(epoch);
        let exit = match command.strip_prefix("crd-channels ") {
            Some(arguments) => run_without_types_in(words(arguments), &mut session),
            None => {
                let arguments = command.strip_prefix("cargo xtask").unwrap().trim_start();
                run_in(&self.catalogue, words(arguments), &mut session)
            }
        };
        let only_reads = ["check", "diff", "explain", "tombstones list", "validate"];
        let writes_with_findings = ["convert", "new"].iter().any(|writes| command.contains(&format!(" {writes} ")));
        let has_failed = exit != Exit::Fine && !(exit == Exit::Findings && writes_with_findings);
        if has_failed || only_reads.iter().any(|reads| command.contains(&format!(" {reads}"))) {
            assert_untouched(&before, &self.place.tree());
        }
        let plain = |bytes: Vec<u8>| strip_str(&String::from_utf8(bytes).unwrap()).to_string();
        let exit = if exit == Exit::Fine { String::new() } else { format!("{exit:?}") };
        Output { out: plain(out), err: plain(err), exit }
    }
}

/// Commits are shown without their digests, which depend on all files.
fn without_commits(text: &str) -> String {
    let mut parts = text.split("git checkout ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.trim_start_matches(|character: char| character.is_ascii_hexdigit());
        let commit = if part.len() - rest.len() >= 7 { "COMMIT" } else { &part[..part.len() - rest.len()] };
        format!("{text}git checkout {commit}{rest}")
    })
}

/// The words of a command line: words in `'…'` stay together.
fn words(line: &str) -> Vec<String> {
    let quoted = line.split('\'').enumerate().map(|(part, text)| match part % 2 {
        0 => text.replace(' ', "\0"),
        _ => text.to_owned(),
    });
    let quoted = quoted.collect::<String>();
    if quoted.is_empty() { Vec::new() } else { quoted.split('\0').map(str::to_owned).collect() }
}

/// The values of a JSON document at these paths, one a line. `*` is each element of a list.
fn select(document: &str, paths: &str) -> String {
    let document = serde_json::from_str::<Value>(document).unwrap();
    let mut lines = String::new();
    for path in paths.split(' ') {
        let mut values = vec![&document];
        for key in path.split('/').skip(1) {
            values = values
                .into_iter()
                .flat_map(|value| match (key, value) {
                    ("*", Value::Array(list)) => list.iter().collect(),
                    _ => value.pointer(&format!("/{key}")).into_iter().collect::<Vec<_>>(),
                })
                .collect();
        }
        let texts = values.iter().map(|value| value.to_string()).collect::<Vec<_>>();
        lines.push_str(format!("{path}: {}", texts.join(" ")).trim_end());
        lines.push('\n');
    }
    lines
}
