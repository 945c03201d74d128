//! Markers as typed values.
//!
//! Fed by the macro, which writes one [`Marker`] per marker line. Read by the engine, which applies them to schema nodes and
//! to the CRD.
//!
//! Invariants: one variant per row of `crd_markers::table` whose meaning is a rule; a value in here has been parsed.

use crate::channel::ChannelSet;
use crate::json::{Json, Number};

/// A marker that stands on a field, a type or a resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// In which channels it holds.
    pub channels: ChannelSet,
    /// Whether it holds for the items of the list instead of the list.
    pub items: bool,
    /// What it says.
    pub rule: Rule,
    /// The line of the source file.
    pub line: u32,
}

/// What a marker says.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant is a row of the marker table, which documents it")]
pub enum Rule {
    AllOf(&'static [Json]),
    AnyOf(&'static [Json]),
    AtLeastOneOf(&'static [&'static str]),
    AtMostOneOf(&'static [&'static str]),
    Default(Json),
    DeprecatedVersion(DeprecatedVersion),
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

/// Arguments of `+kubebuilder:validation:XValidation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct XValidation {
    /// Which field the error is reported for.
    pub field_path: Option<&'static str>,
    /// What the user is told.
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
    /// Without any argument; needed ones are empty.
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
    /// Without any argument; needed ones are empty.
    pub const NONE: ExternalDocs = ExternalDocs { description: None, url: "" };
}

/// Arguments of `+kubebuilder:resource`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourceNames {
    /// Groups of resources that `kubectl get` knows by one name.
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
    /// Without any argument; needed ones are empty.
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
    /// Without any argument; needed ones are empty.
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
    /// Without any argument; needed ones are empty.
    pub const NONE: SelectableField = SelectableField { json_path: "" };
}

/// Arguments of `+kubebuilder:subresource:scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubresourceScale {
    /// Where the label selector stands.
    pub selector_path: Option<&'static str>,
    /// Where the wanted number of replicas stands.
    pub spec_path: &'static str,
    /// Where the actual number of replicas stands.
    pub status_path: &'static str,
}

impl SubresourceScale {
    /// Without any argument; needed ones are empty.
    pub const NONE: SubresourceScale = SubresourceScale { selector_path: None, spec_path: "", status_path: "" };
}

/// Arguments of `+kubebuilder:deprecatedversion`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeprecatedVersion {
    /// What users of the version are told.
    pub warning: Option<&'static str>,
}

impl DeprecatedVersion {
    /// Without any argument; needed ones are empty.
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
    /// Without any argument; needed ones are empty.
    pub const NONE: Metadata = Metadata { annotations: None, labels: None };
}
