//! The document with lenses that a user names: the file, or the folder or archive of a bundle that contains it.
//!
//! Invariants: exactly one document is read. All errors in it are reported together.

use std::ffi::OsString;
use std::path::Path;

use crd_bundle::published::{Input, texts};
use crd_convert::{Document, FILE_NAME};
use crd_diagnostics::{Diagnostic, fail_on};
use crd_generate::Catalogue;

use super::report::document_errors;
use crate::generation::lenses_of_types;
use crate::session::Session;
use crate::{file, input, root};

/// The lenses of a workspace.
pub const PUBLISHED: &str = "bundles/unreleased/conversions.json";

/// The document that the user names, that of the types, or that of the workspace, and its name in messages.
pub fn chosen(
    catalogue: Option<&Catalogue>,
    named: Option<&OsString>,
    root: Option<&Path>,
    session: &Session<'_>,
) -> Result<(Document, String), Vec<Diagnostic>> {
    match (named, catalogue) {
        (Some(named), _) => document(&session.folder.join(named), session),
        (None, Some(catalogue)) => Ok((lenses_of_types(catalogue)?, "the types".to_owned())),
        (None, None) => document(&root::locate(root, session)?.join(PUBLISHED), session),
    }
}

/// Reads the document at a path.
fn document(path: &Path, session: &Session<'_>) -> Result<(Document, String), Vec<Diagnostic>> {
    let path = if path.is_dir() { &path.join(FILE_NAME) } else { path };
    let Some(bytes) = input::bytes(path)? else {
        let error = file::error("convert::lenses", path, "does not exist, so there are no lenses");
        return Err(error.help("generate it, or name another file or bundle with `--conversions`").into());
    };
    let shown = session.shown(path).display().to_string();
    let (mut sources, errors) = texts(Input::new(&*shown, bytes));
    fail_on(errors)?;
    // A file that is not an archive may have any name.
    let is_document = |name: &str| name == shown || name.rsplit(['/', '!']).next() == Some(FILE_NAME);
    sources.retain(|source| is_document(&source.name));
    match sources.as_slice() {
        [source] => {
            let document = Document::read(&source.text).map_err(|errors| document_errors(errors, &source.name))?;
            Ok((document, source.name.clone()))
        }
        [] => {
            let error = file::error("convert::lenses", path, format!("does not contain `{FILE_NAME}`"));
            Err(error.help("name a bundle with conversions, or the file itself").into())
        }
        [first, second, ..] => {
            let predicate = format!("contains several documents with lenses: `{}`, `{}`", first.name, second.name);
            let error = file::error("convert::lenses", path, predicate);
            Err(error.help("unpack the archive, and name one of them").into())
        }
    }
}
