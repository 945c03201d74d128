//! Other objects of the cluster, as a cache that is filled by watches.
//!
//! Invariants:
//! * A rule reads what was known when it asked. The cache follows the cluster with a delay, so a rule that refuses because of other objects
//!   gives good feedback, and is not a guarantee (GEP-922).
//! * Before a resource was read to its end, the cache reports that, and never that an object does not exist.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use crd_markers::rule::Rule as MarkerRule;
use crd_markers::typed::Resource;
use kube::runtime::watcher::Event;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A resource of a server, in one API version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct WatchedResource {
    /// The API group; empty for the resources of Kubernetes' core.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The kind.
    #[serde(skip)]
    pub kind: String,
    /// The plural.
    #[serde(rename = "resource")]
    pub plural: String,
    /// Whether only the metadata of its objects is read.
    #[serde(skip)]
    pub is_metadata_only: bool,
}

impl WatchedResource {
    /// A resource of which only the metadata is read.
    pub fn of_metadata(group: &str, version: &str, kind: &str, plural: &str) -> Self {
        let [group, version, kind, plural] = [group, version, kind, plural].map(str::to_owned);
        Self { group, version, kind, plural, is_metadata_only: true }
    }
}

/// A type whose objects a rule can look up: every root type with `#[api]`, and types that implement it for resources of other projects.
///
/// ```
/// use crd_webhook::{Watched, WatchedResource};
///
/// /// A Service, of which rules read only that it exists.
/// pub struct Service;
///
/// impl Watched for Service {
///     fn resource() -> WatchedResource {
///         WatchedResource::of_metadata("", "v1", "Service", "services")
///     }
///     fn read(_: serde_json::Value) -> Result<Self, String> {
///         Ok(Self)
///     }
/// }
/// ```
pub trait Watched: Sized + Send + Sync + 'static {
    /// The resource.
    fn resource() -> WatchedResource;

    /// Reads an object. With `is_metadata_only`, it has only its `metadata`.
    ///
    /// # Errors
    /// Why the object cannot be read. The cache reports it, and leaves the object out.
    fn read(object: Value) -> Result<Self, String>;
}

impl<T: Resource + DeserializeOwned + Send + Sync + 'static> Watched for T {
    fn resource() -> WatchedResource {
        let path = T::DESCRIPTOR.markers.iter().find_map(|marker| match marker.rule {
            MarkerRule::Resource(names) => names.path,
            _ => None,
        });
        let plural = path.or(T::DESCRIPTOR.resource.map(|resource| resource.plural)).unwrap_or_default();
        WatchedResource {
            group: T::GROUP.to_owned(),
            version: T::VERSION.to_owned(),
            kind: <T as Resource>::KIND.to_owned(),
            plural: plural.to_owned(),
            is_metadata_only: false,
        }
    }

    fn read(object: Value) -> Result<Self, String> {
        serde_json::from_value(object).map_err(|error| error.to_string())
    }
}

/// The namespace, which is empty for objects of the whole cluster, and the name.
pub(crate) type Key = (String, String);

/// What the cache has about one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup<T> {
    /// The object.
    Found(T),
    /// The object does not exist.
    Absent,
    /// The resource was not read, or not to its end: whether the object exists is not known.
    Unknown,
}

impl<T> Lookup<T> {
    /// The object, if it was found.
    pub fn found(self) -> Option<T> {
        match self {
            Self::Found(object) => Some(object),
            Self::Absent | Self::Unknown => None,
        }
    }
}

/// The objects of one resource.
struct Shelf<T> {
    objects: BTreeMap<Key, Arc<T>>,
    /// The objects of a listing that is not complete.
    staged: BTreeMap<Key, Arc<T>>,
    /// Whether all objects were read once.
    is_complete: bool,
}

/// A shelf without its type, for what fills it.
pub(crate) trait AnyShelf: Send + Sync {
    /// Follows an event of a watch. Returns the key of an object that cannot be read, which is left out. The error is left out too, because it can contain
    /// values.
    fn follow(&self, event: Event<(Key, Value)>) -> Result<(), Key>;
    /// The server does not have the resource any more, or never had it: it has no objects.
    fn clear(&self, is_complete: bool);
    fn is_complete(&self) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { objects: BTreeMap::new(), staged: BTreeMap::new(), is_complete: false }
    }
}

/// A shelf that is read and filled at the same time.
pub(crate) struct Cell<T>(RwLock<Shelf<T>>);

impl<T> Default for Cell<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T> Cell<T> {
    /// All objects, by their keys.
    pub(crate) fn objects(&self) -> BTreeMap<Key, Arc<T>> {
        self.read().objects.clone()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Shelf<T>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Shelf<T>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Watched> AnyShelf for Cell<T> {
    fn follow(&self, event: Event<(Key, Value)>) -> Result<(), Key> {
        // Read without the lock.
        let read = |object| T::read(object).map(Arc::new).ok();
        match event {
            Event::Init => self.write().staged.clear(),
            Event::InitApply((key, object)) => {
                let object = read(object).ok_or_else(|| key.clone())?;
                self.write().staged.insert(key, object);
            }
            Event::InitDone => {
                let mut shelf = self.write();
                shelf.objects = std::mem::take(&mut shelf.staged);
                shelf.is_complete = true;
            }
            Event::Apply((key, object)) => {
                let object = read(object);
                let objects = &mut self.write().objects;
                let Some(object) = object else {
                    objects.remove(&key);
                    return Err(key);
                };
                objects.insert(key, object);
            }
            Event::Delete((key, _)) => drop(self.write().objects.remove(&key)),
        }
        Ok(())
    }

    fn clear(&self, is_complete: bool) {
        *self.write() = Shelf { is_complete, ..Shelf::default() };
    }

    fn is_complete(&self) -> bool {
        self.read().is_complete
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The cached objects of the cluster.
#[derive(Default)]
pub struct Objects {
    shelves: HashMap<TypeId, (WatchedResource, Arc<dyn AnyShelf>)>,
}

impl Objects {
    /// A cache that contains exactly these objects of a resource, for tests of rules. Objects of further resources can be added.
    ///
    /// # Panics
    /// If an object cannot be read, or has no name.
    #[must_use]
    pub fn with<T: Watched>(mut self, objects: impl IntoIterator<Item = Value>) -> Self {
        self.watch::<T>();
        if let Some(shelf) = self.shelf::<T>() {
            let listed = objects.into_iter().map(|object| {
                let key = key(&object).expect("the object has a name");
                Event::InitApply((key, object))
            });
            for event in [Event::Init].into_iter().chain(listed).chain([Event::InitDone]) {
                assert_eq!(shelf.follow(event), Ok(()), "the object cannot be read");
            }
        }
        self
    }

    /// Adds a resource, of which nothing is known yet.
    pub(crate) fn watch<T: Watched>(&mut self) {
        let empty = || -> (WatchedResource, Arc<dyn AnyShelf>) { (T::resource(), Arc::new(Cell::<T>::default())) };
        self.shelves.entry(TypeId::of::<T>()).or_insert_with(empty);
    }

    /// The resources, in their order, and what fills them.
    pub(crate) fn shelves(&self) -> Vec<(&WatchedResource, &Arc<dyn AnyShelf>)> {
        let mut shelves = self.shelves.values().map(|(resource, shelf)| (resource, shelf)).collect::<Vec<_>>();
        shelves.sort_by_key(|(resource, _)| *resource);
        shelves
    }

    fn shelf<T: Watched>(&self) -> Option<&Arc<dyn AnyShelf>> {
        self.shelves.get(&TypeId::of::<T>()).map(|(_, shelf)| shelf)
    }

    fn cell<T: Watched>(&self) -> Option<&Cell<T>> {
        self.shelf::<T>()?.as_any().downcast_ref()
    }

    /// An object by its namespace, which is empty for objects of the whole cluster, and its name.
    pub fn get<T: Watched>(&self, namespace: &str, name: &str) -> Lookup<Arc<T>> {
        let Some(cell) = self.cell::<T>() else { return Lookup::Unknown };
        let shelf = cell.read();
        match shelf.objects.get(&(namespace.to_owned(), name.to_owned())) {
            _ if !shelf.is_complete => Lookup::Unknown,
            Some(object) => Lookup::Found(object.clone()),
            None => Lookup::Absent,
        }
    }

    /// All objects of a resource, by namespace and name; nothing if the resource was not read to its end.
    pub fn all<T: Watched>(&self) -> Option<Vec<Arc<T>>> {
        let shelf = self.cell::<T>()?.read();
        shelf.is_complete.then(|| shelf.objects.values().cloned().collect())
    }

    /// The objects of a namespace, by name; nothing if the resource was not read to its end.
    pub fn in_namespace<T: Watched>(&self, namespace: &str) -> Option<Vec<Arc<T>>> {
        let shelf = self.cell::<T>()?.read();
        let first = (namespace.to_owned(), String::new());
        let of_namespace = shelf.objects.range(first..).take_while(|((of, _), _)| of == namespace);
        shelf.is_complete.then(|| of_namespace.map(|(_, object)| object.clone()).collect())
    }
}

/// The key of an object; nothing without a name.
pub(crate) fn key(object: &Value) -> Option<Key> {
    let text = |name: &str| object.get("metadata")?.get(name)?.as_str().map(str::to_owned);
    Some((text("namespace").unwrap_or_default(), text("name")?))
}
