//! The CRDs that suites are asked of, prepared for one minor.

use std::sync::Arc;

use crd_apiserver::objects::{Answer, FieldValidation, Request, Resource, RuleProblem};
use crd_model::CustomResourceDefinition;
use serde_json::Value;

use crate::case::Case;

/// Every served version of some CRDs, as a server of one minor holds them.
#[derive(Debug)]
pub struct Kinds {
    resources: Vec<Resource>,
}

impl Kinds {
    /// Prepares the CRDs.
    ///
    /// # Errors
    /// Every rule that does not compile.
    pub fn prepare(crds: &[Arc<CustomResourceDefinition>], minor: u32) -> Result<Self, Vec<RuleProblem>> {
        let (mut resources, mut problems) = (Vec::new(), Vec::new());
        for crd in crds {
            for version in crd.versions.iter().filter(|version| version.served) {
                match Resource::prepare(crd, &version.name, minor) {
                    Some(Ok(resource)) => resources.push(resource),
                    Some(Err(found)) => problems.extend(found),
                    None => {}
                }
            }
        }
        if problems.is_empty() { Ok(Self { resources }) } else { Err(problems) }
    }

    /// The version of a kind; none if no CRD serves it.
    #[must_use]
    pub fn resource(&self, api_version: &str, kind: &str) -> Option<&Resource> {
        self.resources.iter().find(|resource| resource.api_version() == api_version && resource.kind() == kind)
    }

    /// What a server answers to a case; none if no CRD serves the kind of its object. Unknown fields are dropped with a warning, which is what
    /// a server does unless it is asked for more.
    #[must_use]
    pub fn answer(&self, case: &Case) -> Option<Answer> {
        let identity = |name: &str| case.object.get(name).and_then(|value| value.as_str()).unwrap_or_default();
        let resource = self.resource(identity("apiVersion"), identity("kind"))?;
        Some(ask(resource, case, |request| resource.answer(request)))
    }

    /// Every served version of every CRD, in their order.
    pub(crate) fn resources(&self) -> &[Resource] {
        &self.resources
    }
}

/// Makes the request of a case.
pub(crate) fn ask<T>(resource: &Resource, case: &Case, send: impl FnOnce(Request<'_>) -> T) -> T {
    // A metadata that is not a map has no version, and the answer refuses it.
    let versioned = |object: Value| match object.get("metadata") {
        Some(Value::Object(_) | Value::Null) | None => Request::versioned(&object),
        Some(_) => object,
    };
    let old = case.old.as_ref().map(|old| versioned(placed(old, resource)));
    let object = placed(&case.object, resource);
    let request = match &old {
        None => Request::create(object),
        Some(old) => Request { is_status: case.is_status, ..Request::update(old, versioned(object)) },
    };
    send(request.fields(FieldValidation::Warn))
}

/// The object in a namespace exactly if its kind needs one: a server takes it from the path of the request.
pub(crate) fn placed(object: &Value, resource: &Resource) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        if resource.is_namespaced() {
            metadata.entry("namespace").or_insert_with(|| Value::from("default"));
        } else {
            metadata.remove("namespace");
        }
    }
    object
}
