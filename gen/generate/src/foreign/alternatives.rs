//! `oneOf` and `anyOf`: moves the structure of alternatives to the node outside, and keeps conditions inside.
//!
//! Invariants: `oneOf` and `anyOf` keep conditions only, on properties that the node outside has too; a document that one
//! alternative accepts is accepted, if it has no properties of other alternatives.

use std::collections::BTreeSet;

use serde_json::Value;

use super::part::{
    Null, Part, has_type, is_closed, is_unrestricted, lower_maximum, raise_minimum, without_documentation,
};
use super::{Reader, WITHOUT_SCHEMA};
use crd_model::schema::{AdditionalProperties, Schema, Text};

/// How many of the alternatives hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Junctor {
    OneOf,
    AnyOf,
}

impl Junctor {
    pub(super) fn keyword(self) -> &'static str {
        match self {
            Junctor::OneOf => "oneOf",
            Junctor::AnyOf => "anyOf",
        }
    }
}

impl Reader<'_> {
    pub(super) fn read_alternatives(&mut self, junctor: Junctor, list: &[Value], declared: &Schema) -> Vec<Part> {
        let mut parts = Vec::with_capacity(list.len());
        for (index, value) in list.iter().enumerate() {
            self.enclosing = Some(Box::new(declared.clone()));
            let mut part = self.at(format!("{{{}[{index}]}}", junctor.keyword()), |reader| reader.read(value));
            if junctor == Junctor::OneOf && value.get("$ref").is_none() {
                move_description_to_property(&mut part.schema);
            }
            parts.push(part);
        }
        parts
    }

    /// The union of alternatives, inside a node with the declared structure.
    pub(super) fn alternatives(&mut self, junctor: Junctor, parts: Vec<Part>, declared: &Schema) -> Part {
        let keyword = junctor.keyword();
        let mut parts: Vec<(usize, Part)> = parts.into_iter().enumerate().collect();
        if parts.iter().any(|(_, part)| part.is_refused) {
            return Part::refused();
        }
        let null = if parts.iter().any(|(_, part)| part.null == Null::Allowed || part.is_null()) {
            Null::Allowed
        } else if parts.iter().any(|(_, part)| part.null == Null::Unspecified) {
            Null::Unspecified
        } else {
            Null::Forbidden
        };
        parts.retain(|(_, part)| !part.is_null());

        let accepts_any = parts.iter().any(|(_, part)| is_unrestricted(&part.schema));
        if junctor == Junctor::AnyOf && accepts_any && declared.kind.as_deref() != Some("object") {
            return Part::default();
        }
        let is_typed = declared.kind.is_some() || parts.iter().any(|(_, part)| has_type(&part.schema));
        let mut schemas = Vec::with_capacity(parts.len());
        let reasons = self.reasons.len();
        for (index, part) in parts {
            let mut schema = *part.schema;
            if schema.kind.is_none() && !schema.int_or_string {
                schema.kind.clone_from(&declared.kind);
            }
            self.at(format!("{{{keyword}[{index}]}}"), |reader| reader.settle(&mut schema));
            schemas.push(schema);
        }
        if self.reasons.len() > reasons {
            return Part::refused();
        }
        if junctor == Junctor::AnyOf {
            remove_subsumed(&mut schemas);
        }
        match self.united(junctor, schemas, declared) {
            // Conditions alone do not state a type.
            Some(schema) if !is_typed => {
                Part { schema: Box::new(Schema { kind: None, ..schema }), null, is_refused: false }
            }
            Some(schema) => Part { schema: Box::new(schema), null, is_refused: false },
            None => Part::refused(),
        }
    }

    /// The union of alternatives other than null.
    fn united(&mut self, junctor: Junctor, mut schemas: Vec<Schema>, declared: &Schema) -> Option<Schema> {
        if schemas.len() <= 1 {
            // Only null, or an `Option`, or an enum with one variant, whose description then describes the enum.
            return Some(schemas.pop().unwrap_or_else(|| Schema { kind: Some("null".into()), ..Schema::default() }));
        }
        if let Some(schema) = enumerated(&schemas) {
            return Some(schema);
        }
        if let Some(schema) = int_or_string(&schemas) {
            return Some(schema);
        }
        let mut kinds: Vec<&str> = schemas.iter().map(kind_with_article).collect();
        kinds.sort_unstable();
        kinds.dedup();
        if kinds.len() > 1 {
            let message = mismatch(&kinds);
            self.refuse(message);
            return None;
        }
        let joined = self.join(schemas, junctor == Junctor::OneOf, Some(declared))?;
        let mut schema = Schema { description: None, ..joined.outer };
        let mut rests = joined.rests;
        match junctor {
            Junctor::AnyOf if rests.iter().any(is_unrestricted) => {}
            Junctor::AnyOf => {
                rests.dedup();
                schema.any_of = rests;
            }
            Junctor::OneOf => {
                let same = (0..rests.len()).find_map(|second| {
                    (0..second).find(|first| rests[*first] == rests[second]).map(|first| (first, second))
                });
                if let Some((first, second)) = same {
                    self.refuse(format!(
                        "the alternatives {first} and {second} of oneOf accept the same values, so that no value could match exactly one of them; give the enum a tag (`#[serde(tag = \"type\")]`), {WITHOUT_SCHEMA}"
                    ));
                    return None;
                }
                schema.one_of = rests;
            }
        }
        Some(schema)
    }

    /// Moves the structure of alternatives of one type, and their common conditions, to the node outside; each alternative keeps the rest.
    /// A property that the node declares exists for every alternative, so conditions on it stay in the alternatives that have them.
    fn join(
        &mut self,
        mut alternatives: Vec<Schema>,
        is_exactly_one: bool,
        declared: Option<&Schema>,
    ) -> Option<Joined> {
        let count = alternatives.len();
        if let Some(kind) = alternatives.iter().find_map(|alternative| alternative.kind.clone()) {
            alternatives
                .iter_mut()
                .filter(|alternative| !has_type(alternative))
                .for_each(|alternative| alternative.kind = Some(kind.clone()));
        }
        let reasons = self.reasons.len();
        let mut rests = vec![Schema::default(); count];
        let mut outer = Schema::default();

        self.join_shapes(&mut outer, alternatives.first()?, &alternatives);
        if self.reasons.len() > reasons {
            return None;
        }

        // A condition moves outside if all alternatives have it.
        formats_of_numbers(&mut alternatives);
        macro_rules! conditions {
            ($($field:ident),*) => {$(
                if alternatives.iter().all(|alternative| alternative.$field == alternatives[0].$field) {
                    outer.$field = std::mem::take(&mut alternatives[0].$field);
                } else {
                    for (rest, alternative) in rests.iter_mut().zip(&mut alternatives) {
                        rest.$field = std::mem::take(&mut alternative.$field);
                    }
                }
            )*};
        }
        conditions!(
            format,
            pattern,
            multiple_of,
            max_items,
            max_length,
            max_properties,
            min_items,
            min_length,
            min_properties,
            not,
            all_of,
            any_of,
            one_of
        );
        let bounds = |schema: &Schema| {
            (schema.minimum.clone(), schema.exclusive_minimum, schema.maximum.clone(), schema.exclusive_maximum)
        };
        if alternatives.iter().all(|alternative| bounds(alternative) == bounds(&alternatives[0])) {
            (outer.minimum, outer.exclusive_minimum, outer.maximum, outer.exclusive_maximum) = bounds(&alternatives[0]);
        } else {
            for (rest, alternative) in rests.iter_mut().zip(&alternatives) {
                (rest.minimum, rest.exclusive_minimum, rest.maximum, rest.exclusive_maximum) = bounds(alternative);
            }
        }
        values(&mut outer, &mut rests, &alternatives);
        documentation(&mut outer, &alternatives);

        self.join_lists(&mut outer, &mut rests, &mut alternatives, declared);
        self.join_objects(&mut outer, &mut rests, &mut alternatives, is_exactly_one, declared);
        (self.reasons.len() == reasons).then_some(Joined { outer, rests })
    }

    /// Keywords that shape values must be equal in all alternatives.
    fn join_shapes(&mut self, outer: &mut Schema, first: &Schema, alternatives: &[Schema]) {
        macro_rules! shared {
            ($($field:ident: $keyword:literal),*) => {$(
                if alternatives.iter().any(|alternative| alternative.$field != first.$field) {
                    self.refuse(format!(
                        "`{}` differs between alternatives that share this path, and Kubernetes has one schema for it; use different names for different values, {WITHOUT_SCHEMA}",
                        $keyword
                    ));
                }
                outer.$field = first.$field.clone();
            )*};
        }
        shared!(
            kind: "type", nullable: "nullable", default: "default", embedded_resource: "x-kubernetes-embedded-resource",
            int_or_string: "x-kubernetes-int-or-string", list_type: "x-kubernetes-list-type", list_map_keys: "x-kubernetes-list-map-keys",
            map_type: "x-kubernetes-map-type", preserve_unknown_fields: "x-kubernetes-preserve-unknown-fields",
            validations: "x-kubernetes-validations"
        );
    }

    fn join_lists(
        &mut self,
        outer: &mut Schema,
        rests: &mut [Schema],
        alternatives: &mut [Schema],
        declared: Option<&Schema>,
    ) {
        let Some(structure) =
            alternatives.iter().find_map(|alternative| alternative.items.as_deref()).map(structure_of)
        else {
            return;
        };
        // An alternative that only has conditions on the list accepts all items.
        let items = alternatives
            .iter_mut()
            .map(|alternative| alternative.items.take().map_or_else(|| structure.clone(), |items| *items));
        let items = items.collect();
        let declared = declared.and_then(|declared| declared.items.as_deref());
        if let Some(joined) = self.at("[*]", |reader| reader.join(items, false, declared)) {
            outer.items = Some(Box::new(joined.outer));
            for (rest, items) in rests.iter_mut().zip(joined.rests) {
                rest.items = (!is_unrestricted(&items)).then(|| Box::new(items));
            }
        }
    }

    fn join_objects(
        &mut self,
        outer: &mut Schema,
        rests: &mut [Schema],
        alternatives: &mut [Schema],
        is_exactly_one: bool,
        declared: Option<&Schema>,
    ) {
        let count = alternatives.len();
        let closed: Vec<bool> = alternatives.iter().map(is_closed).collect();
        let own_names: Vec<BTreeSet<Text>> =
            alternatives.iter().map(|alternative| alternative.properties.keys().cloned().collect()).collect();
        let names: BTreeSet<Text> = own_names.iter().flatten().cloned().collect();

        if !self.join_values(outer, alternatives) && closed.iter().all(|closed| *closed) {
            outer.additional_properties = Some(AdditionalProperties::Allowed(false));
        }

        for name in &names {
            let owners: Vec<usize> = (0..count).filter(|index| own_names[*index].contains(name)).collect();
            let mut properties: Vec<Schema> =
                owners.iter().filter_map(|owner| alternatives[*owner].properties.remove(name)).collect();
            self.path.push(format!(".{name}"));
            if owners.len() < count && properties.iter().any(|property| property.default.is_some()) {
                self.refuse(
                    "servers would fill in the default for every alternative, even if the alternative does not have the field; hide the default from schemars (with a `skip_serializing_if` that is true for it), or make the field an `Option`",
                );
            }
            let declared = declared.and_then(|declared| declared.properties.get(name));
            if owners.len() < count && declared.is_some() {
                properties.extend(properties.first().map(structure_of));
            }
            if properties.len() == 1 {
                outer.properties.insert(name.clone(), properties.remove(0));
            } else if let Some(joined) = self.join(properties, false, declared) {
                outer.properties.insert(name.clone(), joined.outer);
                for (owner, rest) in owners.iter().zip(joined.rests) {
                    if is_unrestricted(&rest) {
                        continue;
                    }
                    if name == "metadata" {
                        self.refuse("the field differs between alternatives, and Kubernetes allows no conditions on a property with the name `metadata`; give it another name");
                    }
                    rests[*owner].properties.insert(name.clone(), rest);
                }
            }
            self.path.pop();
        }

        outer.required = alternatives.first().map(|first| first.required.clone()).unwrap_or_default();
        outer.required.retain(|name| alternatives.iter().all(|alternative| alternative.required.contains(name)));
        for (rest, alternative) in rests.iter_mut().zip(alternatives.iter_mut()) {
            rest.required = std::mem::take(&mut alternative.required);
            rest.required.retain(|name| !outer.required.contains(name));
        }

        let forbidden = (0..count)
            .map(|index| match closed[index] {
                true => names.difference(&own_names[index]).cloned().collect(),
                false => Vec::new(),
            })
            .collect();
        forbid(rests, forbidden, is_exactly_one);
    }

    /// Moves the values of maps outside. Returns whether an alternative is a map.
    fn join_values(&mut self, outer: &mut Schema, alternatives: &mut [Schema]) -> bool {
        let count = alternatives.len();
        let values: Vec<Schema> = alternatives
            .iter_mut()
            .filter_map(|alternative| match alternative.additional_properties.take() {
                Some(AdditionalProperties::Values(values)) => Some(*values),
                _ => None,
            })
            .collect();
        if values.len() == count {
            if let Some(joined) = self.at("[*]", |reader| reader.join(values, false, None)) {
                if joined.rests.iter().any(|rest| !is_unrestricted(rest)) {
                    self.refuse(format!(
                        "the values of this map differ between alternatives, and Kubernetes has no conditions on the values of maps; use different names for different maps, {WITHOUT_SCHEMA}"
                    ));
                }
                outer.additional_properties = Some(AdditionalProperties::Values(Box::new(joined.outer)));
            }
            return true;
        }
        if !values.is_empty() {
            self.refuse(format!(
                "this is a map in one alternative and has named fields in another, and Kubernetes allows one of them; use different names for different values, {WITHOUT_SCHEMA}"
            ));
            return true;
        }
        false
    }
}

/// Forbids the fields of other alternatives in those that deny unknown fields.
fn forbid(rests: &mut [Schema], forbidden: Vec<Vec<Text>>, is_exactly_one: bool) {
    // If another alternative only requires the field, a document with the field matches both, which `oneOf` forbids.
    let one_of_forbids = forbidden.iter().enumerate().all(|(index, names)| {
        names.iter().all(|name| {
            let required = required(name);
            is_exactly_one && rests.iter().enumerate().any(|(other, rest)| other != index && *rest == required)
        })
    });
    if !one_of_forbids {
        for (rest, names) in rests.iter_mut().zip(forbidden).filter(|(_, names)| !names.is_empty()) {
            let mut absent: Vec<Schema> = names.iter().map(required).collect();
            let none_of_them = match absent.len() {
                1 => absent.remove(0),
                _ => Schema { any_of: absent, ..Schema::default() },
            };
            if rest.not.is_none() {
                rest.not = Some(Box::new(none_of_them));
            } else {
                rest.all_of.push(Schema { not: Some(Box::new(none_of_them)), ..Schema::default() });
            }
        }
    }
}

/// Alternatives of one type, with their structure separated from their conditions.
struct Joined {
    /// The structure of all, and their common conditions.
    outer: Schema,
    /// The remaining conditions of each.
    rests: Vec<Schema>,
}

/// The schema without conditions.
fn structure_of(schema: &Schema) -> Schema {
    Schema {
        kind: schema.kind.clone(),
        nullable: schema.nullable,
        default: schema.default.clone(),
        embedded_resource: schema.embedded_resource,
        int_or_string: schema.int_or_string,
        any_of: if schema.int_or_string { schema.any_of.clone() } else { Vec::new() },
        list_type: schema.list_type.clone(),
        list_map_keys: schema.list_map_keys.clone(),
        map_type: schema.map_type.clone(),
        preserve_unknown_fields: schema.preserve_unknown_fields,
        validations: schema.validations.clone(),
        items: schema.items.as_deref().map(|items| Box::new(structure_of(items))),
        properties: schema.properties.iter().map(|(name, property)| (name.clone(), structure_of(property))).collect(),
        additional_properties: match &schema.additional_properties {
            Some(AdditionalProperties::Values(values)) => {
                Some(AdditionalProperties::Values(Box::new(structure_of(values))))
            }
            _ => None,
        },
        ..Schema::default()
    }
}

fn required(name: &Text) -> Schema {
    Schema { required: vec![name.clone()], ..Schema::default() }
}

/// schemars puts the documentation of an externally tagged variant on the alternative; a structural schema has it on the property.
fn move_description_to_property(schema: &mut Schema) {
    if schema.properties.len() == 1
        && let Some(property) = schema.properties.values_mut().next()
        && property.enumeration.is_none()
        && let Some(description) = schema.description.take()
    {
        property.description = Some(description);
    }
}

/// Only strings, only numbers: `enum`, in the order of the alternatives.
fn enumerated(schemas: &[Schema]) -> Option<Schema> {
    let kind = &schemas.first()?.kind;
    let mut values: Vec<Value> = Vec::new();
    for schema in schemas {
        let only = Schema { kind: kind.clone(), enumeration: schema.enumeration.clone(), ..Schema::default() };
        if without_documentation(schema) != only {
            return None;
        }
        for value in schema.enumeration.as_ref()? {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    Some(Schema { kind: kind.clone(), enumeration: Some(values), ..Schema::default() })
}

/// An integer or a string. Keywords only check values of their own type, so that one node can have bounds and lengths.
fn int_or_string(schemas: &[Schema]) -> Option<Schema> {
    let [left, right] = schemas else { return None };
    let (integer, string) = match (left.kind.as_deref(), right.kind.as_deref()) {
        (Some("integer"), Some("string")) => (left, right),
        (Some("string"), Some("integer")) => (right, left),
        _ => return None,
    };
    let of_integer = Schema {
        kind: integer.kind.clone(),
        format: integer.format.clone(),
        exclusive_maximum: integer.exclusive_maximum,
        exclusive_minimum: integer.exclusive_minimum,
        maximum: integer.maximum.clone(),
        minimum: integer.minimum.clone(),
        multiple_of: integer.multiple_of.clone(),
        ..Schema::default()
    };
    let of_string = Schema {
        kind: string.kind.clone(),
        format: string.format.clone(),
        max_length: string.max_length,
        min_length: string.min_length,
        pattern: string.pattern.clone(),
        ..Schema::default()
    };
    if without_documentation(integer) != of_integer || without_documentation(string) != of_string {
        return None;
    }
    let mut schema = Schema { kind: None, int_or_string: true, ..of_integer };
    // In such a node, servers only check formats of strings.
    bound_instead_of_format(&mut schema);
    let Schema { format, max_length, min_length, pattern, .. } = of_string;
    Some(Schema { format, max_length, min_length, pattern, ..schema })
}

/// Replaces the format of an integer with its bounds.
fn bound_instead_of_format(schema: &mut Schema) {
    if schema.format.take().as_deref() == Some("int32") {
        raise_minimum(schema, i32::MIN.into(), false);
        lower_maximum(schema, i32::MAX.into(), false);
    }
}

/// Removes an alternative if another one accepts all its values.
fn remove_subsumed(schemas: &mut Vec<Schema>) {
    let plain_kind = |schema: &Schema| {
        let is_plain = Schema { kind: None, format: None, ..without_documentation(schema) } == Schema::default()
            && matches!(schema.format.as_deref(), None | Some("double" | "int64"));
        schema.kind.clone().filter(|_| is_plain)
    };
    for kind in ["boolean", "integer", "number", "string"] {
        let Some(plain) = schemas.iter().position(|schema| plain_kind(schema).as_deref() == Some(kind)) else {
            continue;
        };
        let mut index = 0;
        schemas.retain(|schema| {
            let is_plain = index == plain;
            index += 1;
            let is_contained =
                schema.kind.as_deref() == Some(kind) || kind == "number" && schema.kind.as_deref() == Some("integer");
            is_plain || !is_contained
        });
    }
}

/// Replaces different formats of numbers with bounds: servers do not check formats inside `oneOf`.
fn formats_of_numbers(alternatives: &mut [Schema]) {
    let is_number = alternatives.iter().all(|schema| matches!(schema.kind.as_deref(), Some("integer" | "number")));
    if !is_number || alternatives.iter().all(|schema| schema.format == alternatives[0].format) {
        return;
    }
    alternatives.iter_mut().for_each(bound_instead_of_format);
}

/// `enum`: all values outside, the values of each alternative inside.
fn values(outer: &mut Schema, rests: &mut [Schema], alternatives: &[Schema]) {
    let mut union: Vec<Value> = Vec::new();
    for value in alternatives.iter().flat_map(|alternative| alternative.enumeration.as_deref().unwrap_or_default()) {
        if !union.contains(value) {
            union.push(value.clone());
        }
    }
    if alternatives.iter().all(|alternative| alternative.enumeration.is_some()) {
        outer.enumeration = Some(union);
    }
    for (rest, alternative) in rests.iter_mut().zip(alternatives) {
        rest.enumeration = alternative.enumeration.clone().filter(|values| outer.enumeration.as_ref() != Some(values));
    }
}

/// Every different description, in order; an example and a link only if they are equal in all alternatives.
fn documentation(outer: &mut Schema, alternatives: &[Schema]) {
    let mut descriptions: Vec<&str> = Vec::new();
    for description in alternatives.iter().filter_map(|alternative| alternative.description.as_deref()) {
        if !descriptions.contains(&description) {
            descriptions.push(description);
        }
    }
    outer.description = (!descriptions.is_empty()).then(|| Text::Owned(descriptions.join("\n\n")));
    if let Some(first) = alternatives.first() {
        let agree = |same: &dyn Fn(&Schema) -> bool| alternatives.iter().all(same);
        outer.example = first.example.clone().filter(|example| agree(&|other| other.example.as_ref() == Some(example)));
        outer.external_docs =
            first.external_docs.clone().filter(|docs| agree(&|other| other.external_docs.as_ref() == Some(docs)));
    }
}

fn kind_with_article(schema: &Schema) -> &'static str {
    match schema.kind.as_deref() {
        _ if schema.int_or_string => "an integer or string",
        Some("array") => "a list",
        Some("boolean") => "a boolean",
        Some("integer") => "an integer",
        Some("number") => "a number",
        Some("object") => "an object",
        Some("string") if schema.enumeration.is_some() => "a string of an enum",
        Some("string") => "a string",
        _ => "anything",
    }
}

fn mismatch(kinds: &[&str]) -> String {
    let found = kinds.join(", ");
    if kinds == ["a string of an enum", "an object"] {
        return format!(
            "a variant without fields is a string on the wire, and the variants with fields are objects, but a value in Kubernetes has one type; give that variant braces (`Nothing {{}}`), or the enum a tag (`#[serde(tag = \"type\")]`), {WITHOUT_SCHEMA}"
        );
    }
    format!(
        "the alternatives have different types ({found}), but Kubernetes permits one type, or an integer or a string without an enum; use an enum with a tag (`#[serde(tag = \"type\")]`), {WITHOUT_SCHEMA}"
    )
}
