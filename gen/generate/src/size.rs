//! The size of schemas: what no server can store is refused before it is built or written.
//!
//! A CRD has no references, so a type appears in it wherever it is used: structs that use each other twice double it with each level.
//!
//! Invariants: the size of a type is counted once, however often it is used; the count of bytes is never above what the server stores.

use std::collections::HashMap;

use crd_diagnostics::Diagnostic;
use crd_markers::descriptor::{Shape, TypeDescriptor, TypeRef};
use crd_model::document::Sink;
use crd_model::identity::Identity;
use crd_model::schema::{Schema, below};
use serde_json::Number;

use crate::problem::of_type;

/// The most bytes of a request to etcd, by default: the server stores a CRD as JSON.
pub(crate) const MOST_BYTES: usize = 1_572_864;
/// The most nodes of a schema: each needs more than 15 bytes of JSON.
const MOST_NODES: usize = 100_000;
/// The most bytes of descriptions in a schema before they are shortened.
const MOST_TEXT: usize = 16 << 20;
/// The most types that are in each other.
const DEEPEST: usize = 100;

pub(crate) const CODE: &str = "generate::size";
pub(crate) const HELP: &str =
    "use large types in fewer places, or give a field a type without a schema, such as `RawExtension`";

/// What a type brings wherever it is used.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    text: usize,
    depth: usize,
}

impl Size {
    fn is_too_large(self) -> bool {
        self.nodes > MOST_NODES || self.text > MOST_TEXT || self.depth > DEEPEST
    }
}

/// The types in a type, with the names of fields on the wire and the text of their descriptions.
fn parts(descriptor: &'static TypeDescriptor) -> impl Iterator<Item = (&'static str, usize, TypeRef)> {
    let (fields, inner) = match descriptor.shape {
        Shape::Struct(fields) | Shape::Union { variants: fields, .. } => (fields, None),
        Shape::Newtype(inner) => (&[][..], Some(("", 0, inner))),
        Shape::Enum { .. } => (&[][..], None),
    };
    fields.iter().map(|field| (field.wire_name, field.description.len(), field.kind)).chain(inner)
}

/// The named type in lists and maps, and how many of these are around it.
fn stripped(mut kind: TypeRef) -> (usize, TypeRef) {
    let mut around = 0;
    while let TypeRef::List(inner) | TypeRef::Map(_, inner) = kind {
        kind = *inner;
        around += 1;
    }
    (around, kind)
}

type Sizes = HashMap<Identity<'static, TypeDescriptor>, Size>;

/// The sizes of a type and of all types in it. A type that contains itself is counted without that part.
fn sizes(root: &'static TypeDescriptor) -> Sizes {
    let mut sizes = Sizes::new();
    // A type comes back after the types in it.
    let mut open = vec![(root, false)];
    while let Some((descriptor, is_second)) = open.pop() {
        let key = Identity(descriptor);
        if !is_second {
            if sizes.contains_key(&key) {
                continue;
            }
            sizes.insert(key, Size::default());
            open.push((descriptor, true));
        }
        let mut size = Size { nodes: 1, text: descriptor.description.len(), depth: 0 };
        for (_, text, kind) in parts(descriptor) {
            let (around, kind) = stripped(kind);
            let mut inner = Size { nodes: 1, text: 0, depth: 0 };
            match kind {
                TypeRef::Named(named) if is_second => {
                    inner = sizes.get(&Identity(named.get())).copied().unwrap_or_default()
                }
                TypeRef::Named(named) => open.push((named.get(), false)),
                TypeRef::Foreign { schema, .. } if is_second => inner.text = schema.get().len(),
                _ => {}
            }
            size.nodes = size.nodes.saturating_add(inner.nodes).saturating_add(around);
            size.text = size.text.saturating_add(inner.text).saturating_add(text);
            size.depth = size.depth.max(inner.depth.saturating_add(around + 1));
        }
        if is_second {
            sizes.insert(key, size);
        }
    }
    sizes
}

/// Why the schema of a root type is not built.
pub(crate) fn refusal(root: &'static TypeDescriptor) -> Option<Diagnostic> {
    let sizes = sizes(root);
    let size = |descriptor| sizes.get(&Identity(descriptor)).copied().unwrap_or_default();
    let whole = size(root);
    if !whole.is_too_large() {
        return None;
    }
    // The innermost type that is too large by itself.
    let (mut path, mut owner) = (String::new(), root);
    let larger = |owner: &'static TypeDescriptor| {
        parts(owner).find_map(|(name, _, kind)| match stripped(kind).1 {
            TypeRef::Named(named) if size(named.get()).is_too_large() => Some((name, named.get())),
            _ => None,
        })
    };
    for _ in 0..sizes.len() {
        let Some((name, next)) = larger(owner) else { break };
        // A long path shows nothing more.
        if path.len() < 200 {
            path = if name.is_empty() { path } else { crd_model::path::field(&path, name) };
        }
        owner = next;
    }
    let Size { nodes, text, depth } = size(owner);
    let message = format!(
        "the schema of `{}` is larger than a server can store: `{path}` (`{}`) has {nodes} nodes and {text} bytes of descriptions, {depth} types deep; \
         {MOST_NODES} nodes, {MOST_TEXT} bytes and {DEEPEST} levels are allowed",
        root.name, owner.name
    );
    Some(of_type(CODE, root, message).help(HELP))
}

/// How many types a builder may still add: those that contain themselves are found while it builds.
pub(crate) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(MOST_NODES)
    }
}

impl Budget {
    /// Adds a type, unless there are too many: the error that ends the building has been reported.
    pub(crate) fn is_spent(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 == 0
    }

    pub(crate) fn end_soon(&mut self) {
        self.0 = self.0.min(1_000);
    }
}

/// The bytes of a document as compact JSON, without those that escapes add.
#[derive(Default)]
pub(crate) struct Bytes(pub(crate) usize);

impl Bytes {
    fn of(schema: &Schema) -> usize {
        let mut bytes = Self::default();
        schema.send(&mut bytes);
        bytes.0
    }
}

impl Sink for Bytes {
    fn begin_map(&mut self) {
        self.0 += 2;
    }
    fn key(&mut self, key: &str) {
        // Quotes and a colon; a comma only between entries.
        self.0 += key.len() + 3;
    }
    fn end_map(&mut self) {}
    fn begin_list(&mut self) {
        self.0 += 2;
    }
    fn item(&mut self) {}
    fn end_list(&mut self) {}
    fn string(&mut self, value: &str) {
        self.0 += value.len() + 2;
    }
    fn number(&mut self, _: &Number) {
        self.0 += 1;
    }
    fn boolean(&mut self, _: bool) {
        self.0 += 4;
    }
    fn null(&mut self) {
        self.0 += 4;
    }
}

/// The path and the bytes of the innermost node that has more than half of a schema.
pub(crate) fn largest(schema: &Schema) -> (String, usize) {
    let whole = Bytes::of(schema);
    let (mut path, mut bytes, mut node) = (String::new(), whole, schema);
    loop {
        let sized = below(node).map(|(step, inner)| (step.path_from(&path), Bytes::of(inner), inner));
        let Some(found) = sized.max_by_key(|(_, bytes, _)| *bytes).filter(|(_, bytes, _)| *bytes > whole / 2) else {
            return (path, bytes);
        };
        (path, bytes, node) = found;
    }
}
