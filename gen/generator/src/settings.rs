//! The settings of the project around the current folder: `crd-channels.yaml` in the root.
//!
//! Invariants: a command reads them once, before it writes anything. Both programs use the same values. A catalogue that has settings in code is
//! used as it is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generate::settings::{FILE_NAME, REQUIRED, Settings};
use crd_model::channel::Channel;

use crate::session::Session;
use crate::{file, root};

/// The catalogue with the settings of the workspace.
pub fn with_settings(
    catalogue: &Catalogue,
    explicit_root: Option<&Path>,
    session: &Session<'_>,
) -> Result<Catalogue, Vec<Diagnostic>> {
    if !catalogue.prefix().is_empty() {
        return Ok(catalogue.clone());
    }
    let root = root::locate(explicit_root, session)?;
    let settings = read(&root, &REQUIRED)?.ok_or_else(|| {
        let error = file::error("settings::missing", root.join(FILE_NAME), "does not exist");
        error.help("write the settings of the API into it, such as:\nprefix: widgets.example.com\nversion: v0.1.0")
    })?;
    Ok(catalogue.clone().with_settings(settings))
}

/// Reads the file of a root.
fn read(root: &Path, required: &[&str]) -> Result<Option<Settings>, Vec<Diagnostic>> {
    let path = root.join(FILE_NAME);
    let Some(bytes) = file::existing(&path)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| file::error("settings::syntax", &path, "is not UTF-8 text"))?;
    Settings::read(&path, &text, required).map(Some)
}

/// The channel of a project that has only one.
pub fn only_channel(settings: &Settings) -> Option<Channel> {
    match settings.channels {
        Some([only]) => Some(*only),
        _ => None,
    }
}

/// What a command without types uses of the project around the current folder.
#[derive(Debug, Default)]
pub struct Project {
    /// In an `xtask`, its catalogue.
    pub catalogue: Option<Catalogue>,
    /// Without a file, the default ones.
    pub settings: Settings,
    /// The root, if the project has one.
    root: Option<PathBuf>,
}

impl Project {
    /// Reads the settings, if there are any.
    pub fn read(
        catalogue: Option<&Catalogue>,
        explicit_root: Option<&Path>,
        session: &Session<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let root = root::if_any(explicit_root, session)?;
        let catalogue = match (catalogue, &root) {
            (Some(catalogue), Some(_)) => Some(with_settings(catalogue, explicit_root, session)?),
            // Two files can be compared anywhere.
            (catalogue, _) => catalogue.cloned(),
        };
        let settings = match (&catalogue, &root) {
            (Some(catalogue), _) => Some(catalogue.settings().clone()),
            (None, Some(root)) => read(root, &[])?,
            (None, None) => None,
        };
        Ok(Self { catalogue, settings: settings.unwrap_or_default(), root })
    }

    /// Where the CRDs of a project without types are, as arguments of a command.
    pub fn crds(&self, session: &Session<'_>) -> Vec<OsString> {
        self.settings.crds.iter().map(|path| self.in_root(path, session).into()).collect()
    }

    /// A path of the settings, as the user would write it from the current folder.
    pub fn in_root(&self, path: &str, session: &Session<'_>) -> PathBuf {
        match &self.root {
            Some(root) => session.shown(&root.join(path)).to_owned(),
            None => path.into(),
        }
    }
}
