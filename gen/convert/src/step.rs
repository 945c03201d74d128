//! A step, prepared: applies its operation to each item of an object.
//!
//! Invariants: [`Prepared::check`] does not change the object. Without entries, [`Prepared::forward`] does not fail after it, except for functions of
//! [`OperationKind::Code`](crate::OperationKind::Code) that do not always return the same.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::canonical;
use crate::data::{self, ByKey, Entry};
use crate::lens::Step;
use crate::operation::{Act, Found, Invalid, Kept, Registered, Side};
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
        entries.iter().filter(|entry| entry.lens == self.lens && entry.step == self.step).collect()
    }
}

/// Entries by the places of their items.
type Entries<'e> = BTreeMap<Vec<Selector>, &'e Entry>;

/// What the other form cannot express, with the place of the item.
type Left = (Vec<Selector>, Kept);

/// What a step did.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) is_changed: bool,
    /// What the other form cannot express, with its places before the step.
    pub(crate) left: Vec<(String, Entry)>,
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
            let is_on_the_way = list.segments().last() == Some(&Segment::Items) && scope.starts_with(list.segments());
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
        let kept = self.places(object, entries);
        path::each(object, &self.scope, &mut Vec::new(), &mut |item, at| {
            let found = self.found(item, at)?;
            if self.entry(&kept, item, at, Side::Old).is_some() {
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
    fn places<'e>(&self, object: &Value, entries: &[&'e Entry]) -> Entries<'e> {
        let mut by_key = ByKey::default();
        let place =
            |entry: &&'e Entry| Some((data::find(object, &self.scope, &self.keys, &mut by_key, &entry.at)?, *entry));
        entries.iter().filter_map(place).collect()
    }

    /// The entry of an item whose values of that form are those of the entry.
    fn entry<'e>(&self, entries: &Entries<'e>, item: &Value, at: &[Selector], side: Side) -> Option<&'e Entry> {
        if entries.is_empty() {
            return None;
        }
        let entry = entries.get(at)?;
        (canonical::digest(&self.act.values(item, side)) == entry.was).then_some(*entry)
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
        let kept = self.places(object, entries);
        let (mut is_changed, mut left) = (false, Vec::<Left>::new());
        path::each_mut(object, &self.scope, &mut Vec::new(), &mut |item, at| {
            if let Some(entry) = self.entry(&kept, item, at, Side::Old)
                && self.act.restore(item, &entry.kept, Side::New)
            {
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
        Ok(Done { is_changed, left: self.entries(object, left, name, Side::New) })
    }

    /// Converts every item of the new form, and restores what the entries keep.
    pub(crate) fn backward(&self, object: &mut Value, entries: &[&Entry], name: Name<'_>) -> Result<Done, Problem> {
        let kept = self.places(object, entries);
        let (mut is_changed, mut left) = (false, Vec::<Left>::new());
        path::each_mut(object, &self.scope, &mut Vec::new(), &mut |item, at| {
            let found = self.found(item, at)?;
            if found != Found::Old
                && let Some(entry) = self.entry(&kept, item, at, Side::New)
                && self.act.restore(item, &entry.kept, Side::Old)
            {
                is_changed = true;
            } else if found == Found::New {
                is_changed = true;
                let kept = self.act.backward(item).map_err(|why| self.problem(at, why))?;
                left.extend(kept.map(|kept| (at.to_vec(), kept)));
            }
            Ok::<(), Problem>(())
        })?;
        Ok(Done { is_changed, left: self.entries(object, left, name, Side::Old) })
    }

    /// The entries of what is left. Their keys and neighbours are those of the form that is complete now.
    fn entries(&self, object: &Value, left: Vec<Left>, name: Name<'_>, side: Side) -> Vec<(String, Entry)> {
        let mut by_key = ByKey::default();
        let entry = |(at, kept): Left| {
            let item = path::item(object, &self.scope, &at)?;
            let was = canonical::digest(&self.act.values(item, side));
            let fields = kept.last().map_or(&[][..], |(fields, _)| fields);
            let place = path::place(&self.scope, &at, fields);
            let at = data::selectors(object, &self.scope, &self.keys, &mut by_key, &at)?;
            Some((place, Entry { lens: name.lens.to_owned(), step: name.step, at, was, kept }))
        };
        left.into_iter().filter_map(entry).collect()
    }
}
