//! Declared types as descriptors.
//!
//! Invariants: a type is described once, in the order in which types are reached; references are set before descriptors are returned, so that
//! generation reports a recursive type.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::OnceLock;

use crd_markers::deferred::Deferred;
use crd_markers::descriptor::{BaseType, Field, Location, Presence, Shape, TypeDescriptor, TypeRef, Variant};
use crd_markers::leaked;
use crd_markers::rule::Rule;
use crd_markers::table::Target;
use crd_markers::usual;
use crd_names::channel::{Channel, ChannelSet};

use crate::lookup::{Lookup, Meaning, Scope, declared};
use crate::marks::{Language, Marks};
use crate::packages::Package;
use crate::problem::{Fault, MARKER, UNUSED};
use crate::syntax::{Attached, Declared, File, Member, Name, Type, unquoted};

/// A package and the name of a type in it.
pub(crate) type Key = (usize, String);

/// A descriptor, which is set when its type is described.
type Slot = &'static OnceLock<&'static TypeDescriptor>;

const OPAQUE: TypeRef = usual::OPAQUE.reference;

/// The types that were reached.
pub(crate) struct Reached<'p> {
    pub(crate) lookup: Lookup<'p>,
    pub(crate) language: Language<'p>,
    /// Root types of resources.
    pub(crate) roots: BTreeSet<Key>,
    slots: HashMap<Key, Slot>,
    open: VecDeque<Key>,
    pub(crate) gates: BTreeMap<Location, &'static str>,
    /// The comments with markers that have an effect, by package and file.
    pub(crate) used: HashMap<(usize, usize), HashSet<usize>>,
}

impl<'p> Reached<'p> {
    pub(crate) fn new(lookup: Lookup<'p>, language: Language<'p>, roots: BTreeSet<Key>) -> Self {
        let (slots, open, gates, used) = Default::default();
        Reached { lookup, language, roots, slots, open, gates, used }
    }

    /// Describes the root types and all types that they reach.
    pub(crate) fn describe(&mut self) {
        for root in self.roots.clone() {
            self.slot(root);
        }
        while let Some(key) = self.open.pop_front() {
            let descriptor = self.described(&key);
            // It is set once, here.
            let _ = self.slot(key).set(descriptor);
        }
    }

    /// The descriptor of a type that was reached.
    pub(crate) fn descriptor(&self, key: &Key) -> Option<&'static TypeDescriptor> {
        self.slots.get(key)?.get().copied()
    }

    /// The comments of types and constants of a file that no resource reaches.
    pub(crate) fn unreached<'f>(&self, package: usize, file: &'f File) -> impl Iterator<Item = usize> + 'f {
        let is_reached = |name: &str| self.slots.contains_key(&(package, name.to_owned()));
        let types = file.types.iter().filter(|declared| !is_reached(&declared.name));
        let constants = file.constants.iter().filter(|constant| !is_reached(&constant.kind));
        let groups = types.flat_map(Declared::comments).chain(constants.map(|constant| constant.comments.clone()));
        file.comments.indexes(groups.collect::<Vec<_>>())
    }

    fn slot(&mut self, key: Key) -> Slot {
        if let Some(slot) = self.slots.get(&key) {
            return slot;
        }
        let slot = leaked::value(OnceLock::new());
        self.slots.insert(key.clone(), slot);
        self.open.push_back(key);
        slot
    }

    fn marks(&mut self, scope: &Scope, file: &File, comments: &Attached, target: Target) -> Marks {
        let mut marks = Marks::of(file, comments, target, self.language);
        marks.faults.drain(..).for_each(|fault| self.lookup.problems.add(file, fault));
        self.used.entry((scope.package, scope.file)).or_default().extend(&marks.used);
        for (line, gate) in &marks.gates {
            self.gates.entry(Location { file: file.path, line: *line }).or_insert_with(|| leaked::text(gate));
        }
        marks
    }

    fn described(&mut self, key: &Key) -> &'static TypeDescriptor {
        let package = self.lookup.package(key.0);
        let Some((file, index, written)) = declared(&package, &key.1) else {
            unreachable!("only declared types have a key")
        };
        let scope = Scope { package: key.0, file: index };
        let target = if self.roots.contains(key) { Target::Resource } else { Target::Type };
        let marks = self.marks(&scope, file, &written.comments, target);
        let has_type = marks.has(|rule| matches!(rule, Rule::Type(_)));
        // controller-gen reads the fields of a type that writes its own JSON, unless a marker has its type. One with its own text is a string.
        let has = |method: &str| package.methods.contains(&(method.to_owned(), key.1.clone()));
        let is_opaque = if has("MarshalJSON") { has_type } else { has("MarshalText") };
        let shape = match &written.kind {
            _ if is_opaque && !package.constants.contains_key(&key.1) => Shape::Newtype(OPAQUE),
            Type::Struct(members) => Shape::Struct(self.fields(&scope, file, members)),
            Type::Named(name) => self.named_shape(&scope, &package, &key.1, name),
            kind => Shape::Newtype(self.reference(&scope, kind)),
        };
        leaked::value(TypeDescriptor {
            name: leaked::text(&key.1),
            module: leaked::text(&package.path),
            description: "",
            channels: marks.channels(),
            experimental: marks.experimental,
            shape,
            markers: leaked::list(marks.markers),
            tombstones: leaked::list(marks.tombstones),
            resource: None,
            location: Location { file: file.path, line: file.line(written.at) },
        })
    }

    /// `type A B`: an enum, if it is a string with constants.
    fn named_shape(&mut self, scope: &Scope, package: &Package, own: &str, name: &Name) -> Shape {
        let reference = self.named(scope, name);
        let constants = package.constants.get(own).filter(|_| matches!(reference, TypeRef::String));
        match constants {
            Some(constants) => Shape::Enum { variants: self.variants(scope.package, package, constants), open: true },
            None => Shape::Newtype(reference),
        }
    }

    fn variants(&mut self, index: usize, package: &Package, constants: &[(usize, usize)]) -> &'static [Variant] {
        let mut variants = Vec::new();
        for (of_file, constant) in constants {
            let file = &package.files[*of_file];
            let constant = &file.constants[*constant];
            let scope = Scope { package: index, file: *of_file };
            let marks = self.marks(&scope, file, &constant.comments, Target::Variant);
            let Some(value) = &constant.value else {
                if !marks.used.is_empty() {
                    let message = format!(
                        "the value of `{}` is not a string in quotes, so its markers have no effect",
                        constant.name
                    );
                    self.lookup.problems.add(file, Fault::new(constant.at, &MARKER, message));
                }
                continue;
            };
            variants.push(Variant {
                channels: marks.channels(),
                experimental: marks.experimental,
                markers: leaked::list(marks.markers),
                ..usual::variant(leaked::text(&constant.name), leaked::text(value), "", file.line(constant.at))
            });
        }
        leaked::list(variants)
    }

    fn fields(&mut self, scope: &Scope, file: &File, members: &[Member]) -> &'static [Field] {
        let mut fields = Vec::new();
        for member in members {
            let embedded = [(String::new(), member.at)];
            let names = if member.names.is_empty() { &embedded[..] } else { &member.names };
            for (name, at) in names {
                fields.extend(self.field(scope, file, member, name, *at));
            }
        }
        leaked::list(fields)
    }

    /// A field that is in JSON.
    fn field(&mut self, scope: &Scope, file: &File, member: &Member, name: &str, at: usize) -> Option<Field> {
        let tag = json_tag(&member.tag);
        let is_embedded = name.is_empty();
        let is_exported = is_embedded || name.starts_with(char::is_uppercase);
        // controller-gen refuses a field without a JSON tag, and Go writes an embedded one inline.
        let tag = tag.or_else(|| is_embedded.then(String::new)).filter(|tag| tag != "-" && is_exported)?;
        let (wire_name, options) = tag.split_once(',').unwrap_or((&tag, ""));
        let option = |wanted: &[&str]| options.split(',').any(|option| wanted.contains(&option));
        let flatten = wire_name.is_empty() || option(&["inline"]);
        let target = match &member.kind {
            Type::Named(name) => Some(name),
            _ => None,
        };
        if flatten && target.is_some_and(|name| matches!(self.lookup.meaning(scope, name), Meaning::TypeMeta)) {
            return None;
        }
        let marks = self.marks(scope, file, &member.comments, Target::Field);
        if flatten {
            let help = "write it above the fields of its type, or above that type";
            self.refuse(file, &marks, "it is inlined, so the marker would be about no field", help);
        }
        let is_schemaless = marks.has(|rule| matches!(rule, Rule::Schemaless));
        let kind = if is_schemaless { OPAQUE } else { self.reference(scope, &member.kind) };
        let is_limited = is_schemaless && self.is_limited(scope, &member.kind);
        let is_optional = marks.is_optional || option(&["omitempty", "omitzero"]);
        let name = match target {
            Some(target) if is_embedded => &target.name,
            _ => name,
        };
        let (name, wire_name) = (leaked::text(name), leaked::text(wire_name));
        Some(Field {
            presence: if is_optional { Presence::Optional } else { Presence::Required },
            flatten,
            channels: if is_limited { ChannelSet::from(Channel::Experimental) } else { marks.channels() },
            experimental: marks.experimental.or_else(|| is_limited.then(|| file.line(at))),
            markers: leaked::list(marks.markers),
            kind,
            ..usual::field(name, if flatten { name } else { wire_name }, "", file.line(at), usual::OPAQUE)
        })
    }

    /// Channel markers at a place where they can have no effect.
    fn refuse(&mut self, file: &File, marks: &Marks, why: &str, help: &str) {
        for index in &marks.used {
            let message = format!("this marker has no effect: {why}");
            let at = file.comments.all[*index].marked_at(&file.text);
            self.lookup.problems.add(file, Fault::new(at, &UNUSED, message).help(help));
        }
    }

    /// Whether the type of a field without a schema exists only in the experimental channel.
    fn is_limited(&mut self, scope: &Scope, kind: &Type) -> bool {
        let name = match kind {
            Type::List(items) | Type::Map(_, items) => return self.is_limited(scope, items),
            Type::Named(name) => name,
            Type::Struct(_) | Type::Opaque => return false,
        };
        let Meaning::Declared(index, name) = self.lookup.meaning(scope, name) else { return false };
        let package = self.lookup.package(index);
        let Some((file, position, written)) = declared(&package, &name) else { return false };
        let marks = Marks::of(file, &written.comments, Target::Type, self.language);
        let is_at = |index: &usize| Some(file.line(file.comments.all[*index].range.start)) == marks.experimental;
        self.used.entry((index, position)).or_default().extend(marks.used.iter().copied().filter(is_at));
        marks.experimental.is_some()
    }

    /// The markers of the type of keys, and of its constants, limit nothing.
    fn refuse_key(&mut self, scope: &Scope, key: &Type) {
        let Type::Named(name) = key else { return };
        let Meaning::Declared(index, name) = self.lookup.meaning(scope, name) else { return };
        let package = self.lookup.package(index);
        let Some((file, _, written)) = declared(&package, &name) else { return };
        let of_constant = |(file, constant): &(usize, usize)| {
            let file = &package.files[*file];
            (file, &file.constants[*constant].comments, Target::Variant)
        };
        let constants = package.constants.get(&name).into_iter().flatten().map(of_constant);
        for (file, comments, target) in constants.chain([(file, &written.comments, Target::Type)]) {
            let marks = Marks::of(file, comments, target, self.language);
            let help = "write it above the fields with such maps";
            self.refuse(file, &marks, "keys of maps have no channel", help);
        }
    }

    fn reference(&mut self, scope: &Scope, kind: &Type) -> TypeRef {
        match kind {
            Type::Named(name) => self.named(scope, name),
            Type::List(items) => match self.reference(scope, items) {
                // `[]byte`
                TypeRef::Integer { rust: "u8", .. } => TypeRef::Base(BaseType::Bytes),
                items => TypeRef::List(leaked::value(items)),
            },
            Type::Map(key, values) => {
                self.refuse_key(scope, key);
                let key = leaked::value(self.reference(scope, key));
                TypeRef::Map(key, leaked::value(self.reference(scope, values)))
            }
            // controller-gen refuses a struct without a name.
            Type::Struct(_) | Type::Opaque => OPAQUE,
        }
    }

    fn named(&mut self, scope: &Scope, name: &Name) -> TypeRef {
        match self.lookup.meaning(scope, name) {
            Meaning::Declared(package, name) => TypeRef::Named(Deferred::Read(self.slot((package, name)))),
            Meaning::Builtin(reference) => reference,
            Meaning::TypeMeta | Meaning::Opaque => OPAQUE,
        }
    }
}

/// The value of `json` in a tag such as `json:"name,omitempty" yaml:"name"`.
fn json_tag(tag: &str) -> Option<String> {
    let mut rest = tag.trim_start();
    while let Some((key, behind)) = rest.split_once(":\"") {
        let mut is_escaped = false;
        let end = behind.find(|character| {
            let is_end = character == '"' && !is_escaped;
            is_escaped = character == '\\' && !is_escaped;
            is_end
        })?;
        if key.trim() == "json" {
            return unquoted(&behind[..end]);
        }
        rest = &behind[end + 1..];
    }
    None
}
