//! A cluster as a file shows it: objects that `kubectl get --output yaml` wrote, behind the requests that a server answers.
//!
//! Invariant: nothing is sent. What the objects do not contain is absent; objects are shown in another API version only if the server would change nothing
//! else (`conversion.strategy: None`).

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::limits::Limits;
use crate::requests::Requests;
use crate::server::Server;

/// The resources of Kubernetes that this crate lists: plurals and kinds.
const KINDS: [(&str, &str); 4] = [
    ("customresourcedefinitions", "CustomResourceDefinition"),
    ("validatingadmissionpolicies", "ValidatingAdmissionPolicy"),
    ("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"),
    ("validatingwebhookconfigurations", "ValidatingWebhookConfiguration"),
];

impl Cluster {
    /// The cluster of these objects, CRDs among them. The name is for messages. It needs the runtime of [`run`](crate::run).
    pub fn of_objects(name: &str, objects: Vec<Value>) -> Self {
        let dump = Arc::new(Dump::new(objects));
        let service = tower::service_fn(move |request: Request<Body>| {
            let (code, answer) = dump.answer(request.uri());
            async move {
                let mut response = Response::new(Body::from(answer.to_string().into_bytes()));
                *response.status_mut() = code;
                Ok::<_, Infallible>(response)
            }
        });
        let requests = Requests::new(Client::new(service, "default"), Limits::default(), name.to_owned());
        Self::with_server(requests, Server { address: name.to_owned(), ..Server::default() })
    }
}

/// The objects, by API group and kind, in the order of a server.
struct Dump(BTreeMap<(String, String), Vec<Value>>);

impl Dump {
    fn new(objects: Vec<Value>) -> Self {
        let mut by_kind: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
        for object in objects {
            let key = (group(&object).to_owned(), text(&object, "/kind").to_owned());
            by_kind.entry(key).or_default().push(object);
        }
        let key =
            |object: &Value| format!("{}/{}", text(object, "/metadata/namespace"), text(object, "/metadata/name"));
        by_kind.values_mut().for_each(|objects| objects.sort_by_cached_key(key));
        Self(by_kind)
    }

    /// The answer to a list, or to a request for one object.
    fn answer(&self, uri: &http::Uri) -> (http::StatusCode, Value) {
        let steps = uri.path().trim_start_matches('/').split('/').collect::<Vec<_>>();
        match &*steps {
            ["apis", group, version, plural] => self.list(group, version, plural, uri.query().unwrap_or_default()),
            ["apis", group, version, "namespaces", namespace, plural, name] => {
                one(&self.list(group, version, plural, "").1, namespace, name)
            }
            ["apis", group, version, plural, name] => one(&self.list(group, version, plural, "").1, "", name),
            _ => status(http::StatusCode::NOT_FOUND, "the file does not show it"),
        }
    }

    fn list(&self, group: &str, version: &str, plural: &str, query: &str) -> (http::StatusCode, Value) {
        let crd =
            self.crds().find(|crd| text(crd, "/spec/group") == group && text(crd, "/spec/names/plural") == plural);
        let known = KINDS.iter().find(|(known, _)| *known == plural).map_or("", |(_, kind)| *kind);
        let kind = crd.map_or(known, |crd| text(crd, "/spec/names/kind"));
        let objects = self.0.get(&(group.to_owned(), kind.to_owned())).map(Vec::as_slice).unwrap_or_default();
        let api_version = format!("{group}/{version}");
        let is_converted = crd.is_some_and(|crd| text(crd, "/spec/conversion/strategy") == "Webhook");
        if let Some(other) =
            objects.iter().map(|object| text(object, "/apiVersion")).find(|other| *other != api_version)
            && is_converted
        {
            let message = format!("the file has objects of {other}, and a webhook converts them to {api_version}");
            return status(http::StatusCode::NOT_ACCEPTABLE, &message);
        }
        let argument = |name: &str| query.split('&').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        let number = |name: &str| argument(name).and_then(|text| text.parse::<usize>().ok());
        let (start, limit) = (number("continue").unwrap_or(0), number("limit").unwrap_or(usize::MAX).max(1));
        let end = start.saturating_add(limit).min(objects.len());
        let items = objects.get(start..end).unwrap_or_default().iter().map(|object| {
            let mut object = object.clone();
            object["apiVersion"] = api_version.clone().into();
            object
        });
        let mut list = json!({"apiVersion": api_version, "kind": format!("{kind}List"), "metadata": {}});
        list["items"] = items.collect();
        if end < objects.len() {
            list["metadata"] =
                json!({"continue": end.to_string(), "remainingItemCount": objects.len().saturating_sub(end)});
        }
        (http::StatusCode::OK, list)
    }

    fn crds(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(|((_, kind), _)| kind == KINDS[0].1).flat_map(|(_, crds)| crds)
    }
}

/// One object of a list.
fn one(list: &Value, namespace: &str, name: &str) -> (http::StatusCode, Value) {
    let is_meant =
        |object: &&Value| text(object, "/metadata/name") == name && text(object, "/metadata/namespace") == namespace;
    match list["items"].as_array().into_iter().flatten().find(is_meant) {
        Some(object) => (http::StatusCode::OK, object.clone()),
        None => status(http::StatusCode::NOT_FOUND, &format!("\"{name}\" not found")),
    }
}

fn group(object: &Value) -> &str {
    text(object, "/apiVersion").split_once('/').map_or("", |(group, _)| group)
}

fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn status(code: http::StatusCode, message: &str) -> (http::StatusCode, Value) {
    let answer =
        json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code.as_u16(), "message": message});
    (code, answer)
}
