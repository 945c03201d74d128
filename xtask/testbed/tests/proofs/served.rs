//! A version of a CRD whose objects are checked without a server, and searches for accepted objects.

use crd_apiserver::objects::{Request, Resource};
use crd_boundary::Search;
use crd_model::crd::{Scope, Version};
use crd_model::schema::{SchemaPath, Step, nodes};
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::{Map, Value, json};

use crate::witnesses::has_status;

/// A version of a CRD.
pub(crate) struct Served {
    resource: Resource,
    has_status: bool,
}

impl Served {
    pub(crate) fn new(crd: &CustomResourceDefinition, version: &Version, minor: u32) -> Option<Self> {
        let resource = Resource::prepare(crd, &version.name, minor)?.ok()?;
        Some(Self { resource, has_status: has_status(version) })
    }

    /// Why a server refuses the object, or its status.
    pub(crate) fn refusal(&self, object: &Value) -> Option<String> {
        let created = self.resource.answer(Request::create(object.clone()));
        let answer = match &created.stored {
            Some(stored) if created.is_accepted() && self.has_status && object.get("status").is_some() => {
                let stored = Request::versioned(stored);
                self.resource.answer(Request::update_status(&stored, Request::versioned(object)))
            }
            _ => created,
        };
        let error = answer.errors.iter().chain(&answer.undecided).next();
        error.map(|error| format!("{}: {}", error.field, error.message))
    }

    /// A search for objects of the version, with sample objects.
    pub(crate) fn search<'s>(
        &'s self,
        crd: &CustomResourceDefinition,
        version: &'s Version,
        samples: Vec<Value>,
    ) -> Search<'s> {
        let accepts = |_: &SchemaPath, object: &Value| self.refusal(object).is_none();
        Search::new(&version.schema, frame(crd, version), samples, accepts)
    }
}

/// The fields that every object of a version has.
pub(crate) fn frame(crd: &CustomResourceDefinition, version: &Version) -> Map<String, Value> {
    let metadata = match crd.scope {
        Scope::Cluster => json!({"name": "a"}),
        Scope::Namespaced => json!({"name": "a", "namespace": "default"}),
    };
    let api_version = json!(format!("{}/{}", crd.group, version.name));
    let fields = [("apiVersion", api_version), ("kind", json!(crd.names.kind)), ("metadata", metadata)];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The nodes of a schema that users or controllers write: without those of [`frame`].
pub(crate) fn written_nodes(schema: &Schema) -> impl Iterator<Item = (SchemaPath, &Schema)> {
    let is_of_frame = |path: &SchemaPath| matches!(path.steps().first(), Some(Step::Field(name)) if ["apiVersion", "kind", "metadata"].contains(&&**name));
    nodes(schema).into_iter().filter(move |(path, _)| !is_of_frame(path))
}
