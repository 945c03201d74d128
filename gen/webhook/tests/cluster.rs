//! An API server as a function: the version, listings of CRDs and lamps, and watches that wait until something changes.
//!
//! Invariant: the resource version counts the changes. A listing has the version that belongs to its content, and a watch from an older version
//! expires at once. So a change between a listing and its watch is never lost.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::watch;

type AnswerBody = UnsyncBoxBody<Bytes, Infallible>;

/// What the server has.
#[derive(Clone)]
pub(crate) struct Content {
    /// The bundle version and the channel of the CRD of lamps; nothing if it is not installed.
    pub(crate) crd: Option<(&'static str, &'static str)>,
    /// The lamps.
    pub(crate) lamps: Vec<Value>,
    /// Whether lamps may be listed.
    pub(crate) permits: bool,
    /// Whether the CRD of lamps serves v1.
    pub(crate) serves: bool,
    /// Whether it answers at all.
    pub(crate) answers: bool,
}

impl Default for Content {
    fn default() -> Self {
        Self { crd: Some(("v1.2.0", "standard")), lamps: Vec::new(), permits: true, serves: true, answers: true }
    }
}

/// The server.
#[derive(Clone)]
pub(crate) struct Cluster {
    /// What it has, and its resource version. Both are read and written under this lock.
    content: Arc<Mutex<(Content, u64)>>,
    changed: watch::Sender<u64>,
}

impl Cluster {
    pub(crate) fn new(content: Content) -> Self {
        // Not 0, which has another meaning in requests.
        Self { content: Arc::new(Mutex::new((content, 1))), changed: watch::channel(1).0 }
    }

    /// Changes the content. Watches from before the change end with an error, so that their client lists again.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Content)) {
        let mut guard = self.content.lock().unwrap();
        let (content, number) = &mut *guard;
        change(content);
        *number += 1;
        // Under the lock, so that numbers arrive in their order.
        self.changed.send_replace(*number);
    }

    pub(crate) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move { server.answer(&request) }
        });
        Client::new(service, "default")
    }

    fn answer(&self, request: &Request<Body>) -> Result<Response<AnswerBody>, std::io::Error> {
        let (content, number) = self.content.lock().unwrap().clone();
        if !content.answers {
            return Err(std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "connection refused"));
        }
        let path = request.uri().path();
        let query = request.uri().query().unwrap_or_default();
        let parameter = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        let since = parameter("resourceVersion").and_then(|text| text.parse().ok());
        let metadata = json!({"resourceVersion": number.to_string()});
        let not_found = (
            404,
            json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "NotFound", "message": "not found", "code": 404}),
        );
        let (code, body) = match path {
            "/version" => (200, json!({"major": "1", "minor": "36", "gitVersion": "v1.36.3"})),
            "/apis/home.example.com/v1/lamps" if !content.serves => not_found,
            "/apis/home.example.com/v1/lamps" if !content.permits => {
                let message = "lamps.home.example.com is forbidden: User \"webhook\" cannot list resource \"lamps\" in API group \"home.example.com\" at the cluster scope";
                (
                    403,
                    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "Forbidden", "message": message, "code": 403}),
                )
            }
            _ if parameter("watch") == Some("true") => return Ok(self.watch(since.unwrap_or(number))),
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions" => {
                let crd = |(version, channel): (&str, &str)| {
                    json!({"metadata": {
                        "name": "lamps.home.example.com",
                        "annotations": {"home.example.com/bundle-version": version, "home.example.com/channel": channel},
                    }})
                };
                let items = content.crd.map(crd).into_iter().collect::<Vec<_>>();
                (
                    200,
                    json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "items": items}),
                )
            }
            "/apis/home.example.com/v1/lamps" => (
                200,
                json!({"kind": "LampList", "apiVersion": "home.example.com/v1", "metadata": metadata, "items": content.lamps}),
            ),
            _ => not_found,
        };
        let body = Full::from(body.to_string().into_bytes()).boxed_unsync();
        Ok(Response::builder().status(code).body(body).expect("an answer"))
    }

    /// A watch that expires when there is a newer version than this one. That may be at once.
    fn watch(&self, since: u64) -> Response<AnswerBody> {
        let mut changed = self.changed.subscribe();
        let expired = json!({"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "Expired", "message": "too old resource version", "code": 410}});
        let event = async move {
            let _ = changed.wait_for(|number| *number > since).await;
            Ok::<_, Infallible>(Frame::data(Bytes::from(format!("{expired}\n"))))
        };
        let body = StreamBody::new(futures_util::stream::once(event));
        Response::new(body.boxed_unsync())
    }
}
