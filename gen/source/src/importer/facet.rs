//! Keywords of a schema node as markers.
//!
//! Invariants: each keyword of a node is a facet or a difference; the order of facets is that of the reference page, and within CEL rules and
//! list keys that of the node.

use crd_markers::fit::Kind;
use crd_markers::table::{MARKERS, MarkerSpec, Target};
use crd_model::schema::{AdditionalProperties, ExternalDocs, Schema, Text, Validation};
use serde_json::{Number, Value};

use crate::importer::marker::{check, json, list, quoted, text};

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

/// The markers of the keywords.
pub(crate) fn facets(schema: &Schema, kind: Kind) -> Vec<Facet> {
    let string = |keyword, name, value: &Option<Text>, write: fn(&str) -> String| {
        value.as_deref().map(|value| Facet::string(keyword, name, value, write(value)))
    };
    let flag = |is_set: bool, keyword, name| is_set.then(|| Facet::flag(keyword, name));
    let mut all = Vec::new();
    all.extend(string("type", "kubebuilder:validation:Type", &schema.kind, text));
    all.extend(string("title", "kubebuilder:title", &schema.title, quoted));
    all.extend(flag(schema.int_or_string, "x-kubernetes-int-or-string", "kubebuilder:validation:XIntOrString"));
    all.extend(schema.external_docs.as_ref().map(external_docs));
    all.extend(string("x-kubernetes-list-type", "listType", &schema.list_type, text));
    let keys = schema.list_map_keys.iter();
    all.extend(keys.map(|key| Facet::string("x-kubernetes-list-map-keys", "listMapKey", key, text(key))));
    let map_type = if kind == Kind::Struct { "structType" } else { "mapType" };
    all.extend(string("x-kubernetes-map-type", map_type, &schema.map_type, text));
    bounds(schema, &mut all);
    if let Some(values) = &schema.enumeration {
        all.push(Facet::value("enum", "kubebuilder:validation:Enum", Value::Array(values.clone()), list(values)));
    }
    all.extend(string("pattern", "kubebuilder:validation:Pattern", &schema.pattern, quoted));
    all.extend(string("format", "kubebuilder:validation:Format", &schema.format, text));
    all.extend(schema.default.as_ref().map(|value| default(value, kind)));
    if let Some(example) = &schema.example {
        all.push(Facet::value("example", "kubebuilder:example", example.clone(), json(example)));
    }
    let (keyword, name) = ("x-kubernetes-preserve-unknown-fields", "kubebuilder:pruning:PreserveUnknownFields");
    all.extend(flag(schema.preserve_unknown_fields == Some(true), keyword, name));
    let (keyword, name) = ("x-kubernetes-embedded-resource", "kubebuilder:validation:XEmbeddedResource");
    all.extend(flag(schema.embedded_resource, keyword, name));
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
    all
}

fn external_docs(docs: &ExternalDocs) -> Facet {
    let description = docs.description.as_deref().map(|text| ("description", quoted(text)));
    let url = ("url", quoted(docs.url.as_deref().unwrap_or_default()));
    let arguments: Vec<_> = description.into_iter().chain([url]).collect();
    Facet::named("externalDocs", "kubebuilder:externalDocs", &arguments)
}

fn bounds(schema: &Schema, all: &mut Vec<Facet>) {
    let number = |value: &Option<Number>| value.clone().map(Value::Number);
    let count = |value: Option<i64>| value.map(Value::from);
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
}

fn default(value: &Value, kind: Kind) -> Facet {
    // Rust's integers have no fraction.
    let is_whole = |float: &f64| kind == Kind::Integer && float.fract() == 0.0 && float.abs() < 9e15;
    let value = match value.as_f64().filter(is_whole) {
        Some(whole) => Value::from(whole as i64),
        None => value.clone(),
    };
    Facet::value("default", "kubebuilder:default", value.clone(), json(&value))
}

/// The markers that can be written for a value of that kind, each once. The reason why another one cannot is reported with its keyword.
pub(crate) fn writable(
    all: Vec<Facet>,
    kind: Kind,
    target: Target,
    mut report: impl FnMut(&'static str, String),
) -> Vec<Facet> {
    let mut kept: Vec<Facet> = Vec::new();
    for facet in all {
        let refusal = match kept.contains(&facet) {
            true => Some("it appears twice; the types have it once".to_owned()),
            false => facet.refusal(kind, target),
        };
        match refusal {
            Some(reason) => report(facet.keyword, reason),
            None => kept.push(facet),
        }
    }
    kept
}

/// The keywords without a marker, with the reason.
pub(crate) fn without_marker(schema: &Schema, kind: Kind) -> Vec<(&'static str, &'static str)> {
    let id = schema.id.is_some().then_some(("id", "servers reject it"));
    let reason = match schema.additional_properties {
        _ if !matches!(kind, Kind::Map | Kind::Struct) => None,
        Some(AdditionalProperties::Allowed(true)) if kind == Kind::Map => {
            Some("the types have a map of any values, which accepts the same objects")
        }
        Some(AdditionalProperties::Allowed(true)) => {
            Some("a struct has the properties that it lists; no other type has both")
        }
        Some(AdditionalProperties::Allowed(false)) => {
            Some("the types have an empty struct, whose unknown fields are dropped too")
        }
        _ => None,
    };
    id.into_iter().chain(reason.map(|reason| ("additionalProperties", reason))).collect()
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
