//! The conformance features of an API: the document that the user names, or that of the workspace.

use std::ffi::OsString;
use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_generator::root;
use crd_generator::session::Session;
use crd_stamps::features::{FILE_NAME, Features};

use crate::bundle_document::BundleDocument;

const DOCUMENT: BundleDocument =
    BundleDocument { file: FILE_NAME, contents: "features", option: OPTION, code: "features::document" };

pub(crate) const OPTION: &str = "features";
pub(crate) const HELP: &str = "Which features fields need: `features.json`, or a folder or archive of a bundle that contains it [default: that of the workspace]";

/// The document of the workspace.
const PUBLISHED: &str = "bundles/unreleased/features.json";

/// The document; nothing if the user names none and the workspace has none.
pub(crate) fn chosen(
    named: Option<&OsString>,
    explicit_root: Option<&Path>,
    session: &Session<'_>,
) -> Result<Option<Features>, Vec<Diagnostic>> {
    let path = match named {
        Some(named) => session.folder.join(named),
        None => match root::locate(explicit_root, session).map(|root| root.join(PUBLISHED)) {
            Ok(path) if path.is_file() => path,
            _ => return Ok(None),
        },
    };
    let (text, name) = DOCUMENT.text(&path, session)?;
    let invalid = |message: String| {
        let error = Diagnostic::error(DOCUMENT.code, message).at_file(name);
        vec![error.help("use the file that is published with the bundle, or a newer program")]
    };
    Features::from_json(&text).map(Some).map_err(invalid)
}
