//! `unstamped`: a CRD has no bundle or channel stamp, or has it under another prefix.
//!
//! In a cluster its bundle would be unknown. It can still be imported, since the folder names the bundle.

use super::{Expected, ImportFinding, ImportRule, ImportSeverity, crds_are, place};
use crate::published::{Published, PublishedCrd, Stamp};
use crate::stamp::{BUNDLE_VERSION, CHANNEL};

pub(super) const RULE: ImportRule =
    ImportRule { id: "unstamped", summary: "CRDs without the stamps of a bundle version and a channel", check };

fn check(published: &Published, expected: &Expected<'_>, findings: &mut Vec<ImportFinding>) {
    for (name, of) in [
        (BUNDLE_VERSION, (|crd| crd.stamps.version.as_ref()) as fn(&PublishedCrd) -> Option<&Stamp>),
        (CHANNEL, |crd| crd.stamps.channel.as_ref()),
    ] {
        let is_other = |stamp: &Stamp| expected.prefix.is_some_and(|prefix| prefix != stamp.prefix);
        let lacking: Vec<&PublishedCrd> = published.crds.iter().filter(|crd| of(crd).is_none_or(is_other)).collect();
        let Some(first) = lacking.first() else { continue };
        let prefix = expected.prefix.unwrap_or("PREFIX");
        let instead = match of(first) {
            Some(stamp) => format!(" (the first has {}/{name})", stamp.prefix),
            None => String::new(),
        };
        findings.push(ImportFinding {
            rule: RULE.id.to_owned(),
            severity: ImportSeverity::Warning,
            message: format!("{} without the stamp {prefix}/{name}{instead}", crds_are(lacking.len())),
            fix: "The publisher should stamp them; the import uses its arguments instead".to_owned(),
            places: lacking.iter().map(|crd| place(crd, "metadata.annotations")).collect(),
        });
    }
}
