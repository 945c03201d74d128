//! The verdict: which release the findings need, and the order that puts the deciding findings first.

use std::collections::BTreeMap;

use crd_model::channel::Channel;

use crate::finding::Finding;
use crate::required_bump::RequiredBump;

/// Which release the findings need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub bundle: RequiredBump,
    /// For each compared channel.
    pub channels: BTreeMap<Channel, RequiredBump>,
    /// Over all channels, without any waiver.
    pub without_waivers: RequiredBump,
}

impl Verdict {
    /// The verdict over these findings, for the compared channels.
    pub fn over(findings: &[Finding], compared: impl IntoIterator<Item = Channel>) -> Self {
        let mut channels: BTreeMap<Channel, RequiredBump> =
            compared.into_iter().map(|channel| (channel, RequiredBump::None)).collect();
        let (mut bundle, mut without_waivers) = (RequiredBump::None, RequiredBump::None);
        for finding in findings {
            let channel = channels.entry(finding.channel).or_insert(RequiredBump::None);
            *channel = (*channel).max(finding.effective());
            bundle = bundle.max(finding.effective());
            without_waivers = without_waivers.max(finding.without_waivers());
        }
        Self { bundle, channels, without_waivers }
    }
}
