//! etcd, kube-apiserver and kube-controller-manager: their ports, arguments, logs and processes.
//!
//! Invariants: a server ends with the process that started it, even when that is killed. The process binds itself to its parent before it
//! becomes the server ([`become_bound`]).

use std::fs::{self, File};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::certificates::{Certificates, Identity};
use crate::failure::Failure;
use crate::programs::{CONTROLLERS, Programs};
use crate::ready::Ready;

/// A request to end.
pub(crate) struct Stop;

/// Why the servers are not running.
pub(crate) enum Stopped {
    /// The caller asked for it.
    OnRequest,
    /// Another process took one of the ports.
    Port,
    Failure(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Stopped::Failure(failure)
    }
}

/// How long a server may take to become ready. It takes about 4 s on an idle machine.
const START_LIMIT: Duration = Duration::from_secs(120);

/// The ports of a testbed, which were free when they were chosen.
pub(crate) struct Ports {
    pub(crate) api_server: u16,
    pub(crate) etcd: u16,
    etcd_peer: u16,
}

impl Ports {
    /// Chooses free ports, and this one for the API server if it is given.
    pub(crate) fn choose(api_server: Option<u16>) -> Result<Ports, Failure> {
        let none = |error: std::io::Error| Failure::Other(format!("cannot get a free port of 127.0.0.1: {error}"));
        // All are open at the same time, so that they differ.
        let free = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(none);
        let port = |listener: &TcpListener| listener.local_addr().map(|address| address.port()).map_err(none);
        let api_server = match api_server {
            None => free()?,
            Some(port) => TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
                ErrorKind::AddrInUse => Failure::PortTaken { port },
                _ => Failure::Other(format!("cannot use port {port} of 127.0.0.1: {error}")),
            })?,
        };
        let (etcd, etcd_peer) = (free()?, free()?);
        Ok(Ports { api_server: port(&api_server)?, etcd: port(&etcd)?, etcd_peer: port(&etcd_peer)? })
    }
}

/// Whether a process listens on this port.
pub(crate) fn is_used(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err_and(|error| error.kind() == ErrorKind::AddrInUse)
}

/// The free disk space that the servers need, in bytes: 64 MiB for etcd's log, and 16 MiB for the rest.
const DISK_SPACE: u64 = 80 << 20;

/// The free disk space at this folder, in bytes.
fn free_bytes(folder: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(folder).ok()?;
    space.f_bavail.checked_mul(space.f_frsize)
}

/// A running server, which ends when it is dropped.
struct Server {
    program: &'static str,
    child: Child,
    log: PathBuf,
}

impl Server {
    /// Starts a program, bound to this process.
    fn start(program: &'static str, path: &Path, arguments: &[String], folder: &Path) -> Result<Server, Failure> {
        let log = folder.join(format!("{program}.log"));
        let output = File::create(&log).map_err(Failure::file("create", &log))?;
        let errors = output.try_clone().map_err(Failure::file("open", &log))?;
        let mut command = Command::new(bound_program());
        // etcd reads options from the environment. They could change its addresses or its folder.
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
            .map_err(|error| Failure::Other(format!("cannot start {program}: {error}")))?;
        Ok(Server { program, child, log })
    }

    fn failure(&self, mut reason: String) -> Failure {
        // On a full disk, a server cannot write the reason to its log.
        if let Some(free) = self.log.parent().and_then(free_bytes).filter(|free| *free < DISK_SPACE) {
            reason.push_str(&format!(
                "; the disk is full: the servers need {} MiB, and {} KiB are free",
                DISK_SPACE >> 20,
                free >> 10
            ));
        }
        Failure::Server { program: self.program, reason, log: self.log.clone(), tail: Failure::tail(&self.log) }
    }

    /// Whether it ended because another process uses its port.
    fn lost_its_port(&self) -> bool {
        fs::read(&self.log).is_ok_and(|text| String::from_utf8_lossy(&text).contains("address already in use"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its data is removed, so a clean shutdown is not needed. The process id stays its own until `wait` returns.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The servers, in the order in which they end.
pub(crate) struct Servers {
    controllers: Option<Server>,
    api_server: Server,
    etcd: Server,
}

impl Servers {
    /// Fails if one of them has ended.
    pub(crate) fn check(&mut self, when: &str) -> Result<(), Stopped> {
        for server in [&mut self.etcd, &mut self.api_server].into_iter().chain(&mut self.controllers) {
            match server.child.try_wait() {
                Ok(None) => {}
                Ok(Some(_)) if server.lost_its_port() => return Err(Stopped::Port),
                Ok(Some(status)) => return Err(server.failure(format!("{when} ({})", describe(status))).into()),
                Err(error) => return Err(server.failure(format!("cannot be checked: {error}")).into()),
            }
        }
        Ok(())
    }
}

fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}

/// Starts the servers and waits until they are ready. Controllers start last: they need the namespaces and roles that the API server creates.
pub(crate) fn start(
    programs: &Programs,
    certificates: &Certificates,
    ports: &Ports,
    ready: &Ready,
    stop: &Receiver<Stop>,
) -> Result<Servers, Stopped> {
    let folder = &ready.folder;
    let data = folder.join("etcd");
    if data.exists() {
        fs::remove_dir_all(&data).map_err(Failure::file("remove", &data))?;
    }
    let etcd = Server::start("etcd", &programs.etcd, &etcd_arguments(&data, certificates, ports), folder)?;
    let mut arguments = api_server_arguments(folder, certificates, ports);
    let gates = programs.kube_controller_manager.as_ref().and_then(|_| MigrationGates::of(&ready.minor));
    arguments.extend(gates.iter().flat_map(|gates| [gates.feature.to_owned(), gates.api.to_owned()]));
    let api_server = Server::start("kube-apiserver", &programs.kube_apiserver, &arguments, folder)?;
    let mut servers = Servers { controllers: None, api_server, etcd };

    write_kubeconfig(&ready.kubeconfig, "administrator", &ready.address, certificates, &certificates.administrator)?;
    let deadline = Instant::now() + START_LIMIT;
    // The server creates the namespace `default` a moment after it reports that it is ready, and rejects objects in it until then.
    let mut paths = ["/readyz", "/api/v1/namespaces/default"].iter();
    let mut next = paths.next();
    while let Some(path) = next {
        match stop.recv_timeout(Duration::from_millis(50)) {
            Ok(Stop) | Err(RecvTimeoutError::Disconnected) => return Err(Stopped::OnRequest),
            Err(RecvTimeoutError::Timeout) => servers.check("ended before it was ready")?,
        }
        if Instant::now() > deadline {
            let reason = format!("did not answer {path} within {} s", START_LIMIT.as_secs());
            return Err(servers.api_server.failure(reason).into());
        }
        if answers(ready, ports, path) {
            next = paths.next();
        }
    }
    if let Some(program) = &programs.kube_controller_manager {
        let kubeconfig = folder.join("controllers.kubeconfig");
        write_kubeconfig(&kubeconfig, "controllers", &ready.address, certificates, &certificates.controllers)?;
        let mut arguments = controller_arguments(&kubeconfig);
        arguments.extend(gates.map(|gates| gates.feature.to_owned()));
        servers.controllers = Some(Server::start(CONTROLLERS, program, &arguments, folder)?);
    }
    Ok(servers)
}

/// Whether a GET of this path succeeds.
fn answers(ready: &Ready, ports: &Ports, path: &str) -> bool {
    // kubectl takes a tenth of a second of both cores, which the server needs to start. A connection costs almost nothing.
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
        // The data of a testbed need not survive a crash of the machine.
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
        // A testbed has no controller that creates service accounts.
        "--disable-admission-plugins=ServiceAccount".to_owned(),
        // Certificates that the server creates itself belong in this folder too.
        file("cert-dir", folder),
    ]
}

/// The flags for minors that serve storage version migrations only on request.
struct MigrationGates {
    /// For kube-apiserver and kube-controller-manager.
    feature: &'static str,
    /// For kube-apiserver.
    api: &'static str,
}

impl MigrationGates {
    /// 1.37 and newer minors serve `storagemigration.k8s.io/v1` by default. Before 1.35 it is alpha, with another schema, and remains off.
    fn of(minor: &str) -> Option<MigrationGates> {
        matches!(minor, "1.35" | "1.36").then_some(MigrationGates {
            feature: "--feature-gates=StorageVersionMigrator=true",
            api: "--runtime-config=storagemigration.k8s.io/v1beta1=true",
        })
    }
}

fn controller_arguments(kubeconfig: &Path) -> Vec<String> {
    vec![
        format!("--kubeconfig={}", kubeconfig.display()),
        "--controllers=namespace-controller,garbage-collector-controller,storage-version-migrator-controller,job-controller"
            .to_owned(),
        // As in a cluster: each controller is a user of its own, with the permissions of its role.
        "--use-service-account-credentials=true".to_owned(),
        "--leader-elect=false".to_owned(),
        // It listens on no port.
        "--secure-port=0".to_owned(),
    ]
}

/// Writes a kubeconfig as JSON, which is valid YAML.
fn write_kubeconfig(
    path: &Path,
    user: &str,
    address: &str,
    certificates: &Certificates,
    identity: &Identity,
) -> Result<(), Failure> {
    let text = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "testbed",
        "clusters": [{ "name": "testbed", "cluster": { "server": address, "certificate-authority": certificates.authority } }],
        "users": [{
            "name": user,
            "user": { "client-certificate": identity.certificate, "client-key": identity.key },
        }],
        "contexts": [{ "name": "testbed", "context": { "cluster": "testbed", "user": user, "namespace": "default" } }],
    });
    fs::write(path, format!("{text:#}\n")).map_err(Failure::file("write", path))
}

/// The hidden subcommand that binds a program to its parent process.
pub(crate) const BOUND: &str = "bound";

/// The running program, even if its file was replaced by a new build.
fn bound_program() -> PathBuf {
    match cfg!(target_os = "linux") {
        true => PathBuf::from("/proc/self/exe"),
        false => std::env::current_exe().unwrap_or_default(),
    }
}

/// Replaces this process with a program that ends with the supervisor of this process id, even if that is killed. Returns only on failure.
pub(crate) fn become_bound(supervisor: &str, program: &Path, arguments: &[std::ffi::OsString]) -> Failure {
    #[cfg(target_os = "linux")]
    {
        let bound = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
        if let Err(error) = bound {
            return Failure::Other(format!("cannot bind {} to its supervisor: {error}", program.display()));
        }
        // The supervisor may have ended before the call above.
        let parent = rustix::process::getppid().map(|parent| parent.as_raw_nonzero().to_string());
        if parent.as_deref() != Some(supervisor) {
            return Failure::Other("the supervisor has ended".to_owned());
        }
    }
    // On other systems only a running supervisor ends its servers.
    let _ = supervisor;
    let error = Command::new(program).args(arguments).exec();
    Failure::Other(format!("cannot run {}: {error}", program.display()))
}
