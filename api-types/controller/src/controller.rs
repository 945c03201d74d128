//! One watch for each kind that the server offers, and a new decision whenever a CRD changes.
//!
//! Invariants: a watch that is stopped sends no further events. Requests that fail are repeated with growing pauses.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use crd_stamps::BundleVersion;
use crd_stamps::installed::{KindUse, Stamps};
use crd_stamps::skew::{Decided, Offer, decide};
use futures_util::StreamExt;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind};
use kube::core::PartialObjectMeta;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{Config, Event, watcher};
use kube::{Client, Discovery, ResourceExt};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::kinds::{KINDS, Object, built_for};
use crate::reader::Reader;

/// How long CRDs must be unchanged before the controller decides: a bundle changes many of them.
const QUIET: Duration = Duration::from_secs(1);
/// After this time, each API server has the changed CRD. Watches that started earlier start once more.
const SETTLED: Duration = Duration::from_secs(10);
/// The longest pause between two looks at the discovery. Pauses grow from `QUIET`.
const LONGEST: Duration = Duration::from_secs(30);

/// The namespace and name of an object.
pub type Key = (Option<String>, String);

/// What a watch has seen of its kind.
#[derive(Clone, Debug)]
pub enum Seen {
    /// All objects follow: those that do not were deleted.
    Listing,
    /// The objects up to now are all objects.
    Listed,
    /// An object that is new or changed, in the current form; or why the controller ignores it.
    Object(Key, Result<Object, String>),
    /// An object was deleted.
    Deleted(Key),
}

/// What a controller does with what it has seen.
pub trait Handler: Send + Sync + 'static {
    /// The server offers other kinds or versions than before. Kinds that are not watched have no objects from now on. A decision that is blocking
    /// belongs into a condition, with its message.
    fn decided(&self, decided: &[Decided]);
    /// A watch has seen something of a kind.
    fn seen(&self, kind: &'static KindUse<'static>, seen: Seen);
}

/// The part of a CRD that matters for watches.
#[derive(Clone, Debug)]
struct Crd {
    /// Both change when its schemas can change.
    identity: (Option<String>, Option<i64>),
    bundle: Option<BundleVersion>,
    changed: Instant,
}

/// A running watch.
struct Watch {
    version: String,
    started: Instant,
    task: JoinHandle<()>,
}

struct Controller {
    client: Client,
    reader: Arc<Reader>,
    handler: Arc<dyn Handler>,
    crds: BTreeMap<String, Crd>,
    watches: BTreeMap<&'static str, Watch>,
    decided: Vec<Decided>,
}

/// Runs the controller until the task is dropped.
///
/// # Errors
/// The lenses or the types of this build are wrong.
pub async fn run(client: Client, handler: impl Handler) -> Result<(), String> {
    let reader = Arc::new(Reader::new()?);
    let handler = Arc::new(handler);
    let crds = Api::<PartialObjectMeta<CustomResourceDefinition>>::all(client.clone());
    let mut events = pin!(watcher(crds, Config::default()).default_backoff());
    let mut controller =
        Controller { client, reader, handler, crds: BTreeMap::new(), watches: BTreeMap::new(), decided: Vec::new() };
    let mut pause = QUIET;
    loop {
        let mut end = Instant::now() + pause;
        pause = LONGEST.min(pause * 2);
        while let Ok(Some(event)) = timeout_at(end, events.next()).await {
            match event {
                Ok(event) => {
                    if controller.follow(event) {
                        end = Instant::now() + QUIET;
                        pause = QUIET * 2;
                    }
                }
                Err(error) => tracing::warn!(%error, "CRDs cannot be watched, so changes are noticed later"),
            }
        }
        controller.decide().await;
    }
}

impl Controller {
    /// Whether an event changes a CRD of this controller.
    fn follow(&mut self, event: Event<PartialObjectMeta<CustomResourceDefinition>>) -> bool {
        match event {
            Event::Apply(crd) | Event::InitApply(crd) if KINDS.iter().any(|kind| kind.crd() == crd.name_any()) => {
                let name = crd.name_any();
                let annotations = crd.annotations().iter().map(|(key, value)| (&**key, &**value));
                let stamp = Stamps::of(&name, gateway_api_types::GROUP, annotations).part();
                let bundle = stamp.and_then(|(bundle, _)| bundle.version());
                let identity = (crd.metadata.uid, crd.metadata.generation);
                let new = Crd { identity, bundle, changed: Instant::now() };
                let is_same = |old: &Crd| (&old.identity, old.bundle) == (&new.identity, new.bundle);
                let is_changed = !self.crds.get(&name).is_some_and(is_same);
                if is_changed {
                    self.crds.insert(name, new);
                }
                is_changed
            }
            Event::Delete(crd) => self.crds.remove(&crd.name_any()).is_some(),
            _ => false,
        }
    }

    /// Compares what the server offers with what the controller was built for, and changes the watches.
    async fn decide(&mut self) {
        let groups = [gateway_api_types::GROUP];
        let discovery = match Discovery::new(self.client.clone()).filter(&groups).run_aggregated().await {
            Ok(discovery) => discovery,
            Err(error) => return tracing::warn!(%error, "the discovery cannot be read, so nothing changes"),
        };
        let decided = decide(&(&built_for()).into(), &Offer::from(&discovery));
        let mut new = Vec::new();
        for (kind, decided) in KINDS.iter().zip(&decided) {
            let version = decided.version();
            match self.watches.get(kind.kind) {
                Some(watch) if version == Some(&*watch.version) && !self.is_outdated(kind, watch) => continue,
                Some(_) => self.stop(kind).await,
                None => {}
            }
            new.extend(version.map(|version| (kind, version.to_owned())));
        }
        if decided != self.decided {
            self.handler.decided(&decided);
            self.decided = decided;
        }
        for (kind, version) in new {
            self.start(kind, version);
        }
    }

    /// Whether the CRD has changed since the watch started, as far as an API server may have had the older one then.
    fn is_outdated(&self, kind: &KindUse<'_>, watch: &Watch) -> bool {
        let is_over = |time: Instant| watch.started < time && time <= Instant::now();
        self.crds.get(&kind.crd()).is_some_and(|crd| is_over(crd.changed) || is_over(crd.changed + SETTLED))
            || watch.task.is_finished()
    }

    fn start(&mut self, kind: &'static KindUse<'static>, version: String) {
        let gvk = GroupVersionKind::gvk(kind.group, &version, kind.kind);
        let api = Api::all_with(self.client.clone(), &ApiResource::from_gvk_with_plural(&gvk, kind.plural));
        let installed = self.crds.get(&kind.crd()).and_then(|crd| crd.bundle);
        let task = tokio::spawn(follow(kind, api, self.reader.clone(), installed, self.handler.clone()));
        self.watches.insert(kind.kind, Watch { version, started: Instant::now(), task });
    }

    async fn stop(&mut self, kind: &KindUse<'_>) {
        if let Some(watch) = self.watches.remove(kind.kind) {
            watch.task.abort();
            // It may be handling an event on another thread.
            if let Err(error) = watch.task.await
                && error.is_panic()
            {
                tracing::error!(kind = kind.kind, %error, "the handler has failed");
            }
        }
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        self.watches.values().for_each(|watch| watch.task.abort());
    }
}

/// Hands the objects of a kind to the handler.
async fn follow(
    kind: &'static KindUse<'static>,
    api: Api<DynamicObject>,
    reader: Arc<Reader>,
    installed: Option<BundleVersion>,
    handler: Arc<dyn Handler>,
) {
    let key = |object: &DynamicObject| (object.namespace(), object.name_any());
    let mut events = pin!(watcher(api, Config::default()).default_backoff());
    while let Some(event) = events.next().await {
        let seen = match event {
            Ok(Event::Init) => Seen::Listing,
            Ok(Event::InitDone) => Seen::Listed,
            Ok(Event::Delete(object)) => Seen::Deleted(key(&object)),
            Ok(Event::Apply(object) | Event::InitApply(object)) => {
                let key = key(&object);
                let value = serde_json::to_value(object).map_err(|error| error.to_string());
                Seen::Object(key, value.and_then(|value| reader.read(kind.kind, value, installed)))
            }
            // Such as a version that is not served any more, until the next decision.
            Err(error) => {
                tracing::warn!(kind = kind.kind, %error, "the watch has failed, and is repeated");
                continue;
            }
        };
        handler.seen(kind, seen);
    }
}
