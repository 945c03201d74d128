//! Waivers: findings that somebody lets through, for one bundle and with a reason.
//!
//! Fed from `bundles/waivers.yaml` and with findings. Read by the verdict.
//!
//! Invariants: a waiver holds for one bundle; it lowers everything except *refused*; one that matches nothing, or whose bundle is not the
//! candidate, is wrong and never ignored.

mod file;

use crd_model::channel::Channel;

use crate::finding::{Finding, Waived};
use crate::required_bump::RequiredBump;

/// A finding that somebody lets through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// The rule.
    pub rule: String,
    /// The CRD.
    pub crd: String,
    /// The path of the finding; one that ends in `*` means every path that begins so.
    pub path: String,
    /// The channel; both if none is named.
    pub channel: Option<Channel>,
    /// The bundle that it is for: `v1.1.1`.
    pub bundle: String,
    /// What it lowers the finding to.
    pub to: RequiredBump,
    /// Why.
    pub reason: String,
    /// Where it stands in its file.
    pub line: usize,
}

impl Waiver {
    fn matches(&self, finding: &Finding) -> bool {
        let path = match self.path.strip_suffix('*') {
            // `[*]` is a step of a path, not the end of a prefix.
            Some(prefix) if !self.path.ends_with("[*]") => finding.path.starts_with(prefix),
            _ => finding.path == self.path,
        };
        path && self.rule == finding.rule
            && self.crd == finding.crd
            && self.channel.is_none_or(|channel| channel == finding.channel)
    }
}

/// What is wrong with a waiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaiverFault {
    /// It is for another bundle than the candidate.
    Expired(Waiver),
    /// It matches no finding.
    Unused(Waiver),
    /// All that it matches is refused, which nothing lowers.
    Powerless(Waiver),
    /// It would raise what it matches.
    Raises(Waiver),
}

/// Lowers the findings that waivers match, and says which waivers are wrong. `bundles` are the versions whose waivers hold for the candidate:
/// its own, and for a pre-release that of its release.
pub fn waive(findings: &mut [Finding], waivers: &[Waiver], bundles: &[&str]) -> Vec<WaiverFault> {
    let mut faults = Vec::new();
    for waiver in waivers {
        if !bundles.contains(&waiver.bundle.as_str()) {
            faults.push(WaiverFault::Expired(waiver.clone()));
            continue;
        }
        let (mut matched, mut refused, mut used) = (false, false, false);
        for finding in findings.iter_mut().filter(|finding| waiver.matches(finding) && !finding.known) {
            matched = true;
            match finding.required_bump {
                RequiredBump::NotAllowed => refused = true,
                bump if waiver.to >= bump => {}
                _ => {
                    used = true;
                    finding.waived = Some(Waived { to: waiver.to, reason: waiver.reason.clone() });
                }
            }
        }
        match (matched, refused, used) {
            (false, ..) => faults.push(WaiverFault::Unused(waiver.clone())),
            (true, _, true) => {}
            (true, true, false) => faults.push(WaiverFault::Powerless(waiver.clone())),
            (true, false, false) => faults.push(WaiverFault::Raises(waiver.clone())),
        }
    }
    faults
}
