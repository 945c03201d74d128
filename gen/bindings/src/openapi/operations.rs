//! The paths of a resource and their operations.
//!
//! Invariants: a parameter that all operations of a path have is listed once, at the path; parameters are sorted by their names.

use crd_model::crd::Subresources;
use serde_json::{Map, Value, json};

use super::Resource;
use super::dialect::{Body, Dialect};
use super::kubernetes::{Kubernetes, SCALE, meta};

/// All paths of a resource.
pub(super) fn paths(resource: &Resource<'_>, dialect: Dialect, kubernetes: &Kubernetes) -> Map<String, Value> {
    let plural = &resource.crd.names.plural;
    let root = format!("/apis/{}/{}", resource.group, resource.version);
    let is_namespaced = resource.is_namespaced();
    let mut paths = Map::new();
    let mut add = |path: &str, operations: &[&str], suffix| {
        let operations = operations.iter().map(|name| (*name, &kubernetes.operations[*name])).collect();
        let in_path = ["name", "namespace"].into_iter().filter(|name| path.contains(&format!("{{{name}}}"))).collect();
        let item = Path { resource, dialect, kubernetes, operations, in_path, suffix };
        paths.insert(path.to_owned(), item.value());
    };
    let objects = if is_namespaced {
        add(&format!("{root}/{plural}"), &["list"], "ForAllNamespaces");
        format!("{root}/namespaces/{{namespace}}/{plural}")
    } else {
        format!("{root}/{plural}")
    };
    let object = format!("{objects}/{{name}}");
    add(&objects, &["list", "create", "deleteAll"], "");
    add(&object, &["read", "replace", "delete", "patch"], "");
    let none = Subresources::default();
    let subresources = resource.definition.subresources.as_ref().unwrap_or(&none);
    if subresources.status {
        add(&format!("{object}/status"), &["read", "replace", "patch"], "Status");
    }
    if subresources.scale.is_some() {
        add(&format!("{object}/scale"), &["read", "replace", "patch"], "Scale");
    }
    paths
}

/// A path with its operations.
struct Path<'a> {
    resource: &'a Resource<'a>,
    dialect: Dialect,
    kubernetes: &'a Kubernetes,
    operations: Vec<(&'a str, &'a Value)>,
    in_path: Vec<&'static str>,
    /// What follows the kind in names of operations.
    suffix: &'static str,
}

impl Path<'_> {
    fn value(&self) -> Value {
        let is_common =
            |key: &str| self.operations.iter().all(|(_, operation)| options(operation).any(|other| other == key));
        let common = self.operations.iter().take(1).flat_map(|(_, first)| options(first)).filter(|key| is_common(key));
        let common = common.chain(["pretty"]).chain(self.in_path.iter().copied());
        let mut item = Map::from_iter([("parameters".to_owned(), self.parameters(common))]);
        for (name, operation) in &self.operations {
            let own = self.parameters(options(operation).filter(|key| !is_common(key)));
            item.insert(text(operation, "method").to_owned(), self.operation(name, operation, own));
        }
        Value::Object(item)
    }

    fn parameters<'k>(&self, keys: impl Iterator<Item = &'k str>) -> Value {
        let mut keys = keys.collect::<Vec<_>>();
        keys.sort_unstable();
        let parameter = |key| match key {
            "name" => {
                let description = format!("The name of the object of the kind {}.", self.resource.kind);
                let data = json!({ "name": "name", "in": "path", "type": "string", "description": description });
                self.dialect.parameter(&data)
            }
            key => self.dialect.shared_parameter(key, &self.kubernetes.parameters[key]),
        };
        keys.into_iter().map(parameter).collect()
    }

    fn operation(&self, name: &str, operation: &Value, parameters: Value) -> Value {
        let resource = self.resource;
        let part = match self.suffix {
            "Status" => "the status of ",
            "Scale" => "the scale of ",
            _ => "",
        };
        // As `listGatewayNetworkingV1NamespacedHTTPRoute`.
        let collection = if name == "deleteAll" { "Collection" } else { "" };
        let is_namespaced = resource.is_namespaced() && self.suffix != "ForAllNamespaces";
        let namespaced = if is_namespaced { "Namespaced" } else { "" };
        let group = resource.group.strip_suffix(".k8s.io").unwrap_or(resource.group);
        let names = [group, resource.version, &format!("{collection}{namespaced}{}{}", resource.kind, self.suffix)];
        let name = names.map(|name| words(name, true)).concat();
        let answers = operation["codes"].as_array().into_iter().flatten().map(|code| {
            let description = match code.as_u64() {
                Some(201) => "Created",
                Some(202) => "Accepted",
                _ => "OK",
            };
            (code.to_string(), self.dialect.answer(description, &self.schema(text(operation, "answer"))))
        });
        let refused = ("401".to_owned(), json!({ "description": "Unauthorized" }));
        let mut value = json!({
            "description": format!("{} of the kind {}.", text(operation, "text").replace("{}", part), resource.kind),
            "operationId": format!("{}{name}", text(operation, "verb")),
            "tags": [format!("{}_{}", words(group, false), words(resource.version, false))],
            "responses": answers.chain([refused]).collect::<Map<_, _>>(),
            "x-kubernetes-action": operation["action"],
            "x-kubernetes-group-version-kind": resource.identity(resource.kind),
        });
        if parameters != json!([]) {
            value["parameters"] = parameters;
        }
        let body = operation["body"].as_str().map(|content| Body {
            schema: self.schema(content),
            is_required: content != "DeleteOptions",
            is_patch: content == "Patch",
        });
        self.dialect.request(&mut value, body.as_ref());
        value
    }

    /// The name of the schema of a body or an answer.
    fn schema(&self, content: &str) -> String {
        match content {
            "Object" if self.suffix == "Scale" => SCALE.to_owned(),
            "Object" => self.resource.schema_name(self.resource.kind),
            "List" => self.resource.schema_name(&self.resource.list_kind),
            other => meta(other),
        }
    }
}

fn text<'o>(operation: &'o Value, key: &str) -> &'o str {
    operation[key].as_str().unwrap_or_default()
}

/// The keys of an operation's own parameters.
fn options(operation: &Value) -> impl Iterator<Item = &str> {
    operation["parameters"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The words of a name together, each but the first with a capital: `gateway.networking` is `gatewayNetworking`.
fn words(name: &str, is_first_capital: bool) -> String {
    let mut words = String::new();
    let mut is_start = is_first_capital;
    for (index, character) in name.chars().enumerate() {
        if character.is_alphabetic() || character == '_' || index > 0 && character.is_numeric() {
            words.push(if is_start { character.to_ascii_uppercase() } else { character });
            is_start = false;
        } else {
            is_start = true;
        }
    }
    words
}
