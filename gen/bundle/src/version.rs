//! Versions of bundles.
//!
//! Fed with texts from the catalogue, stamps and folder names. Read by stamps, baselines and the release.
//!
//! Invariants: `vMAJOR.MINOR.PATCH[-(dev|alpha|beta|rc)[.N]]`, numbers without leading zeros and of at most four digits;
//! ordered as semantic versions: v1.10 above v1.9, pre-releases below their release.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The version of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BundleVersion {
    /// Incompatible changes.
    pub major: u16,
    /// Compatible changes.
    pub minor: u16,
    /// Mended mistakes.
    pub patch: u16,
    /// What it is before the release.
    pub pre_release: Option<PreRelease>,
}

/// What a bundle is before its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PreRelease {
    stage: Stage,
    /// Which one of its stage.
    number: Option<u16>,
}

/// How near the release is; semantic versions compare the words by their letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Stage {
    Alpha,
    Beta,
    Dev,
    Rc,
}

const STAGES: [(&str, Stage); 4] =
    [("alpha", Stage::Alpha), ("beta", Stage::Beta), ("dev", Stage::Dev), ("rc", Stage::Rc)];

impl BundleVersion {
    /// The version that unreleased output of this release is stamped with: `v1.6.1` → `v1.6.1-dev`.
    #[must_use]
    pub fn unreleased(self) -> Self {
        Self { pre_release: Some(PreRelease { stage: Stage::Dev, number: None }), ..self }
    }

    /// Whether it is a release and no step towards one.
    pub fn is_release(self) -> bool {
        self.pre_release.is_none()
    }
}

impl PartialOrd for BundleVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BundleVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.major, self.minor, self.patch).cmp(&(other.major, other.minor, other.patch)).then_with(|| {
            match (self.pre_release, other.pre_release) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some(left), Some(right)) => left.cmp(&right),
            }
        })
    }
}

impl fmt::Display for BundleVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "v{}.{}.{}", self.major, self.minor, self.patch)?;
        if let Some(pre_release) = self.pre_release {
            let name = STAGES.iter().find(|(_, stage)| *stage == pre_release.stage).map_or("", |(name, _)| name);
            write!(formatter, "-{name}")?;
            if let Some(number) = pre_release.number {
                write!(formatter, ".{number}")?;
            }
        }
        Ok(())
    }
}

/// A text that is no bundle version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionError {
    text: String,
    reason: &'static str,
}

impl fmt::Display for VersionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "`{}` is no bundle version: {}. Write vMAJOR.MINOR.PATCH, such as v1.6.1, or a pre-release such as v1.7.0-rc.1",
            self.text, self.reason
        )
    }
}

impl std::error::Error for VersionError {}

impl FromStr for BundleVersion {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let fail = |reason| VersionError { text: text.to_owned(), reason };
        let rest = text.strip_prefix('v').ok_or_else(|| fail("it does not begin with `v`"))?;
        let (core, pre_release) = match rest.split_once('-') {
            Some((core, pre_release)) => (core, Some(pre_release)),
            None => (rest, None),
        };
        let number = |part: &str| -> Result<u16, VersionError> {
            if part.is_empty() || !part.bytes().all(|digit| digit.is_ascii_digit()) {
                return Err(fail("a part of it is no number"));
            }
            if part.len() > 1 && part.starts_with('0') {
                return Err(fail("a number has a leading zero"));
            }
            if part.len() > 4 {
                return Err(fail("a number has more than four digits"));
            }
            part.parse().map_err(|_| fail("a part of it is no number"))
        };
        let mut parts = core.split('.');
        let (Some(major), Some(minor), Some(patch), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(fail("it has not three numbers"));
        };
        let pre_release = match pre_release {
            None => None,
            Some(pre_release) => {
                let (name, count) = match pre_release.split_once('.') {
                    Some((name, count)) => (name, Some(count)),
                    None => (pre_release, None),
                };
                let stage =
                    STAGES.iter().find(|(known, _)| *known == name).map(|(_, stage)| *stage).ok_or_else(|| {
                        fail("a pre-release is dev, alpha, beta or rc, with a number behind a dot if there are more")
                    })?;
                Some(PreRelease { stage, number: count.map(number).transpose()? })
            }
        };
        Ok(Self { major: number(major)?, minor: number(minor)?, patch: number(patch)?, pre_release })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_semantic_versions() {
        let ordered = [
            "v0.9.0",
            "v1.1.0",
            "v1.2.0",
            "v1.9.0",
            "v1.10.0-alpha",
            "v1.10.0-alpha.1",
            "v1.10.0-beta.2",
            "v1.10.0-beta.10",
            "v1.10.0-dev",
            "v1.10.0-rc.1",
            "v1.10.0",
            "v1.10.1",
            "v2.0.0",
        ];
        let versions: Vec<BundleVersion> = ordered.iter().map(|text| text.parse().unwrap()).collect();
        assert!(versions.windows(2).all(|pair| pair[0] < pair[1]), "{versions:?}");
        for (text, version) in ordered.iter().zip(&versions) {
            assert_eq!(version.to_string(), *text);
        }
        assert_eq!(versions[10].unreleased().to_string(), "v1.10.0-dev");
        assert!(versions[10].is_release() && !versions[9].is_release());
    }

    #[test]
    fn malformed_versions_are_refused_with_a_reason() {
        for (text, part) in [
            ("1.6.1", "begin with"),
            ("v1.6", "three numbers"),
            ("v1.6.1.2", "three numbers"),
            ("v01.6.1", "leading zero"),
            ("v1.6.x", "no number"),
            ("v1.6.", "no number"),
            ("v1.6.10000", "four digits"),
            ("v1.6.1-final", "pre-release"),
            ("v1.6.1-rc.x", "no number"),
            ("v1.6.1-", "pre-release"),
            ("", "begin with"),
        ] {
            let error = text.parse::<BundleVersion>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
