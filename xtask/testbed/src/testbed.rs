//! A testbed, as its caller uses it.
//!
//! Invariants: the caller builds the programs, because it can show progress. The supervisor does everything else. A dropped testbed has
//! ended when `drop` returns.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::folders::Folders;
use crate::minor::{DEFAULT_MINOR, Minor};
use crate::programs;
use crate::progress::ProgressLine;
use crate::ready::Ready;
use crate::supervisor::{Answer, Request};

/// The options of a testbed.
#[derive(Clone, Debug)]
pub struct Options {
    /// The path of this package's program; in tests `env!("CARGO_BIN_EXE_crd-testbed")`.
    pub program: PathBuf,
    /// The minor of Kubernetes, as `1.36`.
    pub minor: String,
    /// The port of the API server; `None` for a free one.
    pub port: Option<u16>,
    /// Whether kube-controller-manager runs, with the controllers that delete namespaces, collect garbage, migrate storage versions and run Jobs. Then
    /// 1.35 and 1.36 serve `storagemigration.k8s.io/v1beta1`, which they do not by default. 1.37 serves `v1` in each testbed.
    pub controllers: bool,
}

impl Options {
    /// Options with the minor of `CRD_TESTBED_KUBERNETES`, or the default minor.
    pub fn from_environment(program: &Path) -> Self {
        let minor = std::env::var(KUBERNETES_VARIABLE).ok().filter(|minor| !minor.is_empty());
        let minor = minor.unwrap_or_else(|| DEFAULT_MINOR.to_owned());
        Self { program: program.to_owned(), minor, port: None, controllers: false }
    }
}

/// The environment variable with the minor that tests run on.
pub(crate) const KUBERNETES_VARIABLE: &str = "CRD_TESTBED_KUBERNETES";

/// The environment variable that is `require` where tests must fail without a testbed.
pub(crate) const REQUIRE_VARIABLE: &str = "CRD_TESTBED";

/// Whether tests must fail without a testbed (`CRD_TESTBED=require`). Otherwise they are skipped and print the reason.
pub fn is_required() -> bool {
    std::env::var_os(REQUIRE_VARIABLE).is_some_and(|value| value == "require")
}

/// The path of a program that `build` has, such as `helm`; it is built if it is not cached. Progress is shown on stderr.
///
/// # Errors
///
/// If the name is unknown, if Go is needed and not installed, or if the build fails.
pub fn program(name: &str) -> Result<PathBuf, Failure> {
    let mut progress = ProgressLine::on_stderr();
    let minor = Minor::named(DEFAULT_MINOR);
    let built = minor
        .map(|minor| programs::build_named(&[name], minor, &Folders::of_checkout(), &mut |step| progress.show(&step)));
    built.transpose()?.unwrap_or_default().pop().ok_or_else(|| Failure::Other(format!("unknown program `{name}`")))
}

/// The path of the oracle of a minor, which is built if it is not cached: a program that answers what the API server's own libraries do with
/// CRDs and objects, without a server. `go/oracle/main.go` documents its lines. Progress is shown on stderr.
///
/// # Errors
///
/// If Go is needed and not installed, or if the build fails.
pub fn oracle(minor: &Minor) -> Result<PathBuf, Failure> {
    let mut progress = ProgressLine::on_stderr();
    programs::build_oracle(minor, &Folders::of_checkout(), &mut |step| progress.show(&step))
}

/// A running API server. It ends when this value is dropped or the process ends.
#[derive(Debug)]
pub struct Testbed {
    minor: &'static Minor,
    ready: Ready,
    supervisor: Supervisor,
}

/// The supervisor's process, and the pipes to it.
#[derive(Debug)]
struct Supervisor {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Testbed {
    /// Builds programs that are not cached, starts the servers, and waits until they are ready. Progress is shown on stderr.
    ///
    /// # Errors
    ///
    /// If Go is needed and not installed, if a build fails, if the port is in use, or if a server does not start.
    pub fn start(options: &Options) -> Result<Testbed, Failure> {
        // Tests start testbeds from several threads of one process.
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let name = format!("of-{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        let minor = Minor::find(&options.minor)?;
        let mut progress = ProgressLine::on_stderr();
        let folders = Folders::of_checkout();
        programs::build_for_testbed(minor, options.controllers, &folders, &mut |step| progress.show(&step))?;
        drop(progress);
        let request = Request { minor, name, port: options.port, controllers: options.controllers, detached: false };
        let (supervisor, ready) = start_supervisor(&options.program, &request)?;
        Ok(Testbed { minor, ready, supervisor })
    }

    /// The minor of the running server.
    pub fn minor(&self) -> &'static Minor {
        self.minor
    }

    /// The address of the API server: `https://127.0.0.1:PORT`.
    pub fn address(&self) -> &str {
        &self.ready.address
    }

    /// The kubeconfig of a user with all permissions.
    pub fn kubeconfig(&self) -> &Path {
        &self.ready.kubeconfig
    }

    /// The environment variables that direct a program to this testbed only: `KUBECONFIG`, and `KUBECACHEDIR`, a separate cache for kubectl
    /// and Helm.
    pub fn environment(&self) -> [(&'static str, PathBuf); 2] {
        self.ready.environment()
    }

    /// The `kubectl` of the same release.
    pub fn kubectl(&self) -> &Path {
        &self.ready.kubectl
    }

    /// The address of etcd: `https://127.0.0.1:PORT`. Clients need the certificate `etcd-client` in [`Testbed::folder`].
    pub fn etcd(&self) -> &str {
        &self.ready.etcd
    }

    /// The folder of this testbed: logs, certificates and keys. It is removed when the testbed ends.
    pub fn folder(&self) -> &Path {
        &self.ready.folder
    }

    /// Ends the testbed.
    ///
    /// # Errors
    ///
    /// If a server had already ended by itself. The failure names the server and shows its log.
    pub fn stop(mut self) -> Result<(), Failure> {
        self.supervisor.end()
    }
}

impl Supervisor {
    /// Closes the pipe and waits until all processes have ended. Fails if a server had already ended by itself.
    fn end(&mut self) -> Result<(), Failure> {
        drop(self.stdin.take());
        // Read the remaining output; the end of the supervisor closes the pipe. It kills its servers, so this takes only a moment.
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
        // Its servers end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Starts a supervisor and waits for its answer. A detached supervisor then runs by itself.
fn start_supervisor(program: &Path, request: &Request) -> Result<(Supervisor, Ready), Failure> {
    let mut command = Command::new(program);
    command.arg("supervise").args(["--kubernetes", request.minor.name, "--name", &request.name]);
    if let Some(port) = request.port {
        command.args(["--port", &port.to_string()]);
    }
    if request.controllers {
        command.arg("--controllers");
    }
    if request.detached {
        // It leaves its caller's session by itself.
        command.arg("--detached").stdin(Stdio::null());
    } else {
        command.stdin(Stdio::piped());
        // In a process group of its own: an interrupt from the keyboard ends the caller, and that closes the pipe.
        command.process_group(0);
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(if request.detached { Stdio::null() } else { Stdio::inherit() })
        .spawn()
        .map_err(|error| {
            Failure::Other(format!("cannot start the supervisor of a testbed ({}): {error}", program.display()))
        })?;
    let stdin = child.stdin.take();
    let Some(stdout) = child.stdout.take() else {
        return Err(Failure::Other("the supervisor of a testbed has no output".to_owned()));
    };
    let mut supervisor = Supervisor { child, stdin, stdout: BufReader::new(stdout) };
    let mut line = String::new();
    let _ = supervisor.stdout.read_line(&mut line);
    match Answer::from_line(&line) {
        Some(Answer::Ready(ready)) => Ok((supervisor, ready)),
        Some(Answer::Failed(text)) => Err(Failure::Other(text)),
        None => Err(Failure::Other("the supervisor of a testbed ended without an answer".to_owned())),
    }
}

/// Starts a testbed that remains after this process ends, until its supervisor is stopped.
pub(crate) fn start_detached(program: &Path, request: &Request) -> Result<Ready, Failure> {
    let (supervisor, ready) = start_supervisor(program, request)?;
    // Dropping it would end the testbed.
    std::mem::forget(supervisor);
    Ok(ready)
}
