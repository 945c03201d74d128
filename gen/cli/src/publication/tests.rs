//! Tests of the commit rule: processes publish small trees, are killed, get errors from the system, and run at the same time. This test program
//! runs itself again for that ([`child`]).

mod contest;
mod disks;
mod failing;
mod killed;
mod rules;
mod trace;

use std::fmt::Write as _;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use crd_generator::session::Session;

use super::*;

/// The environment of a child process: its task, and the folder to publish in.
const TASK: &str = "CRD_PUBLICATION_TASK";
const ROOT: &str = "CRD_PUBLICATION_ROOT";

/// The number of harmless calls before the ones that count. strace counts calls for each thread, and the thread of the test harness makes some
/// too.
const PADDING: usize = 64;

type Files = BTreeMap<String, Vec<u8>>;

/// The bundle of two CRDs.
fn bundle() -> Files {
    let mut files = Files::new();
    for channel in ["standard", "experimental"] {
        for name in ["example.com_boxes.yaml", "example.com_things.yaml", "kustomization.yaml"] {
            files.insert(format!("{channel}/{name}"), format!("{channel} {name}\n").repeat(300).into_bytes());
        }
    }
    files.insert("bundle.yaml".to_owned(), b"format: 1\n".to_vec());
    files
}

/// The files of `dist`. `age` is part of every line, so that files of different ages differ.
fn dist(age: &str) -> Files {
    let mut files = Files::new();
    for name in [format!("{age}.tgz"), "release-notes.md".to_owned(), "standard-install.yaml".to_owned()] {
        let bytes = format!("{age} {name}\n").repeat(300).into_bytes();
        files.insert(name, bytes);
    }
    let digest = "0".repeat(64);
    let mut sums = String::new();
    for name in files.keys() {
        writeln!(sums, "{digest}  {name}").unwrap();
    }
    files.insert(SUMS.to_owned(), sums.into_bytes());
    files
}

fn publication(root: &Path, with_bundle: bool) -> Publication<'_> {
    Publication {
        root,
        bundle: with_bundle.then(|| Tree { target: root.join("bundles/v1.0.0"), files: bundle() }),
        dist: Tree { target: root.join("dist"), files: dist("new") },
    }
}

/// Publishes in this process. Returns errors as they are printed.
fn publish(publication: &Publication<'_>) -> Result<Option<String>, Vec<String>> {
    let shown = |fault: &Diagnostic| {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        Session::new(publication.root, &mut out, &mut err).in_one_line(fault)
    };
    let published = hold(publication.root).map_err(|fault| vec![fault]).and_then(|lock| publication.publish(&lock));
    match published {
        Ok(published) => Ok(published.left.as_ref().map(shown)),
        Err(faults) => Err(faults.iter().map(shown).collect()),
    }
}

/// A folder to publish in.
struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    fn new() -> Self {
        Self { folder: tempfile::Builder::new().prefix("crd-publication-").tempdir().unwrap() }
    }

    /// With the `dist` of an earlier release.
    fn with_old_dist() -> Self {
        let workspace = Self::new();
        put(&workspace.root().join("dist"), &dist("old"));
        workspace
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The states of the two trees: `(dist, bundle)`.
    fn states(&self) -> (String, String) {
        states(self.root())
    }
}

/// Writes a tree without the code under test.
fn put(folder: &Path, files: &Files) {
    for (path, bytes) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// `old`, `new`, `absent`, or `torn` with details.
fn states(root: &Path) -> (String, String) {
    let state = |target: &str, known: &[(&str, Files)]| {
        let target = root.join(target);
        if fs::symlink_metadata(&target).is_err() {
            return "absent".to_owned();
        }
        let found = read(&target);
        match known.iter().find(|(_, files)| *files == found) {
            Some((name, _)) => (*name).to_owned(),
            None => format!("torn: {:?}", found.iter().map(|(path, bytes)| (path, bytes.len())).collect::<Vec<_>>()),
        }
    };
    (state("dist", &[("old", dist("old")), ("new", dist("new"))]), state("bundles/v1.0.0", &[("new", bundle())]))
}

/// All files below a folder.
fn read(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let path = entry.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.insert(path, fs::read(entry.path()).unwrap_or_default());
            }
        }
    }
    files
}

/// The sorted names in a folder; empty if it does not exist.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).map(|entries| entries.map(|entry| entry.unwrap()).collect::<Vec<_>>());
    let mut names = entries
        .unwrap_or_default()
        .iter()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect::<Vec<_>>();
    names.sort();
    names
}

/// Everything below a folder, to compare before and after.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, (u64, u32, i64, i64, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let (mut bytes, mut time) = (Vec::new(), (metadata.mtime(), metadata.mtime_nsec()));
            if metadata.is_dir() {
                folders.push(path.clone());
                // Staged folders come and go next to the targets.
                time = (0, 0);
            } else if metadata.is_symlink() {
                bytes = fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes();
            } else if metadata.is_file() {
                bytes = fs::read(&path).unwrap_or_default();
            }
            all.insert(path, (metadata.ino(), metadata.mode(), time.0, time.1, bytes));
        }
    }
    all
}

/// A process that does a task. `before` is the command that runs it (`strace …`, `sh -c …`).
fn process(before: &[&str], task: &str, root: &Path) -> Command {
    let program = std::env::current_exe().unwrap();
    let arguments = ["publication::tests::child", "--exact", "--nocapture", "--test-threads=1"];
    let mut command = match before {
        [] => Command::new(program),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
    };
    // Cargo's library path would make the loader look for each library there.
    command.args(arguments).env(TASK, task).env(ROOT, root).env_remove("LD_LIBRARY_PATH");
    command
}

/// The result of a process.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    err: String,
}

fn run(before: &[&str], task: &str, root: &Path) -> Ended {
    let output = process(before, task, root).output().unwrap();
    Ended { code: output.status.code(), err: String::from_utf8_lossy(&output.stderr).into_owned() }
}

/// Does the task of the environment and ends the process. Does nothing without a task.
#[test]
fn child() {
    let (Ok(task), Some(root)) = (std::env::var(TASK), std::env::var_os(ROOT)) else { return };
    let root = Path::new(&root);
    for _ in 0..PADDING {
        let mut null = File::options().write(true).create(true).truncate(false).open("/dev/null").unwrap();
        io::Write::write_all(&mut null, b"x").unwrap();
    }
    fs::metadata(trace::BEGIN).unwrap_err();
    let result = match task.as_str() {
        "release" => publish(&publication(root, true)),
        "dist" => publish(&publication(root, false)),
        "careless" => {
            // Wrong on purpose: the tests must notice it.
            let publication = publication(root, true);
            put(&publication.dist.target, &publication.dist.files);
            put(&publication.bundle.as_ref().unwrap().target, &publication.bundle.as_ref().unwrap().files);
            Ok(None)
        }
        "orphan" => {
            let lock = hold(root).unwrap();
            // The locked file is its standard input. It reads the input of this process, and ends with that.
            let input = std::io::stdin().as_fd().try_clone_to_owned().unwrap();
            let _outlives = lock.outlive(Command::new("sh").args(["-c", "read -r _ <&1"]).stdout(input));
            // The lock is not released.
            std::process::exit(9);
        }
        other => panic!("no task: {other}"),
    };
    let code = match result {
        Ok(left) => {
            left.iter().for_each(|note| eprintln!("note: {note}"));
            0
        }
        Err(faults) => {
            faults.iter().for_each(|fault| eprintln!("error: {fault}"));
            2
        }
    };
    std::process::exit(code);
}

/// Whether a tool is installed. With `CRD_RELEASE_TOOLS=require`, a missing tool fails the test.
fn has(tool: &str, arguments: &[&str]) -> bool {
    let is_here = Command::new(tool).args(arguments).output().is_ok_and(|output| output.status.success());
    if !is_here {
        let is_required = std::env::var("CRD_RELEASE_TOOLS").is_ok_and(|value| value == "require");
        assert!(!is_required, "{tool} is required, and `{tool} {}` fails", arguments.join(" "));
        println!("skipped: `{tool} {}` fails", arguments.join(" "));
    }
    is_here
}
