//! Functions that convert an item, and the places that show its form.
//!
//! Old places can be in lists and maps of the item; new places are fields of it. Invariant: a function changes these places only.

use serde_json::Value;

use super::form::Found;
use super::{Code, REFUSAL};
use crate::canonical::{DEEPEST, is_deeper};
use crate::path::{self, Fields, Path, Segment, Selector};

/// The two functions of a step.
#[derive(Clone, Debug)]
pub(crate) struct Functions {
    old: Vec<Place>,
    new: Vec<Place>,
    /// The old places, or the lists and maps that contain them.
    pub(super) old_values: Vec<Fields>,
    pub(super) new_values: Vec<Fields>,
    /// Where in an item the object is that the functions get.
    holder: Fields,
    code: Code,
}

/// A field of an item, or of what is in its lists and maps.
#[derive(Clone, Debug)]
struct Place {
    scope: Vec<Segment>,
    fields: Fields,
}

impl Functions {
    /// The functions for the fields of items, which are at `scope`. `holder` is the innermost object that contains all places.
    pub(super) fn new(scope: &[Segment], holder: &[Segment], (from, to): (&[&Path], &[&Path]), code: Code) -> Self {
        let place = |path: &Path| {
            let (lists, fields) = path.split();
            Place { scope: lists.get(scope.len()..).unwrap_or_default().to_vec(), fields }
        };
        let [old, new] = [from, to].map(|paths| paths.iter().copied().map(place).collect::<Vec<_>>());
        let mut old_values: Vec<Fields> = old.iter().map(Place::values).collect();
        old_values.dedup();
        let new_values = new.iter().map(Place::values).collect();
        let name = |segment: &Segment| match segment {
            Segment::Field(name) => Some(name.clone()),
            Segment::Item | Segment::Value => None,
        };
        let holder = holder.get(scope.len()..).unwrap_or_default().iter().filter_map(name).collect();
        Self { old, new, old_values, new_values, holder, code }
    }

    /// Whether old places are in lists or maps of the item.
    pub(super) fn has_lists(&self) -> bool {
        self.old.iter().any(|place| !place.scope.is_empty())
    }

    pub(super) fn find(&self, item: &Value) -> Found {
        let present = |places: &[Place]| places.iter().find_map(|place| place.present(item));
        match (present(&self.old), present(&self.new)) {
            (None, None) => Found::Neither,
            (Some(_), None) => Found::Old,
            (None, Some(_)) => Found::New,
            (Some(old), Some(new)) => Found::Both(old, new),
        }
    }

    /// Removes the old places, with the objects around them that become empty.
    pub(super) fn remove_old(&self, item: &mut Value) {
        self.old.iter().for_each(|place| place.remove(item));
    }

    pub(super) fn forward(&self, item: &Value) -> Result<Value, String> {
        self.convert(item, self.code.forward, Found::Old)
    }

    pub(super) fn backward(&self, item: &Value) -> Result<Value, String> {
        self.convert(item, self.code.backward, Found::New)
    }

    /// An item that a function converted. The function must remove one form, write the other, and leave all other fields.
    fn convert(
        &self,
        item: &Value,
        function: fn(&mut Value) -> Result<(), String>,
        from: Found,
    ) -> Result<Value, String> {
        let mut converted = item.clone();
        let is_missing = self.code.name.is_empty();
        let refused = |why| if is_missing { why } else { format!("{REFUSAL}: {why}") };
        // One of the places exists, and the object is around it.
        let holder = self.holder.iter().try_fold(&mut converted, |object, name| object.get_mut(name));
        holder.map_or(Ok(()), function).map_err(refused)?;
        let found = self.find(&converted);
        if found == from || matches!(found, Found::Both(..)) {
            return Err("the function did not remove the form that it converts".to_owned());
        }
        let [before, after] = [item, &converted].map(|item| {
            let mut item = item.clone();
            self.old.iter().chain(&self.new).for_each(|place| place.remove(&mut item));
            item
        });
        match before == after && !is_deeper(&converted, DEEPEST) {
            true => Ok(converted),
            false => Err("the function changed more than the places of its step".to_owned()),
        }
    }
}

impl Place {
    /// The first field of this place that is present.
    fn present(&self, item: &Value) -> Option<String> {
        let visit = &mut |value: &Value, at: &[Selector]| match path::get(value, &self.fields) {
            Some(_) => Err(path::place(&self.scope, at, &self.fields)),
            None => Ok(()),
        };
        path::each(item, &self.scope, &mut Vec::new(), visit).err()
    }

    fn remove(&self, item: &mut Value) {
        let visit = &mut |value: &mut Value, _: &[Selector]| {
            path::take(value, &self.fields);
            path::prune(value, &self.fields);
            Ok::<(), ()>(())
        };
        // The visit does not fail.
        let _ = path::each_mut(item, &self.scope, &mut Vec::new(), visit);
    }

    /// The field, or the outermost list or map that contains it.
    fn values(&self) -> Fields {
        let name = |segment: &Segment| match segment {
            Segment::Field(name) => Some(name.clone()),
            Segment::Item | Segment::Value => None,
        };
        match self.scope.is_empty() {
            true => self.fields.clone(),
            false => self.scope.iter().map_while(name).collect(),
        }
    }
}
