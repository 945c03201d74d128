//! The migration of the stored version by the server: a StorageVersionMigration, and kube-controller-manager, which writes the objects
//! (`storagemigration.k8s.io`, Kubernetes 1.35 and later).
//!
//! Invariants:
//! * The controller removes entries of `status.storedVersions` also if its migration fails (measured on 1.36 and 1.37). So each write is tried as a dry
//!   run first, and after a failure the entries are put back.
//! * A StorageVersionMigration that this program made is deleted at the end.

use std::time::Duration;

use crd_cluster::{Cluster, Metadata, NOT_SERVED, Resource, Written};
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::migrate::blocked::{about, changed};
use crate::migrate::codes;
use crate::migrate::install::set_stored_versions;
use crate::migrate::migrated::Migrated;
use crate::migrate::settings::{OnProgress, Progress, Settings};
use crate::migrate::storage::StoragePlan;

/// The versions of the API, newest first.
const VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// How often the server is asked.
const INTERVAL: Duration = Duration::from_millis(500);

/// After this time without a sign of a controller, there is none.
const PATIENCE: Duration = Duration::from_secs(90);

/// How a migration of the server ended.
enum End {
    Succeeded,
    Failed(String),
}

/// Has the server write the objects of a CRD, and remove the entries.
///
/// # Errors
/// If the server has no such API or no controller for it, or cannot be read or written.
pub async fn run_by_server(
    plan: &StoragePlan,
    cluster: &Cluster,
    settings: &Settings,
    on_progress: OnProgress<'_>,
) -> Result<Migrated, Diagnostic> {
    let trial = Settings { is_dry_run: true, shard: None, ..*settings };
    let tried = plan.run(cluster, &trial, on_progress).await?;
    if settings.is_dry_run || !tried.is_done() || !tried.counts.is_complete() || plan.is_done() {
        let is_pruned = tried.is_pruned && (settings.is_dry_run || plan.is_done());
        return Ok(Migrated { is_pruned, ..tried });
    }
    let resource = served(cluster, plan.name()).await?;
    let name = format!("crd-channels.{}", plan.name());
    create(cluster, &resource, &name, plan.crd()).await?;
    let (crd, remaining) = (plan.name(), tried.counts.seen.into());
    let report = |step: &'static str| Progress { crd, step, seen: 0, written: 0, remaining };
    let mut waited = Duration::ZERO;
    let end = loop {
        let Some(migration) = cluster.get(&resource, None, &name).await? else { return Err(changed(plan.name())) };
        if let Some(end) = end_of(&migration) {
            break end;
        }
        if migration.get("status").is_none() && waited >= PATIENCE {
            delete(cluster, &resource, &migration).await?;
            let message = "no controller of the server takes up its StorageVersionMigration";
            return Err(about(&codes::NO_CONTROLLER, plan.name(), message).help("migrate without `--with server`"));
        }
        on_progress(&report("the server migrates"));
        sleep(INTERVAL).await;
        waited += INTERVAL;
    };
    let mut migrated = Migrated { counts: tried.counts, ..Migrated::default() };
    match end {
        End::Succeeded => plan.finish(cluster, settings, &mut migrated).await?,
        End::Failed(why) => {
            let message = format!("the server could not migrate its objects: {why}");
            let help = "remove the reason, and migrate again";
            migrated.diagnostics.push(about(&codes::SERVER_FAILED, plan.name(), message).help(help));
            restore(plan, cluster).await?;
        }
    }
    if let Some(migration) = cluster.get(&resource, None, &name).await? {
        delete(cluster, &resource, &migration).await?;
    }
    Ok(migrated)
}

/// The newest version of the API that the server has.
async fn served(cluster: &Cluster, crd: &str) -> Result<Resource, Diagnostic> {
    for version in VERSIONS {
        let resource = Resource::new("storagemigration.k8s.io", version, "storageversionmigrations");
        match cluster.get(&resource, None, "crd-channels").await {
            Ok(_) => return Ok(resource),
            Err(diagnostic) if diagnostic.code == NOT_SERVED => {}
            Err(diagnostic) => return Err(diagnostic),
        }
    }
    let message = "the server does not have the API `storagemigration.k8s.io`";
    Err(about(&codes::NO_CONTROLLER, crd, message).help("migrate without `--with server`"))
}

/// Creates the StorageVersionMigration; one of an earlier run that has ended is deleted.
async fn create(
    cluster: &Cluster,
    resource: &Resource,
    name: &str,
    crd: &CustomResourceDefinition,
) -> Result<(), Diagnostic> {
    if let Some(earlier) = cluster.get(resource, None, name).await? {
        if end_of(&earlier).is_none() {
            return Ok(());
        }
        delete(cluster, resource, &earlier).await?;
    }
    let object = json!({
        "apiVersion": resource.api_version(),
        "kind": "StorageVersionMigration",
        "metadata": {"name": name},
        "spec": {"resource": {"group": crd.group, "resource": crd.names.plural}},
    });
    match cluster.writer(false).create(resource, &object).await? {
        // An answer that was lost, or another run.
        Written::Done(_) | Written::Changed => Ok(()),
        Written::Refused(diagnostic) => Err(diagnostic),
        Written::Gone => Err(changed(&crd.name)),
    }
}

async fn delete(cluster: &Cluster, resource: &Resource, object: &Value) -> Result<(), Diagnostic> {
    // If it changed meanwhile, the next run deletes it.
    cluster.writer(false).delete(resource, &Metadata::of(object)).await.map(|_| ())
}

/// The end of a migration. The controller changes the CRD before it reports that it runs no more.
fn end_of(migration: &Value) -> Option<End> {
    let conditions = migration.pointer("/status/conditions").and_then(Value::as_array)?;
    let condition = |kind: &str| conditions.iter().find(|condition| condition["type"] == kind);
    let is_true = |condition: &&Value| condition["status"] == "True";
    if condition("Running").is_some_and(|running| running["status"] != "False") {
        return None;
    }
    let text = |condition: &Value| condition["message"].as_str().unwrap_or_default().to_owned();
    let failed = condition("Failed").filter(is_true).map(|condition| End::Failed(text(condition)));
    failed.or_else(|| condition("Succeeded").filter(is_true).map(|_| End::Succeeded))
}

/// Puts entries back that the controller removed after a failure.
async fn restore(plan: &StoragePlan, cluster: &Cluster) -> Result<(), Diagnostic> {
    let Some((now, _)) = cluster.crd(plan.name()).await? else { return Err(changed(plan.name())) };
    if now.stored_versions == plan.stored_versions() {
        return Ok(());
    }
    let stored = plan.stored_versions().iter().map(String::as_str).collect::<Vec<_>>();
    let written = set_stored_versions(&cluster.writer(false), &now.metadata, &now.stored_versions, &stored).await?;
    written.accepted()?.map(|_| ()).ok_or_else(|| changed(plan.name()))
}
