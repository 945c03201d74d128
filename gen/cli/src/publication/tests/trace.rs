//! The system calls of a process in their order, from the log of strace.

use super::*;

/// The process looks for this path when its task begins.
pub(super) const BEGIN: &str = "/crd-publication-begins-here";

/// The system calls that change something, on all architectures.
const CHANGING: &str = "open,openat,creat,mkdir,mkdirat,write,pwrite64,writev,chmod,fchmod,fchmodat,fchmodat2,fsync,fdatasync,rename,renameat,\
                        renameat2,unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat,ftruncate,truncate,fallocate,utimensat,copy_file_range,sendfile";

/// The system calls that look for a path.
const LOOKING: &str = "?stat,?newfstatat,?statx";

/// The same as an argument of strace; `?` skips names that an architecture does not have.
pub(super) fn changing() -> String {
    CHANGING.split(',').map(|name| format!("?{name}")).collect::<Vec<_>>().join(",")
}

/// A system call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) name: String,
    /// Its number among the calls of that name in its thread, from 1.
    pub(super) ordinal: usize,
    /// The line of the log.
    pub(super) line: String,
    /// Whether it is of the thread that does the task; other threads sync files for it.
    is_of_worker: bool,
}

impl Call {
    /// Whether it can change something.
    pub(super) fn is_changing(&self) -> bool {
        !self.name.starts_with("open") || self.line.contains("O_CREAT") || self.line.contains("O_TRUNC")
    }
}

pub(super) fn has_strace() -> bool {
    has("strace", &["-o", "/dev/null", "true"])
}

/// Runs a task and returns its changing calls. `more` are further arguments for strace.
pub(super) fn changing_calls(task: &str, root: &Path, more: &[&str]) -> Vec<Call> {
    calls(task, root, &changing(), more).into_iter().filter(Call::is_changing).collect()
}

/// Runs a task and returns the calls of the thread that does it.
pub(super) fn calls(task: &str, root: &Path, kinds: &str, more: &[&str]) -> Vec<Call> {
    all_calls(task, root, kinds, more).into_iter().filter(|call| call.is_of_worker).collect()
}

/// Runs a task and returns the calls of all threads.
pub(super) fn all_calls(task: &str, root: &Path, kinds: &str, more: &[&str]) -> Vec<Call> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let kinds = format!("trace={kinds},{LOOKING}");
    let before = [&["strace", "-f", "-s", "0", "-o", log.path().to_str().unwrap(), "-e", &kinds], more].concat();
    let ended = run(&before, task, root);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let log = fs::read_to_string(log.path()).unwrap();
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut worker = None;
    let mut calls = Vec::new();
    for line in log.lines() {
        let (thread, call) = line.trim_start().split_once(char::is_whitespace).unwrap();
        let call = call.trim_start();
        if call.starts_with(['<', '+', '-']) {
            continue;
        }
        let name = call.split('(').next().unwrap();
        if name.contains("stat") && !call.contains(BEGIN) {
            continue;
        }
        let ordinal = counts.entry((thread.to_owned(), name.to_owned())).or_default();
        *ordinal += 1;
        if call.contains(BEGIN) {
            worker = Some(thread.to_owned());
        } else if let Some(worker) = &worker {
            let is_of_worker = worker == thread;
            calls.push(Call { name: name.to_owned(), ordinal: *ordinal, line: call.to_owned(), is_of_worker });
        }
    }
    let worker = worker.unwrap();
    for ((thread, name), count) in &counts {
        assert!(*thread == worker || *count < PADDING, "the harness makes {count} calls of {name}");
    }
    calls
}
