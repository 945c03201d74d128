//! What a controller does about each of its kinds: watch a version, wait for the CRD, or refuse to read it.
//!
//! Invariant: a decision is a [`KindVerdict`] in the words of a controller, so programs, `skew` and the matrix agree.

use crate::skew::client::{Client, ClientKind};
use crate::skew::offer::Offer;
use crate::skew::verdict::{Finding, KindVerdict, Verdict};

/// What a controller does about a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Watch this version.
    Watch {
        /// The version.
        version: String,
        /// The fields that the version lacks and the controller uses. Discovery does not list fields, so they are known from CRDs only.
        without: Vec<String>,
    },
    /// Run without the kind, and decide anew when its CRD is installed.
    Absent,
    /// Do not read the kind: the controller can read none of the served versions. Decide anew when the CRD changes.
    Refuse {
        /// The versions that are served, in the order of the server.
        served: Vec<String>,
        /// Whether one of them is later than all that the controller can read: the controller is too old. Otherwise the CRDs are.
        is_newer: bool,
    },
}

/// A kind of a controller, and what the controller does about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The kind.
    pub kind: ClientKind,
    /// What the controller does.
    pub decision: Decision,
    /// For a condition or the log: what is offered, and what to do.
    pub message: String,
}

impl Decided {
    /// The version to watch.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        match &self.decision {
            Decision::Watch { version, .. } => Some(version),
            Decision::Absent | Decision::Refuse { .. } => None,
        }
    }

    /// Whether the controller lacks a kind that it needs: it is not ready. It runs on, because the CRDs can change at any time.
    #[must_use]
    pub fn is_blocking(&self) -> bool {
        self.version().is_none() && !self.kind.is_optional
    }
}

/// What a controller does about each of its kinds, in their order.
#[must_use]
pub fn decide(client: &Client, offer: &Offer) -> Vec<Decided> {
    client.kinds.iter().map(|kind| decided(kind, offer)).collect()
}

fn decided(kind: &ClientKind, offer: &Offer) -> Decided {
    let verdict = KindVerdict::of(kind, None, offer.kind(&kind.group, &kind.kind));
    let is_skipped = Verdict::of(kind, &verdict) == Verdict::Skips;
    let found = Finding { crd: String::new(), kind: kind.clone(), verdict: verdict.clone(), cause: None };
    let needs = if is_skipped { "the kind is skipped until then" } else { "the controller needs the kind" };
    let (decision, message) = match verdict {
        KindVerdict::Works { version } => {
            let message = format!("{} is read in {version}", kind.kind);
            (Decision::Watch { version, without: Vec::new() }, message)
        }
        KindVerdict::WithoutFields { version, fields } => {
            (Decision::Watch { version, without: fields }, format!("{}; update the CRDs to use them", found.text()))
        }
        KindVerdict::Absent => (Decision::Absent, format!("{} is not installed; install its CRD: {needs}", kind.kind)),
        KindVerdict::NotServed { served, is_newer } => {
            let update = if is_newer { "update this controller" } else { "update the CRDs" };
            let message = format!("{}; {update}: {needs}", found.text());
            (Decision::Refuse { served, is_newer }, message)
        }
    };
    Decided { kind: kind.clone(), decision, message }
}
