//! `channel-differs`: CRDs are stamped with another channel than the named channel.

use crd_diagnostics::layout::are;
use crd_diagnostics::{Diagnostic, Severity};
use crd_model::channel::Channel;

use super::{CHANNEL_STAMP, Expected, ImportRule, diagnostic};
use crate::published::Published;

pub(super) const RULE: ImportRule =
    ImportRule { id: "channel-differs", summary: "CRDs stamped with another channel than is asked for", check };

fn check(published: &Published, expected: &Expected<'_>, found: &mut Vec<Diagnostic>) {
    let Some(channel) = expected.channel else { return };
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
