//! How the released bytes of an altered file are restored.
//!
//! Invariants: the revision that a diagnostic names has the released bytes, because an altered file may be committed too.

use std::fs;
use std::path::Path;

use crd_bundle::{BundleVersion, Digest, manifest};
use crd_diagnostics::layout::for_shell;

use crate::working_tree::WorkingTree;

/// A file whose bytes are not the released ones, or that is missing.
pub(crate) struct Altered<'a> {
    /// The folder that its path is relative to.
    pub(crate) folder: &'a Path,
    pub(crate) path: &'a str,
    /// What the user restores: the file, or the folder of its bundle.
    pub(crate) shown: &'a Path,
    /// The digest of its released bytes.
    pub(crate) digest: Digest,
    /// The version of its bundle.
    pub(crate) version: BundleVersion,
}

impl Altered<'_> {
    /// How the released bytes are restored.
    pub(crate) fn help(&self, imported: bool) -> String {
        let Self { folder, path, version, .. } = *self;
        let shown = for_shell(self.shown);
        let tree = WorkingTree::around(folder).ok().flatten();
        if let Some(revision) = tree.as_ref().and_then(|tree| self.revision(tree)) {
            let first = match self.has_other_line_ends() {
                true => "git changed its line ends: set `-text` for it in `.gitattributes`, remove it, and ",
                false => "",
            };
            return format!("{first}restore it: `git checkout {revision} -- {shown}`");
        }
        let tag = tree.as_ref().and_then(|tree| tree.bytes(&format!("refs/tags/{version}"), manifest::FILE_NAME));
        if tag.is_some_and(|tag| fs::read(folder.join(manifest::FILE_NAME)).is_ok_and(|now| now != tag)) {
            let bundle = self.shown.ancestors().nth(Path::new(path).components().count()).unwrap_or(self.shown);
            return format!(
                "the tag {version} has another {} too; restore both: `git checkout {version} -- {}`",
                manifest::FILE_NAME,
                for_shell(bundle)
            );
        }
        let none = if tree.is_some() { "no commit has its released bytes: " } else { "" };
        match imported {
            true => format!("{none}remove the folder of {version}, and import the published CRDs again"),
            false => format!("{none}restore it from the archive that was published with {version}"),
        }
    }

    /// A revision that has the released bytes.
    fn revision(&self, tree: &WorkingTree) -> Option<String> {
        let has =
            |revision: &str| tree.bytes(revision, self.path).is_some_and(|bytes| Digest::of(bytes) == self.digest);
        if has("HEAD") {
            return Some("HEAD".to_owned());
        }
        if has(&format!("refs/tags/{}", self.version)) {
            return Some(self.version.to_string());
        }
        tree.commits_of(self.path).into_iter().find(|commit| has(commit))
    }

    /// Whether only the line ends differ, as git changes them on some systems.
    fn has_other_line_ends(&self) -> bool {
        let text = fs::read_to_string(self.folder.join(self.path)).unwrap_or_default();
        text.contains("\r\n") && Digest::of(text.replace("\r\n", "\n")) == self.digest
    }
}
