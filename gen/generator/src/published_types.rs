//! The types of published CRDs that `new` writes into a workspace. What reads and translates CRDs is in the full program.

use std::collections::BTreeMap;

use crd_diagnostics::Diagnostic;
use crd_model::profile::Profile;
use crd_stamps::BundleVersion;

use crate::session::Session;

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
pub type Read<'r> = dyn Fn(&Session<'_>) -> Result<Option<Box<dyn Published>>, Vec<Diagnostic>> + 'r;

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
    pub differences: Vec<Diagnostic>,
    /// Warnings about the files.
    pub warnings: Vec<Diagnostic>,
    /// What was left out.
    pub notes: Vec<String>,
}
