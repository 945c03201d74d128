//! `mixed-bundles`: the CRDs are stamped with different versions or channels, so they are of several bundles.
//!
//! A diff against a mixture would report changes of a bundle that never existed.

use super::{
    Expected, ImportFinding, ImportPlace, ImportRule, ImportSeverity, channel_places, channel_text, groups,
    version_places, version_text,
};
use crate::published::{Published, PublishedCrd};

pub(super) const RULE: ImportRule =
    ImportRule { id: "mixed-bundles", summary: "CRDs of different bundle versions or channels", check };

type Text = for<'p> fn(&'p PublishedCrd) -> Option<&'p str>;
type Places = fn(&[&PublishedCrd]) -> Vec<ImportPlace>;

fn check(published: &Published, _: &Expected<'_>, findings: &mut Vec<ImportFinding>) {
    let stamps: [(&str, Text, Places); 2] =
        [("bundle versions", version_text, version_places), ("channels", channel_text, channel_places)];
    for (what, text, places) in stamps {
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
        // The fewest of one stamp are most likely the strangers.
        let strangers = groups.values().min_by_key(|crds| crds.len()).map(|crds| places(crds)).unwrap_or_default();
        findings.push(ImportFinding {
            rule: RULE.id.to_owned(),
            severity: ImportSeverity::Error,
            message: format!("the CRDs are of {} {what}: {}", groups.len(), listed.join("; ")),
            fix: "Import each bundle alone".to_owned(),
            places: strangers,
        });
    }
}
