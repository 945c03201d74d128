//! Rust items of one module: structs, enums and newtypes.
//!
//! Invariants: two parts of a schema share an item only if their text is equal and their fields have the same name; the item then has the
//! shortest of its names. Names are unique in the module.

use std::collections::{BTreeMap, HashMap};

use crate::marker::Line;
use crate::place::Place;
use crate::shape::Leaf;
use crd_markers::rust_names::{is_free, unique};

/// An item, by its position in [`Items`].
pub(crate) type ItemId = usize;

/// The type of a field, of an item of a list, or of a value of a map.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rust {
    Leaf(&'static str, bool),
    Item(ItemId),
    List(Box<Rust>),
    Map(Box<Rust>),
    Option(Box<Rust>),
}

impl From<Leaf> for Rust {
    fn from(leaf: Leaf) -> Self {
        let (name, is_base) = leaf.rust();
        Rust::Leaf(name, is_base)
    }
}

/// A struct, an enum or a newtype.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Item {
    pub(crate) description: Vec<String>,
    pub(crate) lines: Vec<Line>,
    pub(crate) body: Body,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Body {
    Struct(Vec<Field>),
    Enum { case: Option<&'static str>, variants: Vec<Variant> },
    Newtype(Rust),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// The wire name, if it does not follow from the name.
    pub(crate) rename: Option<String>,
    pub(crate) description: Vec<String>,
    pub(crate) lines: Vec<Line>,
    pub(crate) rust: Rust,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) rename: Option<String>,
    pub(crate) is_experimental: bool,
}

/// The items of a module.
#[derive(Debug, Default)]
pub(crate) struct Items {
    /// Whether equal parts of a schema have an item each.
    has_own_items: bool,
    items: Vec<Item>,
    /// The names that each item could have.
    names: Vec<Vec<String>>,
    /// The first place of each item.
    places: Vec<Place>,
    known: HashMap<(String, Item), ItemId>,
}

impl Items {
    pub(crate) fn new(has_own_items: bool) -> Self {
        Self { has_own_items, ..Self::default() }
    }

    /// Adds an item, or finds the equal one.
    pub(crate) fn add(&mut self, item: Item, place: &Place) -> ItemId {
        let name = place.name.clone();
        let key = (if self.has_own_items { &place.path } else { &place.last }.clone(), item);
        if let Some(id) = self.known.get(&key) {
            self.names[*id].push(name);
            return *id;
        }
        let id = self.items.len();
        self.items.push(key.1.clone());
        self.names.push(vec![name]);
        self.places.push(place.clone());
        self.known.insert(key, id);
        id
    }

    pub(crate) fn place(&self, id: ItemId) -> &Place {
        &self.places[id]
    }

    pub(crate) fn get(&self, id: ItemId) -> &Item {
        &self.items[id]
    }

    /// The items from the root, each before the items in it.
    pub(crate) fn in_order(&self, root: &Item) -> Vec<ItemId> {
        let mut order = Vec::new();
        self.visit(root, &mut order);
        order
    }

    fn visit(&self, item: &Item, order: &mut Vec<ItemId>) {
        let types: Vec<&Rust> = match &item.body {
            Body::Struct(fields) => fields.iter().map(|field| &field.rust).collect(),
            Body::Newtype(inner) => vec![inner],
            Body::Enum { .. } => Vec::new(),
        };
        let below: Vec<ItemId> = types.into_iter().filter_map(item_of).filter(|id| !order.contains(id)).collect();
        for id in below {
            if !order.contains(&id) {
                order.push(id);
                self.visit(self.get(id), order);
            }
        }
    }

    /// The name of each item. `root` is the name of the root type.
    pub(crate) fn names(&self, root: &str, order: &[ItemId]) -> BTreeMap<ItemId, String> {
        let mut names: BTreeMap<ItemId, String> = BTreeMap::new();
        for id in order {
            let shortest =
                self.names[*id].iter().min_by_key(|name| (name.len(), (*name).clone())).cloned().unwrap_or_default();
            let is_taken = |name: &str| name == root || !is_free(name) || names.values().any(|other| other == name);
            let name = unique(shortest, is_taken, "");
            names.insert(*id, name);
        }
        names
    }
}

/// The item in a type, if there is one.
pub(crate) fn item_of(rust: &Rust) -> Option<ItemId> {
    match rust {
        Rust::Leaf(..) => None,
        Rust::Item(id) => Some(*id),
        Rust::List(inner) | Rust::Map(inner) | Rust::Option(inner) => item_of(inner),
    }
}
