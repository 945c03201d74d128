//! Values that a switch to standard removes: they are kept in the conversion data, and return on the way to experimental.
//!
//! Invariants:
//! * Only a value that is absent returns, and only into an object that still exists: what a user wrote or removed stays so.
//! * An item of a list is found as in the other conversion data: by its keys, or by its position and its neighbours.
//! * All items are found before a value returns, because returned values change the neighbours of other items.

use serde_json::{Map, Value};

use crate::conversions::{Conversions, Failure, check_depth};
use crate::data::{self, ByKey, Dropped};
use crate::path::{self, LONGEST, Segment, Selector};

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
        let mut by_key = ByKey::default();
        for Missing { scope, at, mut fields } in found {
            places.extend(fields.keys().map(|name| path::place(&scope, &at, std::slice::from_ref(name))));
            if scope.is_empty() {
                fields.remove("status");
            }
            let is_status = matches!(scope.first(), Some(Segment::Field(name)) if name == "status");
            if is_status || fields.is_empty() {
                continue;
            }
            let of_lists = scope.iter().enumerate().filter(|(_, segment)| **segment == Segment::Items);
            let of_lists = of_lists.map(|(index, _)| keys(scope.get(..index)?)).collect::<Vec<_>>();
            let at = data::selectors(after, &scope, &of_lists, &mut by_key, &at);
            let Some(at) = at.filter(|_| scope.len() <= LONGEST) else {
                let place = places.last().cloned().unwrap_or_default();
                return Err(Failure { lens: String::new(), place, why: "it is too deep to be kept".to_owned() });
            };
            match data.dropped.iter_mut().find(|known| known.scope == scope && known.at == at) {
                Some(known) => known.kept.extend(fields),
                None => data.dropped.push(Dropped { scope, at, kept: fields }),
            }
        }
        let mut copy = after.clone();
        data.write(&mut copy, self.annotation()).map_err(|why| self.failure(why))?;
        *after = copy;
        Ok(places)
    }

    /// Returns the values that [`Conversions::keep_dropped`] kept, and forgets those whose place is gone or has a value. The places of the values that
    /// returned.
    ///
    /// # Errors
    ///
    /// The reason why the conversion data cannot be read. The object is left as it is.
    pub fn return_dropped(&self, object: &mut Value) -> Result<Vec<String>, Failure> {
        let mut data = self.data(object)?;
        let dropped = std::mem::take(&mut data.dropped);
        if dropped.is_empty() {
            return Ok(Vec::new());
        }
        let mut by_key = ByKey::default();
        let found = dropped.iter().filter_map(|entry| Some((entry, entry.find(object, &mut by_key)?)));
        let found = found.collect::<Vec<_>>();
        let mut places = Vec::new();
        for (entry, at) in found {
            let Some(members) = path::item_mut(object, &entry.scope, &at).and_then(Value::as_object_mut) else {
                continue;
            };
            for (name, value) in &entry.kept {
                if !members.contains_key(name) {
                    members.insert(name.clone(), value.clone());
                    places.push(path::place(&entry.scope, &at, std::slice::from_ref(name)));
                }
            }
        }
        data.write(object, self.annotation()).map_err(|why| self.failure(why))?;
        Ok(places)
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
                way.0.push(Segment::Items);
                way.1.push(Selector::Index(index));
                missing(before, after, way, found);
                way.0.pop();
                way.1.pop();
            }
        }
        _ => {}
    }
}
