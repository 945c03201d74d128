//! Descriptors: the constants that the macro writes for each type, and what a reader of source makes of the same items.
//!
//! Invariants: no marker text, no attribute and no `syn` reaches a descriptor, only typed values; wire names are final.

use crate::deferred::Deferred;
use crate::rule::Marker;
use crd_names::channel::ChannelSet;

/// A source location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file, as the compiler names it.
    pub file: &'static str,
    /// The line.
    pub line: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

/// A type with `#[api]`.
#[derive(Clone, Copy, Debug)]
pub struct TypeDescriptor {
    /// The Rust name.
    pub name: &'static str,
    /// The module, with the crate: `api::v1::widget`.
    pub module: &'static str,
    /// The description, without markers.
    pub description: &'static str,
    /// In which channels it exists.
    pub channels: ChannelSet,
    /// The line of its `+experimental`, if it has one.
    pub experimental: Option<u32>,
    /// What it is made of.
    pub shape: Shape,
    /// Its markers, in their order.
    pub markers: &'static [Marker],
    /// Names that must never return.
    pub tombstones: &'static [Tombstone],
    /// Set for the root type of a resource.
    pub resource: Option<ResourceDescriptor>,
    /// The source location.
    pub location: Location,
}

/// What a type is made of.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A struct with named fields, in their order.
    Struct(&'static [Field]),
    /// An enum of strings.
    Enum {
        /// The values, in their order.
        variants: &'static [Variant],
        /// Whether other values are legal too: then the schema is a plain string.
        open: bool,
    },
    /// A struct around one unnamed field.
    Newtype(TypeRef),
    /// An enum whose variants hold data.
    Union {
        /// The wire name of the field that names the variant and is next to its fields. `None`: each variant is a field.
        tag: Option<&'static str>,
        /// The variants, in their order, each as an optional field with its data. With a tag, the wire name is a value of the tag.
        variants: &'static [Field],
    },
}

/// A field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The Rust name.
    pub name: &'static str,
    /// The name on the wire.
    pub wire_name: &'static str,
    /// Further names under which it is read.
    pub aliases: &'static [&'static str],
    /// The description, without markers.
    pub description: &'static str,
    /// Its type without `Option`.
    pub kind: TypeRef,
    /// Whether it must be present.
    pub presence: Presence,
    /// Whether `null` is a value of its own.
    pub nullable: bool,
    /// Whether its fields stand in the outer object.
    pub flatten: bool,
    /// What an absent field reads as in Rust, as JSON text, where a default in the schema must be equal to it. The text is `None` without
    /// the feature `serde`.
    pub rust_default: Option<Deferred<Option<String>>>,
    /// In which channels it exists.
    pub channels: ChannelSet,
    /// The line of its `+experimental`, if it has one.
    pub experimental: Option<u32>,
    /// Its markers, in their order.
    pub markers: &'static [Marker],
    /// The line of the source file.
    pub line: u32,
}

impl Field {
    /// Whether it is a flattened map, which has the fields that the struct does not declare.
    pub const fn keeps_unknown_fields(&self) -> bool {
        self.flatten && matches!(self.kind, TypeRef::Map(..))
    }
}

/// Whether a field must be present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is listed in `required`.
    Required,
    /// It may be absent.
    Optional,
}

/// A value of an enum.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The Rust name.
    pub name: &'static str,
    /// The value on the wire.
    pub wire_name: &'static str,
    /// Further values that are read as it.
    pub aliases: &'static [&'static str],
    /// The description, without markers.
    pub description: &'static str,
    /// In which channels it exists.
    pub channels: ChannelSet,
    /// The line of its `+experimental`, if it has one.
    pub experimental: Option<u32>,
    /// Its markers, in their order. They do not affect the schema.
    pub markers: &'static [Marker],
    /// The line of the source file.
    pub line: u32,
}

/// A name that was removed and must never return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// The wire name.
    pub name: &'static str,
    /// The bundle version that first lacked it.
    pub removed: &'static str,
    /// Why.
    pub reason: &'static str,
    /// The wire name that took over.
    pub replacement: Option<&'static str>,
    /// The line of the source file.
    pub line: u32,
}

/// Which resource a root type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceDescriptor {
    /// The API group.
    pub group: &'static str,
    /// The API version.
    pub version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The plural name that follows from the kind. `+kubebuilder:resource:path=…` overrides it.
    pub plural: &'static str,
}

/// What a field, an item or a newtype holds.
#[derive(Clone, Copy, Debug)]
pub enum TypeRef {
    /// A string.
    String,
    /// A boolean.
    Boolean,
    /// An integer.
    Integer {
        /// The Rust type, such as `i32`.
        rust: &'static str,
        /// Its format in Kubernetes.
        format: Option<&'static str>,
    },
    /// A floating-point number, with its format.
    Number(Option<&'static str>),
    /// A list.
    List(&'static TypeRef),
    /// A map: the type of its keys, which is a string on the wire, and that of its values.
    Map(&'static TypeRef, &'static TypeRef),
    /// A type with `#[api]`.
    Named(Deferred<&'static TypeDescriptor>),
    /// A base type of Kubernetes.
    Base(BaseType),
    /// A type that only implements schemars' `JsonSchema`.
    Foreign {
        /// Its Rust name.
        name: &'static str,
        /// Its schema as JSON text.
        schema: Deferred<String>,
        /// Whether the descriptions in its schema are published.
        descriptions: bool,
    },
}

/// A base type of Kubernetes whose schema is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseType {
    /// Bytes, base64 on the wire.
    Bytes,
    /// Any JSON value.
    AnyJson,
    /// An integer or a string.
    IntOrString,
    /// Object metadata; only the server may describe it.
    ObjectMeta,
    /// A quantity such as `500m` or `2Gi`.
    Quantity,
    /// Any object.
    RawExtension,
    /// A point in time, RFC 3339.
    Time,
    /// A duration in Go's notation.
    Duration,
}
