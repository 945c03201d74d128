//! `unstamped`: a CRD has no bundle or channel stamp, or has it under another prefix.
//!
//! In a cluster its bundle would be unknown. It can still be imported, since the folder names the bundle.

use crd_diagnostics::layout::are;
use crd_diagnostics::{Diagnostic, Severity};

use super::{CHANNEL_STAMP, Expected, ImportRule, StampKind, VERSION_STAMP, diagnostic, location};
use crate::published::{Published, PublishedCrd, Stamp};

pub(super) const RULE: ImportRule =
    ImportRule { id: "unstamped", summary: "CRDs without the stamps of a bundle version and a channel", check };

fn check(published: &Published, expected: &Expected<'_>, found: &mut Vec<Diagnostic>) {
    for StampKind { name, of } in [VERSION_STAMP, CHANNEL_STAMP] {
        let is_other = |stamp: &Stamp| expected.prefix.is_some_and(|prefix| prefix != stamp.prefix);
        let lacking: Vec<&PublishedCrd> =
            published.crds.iter().filter(|crd| of(&crd.origin.stamps).is_none_or(is_other)).collect();
        let Some(first) = lacking.first() else { continue };
        let prefix = expected.prefix.unwrap_or("PREFIX");
        let instead = match of(&first.origin.stamps) {
            Some(stamp) => format!(" (the first has {}/{name})", stamp.prefix),
            None => String::new(),
        };
        let message = format!("{} without the stamp {prefix}/{name}{instead}", are(lacking.len(), "CRD"));
        let help = "The publisher should stamp them; the import uses its arguments instead";
        let locations = lacking.iter().map(|crd| location(crd, "metadata.annotations"));
        found.push(diagnostic(RULE.id, Severity::Warning, &message, help, locations));
    }
}
