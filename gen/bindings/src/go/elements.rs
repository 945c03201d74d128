//! What of types is in a channel, and which types are those of apimachinery.
//!
//! Invariant: a field of an experimental type is experimental.

use std::collections::BTreeMap;

use crd_markers::descriptor::{Field, Shape, TypeDescriptor, TypeRef};
use crd_names::channel::Channel;

use super::model::GoType;
use super::places::Places;

/// What a Go module is made for.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The path of the module.
    pub module: &'a str,
    /// The folder of each group; without one, the first label of the group.
    pub folders: &'a BTreeMap<String, String>,
    /// The name of each group in generated clients, where it is not the first label of the group.
    pub clients: &'a BTreeMap<String, String>,
    /// Whose elements it has.
    pub channel: Channel,
    /// The places of the types, if they are those of published CRDs.
    pub places: Option<&'a Places>,
}

/// The fields of a type in a channel; empty for types without fields.
pub(super) fn fields(descriptor: &TypeDescriptor, channel: Channel) -> impl Iterator<Item = &'static Field> {
    let fields: &'static [Field] = match descriptor.shape {
        Shape::Struct(fields) => fields,
        Shape::Union { variants, .. } => variants,
        Shape::Newtype(_) | Shape::Enum { .. } => &[],
    };
    fields.iter().filter(move |field| exists(field, channel))
}

/// Whether a field is in a channel: a field of an experimental type is experimental.
fn exists(field: &Field, channel: Channel) -> bool {
    field.channels.contains(channel) && is_present(field.kind, channel)
}

fn is_present(kind: TypeRef, channel: Channel) -> bool {
    match kind {
        TypeRef::List(inner) | TypeRef::Map(_, inner) => is_present(*inner, channel),
        TypeRef::Named(named) => {
            let named = named.get();
            named.channels.contains(channel)
                && !matches!(named.shape, Shape::Newtype(inner) if !is_present(inner, channel))
        }
        _ => true,
    }
}

pub(super) const fn imported(path: &'static str, alias: &'static str, name: &'static str) -> GoType {
    GoType::Imported { path, alias, name }
}

const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

pub(super) fn meta(name: &'static str) -> GoType {
    imported(META, "metav1", name)
}

/// The type of apimachinery that is a type of crd-channels.
pub(super) fn of_channels(descriptor: &TypeDescriptor) -> Option<GoType> {
    const TYPES: [&str; 4] = ["Condition", "ConditionStatus", "LabelSelector", "LabelSelectorRequirement"];
    let name = TYPES.into_iter().find(|name| *name == descriptor.name)?;
    descriptor.module.starts_with("crd_channels::").then(|| meta(name))
}
