//! `channel-differs`: CRDs are stamped with another channel than the named channel, or in its folder.

use crd_diagnostics::layout::are;
use crd_diagnostics::{Diagnostic, Severity};
use crd_model::channel::Channel;

use super::{CHANNEL_STAMP, Expected, ImportRule, diagnostic, location};
use crate::published::Published;

pub(super) const RULE: ImportRule =
    ImportRule { id: "channel-differs", summary: "CRDs of another channel than is asked for", check };

fn check(published: &Published, expected: &Expected<'_>, found: &mut Vec<Diagnostic>) {
    let Some(channel) = expected.channel else { return };
    for folder in Channel::ALL.into_iter().filter(|folder| *folder != channel) {
        let crds = published.crds.iter().filter(|crd| crd.origin.folder == Some(folder)).collect::<Vec<_>>();
        if !crds.is_empty() {
            let message = format!("{} in the folder of {folder}, and {channel} is asked for", are(crds.len(), "CRD"));
            let help = format!("Import them with `--channel {folder}`, or leave them out");
            let locations = crds.into_iter().map(|crd| location(crd, ""));
            found.push(diagnostic(RULE.id, Severity::Error, &message, &help, locations));
        }
    }
    for (text, crds) in CHANNEL_STAMP.groups(published) {
        // `unreadable-stamp` reports unknown channels.
        let Some(stamped) = Channel::named(text) else { continue };
        if stamped != channel {
            let message = format!("{} stamped {stamped}, and {channel} is asked for", are(crds.len(), "CRD"));
            let help = format!("Import them with `--channel {stamped}`, or leave them out");
            found.push(diagnostic(RULE.id, Severity::Error, &message, &help, CHANNEL_STAMP.locations(&crds)));
        }
    }
}
