//! What the arguments of `new` name, checked: all errors together.

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_model::profile::Profile;
use crd_names::wire::{is_group, is_kind};

use super::arguments::{self, Request};
use crate::new_workspace;
use crate::published_types::{Published, Read};
use crate::session::Session;
use crate::workspace::Dependencies;

/// What the arguments name, checked.
pub(super) struct Inputs<'m> {
    pub(super) name: String,
    pub(super) group: Option<&'m str>,
    pub(super) kind: Option<&'m str>,
    pub(super) dependencies: Dependencies,
    /// Whether the dependencies are a clone outside the repository of the workspace.
    pub(super) is_outside: bool,
    pub(super) crds: Option<Box<dyn Published>>,
}

pub(super) fn inputs<'m>(
    request: &'m Request,
    folder: &Path,
    session: &mut Session<'_>,
    read: &Read<'_>,
) -> Result<Inputs<'m>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let name = name(request, folder).map_err(|error| errors.push(error)).unwrap_or_default();
    let group = request.group.as_deref();
    if let Some(group) = group.filter(|group| !is_group(group)) {
        let expected = "a DNS name in lower case with at least one dot, such as `widgets.example.com`";
        errors.push(wrong("group", group, expected));
    }
    let kind = request.kind.as_deref();
    if let Some(kind) = kind.filter(|kind| !is_kind(kind)) {
        errors.push(wrong("kind", kind, "a word in CamelCase, such as `Widget`"));
    }
    let dependencies = dependencies(request, folder, session).map_err(|error| errors.push(error)).ok();
    let crds = read(session).map_err(|more| errors.extend(more)).ok();
    match (dependencies, crds) {
        (Some((dependencies, is_outside)), Some(crds)) if errors.is_empty() => {
            Ok(Inputs { name, group, kind, dependencies, is_outside, crds })
        }
        _ => Err(errors),
    }
}

/// The profile, and whether the API has only the channel standard. `has_channels` is whether published CRDs have two.
pub(super) fn profile(request: &Request, has_channels: Option<bool>) -> Result<(Profile, bool), Diagnostic> {
    let standard_only = has_channels.map_or_else(|| request.is_standard_only, |has| !has);
    let default = || if standard_only || request.is_standard_only { Profile::Semver } else { Profile::Gep922 };
    let profile = request.profile.unwrap_or_else(default);
    if standard_only && profile.has_experimental_stage() {
        let message = format!("the profile `{profile}` needs the channel experimental, and the API has only standard");
        let help = "pass `--profile semver`, or `--standard` and `--experimental`";
        return Err(Diagnostic::error("catalogue::channels", message).help(help));
    }
    Ok((profile, standard_only))
}

fn wrong(what: &str, value: &str, expected: &str) -> Diagnostic {
    Diagnostic::error("new::name", format!("`{value}` is not a {what}: write {expected}"))
}

/// `--name`, else the name of the folder: the packages are named after it.
fn name(request: &Request, folder: &Path) -> Result<String, Diagnostic> {
    let of_folder = || folder.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = request.name.clone().or_else(of_folder).unwrap_or_default();
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
fn dependencies(request: &Request, folder: &Path, session: &Session<'_>) -> Result<(Dependencies, bool), Diagnostic> {
    match (request.git.as_deref(), request.path.as_deref()) {
        (None, Some(clone)) => new_workspace::of_clone(&session.folder.join(clone), folder),
        (url, _) => Ok((new_workspace::of_repository(url.unwrap_or(arguments::DEFAULT_REPOSITORY)), false)),
    }
}
