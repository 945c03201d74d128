//! Whether a node accepts a value: for a default, whether it breaks its own schema.
//!
//! Invariant: the default is completed by the defaults below it, as servers complete it in objects and not in CRDs.

use crd_apiserver::objects::{FieldValidation, MINORS, Request, Resource};
use crd_model::crd::Version;
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::{Value, json};

use crate::carried::default_of;

/// A server with a node as a field, which accepts its values or not.
#[derive(Debug)]
pub struct Acceptor(Resource);

impl Acceptor {
    /// None if no server has the node.
    pub fn new(node: &Schema) -> Option<Self> {
        let properties = [("value".into(), node.clone())].into_iter().collect();
        let schema = Schema { kind: Some("object".into()), properties, ..Schema::default() };
        let version = Version { name: "v1".into(), schema, served: true, storage: true, ..Version::default() };
        let crd = CustomResourceDefinition { versions: vec![version], ..CustomResourceDefinition::default() };
        Resource::prepare(&crd, "v1", MINORS.1)?.ok().map(Self)
    }

    /// Whether a new object with this value is accepted.
    pub fn accepts(&self, value: Value) -> bool {
        self.answers(json!({ "value": value }))
    }

    /// What the rules refuse of a value that is valid apart from them: the field and the message of each refusal.
    pub fn broken_rules(&self, value: Value) -> Vec<[String; 2]> {
        let answer = self.0.rules(self.whole(json!({ "value": value })));
        answer.errors.into_iter().chain(answer.undecided).map(|error| [error.field, error.message]).collect()
    }

    fn answers(&self, object: Value) -> bool {
        let object = self.whole(object);
        self.0.answer(Request::create(object).fields(FieldValidation::Ignore)).is_accepted()
    }

    /// Whether the object may stay as it is, with what a server fills in as its stored values.
    fn keeps(&self, object: Value) -> bool {
        let stored = Request::versioned(&self.whole(object));
        self.0.answer(Request::update(&stored, stored.clone()).fields(FieldValidation::Ignore)).is_accepted()
    }

    fn whole(&self, mut object: Value) -> Value {
        object["apiVersion"] = json!(self.0.api_version());
        object["kind"] = json!(self.0.kind());
        object["metadata"] = json!({ "name": "a" });
        if self.0.is_namespaced() {
            object["metadata"]["namespace"] = json!("default");
        }
        object
    }
}

/// Whether a server accepts the default where it fills it in, also as the stored value; true without a default.
pub(crate) fn is_usable(node: &Schema) -> bool {
    // No server has a CRD with a rule that does not compile.
    default_of(node).is_none()
        || Acceptor::new(node).is_none_or(|acceptor| acceptor.answers(json!({})) && acceptor.keeps(json!({})))
}
