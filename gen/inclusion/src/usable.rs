//! Whether a default breaks its own schema.
//!
//! Invariant: the default is completed by the defaults below it, as servers complete it in objects and not in CRDs.

use crd_apiserver::objects::{FieldValidation, MINORS, Request, Resource};
use crd_model::crd::Version;
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::json;

use crate::carried::default_of;

/// Whether a server accepts the default where it fills it in; true without a default.
pub(crate) fn is_usable(node: &Schema) -> bool {
    if default_of(node).is_none() {
        return true;
    }
    let properties = [("value".into(), node.clone())].into_iter().collect();
    let schema = Schema { kind: Some("object".into()), properties, ..Schema::default() };
    let version = Version { name: "v1".into(), schema, served: true, storage: true, ..Version::default() };
    let crd = CustomResourceDefinition { versions: vec![version], ..CustomResourceDefinition::default() };
    // No server has a CRD with a rule that does not compile.
    let Some(Ok(resource)) = Resource::prepare(&crd, "v1", MINORS.1) else { return true };
    let mut object = json!({
        "apiVersion": resource.api_version(), "kind": resource.kind(), "metadata": { "name": "default" },
    });
    if resource.is_namespaced() {
        object["metadata"]["namespace"] = json!("default");
    }
    // With the default as its own stored value, too.
    let stored = Request::versioned(&object);
    let requests = [Request::create(object), Request::update(&stored, stored.clone())];
    requests.into_iter().all(|request| resource.answer(request.fields(FieldValidation::Ignore)).is_accepted())
}
