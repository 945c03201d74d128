//! The supervisor: the process that owns the servers of one testbed. It starts them, reports when they are ready, and ends them.
//!
//! Its caller starts it with a pipe as standard input. It prints one line of JSON on standard output ([`Answer`]), and a second line if a
//! server ends by itself.
//!
//! Invariants:
//! * It ends its servers and removes its files when the pipe closes (its caller ended, in any way), when it receives SIGTERM, or when a
//!   server ends. When it is killed, the operating system ends the servers ([`crate::servers`]).
//! * It owns the lock of its testbed's name while it runs. If a lock is free, the testbed's files can be removed.
//! * After a failure only the logs remain, and only those of the last few failures.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::certificates::issue;
use crate::failure::Failure;
use crate::folders::Folders;
use crate::lock::Lock;
use crate::minor::Minor;
use crate::programs;
use crate::ready::Ready;
use crate::servers::{Ports, Stop, Stopped, is_used, start};

/// The number of attempts to start, because another process may take a port between its choice and its use.
const ATTEMPTS: usize = 5;

/// The number of failed testbeds whose logs are kept.
const FAILURES_KEPT: usize = 5;

/// The file with the reason, in the folder of a failed testbed.
pub(crate) const FAILURE_FILE: &str = "failure.txt";

/// The file that describes a running testbed to other processes.
pub(crate) const STATE_FILE: &str = "state.json";

/// The testbed that a supervisor starts.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) minor: &'static Minor,
    /// The testbed's name, also of its folder and its lock.
    pub(crate) name: String,
    /// The port of the API server; `None` for a free one.
    pub(crate) port: Option<u16>,
    /// Whether kube-controller-manager runs.
    pub(crate) controllers: bool,
    /// Whether it remains after its caller ends, until it receives SIGTERM.
    pub(crate) detached: bool,
}

/// What a supervisor prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Ready(Ready),
    Failed(String),
}

impl Answer {
    pub(crate) fn to_line(&self) -> String {
        match self {
            Answer::Ready(ready) => format!("{}\n", json!({ "ready": ready.to_json() })),
            Answer::Failed(text) => format!("{}\n", json!({ "failed": text })),
        }
    }

    pub(crate) fn from_line(line: &str) -> Option<Self> {
        let value = serde_json::from_str::<Value>(line).ok()?;
        match (value.get("ready"), value.get("failed")) {
            (Some(ready), None) => Ready::from_json(ready).map(Answer::Ready),
            (None, Some(text)) => text.as_str().map(|text| Answer::Failed(text.to_owned())),
            _ => None,
        }
    }
}

/// The lock of a testbed's name.
pub(crate) fn lock_path(folders: &Folders, name: &str) -> PathBuf {
    folders.running().join(format!("{name}.lock"))
}

/// Runs the supervisor's process from its start to its end.
pub(crate) fn supervise(request: &Request) -> ExitCode {
    let print = |answer: &Answer| {
        // If the caller has ended, the pipe is closed and the answer is not needed.
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(answer.to_line().as_bytes()).and_then(|()| stdout.flush());
    };
    let failed = |failure: &Failure| {
        print(&Answer::Failed(failure.to_string()));
        ExitCode::FAILURE
    };
    let stop = match listen(request.detached) {
        Ok(stop) => stop,
        Err(failure) => return failed(&failure),
    };
    let folders = Folders::of_checkout();
    let lock = match Lock::try_take(&lock_path(&folders, &request.name)) {
        Ok(Some(lock)) => lock,
        Ok(None) => {
            return failed(&Failure::Other(format!("testbed {:?} is already running", request.name)));
        }
        Err(failure) => return failed(&failure),
    };
    remove_leftovers(&folders, &request.name);
    let folder = folders.running().join(&request.name);
    let end = serve(request, &folders, &folder, &stop, &print);
    let code = match end {
        Err(Stopped::Failure(failure)) => {
            leave_logs(&folder, &failure.to_string());
            failed(&failure)
        }
        // The ports were free a moment ago, so this is unlikely.
        Err(Stopped::Port) => {
            let failure = Failure::Other(format!("no free port on 127.0.0.1 after {ATTEMPTS} attempts"));
            leave_logs(&folder, &failure.to_string());
            failed(&failure)
        }
        Ok(()) | Err(Stopped::OnRequest) => {
            let _ = fs::remove_dir_all(&folder);
            ExitCode::SUCCESS
        }
    };
    lock.remove();
    code
}

/// Waits in threads for the events that end a supervisor: signals, and the end of the pipe to the caller.
fn listen(detached: bool) -> Result<Receiver<Stop>, Failure> {
    let (sender, stop) = channel();
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])
        .map_err(|error| Failure::Other(format!("cannot handle signals: {error}")))?;
    let of_signals = sender.clone();
    std::thread::spawn(move || {
        for _ in signals.forever() {
            let _ = of_signals.send(Stop);
        }
    });
    if detached {
        // Leave the caller's session, so that its terminal can close.
        let _ = rustix::process::setsid();
        // Keep the channel open even if the thread above ends.
        std::mem::forget(sender);
    } else {
        std::thread::spawn(move || {
            // The caller never writes to the pipe. It closes when all processes that have its other end are gone.
            let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
            let _ = sender.send(Stop);
        });
    }
    Ok(stop)
}

/// Removes the files of killed supervisors, and the logs of old failures.
fn remove_leftovers(folders: &Folders, own: &str) {
    let mut failed = Vec::new();
    for entry in fs::read_dir(folders.running()).into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if !path.is_dir() || name == own {
            continue;
        }
        let Ok(Some(lock)) = Lock::try_take(&lock_path(folders, name)) else { continue };
        match fs::metadata(path.join(FAILURE_FILE)).and_then(|metadata| metadata.modified()) {
            Ok(time) => failed.push((time, path)),
            Err(_) => drop(fs::remove_dir_all(&path)),
        }
        lock.remove();
    }
    failed.sort();
    for (_, path) in failed.iter().rev().skip(FAILURES_KEPT) {
        let _ = fs::remove_dir_all(path);
    }
}

/// Removes keys and data, keeps the logs, and writes the reason of the failure.
fn leave_logs(folder: &Path, reason: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            let _ = fs::remove_dir_all(&path);
        } else if path.extension().is_none_or(|extension| extension != "log") {
            let _ = fs::remove_file(&path);
        }
    }
    let _ = fs::write(folder.join(FAILURE_FILE), format!("{reason}\n"));
}

/// Starts the servers, reports that they are ready, and waits for their end.
fn serve(
    request: &Request,
    folders: &Folders,
    folder: &Path,
    stop: &Receiver<Stop>,
    print: &dyn Fn(&Answer),
) -> Result<(), Stopped> {
    let missing = || Failure::Other(format!("the programs of Kubernetes {} are not in the cache", request.minor.name));
    let programs = programs::cached(request.minor, request.controllers, folders)?.ok_or_else(missing)?;
    // A folder of a failed or killed testbed. This process owns its lock now.
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(Failure::file("remove", folder))?;
    }
    fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
    let folder = folder.canonicalize().map_err(Failure::file("find", folder))?;
    let certificates = issue(&folder)?;
    let mut attempts = 0;
    let (mut servers, ready) = loop {
        attempts += 1;
        let ports = Ports::choose(request.port)?;
        let ready = Ready {
            name: request.name.clone(),
            minor: request.minor.name.to_owned(),
            address: format!("https://127.0.0.1:{}", ports.api_server),
            kubeconfig: folder.join("kubeconfig"),
            kubectl: programs.kubectl.clone(),
            etcd: format!("https://127.0.0.1:{}", ports.etcd),
            folder: folder.clone(),
            controllers: request.controllers,
            process: std::process::id(),
        };
        match start(&programs, &certificates, &ports, &ready, stop) {
            Err(Stopped::Port) if request.port.is_some_and(is_used) => {
                return Err(Failure::PortTaken { port: ports.api_server }.into());
            }
            Err(Stopped::Port) if attempts < ATTEMPTS => {}
            servers => break (servers?, ready),
        }
    };
    let state = folder.join(STATE_FILE);
    fs::write(&state, format!("{:#}\n", ready.to_json())).map_err(Failure::file("write", &state))?;
    print(&Answer::Ready(ready));
    loop {
        match stop.recv_timeout(Duration::from_millis(100)) {
            Ok(Stop) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => servers.check("ended by itself")?,
        }
    }
}
