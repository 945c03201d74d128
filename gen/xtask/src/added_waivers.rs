//! The waivers that a change adds: they accept its own findings, and no reviewer has agreed to them yet.
//!
//! Invariants: a waiver of the base counts as before. One that the base lacks is always listed, and counts only if the user permits it.

use std::path::Path;

use crd_compat::{Waiver, added};
use crd_diagnostics::{Diagnostic, Severity};
use crd_review::history::{History, WAIVERS};

use crate::base::Base;
use crate::ledger::is_version;
use crate::session::WorkingFolder;

/// Removes the waivers that the base lacks, unless they are permitted. A diagnostic lists each: an error, or a warning if it counts.
pub(crate) fn without_added(
    history: &mut History,
    base: &str,
    are_permitted: bool,
    root: &Path,
    from: WorkingFolder<'_>,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let base = Base::choose(Some(base), WAIVERS, from)?;
    let former = match base.text(&root.join(WAIVERS), from)? {
        Some((shown, text)) => Waiver::read_all(&text, Path::new(&shown), &is_version, &[]).0,
        None => Vec::new(),
    };
    let added = added(&history.waivers, &former).into_iter().cloned().collect::<Vec<_>>();
    let severity = if are_permitted { Severity::Warning } else { Severity::Error };
    let diagnostics = added.iter().map(|waiver| {
        let message =
            format!("waived by this change: `{}` needs no more than {} in {}", waiver.rule, waiver.to, waiver.bundle);
        let listed = Diagnostic::error("waiver-added", message).at_line(WAIVERS, waiver.line);
        let listed = listed.of_crd(&*waiver.crd, None, &*waiver.path);
        let help = "Review it in a change of its own, or pass `--allow-new-waivers`.";
        Diagnostic { severity, ..if are_permitted { listed } else { listed.help(help) } }
    });
    let diagnostics = diagnostics.collect();
    if !are_permitted {
        history.waivers.retain(|waiver| !added.contains(waiver));
    }
    Ok(diagnostics)
}
