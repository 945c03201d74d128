//! A difference: one keyword or name in which two nodes differ.
//!
//! Invariants: what an API server treats as equal is not a difference (see [`crate::differences`]). A field that only one side has is one
//! difference: what is below it is not compared.

use std::fmt;

use crd_apiserver::validate::fits;
use crd_model::schema::{AdditionalProperties, Keyword, Role, Schema, Validation};
use serde_json::{Number, Value};

use crate::edit::{Edit, Presence};

#[derive(Clone, Debug, PartialEq)]
pub enum Difference<'a> {
    /// A keyword that servers ignore, such as `description`.
    Text(Keyword, Edit<Value>),
    /// `type`, `x-kubernetes-int-or-string`, or a struct that becomes a map. Nothing else of such a node is compared.
    Type {
        /// The type of the old node.
        old: NodeType<'a>,
        /// The type of the new node.
        new: NodeType<'a>,
    },
    /// `items`, where one side has none.
    Items(Presence<NodeType<'a>>),
    /// `additionalProperties`, where it is not a schema on both sides.
    AdditionalProperties(Edit<Entries<'a>>),
    /// `default`
    Default(Edit<Value>),
    /// `nullable`
    Nullable(Presence),
    /// One value of an `enum` that both sides have.
    EnumValue(Presence<Value>),
    /// An `enum` that only one side has.
    Enum(Presence<Vec<Value>>),
    /// `pattern`
    Pattern(Edit<&'a str>),
    /// `format`
    Format(Edit<&'a str>),
    /// `maximum` and `exclusiveMaximum`
    Maximum(Edit<Bound>),
    /// `minimum` and `exclusiveMinimum`
    Minimum(Edit<Bound>),
    /// `multipleOf`
    MultipleOf(Edit<Number>),
    /// `maxLength`, in Unicode code points.
    MaxLength(Edit<i64>),
    /// `minLength`, in Unicode code points; 0 equals absent, as for the other two minima.
    MinLength(Edit<i64>),
    /// `maxItems`
    MaxItems(Edit<i64>),
    /// `minItems`
    MinItems(Edit<i64>),
    /// `maxProperties`
    MaxProperties(Edit<i64>),
    /// `minProperties`
    MinProperties(Edit<i64>),
    /// `uniqueItems`
    UniqueItems(Presence),
    /// `allOf`
    AllOf(Branches<'a>),
    /// `anyOf`
    AnyOf(Branches<'a>),
    /// `oneOf`
    OneOf(Branches<'a>),
    /// `not`
    Not(Edit<&'a Schema>),
    /// `x-kubernetes-list-type`; absent equals `atomic`.
    ListType(Edit<&'a str>),
    /// One of `x-kubernetes-list-map-keys`
    ListMapKeys(Presence<&'a str>),
    /// `x-kubernetes-map-type`; absent equals `granular`.
    MapType(Edit<&'a str>),
    /// `x-kubernetes-preserve-unknown-fields`
    PreserveUnknownFields(Presence),
    /// `x-kubernetes-embedded-resource`
    EmbeddedResource(Presence),
    /// A CEL rule: added, removed, or with another text, even if only its layout differs.
    Rule(Edit<&'a Validation>),
    /// The message, messageExpression, reason or fieldPath of a CEL rule with the same tokens; or a copy of a rule that the node has.
    RuleMessage(Edit<&'a Validation>),
    /// `optionalOldSelf` of a CEL rule with the same text.
    OptionalOldSelf(Presence),
    /// One name in `required`
    Required(Presence<&'a str>),
    Field(Presence<Field<'a>>),
    /// A property with a declared new name.
    FieldName {
        /// The name in the old schema.
        old: &'a str,
        /// The name in the new schema.
        new: &'a str,
    },
    /// An order without meaning: of enum values, branches, list-map keys, CEL rules. The entries that both sides have.
    Order {
        /// The order of the old side.
        old: Vec<Value>,
        /// The order of the new side.
        new: Vec<Value>,
    },
}

/// A property with its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field<'a> {
    pub name: &'a str,
    pub schema: &'a Schema,
}

/// `maximum` with `exclusiveMaximum`, or `minimum` with `exclusiveMinimum`.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The number, as servers read it: 1.0 is 1.
    pub limit: Number,
    /// True if the number itself is refused.
    pub exclusive: bool,
}

impl Bound {
    /// Whether each server compares integers of a node with it as it is written.
    pub(crate) fn is_compared(&self, node: &Schema) -> bool {
        !self.is_uncertain() && !self.is_never_met(node)
    }

    /// Servers since 1.36 refuse every number where a bound does not fit the type and format; older ones compare.
    pub(crate) fn is_never_met(&self, node: &Schema) -> bool {
        self.limit.as_f64().is_some_and(|limit| !fits(node, limit))
    }

    /// Servers cut a bound to 64 bits where the value is an integer. The result depends on the processor if it does not fit.
    pub(crate) fn is_uncertain(&self) -> bool {
        const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
        self.limit.as_f64().is_some_and(|limit| !(-TWO_TO_63..TWO_TO_63).contains(&limit))
    }
}

/// The branches of both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Branches<'a> {
    /// The branches of the old side.
    pub old: &'a [Schema],
    /// The branches of the new side.
    pub new: &'a [Schema],
}

/// What `additionalProperties` allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entries<'a> {
    /// `true` or `false`
    Allowed(bool),
    /// Entries of this type.
    Typed(NodeType<'a>),
}

impl<'a> Entries<'a> {
    pub(crate) fn of(properties: &'a AdditionalProperties) -> Self {
        match properties {
            AdditionalProperties::Allowed(allowed) => Entries::Allowed(*allowed),
            AdditionalProperties::Values(values) => Entries::Typed(NodeType::of(values)),
        }
    }
}

/// Which kind of value a node accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeType<'a> {
    /// A node without a type.
    Any,
    /// `x-kubernetes-int-or-string`
    IntOrString,
    /// An object with properties.
    Struct,
    /// An object with values of one schema.
    Map,
    /// An object with neither, which can become either.
    Object,
    Other(&'a str),
}

impl<'a> NodeType<'a> {
    /// The type of a node.
    pub fn of(schema: &'a Schema) -> Self {
        if schema.int_or_string {
            return NodeType::IntOrString;
        }
        match schema.kind.as_deref() {
            None | Some("") => NodeType::Any,
            Some("object") => match &schema.additional_properties {
                Some(AdditionalProperties::Values(_)) if schema.properties.is_empty() => NodeType::Map,
                _ if !schema.properties.is_empty() => NodeType::Struct,
                _ => NodeType::Object,
            },
            Some(kind) => NodeType::Other(kind),
        }
    }

    /// True if a node of this type can become one of the other type without another meaning of its values.
    pub(crate) fn can_become(self, other: Self) -> bool {
        let is_object = |kind| matches!(kind, NodeType::Struct | NodeType::Map | NodeType::Object);
        let is_open = self == NodeType::Object || other == NodeType::Object;
        self == other || is_object(self) && is_object(other) && is_open
    }
}

impl fmt::Display for NodeType<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            NodeType::Any => "any",
            NodeType::IntOrString => "int-or-string",
            NodeType::Struct => "struct",
            NodeType::Map => "map",
            NodeType::Object => "object",
            NodeType::Other(kind) => kind,
        })
    }
}

impl<'a> Difference<'a> {
    /// The keyword in which the nodes differ; none for a name or an order.
    pub fn keyword(&self) -> Option<Keyword> {
        Some(match self {
            Difference::Text(keyword, _) => *keyword,
            Difference::Type { .. } => Keyword::Type,
            Difference::Items(_) => Keyword::Items,
            Difference::AdditionalProperties(_) => Keyword::AdditionalProperties,
            Difference::Default(_) => Keyword::Default,
            Difference::Nullable(_) => Keyword::Nullable,
            Difference::EnumValue(_) | Difference::Enum(_) => Keyword::Enum,
            Difference::Pattern(_) => Keyword::Pattern,
            Difference::Format(_) => Keyword::Format,
            Difference::Maximum(_) => Keyword::Maximum,
            Difference::Minimum(_) => Keyword::Minimum,
            Difference::MultipleOf(_) => Keyword::MultipleOf,
            Difference::MaxLength(_) => Keyword::MaxLength,
            Difference::MinLength(_) => Keyword::MinLength,
            Difference::MaxItems(_) => Keyword::MaxItems,
            Difference::MinItems(_) => Keyword::MinItems,
            Difference::MaxProperties(_) => Keyword::MaxProperties,
            Difference::MinProperties(_) => Keyword::MinProperties,
            Difference::UniqueItems(_) => Keyword::UniqueItems,
            Difference::AllOf(_) => Keyword::AllOf,
            Difference::AnyOf(_) => Keyword::AnyOf,
            Difference::OneOf(_) => Keyword::OneOf,
            Difference::Not(_) => Keyword::Not,
            Difference::ListType(_) => Keyword::ListType,
            Difference::ListMapKeys(_) => Keyword::ListMapKeys,
            Difference::MapType(_) => Keyword::MapType,
            Difference::PreserveUnknownFields(_) => Keyword::PreserveUnknownFields,
            Difference::EmbeddedResource(_) => Keyword::EmbeddedResource,
            Difference::Rule(_) | Difference::RuleMessage(_) | Difference::OptionalOldSelf(_) => Keyword::Validations,
            Difference::Required(_) => Keyword::Required,
            Difference::Field(_) | Difference::FieldName { .. } | Difference::Order { .. } => return None,
        })
    }

    /// What differs, in words: the keyword where there is one.
    pub fn description(&self) -> &'static str {
        match self {
            Difference::Type { .. } => "the type",
            Difference::ListType(_) => "the list type",
            Difference::ListMapKeys(_) => "the list-map keys",
            Difference::MapType(_) => "the map type",
            Difference::Rule(_) => "a CEL rule",
            Difference::RuleMessage(_) => "the message of a CEL rule",
            Difference::OptionalOldSelf(_) => "`optionalOldSelf` of a CEL rule",
            Difference::Field(_) => "the field",
            Difference::FieldName { .. } => "the name of the field",
            difference => difference.keyword().map_or("an order", Keyword::quoted),
        }
    }

    /// The name that the path of the difference ends with, if it is about a name.
    pub fn name(&self) -> Option<&'a str> {
        match self {
            Difference::Required(name) => Some(name.value()),
            Difference::Field(field) => Some(field.value().name),
            // The name with which values are stored.
            Difference::FieldName { old, .. } => Some(old),
            _ => None,
        }
    }

    /// Gives a node the keyword of another node, if the difference is about one keyword that checks values.
    pub fn copy_keyword(&self, from: &Schema, to: &mut Schema) -> bool {
        let is_part = matches!(self, Difference::EnumValue(_) | Difference::Required(_));
        let keyword = self.keyword().filter(|keyword| !is_part && matches!(keyword.role(), Role::Limit | Role::Branch));
        let Some(keyword) = keyword else { return false };
        let exclusive = match keyword {
            Keyword::Maximum => Some(Keyword::ExclusiveMaximum),
            Keyword::Minimum => Some(Keyword::ExclusiveMinimum),
            _ => None,
        };
        [keyword].into_iter().chain(exclusive).for_each(|keyword| to.copy(from, keyword));
        true
    }

    /// True for a CEL rule about updates (one that names `oldSelf`) that was added or has another text.
    pub fn is_rule_about_updates(&self) -> bool {
        let names_old_self =
            |rule: Option<&&Validation>| rule.is_some_and(|rule| crd_cel::mentions_old_self(&rule.rule));
        match self {
            Difference::Rule(rule) => {
                !rule.is_removal() && (names_old_self(rule.before()) || names_old_self(rule.after()))
            }
            _ => false,
        }
    }
}
