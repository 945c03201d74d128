//! What programs that install CRDs do to a CRD that exists: whether it changes, what of other programs is lost, and who owns it afterwards.
//!
//! Invariants: the facts are in `installers.yaml`, one row for each installer, place, action, options and previous state. The proof `installers` of
//! `crd-testbed` runs every row on a server: the installer, or the requests that a line of its source sends.

use std::fmt;
use std::sync::LazyLock;

use crd_model::yaml;
use serde::Deserialize;

/// A program that installs CRDs, in one of its ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Installer {
    Helm3,
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

impl fmt::Display for Installer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Installer::Helm3 => "Helm 3",
            Installer::Helm4 => "Helm 4",
            Installer::KubectlApply => "`kubectl apply`",
            Installer::KubectlServerSide => "`kubectl apply --server-side`",
            Installer::KubectlCreate => "`kubectl create`",
            Installer::KubectlReplace => "`kubectl replace`",
            Installer::FluxSkip => "Flux, HelmRelease with `crds: Skip`",
            Installer::FluxCreate => "Flux, HelmRelease with `crds: Create`",
            Installer::FluxCreateReplace => "Flux, HelmRelease with `crds: CreateReplace`",
            Installer::FluxKustomization => "Flux, Kustomization",
            Installer::ArgoClient => "Argo CD",
            Installer::ArgoServer => "Argo CD with `ServerSideApply=true`",
            Installer::ArgoReplace => "Argo CD with `Replace=true`",
        })
    }
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
    /// The CRD does not exist.
    Absent,
    /// The installer wrote the CRD, in the same way; `kubectl create` for `kubectl replace`, and `crds: Create` for `crds: Skip`. For an installation,
    /// its release is uninstalled.
    Own,
    /// As `Own`, and then another program has changed `spec.versions`.
    Edited,
    /// As `Own`, but written with client-side apply: by Helm 3 for Helm 4, otherwise by `kubectl apply`.
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
    /// The CRD is deleted with all its objects, and created from the file.
    Recreated,
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

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub installer: Installer,
    /// Where it finds the CRD.
    pub place: ChartPlace,
    /// What it is asked for.
    pub action: Action,
    /// Its options, separated by spaces; empty for its defaults. `Own` and the other previous states are those of the defaults.
    #[serde(default)]
    pub options: String,
    /// The CRD before the action.
    pub before: Before,
    /// What the action does to the CRD.
    pub effect: Effect,
    /// Who owns `spec.versions` afterwards; nothing if that does not change.
    #[serde(default)]
    pub owner: Option<Owner>,
    /// The requests to CRDs that are neither reads nor dry runs, in order, each as `METHOD QUERY CONTENT-TYPE STATUS`. `-` is an empty query.
    pub requests: Vec<String>,
    /// The line of source that sends the requests, as repository, version, path and line. Nothing if the installer, or the library with which it
    /// writes, ran and sent them.
    #[serde(default)]
    pub source: Option<String>,
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
