//! The report: what the cluster holds, and what was found. It is data; the command line prints it.
//!
//! Invariant: as a document, it has no findings and no objects. The command line adds them.

use std::collections::BTreeMap;

use crd_cluster::{ManagedField, Server};
use crd_diagnostics::{Diagnostic, ObjectName, Severity};
use crd_model::document::text_or_null;
use crd_stamps::BundlePart;
use serde::{Serialize, Serializer};

use crate::inspect::content::Content;
use crate::inspect::known::InstalledBundle;
use crate::inspect::owners::Owner;
use crate::inspect::unsupported::ClassReport;

/// What a cluster holds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// The server.
    pub server: Server,
    /// The prefix of the stamps, or the API group of CRDs without stamps.
    pub prefix: String,
    /// Whether the CRDs have stamps.
    #[serde(skip)]
    pub is_stamped: bool,
    /// The bundle and channel that most CRDs have.
    #[serde(serialize_with = "as_document")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<BundlePart<crd_bundle::BundleStamp>>"))]
    pub installed: Option<InstalledBundle>,
    /// The target, in words: `v1.7.0 standard`.
    pub target: Option<String>,
    /// The CRDs, in the order of their names.
    pub crds: Vec<CrdReport>,
    /// The admission policies and webhooks of the bundle.
    pub policies: Vec<PolicyReport>,
    /// The classes, if their objects were read.
    pub classes: Vec<ClassReport>,
    /// Findings about the installation as a whole.
    #[serde(skip)]
    pub findings: Vec<Diagnostic>,
    /// What could not be read. The report is incomplete if there is any.
    #[serde(skip)]
    pub failures: Vec<Diagnostic>,
}

/// A policy or webhook of the bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PolicyReport {
    /// `ValidatingAdmissionPolicy` or `ValidatingWebhookConfiguration`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// The bundle version of its annotation.
    pub version: Option<String>,
    /// The channel of its annotation; only webhooks have one.
    pub channel: Option<String>,
    /// The names of its bindings; nothing for a webhook, or if the bindings cannot be read.
    pub bindings: Option<Vec<String>>,
    /// The actions of all bindings together: `Deny`, `Warn`, `Audit`.
    pub actions: Vec<String>,
}

/// A CRD of the cluster.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CrdReport {
    /// Its name.
    pub name: String,
    /// Its kind; empty if the CRD cannot be read.
    pub kind: String,
    /// Its bundle version, as it is written.
    pub version: Option<String>,
    /// Its channel, as it is written.
    pub channel: Option<String>,
    /// Its content, compared with the known bundles.
    #[cfg_attr(feature = "schema", schemars(with = "crate::inspect::content::ContentDocument<'static>"))]
    pub content: Content,
    /// Its versions, in its order.
    pub versions: Vec<VersionReport>,
    /// Stored versions that it does not have.
    #[serde(rename = "storedVersionsWithoutVersion")]
    pub lost_versions: Vec<String>,
    /// The releases, tools, platforms and programs that it belongs to.
    pub owners: Vec<Owner>,
    /// Its size as the server sent it, in bytes.
    pub bytes: usize,
    /// The size of its annotations, in bytes.
    pub annotation_bytes: usize,
    /// The size of its annotations if `kubectl apply` without `--server-side` installed it, in bytes. Nothing if it cannot be read.
    pub client_side_bytes: Option<usize>,
    /// Its objects; nothing if they were not read.
    pub objects: Option<ObjectsReport>,
    /// What was found.
    #[serde(skip)]
    pub findings: Vec<Diagnostic>,
}

/// A version of a CRD.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VersionReport {
    /// Its name.
    pub name: String,
    /// Whether requests may use it.
    pub served: bool,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// Whether new objects are stored in it.
    pub storage: bool,
    /// Whether objects may be stored in it (`status.storedVersions`).
    pub stored: bool,
}

/// The objects of a CRD.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObjectsReport {
    /// The API version through which they were read.
    pub version: String,
    /// How many there are.
    pub number: u64,
    /// Whether all of them were read.
    #[serde(rename = "complete")]
    pub is_complete: bool,
    /// The size of the largest one, in bytes.
    #[serde(rename = "largestBytes")]
    pub largest: usize,
    /// The clients that wrote them, by how they write.
    #[serde(serialize_with = "as_list")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Written<'static>>"))]
    pub clients: BTreeMap<ManagedField, Writes>,
    /// How many clients are left out of the list, because it is full.
    pub more_clients: u64,
}

/// What a client wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Writes {
    /// How many objects it manages fields of.
    pub objects: u64,
    /// When it last wrote one, as in RFC 3339.
    pub last: Option<String>,
}

/// What the report has about one object. Objects about which there is nothing are left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObjectReport {
    /// The name of its CRD.
    pub crd: String,
    /// The object.
    pub object: ObjectName,
    /// What it uses, and what would happen to it, in the order of the codes.
    pub findings: Vec<ObjectFinding>,
}

/// A finding about one object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObjectFinding {
    /// The code of the kind of finding.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// The path of the field; empty if it is about the whole object.
    #[serde(serialize_with = "text_or_null")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub path: String,
    /// The experimental or unsupported value, the features that a class does not list, the text of the server, or the name of the lens; may be empty.
    #[serde(serialize_with = "text_or_null")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub detail: String,
}

/// A client with what it wrote.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Written<'w> {
    #[serde(flatten)]
    client: &'w ManagedField,
    #[serde(flatten)]
    writes: &'w Writes,
}

fn as_list<S: Serializer>(clients: &BTreeMap<ManagedField, Writes>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(clients.iter().map(|(client, writes)| Written { client, writes }))
}

fn as_document<S: Serializer>(part: &Option<InstalledBundle>, serializer: S) -> Result<S::Ok, S::Error> {
    part.map(BundlePart::from).serialize(serializer)
}

impl Report {
    /// All findings, those of the installation first, then those of the CRDs in their order.
    pub fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings.iter().chain(self.crds.iter().flat_map(|crd| &crd.findings))
    }

    /// How many findings have this severity.
    pub fn number(&self, severity: Severity) -> usize {
        self.findings().filter(|finding| finding.severity == severity).count()
    }

    /// Whether there is a reason to act: an error or a warning.
    pub fn has_findings(&self) -> bool {
        self.findings().any(|finding| finding.severity > Severity::Note)
    }

    /// How many objects there are.
    pub fn objects(&self) -> u64 {
        self.crds.iter().filter_map(|crd| crd.objects.as_ref()).map(|objects| objects.number).sum()
    }
}
