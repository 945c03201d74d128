//! The table of markers: names, targets, arguments and effects.
//!
//! The parser, the macro's checks, `cargo xtask markers` and the reference page all read this table. Names, targets and
//! arguments follow controller-gen v0.23; the `rust` column marks additions. Markers that only make sense in Go are rows too:
//! they are rejected with a replacement.

use crate::fit::{Applies, ITEMS, VALIDATION};
use crate::value::ValueKind;

/// The set of targets of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Targets(u8);

/// A target of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A field of a struct.
    Field,
    /// A struct, an enum or a newtype.
    Type,
    /// A struct with `#[api(group = …, version = …, kind = …)]`.
    Resource,
    /// A variant of an enum.
    Variant,
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 4] = [Target::Field, Target::Type, Target::Resource, Target::Variant];

    /// Its name in messages and in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Target::Field => "field",
            Target::Type => "type",
            Target::Resource => "resource",
            Target::Variant => "variant",
        }
    }
}

impl Targets {
    const FIELD: Targets = Targets(1);
    const TYPE: Targets = Targets(2);
    const RESOURCE: Targets = Targets(4);
    const FIELD_TYPE: Targets = Targets(3);
    const TYPE_VARIANT: Targets = Targets(10);
    const FIELD_TYPE_VARIANT: Targets = Targets(11);
    const EVERYWHERE: Targets = Targets(15);

    /// Whether the marker is allowed on that target. Markers of types are also allowed on resources.
    pub const fn contains(self, target: Target) -> bool {
        let bits = match target {
            Target::Field => 1,
            Target::Type => 2,
            Target::Resource => 4 | 2,
            Target::Variant => 8,
        };
        self.0 & bits != 0
    }

    /// The targets in words: "a field or a type".
    pub fn in_words(self) -> String {
        self.names().iter().map(|name| format!("a {name}")).collect::<Vec<_>>().join(" or ")
    }

    /// The names of the targets.
    pub fn names(self) -> Vec<&'static str> {
        Target::ALL
            .into_iter()
            .filter(|target| match target {
                Target::Resource => self.0 & 4 != 0,
                other => self.contains(*other),
            })
            .map(Target::name)
            .collect()
    }
}

/// A named argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentSpec {
    /// Its name before the `=`.
    pub name: &'static str,
    /// The field of the rule's struct that takes it.
    pub field: &'static str,
    /// The kind of its value.
    pub kind: ValueKind,
    /// Whether it is optional.
    pub optional: bool,
}

/// The arguments of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentsSpec {
    /// Nothing.
    Flag,
    /// `=value`
    Value(ValueKind),
    /// `:key=value,key=value`
    Named(&'static [ArgumentSpec]),
}

macro_rules! rule_kinds {
    ($($kind:ident,)*) => {
        /// The kinds of rules that a descriptor can carry: one for each variant of `crd_channels::rule::Rule`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the rows of the table document each kind")]
        pub enum RuleKind {
            $($kind,)*
        }

        impl RuleKind {
            /// Every kind.
            pub const ALL: &[RuleKind] = &[$(RuleKind::$kind,)*];

            /// The name of the variant in `crd_channels::rule::Rule`, which the macro writes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(RuleKind::$kind => stringify!($kind),)*
                }
            }
        }
    };
}

rule_kinds! {
    AllOf,
    AnyOf,
    AtLeastOneOf,
    AtMostOneOf,
    ConformanceFeature,
    Default,
    DeprecatedName,
    DeprecatedVersion,
    Description,
    EmbeddedResource,
    Enum,
    ExactlyOneOf,
    Example,
    ExclusiveMaximum,
    ExclusiveMinimum,
    ExternalDocs,
    Format,
    GoName,
    GoType,
    Immutable,
    IntOrString,
    Lens,
    Lint,
    ListMapKey,
    ListType,
    MapType,
    MaxItems,
    MaxLength,
    MaxProperties,
    Maximum,
    Metadata,
    MinItems,
    MinLength,
    MinProperties,
    Minimum,
    MultipleOf,
    Not,
    NotEmpty,
    OneOf,
    Pattern,
    PreserveUnknownFields,
    PrintColumn,
    Resource,
    Schemaless,
    SelectableField,
    SkipVersion,
    StorageVersion,
    StructType,
    SubresourceScale,
    SubresourceStatus,
    Title,
    Type,
    UniqueItems,
    UnservedVersion,
    XValidation,
}

/// The prefix of the markers of lenses.
pub const LENS: &str = "lens:";

/// Pairs of a lower and an upper bound on one quantity.
pub const BOUNDS: [(RuleKind, RuleKind); 4] = [
    (RuleKind::Minimum, RuleKind::Maximum),
    (RuleKind::MinLength, RuleKind::MaxLength),
    (RuleKind::MinItems, RuleKind::MaxItems),
    (RuleKind::MinProperties, RuleKind::MaxProperties),
];

impl RuleKind {
    /// Whether the rule is a lower bound: values, lengths and counts must be at least its number.
    pub fn is_lower_bound(self) -> bool {
        BOUNDS.iter().any(|(lower, _)| *lower == self)
    }

    /// Whether the rule has no effect on schemas: tools read it, or it describes older forms.
    pub fn is_beside_the_schema(self) -> bool {
        use RuleKind::{ConformanceFeature, GoName, GoType, Lens, Lint};
        matches!(self, Lens | ConformanceFeature | GoName | GoType | Lint)
    }

    /// Whether the rule is an upper bound: values, lengths and counts must be at most its number.
    pub fn is_upper_bound(self) -> bool {
        BOUNDS.iter().any(|(_, upper)| *upper == self)
    }
}

/// The meaning of a marker for the macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A rule that the descriptor carries.
    Rule(RuleKind),
    /// The marked part exists only in the experimental channel.
    Experimental,
    /// A name that must never return.
    Tombstone,
    /// The field may be absent, as `Option` states in Rust.
    Optional,
    /// The field must be present.
    Required,
    /// `null` is a valid value.
    Nullable,
    /// The variants of the Rust enum are the values.
    EnumVariants,
    /// It has no meaning in Rust; the text names the replacement.
    Refused(&'static str),
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct MarkerSpec {
    /// The name after the `+`.
    pub name: &'static str,
    /// Its targets.
    pub targets: Targets,
    /// Its arguments.
    pub arguments: ArgumentsSpec,
    /// Whether it may appear more than once on one target.
    pub repeatable: bool,
    /// Whether `kubebuilder:validation:items:…` is the same for the items of a list.
    pub for_items: bool,
    /// The kinds of values that it constrains.
    pub applies: Applies,
    /// Its meaning for the macro.
    pub meaning: Meaning,
    /// The rule that the descriptor carries in addition to a meaning about presence.
    also: Option<RuleKind>,
    /// What it has in common with other markers, where it has no text of its own about Rust.
    note: &'static str,
}

/// The texts of all markers: a heading for each.
const TEXTS: &str = include_str!("table.md");

impl MarkerSpec {
    /// The rule that the descriptor carries.
    pub fn rule(&self) -> Option<RuleKind> {
        match self.meaning {
            Meaning::Rule(rule) => Some(rule),
            _ => self.also,
        }
    }

    /// Its effect, in a sentence.
    pub fn effect(&self) -> &'static str {
        match self.meaning {
            Meaning::Refused(_) => "Rejected: it has no meaning in Rust.",
            _ => self.texts().0,
        }
    }

    /// How Rust expresses the same, or where the effect differs from controller-gen and why. May be empty.
    pub fn rust(&self) -> &'static str {
        match (self.meaning, self.texts().1) {
            (Meaning::Refused(instead), _) => instead,
            (_, "") => self.note,
            (_, text) => text,
        }
    }

    fn texts(&self) -> (&'static str, &'static str) {
        let mut sections = TEXTS.split("\n## ");
        let own = sections.find_map(|section| section.strip_prefix(self.name)?.strip_prefix("\n\n"));
        let own = own.unwrap_or_default().trim_end();
        own.split_once("\n\n").unwrap_or((own, ""))
    }
}

const fn required(name: &'static str, field: &'static str, kind: ValueKind) -> ArgumentSpec {
    ArgumentSpec { name, field, kind, optional: false }
}

const fn optional(name: &'static str, field: &'static str, kind: ValueKind) -> ArgumentSpec {
    ArgumentSpec { name, field, kind, optional: true }
}

const ROW: MarkerSpec = MarkerSpec {
    name: "",
    targets: Targets::FIELD_TYPE,
    arguments: ArgumentsSpec::Flag,
    repeatable: false,
    for_items: false,
    applies: Applies::Anything,
    meaning: Meaning::Experimental,
    also: None,
    note: "",
};

/// A marker `kubebuilder:validation:…`, which has the name of its rule or another one.
macro_rules! validation {
    ($name:ident is $rule:ident, $arguments:expr, $applies:ident) => {
        MarkerSpec {
            name: concat!("kubebuilder:validation:", stringify!($name)),
            arguments: $arguments,
            applies: Applies::$applies,
            meaning: Meaning::Rule(RuleKind::$rule),
            for_items: true,
            ..ROW
        }
    };
    ($rule:ident, $arguments:expr, $applies:ident) => {
        validation!($rule is $rule, $arguments, $applies)
    };
}

const fn field(name: &'static str, arguments: ArgumentsSpec, meaning: Meaning) -> MarkerSpec {
    MarkerSpec { name, targets: Targets::FIELD, arguments, meaning, ..ROW }
}

/// A field's tag of Kubernetes' declarative validation with one value.
const fn declarative(name: &'static str, kind: ValueKind, applies: Applies, rule: RuleKind) -> MarkerSpec {
    MarkerSpec { applies, ..field(name, One(kind), Meaning::Rule(rule)) }
}

const fn presence(name: &'static str, meaning: Meaning, note: &'static str) -> MarkerSpec {
    MarkerSpec { note, ..field(name, Flag, meaning) }
}

const fn deprecated(name: &'static str, meaning: Meaning, note: &'static str) -> MarkerSpec {
    MarkerSpec { also: Some(RuleKind::DeprecatedName), ..presence(name, meaning, note) }
}

const fn resource(name: &'static str, arguments: ArgumentsSpec, rule: RuleKind) -> MarkerSpec {
    MarkerSpec { name, targets: Targets::RESOURCE, arguments, meaning: Meaning::Rule(rule), ..ROW }
}

const fn argument(name: &'static str, kind: ValueKind) -> ArgumentSpec {
    required(name, name, kind)
}

const fn may(name: &'static str, kind: ValueKind) -> ArgumentSpec {
    optional(name, name, kind)
}

/// How many of the named fields are set.
const fn union(name: &'static str, rule: RuleKind) -> MarkerSpec {
    MarkerSpec {
        name,
        targets: Targets::TYPE,
        arguments: One(TextList),
        repeatable: true,
        applies: Applies::Struct,
        meaning: Meaning::Rule(rule),
        note: UNION_NOTE,
        ..ROW
    }
}

/// An operation of a lens.
const fn lens(name: &'static str, arguments: &'static [ArgumentSpec]) -> MarkerSpec {
    MarkerSpec {
        name,
        arguments: Named(arguments),
        repeatable: true,
        meaning: Meaning::Rule(RuleKind::Lens),
        note: LENS_NOTE,
        ..ROW
    }
}

const fn refused(name: &'static str, instead: &'static str) -> MarkerSpec {
    MarkerSpec { name, targets: Targets::EVERYWHERE, meaning: Meaning::Refused(instead), ..ROW }
}

use ArgumentsSpec::{Flag, Named, Value as One};
use ValueKind::{Any, AnyList, Boolean, Count, Integer, Number, Text, TextList, Word};

/// Feature gates of Kubernetes' declarative validation.
const GATES: &str = "Feature gates have no effect on CRDs yet: write `+experimental:` or `+standard:` before the marker that the gate limits.";

/// Ways of merging lists.
const LIST_TYPES: ValueKind = Word(&["atomic", "set", "map"]);
/// Ways of merging maps and structs.
const MAP_TYPES: ValueKind = Word(&["granular", "atomic"]);
/// Types of schema nodes.
const SCHEMA_TYPES: ValueKind = Word(&["array", "boolean", "integer", "number", "object", "string"]);
/// Types of print columns.
const COLUMN_TYPES: ValueKind = Word(&["boolean", "date", "integer", "number", "string"]);
/// Scopes of resources.
const SCOPES: ValueKind = Word(&["Namespaced", "Cluster"]);
/// How a field of Go holds its value.
const GO_TYPES: ValueKind = Word(&["pointer", "value"]);
/// Reasons that a failed CEL rule may give.
const REASONS: ValueKind =
    Word(&["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"]);

const XVALIDATION: &[ArgumentSpec] = &[
    optional("fieldPath", "field_path", Text),
    optional("message", "message", Text),
    optional("messageExpression", "message_expression", Text),
    optional("optionalOldSelf", "optional_old_self", Boolean),
    optional("reason", "reason", REASONS),
    required("rule", "rule", Text),
];

/// What all lenses have in addition to their places.
const SINCE: ArgumentSpec = argument("since", Text);
const KEEPS: ArgumentSpec = may("keeps", Boolean);
const REASON: ArgumentSpec = may("reason", Text);

const LENS_NOTE: &str = "Specific to this tool. `since` is the bundle in which the new form appeared. The lens is also the tombstone of the old name.";

const UNION_NOTE: &str = "The fields must be optional ones of this very struct.";
const RUST_REQUIRED: &str = "In Rust: a type other than `Option`. The marker may repeat this; a contradiction is an error. With `+nullable` on an `Option`, the key must be present and its value may be null.";
const RUST_OPTIONAL: &str = "In Rust: `Option`. The marker may repeat this; a contradiction is an error.";

const RUST_NULLABLE: &str = "In Rust: `Option<Option<T>>`, which is absent, null, or a value. The marker may repeat this. With `+required` on `Option<T>`, the key must be present and its value may be null.";

const LIST_TYPE: MarkerSpec = MarkerSpec {
    name: "listType",
    arguments: One(LIST_TYPES),
    applies: Applies::List,
    meaning: Meaning::Rule(RuleKind::ListType),
    ..ROW
};
const LIST_MAP_KEY: MarkerSpec = MarkerSpec {
    name: "listMapKey",
    arguments: One(Text),
    repeatable: true,
    applies: Applies::List,
    meaning: Meaning::Rule(RuleKind::ListMapKey),
    ..ROW
};

/// Every marker, in the order of the reference page.
pub const MARKERS: &[MarkerSpec] = &[
    // Specific to this tool.
    MarkerSpec { name: "experimental", targets: Targets::EVERYWHERE, meaning: Meaning::Experimental, ..ROW },
    MarkerSpec {
        name: "tombstone",
        targets: Targets::TYPE_VARIANT,
        arguments: Named(&[
            required("name", "name", Text),
            required("reason", "reason", Text),
            required("removed", "removed", Text),
            optional("replacement", "replacement", Text),
        ]),
        repeatable: true,
        meaning: Meaning::Tombstone,
        ..ROW
    },
    // Conversion. On a field, `to` is the field, and other places are below the struct around it. On a type, places are below the type.
    lens("lens:rename", &[argument("from", Text), may("to", Text), SINCE, REASON]),
    lens("lens:move", &[argument("from", Text), may("to", Text), SINCE, REASON]),
    lens("lens:wrapInList", &[may("from", Text), may("to", Text), SINCE, REASON]),
    lens("lens:unwrapList", &[may("from", Text), may("to", Text), SINCE, REASON]),
    lens("lens:wrapInObject", &[argument("field", Text), may("from", Text), may("to", Text), SINCE, REASON]),
    lens("lens:unwrapObject", &[argument("field", Text), may("from", Text), may("to", Text), SINCE, REASON]),
    lens(
        "lens:listToMap",
        &[may("from", Text), argument("key", Text), KEEPS, may("to", Text), may("value", Text), SINCE, REASON],
    ),
    lens(
        "lens:mapToList",
        &[may("from", Text), argument("key", Text), may("to", Text), may("value", Text), SINCE, REASON],
    ),
    lens(
        "lens:values",
        &[
            may("from", Text),
            KEEPS,
            may("merged", TextList),
            may("nearest", Any),
            may("to", Text),
            argument("values", Any),
            SINCE,
            REASON,
        ],
    ),
    lens(
        "lens:scale",
        &[may("divide", Count), argument("from", Text), may("multiply", Count), may("to", Text), SINCE, REASON],
    ),
    MarkerSpec {
        targets: Targets::TYPE,
        ..lens(
            "lens:split",
            &[
                argument("from", Text),
                may("integers", TextList),
                argument("pattern", Text),
                argument("template", Text),
                argument("to", Any),
                SINCE,
                REASON,
            ],
        )
    },
    lens(
        "lens:join",
        &[
            argument("from", Any),
            may("integers", TextList),
            argument("pattern", Text),
            argument("template", Text),
            may("to", Text),
            SINCE,
            REASON,
        ],
    ),
    MarkerSpec { targets: Targets::FIELD, ..lens("lens:default", &[argument("value", Any), SINCE]) },
    MarkerSpec {
        targets: Targets::TYPE,
        ..lens("lens:constant", &[KEEPS, argument("path", Text), argument("value", Any), SINCE, REASON])
    },
    MarkerSpec {
        targets: Targets::TYPE,
        ..lens("lens:drop", &[KEEPS, argument("path", Text), argument("reason", Text), SINCE])
    },
    MarkerSpec {
        targets: Targets::TYPE,
        ..lens(
            "lens:code",
            &[argument("from", TextList), KEEPS, argument("name", Text), argument("to", TextList), SINCE, REASON],
        )
    },
    MarkerSpec {
        targets: Targets::RESOURCE,
        ..lens("lens:resource", &[may("group", Text), may("kind", Text), may("version", Text), SINCE])
    },
    MarkerSpec {
        name: "conformance:feature",
        targets: Targets::EVERYWHERE,
        arguments: One(Text),
        repeatable: true,
        meaning: Meaning::Rule(RuleKind::ConformanceFeature),
        ..ROW
    },
    MarkerSpec {
        name: "go:name",
        targets: Targets::FIELD_TYPE_VARIANT,
        arguments: One(Text),
        meaning: Meaning::Rule(RuleKind::GoName),
        ..ROW
    },
    field("go:type", One(GO_TYPES), Meaning::Rule(RuleKind::GoType)),
    MarkerSpec {
        name: "lint",
        targets: Targets::EVERYWHERE,
        arguments: Named(&[argument("allow", Text), argument("reason", Text)]),
        repeatable: true,
        meaning: Meaning::Rule(RuleKind::Lint),
        ..ROW
    },
    // Presence.
    presence("optional", Meaning::Optional, RUST_OPTIONAL),
    deprecated("kubebuilder:validation:Optional", Meaning::Optional, RUST_OPTIONAL),
    presence("k8s:optional", Meaning::Optional, RUST_OPTIONAL),
    presence("required", Meaning::Required, RUST_REQUIRED),
    deprecated("kubebuilder:validation:Required", Meaning::Required, RUST_REQUIRED),
    MarkerSpec { also: Some(RuleKind::NotEmpty), ..presence("k8s:required", Meaning::Required, "") },
    presence("nullable", Meaning::Nullable, RUST_NULLABLE),
    // Defaults and documentation.
    field("kubebuilder:default", One(Any), Meaning::Rule(RuleKind::Default)),
    field("default", One(Any), Meaning::Rule(RuleKind::Default)),
    field("kubebuilder:example", One(Any), Meaning::Rule(RuleKind::Example)),
    MarkerSpec { name: "kubebuilder:title", arguments: One(Text), meaning: Meaning::Rule(RuleKind::Title), ..ROW },
    MarkerSpec {
        name: "schema:description",
        arguments: One(Text),
        meaning: Meaning::Rule(RuleKind::Description),
        ..ROW
    },
    MarkerSpec {
        name: "kubebuilder:externalDocs",
        arguments: Named(&[optional("description", "description", Text), required("url", "url", Text)]),
        meaning: Meaning::Rule(RuleKind::ExternalDocs),
        ..ROW
    },
    // Numbers.
    validation!(Maximum, One(Number), Numeric),
    validation!(Minimum, One(Number), Numeric),
    validation!(ExclusiveMaximum, One(Boolean), Numeric),
    validation!(ExclusiveMinimum, One(Boolean), Numeric),
    validation!(MultipleOf, One(Number), Numeric),
    // Strings.
    validation!(MaxLength, One(Count), Text),
    validation!(MinLength, One(Count), Text),
    validation!(Pattern, One(Text), Text),
    // Lists.
    validation!(MaxItems, One(Count), List),
    validation!(MinItems, One(Count), List),
    validation!(UniqueItems, One(Boolean), List),
    // Objects.
    validation!(MaxProperties, One(Count), Object),
    validation!(MinProperties, One(Count), Object),
    // General.
    validation!(Enum, One(AnyList), Scalar),
    validation!(Format, One(Text), Anything),
    validation!(Type, One(SCHEMA_TYPES), Anything),
    validation!(XPreserveUnknownFields is PreserveUnknownFields, Flag, Anything),
    MarkerSpec {
        name: "kubebuilder:pruning:PreserveUnknownFields",
        meaning: Meaning::Rule(RuleKind::PreserveUnknownFields),
        ..ROW
    },
    validation!(XEmbeddedResource is EmbeddedResource, Flag, Object),
    MarkerSpec {
        applies: Applies::Object,
        ..field("kubebuilder:validation:EmbeddedResource", Flag, Meaning::Rule(RuleKind::EmbeddedResource))
    },
    validation!(XIntOrString is IntOrString, Flag, Anything),
    field("kubebuilder:validation:Schemaless", Flag, Meaning::Rule(RuleKind::Schemaless)),
    MarkerSpec { repeatable: true, ..validation!(XValidation, Named(XVALIDATION), Anything) },
    field("k8s:immutable", Flag, Meaning::Rule(RuleKind::Immutable)),
    declarative("k8s:maximum", Number, Applies::Numeric, RuleKind::Maximum),
    declarative("k8s:minimum", Number, Applies::Numeric, RuleKind::Minimum),
    declarative("k8s:maxItems", Count, Applies::List, RuleKind::MaxItems),
    union("kubebuilder:validation:AtMostOneOf", RuleKind::AtMostOneOf),
    union("kubebuilder:validation:ExactlyOneOf", RuleKind::ExactlyOneOf),
    union("kubebuilder:validation:AtLeastOneOf", RuleKind::AtLeastOneOf),
    MarkerSpec { name: "k8s:enum", meaning: Meaning::EnumVariants, ..ROW },
    // Schema combinators, which controller-gen does not have.
    MarkerSpec { name: "schema:oneOf", arguments: One(AnyList), meaning: Meaning::Rule(RuleKind::OneOf), ..ROW },
    MarkerSpec { name: "schema:anyOf", arguments: One(AnyList), meaning: Meaning::Rule(RuleKind::AnyOf), ..ROW },
    MarkerSpec { name: "schema:allOf", arguments: One(AnyList), meaning: Meaning::Rule(RuleKind::AllOf), ..ROW },
    MarkerSpec { name: "schema:not", arguments: One(Any), meaning: Meaning::Rule(RuleKind::Not), ..ROW },
    // Merging.
    LIST_TYPE,
    MarkerSpec { name: "k8s:listType", ..LIST_TYPE },
    LIST_MAP_KEY,
    MarkerSpec { name: "k8s:listMapKey", ..LIST_MAP_KEY },
    MarkerSpec {
        name: "mapType",
        arguments: One(MAP_TYPES),
        applies: Applies::Object,
        meaning: Meaning::Rule(RuleKind::MapType),
        ..ROW
    },
    MarkerSpec {
        name: "structType",
        arguments: One(MAP_TYPES),
        applies: Applies::Object,
        meaning: Meaning::Rule(RuleKind::StructType),
        ..ROW
    },
    // Resources.
    MarkerSpec {
        ..resource(
            "kubebuilder:resource",
            Named(&[
                optional("categories", "categories", TextList),
                optional("path", "path", Text),
                optional("scope", "scope", SCOPES),
                optional("shortName", "short_names", TextList),
                optional("singular", "singular", Text),
            ]),
            RuleKind::Resource,
        )
    },
    MarkerSpec {
        repeatable: true,
        ..resource(
            "kubebuilder:printcolumn",
            Named(&[
                required("JSONPath", "json_path", Text),
                optional("description", "description", Text),
                optional("format", "format", Text),
                required("name", "name", Text),
                optional("priority", "priority", Integer),
                required("type", "kind", COLUMN_TYPES),
            ]),
            RuleKind::PrintColumn,
        )
    },
    MarkerSpec {
        repeatable: true,
        ..resource(
            "kubebuilder:selectablefield",
            Named(&[required("JSONPath", "json_path", Text)]),
            RuleKind::SelectableField,
        )
    },
    resource("kubebuilder:subresource:status", Flag, RuleKind::SubresourceStatus),
    resource(
        "kubebuilder:subresource:scale",
        Named(&[
            optional("selectorpath", "selector_path", Text),
            required("specpath", "spec_path", Text),
            required("statuspath", "status_path", Text),
        ]),
        RuleKind::SubresourceScale,
    ),
    resource("kubebuilder:storageversion", Flag, RuleKind::StorageVersion),
    resource("kubebuilder:unservedversion", Flag, RuleKind::UnservedVersion),
    resource(
        "kubebuilder:deprecatedversion",
        Named(&[optional("warning", "warning", Text)]),
        RuleKind::DeprecatedVersion,
    ),
    resource("kubebuilder:skipversion", Flag, RuleKind::SkipVersion),
    MarkerSpec {
        repeatable: true,
        ..resource(
            "kubebuilder:metadata",
            Named(&[optional("annotations", "annotations", TextList), optional("labels", "labels", TextList)]),
            RuleKind::Metadata,
        )
    },
    // Markers without a meaning in Rust.
    refused("groupName", "Write `#[api(group = \"…\", version = \"…\", kind = \"…\")]` on each resource."),
    refused("versionName", "Write `#[api(group = \"…\", version = \"…\", kind = \"…\")]` on each resource."),
    refused("kubebuilder:skip", "Name the type in `exclude` of `crd-channels.yaml`."),
    refused(
        "kubebuilder:object:root",
        "Write `#[api(group = \"…\", version = \"…\", kind = \"…\")]`: the macro makes the root type.",
    ),
    refused("kubebuilder:object:generate", "Nothing to write: `#[api]` derives what is needed."),
    refused("k8s:deepcopy-gen", "Nothing to write: `#[api]` derives `Clone`."),
    refused("k8s:openapi-gen", "Nothing to write: `#[api]` makes the schema."),
    refused("k8s:ifEnabled", GATES),
    refused("k8s:ifDisabled", GATES),
    refused("k8s:enumExclude", "Write `+experimental` on the variant."),
    refused("genclient", "Nothing to write: with the feature `kube`, `kube::Api` is the client."),
    refused("genclient:nonNamespaced", "Write `+kubebuilder:resource:scope=Cluster`."),
    refused(
        "unionDiscriminator",
        "Nothing to write: it has no effect on CRDs. Describe the union with `+kubebuilder:validation:XValidation` rules.",
    ),
    refused(
        "union",
        "Nothing to write: it has no effect on CRDs. Describe the union with `+kubebuilder:validation:XValidation` rules.",
    ),
    refused("enum", "Write a Rust enum with `#[api]`; `+k8s:enum` may repeat it."),
    refused("patchStrategy", "Write `+listType=…`, `+mapType=…` or `+structType=…`: CRDs merge by these."),
    refused("patchMergeKey", "Write `+listType=map` and `+listMapKey=…`: CRDs merge by these."),
    refused("kubebuilder:rbac", "CRDs do not contain roles: write them where your controller is deployed."),
    refused("kubebuilder:webhook", "CRDs do not contain webhooks: write them where your controller is deployed."),
    refused("gateway:experimental", "Write `+experimental`, or `+experimental:` before the marker it limits."),
    refused("gateway:util:excludeFromCRD", "Put text that is not for users into a comment that starts with `//`."),
    refused("kubebuilder:validation:items:Schemaless", "Make the item a type of its own and mark its field."),
];

/// A marker as users see it: rows with a form for list items appear twice.
#[derive(Clone, Debug)]
pub struct MarkerEntry {
    /// The full name after the `+`.
    pub name: String,
    /// Whether it is the form for list items.
    pub items: bool,
    /// The row.
    pub spec: &'static MarkerSpec,
}

/// Every marker under every name, in the order of the table.
pub fn entries() -> Vec<MarkerEntry> {
    let mut entries = Vec::new();
    for spec in MARKERS {
        entries.push(MarkerEntry { name: spec.name.to_owned(), items: false, spec });
    }
    for spec in MARKERS.iter().filter(|spec| spec.for_items) {
        entries.push(MarkerEntry { name: spec.name.replacen(VALIDATION, ITEMS, 1), items: true, spec });
    }
    entries
}

/// The row of that name and whether it is the form for items.
pub fn find(name: &str) -> Option<(&'static MarkerSpec, bool)> {
    if let Some(spec) = MARKERS.iter().find(|spec| spec.name == name) {
        return Some((spec, false));
    }
    let rest = name.strip_prefix(ITEMS)?;
    MARKERS
        .iter()
        .find(|spec| spec.for_items && spec.name.strip_prefix(VALIDATION) == Some(rest))
        .map(|spec| (spec, true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_found() {
        let mut seen = BTreeSet::new();
        for entry in entries() {
            assert!(seen.insert(entry.name.clone()), "{} appears twice", entry.name);
            let (spec, items) = find(&entry.name).unwrap();
            assert_eq!((spec.name, items), (entry.spec.name, entry.items));
            assert!(spec.effect().ends_with('.'), "{}", spec.name);
        }
        assert!(find("kubebuilder:validation:items:Required").is_none());
        for section in TEXTS.split("\n## ").skip(1) {
            let name = section.lines().next().unwrap();
            assert!(find(name).is_some(), "{name} has texts and is not a marker");
        }
    }

    /// The list of controller-gen's markers is independent of this table.
    #[test]
    fn every_marker_of_controller_gen_is_in_the_table_with_its_targets_and_arguments() {
        let mut rows = 0;
        for line in crd_testdata::controller_gen_markers().lines().skip(1) {
            let mut columns = line.split('\t');
            let (name, target, arguments) =
                (columns.next().unwrap(), columns.next().unwrap(), columns.next().unwrap_or_default());
            rows += 1;
            let is_deprecated = find(name).is_some_and(|(spec, _)| spec.rule() == Some(RuleKind::DeprecatedName));
            assert_eq!(is_deprecated, columns.next() == Some("deprecated"), "{name}");
            if target == "package" {
                // Rust has no counterpart of a package marker: the table rejects it, or has its field form.
                let (spec, _) = find(name).unwrap_or_else(|| panic!("+{name} is unknown"));
                let refused = matches!(spec.meaning, Meaning::Refused(_));
                assert!(refused || matches!(spec.meaning, Meaning::Optional | Meaning::Required), "{name}");
                continue;
            }
            let (spec, _) = find(name).unwrap_or_else(|| panic!("+{name} is unknown"));
            let target = if target == "field" { Target::Field } else { Target::Resource };
            assert!(spec.targets.contains(target), "+{name} is allowed on a {target:?}");
            match spec.arguments {
                ArgumentsSpec::Named(specs) => {
                    for argument in arguments.split(';') {
                        let (key, kind) = argument.split_once(':').unwrap();
                        let spec = specs.iter().find(|spec| spec.name == key).unwrap_or_else(|| panic!("{name}:{key}"));
                        assert_eq!(spec.optional, kind.ends_with('?'), "{name}:{key}");
                    }
                    assert_eq!(specs.len(), arguments.split(';').count(), "{name}");
                }
                // The list omits the argument of numeric bounds.
                ArgumentsSpec::Value(_) => assert!(!arguments.is_empty() || spec.applies == Applies::Numeric, "{name}"),
                ArgumentsSpec::Flag => assert!(arguments.is_empty(), "{name}"),
            }
        }
        assert_eq!(rows, 134);
    }
}
