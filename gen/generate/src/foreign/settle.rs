//! Converts a part to a node of a structural schema, when its position is decided.
//!
//! Invariants: after [`Reader::tidy`] every node has a type, is an integer or string, or keeps unknown fields, and no
//! `additionalProperties: false` and no invalid default remains. Before, a node inside an alternative may leave its type to the node
//! outside.

use serde_json::{Number, Value};

use super::part::{
    Null, Part, any, int_or_string_alternatives, is_unrestricted, kind_of_value, lower_maximum, raise_minimum,
};
use super::{Reader, WITHOUT_SCHEMA};
use crd_apiserver::formats;
use crd_apiserver::validate::{Patterns, Subject, Validator, short};
use crd_model::schema::{AdditionalProperties, Schema, Text};

/// The position of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    Top,
    Property {
        is_required: bool,
    },
    /// An item of a list, or a value of a map.
    Item,
}

/// Integers of Rust that Kubernetes has no format for, with the bounds that a 64-bit integer can exceed.
const INTEGER_FORMATS: [(&str, Option<i64>, Option<i64>); 9] = [
    ("int16", Some(-32_768), Some(32_767)),
    ("int8", Some(-128), Some(127)),
    ("uint", Some(0), None),
    ("uint128", Some(0), None),
    ("uint16", Some(0), Some(65_535)),
    ("uint32", Some(0), Some(4_294_967_295)),
    ("uint64", Some(0), None),
    ("uint8", Some(0), Some(255)),
    ("usize", Some(0), None),
];

/// 2^63: servers store bounds as 64-bit floats, and this one is larger than every integer.
const BEYOND_INTEGERS: f64 = 9_223_372_036_854_775_808.0;

impl Reader<'_> {
    pub(super) fn finish(&mut self, part: Part, position: Position) -> Schema {
        if part.is_refused {
            return Schema::default();
        }
        if part.is_null() {
            self.refuse(format!(
                "the only value is null (a unit, a unit struct or `PhantomData`), and Kubernetes does not have the type null; skip the field (`#[serde(skip)]`), use an empty struct with braces, {WITHOUT_SCHEMA}"
            ));
            return Schema::default();
        }
        let Part { schema, null, .. } = part;
        let mut schema = *schema;
        if is_unrestricted(&schema) {
            schema.preserve_unknown_fields = Some(true);
            return schema;
        }
        self.settle(&mut schema);
        if schema.int_or_string {
            let conditions = std::mem::replace(&mut schema.any_of, int_or_string_alternatives());
            if !conditions.is_empty() && conditions != schema.any_of {
                schema.all_of.push(Schema { any_of: conditions, ..Schema::default() });
            }
        }
        schema.nullable = null == Null::Allowed
            && match position {
                Position::Top => false,
                Position::Property { is_required } => is_required || schema.default.is_some(),
                Position::Item => true,
            };
        if schema.nullable && schema.enumeration.is_some() {
            self.refuse(format!(
                "the value is null or a value of an enum, but an API server never accepts null for an enum; remove the `Option` and add a value that means absence to the enum, {WITHOUT_SCHEMA}"
            ));
        }
        schema
    }

    /// Replaces keywords and values that Kubernetes does not have with its own.
    pub(super) fn settle(&mut self, schema: &mut Schema) {
        if schema.format.as_deref() == Some("int-or-string") {
            schema.format = None;
            schema.kind = None;
            schema.int_or_string = true;
        }
        if schema.kind.is_none() && !schema.int_or_string {
            schema.kind = implied_kind(schema).map(Into::into);
        }
        self.remove_unreachable(schema);
        match schema.kind.as_deref() {
            Some("integer") => self.settle_integer(schema),
            Some("number") => {
                schema.format = schema.format.take().filter(|format| matches!(format.as_ref(), "double" | "float"));
                self.settle_factor(schema);
            }
            Some("array") => self.settle_list(schema),
            Some("object") => self.settle_object(schema),
            Some("boolean") => schema.format = None,
            _ => {
                // A `duration` is ISO 8601 in JSON Schema, and Go's notation in Kubernetes.
                let is_kept = |format: &Text| format != "duration" && formats::is_enforced(format);
                schema.format = schema.format.take().filter(is_kept);
            }
        }
    }

    /// Removes keywords about values of other types, which have no effect, and values of other types from `enum`.
    fn remove_unreachable(&mut self, schema: &mut Schema) {
        let kind = match schema.kind.as_deref() {
            _ if schema.int_or_string => "integer or string",
            None => return,
            Some(kind) => kind,
        };
        if kind != "object" {
            schema.properties.clear();
            schema.required.clear();
            schema.additional_properties = None;
        }
        if kind != "array" {
            schema.items = None;
            schema.unique_items = false;
        }
        let Some(values) = &mut schema.enumeration else { return };
        values.retain(|value| {
            let kind_of_value = kind_of_value(value);
            kind_of_value == kind
                || kind == "number" && kind_of_value == "integer"
                || kind == "integer or string" && matches!(kind_of_value, "integer" | "string")
        });
        if values.is_empty() {
            let message = format!("no value of the enum has the type {kind}; correct the type's schema");
            self.refuse(message);
        }
    }

    fn settle_integer(&mut self, schema: &mut Schema) {
        let format = schema.format.take();
        if let Some((_, least, greatest)) = INTEGER_FORMATS.iter().find(|(name, ..)| Some(*name) == format.as_deref()) {
            if let Some(least) = least {
                raise_minimum(schema, (*least).into(), false);
            }
            if let Some(greatest) = greatest {
                lower_maximum(schema, (*greatest).into(), false);
            }
        }
        schema.format = format.filter(|format| matches!(format.as_ref(), "int32" | "int64"));
        let (least, greatest) = match schema.format.as_deref() {
            Some("int32") => (i128::from(i32::MIN), i128::from(i32::MAX)),
            _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
        };
        // The nearest integer inside: `inward` rounds a fraction, and `step` leads past an excluded bound.
        let whole = |bound: Number, inward: fn(f64) -> f64, step: i128| match bound.as_i128() {
            Some(bound) => bound + step,
            None => {
                let bound = bound.as_f64().unwrap_or_default();
                let step = if bound.fract() == 0.0 { step } else { 0 };
                (inward(bound) as i128).saturating_add(step)
            }
        };
        let low = schema.minimum.take().map(|bound| whole(bound, f64::ceil, schema.exclusive_minimum.into()));
        let high = schema.maximum.take().map(|bound| whole(bound, f64::floor, -i128::from(schema.exclusive_maximum)));
        schema.exclusive_minimum = false;
        schema.exclusive_maximum = false;
        if low.unwrap_or(least).max(least) > high.unwrap_or(greatest).min(greatest) {
            self.refuse("no integer is within these bounds; correct them");
            return;
        }
        // A bound beyond 64 bits excludes no integer, but servers would reject every value because of it.
        let number = |bound: i128| {
            (bound as f64 != BEYOND_INTEGERS).then(|| i64::try_from(bound).ok().map(Number::from)).flatten()
        };
        schema.minimum = low.filter(|low| *low > least).and_then(number);
        schema.maximum = high.filter(|high| *high < greatest).and_then(number);
        self.settle_factor(schema);
    }

    fn settle_factor(&mut self, schema: &Schema) {
        let Some(factor) = &schema.multiple_of else { return };
        let is_positive = factor.as_f64().is_some_and(|factor| factor > 0.0);
        if !is_positive || schema.kind.as_deref() == Some("integer") && factor.as_i64().is_none() {
            let message =
                format!("multipleOf is {factor}; API servers require a positive number, and an integer for integers");
            self.refuse(message);
        }
    }

    fn settle_list(&mut self, schema: &mut Schema) {
        schema.format = None;
        let items = schema.items.get_or_insert_with(|| Box::new(any()));
        if !std::mem::take(&mut schema.unique_items)
            || schema.list_type.as_deref().is_some_and(|list_type| list_type != "atomic")
        {
            return;
        }
        let is_scalar =
            items.int_or_string || matches!(items.kind.as_deref(), Some("boolean" | "integer" | "number" | "string"));
        if schema.list_type.is_some() {
            self.refuse("an atomic list can have duplicates; remove `x-kubernetes-list-type` from the type's schema");
        } else if is_scalar && !items.nullable {
            schema.list_type = Some("set".into());
        } else {
            self.refuse(format!(
                "the items of a set in Kubernetes are strings, numbers or booleans, not null; use a list (`#[schemars(with = \"Vec<…>\")]`), with `x-kubernetes-list-type: map` if the items have keys, {WITHOUT_SCHEMA}"
            ));
        }
    }

    fn settle_object(&mut self, schema: &mut Schema) {
        schema.format = None;
        let Some(AdditionalProperties::Values(values)) = &schema.additional_properties else { return };
        if schema.properties.is_empty() {
            return;
        }
        if is_unrestricted(&Schema { preserve_unknown_fields: None, ..(**values).clone() }) {
            schema.additional_properties = None;
            schema.preserve_unknown_fields = Some(true);
        } else {
            self.refuse(format!(
                "the type has named fields and a flattened map, but Kubernetes allows either `properties` or `additionalProperties`; move the map to a field, {WITHOUT_SCHEMA}"
            ));
        }
    }

    fn required_exist(&mut self, schema: &Schema) {
        if schema.kind.as_deref() != Some("object")
            || schema.preserve_unknown_fields.is_some()
            || matches!(schema.additional_properties, Some(AdditionalProperties::Values(_)))
        {
            return;
        }
        for name in schema.required.iter().filter(|name| !schema.properties.contains_key(name)) {
            self.refuse(format!("the field `{name}` is required but not described, so that servers would prune it; describe it or do not require it"));
        }
    }

    /// Removes intermediate keywords, and checks types and defaults of the complete schema.
    pub(super) fn tidy(&mut self, schema: &mut Schema) {
        if schema.kind.is_none() && !schema.int_or_string && schema.preserve_unknown_fields.is_none() {
            self.refuse(format!(
                "the value has conditions but no type; add `type` to the type's schema, {WITHOUT_SCHEMA}"
            ));
            return;
        }
        self.required_exist(schema);
        if matches!(schema.additional_properties, Some(AdditionalProperties::Allowed(_))) {
            schema.additional_properties = None;
        }
        for (name, property) in &mut schema.properties {
            self.at(format!(".{name}"), |reader| reader.tidy(property));
        }
        let values = match &mut schema.additional_properties {
            Some(AdditionalProperties::Values(values)) => Some(values),
            _ => None,
        };
        for below in schema.items.as_mut().into_iter().chain(values) {
            self.at("[*]", |reader| reader.tidy(below));
        }
        let Some(mut default) = schema.default.take() else { return };
        remove_absent(schema, &mut default);
        let patterns = Patterns::default();
        let validator =
            Validator { matches: &|pattern, text| patterns.matches(pattern, text), subject: Subject::Default };
        for violation in validator.validate(schema, &default) {
            self.refuse(format!(
                "the default {} is not valid ({violation}), and API servers reject it; change the default, or hide it from schemars (with a `skip_serializing_if` that is true for it)",
                short(&default)
            ));
        }
        schema.default = Some(default);
    }
}

/// Removes nulls from a default where absence means the same.
fn remove_absent(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|name, value| {
                let below = match (schema.properties.get(name.as_str()), &schema.additional_properties) {
                    (Some(property), _) => property,
                    (None, Some(AdditionalProperties::Values(values))) => values,
                    _ => return true,
                };
                remove_absent(below, value);
                !value.is_null() || below.nullable || below.preserve_unknown_fields.is_some()
            });
        }
        Value::Array(items) => {
            if let Some(below) = &schema.items {
                items.iter_mut().for_each(|item| remove_absent(below, item));
            }
        }
        _ => {}
    }
}

/// The type of a node without `type`, from its other keywords.
pub(super) fn implied_kind(schema: &Schema) -> Option<&'static str> {
    if !schema.properties.is_empty()
        || !schema.required.is_empty()
        || schema.additional_properties.is_some()
        || schema.embedded_resource
        || schema.map_type.is_some()
    {
        return Some("object");
    }
    if schema.items.is_some() || schema.list_type.is_some() {
        return Some("array");
    }
    let values = schema.enumeration.as_deref().unwrap_or_default();
    let kind = kind_of_value(values.first()?);
    values.iter().all(|value| kind_of_value(value) == kind).then_some(kind)
}
