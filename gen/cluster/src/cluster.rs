//! A connection to a cluster.

use std::future::Future;

use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use kube::{Client, Config};
use serde_json::Value;

use crate::codes;
use crate::crds::{InstalledCrd, Selection, crds};
use crate::failure::Failure;
use crate::kubeconfig::Sources;
use crate::limits::Limits;
use crate::list::Progress;
use crate::objects::{Content, Listing, Object, ObjectPages, count, objects};
use crate::policies::{Policies, policies};
use crate::requests::Requests;
use crate::resource::Resource;
use crate::server::{Server, server};
use crate::write::Writer;

/// A cluster that can be read. It sends GET requests only; [`Cluster::writer`] writes.
pub struct Cluster {
    requests: Requests,
    server: Server,
}

impl Cluster {
    /// Connects to the cluster of a context of the kubeconfig, or of the current context. The files are those of `$KUBECONFIG`, or
    /// `~/.kube/config`. In a pod without such files, the service account is used.
    ///
    /// # Errors
    /// One diagnostic if the kubeconfig or the context cannot be used, or if the server does not answer.
    pub async fn connect(context: Option<&str>) -> Result<Self, Diagnostic> {
        Self::connect_within(context, Limits::default()).await
    }

    /// [`Cluster::connect`] with other limits.
    ///
    /// # Errors
    /// As [`Cluster::connect`].
    pub async fn connect_within(context: Option<&str>, limits: Limits) -> Result<Self, Diagnostic> {
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

    /// Facts about the server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// The selected CRDs, in the order of their names.
    ///
    /// # Errors
    /// A diagnostic if they cannot be listed. A CRD that cannot be read is part of the result, with its diagnostic.
    pub async fn crds(&self, selection: &Selection) -> Result<Vec<InstalledCrd>, Diagnostic> {
        crds(&self.requests, selection, &mut |_| {}).await
    }

    /// Reads all objects of a CRD through one of its served versions, ordered by namespace and name. `on_object` gets each object,
    /// `on_progress` is called after each page.
    ///
    /// A listing that fails has a diagnostic in its result; the objects before it were given.
    pub async fn objects(
        &self,
        crd: &CustomResourceDefinition,
        version: &str,
        on_object: &mut (dyn FnMut(Object) + Send),
        on_progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Listing {
        objects(&self.requests, crd, version, on_object, on_progress).await
    }

    /// The objects of a CRD through one of its served versions, page after page, for a caller that writes between the pages.
    pub fn pages<'c>(&'c self, crd: &'c CustomResourceDefinition, version: &str, content: Content) -> ObjectPages<'c> {
        ObjectPages::new(&self.requests, crd, version, content)
    }

    /// How many objects of a CRD there are; nothing if the server does not show it.
    ///
    /// # Errors
    /// A diagnostic if they cannot be listed.
    pub async fn count(&self, crd: &CustomResourceDefinition, version: &str) -> Result<Option<u64>, Diagnostic> {
        count(&self.requests, crd, version).await
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
        let answer = self.requests.get(&target, "").await;
        match answer
            .and_then(|answer| serde_json::from_slice(&answer).map_err(|error| Failure::Unreadable(error.to_string())))
        {
            Ok(object) => Ok(Some(object)),
            Err(failure) if failure.is_absence_of(name) => Ok(None),
            Err(failure) => Err(failure.diagnostic(&target, &self.requests.server)),
        }
    }

    /// A CRD as the server has it, and its document; nothing if it is not installed.
    ///
    /// # Errors
    /// A diagnostic if it cannot be requested.
    pub async fn crd(&self, name: &str) -> Result<Option<(InstalledCrd, Value)>, Diagnostic> {
        let document = self.get(&Resource::crds(), None, name).await?;
        Ok(document.and_then(|document| Some((InstalledCrd::of_document(&document)?, document))))
    }

    /// What writes to the cluster. In a dry run, the server checks each write and stores nothing.
    pub fn writer(&self, is_dry_run: bool) -> Writer<'_> {
        Writer::new(&self.requests, is_dry_run)
    }

    /// The admission policies, their bindings and the webhooks of a bundle: objects of these names, with names `….PREFIX`, or with an annotation
    /// or label `PREFIX/…`; and all bindings of such policies. A list that cannot be read has a diagnostic in the result.
    pub async fn policies(&self, prefix: &str, names: &[&str]) -> Policies {
        policies(&self.requests, prefix, names).await
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
            return Err(Diagnostic::error(codes::PROXY, message).help(help));
        }
        Ok(Ok(Err(error))) => match Failure::of_error(&error, limits.connect) {
            Failure::Unreachable(text) | Failure::Certificate(text) => text,
            Failure::Credentials(text) => text,
            failure => format!("{failure:?}"),
        },
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("the credential plugin did not answer within {:?}", limits.credentials),
    };
    Err(Diagnostic::error(codes::CREDENTIALS, format!("the credentials for {address} cannot be used: {failed}"))
        .help("log in again; `kubectl auth whoami` uses the same credentials"))
}

/// Runs a future of this crate to its end, for programs without a runtime.
///
/// # Errors
/// The error of the future; or a diagnostic if the system does not permit a runtime.
pub fn run<T>(future: impl Future<Output = Result<T, Diagnostic>>) -> Result<T, Diagnostic> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Diagnostic::error(codes::UNREACHABLE, format!("cannot wait for the network: {error}"))
            .help("check the limit of open files: `ulimit -n`")
    })?;
    let result = runtime.block_on(future);
    // A credential plugin that did not answer is not waited for.
    runtime.shutdown_background();
    result
}
