//! The rules: one file each, each for one row of the policy.
//!
//! Invariants: [`RULES`] is the only list of them. A rule describes itself completely: its cells, its words, its section of the release
//! notes, its documentation and an example. A narrow rule also claims its changes, see [`CLAIMS`]; [`crate::classify`] has the table of all
//! other changes.

pub(crate) mod api_approved_lost;
pub(crate) mod cel_words;
pub(crate) mod condition_changed;
pub(crate) mod condition_list_default;
pub(crate) mod default_added;
pub(crate) mod default_changed;
pub(crate) mod embedded_resource_added;
pub(crate) mod graduated;
pub(crate) mod incomparable;
pub(crate) mod kind_or_scope;
pub(crate) mod labels_and_annotations;
pub(crate) mod list_type;
pub(crate) mod loosened;
pub(crate) mod name_added;
pub(crate) mod name_below_preserved;
pub(crate) mod name_removed;
pub(crate) mod presentation;
pub(crate) mod preserve_added;
pub(crate) mod preserve_removed;
pub(crate) mod renamed;
pub(crate) mod required_at_root;
pub(crate) mod required_with_default;
pub(crate) mod resource_moved;
pub(crate) mod resource_removed;
pub(crate) mod selectable_or_scale_added;
pub(crate) mod selectable_or_scale_changed;
pub(crate) mod singular_or_list_kind;
pub(crate) mod stamps;
pub(crate) mod status_subresource;
pub(crate) mod storage_version;
pub(crate) mod stored_version_removed;
pub(crate) mod tightened;
pub(crate) mod type_changed;
pub(crate) mod unclaimed;
pub(crate) mod unserved_version_changed;
pub(crate) mod version_added;
pub(crate) mod version_removed;
pub(crate) mod version_unserved;
pub(crate) mod webhook;
pub(crate) mod webhook_changed;
pub(crate) mod webhook_removed;
pub(crate) mod words;

use crd_diagnostics::page::Page;

use crate::change::LocatedChange;
use crate::context::Context;
use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crd_inclusion::{Direction, Proof};

/// The description of a rule, for a change or for a state of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name: in findings, waivers and the reference.
    pub id: &'static str,
    /// The row of the policy that it implements.
    pub row: &'static str,
    /// The policy of each column.
    pub cells: Cells,
    /// The words behind the number 1: `name added`.
    pub one: &'static str,
    /// The words behind all other numbers: `names added`.
    pub many: &'static str,
    /// The section of the release notes.
    pub section: Section,
    /// What it is about, in one sentence.
    pub summary: &'static str,
    /// Why it exists and what an author should do.
    pub explanation: &'static str,
    /// A change or a bundle that it reports: YAML with the keys that [`crate::reference()`] explains.
    pub example: &'static str,
}

impl Rule {
    /// Its page for `explain`.
    pub fn page(&self) -> Page {
        Page {
            area: "Rules of the policy",
            code: self.id,
            summary: self.summary.to_owned(),
            explanation: self.explanation.to_owned(),
            example: self.example.to_owned(),
        }
    }
}

/// A section of the release notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    Added,
    /// Names that moved from experimental to standard.
    Graduated,
    /// Constraints that accept more.
    Loosened,
    /// Everything that may refuse or change what was accepted.
    Changed,
    Removed,
    /// API versions whose removal is announced.
    Deprecated,
    /// Which API versions are served and stored.
    Versions,
    /// What does not affect objects.
    Documentation,
    /// States of the bundle, with or without changes.
    States,
    /// The stamps of version and channel, which the head of the notes shows.
    Stamps,
}

/// The assessment of one change by its rule.
#[derive(Clone, Debug)]
pub struct Assessment {
    pub rule: &'static Rule,
    /// One of the bumps of its cell; none for the usual one.
    pub required_bump: Option<RequiredBump>,
    /// What the change does to the set of accepted objects.
    pub direction: Option<Direction>,
    /// What proves that no accepted object is refused.
    pub proof: Option<Proof>,
    /// What happened and why it matters, in one sentence without the location.
    pub message: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// True if the warning of the cell does not apply.
    pub without_warning: bool,
}

impl Assessment {
    /// An assessment with the usual bump.
    pub(crate) fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { rule, required_bump: None, direction: None, proof: None, message, fix: None, without_warning: false }
    }

    /// The same with another bump of the cell.
    #[must_use]
    pub(crate) fn requires(self, bump: RequiredBump) -> Self {
        Self { required_bump: Some(bump), ..self }
    }

    /// The same with a direction.
    #[must_use]
    pub(crate) fn directed(self, direction: Direction) -> Self {
        Self { direction: Some(direction), ..self }
    }

    /// The same without the warning of the cell.
    #[must_use]
    pub(crate) fn without_warning(self) -> Self {
        Self { without_warning: true, ..self }
    }

    /// The same with a fix.
    #[must_use]
    pub(crate) fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }
}

/// Every rule about changes, in the order of the policy. [`UNCLAIMED`] is not one of them.
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
    webhook_changed::RULE,
    webhook_removed::RULE,
    condition_changed::RULE,
    version_added::RULE,
    version_unserved::RULE,
    version_removed::RULE,
    stored_version_removed::RULE,
    storage_version::RULE,
    unserved_version_changed::RULE,
];

/// The assessment of a change by a narrow rule; none if it is not one of its changes.
pub(crate) type Claim = fn(&LocatedChange<'_>, &Context<'_>) -> Option<Assessment>;

/// Narrow rules, each for changes that [`crate::classify`] would give to a more general rule. The first one that claims a change has it.
pub(crate) const CLAIMS: &[Claim] = &[api_approved_lost::claim, resource_moved::claim, stored_version_removed::claim];

pub use unclaimed::UNCLAIMED;
