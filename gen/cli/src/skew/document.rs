//! The matrix as a JSON document: `gen/cli/schemas/skew.json`.
//!
//! Invariant: every key is always present; a part that does not apply is `null`.

use crd_diagnostics::json::SCHEMA_VERSION;
use crd_stamps::skew::{Bundle, Cause, Cell, Client, ClientKind, Finding, KindVerdict};
use serde_json::{Value, json};

use super::Row;

/// The document.
pub(crate) fn report(rows: &[Row], server: Option<&str>) -> Value {
    let row = |Row { client, cells }: &Row| {
        json!({
            "name": client.name,
            "builtFor": client.built_for.map(bundle),
            "verdicts": cells.iter().map(|cell| of_cell(client, cell)).collect::<Vec<_>>(),
        })
    };
    json!({
        "schemaVersion": SCHEMA_VERSION,
        "generator": "Written by `crd-channels skew`",
        "server": server,
        "clients": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn bundle((version, channel): Bundle) -> Value {
    json!({ "version": version.to_string(), "channel": channel.name() })
}

fn of_cell(client: &Client, cell: &Cell) -> Value {
    let kinds = client.kinds.iter().zip(&cell.kinds).map(|(ClientKind { group, kind, is_optional, .. }, verdict)| {
        let mut value = json!({ "group": group, "kind": kind, "optional": is_optional, "version": null, "fields": [], "served": null, "isNewer": null });
        for (key, found) in serde_json::to_value(verdict).ok().iter().filter_map(Value::as_object).flatten() {
            value[key] = found.clone();
        }
        value
    });
    json!({
        "bundle": cell.bundle.map(bundle),
        "verdict": cell.verdict,
        "kinds": kinds.collect::<Vec<_>>(),
        "findings": cell.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    let (versions, fields) = match &finding.verdict {
        KindVerdict::WithoutFields { version, fields } => (std::slice::from_ref(version), &fields[..]),
        _ => (&finding.kind.versions[..], &[][..]),
    };
    let cause = finding.cause.map(|cause| {
        let (form, release, channel) = match cause {
            Cause::Since(release, channel) => ("since", Some(release), channel),
            Cause::From(release, channel) | Cause::ServedFrom(release, _, channel) => ("from", Some(release), channel),
            Cause::OnlyIn(channel) => ("only", None, channel),
        };
        json!({ "form": form, "release": release.map(|release| release.to_string()), "channel": channel.name() })
    });
    json!({
        "crd": finding.crd,
        "versions": versions,
        "fields": fields,
        "cause": cause,
        "message": finding.text(),
    })
}
