//! The lease of a migration: a second run does not start while the first one works.
//!
//! Invariants: the lease is a courtesy. What keeps objects safe are the guards of each write. A lease is taken over only if its holder has ended
//! on this machine, or did not renew it for its whole duration, measured by this process: clocks of machines are not compared.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crd_cluster::{Cluster, Metadata, Resource, Written};
use crd_diagnostics::Diagnostic;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::migrate::codes;
use crate::migrate::settings::{Progress, Settings};

/// How long a lease holds without a renewal.
const DURATION: Duration = Duration::from_secs(15);

/// How often it is renewed.
const RENEWAL: Duration = Duration::from_secs(4);

/// The most characters of a name in Kubernetes.
const LONGEST_NAME: usize = 253;

const NAMESPACE: &str = "kube-system";

/// Who holds a lease.
pub struct Holder<'h> {
    /// The name of this run, such as `HOST/PROCESS`.
    pub name: String,
    /// Whether the run with such a name has certainly ended.
    pub has_ended: &'h (dyn Fn(&str) -> bool + Sync),
    /// The time of a renewal for readers of the lease, as in RFC 3339 with microseconds.
    pub now: &'h (dyn Fn() -> String + Sync),
    /// Called with the name of another holder before the wait for it.
    pub on_wait: &'h (dyn Fn(&str) + Sync),
}

/// How far a run is, for readers of its lease: annotations.
#[derive(Default)]
pub struct Noted(Mutex<Value>);

impl Noted {
    /// Notes the progress. The next renewal of the lease shows it.
    pub fn note(&self, progress: &Progress<'_>) {
        let mut annotations = json!({
            "crd-channels/step": progress.step,
            "crd-channels/seen": progress.seen.to_string(),
            "crd-channels/written": progress.written.to_string(),
        });
        if let Some(remaining) = progress.remaining {
            annotations["crd-channels/remaining"] = remaining.to_string().into();
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = annotations;
    }
}

/// Runs `work` with the lease of a migration of this name, and gives it back.
///
/// # Errors
/// The error of `work`; or a diagnostic if the lease is held by another run, was lost, or cannot be written.
pub async fn with_lease<T>(
    cluster: &Cluster,
    name: &str,
    holder: &Holder<'_>,
    noted: &Noted,
    work: impl Future<Output = Result<T, Diagnostic>>,
) -> Result<T, Diagnostic> {
    let mut lease = Lease { cluster, name, holder, noted, object: Value::Null };
    lease.take().await?;
    let result = tokio::select! {
        result = work => result,
        lost = lease.keep() => return Err(lost),
    };
    lease.give_back().await;
    result
}

/// The name of the lease for a CRD, or for one part of its objects.
pub(crate) fn lease_of(crd: &str, settings: &Settings) -> String {
    let shard = settings.shard.map(|shard| format!(".{}-of-{}", shard.index, shard.of)).unwrap_or_default();
    let mut name = format!("crd-channels-migrate.{crd}");
    name.truncate(LONGEST_NAME - shard.len());
    name + &shard
}

struct Lease<'l> {
    cluster: &'l Cluster,
    name: &'l str,
    holder: &'l Holder<'l>,
    noted: &'l Noted,
    object: Value,
}

fn resource() -> Resource {
    Resource::new("coordination.k8s.io", "v1", "leases")
}

/// The name of the holder of a lease; empty without one.
fn holder(object: &Value) -> &str {
    object["spec"]["holderIdentity"].as_str().unwrap_or_default()
}

impl Lease<'_> {
    /// Takes the lease. Waits for a holder who may have ended.
    async fn take(&mut self) -> Result<(), Diagnostic> {
        let mut seen: Option<Value> = None;
        loop {
            let Some(now) = self.cluster.get(&resource(), Some(NAMESPACE), self.name).await? else {
                if self.write(None).await? {
                    return Ok(());
                }
                continue;
            };
            let (holder, version) = (holder(&now), &now["metadata"]["resourceVersion"]);
            let is_stale = seen.as_ref().is_some_and(|seen| seen["metadata"]["resourceVersion"] == *version);
            let is_free =
                holder.is_empty() || holder == self.holder.name || (self.holder.has_ended)(holder) || is_stale;
            if is_free {
                if self.write(Some(&now)).await? {
                    return Ok(());
                }
            } else if seen.is_some() {
                return Err(self.held(holder));
            } else {
                (self.holder.on_wait)(holder);
                sleep(DURATION).await;
                seen = Some(now);
            }
        }
    }

    fn held(&self, holder: &str) -> Diagnostic {
        let message = format!("`{holder}` migrates at the moment: it holds the lease {NAMESPACE}/{}", self.name);
        codes::HELD.finding(message).help("wait for its end; a lease that is not renewed is taken over after 15 s")
    }

    /// Renews the lease until that fails.
    async fn keep(&mut self) -> Diagnostic {
        loop {
            sleep(RENEWAL).await;
            let object = self.object.clone();
            let written = match self.write(Some(&object)).await {
                Ok(false) => self.is_held().await,
                written => written,
            };
            match written {
                Ok(true) => {}
                Ok(false) => {
                    let message = format!("the lease {NAMESPACE}/{} was taken over by another run", self.name);
                    return codes::LEASE_LOST.finding(message).help("run the migration again");
                }
                Err(diagnostic) => return diagnostic,
            }
        }
    }

    /// Reads the lease again. Whether this run holds it: the answer to its last write was lost.
    async fn is_held(&mut self) -> Result<bool, Diagnostic> {
        let now = self.cluster.get(&resource(), Some(NAMESPACE), self.name).await?;
        self.object = now.unwrap_or_default();
        Ok(holder(&self.object) == self.holder.name)
    }

    /// Writes the lease with this holder, over the lease that was read. False if someone else was faster.
    async fn write(&mut self, over: Option<&Value>) -> Result<bool, Diagnostic> {
        let spec = json!({
            "holderIdentity": self.holder.name,
            "leaseDurationSeconds": DURATION.as_secs(),
            "renewTime": (self.holder.now)(),
        });
        let annotations = self.noted.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut metadata = json!({"namespace": NAMESPACE, "name": self.name, "annotations": annotations});
        for key in ["uid", "resourceVersion"] {
            if let Some(value) = over.and_then(|over| over.get("metadata")?.get(key)) {
                metadata[key] = value.clone();
            }
        }
        let object =
            json!({"apiVersion": resource().api_version(), "kind": "Lease", "metadata": metadata, "spec": spec});
        let writer = self.cluster.writer(false);
        let written = match over {
            None => writer.create(&resource(), &object).await?,
            Some(_) => writer.replace(&resource(), &object, crd_cluster::Part::Object).await?,
        };
        let Some(object) = written.accepted()? else { return Ok(false) };
        self.object = object;
        Ok(true)
    }

    /// Removes the lease. If that fails, it ends by itself.
    async fn give_back(mut self) {
        // The end of the work can come between a renewal and its answer: the lease is then a newer one.
        while let Ok(Written::Changed) = self.delete().await {
            if !matches!(self.is_held().await, Ok(true)) {
                return;
            }
        }
    }

    async fn delete(&self) -> Result<Written, Diagnostic> {
        let (name, namespace) = (self.name.to_owned(), Some(NAMESPACE.to_owned()));
        let metadata = Metadata { name, namespace, ..Metadata::of(&self.object) };
        self.cluster.writer(false).delete(&resource(), &metadata).await
    }
}
