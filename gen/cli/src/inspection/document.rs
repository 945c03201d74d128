//! The report as a JSON document: `gen/cli/schemas/inspection.json`.
//!
//! Invariants: every key is always present; a part that does not apply is `null`. The objects are the last key, so that they are written one by one.

use crd_diagnostics::json::SCHEMA_VERSION;
use crd_diagnostics::{Diagnostic, ObjectName, Severity};
use crd_inspect::{Content, CrdReport, ObjectReport, ObjectsReport, Part, PolicyReport, Report};
use serde_json::{Value, json};

/// The document without its objects.
pub(crate) fn report(report: &Report) -> Value {
    let server = &report.server;
    let number = |severity| report.number(severity);
    json!({
        "schemaVersion": SCHEMA_VERSION,
        "server": {
            "address": server.address,
            "version": server.version,
            "migratesStorage": server.serves_storage_migration,
        },
        "prefix": report.prefix,
        "installed": report.installed.map(part),
        "target": report.target,
        "crds": report.crds.iter().map(crd).collect::<Vec<_>>(),
        "policies": report.policies.iter().map(policy).collect::<Vec<_>>(),
        "findings": report.findings().map(finding).collect::<Vec<_>>(),
        "failures": report.failures.iter().map(finding).collect::<Vec<_>>(),
        "summary": {
            "objects": report.objects(),
            "errors": number(Severity::Error),
            "warnings": number(Severity::Warning),
            "notes": number(Severity::Note),
        },
    })
}

fn part((version, channel): Part) -> Value {
    json!({ "version": version.to_string(), "channel": channel.name() })
}

fn crd(crd: &CrdReport) -> Value {
    let version = |version: &crd_inspect::VersionReport| {
        json!({
            "name": version.name,
            "served": version.served,
            "deprecated": version.deprecated,
            "storage": version.storage,
            "stored": version.stored,
        })
    };
    let (others, differences) = match &crd.content {
        Content::Other(parts) => (parts.iter().copied().map(part).collect(), Vec::new()),
        Content::Edited(differences) => (Vec::new(), differences.clone()),
        Content::AsStamped | Content::Unknown => (Vec::<Value>::new(), Vec::new()),
    };
    json!({
        "name": crd.name,
        "kind": crd.kind,
        "version": crd.stamps.version,
        "channel": crd.stamps.channel,
        "content": { "state": crd.content.word(), "bundles": others, "differences": differences },
        "versions": crd.versions.iter().map(version).collect::<Vec<_>>(),
        "storedVersionsWithoutVersion": crd.lost_versions,
        "managers": crd.managers,
        "helmRelease": crd.helm_release,
        "bytes": crd.bytes,
        "annotationBytes": crd.annotation_bytes,
        "clientSideBytes": crd.client_side_bytes,
        "objects": crd.objects.as_ref().map(objects),
    })
}

fn objects(objects: &ObjectsReport) -> Value {
    let client = |(client, writes): (&crd_inspect::Client, &crd_inspect::Writes)| {
        json!({
            "manager": client.manager,
            "operation": client.operation,
            "apiVersion": client.api_version,
            "subresource": client.subresource,
            "objects": writes.objects,
            "last": writes.last,
        })
    };
    json!({
        "version": objects.version,
        "number": objects.number,
        "complete": objects.is_complete,
        "largestBytes": objects.largest,
        "clients": objects.clients.iter().map(client).collect::<Vec<_>>(),
        "moreClients": objects.more_clients,
    })
}

fn policy(policy: &PolicyReport) -> Value {
    json!({
        "kind": policy.kind,
        "name": policy.name,
        "version": policy.version,
        "channel": policy.channel,
        "bindings": policy.bindings,
        "actions": policy.actions,
    })
}

/// A diagnostic about a CRD or an object.
pub(crate) fn finding(diagnostic: &Diagnostic) -> Value {
    let location = &diagnostic.location;
    let crd = location.crd.as_ref();
    json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity.word(),
        "crd": crd.map(|crd| &crd.name),
        "version": crd.and_then(|crd| crd.version.as_ref()),
        "path": crd.map(|crd| &*crd.path).filter(|path| !path.is_empty()),
        "object": location.object.as_ref().map(name),
        "message": diagnostic.message,
        "help": diagnostic.help,
    })
}

fn name(object: &ObjectName) -> Value {
    json!({ "kind": object.kind, "namespace": object.namespace, "name": object.name })
}

/// An object about which there is something to report.
pub(crate) fn object(report: &ObjectReport) -> Value {
    let finding = |finding: &crd_inspect::ObjectFinding| {
        json!({
            "code": finding.code,
            "severity": finding.severity.word(),
            "path": Some(&finding.path).filter(|path| !path.is_empty()),
            "detail": Some(&finding.detail).filter(|detail| !detail.is_empty()),
        })
    };
    let findings = report.findings.iter().map(finding).collect::<Vec<_>>();
    json!({ "crd": report.crd, "object": name(&report.object), "findings": findings })
}
