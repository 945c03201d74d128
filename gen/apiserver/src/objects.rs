//! Objects: what a server answers to the creation of a custom resource, to its update, and to an update of its status.
//!
//! Invariants:
//! * The steps and their order are the server's: count the bytes, decode (prune, drop nulls, default), prepare, metadata, structure, scale, embedded
//!   resources, lists, rules. Rules run only if no error before them makes a value unusable for rules.
//! * What storage and admission add (names, UIDs, resource versions, managed fields) is not part of an answer.
//! * Where this crate cannot decide what a server would answer, the object is not accepted: see [`Answer::is_accepted`].
//! * A server takes the fields of an object in no particular order; here it is the order of the object.
//!
//! ```
//! use crd_apiserver::objects::{Request, Resource};
//! use crd_model::CustomResourceDefinition;
//! use serde_json::json;
//!
//! let size = json!({"type": "integer", "default": 1, "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]});
//! let spec = json!({"type": "object", "default": {}, "properties": {"size": size}});
//! let schema = json!({"type": "object", "properties": {"spec": spec}});
//! let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
//! let crd = CustomResourceDefinition::from_value(&json!({
//!     "apiVersion": "apiextensions.k8s.io/v1",
//!     "kind": "CustomResourceDefinition",
//!     "metadata": {"name": "things.example.com"},
//!     "spec": {"group": "example.com", "scope": "Cluster", "names": {"plural": "things", "kind": "Thing"}, "versions": [version]},
//! })).expect("a CRD");
//! let things = Resource::prepare(&crd, "v1", 36).expect("its version").expect("its rules compile");
//!
//! let thing = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "resourceVersion": "1"}});
//! let stored = things.answer(Request::create(thing.clone())).stored.expect("a server accepts it");
//! assert_eq!(stored["spec"], json!({"size": 1}));
//!
//! let mut smaller = thing;
//! smaller["spec"] = json!({"size": 0});
//! let answer = things.answer(Request::update(&stored, smaller));
//! assert_eq!(answer.errors[0].to_string(), "spec.size: Invalid value: 0: failed rule: self >= oldSelf");
//! ```

mod decoding;
mod duplicates;
mod embedded;
mod error;
mod metadata;
mod reading;
mod rules;
mod scale;
mod size;
mod structure;
mod warning;

use std::fmt;
use std::sync::Arc;

use crd_model::crd::{CustomResourceDefinition, Scope, Version};
use crd_model::schema::Schema;
use serde_json::Value;

pub use crate::path::{Branch, Combinator};
pub use crd_model::path::Step;
pub use duplicates::read_json;
pub(crate) use embedded::{ResourceFaults, resource_faults};
pub use error::{Broken, ErrorKind, FieldError, Origin};
pub(crate) use metadata::OBJECT_META;
pub use reading::Reading;
pub(crate) use rules::of_default;
pub use size::{REQUEST_LIMIT, STORAGE_LIMIT, bytes_above};
pub use warning::Warning;

use crate::correlation::Correlation;
use crate::path::Path;
use error::Report;
use rules::RuleNode;
use structure::Patterns;

/// The Kubernetes minors (1.x) whose answers are known: the oldest and the newest.
pub const MINORS: (u32, u32) = (32, 37);

/// A version of a custom resource, prepared for the validation of many objects. Preparing compiles all patterns and rules.
#[derive(Clone, Debug)]
pub struct Resource {
    minor: u32,
    api_version: String,
    kind: String,
    is_namespaced: bool,
    has_status: bool,
    scale: Option<crd_model::crd::Scale>,
    schema: Schema,
    patterns: Patterns,
    rules: Option<Arc<RuleNode>>,
    /// Whether there is a list of type `set` or `map`.
    has_keyed_lists: bool,
    has_embedded: bool,
}

/// Whether a node of the schema, or one below it on the way of values, is like this.
fn any_node(schema: &Schema, is_like_this: fn(&Schema) -> bool) -> bool {
    let mut below = schema.properties.values().chain(schema.items.as_deref()).chain(schema.values());
    is_like_this(schema) || below.any(|below| any_node(below, is_like_this))
}

fn is_keyed_list(node: &Schema) -> bool {
    matches!(node.list_type.as_deref(), Some("set" | "map"))
}

/// The warning of a server to users of a deprecated version.
pub fn deprecation_warning(crd: &CustomResourceDefinition, version: &Version) -> String {
    match &version.deprecation_warning {
        Some(text) => text.to_string(),
        None => format!("{}/{} {} is deprecated", crd.group, version.name, crd.names.kind),
    }
}

/// A rule that does not compile, so that no server has this CRD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleProblem {
    /// The path of the node that has the rule, such as `spec.rules[*]`; empty for the root.
    pub path: String,
    /// The expression.
    pub source: String,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for RuleProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, source, problem } = self;
        write!(formatter, "the rule `{source}` at {path:?} does not compile: {problem}")
    }
}

impl std::error::Error for RuleProblem {}

/// What a server does with unknown and duplicate fields (`fieldValidation` of a request).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// It refuses the request. `kubectl` asks for this.
    #[default]
    Strict,
    /// It drops them with a warning. The default of a request.
    Warn,
    /// It drops them silently.
    Ignore,
}

/// What is asked of a server.
#[derive(Clone, Debug)]
pub struct Request<'r> {
    /// The object of the request.
    pub object: Value,
    /// The object as it is stored; nothing for a creation.
    pub old: Option<&'r Value>,
    /// Whether the request goes to the status of the object. It needs the stored object.
    pub is_status: bool,
    /// What happens to unknown fields.
    pub fields: FieldValidation,
    /// Fields that the document of the object has twice, such as `spec.a`.
    pub duplicates: Vec<String>,
    /// How many errors of the structure are listed: a limit for the memory of an answer about an unusable object. The verdict is the same.
    pub most_errors: usize,
}

impl<'r> Request<'r> {
    /// The creation of an object.
    pub fn create(object: Value) -> Self {
        let (fields, duplicates) = (FieldValidation::Strict, Vec::new());
        Self { object, old: None, is_status: false, fields, duplicates, most_errors: usize::MAX }
    }

    /// The replacement of a stored object.
    pub fn update(old: &'r Value, object: Value) -> Self {
        Self { old: Some(old), ..Self::create(object) }
    }

    /// The replacement of the status of a stored object.
    pub fn update_status(old: &'r Value, object: Value) -> Self {
        Self { is_status: true, ..Self::update(old, object) }
    }

    /// The object with a `resourceVersion`, which servers demand of updates. One that is stored nowhere gets `1`.
    #[must_use]
    pub fn versioned(object: &Value) -> Value {
        let mut object = object.clone();
        object["metadata"]["resourceVersion"] = Value::from("1");
        object
    }

    /// What happens to unknown fields.
    #[must_use]
    pub fn fields(mut self, fields: FieldValidation) -> Self {
        self.fields = fields;
        self
    }
}

/// What a server answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The object as it is read after the request. Nothing if the request is refused.
    pub stored: Option<Value>,
    /// What the server warns of. Their texts are those of `Warning` headers.
    pub warnings: Vec<Warning>,
    /// Why the object is refused, in the server's order.
    pub errors: Vec<FieldError>,
    /// What this crate cannot decide, such as a pattern with Unicode classes on a text beyond ASCII. A server accepts or refuses it.
    pub undecided: Vec<FieldError>,
    /// The cost of the evaluated CEL rules, as a server counts it.
    pub cost: u64,
}

impl Answer {
    /// Whether a server surely accepts the object.
    pub fn is_accepted(&self) -> bool {
        self.errors.is_empty() && self.undecided.is_empty()
    }

    fn refused(errors: Vec<FieldError>, warnings: Vec<Warning>) -> Self {
        Self { errors, warnings, ..Self::default() }
    }
}

impl Resource {
    /// Prepares a version of a CRD as a server of a Kubernetes minor (1.x) holds it; a minor outside [`MINORS`] means the nearest.
    /// Nothing if the CRD does not have the version.
    ///
    /// # Errors
    ///
    /// Every rule that does not compile.
    pub fn prepare(
        crd: &CustomResourceDefinition,
        version: &str,
        minor: u32,
    ) -> Option<Result<Self, Vec<RuleProblem>>> {
        let version = crd.versions.iter().find(|known| known.name == version)?;
        let minor = minor.clamp(MINORS.0, MINORS.1);
        let schema = version.schema.clone();
        let rules = match rules::prepare(&schema, minor) {
            Ok(rules) => rules,
            Err(problems) => return Some(Err(problems)),
        };
        Some(Ok(Self {
            minor,
            api_version: format!("{}/{}", crd.group, version.name),
            kind: crd.names.kind.to_string(),
            is_namespaced: crd.scope == Scope::Namespaced,
            has_status: version.subresources.as_ref().is_some_and(|subresources| subresources.status),
            scale: version.subresources.as_ref().and_then(|subresources| subresources.scale.clone()),
            patterns: Patterns::prepare(&schema),
            rules,
            has_keyed_lists: any_node(&schema, is_keyed_list),
            has_embedded: any_node(&schema, |node| node.embedded_resource),
            schema,
        }))
    }

    /// The resource with another schema that differs in few nodes. What is compiled is shared where the schemas share their properties.
    ///
    /// # Errors
    ///
    /// Every rule that does not compile.
    pub fn exchanged(&self, schema: Schema) -> Result<Self, Vec<RuleProblem>> {
        let rules = match &self.rules {
            Some(rules) => rules::exchange(&schema, self.minor, &self.schema, rules)?,
            None => rules::prepare(&schema, self.minor)?,
        };
        let mut patterns = self.patterns.clone();
        patterns.add(&schema);
        let has_keyed_lists = any_node(&schema, is_keyed_list);
        Ok(Self { rules, patterns, has_keyed_lists, schema, ..self.clone() })
    }

    /// The schema of the version.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The object and the stored object of a request as they are checked: pruned, with defaults, and with what such a request leaves as it is
    /// stored. Nothing if one of them cannot be decoded.
    pub fn as_checked(&self, request: Request<'_>) -> Option<(Value, Option<Value>)> {
        let decoded = |object| self.decode(object).ok().map(|(object, _)| object);
        let mut object = decoded(request.object)?;
        let Some(old) = request.old else {
            decoding::prepare_for_create(&mut object, self.has_status);
            return Some((object, None));
        };
        let old = decoded(old.clone())?;
        match request.is_status {
            true => decoding::prepare_for_status_update(&mut object, &old),
            false => decoding::prepare_for_update(&mut object, &old, self.has_status),
        }
        Some((object, Some(old)))
    }

    /// The API version of the resource, such as `gateway.networking.k8s.io/v1`.
    pub fn api_version(&self) -> &str {
        &self.api_version
    }

    /// The kind of the resource.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Whether its objects are in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.is_namespaced
    }

    /// Whether the status is written apart.
    pub fn has_status(&self) -> bool {
        self.has_status
    }

    /// What the rules say of an object as it is stored, its status included. Its structure is not checked, and nothing is stored.
    pub fn rules(&self, object: Value) -> Answer {
        let object = match self.decode(object) {
            Ok((object, _)) => object,
            Err(error) => return Answer::refused(vec![error], Vec::new()),
        };
        let mut report = Report::new(self.minor);
        self.check_rules(&object, None, true, &mut report);
        Answer { errors: report.errors, undecided: report.undecided, cost: report.cost, ..Answer::default() }
    }

    /// What a server answers to the request.
    pub fn answer(&self, request: Request<'_>) -> Answer {
        let Request { object, old, is_status, fields, duplicates, most_errors } = request;
        if bytes_above(&object, REQUEST_LIMIT).is_some() {
            return Answer::refused(vec![FieldError::too_large()], Vec::new());
        }
        let (mut object, unknown) = match self.decode(object) {
            Ok(decoded) => decoded,
            Err(error) => return Answer::refused(vec![error], Vec::new()),
        };
        let strict = duplicates.into_iter().map(Warning::DuplicateField);
        let strict = strict.chain(unknown.into_iter().map(Warning::UnknownField));
        let mut warnings = Vec::new();
        match fields {
            FieldValidation::Ignore => {}
            FieldValidation::Warn => warnings.extend(strict),
            FieldValidation::Strict => {
                let strict: Vec<String> = strict.map(|warning| warning.to_string()).collect();
                if !strict.is_empty() {
                    let text = format!("strict decoding error: {}", strict.join(", "));
                    return Answer::refused(vec![FieldError::malformed(text)], warnings);
                }
            }
        }
        // A server takes the namespace from the path of the request, which has none for such kinds.
        if !self.is_namespaced
            && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        {
            metadata.remove("namespace");
        }
        let mut report = Report::new(self.minor);
        report.most_errors = most_errors;
        match old.map(|old| self.decode(old.clone())) {
            None => self.write(&mut object, None, &mut report, &mut warnings),
            Some(Ok((old, _))) if is_status => self.update_status(&mut object, &old, &mut report),
            Some(Ok((old, _))) => self.write(&mut object, Some(&old), &mut report, &mut warnings),
            Some(Err(error)) => return Answer::refused(vec![error.of_old()], warnings),
        }
        let Report { errors, undecided, warnings: ratcheted, cost, .. } = report;
        warnings.extend(ratcheted);
        let is_accepted = errors.is_empty() && undecided.is_empty();
        let stored = is_accepted.then(|| self.as_read(object));
        Answer { stored, warnings, errors, undecided, cost }
    }

    /// A creation, or an update of the stored object.
    fn write(&self, object: &mut Value, old: Option<&Value>, report: &mut Report, warnings: &mut Vec<Warning>) {
        match old {
            None => {
                decoding::prepare_for_create(object, self.has_status);
                metadata::check(&object["metadata"], self.owner(), &Path::ROOT.field("metadata"), report);
            }
            Some(old) => {
                decoding::prepare_for_update(object, old, self.has_status);
                self.check_common(object, old, report);
            }
        }
        let correlation = old.map(|old| Correlation::of(&self.schema, old, object));
        self.patterns.check(&self.schema, object, correlation.as_ref(), report.below(""));
        scale::check(self.scale.as_ref(), object, report);
        if self.has_embedded {
            embedded::check(&self.schema, object, report);
        }
        if self.has_keyed_lists {
            structure::check_lists(&self.schema, old, object, report);
        }
        self.check_rules(object, old, true, report);
        // A refusal comes without these warnings.
        if report.errors.is_empty() {
            let old = old.map(|old| &old["metadata"]);
            warnings.extend(metadata::finalizer_warnings(&object["metadata"], old, self.minor));
        }
    }

    fn update_status(&self, object: &mut Value, old: &Value, report: &mut Report) {
        // Servers before 1.33 do not ratchet a status.
        let is_ratcheted = self.minor >= 33;
        decoding::prepare_for_status_update(object, old);
        self.check_common(object, old, report);
        if let (Some(schema), Some(status)) = (self.schema.properties.get("status"), object.get("status")) {
            let old = old.get("status").filter(|_| is_ratcheted);
            let correlation = old.map(|old| Correlation::of(schema, old, status));
            self.patterns.check(schema, status, correlation.as_ref(), report.below("status"));
        }
        scale::check_status(self.scale.as_ref(), object, report);
        if self.has_keyed_lists {
            structure::check_lists(&self.schema, Some(old), object, report);
        }
        self.check_rules(object, Some(old), is_ratcheted, report);
    }

    /// What a server checks of the metadata in an update: once for all resources, and once for custom resources.
    fn check_common(&self, object: &Value, old: &Value, report: &mut Report) {
        let (object, old) = (&object["metadata"], &old["metadata"]);
        let owner = metadata::Owner { is_checked_as_segment: true, ..self.owner() };
        metadata::check(object, owner, &Path::ROOT.field("metadata"), report);
        metadata::check_update(object, old, report);
        metadata::check_update(object, old, report);
    }

    fn owner(&self) -> metadata::Owner {
        metadata::Owner { is_namespaced: self.is_namespaced, is_checked_as_segment: false, needs_name: true }
    }

    fn check_rules(&self, object: &Value, old: Option<&Value>, is_ratcheted: bool, report: &mut Report) {
        let Some(rules) = &self.rules else { return };
        if report.has_blocking_error() {
            report.rules_not_checked();
        } else {
            rules.check(&self.schema, object, old, is_ratcheted, report);
        }
    }

    fn decode(&self, object: Value) -> Result<(Value, Vec<String>), FieldError> {
        let expected = decoding::Expected {
            api_version: &self.api_version,
            kind: &self.kind,
            has_embedded: self.has_embedded,
            minor: self.minor,
        };
        decoding::decode(&self.schema, object, expected)
    }

    /// The object as a server reads it from its storage.
    fn as_read(&self, mut object: Value) -> Value {
        decoding::normalise_numbers(&mut object);
        // Such as those of a status that was dropped.
        crate::defaults::fill_defaults(&self.schema, &mut object);
        object
    }
}
