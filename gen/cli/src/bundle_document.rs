//! A document of a bundle that a user names: the file, or the folder or archive of a bundle that contains it.
//!
//! Invariant: exactly one document is read.

use std::path::Path;

use crd_bundle::published::{Input, texts};
use crd_diagnostics::{Diagnostic, fail_on};
use crd_generator::file;
use crd_generator::session::Session;

use crate::input;

/// A kind of document.
#[derive(Clone, Copy, Debug)]
pub struct BundleDocument {
    /// The name of its file in a bundle.
    pub file: &'static str,
    pub contents: &'static str,
    /// The option that names it.
    pub option: &'static str,
    /// The code of errors.
    pub code: &'static str,
}

impl BundleDocument {
    /// The text of the document at a path, and its name in messages.
    ///
    /// # Errors
    /// The document does not exist, cannot be read, or is not the only one.
    pub fn text(self, path: &Path, session: &Session<'_>) -> Result<(String, String), Vec<Diagnostic>> {
        let Self { file: file_name, contents, option, code } = self;
        let path = if path.is_dir() { &path.join(file_name) } else { path };
        let Some(bytes) = input::bytes(path)? else {
            let error = file::error(code, path, format!("does not exist, so there are no {contents}"));
            return Err(error.help(format!("generate it, or name another file or bundle with `--{option}`")).into());
        };
        let shown = session.shown(path).display().to_string();
        let (mut sources, errors) = texts(Input::new(&*shown, bytes));
        fail_on(errors)?;
        // A file that is not an archive may have any name.
        let is_document = |name: &str| name == shown || name.rsplit(['/', '!']).next() == Some(file_name);
        sources.retain(|source| is_document(&source.name));
        match sources.as_slice() {
            [source] => Ok((source.text.to_string(), source.name.clone())),
            [] => {
                let error = file::error(code, path, format!("does not contain `{file_name}`"));
                Err(error.help(format!("name a bundle with {option}, or the file itself")).into())
            }
            [first, second, ..] => {
                let names = format!("`{}`, `{}`", first.name, second.name);
                let error = file::error(code, path, format!("contains several documents with {contents}: {names}"));
                Err(error.help("unpack the archive, and name one of them").into())
            }
        }
    }
}
