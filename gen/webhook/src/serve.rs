//! The process of a webhook: its ports, certificate, watches and signals.
//!
//! Invariants: the ports are opened first. The probes answer from then on, so that `/readyz` shows why the webhook is not ready. What can be fixed
//! from outside (a certificate, a right, the API server) is waited for; only what needs another start ends the process.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crd_cluster::Cluster;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::text::sentences;
use crd_model::channel::Channel;
use tokio::sync::watch;

use crate::certificate::{CertificateFiles, server_config};
use crate::clients::ClientAuthority;
use crate::codes;
use crate::metrics::Metrics;
use crate::readiness::{Readiness, State};
use crate::reviewer::Reviewer;
use crate::server::{Limits, Phase, Server, bind};
use crate::watches::{CRDS, Watches, part};
use crate::webhook::Webhook;

/// The part of the readiness about the certificate.
const CERTIFICATE: &str = "certificate";
/// The part of the readiness about the CA of clients, if there is one.
const CLIENTS: &str = "CA of clients";
/// The part of the readiness about the API server.
const API_SERVER: &str = "API server";
/// How often an API server that does not answer is asked again.
const RETRY: Duration = Duration::from_secs(2);

/// Where the client of the cluster comes from.
#[derive(Clone)]
pub enum ClusterSource {
    /// A context of the kubeconfig; nothing for the current one, or for the service account of a pod.
    Context(Option<String>),
    /// A client of the caller, and the address of its server, for messages.
    Client(kube::Client, String),
}

/// How a webhook is served.
#[derive(Clone)]
pub struct Settings {
    /// The channel that is installed.
    pub channel: Channel,
    /// The address of reviews.
    pub listen: SocketAddr,
    /// The address of probes and metrics.
    pub probes: SocketAddr,
    /// The folder with `tls.crt` and `tls.key`.
    pub certificate: PathBuf,
    /// Which clients may connect; nothing for all.
    pub clients: Option<ClientAuthority>,
    /// How long requests are answered after a signal to end: until endpoints follow.
    pub drain: Duration,
    /// The cluster.
    pub cluster: ClusterSource,
    /// The limits of the server.
    pub limits: Limits,
}

/// The addresses of a running server. They differ from the settings if those name port 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// Of reviews.
    pub reviews: SocketAddr,
    /// Of probes and metrics.
    pub probes: SocketAddr,
}

/// Serves a webhook until `end` is ready, and then until the drain is over. `on_start` is called when the ports are open.
///
/// # Errors
/// A diagnostic if a port cannot be opened, and those of [`Reviewer::prepare`].
pub async fn serve(
    webhook: Webhook,
    settings: &Settings,
    end: impl Future<Output = ()>,
    on_start: impl FnOnce(Addresses),
) -> Result<(), Vec<Diagnostic>> {
    let webhook = Arc::new(webhook);
    let caches = webhook.watched().into_iter().map(part);
    let parts = [CERTIFICATE, API_SERVER, CRDS].into_iter().chain(settings.clients.as_ref().map(|_| CLIENTS));
    let parts = parts.map(str::to_owned).chain(caches);
    let readiness = Arc::new(Readiness::new(parts));
    let metrics = Arc::new(Metrics::new(&webhook.bundle, settings.channel.name()));
    let reviews = bind(settings.listen, "--listen").await?;
    let probes = bind(settings.probes, "--probes").await?;
    let address = |listener: &tokio::net::TcpListener, asked| listener.local_addr().unwrap_or(asked);
    let addresses =
        Addresses { reviews: address(&reviews, settings.listen), probes: address(&probes, settings.probes) };
    tracing::info!(
        reviews = addresses.reviews.to_string(),
        probes = addresses.probes.to_string(),
        version = webhook.bundle.version.to_string(),
        channel = settings.channel.name(),
        "listening"
    );
    on_start(addresses);

    let (phase, follow) = watch::channel(Phase::Serving);
    let server = Server::new(readiness, metrics, settings.limits, follow, settings.clients.clone());
    // Tasks of a set end when it is dropped, at the end of this function.
    let mut tasks = tokio::task::JoinSet::new();
    let files = CertificateFiles::new(settings.certificate.clone());
    if settings.clients.is_none() {
        server.tls.store(Some(Arc::new(server_config(files.resolver(), None))));
    }
    tasks.spawn(poll_certificates(files, settings.clients.clone(), server.clone()));
    let threads = |error| codes::SIGNALS.finding(format!("the system permits no thread: {error}"));
    server.probes(probes).map_err(threads)?;
    let of_reviews = server.clone();
    let mut answering = tokio::spawn(async move { of_reviews.reviews(reviews).await });

    let (report, failed) = tokio::sync::oneshot::channel();
    let watches = watch_cluster(webhook, settings.clone(), server.clone());
    tasks.spawn(async move {
        // The receiver lives as long as this task.
        let _ = watches.await.map_err(|errors| report.send(errors));
    });
    let failed = async {
        match failed.await {
            Ok(errors) => errors,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = end => {}
        errors = failed => return Err(errors),
    }
    tracing::info!(seconds = settings.drain.as_secs(), "draining");
    server.drain(settings.drain, &phase).await;
    // Its own limit is shorter than any that a caller would wait for.
    let _ = (&mut answering).await;
    tracing::info!("ended");
    Ok(())
}

/// Asks the API server for its minor, prepares the reviewer, and watches. Returns only errors that need another start.
async fn watch_cluster(webhook: Arc<Webhook>, settings: Settings, server: Arc<Server>) -> Result<(), Vec<Diagnostic>> {
    let limits = crd_cluster::Limits::default();
    let (client, cluster) = loop {
        let connected = async {
            let (client, address) = match &settings.cluster {
                ClusterSource::Context(context) => crd_cluster::client_of(context.as_deref(), limits).await?,
                ClusterSource::Client(client, address) => (client.clone(), address.clone()),
            };
            let cluster = Cluster::of_client(client.clone(), &address, limits).await?;
            Ok::<_, Diagnostic>((client, cluster))
        };
        match connected.await {
            Ok(connected) => break connected,
            Err(diagnostic) => {
                server.readiness.set(API_SERVER, State::NotReady(sentences(&diagnostic)));
                tokio::time::sleep(RETRY).await;
            }
        }
    };
    let newest = crd_apiserver::objects::MINORS.1;
    let minor = cluster.server().minor.unwrap_or(newest);
    let reviewer = Reviewer::prepare(webhook.clone(), settings.channel, minor)?;
    let _ = server.reviewer.set(reviewer);
    server.readiness.set(API_SERVER, State::Ready);
    let readiness = server.readiness.clone();
    Watches { client, webhook, channel: settings.channel, readiness }.run().await;
    Ok(())
}

/// Reads the files of the certificate and of the CA of clients again and again.
async fn poll_certificates(mut files: CertificateFiles, clients: Option<ClientAuthority>, server: Arc<Server>) {
    let (readiness, metrics) = (&server.readiness, &server.metrics);
    let (mut pause, mut in_use) = (tokio::time::interval(server.limits.poll), Vec::new());
    loop {
        pause.tick().await;
        let now = SystemTime::now();
        if let Some(clients) = &clients {
            match clients.read() {
                Ok((content, verifier)) => {
                    if content != in_use {
                        server.tls.store(Some(Arc::new(server_config(files.resolver(), Some(verifier)))));
                        in_use = content;
                    }
                    readiness.set(CLIENTS, State::Ready);
                }
                // The last good one counts.
                Err(why) => readiness.set(CLIENTS, State::NotReady(sentences(&why))),
            }
        }
        if let Some(facts) = files.poll(now) {
            tracing::info!(serial = facts.serial, names = facts.names.join(","), "the certificate is in use");
        }
        match files.state(now) {
            Ok(facts) => {
                let expiry = facts.not_after.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                metrics.certificate_expiry.set(i64::try_from(expiry.as_secs()).unwrap_or(i64::MAX));
                readiness.set(CERTIFICATE, State::Ready);
            }
            Err(diagnostic) => readiness.set(CERTIFICATE, State::NotReady(sentences(&diagnostic))),
        }
    }
}
