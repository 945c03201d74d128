//! What schemas have at one path, as far as servers prune by it: types, `properties`, `items`, `additionalProperties` and
//! `x-kubernetes-preserve-unknown-fields`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crd_model::schema::{AdditionalProperties, Schema, Text};

/// Fields of each resource, whatever its schema has.
pub(super) const OF_EVERY_RESOURCE: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The nodes that several schemas have at one path.
#[derive(Debug)]
pub(super) struct Nodes<'s>(pub(super) Vec<&'s Schema>);

/// What kind of value a node describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape<'s> {
    Any,
    /// A value of this type: a scalar, or a list.
    Of(&'s str),
    IntOrString,
    /// An object with named fields.
    Object,
    /// An object with values of one schema.
    Map,
}

pub(super) fn shape(node: &Schema) -> Shape<'_> {
    match (node.kind.as_deref(), &node.additional_properties) {
        _ if node.int_or_string => Shape::IntOrString,
        (None | Some(""), _) => Shape::Any,
        (Some("object"), Some(AdditionalProperties::Values(_))) => Shape::Map,
        (Some("object"), _) => Shape::Object,
        (Some(kind), _) => Shape::Of(kind),
    }
}

/// Whether a server keeps the fields that the node does not list.
pub(super) fn keeps_unknown(node: &Schema) -> bool {
    node.preserve_unknown_fields == Some(true)
        || node.additional_properties == Some(AdditionalProperties::Allowed(true))
}

impl<'s> Nodes<'s> {
    pub(super) fn new(schemas: &'s [Cow<'_, Schema>]) -> Self {
        Self(schemas.iter().map(|schema| &**schema).collect())
    }

    fn below<I: IntoIterator<Item = &'s Schema>>(&self, below: impl Fn(&'s Schema) -> I) -> Self {
        Self(self.0.iter().flat_map(|node| below(node)).collect())
    }

    /// The nodes of a field, also where it is a key of a map.
    pub(super) fn field(&self, name: &str) -> Self {
        self.below(|node| node.entry(name))
    }

    /// The nodes of the items of a list.
    pub(super) fn items(&self) -> Self {
        self.below(|node| node.items.as_deref())
    }

    /// The nodes of the values of an object.
    pub(super) fn values(&self) -> Self {
        self.below(|node| node.properties.values().chain(node.values()))
    }

    /// The names of the listed fields.
    pub(super) fn names(&self) -> BTreeSet<&'s Text> {
        self.0.iter().flat_map(|node| node.properties.keys()).collect()
    }

    /// The names of the listed fields that an object node does not keep.
    pub(super) fn missing(&self, node: &Schema, is_resource: bool) -> Vec<Text> {
        if shape(node) != Shape::Object || keeps_unknown(node) {
            return Vec::new();
        }
        let is_of_resource = |name: &str| is_resource && OF_EVERY_RESOURCE.contains(&name);
        let names = self.names().into_iter();
        names.filter(|name| !node.properties.contains_key(name) && !is_of_resource(name)).cloned().collect()
    }

    /// Whether a node has another type here.
    pub(super) fn have_other_shape(&self, node: &Schema) -> bool {
        shape(node) != Shape::Any && self.0.iter().any(|old| shape(old) != shape(node))
    }
}
