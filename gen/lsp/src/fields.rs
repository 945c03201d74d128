//! The field of an object that a path leads to.
//!
//! Invariants: a name in a map of values is a key of it, and leads to its values. What is below a field whose schema is not known (`metadata` of objects
//! apart, which is the same for all kinds) has no field. A field of the CRDs that objects are validated against wins over that of another channel.

use std::sync::LazyLock;

use crd_model::channel::Channel;
use crd_model::schema::{Schema, Step};
use serde_json::json;

use crate::cursor::Cursor;
use crate::kinds::Kinds;

/// What every object has, whatever its kind.
pub(crate) static OBJECT: LazyLock<Schema> = LazyLock::new(|| {
    let map =
        |about: &str| json!({ "type": "object", "additionalProperties": { "type": "string" }, "description": about });
    let metadata = json!({
        "name": { "type": "string", "description": "The name of the object, unique for its kind in a namespace." },
        "namespace": { "type": "string", "description": "The namespace of the object." },
        "labels": map("Keys and values by which objects are selected."),
        "annotations": map("Keys and values for programs and readers, by which objects are not selected."),
    });
    let schema = json!({
        "type": "object",
        "required": ["apiVersion", "kind", "metadata"],
        "properties": {
            "apiVersion": { "type": "string", "description": "The API group of the object and the version of its form." },
            "kind": { "type": "string", "description": "The kind of the object." },
            "metadata": { "type": "object", "properties": metadata, "required": ["name"], "description": "The name, labels and annotations of the object." },
        },
    });
    Schema::from_value(&schema).unwrap_or_default()
});

/// A node of a schema.
pub(crate) struct Field<'k> {
    pub(crate) node: &'k Schema,
    /// The node around it.
    pub(crate) around: Option<&'k Schema>,
    pub(crate) path: Vec<Step<&'k str>>,
    /// The channel, if the field is only in one that objects are not validated against.
    pub(crate) only_in: Option<Channel>,
}

impl<'k> Field<'k> {
    fn new(root: &'k Schema, steps: &[Step<&str>], only_in: Option<Channel>) -> Option<Self> {
        let mut field = Self { node: root, around: None, path: Vec::new(), only_in };
        for step in steps {
            let node = field.node;
            let (step, below) = match step {
                Step::Field(name) => match node.properties.get_key_value(name) {
                    Some((name, below)) => (Step::Field(&**name), below),
                    None => (Step::Value, node.values()?),
                },
                Step::Item => (Step::Item, node.items.as_deref()?),
                Step::Value => (Step::Value, node.values()?),
            };
            field.path.push(step);
            (field.node, field.around) = (below, Some(node));
        }
        Some(field)
    }

    /// Whether objects must have it; none of items and of values of a map.
    pub(crate) fn is_required(&self) -> Option<bool> {
        let name = self.path.last()?.name()?;
        Some(self.around.is_some_and(|around| is_required(around, name)))
    }
}

/// Whether a node requires a field.
pub(crate) fn is_required(node: &Schema, name: &str) -> bool {
    node.required.iter().any(|required| required == name)
}

/// The field at a path of an object.
pub(crate) fn field<'k>(kinds: &'k Kinds, cursor: &Cursor<'_>, path: &[Step<&str>]) -> Option<Field<'k>> {
    let Cursor { api_version, kind, .. } = cursor;
    let is_object = !(api_version.is_empty() && kind.is_empty());
    if let Some(Step::Field("apiVersion" | "kind" | "metadata")) = path.first()
        && let Some(field) = Field::new(&OBJECT, path, None)
    {
        return is_object.then_some(field);
    }
    let here = kinds.version(api_version, kind).and_then(|(_, version)| Field::new(&version.schema, path, None));
    here.or_else(|| {
        let (channel, version) = kinds.in_other_channel(api_version, kind)?;
        Field::new(&version.schema, path, Some(channel))
    })
}

/// Whether a kind is that of a CRD, in any channel.
pub(crate) fn is_kind(kinds: &Kinds, api_version: &str, kind: &str) -> bool {
    kinds.version(api_version, kind).is_some() || kinds.in_other_channel(api_version, kind).is_some()
}
