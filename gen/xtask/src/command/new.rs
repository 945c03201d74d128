//! `new`: writes a workspace that generates CRDs, with a small resource or with the types of published CRDs.

mod arguments;
mod published;
mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use crd_bundle::published::choice;
use crd_diagnostics::{Diagnostic, json};
use crd_markers::names::{is_group, is_kind};
use crd_model::profile::Profile;
use crd_release::workspace::{Dependencies, Types, Workspace};
use crd_source::{Difference, Published, ResourceType, is_free, source, type_name};

use super::{Outcome, Run, Subcommand};
use crate::arguments::{Format, format, requested_profile};
use crate::exit::Exit;
use crate::new_workspace;
use crate::session::Session;
use published::Crds;

pub(super) const SUBCOMMAND: Subcommand =
    Subcommand { name: "new", arguments: arguments::arguments, run: Run::WithoutTypes(run) };

/// What was written.
#[derive(Default)]
struct Written {
    folder: PathBuf,
    files: Vec<String>,
    /// The root types of published CRDs.
    resources: Vec<ResourceType>,
    differences: Vec<Difference>,
    /// Warnings about the files of published CRDs.
    warnings: Vec<Diagnostic>,
    notes: Vec<String>,
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let result = new(matches, session);
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(written) if !written.differences.is_empty() => Exit::Findings,
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
    crds: Crds,
}

fn inputs<'m>(
    matches: &'m ArgMatches,
    folder: &Path,
    session: &mut Session<'_>,
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
    let crds = published::published(matches, session).map_err(|more| errors.extend(more)).ok();
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

fn new(matches: &ArgMatches, session: &mut Session<'_>) -> Result<Written, Vec<Diagnostic>> {
    let folder = session.folder.join(arguments::folder(matches));
    let Inputs { name, group, kind, dependencies, is_outside, crds } = inputs(matches, &folder, session)?;
    let (stamped, stamp_prefix) = (crds.version(), crds.prefix());
    let Crds { published, warnings, left_out, .. } = crds;
    let (profile, standard_only) = profile(matches, published.as_ref().map(Published::has_channels))?;
    let mut written = Written { folder: folder.clone(), warnings, ..Written::default() };
    written.notes.extend(choice::notes(&left_out));
    let (mut annotations, mut files, mut prefix) = (BTreeMap::new(), Vec::new(), group.map(str::to_owned));
    if let Some(published) = &published {
        session.begin("writing the types");
        let source = source(published, profile);
        annotations = source.annotations;
        written.differences = source.differences;
        written.resources = source.resources;
        files = source.files.into_iter().map(|file| (file.path, file.text)).collect();
        prefix = prefix.or(stamp_prefix).or_else(|| published.prefix());
    }
    if published.is_some() && written.resources.is_empty() {
        return Err(written.differences.iter().map(|difference| report::diagnostic(difference, true)).collect());
    }
    let prefix = prefix.unwrap_or_else(|| arguments::DEFAULT_GROUP.to_owned());
    let kind = kind.map_or_else(|| type_name(&name), str::to_owned);
    let root = if is_free(&kind) { kind.clone() } else { format!("{kind}Resource") };
    let types = match published {
        Some(_) => Types::Written { files: &files },
        None => Types::Sample { group: &prefix, kind: &kind, root: &root },
    };
    let version = arguments::version(matches).or(stamped).map(|version| version.to_string());
    let version = version.unwrap_or_else(|| arguments::DEFAULT_VERSION.to_owned());
    let workspace = Workspace {
        name: &name,
        prefix: &prefix,
        version: &version,
        profile,
        standard_only,
        annotations: &annotations,
        dependencies: &dependencies,
    };
    let files =
        workspace.files(types).map_err(|error| vec![Diagnostic::error("release::template", error.to_string())])?;
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
