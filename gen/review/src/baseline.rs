//! Versions: the baseline of a candidate, the bump between two versions, and the order of releases.

use crd_bundle::BundleVersion;
use crd_compat::RequiredBump;
use crd_diagnostics::Diagnostic;

use crate::history::History;

/// The command that adds a baseline to `bundles/`.
pub(crate) const IMPORT: &str = "cargo xtask import PATH --version VERSION --channel CHANNEL";

/// The bump from one version to a later one; none if it is not later.
pub fn bump(from: BundleVersion, to: BundleVersion) -> Option<RequiredBump> {
    // A pre-release may hold what its release may.
    let core = |version: BundleVersion| (version.major, version.minor, version.patch);
    let ((major, minor, _), (new_major, new_minor, _)) = (core(from), core(to));
    // Builds of one release come one after the other (`v1.6.1+1`, `v1.6.1+2`), and have no number of their own.
    let is_build = core(to) == core(from) && from.is_release() && to.is_release() && to > from;
    if is_build {
        Some(RequiredBump::Patch)
    } else if core(to) <= core(from) {
        None
    } else if new_major > major {
        Some(RequiredBump::Major)
    } else if new_minor > minor {
        Some(RequiredBump::Minor)
    } else {
        Some(RequiredBump::Patch)
    }
}

/// The smallest release above a version that a required bump fits; none if no release does.
pub fn smallest(from: BundleVersion, required_bump: RequiredBump) -> Option<BundleVersion> {
    match required_bump {
        RequiredBump::None => Some(from.core()),
        RequiredBump::Patch => Some(BundleVersion::new(from.major, from.minor, from.patch.checked_add(1)?)),
        RequiredBump::Minor => Some(BundleVersion::new(from.major, from.minor.checked_add(1)?, 0)),
        RequiredBump::Major => Some(BundleVersion::new(from.major.checked_add(1)?, 0, 0)),
        RequiredBump::Waiver | RequiredBump::NotAllowed => None,
    }
}

/// The baseline of a candidate: the highest release below it. Pre-releases are never used as a baseline.
pub fn baseline(candidate: BundleVersion, released: &[BundleVersion]) -> Option<BundleVersion> {
    let core = candidate.core();
    released.iter().copied().filter(|version| version.is_release() && *version < core).max()
}

/// The later bundle that a version conflicts with, and why; none if the version may follow the existing bundles.
pub fn overtaken(version: BundleVersion, others: &[BundleVersion]) -> Option<(BundleVersion, String)> {
    let line = others.iter().filter(|other| (other.major, other.minor) == (version.major, version.minor)).max();
    match line {
        Some(last) if *last > version => {
            let why = "which is in `bundles/`; a bundle never follows a later one of its minor";
            return Some((*last, why.to_owned()));
        }
        // A patch of an older minor.
        Some(_) => return None,
        None => {}
    }
    // A pre-release does not block any version.
    let releases = others.iter().copied().filter(|other| other.is_release()).collect::<Vec<_>>();
    let of_major = releases.iter().copied().filter(|other| other.major == version.major).max();
    // If an older major version is still maintained, only its own releases count.
    match of_major.or(releases.iter().copied().max()) {
        Some(last) if last > version => {
            Some((last, format!("and would start an older minor series; users on {last} could not upgrade to it")))
        }
        _ => None,
    }
}

/// Which bundle the types are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The release of their version, or that overtook it; without one, the highest release below their version.
    Highest,
    /// The bundle that the user names.
    Named(BundleVersion),
    /// The baseline that the bundle's manifest records, or none; later bundles do not change it.
    Recorded(Option<BundleVersion>),
}

/// The bundle because of which the types cannot be released with this version any more.
pub(crate) fn last(version: BundleVersion, is_release: bool, history: &History) -> Option<BundleVersion> {
    match history.bundle(version) {
        Some(_) => Some(version),
        None => overtaken(version, &history.versions()).filter(|_| !is_release).map(|(last, _)| last),
    }
}

/// The bundle that the types of a version are compared with.
///
/// # Errors
/// The requested baseline cannot be one.
pub fn chosen(
    version: BundleVersion,
    against: Baseline,
    is_release: bool,
    history: &History,
) -> Result<Option<BundleVersion>, Diagnostic> {
    let last = last(version, is_release, history);
    Ok(match against {
        Baseline::Named(asked) => Some(requested(asked, version, history)?),
        Baseline::Recorded(None) => None,
        Baseline::Recorded(Some(recorded)) if history.bundle(recorded).is_some() => Some(recorded),
        Baseline::Highest if last.is_some_and(BundleVersion::is_release) => last,
        Baseline::Recorded(Some(_)) | Baseline::Highest => baseline(version, &history.versions()),
    })
}

/// The baseline that the user names with `--against`.
fn requested(asked: BundleVersion, version: BundleVersion, history: &History) -> Result<BundleVersion, Diagnostic> {
    let (message, help) = if history.bundle(asked).is_none() {
        (format!("`bundles/` contains no bundle {asked}"), format!("import it with `{IMPORT}`"))
    } else if !asked.is_release() {
        (
            format!("{asked} is a pre-release, which is never a baseline"),
            format!("compare with `cargo xtask diff {asked} bundles/unreleased`"),
        )
    } else if asked > version.core() {
        (
            format!("{asked} is above {version}, the next version"),
            "choose an earlier release as the baseline".to_owned(),
        )
    } else {
        return Ok(asked);
    };
    Err(Diagnostic::error("bundle::baseline", format!("--against {asked}: {message}")).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> BundleVersion {
        text.parse().unwrap()
    }

    #[test]
    fn bumps_are_those_of_semantic_versions() {
        for (from, to, expected) in [
            ("v1.6.0", "v1.6.1", Some(RequiredBump::Patch)),
            ("v1.6.3", "v1.7.0", Some(RequiredBump::Minor)),
            ("v1.6.3", "v1.7.0-rc.1", Some(RequiredBump::Minor)),
            ("v1.9.0", "v1.10.0", Some(RequiredBump::Minor)),
            ("v1.9.9", "v2.0.0", Some(RequiredBump::Major)),
            ("v0.8.1", "v1.0.0", Some(RequiredBump::Major)),
            ("v1.6.1", "v1.6.1", None),
            ("v1.7.0", "v1.6.9", None),
            ("v1.6.1", "v1.6.1+1", Some(RequiredBump::Patch)),
            ("v1.6.1+9", "v1.6.1+10", Some(RequiredBump::Patch)),
            ("v1.6.1+10", "v1.6.1+9", None),
            ("v1.6.1+1", "v1.7.0", Some(RequiredBump::Minor)),
        ] {
            assert_eq!(bump(version(from), version(to)), expected, "{from} → {to}");
        }
    }

    #[test]
    fn the_smallest_version_that_fits_is_a_release() {
        for (required_bump, expected) in [
            (RequiredBump::None, Some("v1.6.3")),
            (RequiredBump::Patch, Some("v1.6.4")),
            (RequiredBump::Minor, Some("v1.7.0")),
            (RequiredBump::Major, Some("v2.0.0")),
            (RequiredBump::Waiver, None),
            (RequiredBump::NotAllowed, None),
        ] {
            assert_eq!(smallest(version("v1.6.3"), required_bump), expected.map(version), "{required_bump}");
        }
    }
}
