//! The metadata of objects, which CRDs do not describe.
//!
//! Invariants: what a CRD states about `name` and `generateName` stays. Clients write nulls for empty metadata, and servers accept them.

use crd_model::schema::AdditionalProperties;
use crd_model::{Properties, Schema};

/// Field, type, and the description for editors. `map` and `list` are of strings.
const FIELDS: &[(&str, &str, &str)] = &[
    ("annotations", "map", "Data of tools and controllers, which no selector matches."),
    ("creationTimestamp", "time", "The time at which the server created the object. The server sets it."),
    ("deletionGracePeriodSeconds", "integer", "The seconds until the object is deleted. The server sets it."),
    ("deletionTimestamp", "time", "The time of the deletion, once it is requested. The server sets it."),
    ("finalizers", "list", "The object is deleted when this list is empty."),
    ("generateName", "string", "The beginning of a name that the server makes unique. It is used without a name."),
    ("generation", "integer", "Grows with each change of the desired state. The server sets it."),
    ("labels", "map", "Names and values that selectors match."),
    ("managedFields", "objects", "Which client owns which fields. The server sets it."),
    ("name", "string", "The name of the object, unique within its resource and namespace."),
    ("namespace", "string", "The namespace of the object."),
    ("ownerReferences", "owners", "The objects that this object depends on. It is deleted with the last of them."),
    ("resourceVersion", "string", "The version of the stored object, to detect changes of other clients."),
    ("selfLink", "string", "No longer used."),
    ("uid", "string", "Identifies the object among all that ever existed. The server sets it."),
];

/// The fields of an owner.
const OWNER: &[(&str, &str, &str)] = &[
    ("apiVersion", "string", "The API group and version of the owner."),
    ("blockOwnerDeletion", "boolean", "Whether the owner waits for the deletion of this object."),
    ("controller", "boolean", "Whether the owner is the controller of this object."),
    ("kind", "string", "The kind of the owner."),
    ("name", "string", "The name of the owner."),
    ("uid", "string", "The UID of the owner."),
];

/// Adds the fields that a CRD does not describe.
pub(super) fn complete(metadata: &mut Schema) {
    metadata.kind = Some("object".into());
    add(&mut metadata.properties, FIELDS);
}

/// Adds the type and the metadata of an object inside another one.
pub(super) fn complete_embedded(resource: &mut Schema) {
    for (name, description) in [("apiVersion", "The API version of the object."), ("kind", "The kind of the object.")] {
        if !resource.properties.contains_key(name) {
            resource.properties.insert(name.into(), of("string", description));
        }
        resource.required.push(name.into());
    }
    complete(resource.properties.get_or_insert_default("metadata".into()));
}

fn add(properties: &mut Properties, fields: &[(&'static str, &str, &'static str)]) {
    for (name, kind, description) in fields {
        if !properties.contains_key(name) {
            properties.insert((*name).into(), Schema { nullable: true, ..of(kind, description) });
        }
    }
}

fn of(kind: &str, description: &'static str) -> Schema {
    let typed = |kind: &'static str| Schema { kind: Some(kind.into()), ..Schema::default() };
    let list = |items: Schema| Schema { items: Some(Box::new(items)), ..typed("array") };
    let schema = match kind {
        "map" => Schema {
            additional_properties: Some(AdditionalProperties::Values(Box::new(Schema {
                nullable: true,
                ..typed("string")
            }))),
            ..typed("object")
        },
        "list" => list(typed("string")),
        "objects" => list(Schema { preserve_unknown_fields: Some(true), ..typed("object") }),
        "owners" => {
            let mut owner = typed("object");
            add(&mut owner.properties, OWNER);
            owner.required = ["apiVersion", "kind", "name", "uid"].map(Into::into).into();
            list(owner)
        }
        "time" => Schema { format: Some("date-time".into()), ..typed("string") },
        "integer" => typed("integer"),
        "boolean" => typed("boolean"),
        _ => typed("string"),
    };
    Schema { description: Some(description.into()), ..schema }
}
