//! Values that a switch to standard removes: they are kept in the conversion data, and return on the way to experimental.
//!
//! Invariants:
//! * Only a value that is absent returns, and only into an object that still exists: what a user wrote or removed stays so.
//! * An item of a list is found as in the other conversion data: by its keys, otherwise by its whole form.
//! * All items are found before a value returns, because returned values change the form of items.
//! * What does not return stays in the conversion data. Of values of one field, the newest returns.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::conversions::{Conversions, Failure, NotReturned, check_depth};
use crate::data::Dropped;
use crate::items::Items;
use crate::operation::OCCUPIED;
use crate::path::{self, LONGEST, Segment, Selector};

/// What a switch to experimental returned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReturnedDropped {
    /// The places of the values that returned.
    pub places: Vec<String>,
    /// What stays in the conversion data.
    pub not_returned: Vec<NotReturned>,
}

/// How often values return that complete the form of an item.
const MOST_ROUNDS: usize = 8;

/// Fields that are missing in the object at a place.
struct Missing {
    scope: Vec<Segment>,
    at: Vec<Selector>,
    fields: Map<String, Value>,
}

impl Conversions {
    /// Keeps what pruning removed: `after` is the object `before` without some fields. The values go into the annotation of `after`, except for those
    /// of the status, which controllers write again. Returns the places of all removed values.
    ///
    /// `keys` gives the fields that identify the items of a list (`x-kubernetes-list-map-keys`), by the path of the list.
    ///
    /// # Errors
    ///
    /// The reason why the values cannot be kept, such as annotations that would be too large. `after` is left as it is.
    pub fn keep_dropped(
        &self,
        before: &Value,
        after: &mut Value,
        keys: &dyn Fn(&[Segment]) -> Option<Vec<String>>,
    ) -> Result<Vec<String>, Failure> {
        if before == after {
            return Ok(Vec::new());
        }
        check_depth(before)?;
        let mut found = Vec::new();
        missing(before, after, &mut (Vec::new(), Vec::new()), &mut found);
        let mut places = Vec::new();
        let mut data = self.data(after)?;
        let of_lists = |Missing { scope, .. }: &Missing| {
            let lists = scope.iter().enumerate().filter(|(_, segment)| **segment == Segment::Item);
            lists.map(|(index, _)| keys(scope.get(..index)?)).collect::<Vec<_>>()
        };
        let of_lists = found.iter().map(of_lists).collect::<Vec<_>>();
        let mut items: BTreeMap<&[Segment], Items<'_>> = BTreeMap::new();
        for (Missing { scope, at, fields }, of_lists) in found.iter().zip(&of_lists) {
            let mut fields = fields.clone();
            places.extend(fields.keys().map(|name| path::place(scope, at, std::slice::from_ref(name))));
            if scope.is_empty() {
                fields.remove("status");
            }
            let is_status = matches!(scope.first(), Some(Segment::Field(name)) if name == "status");
            if is_status || fields.is_empty() {
                continue;
            }
            let items = items.entry(scope).or_insert_with(|| Items::new(after, scope, of_lists));
            let anchor = items.anchor(at);
            let Some(anchor) = anchor.filter(|_| scope.len() <= LONGEST) else {
                let place = places.last().cloned().unwrap_or_default();
                return Err(Failure { lens: String::new(), place, why: "it is too deep to be kept".to_owned() });
            };
            let is_same = |known: &&mut Dropped| known.scope == *scope && known.anchor == anchor;
            let has_room = |known: &Dropped| {
                fields.iter().all(|(name, value)| known.kept.get(name).is_none_or(|known| known == value))
            };
            match data.dropped.iter_mut().rev().find(is_same).filter(|known| has_room(known)) {
                Some(known) => known.kept.extend(fields),
                None => data.dropped.push(Dropped { scope: scope.clone(), anchor, kept: fields }),
            }
        }
        let mut copy = after.clone();
        data.write(&mut copy, self.annotation()).map_err(|why| self.failure(why))?;
        *after = copy;
        Ok(places)
    }

    /// Returns the values that [`Conversions::keep_dropped`] kept. Those whose place is gone or has a value stay in the conversion data.
    ///
    /// # Errors
    ///
    /// The reason why the conversion data cannot be read. The object is left as it is.
    pub fn return_dropped(&self, object: &mut Value) -> Result<ReturnedDropped, Failure> {
        let mut data = self.data(object)?;
        let mut returned = ReturnedDropped::default();
        let mut why = vec!["its item was changed or removed"; data.dropped.len()];
        // A value that returns can complete the whole form of an item that lost another one before.
        for _ in 0..MOST_ROUNDS {
            let found = Dropped::find(&data.dropped, object);
            let mut places = Vec::new();
            for ((entry, at), why) in data.dropped.iter_mut().zip(found).zip(&mut why).rev() {
                let Some(at) = at else { continue };
                let Some(members) = path::item_mut(object, &entry.scope, &at).and_then(Value::as_object_mut) else {
                    *why = "the object around it was removed, or is not an object";
                    continue;
                };
                *why = OCCUPIED;
                let free = entry.kept.keys().filter(|name| !members.contains_key(*name)).cloned();
                let free = free.collect::<Vec<_>>();
                places
                    .push(free.iter().map(|name| path::place(&entry.scope, &at, std::slice::from_ref(name))).collect());
                members.extend(free.into_iter().filter_map(|name| entry.kept.remove_entry(&name)));
            }
            let places: Vec<String> = places.into_iter().rev().flat_map(|places: Vec<_>| places).collect();
            if places.is_empty() {
                break;
            }
            returned.places.extend(places);
        }
        for (entry, why) in data.dropped.iter().zip(why) {
            let places = entry.kept.keys().map(|name| entry.anchor.place(&entry.scope, std::slice::from_ref(name)));
            returned.not_returned.extend(places.map(|place| NotReturned { lens: String::new(), place, why }));
        }
        data.dropped.retain(|entry| !entry.kept.is_empty());
        if !returned.places.is_empty() {
            data.write(object, self.annotation()).map_err(|why| self.failure(why))?;
        }
        Ok(returned)
    }
}

/// Finds the fields that are missing in the second value. The objects are not deep.
fn missing(before: &Value, after: &Value, way: &mut (Vec<Segment>, Vec<Selector>), found: &mut Vec<Missing>) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let is_resource = way.0.is_empty();
            let is_own = |name: &&String| !is_resource || !["apiVersion", "kind", "metadata"].contains(&name.as_str());
            let absent = before.iter().filter(|(name, _)| !after.contains_key(*name) && is_own(name));
            let fields = absent.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>();
            if !fields.is_empty() {
                found.push(Missing { scope: way.0.clone(), at: way.1.clone(), fields });
            }
            for (name, before) in before.iter().filter(|(name, _)| is_own(name)) {
                if let Some(after) = after.get(name) {
                    way.0.push(Segment::Field(name.clone()));
                    missing(before, after, way, found);
                    way.0.pop();
                }
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                way.0.push(Segment::Item);
                way.1.push(Selector::Item(index));
                missing(before, after, way, found);
                way.0.pop();
                way.1.pop();
            }
        }
        _ => {}
    }
}
