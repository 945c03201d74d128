//! Projects as tests write them: in memory, or from a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;
use crd_go::{Files, Project, Types, types};
use crd_markers::descriptor::ResourceDescriptor;
use crd_names::Channel;

/// Files by their paths from the root `/p`.
pub(crate) struct Memory(pub(crate) BTreeMap<PathBuf, String>);

impl Files for Memory {
    fn text(&self, path: &Path) -> Result<Option<String>, Diagnostic> {
        Ok(self.0.get(path).cloned())
    }

    fn entries(&self, folder: &Path) -> Result<Vec<(String, bool)>, Diagnostic> {
        let mut names = BTreeMap::new();
        for path in self.0.keys() {
            let Ok(below) = path.strip_prefix(folder) else { continue };
            let mut parts = below.iter().map(|part| part.to_string_lossy().into_owned());
            names.insert(parts.next().unwrap_or_default(), parts.next().is_some());
        }
        if names.is_empty() {
            return Err(Diagnostic::error("test::folder", format!("{} does not exist", folder.display())));
        }
        Ok(names.into_iter().collect())
    }
}

/// A resource of the group `example.com`.
pub(crate) fn resource(group: &'static str, version: &'static str, kind: &'static str) -> ResourceDescriptor {
    ResourceDescriptor { group, version, kind, plural: "things" }
}

/// Reads the types of files: `=== PATH` begins each.
pub(crate) fn read(
    text: &str,
    packages: &str,
    wanted: &[ResourceDescriptor],
    tags: bool,
) -> Result<Types, Vec<Diagnostic>> {
    let files = text.split("=== ").skip(1).filter_map(|file| file.split_once('\n'));
    let files = Memory(files.map(|(path, text)| (Path::new("/p").join(path), text.to_owned())).collect());
    let gates = BTreeMap::from([("Gate".to_owned(), Channel::Experimental), ("Old".to_owned(), Channel::Standard)]);
    types(&Project { root: Path::new("/p"), packages, gates: &gates, tags, files: &files }, wanted)
}

/// `path:line:column code message`
pub(crate) fn lines(errors: &[Diagnostic]) -> Vec<String> {
    errors
        .iter()
        .map(|error| {
            format!(
                "{} {} {} ({})",
                error.location,
                error.code,
                error.message,
                error.help.as_deref().unwrap_or_default()
            )
        })
        .collect()
}
