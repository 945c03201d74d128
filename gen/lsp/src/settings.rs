//! The diagnostics of `crd-channels.yaml`: those of every command that reads it.

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_generate::settings::{FILE_NAME, Settings};

/// Whether a file has settings.
pub(crate) fn are_in(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == FILE_NAME)
}

/// The diagnostics of a text.
pub(crate) fn diagnostics(path: &Path, text: &str) -> Vec<Diagnostic> {
    Settings::read(path, text, &[]).err().unwrap_or_default()
}
