//! A server that answers by a script.
//!
//! Invariants: a request without a body is GET, and one with a body is not. Answers of a path are given in their order, and the last one again and
//! again.

use std::collections::{BTreeMap, VecDeque};
use std::future::pending;
use std::io;
use std::sync::{Arc, Mutex};

use crd_cluster::{Cluster, Limits, Listing, Object, Progress};
use crd_diagnostics::{Diagnostic, text};
use crd_model::CustomResourceDefinition;
use http::{Method, Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

/// One answer.
#[derive(Clone)]
pub(crate) enum Answer {
    /// A status, a header `Retry-After`, and a body.
    Http(u16, Option<&'static str>, Vec<u8>),
    /// No answer.
    Silence,
    /// The connection fails.
    Failure(fn() -> io::Error),
}

/// A success with JSON.
pub(crate) fn ok(body: &Value) -> Answer {
    Answer::Http(200, None, body.to_string().into_bytes())
}

/// A refusal with a `Status`.
pub(crate) fn status(code: u16, message: &str) -> Answer {
    let body = json!({"kind": "Status", "status": "Failure", "message": message, "code": code});
    Answer::Http(code, None, body.to_string().into_bytes())
}

/// A request of another method than GET.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sent {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) content: String,
    pub(crate) body: Value,
}

/// The server with its script, and the requests that it received.
#[derive(Clone, Default)]
pub(crate) struct Script {
    answers: Arc<Mutex<BTreeMap<String, VecDeque<Answer>>>>,
    requests: Arc<Mutex<Vec<String>>>,
    accepted: Arc<Mutex<Vec<String>>>,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Script {
    /// A server of 1.37 with storage migration.
    pub(crate) fn new() -> Self {
        let resources = json!({"resources": [{"name": "storageversionmigrations"}]});
        Self::default()
            .on("/version", [ok(&json!({"major": "1", "minor": "37", "gitVersion": "v1.37.1"}))])
            .on("/apis/storagemigration.k8s.io/v1", [ok(&resources)])
    }

    /// Adds the answers of a path with its query; before it, a method other than GET and a space.
    pub(crate) fn on(self, path: &str, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.answers.lock().unwrap().insert(path.to_owned(), answers.into_iter().collect());
        self
    }

    /// The requests since the connection, as the last part of the path with its query.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        let asked = requests.iter().filter(|path| *path != "/version" && !path.starts_with("/apis/storagemigration"));
        asked.map(|path| path.rsplit('/').next().unwrap_or_default().to_owned()).collect()
    }

    /// The requests of other methods than GET.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    /// The media types that the requests accept.
    pub(crate) fn accepted(&self) -> Vec<String> {
        self.accepted.lock().unwrap().clone()
    }

    pub(crate) fn client(&self) -> Client {
        let script = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let script = script.clone();
            async move { script.answer(request).await }
        });
        Client::new(service, "default")
    }

    async fn answer(&self, request: Request<Body>) -> io::Result<Response<Body>> {
        let mut path = request.uri().to_string();
        let (parts, body) = request.into_parts();
        let header = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        let body = body.collect_bytes().await.unwrap();
        self.accepted.lock().unwrap().push(header("Accept").unwrap());
        assert_eq!((parts.method == Method::GET, header("Content-Type").is_none()), (body.is_empty(), body.is_empty()));
        if parts.method == Method::GET {
            self.requests.lock().unwrap().push(path.clone());
        } else {
            let method = parts.method.to_string();
            let (content, body) = (header("Content-Type").unwrap(), serde_json::from_slice(&body).unwrap());
            self.sent.lock().unwrap().push(Sent { method: method.clone(), path: path.clone(), content, body });
            path = format!("{method} {path}");
        }
        let answer = {
            let mut answers = self.answers.lock().unwrap();
            answers.get_mut(&path).and_then(|answers| match answers.len() {
                0 | 1 => answers.front().cloned(),
                _ => answers.pop_front(),
            })
        };
        let missing = || status(404, &format!("the script has no {path}"));
        match answer.unwrap_or_else(missing) {
            Answer::Http(code, retry_after, body) => {
                let mut response = Response::builder().status(code);
                if let Some(seconds) = retry_after {
                    response = response.header("Retry-After", seconds);
                }
                Ok(response.body(Body::from(body)).unwrap())
            }
            Answer::Silence => pending().await,
            Answer::Failure(error) => Err(error()),
        }
    }

    /// Connects with these limits.
    pub(crate) async fn connect(&self, limits: Limits) -> Result<Cluster, Diagnostic> {
        Cluster::of_client(self.client(), "https://cluster.example.com", limits).await
    }

    /// Connects with the default limits.
    pub(crate) async fn cluster(&self) -> Cluster {
        self.connect(Limits::default()).await.unwrap()
    }

    /// Lists the widgets.
    pub(crate) async fn widgets(&self, limits: Limits) -> Widgets {
        let cluster = self.connect(limits).await.unwrap();
        let mut widgets = Widgets::default();
        let mut on_object = |object| widgets.objects.push(object);
        let mut on_progress = |progress| widgets.progress.push(progress);
        widgets.listing = cluster.objects(&crd(), "v1", &mut on_object, &mut on_progress).await;
        widgets
    }
}

/// A listing of widgets.
#[derive(Default)]
pub(crate) struct Widgets {
    pub(crate) objects: Vec<Object>,
    pub(crate) progress: Vec<Progress>,
    pub(crate) listing: Listing,
}

impl Widgets {
    /// The objects as `namespace/name`.
    pub(crate) fn names(&self) -> Vec<String> {
        let text = |object: &Object, key: &str| object.value["metadata"][key].as_str().unwrap_or_default().to_owned();
        self.objects.iter().map(|object| format!("{}/{}", text(object, "namespace"), text(object, "name"))).collect()
    }

    /// The only diagnostic, as text.
    #[track_caller]
    pub(crate) fn diagnostic(&self) -> String {
        let [diagnostic] = &*self.listing.diagnostics else { panic!("{:?}", self.listing) };
        text::plain(diagnostic)
    }
}

/// The path of a page of widgets.
pub(crate) fn page(query: &str) -> String {
    format!("/apis/example.com/v1/widgets?{query}")
}

/// A page of widgets in the namespace `shop`.
pub(crate) fn widgets(names: &[&str], token: &str) -> Value {
    let widget = |name: &&str| json!({"metadata": {"namespace": "shop", "name": name}});
    let metadata = if token.is_empty() { json!({}) } else { json!({"continue": token}) };
    json!({"items": names.iter().map(widget).collect::<Vec<_>>(), "metadata": metadata})
}

/// The document of the CRD of widgets, as a server has it.
pub(crate) fn document() -> Value {
    json!({
        "metadata": {"name": "widgets.example.com", "uid": "u", "resourceVersion": "7", "generation": 3},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}},
            }],
        },
        "status": {
            "storedVersions": ["v1"],
            "conditions": [{"type": "Established", "status": "True", "reason": "InitialNamesAccepted", "message": "ok"}],
        },
    })
}

/// The CRD of widgets.
pub(crate) fn crd() -> CustomResourceDefinition {
    CustomResourceDefinition::from_published(&document()).0
}
