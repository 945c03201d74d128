//! A connection to a cluster.

use std::future::Future;

use crd_diagnostics::Diagnostic;
use kube::{Client, Config};
use serde_json::Value;

use crate::codes;
use crate::failure::{Failure, Target};
use crate::kubeconfig::Sources;
use crate::limits::Limits;
use crate::requests::Requests;
use crate::resource::Resource;
use crate::server::{Server, server};
use crate::write::Writer;

/// A cluster that can be read. It sends GET requests only; [`Cluster::writer`] writes.
pub struct Cluster {
    pub(crate) requests: Requests,
    server: Server,
}

impl Cluster {
    /// Connects to the cluster of a context of the kubeconfig, or of the current context. The files are those of `$KUBECONFIG`, or
    /// `~/.kube/config`. In a pod without such files, the service account is used.
    ///
    /// # Errors
    /// One diagnostic if the kubeconfig or the context cannot be used, or if the server does not answer.
    pub async fn connect(context: Option<&str>) -> Result<Self, Diagnostic> {
        let limits = Limits::default();
        let (client, address) = client_of(context, limits).await?;
        Self::of_client(client, &address, limits).await
    }

    /// The cluster of an existing client, such as that of a controller. The address is for messages.
    ///
    /// # Errors
    /// A diagnostic if the server does not answer.
    pub async fn of_client(client: Client, address: &str, limits: Limits) -> Result<Self, Diagnostic> {
        let requests = Requests::new(client, limits, address.to_owned());
        let server = server(&requests).await?;
        Ok(Self { requests, server })
    }

    pub(crate) fn with_server(requests: Requests, server: Server) -> Self {
        Self { requests, server }
    }

    /// Facts about the server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Whether files show it: a server has a version.
    pub(crate) fn is_of_files(&self) -> bool {
        self.server.minor.is_none()
    }

    /// An object; nothing if there is none of this name.
    ///
    /// # Errors
    /// A diagnostic if it cannot be read, or if the server does not serve the resource.
    pub async fn get(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        name: &str,
    ) -> Result<Option<Value>, Diagnostic> {
        let target = resource.object("get", namespace, Some(name), None);
        match self.requests.get(&target).await {
            Ok(object) => Ok(Some(object)),
            Err(failure) if failure.is_absence_of(name) => Ok(None),
            Err(failure) => Err(failure.diagnostic(&target, &self.requests.server)),
        }
    }

    /// What writes to the cluster. In a dry run, the server checks each write and stores nothing.
    pub fn writer(&self, is_dry_run: bool) -> Writer<'_> {
        Writer::new(&self.requests, is_dry_run)
    }
}

/// The client and the address of the cluster of a context, as [`Cluster::connect`] finds it: for programs that send requests of their own, such as watches.
///
/// # Errors
/// One diagnostic if the kubeconfig or the context cannot be used.
pub async fn client_of(context: Option<&str>, limits: Limits) -> Result<(Client, String), Diagnostic> {
    let mut config = Sources::of_environment().config(context).await?;
    // Repetitions are decided by the caller: they are bounded, and honour `Retry-After`.
    config.default_retry = false;
    config.connect_timeout = Some(limits.connect);
    let address = config.cluster_url.to_string().trim_end_matches('/').to_owned();
    Ok((client(config, limits, &address).await?, address))
}

/// The client of a configuration. Credential plugins are programs, which run in a thread of their own.
async fn client(config: Config, limits: Limits, address: &str) -> Result<Client, Diagnostic> {
    let client = tokio::task::spawn_blocking(move || Client::try_from(config));
    let failed = match tokio::time::timeout(limits.credentials, client).await {
        Ok(Ok(Ok(client))) => return Ok(client),
        Ok(Ok(Err(
            kube::Error::ProxyProtocolDisabled { proxy_url, .. } | kube::Error::ProxyProtocolUnsupported { proxy_url },
        ))) => {
            // The whole address of a proxy can contain a password.
            let proxy = proxy_url.host().unwrap_or_default();
            let message = format!("the server {address} is behind a proxy of a kind that is not supported: {proxy}");
            let help = "name a proxy with `http://`, `https://` or `socks5://`";
            return Err(codes::PROXY.finding(message).help(help));
        }
        Ok(Ok(Err(error))) => match Failure::of_error(&error, limits.connect) {
            Failure::Unreachable(text) | Failure::Certificate(text) => text,
            Failure::Credentials(text) => text,
            failure => format!("{failure:?}"),
        },
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("the credential plugin did not answer within {:?}", limits.credentials),
    };
    Err(Failure::Credentials(failed).diagnostic(&Target::path(""), address))
}

/// Runs a future of this crate to its end, for programs without a runtime.
///
/// # Errors
/// The error of the future; or a diagnostic if the system does not permit a runtime.
pub fn run<T>(future: impl Future<Output = Result<T, Diagnostic>>) -> Result<T, Diagnostic> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        codes::UNREACHABLE
            .finding(format!("cannot wait for the network: {error}"))
            .help("check the limit of open files: `ulimit -n`")
    })?;
    let result = runtime.block_on(future);
    // A credential plugin that did not answer is not waited for.
    runtime.shutdown_background();
    result
}
