//! The plan and the result as a JSON document: `gen/cli/schemas/migration.json`.
//!
//! Invariant: every key is always present; a part that does not apply is `null`.

use crd_diagnostics::Diagnostic;
use crd_diagnostics::json::SCHEMA_VERSION;
use crd_upgrade::migrate::{Migration, Plan, Row, Served};
use serde_json::{Value, json};

use super::text::{self, Losses};
use crate::inspection::document::finding;

/// The document.
pub(crate) fn migration(migration: &Migration<'_>, losses: &Losses) -> Value {
    let settings = &migration.settings;
    json!({
        "schemaVersion": SCHEMA_VERSION,
        "server": { "address": migration.server.address, "version": migration.server.version },
        "dryRun": settings.is_dry_run,
        "shard": settings.shard.map(|shard| shard.to_string()),
        "crds": migration.rows.iter().map(|row| of_row(row, migration, losses)).collect::<Vec<_>>(),
        "left": migration.left,
        "done": migration.is_done(),
    })
}

fn of_row(row: &Row<'_>, migration: &Migration<'_>, losses: &Losses) -> Value {
    let plan = row.plan.as_ref();
    json!({
        "name": row.name,
        "objects": row.objects,
        "storage": plan.and_then(Plan::storage),
        "leaving": plan.map(Plan::leaving).unwrap_or_default(),
        "steps": text::steps(row, migration, losses),
        "forms": row.forms,
        "result": row.migrated,
        "done": row.is_done(),
        "findings": row.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

/// What became of the service of a version.
pub(crate) fn serving(
    rows: &[(&String, Served)],
    (version, is_served): (&str, bool),
    errors: &[Diagnostic],
    is_dry_run: bool,
) -> Value {
    let row = |(name, served): &(&String, Served)| json!({ "name": name, "changed": *served == Served::Changed });
    json!({
        "schemaVersion": SCHEMA_VERSION,
        "dryRun": is_dry_run,
        "version": version,
        "served": is_served,
        "crds": rows.iter().map(row).collect::<Vec<_>>(),
        "findings": errors.iter().map(finding).collect::<Vec<_>>(),
    })
}
