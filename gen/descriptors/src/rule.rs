//! Markers as typed values.
//!
//! Invariants: [`Rule`] has one variant for each [`RuleKind`]; values have been parsed.

use crd_markers::table::RuleKind;

use crate::channel::ChannelSet;
use crate::json::{Json, Number};

/// A marker on a field, a value, a type or a resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// The channels in which it applies.
    pub channels: ChannelSet,
    /// Whether it applies to the items of the list instead of the list.
    pub items: bool,
    /// The rule.
    pub rule: Rule,
    /// The line of the source file.
    pub line: u32,
}

/// The rule that a marker states.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant is a row of the marker table, which documents it")]
pub enum Rule {
    AllOf(&'static [Json]),
    AnyOf(&'static [Json]),
    AtLeastOneOf(&'static [&'static str]),
    AtMostOneOf(&'static [&'static str]),
    ConformanceFeature(&'static str),
    Default(Json),
    DeprecatedVersion(DeprecatedVersion),
    Description(&'static str),
    EmbeddedResource,
    Enum(&'static [Json]),
    ExactlyOneOf(&'static [&'static str]),
    Example(Json),
    ExclusiveMaximum(bool),
    ExclusiveMinimum(bool),
    ExternalDocs(ExternalDocs),
    Format(&'static str),
    Immutable,
    IntOrString,
    Lens(Lens),
    ListMapKey(&'static str),
    ListType(&'static str),
    MapType(&'static str),
    MaxItems(i64),
    MaxLength(i64),
    MaxProperties(i64),
    Maximum(Number),
    Metadata(Metadata),
    MinItems(i64),
    MinLength(i64),
    MinProperties(i64),
    Minimum(Number),
    MultipleOf(Number),
    Not(Json),
    OneOf(&'static [Json]),
    Pattern(&'static str),
    PreserveUnknownFields,
    PrintColumn(PrintColumn),
    Resource(ResourceNames),
    Schemaless,
    SelectableField(SelectableField),
    SkipVersion,
    StorageVersion,
    StructType(&'static str),
    SubresourceScale(SubresourceScale),
    SubresourceStatus,
    Title(&'static str),
    Type(&'static str),
    UniqueItems(bool),
    UnservedVersion,
    XValidation(XValidation),
}

impl Rule {
    /// Its kind in the table of markers.
    pub const fn kind(&self) -> RuleKind {
        match self {
            Rule::AllOf(_) => RuleKind::AllOf,
            Rule::AnyOf(_) => RuleKind::AnyOf,
            Rule::AtLeastOneOf(_) => RuleKind::AtLeastOneOf,
            Rule::AtMostOneOf(_) => RuleKind::AtMostOneOf,
            Rule::ConformanceFeature(_) => RuleKind::ConformanceFeature,
            Rule::Default(_) => RuleKind::Default,
            Rule::DeprecatedVersion(_) => RuleKind::DeprecatedVersion,
            Rule::Description(_) => RuleKind::Description,
            Rule::EmbeddedResource => RuleKind::EmbeddedResource,
            Rule::Enum(_) => RuleKind::Enum,
            Rule::ExactlyOneOf(_) => RuleKind::ExactlyOneOf,
            Rule::Example(_) => RuleKind::Example,
            Rule::ExclusiveMaximum(_) => RuleKind::ExclusiveMaximum,
            Rule::ExclusiveMinimum(_) => RuleKind::ExclusiveMinimum,
            Rule::ExternalDocs(_) => RuleKind::ExternalDocs,
            Rule::Format(_) => RuleKind::Format,
            Rule::Immutable => RuleKind::Immutable,
            Rule::IntOrString => RuleKind::IntOrString,
            Rule::Lens(_) => RuleKind::Lens,
            Rule::ListMapKey(_) => RuleKind::ListMapKey,
            Rule::ListType(_) => RuleKind::ListType,
            Rule::MapType(_) => RuleKind::MapType,
            Rule::MaxItems(_) => RuleKind::MaxItems,
            Rule::MaxLength(_) => RuleKind::MaxLength,
            Rule::MaxProperties(_) => RuleKind::MaxProperties,
            Rule::Maximum(_) => RuleKind::Maximum,
            Rule::Metadata(_) => RuleKind::Metadata,
            Rule::MinItems(_) => RuleKind::MinItems,
            Rule::MinLength(_) => RuleKind::MinLength,
            Rule::MinProperties(_) => RuleKind::MinProperties,
            Rule::Minimum(_) => RuleKind::Minimum,
            Rule::MultipleOf(_) => RuleKind::MultipleOf,
            Rule::Not(_) => RuleKind::Not,
            Rule::OneOf(_) => RuleKind::OneOf,
            Rule::Pattern(_) => RuleKind::Pattern,
            Rule::PreserveUnknownFields => RuleKind::PreserveUnknownFields,
            Rule::PrintColumn(_) => RuleKind::PrintColumn,
            Rule::Resource(_) => RuleKind::Resource,
            Rule::Schemaless => RuleKind::Schemaless,
            Rule::SelectableField(_) => RuleKind::SelectableField,
            Rule::SkipVersion => RuleKind::SkipVersion,
            Rule::StorageVersion => RuleKind::StorageVersion,
            Rule::StructType(_) => RuleKind::StructType,
            Rule::SubresourceScale(_) => RuleKind::SubresourceScale,
            Rule::SubresourceStatus => RuleKind::SubresourceStatus,
            Rule::Title(_) => RuleKind::Title,
            Rule::Type(_) => RuleKind::Type,
            Rule::UniqueItems(_) => RuleKind::UniqueItems,
            Rule::UnservedVersion => RuleKind::UnservedVersion,
            Rule::XValidation(_) => RuleKind::XValidation,
        }
    }
}

/// A `+lens:…` marker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// The operation, such as `rename`.
    pub operation: &'static str,
    /// The arguments by their names.
    pub arguments: &'static [(&'static str, Json)],
}

impl Lens {
    /// An argument, if it is a string.
    pub fn text(&self, name: &str) -> Option<&'static str> {
        match self.argument(name)? {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// An argument.
    pub fn argument(&self, name: &str) -> Option<Json> {
        self.arguments.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// Arguments of `+kubebuilder:validation:XValidation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct XValidation {
    /// Which field the error is reported for.
    pub field_path: Option<&'static str>,
    /// The message for the user.
    pub message: Option<&'static str>,
    /// A CEL expression that makes the message.
    pub message_expression: Option<&'static str>,
    /// Whether the rule also holds on creation, with an absent `oldSelf`.
    pub optional_old_self: Option<bool>,
    /// The reason of the error.
    pub reason: Option<&'static str>,
    /// The CEL expression.
    pub rule: &'static str,
}

impl XValidation {
    /// Without arguments; required ones are empty.
    pub const NONE: XValidation = XValidation {
        field_path: None,
        message: None,
        message_expression: None,
        optional_old_self: None,
        reason: None,
        rule: "",
    };
}

/// Arguments of `+kubebuilder:externalDocs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExternalDocs {
    /// What is found there.
    pub description: Option<&'static str>,
    /// Where.
    pub url: &'static str,
}

impl ExternalDocs {
    /// Without arguments; required ones are empty.
    pub const NONE: ExternalDocs = ExternalDocs { description: None, url: "" };
}

/// Arguments of `+kubebuilder:resource`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourceNames {
    /// Names of groups of resources for `kubectl get`.
    pub categories: Option<&'static [&'static str]>,
    /// The plural name.
    pub path: Option<&'static str>,
    /// `Namespaced` or `Cluster`.
    pub scope: Option<&'static str>,
    /// Abbreviations.
    pub short_names: Option<&'static [&'static str]>,
    /// The singular name.
    pub singular: Option<&'static str>,
}

impl ResourceNames {
    /// Without arguments; required ones are empty.
    pub const NONE: ResourceNames =
        ResourceNames { categories: None, path: None, scope: None, short_names: None, singular: None };
}

/// Arguments of `+kubebuilder:printcolumn`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintColumn {
    /// What is shown.
    pub json_path: &'static str,
    /// What the column means.
    pub description: Option<&'static str>,
    /// The format of the value.
    pub format: Option<&'static str>,
    /// The heading.
    pub name: &'static str,
    /// Above 0: shown with `-o wide` only.
    pub priority: Option<i64>,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub kind: &'static str,
}

impl PrintColumn {
    /// Without arguments; required ones are empty.
    pub const NONE: PrintColumn =
        PrintColumn { json_path: "", description: None, format: None, name: "", priority: None, kind: "" };
}

/// Arguments of `+kubebuilder:selectablefield`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectableField {
    /// The field.
    pub json_path: &'static str,
}

impl SelectableField {
    /// Without arguments; required ones are empty.
    pub const NONE: SelectableField = SelectableField { json_path: "" };
}

/// Arguments of `+kubebuilder:subresource:scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubresourceScale {
    /// The path of the label selector.
    pub selector_path: Option<&'static str>,
    /// The path of the wanted number of replicas.
    pub spec_path: &'static str,
    /// The path of the actual number of replicas.
    pub status_path: &'static str,
}

impl SubresourceScale {
    /// Without arguments; required ones are empty.
    pub const NONE: SubresourceScale = SubresourceScale { selector_path: None, spec_path: "", status_path: "" };
}

/// Arguments of `+kubebuilder:deprecatedversion`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeprecatedVersion {
    /// The warning for users of the version.
    pub warning: Option<&'static str>,
}

impl DeprecatedVersion {
    /// Without arguments; required ones are empty.
    pub const NONE: DeprecatedVersion = DeprecatedVersion { warning: None };
}

/// Arguments of `+kubebuilder:metadata`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metadata {
    /// `key=value` each.
    pub annotations: Option<&'static [&'static str]>,
    /// `key=value` each.
    pub labels: Option<&'static [&'static str]>,
}

impl Metadata {
    /// Without arguments; required ones are empty.
    pub const NONE: Metadata = Metadata { annotations: None, labels: None };
}
