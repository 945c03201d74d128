//! The sides of a comparison.

use crd_bundle::{BundleVersion, Month, Release};
use crd_model::Channels;
use crd_model::constants::Constants;

/// One side of a comparison.
pub struct Side<'a> {
    /// As the user names it.
    pub name: String,
    /// Its version, or a clause why it is unknown.
    pub version: Result<BundleVersion, String>,
    /// Its month, if it has one instead.
    pub month: Option<Month>,
    pub channels: &'a Channels,
    /// Its recommended condition types and reasons, if it lists them.
    pub constants: Option<&'a Constants>,
}

impl<'a> Side<'a> {
    /// A release as a side.
    pub fn of(release: &'a Release) -> Self {
        Self {
            name: release.name.clone(),
            version: release.known_version(),
            month: release.month(),
            channels: &release.channels,
            constants: release.constants.as_ref(),
        }
    }
}
