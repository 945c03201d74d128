//! Changes of CRDs: their guards, and the wait until the server uses them.
//!
//! Invariants: a CRD is replaced only if its UID and generation are those that were read. Finalizers, owners, and labels and annotations of other
//! programs stay.

use std::collections::BTreeMap;
use std::time::Duration;

use crd_cluster::{Cluster, InstalledCrd, Metadata, Part, Resource, Writer, Written};
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_model::schema::Schema;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::migrate::blocked::{about, changed};
use crate::migrate::codes;
use crate::migrate::state::Stage;

/// How often the metadata or the status of a CRD may change during a replacement.
const MOST_TRIES: u32 = 8;

/// A field of transitional CRDs, by which a run sees that the server uses them. No object has it.
const MARKER: &str = "crdChannelsStage";
/// The object that the server is asked about. It is never stored.
const PROBE: &str = "crd-channels-probe";
/// The server must have used the CRD for so many requests.
const PROBES: u32 = 3;
const PROBE_INTERVAL: Duration = Duration::from_millis(150);
/// The longest wait for the server.
const MOST_PROBES: u32 = 200;
/// The wait if the server does not answer such questions.
const SETTLING: Duration = Duration::from_secs(5);

/// Changes of the annotations of a CRD: a value, or nothing to remove the annotation.
pub(crate) type Annotations<'a> = BTreeMap<&'a str, Option<String>>;

/// The CRD now, if its `spec` is still the one that was read.
///
/// # Errors
/// If it has changed, or cannot be read.
pub(crate) async fn unchanged(cluster: &Cluster, read: &Metadata) -> Result<(InstalledCrd, Value), Diagnostic> {
    let now = cluster.crd(&read.name).await?;
    now.filter(|(now, _)| now.metadata.identity() == read.identity()).ok_or_else(|| changed(&read.name))
}

/// Makes `to` the list of `status.storedVersions`, if the list and the `spec` of the CRD are still those that were read.
///
/// # Errors
/// Why the CRD cannot be written.
pub(crate) async fn set_stored_versions(
    writer: &Writer<'_>,
    read: &Metadata,
    stored_versions: &[String],
    to: &[&str],
) -> Result<Written, Diagnostic> {
    let operations = [
        json!({"op": "test", "path": "/metadata/generation", "value": read.generation}),
        json!({"op": "test", "path": "/status/storedVersions", "value": stored_versions}),
        json!({"op": "replace", "path": "/status/storedVersions", "value": to}),
    ];
    writer.patch(&Resource::crds(), read, Part::Status, &operations).await
}

/// The operations that set an annotation of an object, or remove it, if the object is still the one that was read.
pub(crate) fn annotate(read: &Metadata, annotation: &str, value: Option<&str>) -> Vec<Value> {
    let path = format!("/metadata/annotations/{}", annotation.replace('/', "~1"));
    let mut operations =
        vec![json!({"op": "test", "path": "/metadata/resourceVersion", "value": read.resource_version})];
    if value.is_some() && read.annotations.is_empty() {
        operations.push(json!({"op": "add", "path": "/metadata/annotations", "value": {}}));
    }
    operations.push(match value {
        Some(value) => json!({"op": "add", "path": path, "value": value}),
        None => json!({"op": "remove", "path": path}),
    });
    operations
}

/// Replaces the `spec` of a CRD, and adds labels and annotations.
///
/// # Errors
/// If the CRD has changed, or the server refuses or cannot be asked.
pub(crate) async fn replace(
    cluster: &Cluster,
    (installed, document): &(InstalledCrd, Value),
    spec: &Value,
    labels: &BTreeMap<String, String>,
    annotations: &Annotations<'_>,
    is_dry_run: bool,
) -> Result<(), Diagnostic> {
    let name = &*installed.metadata.name;
    let mut metadata = document.get("metadata").cloned().unwrap_or_default();
    for _ in 0..MOST_TRIES {
        let object = with(&metadata, spec, labels, annotations);
        match cluster.writer(is_dry_run).replace(&Resource::crds(), &object, Part::Object).await? {
            Written::Done(_) => return Ok(()),
            Written::Refused(diagnostic) => return Err(diagnostic.of_crd(name.to_owned(), None, "")),
            Written::Changed | Written::Gone => {}
        }
        // Its status or metadata may have changed, or the answer to an earlier try was lost.
        let Some((now, document)) = cluster.crd(name).await? else { break };
        if now.metadata.identity() != installed.metadata.identity() || now.metadata.deletion_timestamp.is_some() {
            break;
        }
        metadata = document.get("metadata").cloned().unwrap_or_default();
    }
    Err(changed(name))
}

fn with(metadata: &Value, spec: &Value, labels: &BTreeMap<String, String>, annotations: &Annotations<'_>) -> Value {
    let mut metadata = metadata.clone();
    if let Some(members) = metadata.as_object_mut() {
        members.remove("managedFields");
        let mut edit = |key: &str, changes: &mut dyn Iterator<Item = (&str, Option<&String>)>| {
            let mut values = members.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
            for (name, value) in changes {
                match value {
                    Some(value) => values.insert(name.to_owned(), value.clone().into()),
                    None => values.remove(name),
                };
            }
            if !values.is_empty() || members.contains_key(key) {
                members.insert(key.to_owned(), values.into());
            }
        };
        edit("labels", &mut labels.iter().map(|(name, value)| (&**name, Some(value))));
        edit("annotations", &mut annotations.iter().map(|(name, value)| (*name, value.as_ref())));
    }
    let api_version = Resource::crds().api_version();
    json!({"apiVersion": api_version, "kind": "CustomResourceDefinition", "metadata": metadata, "spec": spec})
}

/// Adds the field by which [`until_used`] sees that the server uses the CRD.
pub(crate) fn mark(crd: &mut CustomResourceDefinition, stage: Stage) {
    for version in &mut crd.versions {
        let values = vec![json!(stage.name())];
        let marker = Schema { kind: Some("string".into()), enumeration: Some(values), ..Schema::default() };
        version.schema.properties.insert(MARKER.into(), marker);
    }
}

/// Waits until the server uses a transitional CRD. It is asked what it would answer to a new object with the field of an open stage: while the stage is
/// open, it shows the field; under a gate, it names the field in its refusal.
///
/// # Errors
/// If it does not use the CRD after some time.
pub(crate) async fn until_used(
    cluster: &Cluster,
    crd: &CustomResourceDefinition,
    version: &str,
    stage: Stage,
) -> Result<(), Diagnostic> {
    let resource = Resource::of(crd, version);
    let asked = if matches!(stage, Stage::Open | Stage::Gate) { Stage::Open } else { Stage::Back };
    let mut metadata = json!({"name": PROBE});
    if crd.scope == crd_model::crd::Scope::Namespaced {
        metadata["namespace"] = json!("default");
    }
    let probe = json!({
        "apiVersion": resource.api_version(),
        "kind": crd.names.kind.to_string(),
        "metadata": metadata,
        (MARKER): asked.name(),
    });
    let mut seen = 0;
    for _ in 0..MOST_PROBES {
        let is_used = match cluster.writer(true).create(&resource, &probe).await {
            Ok(Written::Done(object)) => stage.is_open() && object.get(MARKER) == probe.get(MARKER),
            Ok(Written::Refused(diagnostic)) if diagnostic.message.contains(MARKER) => !stage.is_open(),
            // Not the CRD refuses it.
            Ok(Written::Refused(diagnostic)) if diagnostic.message.contains("admission") => return settle().await,
            Err(diagnostic) if diagnostic.code == crd_cluster::NOT_SERVED => false,
            // There is an object of this name, or a permission is missing.
            Ok(Written::Changed) | Err(_) => return settle().await,
            // The earlier CRD refuses the object.
            Ok(Written::Refused(_) | Written::Gone) => false,
        };
        seen = if is_used { seen + 1 } else { 0 };
        if seen == PROBES {
            return Ok(());
        }
        sleep(PROBE_INTERVAL).await;
    }
    let message = format!("the server does not use its CRD of the stage `{}`", stage.name());
    Err(about(&codes::NOT_USED, &crd.name, message)
        .help("run the migration again; `kubectl describe crd` shows the reason"))
}

/// The wait for a server that cannot be asked.
async fn settle() -> Result<(), Diagnostic> {
    sleep(SETTLING).await;
    Ok(())
}
