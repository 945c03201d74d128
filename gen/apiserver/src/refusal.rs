//! Refusals: what an API server would refuse in a CRD document.
//!
//! Invariants:
//! * A rule with [`Authority::Server`] fires exactly where Kubernetes 1.32 to 1.37 answers a create with an error (or
//!   would set `NonStructuralSchema`). A rule with [`Authority::House`] fires where the server accepts something that
//!   can only be a mistake; its file describes what the server does with it.
//! * Where servers disagree, the strictest counts: a default beyond `format: int32` is refused from 1.36 on, one that
//!   violates `format: k8s-short-name` from 1.34 on, a conversion webhook at an odd URL from 1.36 on.
//! * Rules read the document only, and CEL rules as text: whether these compile and fit the types is checked in
//!   [`crd_cel`]. The cost of rules that compile is estimated for the supported minors. A default is refused for its pattern only where the pattern can be decided, which is
//!   nearly always (see [`Patterns`]).
//! * Refusals come in the order of [`RULES`], then of versions, then of the schema (items and properties before
//!   junctors).

mod api_approved;
mod bounds;
mod conversion;
mod conversion_certificate;
mod default_forbidden;
mod default_invalid;
mod default_null;
mod default_unusable;
mod deprecation_warning;
mod embedded_resource;
mod enumeration;
mod field_path;
mod group;
mod int_or_string;
mod items_missing;
mod junctor_keyword;
mod junctor_metadata;
mod junctor_unmatched;
mod junctor_unmatched_below;
mod keyword_id;
mod list_kind;
mod list_map_keys;
mod list_set;
mod list_type;
mod map_type;
mod metadata_annotations;
mod metadata_labels;
mod metadata_name;
mod metadata_schema;
mod names_missing;
mod names_syntax;
mod pattern;
mod preserve_unknown_fields;
mod print_column;
mod print_column_path;
mod print_column_unknown;
mod properties_and_values;
mod required_unknown;
mod root_keyword;
mod root_type;
mod scale_notation;
mod scale_path;
mod scale_path_unknown;
mod selectable_field;
mod selectable_fields_across_versions;
mod spec_preserve_unknown_fields;
mod status_without_subresource;
mod storage_version;
mod type_missing;
mod type_unknown;
mod unique_items;
mod validation_cost;
mod validation_cost_total;
mod validation_field_path;
mod validation_hidden;
mod validation_old_self;
mod validation_optional_old_self;
mod validation_text;
mod version_name;
mod version_name_twice;
mod walk;

use std::fmt;

use serde_json::{Map, Value, json};

use crate::validate::Patterns;
use crd_model::crd::CustomResourceDefinition;
use crd_model::schema::Text;
use walk::{Examined, ExaminedVersion, Node};

/// A `fieldPath` as errors show it below the path of its node; nothing if it leads to no field.
pub(crate) fn relative_path(schema: &crd_model::Schema, path: &str) -> Option<String> {
    let (steps, _) = field_path::resolve(schema, path, true).ok()?;
    let mut text = String::new();
    for step in steps {
        match step {
            field_path::Step::Property(name) if text.is_empty() => text.push_str(&name),
            field_path::Step::Property(name) => text.extend([".", &name]),
            field_path::Step::Key(name) => text.extend(["[", &name, "]"]),
        }
    }
    (!text.is_empty()).then_some(text)
}

/// One reason why a server would refuse the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The rule, by its id in [`RULES`].
    pub rule: &'static str,
    /// The version in which it is, by name; `None` for what is outside versions.
    pub version: Option<Text>,
    /// The part of the document that the path belongs to.
    pub part: Part,
    /// The path. In a schema, the path in an object: `spec.listeners[*].tls`, where `[*]` means every item or value and
    /// `{anyOf[0]}` for an alternative; empty for the root. Outside schemas, the path in the document (`spec.names.plural`)
    /// or in the version (`selectableFields[0]`).
    pub path: String,
    /// What is wrong, why, and how to fix it.
    pub message: String,
    /// The key, field path or default that the schema does not accept, where the schema of another channel may accept it. It identifies
    /// the refusal; the message lists what the schema has instead.
    pub subject: Option<String>,
}

impl Refusal {
    /// Whether both refuse the same subject at the same path, although the schemas may accept different names and values instead.
    pub fn is_same_refusal(&self, other: &Self) -> bool {
        let whole = |refusal: &Self| refusal.subject.is_none().then(|| refusal.message.clone());
        (self.rule, &self.version, &self.path, &self.subject)
            == (other.rule, &other.version, &other.path, &other.subject)
            && whole(self) == whole(other)
    }

    /// Who refuses it.
    pub fn authority(&self) -> Authority {
        RULES.iter().find(|rule| rule.id == self.rule).map_or(Authority::Server, |rule| rule.authority)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(version) = &self.version {
            write!(formatter, "{version}: ")?;
        }
        if !self.path.is_empty() {
            write!(formatter, "{}: ", self.path)?;
        }
        write!(formatter, "{} ({})", self.message, self.rule)
    }
}

/// The part of the document that a path belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The document as a whole; the refusal names no version.
    Document,
    /// The named version, outside its schema.
    Version,
    /// The schema of the named version.
    Schema,
}

/// Who refuses what a rule finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// Every server refuses it, or the newest servers do.
    Server,
    /// No server refuses it on creation. This crate does, because it can only be a mistake.
    House,
    /// It is not refused, because some APIs have a reason for it. It is reported as a warning ([`advice`]).
    Advice,
}

/// One rule.
pub struct Rule {
    /// The name under which its refusals are reported.
    pub id: &'static str,
    /// Who refuses what it finds.
    pub authority: Authority,
    /// Documents on which it fires, as edits for [`example`].
    pub refused: &'static [&'static str],
    /// Documents near to those, on which it (and every other rule) is silent.
    pub accepted: &'static [&'static str],
    check: Check,
}

type NodeCheck = fn(&Node<'_>, &mut NodeReport<'_, '_>);

/// What a rule looks at in one step.
enum Check {
    /// The whole document.
    Document(fn(&Examined<'_>, &mut Report)),
    /// A version.
    Version(fn(&ExaminedVersion<'_>, &mut Report)),
    /// A node of a version's schema.
    Node(NodeCheck),
    /// A node outside junctors.
    Structural(NodeCheck),
}

impl fmt::Debug for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Rule").field("id", &self.id).field("authority", &self.authority).finish_non_exhaustive()
    }
}

/// Every rule: first those about the document, then those about its versions, then those about their schemas.
pub const RULES: &[Rule] = &[
    metadata_name::RULE,
    metadata_labels::RULE,
    metadata_annotations::RULE,
    api_approved::RULE,
    group::RULE,
    names_missing::RULE,
    names_syntax::RULE,
    list_kind::RULE,
    spec_preserve_unknown_fields::RULE,
    conversion::RULE,
    conversion_certificate::RULE,
    storage_version::RULE,
    version_name::RULE,
    version_name_twice::RULE,
    deprecation_warning::RULE,
    print_column::RULE,
    print_column_path::RULE,
    print_column_unknown::RULE,
    selectable_field::RULE,
    selectable_fields_across_versions::RULE,
    scale_path::RULE,
    scale_path_unknown::RULE,
    status_without_subresource::RULE,
    scale_notation::RULE,
    root_type::RULE,
    root_keyword::RULE,
    metadata_schema::RULE,
    type_missing::RULE,
    type_unknown::RULE,
    items_missing::RULE,
    keyword_id::RULE,
    unique_items::RULE,
    preserve_unknown_fields::RULE,
    properties_and_values::RULE,
    required_unknown::RULE,
    embedded_resource::RULE,
    int_or_string::RULE,
    junctor_keyword::RULE,
    junctor_metadata::RULE,
    junctor_unmatched::RULE,
    junctor_unmatched_below::RULE,
    pattern::RULE,
    bounds::RULE,
    enumeration::RULE,
    list_type::RULE,
    list_set::RULE,
    list_map_keys::RULE,
    map_type::RULE,
    default_null::RULE,
    default_forbidden::RULE,
    default_invalid::RULE,
    default_unusable::RULE,
    validation_text::RULE,
    validation_field_path::RULE,
    validation_hidden::RULE,
    validation_old_self::RULE,
    validation_optional_old_self::RULE,
    validation_cost::RULE,
    validation_cost_total::RULE,
];

/// How many steps the searches for patterns in the defaults of a document take together.
const SEARCHING: u64 = 200_000_000;

/// Everything for which a server, or we, would refuse the document.
pub fn refusals(crd: &CustomResourceDefinition) -> Vec<Refusal> {
    let patterns = Patterns::within(SEARCHING);
    // Another rule refuses a pattern that is not valid, whatever the default.
    let is_invalid = |pattern: &str| crd_regexp::recognise(pattern).is_err();
    let matches =
        |pattern: &str, text: &str| patterns.matches(pattern, text).or_else(|| is_invalid(pattern).then_some(true));
    run(crd, &matches, |authority| authority != Authority::Advice)
}

/// What every server accepts and few APIs want.
pub fn advice(crd: &CustomResourceDefinition) -> Vec<Refusal> {
    run(crd, &|_, _| None, |authority| authority == Authority::Advice)
}

fn run(
    crd: &CustomResourceDefinition,
    matches: &dyn Fn(&str, &str) -> Option<bool>,
    is_wanted: fn(Authority) -> bool,
) -> Vec<Refusal> {
    let examined = Examined::new(crd, matches);
    let mut report = Report { rule: "", refusals: Vec::new() };
    for rule in RULES.iter().filter(|rule| is_wanted(rule.authority)) {
        report.rule = rule.id;
        match rule.check {
            Check::Document(check) => check(&examined, &mut report),
            Check::Version(check) => examined.versions.iter().for_each(|version| check(version, &mut report)),
            Check::Node(check) => report.look_at(examined.nodes(), check),
            Check::Structural(check) => report.look_at(examined.structural_nodes(), check),
        }
    }
    report.refusals
}

/// Collects refusals for the rule that is running.
struct Report {
    rule: &'static str,
    refusals: Vec<Refusal>,
}

impl Report {
    fn look_at<'e>(&mut self, nodes: impl Iterator<Item = (&'e ExaminedVersion<'e>, &'e Node<'e>)>, check: NodeCheck) {
        for (version, node) in nodes {
            check(node, &mut NodeReport { report: self, version, node });
        }
    }

    fn push(&mut self, version: Option<&ExaminedVersion<'_>>, part: Part, path: String, message: String) {
        let version = version.map(|version| version.version.name.clone());
        self.refusals.push(Refusal { rule: self.rule, version, part, path, message, subject: None });
    }

    /// Adds the subject to the last refusal.
    fn about(&mut self, subject: impl Into<String>) {
        if let Some(refusal) = self.refusals.last_mut() {
            refusal.subject = Some(subject.into());
        }
    }

    /// Refuses a part of the document outside versions.
    fn document(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.push(None, Part::Document, path.into(), message.into());
    }

    /// Refuses a part of a version outside its schema.
    fn version(&mut self, version: &ExaminedVersion<'_>, path: impl Into<String>, message: impl Into<String>) {
        self.push(Some(version), Part::Version, path.into(), message.into());
    }

    /// Refuses a path in a version's schema.
    fn schema(&mut self, version: &ExaminedVersion<'_>, path: impl Into<String>, message: impl Into<String>) {
        self.push(Some(version), Part::Schema, path.into(), message.into());
    }

    /// Refuses a node of a version's schema.
    fn node(&mut self, version: &ExaminedVersion<'_>, node: &Node<'_>, message: impl Into<String>) {
        self.schema(version, node.path.clone(), message);
    }
}

/// Collects refusals of one node.
struct NodeReport<'r, 'e> {
    report: &'r mut Report,
    version: &'e ExaminedVersion<'e>,
    node: &'e Node<'e>,
}

impl NodeReport<'_, '_> {
    fn here(&mut self, message: impl Into<String>) {
        self.report.node(self.version, self.node, message);
    }

    /// Adds the subject to the last refusal.
    fn about(&mut self, subject: impl Into<String>) {
        self.report.about(subject);
    }
}

/// A small document that every server accepts, changed by `edit`: a JSON object with any of
/// * `document`: a merge patch (RFC 7386) for the whole document,
/// * `version`: a merge patch for its only version,
/// * `root`: the version's whole schema,
/// * `field`: the schema of `spec.field`.
///
/// `None` when `edit` is not such an object.
pub fn example(edit: &str) -> Option<Value> {
    let edit: Map<String, Value> = serde_json::from_str(edit).ok()?;
    let field = edit.get("field").cloned().unwrap_or_else(|| json!({"type": "string"}));
    let root = edit.get("root").cloned().unwrap_or_else(
        || json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"field": field}}}}),
    );
    let mut version = json!({"name": "v1", "schema": {"openAPIV3Schema": root}, "served": true, "storage": true});
    if let Some(patch) = edit.get("version") {
        merge(&mut version, patch);
    }
    let mut document = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Thing", "plural": "things"},
            "scope": "Namespaced",
            "versions": [version],
        },
    });
    if let Some(patch) = edit.get("document") {
        merge(&mut document, patch);
    }
    let known = ["document", "version", "root", "field"];
    edit.keys().all(|key| known.contains(&key.as_str())).then_some(document)
}

fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    if let Value::Object(target) = target {
        for (key, value) in patch {
            if value.is_null() {
                target.remove(key);
            } else {
                merge(target.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
