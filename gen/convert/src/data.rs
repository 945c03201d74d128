//! Conversion data: what one form of an object cannot express of the other one, in the annotation `PREFIX/conversion-data`.
//!
//! The schema is `gen/convert/schemas/conversion-data.json`. Invariants:
//! * An entry belongs to one item and to the values that it was written with. It is dropped when the item is gone or the values changed, so
//!   it never returns what a user removed or changed.
//! * An item of a list is found by its keys, or by its position if the list has the same length and the neighbours of the item are unchanged. An
//!   item without neighbours must be unchanged itself.
//! * The text is compact JSON with sorted keys and entries.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::canonical;
use crate::operation::Kept;
use crate::path::{self, Path, Segment, Selector};

/// Bytes of all annotations of an object together at most, names and values: the limit of API servers.
pub const LARGEST_ANNOTATIONS: usize = 262_144;

const VERSION: u64 = 1;

/// The conversion data of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Data {
    /// What the old form cannot express, for forward conversion.
    pub(crate) new: Vec<Entry>,
    /// What the new form cannot express, for backward conversion.
    pub(crate) old: Vec<Entry>,
    /// The merged lenses that changed the identity of the object.
    pub(crate) identities: Vec<String>,
    /// What a switch to standard removed.
    pub(crate) dropped: Vec<Dropped>,
}

/// What one step could not express for one item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) lens: String,
    pub(crate) step: usize,
    /// One selector for each list and map on the way to the item.
    pub(crate) at: Vec<Value>,
    /// The digest of the values of the form that the entry is written into.
    pub(crate) was: String,
    pub(crate) kept: Kept,
}

/// The fields that one object does not have any more.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dropped {
    /// The way to the object; empty for the resource itself.
    pub(crate) scope: Vec<Segment>,
    /// One selector for each list on the way.
    pub(crate) at: Vec<Value>,
    pub(crate) kept: Map<String, Value>,
}

impl Dropped {
    fn value(&self) -> Value {
        let path = if self.scope.is_empty() { String::new() } else { Path::of(self.scope.clone()).to_string() };
        json!({"path": path, "at": self.at, "kept": self.kept})
    }

    fn read(value: &Value) -> Option<Self> {
        let path = value.get("path")?.as_str()?;
        let scope = if path.is_empty() { Vec::new() } else { path.parse::<Path>().ok()?.segments().to_vec() };
        let (at, kept) = (value.get("at")?.as_array()?.clone(), value.get("kept")?.as_object()?.clone());
        Some(Self { scope, at, kept })
    }

    /// The place of the object, if it still exists.
    pub(crate) fn find(&self, object: &Value, by_key: &mut ByKey) -> Option<Vec<Selector>> {
        let keys = self.at.iter().map(|selector| Some(selector.get("item")?.as_object()?.keys().cloned().collect()));
        find(object, &self.scope, &keys.collect::<Vec<_>>(), by_key, &self.at)
    }
}

impl Entry {
    fn value(&self) -> Value {
        let kept: Map<String, Value> =
            self.kept.iter().map(|(fields, value)| (path::text(fields), value.clone())).collect();
        json!({"lens": self.lens, "step": self.step, "at": self.at, "was": self.was, "kept": kept})
    }

    fn read(value: &Value) -> Option<Self> {
        let fields = |(path, value): (&String, &Value)| {
            let path: Path = path.parse().ok()?;
            let (scope, fields) = path.split();
            scope.is_empty().then(|| (fields, value.clone()))
        };
        // An empty path is the item itself.
        let kept = |(path, value): (&String, &Value)| match path.is_empty() {
            true => Some((Vec::new(), value.clone())),
            false => fields((path, value)),
        };
        Some(Self {
            lens: value.get("lens")?.as_str()?.to_owned(),
            step: usize::try_from(value.get("step")?.as_u64()?).ok()?,
            at: value.get("at")?.as_array()?.clone(),
            was: value.get("was")?.as_str()?.to_owned(),
            kept: value.get("kept")?.as_object()?.iter().map(kept).collect::<Option<_>>()?,
        })
    }
}

impl Data {
    /// The conversion data of an object.
    pub(crate) fn read(object: &Value, annotation: &str) -> Result<Self, String> {
        let value = object.get("metadata").and_then(|metadata| metadata.get("annotations")?.get(annotation));
        let Some(value) = value else { return Ok(Self::default()) };
        Self::parse(value).ok_or_else(|| {
            format!("conversion data of version {VERSION} is expected; remove the annotation to convert without it")
        })
    }

    fn parse(value: &Value) -> Option<Self> {
        let text = value.as_str().filter(|text| text.len() <= LARGEST_ANNOTATIONS)?;
        let data: Value = serde_json::from_str(text).ok()?;
        let is_known = |key: &String| ["version", "new", "old", "identities", "dropped"].contains(&key.as_str());
        let is_current = data.get("version").and_then(Value::as_u64) == Some(VERSION);
        if !is_current || !data.as_object()?.keys().all(is_known) {
            return None;
        }
        let list = |key: &str| match data.get(key) {
            None => Some(&[][..]),
            Some(list) => list.as_array().map(Vec::as_slice),
        };
        let entries = |key: &str| list(key)?.iter().map(Entry::read).collect::<Option<Vec<_>>>();
        let identities = list("identities")?.iter().map(|name| name.as_str().map(str::to_owned));
        let dropped = list("dropped")?.iter().map(Dropped::read).collect::<Option<_>>()?;
        let identities = identities.collect::<Option<_>>()?;
        Some(Self { new: entries("new")?, old: entries("old")?, identities, dropped })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.new.is_empty() && self.old.is_empty() && self.identities.is_empty() && self.dropped.is_empty()
    }

    fn text(&self) -> String {
        let mut data = json!({ "version": VERSION });
        for (key, entries) in [("new", &self.new), ("old", &self.old)] {
            let mut texts: Vec<Value> = entries.iter().map(Entry::value).collect();
            let order =
                |entry: &Value| (entry["lens"].to_string(), entry["step"].as_u64(), canonical::json(&entry["at"]));
            texts.sort_by_cached_key(order);
            if !texts.is_empty() {
                data[key] = texts.into();
            }
        }
        if !self.identities.is_empty() {
            data["identities"] = json!(self.identities);
        }
        if !self.dropped.is_empty() {
            let mut texts: Vec<Value> = self.dropped.iter().map(Dropped::value).collect();
            texts.sort_by_cached_key(canonical::json);
            data["dropped"] = texts.into();
        }
        canonical::json(&data)
    }

    /// Writes the annotation, or removes it if there is nothing to write.
    pub(crate) fn write(&self, object: &mut Value, annotation: &str) -> Result<(), String> {
        let place = ["metadata".to_owned(), "annotations".to_owned(), annotation.to_owned()];
        if self.is_empty() {
            if path::take(object, &place).is_some() {
                path::prune(object, &place);
            }
            return Ok(());
        }
        path::is_writable(object, &place)
            .map_err(|depth| format!("`{}` is not an object", path::text(place.get(..depth).unwrap_or_default())))?;
        path::put(object, &place, self.text().into());
        let annotations = path::get(object, place.get(..2).unwrap_or_default()).and_then(Value::as_object);
        let size = |(name, value): (&String, &Value)| name.len() + value.as_str().map_or(0, str::len);
        match annotations.into_iter().flatten().map(size).sum::<usize>() {
            size if size > LARGEST_ANNOTATIONS => {
                Err(format!("the annotations would have {size} bytes; API servers accept {LARGEST_ANNOTATIONS}"))
            }
            _ => Ok(()),
        }
    }
}

/// Adds the entries of a step, in place of those about the same items.
pub(crate) fn replace(entries: &mut Vec<Entry>, new: Vec<Entry>) {
    let key = |entry: &Entry| (entry.lens.clone(), entry.step, canonical::json(&Value::from(entry.at.as_slice())));
    if !entries.is_empty() && !new.is_empty() {
        let known: BTreeSet<_> = new.iter().map(key).collect();
        entries.retain(|entry| !known.contains(&key(entry)));
    }
    entries.extend(new);
}

fn key_of(item: &Value, keys: &[String]) -> Option<Value> {
    let value = |key: &String| Some((key.clone(), item.get(key)?.clone()));
    keys.iter().map(value).collect::<Option<Map<_, _>>>().map(Value::Object)
}

/// What must be unchanged around an item that is found by its position.
fn around(items: &[Value], index: usize) -> String {
    let neighbours = [index.checked_sub(1), index.checked_add(1)].map(|at| at.and_then(|at| items.get(at)).cloned());
    let own = if items.len() == 1 { items.first().cloned() } else { None };
    canonical::digest(&json!([neighbours, own]))
}

/// The selectors of an item in data, from its place in the object.
pub(crate) fn selectors(
    object: &Value,
    scope: &[Segment],
    keys: &[Option<Vec<String>>],
    by_key: &mut ByKey,
    at: &[Selector],
) -> Option<Vec<Value>> {
    let (mut value, mut found) = (object, Vec::new());
    for segment in scope {
        if let Segment::Field(name) = segment {
            value = value.get(name)?;
            continue;
        }
        match at.get(found.len())? {
            Selector::Key(key) => {
                found.push(json!({ "key": key }));
                value = value.get(key)?;
            }
            Selector::Index(index) => {
                let items = value.as_array()?;
                let item = items.get(*index)?;
                let keys = keys.get(found.len()).and_then(Option::as_ref);
                let key =
                    keys.and_then(|keys| key_of(item, keys).filter(|key| by_key.index(items, keys, key).is_some()));
                found.push(match key {
                    Some(key) => json!({ "item": key }),
                    None => json!({"index": index, "of": items.len(), "around": around(items, *index)}),
                });
                value = item;
            }
        }
    }
    Some(found)
}

/// The items of the lists of one object by their keys. A list is read once, because it may have many items with entries.
#[derive(Debug, Default)]
pub(crate) struct ByKey {
    /// For each list, which is identified by its address, the index of each key; none if several items have it.
    lists: BTreeMap<usize, BTreeMap<String, Option<usize>>>,
}

impl ByKey {
    /// The index of the only item with this key.
    fn index(&mut self, items: &[Value], keys: &[String], key: &Value) -> Option<usize> {
        let list = self.lists.entry(items.as_ptr().addr()).or_insert_with(|| {
            let mut list = BTreeMap::new();
            for (index, key) in items.iter().enumerate().filter_map(|(index, item)| Some((index, key_of(item, keys)?)))
            {
                list.entry(canonical::json(&key)).and_modify(|known| *known = None).or_insert(Some(index));
            }
            list
        });
        list.get(&canonical::json(key)).copied().flatten()
    }
}

/// The place of an item in the object, if it still exists.
pub(crate) fn find(
    object: &Value,
    scope: &[Segment],
    keys: &[Option<Vec<String>>],
    by_key: &mut ByKey,
    at: &[Value],
) -> Option<Vec<Selector>> {
    let (mut value, mut found) = (object, Vec::new());
    for segment in scope {
        if let Segment::Field(name) = segment {
            value = value.get(name)?;
            continue;
        }
        let selector = at.get(found.len())?;
        if let Some(key) = selector.get("key").and_then(Value::as_str) {
            value = value.as_object()?.get(key)?;
            found.push(Selector::Key(key.to_owned()));
            continue;
        }
        let items = value.as_array()?;
        let index = match selector.get("item") {
            Some(key) => by_key.index(items, keys.get(found.len())?.as_ref()?, key)?,
            None => {
                let index = usize::try_from(selector.get("index")?.as_u64()?).ok()?;
                let is_same_length = selector.get("of")?.as_u64() == u64::try_from(items.len()).ok();
                let is_same = is_same_length && selector.get("around")?.as_str() == Some(&around(items, index));
                Some(index).filter(|_| is_same)?
            }
        };
        value = items.get(index)?;
        found.push(Selector::Index(index));
    }
    (found.len() == at.len()).then_some(found)
}
