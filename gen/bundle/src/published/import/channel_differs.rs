//! `channel-differs`: CRDs are stamped with another channel than the one they are to be history of.

use crd_model::channel::Channel;

use super::{Expected, ImportFinding, ImportRule, ImportSeverity, channel_places, channel_text, crds_are, groups};
use crate::published::Published;

pub(super) const RULE: ImportRule =
    ImportRule { id: "channel-differs", summary: "CRDs stamped with another channel than is asked for", check };

fn check(published: &Published, expected: &Expected<'_>, findings: &mut Vec<ImportFinding>) {
    let Some(channel) = expected.channel else { return };
    for (text, crds) in groups(published, channel_text) {
        // `unreadable-stamp` reports unknown channels.
        let Some(stamped) = Channel::named(text) else { continue };
        if stamped != channel {
            findings.push(ImportFinding {
                rule: RULE.id.to_owned(),
                severity: ImportSeverity::Error,
                message: format!("{} stamped {stamped}, and {channel} is asked for", crds_are(crds.len())),
                fix: format!("Import them with `--channel {stamped}`, or leave them out"),
                places: channel_places(&crds),
            });
        }
    }
}
