//! The objects of a CRD.

use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::codes;
use crate::list::{Item, Pages, Progress};
use crate::metadata::Metadata;
use crate::requests::JSON;
use crate::resource::Resource;

/// An object in a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    pub metadata: Metadata,
    /// The object without `metadata.managedFields`; null if only the metadata is read.
    pub value: Value,
    /// `metadata.managedFields`; null if there are none, or if only the metadata is read.
    pub managed_fields: Value,
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
    Metadata,
    Whole,
}

/// A page of objects.
#[derive(Clone, Debug, Default)]
pub struct ObjectPage {
    /// The objects, ordered by namespace and name.
    pub objects: Vec<Object>,
    /// The objects that cannot be read.
    pub unreadable: Vec<Diagnostic>,
    /// How many objects follow, if the server reports it.
    pub remaining: Option<u64>,
}

/// The objects of a CRD, of which the caller requests page after page.
pub struct ObjectPages<'c> {
    pages: Pages<'c>,
    crd: &'c CustomResourceDefinition,
    version: String,
    content: Content,
    /// The key of the last object that could be read.
    previous: String,
}

impl Cluster {
    /// The objects of a CRD through one of its served versions, page after page, for a caller that writes between the pages.
    pub fn pages<'c>(&'c self, crd: &'c CustomResourceDefinition, version: &str, content: Content) -> ObjectPages<'c> {
        let accept = match content {
            Content::Metadata => "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            Content::Whole => JSON,
        };
        let pages = Pages::new(&self.requests, Resource::of(crd, version).all(), accept);
        ObjectPages { pages, crd, version: version.to_owned(), content, previous: String::new() }
    }

    /// Reads all objects of a CRD through one of its served versions, ordered by namespace and name. `on_object` gets each object,
    /// `on_progress` is called after each page.
    ///
    /// A listing that fails has a diagnostic in its result; the objects before it were given.
    pub async fn objects(
        &self,
        crd: &CustomResourceDefinition,
        version: &str,
        on_object: &mut (dyn FnMut(Object) + Send),
        on_progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Listing {
        let mut pages = self.pages(crd, version, Content::Whole);
        let mut listing = Listing::default();
        loop {
            let mut on_read = |read| match read {
                Ok(object) => on_object(object),
                Err(diagnostic) => listing.diagnostics.push(diagnostic),
            };
            match pages.each(&mut on_read).await {
                Ok(Some(progress)) => on_progress(progress),
                Ok(None) => {
                    listing.is_complete = true;
                    break;
                }
                Err(diagnostic) => {
                    listing.diagnostics.push(diagnostic);
                    break;
                }
            }
        }
        Listing { seen: pages.pages.seen, is_of_several_times: pages.pages.is_of_several_times, ..listing }
    }

    /// How many objects of a CRD there are: those of a page of one, and those that follow. Nothing if the server does not show it.
    ///
    /// # Errors
    /// A diagnostic if they cannot be listed.
    pub async fn count(&self, crd: &CustomResourceDefinition, version: &str) -> Result<Option<u64>, Diagnostic> {
        let mut pages = self.pages(crd, version, Content::Metadata);
        pages.pages.limit = 1;
        let progress = pages.each(&mut |_| {}).await?;
        let (first, has_more) = (pages.pages.seen, !pages.pages.is_at_end());
        let remaining = if has_more { progress.and_then(|progress| progress.remaining) } else { Some(0) };
        Ok(remaining.map(|remaining| first.saturating_add(remaining)))
    }
}

impl ObjectPages<'_> {
    /// The next page; nothing after the last one.
    ///
    /// # Errors
    /// Why the listing ends early.
    pub async fn next(&mut self) -> Result<Option<ObjectPage>, Diagnostic> {
        let mut page = ObjectPage::default();
        let mut on_read = |read| match read {
            Ok(object) => page.objects.push(object),
            Err(diagnostic) => page.unreadable.push(diagnostic),
        };
        let progress = self.each(&mut on_read).await?;
        Ok(progress.map(|progress| ObjectPage { remaining: progress.remaining, ..page }))
    }

    /// Gives each object of the next page, or why it cannot be read; nothing after the last page.
    async fn each(
        &mut self,
        on_read: &mut (dyn FnMut(Result<Object, Diagnostic>) + Send),
    ) -> Result<Option<Progress>, Diagnostic> {
        let Self { pages, crd, version, content, previous } = self;
        let mut on_item = |item: Item<'_>| {
            let value = match (&item.metadata, *content) {
                (Ok(_), Content::Whole) => value(item.text),
                _ => Ok((Value::Null, Value::Null)),
            };
            on_read(match (item.metadata, value) {
                (Ok(metadata), Ok((value, managed_fields))) => {
                    *previous = metadata.key();
                    Ok(Object { metadata, value, managed_fields, bytes: item.text.len() })
                }
                (Ok(metadata), Err(error)) => Err(unreadable(Ok(&metadata), &error, crd, version)),
                (Err(error), _) => Err(unreadable(Err(previous), &error, crd, version)),
            });
        };
        let progress = pages.next(&mut on_item).await;
        progress.map_err(|diagnostic| diagnostic.of_crd(&*crd.name, Some(version.clone()), ""))
    }

    /// Whether parts of the listing are of different times, because it expired.
    pub fn is_of_several_times(&self) -> bool {
        self.pages.is_of_several_times
    }
}

/// A whole object, and its managed fields.
fn value(text: &str) -> Result<(Value, Value), String> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let metadata = value.get_mut("metadata").and_then(Value::as_object_mut);
    let managed_fields = metadata.and_then(|metadata| metadata.remove("managedFields"));
    Ok((value, managed_fields.unwrap_or_default()))
}

/// Why an object cannot be read. Without readable metadata, it is named by the key of the object before it.
fn unreadable(
    object: Result<&Metadata, &str>,
    error: &str,
    crd: &CustomResourceDefinition,
    version: &str,
) -> Diagnostic {
    let kind = &crd.names.kind;
    let diagnostic = match object {
        Ok(metadata) => {
            let object = metadata.object(kind);
            codes::UNREADABLE_OBJECT.finding(format!("{object} cannot be read: {error}")).of_object(object)
        }
        Err(previous) => {
            let after = if previous.is_empty() { "the first".to_owned() } else { format!("the one after {previous}") };
            codes::UNREADABLE_OBJECT.finding(format!("a {kind} ({after}) cannot be read: {error}"))
        }
    };
    diagnostic
        .of_crd(&*crd.name, Some(version.to_owned()), "")
        .help(format!("read it with `kubectl get {} --output json`", crd.name))
}
