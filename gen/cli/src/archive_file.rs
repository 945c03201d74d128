//! An archive of a source that is not on disk, such as that of a chart: a root that is a file.

use std::path::Path;

use crd_bundle::published::skips::Skips;
use crd_bundle::published::tree::{Entry, Tree};
use crd_diagnostics::Diagnostic;

use crate::files::Files;

pub(crate) struct ArchiveFile {
    /// What the user has called it.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) skips: Skips,
}

impl Tree for ArchiveFile {
    fn entries(&self, _: &str) -> Result<Vec<(String, Entry)>, Diagnostic> {
        Ok(Vec::new())
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        path.is_empty().then_some(Entry::File)
    }

    fn bytes(&self, _: &str) -> Result<Vec<u8>, Diagnostic> {
        Ok(self.bytes.clone())
    }

    fn real(&self, path: &str) -> String {
        path.to_owned()
    }

    fn shown(&self, _: &str) -> String {
        self.name.clone()
    }

    fn skips(&self) -> &Skips {
        &self.skips
    }
}

impl Files for ArchiveFile {
    /// It has nothing below its root.
    fn at<'s>(&'s self, _: &str) -> Box<dyn Files + 's> {
        let Self { name, bytes, skips } = self;
        Box::new(Self { name: name.clone(), bytes: bytes.clone(), skips: skips.clone() })
    }

    fn disk(&self) -> Option<&Path> {
        None
    }
}
