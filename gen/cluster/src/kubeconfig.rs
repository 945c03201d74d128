//! The configuration of a connection: kubeconfig files, or the service account of a pod.

use std::env;
use std::path::PathBuf;

use crd_diagnostics::Diagnostic;
use http::Uri;
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
    /// The proxies of the environment: for servers with `http` and with `https`.
    proxies: [String; 2],
    /// Hosts that need no proxy of the environment: `NO_PROXY`.
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
        let value = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let either = |name: &str| value(name).or_else(|| value(&name.to_lowercase())).unwrap_or_default();
        let (proxies, no_proxy) = (["HTTP_PROXY", "HTTPS_PROXY"].map(either), either("NO_PROXY"));
        Self { files, is_in_pod: value("KUBERNETES_SERVICE_HOST").is_some(), proxies, no_proxy }
    }

    /// The configuration of a context, or of the current one.
    pub(crate) async fn config(&self, context: Option<&str>) -> Result<Config, Diagnostic> {
        // As kubectl: files that do not exist are left out.
        let files = self.files.iter().filter(|file| file.exists()).collect::<Vec<_>>();
        if files.is_empty() && self.is_in_pod && context.is_none() {
            return Config::incluster().map_err(|error| {
                codes::CREDENTIALS
                    .finding(format!("the service account of this pod cannot be used: {error}"))
                    .help("set `automountServiceAccountToken: true`, or name a kubeconfig in `KUBECONFIG`")
            });
        }
        if files.is_empty() {
            let looked = self.files.iter().map(|file| format!("`{}`", file.display())).collect::<Vec<_>>().join(", ");
            let message = match looked.is_empty() {
                true => "no kubeconfig found".to_owned(),
                false => format!("no kubeconfig found at {looked}"),
            };
            return Err(codes::NO_KUBECONFIG.finding(message).help("name one in the variable `KUBECONFIG`"));
        }
        let mut kubeconfig = Kubeconfig::default();
        for file in files {
            let unreadable = |error: kube::config::KubeconfigError| {
                // The lines after the first quote the file, which can contain a token.
                let error = error.to_string();
                let error = error.lines().next().unwrap_or_default();
                codes::KUBECONFIG
                    .finding(format!("the kubeconfig cannot be read: {error}"))
                    .at_file(file)
                    .help("`kubectl config view` reads the same files")
            };
            let read = Kubeconfig::read_from(file).map_err(unreadable)?;
            kubeconfig = kubeconfig.merge(read).map_err(unreadable)?;
        }
        let context = chosen(&kubeconfig, context)?;
        let proxy = explicit_proxy(&mut kubeconfig, &context);
        let options = KubeConfigOptions { context: Some(context.clone()), ..KubeConfigOptions::default() };
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
        let mut config = config.map_err(|error| {
            codes::KUBECONFIG
                .finding(format!("the context `{context}` cannot be used: {error}"))
                .help("`kubectl config view` shows the context, its cluster and its user")
        })?;
        let host = config.cluster_url.host().unwrap_or_default();
        let of_environment = || {
            let [http, https] = &self.proxies;
            let proxy = if config.cluster_url.scheme_str() == Some("http") { http } else { https };
            (!proxy.is_empty() && !is_direct(host, &self.no_proxy)).then(|| proxy.clone())
        };
        // As kubectl: a proxy of the kubeconfig has no exceptions.
        config.proxy_url = match proxy.or_else(of_environment) {
            Some(proxy) => Some(proxy_address(&proxy)?),
            None => None,
        };
        Ok(config)
    }
}

/// Takes the `proxy-url` of the cluster of a context out of a kubeconfig: kube would apply the exceptions of the environment to it.
fn explicit_proxy(kubeconfig: &mut Kubeconfig, context: &str) -> Option<String> {
    let context = kubeconfig.contexts.iter().find(|named| named.name == context)?.context.clone()?;
    let named = kubeconfig.clusters.iter_mut().find(|named| named.name == context.cluster)?;
    named.cluster.as_mut()?.proxy_url.take().filter(|proxy| !proxy.is_empty())
}

/// The address of a proxy. One without a scheme is an HTTP proxy, as for Go.
fn proxy_address(proxy: &str) -> Result<Uri, Diagnostic> {
    let whole = if proxy.contains("://") { proxy.to_owned() } else { format!("http://{proxy}") };
    whole.parse::<Uri>().ok().filter(|address| address.host().is_some()).ok_or_else(|| {
        // The address can contain a password.
        codes::PROXY
            .finding("the address of the proxy is not a URL")
            .help("correct `proxy-url` in the kubeconfig, or `HTTPS_PROXY`: `http://HOST:PORT`")
    })
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
            Err(codes::UNKNOWN_CONTEXT.finding(message).help(match listed.is_empty() {
                true => "the kubeconfig has no contexts: `kubectl config view`".to_owned(),
                false => format!("its contexts: {listed}"),
            }))
        }
        (None, [name]) => Ok((*name).to_owned()),
        (None, []) => Err(codes::NO_CONTEXT
            .finding("the kubeconfig has no contexts")
            .help("`kubectl config view` shows what was read")),
        (None, _) => Err(codes::NO_CONTEXT
            .finding("the kubeconfig has several contexts, and no current one")
            .help(format!("name one with `--context`: {listed}"))),
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

#[cfg(test)]
mod tests {
    use super::*;

    const CLUSTERS: &str = "clusters: [{name: c, cluster: {server: 'https://c.example.com:6443'}}]\nusers: [{name: u, user: {token: t}}]\n";

    /// The configuration that files with these texts give.
    async fn config(texts: &[&str], context: Option<&str>) -> Result<Config, Diagnostic> {
        let folder = tempfile::tempdir().unwrap();
        let files = texts.iter().enumerate().map(|(index, text)| {
            let file = folder.path().join(index.to_string());
            std::fs::write(&file, text).unwrap();
            file
        });
        let mut sources = Sources { files: files.collect(), ..Sources::default() };
        sources.files.push(folder.path().join("missing"));
        sources.config(context).await
    }

    fn contexts(names: &[&str]) -> String {
        let context = |name: &&str| format!("{{name: {name}, context: {{cluster: c, user: u}}}}");
        format!("{CLUSTERS}contexts: [{}]\n", names.iter().map(context).collect::<Vec<_>>().join(", "))
    }

    /// The code, the message and the help of a configuration that fails.
    async fn refused(texts: &[&str], context: Option<&str>) -> (&'static str, String, String) {
        let diagnostic = config(texts, context).await.unwrap_err();
        (diagnostic.code, diagnostic.message, diagnostic.help.unwrap_or_default())
    }

    #[tokio::test]
    async fn without_files_there_is_no_kubeconfig() {
        let (code, message, _) = refused(&[], None).await;
        assert_eq!(code, codes::NO_KUBECONFIG.name);
        assert!(message.starts_with("no kubeconfig found at `") && message.ends_with("/missing`"), "{message}");
        let nowhere = Sources::default().config(None).await.unwrap_err();
        assert_eq!((nowhere.code, &*nowhere.message), (codes::NO_KUBECONFIG.name, "no kubeconfig found"));
        // The machine of a test has no service account.
        let pod = Sources { is_in_pod: true, ..Sources::default() }.config(None).await.unwrap_err();
        assert_eq!(pod.code, codes::CREDENTIALS.name);
    }

    #[tokio::test]
    async fn the_context_is_the_named_one_or_the_current_one_or_the_only_one() {
        let two = contexts(&["staging", "production"]);
        let current = format!("{two}current-context: production\n");
        for (text, context) in [(&two, Some("staging")), (&current, None), (&contexts(&["only"]), None)] {
            let config = config(&[text], context).await.unwrap();
            assert_eq!(config.cluster_url.to_string(), "https://c.example.com:6443/");
        }
        let listed = "`staging`, `production`";
        assert_eq!(
            refused(&[&two], None).await,
            (
                codes::NO_CONTEXT.name,
                "the kubeconfig has several contexts, and no current one".to_owned(),
                format!("name one with `--context`: {listed}")
            )
        );
        assert_eq!(
            refused(&[&current], Some("stagin")).await,
            (
                codes::UNKNOWN_CONTEXT.name,
                "the kubeconfig has no context `stagin`".to_owned(),
                format!("its contexts: {listed}")
            )
        );
        let gone = format!("{two}current-context: gone\n");
        assert_eq!(refused(&[&gone], None).await.0, codes::UNKNOWN_CONTEXT.name);
        let empty = format!("{two}current-context: ''\n");
        assert_eq!(refused(&[&empty], None).await.0, codes::NO_CONTEXT.name);
        assert_eq!(refused(&[CLUSTERS], None).await.0, codes::NO_CONTEXT.name);
    }

    #[tokio::test]
    async fn files_are_merged_and_a_missing_one_is_left_out() {
        let context = "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n";
        let config = config(&[context, CLUSTERS], None).await.unwrap();
        assert_eq!(config.cluster_url.host(), Some("c.example.com"));
    }

    #[tokio::test]
    async fn files_that_cannot_be_used_are_reported() {
        for text in ["clusters: 1", "a: [", "kind: Config\n---\nkind: Other\n"] {
            assert_eq!(refused(&[text], None).await.0, codes::KUBECONFIG.name, "{text}");
        }
        let (_, message, _) = refused(&["users:\n- name: u\n  user: {token: secret, exec: 1}\n"], None).await;
        assert!(!message.contains("secret") && message.contains("line 3"), "{message}");
        let dangling = "contexts: [{name: x, context: {cluster: gone, user: u}}]\n";
        let (code, message, _) = refused(&[dangling], None).await;
        assert_eq!(code, codes::KUBECONFIG.name);
        assert!(message.starts_with("the context `x` cannot be used: ") && message.ends_with("gone"), "{message}");
        let authority = contexts(&["x"]).replace("server:", "certificate-authority: /missing.crt, server:");
        assert!(refused(&[&authority], None).await.1.contains("/missing.crt"));
    }

    #[tokio::test]
    async fn this_machine_and_listed_hosts_need_no_proxy() {
        for (host, no_proxy, expected) in [
            ("127.0.0.1", "", true),
            ("[::1]", "", true),
            ("localhost", "", true),
            ("c.example.com", "", false),
            ("c.example.com", "a.net, example.com", true),
            ("c.example.com", ".example.com", true),
            ("c.example.com", "*.example.com", true),
            ("cexample.com", "example.com", false),
            ("c.example.com", "*", true),
            ("c.example.com", ",", false),
        ] {
            assert_eq!(is_direct(host, no_proxy), expected, "{host} {no_proxy}");
        }
    }

    /// A context of a cluster with this server and `proxy-url`, in an environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`.
    async fn proxied(server: &str, proxy_url: &str, no_proxy: &str) -> Result<Config, Diagnostic> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        let text = contexts(&["x"]).replace("https://c.example.com:6443", server);
        let text = text.replace("server:", &format!("proxy-url: '{proxy_url}', server:"));
        std::fs::write(&file, text).unwrap();
        let proxies = ["http://plain:1", "http://tls:1"].map(str::to_owned);
        let sources = Sources { files: vec![file], proxies, no_proxy: no_proxy.to_owned(), is_in_pod: false };
        sources.config(None).await
    }

    #[tokio::test]
    async fn a_proxy_of_the_kubeconfig_has_no_exceptions() {
        for (server, explicit, no_proxy, expected) in [
            ("https://c.example.com", "http://mine:3128", "", Some("http://mine:3128/")),
            ("https://c.example.com", "http://mine:3128", "*", Some("http://mine:3128/")),
            ("https://127.0.0.1:6443", "http://mine:3128", "", Some("http://mine:3128/")),
            ("https://[::1]:6443", "socks5://mine:1080", "::1", Some("socks5://mine:1080/")),
            ("http://localhost", "mine:3128", "localhost,mine", Some("http://mine:3128/")),
            ("https://c.example.com", "", "", Some("http://tls:1/")),
            ("http://c.example.com", "", "", Some("http://plain:1/")),
            ("https://c.example.com", "", "example.com", None),
            ("https://127.0.0.1:6443", "", "", None),
            ("https://localhost:6443", "", "", None),
        ] {
            let found = proxied(server, explicit, no_proxy).await.unwrap().proxy_url.map(|url| url.to_string());
            assert_eq!(found.as_deref(), expected, "{server} {explicit} {no_proxy}");
        }
        let refused = proxied("https://c.example.com", "http://me:secret@:x y", "").await.unwrap_err();
        assert_eq!(refused.code, codes::PROXY.name);
        assert!(!refused.message.contains("secret"), "{}", refused.message);
    }

    /// A proxy that records what it is asked for.
    #[tokio::test]
    async fn a_server_on_this_machine_is_reached_through_the_proxy_of_the_kubeconfig() {
        let proxy = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", proxy.local_addr().unwrap());
        let config = proxied("https://127.0.0.1:6443", &address, "*").await.unwrap();
        let client = kube::Client::try_from(config).unwrap();
        let request = http::Request::get("/version").body(kube::client::Body::empty()).unwrap();
        let record = async {
            let (stream, _) = proxy.accept().await.unwrap();
            let mut bytes = [0; 512];
            stream.readable().await.unwrap();
            let length = stream.try_read(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes[..length]).into_owned()
        };
        let (answer, asked) = tokio::join!(client.send(request), record);
        assert!(asked.starts_with("CONNECT 127.0.0.1:6443 "), "{asked}");
        assert!(answer.is_err());
    }
}
