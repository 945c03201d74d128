//! The plan and the result as a JSON document: `gen/cli/schemas/migration.json`.
//!
//! Invariant: every key is always present; a part that does not apply is `null`.

use crd_diagnostics::Diagnostic;
use crd_diagnostics::json::SCHEMA_VERSION;
use crd_migrate::{Forms, Migrated, Served};
use serde_json::{Value, json};

use super::plan::Plan;
use super::{Migration, Row, text};
use crate::inspection::document::finding;

/// The document.
pub(crate) fn migration(migration: &Migration<'_>) -> Value {
    let settings = &migration.settings;
    json!({
        "schemaVersion": SCHEMA_VERSION,
        "server": { "address": migration.server.address, "version": migration.server.version },
        "dryRun": settings.is_dry_run,
        "shard": settings.shard.map(|shard| shard.to_string()),
        "crds": migration.rows.iter().map(|row| of_row(row, migration)).collect::<Vec<_>>(),
        "left": migration.left,
        "done": migration.is_done(),
    })
}

fn of_row(row: &Row<'_>, migration: &Migration<'_>) -> Value {
    let plan = row.plan.as_ref();
    json!({
        "name": row.name,
        "objects": row.objects,
        "storage": plan.and_then(Plan::storage),
        "leaving": plan.map(Plan::leaving).unwrap_or_default(),
        "steps": text::steps(row, migration),
        "forms": forms(&row.forms),
        "result": row.migrated.as_ref().map(result),
        "done": row.is_done(),
        "findings": row.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn result(migrated: &Migrated) -> Value {
    let counts = &migrated.counts;
    json!({
        "seen": counts.seen,
        "written": counts.written,
        "unchanged": counts.unchanged,
        "overtaken": counts.overtaken,
        "gone": counts.gone,
        "deleting": counts.deleting,
        "ofOtherShards": counts.of_other_shards,
        "refused": counts.refused.len(),
        "pruned": migrated.is_pruned,
        "waitsForShards": migrated.waits_for_shards,
        "forms": forms(&migrated.forms),
    })
}

fn forms(forms: &Forms) -> Value {
    json!({ "lenses": forms.lenses, "kept": forms.kept, "dropped": forms.dropped })
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
