//! Fills the cache, and compares the installed CRDs, by watches of the cluster.
//!
//! Invariants:
//! * Only `list` and `watch` are requested. Of CRDs, Services and Namespaces only the metadata is read.
//! * A resource of the bundle is watched while its CRD is installed. Without its CRD it has no objects.
//! * A watch that fails is repeated with growing pauses, at most 30 seconds. Until a resource was read once, the webhook is not ready; afterwards, a
//!   failing watch is a warning, because the cache is still useful. So is a resource that the server does not serve, such as a version that older CRDs do
//!   not have.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crd_model::channel::Channel;
use crd_stamps::installed::Stamps;
use crd_stamps::{BUNDLE_VERSION, CHANNEL};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind};
use kube::core::PartialObjectMeta;
use kube::runtime::watcher::{self, Event, watcher};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::objects::{AnyShelf, Cell, Key, Watched, WatchedResource, key};
use crate::readiness::{Readiness, State};
use crate::skew::skew;
use crate::webhook::Webhook;

/// The part of the readiness about the CRDs.
pub(crate) const CRDS: &str = "crds";
/// The most objects of a page of a listing.
const PAGE: u32 = 500;
/// The pauses between requests that fail.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The part of the readiness about a resource.
pub(crate) fn part(resource: &WatchedResource) -> String {
    match resource.group.as_str() {
        "" => format!("cache of {}", resource.plural),
        group => format!("cache of {}.{group}", resource.plural),
    }
}

/// The watches of a server.
pub(crate) struct Watches {
    pub(crate) client: Client,
    pub(crate) webhook: Arc<Webhook>,
    pub(crate) channel: Channel,
    pub(crate) readiness: Arc<Readiness>,
}

/// An object, or its metadata, with its key.
type Item = (Key, Value);

impl Watches {
    /// Watches until the task is dropped.
    pub(crate) async fn run(self) {
        let of_bundle = |resource: &WatchedResource| {
            let name = format!("{}.{}", resource.plural, resource.group);
            self.webhook.bundle.channels.values().flatten().any(|crd| crd.name == *name).then_some(name)
        };
        // Dropped, and so ended, together with this task.
        let mut others = JoinSet::new();
        let mut resources = Vec::new();
        for (resource, shelf) in self.webhook.objects.shelves() {
            match of_bundle(resource) {
                Some(crd) => resources.push((crd, resource.clone(), shelf.clone())),
                None => drop(others.spawn(self.fill(resource.clone(), shelf.clone()))),
            }
        }
        let mut watched: BTreeMap<String, JoinSet<()>> = BTreeMap::new();
        let crds = Cell::<InstalledCrd>::default();
        let mut events = Stream::new(&self.client, &InstalledCrd::resource());
        loop {
            let failure = match events.next().await {
                Ok(event) => {
                    let is_listing = matches!(event, Event::Init | Event::InitApply(_));
                    // Every CRD can be read.
                    let _ = crds.follow(event);
                    if is_listing {
                        continue;
                    }
                    None
                }
                Err(failed) => Some(failed.text),
            };
            let found = crds.objects().into_iter().map(|((_, name), crd)| (name.clone(), self.stamps(&name, &crd)));
            let found = found.collect::<BTreeMap<_, _>>();
            if let Some(text) = failure {
                // The CRDs that were read last are still the best answer.
                let state = match self.compared(&found) {
                    _ if found.is_empty() => State::NotReady(text),
                    State::NotReady(reason) => State::NotReady(reason),
                    State::Ready | State::Warning(_) => State::Warning(text),
                };
                self.readiness.set(CRDS, state);
                continue;
            }
            self.readiness.set(CRDS, self.compared(&found));
            for (crd, resource, shelf) in &resources {
                let is_installed = found.contains_key(crd);
                if is_installed && !watched.contains_key(crd) {
                    watched.entry(crd.clone()).or_default().spawn(self.fill(resource.clone(), shelf.clone()));
                } else if !is_installed {
                    // It may be handling an event on another thread, whose result must not come later than this one.
                    if let Some(mut task) = watched.remove(crd) {
                        task.shutdown().await;
                    }
                    shelf.clear(true);
                    self.readiness.set(&part(resource), State::Ready);
                }
            }
        }
    }

    fn stamps(&self, name: &str, crd: &InstalledCrd) -> Stamps {
        let annotations = crd.stamps.iter().map(|(key, value)| (&**key, &**value));
        Stamps::of(name, &self.webhook.bundle.prefix, annotations)
    }

    /// Whether the CRDs are those of the bundle.
    fn compared(&self, found: &BTreeMap<String, Stamps>) -> State {
        let found = found.values().cloned().collect::<Vec<_>>();
        let skew = skew(&self.webhook.bundle, self.channel, &found);
        match (skew.blocking.is_empty(), skew.warnings.is_empty()) {
            (true, true) => State::Ready,
            (true, false) => State::Warning(skew.warnings.join("; ")),
            (false, _) => State::NotReady(skew.blocking.join("; ")),
        }
    }

    /// Fills the shelf of a resource.
    fn fill(&self, resource: WatchedResource, shelf: Arc<dyn AnyShelf>) -> impl Future<Output = ()> + Send + use<> {
        let mut events = Stream::new(&self.client, &resource);
        let readiness = self.readiness.clone();
        async move {
            let part = part(&resource);
            loop {
                match events.next().await {
                    Ok(event) => {
                        let is_listed = matches!(event, Event::InitDone);
                        if let Err((namespace, name)) = shelf.follow(event) {
                            tracing::warn!(part, namespace, name, "an object cannot be read, so rules do not know it");
                        }
                        if is_listed {
                            readiness.set(&part, State::Ready);
                        }
                    }
                    // Such as a version that older CRDs do not have.
                    Err(Failed { is_absent: true, text }) => {
                        shelf.clear(false);
                        let text = format!("rules that need these objects are silent: {text}");
                        readiness.set(&part, State::Warning(text));
                    }
                    Err(Failed { text, .. }) if shelf.is_complete() => readiness.set(&part, State::Warning(text)),
                    Err(Failed { text, .. }) => readiness.set(&part, State::NotReady(text)),
                }
            }
        }
    }
}

/// A CRD.
struct InstalledCrd {
    /// The annotations that can be stamps. Other annotations can be large.
    stamps: Vec<(String, String)>,
}

impl Watched for InstalledCrd {
    fn resource() -> WatchedResource {
        let (kind, plural) = ("CustomResourceDefinition", "customresourcedefinitions");
        WatchedResource::of_metadata("apiextensions.k8s.io", "v1", kind, plural)
    }

    fn read(object: Value) -> Result<Self, String> {
        let annotations = object.pointer("/metadata/annotations").and_then(Value::as_object).into_iter().flatten();
        let stamps = annotations.filter(|(key, _)| key.ends_with(BUNDLE_VERSION) || key.ends_with(CHANNEL));
        let text = |(key, value): (&String, &Value)| Some((key.clone(), value.as_str()?.to_owned()));
        Ok(Self { stamps: stamps.filter_map(text).collect() })
    }
}

/// Why a watch failed.
struct Failed {
    text: String,
    /// Whether the server does not have the resource in this version.
    is_absent: bool,
}

/// The events of a resource.
struct Stream {
    client: Client,
    resource: WatchedResource,
    events: BoxStream<'static, watcher::Result<Event<Item>>>,
    /// The pause before the next request, after a failure.
    pause: Option<Duration>,
}

impl Stream {
    fn new(client: &Client, resource: &WatchedResource) -> Self {
        let events = events(client, resource);
        Self { client: client.clone(), resource: resource.clone(), events, pause: None }
    }

    /// The next event, or why the watch failed. After a failure, everything is listed again after a pause: the end of the listing shows that the watch works.
    async fn next(&mut self) -> Result<Event<Item>, Failed> {
        if let Some(pause) = self.pause {
            tokio::time::sleep(pause).await;
        }
        match self.events.next().await {
            Some(Ok(event)) => {
                self.pause = None;
                Ok(event)
            }
            Some(Err(error)) => {
                self.pause = Some(self.pause.map_or(FIRST_PAUSE, |pause| pause.saturating_mul(2).min(LONGEST_PAUSE)));
                self.events = events(&self.client, &self.resource);
                Err(failed(&error, &self.resource))
            }
            // The stream has no end.
            None => std::future::pending().await,
        }
    }
}

fn events(client: &Client, resource: &WatchedResource) -> BoxStream<'static, watcher::Result<Event<Item>>> {
    let WatchedResource { group, version, kind, plural, .. } = resource;
    let resource_of = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural);
    let settings = watcher::Config::default().page_size(PAGE);
    match resource.is_metadata_only {
        true => {
            let api: Api<PartialObjectMeta<DynamicObject>> = Api::all_with(client.clone(), &resource_of);
            watcher(api, settings).map(|event| event.map(|event| map(event, |object| item(&object)))).boxed()
        }
        false => {
            let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource_of);
            watcher(api, settings).map(|event| event.map(|event| map(event, |object| item(&object)))).boxed()
        }
    }
}

fn item<T: serde::Serialize>(object: &T) -> Item {
    let mut value = serde_json::to_value(object).unwrap_or_default();
    // Often half of an object, and no rule reads it.
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    (key(&value).unwrap_or_default(), value)
}

fn map<T>(event: Event<T>, of: impl Fn(T) -> Item) -> Event<Item> {
    match event {
        Event::Apply(object) => Event::Apply(of(object)),
        Event::Delete(object) => Event::Delete(of(object)),
        Event::Init => Event::Init,
        Event::InitApply(object) => Event::InitApply(of(object)),
        Event::InitDone => Event::InitDone,
    }
}

/// Why a watch failed, with what to do. The texts of servers about a whole resource name no object.
fn failed(error: &watcher::Error, resource: &WatchedResource) -> Failed {
    let status = match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status))
        | watcher::Error::WatchFailed(kube::Error::Api(status)) => Some(status),
        watcher::Error::WatchError(status) => Some(status),
        _ => None,
    };
    let is_absent = status.is_some_and(|status| status.code == 404);
    let text = match status {
        Some(_) if is_absent => format!("the server does not serve {} in {}", resource.plural, resource.version),
        Some(status) if status.code == 403 => {
            let text = status.message.trim();
            format!("no right to list and watch it: {text}: apply the ClusterRole of the install file again")
        }
        Some(status) => format!("the server answers {}: {}", status.code, status.message.trim()),
        None => {
            // The causes, such as a refused connection, are below the error.
            let mut text = error.to_string();
            let mut cause = std::error::Error::source(error);
            while let Some(below) = cause {
                let more = below.to_string();
                if !text.contains(&more) {
                    text.extend([": ", &more]);
                }
                cause = below.source();
            }
            text
        }
    };
    Failed { text, is_absent }
}
