//! Removals: whether the history agrees with what a tombstone states.
//!
//! Invariants: nothing is known about versions below the lowest bundle, and an imported history can have gaps; every other version is a bundle
//! or the next one. An entry that some bundle was released with is never questioned. A marker applies wherever its type is used, so one of
//! its names in the history is enough.

use std::collections::BTreeSet;

use crd_bundle::BundleVersion;
use crd_compat::tombstone::{Element, Kind, Tombstone, names};
use crd_compat::{Channels, RequiredBump};
use crd_diagnostics::Diagnostic;
use crd_generate::{DeclaredTombstone, at};
use crd_names::nearest;

use crate::baseline::{overtaken, smallest};
use crate::history::{History, LEDGER};
use crate::tombstones::{called, together};

/// The history that tombstones are compared with.
pub struct Removals<'a> {
    history: &'a History,
    candidate: &'a Channels,
    /// The versions that the types can be released with next, the likeliest first.
    next: Vec<BundleVersion>,
    is_release: bool,
}

/// How the history contradicts a tombstone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contradiction {
    /// The version is neither that of a bundle nor next.
    NoVersion,
    /// A bundle that must not have the name has it.
    NotRemoved(BundleVersion),
    /// No bundle had the name.
    NoName,
}

impl<'a> Removals<'a> {
    /// For a candidate of this version. With `is_release`, it is released now.
    pub fn new(history: &'a History, candidate: &'a Channels, version: BundleVersion, is_release: bool) -> Self {
        let mut next = if is_release { Vec::new() } else { after(version, &history.versions()) };
        next.extend([version, version.core()]);
        Self { history, candidate, next, is_release }
    }

    /// The same for types that a version does not permit: unless they are released now, they can be released with another one, which is higher.
    #[must_use]
    pub fn or_next(mut self, needed: Option<BundleVersion>) -> Self {
        let highest = self.next.iter().copied().max();
        if let Some(needed) = needed.filter(|needed| !self.is_release && Some(*needed) > highest) {
            self.next.insert(0, needed);
        }
        self
    }

    /// The same for types that were not compared: a major bundle can be next.
    #[must_use]
    pub fn or_major(mut self) -> Self {
        let (versions, highest) = (self.history.versions(), self.next.iter().copied().max());
        let last = versions.into_iter().rfind(|version| version.is_release() && Some(*version) < highest);
        let major = last.and_then(|last| smallest(last, RequiredBump::Major));
        self.next.extend(major.filter(|major| Some(*major) > highest));
        self
    }

    /// Whether a bundle was published elsewhere, so that those before it may not be here.
    fn is_imported(&self, version: BundleVersion) -> bool {
        let manifest = self.history.bundle(version).and_then(|bundle| bundle.manifest.as_ref());
        manifest.is_none_or(|manifest| manifest.imported)
    }

    /// Whether the history cannot confirm that a name existed: no release is below the version of its tombstone.
    pub fn is_before_history(&self, tombstone: &Tombstone) -> bool {
        let removed = tombstone.removed.parse::<BundleVersion>();
        removed.is_ok_and(|removed| self.history.names().versions().all(|version| version >= removed))
    }

    /// Why the history contradicts a tombstone, if it does.
    pub fn contradiction(&self, tombstone: &Tombstone) -> Option<Diagnostic> {
        self.check(tombstone).map(|found| self.diagnostic(tombstone, found))
    }

    /// Why the history contradicts the markers of the types that the ledger does not have.
    pub fn of_new(&self, marks: &[(Tombstone, DeclaredTombstone)]) -> Vec<Diagnostic> {
        let mut contradicted = self.of_marks(marks);
        contradicted.retain(|(name, _)| !self.is_recorded(name));
        together(contradicted)
    }

    fn is_recorded(&self, name: &Element) -> bool {
        self.history.ledger.entries().iter().any(|entry| entry.name.is_same(name))
    }

    /// The tombstones of the types that the history contradicts, with their lines.
    fn of_marks<'m>(&self, marks: &'m [(Tombstone, DeclaredTombstone)]) -> Vec<(&'m Element, Diagnostic)> {
        let found = marks.iter().filter_map(|(tombstone, mark)| {
            let found = self.check(tombstone).filter(|found| !self.is_excused(*found, tombstone, marks))?;
            let mut diagnostic = self.diagnostic(tombstone, found);
            let mut entries = self.history.ledger.entries().iter();
            let is_wrong = |entry: &Tombstone| entry.name.is_same(&tombstone.name) && self.check(entry).is_some();
            if let Some(help) = diagnostic.help.as_mut().filter(|_| entries.any(is_wrong)) {
                help.push_str(&format!(" Change its entry in `{LEDGER}` too: no bundle was released with it."));
            }
            Some((&tombstone.name, at(diagnostic, mark.location)))
        });
        found.collect()
    }

    /// The same, and the entries of the ledger that the history contradicts and no type declares.
    pub(crate) fn of_all<'m>(&self, marks: &'m [(Tombstone, DeclaredTombstone)]) -> Vec<(&'m Element, Diagnostic)>
    where
        'a: 'm,
    {
        let ledger = &self.history.ledger;
        let mut contradicted = self.of_marks(marks);
        let undeclared = |entry: &&Tombstone| !contradicted.iter().any(|(known, _)| known.is_same(&entry.name));
        let entries = ledger.entries().iter().filter(undeclared).filter_map(|entry| {
            let found = self.check(entry).filter(|found| !self.is_excused(*found, entry, marks))?;
            let mut diagnostic = self.diagnostic(entry, found).at_line(LEDGER, ledger.line(&entry.name));
            if let Some(help) = &mut diagnostic.help {
                help.push_str(" The entry can still change: no bundle was released with it.");
            }
            Some((&entry.name, diagnostic))
        });
        let entries = entries.collect::<Vec<_>>();
        contradicted.extend(entries);
        contradicted
    }

    /// Whether a marker of the types has this name, and the history has it at another place where its type is used.
    fn is_excused(
        &self,
        found: Contradiction,
        tombstone: &Tombstone,
        marks: &[(Tombstone, DeclaredTombstone)],
    ) -> bool {
        let Some((_, mark)) = marks.iter().find(|(known, _)| known.name.is_same(&tombstone.name)) else { return false };
        let mut places = marks
            .iter()
            .filter(|(other, line)| line.location == mark.location && other.name.name == tombstone.name.name);
        found == Contradiction::NoName && places.any(|(other, _)| self.check(other).is_none())
    }

    fn check(&self, tombstone: &Tombstone) -> Option<Contradiction> {
        // The reader of the ledger and the macro reject any other text.
        let removed = tombstone.removed.parse::<BundleVersion>().ok()?;
        if self.history.names().has_released(tombstone) {
            return None;
        }
        let names = self.history.names();
        let versions = names.versions().collect::<Vec<_>>();
        let has = |position: &usize| names.has(*position, &tombstone.name);
        let below = versions.partition_point(|version| *version < removed);
        if below > 0 && (0..below).find(has).is_none() {
            let later = (below..versions.len()).find(has).map(|later| Contradiction::NotRemoved(versions[later]));
            return Some(later.unwrap_or(Contradiction::NoName));
        }
        let is_next = self.next.contains(&removed);
        // The bundle of this version. If that can be missing here, the one after it.
        let can_be_missing = |after: BundleVersion| !is_next && (below == 0 || self.is_imported(after));
        let first = versions.get(below).filter(|version| **version == removed || can_be_missing(**version));
        match first {
            Some(first) => has(&below).then_some(Contradiction::NotRemoved(*first)),
            None if is_next || versions.is_empty() && self.next.iter().any(|next| removed < *next) => None,
            None => Some(Contradiction::NoVersion),
        }
    }

    fn diagnostic(&self, tombstone: &Tombstone, found: Contradiction) -> Diagnostic {
        let Tombstone { name, removed, .. } = tombstone;
        let called = called(name);
        let (code, message, help) = match found {
            Contradiction::NoVersion => (
                "tombstone-version",
                format!("the tombstone of the {called} names {removed}, and no bundle has this version"),
                self.other_version(name),
            ),
            Contradiction::NotRemoved(version) => (
                "tombstone-version",
                format!("the tombstone of the {called} names {removed}, and {version} still has it"),
                self.other_version(name),
            ),
            Contradiction::NoName => (
                "tombstone-unknown",
                format!("no bundle in `bundles/` had the {called}"),
                match self.nearest(name) {
                    Some(near) => format!("Did you mean `{near}`?"),
                    None => "A name that no bundle had needs no tombstone. Leave it out, or `import` the bundle that had it.".to_owned(),
                },
            ),
        };
        Diagnostic::error(code, message).help(help).of_crd(&*name.crd, None, &*name.path)
    }

    /// The version to write instead: the first release without the name, or the next one.
    fn other_version(&self, name: &Element) -> String {
        let names = self.history.names();
        let versions = names.versions().collect::<Vec<_>>();
        let last = (0..versions.len()).rfind(|position| names.has(*position, name));
        let since = last.map(|last| &versions[last + 1..]).unwrap_or_default();
        let first = since.iter().find(|version| version.is_release());
        let version = first.or(self.next.first()).map(ToString::to_string).unwrap_or_default();
        format!("Name {version}, the first bundle without it.")
    }

    /// The removed name that a misspelt one can mean: a near name at the same place, or the same name at another one.
    fn nearest(&self, name: &Element) -> Option<String> {
        let present = names(self.candidate);
        let removed = self.history.names().all().filter(|known| known.kind == name.kind);
        let removed = removed.filter(|known| !present.has(known)).collect::<BTreeSet<_>>();
        if name.kind == Kind::Resource {
            return nearest(&name.crd, removed.iter().map(|known| &*known.crd)).map(str::to_owned);
        }
        let of_crd = removed.iter().filter(|known| known.crd == name.crd);
        let here = of_crd.clone().filter(|known| known.place() == name.place()).map(|known| &*known.name);
        if let Some(near) = nearest(&name.name, here) {
            return Some(near.to_owned());
        }
        let mut elsewhere = of_crd.filter(|known| known.name == name.name);
        match (elsewhere.next(), elsewhere.next()) {
            (Some(only), None) if name.kind == Kind::Field => Some(only.path.clone()),
            (Some(only), None) => Some(format!("{} at {}", only.name, only.path)),
            _ => None,
        }
    }
}

/// The versions that can follow, if this one cannot be released any more.
fn after(version: BundleVersion, versions: &[BundleVersion]) -> Vec<BundleVersion> {
    let last = match versions.contains(&version) {
        true => Some(version),
        false => overtaken(version, versions).map(|(last, _)| last),
    };
    let bumps = [RequiredBump::Patch, RequiredBump::Minor, RequiredBump::Major];
    last.into_iter().flat_map(|last| bumps.into_iter().filter_map(move |bump| smallest(last, bump))).collect()
}
