//! A Go module as values, before it is text.
//!
//! Invariants: names are valid and unique Go identifiers; a type that is named exists in its package; nothing here depends on a channel any more.

use super::places::Names;

#[derive(Clone, Debug)]
pub struct Module {
    /// Its path, such as `example.com/api`.
    pub path: String,
    /// The packages, by folder.
    pub packages: Vec<Package>,
    /// The names by place, if the types are those of published CRDs.
    pub names: Names,
}

/// A package: one version of one group.
#[derive(Clone, Debug)]
pub struct Package {
    /// The folder in the module, such as `apis/v1`. The last part is the name of the package.
    pub folder: String,
    pub group: String,
    /// The name of the group in generated clients, where it is not the first label of the group.
    pub client: Option<String>,
    pub version: String,
    /// The documentation of the package, without markers.
    pub description: String,
    /// The files with types, by name.
    pub files: Vec<File>,
}

/// A file with types and constants.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name, such as `gateway_types.go`.
    pub name: String,
    /// The types, in the order of the source.
    pub types: Vec<Type>,
    /// Constants that belong to no type of the file, such as reasons of conditions.
    pub constants: Vec<Constant>,
}

#[derive(Clone, Debug)]
pub struct Type {
    pub name: String,
    /// The documentation, as Markdown of the source, without markers.
    pub description: String,
    /// Markers without `+`, each on its own line.
    pub markers: Vec<String>,
    pub body: Body,
    /// Set for the root type of a resource: it gets a list type, and is registered.
    pub is_root: bool,
    /// The constants of the type.
    pub constants: Vec<Constant>,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// `type A struct { … }`
    Struct(Vec<Field>),
    /// `type A B`
    Defined(GoType),
    /// `type A = B`
    Alias(GoType),
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The Go name; `None`: the type is embedded, and its fields are in the outer object unless the field has a wire name.
    pub name: Option<String>,
    pub description: String,
    /// Markers without `+`.
    pub markers: Vec<String>,
    pub kind: GoType,
    /// The name on the wire; empty for `json:",inline"`.
    pub wire_name: String,
    /// When it is left out of JSON.
    pub omit: Omit,
}

/// When a field is left out of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omit {
    Never,
    /// `omitempty`: nil, zero numbers, empty strings, lists and maps.
    Empty,
    /// `omitzero`: the zero value, so that an empty list which is not nil is written.
    Zero,
}

/// A type where it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoType {
    /// A predeclared type, such as `string`.
    Plain(&'static str),
    /// `*T`
    Pointer(Box<GoType>),
    /// `[]T`
    Slice(Box<GoType>),
    /// `map[string]T`; the first is the type of keys.
    Map(Box<GoType>, Box<GoType>),
    /// A type of the module.
    Named {
        /// The folder of its package.
        package: String,
        name: String,
    },
    /// A type of the standard library or of apimachinery.
    Imported {
        path: &'static str,
        /// How files import it: `metav1`.
        alias: &'static str,
        name: &'static str,
    },
}

#[derive(Clone, Debug)]
pub struct Constant {
    pub name: String,
    pub description: String,
    /// Its type; `None`: an untyped string.
    pub kind: Option<GoType>,
    pub value: String,
}
