//! The verdict: which bundle the findings ask for, with those that decide it first.
//!
//! Fed with findings. Read by `diff`, `check` and the release.

use std::collections::BTreeMap;

use crd_model::channel::Channel;

use crate::finding::Finding;
use crate::ruling::Ruling;

/// Which bundle the findings ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Over all channels.
    pub bundle: Ruling,
    /// For each channel that was judged.
    pub channels: BTreeMap<Channel, Ruling>,
    /// The same without any waiver.
    pub without_waivers: Ruling,
}

impl Verdict {
    /// The verdict over these findings, for the channels that were judged.
    pub fn over(findings: &[Finding], judged: impl IntoIterator<Item = Channel>) -> Self {
        let mut channels: BTreeMap<Channel, Ruling> =
            judged.into_iter().map(|channel| (channel, Ruling::None)).collect();
        let (mut bundle, mut without_waivers) = (Ruling::None, Ruling::None);
        for finding in findings {
            let channel = channels.entry(finding.channel).or_insert(Ruling::None);
            *channel = (*channel).max(finding.effective());
            bundle = bundle.max(finding.effective());
            without_waivers = without_waivers.max(finding.without_waivers());
        }
        Self { bundle, channels, without_waivers }
    }
}

/// Puts the findings that decide the verdict first: by what they ask, then as they stood.
pub fn deciding_first(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.effective()));
}
