//! The document with lenses that a user names: the file, or the folder or archive of a bundle that contains it.
//!
//! Invariants: exactly one document is read. All errors in it are reported together.

use std::ffi::OsString;
use std::path::Path;

use crd_convert::{Document, FILE_NAME};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generator::generation::lenses_of_types;
use crd_generator::root;
use crd_generator::session::Session;
use crd_suite::objects::conversion::document_errors;

use crate::bundle_document::BundleDocument;

/// The lenses of a workspace.
pub const PUBLISHED: &str = "bundles/unreleased/conversions.json";

const LENSES: BundleDocument =
    BundleDocument { file: FILE_NAME, contents: "lenses", option: "conversions", code: "convert::lenses" };

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
    let (text, name) = LENSES.text(path, session)?;
    let document = Document::read(&text).map_err(|errors| document_errors(errors, &name))?;
    Ok((document, name))
}
