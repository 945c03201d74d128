//! States: what is wrong with a bundle as it stands, whatever changed.
//!
//! Fed with the baseline and the candidate. Read by `check` and `diff`, which count a state only if the baseline did not have it.
//!
//! Invariants: [`STATES`] is the only place that lists them; one file each, as the rules have it. A state of the baseline is known by
//! its
//! [`Occurrence::identity`], or by its place and what it says.

mod alpha_in_standard;
mod containment;
mod not_preserving;
mod versions_differ;

pub use containment::containment;

use crd_model::channel::Channel;

use crate::comparison::Channels;
use crate::finding::Finding;
use crate::policy::{Cells, Profile};
use crate::ruling::Ruling;

/// A rule about a bundle as it stands.
#[derive(Clone, Copy)]
pub struct State {
    /// Its name: in findings, waivers and the reference.
    pub id: &'static str,
    /// The row of the policy that it carries out.
    pub row: &'static str,
    /// What the row says in each column.
    pub cells: Cells,
    /// What it is about, in one line.
    pub summary: &'static str,
    /// Why it is so, and what an author should do.
    pub explanation: &'static str,
    /// A bundle that has it, for the reference: YAML with the keys that [`crate::reference()`] explains.
    pub example: &'static str,
    /// The places of a bundle where it is so, in one channel.
    pub found: fn(&Channels, Channel) -> Vec<Occurrence>,
}

/// A place where a state is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The name of the CRD.
    pub crd: String,
    /// The API version; none for what concerns the resource.
    pub version: Option<String>,
    /// Where in the schema.
    pub path: String,
    /// What is so and why it matters.
    pub message: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// What it is known by again in another bundle, beside CRD and version: the place and what is wrong there, in no words that may change
    /// without it.
    pub identity: String,
}

/// Every state, in the order of the policy.
pub const STATES: &[State] =
    &[containment::STATE, alpha_in_standard::STATE, versions_differ::STATE, not_preserving::STATE];

/// The states of the candidate. Those that the baseline has are marked as known.
pub fn states(baseline: Option<&Channels>, candidate: &Channels, profile: Profile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for channel in candidate.keys().copied() {
        let column = profile.column(channel);
        for state in STATES {
            let cell = state.cells.cell(column);
            // The policy says nothing about it here.
            let Some(ruling) = cell.usual() else { continue };
            let before = baseline.map(|baseline| (state.found)(baseline, channel)).unwrap_or_default();
            for occurrence in (state.found)(candidate, channel) {
                let known = before.iter().any(|known| {
                    let is_said = (&known.path, &known.message) == (&occurrence.path, &occurrence.message);
                    (&known.crd, &known.version) == (&occurrence.crd, &occurrence.version)
                        && (is_said || known.identity == occurrence.identity)
                });
                findings.push(finding(state, channel, ruling, occurrence, known));
            }
        }
    }
    findings
}

fn finding(state: &State, channel: Channel, ruling: Ruling, occurrence: Occurrence, known: bool) -> Finding {
    Finding {
        rule: state.id,
        ruling,
        needs: Vec::new(),
        warning: false,
        channel,
        crd: occurrence.crd,
        version: occurrence.version,
        path: occurrence.path,
        before: None,
        after: None,
        direction: None,
        message: occurrence.message,
        fix: occurrence.fix,
        witness: None,
        known,
        waived: None,
    }
}
