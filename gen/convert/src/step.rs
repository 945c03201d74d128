//! A step, prepared: applies its operation to each item of an object.
//!
//! Invariants: [`Prepared::check`] does not change the object. Without entries, [`Prepared::forward`] does not fail after it, except for functions of
//! [`OperationKind::Code`](crate::OperationKind::Code) that do not always return the same.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::canonical;
use crate::data::Entry;
use crate::items::Items;
use crate::lens::Step;
use crate::operation::{Act, Found, Invalid, Kept, OCCUPIED, Registered, Side};
use crate::path::{self, Segment, Selector};

#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    scope: Vec<Segment>,
    /// The keys of the lists and maps on the way.
    keys: Vec<Option<Vec<String>>>,
    keeps: bool,
    act: Act,
}

/// Why a step fails, and where.
pub(crate) type Problem = (String, String);

/// A step in its lens, as conversion data names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'l> {
    pub(crate) lens: &'l str,
    pub(crate) step: usize,
}

impl Name<'_> {
    /// The entries of the step.
    pub(crate) fn own<'e>(&self, entries: &'e [Entry]) -> Vec<&'e Entry> {
        entries.iter().filter(|entry| self.is_of(entry)).collect()
    }

    pub(crate) fn is_of(&self, entry: &Entry) -> bool {
        entry.lens == self.lens && entry.step == self.step
    }
}

/// The entries of a step in one object, and what becomes of them.
struct Entries<'e> {
    entries: &'e [&'e Entry],
    /// Their indices by the places of their items.
    places: BTreeMap<Vec<Selector>, Vec<usize>>,
    /// Why their values do not return; nothing for those that do.
    why: Vec<Option<&'static str>>,
}

impl Entries<'_> {
    /// Whether the values of the item at a place are those of an entry.
    fn has(&self, act: &Act, (item, at): (&Value, &[Selector]), side: Side) -> bool {
        let Some(indices) = self.places.get(at) else { return false };
        let was = canonical::digest(&act.values(item, side));
        indices.iter().any(|index| self.entries.get(*index).is_some_and(|entry| entry.was == was))
    }

    /// Writes what the newest entry of the item keeps, if the item has the values that the entry was written with. `side` is the form of the item.
    fn restore(&mut self, act: &Act, (item, at): (&mut Value, &[Selector]), side: Side) -> bool {
        let Some(indices) = self.places.get(at) else { return false };
        let was = canonical::digest(&act.values(item, side));
        let other = if side == Side::Old { Side::New } else { Side::Old };
        for index in indices.iter().rev() {
            let (Some(entry), Some(why)) = (self.entries.get(*index), self.why.get_mut(*index)) else { continue };
            *why = match entry.was == was {
                true => act.restore(item, &entry.kept, other).err(),
                false => Some("its place was changed"),
            };
            if why.is_none() {
                return true;
            }
        }
        false
    }

    /// For each entry, the places of its values and why they do not return; no place if they do.
    fn fates(&self, scope: &[Segment]) -> Vec<Vec<(String, &'static str)>> {
        let fate = |(entry, why): (&&Entry, &Option<_>)| {
            let places = entry.kept.iter().map(|(fields, _)| entry.anchor.place(scope, fields));
            why.map_or_else(Vec::new, |why| places.map(|place| (place, why)).collect())
        };
        self.entries.iter().zip(&self.why).map(fate).collect()
    }
}

/// What the other form cannot express, with the place of the item.
type Left = (Vec<Selector>, Kept);

/// What a step did.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) is_changed: bool,
    /// What the other form cannot express, with its places before the step.
    pub(crate) left: Vec<(Vec<String>, Entry)>,
    /// For each entry, the places of its values and why they do not return; empty if they do.
    pub(crate) fates: Vec<Vec<(String, &'static str)>>,
}

impl Prepared {
    pub(crate) fn new(step: &Step, registered: Registered<'_>) -> Result<Self, Vec<Invalid>> {
        let (mut invalid, prepared) = match step.operation.prepare(registered) {
            Ok(prepared) => (Vec::new(), Some(prepared)),
            Err(invalid) => (invalid, None),
        };
        let mut paths = step.operation.reads();
        paths.extend(step.operation.writes());
        let first = paths.first().map(|path| path.split().0).unwrap_or_default();
        // Places of functions can be in lists of the item.
        let scope = prepared.as_ref().map_or(first, |(scope, _)| scope.as_slice());
        if step.keeps && prepared.as_ref().is_some_and(|(_, act)| act.has_lists()) {
            let message = "old values in lists or maps of the item cannot be kept";
            invalid.push(Invalid::new("keeps", message, "let the functions fail where a value would not return"));
        }
        for (list, fields) in &step.keys {
            let is_on_the_way = list.segments().last() == Some(&Segment::Item) && scope.starts_with(list.segments());
            if !is_on_the_way {
                let message = format!("`{list}` is not a list on the way to the places of the step");
                invalid.push(Invalid::new("keys", message, "write a path that ends in `[*]`, as in `from` or `path`"));
            }
            if fields.is_empty() {
                invalid.push(Invalid::new(
                    "keys",
                    format!("`{list}` has no key"),
                    "write the fields that identify an item",
                ));
            }
        }
        let keys = |at: usize| step.keys.iter().find(|(list, _)| scope.get(..=at) == Some(list.segments()));
        let wildcards = scope.iter().enumerate().filter(|(_, segment)| !matches!(segment, Segment::Field(_)));
        let keys = wildcards.map(|(at, _)| keys(at).map(|(_, fields)| fields.clone())).collect();
        match prepared {
            Some((scope, act)) if invalid.is_empty() => Ok(Self { scope, keys, keeps: step.keeps, act }),
            _ => Err(invalid),
        }
    }

    /// Whether an item has the old form, or one of the entries belongs to it.
    pub(crate) fn check(&self, object: &Value, entries: &[&Entry]) -> Result<bool, Problem> {
        let mut is_old = false;
        let kept = self.among(object, entries);
        path::each(object, &self.scope, &mut Vec::new(), &mut |item, at| {
            let found = self.found(item, at)?;
            if kept.has(&self.act, (item, at), Side::Old) {
                is_old = true;
            } else if found == Found::Old {
                is_old = true;
                if (self.keeps || !self.act.is_shallow()) && canonical::is_deeper(item, canonical::DEEPEST) {
                    return Err(self.problem(at, format!("it has more than {} levels", canonical::DEEPEST)));
                }
                self.act.check(item, self.keeps).map_err(|why| self.problem(at, why))?;
            }
            Ok(())
        })?;
        Ok(is_old)
    }

    /// Whether forward conversion cannot fail after [`Self::check`].
    pub(crate) fn is_sure(&self) -> bool {
        !self.keeps && !matches!(self.act, Act::Code(_))
    }

    fn problem(&self, at: &[Selector], why: String) -> Problem {
        (path::place(&self.scope, at, &[]), why)
    }

    fn found(&self, item: &Value, at: &[Selector]) -> Result<Found, Problem> {
        match self.act.find(item) {
            Found::Both(old, new) => {
                let item = (!self.scope.is_empty()).then(|| path::place(&self.scope, at, &[]));
                let [old, new] = [old, new].map(|place| match &item {
                    Some(item) => path::below(item, &place),
                    None => place,
                });
                let why = format!("the old form `{old}` and the new form `{new}` are both present; remove one of them");
                Err((old, why))
            }
            found => Ok(found),
        }
    }

    /// The entries by the places of their items.
    fn among<'e>(&self, object: &Value, entries: &'e [&'e Entry]) -> Entries<'e> {
        let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        let mut why = vec![Some("its item was changed or removed"); entries.len()];
        if !entries.is_empty() {
            let anchors = entries.iter().map(|entry| &entry.anchor).collect::<Vec<_>>();
            let found = Items::new(object, &self.scope, &self.keys).find(&anchors);
            for ((index, place), why) in found.into_iter().enumerate().zip(&mut why) {
                if let Some(place) = place {
                    places.entry(place).or_default().push(index);
                    *why = Some(OCCUPIED);
                }
            }
        }
        Entries { entries, places, why }
    }

    /// Renames a field of the only item, in one go; `None` if this is another step. After an error the object is as it was.
    pub(crate) fn rename(&self, object: &mut Value) -> Option<Result<bool, Problem>> {
        if !self.scope.is_empty() || self.keeps {
            return None;
        }
        let renamed = self.act.rename(object)?;
        // The general check finds both places.
        Some(renamed.or_else(|()| self.check(object, &[])))
    }

    /// Converts every item of the old form, and restores what the entries keep.
    pub(crate) fn forward(&self, object: &mut Value, entries: &[&Entry], name: Name<'_>) -> Result<Done, Problem> {
        let mut kept = self.among(object, entries);
        let (mut is_changed, mut left) = (false, Vec::<Left>::new());
        path::each_mut(object, &self.scope, &mut Vec::new(), &mut |item, at| {
            if kept.restore(&self.act, (item, at), Side::Old) {
                is_changed = true;
            } else if !self.keeps {
                is_changed |= self.act.forward_old(item).map_err(|why| self.problem(at, why))?;
            } else if let Found::Old = self.act.find(item) {
                is_changed = true;
                let kept = self.act.forward_keeping(item).map_err(|why| self.problem(at, why))?;
                left.extend(kept.map(|kept| (at.to_vec(), kept)));
            }
            Ok::<(), Problem>(())
        })?;
        let left = self.entries(object, left, name, Side::New);
        Ok(Done { is_changed, left, fates: kept.fates(&self.scope) })
    }

    /// Converts every item of the new form, and restores what the entries keep.
    pub(crate) fn backward(&self, object: &mut Value, entries: &[&Entry], name: Name<'_>) -> Result<Done, Problem> {
        let mut kept = self.among(object, entries);
        let (mut is_changed, mut left) = (false, Vec::<Left>::new());
        path::each_mut(object, &self.scope, &mut Vec::new(), &mut |item, at| {
            let found = self.found(item, at)?;
            if found != Found::Old && kept.restore(&self.act, (item, at), Side::New) {
                is_changed = true;
            } else if found == Found::New {
                is_changed = true;
                let kept = self.act.backward(item).map_err(|why| self.problem(at, why))?;
                left.extend(kept.map(|kept| (at.to_vec(), kept)));
            }
            Ok::<(), Problem>(())
        })?;
        let left = self.entries(object, left, name, Side::Old);
        Ok(Done { is_changed, left, fates: kept.fates(&self.scope) })
    }

    /// The entries of what is left. Their anchors are those of the form that is complete now, which `side` is.
    fn entries(&self, object: &Value, left: Vec<Left>, name: Name<'_>, side: Side) -> Vec<(Vec<String>, Entry)> {
        let mut items = Items::new(object, &self.scope, &self.keys);
        let other = if side == Side::Old { Side::New } else { Side::Old };
        let entry = |(at, kept): Left| {
            let was = canonical::digest(&self.act.values(path::item(object, &self.scope, &at)?, side));
            let places = self.act.own(&kept, other).map(|fields| path::place(&self.scope, &at, fields)).collect();
            let anchor = items.anchor(&at)?;
            Some((places, Entry { lens: name.lens.to_owned(), step: name.step, anchor, was, kept }))
        };
        left.into_iter().filter_map(entry).collect()
    }
}
