//! The configuration of a connection: kubeconfig files, or the service account of a pod.

use std::env;
use std::path::PathBuf;

use crd_diagnostics::Diagnostic;
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};

use crate::codes;

/// Where configurations come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// The files, in the order of precedence.
    files: Vec<PathBuf>,
    /// Whether the program runs in a pod.
    is_in_pod: bool,
    /// Hosts that need no proxy: `NO_PROXY`.
    no_proxy: String,
}

impl Sources {
    /// The sources that the environment names.
    pub(crate) fn of_environment() -> Self {
        let named = env::var_os("KUBECONFIG").unwrap_or_default();
        let mut files: Vec<_> = env::split_paths(&named).filter(|path| !path.as_os_str().is_empty()).collect();
        if files.is_empty() {
            files.extend(env::home_dir().map(|home| home.join(".kube/config")));
        }
        let no_proxy = env::var("NO_PROXY").or_else(|_| env::var("no_proxy")).unwrap_or_default();
        Self { files, is_in_pod: env::var_os("KUBERNETES_SERVICE_HOST").is_some(), no_proxy }
    }

    /// The configuration of a context, or of the current one.
    pub(crate) async fn config(&self, context: Option<&str>) -> Result<Config, Diagnostic> {
        // As kubectl: files that do not exist are left out.
        let files = self.files.iter().filter(|file| file.exists()).collect::<Vec<_>>();
        if files.is_empty() && self.is_in_pod && context.is_none() {
            return Config::incluster().map_err(|error| {
                Diagnostic::error(
                    codes::CREDENTIALS,
                    format!("the service account of this pod cannot be used: {error}"),
                )
                .help("set `automountServiceAccountToken: true`, or name a kubeconfig in `KUBECONFIG`")
            });
        }
        if files.is_empty() {
            let looked = self.files.iter().map(|file| format!("`{}`", file.display())).collect::<Vec<_>>().join(", ");
            let message = match looked.is_empty() {
                true => "no kubeconfig found".to_owned(),
                false => format!("no kubeconfig found at {looked}"),
            };
            return Err(Diagnostic::error(codes::NO_KUBECONFIG, message).help("name one in the variable `KUBECONFIG`"));
        }
        let mut kubeconfig = Kubeconfig::default();
        for file in files {
            let unreadable = |error: kube::config::KubeconfigError| {
                Diagnostic::error(codes::KUBECONFIG, format!("the kubeconfig cannot be read: {error}"))
                    .at_file(file)
                    .help("`kubectl config view` reads the same files")
            };
            let read = Kubeconfig::read_from(file).map_err(unreadable)?;
            kubeconfig = kubeconfig.merge(read).map_err(unreadable)?;
        }
        let context = chosen(&kubeconfig, context)?;
        let options = KubeConfigOptions { context: Some(context.clone()), ..KubeConfigOptions::default() };
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
        let mut config = config.map_err(|error| {
            Diagnostic::error(codes::KUBECONFIG, format!("the context `{context}` cannot be used: {error}"))
                .help("`kubectl config view` shows the context, its cluster and its user")
        })?;
        if config.cluster_url.host().is_some_and(|host| is_direct(host, &self.no_proxy)) {
            config.proxy_url = None;
        }
        Ok(config)
    }
}

/// The name of the context to use.
fn chosen(kubeconfig: &Kubeconfig, context: Option<&str>) -> Result<String, Diagnostic> {
    let names = kubeconfig.contexts.iter().map(|context| &*context.name).collect::<Vec<_>>();
    let listed = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let current = kubeconfig.current_context.as_deref().filter(|name| !name.is_empty());
    match (context.or(current), &*names) {
        (Some(name), names) if names.contains(&name) => Ok(name.to_owned()),
        (Some(name), _) => {
            let message = format!("the kubeconfig has no context `{name}`");
            Err(Diagnostic::error(codes::UNKNOWN_CONTEXT, message).help(match listed.is_empty() {
                true => "the kubeconfig has no contexts: `kubectl config view`".to_owned(),
                false => format!("its contexts: {listed}"),
            }))
        }
        (None, [name]) => Ok((*name).to_owned()),
        (None, []) => Err(Diagnostic::error(codes::NO_CONTEXT, "the kubeconfig has no contexts")
            .help("`kubectl config view` shows what was read")),
        (None, _) => {
            Err(Diagnostic::error(codes::NO_CONTEXT, "the kubeconfig has several contexts, and no current one")
                .help(format!("name one with `--context`: {listed}")))
        }
    }
}

/// Whether a host needs no proxy: this machine, and the hosts and domains of `NO_PROXY`.
fn is_direct(host: &str, no_proxy: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    let is_local = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    let is_listed =
        no_proxy.split(',').map(|entry| entry.trim().trim_start_matches("*.").trim_start_matches('.')).any(|entry| {
            let is_below = host.strip_suffix(entry).is_some_and(|before| before.is_empty() || before.ends_with('.'));
            entry == "*" || (!entry.is_empty() && is_below)
        });
    is_local || is_listed
}
