//! The gate of a comparison: the largest bump that is permitted, and why.
//!
//! Invariants: a gate of the user comes first, then that of the settings, then the bump between the versions. Without such a bump, changes that break users are not permitted.

use crd_compat::RequiredBump;

use crate::baseline::bump;
use crate::side::Side;

/// What is permitted, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// As an option, or `up to` a bump.
    pub name: String,
    /// The largest bump that is permitted.
    pub permitted: RequiredBump,
    pub reason: GateReason,
}

/// Why a gate applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateReason {
    /// The user names it.
    Requested,
    /// The settings of the project name it.
    Settings,
    /// The versions have a bump between them.
    Versions(String),
    /// They have none, for this reason.
    NoBump(String),
}

impl GateReason {
    /// The reason as a clause.
    pub fn text(&self) -> &str {
        match self {
            GateReason::Requested => "the command line sets it",
            GateReason::Settings => "`crd-channels.yaml` sets it",
            GateReason::Versions(text) | GateReason::NoBump(text) => text,
        }
    }
}

impl Gate {
    /// The gate of two bundles without a gate of the user and of the settings.
    pub(crate) fn of_versions(baseline: &Side<'_>, candidate: &Side<'_>) -> Self {
        let why = match (&baseline.version, &candidate.version) {
            (Ok(from), Ok(to)) => match bump(*from, *to) {
                Some(permitted) => {
                    let reason = GateReason::Versions(format!("the versions are {from} and {to}"));
                    return Self { name: format!("up to {permitted}"), permitted, reason };
                }
                None => format!("there is no bump from {from} to {to}"),
            },
            (old, new) => {
                let unknown = [old, new].into_iter().filter_map(|version| version.as_ref().err());
                unknown.map(String::as_str).collect::<Vec<_>>().join(" and ")
            }
        };
        let name = "--fail-on major".to_owned();
        Self { name, permitted: RequiredBump::Minor, reason: GateReason::NoBump(why) }
    }

    /// The option of the user or of the settings, if it is one.
    pub(super) fn requested(&self) -> Option<&str> {
        matches!(self.reason, GateReason::Requested | GateReason::Settings).then_some(&*self.name)
    }

    /// The gate as a line.
    pub(super) fn line(&self) -> String {
        format!("gate: {}, because {}", self.name, self.reason.text())
    }
}
