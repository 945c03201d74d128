//! `mixed-bundles`: the CRDs are stamped with different versions or channels, so they are of several bundles.
//!
//! A diff against a mixture would report changes of a bundle that never existed.

use crd_diagnostics::{Diagnostic, Severity};

use super::{CHANNEL_STAMP, Expected, ImportRule, VERSION_STAMP, diagnostic};
use crate::published::Published;

pub(super) const RULE: ImportRule =
    ImportRule { id: "mixed-bundles", summary: "CRDs of different bundle versions or channels", check };

fn check(published: &Published, _: &Expected<'_>, found: &mut Vec<Diagnostic>) {
    for (what, kind) in [("bundle versions", VERSION_STAMP), ("channels", CHANNEL_STAMP)] {
        let groups = kind.groups(published);
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
        let smallest =
            groups.values().min_by_key(|crds| crds.len()).map(|crds| kind.locations(crds)).unwrap_or_default();
        let message = format!("the CRDs are of {} {what}: {}", groups.len(), listed.join("; "));
        found.push(diagnostic(RULE.id, Severity::Error, &message, "Import each bundle alone", smallest));
    }
}
