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
use crate::{file, root, source};

/// The catalogue with the settings of the workspace.
pub fn with_settings(
    catalogue: &Catalogue,
    explicit_root: Option<&Path>,
    session: &Session<'_>,
) -> Result<Catalogue, Vec<Diagnostic>> {
    if !catalogue.prefix().is_empty() {
        return Ok(catalogue.clone());
    }
    let (_, settings) = required(explicit_root, session)?;
    Ok(catalogue.clone().with_settings(settings))
}

/// The types of a workspace: the compiled ones, else those of the source that the settings name.
pub fn types_of(
    catalogue: Option<&Catalogue>,
    explicit_root: Option<&Path>,
    session: &Session<'_>,
) -> Result<Catalogue, Vec<Diagnostic>> {
    match catalogue {
        Some(catalogue) => with_settings(catalogue, explicit_root, session),
        None => of_source(None, explicit_root, session),
    }
}

/// The catalogue of the source that the settings name, else the compiled one with the settings.
pub fn of_source(
    catalogue: Option<&Catalogue>,
    explicit_root: Option<&Path>,
    session: &Session<'_>,
) -> Result<Catalogue, Vec<Diagnostic>> {
    if let Some(catalogue) = catalogue.filter(|catalogue| !catalogue.prefix().is_empty()) {
        return Ok(catalogue.clone());
    }
    let (root, settings) = required(explicit_root, session)?;
    if settings.has_written_crds() {
        session.begin("reading the CRDs and their types");
        session.has_xtask.set(false);
        return match session.written_types {
            Some(read) => read(&root, settings, session),
            None => Err(not_rust(&root).into()),
        };
    }
    match (settings.types.clone(), catalogue) {
        (Some(types), _) => {
            session.begin("reading the source of the types");
            let read = source::catalogue(&root, &types, settings)?;
            Ok(catalogue.map_or(read.clone(), |catalogue| read.with_code_of(catalogue)))
        }
        (None, Some(catalogue)) => Ok(catalogue.clone().with_settings(settings)),
        (None, None) => Err(unnamed(&root).into()),
    }
}

/// What decides the generated CRDs.
pub struct TypesSource {
    pub root: PathBuf,
    /// Below the root.
    pub folders: Vec<PathBuf>,
    /// The ends of the names of files in them.
    pub extensions: &'static [&'static str],
}

/// Where the types are.
pub fn types(explicit_root: Option<&Path>, session: &Session<'_>) -> Result<TypesSource, Vec<Diagnostic>> {
    let (root, settings) = required(explicit_root, session)?;
    if settings.has_written_crds() {
        let packages = settings.go_types().map(|packages| packages.trim_end_matches("/..."));
        // What the command of the settings writes would begin the next run.
        let crds = if settings.division.run.is_some() { &[][..] } else { &settings.crds };
        let folders = crds.iter().map(|path| root.join(path)).chain(packages.map(|path| root.join(path)));
        // A file of marks is usually in the root.
        let marks = settings.division.marks.as_ref().and_then(|path| root.join(path).parent().map(Path::to_owned));
        let folders = folders.chain(marks.filter(|folder| *folder != root)).collect();
        return Ok(TypesSource { root, folders, extensions: &["go", "yaml", "yml", "json"] });
    }
    let types = settings.types.ok_or_else(|| unnamed(&root))?;
    let folders = source::folders(&root, &types)?;
    Ok(TypesSource { root, folders, extensions: &["rs", "toml", "lock"] })
}

fn not_rust(root: &Path) -> Diagnostic {
    let error = file::error("usage::generator-only", root.join(FILE_NAME), "names types that are not in Rust");
    error.help("run `crd-channels` with the same arguments")
}

fn unnamed(root: &Path) -> Diagnostic {
    let error = file::error("settings::missing", root.join(FILE_NAME), "does not name the crate with the types");
    error.help("add `types: FOLDER`, or run the `xtask` of the workspace")
}

/// The root, and the settings that a project with types has.
fn required(explicit_root: Option<&Path>, session: &Session<'_>) -> Result<(PathBuf, Settings), Vec<Diagnostic>> {
    let root = root::locate(explicit_root, session)?;
    let settings = read(&root, &REQUIRED)?.ok_or_else(|| {
        let error = file::error("settings::missing", root.join(FILE_NAME), "does not exist");
        error.help("write the settings of the API into it, such as:\nprefix: widgets.example.com\nversion: v0.1.0")
    })?;
    Ok((root, settings))
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

    /// The same project with other settings.
    pub fn with_settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// Where the CRDs of a project without types are, as arguments of a command. CRDs that are not divided into channels yet are none.
    pub fn crds(&self, session: &Session<'_>) -> Vec<OsString> {
        let crds = if self.settings.has_written_crds() { &[][..] } else { &self.settings.crds };
        crds.iter().map(|path| self.in_root(path, session).into()).collect()
    }

    /// A path of the settings, as the user would write it from the current folder.
    pub fn in_root(&self, path: &str, session: &Session<'_>) -> PathBuf {
        match &self.root {
            Some(root) => session.shown(&root.join(path)).to_owned(),
            None => path.into(),
        }
    }
}
