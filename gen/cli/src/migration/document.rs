//! The plan and the result as a JSON document.

use crd_cluster::Server;
use crd_diagnostics::Diagnostic;
use crd_model::document::SchemaVersion;
use crd_upgrade::migrate::{Forms, Migrated, Migration, Plan, Row, Served, Shard};
use serde::Serialize;

use super::text::{self, Losses};

/// What `migrate` prints with `--format json`: one document, on one line, at the end. Exit code 0: nothing remains to be done. 1: something remains,
/// or was refused. 2: the cluster could not be read or written; then stderr has the reason, and the document is what was done before.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Migration"))]
pub(crate) struct MigrationDocument<'m> {
    schema_version: SchemaVersion<1>,
    server: &'m Server,
    /// Whether nothing was changed.
    dry_run: bool,
    /// The part of the objects, such as 1/4. Null for all.
    shard: Option<Shard>,
    /// The CRDs: those of the target or of the API, then replaced ones.
    crds: Vec<MigratedCrd<'m>>,
    /// Installed CRDs that the target neither has nor replaces.
    left: &'m [String],
    /// Whether nothing remains to be done.
    done: bool,
}

/// A CRD.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MigratedCrd<'m> {
    /// The name of the CRD.
    name: &'m str,
    /// How many objects it has. Null if this was not read, or the server does not show it.
    objects: Option<u64>,
    /// The version in which its objects will be stored. Null if it cannot be migrated, and for replaced resources and rollbacks.
    storage: Option<&'m str>,
    /// The versions that leave `status.storedVersions`.
    leaving: Vec<&'m str>,
    /// The plan, in words.
    steps: Vec<String>,
    forms: &'m Forms,
    /// What was done. Null if nothing was.
    result: Option<&'m Migrated>,
    /// Whether nothing remains to be done.
    done: bool,
    /// Why it cannot be migrated, or was not migrated completely.
    findings: &'m [Diagnostic],
}

/// What `migrate --unserve` and `--serve` print with `--format json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Serving<'m> {
    schema_version: SchemaVersion<1>,
    /// Whether nothing was changed.
    dry_run: bool,
    /// The version of the CRDs.
    version: &'m str,
    /// Whether it is served from now on.
    served: bool,
    /// The CRDs.
    crds: Vec<ServedCrd<'m>>,
    /// Why a CRD was not changed.
    findings: &'m [Diagnostic],
}

/// A CRD with the version.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ServedCrd<'m> {
    /// The name of the CRD.
    name: &'m str,
    /// Whether it was changed.
    changed: bool,
}

pub(crate) fn migration<'m>(migration: &'m Migration<'_>, losses: &Losses) -> MigrationDocument<'m> {
    MigrationDocument {
        schema_version: SchemaVersion,
        server: &migration.server,
        dry_run: migration.settings.is_dry_run,
        shard: migration.settings.shard,
        crds: migration.rows.iter().map(|row| migrated(row, migration, losses)).collect(),
        left: &migration.left,
        done: migration.is_done(),
    }
}

fn migrated<'m>(row: &'m Row<'_>, migration: &Migration<'_>, losses: &Losses) -> MigratedCrd<'m> {
    let plan = row.plan.as_ref();
    MigratedCrd {
        name: &row.name,
        objects: row.objects,
        storage: plan.and_then(Plan::storage),
        leaving: plan.map(Plan::leaving).unwrap_or_default(),
        steps: text::steps(row, migration, losses),
        forms: &row.forms,
        result: row.migrated.as_ref(),
        done: row.is_done(),
        findings: &row.findings,
    }
}

/// What became of the service of a version.
pub(crate) fn serving<'m>(
    rows: &[(&'m String, Served)],
    (version, served): (&'m str, bool),
    findings: &'m [Diagnostic],
    dry_run: bool,
) -> Serving<'m> {
    let crds = rows.iter().map(|(name, served)| ServedCrd { name, changed: *served == Served::Changed });
    Serving { schema_version: SchemaVersion, dry_run, version, served, crds: crds.collect(), findings }
}
