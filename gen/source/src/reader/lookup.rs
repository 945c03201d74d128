//! What a path leads to, by the rules of Rust 2018 and later.
//!
//! The order: items and imports of the module, globs, other crates, the prelude and primitive types.
//!
//! Invariants: two globs with different targets, and a name that something unseen may define, are refused. A path that the compiler rejects may
//! have any result.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};

use crd_syntax::tree::Kind;
use proc_macro2::Span;

use crate::reader::manifest::Extern;
use crate::reader::model::{Binding, Import, ItemId, Model, Module, ModuleId, Refusal, Visibility, What};

/// Whether a module outside has a name is not certain.
struct Uncertain;

/// What a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Namespace {
    Type,
    Macro,
}

/// When the compiler follows a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usage {
    /// Of imports and macros: the compiler rejects a name that is both a crate and, through a glob or a macro, something else.
    Early,
    /// Of types, when all names are defined.
    Late,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    Module(ModuleId),
    Item(ItemId),
    Instance(ItemId, usize),
    /// A path in the standard library.
    Std(Vec<String>),
    /// A path in crd-channels.
    Channels(Vec<String>),
    /// Something in a crate that is not read, by the name of its package.
    Foreign(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) target: Target,
    visibility: Visibility,
}

impl Found {
    fn public(target: Target) -> Self {
        Found { target, visibility: Visibility::Public }
    }
}

type Lookup = Result<Option<Found>, Refusal>;

/// Types of the prelude, and their paths.
pub(crate) const PRELUDE: [(&str, [&str; 2]); 5] = [
    ("Option", ["option", "Option"]),
    ("Result", ["result", "Result"]),
    ("String", ["string", "String"]),
    ("Vec", ["vec", "Vec"]),
    ("Box", ["boxed", "Box"]),
];

pub(crate) const PRIMITIVES: [&str; 17] = [
    "bool", "char", "str", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
    "f32", "f64",
];

/// The macros of crd-channels.
const MACROS: [&str; 3] = ["api", "resources", "conditions"];

/// Modules whose globs are understood: their names of types and modules.
pub(crate) const GLOBS: [(&str, &str, &str); 3] = [
    (
        "crd_channels",
        "",
        "AnyJson Bytes Channel ChannelSet Condition ConditionStatus Constant ConstantKind Described Duration Field \
         IntOrString LabelSelector LabelSelectorRequirement Location ManagedFields ObjectMeta OwnerReference Presence \
         Quantity RawExtension Resource ResourceDescriptor Shape Time Tombstone TypeDescriptor TypeRef Typed Variant \
         base channel check conversions deferred definition descriptor exports facts foreign json json_schema rule strict typed \
         validation variants wire",
    ),
    (
        "crd_channels",
        "base",
        "AnyJson Bytes Condition ConditionStatus Duration IntOrString LabelSelector LabelSelectorRequirement \
         ManagedFields ObjectMeta OwnerReference Quantity RawExtension Time",
    ),
    (
        "std",
        "collections",
        "BTreeMap BTreeSet BinaryHeap Bound HashMap HashSet LinkedList TryReserveError TryReserveErrorKind VecDeque \
         binary_heap btree_map btree_set hash_map hash_set linked_list vec_deque",
    ),
];

/// How many steps one lookup may take.
const STEPS: u32 = 100_000;
/// How many steps all lookups may take.
pub(crate) const ALL_STEPS: usize = 300_000;
/// How many imports can lead to each other.
const DEEPEST: usize = 100;

/// Lookups, with what they remember.
pub(crate) struct Names {
    pub(crate) model: Model,
    known: RefCell<HashMap<(ModuleId, Namespace, String), Lookup>>,
    busy: RefCell<HashSet<Busy>>,
    steps: Cell<u32>,
    pub(crate) all_steps: Cell<usize>,
    /// How many types the type that is being resolved has led to.
    pub(crate) parts: Cell<usize>,
}

/// A search that is not finished.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Busy {
    Import(ModuleId, String, usize, Namespace),
    PathOfGlob(ModuleId, usize),
    Glob(ModuleId, usize, String, Namespace),
}

impl Names {
    pub(crate) fn new(model: Model) -> Self {
        Names {
            model,
            known: RefCell::default(),
            busy: RefCell::default(),
            steps: Cell::new(0),
            all_steps: Cell::new(0),
            parts: Cell::new(0),
        }
    }

    /// Forgets what it found, because the model has changed.
    pub(crate) fn forget(&mut self) {
        self.known.get_mut().clear();
    }

    /// What a path in a module leads to. `None`: nothing of that kind.
    pub(crate) fn path(&self, from: ModuleId, path: &[String], space: Namespace, usage: Usage) -> Lookup {
        let krate = self.model.modules[from.0].krate;
        let of = |length: usize| if length == path.len() { space } else { Namespace::Type };
        let (mut length, mut found) = (1, None);
        let target = match path.first().map(String::as_str) {
            Some("") => {
                length = 2;
                path.get(1).map(|name| self.external(krate, name)).transpose()?.flatten()
            }
            Some("crate") => Some(Target::Module(self.model.crates[krate].root)),
            Some("self" | "super") => {
                length = path.iter().take_while(|part| matches!(part.as_str(), "self" | "super")).count();
                let supers = path.iter().take(length).filter(|part| *part == "super").count();
                self.model.around(from).nth(supers).map(Target::Module)
            }
            Some(name) => {
                found = self.lexical(from, name, of(1), usage)?;
                None
            }
            None => None,
        };
        found = found.or_else(|| target.map(Found::public));
        for (index, part) in path.iter().enumerate().skip(length) {
            let Some(before) = found else { return Ok(None) };
            found = self.step(before, part, of(index + 1))?;
        }
        Ok(found)
    }

    /// A name without a path before it.
    fn lexical(&self, from: ModuleId, name: &str, space: Namespace, usage: Usage) -> Lookup {
        let module = &self.model.modules[from.0];
        if usage == Usage::Early
            && space == Namespace::Type
            && !module.names.contains_key(name)
            && let Some(target) = self.external(module.krate, name)?
        {
            return Ok(Some(Found::public(target)));
        }
        if let Some(found) = self.member(from, name, space)? {
            return Ok(Some(found));
        }
        if space == Namespace::Macro {
            return self.model.crates[module.krate].macro_use.clone().map_or(Ok(None), Err);
        }
        let std = || {
            let of_prelude = PRELUDE.iter().find(|(known, _)| *known == name).map(|(_, path)| path.to_vec());
            let path = of_prelude.or_else(|| PRIMITIVES.contains(&name).then(|| vec!["primitive", name]))?;
            Some(Target::Std(path.into_iter().map(str::to_owned).collect()))
        };
        Ok(self.external(module.krate, name)?.or_else(std).map(Found::public))
    }

    /// A crate by its name in paths.
    fn external(&self, krate: usize, name: &str) -> Result<Option<Target>, Refusal> {
        // `extern crate a as b;` in the root file is a name everywhere, and hides a dependency.
        let names = self.model.modules[self.model.crates[krate].root.0].names.get(name);
        for binding in names.into_iter().flatten() {
            if let What::Import(import) = &binding.what
                && import.is_extern
            {
                let dependency = Some(self.dependency(krate, &import.path[0]));
                return self.model.items[binding.item.0].doubt.clone().map_or(Ok(dependency), Err);
            }
        }
        let is_known = self.model.crates[krate].externs.contains_key(name) || matches!(name, "std" | "core");
        Ok(is_known.then(|| self.dependency(krate, name)))
    }

    /// A crate by its name in `extern crate`.
    fn dependency(&self, krate: usize, name: &str) -> Target {
        let model = &self.model.crates[krate];
        match (model.externs.get(name), name) {
            (Some(Extern::Read(other)), _) => Target::Module(self.model.crates[*other].root),
            (Some(Extern::Channels), _) => Target::Channels(Vec::new()),
            (Some(Extern::Unread(package)), _) => Target::Foreign(package.clone()),
            (None, "std" | "core" | "alloc") => Target::Std(Vec::new()),
            (None, "self") => Target::Module(model.root),
            (None, name) => Target::Foreign(name.to_owned()),
        }
    }

    /// A further part of a path.
    fn step(&self, before: Found, name: &str, space: Namespace) -> Lookup {
        let target = match before.target {
            Target::Module(module) => return self.member(module, name, space),
            Target::Std(mut path) => {
                path.push(name.to_owned());
                Some(Target::Std(path))
            }
            Target::Channels(mut path) => {
                let is_macro = path.is_empty() && MACROS.contains(&name);
                path.push(name.to_owned());
                (is_macro == (space == Namespace::Macro)).then_some(Target::Channels(path))
            }
            Target::Foreign(package) => Some(Target::Foreign(package)),
            Target::Item(item) | Target::Instance(item, _) => {
                let span = self.model.items[item.0].span();
                let module = self.model.items[item.0].module;
                let message = format!("a path to `{name}` leads through this item");
                let refusal = self.model.refusal(module, span, message);
                // A variant is not a macro.
                return if space == Namespace::Macro { Ok(None) } else { Err(refusal) };
            }
        };
        Ok(target.map(Found::public))
    }

    /// A name of a module, as paths through the module find it.
    fn member(&self, module: ModuleId, name: &str, space: Namespace) -> Lookup {
        let is_outermost = self.busy.borrow().is_empty();
        let key = (module, space, name.to_owned());
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        if is_outermost {
            self.steps.set(0);
        }
        self.steps.set(self.steps.get() + 1);
        self.all_steps.set(self.all_steps.get() + 1);
        if self.steps.get() > STEPS || self.all_steps.get() > ALL_STEPS || self.busy.borrow().len() > DEEPEST {
            return Err(self.model.refusal(
                module,
                Span::call_site(),
                "the imports of this module are too many, or lead too far",
            ));
        }
        let found = match (self.explicit(module, name, space), &self.model.modules[module.0].blind) {
            (Ok(None), Some(blind)) => Err(blind.clone()),
            (Ok(None), None) => self.globbed(module, name, space),
            (found, _) => found,
        };
        if is_outermost {
            self.known.borrow_mut().insert(key, found.clone());
        }
        found
    }

    /// Runs a search unless it runs already.
    fn once<T>(&self, busy: Busy, search: impl FnOnce() -> Result<Option<T>, Refusal>) -> Result<Option<T>, Refusal> {
        if !self.busy.borrow_mut().insert(busy.clone()) {
            return Ok(None);
        }
        let found = search();
        self.busy.borrow_mut().remove(&busy);
        found
    }

    /// Items and imports of a module.
    fn explicit(&self, module: ModuleId, name: &str, space: Namespace) -> Lookup {
        let Some(bindings) = self.model.modules[module.0].names.get(name) else { return Ok(None) };
        let item = |binding: &Binding| match binding.what {
            What::Module(module) => Some(Target::Module(module)),
            What::Item => Some(Target::Item(binding.item)),
            What::Instance(index) => Some(Target::Instance(binding.item, index)),
            What::Import(_) => None,
        };
        let items = bindings.iter().filter_map(|binding| Some((binding, item(binding)?)));
        if let (Some((binding, target)), Namespace::Type) = (items.into_iter().next(), space) {
            return match &self.model.items[binding.item.0].doubt {
                Some(doubt) => Err(doubt.clone()),
                None => self.only(module, name, space, 0, Found { target, visibility: binding.visibility }),
            };
        }
        for (index, binding) in bindings.iter().enumerate() {
            let What::Import(import) = &binding.what else { continue };
            if import.is_type && space == Namespace::Macro {
                continue;
            }
            let busy = Busy::Import(module, name.to_owned(), index, space);
            let found = self.once(busy, || self.import(module, import, space));
            match (&self.model.items[binding.item.0].doubt, found) {
                (_, Ok(None)) => {}
                (Some(doubt), _) => return Err(doubt.clone()),
                (None, Ok(Some(found))) => {
                    let visibility = self.narrower(found.visibility, binding.visibility);
                    return self.only(module, name, space, index + 1, Found { visibility, ..found });
                }
                (None, Err(refusal)) => return Err(refusal),
            }
        }
        Ok(None)
    }

    /// What was found, unless one of the imports from that index on defines the name again: the compiler rejects it.
    fn only(&self, module: ModuleId, name: &str, space: Namespace, first: usize, found: Found) -> Lookup {
        // A type or a trait of the standard library; its modules, macros and constants have other names.
        let is_type = |path: &[String]| {
            let mut letters = path.last().map(|name| name.chars()).into_iter().flatten();
            letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase)
        };
        let is_known = |found: &Found| match &found.target {
            Target::Foreign(_) => false,
            Target::Std(path) => space == Namespace::Type && is_type(path),
            _ => true,
        };
        let bindings = self.model.modules[module.0].names.get(name).into_iter().flatten().enumerate();
        for (index, binding) in bindings.skip(first).filter(|_| is_known(&found)) {
            let What::Import(import) = &binding.what else { continue };
            if import.is_type && space == Namespace::Macro {
                continue;
            }
            let busy = Busy::Import(module, name.to_owned(), index, space);
            if let Ok(Some(again)) = self.once(busy, || self.import(module, import, space))
                && is_known(&again)
            {
                let message = format!("the name `{name}` is defined twice in this module");
                return Err(self.model.refusal(module, self.model.items[binding.item.0].span(), message));
            }
        }
        Ok(Some(found))
    }

    fn import(&self, module: ModuleId, import: &Import, space: Namespace) -> Lookup {
        if import.is_extern {
            let krate = self.model.modules[module.0].krate;
            return Ok(Some(Found::public(self.dependency(krate, &import.path[0]))));
        }
        self.path(module, &import.path, space, Usage::Early)
    }

    /// Names that `use a::*` imports.
    fn globbed(&self, module: ModuleId, name: &str, space: Namespace) -> Lookup {
        let mut found: Option<Found> = None;
        for (index, (glob, visibility, item)) in self.model.modules[module.0].globs.iter().enumerate() {
            let place = &self.model.items[item.0];
            let refusal = |message: String| self.model.refusal(module, place.span(), message);
            let path = || self.path(module, &glob.path, Namespace::Type, Usage::Early);
            let hit = match self.once(Busy::PathOfGlob(module, index), path)?.map(|from| from.target) {
                Some(Target::Module(from)) => {
                    let busy = Busy::Glob(module, index, name.to_owned(), space);
                    let hit = self.once(busy, || self.member(from, name, space))?;
                    hit.filter(|hit| self.is_visible(hit.visibility, module))
                }
                // The variants of an enum are not types.
                Some(Target::Item(item)) if self.model.items[item.0].tree.kind == Kind::Enum => None,
                Some(target) => Self::known_glob(&target, name, space).map_err(|Uncertain| {
                    let glob = glob.path.join("::");
                    refusal(format!("`{name}` may be one of the names that `use {glob}::*` imports"))
                })?,
                None => None,
            };
            let Some(hit) = hit else { continue };
            if let Some(doubt) = &place.doubt {
                return Err(doubt.clone());
            }
            if found.as_ref().is_some_and(|found| found.target != hit.target) {
                return Err(refusal(format!("several globs import `{name}`")));
            }
            let narrowed = self.narrower(hit.visibility, *visibility);
            // The same target through several globs has the widest visibility.
            let widest = found.map_or(narrowed, |found| match self.narrower(found.visibility, narrowed) {
                narrower if narrower == narrowed => found.visibility,
                _ => narrowed,
            });
            found = Some(Found { target: hit.target, visibility: widest });
        }
        Ok(found)
    }

    /// A name through a glob of a module outside, if that has the name.
    fn known_glob(from: &Target, name: &str, space: Namespace) -> Result<Option<Found>, Uncertain> {
        let (krate, path) = match from {
            Target::Std(path) => ("std", path),
            Target::Channels(path) => ("crd_channels", path),
            _ => return Err(Uncertain),
        };
        let known = GLOBS.iter().find(|(of, module, _)| *of == krate && *module == path.join("::"));
        let (_, _, names) = known.ok_or(Uncertain)?;
        let has = match space {
            Namespace::Type => names.split(' ').any(|known| known == name),
            Namespace::Macro => krate == "crd_channels" && path.is_empty() && MACROS.contains(&name),
        };
        let below = || path.iter().cloned().chain([name.to_owned()]).collect();
        let target = || if krate == "std" { Target::Std(below()) } else { Target::Channels(below()) };
        Ok(has.then(|| Found::public(target())))
    }

    /// The names that a module has for all crates, sorted.
    pub(crate) fn public(&self, module: ModuleId) -> BTreeSet<String> {
        let (mut names, mut seen, mut modules) = (BTreeSet::new(), HashSet::new(), vec![module]);
        while let Some(module) = modules.pop() {
            self.all_steps.set(self.all_steps.get() + 1);
            if !seen.insert(module) || self.all_steps.get() > ALL_STEPS {
                continue;
            }
            let Module { names: bindings, globs, .. } = &self.model.modules[module.0];
            let is_public = |binding: &Binding| binding.visibility == Visibility::Public;
            names.extend(bindings.iter().filter(|(_, all)| all.iter().any(is_public)).map(|(name, _)| name.clone()));
            for (glob, _, _) in globs.iter().filter(|(_, visibility, _)| *visibility == Visibility::Public) {
                let found = self.path(module, &glob.path, Namespace::Type, Usage::Early).ok().flatten();
                if let Some(Target::Module(from)) = found.map(|found| found.target) {
                    modules.push(from);
                }
            }
        }
        names
    }

    fn is_visible(&self, visibility: Visibility, from: ModuleId) -> bool {
        match visibility {
            Visibility::Public => true,
            Visibility::Within(module) => self.model.around(from).any(|around| around == module),
        }
    }

    /// The smaller of two scopes, one of which is in the other.
    fn narrower(&self, one: Visibility, other: Visibility) -> Visibility {
        match (one, other) {
            (Visibility::Public, narrow) | (narrow, Visibility::Public) => narrow,
            (Visibility::Within(module), outer) => {
                if self.is_visible(outer, module) {
                    one
                } else {
                    other
                }
            }
        }
    }
}
