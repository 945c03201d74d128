//! Writes, of which each has guards: none of them changes an object that is not the expected one.
//!
//! Invariants:
//! * A write of an existing object names its UID and `resourceVersion`. So it never restores a deleted object, and never overwrites a change of
//!   another client; and to repeat it is safe.
//! * A dry run asks the server, which stores nothing.

use crd_diagnostics::Diagnostic;
use http::Method;
use serde_json::{Value, json};

use crate::failure::{Failure, Target};
use crate::metadata::Metadata;
use crate::requests::{JSON, Message, Requests, read};
use crate::resource::Resource;

/// The name of this client in `managedFields`.
pub const FIELD_MANAGER: &str = "crd-channels";

/// Writes objects and CRDs.
#[derive(Clone, Copy)]
pub struct Writer<'c> {
    requests: &'c Requests,
    is_dry_run: bool,
}

/// What became of a write.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// The object as the server has it now; null after a deletion.
    Done(Value),
    /// Someone else has changed the object, or has created one of this name. Nothing was written.
    Changed,
    /// The object was deleted. Nothing was written.
    Gone,
    /// The server refuses the write.
    Refused(Diagnostic),
}

impl Written {
    /// The object as the server has it now; nothing if someone else was faster.
    ///
    /// # Errors
    /// The refusal.
    pub fn accepted(self) -> Result<Option<Value>, Diagnostic> {
        match self {
            Self::Done(object) => Ok(Some(object)),
            Self::Changed | Self::Gone => Ok(None),
            Self::Refused(diagnostic) => Err(diagnostic),
        }
    }
}

/// The part of an object that a write replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Everything but a status that has its own endpoint.
    Object,
    Status,
}

impl Part {
    fn subresource(self) -> Option<&'static str> {
        (self == Self::Status).then_some("status")
    }
}

impl<'c> Writer<'c> {
    pub(crate) fn new(requests: &'c Requests, is_dry_run: bool) -> Self {
        Self { requests, is_dry_run }
    }

    /// Writes an object as it is, so that the server stores it in the storage version of today. If it is stored so already, nothing changes.
    ///
    /// # Errors
    /// A diagnostic if the write failed for a reason that concerns more than this object.
    pub async fn touch(&self, resource: &Resource, metadata: &Metadata) -> Result<Written, Diagnostic> {
        let body = json!({"metadata": {"uid": metadata.uid, "resourceVersion": metadata.resource_version}});
        let target = resource.object("patch", metadata.namespace.as_deref(), Some(&metadata.name), None);
        self.send(&target, Method::PATCH, "application/merge-patch+json", &body, &metadata.name).await
    }

    /// Replaces a part of an object. The object contains its UID and `resourceVersion`.
    ///
    /// # Errors
    /// As [`Writer::touch`].
    pub async fn replace(&self, resource: &Resource, object: &Value, part: Part) -> Result<Written, Diagnostic> {
        let (namespace, name) = name(object);
        let target = resource.object("update", namespace, Some(name), part.subresource());
        self.send(&target, Method::PUT, JSON, object, name).await
    }

    /// Creates an object. [`Written::Changed`] if there is one of this name.
    ///
    /// # Errors
    /// As [`Writer::touch`].
    pub async fn create(&self, resource: &Resource, object: &Value) -> Result<Written, Diagnostic> {
        let (namespace, name) = name(object);
        let target = resource.object("create", namespace, None, None);
        self.send(&target, Method::POST, JSON, object, name).await
    }

    /// Deletes an object, if it is still as its metadata.
    ///
    /// # Errors
    /// As [`Writer::touch`].
    pub async fn delete(&self, resource: &Resource, metadata: &Metadata) -> Result<Written, Diagnostic> {
        let preconditions = json!({"uid": metadata.uid, "resourceVersion": metadata.resource_version});
        let body = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions});
        let target = resource.object("delete", metadata.namespace.as_deref(), Some(&metadata.name), None);
        self.send(&target, Method::DELETE, JSON, &body, &metadata.name).await
    }

    /// Changes a part of an object by a JSON patch, whose tests are its guards.
    ///
    /// # Errors
    /// As [`Writer::touch`].
    pub async fn patch(
        &self,
        resource: &Resource,
        metadata: &Metadata,
        part: Part,
        operations: &[Value],
    ) -> Result<Written, Diagnostic> {
        let mut guarded = vec![json!({"op": "test", "path": "/metadata/uid", "value": metadata.uid})];
        guarded.extend_from_slice(operations);
        let name = &metadata.name;
        let target = resource.object("patch", metadata.namespace.as_deref(), Some(name), part.subresource());
        self.send(&target, Method::PATCH, "application/json-patch+json", &Value::Array(guarded), name).await
    }

    async fn send(
        &self,
        target: &Target,
        method: Method,
        content: &str,
        body: &Value,
        name: &str,
    ) -> Result<Written, Diagnostic> {
        let dry_run = if self.is_dry_run { "&dryRun=All" } else { "" };
        let query = format!("?fieldManager={FIELD_MANAGER}{dry_run}");
        // The answer to a deletion is the object or a status.
        let is_deletion = method == Method::DELETE;
        let message = Message { method, query: &query, accept: JSON, content, body: body.to_string().into_bytes() };
        let failure = match self.requests.send(target, &message).await {
            Ok(_) if is_deletion => return Ok(Written::Done(Value::Null)),
            Ok(answer) => match read(&answer) {
                Ok(object) => return Ok(Written::Done(object)),
                Err(failure) => failure,
            },
            Err(failure) => failure,
        };
        let diagnostic = failure.diagnostic(target, &self.requests.server);
        let Failure::Status { code, message, .. } = &failure else { return Err(diagnostic) };
        match code {
            // An admission webhook chooses its code, which can be 404 or 409.
            400..=499 if is_denied(message) => Ok(Written::Refused(diagnostic)),
            409 => Ok(Written::Changed),
            404 if failure.is_absence_of(name) => Ok(Written::Gone),
            // A test of a JSON patch does not hold: the server does not say which.
            422 if content.starts_with("application/json-patch")
                && message.contains("due to an error in our request") =>
            {
                Ok(Written::Changed)
            }
            403 if message.contains(" is forbidden: User \"") => Err(diagnostic),
            400 | 403 | 413 | 422 | 500 => Ok(Written::Refused(diagnostic)),
            _ => Err(diagnostic),
        }
    }
}

/// Whether an admission webhook or an admission policy denies a request.
fn is_denied(message: &str) -> bool {
    message.contains(" denied the request") || message.contains(" denied request: ")
}

/// The namespace and name of an object.
fn name(object: &Value) -> (Option<&str>, &str) {
    let text = |key: &str| object.get("metadata")?.get(key)?.as_str();
    (text("namespace"), text("name").unwrap_or_default())
}
