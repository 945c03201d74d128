//! Keywords of a schema node as markers.
//!
//! Invariants: each keyword of a node is a facet or a difference; the order of facets is that of the reference page, and within CEL rules and
//! list keys that of the node.

use crd_markers::fit::Kind;
use crd_markers::table::{MARKERS, MarkerSpec, Target};
use crd_model::schema::{AdditionalProperties, ExternalDocs, Keyword, Schema, Validation};
use serde_json::Value;

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

/// The keywords that have a marker, in the order of the reference page.
const ORDER: [Keyword; 30] = [
    Keyword::Type,
    Keyword::Title,
    Keyword::IntOrString,
    Keyword::ExternalDocs,
    Keyword::ListType,
    Keyword::ListMapKeys,
    Keyword::MapType,
    Keyword::Maximum,
    Keyword::Minimum,
    Keyword::ExclusiveMaximum,
    Keyword::ExclusiveMinimum,
    Keyword::MultipleOf,
    Keyword::MaxLength,
    Keyword::MinLength,
    Keyword::MaxItems,
    Keyword::MinItems,
    Keyword::UniqueItems,
    Keyword::MaxProperties,
    Keyword::MinProperties,
    Keyword::Enum,
    Keyword::Pattern,
    Keyword::Format,
    Keyword::Default,
    Keyword::Example,
    Keyword::PreserveUnknownFields,
    Keyword::EmbeddedResource,
    Keyword::OneOf,
    Keyword::AnyOf,
    Keyword::AllOf,
    Keyword::Not,
];

/// The name of the marker of a keyword; none where the type states it, where a rule has a marker of its own, and where servers refuse it.
fn marker(keyword: Keyword, kind: Kind) -> Option<&'static str> {
    Some(match keyword {
        Keyword::Type => "kubebuilder:validation:Type",
        Keyword::Title => "kubebuilder:title",
        Keyword::IntOrString => "kubebuilder:validation:XIntOrString",
        Keyword::ExternalDocs => "kubebuilder:externalDocs",
        Keyword::ListType => "listType",
        Keyword::ListMapKeys => "listMapKey",
        Keyword::MapType if kind == Kind::Struct => "structType",
        Keyword::MapType => "mapType",
        Keyword::Maximum => "kubebuilder:validation:Maximum",
        Keyword::Minimum => "kubebuilder:validation:Minimum",
        Keyword::ExclusiveMaximum => "kubebuilder:validation:ExclusiveMaximum",
        Keyword::ExclusiveMinimum => "kubebuilder:validation:ExclusiveMinimum",
        Keyword::MultipleOf => "kubebuilder:validation:MultipleOf",
        Keyword::MaxLength => "kubebuilder:validation:MaxLength",
        Keyword::MinLength => "kubebuilder:validation:MinLength",
        Keyword::MaxItems => "kubebuilder:validation:MaxItems",
        Keyword::MinItems => "kubebuilder:validation:MinItems",
        Keyword::UniqueItems => "kubebuilder:validation:UniqueItems",
        Keyword::MaxProperties => "kubebuilder:validation:MaxProperties",
        Keyword::MinProperties => "kubebuilder:validation:MinProperties",
        Keyword::Enum => "kubebuilder:validation:Enum",
        Keyword::Pattern => "kubebuilder:validation:Pattern",
        Keyword::Format => "kubebuilder:validation:Format",
        Keyword::Default => "kubebuilder:default",
        Keyword::Example => "kubebuilder:example",
        Keyword::PreserveUnknownFields => "kubebuilder:pruning:PreserveUnknownFields",
        Keyword::EmbeddedResource => "kubebuilder:validation:XEmbeddedResource",
        Keyword::OneOf => "schema:oneOf",
        Keyword::AnyOf => "schema:anyOf",
        Keyword::AllOf => "schema:allOf",
        Keyword::Not => "schema:not",
        Keyword::AdditionalProperties
        | Keyword::Description
        | Keyword::Id
        | Keyword::Items
        | Keyword::Nullable
        | Keyword::Properties
        | Keyword::Required
        | Keyword::Validations => return None,
    })
}

/// The markers of the keywords.
pub(crate) fn facets(schema: &Schema, kind: Kind) -> Vec<Facet> {
    let mut all = Vec::new();
    for keyword in ORDER {
        let (Some(name), Some(value)) = (marker(keyword, kind), schema.value(keyword)) else { continue };
        let written = match (keyword, &value) {
            (Keyword::ExternalDocs, _) => {
                all.extend(schema.external_docs.as_ref().map(external_docs));
                continue;
            }
            (Keyword::Default, _) => {
                all.push(default(&value, kind));
                continue;
            }
            (Keyword::IntOrString | Keyword::PreserveUnknownFields | Keyword::EmbeddedResource, _) => {
                all.extend((value == true).then(|| Facet::flag(keyword.name(), name)));
                continue;
            }
            (Keyword::ListMapKeys, _) => {
                let keys = schema.list_map_keys.iter();
                all.extend(keys.map(|key| Facet::string(keyword.name(), name, key, text(key))));
                continue;
            }
            (Keyword::Title | Keyword::Pattern, Value::String(value)) => quoted(value),
            (Keyword::Example | Keyword::Not, value) => json(value),
            (_, Value::String(value)) => text(value),
            (_, Value::Array(values)) => list(values),
            (_, value) => value.to_string(),
        };
        all.push(Facet::value(keyword.name(), name, value.clone(), written));
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
