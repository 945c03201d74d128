//! Small APIs and workspaces for the tests of the command line.
#![allow(unreachable_pub, reason = "the types are written as an author writes them")]

mod apis;
pub mod killed;

pub use apis::*;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anstream::adapter::strip_str;
use crd_channels::typed::Resource;
use crd_channels_cli::{Catalogue, Exit, Session, run_in, run_without_types_in};
use crd_generate::settings::{FILE_NAME, REQUIRED, Settings};

/// A catalogue with more settings than prefix and version.
pub fn with(catalogue: &Catalogue, more: &str) -> Catalogue {
    let text = format!("prefix: {}\nversion: {}\n{more}", catalogue.prefix(), catalogue.next_version());
    catalogue.clone().with_settings(Settings::read(FILE_NAME.as_ref(), &text, &REQUIRED).unwrap())
}

/// An API of one type.
pub fn api<T: Resource>(version: &str) -> Catalogue {
    Catalogue::new(Settings::new("things.example.com", version.parse().unwrap())).resource::<T>()
}

/// Thing, Box, and Shelf, which is only in experimental.
pub fn things_of(version: &str) -> Catalogue {
    api::<good::Thing>(version).resource::<good::Case>().resource::<good::Shelf>()
}

pub fn things() -> Catalogue {
    things_of("v1.2.0")
}

/// The same with another limit of Thing and another description of Box.
pub fn edited_things() -> Catalogue {
    api::<edited::Thing>("v1.2.0").resource::<edited::Case>().resource::<good::Shelf>()
}

/// The same with another limit of Thing only.
pub fn things_with_another_limit() -> Catalogue {
    api::<edited::Thing>("v1.2.0").resource::<good::Case>().resource::<good::Shelf>()
}

/// Thing alone.
pub fn thing_alone() -> Catalogue {
    api::<good::Thing>("v1.2.0")
}

/// The number of the line of a text, after `after`, that contains `part`.
#[track_caller]
pub fn line_of(text: &str, after: &str, part: &str) -> usize {
    let start = text.find(after).unwrap();
    let found = start + text[start..].find(part).unwrap();
    text[..found].matches('\n').count() + 1
}

pub const THING: &str = "things.example.com_things.yaml";
pub const BOX: &str = "things.example.com_boxes.yaml";
pub const SHELF: &str = "things.example.com_shelves.yaml";

/// A workspace without anything in it.
pub struct Place {
    folder: tempfile::TempDir,
}

/// The result of a command.
#[derive(Debug)]
pub struct Ran {
    pub exit: Exit,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("crd-channels-test-").tempdir().unwrap();
        fs::write(folder.path().join("Cargo.toml"), "[workspace]\n").unwrap();
        Self { folder }
    }

    /// A workspace with the files of a catalogue.
    pub fn with(catalogue: &Catalogue) -> Self {
        let place = Self::new();
        let ran = place.run(catalogue, &["generate"]);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
        place
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A file of the unreleased bundle.
    pub fn file(&self, channel: &str, name: &str) -> PathBuf {
        self.path().join("bundles/unreleased").join(channel).join(name)
    }

    pub fn run(&self, catalogue: &Catalogue, arguments: &[&str]) -> Ran {
        run_at(self.path(), catalogue, arguments)
    }

    /// Runs a command that must not change any file.
    #[track_caller]
    pub fn run_unchanged(&self, catalogue: &Catalogue, arguments: &[&str]) -> Ran {
        let before = self.tree();
        let ran = self.run(catalogue, arguments);
        assert_untouched(&before, &self.tree());
        ran
    }

    /// Runs a command line as a shell would split it: words in `'…'` stay together.
    pub fn run_line(&self, catalogue: &Catalogue, line: &str) -> Ran {
        let quoted = line.split('\'').enumerate().map(|(part, text)| match part % 2 {
            0 => text.replace(' ', "\0"),
            _ => text.to_owned(),
        });
        self.run(catalogue, &quoted.collect::<String>().split('\0').collect::<Vec<_>>())
    }

    /// Runs a command with bytes on standard input.
    pub fn run_reading(&self, input: &[u8], catalogue: &Catalogue, arguments: &[&str]) -> Ran {
        run_reading(self.path(), input, catalogue, arguments)
    }

    /// Imports the types of a catalogue as the published bundle of its version, in every channel.
    #[track_caller]
    pub fn publish(&self, catalogue: &Catalogue) {
        let elsewhere = published(catalogue);
        for channel in ["standard", "experimental"] {
            let folder = elsewhere.path().join(channel);
            if !folder.is_dir() {
                continue;
            }
            let folder = folder.to_str().unwrap();
            let arguments =
                ["import", folder, "--version", &catalogue.next_version().to_string(), "--channel", channel];
            let ran = self.run(catalogue, &arguments);
            assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""), "{ran:?}");
        }
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// All files and folders of the workspace.
    pub fn tree(&self) -> Tree {
        tree(self.path())
    }
}

/// The CRDs of a catalogue as a project would publish them: a folder for each channel, with the stamps of a release.
pub fn published(catalogue: &Catalogue) -> tempfile::TempDir {
    let place = Place::new();
    let ran = place.run(catalogue, &["generate", "--out", "crds"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let folder = tempfile::Builder::new().prefix("crd-channels-published-").tempdir().unwrap();
    let version = &*catalogue.next_version().to_string();
    let unreleased = format!("{}-dev", version.split('-').next().unwrap());
    for channel in ["standard", "experimental"] {
        let Ok(entries) = fs::read_dir(place.path().join("crds").join(channel)) else { continue };
        fs::create_dir(folder.path().join(channel)).unwrap();
        for entry in entries {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap().replace(&unreleased, version);
            fs::write(folder.path().join(channel).join(path.file_name().unwrap()), text).unwrap();
        }
    }
    folder
}

/// All CRDs of these channels of a published bundle, in one text.
pub fn install_file(bundle: &Path, channels: &[&str]) -> String {
    let mut texts = Vec::new();
    for channel in channels {
        let entries = fs::read_dir(bundle.join(channel)).unwrap();
        let mut paths = entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
        paths.sort();
        texts.extend(paths.iter().map(|path| fs::read_to_string(path).unwrap()));
    }
    texts.join("---\n")
}

/// Runs a command in a folder.
pub fn run_at(folder: &Path, catalogue: &Catalogue, arguments: &[&str]) -> Ran {
    run_reading(folder, b"", catalogue, arguments)
}

fn run_reading(folder: &Path, mut input: &[u8], catalogue: &Catalogue, arguments: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run_in(catalogue, arguments, &mut Session::new(folder, &mut out, &mut err).input(&mut input));
    let plain = |bytes: Vec<u8>| strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    Ran { exit, out: plain(out), err: one_line_each(&plain(err)) }
}

/// Runs the program without types in a workspace.
pub fn program(place: &Place, arguments: &[&str]) -> Ran {
    program_at(place.path(), arguments)
}

/// Runs the program without types in a folder.
pub fn program_at(folder: &Path, arguments: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run_without_types_in(arguments, &mut Session::new(folder, &mut out, &mut err));
    let plain = |bytes: Vec<u8>| strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    Ran { exit, out: plain(out), err: one_line_each(&plain(err)) }
}

/// A file, folder or symlink: its content, and the metadata that changes when it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub content: String,
    pub inode: u64,
    pub modified: (i64, i64),
    pub mode: u32,
}

pub type Tree = BTreeMap<PathBuf, Entry>;

/// Everything below a folder. The times of folders are left out: temporary files may come and go.
pub fn tree(folder: &Path) -> Tree {
    let mut all = Tree::new();
    collect(folder, folder, &mut all);
    all
}

fn collect(folder: &Path, base: &Path, all: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let (content, modified) = if metadata.is_dir() {
            collect(&path, base, all);
            ("a folder".to_owned(), (0, 0))
        } else if metadata.is_symlink() {
            (format!("→ {}", fs::read_link(&path).unwrap().display()), (metadata.mtime(), metadata.mtime_nsec()))
        } else if metadata.is_file() {
            let bytes = fs::read(&path).unwrap();
            (String::from_utf8_lossy(&bytes).into_owned(), (metadata.mtime(), metadata.mtime_nsec()))
        } else {
            ("something else".to_owned(), (0, 0))
        };
        let entry = Entry { content, inode: metadata.ino(), modified, mode: metadata.mode() };
        all.insert(path.strip_prefix(base).unwrap().to_path_buf(), entry);
    }
}

/// The files below a folder, by path.
pub fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}

/// Both trees are the same, apart from the times of folders.
#[track_caller]
pub fn assert_untouched(before: &Tree, after: &Tree) {
    let names = |tree: &Tree| tree.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(before), names(after), "files were added or removed");
    for (path, entry) in before {
        assert_eq!(Some(entry), after.get(path), "{} was touched", path.display());
    }
}

/// Sets or clears the immutable flag, which stops root too. `false`: not possible here.
pub fn immutable(path: &Path, on: bool) -> bool {
    let sign = if on { "+i" } else { "-i" };
    let done = Command::new("chattr").arg(sign).arg(path).output();
    let done = matches!(done, Ok(output) if output.status.success());
    if !done && on {
        println!("skipped: no right to set the immutable flag here (chattr +i)");
    }
    done
}

/// Waits until a file written now has another time than one written before.
pub fn let_time_pass() {
    std::thread::sleep(std::time::Duration::from_millis(15));
}

/// Diagnostics with one line each: `error: LOCATION: TYPE (CHANNEL): MESSAGE [RULE]. HELP`. Tests of commands compare words; the layout has
/// its own tests in `crd-diagnostics`.
pub fn one_line_each(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        if let Some(block) = &mut open {
            if let Some(location) = line.strip_prefix("  --> ") {
                block.location = location.to_owned();
                continue;
            } else if let Some(about) = line.strip_prefix("   = in: ") {
                block.about = about.replace('`', "");
                continue;
            } else if let Some(also) = line.strip_prefix("   = also: ") {
                block.also += also.strip_suffix(" more").map_or(1, |more| more.parse().unwrap());
                continue;
            } else if let Some(help) = line.strip_prefix("   = help: ") {
                block.help = help.to_owned();
                continue;
            } else if let Some(copied) = line.strip_prefix("       ") {
                block.help.push_str(&format!(" {copied}"));
                continue;
            }
            lines.extend(open.take().map(Block::line));
        }
        let begin = ["error[", "warning["].into_iter().find_map(|begin| Some((begin, line.strip_prefix(begin)?)));
        match begin.and_then(|(begin, rest)| Some((begin, rest.split_once("]: ")?))) {
            Some((begin, (code, message))) => {
                open = Some(Block {
                    severity: begin.trim_end_matches('[').to_owned(),
                    code: code.to_owned(),
                    message: message.to_owned(),
                    ..Block::default()
                });
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines.extend(open.map(Block::line));
    lines.into_iter().map(|line| line + "\n").collect()
}

#[derive(Default)]
struct Block {
    severity: String,
    code: String,
    message: String,
    location: String,
    about: String,
    also: usize,
    help: String,
}

impl Block {
    fn line(self) -> String {
        let mut line = format!("{}: ", self.severity);
        let file = self.location.split(':').next().unwrap_or_default();
        let name = file.rsplit('/').next().unwrap_or_default();
        let message = self.message.strip_prefix(&format!("`{name}` ")).unwrap_or(&self.message);
        if !self.location.is_empty() {
            line.push_str(&format!("{}: ", self.location));
        }
        match self.about.split_once(", channel ") {
            Some((about, channel)) => line.push_str(&format!("{about} ({channel}): ")),
            None if !self.about.is_empty() => line.push_str(&format!("{}: ", self.about)),
            None => {}
        }
        line.push_str(message);
        if !self.about.is_empty() && !self.code.contains("::") {
            line.push_str(&format!(" [{}]", self.code));
        }
        if self.also > 0 {
            line.push_str(&format!(", and {} more", self.also));
        }
        if !self.help.is_empty() {
            line.push_str(&format!(". {}", self.help));
        }
        line
    }
}
