//! A step, prepared: applies its operation to each item of an object.
//!
//! Invariants: [`Prepared::check`] does not change the object. Without entries, [`Prepared::forward`] does not fail after it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::canonical;
use crate::data::{self, Entry};
use crate::lens::Step;
use crate::operation::{Act, Found, Invalid, Kept};
use crate::path::{self, Segment, Selector};

#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    scope: Vec<Segment>,
    /// The keys of the lists and maps on the way.
    keys: Vec<Option<Vec<String>>>,
    act: Act,
}

/// Why a step fails, and where.
pub(crate) type Problem = (String, String);

/// What backward conversion could not express, with the place of the item.
type Left = (Vec<Selector>, Kept);

impl Prepared {
    pub(crate) fn new(step: &Step) -> Result<Self, Vec<Invalid>> {
        let (mut invalid, prepared) = match step.operation.prepare() {
            Ok(prepared) => (Vec::new(), Some(prepared)),
            Err(invalid) => (invalid, None),
        };
        let mut paths = step.operation.reads();
        paths.extend(step.operation.writes());
        let scope = paths.first().map(|path| path.split().0).unwrap_or_default();
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
            Some((scope, act)) if invalid.is_empty() => Ok(Self { scope, keys, act }),
            _ => Err(invalid),
        }
    }

    /// Whether an item has the old form, or one of the entries belongs to it.
    pub(crate) fn check(&self, object: &Value, entries: &[Entry]) -> Result<bool, Problem> {
        let mut is_old = false;
        let kept = self.places(object, entries);
        each(object, &self.scope, &mut Vec::new(), &mut |item, at| {
            let found = self.found(item, at)?;
            if self.entry(&kept, item, at).is_some() {
                is_old = true;
            } else if found == Found::Old {
                is_old = true;
                self.act.check(item).map_err(|why| (path::place(&self.scope, at, &[]), why))?;
            }
            Ok(())
        })?;
        Ok(is_old)
    }

    fn found(&self, item: &Value, at: &[Selector]) -> Result<Found, Problem> {
        match self.act.find(item) {
            Found::Both(old, new) => {
                let [old, new] = [old, new].map(|fields| path::place(&self.scope, at, &fields));
                let why = format!("the old form `{old}` and the new form `{new}` are both present; remove one of them");
                Err((old, why))
            }
            found => Ok(found),
        }
    }

    /// The entries by the places of their items.
    fn places<'e>(&self, object: &Value, entries: &'e [Entry]) -> BTreeMap<Vec<Selector>, &'e Entry> {
        let place = |entry: &'e Entry| Some((data::find(object, &self.scope, &self.keys, &entry.at)?, entry));
        entries.iter().filter_map(place).collect()
    }

    /// The entry of an item whose old values are those of the entry.
    fn entry<'e>(
        &self,
        entries: &BTreeMap<Vec<Selector>, &'e Entry>,
        item: &Value,
        at: &[Selector],
    ) -> Option<&'e Entry> {
        if entries.is_empty() {
            return None;
        }
        let entry = entries.get(at)?;
        (canonical::digest(&self.act.old_values(item)) == entry.was).then_some(*entry)
    }

    /// Converts every item of the old form, and restores what the entries keep. Returns whether anything changed.
    pub(crate) fn forward(&self, object: &mut Value, entries: &[Entry]) -> Result<bool, Problem> {
        let kept = self.places(object, entries);
        let mut is_changed = false;
        each_mut(object, &self.scope, &mut Vec::new(), &mut |item, at| {
            if let Some(entry) = self.entry(&kept, item, at)
                && self.act.restore(item, &entry.kept)
            {
                is_changed = true;
            } else if let Found::Old = self.act.find(item) {
                is_changed = true;
                self.act.forward(item).map_err(|why| (path::place(&self.scope, at, &[]), why))?;
            }
            Ok(())
        })?;
        Ok(is_changed)
    }

    /// Converts every item of the new form. Returns whether anything changed, and what the old form cannot express.
    pub(crate) fn backward(
        &self,
        object: &mut Value,
        lens: &str,
        step: usize,
    ) -> Result<(bool, Vec<(String, Entry)>), Problem> {
        let (mut is_changed, mut left) = (false, Vec::<Left>::new());
        each_mut(object, &self.scope, &mut Vec::new(), &mut |item, at| {
            if let Found::New = self.found(item, at)? {
                is_changed = true;
                let kept = self.act.backward(item).map_err(|why| (path::place(&self.scope, at, &[]), why))?;
                left.extend(kept.map(|kept| (at.to_vec(), kept)));
            }
            Ok(())
        })?;
        // Keys and neighbours are those of the old form, which is complete now.
        let object = &*object;
        let entry = |(at, kept): Left| {
            let item = item_at(object, &self.scope, &at)?;
            let was = canonical::digest(&self.act.old_values(item));
            let fields = kept.last().map_or(&[][..], |(fields, _)| fields);
            let place = path::place(&self.scope, &at, fields);
            let at = data::selectors(object, &self.scope, &self.keys, &at)?;
            Some((place, Entry { lens: lens.to_owned(), step, at, was, kept }))
        };
        Ok((is_changed, left.into_iter().filter_map(entry).collect()))
    }
}

fn item_at<'v>(object: &'v Value, scope: &[Segment], at: &[Selector]) -> Option<&'v Value> {
    let mut at = at.iter();
    scope.iter().try_fold(object, |value, segment| match segment {
        Segment::Field(name) => value.get(name),
        Segment::Items | Segment::Values => match at.next()? {
            Selector::Index(index) => value.get(index),
            Selector::Key(key) => value.get(key),
        },
    })
}

/// Calls `visit` for each item of a scope. A path has few segments, so the recursion is short.
fn each(
    value: &Value,
    scope: &[Segment],
    at: &mut Vec<Selector>,
    visit: &mut impl FnMut(&Value, &[Selector]) -> Result<(), Problem>,
) -> Result<(), Problem> {
    match (scope.split_first(), value) {
        (None, _) => visit(value, at),
        (Some((Segment::Field(name), rest)), Value::Object(object)) => {
            object.get(name).map_or(Ok(()), |value| each(value, rest, at, visit))
        }
        (Some((Segment::Items, rest)), Value::Array(items)) => {
            items.iter().enumerate().try_for_each(|(index, item)| {
                at.push(Selector::Index(index));
                let result = each(item, rest, at, visit);
                at.pop();
                result
            })
        }
        (Some((Segment::Values, rest)), Value::Object(map)) => map.iter().try_for_each(|(key, value)| {
            at.push(Selector::Key(key.clone()));
            let result = each(value, rest, at, visit);
            at.pop();
            result
        }),
        _ => Ok(()),
    }
}

fn each_mut(
    value: &mut Value,
    scope: &[Segment],
    at: &mut Vec<Selector>,
    visit: &mut impl FnMut(&mut Value, &[Selector]) -> Result<(), Problem>,
) -> Result<(), Problem> {
    match (scope.split_first(), value) {
        (None, value) => visit(value, at),
        (Some((Segment::Field(name), rest)), Value::Object(object)) => {
            object.get_mut(name).map_or(Ok(()), |value| each_mut(value, rest, at, visit))
        }
        (Some((Segment::Items, rest)), Value::Array(items)) => {
            items.iter_mut().enumerate().try_for_each(|(index, item)| {
                at.push(Selector::Index(index));
                let result = each_mut(item, rest, at, visit);
                at.pop();
                result
            })
        }
        (Some((Segment::Values, rest)), Value::Object(map)) => map.iter_mut().try_for_each(|(key, value)| {
            at.push(Selector::Key(key.clone()));
            let result = each_mut(value, rest, at, visit);
            at.pop();
            result
        }),
        _ => Ok(()),
    }
}
