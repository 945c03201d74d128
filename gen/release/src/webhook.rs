//! The manifests of the validating webhook: everything that a cluster needs to run it for the CRDs of a channel.
//!
//! What is decided, and why:
//! * **Opt-in, and in a file of its own.** Everything that CRDs and policies can check works without it.
//! * **One file for each channel.** A webhook for another channel than that of the CRDs is not ready. All names are the same in both files, so
//!   that one replaces the other.
//! * **No priority class.** `failurePolicy: Ignore` keeps the cluster working without the webhook, and some clusters limit the classes of the
//!   system to `kube-system`.
//! * **No Helm chart.** `kubectl` and kustomize suffice: the archive has a base for each channel.
//!
//! Invariants: objects are values, in the order in which they are applied; every pod fulfils the Pod Security Standard `restricted`; no right is
//! wider than what the program uses, and no pod of the server can read the key of the authority; the same release gives the same objects.

mod configuration;
mod network;
mod rights;
mod workloads;

use crd_bundle::{BUNDLE_VERSION, CHANNEL};
use crd_model::channel::Channel;
use crd_model::webhook::Webhook;
use serde_json::{Value, json};

use crate::Release;

/// The name of the Deployment, the Service and the ServiceAccount of the server.
const SERVER: &str = "webhook";

/// The name of the ServiceAccount of the jobs, and of the CronJob.
const CERTIFICATES: &str = "webhook-certs";

/// The name of the Secret.
const SECRET: &str = "webhook-certificate";

/// The namespace of the webhook, which contains nothing else: `gateway-api-webhook`.
pub fn namespace(release: &Release) -> String {
    format!("{}-webhook", release.name)
}

/// The name of the ValidatingWebhookConfiguration and of its webhook: `webhook.<prefix>`.
pub fn configuration_name(prefix: &str) -> String {
    format!("webhook.{prefix}")
}

/// All objects for a channel; none if the catalogue declares no webhook, or if the release has no CRD in the channel.
pub fn objects(release: &Release, channel: Channel) -> Vec<Value> {
    let (Some(webhook), false) = (&release.webhook, release.channel(channel).is_empty()) else { return Vec::new() };
    let names = Names { release, webhook, channel };
    let mut objects = vec![names.namespace_object()];
    objects.extend(rights::objects(&names));
    objects.extend(network::objects(&names));
    objects.extend(workloads::objects(&names));
    // Without a server, each request waits until it is refused: the configuration is the last object.
    objects.push(configuration::object(&names));
    objects
}

/// The objects of each channel that has any.
pub fn of_channels(release: &Release) -> Vec<(Channel, Vec<Value>)> {
    let all = release.channels.iter().map(|released| (released.channel, objects(release, released.channel)));
    all.filter(|(_, objects)| !objects.is_empty()).collect()
}

/// What the objects have in common.
struct Names<'r> {
    release: &'r Release,
    webhook: &'r Webhook,
    channel: Channel,
}

impl Names<'_> {
    fn namespace(&self) -> String {
        namespace(self.release)
    }

    fn configuration(&self) -> String {
        configuration_name(&self.release.prefix)
    }

    /// The labels by which pods are selected. They never change: a Deployment refuses other labels.
    fn selector(&self, component: &str) -> Value {
        json!({ "app.kubernetes.io/name": self.namespace(), "app.kubernetes.io/component": component })
    }

    /// The metadata of an object of the whole cluster.
    fn of_cluster(&self, name: &str) -> Value {
        let labels = json!({
            "app.kubernetes.io/name": self.namespace(), "app.kubernetes.io/version": self.release.version.to_string(),
        });
        json!({ "name": name, "labels": labels })
    }

    /// The metadata of an object of the namespace.
    fn of_namespace(&self, name: &str) -> Value {
        let mut metadata = self.of_cluster(name);
        metadata["namespace"] = self.namespace().into();
        metadata
    }

    /// The stamps, as CRDs have them.
    fn stamps(&self) -> Value {
        let prefix = &self.release.prefix;
        json!({
            format!("{prefix}/{BUNDLE_VERSION}"): self.release.version.to_string(),
            format!("{prefix}/{CHANNEL}"): self.channel.name(),
        })
    }

    fn namespace_object(&self) -> Value {
        let mut metadata = self.of_cluster(&self.namespace());
        for mode in ["enforce", "warn", "audit"] {
            metadata["labels"][format!("pod-security.kubernetes.io/{mode}")] = "restricted".into();
        }
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata })
    }
}
