//! The rules: one file each, each of one row of the policy.
//!
//! Fed with differences by [`crate::comparison`]. Read there, by the generated rule reference, and by the meta-test, which asks of each a
//! case that fires and one that stays silent.
//!
//! Invariants: [`RULES`] is the only place that lists them; every difference is claimed by exactly one, and what none claims is a finding
//! of [`UNCLAIMED`].

mod api_approved_lost;
mod cel_words;
mod condition_list_default;
mod default_added;
mod default_changed;
mod embedded_resource_added;
mod graduated;
mod incomparable;
mod kind_or_scope;
mod labels_and_annotations;
mod list_type;
mod loosened;
mod name_added;
pub(crate) mod name_below_preserved;
mod name_removed;
mod presentation;
mod preserve_added;
mod preserve_removed;
mod renamed;
mod required_at_root;
mod required_with_default;
mod resource_moved;
mod resource_removed;
mod selectable_or_scale_added;
mod selectable_or_scale_changed;
mod singular_or_list_kind;
mod stamps;
mod status_subresource;
mod storage_version;
mod stored_version_removed;
mod tightened;
mod type_changed;
pub(crate) mod unclaimed;
mod version_added;
mod version_removed;
mod version_unserved;
mod webhook;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use crate::difference::Difference;
use crate::finding::Direction;
use crate::policy::{Cells, Column};
use crate::ruling::Ruling;
use crate::walk::Renames;

/// A rule.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its name: in findings, waivers and the reference.
    pub id: &'static str,
    /// The row of the policy that it carries out.
    pub row: &'static str,
    /// What the row says in each column.
    pub cells: Cells,
    /// What it is about, in one line.
    pub summary: &'static str,
    /// Why it is so, and what an author should do: paragraphs for the reference.
    pub explanation: &'static str,
    /// A change that it claims, for the reference: YAML with the keys that [`crate::reference()`] explains.
    pub example: &'static str,
    /// Which differences are its own.
    pub claims: fn(&Difference<'_>, &Context<'_>) -> Option<Claim>,
}

/// What a rule says of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// One of the rulings of its cell; the usual one if this is none.
    pub ruling: Option<Ruling>,
    /// What it does to the objects that are accepted.
    pub direction: Option<Direction>,
    /// What happened and why it matters, in one sentence without the place.
    pub message: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// True if the warning of the cell does not apply here.
    pub unwarned: bool,
}

impl Claim {
    /// A claim with the usual ruling.
    pub fn new(message: impl Into<String>) -> Self {
        Self { ruling: None, direction: None, message: message.into(), fix: None, unwarned: false }
    }

    /// The same with a ruling of its own.
    #[must_use]
    pub fn ruled(self, ruling: Ruling) -> Self {
        Self { ruling: Some(ruling), ..self }
    }

    /// The same with a direction.
    #[must_use]
    pub fn directed(self, direction: Direction) -> Self {
        Self { direction: Some(direction), ..self }
    }

    /// The same without the warning of the cell.
    #[must_use]
    pub fn unwarned(self) -> Self {
        Self { unwarned: true, ..self }
    }

    /// The same with a way to mend it.
    #[must_use]
    pub fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }
}

/// What a rule may know beside the difference.
pub struct Context<'a> {
    /// The column of the policy.
    pub column: Column,
    /// The channel that is judged.
    pub channel: Channel,
    /// The baseline's CRDs in the channels below this one in stability, where names start their life; none if it has no such channel.
    pub baseline_experimental: Option<&'a [CustomResourceDefinition]>,
    /// All CRDs of the candidate in this channel.
    pub candidate: &'a [CustomResourceDefinition],
    /// What was declared of names that went.
    pub declared: &'a Declared,
}

/// What authors declared of names that went: from tombstones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// New names of fields.
    pub renames: Renames,
    /// Values that took the place of others, by the path of their field.
    pub replaced_values: Renames,
    /// CRDs that another one replaces: the old name and the new one.
    pub moved: BTreeMap<String, String>,
    /// API versions that some bundle of the history had as its storage version: the CRD and the version.
    pub ever_stored: BTreeSet<(String, String)>,
    /// API versions whose stored objects were migrated: the CRD and the version.
    pub migrated: BTreeSet<(String, String)>,
    /// Resources that were deprecated long enough to go: 9 months and 3 minor bundles.
    pub long_deprecated: BTreeSet<String>,
}

/// Every rule, in the order of the policy.
pub const RULES: &[Rule] = &[
    words::RULE,
    stamps::RULE,
    cel_words::RULE,
    labels_and_annotations::RULE,
    api_approved_lost::RULE,
    loosened::RULE,
    tightened::RULE,
    incomparable::RULE,
    required_with_default::RULE,
    required_at_root::RULE,
    default_added::RULE,
    default_changed::RULE,
    condition_list_default::RULE,
    graduated::RULE,
    name_added::RULE,
    name_below_preserved::RULE,
    name_removed::RULE,
    renamed::RULE,
    type_changed::RULE,
    list_type::RULE,
    preserve_removed::RULE,
    preserve_added::RULE,
    embedded_resource_added::RULE,
    resource_removed::RULE,
    resource_moved::RULE,
    kind_or_scope::RULE,
    singular_or_list_kind::RULE,
    presentation::RULE,
    selectable_or_scale_added::RULE,
    selectable_or_scale_changed::RULE,
    status_subresource::RULE,
    webhook::RULE,
    version_added::RULE,
    version_unserved::RULE,
    version_removed::RULE,
    stored_version_removed::RULE,
    storage_version::RULE,
];

pub use unclaimed::UNCLAIMED;
