//! The objects of a CRD.

use crd_diagnostics::{Diagnostic, ObjectName};
use crd_model::CustomResourceDefinition;
use serde_json::Value;

use crate::codes;
use crate::failure::Target;
use crate::list::{Item, Pages, Progress, list};
use crate::metadata::{ManagedField, Metadata};
use crate::requests::{JSON, Requests};
use crate::resource::Resource;

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

/// How much of each object is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Only the metadata.
    Metadata,
    /// The whole object.
    Whole,
}

/// An object of a page.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its metadata.
    pub metadata: Metadata,
    /// The object without `metadata.managedFields`; null if only the metadata is read.
    pub value: Value,
}

/// A page of objects.
#[derive(Clone, Debug, Default)]
pub struct ObjectPage {
    /// The objects, ordered by namespace and name.
    pub objects: Vec<Entry>,
    /// The objects that cannot be read.
    pub unreadable: Vec<Diagnostic>,
    /// How many objects follow, if the server reports it.
    pub remaining: Option<u64>,
}

/// The objects of a CRD, of which the caller requests page after page.
pub struct ObjectPages<'c> {
    pages: Pages<'c>,
    requests: &'c Requests,
    crd: &'c CustomResourceDefinition,
    version: String,
    content: Content,
    previous: String,
}

impl<'c> ObjectPages<'c> {
    pub(crate) fn new(
        requests: &'c Requests,
        crd: &'c CustomResourceDefinition,
        version: &str,
        content: Content,
    ) -> Self {
        let accept = match content {
            Content::Metadata => "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            Content::Whole => JSON,
        };
        let pages = Pages::new(requests, Resource::of(crd, version).all(), accept);
        Self { pages, requests, crd, version: version.to_owned(), content, previous: String::new() }
    }

    fn of_one_object(mut self) -> Self {
        self.pages.limit = 1;
        self
    }

    /// The next page; nothing after the last one.
    ///
    /// # Errors
    /// Why the listing ends early.
    pub async fn next(&mut self) -> Result<Option<ObjectPage>, Diagnostic> {
        let mut page = ObjectPage::default();
        let Self { content, crd, version, previous, .. } = self;
        let mut on_item = |item: Item<'_>| {
            let read = match (&item.metadata, *content) {
                (Ok(metadata), Content::Metadata) => Ok((Value::Null, metadata.key())),
                _ => object(&item).map(|(object, key)| (object.value, key)),
            };
            match read {
                Ok((value, key)) => {
                    *previous = key;
                    // An object without readable metadata is an error above.
                    let metadata = item.metadata.unwrap_or_default();
                    page.objects.push(Entry { metadata, value });
                }
                Err(error) => page.unreadable.push(unreadable(&item, &error, crd, version, previous)),
            }
        };
        match self.pages.next(&mut on_item).await {
            Ok(Some(progress)) => {
                page.remaining = progress.remaining;
                Ok(Some(page))
            }
            Ok(None) => Ok(None),
            Err(failure) => {
                let target = Resource::of(self.crd, &self.version).all();
                let diagnostic = failure.diagnostic(&target, &self.requests.server);
                Err(diagnostic.of_crd(&*self.crd.name, Some(self.version.clone()), ""))
            }
        }
    }

    /// Whether parts of the listing are of different times, because it expired.
    pub fn is_of_several_times(&self) -> bool {
        self.pages.is_of_several_times
    }
}

/// How many objects of a CRD there are: those of a page of one, and those that follow.
pub(crate) async fn count(
    requests: &Requests,
    crd: &CustomResourceDefinition,
    version: &str,
) -> Result<Option<u64>, Diagnostic> {
    let mut pages = ObjectPages::new(requests, crd, version, Content::Metadata).of_one_object();
    let Some(page) = pages.next().await? else { return Ok(Some(0)) };
    let first = page.objects.len().saturating_add(page.unreadable.len());
    let has_more = !pages.pages.is_at_end();
    let first = u64::try_from(first).unwrap_or(u64::MAX);
    Ok(if has_more { page.remaining.map(|remaining| first.saturating_add(remaining)) } else { Some(first) })
}

/// Reads all objects of a CRD through one of its versions.
pub(crate) async fn objects(
    requests: &Requests,
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
    let listed = list(requests, &target, &mut on_item, on_progress).await;
    if let Some(failure) = &listed.failure {
        let diagnostic = failure.diagnostic(&target, &requests.server);
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
