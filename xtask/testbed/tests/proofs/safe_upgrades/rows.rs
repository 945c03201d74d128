//! The table `rows.yaml`: installed CRDs, requests, and the expected answers of the server.
//!
//! Invariants: the code that creates the policy does not compute anything here. Each section is an API with its own policy and reference.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::tables::table;

/// The stamps of a CRD: a version and a channel, each of any text.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Stamps {
    pub(super) version: Option<&'static str>,
    pub(super) channel: Option<&'static str>,
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(super) enum Request {
    /// Creates a CRD.
    New,
    /// Creates a CRD with a `deletionTimestamp`.
    NewThatClaimsToBeDeleted,
    /// Updates stamps and spec of an installed CRD.
    #[default]
    Update,
    /// Updates stamps and spec, and sends the previous generation.
    UpdateThatClaimsToBeNone,
    /// Updates only the stamps, as `kubectl annotate` does.
    Annotate,
    /// Updates only the spec.
    Spec,
    /// Updates only a label.
    Label,
    /// Updates only the finalizers.
    Finalizers,
    /// Updates the status, and sends these stamps.
    Status,
    /// Updates stamps and spec of a CRD that is being deleted.
    UpdateOfDeleted,
    /// Updates the finalizers of a CRD that is being deleted.
    FinalizersOfDeleted,
}

/// Whether the bundle has a CRD of this name.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(super) enum Name {
    /// The bundle has a CRD of this name.
    #[default]
    InBundle,
    /// The bundle has no CRD of this name, but the group is the same: a CRD of an older or newer bundle, or of another project.
    Other,
}

/// The CRD whose stamp a candidate is compared with.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(super) enum Owner {
    Itself,
    Reference,
}

/// A reason for a refusal.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(super) enum Refusal {
    NoVersion,
    BadVersion,
    NoChannel,
    BadChannel,
    /// The version is older than this version of this CRD.
    Older(Owner, &'static str),
    /// A month over this version of this CRD.
    NoOrder(Owner, &'static str),
    /// The channel is less stable than standard, the channel of this CRD.
    LessStable(Owner),
}

/// A row of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(super) struct Row {
    #[serde(default)]
    pub(super) name: Name,
    #[serde(default)]
    pub(super) request: Request,
    /// The stamps of the installed CRD; `None` without one.
    #[serde(rename = "from")]
    pub(super) installed: Option<Stamps>,
    /// The stamps in the request.
    #[serde(rename = "to")]
    pub(super) candidate: Stamps,
    /// The reasons of the refusal; empty if the request is accepted.
    #[serde(default, rename = "refused")]
    pub(super) refusals: Vec<Refusal>,
}

/// Rows with the same reference.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    pub(super) title: &'static str,
    /// The stamps of the reference; `None` if it is not installed.
    pub(super) reference: Option<Stamps>,
    pub(super) rows: Vec<Row>,
}

pub(super) static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| table(include_str!("rows.yaml")));
