//! The matrix as a JSON document.

use crd_model::channel::Channel;
use crd_model::document::SchemaVersion;
use crd_stamps::skew::{Cause, Cell, Client, ClientKind, Finding, KindVerdict, Verdict};
use crd_stamps::{BundlePart, BundleVersion};
use serde::Serialize;

use super::Row;

/// What `skew` prints with `--format json`: one document, on one line. Exit code 1: with `--context` or `--bundle`, a client fails.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Skew<'s> {
    schema_version: SchemaVersion<1>,
    /// What wrote the document.
    generator: &'static str,
    /// The address of the cluster; null if clients are compared with bundles.
    server: Option<&'s str>,
    /// The clients: that of the file, or one for each known release and channel.
    clients: Vec<ClientVerdicts<'s>>,
}

/// A client.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ClientVerdicts<'s> {
    /// Its name.
    name: &'s str,
    /// The bundle of its types; null if it is not known.
    built_for: Option<BundlePart>,
    /// What happens to it on each bundle and channel, by version and channel; on a cluster, one entry.
    verdicts: Vec<CellVerdict<'s>>,
}

/// What happens to a client.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CellVerdict<'s> {
    /// The bundle; null on a cluster.
    bundle: Option<BundlePart>,
    /// The worst of its kinds.
    verdict: Verdict,
    /// Each kind, in the order of the client.
    kinds: Vec<KindResult<'s>>,
    /// What the client does not find.
    findings: Vec<SkewFinding<'s>>,
}

/// A kind of a client.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct KindResult<'s> {
    /// The API group.
    group: &'s str,
    /// The kind.
    kind: &'s str,
    /// Whether the client also works without it.
    optional: bool,
    /// What the client finds: `works`, `without-fields`, `absent` or `not-served`.
    verdict: &'static str,
    /// The API version to read; null if none can be read.
    version: Option<&'s str>,
    /// The paths of the fields that the version lacks.
    fields: &'s [String],
    /// The served API versions, the preferred one first; only if none of them can be read.
    served: Option<&'s [String]>,
    /// Whether one of them is later than all that the client reads.
    newer: Option<bool>,
}

/// Something that a client does not find.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SkewFinding<'s> {
    /// The name of the CRD; `KIND.GROUP` if no known release has it.
    crd: &'s str,
    /// The API version that lacks the fields; without fields, all that the client reads.
    versions: &'s [String],
    /// The paths of missing fields, without those below them. Empty: the whole kind.
    fields: &'s [String],
    /// Why; null if it is not known.
    cause: Option<CauseDocument>,
    /// The finding in a sentence.
    message: String,
}

/// Why a client does not find something.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Cause"))]
struct CauseDocument {
    /// `since`: not in the channel since this release. `from`: in the channel from this release on. `only`: in this channel only.
    form: &'static str,
    /// The release.
    release: Option<BundleVersion>,
    channel: Channel,
}

pub(crate) fn report<'s>(rows: &'s [Row], server: Option<&'s str>) -> Skew<'s> {
    let clients = rows.iter().map(|Row { client, cells }| ClientVerdicts {
        name: &client.name,
        built_for: client.built_for.map(BundlePart::from),
        verdicts: cells.iter().map(|cell| verdict(client, cell)).collect(),
    });
    let generator = "Written by `crd-channels skew`";
    Skew { schema_version: SchemaVersion, generator, server, clients: clients.collect() }
}

fn verdict<'s>(client: &'s Client, cell: &'s Cell) -> CellVerdict<'s> {
    CellVerdict {
        bundle: cell.bundle.map(BundlePart::from),
        verdict: cell.verdict,
        kinds: client.kinds.iter().zip(&cell.kinds).map(|(kind, verdict)| result(kind, verdict)).collect(),
        findings: cell.findings.iter().map(finding).collect(),
    }
}

fn result<'s>(ClientKind { group, kind, is_optional, .. }: &'s ClientKind, found: &'s KindVerdict) -> KindResult<'s> {
    let (version, fields, served, newer) = match found {
        KindVerdict::Works { version } => (Some(&**version), &[][..], None, None),
        KindVerdict::WithoutFields { version, fields } => (Some(&**version), &**fields, None, None),
        KindVerdict::Absent => (None, &[][..], None, None),
        KindVerdict::NotServed { served, is_newer } => (None, &[][..], Some(&**served), Some(*is_newer)),
    };
    KindResult { group, kind, optional: *is_optional, verdict: found.word(), version, fields, served, newer }
}

fn finding(finding: &Finding) -> SkewFinding<'_> {
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
        CauseDocument { form, release, channel }
    });
    SkewFinding { crd: &finding.crd, versions, fields, cause, message: finding.text() }
}
