//! The profiles: which policy a project follows.
//!
//! Invariants: [`PROFILES`] is the only list of them. `crd-compat` decides which changes a profile permits.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::channel::Channel;

/// A profile: which columns of the policy apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// GEP-922: a stable channel with strict rules and an experimental one with milder rules.
    #[default]
    Gep922,
    /// The API-versioning guide: one policy for all channels, where additions are patches.
    ApiGuide,
    /// Semantic versions, for projects without Gateway API's rules: one channel or two, and no experimental stage.
    Semver,
}

/// Every profile with its name and its purpose.
pub const PROFILES: [(Profile, &str, &str); 3] = [
    (Profile::Gep922, "gep-922", "release channels as in GEP-922: strict in standard, milder in experimental"),
    (Profile::ApiGuide, "api-guide", "one policy for all channels: additions are patches, removals are minor"),
    (
        Profile::Semver,
        "semver",
        "semantic versions, with one channel or two: strict from v1.0.0, milder in alpha versions",
    ),
];

impl Profile {
    pub fn name(self) -> &'static str {
        PROFILES.iter().find(|(profile, ..)| *profile == self).map_or("", |(_, name, _)| name)
    }

    /// The profile with this name.
    pub fn named(name: &str) -> Option<Self> {
        PROFILES.iter().find(|(_, known, _)| *known == name).map(|(profile, ..)| *profile)
    }

    /// Whether API versions with `alpha` in their name are served in a channel.
    pub fn serves_alpha(self, channel: Channel) -> bool {
        self == Profile::Semver || channel.row().serves_alpha
    }

    /// Whether names start in experimental, so that a project needs this channel.
    pub fn has_experimental_stage(self) -> bool {
        self == Profile::Gep922
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::named(text).ok_or_else(|| {
            format!("`{text}` is not a profile: expected one of {}", PROFILES.map(|(_, name, _)| name).join(", "))
        })
    }
}

impl Serialize for Profile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Profile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Profile".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let profiles = PROFILES.map(|(_, name, purpose)| serde_json::json!({ "const": name, "description": purpose }));
        schemars::json_schema!({ "description": "Which columns of the policy apply.", "oneOf": profiles })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_has_a_name_that_reads_back() {
        for (profile, name, _) in PROFILES {
            assert_eq!((profile.name(), name.parse()), (name, Ok(profile)));
        }
        assert_eq!(
            "strict".parse::<Profile>(),
            Err("`strict` is not a profile: expected one of gep-922, api-guide, semver".to_owned())
        );
    }

    #[test]
    fn only_semver_serves_alpha_versions_in_standard() {
        let serving = |channel| PROFILES.map(|(profile, ..)| profile.serves_alpha(channel));
        assert_eq!((serving(Channel::Standard), serving(Channel::Experimental)), ([false, false, true], [true; 3]));
    }
}
