//! What an operation does to one item.

use serde_json::{Map, Value};

use super::form::{Found, Kept, PlaceValues, Side};
use super::functions::Functions;
use super::keyed::Keyed;
use super::template::Template;
use super::values::Values;
use super::{presence, scale, wrap};
use crate::path::{self, Fields};

/// Why a kept value does not return to a place that has one.
pub(crate) const OCCUPIED: &str = "its place has another value";

/// An operation, prepared for one item.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// The values of the old places become those of the new places.
    Carry {
        old: Vec<Fields>,
        new: Vec<Fields>,
        change: Change,
    },
    Default {
        field: Fields,
        value: Value,
    },
    Constant {
        field: Fields,
        value: Value,
    },
    Drop {
        field: Fields,
    },
    /// Functions convert the item.
    Code(Functions),
}

/// How values change.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Same,
    ToList,
    FromList,
    ToObject(String),
    FromObject(String),
    ToMap(Keyed),
    FromMap(Keyed),
    Values(Values),
    Scale { multiply: u32, divide: u32 },
    Split(Template),
    Join(Template),
}

impl Change {
    /// The values of the new form.
    fn forward(&self, old: PlaceValues) -> Result<PlaceValues, String> {
        match self {
            Self::Split(template) => template.split(old),
            Self::Join(template) => template.join(old),
            _ => old.into_iter().map(|value| value.map(|value| self.forward_one(value)).transpose()).collect(),
        }
    }

    fn forward_one(&self, old: Value) -> Result<Value, String> {
        match self {
            Self::Same | Self::Split(_) | Self::Join(_) => Ok(old),
            Self::ToList => Ok(wrap::in_list(old)),
            Self::FromList => wrap::from_list(old),
            Self::ToObject(field) => Ok(wrap::in_object(old, field)),
            Self::FromObject(field) => wrap::from_object(old, field),
            Self::ToMap(keyed) => keyed.map(old),
            Self::FromMap(keyed) => keyed.list(old),
            Self::Values(values) => values.forward(old),
            Self::Scale { multiply, divide } => scale::exact(&old, *multiply, *divide),
        }
    }

    /// The values of the old form that are nearest to those of the new one.
    fn backward(&self, new: PlaceValues) -> Result<PlaceValues, String> {
        match self {
            Self::Split(template) => Ok(template.join(new).unwrap_or_else(|_| vec![None])),
            Self::Join(template) => Ok(template.split(new).unwrap_or_else(|_| vec![None; template.groups()])),
            _ => new.into_iter().map(|value| value.map_or(Ok(None), |value| self.backward_one(value))).collect(),
        }
    }

    fn backward_one(&self, new: Value) -> Result<Option<Value>, String> {
        match self {
            Self::Same | Self::Split(_) | Self::Join(_) => Ok(Some(new)),
            Self::ToList => wrap::first(new),
            Self::FromList => Ok(Some(wrap::in_list(new))),
            Self::ToObject(field) => wrap::member(new, field),
            Self::FromObject(field) => Ok(Some(wrap::in_object(new, field))),
            Self::ToMap(keyed) => keyed.list(new).map(Some),
            Self::FromMap(keyed) => Ok(keyed.map(new).ok()),
            Self::Values(values) => values.backward(new),
            Self::Scale { multiply, divide } => scale::nearest(&new, *multiply, *divide).map(Some),
        }
    }

    /// Whether it converts every value without a loss.
    fn is_total(&self) -> bool {
        matches!(self, Self::Same | Self::ToList | Self::ToObject(_))
    }

    /// Whether values return, except for what the operation declares lost.
    fn is_exact(&self, expected: &PlaceValues, found: &PlaceValues) -> bool {
        match (self, expected.as_slice(), found.as_slice()) {
            (Self::ToMap(keyed), [Some(expected)], [Some(found)]) => keyed.is_same(expected, found),
            (Self::Values(values), [Some(expected)], [Some(found)]) => values.is_same(expected, found),
            _ => expected == found,
        }
    }

    /// Which form the value of an operation in one place has.
    fn in_place(&self, value: &Value) -> Found {
        let (is_old, is_new) = match self {
            Self::ToList => (!value.is_array() && !value.is_null(), value.is_array()),
            Self::FromList => (value.is_array(), !value.is_array() && !value.is_null()),
            Self::ToObject(_) => (!value.is_object() && !value.is_null(), value.is_object()),
            Self::FromObject(_) => (value.is_object(), !value.is_object() && !value.is_null()),
            Self::ToMap(_) => (value.is_array(), value.is_object()),
            Self::FromMap(_) => (value.is_object(), value.is_array()),
            Self::Values(values) => (values.is_old(value), values.is_new(value)),
            Self::Same | Self::Scale { .. } | Self::Split(_) | Self::Join(_) => (false, false),
        };
        match (is_old, is_new) {
            (true, _) => Found::Old,
            (_, true) => Found::New,
            _ => Found::Neither,
        }
    }
}

/// Which form an item has, if its places are different.
fn by_presence(item: &Value, old: &[Fields], new: &[Fields]) -> Found {
    let present = |places: &[Fields]| places.iter().position(|fields| path::get(item, fields).is_some());
    match (present(old), present(new)) {
        (None, None) => Found::Neither,
        (Some(_), None) => Found::Old,
        (None, Some(_)) => Found::New,
        (Some(one), Some(other)) => {
            let place = |places: &[Fields], at: usize| path::text(places.get(at).map_or(&[], Vec::as_slice));
            Found::Both(place(old, one), place(new, other))
        }
    }
}

/// The places that are present, with their values.
fn present(item: &Value, places: &[Fields]) -> Kept {
    places.iter().filter_map(|fields| Some((fields.clone(), path::get(item, fields)?.clone()))).collect()
}

/// Takes the places out, with the objects around them that become empty.
fn remove(item: &mut Value, places: &[Fields]) {
    for fields in places {
        path::take(item, fields);
        path::prune(item, fields);
    }
}

fn copies(item: &Value, places: &[Fields]) -> PlaceValues {
    places.iter().map(|fields| path::get(item, fields).cloned()).collect()
}

/// The first place that cannot be written, because what is around it is not an object.
fn blocked(item: &Value, places: &[Fields]) -> Option<String> {
    places.iter().find_map(|fields| {
        let depth = path::is_writable(item, fields).err()?;
        let around = path::text(fields.get(..depth).unwrap_or_default());
        Some(format!("`{}` cannot be written: `{around}` is not an object", path::text(fields)))
    })
}

impl Act {
    /// Whether old places are in lists or maps of the item.
    pub(crate) fn has_lists(&self) -> bool {
        matches!(self, Self::Code(functions) if functions.has_lists())
    }

    /// Whether it does not look into values.
    pub(crate) fn is_shallow(&self) -> bool {
        match self {
            Self::Carry { change, .. } => change.is_total(),
            Self::Default { .. } | Self::Drop { .. } => true,
            Self::Constant { .. } | Self::Code(_) => false,
        }
    }

    /// Renames a field of one object: `None` if this is another operation, an error if both names are present.
    pub(crate) fn rename(&self, item: &mut Value) -> Option<Result<bool, ()>> {
        let Self::Carry { old, new, change: Change::Same } = self else { return None };
        let ([old], [new]) = (old.as_slice(), new.as_slice()) else { return None };
        let ((from, above), (to, around)) = (old.split_last()?, new.split_last()?);
        if above != around {
            return None;
        }
        let object = above.iter().try_fold(item, |value, name| value.as_object_mut()?.get_mut(name));
        let Some(object) = object.and_then(Value::as_object_mut) else { return Some(Ok(false)) };
        let Some(value) = object.remove(from) else { return Some(Ok(false)) };
        if let Some(new) = object.insert(to.clone(), value) {
            let value = object.insert(to.clone(), new).unwrap_or_default();
            object.insert(from.clone(), value);
            return Some(Err(()));
        }
        Some(Ok(true))
    }

    /// Which form the item has.
    pub(crate) fn find(&self, item: &Value) -> Found {
        match self {
            Self::Carry { old, new, change } if old == new => {
                let value = old.first().and_then(|fields| path::get(item, fields));
                value.map_or(Found::Neither, |value| change.in_place(value))
            }
            Self::Carry { old, new, .. } => by_presence(item, old, new),
            Self::Code(functions) => functions.find(item),
            Self::Default { field, .. } => presence::find(item, field, Found::New, Found::Old),
            Self::Constant { field, .. } => presence::find(item, field, Found::Old, Found::New),
            Self::Drop { field } => presence::find(item, field, Found::Old, Found::Neither),
        }
    }

    /// Whether [`Self::forward`] would fail on an item of the old form, without changing it. With `keeps`, what does not return does not fail.
    pub(crate) fn check(&self, item: &Value, keeps: bool) -> Result<(), String> {
        match self {
            Self::Carry { new, change, .. } if change.is_total() => blocked(item, new).map_or(Ok(()), Err),
            Self::Carry { old, new, change } => {
                if let Some(why) = blocked(item, new) {
                    return Err(why);
                }
                let values = copies(item, old);
                let there = change.forward(values.clone())?;
                if old == new && !there.iter().flatten().all(|value| change.in_place(value) == Found::New) {
                    return Err("the converted value would still have the old form".to_owned());
                }
                let back = change.backward(there)?;
                match keeps || change.is_exact(&values, &back) {
                    true => Ok(()),
                    false => Err(format!(
                        "`{}` would not return when it is converted back",
                        path::text(old.first().map_or(&[], Vec::as_slice))
                    )),
                }
            }
            Self::Constant { field, value } if !keeps => presence::check_constant(item, field, value),
            Self::Code(functions) => {
                let there = functions.forward(item)?;
                match keeps || functions.backward(&there)? == *item {
                    true => Ok(()),
                    false => Err("the item would not return when it is converted back".to_owned()),
                }
            }
            Self::Constant { .. } | Self::Default { .. } | Self::Drop { .. } => Ok(()),
        }
    }

    /// Converts an item of the old form that passed [`Self::check`].
    pub(crate) fn forward(&self, item: &mut Value) -> Result<(), String> {
        match self {
            Self::Carry { old, new, change } if change.is_total() => {
                if let ([from], [to]) = (old.as_slice(), new.as_slice())
                    && let Some(value) = path::take(item, from)
                {
                    path::put(item, to, change.forward_one(value)?);
                    path::prune(item, from);
                }
            }
            Self::Carry { old, new, change } => {
                let values = change.forward(copies(item, old))?;
                replace(item, old, new, values);
            }
            Self::Default { field, value } => path::put(item, field, value.clone()),
            Self::Constant { field, .. } | Self::Drop { field } => {
                path::take(item, field);
            }
            Self::Code(functions) => *item = functions.forward(item)?,
        }
        Ok(())
    }

    /// [`Self::forward`], if the item has the old form, and not both. Returns whether it had.
    pub(crate) fn forward_old(&self, item: &mut Value) -> Result<bool, String> {
        if let Self::Carry { old, new, change } = self
            && let ([from], [to]) = (old.as_slice(), new.as_slice())
            && change.is_total()
            && from != to
        {
            // The same as below, with each field found once.
            let Some(value) = path::take(item, from) else { return Ok(false) };
            path::put(item, to, change.forward_one(value)?);
            path::prune(item, from);
            return Ok(true);
        }
        let is_old = self.find(item) == Found::Old;
        if is_old {
            self.forward(item)?;
        }
        Ok(is_old)
    }

    /// [`Self::forward`], which also returns what the new form cannot express.
    pub(crate) fn forward_keeping(&self, item: &mut Value) -> Result<Option<Kept>, String> {
        let (places, _) = self.sides();
        let before = present(item, places);
        self.forward(item)?;
        let mut back = item.clone();
        self.backward(&mut back)?;
        Ok((present(&back, places) != before).then_some(before))
    }

    /// Converts an item of the new form to the old one, and returns what the old form cannot express.
    pub(crate) fn backward(&self, item: &mut Value) -> Result<Option<Kept>, String> {
        match self {
            Self::Carry { old, new, change } => {
                if let Some(why) = blocked(item, old) {
                    return Err(why);
                }
                let values = copies(item, new);
                let mut back = change.backward(values.clone())?;
                if old == new {
                    // A value that is not recognised as the old form would stay what it is.
                    let is_old = |value: &Value| change.in_place(value) == Found::Old;
                    back.iter_mut().for_each(|value| *value = value.take().filter(is_old));
                }
                let is_exact = match change {
                    Change::Same => true,
                    _ => match change.forward(back.clone()) {
                        Ok(there) => there == values && back.iter().any(Option::is_some),
                        // An old value that could not be converted again would make the whole object unusable.
                        Err(_) => {
                            back.fill(None);
                            false
                        }
                    },
                };
                let mut kept: Kept = match old == new {
                    true => Vec::new(),
                    false => old
                        .iter()
                        .filter_map(|fields| empty_around(item, fields))
                        .map(|fields| (fields, Value::Object(Map::new())))
                        .collect(),
                };
                if !is_exact || !kept.is_empty() {
                    let present = new.iter().zip(values).filter_map(|(fields, value)| Some((fields.clone(), value?)));
                    kept.extend(present);
                }
                replace(item, new, old, back);
                Ok((!kept.is_empty()).then_some(kept))
            }
            Self::Default { field, value } => {
                let removed = path::take(item, field);
                Ok(removed.filter(|removed| removed != value).map(|removed| vec![(field.clone(), removed)]))
            }
            Self::Constant { field, value } => {
                path::put(item, field, value.clone());
                Ok(None)
            }
            Self::Drop { .. } => Ok(None),
            Self::Code(functions) => {
                let back = functions.backward(item)?;
                // Without a value in an old place, nothing converts the item forward.
                let is_old = functions.find(&back) == Found::Old;
                let there = if is_old { functions.forward(&back).ok() } else { Some(back.clone()) };
                let kept = (there.as_ref() != Some(item)).then(|| present(item, &functions.new_values));
                *item = back;
                Ok(kept)
            }
        }
    }

    /// The places of the old and of the new form.
    fn sides(&self) -> (&[Fields], &[Fields]) {
        match self {
            Self::Carry { old, new, .. } => (old, new),
            Self::Code(functions) => (&functions.old_values, &functions.new_values),
            Self::Default { field, .. } => (&[], std::slice::from_ref(field)),
            Self::Constant { field, .. } | Self::Drop { field } => (std::slice::from_ref(field), &[]),
        }
    }

    /// The values of one form, as one value: what conversion data belongs to.
    pub(crate) fn values(&self, item: &Value, side: Side) -> Value {
        let (old, new) = self.sides();
        let values = present(item, if side == Side::Old { old } else { new });
        Value::Object(values.into_iter().map(|(fields, value)| (path::text(&fields), value)).collect())
    }

    /// The kept places that are places of a form; other ones are empty objects around them.
    pub(crate) fn own<'k>(&self, kept: &'k Kept, side: Side) -> impl Iterator<Item = &'k Fields> {
        let (old, new) = self.sides();
        let places = if side == Side::Old { old } else { new };
        kept.iter().map(|(fields, _)| fields).filter(move |fields| places.contains(fields))
    }

    /// Writes what the other form could not express into an item that has that form. Does nothing if it is not about places of this operation,
    /// or if the item has no room for it.
    pub(crate) fn restore(&self, item: &mut Value, kept: &Kept, side: Side) -> Result<(), &'static str> {
        let (old, new) = self.sides();
        let (from, to) = if side == Side::New { (old, new) } else { (new, old) };
        let is_own = |(fields, value): &(Fields, Value)| {
            let is_empty = value.as_object().is_some_and(Map::is_empty);
            to.contains(fields)
                || is_empty && from.iter().any(|from| from.len() > fields.len() && from.starts_with(fields))
        };
        // A field that only one form has is written where the object around it exists.
        let has_parent = !from.is_empty() || to.iter().all(|fields| path::parent(item, fields).is_some());
        let is_writable = to.iter().all(|fields| path::is_writable(item, fields).is_ok());
        if !kept.iter().all(is_own) {
            return Err("the lens has other places");
        }
        if !has_parent || !is_writable {
            return Err("the object around it was removed, or is not an object");
        }
        if old != new && to.iter().any(|fields| path::get(item, fields).is_some()) {
            return Err(OCCUPIED);
        }
        match self {
            // Lists that contain old places stay.
            Self::Code(functions) if side == Side::New => functions.remove_old(item),
            _ => remove(item, from),
        }
        for (fields, value) in kept {
            path::put(item, fields, value.clone());
        }
        Ok(())
    }
}

/// The object around a field, if it is empty: it would be removed together with the field.
fn empty_around(item: &Value, fields: &Fields) -> Option<Fields> {
    let lengths = (1..fields.len()).rev();
    let around = lengths.filter_map(|length| fields.get(..length)).find(|around| path::get(item, around).is_some())?;
    path::get(item, around)?.as_object()?.is_empty().then(|| around.to_vec())
}

/// Takes the values of one form out, and writes those of the other.
fn replace(item: &mut Value, from: &[Fields], to: &[Fields], values: PlaceValues) {
    for fields in from {
        path::take(item, fields);
    }
    for (fields, value) in to.iter().zip(values) {
        if let Some(value) = value {
            path::put(item, fields, value);
        }
    }
    from.iter().for_each(|fields| path::prune(item, fields));
}
