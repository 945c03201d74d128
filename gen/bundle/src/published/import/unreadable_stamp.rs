//! `unreadable-stamp`: a stamp is not a bundle version or not a known channel.
//!
//! Installers and admission policies compare stamps; what they cannot understand they may take for newer or older.

use crd_model::channel::Channel;

use super::{
    Expected, ImportFinding, ImportRule, ImportSeverity, channel_places, channel_text, crds_are, groups,
    version_places, version_text,
};
use crate::published::Published;
use crate::version::BundleVersion;

pub(super) const RULE: ImportRule =
    ImportRule { id: "unreadable-stamp", summary: "stamps without a valid bundle version or known channel", check };

fn check(published: &Published, _: &Expected<'_>, findings: &mut Vec<ImportFinding>) {
    let mut push = |message: String, fix: String, places| {
        let rule = RULE.id.to_owned();
        findings.push(ImportFinding { rule, severity: ImportSeverity::Error, message, fix, places });
    };
    for (text, crds) in groups(published, version_text) {
        if let Err(error) = text.parse::<BundleVersion>() {
            let message = format!("{} stamped with a version that is none: {error}", crds_are(crds.len()));
            push(message, String::new(), version_places(&crds));
        }
    }
    for (text, crds) in groups(published, channel_text) {
        if Channel::named(text).is_none() {
            let known: Vec<&str> = Channel::ALL.iter().map(|channel| channel.name()).collect();
            let message = format!("{} stamped with the channel {text:?}, which does not exist", crds_are(crds.len()));
            push(message, format!("The channels are {}", known.join(" and ")), channel_places(&crds));
        }
    }
}
