//! `new`: writes a workspace that generates CRDs, with a small resource or with the types of published CRDs.

pub mod arguments;
mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use crd_diagnostics::{Diagnostic, Severity, json};
use crd_markers::names::{is_group, is_kind};
use crd_markers::rust_names::{is_free, type_name};
use crd_model::profile::Profile;
use crd_stamps::BundleVersion;
use serde_json::Value;

use super::{Outcome, Run, Subcommand};
use crate::arguments::{Format, format, requested_profile};
use crate::exit::Exit;
use crate::new_workspace;
use crate::session::Session;
use crate::workspace::{Dependencies, Types, Workspace};

/// The subcommand of a program that does not read bundles: the full program writes the types of published CRDs.
pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "new",
    arguments: arguments::arguments,
    run: Run::Forwarding(|_, matches, session| run(matches, session, |_, _| Ok(None)), &arguments::OF_CRDS),
};

/// The published CRDs that a workspace is written for.
pub trait Published {
    /// Whether they have two channels.
    fn has_channels(&self) -> bool;
    /// The bundle version that all of them are stamped with.
    fn version(&self) -> Option<BundleVersion>;
    /// Their types, for this profile.
    fn types(&self, profile: Profile) -> PublishedTypes;
}

/// Reads the published CRDs that the arguments name, if they name any.
pub type Read = fn(&ArgMatches, &Session<'_>) -> Result<Option<Box<dyn Published>>, Vec<Diagnostic>>;

/// The types of published CRDs.
#[derive(Debug, Default)]
pub struct PublishedTypes {
    /// What begins their stamps, or their group.
    pub prefix: Option<String>,
    /// Annotations of every CRD.
    pub annotations: BTreeMap<String, String>,
    /// Path and text of each file below `api/src`.
    pub files: Vec<(String, String)>,
    /// The root types: names of CRDs, and paths of types.
    pub resources: Vec<(String, String)>,
    /// What the types do not express.
    pub differences: Vec<Difference>,
    /// Warnings about the files.
    pub warnings: Vec<Diagnostic>,
    /// What was left out.
    pub notes: Vec<String>,
}

/// A part of a published CRD that the types do not express.
#[derive(Clone, Debug)]
pub struct Difference {
    /// For people.
    pub diagnostic: Diagnostic,
    /// For programs.
    pub document: Value,
}

impl Difference {
    /// A difference that leaves no resource at all.
    fn into_error(self) -> Diagnostic {
        Diagnostic { severity: Severity::Error, ..self.diagnostic }
    }
}

/// What was written.
#[derive(Default)]
struct Written {
    folder: PathBuf,
    files: Vec<String>,
    published: PublishedTypes,
    notes: Vec<String>,
}

/// Writes the workspace.
pub fn run(matches: &ArgMatches, session: &mut Session<'_>, read: Read) -> Outcome {
    let result = new(matches, session, read);
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(written) if !written.published.differences.is_empty() => Exit::Findings,
        Ok(_) => Exit::Fine,
    };
    if format(matches) == Format::Json {
        session.print(json::line(&report::document(&result, session)));
        return Ok(exit);
    }
    report::print(&result?, session);
    Ok(exit)
}

/// What the arguments name, checked.
struct Inputs<'m> {
    name: String,
    group: Option<&'m str>,
    kind: Option<&'m str>,
    dependencies: Dependencies,
    /// Whether the dependencies are a clone outside the repository of the workspace.
    is_outside: bool,
    crds: Option<Box<dyn Published>>,
}

fn inputs<'m>(
    matches: &'m ArgMatches,
    folder: &Path,
    session: &mut Session<'_>,
    read: Read,
) -> Result<Inputs<'m>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let name = name(matches, folder).map_err(|error| errors.push(error)).unwrap_or_default();
    let group = arguments::text(matches, arguments::GROUP);
    if let Some(group) = group.filter(|group| !is_group(group)) {
        let expected = "a DNS name in lower case with at least one dot, such as `widgets.example.com`";
        errors.push(wrong("group", group, expected));
    }
    let kind = arguments::text(matches, arguments::KIND);
    if let Some(kind) = kind.filter(|kind| !is_kind(kind)) {
        errors.push(wrong("kind", kind, "a word in CamelCase, such as `Widget`"));
    }
    let dependencies = dependencies(matches, folder, session).map_err(|error| errors.push(error)).ok();
    let crds = read(matches, session).map_err(|more| errors.extend(more)).ok();
    match (dependencies, crds) {
        (Some((dependencies, is_outside)), Some(crds)) if errors.is_empty() => {
            Ok(Inputs { name, group, kind, dependencies, is_outside, crds })
        }
        _ => Err(errors),
    }
}

/// The profile, and whether the API has only the channel standard. `has_channels` is whether published CRDs have two.
fn profile(matches: &ArgMatches, has_channels: Option<bool>) -> Result<(Profile, bool), Diagnostic> {
    let standard_only = has_channels.map_or_else(|| arguments::is_standard_only(matches), |has| !has);
    let default =
        || if standard_only || arguments::is_standard_only(matches) { Profile::Semver } else { Profile::Gep922 };
    let profile = requested_profile(matches).unwrap_or_else(default);
    if standard_only && profile.has_experimental_stage() {
        let message = format!("the profile `{profile}` needs the channel experimental, and the API has only standard");
        let help = "pass `--profile semver`, or `--standard` and `--experimental`";
        return Err(Diagnostic::error("catalogue::channels", message).help(help));
    }
    Ok((profile, standard_only))
}

fn new(matches: &ArgMatches, session: &mut Session<'_>, read: Read) -> Result<Written, Vec<Diagnostic>> {
    let folder = session.folder.join(arguments::folder(matches));
    let Inputs { name, group, kind, dependencies, is_outside, crds } = inputs(matches, &folder, session, read)?;
    let (profile, standard_only) = profile(matches, crds.as_ref().map(|crds| crds.has_channels()))?;
    let mut written = Written { folder: folder.clone(), ..Written::default() };
    if let Some(crds) = &crds {
        session.begin("writing the types");
        written.published = crds.types(profile);
        if written.published.resources.is_empty() {
            let differences = written.published.differences.into_iter();
            return Err(differences.map(|difference| difference.into_error()).collect());
        }
    }
    let published = &mut written.published;
    written.notes.append(&mut published.notes);
    let prefix = group.map(str::to_owned).or_else(|| published.prefix.clone());
    let prefix = prefix.unwrap_or_else(|| arguments::DEFAULT_GROUP.to_owned());
    let kind = kind.map_or_else(|| type_name(&name), str::to_owned);
    let root = if is_free(&kind) { kind.clone() } else { format!("{kind}Resource") };
    let types = match crds {
        Some(_) => Types::Written { files: &published.files },
        None => Types::Sample { group: &prefix, kind: &kind, root: &root },
    };
    let version = arguments::version(matches).or_else(|| crds.as_ref()?.version()).map(|version| version.to_string());
    let version = version.unwrap_or_else(|| arguments::DEFAULT_VERSION.to_owned());
    let workspace = Workspace {
        name: &name,
        prefix: &prefix,
        version: &version,
        profile,
        standard_only,
        annotations: &published.annotations,
        dependencies: &dependencies,
    };
    let files = workspace.files(types);
    new_workspace::write(&folder, &files, session)?;
    written.files = files.into_iter().map(|file| file.path).collect();
    if let Some(clone) = arguments::path(matches, arguments::PATH).filter(|_| is_outside) {
        written.notes.push(format!(
            "the workspace depends on `{}`, outside its repository, so CI cannot build it: before you push it, write `git = \"URL\"` for `path` \
             in every `Cargo.toml`, or use `--git` instead of `--path`",
            clone.display()
        ));
    }
    let shown = session.shown(&folder).display().to_string();
    written.notes.push(format!("next: `cd {shown}`, `git init` and `cargo xtask generate`"));
    if arguments::has_crds(matches) {
        written.notes.push("compare the result with `crd-channels diff PUBLISHED bundles/unreleased`".to_owned());
    }
    Ok(written)
}

fn wrong(what: &str, value: &str, expected: &str) -> Diagnostic {
    Diagnostic::error("new::name", format!("`{value}` is not a {what}: write {expected}"))
}

/// `--name`, else the name of the folder: the packages are named after it.
fn name(matches: &ArgMatches, folder: &Path) -> Result<String, Diagnostic> {
    let of_folder = || folder.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = arguments::text(matches, arguments::NAME).map(str::to_owned).or_else(of_folder).unwrap_or_default();
    let is_name = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
        && !name.ends_with('-')
        && name != "xtask";
    match is_name {
        true => Ok(name),
        false => Err(wrong("name for packages", &name, "lower-case letters, digits and hyphens")
            .help("pass `--name NAME`; the default is the name of the folder")),
    }
}

/// The dependencies on this project: a clone, or a git repository. The crates are not on crates.io. And whether a clone is outside the repository.
fn dependencies(
    matches: &ArgMatches,
    folder: &Path,
    session: &Session<'_>,
) -> Result<(Dependencies, bool), Diagnostic> {
    match (arguments::text(matches, arguments::GIT), arguments::path(matches, arguments::PATH)) {
        (None, Some(clone)) => new_workspace::of_clone(&session.folder.join(clone), folder),
        (url, _) => Ok((new_workspace::of_repository(url.unwrap_or(arguments::DEFAULT_REPOSITORY)), false)),
    }
}
