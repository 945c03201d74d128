//! The items of an object that conversion data belongs to.
//!
//! Invariants:
//! * A value of a map is found by its name, and an item of a list by its keys. Where a list on the way has no keys, the whole item is as it was
//!   when the data was written, wherever it is now.
//! * Of items that are equal, and in data of earlier versions, only the position decides, if the list has the same length and the neighbours of the
//!   item are unchanged, or what the neighbours of several items show together.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::canonical;
use crate::path::{self, Segment, Selector};

/// Which item an entry of conversion data belongs to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Anchor {
    /// One selector for each list and map on the way to the item.
    pub(crate) at: Vec<Value>,
    /// The digest of the whole item, if a list without keys is on the way and no other item is equal.
    whole: Option<String>,
}

impl Anchor {
    /// Adds the anchor to an entry.
    pub(crate) fn write(&self, mut entry: Value) -> Value {
        entry["at"] = self.at.as_slice().into();
        if let Some(whole) = &self.whole {
            entry["whole"] = whole.as_str().into();
        }
        entry
    }

    pub(crate) fn read(entry: &Value) -> Option<Self> {
        let whole = entry.get("whole").and_then(Value::as_str).map(str::to_owned);
        Some(Self { at: entry.get("at")?.as_array()?.clone(), whole })
    }

    /// A place of the item, as it was when the entry was written.
    pub(crate) fn place(&self, scope: &[Segment], fields: &[String]) -> String {
        let at = self.at.iter().map(|selector| match (selector.get("key"), selector.get("item")) {
            (Some(Value::String(key)), _) => path::selected(&Selector::Field(key.clone())),
            (_, Some(Value::Object(keys))) => {
                let keys = keys.iter().map(|(name, value)| format!("{name}={}", canonical::json(value)));
                format!("[{}]", keys.collect::<Vec<_>>().join(","))
            }
            _ => selector.get("index").map_or_else(String::new, |index| format!("[{index}]")),
        });
        path::place_of(scope, at, fields)
    }
}

/// The items of an object along a path, with what finds them.
#[derive(Debug)]
pub(crate) struct Items<'o> {
    object: &'o Value,
    scope: &'o [Segment],
    /// The keys of the lists and maps on the way.
    keys: &'o [Option<Vec<String>>],
    by_key: ByKey,
    /// The places of all items by their digest, if they are read.
    by_form: Option<BTreeMap<String, Vec<Vec<Selector>>>>,
    /// The path of the items themselves: up to the last list or map.
    own: &'o [Segment],
}

impl<'o> Items<'o> {
    pub(crate) fn new(object: &'o Value, scope: &'o [Segment], keys: &'o [Option<Vec<String>>]) -> Self {
        let last = scope.iter().rposition(|segment| !matches!(segment, Segment::Field(_)));
        let own = scope.get(..last.map_or(0, |last| last + 1)).unwrap_or_default();
        Self { object, scope, keys, by_key: ByKey::default(), by_form: None, own }
    }

    /// The anchor of the item at a place.
    pub(crate) fn anchor(&mut self, place: &[Selector]) -> Option<Anchor> {
        let at = self.selectors(place)?;
        let mut whole = None;
        if at.iter().any(|selector| selector.get("index").is_some()) {
            let own = canonical::digest(path::item(self.object, self.own, place)?);
            whole = Some(own).filter(|own| self.equal(own).len() == 1);
        }
        Some(Anchor { at, whole })
    }

    /// The places of the items of these anchors, as far as they still exist.
    pub(crate) fn find(&mut self, anchors: &[&Anchor]) -> Vec<Option<Vec<Selector>>> {
        let mut find = |anchor: &Anchor| {
            let Some(whole) = &anchor.whole else {
                return self.find_by_neighbours(&anchor.at, anchors).or_else(|| self.find_by_position(&anchor.at));
            };
            match self.equal(whole) {
                [place] => Some(place.clone()),
                [] if anchor.at.last().is_some_and(|last| last.get("index").is_none()) => {
                    self.find_by_position(&anchor.at)
                }
                _ => None,
            }
        };
        anchors.iter().map(|anchor| find(anchor)).collect()
    }

    /// The places of the items with this digest.
    fn equal(&mut self, whole: &str) -> &[Vec<Selector>] {
        let by_form = self.by_form.get_or_insert_with(|| {
            let mut by_form: BTreeMap<String, Vec<_>> = BTreeMap::new();
            // The visit does not fail.
            let _ = path::each(self.object, self.own, &mut Vec::new(), &mut |item, place| {
                by_form.entry(canonical::digest(item)).or_default().push(place.to_vec());
                Ok::<(), ()>(())
            });
            by_form
        });
        by_form.get(whole).map_or(&[], Vec::as_slice)
    }

    /// The selectors of an item in data.
    fn selectors(&mut self, place: &[Selector]) -> Option<Vec<Value>> {
        let (mut value, mut found) = (self.object, Vec::new());
        for segment in self.own {
            if let Segment::Field(name) = segment {
                value = value.get(name)?;
                continue;
            }
            match place.get(found.len())? {
                Selector::Field(key) => {
                    found.push(json!({ "key": key }));
                    value = value.get(key)?;
                }
                Selector::Item(index) => {
                    let items = value.as_array()?;
                    let item = items.get(*index)?;
                    let keys = self.keys.get(found.len()).and_then(Option::as_ref);
                    let key = keys.and_then(|keys| {
                        key_of(item, keys).filter(|key| self.by_key.index(items, keys, key).is_some())
                    });
                    found.push(match key {
                        Some(key) => json!({ "item": key }),
                        None => json!({"index": index, "of": items.len(), "around": around_item(items, *index)}),
                    });
                    value = item;
                }
            }
        }
        Some(found)
    }

    /// The place that selectors name, if items without keys are at their position, between the same neighbours.
    fn find_by_position(&mut self, at: &[Value]) -> Option<Vec<Selector>> {
        let (mut value, mut found) = (self.object, Vec::new());
        for segment in self.scope {
            if let Segment::Field(name) = segment {
                value = value.get(name)?;
                continue;
            }
            let Some(selector) = at.get(found.len()) else { break };
            if let Some(key) = selector.get("key").and_then(Value::as_str) {
                value = value.as_object()?.get(key)?;
                found.push(Selector::Field(key.to_owned()));
                continue;
            }
            let items = value.as_array()?;
            let index = match selector.get("item") {
                Some(key) => self.by_key.index(items, self.keys.get(found.len())?.as_ref()?, key)?,
                None => {
                    let (index, of, around) = position(selector)?;
                    Some(index).filter(|_| of == items.len() && around == around_item(items, index))?
                }
            };
            value = items.get(index)?;
            found.push(Selector::Item(index));
        }
        (found.len() == at.len()).then_some(found)
    }

    /// The place of an item of a list without keys, if the neighbours of other items show it.
    fn find_by_neighbours(&mut self, at: &[Value], anchors: &[&Anchor]) -> Option<Vec<Selector>> {
        let (last, way) = at.split_last()?;
        let (index, of, _) = position(last)?;
        let mut place = self.find_by_position(way)?;
        let items = path::item(self.object, self.own.split_last()?.1, &place)?.as_array()?;
        let siblings = anchors.iter().filter_map(|other| {
            let (last, around) = other.at.split_last()?;
            position(last).filter(|known| around == way && known.1 == of)
        });
        place.push(Selector::Item(*former(items, &siblings.collect::<Vec<_>>()).get(&index)?));
        Some(place)
    }
}

/// The position in a selector: the index, the length of the list, and the digest of what is around the item.
fn position(selector: &Value) -> Option<(usize, usize, &str)> {
    let number = |key: &str| usize::try_from(selector.get(key)?.as_u64()?).ok();
    Some((number("index")?, number("of")?, selector.get("around")?.as_str()?))
}

/// Digests that a search for the neighbours of the items of a list computes at most.
const MOST_DIGESTS: usize = 1_000_000;

/// Where items are now that were neighbours of other ones, by their former index.
fn former(items: &[Value], known: &[(usize, usize, &str)]) -> BTreeMap<usize, usize> {
    let mut found: BTreeMap<usize, usize> = BTreeMap::new();
    let all = || (0..items.len()).map(Some).collect::<Vec<_>>();
    if items.len().saturating_add(1).saturating_pow(2).saturating_mul(known.len().saturating_pow(2)) > MOST_DIGESTS {
        return found;
    }
    // What one item shows helps with the next.
    for (index, of, around) in known.iter().chain(known.iter().rev()).filter(|(_, of, _)| *of > 1) {
        let neighbours = [index.checked_sub(1), index.checked_add(1).filter(|after| after < of)];
        let candidates = neighbours.map(|at| match at {
            None => vec![None],
            Some(at) => found.get(&at).map_or_else(all, |now| vec![Some(*now)]),
        });
        let item = |now: Option<usize>| now.and_then(|now| items.get(now)).cloned();
        let [before, after] = &candidates;
        let pairs = before.iter().flat_map(|one| after.iter().map(move |other| [*one, *other]));
        let is_around = |pair: &[Option<usize>; 2]| canonical::digest(&json!([pair.map(item), null])) == **around;
        let pairs = pairs.filter(is_around).collect::<Vec<_>>();
        if let [pair] = pairs.as_slice() {
            found.extend(neighbours.iter().zip(pair).filter_map(|(at, now)| Some(((*at)?, (*now)?))));
        }
    }
    let of_items = found.values().copied().collect::<Vec<_>>();
    found.retain(|_, now| of_items.iter().filter(|other| *other == now).count() == 1);
    found
}

fn key_of(item: &Value, keys: &[String]) -> Option<Value> {
    let value = |key: &String| Some((key.clone(), item.get(key)?.clone()));
    keys.iter().map(value).collect::<Option<Map<_, _>>>().map(Value::Object)
}

/// What must be unchanged around an item that is found by its position.
fn around_item(items: &[Value], index: usize) -> String {
    let neighbours = [index.checked_sub(1), index.checked_add(1)].map(|at| at.and_then(|at| items.get(at)).cloned());
    let own = if items.len() == 1 { items.first().cloned() } else { None };
    canonical::digest(&json!([neighbours, own]))
}

/// The items of the lists of one object by their keys. A list is read once, because it may have many items with entries.
#[derive(Debug, Default)]
struct ByKey {
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
