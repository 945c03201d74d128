//! Waivers: accepted findings, for one bundle and with a reason.
//!
//! Invariants: a waiver is for one bundle. It lowers every required bump except *refused*. A waiver that matches nothing, or for another
//! bundle than the candidate, is reported.

mod file;

use crd_model::channel::Channel;

use crate::finding::{Finding, Waived};
use crate::required_bump::RequiredBump;

/// An accepted finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// The rule.
    pub rule: String,
    /// The CRD.
    pub crd: String,
    /// The path of the finding. A path that ends in `*` matches every path with this prefix.
    pub path: String,
    /// The channel; both if none is named.
    pub channel: Option<Channel>,
    /// The bundle that it is for: `v1.1.1`.
    pub bundle: String,
    /// What it lowers the finding to.
    pub to: RequiredBump,
    /// Why.
    pub reason: String,
    /// The line of its file.
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

/// Why a waiver is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaiverError {
    /// It is for another bundle than the candidate.
    Expired(Waiver),
    /// It matches no finding.
    Unused(Waiver),
    /// Everything that it matches is refused, which a waiver cannot lower.
    Powerless(Waiver),
    /// It would raise the required bump.
    Raises(Waiver),
}

/// Lowers the findings that waivers match, and returns the waivers to report. `bundles` are the versions whose waivers apply to the
/// candidate: its own version, and for a pre-release the version of its release.
pub fn waive(findings: &mut [Finding], waivers: &[Waiver], bundles: &[&str]) -> Vec<WaiverError> {
    let mut errors = Vec::new();
    for waiver in waivers {
        if !bundles.contains(&waiver.bundle.as_str()) {
            errors.push(WaiverError::Expired(waiver.clone()));
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
            (false, ..) => errors.push(WaiverError::Unused(waiver.clone())),
            (true, _, true) => {}
            (true, true, false) => errors.push(WaiverError::Powerless(waiver.clone())),
            (true, false, false) => errors.push(WaiverError::Raises(waiver.clone())),
        }
    }
    errors
}
