//! Which parts of a migration are complete: an annotation of the CRD, so that the last part can prune.
//!
//! Invariants: a part counts only for the generation of the CRD that it worked with. The annotation changes only if nothing else of the CRD changed
//! since it was read.

use std::collections::BTreeSet;

use crd_cluster::{Cluster, InstalledCrd, Metadata, Part, Resource};
use crd_diagnostics::Diagnostic;
use serde_json::{Value, json};

use crate::migrate::blocked::about;
use crate::migrate::codes;
use crate::migrate::install::annotate;
use crate::migrate::settings::Shard;

pub(crate) const ANNOTATION: &str = "crd-channels/migrated-shards";

/// How often another part may be faster.
const MOST_TRIES: u32 = 64;

/// Notes that a part is complete for a generation of a CRD. Whether all parts are; false if the CRD has changed. With `storage`, they are also if only this
/// version is left in `status.storedVersions`.
pub(crate) async fn complete(
    cluster: &Cluster,
    crd: &Metadata,
    storage: Option<&str>,
    shard: Shard,
) -> Result<bool, Diagnostic> {
    for _ in 0..MOST_TRIES {
        let Some((InstalledCrd { metadata: now, stored_versions, .. }, _)) = cluster.crd(&crd.name).await? else {
            return Ok(false);
        };
        if now.identity() != crd.identity() {
            return Ok(false);
        }
        // A part that was run again comes after the last one.
        if storage.is_some_and(|storage| stored_versions == [storage]) {
            return Ok(true);
        }
        let mut done = read(&now, shard.of);
        done.insert(shard.index);
        let is_complete = done.len() == usize::try_from(shard.of).unwrap_or(usize::MAX);
        if write(cluster, &now, Some(&json!({"generation": now.generation, "of": shard.of, "done": done}))).await? {
            return Ok(is_complete);
        }
    }
    let message = "it changes all the time, so it could not be noted that this part is complete";
    Err(about(&codes::CHANGED, &crd.name, message).help("run this part again"))
}

/// Removes the annotation after the last part.
pub(crate) async fn remove(cluster: &Cluster, name: &str) -> Result<(), Diagnostic> {
    for _ in 0..MOST_TRIES {
        let Some((now, _)) = cluster.crd(name).await? else { return Ok(()) };
        if !now.metadata.annotations.contains_key(ANNOTATION) || write(cluster, &now.metadata, None).await? {
            return Ok(());
        }
    }
    Ok(())
}

/// The complete parts, if they are parts of this generation and as many.
fn read(crd: &Metadata, of: u32) -> BTreeSet<u32> {
    let value = crd.annotations.get(ANNOTATION).and_then(|text| serde_json::from_str::<Value>(text).ok());
    let value = value.filter(|value| value["generation"].as_i64() == crd.generation && value["of"] == of);
    let done = value.as_ref().and_then(|value| value["done"].as_array());
    let parts = done.into_iter().flatten().filter_map(|part| u32::try_from(part.as_u64()?).ok());
    parts.filter(|part| (1..=of).contains(part)).collect()
}

/// Writes the annotation, or removes it. False if the CRD changed meanwhile.
async fn write(cluster: &Cluster, crd: &Metadata, value: Option<&Value>) -> Result<bool, Diagnostic> {
    let value = value.map(Value::to_string);
    let operations = annotate(crd, ANNOTATION, value.as_deref());
    Ok(cluster.writer(false).patch(&Resource::crds(), crd, Part::Object, &operations).await?.accepted()?.is_some())
}
