//! A JSON Schema halfway to a structural schema, and the intersection of two of them (`allOf`, `$ref` with siblings).
//!
//! Invariants: the inner schema has Kubernetes' keywords only, except that `additionalProperties: false` means "no other properties"
//! until [`super::settle`] removes it; a separate field records whether null is allowed, because its meaning depends on the position of
//! the part; descriptions and defaults of the first of two parts have precedence.

use serde_json::{Number, Value};

use super::Reader;
use crd_model::schema::{AdditionalProperties, Keyword, Schema};

/// A node that accepts every value.
pub(super) fn any() -> Schema {
    Schema { preserve_unknown_fields: Some(true), ..Schema::default() }
}

/// An integer or a string, as controller-gen writes it.
pub(super) fn int_or_string_alternatives() -> Vec<Schema> {
    ["integer", "string"].map(|kind| Schema { kind: Some(kind.into()), ..Schema::default() }).into()
}

/// A schema whose position in the type is not decided yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Boxed, because reading nests.
    pub(super) schema: Box<Schema>,
    pub(super) null: Null,
    /// A reason was reported; the content of this part is not used.
    pub(super) is_refused: bool,
}

/// Whether null is a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Null {
    /// No keyword excludes it.
    #[default]
    Unspecified,
    Allowed,
    Forbidden,
}

impl Part {
    pub(super) fn refused() -> Self {
        Self { is_refused: true, ..Self::default() }
    }

    /// Whether null is the only value.
    pub(super) fn is_null(&self) -> bool {
        self.schema.kind.as_deref() == Some("null")
    }
}

/// Whether the schema accepts every value.
pub(super) fn is_unrestricted(schema: &Schema) -> bool {
    without_documentation(schema) == Schema::default()
}

/// The schema without descriptions, examples and defaults.
pub(super) fn without_documentation(schema: &Schema) -> Schema {
    Schema { default: None, description: None, example: None, external_docs: None, title: None, ..schema.clone() }
}

/// Whether only the named properties are allowed.
pub(super) fn is_closed(schema: &Schema) -> bool {
    schema.additional_properties == Some(AdditionalProperties::Allowed(false))
}

/// Whether the schema states a type.
pub(super) fn has_type(schema: &Schema) -> bool {
    schema.kind.is_some() || schema.int_or_string || schema.preserve_unknown_fields.is_some()
}

impl Reader<'_> {
    /// The intersection of two parts.
    pub(super) fn both(&mut self, first: Part, second: Part) -> Part {
        if first.is_refused || second.is_refused {
            return Part::refused();
        }
        let null = match (first.null, second.null) {
            (Null::Forbidden, _) | (_, Null::Forbidden) => Null::Forbidden,
            (Null::Allowed, _) | (_, Null::Allowed) => Null::Allowed,
            (Null::Unspecified, Null::Unspecified) => Null::Unspecified,
        };
        let reasons = self.reasons.len();
        let schema = Box::new(self.both_schemas(*first.schema, *second.schema));
        Part { schema, null, is_refused: self.reasons.len() > reasons }
    }

    /// The intersection of two finished schemas, in which [`any`] is the neutral element.
    fn both_finished(&mut self, first: Schema, second: Schema) -> Schema {
        let with_documentation_of = |mut schema: Schema, documented: Schema| {
            schema.description = documented.description.or(schema.description);
            schema.default = documented.default.or(schema.default);
            schema.example = documented.example.or(schema.example);
            schema.external_docs = documented.external_docs.or(schema.external_docs);
            schema
        };
        if without_documentation(&first) == any() {
            return with_documentation_of(second, first);
        }
        if without_documentation(&second) == any() {
            let mut schema = first;
            schema.description = schema.description.or(second.description);
            schema.default = schema.default.or(second.default);
            return schema;
        }
        self.both_schemas(first, second)
    }

    /// Merges the keywords of which one part counts, or both must have the same.
    fn both_keywords(&mut self, first: &mut Schema, second: &mut Schema) {
        for keyword in Keyword::ALL.iter().copied() {
            match keyword {
                keyword if !second.has(keyword) => {}
                // The first part counts.
                Keyword::Default
                | Keyword::Description
                | Keyword::Example
                | Keyword::ExternalDocs
                | Keyword::Title
                | Keyword::EmbeddedResource
                | Keyword::UniqueItems
                | Keyword::ListMapKeys => {
                    if !first.has(keyword) {
                        first.swap(second, keyword);
                    }
                }
                Keyword::ListType | Keyword::MapType | Keyword::Format | Keyword::MultipleOf => {
                    if !first.has(keyword) {
                        first.swap(second, keyword);
                    } else if !first.is_equal_in(second, keyword) {
                        self.refuse(format!("two parts of the schema that apply together (allOf, flatten or a reference) differ in {}; set it in one of them", keyword.quoted()));
                    }
                }
                Keyword::Id => {}
                // By `both_schemas`.
                Keyword::AdditionalProperties
                | Keyword::AllOf
                | Keyword::AnyOf
                | Keyword::Enum
                | Keyword::ExclusiveMaximum
                | Keyword::ExclusiveMinimum
                | Keyword::IntOrString
                | Keyword::Items
                | Keyword::MaxItems
                | Keyword::MaxLength
                | Keyword::MaxProperties
                | Keyword::Maximum
                | Keyword::MinItems
                | Keyword::MinLength
                | Keyword::MinProperties
                | Keyword::Minimum
                | Keyword::Not
                | Keyword::Nullable
                | Keyword::OneOf
                | Keyword::Pattern
                | Keyword::PreserveUnknownFields
                | Keyword::Properties
                | Keyword::Required
                | Keyword::Type
                | Keyword::Validations => {}
            }
        }
    }

    fn both_schemas(&mut self, mut first: Schema, mut second: Schema) -> Schema {
        self.both_keywords(&mut first, &mut second);
        self.both_types(&mut first, &mut second);
        // A schema without a type does not restrict null.
        first.nullable = match (has_type(&first), has_type(&second)) {
            (_, false) => first.nullable,
            (false, true) => second.nullable,
            (true, true) => first.nullable && second.nullable,
        };
        if first.preserve_unknown_fields.is_none() {
            first.preserve_unknown_fields = second.preserve_unknown_fields;
        }
        first.validations.append(&mut second.validations);

        both_bounds(&mut first, &mut second);
        self.both_enums(&mut first, &mut second);

        // A second keyword of these kinds moves to `allOf`, because a node has one of each.
        let mut further = Schema::default();
        for keyword in [Keyword::Pattern, Keyword::Not, Keyword::OneOf, Keyword::AnyOf] {
            if !first.has(keyword) {
                first.swap(&mut second, keyword);
            } else if !first.is_equal_in(&second, keyword) {
                further.swap(&mut second, keyword);
            }
        }
        first.all_of.append(&mut second.all_of);
        if further != Schema::default() {
            first.all_of.push(further);
        }

        self.both_objects(&mut first, &mut second);
        first.items = match (first.items.take(), second.items.take()) {
            (Some(left), Some(right)) => Some(Box::new(self.at("[*]", |reader| reader.both_finished(*left, *right)))),
            (left, right) => left.or(right),
        };
        first
    }

    fn both_enums(&mut self, first: &mut Schema, second: &mut Schema) {
        match (&mut first.enumeration, second.enumeration.take()) {
            (Some(values), Some(more)) => {
                values.retain(|value| more.contains(value));
                if values.is_empty() {
                    self.refuse("two enums apply together, and they have no value in common; no value is valid here");
                }
            }
            (none @ None, values) => *none = values,
            (Some(_), None) => {}
        }
    }

    fn both_types(&mut self, first: &mut Schema, second: &mut Schema) {
        // Of "integer or string" and one of them, only that one remains.
        if first.int_or_string != second.int_or_string {
            let (either, kind) = match first.int_or_string {
                true => (&mut *first, second.kind.clone()),
                false => (&mut *second, first.kind.clone()),
            };
            match kind.as_deref() {
                None => {}
                Some(kind @ ("integer" | "string")) => {
                    either.int_or_string = false;
                    either.kind = Some(kind.to_owned().into());
                    if either.any_of == int_or_string_alternatives() {
                        either.any_of = Vec::new();
                    }
                }
                Some(kind) => {
                    let message =
                        format!("no value has a type of both parts that apply here, integer or string, and {kind}");
                    self.refuse(message);
                }
            }
        }
        first.int_or_string |= second.int_or_string;
        let kinds = (first.kind.clone(), second.kind.clone());
        match (kinds.0.as_deref(), kinds.1.as_deref()) {
            (None, _) => first.kind = second.kind.take(),
            (Some("number"), Some("integer")) => first.kind = second.kind.take(),
            (Some("integer"), Some("number")) | (_, None) => {}
            (Some(left), Some(right)) if left != right => {
                let message = format!("no value has both types of the parts that apply here, {left} and {right}");
                self.refuse(message);
            }
            _ => {}
        }
    }

    fn both_objects(&mut self, first: &mut Schema, second: &mut Schema) {
        for (closed, other) in [(&*first, &*second), (&*second, &*first)] {
            if is_closed(closed)
                && let Some(name) = other.properties.keys().find(|name| !closed.properties.contains_key(name))
            {
                let message = format!(
                    "one part of the schema denies unknown fields, and another part that applies together with it has the field `{name}`; remove `deny_unknown_fields` from the inner type"
                );
                self.refuse(message);
            }
        }
        for (name, property) in std::mem::take(&mut second.properties) {
            match first.properties.remove(&name) {
                Some(present) => {
                    let both = self.at(format!(".{name}"), |reader| reader.both_finished(present, property));
                    first.properties.insert(name, both);
                }
                None => {
                    first.properties.insert(name, property);
                }
            }
        }
        first.required.append(&mut second.required);
        first.required.sort();
        first.required.dedup();
        first.additional_properties = match (first.additional_properties.take(), second.additional_properties.take()) {
            (Some(AdditionalProperties::Values(left)), Some(AdditionalProperties::Values(right))) => {
                let both = self.at("[*]", |reader| reader.both_finished(*left, *right));
                Some(AdditionalProperties::Values(Box::new(both)))
            }
            (Some(closed @ AdditionalProperties::Allowed(_)), _)
            | (_, Some(closed @ AdditionalProperties::Allowed(_))) => Some(closed),
            (left, right) => left.or(right),
        };
    }
}

fn both_bounds(first: &mut Schema, second: &mut Schema) {
    raise(&mut first.min_items, second.min_items);
    raise(&mut first.min_length, second.min_length);
    raise(&mut first.min_properties, second.min_properties);
    lower(&mut first.max_items, second.max_items);
    lower(&mut first.max_length, second.max_length);
    lower(&mut first.max_properties, second.max_properties);
    if let Some(bound) = second.minimum.take() {
        raise_minimum(first, bound, second.exclusive_minimum);
    }
    if let Some(bound) = second.maximum.take() {
        lower_maximum(first, bound, second.exclusive_maximum);
    }
}

fn raise(bound: &mut Option<i64>, other: Option<i64>) {
    *bound = (*bound).max(other);
}

fn lower(bound: &mut Option<i64>, other: Option<i64>) {
    *bound = [*bound, other].into_iter().flatten().min();
}

/// Adds a lower bound and keeps the narrower one.
pub(super) fn raise_minimum(schema: &mut Schema, bound: Number, is_exclusive: bool) {
    let order = schema.minimum.as_ref().map(|current| compare(current, &bound));
    match order {
        Some(std::cmp::Ordering::Greater) => {}
        Some(std::cmp::Ordering::Equal) => schema.exclusive_minimum |= is_exclusive,
        None | Some(std::cmp::Ordering::Less) => {
            schema.minimum = Some(bound);
            schema.exclusive_minimum = is_exclusive;
        }
    }
}

/// Adds an upper bound and keeps the narrower one.
pub(super) fn lower_maximum(schema: &mut Schema, bound: Number, is_exclusive: bool) {
    let order = schema.maximum.as_ref().map(|current| compare(current, &bound));
    match order {
        Some(std::cmp::Ordering::Less) => {}
        Some(std::cmp::Ordering::Equal) => schema.exclusive_maximum |= is_exclusive,
        None | Some(std::cmp::Ordering::Greater) => {
            schema.maximum = Some(bound);
            schema.exclusive_maximum = is_exclusive;
        }
    }
}

fn compare(left: &Number, right: &Number) -> std::cmp::Ordering {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => {
            let float = |number: &Number| number.as_f64().unwrap_or_default();
            float(left).total_cmp(&float(right))
        }
    }
}

/// The type that a value of an `enum` has.
pub(super) fn kind_of_value(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        // For a server, a number beyond 64 bits is a float.
        Value::Number(number) if number.as_i64().is_none() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
