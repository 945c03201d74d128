//! Markers as typed values.
//!
//! The macro writes them as constants, and a reader of source makes the same values of a parsed marker.
//!
//! Invariants: [`Rule`] has one variant for each [`RuleKind`]; values have been parsed.

use crate::marker::{self, Arguments};
use crate::table::{LENS, RuleKind};
use crate::value::Value;

use crate::json::{Json, Number};
use crate::leaked;
use crd_names::channel::ChannelSet;

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

impl Marker {
    /// What the macro would write for a marker at that line; `None`: it has no rule.
    pub fn read(marker: &marker::Marker, line: u32) -> Option<Marker> {
        let channels = marker.channel.map_or(ChannelSet::ALL, ChannelSet::only);
        Some(Marker { channels, items: marker.items, rule: Rule::read(marker)?, line })
    }
}

macro_rules! rules {
    (@read $name:ident $marker:ident) => {
        Rule::$name
    };
    (@read $name:ident $marker:ident $argument:ty) => {
        Rule::$name(<$argument>::of_marker($marker)?)
    };
    (@stated $name:ident $bound:ident) => {
        Rule::$name
    };
    (@stated $name:ident $bound:ident $argument:ty) => {
        Rule::$name($bound)
    };
    (@arguments $bound:ident) => {
        Vec::new()
    };
    (@arguments $bound:ident $argument:ty) => {
        $bound.stated()
    };
    ($($name:ident $(($argument:ty))?,)*) => {
        /// The rule that a marker states.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs, reason = "each variant is a row of the marker table, which documents it")]
        pub enum Rule {
            $($name $(($argument))?,)*
        }

        impl Rule {
            /// Its kind in the table of markers.
            pub const fn kind(&self) -> RuleKind {
                match self {
                    $(Rule::$name { .. } => RuleKind::$name,)*
                }
            }

            /// What the marker states: nothing, a value without a name, or arguments by the names of their fields. The inverse of
            /// [`Rule::read`].
            pub fn arguments(&self) -> Vec<(&'static str, Json)> {
                match self {
                    $(rules!(@stated $name argument $($argument)?) => rules!(@arguments argument $($argument)?),)*
                }
            }

            /// The rule of a parsed marker; `None`: it has none. Its strings are never freed, because descriptors are not.
            pub fn read(marker: &marker::Marker) -> Option<Rule> {
                Some(match marker.spec.rule()? {
                    $(RuleKind::$name => rules!(@read $name marker $($argument)?),)*
                })
            }
        }
    };
}

rules! {
    AllOf(&'static [Json]),
    AnyOf(&'static [Json]),
    AtLeastOneOf(&'static [&'static str]),
    AtMostOneOf(&'static [&'static str]),
    ConformanceFeature(&'static str),
    Default(Json),
    DeprecatedName,
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
    GoName(&'static str),
    GoType(&'static str),
    Immutable,
    IntOrString,
    Lens(Lens),
    Lint(Lint),
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
    NotEmpty,
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

/// What a rule holds, of the text of its marker. The kinds of values are those that the table of markers states.
trait Argument: Sized {
    fn of_value(_: &Value) -> Option<Self> {
        None
    }

    fn of_marker(marker: &marker::Marker) -> Option<Self> {
        Self::of_value(marker.arguments.value()?)
    }

    fn json(&self) -> Option<Json> {
        None
    }

    fn stated(&self) -> Vec<(&'static str, Json)> {
        self.json().into_iter().map(|value| ("", value)).collect()
    }
}

macro_rules! of_values {
    ($($kind:ty: $($pattern:pat => $result:expr),*; $this:ident => $json:expr;)*) => {
        $(impl Argument for $kind {
            fn json(&self) -> Option<Json> {
                let $this = self;
                Some($json)
            }
            fn of_value(value: &Value) -> Option<Self> {
                Some(match value {
                    $($pattern => $result,)*
                    #[allow(unreachable_patterns, reason = "any value is JSON")]
                    _ => return None,
                })
            }
        })*
    };
}

of_values! {
    Json: value => Json::leaked(value); this => *this;
    Number: Value::Integer(integer) => Number::Integer(*integer), Value::Float(float) => Number::Float(*float); this => match *this {
        Number::Integer(integer) => Json::Integer(integer),
        Number::Float(float) => Json::Float(float),
    };
    bool: Value::Boolean(boolean) => *boolean; this => Json::Boolean(*this);
    i64: Value::Integer(integer) => *integer; this => Json::Integer(*this);
    &'static str: Value::String(text) => leaked::text(text); this => Json::String(this);
    &'static [Json]: Value::List(items) => leaked::list(items.iter().map(Json::leaked).collect()); this => Json::List(this);
    &'static [&'static str]: Value::List(items) => leaked::list(items.iter().map(<&str>::of_value).collect::<Option<_>>()?);
        this => Json::List(leaked::list(this.iter().map(|text| Json::String(text)).collect()));
}

impl<T: Argument> Argument for Option<T> {
    fn of_value(value: &Value) -> Option<Self> {
        T::of_value(value).map(Some)
    }

    fn json(&self) -> Option<Json> {
        self.as_ref()?.json()
    }
}

impl Argument for Lens {
    fn of_marker(marker: &marker::Marker) -> Option<Self> {
        let Arguments::Named(found) = &marker.arguments else { return None };
        let arguments = found.iter().map(|(spec, value)| (spec.name, Json::leaked(value)));
        Some(Lens { operation: marker.spec.name.strip_prefix(LENS)?, arguments: leaked::list(arguments.collect()) })
    }

    fn stated(&self) -> Vec<(&'static str, Json)> {
        self.arguments.to_vec()
    }
}

macro_rules! arguments {
    ($(#[$docs:meta])* $name:ident { $($(#[$field_docs:meta])* $field:ident: $kind:ty = $none:expr,)* }) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name {
            $($(#[$field_docs])* pub $field: $kind,)*
        }

        impl $name {
            /// Without arguments; required ones are empty.
            pub const NONE: $name = $name { $($field: $none,)* };
        }

        impl Argument for $name {
            fn of_marker(marker: &marker::Marker) -> Option<Self> {
                let Arguments::Named(found) = &marker.arguments else { return None };
                let mut read = $name::NONE;
                for (spec, value) in found {
                    match spec.field {
                        $(stringify!($field) => read.$field = Argument::of_value(value)?,)*
                        _ => return None,
                    }
                }
                Some(read)
            }

            fn stated(&self) -> Vec<(&'static str, Json)> {
                let arguments = [$((stringify!($field), self.$field.json()),)*];
                arguments.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
            }
        }
    };
}

arguments! {
    /// Arguments of `+kubebuilder:validation:XValidation`.
    XValidation {
        /// Which field the error is reported for.
        field_path: Option<&'static str> = None,
        /// The message for the user.
        message: Option<&'static str> = None,
        /// A CEL expression that makes the message.
        message_expression: Option<&'static str> = None,
        /// Whether the rule also holds on creation, with an absent `oldSelf`.
        optional_old_self: Option<bool> = None,
        /// The reason of the error.
        reason: Option<&'static str> = None,
        /// The CEL expression.
        rule: &'static str = "",
    }
}

arguments! {
    /// Arguments of `+kubebuilder:externalDocs`.
    ExternalDocs {
        /// What is found there.
        description: Option<&'static str> = None,
        /// Where.
        url: &'static str = "",
    }
}

arguments! {
    /// Arguments of `+lint`.
    Lint {
        /// The convention that the element need not keep.
        allow: &'static str = "",
        /// Why.
        reason: &'static str = "",
    }
}

arguments! {
    /// Arguments of `+kubebuilder:resource`.
    ResourceNames {
        /// Names of groups of resources for `kubectl get`.
        categories: Option<&'static [&'static str]> = None,
        /// The plural name.
        path: Option<&'static str> = None,
        /// `Namespaced` or `Cluster`.
        scope: Option<&'static str> = None,
        /// Abbreviations.
        short_names: Option<&'static [&'static str]> = None,
        /// The singular name.
        singular: Option<&'static str> = None,
    }
}

arguments! {
    /// Arguments of `+kubebuilder:printcolumn`.
    PrintColumn {
        /// What is shown.
        json_path: &'static str = "",
        /// What the column means.
        description: Option<&'static str> = None,
        /// The format of the value.
        format: Option<&'static str> = None,
        /// The heading.
        name: &'static str = "",
        /// Above 0: shown with `-o wide` only.
        priority: Option<i64> = None,
        /// `string`, `integer`, `number`, `boolean` or `date`.
        kind: &'static str = "",
    }
}

arguments! {
    /// Arguments of `+kubebuilder:selectablefield`.
    SelectableField {
        /// The field.
        json_path: &'static str = "",
    }
}

arguments! {
    /// Arguments of `+kubebuilder:subresource:scale`.
    SubresourceScale {
        /// The path of the label selector.
        selector_path: Option<&'static str> = None,
        /// The path of the wanted number of replicas.
        spec_path: &'static str = "",
        /// The path of the actual number of replicas.
        status_path: &'static str = "",
    }
}

arguments! {
    /// Arguments of `+kubebuilder:deprecatedversion`.
    DeprecatedVersion {
        /// The warning for users of the version.
        warning: Option<&'static str> = None,
    }
}

arguments! {
    /// Arguments of `+kubebuilder:metadata`.
    Metadata {
        /// `key=value` each.
        annotations: Option<&'static [&'static str]> = None,
        /// `key=value` each.
        labels: Option<&'static [&'static str]> = None,
    }
}
