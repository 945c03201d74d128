//! Conversion data: what one form of an object cannot express of the other one, in the annotation `PREFIX/conversion-data`.
//!
//! Invariants:
//! * An entry belongs to one item and to the values that it was written with. It stays when the item is gone or the values changed, so it never
//!   returns what a user removed or changed, and nothing is lost.
//! * An item of a list is found by its keys, otherwise by its whole form ([`Items`]).
//! * The text is compact JSON with sorted keys and entries. Of entries about one item, the last is the newest.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::canonical;
use crate::items::{Anchor, Items};
use crate::operation::Kept;
use crate::path::{self, Path, Segment, Selector};

/// The JSON schema of the annotation.
pub const DATA_SCHEMA: &str = include_str!("../schemas/conversion-data.json");

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
    pub(crate) anchor: Anchor,
    /// The digest of the values of the form that the entry is written into.
    pub(crate) was: String,
    pub(crate) kept: Kept,
}

/// The fields that one object does not have any more.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dropped {
    /// The way to the object; empty for the resource itself.
    pub(crate) scope: Vec<Segment>,
    pub(crate) anchor: Anchor,
    pub(crate) kept: Map<String, Value>,
}

impl Dropped {
    fn value(&self) -> Value {
        let path = if self.scope.is_empty() { String::new() } else { Path::of(self.scope.clone()).to_string() };
        self.anchor.write(json!({"path": path, "kept": self.kept}))
    }

    fn read(value: &Value) -> Option<Self> {
        let path = value.get("path")?.as_str()?;
        let scope = if path.is_empty() { Vec::new() } else { path.parse::<Path>().ok()?.segments().to_vec() };
        Some(Self { scope, anchor: Anchor::read(value)?, kept: value.get("kept")?.as_object()?.clone() })
    }

    /// The places of the objects, where they still exist.
    pub(crate) fn find(dropped: &[Self], object: &Value) -> Vec<Option<Vec<Selector>>> {
        let mut found = vec![None; dropped.len()];
        let mut of_scope: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (index, entry) in dropped.iter().enumerate() {
            let keys = entry.anchor.at.iter().map(|at| Some(at.get("item")?.as_object()?.keys().cloned().collect()));
            let keys: Vec<Option<Vec<String>>> = keys.collect();
            of_scope.entry((&entry.scope, keys)).or_default().push(index);
        }
        for ((scope, keys), indices) in of_scope {
            let anchors = indices.iter().filter_map(|index| Some(&dropped.get(*index)?.anchor)).collect::<Vec<_>>();
            for (index, place) in indices.into_iter().zip(Items::new(object, scope, &keys).find(&anchors)) {
                if let Some(found) = found.get_mut(index) {
                    *found = place;
                }
            }
        }
        found
    }
}

impl Entry {
    fn value(&self) -> Value {
        let kept: Map<String, Value> =
            self.kept.iter().map(|(fields, value)| (path::text(fields), value.clone())).collect();
        self.anchor.write(json!({"lens": self.lens, "step": self.step, "was": self.was, "kept": kept}))
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
            anchor: Anchor::read(value)?,
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
            texts.sort_by_cached_key(|entry| (entry["path"].to_string(), canonical::json(&entry["at"])));
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

/// Adds the entries of a step after older ones. An equal one is there once.
pub(crate) fn add(entries: &mut Vec<Entry>, new: Vec<Entry>) {
    if !entries.is_empty() && !new.is_empty() {
        let known: BTreeSet<_> = new.iter().map(|entry| canonical::json(&entry.value())).collect();
        entries.retain(|entry| !known.contains(&canonical::json(&entry.value())));
    }
    entries.extend(new);
}
