//! What programs that install CRDs do to a CRD that exists: whether it changes, what of other programs is lost, and who owns it afterwards.
//!
//! Invariants: the facts are in `installers.yaml`, one row for each installer, place, action, options and previous state. A row has the requests
//! that a run showed or the line of source that sends them; the proof `installers` of `crd-testbed` runs every row on a server.

use std::fmt;
use std::sync::LazyLock;

use crd_model::yaml;
use serde::Deserialize;

/// A program that installs CRDs, in one of its ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Installer {
    /// Helm 3.
    Helm3,
    /// Helm 4.
    Helm4,
    /// `kubectl apply`, which merges on the client.
    KubectlApply,
    /// `kubectl apply --server-side`.
    KubectlServerSide,
    /// `kubectl create`.
    KubectlCreate,
    /// `kubectl replace`.
    KubectlReplace,
    /// A HelmRelease of Flux with `crds: Skip`.
    FluxSkip,
    /// A HelmRelease of Flux with `crds: Create`.
    FluxCreate,
    /// A HelmRelease of Flux with `crds: CreateReplace`.
    FluxCreateReplace,
    /// A Kustomization of Flux.
    FluxKustomization,
    /// An application of Argo CD without sync options.
    ArgoClient,
    /// An application of Argo CD with `ServerSideApply=true`.
    ArgoServer,
    /// An application of Argo CD with `Replace=true`.
    ArgoReplace,
}

/// Where the installer finds the CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartPlace {
    /// The folder `crds/` of a chart.
    Crds,
    /// A template of a chart.
    Templates,
    /// A file outside of charts.
    File,
}

/// What the installer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// The first installation by this installer.
    Install,
    /// A change to a newer file or chart.
    Upgrade,
    /// `helm rollback` to the older revision.
    Rollback,
    /// `helm uninstall`.
    Uninstall,
}

/// The CRD before the action. Except in `Absent`, another program has added a label, an annotation and the `caBundle` of its conversion webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Before {
    /// There is no CRD.
    Absent,
    /// The installer wrote the CRD, in the same way. For an installation, its release is uninstalled.
    Own,
    /// As `Own`, and then another program has changed `spec.versions`.
    Edited,
    /// As `Own`, but the program wrote it with client-side apply: a release of Helm 3, or `kubectl apply`.
    ClientSide,
    /// Another program wrote the CRD.
    Foreign,
}

/// What the action does to the CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It creates the CRD.
    Created,
    /// It succeeds, and the CRD does not change: it can be stale from now on.
    Unchanged,
    /// It fails, and the CRD does not change.
    Refused,
    /// The fields of the file win, and changes of other programs in `spec.versions` are lost, because that list is one field. Other fields, labels
    /// and annotations of other programs remain.
    Replaced,
    /// The CRD is the file: all fields, labels and annotations of other programs are lost.
    Overwritten,
    /// The CRD is deleted, with all its objects.
    Deleted,
}

/// The field manager of `spec.versions`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Owner {
    /// The name of the client.
    pub manager: String,
    /// `Apply` for server-side apply, otherwise `Update`.
    pub operation: String,
}

impl TryFrom<String> for Owner {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.split_once(' ') {
            Some((manager, operation @ ("Apply" | "Update"))) => {
                Ok(Owner { manager: manager.to_owned(), operation: operation.to_owned() })
            }
            _ => Err("an owner is a manager and `Apply` or `Update`"),
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.manager, self.operation)
    }
}

/// What shows an effect.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Evidence {
    /// The requests that a run sent and that are no reads, in order, each as `METHOD QUERY CONTENT-TYPE STATUS`.
    Run(Vec<String>),
    /// The line of the installer's source that sends the request: repository, path, commit or tag, and line. The installer did not run; the proof
    /// sends the request.
    Source(String),
}

/// A fact.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The program.
    pub installer: Installer,
    /// Where it finds the CRD.
    pub place: ChartPlace,
    /// What it is asked for.
    pub action: Action,
    /// Its options, separated by spaces; empty for its defaults.
    #[serde(default)]
    pub options: String,
    /// The CRD before the action.
    pub before: Before,
    /// What the action does to the CRD.
    pub effect: Effect,
    /// Who owns `spec.versions` afterwards; nothing if that does not change.
    #[serde(default)]
    pub owner: Option<Owner>,
    /// What shows it.
    pub evidence: Evidence,
}

/// The test of the table proves that it can be read.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let documents = yaml::read(include_str!("installers.yaml")).unwrap_or_default();
    documents.into_iter().next().and_then(|rows| Vec::deserialize(rows).ok()).unwrap_or_default()
});

/// All facts, in the order of the table.
pub fn rows() -> &'static [Row] {
    &ROWS
}

/// The facts about CRDs at this place for this action.
pub fn effects(place: ChartPlace, action: Action) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.place == place && row.action == action)
}
