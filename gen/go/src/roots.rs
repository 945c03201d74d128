//! The root types of resources: the package of a group and a version, and there the type with the name of the kind.
//!
//! Invariants: a resource without a type is an error that names what is nearest.

use crd_diagnostics::Diagnostic;
use crd_markers::descriptor::ResourceDescriptor;
use crd_names::nearest;

use crate::packages::{Package, Packages};
use crate::problem::{PACKAGES, TYPES};

/// The package, and the type in it.
pub(crate) fn root(packages: &Packages<'_>, wanted: &ResourceDescriptor) -> Result<(usize, String), Diagnostic> {
    let wanted_version = (wanted.group.to_owned(), wanted.version.to_owned());
    let candidates = packages.all.iter().enumerate().filter(|(_, package)| package.is_wanted);
    let fitting: Vec<(usize, &Package)> = candidates
        .map(|(index, package)| (index, &**package))
        .filter(|(_, package)| package.versions.contains(&wanted_version))
        .collect();
    if let Some((index, _)) = fitting.iter().find(|(_, package)| package.types.contains_key(wanted.kind)) {
        return Ok((*index, wanted.kind.to_owned()));
    }
    let Some((_, first)) = fitting.first() else { return Err(no_package(packages, wanted)) };
    let mut names: Vec<&str> =
        fitting.iter().flat_map(|(_, package)| package.types.keys().map(String::as_str)).collect();
    names.sort_unstable();
    let hint = match nearest(wanted.kind, names) {
        Some(near) => format!("the nearest type is `{near}`"),
        None => "the CRD is from other types, or the pattern has too few packages".to_owned(),
    };
    let message = format!(
        "the package `{}` has no type `{}` for the resource {}/{}",
        first.path, wanted.kind, wanted.group, wanted.version
    );
    Err(TYPES.finding(message).at_file(first.files[0].path).help(hint))
}

fn no_package(packages: &Packages<'_>, wanted: &ResourceDescriptor) -> Diagnostic {
    let wanted_name = format!("{}/{}", wanted.group, wanted.version);
    let known = packages.all.iter().filter(|package| package.is_wanted);
    let known = known.flat_map(|package| package.versions.iter().map(|version| (version, &*package.folder)));
    let known: Vec<(String, &str)> =
        known.map(|((group, version), folder)| (format!("{group}/{version}"), folder)).collect();
    let near = nearest(&wanted_name, known.iter().map(|(name, _)| name.as_str()));
    let mut listed: Vec<String> = known.iter().map(|(name, folder)| format!("{name} in `{folder}`")).collect();
    listed.sort_by_key(|text| near.is_none_or(|near| !text.starts_with(near)));
    let help = match listed.is_empty() {
        true => "`// +groupName=GROUP` above `package` states the group of a package".to_owned(),
        false => format!("`+groupName=` and the name of the package, or `+versionName=`, give: {}", listed.join(", ")),
    };
    PACKAGES.finding(format!("no package has the types of {wanted_name}, the version of `{}`", wanted.kind)).help(help)
}
