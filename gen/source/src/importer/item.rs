//! Rust items of one module: structs, enums and newtypes.
//!
//! Invariants: two parts of a schema share an item only if their text is equal and their fields have the same name; the item then has the
//! shortest of its names. Names are unique in the module. Modules share items in the same way: the first one has the item, and the other modules import it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::importer::marker::Line;
use crate::importer::place::Place;
use crate::importer::shape::Leaf;
use crd_names::rust::{is_free, unique};

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

/// The longest name that is not shortened.
const LONGEST_NAME: usize = 60;

/// The items of all modules that other modules can import.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    known: HashMap<(String, Item), usize>,
    /// The module and the name of each.
    owners: BTreeMap<usize, (String, String)>,
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

    /// The items from the root, each before the items in it. Imported ones are left out with those in them.
    pub(crate) fn in_order(&self, root: &Item, imports: &Imports) -> Vec<ItemId> {
        let mut order = Vec::new();
        self.visit(root, imports, &mut order);
        order
    }

    fn visit(&self, item: &Item, imports: &Imports, order: &mut Vec<ItemId>) {
        for id in below(item) {
            if !order.contains(&id) && !imports.contains_key(&id) {
                order.push(id);
                self.visit(self.get(id), imports, order);
            }
        }
    }

    /// The items that other modules have. Each name is of one item, and not that of the root.
    pub(crate) fn imports(&self, root: (&str, &Item), numbers: &[usize], shared: &Shared) -> Imports {
        let (mut imports, mut seen) = (Imports::new(), BTreeSet::new());
        let mut open = if self.has_own_items { Vec::new() } else { below(root.1) };
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let is_free = |(module, name): &&(String, String)| {
                let mut others = imports.values();
                name != root.0 && !others.any(|(known, other): &(String, String)| other == name && known != module)
            };
            match shared.owners.get(&numbers[id]).filter(is_free).cloned() {
                Some(owner) => drop(imports.insert(id, owner)),
                None => open.extend(below(self.get(id))),
            }
        }
        imports
    }

    /// Lets other modules import these items.
    pub(crate) fn share(&self, module: &str, names: &BTreeMap<ItemId, String>, numbers: &[usize], shared: &mut Shared) {
        for (id, name) in names {
            shared.owners.entry(numbers[*id]).or_insert_with(|| (module.to_owned(), name.clone()));
        }
    }

    /// The number of each item in all modules: equal items have one number.
    pub(crate) fn numbers(&self, shared: &mut Shared) -> Vec<usize> {
        let mut numbers = Vec::new();
        // An item is added after those in it.
        for (item, place) in self.items.iter().zip(&self.places) {
            let mut item = item.clone();
            match &mut item.body {
                Body::Struct(fields) => fields.iter_mut().for_each(|field| renumber(&mut field.rust, &numbers)),
                Body::Newtype(inner) => renumber(inner, &numbers),
                Body::Enum { .. } => {}
            }
            let next = shared.known.len();
            numbers.push(*shared.known.entry((place.last.clone(), item)).or_insert(next));
        }
        numbers
    }

    /// The name of each item. `root` is the name of the root type.
    pub(crate) fn names(&self, root: &str, order: &[ItemId], imports: &Imports) -> BTreeMap<ItemId, String> {
        let mut names = BTreeMap::<ItemId, String>::new();
        for id in order {
            let shortest =
                self.names[*id].iter().min_by_key(|name| (name.len(), (*name).clone())).cloned().unwrap_or_default();
            let shortest = if self.has_own_items { shortest } else { shortened(&shortest, root) };
            let is_taken = |name: &str| {
                let mut others = names.values().chain(imports.values().map(|(_, name)| name));
                name == root || !is_free(name) || others.any(|other| other == name)
            };
            let name = unique(shortest, is_taken, "");
            names.insert(*id, name);
        }
        names
    }
}

/// The items that other modules have, with their module and name.
pub(crate) type Imports = BTreeMap<ItemId, (String, String)>;

/// The items of the fields of an item.
fn below(item: &Item) -> Vec<ItemId> {
    match &item.body {
        Body::Struct(fields) => fields.iter().filter_map(|field| item_of(&field.rust)).collect(),
        Body::Newtype(inner) => item_of(inner).into_iter().collect(),
        Body::Enum { .. } => Vec::new(),
    }
}

fn renumber(rust: &mut Rust, numbers: &[usize]) {
    match rust {
        Rust::Leaf(..) => {}
        Rust::Item(id) => *id = numbers[*id],
        Rust::List(inner) | Rust::Map(inner) | Rust::Option(inner) => renumber(inner, numbers),
    }
}

/// A long name with the root and as many of its last words as fit.
fn shortened(name: &str, root: &str) -> String {
    let Some(rest) = name.strip_prefix(root).filter(|_| name.len() > LONGEST_NAME) else { return name.to_owned() };
    let mut ends = rest.match_indices(|letter: char| letter.is_ascii_uppercase()).map(|(start, _)| &rest[start..]);
    let end = ends.find(|end| root.len().saturating_add(end.len()) <= LONGEST_NAME);
    end.map_or_else(|| name.to_owned(), |end| format!("{root}{end}"))
}

/// The item in a type, if there is one.
pub(crate) fn item_of(rust: &Rust) -> Option<ItemId> {
    match rust {
        Rust::Leaf(..) => None,
        Rust::Item(id) => Some(*id),
        Rust::List(inner) | Rust::Map(inner) | Rust::Option(inner) => item_of(inner),
    }
}
