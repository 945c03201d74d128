//! `generate --watch`, as a process: saves of several kinds, errors, findings, and Ctrl-C. What it waits for are its own lines, so the test depends
//! on no time.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_crd-channels");
const TYPES: &str = "api/src/v1.rs";
const STANDARD: &str = "bundles/unreleased/standard/example.com_lamps.yaml";

/// A program that watches, and is killed with this value.
struct Watched<'a> {
    folder: &'a Path,
    child: Child,
    lines: BufReader<ChildStderr>,
    printed: Vec<String>,
    /// How many of these lines were expected and found.
    found: usize,
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        // `timeout` passes it on.
        let _ = Command::new("kill").arg(self.child.id().to_string()).stderr(Stdio::null()).status();
    }
}

fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("CARGO_MANIFEST_DIR")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

#[track_caller]
fn succeeds(folder: &Path, arguments: &[&str]) {
    assert!(program(folder, arguments).status().unwrap().success(), "{arguments:?}");
}

impl<'a> Watched<'a> {
    fn of(folder: &'a Path) -> Self {
        let mut command = Command::new("timeout");
        command.args(["300", PROGRAM, "generate", "--watch"]).current_dir(folder).env_remove("CARGO_MANIFEST_DIR");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Self { folder, child, lines, printed: Vec::new(), found: 0 }
    }

    /// Reads a line.
    #[track_caller]
    fn read(&mut self, awaited: &str) {
        let mut line = String::new();
        let length = self.lines.read_line(&mut line).unwrap();
        assert_ne!(length, 0, "the program ended before {awaited}: {:#?}", self.printed);
        self.printed.push(line);
    }

    /// Reads lines until one after the last found contains the text. A save can cause two runs, of which the first sees a part of it.
    #[track_caller]
    fn prints(&mut self, text: &str) {
        while !self.printed[self.found..].iter().any(|line| line.contains(text)) {
            self.read(text);
        }
        self.found += self.printed[self.found..].iter().position(|line| line.contains(text)).unwrap() + 1;
    }

    /// Reads lines until the CRD is as expected.
    #[track_caller]
    fn writes(&mut self, is_expected: impl Fn(&str) -> bool) {
        while !fs::read_to_string(self.folder.join(STANDARD)).is_ok_and(|text| is_expected(&text)) {
            self.read("the CRD");
        }
    }

    fn replace(&self, file: &str, old: &str, new: &str) -> String {
        let text = fs::read_to_string(self.folder.join(file)).unwrap();
        assert!(text.contains(old), "{file} has no {old}");
        text.replace(old, new)
    }

    fn save(&self, file: &str, text: &str) {
        fs::write(self.folder.join(file), text).unwrap();
    }
}

#[test]
fn each_save_writes_the_crds_and_prints_what_changes_for_users() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("lamps");
    succeeds(place.path(), &["new", "lamps", "--kind", "Lamp"]);
    succeeds(&folder, &["generate"]);
    for channel in ["standard", "experimental"] {
        let text = fs::read_to_string(folder.join(STANDARD.replace("standard", channel))).unwrap();
        let is_stamp = |line: &&str| line.contains("/bundle-version:") || line.contains("/channel:");
        let lines = text.lines().filter(|line| !is_stamp(line)).collect::<Vec<_>>();
        fs::write(folder.join("published.yaml"), lines.join("\n")).unwrap();
        succeeds(&folder, &["import", "published.yaml", "--version", "v0.0.1", "--channel", channel]);
    }
    let mut watched = Watched::of(&folder);
    watched.prints("0 findings at the beginning");

    // In place.
    watched.save(TYPES, &watched.replace(TYPES, "Minimum=0", "Minimum=1"));
    watched.writes(|text| text.contains("minimum: 1\n"));
    watched.prints("new: [tightened] lamps.example.com spec.replicas: ");
    // A part of a file, and the whole again.
    let before = watched.replace(TYPES, "Minimum=1", "Minimum=0");
    watched.save(TYPES, &before[..before.len() / 2]);
    watched.prints("fix the errors above");
    // By another file that takes its place, as many editors write.
    watched.save("api/src/v1.rs.new", &before);
    fs::rename(folder.join("api/src/v1.rs.new"), folder.join(TYPES)).unwrap();
    watched.writes(|text| text.contains("minimum: 0\n"));
    watched.prints("gone: [tightened] lamps.example.com spec.replicas: ");
    // A new file, and its removal.
    watched.save(
        "api/src/more.rs",
        "//! More.\n\n/// More.\n#[crd_channels::api]\npub struct More {\n    /// The size.\n    pub size: i32,\n}\n",
    );
    watched.save("api/src/lib.rs", &watched.replace("api/src/lib.rs", "pub mod v1;", "pub mod more;\npub mod v1;"));
    let field = "    pub replicas: Option<i32>,\n";
    let more = format!("{field}    /// More.\n    pub more: Option<crate::more::More>,\n");
    watched.save(TYPES, &before.replace(field, &more));
    watched.writes(|text| text.contains(" more:\n"));
    fs::remove_file(folder.join("api/src/more.rs")).unwrap();
    watched.prints("fix the errors above");
    // The settings.
    watched.save(TYPES, &before);
    watched.save("api/src/lib.rs", &watched.replace("api/src/lib.rs", "pub mod more;\n", ""));
    watched.save("crd-channels.yaml", &watched.replace("crd-channels.yaml", "version: v0.1.0", "version: v0.2.0"));
    watched.writes(|text| text.contains("v0.2.0-dev") && !text.contains(" more:\n"));

    assert!(Command::new("kill").args(["-INT", &watched.child.id().to_string()]).status().unwrap().success());
    assert_eq!(watched.child.wait().unwrap().code(), Some(0));
}
