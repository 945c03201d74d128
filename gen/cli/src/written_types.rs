//! CRDs that the project's own generator wrote, and the types in Go or the file of marks that divide them into channels.
//!
//! Invariant: files are only read; the command that writes the CRDs is not run here.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crd_bundle::published::choice::Choice;
use crd_diagnostics::{Diagnostic, both};
use crd_generate::Catalogue;
use crd_generate::settings::{Division, Settings};
use crd_generate::written::{WrittenCrds, marks};
use crd_generator::file;
use crd_generator::session::Session;
use crd_go::Types;
use crd_markers::descriptor::{ResourceDescriptor, TypeDescriptor};
use crd_markers::leaked;

use crate::input;
use crate::source::published;

/// Reads the types of a project.
pub(crate) fn read(root: &Path, settings: Settings, session: &Session<'_>) -> Result<Catalogue, Vec<Diagnostic>> {
    let crds = crds(root, &settings, session);
    let marks = settings.division.marks.as_ref().map(|name| marks_file(root, name)).transpose().map_err(Vec::from);
    let (crds, marks) = both(crds, marks)?;
    let (roots, crds) = match (settings.division.marks.as_deref(), marks) {
        (Some(name), Some(text)) => marks::marked(name, &text, &settings, crds)?,
        _ => go_types(root, &settings, crds)?,
    };
    Ok(Catalogue::new(settings).written(&roots, crds))
}

/// The root types in Go of the written CRDs.
fn go_types(
    root: &Path,
    settings: &Settings,
    crds: WrittenCrds,
) -> Result<(Vec<&'static TypeDescriptor>, WrittenCrds), Vec<Diagnostic>> {
    let Division { gates, has_tags, .. } = &settings.division;
    let packages = settings.go_types().unwrap_or_default();
    let project = crd_go::Project { root, packages, gates, tags: *has_tags, files: &GoFiles };
    let wanted = crds.crds.iter().flat_map(|crd| {
        crd.versions.iter().map(|version| ResourceDescriptor {
            group: leaked::text(&crd.group),
            version: leaked::text(&version.name),
            kind: leaked::text(&crd.names.kind),
            plural: leaked::text(&crd.names.plural),
        })
    });
    let Types { roots, gates, opaque, .. } = crd_go::types(&project, &wanted.collect::<Vec<_>>())?;
    Ok((roots, WrittenCrds { gates, opaque, ..crds }))
}

/// The files of Go on disk.
struct GoFiles;

impl crd_go::Files for GoFiles {
    fn text(&self, path: &Path) -> Result<Option<String>, Diagnostic> {
        input::committed_text(path)
    }

    fn entries(&self, folder: &Path) -> Result<Vec<(String, bool)>, Diagnostic> {
        let cannot = |error: std::io::Error| file::cannot(folder, "read", &error);
        let entry = |entry: std::io::Result<fs::DirEntry>| {
            let entry = entry?;
            // Go does not follow links to folders.
            let is_folder = entry.file_type()?.is_dir();
            Ok(entry.file_name().into_string().ok().map(|name| (name, is_folder)))
        };
        let entries = fs::read_dir(folder).map_err(cannot)?.map(entry).collect::<std::io::Result<Vec<_>>>();
        let mut entries = entries.map_err(cannot)?.into_iter().flatten().collect::<Vec<_>>();
        entries.sort();
        Ok(entries)
    }
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
