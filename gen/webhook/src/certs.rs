//! Makes and rotates a CA and a certificate for the webhook, in a Secret that its replicas share. API servers trust the CA because it is in the
//! `caBundle` of the ValidatingWebhookConfiguration.
//!
//! Invariants:
//! * A certificate that a replica may still serve verifies with the `caBundle`: a new CA is added before it signs, and an old CA is removed after the
//!   last certificate that it signed is out of use. Replicas and API servers lag behind by at most the overlap.
//! * All state is in the Secret and in the configuration. A run can end after any request, and the next one continues.
//! * Each write names the `resourceVersion` that was read. The configuration is read before the Secret, so a CA that is in the configuration but not
//!   in the Secret is an old one, and another run that adds a CA later changes the configuration first.

mod cluster;
mod issue;
mod plan;
mod state;

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use crd_diagnostics::{Diagnostic, ObjectName};
use kube::Client;
use rustls::pki_types::ServerName;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::certificate::rfc3339;
use crate::codes;
use cluster::Cluster;
use plan::Next;
use state::State;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The shortest and the longest lifetime of a certificate.
pub(crate) const SHORTEST: Duration = Duration::from_secs(10 * 60);
pub(crate) const LONGEST: Duration = DAY.saturating_mul(36_500);

/// The shortest lifetime in overlaps: a rotation waits for two of them, and starts when a third of the lifetime remains.
const OVERLAPS: u32 = 9;
/// In seconds.
pub(crate) const LONGEST_OVERLAP: u64 = LONGEST.as_secs() / OVERLAPS as u64;

/// How many writes in a row, without a wait, are not a rotation any more.
const MOST_WRITES: u32 = 30;

/// The pause after another client changed an object.
const CONFLICT_PAUSE: Duration = Duration::from_millis(100);

/// An object in a namespace, written as `NAMESPACE/NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespaced {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl FromStr for Namespaced {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
                Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() })
            }
            _ => Err("expected NAMESPACE/NAME".to_owned()),
        }
    }
}

/// What is made, for whom, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The prefix of annotations on the Secret: that of the bundle.
    pub prefix: String,
    /// The Secret. Its keys are `ca.crt`, `ca.key`, `tls.crt` and `tls.key`.
    pub secret: Namespaced,
    /// The name of the ValidatingWebhookConfiguration. The `caBundle` of all its webhooks is written.
    pub configuration: String,
    /// The Service of the webhook: the certificate is valid for its names.
    pub service: Namespaced,
    /// More names that the certificate is valid for: DNS names and IP addresses.
    pub hosts: Vec<String>,
    /// The lifetime of a CA. Default: 365 days.
    pub ca_lifetime: Duration,
    /// The lifetime of a certificate. Default: 90 days.
    pub leaf_lifetime: Duration,
    /// How long replicas and API servers may lag behind, and one minute for a slow write. Default: 300 s; kubelets refresh Secret volumes
    /// within about 2 minutes.
    pub overlap: Duration,
    /// Whether a new CA is made although the CA is fresh. A rotation that another run has begun is continued instead.
    pub rotate: bool,
}

impl Settings {
    /// The settings with their defaults.
    pub fn new(prefix: &str, secret: Namespaced, configuration: &str, service: Namespaced) -> Self {
        Self {
            prefix: prefix.to_owned(),
            secret,
            configuration: configuration.to_owned(),
            service,
            hosts: Vec::new(),
            ca_lifetime: DAY.saturating_mul(365),
            leaf_lifetime: DAY.saturating_mul(90),
            overlap: Duration::from_secs(300),
            rotate: false,
        }
    }

    /// The names of the certificate. API servers use `SERVICE.NAMESPACE.svc`.
    pub(crate) fn names(&self) -> Vec<String> {
        let Namespaced { namespace, name } = &self.service;
        let of_service = [format!("{name}.{namespace}.svc"), format!("{name}.{namespace}"), name.clone()];
        of_service.into_iter().chain(self.hosts.iter().cloned()).collect()
    }

    fn check(&self) -> Result<(), Diagnostic> {
        if let Some(name) = self.names().into_iter().find(|name| ServerName::try_from(&**name).is_err()) {
            let message = format!("`{name}` is neither a DNS name nor an IP address");
            return Err(codes::CERTS_SETTINGS.finding(message).help("write names without a scheme, port or path"));
        }
        let least = SHORTEST.max(self.overlap.saturating_mul(OVERLAPS));
        for (what, lifetime) in [("CA", self.ca_lifetime), ("certificate", self.leaf_lifetime)] {
            if lifetime < least || lifetime > LONGEST {
                let message = format!("the lifetime of the {what} is {} s", lifetime.as_secs());
                return Err(codes::CERTS_SETTINGS.finding(message).help(format!(
                    "with an overlap of {} s, choose a lifetime from {} s to {} s",
                    self.overlap.as_secs(),
                    least.as_secs(),
                    LONGEST.as_secs()
                )));
            }
        }
        Ok(())
    }

    pub(crate) fn secret_name(&self) -> ObjectName {
        let Namespaced { namespace, name } = self.secret.clone();
        ObjectName { kind: "Secret".to_owned(), namespace: Some(namespace), name }
    }

    pub(crate) fn configuration_name(&self) -> ObjectName {
        let kind = "ValidatingWebhookConfiguration".to_owned();
        ObjectName { kind, namespace: None, name: self.configuration.clone() }
    }
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// When nothing is due now: for a CronJob whose next run continues.
    Once,
    /// When nothing is due before the next renewal. It waits for the overlaps.
    Complete,
}

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The Secret has a new CA; the old ones remain, and so does the certificate.
    NewCa,
    /// The Secret has a new CA and a certificate of it, because every `caBundle` is empty.
    NewCaAndLeaf,
    /// The `caBundle` has all CAs of the Secret in addition to its own.
    ExtendCaBundle,
    /// The Secret has the time since when the `caBundle` has all its CAs.
    RecordCaBundle,
    /// The Secret has a new certificate of the newest CA.
    NewLeaf,
    /// The Secret has the time of its certificate, which was not there or in the future.
    RecordLeaf,
    /// The Secret has only the newest CA.
    DropOldCa,
    /// The `caBundle` has only the newest CA.
    ShrinkCaBundle,
    /// Nothing is written until a time.
    Wait,
}

impl Action {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::NewCa => ("new-ca", "created a new CA"),
            Self::NewCaAndLeaf => ("new-ca-and-leaf", "created a new CA and a certificate"),
            Self::ExtendCaBundle => ("extend-ca-bundle", "added the CAs of the Secret to the `caBundle`"),
            Self::RecordCaBundle => ("record-ca-bundle", "recorded since when the `caBundle` has all CAs"),
            Self::NewLeaf => ("new-leaf", "created a new certificate"),
            Self::RecordLeaf => ("record-leaf", "recorded since when the certificate is in use"),
            Self::DropOldCa => ("drop-old-ca", "removed the old CAs"),
            Self::ShrinkCaBundle => ("shrink-ca-bundle", "removed the old CAs from the `caBundle`"),
            Self::Wait => ("wait", "nothing to do"),
        }
    }
}

/// A step that was taken, or a wait that begins. It displays as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was written.
    pub object: ObjectName,
    /// The kind of the step.
    pub action: Action,
    /// Why, as the end of a sentence.
    pub because: String,
    /// The end of a wait.
    pub until: Option<SystemTime>,
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.object, self.action.names().1)?;
        if let Some(until) = self.until {
            write!(formatter, " until {}", rfc3339(until))?;
        }
        write!(formatter, ", because {}", self.because)
    }
}

impl Step {
    /// The keys `object` (`kind`, `namespace`, `name`), `action`, `because` and `until`.
    pub fn json(&self) -> Value {
        let ObjectName { kind, namespace, name } = &self.object;
        json!({
            "object": {"kind": kind, "namespace": namespace, "name": name},
            "action": self.action.name(),
            "because": self.because,
            "until": self.until.map(rfc3339),
        })
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether nothing is due before the next renewal. Otherwise a rotation waits for its overlap.
    pub is_complete: bool,
    /// When the next step is due.
    pub next: SystemTime,
}

/// Takes the steps that are due, and calls `on_step` after each of them and before each wait. `now` is the clock.
///
/// It needs `get`, `create` and `patch` on Secrets in the namespace, and `get` and `patch` on the configuration. Runs at the same time are safe.
///
/// # Errors
/// A diagnostic if the settings cannot be used, an object or a permission is missing, another program manages the certificates, or a request
/// failed. What was written before remains usable, and the next run continues.
pub async fn run(
    client: Client,
    settings: &Settings,
    until: Until,
    now: &(dyn Fn() -> SystemTime + Sync),
    on_step: &mut (dyn FnMut(&Step) + Send),
) -> Result<Outcome, Diagnostic> {
    settings.check()?;
    let cluster = Cluster::new(client, settings);
    let (mut is_rotation_due, mut writes) = (settings.rotate, 0_u32);
    loop {
        let objects = cluster.read().await?;
        let time = now();
        let state = State::new(&objects, settings, time);
        is_rotation_due &= !state.is_rotating();
        let (action, because) = match plan::next(&state, settings.overlap, is_rotation_due, time) {
            Next::Done { next } => return Ok(Outcome { is_complete: true, next }),
            Next::Wait { until: next, .. } if until == Until::Once => return Ok(Outcome { is_complete: false, next }),
            Next::Wait { until, because } => {
                on_step(&Step { object: settings.secret_name(), action: Action::Wait, because, until: Some(until) });
                sleep(until.duration_since(time).unwrap_or_default()).await;
                writes = 0;
                continue;
            }
            Next::Write { action, because } => (action, because),
        };
        writes = writes.saturating_add(1);
        if writes > MOST_WRITES {
            let message = format!("{MOST_WRITES} writes were not enough: {because}");
            let help = "find the program that overwrites the Secret or the configuration in `metadata.managedFields`";
            return Err(codes::CERTS_CONFLICT.finding(message).of_object(settings.secret_name()).help(help));
        }
        if !cluster.write(&objects, issue::write(action, &state, settings, time)?).await? {
            sleep(CONFLICT_PAUSE).await;
            continue;
        }
        is_rotation_due &= !matches!(action, Action::NewCa | Action::NewCaAndLeaf);
        let is_bundle = matches!(action, Action::ExtendCaBundle | Action::ShrinkCaBundle);
        let object = if is_bundle { settings.configuration_name() } else { settings.secret_name() };
        on_step(&Step { object, action, because, until: None });
    }
}
