//! The keywords of one node of a JSON Schema.
//!
//! Invariants: a keyword that is in none of the tables below and that Kubernetes does not have is refused; keys are read in alphabetical
//! order, for any order of the map; a property of any name is a property, never a keyword.

use crd_markers::docs::unescaped;
use serde_json::{Map, Number, Value};

use super::alternatives::Junctor;
use super::part::{
    Null, Part, any, is_unrestricted, kind_of_value, lower_maximum, raise_minimum, without_documentation,
};
use super::settle::{Position, implied_kind};
use super::{Reader, WITHOUT_SCHEMA};
use crd_model::schema::{AdditionalProperties, ReadErrorKind, Schema, Text, kind_of};

/// Keywords that are converted below.
const OWN: [&str; 24] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "items",
    "maximum",
    "minimum",
    "not",
    "nullable",
    "oneOf",
    "properties",
    "title",
    "type",
    "unevaluatedProperties",
    // Contain definitions.
    "$defs",
    "components",
    "definitions",
];

/// Keywords that neither check nor shape values.
const IGNORED: [&str; 17] = [
    "$anchor",
    "$comment",
    "$id",
    "$schema",
    "$vocabulary",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "deprecated",
    "discriminator",
    // `$id` of draft 4.
    "id",
    "readOnly",
    "writeOnly",
    "x-kubernetes-group-version-kind",
    "x-kubernetes-patch-merge-key",
    "x-kubernetes-patch-strategy",
    "xml",
];

const TUPLE: &str = "a tuple has items of different types, but all items of a list in Kubernetes have the same type; use a struct with named fields";
const CONDITION: &str =
    "Kubernetes has no conditional schemas; write a CEL rule (`+kubebuilder:validation:XValidation`) on the field";
const KEYS: &str = "Kubernetes cannot restrict the keys of a map, which are any strings; use strings as keys, and check them with a CEL rule";
const MEMBERS: &str = "Kubernetes cannot require that a list contains a certain item; write a CEL rule";
const DYNAMIC: &str = "the target of the reference depends on the referring schema; write the schema out";

/// Keywords without an equivalent in Kubernetes, and a fix.
const REFUSED: [(&str, &str); 18] = [
    ("$dynamicAnchor", DYNAMIC),
    ("$dynamicRef", DYNAMIC),
    ("$recursiveAnchor", DYNAMIC),
    ("$recursiveRef", DYNAMIC),
    ("additionalItems", TUPLE),
    ("contains", MEMBERS),
    ("dependencies", CONDITION),
    ("dependentRequired", CONDITION),
    ("dependentSchemas", CONDITION),
    ("else", CONDITION),
    ("if", CONDITION),
    ("maxContains", MEMBERS),
    ("minContains", MEMBERS),
    ("patternProperties", KEYS),
    ("prefixItems", TUPLE),
    ("propertyNames", KEYS),
    ("then", CONDITION),
    ("unevaluatedItems", TUPLE),
];

impl Reader<'_> {
    /// Reads a schema object.
    pub(super) fn node(&mut self, map: &Map<String, Value>) -> Part {
        let reasons = self.reasons.len();
        let enclosing = self.enclosing.take();
        let mut part = self.conditions(map);
        self.structure(&mut part.schema, map);
        if self.reasons.len() > reasons {
            part.is_refused = true;
        }

        if let Some(reference) = map.get("$ref") {
            let target = match reference.as_str() {
                Some(reference) => self.follow(reference),
                None => {
                    self.refuse("`$ref` must be a string");
                    Part::refused()
                }
            };
            part = self.both(part, target);
        }
        if let Some(members) = self.schemas(map, "allOf") {
            for (index, member) in members.iter().enumerate() {
                self.enclosing = Some(declared(&part.schema, enclosing.as_deref()));
                let member = self.at(format!("{{allOf[{index}]}}"), |reader| reader.read(member));
                part = self.both(part, member);
            }
        }
        for junctor in [Junctor::OneOf, Junctor::AnyOf] {
            if let Some(alternatives) = self.schemas(map, junctor.keyword()) {
                move_to_all_of(&mut part.schema, junctor);
                let declared = declared(&part.schema, enclosing.as_deref());
                let parts = self.read_alternatives(junctor, alternatives, &declared);
                let alternatives = self.alternatives(junctor, parts, &declared);
                part = self.both(part, alternatives);
            }
        }
        if let Some(forbidden) = map.get("not") {
            let declared = declared(&part.schema, enclosing.as_deref());
            let kind = declared.kind.clone().or(implied_kind(&declared).map(Text::Borrowed));
            self.enclosing = Some(declared);
            let forbidden = self.at("{not}", |reader| reader.read(forbidden));
            let negation = self.at("{not}", |reader| reader.negation(forbidden, kind.as_deref()));
            part = self.both(part, negation);
        }
        if let Some(values) = map.get("unevaluatedProperties")
            && !part.is_refused
        {
            // Unlike `additionalProperties`, it respects the properties of all parts.
            part.schema.additional_properties = Some(self.other_properties(values));
        }
        if map.get("nullable").and_then(Value::as_bool) == Some(true) && !part.is_null() {
            part.null = Null::Allowed;
        }
        part
    }

    /// The keywords about the value itself, without properties and items.
    fn conditions(&mut self, map: &Map<String, Value>) -> Part {
        let mut part = Part { schema: Box::new(self.shared(map)), ..Part::default() };
        self.documentation(&mut part, map);
        self.kind(&mut part, map.get("type"));
        self.values(&mut part, map);
        self.bounds(&mut part.schema, map);
        part
    }

    fn schemas<'m>(&mut self, map: &'m Map<String, Value>, keyword: &str) -> Option<&'m Vec<Value>> {
        let value = map.get(keyword)?;
        if value.as_array().is_none_or(Vec::is_empty) {
            self.refuse(format!("`{keyword}` must be a list of at least one schema"));
        }
        value.as_array().filter(|list| !list.is_empty())
    }

    /// Copies the keywords that Kubernetes has too, and refuses those that have no equivalent.
    fn shared(&mut self, map: &Map<String, Value>) -> Schema {
        let mut shared = Map::new();
        let mut keys: Vec<&String> = map.keys().collect();
        keys.sort_unstable();
        let mut reported = Vec::new();
        for key in keys {
            if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| refused == key) {
                if !reported.contains(why) {
                    self.refuse(format!("`{key}`: {why}, {WITHOUT_SCHEMA}"));
                    reported.push(*why);
                }
            } else if !is_read_elsewhere(key) {
                shared.insert(key.clone(), map[key].clone());
            }
        }
        let mut schema = match Schema::from_value(&Value::Object(shared)) {
            Ok(schema) => schema,
            Err(errors) => {
                for error in errors {
                    self.refuse(match error.kind {
                        ReadErrorKind::Unknown if map.contains_key(&error.path) => {
                            let keyword = &error.path;
                            format!("unknown keyword `{keyword}`, which might check values; remove it from the type's schema")
                        }
                        _ => format!("{error}; correct the type's schema"),
                    });
                }
                Schema::default()
            }
        };
        schema.required.dedup();
        schema.multiple_of = schema.multiple_of.map(whole);
        schema.preserve_unknown_fields = schema.preserve_unknown_fields.filter(|preserve| *preserve);
        if let Some(problem) = schema.pattern.as_deref().and_then(|pattern| crd_regexp::recognise(pattern).err()) {
            let pattern = schema.pattern.take().unwrap_or_default();
            self.refuse(format!(
                "the pattern {pattern} is not a valid RE2 expression, which Kubernetes requires: {problem}; rewrite it"
            ));
        }
        schema
    }

    /// Description, default and example.
    fn documentation(&mut self, part: &mut Part, map: &Map<String, Value>) {
        let text = |keyword: &str| map.get(keyword).and_then(Value::as_str).filter(|text| !text.is_empty());
        let mut description = text("description").map(str::to_owned);
        // At the root of a document, schemars writes the name of the type into `title`, which is otherwise a heading of the documentation.
        let is_root = self.path.is_empty() && self.open.len() == 1;
        if let Some(title) = text("title").filter(|title| !is_root || title.contains(char::is_whitespace)) {
            description = Some(match description {
                Some(description) => format!("# {title}\n\n{description}"),
                None => format!("# {title}"),
            });
        }
        if let Some(marker) = description.as_deref().and_then(crd_markers::docs::leftover_marker) {
            self.refuse(format!(
                "the description has the marker line `{marker}`, and markers of foreign types are not read; put `#[api]` on the type, or remove the line"
            ));
        }
        part.schema.description = description.map(|text| unescaped(&text).into_owned().into());
        part.schema.default = map.get("default").filter(|default| !default.is_null()).cloned();
        if part.schema.example.is_none() {
            let examples = map.get("examples").and_then(Value::as_array);
            part.schema.example =
                examples.and_then(|examples| examples.first()).filter(|example| !example.is_null()).cloned();
        }
    }

    fn kind(&mut self, part: &mut Part, value: Option<&Value>) {
        let mut kinds: Vec<&str> = match value {
            None => return,
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            Some(other) => {
                self.refuse(format!("`type` must be a string or a list of strings, not {}", kind_of(other)));
                return;
            }
        };
        if let Some(kind) = kinds.iter().find(|kind| !KINDS.contains(kind)) {
            let message = format!("`{kind}` is not a type; the types are {}", KINDS.join(", "));
            self.refuse(message);
            return;
        }
        kinds.sort_unstable();
        kinds.dedup();
        part.null = if kinds.contains(&"null") { Null::Allowed } else { Null::Forbidden };
        if kinds.len() > 1 {
            kinds.retain(|kind| *kind != "null");
        }
        match kinds.as_slice() {
            [kind] => part.schema.kind = Some(Text::Owned((*kind).to_owned())),
            ["integer", "number"] => part.schema.kind = Some("number".into()),
            ["integer", "string"] => part.schema.int_or_string = true,
            _ => self.refuse(format!(
                "the value may have several types ({}), but Kubernetes permits one type, or an integer or a string; use one type (`#[schemars(with = \"…\")]` next to the serde attribute), {WITHOUT_SCHEMA}",
                kinds.join(", ")
            )),
        }
    }

    /// `enum` and `const`.
    fn values(&mut self, part: &mut Part, map: &Map<String, Value>) {
        let mut values = match map.get("enum") {
            None => None,
            Some(Value::Array(values)) if !values.is_empty() => Some(values.clone()),
            Some(_) => {
                self.refuse("`enum` must be a list of at least one value");
                None
            }
        };
        if let Some(constant) = map.get("const") {
            values = Some(match values {
                Some(values) => values.into_iter().filter(|value| value == constant).collect(),
                None => vec![constant.clone()],
            });
        }
        let Some(mut values) = values else { return };
        let has_null = values.iter().any(Value::is_null);
        values.retain(|value| !value.is_null());
        part.null = match part.null {
            Null::Unspecified | Null::Allowed if has_null => Null::Allowed,
            _ => Null::Forbidden,
        };
        if values.is_empty() {
            if has_null && part.schema.kind.is_none() {
                part.schema.kind = Some("null".into());
            } else if !part.is_null() {
                self.refuse("no value satisfies both `enum` and `const`");
            }
            return;
        }
        if part.schema.kind.is_none() {
            let mut kinds: Vec<&str> = values.iter().map(kind_of_value).collect();
            kinds.sort_unstable();
            kinds.dedup();
            part.schema.int_or_string |= kinds == ["integer", "string"];
        }
        part.schema.enumeration = Some(values);
    }

    fn bounds(&mut self, schema: &mut Schema, map: &Map<String, Value>) {
        for (keyword, exclusive_keyword, add) in [
            ("minimum", "exclusiveMinimum", raise_minimum as fn(&mut Schema, Number, bool)),
            ("maximum", "exclusiveMaximum", lower_maximum),
        ] {
            // JSON Schema has a number here, OpenAPI 3.0 a flag.
            let is_flag = map.get(exclusive_keyword).is_some_and(Value::is_boolean);
            for (key, is_exclusive) in [(keyword, false), (exclusive_keyword, true)] {
                match map.get(key) {
                    Some(Value::Number(bound)) => add(schema, whole(bound.clone()), is_exclusive),
                    None => {}
                    Some(Value::Bool(_)) if is_exclusive => {}
                    Some(other) => self.refuse(format!("`{key}` must be a number, not {}", kind_of(other))),
                }
            }
            if is_flag && map.get(exclusive_keyword).and_then(Value::as_bool) == Some(true) {
                match keyword {
                    "minimum" => schema.exclusive_minimum = schema.minimum.is_some(),
                    _ => schema.exclusive_maximum = schema.maximum.is_some(),
                }
            }
        }
    }

    fn structure(&mut self, schema: &mut Schema, map: &Map<String, Value>) {
        match map.get("properties") {
            None => {}
            Some(Value::Object(properties)) => {
                let mut names: Vec<&String> = properties.keys().collect();
                names.sort_unstable();
                for name in names {
                    self.at(format!(".{name}"), |reader| {
                        let part = reader.read(&properties[name]);
                        reader.property(schema, name, part);
                    });
                }
            }
            Some(other) => self.refuse(format!("`properties` must be an object, not {}", kind_of(other))),
        }
        if let Some(values) = map.get("additionalProperties") {
            schema.additional_properties = Some(self.other_properties(values));
        }
        match map.get("items") {
            None => {}
            // The form of draft 7.
            Some(Value::Array(_)) => self.refuse(format!("`items`: {TUPLE}, {WITHOUT_SCHEMA}")),
            Some(items) => schema.items = Some(self.item(items)),
        }
    }

    fn property(&mut self, schema: &mut Schema, name: &str, part: Part) {
        let position = Position::Property { is_required: schema.required.iter().any(|required| required == name) };
        let property = self.finish(part, position);
        schema.properties.insert(Text::Owned(name.to_owned()), property);
    }

    /// An item of a list, or a value of a map.
    fn item(&mut self, value: &Value) -> Box<Schema> {
        self.at("[*]", |reader| {
            let part = reader.read(value);
            Box::new(reader.finish(part, Position::Item))
        })
    }

    fn other_properties(&mut self, value: &Value) -> AdditionalProperties {
        match value {
            Value::Bool(false) => AdditionalProperties::Allowed(false),
            Value::Bool(true) => AdditionalProperties::Values(Box::new(any())),
            other => AdditionalProperties::Values(self.item(other)),
        }
    }

    /// `not`, in a node of this type.
    fn negation(&mut self, part: Part, kind: Option<&str>) -> Part {
        if part.is_refused {
            return part;
        }
        let mut forbidden = without_documentation(&part.schema);
        if kind.is_some() && forbidden.kind.as_deref() == kind {
            forbidden.kind = None;
        }
        let is_condition = !part.is_null()
            && forbidden.kind.is_none()
            && forbidden.properties.is_empty()
            && forbidden.items.is_none()
            && forbidden.additional_properties.is_none()
            && !forbidden.int_or_string
            && forbidden.list_type.is_none()
            && forbidden.map_type.is_none()
            && forbidden.preserve_unknown_fields.is_none()
            && forbidden.validations.is_empty();
        if !is_condition || is_unrestricted(&forbidden) {
            self.refuse(format!(
                "`not` excludes values by type or structure, but in Kubernetes it takes conditions on the value only; write a CEL rule, {WITHOUT_SCHEMA}"
            ));
            return Part::refused();
        }
        Part { schema: Box::new(Schema { not: Some(Box::new(forbidden)), ..Schema::default() }), ..Part::default() }
    }
}

/// The structure of a value: of its node and of the enclosing schemas about the same value.
fn declared(schema: &Schema, enclosing: Option<&Schema>) -> Box<Schema> {
    fn declare(schema: &mut Schema, also: &Schema) {
        if schema.kind.is_none() {
            schema.kind.clone_from(&also.kind);
        }
        for (name, property) in &also.properties {
            declare(schema.properties.get_or_insert_default(name.clone()), property);
        }
        if let Some(items) = &also.items {
            declare(schema.items.get_or_insert_default(), items);
        }
    }
    let mut declared = Box::new(schema.clone());
    if let Some(enclosing) = enclosing {
        declare(&mut declared, enclosing);
    }
    declared
}

/// Moves the alternatives that came from `allOf` back to an `allOf`, so that the node can have its own.
fn move_to_all_of(schema: &mut Schema, junctor: Junctor) {
    let further = match junctor {
        Junctor::OneOf => Schema { one_of: std::mem::take(&mut schema.one_of), ..Schema::default() },
        Junctor::AnyOf => Schema { any_of: std::mem::take(&mut schema.any_of), ..Schema::default() },
    };
    if further != Schema::default() {
        schema.all_of.push(further);
    }
}

const KINDS: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

fn is_read_elsewhere(key: &str) -> bool {
    OWN.contains(&key) || IGNORED.contains(&key) || key.starts_with("x-") && !key.starts_with("x-kubernetes-")
}

/// A number without an empty fraction: `1.0` becomes 1.
pub(super) fn whole(number: Number) -> Number {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => (float as i64).into(),
        _ => number,
    }
}
