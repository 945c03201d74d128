//! A difference: one thing that is not the same in two bundles, before anybody says what it means.
//!
//! Made by [`crate::walk`]. Read by the rules, of which exactly one claims it.
//!
//! Invariants: `before` is absent for what was added and `after` for what was removed, so that exchanging the bundles exchanges both
//! and nothing else. A name that is added or removed is one difference: what stands below it is not walked.

use std::fmt;

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::Version;
use crd_model::schema::{Schema, Validation};
use serde_json::Value;

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// The CRD itself.
    Resource,
    /// `spec.group`
    Group,
    /// `spec.names.plural`
    Plural,
    /// `spec.names.kind`
    Kind,
    /// `spec.names.listKind`; the server's own is `<kind>List`.
    ListKind,
    /// `spec.names.singular`; the server's own is the kind in lower case.
    Singular,
    /// One of `spec.names.shortNames`
    ShortName,
    /// One of `spec.names.categories`
    Category,
    /// `spec.scope`
    Scope,
    /// `spec.conversion`; the server's own has the strategy `None`.
    ConversionStrategy,
    /// `spec.preserveUnknownFields`
    PreserveUnknownFieldsOfAll,
    /// An annotation, except stamps.
    Annotation,
    /// A label.
    Label,
    /// One of the annotations that carry the bundle's version and channel.
    Stamp,
    /// The order of the versions.
    VersionOrder,
    /// An API version.
    Version,
    /// `served`
    Served,
    /// The version whose `storage` is true: where objects are written. A list, if there are several.
    Storage,
    /// `deprecated`
    Deprecated,
    /// `deprecationWarning`
    DeprecationWarning,
    /// One of `additionalPrinterColumns`, or all of them in another order.
    PrinterColumn,
    /// One of `selectableFields`
    SelectableField,
    /// `subresources.status`
    StatusSubresource,
    /// `subresources.scale`
    ScaleSubresource,
    /// A property.
    Field,
    /// A property that is declared to have got another name.
    FieldName,
    /// One value of `enum`
    EnumValue,
    /// All of `enum`: any value was allowed before, or is now.
    Enum,
    /// One name in `required`
    Required,
    /// `type`, `x-kubernetes-int-or-string`, or a struct that becomes a map.
    Type,
    /// `items`, where one side has none.
    Items,
    /// `additionalProperties`, where it is not a map on both sides.
    AdditionalProperties,
    /// `default`
    Default,
    /// `nullable`
    Nullable,
    /// `pattern`
    Pattern,
    /// `format`
    Format,
    /// `maximum` and `exclusiveMaximum`
    Maximum,
    /// `minimum` and `exclusiveMinimum`
    Minimum,
    /// `multipleOf`
    MultipleOf,
    /// `maxLength`
    MaxLength,
    /// `minLength`; 0 is none, as for the other two.
    MinLength,
    /// `maxItems`
    MaxItems,
    /// `minItems`
    MinItems,
    /// `maxProperties`
    MaxProperties,
    /// `minProperties`
    MinProperties,
    /// `uniqueItems`
    UniqueItems,
    /// `allOf`
    AllOf,
    /// `anyOf`
    AnyOf,
    /// `oneOf`
    OneOf,
    /// `not`
    Not,
    /// `x-kubernetes-list-type`; the server's own is `atomic`.
    ListType,
    /// `x-kubernetes-list-map-keys`
    ListMapKeys,
    /// `x-kubernetes-map-type`; the server's own is `granular`.
    MapType,
    /// `x-kubernetes-preserve-unknown-fields`
    PreserveUnknownFields,
    /// `x-kubernetes-embedded-resource`
    EmbeddedResource,
    /// A CEL rule: added, removed, or another text where it stood, be it only laid out otherwise.
    Rule,
    /// What a CEL rule of the same tokens says: message, messageExpression, reason, fieldPath; or such a rule that stands there twice.
    RuleWords,
    /// `optionalOldSelf` of a CEL rule of the same text.
    OptionalOldSelf,
    /// An order that means nothing: of names, selectable fields, enum values, branches, list-map keys, CEL rules.
    Order,
    /// `description`
    Description,
    /// `title`
    Title,
    /// `example`
    Example,
    /// `externalDocs`
    ExternalDocs,
    /// `id`
    Id,
}

impl Subject {
    /// In words: what stands in the CRD where there is a name for it.
    pub fn words(self) -> &'static str {
        match self {
            Subject::Resource => "the resource",
            Subject::Group => "`spec.group`",
            Subject::Plural => "`spec.names.plural`",
            Subject::Kind => "`spec.names.kind`",
            Subject::ListKind => "`spec.names.listKind`",
            Subject::Singular => "`spec.names.singular`",
            Subject::ShortName => "`spec.names.shortNames`",
            Subject::Category => "`spec.names.categories`",
            Subject::Scope => "`spec.scope`",
            Subject::ConversionStrategy => "`spec.conversion`",
            Subject::PreserveUnknownFieldsOfAll => "`spec.preserveUnknownFields`",
            Subject::Annotation => "an annotation",
            Subject::Label => "a label",
            Subject::Stamp => "a stamp",
            Subject::VersionOrder => "the order of versions",
            Subject::Version => "the API version",
            Subject::Served => "`served`",
            Subject::Storage => "the storage version",
            Subject::Deprecated => "`deprecated`",
            Subject::DeprecationWarning => "`deprecationWarning`",
            Subject::PrinterColumn => "`additionalPrinterColumns`",
            Subject::SelectableField => "`selectableFields`",
            Subject::StatusSubresource => "the status subresource",
            Subject::ScaleSubresource => "the scale subresource",
            Subject::Field => "the field",
            Subject::FieldName => "the name of the field",
            Subject::EnumValue => "`enum`",
            Subject::Enum => "`enum`",
            Subject::Required => "`required`",
            Subject::Type => "the type",
            Subject::Items => "`items`",
            Subject::AdditionalProperties => "`additionalProperties`",
            Subject::Default => "`default`",
            Subject::Nullable => "`nullable`",
            Subject::Pattern => "`pattern`",
            Subject::Format => "`format`",
            Subject::Maximum => "`maximum`",
            Subject::Minimum => "`minimum`",
            Subject::MultipleOf => "`multipleOf`",
            Subject::MaxLength => "`maxLength`",
            Subject::MinLength => "`minLength`",
            Subject::MaxItems => "`maxItems`",
            Subject::MinItems => "`minItems`",
            Subject::MaxProperties => "`maxProperties`",
            Subject::MinProperties => "`minProperties`",
            Subject::UniqueItems => "`uniqueItems`",
            Subject::AllOf => "`allOf`",
            Subject::AnyOf => "`anyOf`",
            Subject::OneOf => "`oneOf`",
            Subject::Not => "`not`",
            Subject::ListType => "the list type",
            Subject::ListMapKeys => "the list-map keys",
            Subject::MapType => "the map type",
            Subject::PreserveUnknownFields => "`x-kubernetes-preserve-unknown-fields`",
            Subject::EmbeddedResource => "`x-kubernetes-embedded-resource`",
            Subject::Rule => "a CEL rule",
            Subject::RuleWords => "the words of a CEL rule",
            Subject::OptionalOldSelf => "`optionalOldSelf` of a CEL rule",
            Subject::Order => "an order",
            Subject::Description => "`description`",
            Subject::Title => "`title`",
            Subject::Example => "`example`",
            Subject::ExternalDocs => "`externalDocs`",
            Subject::Id => "`id`",
        }
    }
}

/// A step into a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step<'a> {
    /// A property.
    Field(&'a str),
    /// Every item of a list, or every value of a map.
    Each,
}

/// Where a difference is.
#[derive(Clone, Debug, PartialEq)]
pub struct Place<'a> {
    /// The channel.
    pub channel: Channel,
    /// The CRD in the baseline.
    pub old_crd: Option<&'a CustomResourceDefinition>,
    /// The CRD in the candidate.
    pub new_crd: Option<&'a CustomResourceDefinition>,
    /// The API version in the baseline.
    pub old_version: Option<&'a Version>,
    /// The API version in the candidate.
    pub new_version: Option<&'a Version>,
    /// The way from the top of the schema to the node (not to the name, where a name differs: that is in `before` and `after`).
    pub path: Vec<Step<'a>>,
    /// From the top to the node, that one included, in the baseline.
    pub old_nodes: Vec<&'a Schema>,
    /// The same in the candidate.
    pub new_nodes: Vec<&'a Schema>,
}

impl<'a> Place<'a> {
    /// The name of the CRD.
    pub fn crd(&self) -> &'a str {
        self.old_crd.or(self.new_crd).map_or("", |crd| &crd.name)
    }

    /// The name of the API version.
    pub fn version(&self) -> Option<&'a str> {
        self.old_version.or(self.new_version).map(|version| &*version.name)
    }

    /// The node in the baseline.
    pub fn old_node(&self) -> Option<&'a Schema> {
        self.old_nodes.last().copied()
    }

    /// The node in the candidate.
    pub fn new_node(&self) -> Option<&'a Schema> {
        self.new_nodes.last().copied()
    }

    /// The path in words: `spec.rules[*].matches`.
    pub fn path(&self) -> String {
        PathText(&self.path).to_string()
    }
}

/// A path in words.
pub struct PathText<'a>(pub &'a [Step<'a>]);

impl fmt::Display for PathText<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if index == 0 => formatter.write_str(name)?,
                Step::Field(name) => write!(formatter, ".{name}")?,
                Step::Each => formatter.write_str("[*]")?,
            }
        }
        Ok(())
    }
}

/// The parts of both documents that a rule may have to look at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts<'a> {
    /// The property that was added, or the one that goes.
    pub field: Option<&'a Schema>,
    /// The CEL rule of the baseline.
    pub old_rule: Option<&'a Validation>,
    /// The CEL rule of the candidate.
    pub new_rule: Option<&'a Validation>,
}

/// One thing that is not the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference<'a> {
    /// Where.
    pub place: Place<'a>,
    /// What.
    pub subject: Subject,
    /// How it was; absent if it was added.
    pub before: Option<Value>,
    /// How it is; absent if it was removed.
    pub after: Option<Value>,
    /// What a rule may have to look at.
    pub parts: Parts<'a>,
}

impl<'a> Difference<'a> {
    /// True if it was not there before.
    pub fn is_addition(&self) -> bool {
        self.before.is_none()
    }

    /// True if it is no longer there.
    pub fn is_removal(&self) -> bool {
        self.after.is_none()
    }

    /// The name that was added, removed or changed, where names differ.
    pub fn name(&self) -> Option<&str> {
        self.after.as_ref().or(self.before.as_ref())?.as_str()
    }

    /// The path of the difference, with the name where a name differs: `spec.tls`.
    pub fn path(&self) -> String {
        let path = self.place.path();
        let name = match self.subject {
            Subject::Field | Subject::Required => self.name(),
            // Where its values stand in the baseline.
            Subject::FieldName => self.before.as_ref().and_then(Value::as_str),
            _ => None,
        };
        match name {
            Some(name) if path.is_empty() => name.to_owned(),
            Some(name) => format!("{path}.{name}"),
            None => path,
        }
    }
}
