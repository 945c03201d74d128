//! The Go module that the settings ask for, from the source of the types.
//!
//! Invariants: its elements are those of the experimental channel, which contains standard, or of the only channel.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crd_bindings::go::places::Places;
use crd_bindings::go::{self, Options};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generate::settings::{FILE_NAME, GoModule};
use crd_model::channel::Channel;

use crate::generated_tree::{GeneratedTree, Owned, files_below};

/// The files of the module, by their paths in it. `channel`: without one, the last of the catalogue. `places`: those of types of published CRDs.
///
/// # Errors
/// Everything that Go cannot express.
pub fn files(
    source: &Catalogue,
    module: &GoModule,
    channel: Option<Channel>,
    places: Option<&Places>,
) -> Result<BTreeMap<String, String>, Vec<Diagnostic>> {
    let last = source.channels().last().copied().unwrap_or(Channel::Standard);
    let options = Options {
        module: &module.module,
        folders: &module.groups,
        clients: &module.clients,
        channel: channel.unwrap_or(last),
        places,
    };
    go::module(source, &options).map(|module| go::files(&module))
}

/// The module of the settings, compared with its folder. `source`: the types as source has them, if it can be read.
pub(crate) fn compared(
    catalogue: &Catalogue,
    source: Option<&Catalogue>,
    root: &Path,
    check: bool,
) -> Result<Option<GeneratedTree>, Vec<Diagnostic>> {
    let Some(module) = &catalogue.settings().go else { return Ok(None) };
    let Some(source) = source else {
        let error = Diagnostic::error("bindings::go", "the Go module is written from source, which cannot be read");
        return Err(error
            .at_file(root.join(FILE_NAME))
            .help("change what the warnings name, or remove `go` from the settings")
            .into());
    };
    let files = files(source, module, None, None)?;
    tree(root.join(&module.folder), root, files, check).map(Some)
}

/// The files of a module, compared with a folder.
///
/// # Errors
/// Files that cannot be read, and files in the way that are not generated.
pub fn tree(
    folder: PathBuf,
    trusted: &Path,
    files: BTreeMap<String, String>,
    check: bool,
) -> Result<GeneratedTree, Vec<Diagnostic>> {
    let candidates = files_below(&folder, trusted, ".go")?;
    let is_own = |path: &str, text: &[u8]| !path.ends_with(".go") || text.starts_with(go::MARK.as_bytes());
    GeneratedTree::compare(folder, trusted, files, &Owned { candidates, is_own: &is_own }, check)
}
