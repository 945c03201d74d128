//! Tests of the commit rule.
//!
//! Fed with small trees, and with processes that are killed, refused things and set against each other while they publish them: this test
//! binary runs itself again for that ([`child`]). Read by nobody.

mod contest;
mod disks;
mod failing;
mod killed;
mod rules;
mod trace;

use std::fmt::Write as _;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use super::*;
use crate::session::Session;

/// What a process is to do, and where.
const TASK: &str = "CRD_PUBLICATION_TASK";
const ROOT: &str = "CRD_PUBLICATION_ROOT";

/// So many harmless calls come before those that count: the thread that runs a test harness makes some too, and calls are counted for each
/// thread alone.
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

/// What is published with it. `age` is in every byte, so that no file of one age can pass for one of another.
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

/// Publishes in this process; faults as they are printed.
fn publish(publication: &Publication<'_>) -> Result<Option<String>, Vec<String>> {
    let shown = |fault: &Fault| {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        fault.text(&Session::new(publication.root, &mut out, &mut err))
    };
    let published = hold(publication.root).map_err(|fault| vec![fault]).and_then(|lock| publication.publish(&lock));
    match published {
        Ok(published) => Ok(published.left.as_ref().map(shown)),
        Err(faults) => Err(faults.iter().map(shown).collect()),
    }
}

/// A folder to publish in.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::Builder::new().prefix("crd-publication-").tempdir().unwrap() }
    }

    /// With what an earlier release published.
    fn with_old_dist() -> Self {
        let place = Self::new();
        put(&place.root().join("dist"), &dist("old"));
        place
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    /// What the two trees are: `(dist, bundle)`.
    fn states(&self) -> (String, String) {
        states(self.root())
    }
}

/// A tree as somebody else's program would write it.
fn put(folder: &Path, files: &Files) {
    for (path, bytes) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// `old`, `new`, `absent`, or what is wrong.
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

/// What lies in a folder, by name; nothing if it is not there.
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

/// Everything below a folder, so that it can be seen that nothing was touched.
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
                // What is staged comes and goes beside the targets.
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

/// A process that does a task; what stands before it runs it (`strace …`, `sh -c …`).
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
    // Cargo's path of libraries would make the loader ask for each of them.
    command.args(arguments).env(TASK, task).env(ROOT, root).env_remove("LD_LIBRARY_PATH");
    command
}

/// What a process came to.
#[derive(Debug)]
struct Came {
    code: Option<i32>,
    err: String,
}

fn run(before: &[&str], task: &str, root: &Path) -> Came {
    let output = process(before, task, root).output().unwrap();
    Came { code: output.status.code(), err: String::from_utf8_lossy(&output.stderr).into_owned() }
}

/// Does what the environment says, and ends the process; nothing otherwise.
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
            // What nobody should do, so that it is seen that it would be noticed.
            let publication = publication(root, true);
            put(&publication.dist.target, &publication.dist.files);
            put(&publication.bundle.as_ref().unwrap().target, &publication.bundle.as_ref().unwrap().files);
            Ok(None)
        }
        "orphan" => {
            let lock = hold(root).unwrap();
            let seconds = std::env::var("CRD_PUBLICATION_SECONDS").unwrap();
            let _outlives = lock.outlive(Command::new("sleep").arg(seconds));
            // Without an end of the lock.
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

/// Whether a tool is here. If it must be, its absence is a failure.
fn has(tool: &str, arguments: &[&str]) -> bool {
    let is_here = Command::new(tool).args(arguments).output().is_ok_and(|output| output.status.success());
    if !is_here {
        let is_required = std::env::var("CRD_RELEASE_TOOLS").is_ok_and(|value| value == "require");
        assert!(!is_required, "{tool} is required, and `{tool} {}` fails", arguments.join(" "));
        println!("skipped: `{tool} {}` fails", arguments.join(" "));
    }
    is_here
}
