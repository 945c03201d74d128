//! A testbed in the hands of whoever asked for it.
//!
//! Fed with [`Options`]. Read by tests and by the subcommands.
//!
//! Invariants: building happens here, in the caller, where its progress can be shown; everything else belongs to the keeper. A dropped
//! testbed has ended when `drop` returns.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::command::progress::ProgressLine;
use crate::failure::Failure;
use crate::folders::Folders;
use crate::keeper::{Answer, Ready, Request};
use crate::minor::{DEFAULT_MINOR, Minor};
use crate::programs;

/// Which testbed, and how it is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// This package's program. A test finds it as `env!("CARGO_BIN_EXE_crd-testbed")`.
    pub program: PathBuf,
    /// The minor of Kubernetes, as `1.36`.
    pub minor: String,
    /// The port of the API server; a free one if this is none.
    pub port: Option<u16>,
}

impl Options {
    /// What the environment asks for: the minor that `CRD_TESTBED_KUBERNETES` names, or the default.
    pub fn of_environment(program: &Path) -> Self {
        let minor = std::env::var(KUBERNETES_VARIABLE).ok().filter(|minor| !minor.is_empty());
        Self { program: program.to_owned(), minor: minor.unwrap_or_else(|| DEFAULT_MINOR.to_owned()), port: None }
    }
}

/// Names the minor that tests run on.
pub(crate) const KUBERNETES_VARIABLE: &str = "CRD_TESTBED_KUBERNETES";

/// Set to `require` where a testbed must be had.
pub(crate) const REQUIRE_VARIABLE: &str = "CRD_TESTBED";

/// True if tests must fail where there can be no testbed (`CRD_TESTBED=require`); otherwise they say that they were skipped.
pub fn required() -> bool {
    std::env::var_os(REQUIRE_VARIABLE).is_some_and(|value| value == "require")
}

/// Helm, for whoever tries charts; built if it is not cached. Progress is shown on stderr.
///
/// # Errors
///
/// Without Go (if it has to be built), or after a failed build.
pub fn helm() -> Result<PathBuf, Failure> {
    let mut progress = ProgressLine::on_stderr();
    programs::helm(&Folders::of_checkout(), &mut |step| progress.show(&step))
}

/// A running API server. Ends when this is dropped, or when the process does.
#[derive(Debug)]
pub struct Testbed {
    minor: &'static Minor,
    ready: Ready,
    keeper: Keeper,
}

/// The keeper's process, and the pipes to it.
#[derive(Debug)]
struct Keeper {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

/// What was found where a minor is named.
pub(crate) fn minor_named(name: &str) -> Result<&'static Minor, Failure> {
    Minor::named(name).ok_or_else(|| {
        let known = crate::MINORS.iter().map(|minor| minor.name).collect::<Vec<_>>().join(", ");
        Failure::Other(format!("there is no Go module for Kubernetes {name:?}; there are some for {known}"))
    })
}

impl Testbed {
    /// Builds what is not cached, starts the servers, and waits until they are ready. Progress is shown on stderr.
    ///
    /// # Errors
    ///
    /// Without Go (if something has to be built), after a failed build, if the port is taken, or if a server does not start.
    pub fn start(options: &Options) -> Result<Testbed, Failure> {
        // Tests start testbeds from several threads of one process.
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let name = format!("of-{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        let minor = minor_named(&options.minor)?;
        let mut progress = ProgressLine::on_stderr();
        programs::programs(minor, &Folders::of_checkout(), &mut |step| progress.show(&step))?;
        drop(progress);
        let request = Request { minor, name, port: options.port, detached: false };
        let (keeper, ready) = start_keeper(&options.program, &request)?;
        Ok(Testbed { minor, ready, keeper })
    }

    /// The minor that runs.
    pub fn minor(&self) -> &'static Minor {
        self.minor
    }

    /// Where the API server listens, as `https://127.0.0.1:PORT`.
    pub fn address(&self) -> &str {
        &self.ready.address
    }

    /// The kubeconfig of a user who may do everything.
    pub fn kubeconfig(&self) -> &Path {
        &self.ready.kubeconfig
    }

    /// What a program needs in its environment to talk to this testbed and to no other: `KUBECONFIG`, and a folder of its own for what
    /// kubectl and Helm remember of a server.
    pub fn environment(&self) -> [(&'static str, PathBuf); 2] {
        self.ready.environment()
    }

    /// The `kubectl` of the same release.
    pub fn kubectl(&self) -> &Path {
        &self.ready.kubectl
    }

    /// Where etcd listens, as `https://127.0.0.1:PORT`, for whoever shows the certificate `etcd-client` of [`Testbed::folder`].
    pub fn etcd(&self) -> &str {
        &self.ready.etcd
    }

    /// The folder of this testbed: logs, certificates and keys. Gone when it ends.
    pub fn folder(&self) -> &Path {
        &self.ready.folder
    }

    /// The id of the process that everything here belongs to.
    pub fn keeper(&self) -> u32 {
        self.ready.process
    }

    /// Ends the testbed.
    ///
    /// # Errors
    ///
    /// If a server had ended by itself before; the failure says which, and shows its log.
    pub fn stop(mut self) -> Result<(), Failure> {
        self.keeper.end()
    }
}

impl Keeper {
    /// Closes the pipe, waits until everything has ended, and says whether something had ended before.
    fn end(&mut self) -> Result<(), Failure> {
        drop(self.stdin.take());
        // All that it still says; its end closes the pipe. A keeper needs a moment only: it kills and waits.
        let mut rest = String::new();
        let _ = self.stdout.read_to_string(&mut rest);
        self.wait();
        match rest.lines().find_map(Answer::from_line) {
            Some(Answer::Failed(text)) => Err(Failure::Other(text)),
            _ => Ok(()),
        }
    }

    fn wait(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                _ => return,
            }
        }
        // What it started ends with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Starts a keeper and waits for its answer. A detached one is left alone after that.
fn start_keeper(program: &Path, request: &Request) -> Result<(Keeper, Ready), Failure> {
    let mut command = Command::new(program);
    command.arg("keep").args(["--kubernetes", request.minor.name, "--name", &request.name]);
    if let Some(port) = request.port {
        command.args(["--port", &port.to_string()]);
    }
    if request.detached {
        // It leaves the session of its caller by itself.
        command.arg("--detached").stdin(Stdio::null());
    } else {
        command.stdin(Stdio::piped());
        // Out of the caller's process group: an interrupt from the keyboard is for the caller, whose end closes the pipe.
        command.process_group(0);
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(if request.detached { Stdio::null() } else { Stdio::inherit() })
        .spawn()
        .map_err(|error| {
            Failure::Other(format!("the keeper of a testbed ({}) cannot be run: {error}", program.display()))
        })?;
    let stdin = child.stdin.take();
    let Some(stdout) = child.stdout.take() else {
        return Err(Failure::Other("the keeper of a testbed has no output".to_owned()));
    };
    let mut keeper = Keeper { child, stdin, stdout: BufReader::new(stdout) };
    let mut line = String::new();
    let _ = keeper.stdout.read_line(&mut line);
    match Answer::from_line(&line) {
        Some(Answer::Ready(ready)) => Ok((keeper, ready)),
        Some(Answer::Failed(text)) => Err(Failure::Other(text)),
        None => Err(Failure::Other("the keeper of a testbed ended without a word".to_owned())),
    }
}

/// Starts a testbed that stays when this process ends, until somebody ends its keeper.
pub(crate) fn start_detached(program: &Path, request: &Request) -> Result<Ready, Failure> {
    let (keeper, ready) = start_keeper(program, request)?;
    // Not waited for: it is nobody's child when this process has ended.
    std::mem::forget(keeper);
    Ok(ready)
}
