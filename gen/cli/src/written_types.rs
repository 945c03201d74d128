//! CRDs that the project's own generator wrote, and the types in Go or the file of marks that divide them into channels.
//!
//! Invariant: files are only read; the command that writes the CRDs is not run here.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use crd_bundle::published::choice::Choice;
use crd_diagnostics::{Diagnostic, both};
use crd_generate::Catalogue;
use crd_generate::settings::Settings;
use crd_generate::written::{WrittenCrds, marks};
use crd_generator::file;
use crd_generator::session::Session;

use crate::input;
use crate::source::published;

/// Reads the types of a project.
pub(crate) fn read(root: &Path, settings: Settings, session: &Session<'_>) -> Result<Catalogue, Vec<Diagnostic>> {
    let crds = crds(root, &settings, session);
    let marks = settings.division.marks.as_ref().map(|name| marks_file(root, name)).transpose().map_err(Vec::from);
    let (crds, marks) = both(crds, marks)?;
    let (roots, crds) = match (settings.division.marks.as_deref(), marks) {
        (Some(name), Some(text)) => marks::marked(name, &text, &settings, crds)?,
        _ => (Vec::new(), crds),
    };
    Ok(Catalogue::new(settings).written(&roots, crds))
}

/// The CRDs of the settings, of all channels together.
fn crds(root: &Path, settings: &Settings, session: &Session<'_>) -> Result<WrittenCrds, Vec<Diagnostic>> {
    let paths = settings.crds.iter().map(|path| session.shown(&root.join(path)).into()).collect::<Vec<OsString>>();
    let choice = Choice::default();
    let published = choice.all_used(published(&paths, &choice, session))?;
    let crds = published.crds.into_iter().map(|published| Arc::new(published.crd)).collect();
    Ok(WrittenCrds { crds, command: settings.division.run.clone(), ..WrittenCrds::default() })
}

fn marks_file(root: &Path, name: &str) -> Result<String, Diagnostic> {
    let path = root.join(name);
    let missing = || file::error("marks::missing", &path, "does not exist").help("write `marks: []` into it to begin");
    input::committed_text(&path)?.ok_or_else(missing)
}
