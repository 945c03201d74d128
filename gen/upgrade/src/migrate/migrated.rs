//! What a migration did.

use std::collections::{BTreeMap, BTreeSet};

use crd_diagnostics::Diagnostic;
use serde::{Serialize, Serializer};

use crate::migrate::form::{Reformed, without_indices};

/// What a migration did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Migrated {
    /// What became of the objects.
    #[serde(flatten)]
    pub counts: Counts,
    /// Whether the entries of `status.storedVersions` were removed.
    #[serde(rename = "pruned")]
    pub is_pruned: bool,
    /// Whether the part is complete, and other parts are not.
    pub waits_for_shards: bool,
    /// What the conversion of objects did.
    pub forms: Forms,
    /// Why the entries were not removed, although the objects were written.
    #[serde(skip)]
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the CRD was changed.
    #[serde(skip)]
    pub(crate) has_begun: bool,
}

impl Migrated {
    /// Nothing remains to be done.
    pub(crate) fn complete() -> Self {
        Self { is_pruned: true, ..Self::default() }
    }

    /// What a pass did that gives objects another form.
    pub(crate) fn of_forms(counts: Counts, forms: Forms) -> Self {
        Self { is_pruned: counts.refused.is_empty(), counts, forms, ..Self::default() }
    }

    /// What this and a later step did.
    pub(crate) fn and(self, later: Self) -> Self {
        Self {
            counts: self.counts.and(later.counts),
            forms: self.forms.and(later.forms),
            has_begun: self.has_begun || later.has_begun,
            ..later
        }
    }

    /// Whether all objects have the form of a stage, so that its CRD can be replaced.
    pub(crate) fn can_go_on(&self) -> bool {
        self.counts.is_complete() && !self.waits_for_shards && self.diagnostics.is_empty()
    }

    /// Whether nothing remains to be done by this run.
    pub fn is_done(&self) -> bool {
        (self.is_pruned || self.waits_for_shards) && self.diagnostics.is_empty()
    }
}

/// What became of the objects of a pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// The objects of the listing.
    pub seen: u64,
    /// The server has stored them anew.
    pub written: u64,
    /// They were stored as they should be already.
    pub unchanged: u64,
    /// Another client wrote them after they were read, and so the server has stored them anew.
    pub overtaken: u64,
    /// They were deleted after they were read.
    pub gone: u64,
    /// They are being deleted, and were not written.
    pub deleting: u64,
    /// They belong to another part.
    pub of_other_shards: u64,
    /// Why objects could not be read, or the server refused their write. A document has their number.
    #[serde(serialize_with = "as_number")]
    #[cfg_attr(feature = "schema", schemars(with = "usize"))]
    pub refused: Vec<Diagnostic>,
}

fn as_number<S: Serializer>(refused: &[Diagnostic], serializer: S) -> Result<S::Ok, S::Error> {
    refused.len().serialize(serializer)
}

impl Counts {
    /// The counts of two looks at the same objects: those of the later one, and everything that was written.
    pub(crate) fn and(self, later: Self) -> Self {
        let unchanged = later.unchanged.saturating_sub(self.written);
        Self { written: self.written + later.written, overtaken: self.overtaken + later.overtaken, unchanged, ..later }
    }

    /// Whether every object of the part was stored in the storage version after the listing began.
    pub fn is_complete(&self) -> bool {
        self.deleting == 0 && self.refused.is_empty()
    }
}

/// What the conversion of objects does, by lens or by path, with the number of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forms {
    /// The lenses that apply.
    pub lenses: BTreeMap<String, u64>,
    /// The paths whose values only an annotation keeps.
    pub kept: BTreeMap<String, u64>,
    /// The paths whose values the annotation kept and does not return: they stay there.
    #[serde(rename = "notReturned")]
    pub not_returned: BTreeMap<String, u64>,
    /// The paths whose values are dropped, as the user permits.
    pub dropped: BTreeMap<String, u64>,
}

impl Forms {
    /// What this and a later step did. An object that was converted again is counted again.
    pub(crate) fn and(mut self, later: Self) -> Self {
        for (mine, more) in [
            (&mut self.lenses, later.lenses),
            (&mut self.kept, later.kept),
            (&mut self.not_returned, later.not_returned),
            (&mut self.dropped, later.dropped),
        ] {
            more.into_iter().for_each(|(name, number)| *mine.entry(name).or_default() += number);
        }
        self
    }

    pub(crate) fn add(&mut self, reformed: &Reformed) {
        let Reformed { lenses, kept, not_returned, dropped, .. } = reformed;
        for (mine, names) in [
            (&mut self.lenses, lenses),
            (&mut self.kept, kept),
            (&mut self.not_returned, not_returned),
            (&mut self.dropped, dropped),
        ] {
            let names = names.iter().map(|name| without_indices(name)).collect::<BTreeSet<_>>();
            names.into_iter().for_each(|name| *mine.entry(name).or_default() += 1);
        }
    }
}
