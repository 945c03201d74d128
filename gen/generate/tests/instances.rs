//! Generic types: each named instance has a schema of its own.

use crd_channels::{Channel, Described, TypeDescriptor, api};
use crd_generate::schema_of;
use serde_json::{Value, json};

/// A reference with settings.
#[api(instances(HttpRef = Ref<HttpSettings>, PortRef = Ref<u16>))]
pub(crate) struct Ref<T> {
    /// The name of the target.
    ///
    /// +kubebuilder:validation:MinLength=1
    pub(crate) name: String,
    /// What is different here.
    pub(crate) settings: Option<T>,
    /// All of them.
    ///
    /// +experimental
    pub(crate) all: Option<Vec<T>>,
}

/// The settings of HTTP.
#[api]
pub(crate) struct HttpSettings {
    /// The path.
    pub(crate) path: String,
}

/// A value or the place of it.
#[api(instances(Number = ValueOrKey<i32, HttpSettings>))]
enum ValueOrKey<V, K>
where
    V: PartialEq,
{
    Value { value: V },
    Key(K),
}

#[api(instances(Names = List<String>))]
struct List<T>(Vec<T>);

#[api]
struct User {
    http: HttpRef,
    port: Ref<u16>,
    number: Option<Number>,
    names: Names,
}

fn schema(descriptor: &'static TypeDescriptor, channel: Channel) -> Value {
    schema_of(descriptor, channel).expect("the type has a schema").to_value()
}

#[test]
fn instances_have_the_schemas_of_their_arguments() {
    let settings = json!({
        "description": "What is different here.", "type": "object", "required": ["path"],
        "properties": {"path": {"description": "The path.", "type": "string"}},
    });
    let reference = |settings: Value| {
        json!({
            "description": "A reference with settings.", "type": "object", "required": ["name"],
            "properties": {
                "name": {"description": "The name of the target.", "type": "string", "minLength": 1},
                "settings": settings,
            },
        })
    };
    let port = json!({"description": "What is different here.", "type": "integer"});
    assert_eq!(schema(HttpRef::DESCRIPTOR, Channel::Standard), reference(settings.clone()));
    assert_eq!(schema(PortRef::DESCRIPTOR, Channel::Standard), reference(port.clone()));
    let user = schema(User::DESCRIPTOR, Channel::Standard);
    assert_eq!(user["properties"]["http"], reference(settings));
    assert_eq!(user["properties"]["port"], reference(port));
    assert_eq!(user["properties"]["names"], json!({"type": "array", "items": {"type": "string"}}));
    let rule = &user["properties"]["number"]["x-kubernetes-validations"][0]["rule"];
    assert_eq!(*rule, "[has(self.value),has(self.key)].filter(x,x==true).size() == 1");
    let experimental = schema(PortRef::DESCRIPTOR, Channel::Experimental);
    assert_eq!(experimental["properties"]["all"]["items"], json!({"type": "integer"}));
}

#[test]
fn an_instance_has_its_name_and_its_line() {
    assert_eq!((HttpRef::DESCRIPTOR.name, PortRef::DESCRIPTOR.name), ("HttpRef", "PortRef"));
    assert_eq!(Ref::<HttpSettings>::DESCRIPTOR.name, "HttpRef");
    assert_eq!(HttpRef::DESCRIPTOR.location.line, 8);
}
