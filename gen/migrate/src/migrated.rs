//! What a migration did.

use std::collections::BTreeMap;

use crd_diagnostics::Diagnostic;

use crate::form::{Reformed, without_indices};

/// What a migration did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Migrated {
    /// What became of the objects.
    pub counts: Counts,
    /// Whether the entries of `status.storedVersions` were removed.
    pub is_pruned: bool,
    /// Whether the part is complete, and other parts are not.
    pub waits_for_shards: bool,
    /// What the conversion of objects did.
    pub forms: Forms,
    /// Why the entries were not removed, although the objects were written.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the CRD was changed.
    pub(crate) has_begun: bool,
}

impl Migrated {
    /// What this and a later step did.
    pub(crate) fn and(self, later: Self) -> Self {
        Self {
            counts: self.counts.and(later.counts),
            forms: self.forms.and(later.forms),
            has_begun: self.has_begun || later.has_begun,
            ..later
        }
    }

    /// Whether nothing remains to be done by this run.
    pub fn is_done(&self) -> bool {
        (self.is_pruned || self.waits_for_shards) && self.diagnostics.is_empty()
    }
}

/// What became of the objects of a pass.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// They belong to another part ([`crate::Shard`]).
    pub of_other_shards: u64,
    /// Why objects could not be read, or the server refused their write.
    pub refused: Vec<Diagnostic>,
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forms {
    /// The lenses that apply.
    pub lenses: BTreeMap<String, u64>,
    /// The paths whose values only an annotation keeps.
    pub kept: BTreeMap<String, u64>,
    /// The paths whose values are dropped, as the user permits.
    pub dropped: BTreeMap<String, u64>,
}

impl Forms {
    /// What this and a later step did. An object that was converted again is counted again.
    pub(crate) fn and(mut self, later: Self) -> Self {
        for (mine, more) in
            [(&mut self.lenses, later.lenses), (&mut self.kept, later.kept), (&mut self.dropped, later.dropped)]
        {
            more.into_iter().for_each(|(name, number)| *mine.entry(name).or_default() += number);
        }
        self
    }

    pub(crate) fn add(&mut self, reformed: &Reformed) {
        let mut count = |counts: &mut dyn FnMut(&mut Self, String), names: &[String]| {
            let mut names = names.iter().map(|name| without_indices(name)).collect::<Vec<_>>();
            names.sort();
            names.dedup();
            names.into_iter().for_each(|name| counts(self, name));
        };
        count(&mut |forms, name| *forms.lenses.entry(name).or_default() += 1, &reformed.lenses);
        count(&mut |forms, name| *forms.kept.entry(name).or_default() += 1, &reformed.kept);
        count(&mut |forms, name| *forms.dropped.entry(name).or_default() += 1, &reformed.dropped);
    }
}
