//! Versions of bundles, and what the stamp of a bundle names.
//!
//! Invariants: a semantic version with a leading `v`, ordered as semantic versions are: v1.10 above v1.9, pre-releases below
//! their release. The admission policy compares fewer versions; a release refuses the rest. Versions and months have no common order.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use semver::{BuildMetadata, Prerelease, Version};

use crate::text_value;

/// Why a text is not a bundle version, or another value of a bundle such as a digest, a version bump or a release date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(pub String);

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ParseError {}

/// The version of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BundleVersion {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    pre: Identifiers,
    build: Identifiers,
}

/// The longest pre-release, and the longest build metadata, in bytes: twice as long as those of a Go pseudo-version.
const LONGEST: usize = 63;

/// The text of a pre-release or of build metadata, as long as a version is; zero bytes follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Identifiers([u8; LONGEST]);

impl Identifiers {
    const NONE: Self = Self([0; LONGEST]);

    /// Neither has a byte that is not ASCII. None if the text is too long.
    fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; LONGEST];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self(bytes))
    }

    fn text(&self) -> &str {
        let length = self.0.iter().position(|byte| *byte == 0).unwrap_or(LONGEST);
        str::from_utf8(&self.0[..length]).unwrap_or_default()
    }
}

/// The pre-releases that the admission policy compares.
const STAGES: [&str; 4] = ["alpha", "beta", "dev", "rc"];
/// The policy compares numbers of at most so many digits.
const MOST_DIGITS: usize = 4;

impl BundleVersion {
    /// The release with these numbers.
    #[must_use]
    pub fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self { major, minor, patch, pre: Identifiers::NONE, build: Identifiers::NONE }
    }

    /// Reads the version of a release, without pre-release and build metadata: no form of an object appears in another bundle.
    ///
    /// # Errors
    /// Any other text.
    pub fn parse_release(text: &str) -> Result<Self, ParseError> {
        let version = text.parse::<Self>().ok().filter(|version| *version == version.core());
        version.ok_or_else(|| ParseError("not a bundle version such as `v1.4.0`".to_owned()))
    }

    /// The version that unreleased output of this release is stamped with: `v1.6.1` → `v1.6.1-dev`.
    #[must_use]
    pub fn unreleased(self) -> Self {
        Self { pre: Identifiers::new("dev").unwrap_or(Identifiers::NONE), ..self.core() }
    }

    /// Whether both name one bundle: a version, and its output before the release.
    #[must_use]
    pub fn is_same_bundle(self, other: Self) -> bool {
        self == other || self == other.unreleased() || self.unreleased() == other
    }

    /// The same numbers without pre-release and build metadata: `v1.7.0-rc.1` → `v1.7.0`.
    #[must_use]
    pub fn core(self) -> Self {
        Self::new(self.major, self.minor, self.patch)
    }

    /// Whether the version is a release, not a pre-release.
    pub fn is_release(self) -> bool {
        self.pre == Identifiers::NONE
    }

    /// Whether the admission policy of a release can compare this version with installed ones.
    ///
    /// # Errors
    /// Build metadata, a number of more than four digits, or a pre-release other than dev, alpha, beta or rc.
    pub fn check_comparable(self) -> Result<(), ParseError> {
        let fail = |reason: &str| wrong(self, reason);
        if self.build != Identifiers::NONE {
            return Err(fail("the admission policy of a release cannot compare build metadata"));
        }
        let mut parts = self.pre.text().split('.');
        let stage = parts.next().unwrap_or_default();
        let number = parts.next();
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let is_stage = STAGES.contains(&stage) && number.is_none_or(is_number) && parts.next().is_none();
        if !self.is_release() && !is_stage {
            return Err(fail("a pre-release is dev, alpha, beta or rc, with an optional number after a dot"));
        }
        let numbers = [self.major, self.minor, self.patch].map(|number| number.to_string());
        if numbers.iter().map(String::as_str).chain(number).any(|number| number.len() > MOST_DIGITS) {
            return Err(fail("a number has more than four digits"));
        }
        Ok(())
    }
}

impl Ord for BundleVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        let numbers = |version: &Self| [version.major, version.minor, version.patch];
        let pre = |version: &Self| Prerelease::new(version.pre.text()).unwrap_or_default();
        let build = |version: &Self| BuildMetadata::new(version.build.text()).unwrap_or_default();
        let numbers = numbers(self).cmp(&numbers(other));
        numbers.then_with(|| pre(self).cmp(&pre(other))).then_with(|| build(self).cmp(&build(other)))
    }
}

impl PartialOrd for BundleVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

text_value!(BundleVersion, "A bundle version, such as `v1.7.0`.");
text_value!(BundleStamp, "A bundle version, or a month such as `monthly-2026.06`.");

impl fmt::Display for BundleVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("v{}.{}.{}", self.major, self.minor, self.patch);
        for (sign, identifiers) in [('-', &self.pre), ('+', &self.build)] {
            if *identifiers != Identifiers::NONE {
                text.push(sign);
                text.push_str(identifiers.text());
            }
        }
        formatter.pad(&text)
    }
}

fn wrong(text: impl fmt::Display, reason: impl fmt::Display) -> ParseError {
    ParseError(format!(
        "`{text}` is not a bundle version: {reason}. Write vMAJOR.MINOR.PATCH, such as v1.6.1, or a pre-release such as v1.7.0-rc.1"
    ))
}

impl FromStr for BundleVersion {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        if Month::read(text).is_some() {
            return Err(wrong(text, "a month has no order with versions, so it is never a release or a baseline"));
        }
        let number = text.strip_prefix('v').ok_or_else(|| wrong(text, "it does not begin with `v`"))?;
        let Version { major, minor, patch, pre, build } = Version::parse(number).map_err(|error| wrong(text, error))?;
        let identifiers = |part: &str| {
            let too_long = || format!("its pre-release or build metadata is longer than {LONGEST} bytes");
            Identifiers::new(part).ok_or_else(|| wrong(text, too_long()))
        };
        Ok(Self { major, minor, patch, pre: identifiers(&pre)?, build: identifiers(&build)? })
    }
}

/// The bundle of a month, such as `monthly-2026.06`: the year and the month. It has no semantic version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Month(u16, u8);

impl Month {
    /// How the name of a monthly bundle begins.
    pub const PREFIX: &str = "monthly-";

    /// Reads the canonical form: four digits, a dot, and two digits.
    fn read(text: &str) -> Option<Self> {
        let (year, month) = text.strip_prefix(Self::PREFIX)?.split_once('.')?;
        let read = Self(year.parse().ok()?, month.parse().ok()?);
        ((1..=12).contains(&read.1) && read.to_string() == text).then_some(read)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&format!("{}{:04}.{:02}", Self::PREFIX, self.0, self.1))
    }
}

/// What the stamp of a bundle names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BundleStamp {
    Version(BundleVersion),
    Month(Month),
    Unreadable,
}

impl BundleStamp {
    pub fn of(text: &str) -> Self {
        let month = || Month::read(text).map_or(Self::Unreadable, Self::Month);
        text.parse().map_or_else(|_| month(), Self::Version)
    }

    /// The semantic version, if it is one.
    pub fn version(self) -> Option<BundleVersion> {
        if let Self::Version(version) = self { Some(version) } else { None }
    }

    /// The month, if it is one.
    pub fn month(self) -> Option<Month> {
        if let Self::Month(month) = self { Some(month) } else { None }
    }

    /// The order of two versions, or of two months; other stamps have none.
    pub fn order(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Version(one), Self::Version(other)) => Some(one.cmp(&other)),
            (Self::Month(one), Self::Month(other)) => Some(one.cmp(&other)),
            _ => None,
        }
    }
}

impl fmt::Display for BundleStamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => version.fmt(formatter),
            Self::Month(month) => month.fmt(formatter),
            Self::Unreadable => formatter.pad("unreadable"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line has the stamps of one kind, in their order.
    #[test]
    fn stamps_are_ordered_within_their_kind_only() {
        let versions = ["v0.9.0", "v1.7.0-rc.1", "v1.7.0", "v1.10.0"];
        let months = ["monthly-0001.12", "monthly-2025.12", "monthly-2026.01", "monthly-2026.09", "monthly-2026.10"];
        let unreadable = [
            "",
            "main",
            "v1.7",
            "1.7.0",
            "monthly",
            "monthly-",
            "monthly-2026",
            "monthly-2026.",
            "monthly-2026.6",
            "monthly-2026.00",
            "monthly-2026.13",
            "monthly-2026.006",
            "monthly-26.06",
            "monthly-02026.06",
            "monthly-+026.06",
            "monthly-2026.+6",
            "monthly-2026-06",
            "monthly-2026.06.01",
            "monthly-2026.06-rc.1",
            "monthly-2026.06 ",
            " monthly-2026.06",
            "Monthly-2026.06",
            "vmonthly-2026.06",
            "monthly-٢٠٢٦.٠٦",
            "monthly-99999.01",
            "v2026.06",
        ];
        let kinds = [&versions[..], &months, &unreadable];
        let all = kinds.iter().enumerate().flat_map(|(kind, texts)| texts.iter().map(move |text| (kind, *text)));
        let all = all.collect::<Vec<_>>();
        for (index, (kind, text)) in all.iter().enumerate() {
            let stamp = BundleStamp::of(text);
            assert_eq!((stamp.version().is_some(), stamp.month().is_some()), (*kind == 0, *kind == 1), "{text:?}");
            assert!(*kind == 2 || stamp.to_string() == *text, "{text:?}");
            for (other, (of, other_text)) in all.iter().enumerate() {
                let expected = (kind == of && *kind < 2).then(|| index.cmp(&other));
                assert_eq!(stamp.order(BundleStamp::of(other_text)), expected, "{text:?} and {other_text:?}");
            }
        }
    }

    fn version(text: &str) -> BundleVersion {
        text.parse().unwrap()
    }

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
    fn published_tags_of_gateway_api_are_read() {
        let ordered =
            ["v0.1.0-rc1", "v0.5.0-rc1", "v0.5.0", "v1.0.0-rc1", "v1.0.0-rc2", "v1.0.0", "v1.1.0-rc2", "v1.1.0"];
        let versions = ordered.map(version);
        assert!(versions.is_sorted_by(|left, right| left < right), "{versions:?}");
        assert_eq!(versions.map(|version| version.to_string()), ordered);
        assert!(!versions[3].is_release());
        assert_eq!(versions[3].core(), versions[5]);
    }

    #[test]
    fn build_metadata_is_read_and_kept() {
        let built = version("v1.2.3-rc.1+build.5");
        assert_eq!(built.to_string(), "v1.2.3-rc.1+build.5");
        assert_eq!(built.core().to_string(), "v1.2.3");
        assert_eq!(built.unreleased().to_string(), "v1.2.3-dev");
        assert!(version("v1.2.3+build").is_release());
        assert_ne!(version("v1.2.3+build"), version("v1.2.3"));
        let longest = format!("v1.2.3-{}+{}", "a".repeat(63), "b".repeat(63));
        assert_eq!(version(&longest).to_string(), longest);
    }

    #[test]
    fn versions_that_the_policy_cannot_compare_are_not_released() {
        for text in ["v1.6.1", "v0.0.9999", "v1.7.0-dev", "v1.7.0-rc.1", "v1.7.0-alpha.9999", "v1.7.0-beta"] {
            assert_eq!(version(text).check_comparable(), Ok(()), "{text}");
        }
        for (text, part) in [
            ("v1.6.10000", "four digits"),
            ("v1.6.1-rc.10000", "four digits"),
            ("v1.6.1-final", "pre-release"),
            ("v1.0.0-rc1", "pre-release"),
            ("v1.6.1-rc.x", "pre-release"),
            ("v1.6.1-rc.1.2", "pre-release"),
            ("v1.6.1+build", "build metadata"),
        ] {
            let error = version(text).check_comparable().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn malformed_versions_are_refused_with_a_reason() {
        for (text, part) in [
            ("1.6.1", "begin with"),
            ("v1.6", "minor version number"),
            ("v1.6.1.2", "unexpected character '.'"),
            ("v01.6.1", "leading zero"),
            ("v1.6.x", "patch version number"),
            ("v1.6.", "patch version number"),
            ("v1.6.1-", "pre-release"),
            ("v1.6.1-rc.01", "leading zero"),
            ("v1.6.1+", "build metadata"),
            (&format!("v1.6.1-{}", "a".repeat(64)), "longer than 63 bytes"),
            (&format!("v1.6.1+{}", "a".repeat(64)), "longer than 63 bytes"),
            ("", "begin with"),
            ("monthly-2026.06", "a month has no order with versions"),
            ("monthly-2026.13", "begin with"),
        ] {
            let error = text.parse::<BundleVersion>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
            assert!(BundleVersion::parse_release(text).is_err(), "{text}");
        }
        for text in ["v1.7.0-rc.1", "v1.7.0+build"] {
            assert!(BundleVersion::parse_release(text).is_err(), "{text}");
        }
        assert_eq!(BundleVersion::parse_release("v1.7.0"), "v1.7.0".parse());
    }
}
