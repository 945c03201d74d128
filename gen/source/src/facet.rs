//! Keywords of a schema node as markers.
//!
//! Invariants: each keyword of a node is a facet or a difference; the order of facets is that of the reference page, and within CEL rules and
//! list keys that of the node.

use crd_markers::fit::Kind;
use crd_markers::table::{MARKERS, MarkerSpec, Target};
use crd_model::schema::{AdditionalProperties, Schema, Validation};
use serde_json::{Number, Value};

use crate::marker::{check, json, list, quoted, text};

/// A keyword as a marker.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facet {
    pub(crate) keyword: &'static str,
    /// The name of the marker.
    pub(crate) name: &'static str,
    /// The text behind the name.
    argument: String,
    /// The value that must be read again.
    value: Option<Value>,
}

impl Facet {
    fn flag(keyword: &'static str, name: &'static str) -> Self {
        Self { keyword, name, argument: String::new(), value: None }
    }

    pub(crate) fn value(keyword: &'static str, name: &'static str, value: Value, written: String) -> Self {
        Self { keyword, name, argument: format!("={written}"), value: Some(value) }
    }

    pub(crate) fn named(keyword: &'static str, name: &'static str, arguments: &[(&str, String)]) -> Self {
        let arguments = arguments.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>();
        Self { keyword, name, argument: format!(":{}", arguments.join(",")), value: None }
    }

    fn string(keyword: &'static str, name: &'static str, value: &str, written: String) -> Self {
        Self::value(keyword, name, Value::String(value.to_owned()), written)
    }

    pub(crate) fn plain(keyword: &'static str, name: &'static str) -> Self {
        Self::flag(keyword, name)
    }

    /// The description in place of the doc comment.
    pub(crate) fn description(text: &str) -> Self {
        Self::string("description", "schema:description", text, quoted(text))
    }

    /// The text of the marker without the plus.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.name, self.argument)
    }

    fn spec(&self) -> Option<&'static MarkerSpec> {
        MARKERS.iter().find(|spec| spec.name == self.name)
    }

    /// The text of the same marker for the items of a list, if there is one.
    pub(crate) fn for_items(&self) -> Option<String> {
        let last = self.name.strip_prefix("kubebuilder:validation:")?;
        self.spec()?.for_items.then(|| format!("kubebuilder:validation:items:{last}{}", self.argument))
    }

    pub(crate) fn is_allowed_on(&self, target: Target) -> bool {
        self.spec().is_some_and(|spec| spec.targets.contains(target))
    }

    /// Why it cannot be written for a value of that kind; nothing if it can.
    pub(crate) fn refusal(&self, kind: Kind, target: Target) -> Option<String> {
        let Some(spec) = self.spec() else { return Some("there is no marker for it".to_owned()) };
        if !spec.applies.takes(kind) {
            return Some(format!(
                "it has no effect, because it is for {} and this is {}",
                spec.applies.in_words(),
                kind.in_words()
            ));
        }
        if let Some(Value::String(value)) = &self.value
            && self.keyword == "default"
            && value.starts_with("ref(")
        {
            return Some("a default of this form refers to a Go constant in the marker language".to_owned());
        }
        if !spec.targets.contains(target) {
            return Some("its marker is for fields only".to_owned());
        }
        check(&self.text(), target, self.value.as_ref()).err()
    }
}

/// The markers of the keywords, and the keywords without a marker with the reason.
pub(crate) fn facets(schema: &Schema, kind: Kind) -> (Vec<Facet>, Vec<(&'static str, &'static str)>) {
    let mut all = Vec::new();
    let mut without = Vec::new();
    let mut string = |keyword, name, value: &Option<crd_model::schema::Text>, write: fn(&str) -> String| {
        all.extend(value.as_deref().map(|value| Facet::string(keyword, name, value, write(value))));
    };
    string("type", "kubebuilder:validation:Type", &schema.kind, text);
    string("title", "kubebuilder:title", &schema.title, quoted);
    if schema.int_or_string {
        all.push(Facet::flag("x-kubernetes-int-or-string", "kubebuilder:validation:XIntOrString"));
    }
    if let Some(docs) = &schema.external_docs {
        let description = docs.description.as_deref().map(|text| ("description", quoted(text)));
        let url = ("url", quoted(docs.url.as_deref().unwrap_or_default()));
        let arguments: Vec<_> = description.into_iter().chain([url]).collect();
        all.push(Facet::named("externalDocs", "kubebuilder:externalDocs", &arguments));
    }
    let mut string = |keyword, name, value: &Option<crd_model::schema::Text>, write: fn(&str) -> String| {
        all.extend(value.as_deref().map(|value| Facet::string(keyword, name, value, write(value))));
    };
    string("x-kubernetes-list-type", "listType", &schema.list_type, text);
    for key in &schema.list_map_keys {
        string("x-kubernetes-list-map-keys", "listMapKey", &Some(key.clone()), text);
    }
    let map_type = if kind == Kind::Struct { "structType" } else { "mapType" };
    string("x-kubernetes-map-type", map_type, &schema.map_type, text);
    let number = |value: &Option<Number>| value.clone().map(Value::Number);
    let count = |value: Option<i64>| value.map(|value| Value::Number(value.into()));
    let flag = |is_set: bool| is_set.then_some(Value::Bool(true));
    for (keyword, name, value) in [
        ("maximum", "kubebuilder:validation:Maximum", number(&schema.maximum)),
        ("minimum", "kubebuilder:validation:Minimum", number(&schema.minimum)),
        ("exclusiveMaximum", "kubebuilder:validation:ExclusiveMaximum", flag(schema.exclusive_maximum)),
        ("exclusiveMinimum", "kubebuilder:validation:ExclusiveMinimum", flag(schema.exclusive_minimum)),
        ("multipleOf", "kubebuilder:validation:MultipleOf", number(&schema.multiple_of)),
        ("maxLength", "kubebuilder:validation:MaxLength", count(schema.max_length)),
        ("minLength", "kubebuilder:validation:MinLength", count(schema.min_length)),
        ("maxItems", "kubebuilder:validation:MaxItems", count(schema.max_items)),
        ("minItems", "kubebuilder:validation:MinItems", count(schema.min_items)),
        ("uniqueItems", "kubebuilder:validation:UniqueItems", flag(schema.unique_items)),
        ("maxProperties", "kubebuilder:validation:MaxProperties", count(schema.max_properties)),
        ("minProperties", "kubebuilder:validation:MinProperties", count(schema.min_properties)),
    ] {
        all.extend(value.map(|value| Facet::value(keyword, name, value.clone(), value.to_string())));
    }
    if let Some(values) = &schema.enumeration {
        all.push(Facet::value("enum", "kubebuilder:validation:Enum", Value::Array(values.clone()), list(values)));
    }
    let mut string = |keyword, name, value: &Option<crd_model::schema::Text>, write: fn(&str) -> String| {
        all.extend(value.as_deref().map(|value| Facet::string(keyword, name, value, write(value))));
    };
    string("pattern", "kubebuilder:validation:Pattern", &schema.pattern, quoted);
    string("format", "kubebuilder:validation:Format", &schema.format, text);
    if let Some(default) = &schema.default {
        // Rust's integers have no fraction.
        let default = match default
            .as_f64()
            .filter(|float| kind == Kind::Integer && float.fract() == 0.0 && float.abs() < 9e15)
        {
            Some(whole) => Value::Number((whole as i64).into()),
            None => default.clone(),
        };
        all.push(Facet::value("default", "kubebuilder:default", default.clone(), json(&default)));
    }
    if let Some(example) = &schema.example {
        all.push(Facet::value("example", "kubebuilder:example", example.clone(), json(example)));
    }
    if schema.preserve_unknown_fields == Some(true) {
        let keyword = "x-kubernetes-preserve-unknown-fields";
        all.push(Facet::flag(keyword, "kubebuilder:pruning:PreserveUnknownFields"));
    }
    if schema.embedded_resource {
        all.push(Facet::flag("x-kubernetes-embedded-resource", "kubebuilder:validation:XEmbeddedResource"));
    }
    for (keyword, name, branches) in [
        ("oneOf", "schema:oneOf", &schema.one_of),
        ("anyOf", "schema:anyOf", &schema.any_of),
        ("allOf", "schema:allOf", &schema.all_of),
    ] {
        if !branches.is_empty() {
            let values: Vec<Value> = branches.iter().map(Schema::to_value).collect();
            all.push(Facet::value(keyword, name, Value::Array(values.clone()), list(&values)));
        }
    }
    if let Some(not) = &schema.not {
        let value = not.to_value();
        all.push(Facet::value("not", "schema:not", value.clone(), json(&value)));
    }
    all.extend(schema.validations.iter().map(rule));
    if schema.id.is_some() {
        without.push(("id", "servers reject it"));
    }
    match schema.additional_properties {
        _ if !matches!(kind, Kind::Map | Kind::Struct) => {}
        Some(AdditionalProperties::Allowed(true)) if kind == Kind::Map => {
            without
                .push(("additionalProperties", "the types have a map of any values, which accepts the same objects"));
        }
        Some(AdditionalProperties::Allowed(true)) => {
            without.push(("additionalProperties", "a struct has the properties that it lists; no other type has both"));
        }
        Some(AdditionalProperties::Allowed(false)) => {
            without
                .push(("additionalProperties", "the types have an empty struct, whose unknown fields are dropped too"));
        }
        _ => {}
    }
    (all, without)
}

/// A CEL rule.
fn rule(validation: &Validation) -> Facet {
    let mut arguments = Vec::new();
    let mut argument = |name, value: Option<&str>, write: fn(&str) -> String| {
        arguments.extend(value.map(|value| (name, write(value))));
    };
    argument("fieldPath", validation.field_path.as_deref(), quoted);
    argument("message", validation.message.as_deref(), quoted);
    argument("messageExpression", validation.message_expression.as_deref(), quoted);
    argument("reason", validation.reason.as_deref(), text);
    if let Some(optional) = validation.optional_old_self {
        argument("optionalOldSelf", Some(if optional { "true" } else { "false" }), str::to_owned);
    }
    argument("rule", Some(&validation.rule), quoted);
    Facet::named("x-kubernetes-validations", "kubebuilder:validation:XValidation", &arguments)
}
