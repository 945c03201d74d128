//! The annotated schema: descriptors as a tree in which every node has its channels.
//!
//! Invariants: this file does not remove anything by channel; a `+experimental` that is removed on request is read as if the source did not
//! have it; a named type appears in the tree wherever it is used (a CRD has no
//! references), and a type that contains itself is reported with the path of its recursion; the layers of a node stay
//! separate, because controller-gen merges them by its own rules.

use std::collections::{BTreeMap, BTreeSet};

use crd_diagnostics::Diagnostic;
use crd_markers::descriptor::{
    BaseType, Field, Location, Presence, Shape, Tombstone, TypeDescriptor, TypeRef, Variant,
};
use crd_markers::rule::{Marker, Rule};
use crd_markers::table::RuleKind;
use crd_names::channel::{Channel, ChannelSet};

use crate::constant::value;
use crate::foreign;
use crate::problem::{of_field, of_owner, of_type};
use crate::size;
use crd_model::schema::{Schema, Step};
use serde_json::Value;

/// A node of the annotated schema.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// What the Rust type is.
    pub(crate) core: Core,
    /// The channels of the named types in it: a field of an experimental type is experimental.
    pub(crate) channels: ChannelSet,
    /// The named types that the node itself is, from the innermost: a type, and the newtypes around it.
    pub(crate) types: Vec<&'static TypeDescriptor>,
    /// Markers of the layers around it, from the innermost type to the field.
    pub(crate) layers: Vec<Layer>,
    /// The markers directly on the core, before all layers.
    pub(crate) own: Vec<Applied>,
    /// The description that the core has of itself.
    pub(crate) description: &'static str,
    /// Whether `null` is a value of its own.
    pub(crate) nullable: bool,
}

/// Markers and words that a newtype or a field puts on a type that has markers of its own.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) markers: Vec<Applied>,
    pub(crate) description: &'static str,
    pub(crate) nullable: bool,
}

/// A marker where it applies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Applied {
    pub(crate) marker: &'static Marker,
    /// The channels in which it applies.
    pub(crate) channels: ChannelSet,
    /// The type that has it.
    pub(crate) owner: &'static TypeDescriptor,
    /// The field that has it; `None`: the type itself.
    pub(crate) field: Option<&'static Field>,
}

/// What a flattened map is in a schema.
static UNKNOWN_FIELDS: Marker =
    Marker { channels: ChannelSet::ALL, items: false, rule: Rule::PreserveUnknownFields, line: 0 };

impl Applied {
    /// The line of the marker, or of the field that has the effect of one.
    pub(crate) fn location(&self) -> Location {
        let line = match (self.marker.line, self.field) {
            (0, Some(field)) => field.line,
            (line, _) => line,
        };
        Location { file: self.owner.location.file, line }
    }

    /// Whether a written CRD lacks it: it is limited to a channel, or controller-gen does not know it.
    pub(crate) fn is_unwritten(&self) -> bool {
        let is_of_schema = matches!(
            self.marker.rule.kind(),
            RuleKind::AllOf | RuleKind::AnyOf | RuleKind::OneOf | RuleKind::Not | RuleKind::Description
        );
        !self.marker.channels.is_all() || is_of_schema
    }

    /// The flattened map that has the effect of a marker.
    pub(crate) fn flattened_map(&self) -> Option<&'static Field> {
        self.field.filter(|field| field.keeps_unknown_fields())
    }
}

/// What the Rust type is.
#[derive(Clone, Debug)]
pub(crate) enum Core {
    /// A type without parts.
    Leaf(Leaf),
    Object {
        owner: &'static TypeDescriptor,
        properties: Vec<Property>,
        /// Structs whose fields stand in this one.
        inlined: Vec<Node>,
    },
    List(Box<Node>),
    Map(Box<Node>),
    Enum {
        owner: &'static TypeDescriptor,
        values: Vec<EnumValue>,
        open: bool,
    },
    /// An enum with data. Each variant is an optional property that holds its data.
    Union {
        owner: &'static TypeDescriptor,
        /// The channels of the type.
        channels: ChannelSet,
        tag: Option<&'static str>,
        variants: Vec<Property>,
    },
    /// A foreign schema, already structural.
    Foreign(Box<Schema>),
}

/// A type without parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Leaf {
    String,
    Boolean,
    Integer(Option<&'static str>),
    Number(Option<&'static str>),
    Base(BaseType),
    /// Nothing of the Rust type: `+kubebuilder:validation:Schemaless`.
    Nothing,
}

/// A property of a struct.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub(crate) field: &'static Field,
    pub(crate) channels: ChannelSet,
    pub(crate) required: bool,
    pub(crate) node: Node,
}

/// A value of an enum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EnumValue {
    pub(crate) variant: &'static Variant,
    pub(crate) channels: ChannelSet,
}

/// Where a path of the schema comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub type_name: &'static str,
    /// The Rust field or variant, if the path leads into one.
    pub field: Option<&'static str>,
    /// The line of the field or the type.
    pub location: Location,
}

/// A tombstone of a type, at one of the paths where the type is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredTombstone {
    /// The path of the struct that had the field, or of the enum that had the value.
    pub path: String,
    /// True for a value of an enum, false for a field of a struct.
    pub value: bool,
    /// True if a lens converts what had the name.
    pub has_lens: bool,
    /// The arguments of the marker.
    pub tombstone: Tombstone,
    /// The line of the marker.
    pub location: Location,
}

/// The lines of `+experimental` marks that are read as if the source did not have them.
pub(crate) type Removed = BTreeSet<Location>;

/// Builds the annotated schema of a root type.
pub(crate) fn annotate(root: &'static TypeDescriptor, removed: &Removed, errors: &mut Vec<Diagnostic>) -> Node {
    let mut builder = Builder { path: Vec::new(), removed, errors, budget: size::Budget::default() };
    match size::refusal(root) {
        None => builder.named(root),
        Some(refusal) => {
            builder.errors.push(refusal);
            Builder::leaf(Core::Leaf(Leaf::Nothing))
        }
    }
}

/// The channels of a type, field or value by itself, and what decides them.
#[derive(Clone, Copy)]
pub(crate) struct Declared {
    channels: ChannelSet,
    /// The line of the type, field or value.
    location: Location,
    /// The line of its `+experimental`. Descriptors that the macro did not write may lack it.
    marker: Option<u32>,
}

impl Declared {
    pub(crate) fn of_type(descriptor: &TypeDescriptor) -> Self {
        let TypeDescriptor { channels, location, experimental: marker, .. } = *descriptor;
        Self { channels, location, marker }
    }

    pub(crate) fn of_field(owner: &TypeDescriptor, field: &Field) -> Self {
        let location = Location { file: owner.location.file, line: field.line };
        Self { channels: field.channels, location, marker: field.experimental }
    }

    pub(crate) fn of_variant(owner: &TypeDescriptor, variant: &Variant) -> Self {
        let location = Location { file: owner.location.file, line: variant.line };
        Self { channels: variant.channels, location, marker: variant.experimental }
    }

    /// The line of the mark that keeps it out of standard.
    pub(crate) fn mark(self, removed: &Removed) -> Option<Location> {
        let location = Location { line: self.marker.unwrap_or(self.location.line), ..self.location };
        (!self.channels.contains(Channel::Standard) && !removed.contains(&location)).then_some(location)
    }

    pub(crate) fn channels(self, removed: &Removed) -> ChannelSet {
        let is_removed = !self.channels.contains(Channel::Standard) && self.mark(removed).is_none();
        if is_removed { ChannelSet::ALL } else { self.channels }
    }
}

/// The markers of a type, or of its field.
pub(crate) fn applied(
    owner: &'static TypeDescriptor,
    field: Option<&'static Field>,
    removed: &Removed,
) -> impl Iterator<Item = Applied> {
    let markers = field.map_or(owner.markers, |field| field.markers);
    markers.iter().map(move |marker| {
        let applied = Applied { marker, channels: marker.channels, owner, field };
        let is_removed = removed.contains(&applied.location()) && !marker.channels.contains(Channel::Standard);
        if is_removed { Applied { channels: ChannelSet::ALL, ..applied } } else { applied }
    })
}

struct Builder<'e> {
    /// The types that are being built, outermost first.
    path: Vec<&'static TypeDescriptor>,
    removed: &'e Removed,
    errors: &'e mut Vec<Diagnostic>,
    budget: size::Budget,
}

impl Builder<'_> {
    fn leaf(core: Core) -> Node {
        Node {
            core,
            channels: ChannelSet::ALL,
            types: Vec::new(),
            layers: Vec::new(),
            own: Vec::new(),
            description: "",
            nullable: false,
        }
    }

    /// The markers of a type or field that describe a schema.
    fn of_schema(&self, owner: &'static TypeDescriptor, field: Option<&'static Field>) -> Vec<Applied> {
        let is_of_schema = |applied: &Applied| !applied.marker.rule.kind().is_beside_the_schema();
        let maps = field.is_none().then(|| flattened_maps(owner)).into_iter().flatten();
        applied(owner, field, self.removed).filter(is_of_schema).chain(maps).collect()
    }

    /// The node of a type with `#[api]`.
    fn named(&mut self, descriptor: &'static TypeDescriptor) -> Node {
        if self.budget.is_spent() {
            return Self::leaf(Core::Leaf(Leaf::Nothing));
        }
        if let Some(start) = self.path.iter().position(|known| std::ptr::eq(*known, descriptor)) {
            let mut names: Vec<&str> = self.path[start..].iter().map(|known| known.name).collect();
            names.push(descriptor.name);
            // Such types lead to each other on many paths.
            self.budget.end_soon();
            self.errors.push(
                of_type("types::recursion", descriptor, format!("the type contains itself: {}", names.join(" → ")))
                    .help("end the recursion with a field of type `RawExtension` or `AnyJson`"),
            );
            return Self::leaf(Core::Leaf(Leaf::Nothing));
        }
        if let Some(marker) = crd_markers::docs::leftover_marker(descriptor.description) {
            self.errors.push(leftover(of_type(LEFTOVER, descriptor, leftover_message(&marker))));
        }
        self.path.push(descriptor);
        let markers = self.of_schema(descriptor, None);
        let channels = Declared::of_type(descriptor).channels(self.removed);
        let described = |core: Core, own: Vec<Applied>| Node {
            channels,
            own,
            description: descriptor.description,
            ..Self::leaf(core)
        };
        let mut node = match descriptor.shape {
            Shape::Struct(fields) => {
                let mut properties = Vec::with_capacity(fields.len());
                let mut inlined = Vec::new();
                for field in fields {
                    self.field(descriptor, field, &mut properties, &mut inlined);
                }
                let node = described(Core::Object { owner: descriptor, properties, inlined }, markers);
                self.clashes(descriptor, &node);
                node
            }
            Shape::Enum { variants, open } => {
                let values = self.values(descriptor, variants);
                described(Core::Enum { owner: descriptor, values, open }, markers)
            }
            Shape::Union { tag, variants } => {
                let mut properties = Vec::with_capacity(variants.len());
                for variant in variants {
                    self.field(descriptor, variant, &mut properties, &mut Vec::new());
                }
                described(Core::Union { owner: descriptor, channels, tag, variants: properties }, markers)
            }
            Shape::Newtype(inner) => {
                let mut node = self.reference(descriptor, None, inner);
                node.channels = node.channels.and(channels);
                self.put(&mut node, inner, markers, descriptor.description, false, descriptor, None);
                node
            }
        };
        node.types.push(descriptor);
        self.path.pop();
        node
    }

    fn values(&mut self, owner: &'static TypeDescriptor, variants: &'static [Variant]) -> Vec<EnumValue> {
        for variant in variants {
            if let Some(marker) = crd_markers::docs::leftover_marker(variant.description) {
                let message = format!("{} of `{}`", leftover_message(&marker), variant.name);
                self.errors.push(leftover(of_type(LEFTOVER, owner, message)));
            }
        }
        let channels = |variant| Declared::of_variant(owner, variant).channels(self.removed);
        variants.iter().map(|variant| EnumValue { variant, channels: channels(variant) }).collect()
    }

    fn field(
        &mut self,
        owner: &'static TypeDescriptor,
        field: &'static Field,
        properties: &mut Vec<Property>,
        inlined: &mut Vec<Node>,
    ) {
        if let Some(marker) = crd_markers::docs::leftover_marker(field.description) {
            self.errors.push(leftover(of_field(LEFTOVER, owner, field, leftover_message(&marker))));
        }
        if let Some(text) = field.rust_default {
            self.rust_default(owner, field, text.get());
        }
        let schemaless = field.markers.iter().any(|marker| marker.rule == Rule::Schemaless);
        let mut node = if schemaless {
            Self::leaf(Core::Leaf(Leaf::Nothing))
        } else {
            self.reference(owner, Some(field), field.kind)
        };
        if field.flatten {
            if !field.keeps_unknown_fields() {
                inlined.push(node);
            }
            return;
        }
        let markers = self.of_schema(owner, Some(field));
        if schemaless {
            node.own = markers;
            node.description = field.description;
            node.nullable = field.nullable;
        } else {
            self.put(&mut node, field.kind, markers, field.description, field.nullable, owner, Some(field));
        }
        properties.push(Property {
            field,
            channels: Declared::of_field(owner, field).channels(self.removed).and(node.channels),
            required: field.presence == Presence::Required,
            node,
        });
    }

    /// The default in the schema is what an absent field reads as in Rust.
    fn rust_default(&mut self, owner: &'static TypeDescriptor, field: &'static Field, text: Option<String>) {
        let code = "types::default";
        let Some(text) = text else {
            let message = "the Rust default of this field cannot be compared with its marker in this build";
            let help = "enable the feature `serde` of crd-channels in the package of the types, also where the `xtask` depends on it";
            self.errors.push(of_field(code, owner, field, message).help(help));
            return;
        };
        // The macro requires a marker for all channels.
        let marked = field.markers.iter().find_map(|marker| match &marker.rule {
            Rule::Default(value) if marker.channels.is_all() => Some(self::value(value)),
            _ => None,
        });
        let rust = serde_json::from_str::<Value>(&text).unwrap_or_default();
        let marked = marked.unwrap_or_default();
        if !is_same(&rust, &marked) {
            let message = format!("an absent field reads as {rust} in Rust, and its marker has the default {marked}");
            self.errors.push(of_field(code, owner, field, message).help("make both equal"));
        }
    }

    fn reference(&mut self, owner: &'static TypeDescriptor, field: Option<&'static Field>, kind: TypeRef) -> Node {
        let mut channels = ChannelSet::ALL;
        let mut within = |node: Node| {
            channels = node.channels;
            Box::new(node)
        };
        let core = match kind {
            TypeRef::String => Core::Leaf(Leaf::String),
            TypeRef::Boolean => Core::Leaf(Leaf::Boolean),
            TypeRef::Integer { format, .. } => Core::Leaf(Leaf::Integer(format)),
            TypeRef::Number(format) => Core::Leaf(Leaf::Number(format)),
            TypeRef::Base(base) => Core::Leaf(Leaf::Base(base)),
            TypeRef::List(items) => Core::List(within(self.reference(owner, field, *items))),
            TypeRef::Map(_, values) => Core::Map(within(self.reference(owner, field, *values))),
            TypeRef::Named(descriptor) => return self.named(descriptor.get()),
            TypeRef::Foreign { name, schema, descriptions } => match foreign::structural(&schema.get()) {
                Ok(mut schema) => {
                    if !descriptions {
                        schema.each_mut(&mut |schema| schema.description = None);
                    }
                    Core::Foreign(Box::new(schema))
                }
                Err(reasons) => {
                    for reason in reasons {
                        let message = format!("the foreign type `{name}` has no structural schema: {reason}");
                        self.errors.push(of_owner("types::foreign-schema", owner, field, message));
                    }
                    Core::Leaf(Leaf::Nothing)
                }
            },
        };
        Node { channels, ..Self::leaf(core) }
    }

    /// Puts markers on a node: directly where the Rust type has no markers of its own, as a further layer where it has.
    #[allow(clippy::too_many_arguments, reason = "two kinds of owner, and what they put")]
    fn put(
        &mut self,
        node: &mut Node,
        kind: TypeRef,
        markers: Vec<Applied>,
        description: &'static str,
        nullable: bool,
        owner: &'static TypeDescriptor,
        field: Option<&'static Field>,
    ) {
        let (for_items, mut own): (Vec<_>, Vec<_>) = markers.into_iter().partition(|applied| applied.marker.items);
        if !for_items.is_empty() {
            let items_are_named = items_reference(kind).is_none_or(has_markers_of_its_own);
            match &mut node.core {
                Core::List(items) => {
                    if items_are_named {
                        items.layers.push(Layer { markers: for_items, description: "", nullable: false });
                    } else {
                        items.own.extend(for_items);
                    }
                }
                _ => {
                    let message = "a marker for items is on something that is not a list";
                    self.errors.push(of_owner("types::items-marker", owner, field, message));
                }
            }
        }
        if has_markers_of_its_own(kind) {
            node.layers.push(Layer { markers: own, description, nullable });
        } else {
            node.own.append(&mut own);
            node.description = description;
            node.nullable = nullable;
        }
    }

    /// Names that meet only because a struct is flattened into another.
    fn clashes(&mut self, descriptor: &'static TypeDescriptor, node: &Node) {
        let mut seen: BTreeMap<&str, &Field> = BTreeMap::new();
        let mut fields = Vec::new();
        node.fields(&mut fields);
        for field in fields {
            if let Some(other) = seen.insert(field.wire_name, field) {
                self.errors.push(of_field(
                    "types::flattened-names",
                    descriptor,
                    field,
                    format!(
                        "`{}` and `{}` are both `{}` on the wire, because one of their structs is flattened into the other",
                        other.name, field.name, field.wire_name
                    ),
                ));
            }
        }
    }
}

const LEFTOVER: &str = "types::leftover-marker";

fn leftover_message(marker: &str) -> String {
    format!("the description contains the marker `{marker}`")
}

fn leftover(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.help("put `#[api]` above the type, so that its markers are read, or write `\\+` if it is prose")
}

/// Whether both are the same default. `{}` is how a marker may write an empty list.
fn is_same(rust: &Value, marked: &Value) -> bool {
    match (rust, marked) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(items), Value::Object(entries)) => items.is_empty() && entries.is_empty(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| is_same(value, other)))
        }
        _ => rust == marked,
    }
}

/// Whether a type brings a schema node with markers or rules of its own, which controller-gen would refer to.
fn has_markers_of_its_own(kind: TypeRef) -> bool {
    matches!(kind, TypeRef::Named(_) | TypeRef::Base(_) | TypeRef::Foreign { .. })
}

fn items_reference(kind: TypeRef) -> Option<TypeRef> {
    match kind {
        TypeRef::List(items) => Some(*items),
        _ => None,
    }
}

impl Property {
    /// The description of the field.
    pub(crate) fn description(&self) -> &'static str {
        self.field.description
    }

    /// Whether a marker limits it, or something in it, to a channel.
    pub(crate) fn is_limited(&self) -> bool {
        !self.channels.is_all() || self.node.is_limited()
    }
}

/// The flattened maps of a struct, each with the effect of a marker on it.
fn flattened_maps(owner: &'static TypeDescriptor) -> impl Iterator<Item = Applied> {
    let fields = if let Shape::Struct(fields) = owner.shape { fields } else { &[] };
    let maps = fields.iter().filter(|field| field.keeps_unknown_fields());
    maps.map(move |field| Applied { marker: &UNKNOWN_FIELDS, channels: ChannelSet::ALL, owner, field: Some(field) })
}

/// The path of a name below a path.
pub(crate) fn below(path: &str, name: &str) -> String {
    Step::Field(name).path_from(path)
}

impl Node {
    /// The nodes directly in this one, with the steps to them. No step leads to what is flattened into it, or to the fields of a variant next to a tag.
    pub(crate) fn children(&self) -> Vec<(Option<Step<&'static str>>, &Self)> {
        let field = |property: &Property| Step::Field(property.field.wire_name);
        match &self.core {
            Core::List(inner) => vec![(Some(Step::Item), inner)],
            Core::Map(inner) => vec![(Some(Step::Value), inner)],
            Core::Object { properties, inlined, .. } => {
                let properties = properties.iter().map(|property| (Some(field(property)), &property.node));
                properties.chain(inlined.iter().map(|node| (None, node))).collect()
            }
            Core::Union { tag, variants, .. } => {
                let step = |variant| tag.is_none().then(|| field(variant));
                variants.iter().map(|variant| (step(variant), &variant.node)).collect()
            }
            Core::Leaf(_) | Core::Enum { .. } | Core::Foreign(_) => Vec::new(),
        }
    }

    /// Calls `visit` for this node and each node in it.
    pub(crate) fn each<'n>(&'n self, visit: &mut impl FnMut(&'n Node)) {
        visit(self);
        self.children().into_iter().for_each(|(_, inner)| inner.each(visit));
    }

    /// The markers of the node, from the innermost type to the field.
    pub(crate) fn markers(&self) -> impl Iterator<Item = &Applied> {
        self.own.iter().chain(self.layers.iter().flat_map(|layer| &layer.markers))
    }

    /// The first such marker, those of flattened structs included.
    pub(crate) fn marker(&self, is_it: &dyn Fn(&Applied) -> bool) -> Option<&Applied> {
        let inlined = if let Core::Object { inlined, .. } = &self.core { &**inlined } else { &[] };
        self.markers().find(|applied| is_it(applied)).or_else(|| inlined.iter().find_map(|node| node.marker(is_it)))
    }

    /// Whether the written schema of it, or of something in it, lacks something.
    pub(crate) fn is_limited(&self) -> bool {
        let of_values = match &self.core {
            Core::Object { properties, .. } => properties.iter().any(|property| !property.channels.is_all()),
            Core::Enum { values, .. } => values.iter().any(|value| !value.channels.is_all()),
            _ => false,
        };
        of_values
            || self.markers().any(Applied::is_unwritten)
            || self.children().into_iter().any(|(_, inner)| !inner.channels.is_all() || inner.is_limited())
    }

    /// Every field of the object, those of flattened structs included.
    pub(crate) fn fields(&self, fields: &mut Vec<&'static Field>) {
        if let Core::Object { properties, inlined, .. } = &self.core {
            fields.extend(properties.iter().map(|property| property.field));
            for node in inlined {
                node.fields(fields);
            }
        }
    }

    /// The property of that wire name, in flattened structs too, and the type that has it.
    fn property(&self, name: &str) -> Option<(&'static TypeDescriptor, &Property)> {
        match &self.core {
            Core::Object { owner, properties, inlined } => properties
                .iter()
                .find(|property| property.field.wire_name == name)
                .map(|property| (*owner, property))
                .or_else(|| inlined.iter().find_map(|node| node.property(name))),
            Core::Union { owner, tag: None, variants, .. } => {
                variants.iter().find(|variant| variant.field.wire_name == name).map(|variant| (*owner, variant))
            }
            Core::Union { tag: Some(_), variants, .. } => {
                variants.iter().find_map(|variant| variant.node.property(name))
            }
            _ => None,
        }
    }

    /// Where a path such as `spec.listeners[*].tls` comes from: its deepest part that is a field.
    pub(crate) fn origin(&self, path: &str) -> Option<Origin> {
        let mut node = self;
        let mut found = match &self.core {
            Core::Object { owner, .. } | Core::Union { owner, .. } => {
                Some(Origin { type_name: owner.name, field: None, location: owner.location })
            }
            _ => None,
        };
        for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
            let name = step.trim_end_matches(']');
            loop {
                match &node.core {
                    Core::List(inner) | Core::Map(inner)
                        if name == "*" || name.parse::<usize>().is_ok() || matches!(node.core, Core::Map(_)) =>
                    {
                        node = inner;
                        break;
                    }
                    Core::List(inner) => node = inner,
                    _ => {
                        let Some((owner, property)) = node.property(name) else { return found };
                        found = Some(Origin {
                            type_name: owner.name,
                            field: Some(property.field.name),
                            location: Location { file: owner.location.file, line: property.field.line },
                        });
                        node = &property.node;
                        break;
                    }
                }
            }
        }
        found
    }

    /// The type at a path.
    pub(crate) fn type_at(&self, path: &str) -> Option<Origin> {
        let node = self.at(path)?;
        let (Core::Object { owner, .. } | Core::Enum { owner, .. } | Core::Union { owner, .. }) = &node.core else {
            return None;
        };
        Some(Origin { type_name: owner.name, field: None, location: owner.location })
    }

    /// The node at a path, if it exists; the union, for its tag.
    pub(crate) fn at(&self, path: &str) -> Option<&Self> {
        let mut node = self;
        for step in path.split('.').filter(|step| !step.is_empty()) {
            let name = step.trim_end_matches("[*]");
            if let Core::Union { tag: Some(tag), .. } = &node.core
                && *tag == name
            {
                return Some(node);
            }
            node = &node.property(name)?.1.node;
            for _ in 0..step.matches("[*]").count() {
                let (Core::List(inner) | Core::Map(inner)) = &node.core else { return None };
                node = inner;
            }
        }
        Some(node)
    }

    /// Every tombstone that a type declares, at each path where the type is used.
    pub(crate) fn tombstones(&self, path: &str, found: &mut Vec<DeclaredTombstone>) {
        let declaring = match &self.core {
            Core::Object { owner, .. } | Core::Union { owner, tag: None, .. } => Some((owner, path.to_owned(), false)),
            Core::Union { owner, tag: Some(tag), .. } => Some((owner, below(path, tag), true)),
            Core::Enum { owner, .. } => Some((owner, path.to_owned(), true)),
            Core::List(_) | Core::Map(_) | Core::Leaf(_) | Core::Foreign(_) => None,
        };
        if let Some((owner, path, value)) = declaring {
            found.extend(owner.tombstones.iter().map(|tombstone| DeclaredTombstone {
                path: path.clone(),
                value,
                has_lens: false,
                tombstone: *tombstone,
                location: Location { file: owner.location.file, line: tombstone.line },
            }));
        }
        for (step, inner) in self.children() {
            inner.tombstones(&step.map_or_else(|| path.to_owned(), |step| step.path_from(path)), found);
        }
    }
}
