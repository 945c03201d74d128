//! What the objects of one schema become under another: pruned and filled in by the other.
//!
//! Invariants: each object that the first schema accepts is, after the other schema has pruned it, dropped its nulls and filled in its
//! defaults, accepted by the result. The result states less where that is not certain. It is for reasoning only: no server has it.
//! A `default` in it is one that the other schema adds: its rules read the default where the field is absent, and the rules of the first
//! schema read the absent field. A field that the other schema drops is dropped there too ([`dropped`]).

use crd_cel::implication::dropped;
use crd_model::Schema;
use crd_model::schema::{AdditionalProperties, Text};
use crd_regexp::recognise;
use serde_json::Value;

/// A schema of objects that were carried over.
#[derive(Debug)]
pub(crate) struct Carried {
    pub(crate) schema: Schema,
    /// Whether rules read the same values before and after.
    pub(crate) is_unchanged: bool,
    /// The same, apart from added defaults.
    pub(crate) is_read_alike: bool,
}

/// The objects that `from` accepts, as `to` stores them.
pub(crate) fn carried(from: &Schema, to: &Schema) -> Carried {
    let is_same_kind = from.kind == to.kind
        && from.int_or_string == to.int_or_string
        && from.embedded_resource == to.embedded_resource
        && read_format(from) == read_format(to)
        && compared_as(from) == compared_as(to);
    if !is_same_kind {
        return Carried { schema: unknown(to), is_unchanged: false, is_read_alike: false };
    }
    let schema = Schema {
        properties: crd_model::Properties::default(),
        required: Vec::new(),
        items: None,
        additional_properties: None,
        default: None,
        nullable: from.nullable && to.nullable,
        preserve_unknown_fields: to.preserve_unknown_fields,
        ..shallow(from)
    };
    let is_read_alike = from.preserve_unknown_fields == to.preserve_unknown_fields;
    let mut node = Node { from, schema, changes_entries: false, adds_defaults: false, is_read_alike };
    for (name, from_child) in from.properties.iter().filter(|(name, _)| to.properties.get(name).is_none()) {
        node.old_field(name, from_child, to);
    }
    for (name, to_child) in &to.properties {
        match from.properties.get(name) {
            Some(from_child) => node.field(name, from_child, to_child),
            None => node.new_field(name, to_child),
        }
    }
    node.schema.items = match (&from.items, &to.items) {
        (Some(from), Some(to)) => Some(Box::new(node.each(from, to))),
        (_, to) => to.as_ref().map(|to| Box::new(unknown(to))),
    };
    node.schema.additional_properties = match (&from.additional_properties, &to.additional_properties) {
        (Some(AdditionalProperties::Values(from)), Some(AdditionalProperties::Values(to))) => {
            Some(AdditionalProperties::Values(Box::new(node.each(from, to))))
        }
        (from, to) => {
            node.is_read_alike &= from == to;
            match to {
                Some(AdditionalProperties::Values(to)) => Some(AdditionalProperties::Values(Box::new(unknown(to)))),
                other => other.clone(),
            }
        }
    };
    node.carried()
}

/// A node that is carried over, as far as it was read.
struct Node<'n> {
    from: &'n Schema,
    schema: Schema,
    changes_entries: bool,
    adds_defaults: bool,
    is_read_alike: bool,
}

impl Node<'_> {
    /// A field that only the other schema lists.
    fn new_field(&mut self, name: &Text, to: &Schema) {
        let default = default_of(to);
        let may_be_there = self.from.preserve_unknown_fields == Some(true) || self.from.additional_properties.is_some();
        let only = default.filter(|default| !may_be_there && is_plain(to, default)).and_then(constant);
        self.is_read_alike &= !may_be_there && default.is_none() || only.is_some();
        if default.is_some() {
            self.schema.required.push(name.clone());
            self.changes_entries = true;
        }
        if may_be_there || default.is_some() {
            self.schema.properties.insert(name.clone(), only.unwrap_or_else(|| unknown(to)));
        }
    }

    /// A field that only the first schema lists.
    fn old_field(&mut self, name: &Text, from: &Schema, to: &Schema) {
        let may_be_kept =
            to.preserve_unknown_fields == Some(true) || to.additional_properties.is_some() || to.embedded_resource;
        if may_be_kept {
            self.is_read_alike = false;
            return;
        }
        self.changes_entries = true;
        self.schema.properties.insert(name.clone(), dropped(carried(from, from).schema));
    }

    fn field(&mut self, name: &Text, from: &Schema, to: &Schema) {
        let child = carried(from, to);
        self.adds_defaults |= !child.is_unchanged;
        let (old_default, default) = (default_of(from), default_of(to));
        let was_there = self.from.required.contains(name) && old_default.is_none() && from.nullable == to.nullable;
        let is_added =
            |default: &&Value| old_default.is_none() && !from.nullable && child.is_read_alike && is_plain(to, default);
        let added = default.filter(|_| !was_there).filter(is_added);
        self.is_read_alike &= child.is_read_alike && (was_there || added.is_some() || is_same_for_null(from, to));
        let mut child = child.schema;
        if let Some(default) = default.filter(|_| old_default != default && !was_there) {
            self.changes_entries = true;
            match added {
                Some(default) => child.default = Some(default.clone()),
                None => widen(&mut child, default),
            }
        }
        if default.is_some() || was_there {
            self.schema.required.push(name.clone());
        }
        self.schema.properties.insert(name.clone(), child);
    }

    /// The items of a list, or the values of a map.
    fn each(&mut self, from: &Schema, to: &Schema) -> Schema {
        let each = carried(from, to);
        self.adds_defaults |= !each.is_unchanged;
        self.is_read_alike &= each.is_read_alike && is_same_for_null(from, to);
        each.schema
    }

    fn carried(self) -> Carried {
        let Self { mut schema, changes_entries, adds_defaults, is_read_alike, .. } = self;
        if !is_read_alike {
            schema.validations.clear();
        }
        if !is_read_alike || changes_entries {
            // These were about other entries.
            (schema.min_properties, schema.max_properties) = (None, None);
        }
        Carried { schema, is_unchanged: is_read_alike && !changes_entries && !adds_defaults, is_read_alike }
    }
}

/// The keywords of a node, without what is below it.
fn shallow(node: &Schema) -> Schema {
    Schema {
        enumeration: node.enumeration.clone(),
        format: node.format.clone(),
        kind: node.kind.clone(),
        pattern: node.pattern.clone(),
        min_length: node.min_length,
        max_length: node.max_length,
        min_items: node.min_items,
        max_items: node.max_items,
        list_map_keys: node.list_map_keys.clone(),
        list_type: node.list_type.clone(),
        min_properties: node.min_properties,
        max_properties: node.max_properties,
        minimum: node.minimum.clone(),
        maximum: node.maximum.clone(),
        exclusive_minimum: node.exclusive_minimum,
        exclusive_maximum: node.exclusive_maximum,
        embedded_resource: node.embedded_resource,
        int_or_string: node.int_or_string,
        validations: node.validations.clone(),
        ..Schema::default()
    }
}

/// A node of which only the type is known.
pub(crate) fn unknown(of: &Schema) -> Schema {
    Schema {
        kind: of.kind.clone(),
        format: of.format.clone(),
        int_or_string: of.int_or_string,
        nullable: of.nullable,
        preserve_unknown_fields: Some(true),
        ..Schema::default()
    }
}

/// The default. Servers ignore a default of null.
pub(crate) fn default_of(node: &Schema) -> Option<&Value> {
    node.default.as_ref().filter(|default| !default.is_null())
}

/// The format of texts that rules read as another type.
fn read_format(node: &Schema) -> Option<&str> {
    node.format.as_deref().filter(|format| ["byte", "date", "date-time", "datetime", "duration"].contains(format))
}

/// How rules compare lists.
fn compared_as(node: &Schema) -> Option<(&str, &[Text])> {
    let list_type = node.list_type.as_deref().filter(|list_type| *list_type != "atomic")?;
    Some((list_type, &node.list_map_keys))
}

/// Whether a default is a value that rules read as it is written: a truth, an integer or a text without a format.
fn is_plain(node: &Schema, default: &Value) -> bool {
    !node.nullable
        && !node.int_or_string
        && match node.kind.as_deref() {
            Some("boolean") => default.is_boolean(),
            Some("integer") => default.is_i64(),
            Some("string") => default.is_string() && node.format.is_none(),
            _ => false,
        }
}

/// Whether two nodes make the same of null and of no value.
pub(crate) fn is_same_for_null(one: &Schema, other: &Schema) -> bool {
    default_of(one) == default_of(other) && one.nullable == other.nullable
}

/// The schema of one scalar value.
fn constant(value: &Value) -> Option<Schema> {
    let kind = match value {
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Number(number) if number.is_i64() => "integer",
        _ => return None,
    };
    let number = value.as_number().cloned();
    Some(Schema {
        kind: Some(kind.into()),
        default: Some(value.clone()),
        enumeration: Some(vec![value.clone()]),
        minimum: number.clone(),
        maximum: number,
        ..Schema::default()
    })
}

/// Lets a node accept one more value, without its own defaults.
fn widen(node: &mut Schema, value: &Value) {
    node.validations.clear();
    if let Some(listed) = node.enumeration.as_mut().filter(|listed| !listed.contains(value)) {
        listed.push(value.clone());
    }
    match value {
        Value::String(text) => {
            let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
            node.min_length = node.min_length.filter(|least| *least <= length);
            node.max_length = node.max_length.filter(|most| *most >= length);
            let matches = |pattern: &str| recognise(pattern).is_ok_and(|pattern| pattern.is_match(text) == Some(true));
            node.pattern = node.pattern.take().filter(|pattern| matches(pattern));
            node.format = None;
        }
        Value::Number(number) => {
            let is_within = |limit: &serde_json::Number, least: bool| {
                limit
                    .as_f64()
                    .zip(number.as_f64())
                    .is_some_and(|(limit, number)| if least { limit < number } else { limit > number })
            };
            node.minimum = node.minimum.take().filter(|limit| is_within(limit, true));
            node.maximum = node.maximum.take().filter(|limit| is_within(limit, false));
        }
        Value::Bool(_) | Value::Null => {}
        Value::Array(_) | Value::Object(_) => *node = unknown(node),
    }
}
