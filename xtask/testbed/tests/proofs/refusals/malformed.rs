//! Malformed CRDs, and some that only look malformed, with the expected answers of engine and server.
//!
//! Invariants: every document is an edit of the same small, valid one ([`crd_apiserver::refusal::example`]). Rows of a section are adjacent.
//! Where engine and server differ, the row contains the gap, and [`Gap::reason`] the reason.

use crd_apiserver::refusal::example;
use serde_json::{Value, json};

/// A document and the expected answers.
pub(crate) struct Malformed {
    /// The section of the page.
    pub(crate) section: &'static str,
    /// A description of the malformed part.
    pub(crate) what: &'static str,
    /// The edit of the small document.
    pub(crate) edit: Value,
    /// The expected answers.
    pub(crate) expected: Expected,
}

/// The expected answers of engine and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Engine and server refuse it.
    Refused,
    /// Engine and server refuse it; only servers from this minor on.
    RefusedSince(u16),
    /// Engine and server accept it.
    Accepted,
    /// The server accepts it. The engine refuses it with rules that no server has, because it can only be a mistake.
    RefusedByEngine,
    /// The server accepts it, and the engine cannot read it.
    Unreadable(Gap),
    /// The server refuses it, and the engine accepts it.
    AcceptedByEngine(Gap),
    /// Servers up to this minor refuse it, and the engine accepts it.
    AcceptedByEngineUntil(u16, Gap),
}

/// Why engine and server differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    /// Errors that only evaluation finds.
    Evaluation,
    /// `null` for an absent value.
    Null,
    /// Functions of a newer Kubernetes.
    NewFunction,
}

impl Gap {
    /// All gaps.
    pub(crate) const ALL: [Self; 3] = [Self::Evaluation, Self::Null, Self::NewFunction];

    /// The reason, as text for the page.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Evaluation => {
                "The engine evaluates a rule only with a default. The server also evaluates the constant parts of a rule when it compiles it."
            }
            Self::Null => "The server reads `null` as absent almost everywhere. The engine's reader refuses it.",
            Self::NewFunction => {
                "The engine accepts the functions of the newest Kubernetes. Older servers refuse rules that use the new functions."
            }
        }
    }
}

impl Malformed {
    /// The complete document.
    pub(crate) fn document(&self) -> Value {
        example(&self.edit.to_string()).unwrap_or_else(|| panic!("not an edit: {}", self.edit))
    }
}

/// All rows.
pub(crate) fn table() -> Vec<Malformed> {
    let mut rows = Vec::new();
    document(&mut Section { name: "The document", rows: &mut rows });
    versions(&mut Section { name: "Versions", rows: &mut rows });
    structural(&mut Section { name: "Structural schemas", rows: &mut rows });
    lists(&mut Section { name: "Lists and maps", rows: &mut rows });
    junctors(&mut Section { name: "allOf, anyOf, oneOf, not", rows: &mut rows });
    defaults(&mut Section { name: "Defaults", rows: &mut rows });
    cel_texts(&mut Section { name: "CEL: messages and other fields of a rule", rows: &mut rows });
    cel_syntax(&mut Section { name: "CEL: syntax", rows: &mut rows });
    cel_fields(&mut Section { name: "CEL: fields and names", rows: &mut rows });
    cel_types(&mut Section { name: "CEL: types", rows: &mut rows });
    cel_functions(&mut Section { name: "CEL: functions", rows: &mut rows });
    cel_old_self(&mut Section { name: "CEL: oldSelf", rows: &mut rows });
    cel_cost(&mut Section { name: "CEL: cost", rows: &mut rows });
    rows
}

struct Section<'t> {
    name: &'static str,
    rows: &'t mut Vec<Malformed>,
}

use Expected::{Accepted, AcceptedByEngine, AcceptedByEngineUntil, Refused, RefusedByEngine, RefusedSince, Unreadable};

impl Section<'_> {
    fn edit(&mut self, what: &'static str, expected: Expected, edit: Value) {
        self.rows.push(Malformed { section: self.name, what, edit, expected });
    }

    fn field(&mut self, what: &'static str, expected: Expected, field: Value) {
        self.edit(what, expected, json!({"field": field}));
    }

    fn root(&mut self, what: &'static str, expected: Expected, root: Value) {
        self.edit(what, expected, json!({"root": root}));
    }

    fn version(&mut self, what: &'static str, expected: Expected, version: Value) {
        self.edit(what, expected, json!({"version": version}));
    }

    fn spec(&mut self, what: &'static str, expected: Expected, spec: Value) {
        self.edit(what, expected, json!({"document": {"spec": spec}}));
    }

    /// A rule on an object with properties of many types.
    fn rule(&mut self, what: &'static str, expected: Expected, rule: &str) {
        self.validation(what, expected, json!({"rule": rule}));
    }

    fn validation(&mut self, what: &'static str, expected: Expected, validation: Value) {
        let mut field = specimen();
        field["x-kubernetes-validations"] = json!([validation]);
        self.field(what, expected, field);
    }
}

/// An object with properties of many types, all of them bounded.
pub(crate) fn specimen() -> Value {
    json!({"type": "object", "properties": {
        "text": {"type": "string", "maxLength": 20},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "flag": {"type": "boolean"},
        "secret": {"type": "string", "format": "byte", "maxLength": 20},
        "when": {"type": "string", "format": "date-time"},
        "span": {"type": "string", "format": "duration"},
        "port": {"x-kubernetes-int-or-string": true},
        "any": {"x-kubernetes-preserve-unknown-fields": true},
        "names": {"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 20}},
        "labels": {"type": "object", "maxProperties": 5, "additionalProperties": {"type": "string", "maxLength": 20}},
        "inner": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 20}}},
        "other": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 20}}},
        "rows": {"type": "array", "maxItems": 5, "items": {"type": "object", "properties": {
            "key": {"type": "string", "maxLength": 20}, "value": {"type": "integer"}}}},
    }})
}

fn document(rows: &mut Section<'_>) {
    rows.edit(
        "a name that is not `<plural>.<group>`",
        Refused,
        json!({"document": {"metadata": {"name": "thing.example.com"}}}),
    );
    rows.spec("a scope that is none", Refused, json!({"scope": "Cluster-wide"}));
    rows.spec("no scope", Refused, json!({"scope": null}));
    rows.spec("no kind", Refused, json!({"names": {"kind": null}}));
    rows.spec("a kind with a dot", Refused, json!({"names": {"kind": "Thing.V1"}}));
    rows.spec("a list kind like the kind", Refused, json!({"names": {"listKind": "Thing"}}));
    rows.spec("a short name in upper case", Refused, json!({"names": {"shortNames": ["TH"]}}));
    rows.spec("a category with a space", Refused, json!({"names": {"categories": ["all things"]}}));
    rows.spec("`preserveUnknownFields: true`", Refused, json!({"preserveUnknownFields": true}));
    rows.spec("a key that no CRD has", Refused, json!({"preserve": false}));
    rows.spec("a number where a text belongs", Refused, json!({"names": {"singular": 1}}));
    rows.spec(
        "a conversion webhook without a client",
        Refused,
        json!({"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}}),
    );
    rows.spec(
        "a conversion webhook that understands no version of ConversionReview",
        Refused,
        json!({"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v3"],
            "clientConfig": {"url": "https://example.com/convert"}}}}),
    );
    rows.spec(
        "a conversion webhook without TLS",
        Refused,
        json!({"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
            "clientConfig": {"url": "http://example.com/convert"}}}}),
    );
    rows.spec(
        "a conversion webhook whose certificate is none",
        RefusedByEngine,
        json!({"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://example.com/convert", "caBundle": "YWJj"}}}}),
    );
    rows.spec("a conversion strategy that is none", Refused, json!({"conversion": {"strategy": "Automatic"}}));
    rows.edit(
        "a group of the Kubernetes community without its approval",
        Refused,
        json!({"document": {"metadata": {"name": "things.example.k8s.io"}, "spec": {"group": "example.k8s.io"}}}),
    );
    rows.edit(
        "a group without a dot",
        Refused,
        json!({"document": {"metadata": {"name": "things.example"}, "spec": {"group": "example"}}}),
    );
    rows.edit(
        "the apiVersion of long ago",
        Refused,
        json!({"document": {"apiVersion": "apiextensions.k8s.io/v1beta1"}}),
    );
}

fn versions(rows: &mut Section<'_>) {
    let good = json!({"openAPIV3Schema": {"type": "object"}});
    rows.spec("no versions", Refused, json!({"versions": []}));
    rows.version("no storage version", Refused, json!({"storage": false}));
    rows.spec(
        "two storage versions",
        Refused,
        json!({"versions": [{"name": "v1", "served": true, "storage": true, "schema": good},
            {"name": "v2", "served": true, "storage": true, "schema": good}]}),
    );
    rows.spec(
        "two versions of one name",
        Refused,
        json!({"versions": [{"name": "v1", "served": true, "storage": true, "schema": good},
            {"name": "v1", "served": false, "storage": false, "schema": good}]}),
    );
    rows.version("a version name with a dot", Refused, json!({"name": "v1.0"}));
    rows.version("a version name in upper case", Refused, json!({"name": "V1"}));
    rows.version("a version name that Kubernetes cannot order", Accepted, json!({"name": "latest"}));
    rows.version("no schema", Refused, json!({"schema": null}));
    rows.version("an empty schema", Refused, json!({"schema": {"openAPIV3Schema": null}}));
    rows.version("no version is served", Accepted, json!({"served": false}));
    rows.version("a deprecation warning without deprecation", Refused, json!({"deprecationWarning": "use v2"}));
    rows.version("an empty deprecation warning", Refused, json!({"deprecated": true, "deprecationWarning": ""}));
    rows.version(
        "a deprecation warning of 257 bytes",
        Refused,
        json!({"deprecated": true, "deprecationWarning": "x".repeat(257)}),
    );
    rows.version(
        "a deprecation warning of two lines",
        Refused,
        json!({"deprecated": true, "deprecationWarning": "use v2\nsoon"}),
    );
    rows.version(
        "a print column of a type that is none",
        Refused,
        json!({"additionalPrinterColumns": [{"name": "A", "type": "text", "jsonPath": ".spec.field"}]}),
    );
    rows.version(
        "a print column without its leading dot",
        Refused,
        json!({"additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": "spec.field"}]}),
    );
    rows.version(
        "a print column without a name",
        Refused,
        json!({"additionalPrinterColumns": [{"type": "string", "jsonPath": ".spec.field"}]}),
    );
    rows.version(
        "a print column whose path has no end",
        RefusedByEngine,
        json!({"additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": ".spec.field[0"}]}),
    );
    rows.version(
        "a selectable field that is not there",
        Refused,
        json!({"selectableFields": [{"jsonPath": ".spec.colour"}]}),
    );
    rows.version("a selectable field that is an object", Refused, json!({"selectableFields": [{"jsonPath": ".spec"}]}));
    rows.version(
        "a selectable field of the metadata",
        Refused,
        json!({"selectableFields": [{"jsonPath": ".metadata.labels"}]}),
    );
    rows.version(
        "a selectable field twice",
        Refused,
        json!({"selectableFields": [{"jsonPath": ".spec.field"}, {"jsonPath": ".spec.field"}]}),
    );
    rows.version(
        "a scale subresource without the path of the status",
        Refused,
        json!({"subresources": {"scale": {"specReplicasPath": ".spec.replicas"}}}),
    );
    rows.version(
        "a scale subresource that scales by the status",
        Refused,
        json!({"subresources": {"scale": {"specReplicasPath": ".status.replicas", "statusReplicasPath": ".status.replicas"}}}),
    );
    rows.version(
        "a scale subresource whose path enters a list",
        RefusedByEngine,
        json!({"subresources": {"scale": {"specReplicasPath": ".spec.pools[0]", "statusReplicasPath": ".status.replicas"}}}),
    );
    rows.version("a subresource that is none", Refused, json!({"subresources": {"logs": {}}}));
}

fn structural(rows: &mut Section<'_>) {
    rows.root("a root without a type", Refused, json!({"properties": {"spec": {"type": "object"}}}));
    rows.root("a root that is a list", Refused, json!({"type": "array", "items": {"type": "string"}}));
    rows.root("a nullable root", Refused, json!({"type": "object", "nullable": true}));
    rows.root("a root that is a map", Refused, json!({"type": "object", "additionalProperties": {"type": "string"}}));
    rows.edit(
        "a condition on the root, with the status subresource",
        Refused,
        json!({"root": {"type": "object", "properties": {"spec": {"type": "object"}}, "anyOf": [{"required": ["spec"]}]},
            "version": {"subresources": {"status": {}}}}),
    );
    rows.field("a property without a type", Refused, json!({"description": "anything"}));
    rows.field("a type that is none", Refused, json!({"type": "text"}));
    rows.field("the type `null`", Refused, json!({"type": "null"}));
    rows.field("several types", Refused, json!({"type": ["string", "null"]}));
    rows.field("a type in upper case", Refused, json!({"type": "String"}));
    rows.field("a keyword that is none", Refused, json!({"type": "string", "maxlength": 3}));
    rows.field("a keyword of JSON Schema that Kubernetes has not", Refused, json!({"type": "string", "const": "a"}));
    rows.field("a keyword of another kind", Refused, json!({"type": "string", "maxLength": "3"}));
    rows.field("`$ref`", Refused, json!({"type": "object", "$ref": "#/definitions/a"}));
    rows.field("`definitions`", Refused, json!({"type": "object", "definitions": {"a": {"type": "string"}}}));
    rows.field("`dependencies`", Refused, json!({"type": "object", "dependencies": {"a": ["b"]}}));
    rows.field(
        "`patternProperties`",
        Refused,
        json!({"type": "object", "patternProperties": {"^a": {"type": "string"}}}),
    );
    rows.field(
        "`additionalItems`",
        Refused,
        json!({"type": "array", "items": {"type": "string"}, "additionalItems": true}),
    );
    rows.field("`$schema`", Refused, json!({"type": "string", "$schema": "http://json-schema.org/schema#"}));
    rows.field("`id`", Refused, json!({"type": "string", "id": "field"}));
    rows.field(
        "`uniqueItems: true`",
        Refused,
        json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}}),
    );
    rows.field(
        "`additionalProperties: false` with properties",
        Refused,
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}),
    );
    rows.field(
        "a map with named properties",
        Refused,
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}),
    );
    rows.field("a map whose values have no type", Refused, json!({"type": "object", "additionalProperties": {}}));
    rows.field("a property that is only `true`", Refused, json!({"type": "object", "properties": {"a": true}}));
    rows.field(
        "`null` for a keyword",
        Unreadable(Gap::Null),
        json!({"type": "string", "pattern": null, "maxLength": 1}),
    );
    rows.field(
        "`x-kubernetes-preserve-unknown-fields: false`",
        Refused,
        json!({"type": "object", "x-kubernetes-preserve-unknown-fields": false}),
    );
    rows.field(
        "an integer or string that keeps unknown fields",
        Refused,
        json!({"x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true}),
    );
    rows.field(
        "an integer or string with a type",
        Accepted,
        json!({"type": "string", "x-kubernetes-int-or-string": true}),
    );
    rows.field(
        "an embedded resource without fields",
        Refused,
        json!({"type": "object", "x-kubernetes-embedded-resource": true}),
    );
    rows.field(
        "an embedded resource that is a text",
        Refused,
        json!({"type": "string", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}),
    );
    rows.field(
        "an embedded resource whose metadata is a text",
        Refused,
        json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"metadata": {"type": "string"}}}),
    );
    rows.root(
        "a description of the metadata",
        Refused,
        json!({"type": "object", "properties": {"metadata": {"type": "object", "description": "the metadata"}}}),
    );
    rows.root(
        "an example of the metadata",
        RefusedSince(36),
        json!({"type": "object", "properties": {"metadata": {"type": "object", "example": {"name": "a"}}}}),
    );
    rows.root(
        "a schema for labels",
        Refused,
        json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}}),
    );
    rows.root(
        "a bound for the name",
        Accepted,
        json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 20}}}}}),
    );
    rows.root(
        "a kind that is a number",
        Refused,
        json!({"type": "object", "properties": {"kind": {"type": "integer"}}}),
    );
    rows.field("a pattern with lookahead", Refused, json!({"type": "string", "pattern": "^(?!a)"}));
    rows.field("a pattern without its end", Refused, json!({"type": "string", "pattern": "[a-z"}));
    rows.field("a pattern that repeats too often", Refused, json!({"type": "string", "pattern": "^a{1001}$"}));
    rows.field("an unknown format", Accepted, json!({"type": "string", "format": "colour"}));
    rows.field(
        "bounds that exclude each other",
        RefusedByEngine,
        json!({"type": "integer", "minimum": 3, "maximum": 2}),
    );
    rows.field("a negative length", RefusedByEngine, json!({"type": "string", "maxLength": -1}));
    rows.field("an empty enum", RefusedByEngine, json!({"type": "string", "enum": []}));
    rows.field("an enum of another type", RefusedByEngine, json!({"type": "string", "enum": [1, 2]}));
    rows.field(
        "required, but no property",
        RefusedByEngine,
        json!({"type": "object", "required": ["b"], "properties": {"a": {"type": "string"}}}),
    );
}

fn lists(rows: &mut Section<'_>) {
    let keyed = |keys: Value, items: Value| json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items});
    let item = |property: Value, required: Value| json!({"type": "object", "properties": {"a": property}, "required": required});
    let text = || json!({"type": "string"});
    rows.field("a list without items", Refused, json!({"type": "array"}));
    rows.field(
        "a list of several schemas",
        Refused,
        json!({"type": "array", "items": [{"type": "string"}, {"type": "integer"}]}),
    );
    rows.field("items without a type", Refused, json!({"type": "array", "items": {}}));
    rows.field(
        "a list type that is none",
        Refused,
        json!({"type": "array", "x-kubernetes-list-type": "bag", "items": {"type": "string"}}),
    );
    rows.field("a list type on a text", Refused, json!({"type": "string", "x-kubernetes-list-type": "atomic"}));
    rows.field("a map type that is none", Refused, json!({"type": "object", "x-kubernetes-map-type": "set"}));
    rows.field(
        "a map type on a list",
        Refused,
        json!({"type": "array", "x-kubernetes-map-type": "atomic", "items": {"type": "string"}}),
    );
    rows.field(
        "keys without a list type",
        Refused,
        json!({"type": "array", "x-kubernetes-list-map-keys": ["a"], "items": item(text(), json!(["a"]))}),
    );
    rows.field(
        "a list of type map without keys",
        Refused,
        json!({"type": "array", "x-kubernetes-list-type": "map", "items": item(text(), json!(["a"]))}),
    );
    rows.field("a list of type map with texts for items", Refused, keyed(json!(["a"]), text()));
    rows.field("a key without a property", Refused, keyed(json!(["b"]), item(text(), json!(["a"]))));
    rows.field("a key twice", Refused, keyed(json!(["a", "a"]), item(text(), json!(["a"]))));
    rows.field(
        "a key that is neither required nor has a default",
        Refused,
        keyed(json!(["a"]), item(text(), json!([]))),
    );
    rows.field(
        "a key that is not required and has a default",
        Accepted,
        keyed(json!(["a"]), item(json!({"type": "string", "default": "b"}), json!([]))),
    );
    rows.field(
        "a key that is a list",
        Refused,
        keyed(json!(["a"]), item(json!({"type": "array", "items": {"type": "string"}}), json!(["a"]))),
    );
    rows.field(
        "a nullable key",
        Refused,
        keyed(json!(["a"]), item(json!({"type": "string", "nullable": true}), json!(["a"]))),
    );
    rows.field(
        "a set of nullable texts",
        Refused,
        json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "nullable": true}}),
    );
    rows.field("a set of objects that are merged", Refused, json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}));
    rows.field("a set of atomic objects", Accepted, json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": {"type": "string"}}}}));
    rows.field("a set of sets", Refused, json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}));
}

fn junctors(rows: &mut Section<'_>) {
    rows.field(
        "a type inside anyOf",
        Refused,
        json!({"type": "string", "anyOf": [{"type": "string", "minLength": 1}]}),
    );
    rows.field("a default inside allOf", Refused, json!({"type": "string", "allOf": [{"default": "a"}]}));
    rows.field(
        "a description inside not",
        Refused,
        json!({"type": "string", "not": {"description": "d", "maxLength": 1}}),
    );
    rows.field(
        "a list type inside oneOf",
        Refused,
        json!({"type": "array", "items": {"type": "string"}, "oneOf": [{"x-kubernetes-list-type": "set"}]}),
    );
    rows.field(
        "a CEL rule inside anyOf",
        Refused,
        json!({"type": "string", "maxLength": 9, "anyOf": [{"x-kubernetes-validations": [{"rule": "self != 'a'"}]}]}),
    );
    rows.field(
        "additionalProperties inside anyOf",
        Refused,
        json!({"type": "object", "anyOf": [{"additionalProperties": {"minLength": 1}}]}),
    );
    rows.field(
        "integer or string, in the other order",
        Refused,
        json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "string"}, {"type": "integer"}]}),
    );
    rows.field(
        "integer or string, as usual",
        Accepted,
        json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}),
    );
    rows.root("a condition on a property of the root that is not declared", Refused, json!({"type": "object", "properties": {"spec": {"type": "object"}}, "anyOf": [{"properties": {"status": {"minProperties": 1}}}]}));
    rows.field("a condition on a property that is not declared", RefusedByEngine, json!({"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"properties": {"b": {"minLength": 1}}}]}));
    rows.field("a condition on metadata", Refused, json!({"type": "object", "properties": {"metadata": {"type": "object"}}, "anyOf": [{"properties": {"metadata": {"minProperties": 1}}}]}));
}

fn defaults(rows: &mut Section<'_>) {
    rows.field("a default of another type", Refused, json!({"type": "integer", "default": "1"}));
    rows.field("a default that is not whole", Refused, json!({"type": "integer", "default": 1.5}));
    rows.field("a default beyond a bound", Refused, json!({"type": "integer", "maximum": 3, "default": 4}));
    rows.field("a default that is too long", Refused, json!({"type": "string", "maxLength": 2, "default": "abc"}));
    rows.field(
        "a default that does not match its pattern",
        Refused,
        json!({"type": "string", "pattern": "^[a-z]+$", "default": "A"}),
    );
    rows.field("a default outside its enum", Refused, json!({"type": "string", "enum": ["a", "b"], "default": "c"}));
    rows.field(
        "a default with too few items",
        Refused,
        json!({"type": "array", "minItems": 1, "items": {"type": "string"}, "default": []}),
    );
    rows.field(
        "a default without a required property",
        Refused,
        json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}, "default": {}}),
    );
    rows.field("a default without a required property that has a default itself", Refused, json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "default": "b"}}, "default": {}}));
    rows.field(
        "a default with a field that would be dropped",
        Refused,
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "default": {"a": "b", "c": "d"}}),
    );
    rows.field(
        "a default that breaks a condition",
        Refused,
        json!({"type": "string", "default": "abc", "not": {"pattern": "b"}}),
    );
    rows.field("a default that breaks a CEL rule", Refused, json!({"type": "string", "maxLength": 9, "default": "a", "x-kubernetes-validations": [{"rule": "self != 'a'"}]}));
    rows.field("a default that is null", RefusedByEngine, json!({"type": "string", "default": null}));
    rows.field(
        "a default of 33 bits in 32",
        RefusedSince(36),
        json!({"type": "integer", "format": "int32", "default": 4_294_967_296_i64}),
    );
    rows.field(
        "a default that is not a Kubernetes short name",
        RefusedSince(34),
        json!({"type": "string", "format": "k8s-short-name", "default": "A"}),
    );
    rows.field("a default that is not a date", Refused, json!({"type": "string", "format": "date", "default": "soon"}));
    rows.field(
        "a default that a set has twice",
        RefusedByEngine,
        json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}, "default": ["a", "a"]}),
    );
    rows.field("a default of the wrong type among the values of a map", RefusedByEngine, json!({"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "string", "default": 1}}}}));
    rows.field(
        "a default for a class of Unicode that it is not in",
        Refused,
        json!({"type": "string", "pattern": "^\\p{Lu}", "default": "é"}),
    );
    rows.field("a default that breaks a CEL rule below it", Refused, json!({"type": "array", "maxItems": 2, "default": [1, 3], "items": {"type": "integer", "x-kubernetes-validations": [{"rule": "self < 3", "message": "too large"}]}}));
    rows.field("a default that breaks a CEL rule in allOf", Refused, json!({"type": "object", "default": {"a": 1}, "properties": {"a": {"type": "integer", "x-kubernetes-validations": [{"rule": "self < 3"}]}}, "allOf": [{"properties": {"a": {"x-kubernetes-validations": [{"rule": "self > 1"}]}}}]}));
    rows.field("a default whose CEL rule reads a default below it", Refused, json!({"type": "object", "default": {}, "properties": {"a": {"type": "integer", "default": 1}}, "x-kubernetes-validations": [{"rule": "self.a == 1"}]}));
    rows.field("a default that a CEL rule refuses once its defaults are filled in", RefusedByEngine, json!({"type": "object", "default": {}, "properties": {"a": {"type": "integer", "default": 1}}, "x-kubernetes-validations": [{"rule": "!has(self.a) || self.a > 1"}]}));
    rows.field(
        "a default that cannot replace itself",
        Refused,
        json!({"type": "integer", "default": 1, "x-kubernetes-validations": [{"rule": "self > oldSelf"}]}),
    );
    rows.field("a default that cannot be new", Refused, json!({"type": "integer", "default": 1, "x-kubernetes-validations": [{"rule": "oldSelf.hasValue()", "optionalOldSelf": true}]}));
    rows.field("a default under a CEL rule of the field above", Accepted, json!({"type": "object", "properties": {"a": {"type": "integer", "default": 1}}, "x-kubernetes-validations": [{"rule": "!has(self.a) || self.a > 1"}]}));
    rows.field("a default that a closed condition forbids", RefusedByEngine, json!({"type": "object", "properties": {"a": {"type": "string"}}, "allOf": [{"additionalProperties": false}], "default": {"a": "b"}}));
    rows.root(
        "a default of the kind",
        Refused,
        json!({"type": "object", "properties": {"kind": {"type": "string", "default": "Thing"}}}),
    );
    rows.root(
        "a default of the metadata",
        Refused,
        json!({"type": "object", "properties": {"metadata": {"type": "object", "default": {"name": "a"}}}}),
    );
    rows.root(
        "a default of the whole object",
        Refused,
        json!({"type": "object", "properties": {"spec": {"type": "object"}}, "default": {"spec": {}}}),
    );
    rows.field(
        "a default of an embedded resource without its kind",
        Refused,
        json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true, "default": {"apiVersion": "v1"}}),
    );
    rows.field(
        "a default for the labels of an embedded resource that are none",
        Refused,
        json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"metadata": {"type": "object", "properties": {
            "labels": {"type": "object", "additionalProperties": {"type": "string"}, "default": {"a b": "c"}}}}}}),
    );
}

fn cel_texts(rows: &mut Section<'_>) {
    rows.rule("an empty rule", Refused, "");
    rows.validation("no rule", Refused, json!({"message": "m"}));
    rows.validation("a blank message", Refused, json!({"rule": "self.flag", "message": " "}));
    rows.validation("a message of two lines", Refused, json!({"rule": "self.flag", "message": "a\nb"}));
    rows.rule("a rule of two lines without a message", Refused, "self.flag\n|| self.count == 1");
    rows.validation("a blank message expression", Refused, json!({"rule": "self.flag", "messageExpression": " "}));
    rows.validation("an unknown reason", Refused, json!({"rule": "self.flag", "reason": "Forbidden"}));
    rows.validation("a field path without its dot", Refused, json!({"rule": "self.flag", "fieldPath": "text"}));
    rows.validation("a field path to nowhere", Refused, json!({"rule": "self.flag", "fieldPath": ".colour"}));
    rows.validation("a field path into a list", Refused, json!({"rule": "self.flag", "fieldPath": ".names[0]"}));
    rows.validation("a key that no rule has", Refused, json!({"rule": "self.flag", "severity": "warning"}));
    rows.validation(
        "a message expression that does not parse",
        Refused,
        json!({"rule": "self.flag", "messageExpression": "'a' +"}),
    );
    rows.validation(
        "a message expression about a field that is not there",
        Refused,
        json!({"rule": "self.flag", "messageExpression": "self.txt"}),
    );
    rows.validation(
        "a message expression that is not a string",
        Refused,
        json!({"rule": "self.flag", "messageExpression": "self.count"}),
    );
    rows.validation(
        "a message expression that adds a number to a text",
        Refused,
        json!({"rule": "self.flag", "messageExpression": "'a' + self.count"}),
    );
}

fn cel_syntax(rows: &mut Section<'_>) {
    rows.rule("an operand is missing", Refused, "self.text ==");
    rows.rule("`=` for `==`", Refused, "self.text = 'a'");
    rows.rule("`and` for `&&`", Refused, "self.flag and self.count == 1");
    rows.rule("`&` for `&&`", Refused, "self.flag & self.count == 1");
    rows.rule("`not` for `!`", Refused, "not self.flag");
    rows.rule("a text without its end", Refused, "self.text == 'a");
    rows.rule("an escape that is none", Refused, "self.text == '\\d'");
    rows.rule("a bracket without its end", Refused, "(self.flag || self.count == 1");
    rows.rule("a comma at the end of arguments", Refused, "self.text.startsWith('a',)");
    rows.rule("two dots", Refused, "self..flag");
    rows.rule("a conditional without its other case", Refused, "self.flag ? true");
    rows.rule("a reserved word for a variable", Refused, "self.names.all(namespace, namespace != 'a')");
    rows.rule("a field called `in`, as it is", Refused, "self.in == 'a'");
    rows.rule("a number beyond 64 bits", Refused, "self.count < 9223372036854775808");
    rows.rule("`has` of no field", Refused, "has(self)");
    rows.rule("a macro whose variable is not a name", Refused, "self.names.all(self.text, true)");
    rows.rule("a statement", Refused, "self.flag;");
    rows.rule("two comparisons in a chain", Refused, "0 < self.count < 5");
    rows.rule("nested too deeply", Refused, &format!("{}self.flag{}", "!(".repeat(260), ")".repeat(260)));
}

fn cel_fields(rows: &mut Section<'_>) {
    rows.rule("a field that is not there", Refused, "self.txt == 'a'");
    rows.rule("a field that an inner object has not", Refused, "self.inner.b == 'a'");
    rows.rule("a field that the items have not", Refused, "self.rows.all(row, row.name == 'a')");
    rows.rule("a field of an object outside the node", Refused, "self.spec.field.text == 'a'");
    rows.rule("a field that keeps unknown fields", Refused, "self.any.a == 'a'");
    rows.rule("a field of a text", Refused, "self.text.length > 3");
    rows.rule("a field of a list", Refused, "self.names.length > 3");
    rows.rule("an object by index", Refused, "self['text'] == 'a'");
    rows.rule("`in` on an object", Refused, "'text' in self");
    rows.rule("a macro on an object", Refused, "self.all(key, key != 'a')");
    rows.rule("without `self`", Refused, "text == 'a'");
    rows.rule("a variable that is not there", Refused, "this.text == 'a'");
    rows.rule("the variable of a macro outside of it", Refused, "self.names.all(n, n != '') && n == 'a'");
    rows.rule("a variable of admission policies", Refused, "request.operation == 'CREATE'");
    rows.rule("`has` of a field that is not there", Refused, "has(self.txt)");
    rows.field(
        "a rule on what keeps unknown fields",
        Refused,
        json!({"x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-validations": [{"rule": "true"}]}),
    );
    rows.field("a rule on an object that keeps unknown fields", Accepted, json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-validations": [{"rule": "true"}]}));
    rows.field("a rule below what keeps unknown fields", Accepted, json!({"x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"type": "string", "x-kubernetes-validations": [{"rule": "true"}]}}}));
    rows.field(
        "a rule below what keeps unknown fields, and one above it",
        Refused,
        json!({"type": "object", "x-kubernetes-validations": [{"rule": "true"}], "properties": {
            "a": {"x-kubernetes-preserve-unknown-fields": true, "properties": {
                "b": {"type": "string", "x-kubernetes-validations": [{"rule": "true"}]}}}}}),
    );
    rows.root(
        "labels of the resource",
        Refused,
        json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.metadata.labels.size() > 0"}]}),
    );
    rows.root(
        "the namespace of the resource",
        Refused,
        json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.metadata.namespace == 'a'"}]}),
    );
    rows.root(
        "the name of the resource",
        Accepted,
        json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.metadata.name != 'a'"}]}),
    );
}

fn cel_types(rows: &mut Section<'_>) {
    rows.rule("a rule that is a number", Refused, "self.count");
    rows.rule("a rule that is a text", Refused, "self.text");
    rows.rule("a rule that is a list", Refused, "self.names.filter(n, n != '')");
    rows.rule("a number and a text are equal", Refused, "self.count == '1'");
    rows.rule("a fraction and a whole number are equal", Refused, "self.ratio == 1");
    rows.rule("a fraction is more than a whole number", Accepted, "self.ratio > 1");
    rows.rule("a whole number plus a fraction", Refused, "self.count + 0.5 > 1.0");
    rows.rule("a number plus a text", Refused, "self.text + 1 == 'a1'");
    rows.rule("a text minus a text", Refused, "self.text - 'a' == ''");
    rows.rule("a text is less than a number", Refused, "self.text < 3");
    rows.rule("a boolean is more than a number", Refused, "self.flag > 0");
    rows.rule("not of a text", Refused, "!self.text");
    rows.rule("minus a text", Refused, "-self.text == 'a'");
    rows.rule("and of a text", Refused, "self.text && self.flag");
    rows.rule("or of a number", Refused, "self.flag || self.count");
    rows.rule("a condition that is a number", Refused, "self.count ? true : false");
    rows.rule("a conditional of two types", Refused, "(self.flag ? 1 : 'a') == 1");
    rows.rule("a list of two types", Refused, "self.text in ['a', 1]");
    rows.rule("a map of two types", Refused, "{'a': 1, 'b': 'c'}.size() == 2");
    rows.rule("a number in a list of texts", Refused, "self.count in self.names");
    rows.rule("in a text", Refused, "'a' in self.text");
    rows.rule("a number as the key of a map of texts", Refused, "1 in self.labels");
    rows.rule("a list by a text", Refused, "self.names['a'] == 'a'");
    rows.rule("a map by a number", Refused, "self.labels[0] == 'a'");
    rows.rule("a text by a number", Refused, "self.text[0] == 'a'");
    rows.rule("two objects of unlike places", Refused, "self.inner == self.other");
    rows.rule("a list of texts is a list of numbers", Refused, "self.names == [1]");
    rows.rule("lists of two types together", Refused, "(self.names + [1]).size() > 0");
    rows.rule("an item as a number", Refused, "self.rows.exists(row, row.key == 1)");
    rows.rule("a quantifier over texts", Refused, "self.names.all(n, n)");
    rows.rule("a filter over texts", Refused, "self.names.filter(n, n).size() > 0");
    rows.rule("a quantifier over a text", Refused, "self.text.all(c, c == 'a')");
    rows.rule("bytes and a text", Refused, "self.secret == 'a'");
    rows.rule("a time and a text", Refused, "self.when == '2020-01-01T00:00:00Z'");
    rows.rule("a duration and a number", Refused, "self.span > 5");
    rows.rule("a text that is null", Refused, "self.text == null");
    rows.rule("an object that is null", Accepted, "self.inner == null");
    rows.rule("an integer or string and a number", Accepted, "self.port == 1");
    rows.rule("an optional text and a text", Refused, "self.?text == 'a'");
    rows.rule("an optional text or a number", Refused, "self.?text.orValue(1) == 1");
    rows.rule("an optional text among texts", Refused, "self.text in ['a', self.?text]");
    rows.rule("an integer or string among texts", Refused, "self.text in ['a', self.port]");
    rows.rule("a text is the name of a type", Refused, "self.text == string");
    rows.rule("a rule that is an integer or string", Refused, "self.port");
}

fn cel_functions(rows: &mut Section<'_>) {
    rows.rule("a function that is none", Refused, "length(self.text) > 3");
    rows.rule("a method that is none", Refused, "self.text.startWith('a')");
    rows.rule("a method with too few arguments", Refused, "self.text.startsWith()");
    rows.rule("a method with an argument of another type", Refused, "self.text.startsWith(1)");
    rows.rule("a method of texts on a number", Refused, "self.count.startsWith('1')");
    rows.rule("the size of a number", Refused, "size(self.count) > 3");
    rows.rule("a method as a function", Refused, "startsWith(self.text, 'a')");
    rows.rule("a function as a method", Refused, "self.count.string() == '1'");
    rows.rule("the sum of texts", Refused, "self.names.sum() == 'ab'");
    rows.rule("a pattern that is none", Refused, "self.text.matches('[a-z')");
    rows.rule("a duration that is none", Refused, "self.span > duration('1 day')");
    rows.rule("a time that is none", Refused, "self.when > timestamp('today')");
    rows.rule("a quantity of a number", Refused, "quantity(self.count).isInteger()");
    rows.rule("a quantity against a number", Refused, "quantity(self.text).isGreaterThan(1)");
    rows.rule("the address of a number", Refused, "ip(self.count).family() == 4");
    rows.rule("a method of addresses on a text", Refused, "self.text.family() == 4");
    rows.rule("the host of an address as a number", Refused, "url(self.text).getHost() == 1");
    rows.rule("the wrong set", Refused, "sets.contains(self.names, [1])");
    rows.rule("a function that its namespace has not", Refused, "strings.trim(self.text) == 'a'");
    rows.rule("a constant that cannot be computed", AcceptedByEngine(Gap::Evaluation), "self.count > int('one')");
    rows.rule("the functions of mathematics", Refused, "math.greatest(self.count, 1) == 1");
    rows.rule("a binding", Refused, "cel.bind(a, self.count, a > 1)");
    rows.rule(
        "the authorizer of admission policies",
        Refused,
        "authorizer.group('').resource('pods').check('get').allowed()",
    );
    rows.rule("a sorted list", AcceptedByEngineUntil(34, Gap::NewFunction), "self.names.sort() == self.names");
    rows.rule("a version", AcceptedByEngineUntil(33, Gap::NewFunction), "semver('1.2.3').major() == 1");
}

fn cel_old_self(rows: &mut Section<'_>) {
    let items = |list_type: Value, rule: &str| {
        json!({"type": "array", "maxItems": 5, "x-kubernetes-list-type": list_type,
            "items": {"type": "string", "maxLength": 20, "x-kubernetes-validations": [{"rule": rule}]}})
    };
    rows.field("oldSelf of an item", Refused, items(json!("atomic"), "self == oldSelf"));
    rows.field("oldSelf of an item of a set", Refused, items(json!("set"), "self == oldSelf"));
    rows.field(
        "oldSelf below an item",
        Refused,
        json!({"type": "array", "maxItems": 5, "items": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 20,
            "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}}}),
    );
    rows.field(
        "oldSelf of an item of a list of type map",
        Accepted,
        json!({"type": "array", "maxItems": 5, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"],
            "items": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "maxLength": 20}},
                "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}),
    );
    rows.validation("optionalOldSelf without oldSelf", Refused, json!({"rule": "self.flag", "optionalOldSelf": true}));
    rows.validation(
        "optionalOldSelf, and oldSelf as if it were always there",
        Refused,
        json!({"rule": "self.text == oldSelf.text", "optionalOldSelf": true}),
    );
    rows.validation(
        "optionalOldSelf, and oldSelf as it should be used",
        Accepted,
        json!({"rule": "oldSelf.optMap(old, old.text == self.text).orValue(true)", "optionalOldSelf": true}),
    );
    rows.rule("an oldSelf that is not optional, as if it were", Refused, "oldSelf.hasValue()");
    rows.rule("oldSelf of another type", Refused, "self.text == oldSelf");
}

fn cel_cost(rows: &mut Section<'_>) {
    let cost = Refused;
    rows.field(
        "every item against every item, without bounds",
        cost,
        json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [{"rule": "self.all(a, self.exists_one(b, a == b))"}]}),
    );
    rows.field(
        "a rule on every item of a list without bounds",
        cost,
        json!({"type": "array", "items": {"type": "string", "x-kubernetes-validations": [{"rule": "self.matches('^a+$')"}]}}),
    );
    rows.field(
        "a message expression that is too dear",
        cost,
        json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [
            {"rule": "self.size() < 3", "messageExpression": "self.map(a, self.map(b, a + b).join()).join()"}]}),
    );
    let dear = |bound: u64| {
        json!({"type": "array", "maxItems": bound, "items": {"type": "array", "maxItems": bound, "items": {"type": "string", "maxLength": 64,
            "x-kubernetes-validations": [{"rule": "self.matches('^a+$')"}]}}})
    };
    // Different bounds, because the server reports only the most expensive rules.
    let many: serde_json::Map<String, Value> =
        (0..16).map(|index: u8| (char::from(b'a' + index).to_string(), dear(590 - u64::from(index)))).collect();
    rows.field("rules that are cheap enough, each by itself", cost, json!({"type": "object", "properties": many}));
}
