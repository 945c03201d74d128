//! The context of a change: what a rule may use in addition to the change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use crate::policy::Column;
use crate::walk::Renames;

/// What a rule may use in addition to the change.
pub struct Context<'a> {
    /// The column of the policy.
    pub column: Column,
    /// The experimental CRDs of the baseline, where names of standard start; none if it has no such channel, for another channel, and in the
    /// column `experimental`.
    pub baseline_experimental: Option<&'a [Arc<CustomResourceDefinition>]>,
    /// All CRDs of the candidate in this channel.
    pub candidate: &'a [Arc<CustomResourceDefinition>],
    /// What tombstones declare about removed names.
    pub declared: &'a Declared,
    /// The channel in which the candidate has the CRD, if it is not that of the baseline.
    pub left_for: Option<Channel>,
}

/// What authors declared about removed names, from tombstones and the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// New names of fields, and the fields of earlier releases.
    pub renames: Renames,
    /// Enum values that replace removed values, by the path of their field.
    pub replaced_values: Renames,
    /// CRDs that replace removed CRDs: the old name and the new name.
    pub moved: BTreeMap<String, String>,
    /// API versions that were the storage version of some bundle in the history: the CRD and the version.
    pub ever_stored: BTreeSet<(String, String)>,
    /// API versions whose stored objects were migrated: the CRD and the version.
    pub migrated: BTreeSet<(String, String)>,
    /// Resources that were deprecated long enough to be removed: 9 months and 3 minor bundles.
    pub long_deprecated: BTreeSet<String>,
}
