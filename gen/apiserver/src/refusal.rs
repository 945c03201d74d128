//! Refusals: what an API server would refuse in a CRD document.
//!
//! Invariants:
//! * A rule with [`Authority::Server`] fires exactly where Kubernetes 1.32 to 1.37 answers a create with an error (or
//!   would set `NonStructuralSchema`). A rule with [`Authority::House`] fires where the server accepts something that
//!   can only be a mistake; its file describes what the server does with it.
//! * Where the servers of the minors disagree, the strictest counts: a default beyond `format: int32` is refused from 1.36 on, one that
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
    check: Check,
}

/// The documents of all rules: a heading for each rule, and blocks of code.
const EXAMPLES: &str = include_str!("refusal/examples.md");

impl Rule {
    const fn server(id: &'static str, check: Check) -> Self {
        Self { id, authority: Authority::Server, check }
    }

    const fn house(id: &'static str, check: Check) -> Self {
        Self { id, authority: Authority::House, check }
    }

    const fn advice(id: &'static str, check: Check) -> Self {
        Self { id, authority: Authority::Advice, check }
    }

    /// Documents on which it fires, as edits for [`example`].
    pub fn refused(&self) -> impl Iterator<Item = &'static str> {
        self.examples("refused\n")
    }

    /// Documents near to those, on which it (and every other rule) is silent.
    pub fn accepted(&self) -> impl Iterator<Item = &'static str> {
        self.examples("accepted\n")
    }

    fn examples(&self, verdict: &'static str) -> impl Iterator<Item = &'static str> {
        let mut sections = EXAMPLES.split("\n## ");
        let own = sections.find_map(|section| section.strip_prefix(self.id)?.strip_prefix('\n')).unwrap_or_default();
        let blocks = own.split("```json ").filter_map(move |block| block.strip_prefix(verdict));
        blocks.filter_map(|block| Some(block.split_once("\n```")?.0))
    }
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
    Rule::server("metadata-name", Check::Document(metadata_name::check)),
    Rule::server("metadata-labels", Check::Document(metadata_labels::check)),
    Rule::server("metadata-annotations", Check::Document(metadata_annotations::check)),
    Rule::server("api-approved", Check::Document(api_approved::check)),
    Rule::server("group", Check::Document(group::check)),
    Rule::server("names-missing", Check::Document(names_missing::check)),
    Rule::server("names-syntax", Check::Document(names_syntax::check)),
    Rule::server("list-kind", Check::Document(list_kind::check)),
    Rule::server("spec-preserve-unknown-fields", Check::Document(spec_preserve_unknown_fields::check)),
    Rule::server("conversion", Check::Document(conversion::check)),
    Rule::house("conversion-certificate", Check::Document(conversion_certificate::check)),
    Rule::server("storage-version", Check::Document(storage_version::check)),
    Rule::server("version-name", Check::Version(version_name::check)),
    Rule::server("version-name-twice", Check::Document(version_name_twice::check)),
    Rule::server("deprecation-warning", Check::Version(deprecation_warning::check)),
    Rule::server("print-column", Check::Version(print_column::check)),
    Rule::house("print-column-path", Check::Version(print_column_path::check)),
    Rule::house("print-column-unknown", Check::Version(print_column_unknown::check)),
    Rule::server("selectable-field", Check::Version(selectable_field::check)),
    Rule::server("selectable-fields-across-versions", Check::Document(selectable_fields_across_versions::check)),
    Rule::server("scale-path", Check::Version(scale_path::check)),
    Rule::house("scale-path-unknown", Check::Version(scale_path_unknown::check)),
    Rule::advice("status-without-subresource", Check::Version(status_without_subresource::check)),
    Rule::house("scale-notation", Check::Version(scale_notation::check)),
    Rule::server("root-type", Check::Node(root_type::check)),
    Rule::server("root-keyword", Check::Document(root_keyword::check)),
    Rule::server("metadata-schema", Check::Document(metadata_schema::check)),
    Rule::server("type-missing", Check::Structural(type_missing::check)),
    Rule::server("type-unknown", Check::Node(type_unknown::check)),
    Rule::server("items-missing", Check::Structural(items_missing::check)),
    Rule::server("keyword-id", Check::Node(keyword_id::check)),
    Rule::server("unique-items", Check::Node(unique_items::check)),
    Rule::server("preserve-unknown-fields", Check::Node(preserve_unknown_fields::check)),
    Rule::server("properties-and-values", Check::Node(properties_and_values::check)),
    Rule::house("required-unknown", Check::Structural(required_unknown::check)),
    Rule::server("embedded-resource", Check::Node(embedded_resource::check)),
    Rule::server("int-or-string", Check::Structural(int_or_string::check)),
    Rule::server("junctor-keyword", Check::Document(junctor_keyword::check)),
    Rule::server("junctor-metadata", Check::Node(junctor_metadata::check)),
    Rule::server("junctor-unmatched", Check::Version(junctor_unmatched::check)),
    Rule::house("junctor-unmatched-below", Check::Document(junctor_unmatched_below::check)),
    Rule::server("pattern", Check::Document(pattern::check)),
    Rule::house("bounds", Check::Structural(bounds::check)),
    Rule::house("enumeration", Check::Structural(enumeration::check)),
    Rule::server("list-type", Check::Node(list_type::check)),
    Rule::server("list-set", Check::Node(list_set::check)),
    Rule::server("list-map-keys", Check::Node(list_map_keys::check)),
    Rule::server("map-type", Check::Node(map_type::check)),
    Rule::house("default-null", Check::Node(default_null::check)),
    Rule::server("default-forbidden", Check::Structural(default_forbidden::check)),
    Rule::server("default-invalid", Check::Document(default_invalid::check)),
    Rule::house("default-unusable", Check::Document(default_unusable::check)),
    Rule::server("validation-text", Check::Node(validation_text::check)),
    Rule::server("validation-field-path", Check::Node(validation_field_path::check)),
    Rule::server("validation-hidden", Check::Version(validation_hidden::check)),
    Rule::server("validation-old-self", Check::Structural(validation_old_self::check)),
    Rule::server("validation-optional-old-self", Check::Structural(validation_optional_old_self::check)),
    Rule::server("validation-cost", Check::Document(validation_cost::check)),
    Rule::server("validation-cost-total", Check::Document(validation_cost_total::check)),
];

/// The rules about the costs of CEL rules.
pub const COSTS: [&str; 2] = ["validation-cost", "validation-cost-total"];

/// How many steps the searches for patterns in the defaults of a document take together.
const SEARCHING: u64 = 200_000_000;

/// The supported minors whose answers to documents differ: 1.34 has those of 1.35 with fewer functions and formats.
const MINORS: [u32; 4] = [33, 35, 36, 37];

/// Everything for which a server of a supported minor, or we, would refuse the document.
pub fn refusals(crd: &CustomResourceDefinition) -> Vec<Refusal> {
    refusals_on(crd, &MINORS)
}

/// The same for servers of these Kubernetes minors (1.x), lowest first: costs of rules and defaults are checked by each of them.
pub fn refusals_on(crd: &CustomResourceDefinition, minors: &[u32]) -> Vec<Refusal> {
    found(crd, minors, |rule| rule.authority != Authority::Advice)
}

/// The refusals of servers alone.
pub fn of_servers(crd: &CustomResourceDefinition) -> Vec<Refusal> {
    found(crd, &MINORS, |rule| rule.authority == Authority::Server)
}

/// The same without the costs of rules.
pub fn without_costs(crd: &CustomResourceDefinition) -> Vec<Refusal> {
    found(crd, &MINORS, |rule| rule.authority == Authority::Server && !COSTS.contains(&rule.id))
}

fn found(crd: &CustomResourceDefinition, minors: &[u32], is_wanted: fn(&Rule) -> bool) -> Vec<Refusal> {
    let patterns = Patterns::within(SEARCHING);
    // Another rule refuses a pattern that is not valid, whatever the default.
    let is_invalid = |pattern: &str| crd_regexp::recognise(pattern).is_err();
    let matches =
        |pattern: &str, text: &str| patterns.matches(pattern, text).or_else(|| is_invalid(pattern).then_some(true));
    run(crd, minors, &matches, is_wanted)
}

/// What every server accepts and few APIs want.
pub fn advice(crd: &CustomResourceDefinition) -> Vec<Refusal> {
    run(crd, &MINORS, &|_, _| None, |rule| rule.authority == Authority::Advice)
}

fn run(
    crd: &CustomResourceDefinition,
    minors: &[u32],
    matches: &dyn Fn(&str, &str) -> Option<bool>,
    is_wanted: fn(&Rule) -> bool,
) -> Vec<Refusal> {
    let examined = Examined::new(crd, minors, matches);
    let mut report = Report { rule: "", refusals: Vec::new() };
    for rule in RULES.iter().filter(|rule| is_wanted(rule)) {
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

/// Applies a merge patch (RFC 7386).
pub fn merge(target: &mut Value, patch: &Value) {
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
