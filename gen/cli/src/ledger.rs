//! The file of the tombstone ledger: reading it, and adding entries.

use std::path::{Path, PathBuf};

use crd_bundle::BundleVersion;
use crd_compat::tombstone::{Ledger, Tombstone};
use crd_diagnostics::Diagnostic;
use crd_generator::file::Content;
use crd_generator::session::Session;
use crd_generator::{file, root};
use crd_review::history::LEDGER;

use crate::input;

/// The path of the ledger.
pub(crate) fn path(root: &Path) -> PathBuf {
    root.join(LEDGER)
}

/// Reads the ledger. A missing file is an empty ledger.
pub(crate) fn read(root: &Path) -> Result<Ledger, Vec<Diagnostic>> {
    let path = path(root);
    let Some(text) = input::committed_text(&path)? else { return Ok(Ledger::default()) };
    parse(&text, &path)
}

/// Reads the ledger of the root, if there is one.
pub(crate) fn if_any(explicit_root: Option<&Path>, session: &Session<'_>) -> Result<Ledger, Vec<Diagnostic>> {
    root::if_any(explicit_root, session)?.as_deref().map_or_else(|| Ok(Ledger::default()), read)
}

/// The ledger in a text.
pub(crate) fn parse(text: &str, path: &Path) -> Result<Ledger, Vec<Diagnostic>> {
    Ledger::read(text, path, &is_version)
}

/// Whether a text is a bundle version.
pub(crate) fn is_version(text: &str) -> bool {
    text.parse::<BundleVersion>().is_ok()
}

/// A ledger of these entries.
pub(crate) fn of<'t>(tombstones: impl IntoIterator<Item = &'t Tombstone>) -> Ledger {
    let mut ledger = Ledger::default();
    for tombstone in tombstones {
        let _ = ledger.add(tombstone.clone());
    }
    ledger
}

/// The bytes of the file, and its new text. The last entries are added below the current text if that can be read, so that its comments stay.
pub(crate) fn extended(
    root: &Path,
    ledger: &Ledger,
    added: &[Tombstone],
) -> Result<(Option<Content>, String), Diagnostic> {
    let path = path(root);
    let text = input::committed_text(&path)?;
    let old = text.as_ref().map(Content::of);
    let mut text = text.unwrap_or_default();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let entries = of(added).to_text();
    text.extend(entries.lines().skip_while(|line| !line.starts_with('-')).flat_map(|line| [line, "\n"]));
    let is_right = |text: &String| parse(text, &path).is_ok_and(|read| read == *ledger);
    let text = [text, ledger.to_text()].into_iter().find(is_right).ok_or_else(|| {
        file::error("file::read-back", path, "cannot contain these entries")
            .help("this is a bug in this tool; please report it")
    })?;
    Ok((old, text))
}
