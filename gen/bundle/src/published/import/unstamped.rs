//! `unstamped`: a CRD does not say which bundle or channel it belongs to, or says it under another prefix.
//!
//! Installed next to others it could not be told apart. It can still be history, since the folder says what it is.

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
            fix: "Whoever published them should stamp them; what the import is told counts instead".to_owned(),
            places: lacking.iter().map(|crd| place(crd, "metadata.annotations")).collect(),
        });
    }
}
