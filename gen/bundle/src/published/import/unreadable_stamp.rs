//! `unreadable-stamp`: a stamp is neither a bundle version nor a month, or not a known channel.
//!
//! Installers and admission policies compare stamps. They could read an unknown stamp as newer or older.

use crd_diagnostics::layout::are;
use crd_diagnostics::{Diagnostic, Severity};
use crd_model::channel::Channel;

use super::{CHANNEL_STAMP, Expected, ImportRule, VERSION_STAMP, diagnostic};
use crate::published::Published;
use crate::{BundleStamp, BundleVersion};

pub(super) const RULE: ImportRule =
    ImportRule { id: "unreadable-stamp", summary: "stamps without a valid bundle version or known channel", check };

fn check(published: &Published, _: &Expected<'_>, found: &mut Vec<Diagnostic>) {
    let mut push = |message: &str, help: &str, locations| {
        found.push(diagnostic(RULE.id, Severity::Error, message, help, locations))
    };
    for (text, crds) in VERSION_STAMP.groups(published) {
        // `version-differs` reports months.
        if BundleStamp::of(text) == BundleStamp::Unreadable
            && let Err(error) = text.parse::<BundleVersion>()
        {
            let message = format!("{} stamped with a version that is none: {error}", are(crds.len(), "CRD"));
            push(&message, "", VERSION_STAMP.locations(&crds));
        }
    }
    for (text, crds) in CHANNEL_STAMP.groups(published) {
        if Channel::named(text).is_none() {
            let known: Vec<&str> = Channel::ALL.iter().map(|channel| channel.name()).collect();
            let message = format!("{} stamped with the channel {text:?}, which does not exist", are(crds.len(), "CRD"));
            push(&message, &format!("The channels are {}", known.join(" and ")), CHANNEL_STAMP.locations(&crds));
        }
    }
}
