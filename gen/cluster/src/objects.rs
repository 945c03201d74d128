//! The objects of a CRD.

use crd_diagnostics::{Diagnostic, ObjectName};
use crd_model::CustomResourceDefinition;
use serde_json::Value;

use crate::codes;
use crate::failure::Target;
use crate::get::Get;
use crate::list::{Item, Progress, list};
use crate::metadata::{ManagedField, Metadata};

/// An object in a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The object, without `metadata.managedFields`.
    pub value: Value,
    /// Who wrote it, and through which API version.
    pub managed_fields: Vec<ManagedField>,
    /// Its size as the server sent it, in bytes.
    pub bytes: usize,
}

/// What a listing of objects was like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// How many objects were read.
    pub seen: u64,
    /// Whether all objects were read: no request failed.
    pub is_complete: bool,
    /// Whether parts of the listing are of different times: it expired, and the server could only continue with newer objects, or it was started
    /// again. An object that was created in between can be missing.
    pub is_of_several_times: bool,
    /// The objects that cannot be read, and why the listing ended early.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads all objects of a CRD through one of its versions.
pub(crate) async fn objects(
    get: &Get,
    crd: &CustomResourceDefinition,
    version: &str,
    on_object: &mut (dyn FnMut(Object) + Send),
    on_progress: &mut (dyn FnMut(Progress) + Send),
) -> Listing {
    let target = Target::objects(&crd.group, version, &crd.names.plural);
    let mut diagnostics = Vec::new();
    let mut previous = String::new();
    let mut on_item = |item: Item<'_>| match object(&item) {
        Ok((object, key)) => {
            previous = key;
            on_object(object);
        }
        Err(error) => diagnostics.push(unreadable(&item, &error, crd, version, &previous)),
    };
    let listed = list(get, &target, &mut on_item, on_progress).await;
    if let Some(failure) = &listed.failure {
        let diagnostic = failure.diagnostic(&target, &get.server);
        diagnostics.push(diagnostic.of_crd(&*crd.name, Some(version.to_owned()), ""));
    }
    Listing {
        seen: listed.seen,
        is_complete: listed.failure.is_none(),
        is_of_several_times: listed.is_of_several_times,
        diagnostics,
    }
}

/// The object, and its key.
fn object(item: &Item<'_>) -> Result<(Object, String), String> {
    let metadata = item.metadata.as_ref().map_err(Clone::clone)?;
    let mut value: Value = serde_json::from_str(item.text).map_err(|error| error.to_string())?;
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    Ok((Object { value, managed_fields: metadata.managed_fields.clone(), bytes: item.text.len() }, metadata.key()))
}

fn unreadable(
    item: &Item<'_>,
    error: &str,
    crd: &CustomResourceDefinition,
    version: &str,
    previous: &str,
) -> Diagnostic {
    let kind = crd.names.kind.to_string();
    let diagnostic = match &item.metadata {
        Ok(Metadata { name, namespace, .. }) => {
            let object = ObjectName { kind, namespace: namespace.clone(), name: name.clone() };
            Diagnostic::error(codes::UNREADABLE_OBJECT, format!("{object} cannot be read: {error}")).of_object(object)
        }
        Err(_) => {
            let after = if previous.is_empty() { "the first".to_owned() } else { format!("the one after {previous}") };
            Diagnostic::error(codes::UNREADABLE_OBJECT, format!("a {kind} ({after}) cannot be read: {error}"))
        }
    };
    diagnostic
        .of_crd(&*crd.name, Some(version.to_owned()), "")
        .help(format!("read it with `kubectl get {} --output json`", crd.name))
}
