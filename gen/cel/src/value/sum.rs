//! Sums of lists, and the equality of lists.
//!
//! Sets and lists with keys follow their list type only as the left operand; the right one is a list like any other. Invariants:
//! * Servers before 1.37 compute with what the object has (kubernetes#140293): 1 and 1.0 are different members of a set, a map key is looked up
//!   by its escaped name, and an item that was added is read with the schema of the list. A set remembers what was added to it, so that `+` changes
//!   later comparisons and sums of the same value.
//! * Servers since 1.37 compute with CEL values, and a sum does not change its operands.
//! * Where the result of an older server depends on the spare capacity of a Go slice, the sum is undecided.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crd_model::schema::Schema;
use serde_json::Value as Json;

use super::shown::shown;
use super::{Key, List, Map, Value};
use crate::failure::Failure;
use crate::fields;

/// The first minor whose servers compute sums of CEL values.
const VALUES_SINCE: u32 = 37;

/// A key of a Go map: values of different Go types are different.
type Hashed = (&'static str, Key);

const NIL: Hashed = ("<nil>", Key::Boolean(false));

/// The members that a set remembers. Empty until they are needed.
#[derive(Clone, Debug, Default)]
pub struct Known(Arc<Mutex<HashSet<Hashed>>>);

impl Known {
    fn members(&self) -> MutexGuard<'_, HashSet<Hashed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sums of an evaluation that may share an array.
pub(crate) type Sums<'v> = Vec<Weak<Sum<'v>>>;

/// A list of the object and the items that were added to it.
#[derive(Debug)]
pub struct Sum<'v> {
    pub(crate) items: Vec<Item<'v>>,
    /// Of the list of the object.
    schema: &'v Schema,
    minor: u32,
    known: Known,
    /// The list whose array it may share.
    root: Option<List<'v>>,
}

/// An item as a server has it.
#[derive(Clone, Debug)]
pub(crate) enum Item<'v> {
    Json(&'v Json),
    Value(Value<'v>),
}

impl<'v> Sum<'v> {
    pub(crate) fn get(&self, at: usize) -> Option<Value<'v>> {
        Some(match (self.items.get(at)?, self.schema.items.as_deref()) {
            (Item::Json(json), Some(schema)) => Value::from_json(json, schema),
            (Item::Value(value), Some(schema)) if self.minor < VALUES_SINCE => value.clone().added_to_object(schema),
            (Item::Value(value), _) => value.clone(),
            (Item::Json(json), None) => Value::from_plain_json(json),
        })
    }

    /// Whether a server may write these items, from this position on, over other items of a sum before it.
    fn overwrites(&self, from: usize, before: &Self) -> bool {
        let arrays = [self, before].map(|sum| sum.root.as_ref().map(List::array));
        let is_same = |(one, other): (&Item<'v>, &Item<'v>)| match (one.hashed(self.minor), other.hashed(self.minor)) {
            (Ok(Some(one)), Ok(Some(other))) => one == other,
            _ => false,
        };
        arrays[0] == arrays[1] && !self.items.iter().zip(&before.items).skip(from).all(is_same)
    }
}

impl Item<'_> {
    /// The key of the item in a Go map: nothing if it is not equal to any other.
    fn hashed(&self, minor: u32) -> Result<Option<Hashed>, Failure> {
        let unhashable = |kind| Err(Failure::panic(format!("runtime error: hash of unhashable type {kind}")));
        let value = match self {
            Self::Json(Json::Null) => return Ok(Some(NIL)),
            Self::Json(Json::Array(_)) => return unhashable("[]interface {}"),
            Self::Json(Json::Object(_)) => return unhashable("map[string]interface {}"),
            Self::Json(Json::Number(number)) if !number.is_i64() => &Value::Double(number.as_f64().unwrap_or(f64::NAN)),
            Self::Json(json) => &Value::from_plain_json(json),
            Self::Value(value) => value,
        };
        let key = match value {
            Value::Double(number) if number.is_nan() => None,
            Value::Null => Some(Key::Boolean(false)),
            Value::Timestamp(time) => Some(Key::Number(time.nanoseconds())),
            Value::Duration(duration) => Some(Key::Number(i128::from(duration.0))),
            Value::Bytes(_) | Value::List(_) | Value::Map(_) if minor < VALUES_SINCE => {
                return unhashable(value.go_type());
            }
            Value::Bytes(bytes) => Some(Key::Text(format!("{bytes:?}").into())),
            Value::List(_) | Value::Map(_) => {
                return Err(Failure::new("listSet operations are only supported on lists of scalar values"));
            }
            value => Key::of(value),
        };
        Ok(key.map(|key| (value.go_type(), key)))
    }
}

impl<'v> List<'v> {
    /// A list of the object.
    pub(crate) fn json(items: &'v [Json], schema: &'v Schema) -> Self {
        let known = (schema.list_type.as_deref() == Some("set")).then(Known::default);
        Self::Json(items, schema, known)
    }

    /// This list as an item of a list of the object to which servers before 1.37 added it.
    pub(crate) fn reread(&self, schema: &'v Schema) -> Self {
        Self::Sum(Arc::new(Sum {
            items: self.operands(VALUES_SINCE - 1),
            schema,
            minor: VALUES_SINCE - 1,
            known: Known::default(),
            root: self.root(),
        }))
    }

    /// The lists of a sum of lists that do not have a schema.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        let (mut parts, mut rest) = (Vec::new(), vec![self]);
        while let Some(list) = rest.pop() {
            match list {
                Self::Joined(both, _) => rest.extend([&both.1, &both.0]),
                list => parts.push(list),
            }
        }
        parts
    }

    /// Whether a server reads its items with a schema.
    pub(crate) fn is_read(&self) -> bool {
        match self {
            Self::Json(..) => true,
            Self::Sum(sum) => sum.minor < VALUES_SINCE,
            Self::Shared(_) | Self::Joined(..) => false,
        }
    }

    fn schema(&self) -> Option<&'v Schema> {
        match self {
            Self::Json(_, schema, _) => Some(schema),
            Self::Sum(sum) => Some(sum.schema),
            Self::Shared(_) | Self::Joined(..) => None,
        }
    }

    /// The items with which a server of this minor computes.
    fn operands(&self, minor: u32) -> Vec<Item<'v>> {
        match self {
            Self::Json(items, ..) if minor < VALUES_SINCE => items.iter().map(Item::Json).collect(),
            Self::Sum(sum) => sum.items.clone(),
            list => list.iter().map(Item::Value).collect(),
        }
    }

    /// The list whose array it may share. An empty list does not have an array.
    fn root(&self) -> Option<Self> {
        match self {
            Self::Sum(sum) if sum.root.is_some() => sum.root.clone(),
            list => (!list.is_empty()).then(|| list.clone()),
        }
    }

    fn array(&self) -> usize {
        match self {
            Self::Shared(items) => Arc::as_ptr(items).addr(),
            Self::Json(items, ..) => items.as_ptr().addr(),
            Self::Joined(both, _) => Arc::as_ptr(both).addr(),
            Self::Sum(sum) => Arc::as_ptr(sum).addr(),
        }
    }

    /// The members of a set.
    fn known(&self, minor: u32) -> Result<Known, Failure> {
        let known = match self {
            Self::Json(_, _, Some(known)) if minor < VALUES_SINCE => known.clone(),
            Self::Sum(sum) if minor < VALUES_SINCE => sum.known.clone(),
            _ => Known::default(),
        };
        let mut members = known.members();
        if members.is_empty() {
            for item in self.operands(minor) {
                members.extend(item.hashed(minor)?);
            }
        }
        drop(members);
        Ok(known)
    }

    /// The list-map keys of an item of this list or of the other operand: nothing if it is not equal to any other.
    fn entry(&self, item: &Value<'v>, is_raw: bool, minor: u32) -> Option<Vec<Hashed>> {
        let keys = &self.schema()?.list_map_keys;
        let names = keys.iter().map(|key| fields::escape(key).unwrap_or(Cow::Borrowed(key)));
        match item {
            // A server looks for the escaped names among the names that are not escaped.
            Value::Map(Map::Json(map)) if is_raw => {
                let values = names.map(|name| map.entries.get(&*name).unwrap_or(&Json::Null));
                if keys.len() > 3 && minor < VALUES_SINCE {
                    let texts = values.map(|value| shown(&Value::from_plain_json(value)));
                    return Some(vec![("string", Key::Text(texts.collect::<Vec<_>>().join(" ").into()))]);
                }
                values.map(|value| Item::Json(value).hashed(minor).ok()?).collect()
            }
            _ if is_raw => None,
            Value::Map(map) => {
                let found =
                    |name: Cow<'_, str>| Item::Value(map.find(&Value::text(&*name)).ok()??).hashed(minor).ok()?;
                Some(names.map(|name| found(name).unwrap_or(NIL)).collect())
            }
            _ => Some(vec![NIL; keys.len()]),
        }
    }

    /// `==`, as servers of this minor have it.
    pub(crate) fn is_equal(&self, other: &Self, minor: u32) -> Result<bool, Failure> {
        if self.len() != other.len() {
            return Ok(false);
        }
        let Some(schema) = self.schema() else {
            let mut failed = None;
            for (one, other) in self.iter().zip(other.iter()) {
                match one.is_equal(&other, minor) {
                    Ok(true) => {}
                    Ok(false) => return Ok(false),
                    // A server takes items of a list that it cannot compare as equal, unless the list is a sum.
                    Err(failure) if failure.is_ordinary() && !matches!(self, Self::Joined(..)) => {}
                    Err(failure) => failed = failed.or(Some(failure)),
                }
            }
            return failed.map_or(Ok(true), Err);
        };
        match schema.list_type.as_deref() {
            Some("set") => {
                let known = self.known(minor)?;
                let (known, mut seen) = (known.members(), HashSet::new());
                for item in other.iter() {
                    match Item::Value(item).hashed(minor)?.filter(|key| known.contains(key)) {
                        Some(key) => seen.insert(key),
                        None => return Ok(false),
                    };
                }
                Ok(minor < VALUES_SINCE || seen.len() == known.len())
            }
            Some("map") => {
                let is_raw = minor < VALUES_SINCE || self.is_read();
                let key = |item: &Value<'v>| self.entry(item, is_raw, minor);
                let by_key: HashMap<_, _> = self.iter().filter_map(|item| Some((key(&item)?, item))).collect();
                let mut seen = HashSet::new();
                for item in other.iter() {
                    let Some((key, found)) = key(&item).and_then(|key| by_key.get_key_value(&key)) else {
                        return Ok(false);
                    };
                    if !found.is_equal_part(&item, minor)? {
                        return Ok(false);
                    }
                    seen.insert(key);
                }
                Ok(minor < VALUES_SINCE || seen.len() == by_key.len())
            }
            _ => {
                for (one, other) in self.iter().zip(other.iter()) {
                    if !one.is_equal_part(&other, minor)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// `+`, as servers of this minor have it: sets and lists with keys keep each item once.
    pub(crate) fn joined(&self, other: &Self, minor: u32, sums: &mut Sums<'v>) -> Result<Self, Failure> {
        let Some(schema) = self.schema() else {
            return Ok(match (self.is_empty(), other.is_empty()) {
                (true, _) => other.clone(),
                (_, true) => self.clone(),
                _ => Self::Joined(Arc::new((self.clone(), other.clone())), self.len().saturating_add(other.len())),
            });
        };
        let is_older = minor < VALUES_SINCE;
        let mut items = self.operands(minor);
        let list_type = schema.list_type.as_deref();
        match list_type {
            Some("set") => {
                let known = self.known(minor)?;
                let mut known = known.members();
                for item in other.iter() {
                    let kind = item.go_type();
                    let item = Item::Value(item);
                    let hashed = item.hashed(minor).map_err(|failure| match failure.is_panic() && known.is_empty() {
                        // Go has another text for an empty map.
                        true => Failure::panic(format!("hash of unhashable type: {kind}")),
                        false => failure,
                    });
                    if hashed?.is_none_or(|key| known.insert(key)) {
                        items.push(item);
                    }
                }
            }
            Some("map") => {
                let key = |item: &Value<'v>| self.entry(item, is_older, minor);
                let positions = self.iter().enumerate().filter_map(|(at, item)| Some((key(&item)?, at)));
                let positions: HashMap<_, _> = positions.collect();
                for item in other.iter() {
                    match key(&item).and_then(|key| positions.get(&key)) {
                        Some(at) => items[*at] = Item::Value(item),
                        None => items.push(Item::Value(item)),
                    }
                }
            }
            _ if is_older => items.extend(other.iter().map(Item::Value)),
            _ => return Ok(Self::Shared(Arc::new(self.iter().chain(other.iter()).collect()))),
        }
        let root = self.root().filter(|_| is_older && list_type != Some("map"));
        let sum = Arc::new(Sum { items, schema, minor, known: Known::default(), root });
        if sum.root.is_some() {
            sums.retain(|before| before.strong_count() > 0);
            if sums.iter().filter_map(Weak::upgrade).any(|before| sum.overwrites(self.len(), &before)) {
                return Err(Failure::undecided("two sums of one list may share the memory of a server"));
            }
            sums.push(Arc::downgrade(&sum));
        }
        Ok(Self::Sum(sum))
    }
}
