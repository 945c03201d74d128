//! The keeper: a process that one testbed belongs to. It starts the servers, says when they are ready, and ends them.
//!
//! Fed by [`crate::testbed`], which starts it with a pipe as its standard input. Read as one line of JSON on its standard output
//! ([`Answer`]), and one more if a server ends by itself.
//!
//! Invariants:
//! * It ends what it started, and removes what it made, when the pipe closes (its caller ended, in whatever way), when it gets SIGTERM, or
//!   when a server ends. Servers die with it even when it is killed: each is bound to its parent before it becomes what it is.
//! * While it lives it holds the lock of its testbed's name, so a lock that is free belongs to nobody, and what lies beside it may go.
//! * After a failure the logs stay, and nothing else; of the failed only the last few stay.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::certificates::{Certificates, issue};
use crate::failure::Failure;
use crate::folders::Folders;
use crate::held::Held;
use crate::minor::Minor;
use crate::programs::{self, Programs};

/// How long a server may take to become ready. It takes about 4 s on an idle machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often a start is tried again because somebody took a port between its choice and its use.
const TRIES: usize = 5;

/// How many failed testbeds keep their logs.
const FAILED_KEPT: usize = 5;

/// What says, in the folder of a testbed, that it failed and why.
pub(crate) const FAILURE_FILE: &str = "failure.txt";

/// What tells others about a testbed that runs.
pub(crate) const STATE_FILE: &str = "state.json";

/// What a keeper is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) minor: &'static Minor,
    /// The testbed's name: of its folder and its lock.
    pub(crate) name: String,
    /// The port of the API server; a free one if this is none.
    pub(crate) port: Option<u16>,
    /// True if it stays when its caller ends, until somebody sends SIGTERM.
    pub(crate) detached: bool,
}

/// A testbed that is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) name: String,
    pub(crate) minor: String,
    pub(crate) address: String,
    pub(crate) kubeconfig: PathBuf,
    pub(crate) kubectl: PathBuf,
    pub(crate) etcd: String,
    pub(crate) folder: PathBuf,
    /// The keeper's own id.
    pub(crate) process: u32,
}

impl Ready {
    /// What programs find in their environment, so that they talk to this testbed and believe nothing of an earlier one: kubectl and Helm
    /// keep what a server told them of its resources by its address, for hours, and a port comes back.
    pub(crate) fn environment(&self) -> [(&'static str, PathBuf); 2] {
        [("KUBECONFIG", self.kubeconfig.clone()), ("KUBECACHEDIR", self.folder.join("kubectl-cache"))]
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "kubernetes": self.minor,
            "address": self.address,
            "kubeconfig": self.kubeconfig,
            "kubectl": self.kubectl,
            "etcd": self.etcd,
            "folder": self.folder,
            "process": self.process,
            "environment": BTreeMap::from(self.environment()),
        })
    }

    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        Some(Self {
            name: text("name")?,
            minor: text("kubernetes")?,
            address: text("address")?,
            kubeconfig: text("kubeconfig")?.into(),
            kubectl: text("kubectl")?.into(),
            etcd: text("etcd")?,
            folder: text("folder")?.into(),
            process: value.get("process")?.as_u64()?.try_into().ok()?,
        })
    }
}

/// What a keeper says.
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

/// Somebody wants it to end.
struct Asked;

/// Why a start did not come to its end.
enum Stopped {
    Asked,
    /// Somebody else took one of the ports.
    Port,
    Failure(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Stopped::Failure(failure)
    }
}

/// What the process of a keeper does from its start to its end.
pub(crate) fn keep(request: &Request) -> ExitCode {
    let say = |answer: &Answer| {
        // Whoever asked may be gone; then the pipe is closed too.
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(answer.to_line().as_bytes()).and_then(|()| stdout.flush());
    };
    let failed = |failure: &Failure| {
        say(&Answer::Failed(failure.to_string()));
        ExitCode::FAILURE
    };
    let asked = match listen(request.detached) {
        Ok(asked) => asked,
        Err(failure) => return failed(&failure),
    };
    let folders = Folders::of_checkout();
    let held = match Held::try_take(&lock_path(&folders, &request.name)) {
        Ok(Some(held)) => held,
        Ok(None) => {
            return failed(&Failure::Other(format!("a testbed with the name {:?} is running already", request.name)));
        }
        Err(failure) => return failed(&failure),
    };
    sweep(&folders, &request.name);
    let folder = folders.running().join(&request.name);
    let end = serve(request, &folders, &folder, &asked, &say);
    let code = match end {
        Err(Stopped::Failure(failure)) => {
            leave_logs(&folder, &failure.to_string());
            failed(&failure)
        }
        // With ports that were free a moment ago this needs somebody who takes them all.
        Err(Stopped::Port) => {
            let failure = Failure::Other(format!("no free port on 127.0.0.1 after {TRIES} tries"));
            leave_logs(&folder, &failure.to_string());
            failed(&failure)
        }
        Ok(()) | Err(Stopped::Asked) => {
            let _ = fs::remove_dir_all(&folder);
            ExitCode::SUCCESS
        }
    };
    held.remove();
    code
}

/// Listens to everything that may end this: signals, and the pipe to the caller.
fn listen(detached: bool) -> Result<Receiver<Asked>, Failure> {
    let (sender, asked) = channel();
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])
        .map_err(|error| Failure::Other(format!("signals cannot be listened to: {error}")))?;
    let of_signals = sender.clone();
    std::thread::spawn(move || {
        for _ in signals.forever() {
            let _ = of_signals.send(Asked);
        }
    });
    if detached {
        // Out of the caller's session: its terminal can close.
        let _ = rustix::process::setsid();
        // Kept open by nobody else, or the channel would close when the thread above did.
        std::mem::forget(sender);
    } else {
        std::thread::spawn(move || {
            // Nobody writes to it; it ends when every process that holds its other end has.
            let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
            let _ = sender.send(Asked);
        });
    }
    Ok(asked)
}

/// Removes what keepers left that were killed, and all but the last failed ones.
fn sweep(folders: &Folders, own: &str) {
    let mut failed = Vec::new();
    for entry in fs::read_dir(folders.running()).into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if !path.is_dir() || name == own {
            continue;
        }
        let Ok(Some(held)) = Held::try_take(&lock_path(folders, name)) else { continue };
        match fs::metadata(path.join(FAILURE_FILE)).and_then(|metadata| metadata.modified()) {
            Ok(when) => failed.push((when, path)),
            Err(_) => drop(fs::remove_dir_all(&path)),
        }
        held.remove();
    }
    failed.sort();
    for (_, path) in failed.iter().rev().skip(FAILED_KEPT) {
        let _ = fs::remove_dir_all(path);
    }
}

/// Leaves the logs and the reason, and neither keys nor data.
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

/// From an empty folder to the end of the servers.
fn serve(
    request: &Request,
    folders: &Folders,
    folder: &Path,
    asked: &Receiver<Asked>,
    say: &dyn Fn(&Answer),
) -> Result<(), Stopped> {
    let missing = || Failure::Other(format!("the programs of Kubernetes {} are not in the cache", request.minor.name));
    let programs = programs::cached(request.minor, folders)?.ok_or_else(missing)?;
    // Left by a testbed of this name that failed or was killed; its lock is ours now.
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(Failure::file("remove", folder))?;
    }
    fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
    let folder = folder.canonicalize().map_err(Failure::file("find", folder))?;
    let certificates = issue(&folder)?;
    let mut tries = 0;
    let (mut servers, ready) = loop {
        tries += 1;
        let ports = Ports::choose(request.port)?;
        match start(request, &programs, &folder, &certificates, &ports, asked) {
            Err(Stopped::Port) if request.port.is_some_and(is_taken) => {
                return Err(Failure::PortTaken { port: ports.api_server }.into());
            }
            Err(Stopped::Port) if tries < TRIES => {}
            result => break result?,
        }
    };
    let state = folder.join(STATE_FILE);
    fs::write(&state, format!("{:#}\n", ready.to_json())).map_err(Failure::file("write", &state))?;
    say(&Answer::Ready(ready));
    loop {
        match asked.recv_timeout(Duration::from_millis(100)) {
            Ok(Asked) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => servers.check("ended by itself")?,
        }
    }
}

/// The ports of a testbed, free a moment ago.
struct Ports {
    api_server: u16,
    etcd: u16,
    etcd_peer: u16,
}

impl Ports {
    fn choose(api_server: Option<u16>) -> Result<Ports, Failure> {
        let none = |error: std::io::Error| Failure::Other(format!("no port of 127.0.0.1 can be had: {error}"));
        // All held at once, so that they differ.
        let free = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(none);
        let port = |listener: &TcpListener| listener.local_addr().map(|address| address.port()).map_err(none);
        let held = match api_server {
            None => free()?,
            Some(port) => TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
                ErrorKind::AddrInUse => Failure::PortTaken { port },
                _ => Failure::Other(format!("port {port} of 127.0.0.1 cannot be had: {error}")),
            })?,
        };
        let (etcd, etcd_peer) = (free()?, free()?);
        Ok(Ports { api_server: port(&held)?, etcd: port(&etcd)?, etcd_peer: port(&etcd_peer)? })
    }
}

fn is_taken(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err_and(|error| error.kind() == ErrorKind::AddrInUse)
}

/// What etcd asks for before it begins: 64 MiB for its log, and a little for everything else.
const ROOM: u64 = 80 << 20;

/// How much can still be written below this folder.
fn free_bytes(folder: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(folder).ok()?;
    space.f_bavail.checked_mul(space.f_frsize)
}

/// A server that runs. Dropped, it ends.
struct Server {
    program: &'static str,
    child: Child,
    log: PathBuf,
}

impl Server {
    /// Starts a program that ends with this process.
    fn start(program: &'static str, path: &Path, arguments: &[String], folder: &Path) -> Result<Server, Failure> {
        let log = folder.join(format!("{program}.log"));
        let output = File::create(&log).map_err(Failure::file("create", &log))?;
        let errors = output.try_clone().map_err(Failure::file("open", &log))?;
        let mut command = Command::new(bound_program());
        // etcd takes options from there, and would listen or store elsewhere.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ETCD_")) {
            command.env_remove(name);
        }
        let child = command
            .arg(BOUND)
            .arg(std::process::id().to_string())
            .arg(path)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|error| Failure::Other(format!("{program} cannot be started: {error}")))?;
        Ok(Server { program, child, log })
    }

    fn failure(&self, mut reason: String) -> Failure {
        // A server that has no room for its data has none for saying so either.
        if let Some(free) = self.log.parent().and_then(free_bytes).filter(|free| *free < ROOM) {
            reason.push_str(&format!(
                ", and the disk is full: of {} MiB that the servers need, {} KiB are free where the logs are",
                ROOM >> 20,
                free >> 10
            ));
        }
        Failure::Server { program: self.program, reason, log: self.log.clone(), tail: Failure::tail(&self.log) }
    }

    /// True if it ended because somebody else has its port.
    fn misses_its_port(&self) -> bool {
        fs::read(&self.log).is_ok_and(|text| String::from_utf8_lossy(&text).contains("address already in use"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its data go with it, so there is nothing that it could finish. Until it is waited for, its id is nobody else's.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Both servers. The API server ends first.
struct Servers {
    api_server: Server,
    etcd: Server,
}

impl Servers {
    /// A failure if one of them has ended.
    fn check(&mut self, when: &str) -> Result<(), Stopped> {
        for server in [&mut self.api_server, &mut self.etcd] {
            match server.child.try_wait() {
                Ok(None) => {}
                Ok(Some(_)) if server.misses_its_port() => return Err(Stopped::Port),
                Ok(Some(status)) => return Err(server.failure(format!("{when} ({})", described(status))).into()),
                Err(error) => return Err(server.failure(format!("cannot be asked whether it runs: {error}")).into()),
            }
        }
        Ok(())
    }
}

fn described(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}

fn start(
    request: &Request,
    programs: &Programs,
    folder: &Path,
    certificates: &Certificates,
    ports: &Ports,
    asked: &Receiver<Asked>,
) -> Result<(Servers, Ready), Stopped> {
    let data = folder.join("etcd");
    if data.exists() {
        fs::remove_dir_all(&data).map_err(Failure::file("remove", &data))?;
    }
    let etcd = Server::start("etcd", &programs.etcd, &etcd_arguments(&data, certificates, ports), folder)?;
    let arguments = api_server_arguments(folder, certificates, ports);
    let api_server = Server::start("kube-apiserver", &programs.kube_apiserver, &arguments, folder)?;
    let mut servers = Servers { api_server, etcd };

    let address = format!("https://127.0.0.1:{}", ports.api_server);
    let kubeconfig = folder.join("kubeconfig");
    write_kubeconfig(&kubeconfig, &address, certificates)?;
    let ready = Ready {
        name: request.name.clone(),
        minor: request.minor.name.to_owned(),
        address,
        kubeconfig,
        kubectl: programs.kubectl.clone(),
        etcd: format!("https://127.0.0.1:{}", ports.etcd),
        folder: folder.to_owned(),
        process: std::process::id(),
    };
    let deadline = Instant::now() + PATIENCE;
    // Objects in the namespace `default` are refused until the server has made it, which it does a moment after it calls itself ready.
    let mut questions = ["/readyz", "/api/v1/namespaces/default"].iter();
    let mut question = questions.next();
    while let Some(path) = question {
        match asked.recv_timeout(Duration::from_millis(50)) {
            Ok(Asked) | Err(RecvTimeoutError::Disconnected) => return Err(Stopped::Asked),
            Err(RecvTimeoutError::Timeout) => servers.check("ended before it was ready")?,
        }
        if Instant::now() > deadline {
            let reason = format!("did not answer {path} within {} s", PATIENCE.as_secs());
            return Err(servers.api_server.failure(reason).into());
        }
        if answers(&ready, ports, path) {
            question = questions.next();
        }
    }
    Ok((servers, ready))
}

/// True if the API server has nothing to object to this question.
fn answers(ready: &Ready, ports: &Ports, path: &str) -> bool {
    // A client costs a tenth of a second of both cores that the server needs to start; a connection costs nothing.
    TcpStream::connect((Ipv4Addr::LOCALHOST, ports.api_server)).is_ok()
        && Command::new(&ready.kubectl)
            .args(["get", "--raw", path, "--request-timeout=5s"])
            .envs(ready.environment())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
}

fn etcd_arguments(data: &Path, certificates: &Certificates, ports: &Ports) -> Vec<String> {
    let client = format!("https://127.0.0.1:{}", ports.etcd);
    let peer = format!("https://127.0.0.1:{}", ports.etcd_peer);
    let server = &certificates.server;
    let mut arguments = vec![
        "--name=testbed".to_owned(),
        format!("--data-dir={}", data.display()),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=testbed={peer}"),
        "--client-cert-auth".to_owned(),
        "--peer-client-cert-auth".to_owned(),
        // What is lost with the machine is lost with the testbed anyway.
        "--unsafe-no-fsync".to_owned(),
    ];
    for prefix in ["", "peer-"] {
        arguments.push(format!("--{prefix}cert-file={}", server.certificate.display()));
        arguments.push(format!("--{prefix}key-file={}", server.key.display()));
        arguments.push(format!("--{prefix}trusted-ca-file={}", certificates.authority.display()));
    }
    arguments
}

fn api_server_arguments(folder: &Path, certificates: &Certificates, ports: &Ports) -> Vec<String> {
    let file = |flag: &str, path: &Path| format!("--{flag}={}", path.display());
    vec![
        "--bind-address=127.0.0.1".to_owned(),
        "--advertise-address=127.0.0.1".to_owned(),
        format!("--secure-port={}", ports.api_server),
        format!("--etcd-servers=https://127.0.0.1:{}", ports.etcd),
        file("etcd-cafile", &certificates.authority),
        file("etcd-certfile", &certificates.etcd_client.certificate),
        file("etcd-keyfile", &certificates.etcd_client.key),
        file("client-ca-file", &certificates.authority),
        file("tls-cert-file", &certificates.server.certificate),
        file("tls-private-key-file", &certificates.server.key),
        file("service-account-key-file", &certificates.service_accounts_public),
        file("service-account-signing-key-file", &certificates.service_accounts),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        "--service-cluster-ip-range=10.96.0.0/24".to_owned(),
        "--authorization-mode=RBAC".to_owned(),
        // The address of the service `kubernetes` would be loopback, which no endpoint may have.
        "--endpoint-reconciler-type=none".to_owned(),
        // No controller makes service accounts here.
        "--disable-admission-plugins=ServiceAccount".to_owned(),
        // Whatever it makes by itself belongs to this testbed, too.
        file("cert-dir", folder),
    ]
}

/// A kubeconfig is YAML, and so is JSON.
fn write_kubeconfig(path: &Path, address: &str, certificates: &Certificates) -> Result<(), Failure> {
    let administrator = &certificates.administrator;
    let text = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "testbed",
        "clusters": [{ "name": "testbed", "cluster": { "server": address, "certificate-authority": certificates.authority } }],
        "users": [{
            "name": "administrator",
            "user": { "client-certificate": administrator.certificate, "client-key": administrator.key },
        }],
        "contexts": [{ "name": "testbed", "context": { "cluster": "testbed", "user": "administrator", "namespace": "default" } }],
    });
    fs::write(path, format!("{text:#}\n")).map_err(Failure::file("write", path))
}

/// The hidden subcommand that binds a program to its parent.
pub(crate) const BOUND: &str = "bound";

/// This program, also after it was built anew.
fn bound_program() -> PathBuf {
    match cfg!(target_os = "linux") {
        true => PathBuf::from("/proc/self/exe"),
        false => std::env::current_exe().unwrap_or_default(),
    }
}

/// Becomes another program that ends when the keeper with this id does, even if that is killed. Only comes back if it cannot.
pub(crate) fn become_bound(keeper: &str, program: &Path, arguments: &[std::ffi::OsString]) -> Failure {
    #[cfg(target_os = "linux")]
    {
        let bound = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
        if let Err(error) = bound {
            return Failure::Other(format!("{} cannot be bound to its keeper: {error}", program.display()));
        }
        // The keeper may have ended before that.
        let parent = rustix::process::getppid().map(|parent| parent.as_raw_nonzero().to_string());
        if parent.as_deref() != Some(keeper) {
            return Failure::Other("the keeper has ended".to_owned());
        }
    }
    // Elsewhere only the pipe ends it.
    let _ = keeper;
    let error = Command::new(program).args(arguments).exec();
    Failure::Other(format!("{} cannot be run: {error}", program.display()))
}
