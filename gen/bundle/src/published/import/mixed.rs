//! `mixed-bundles`: the CRDs are stamped with different versions or channels, so they are of several bundles.
//!
//! A diff against a mixture would report changes of a bundle that never existed.

use crd_diagnostics::{Diagnostic, Location, Severity};

use super::{
    Expected, ImportRule, channel_locations, channel_text, diagnostic, groups, version_locations, version_text,
};
use crate::published::{Published, PublishedCrd};

pub(super) const RULE: ImportRule =
    ImportRule { id: "mixed-bundles", summary: "CRDs of different bundle versions or channels", check };

type Text = for<'p> fn(&'p PublishedCrd) -> Option<&'p str>;
type Locations = fn(&[&PublishedCrd]) -> Vec<Location>;

fn check(published: &Published, _: &Expected<'_>, found: &mut Vec<Diagnostic>) {
    let stamps: [(&str, Text, Locations); 2] =
        [("bundle versions", version_text, version_locations), ("channels", channel_text, channel_locations)];
    for (what, text, locations) in stamps {
        let groups = groups(published, text);
        if groups.len() < 2 {
            continue;
        }
        let listed: Vec<String> = groups
            .iter()
            .map(|(stamp, crds)| {
                let names: Vec<&str> = crds.iter().map(|crd| crd.crd.name.as_ref()).collect();
                format!("{stamp} ({})", names.join(", "))
            })
            .collect();
        // The smallest group most likely belongs to another bundle.
        let smallest = groups.values().min_by_key(|crds| crds.len()).map(|crds| locations(crds)).unwrap_or_default();
        let message = format!("the CRDs are of {} {what}: {}", groups.len(), listed.join("; "));
        found.push(diagnostic(RULE.id, Severity::Error, &message, "Import each bundle alone", smallest));
    }
}
