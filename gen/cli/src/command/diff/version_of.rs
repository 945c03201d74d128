//! `--version-of`: the version of a bundle whose files do not contain it.
//!
//! Invariants: what the user states counts more than stamps, with a note if they differ. Each bundle has one version at most.

use clap::{Arg, ArgAction};
use crd_bundle::{BundleVersion, Release};
use crd_diagnostics::Diagnostic;
use crd_review::releases::version;

use crate::arguments::option;

pub(super) const VERSION_OF: &str = "version-of";

/// The arguments with the bundles, which are also the names in `--version-of`.
pub(super) const SIDES: [&str; 2] = ["old", "new"];

pub(super) fn version_of_argument() -> Arg {
    option(
        VERSION_OF,
        "SIDE=VERSION",
        "The version of a bundle whose files do not contain it: `old=VERSION` or `new=VERSION`; may be repeated",
    )
    .action(ArgAction::Append)
    .value_parser(side_and_version)
}

fn side_and_version(text: &str) -> Result<(usize, BundleVersion), String> {
    let (side, tag) = text.split_once('=').unwrap_or_default();
    let side = SIDES.iter().position(|known| side.eq_ignore_ascii_case(known));
    side.zip(version(tag))
        .ok_or_else(|| "write `old=VERSION` or `new=VERSION`, with a semantic version such as v1.2.3".to_owned())
}

/// Gives bundles the versions that the user states, and returns notes about other versions in their files.
pub(super) fn state_versions(
    stated: &[(usize, BundleVersion)],
    bundles: [&mut Release; 2],
) -> Result<Vec<String>, Diagnostic> {
    let mut notes = Vec::new();
    for (side, bundle) in bundles.into_iter().enumerate() {
        let mut versions = stated.iter().filter(|(known, _)| *known == side).map(|(_, version)| *version);
        let Some(version) = versions.next() else { continue };
        if let Some(other) = versions.find(|other| *other != version) {
            let message = format!("`--{VERSION_OF}` states two versions of `{}`: {version} and {other}", SIDES[side]);
            return Err(Diagnostic::error("usage::conflict", message).help("state one version"));
        }
        if let Some(known) = bundle.version.replace(version).filter(|known| *known != version) {
            notes.push(format!(
                "`{}` has the version {known}, and `--{VERSION_OF}` states {version}, which counts",
                bundle.name
            ));
        }
    }
    Ok(notes)
}
