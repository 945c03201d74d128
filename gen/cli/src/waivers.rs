//! The waivers of a workspace, of a commit, and of a folder of releases; and those that a change adds: they accept its own findings, and no reviewer
//! has agreed to them yet.
//!
//! Invariants: a waiver of the base counts as before. One that the base lacks is always listed, and counts only if the user permits it.

use std::ffi::OsStr;
use std::path::Path;

use crd_compat::{Waiver, added};
use crd_diagnostics::{Diagnostic, Severity, fail_on};
use crd_generator::session::{Session, WorkingFolder};
use crd_review::history::{History, WAIVERS};

use crate::base::Base;
use crate::input;
use crate::ledger::is_version;

/// Waivers, and the errors of those that cannot be read.
pub(crate) type Waivers = (Vec<Waiver>, Vec<Diagnostic>);

fn read(file: impl AsRef<Path>, text: Option<String>) -> Waivers {
    text.map_or_else(Waivers::default, |text| Waiver::read_all(&text, file.as_ref(), &is_version, &[]))
}

/// The waivers of a workspace.
pub(crate) fn of_workspace(root: &Path) -> Result<Waivers, Diagnostic> {
    Ok(read(WAIVERS, input::committed_text(&root.join(WAIVERS))?))
}

/// The waivers in a folder with a folder for each release, such as `bundles`.
pub(crate) fn of_releases(folder: &OsStr, session: &Session<'_>) -> Result<Vec<Waiver>, Vec<Diagnostic>> {
    let folder = session.folder.join(folder);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let file = folder.join("waivers.yaml");
    let (waivers, malformed) = read(&file, input::committed_text(&file)?);
    fail_on(malformed).map(|()| waivers)
}

/// The waivers of a workspace in an earlier commit.
pub(crate) fn of_base(base: &Base, root: &Path, from: WorkingFolder<'_>) -> Result<Waivers, Diagnostic> {
    let (shown, text) = base.text(&root.join(WAIVERS), from)?.unzip();
    Ok(read(shown.unwrap_or_default(), text))
}

/// Removes the waivers that the base lacks, unless they are permitted. A diagnostic lists each: an error, or a warning if it counts.
pub(crate) fn without_added(
    history: &mut History,
    base: &str,
    are_permitted: bool,
    root: &Path,
    from: WorkingFolder<'_>,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let (former, _) = of_base(&Base::choose(Some(base), None, WAIVERS, from)?, root, from)?;
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
