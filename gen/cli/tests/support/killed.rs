//! This test program as a process that runs a command, and is killed: before a system call that changes something, or at some moment.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use super::things;

const ROOT: &str = "CRD_KILLED_ROOT";
/// The arguments, one in each line.
const ARGUMENTS: &str = "CRD_KILLED_ARGUMENTS";

/// The process looks for this path when the command begins.
const BEGIN: &str = "/crd-command-begins-here";

/// The number of harmless calls before the ones that count. strace counts calls for each thread, and the thread of the test harness makes some
/// too.
const PADDING: usize = 64;

/// The calls that change something.
pub const CHANGING: &str = "trace=?open,?openat,?creat,?mkdir,?mkdirat,?write,?pwrite64,?writev,?chmod,?fchmod,?fchmodat,?fchmodat2,?fsync,?fdatasync,\
                        ?rename,?renameat,?renameat2,?unlink,?unlinkat,?rmdir,?link,?linkat,?symlink,?symlinkat,?ftruncate,?truncate";

/// The command in the child process. Does nothing without the environment of the test.
#[test]
fn child() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    for _ in 0..PADDING {
        let mut null = File::options().write(true).create(true).truncate(false).open("/dev/null").unwrap();
        null.write_all(b"x").unwrap();
    }
    fs::metadata(BEGIN).unwrap_err();
    let arguments = std::env::var(ARGUMENTS).unwrap();
    let ran = super::run_at(Path::new(&root), &things(), &arguments.lines().collect::<Vec<_>>());
    print!("{}", ran.out);
    eprint!("{}", ran.err);
    std::process::exit(i32::from(ran.exit.code()));
}

/// A process that runs the command, run by `before`. Without git on its path, it has no child process that could be killed.
pub fn process(before: &[&str], root: &Path, arguments: &[&str]) -> Command {
    let program = std::env::current_exe().unwrap();
    let mut command = match before {
        [] => Command::new(&program),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).args(["-E", "PATH=/nowhere"]).arg(&program);
            command
        }
    };
    // Cargo's library path would make the loader look for each library there.
    command
        .args(["support::killed::child", "--exact", "--nocapture", "--test-threads=1"])
        .env(ROOT, root)
        .env(ARGUMENTS, arguments.join("\n"))
        .env_remove("LD_LIBRARY_PATH");
    command
}

/// Whether strace runs, which a test then uses.
pub fn has_strace() -> bool {
    let output = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    let is_here = output.is_ok_and(|output| output.status.success());
    if !is_here {
        let is_required = std::env::var("CRD_RELEASE_TOOLS").is_ok_and(|value| value == "require");
        assert!(!is_required, "strace is required, and does not run");
        println!("skipped: strace does not run here");
    }
    is_here
}

/// Runs the command, and kills it before this call.
pub fn killed_at((name, ordinal, line): &(String, usize, String), root: &Path, arguments: &[&str]) {
    let inject = format!("inject={name}:signal=SIGKILL:when={ordinal}");
    let before = ["strace", "-f", "-o", "/dev/null", "-e", CHANGING, "-e", &inject];
    let output = process(&before, root, arguments).output().unwrap();
    assert_eq!(output.status.signal(), Some(9), "{line}: {output:?}");
}

/// The calls of a command that change something: name, number among the calls of that name, and line.
pub fn calls(root: &Path, arguments: &[&str]) -> Vec<(String, usize, String)> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let looking = format!("{CHANGING},?stat,?newfstatat,?statx");
    let before = ["strace", "-f", "-s", "0", "-o", log.path().to_str().unwrap(), "-e", &looking];
    let output = process(&before, root, arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let (mut counts, mut worker, mut calls) = (BTreeMap::<(String, String), usize>::new(), None, Vec::new());
    for line in fs::read_to_string(log.path()).unwrap().lines() {
        let (thread, call) = line.trim_start().split_once(char::is_whitespace).unwrap();
        let call = call.trim_start();
        let name = call.split('(').next().unwrap();
        if call.starts_with(['<', '+', '-']) || name.contains("stat") && !call.contains(BEGIN) {
            continue;
        }
        let ordinal = counts.entry((thread.to_owned(), name.to_owned())).or_default();
        *ordinal += 1;
        let is_changing = !name.starts_with("open") || call.contains("O_CREAT");
        if call.contains(BEGIN) {
            worker = Some(thread.to_owned());
        } else if worker.as_deref() == Some(thread) && is_changing {
            calls.push((name.to_owned(), *ordinal, call.to_owned()));
        }
    }
    let harness = counts.iter().filter(|((thread, _), _)| worker.as_deref() != Some(thread));
    assert!(harness.map(|(_, count)| *count).max().unwrap_or_default() < PADDING, "{counts:?}");
    calls
}

/// Does the work for each item, on two threads.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (Mutex::new(items.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let item = next.lock().unwrap().next();
                    let Some(item) = item else { break };
                    let result = work(item);
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    results.into_inner().unwrap()
}
