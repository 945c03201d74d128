//! A model of an API server in memory, with CRDs, custom resources and leases. It does what `docs/reference/facts.md` states: an object is stored in the
//! storage version of its last write; a write that changes no byte has no effect; a write drops the fields that the requested version or the storage
//! version lacks; a listing shows one time; only the status endpoint shortens `status.storedVersions`.
//!
//! Invariant, checked before and after each request: an object is stored in a version of `status.storedVersions` of its CRD.

use std::collections::BTreeMap;
use std::future::pending;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crd_cluster::{Cluster, Limits};
use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};

pub(crate) const CRDS: &str = "customresourcedefinitions.apiextensions.k8s.io";
pub(crate) const LEASES: &str = "leases.coordination.k8s.io";
pub(crate) const DELETED_AT: &str = "2026-11-24T00:00:00Z";

/// An object as etcd has it, and its version there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stored {
    pub(crate) value: Value,
    pub(crate) version: String,
}

/// The code and the text of a refusal.
type Refusal = (u16, String);

/// The stored objects, by `PLURAL.GROUP` and then by `NAMESPACE/NAME`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Store {
    pub(crate) revision: u64,
    pub(crate) objects: BTreeMap<String, BTreeMap<String, Stored>>,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) resource: String,
    /// `NAMESPACE/NAME`; empty for all objects.
    pub(crate) key: String,
    version: String,
    is_status: bool,
    query: BTreeMap<String, String>,
    body: Vec<u8>,
    header: String,
    pub(crate) at: Instant,
    /// The status of the answer.
    pub(crate) code: u16,
}

/// What happens to a request and those after it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum End {
    #[default]
    Never,
    /// The client ends before this request reaches the server.
    Before(usize),
    /// The client ends before the answer to this request.
    After(usize),
    /// The connection breaks before the answer to this request, and the client goes on.
    Lost(usize),
}

type Hook = Box<dyn FnMut(usize, &Asked, &mut Store) + Send>;

#[derive(Default)]
pub(crate) struct State {
    pub(crate) store: Store,
    pub(crate) log: Vec<Asked>,
    snapshots: BTreeMap<u64, Vec<Value>>,
    hook: Option<Hook>,
    end: End,
    is_ended: bool,
}

#[derive(Clone, Default)]
pub(crate) struct Model(Arc<Mutex<State>>);

impl Model {
    pub(crate) fn new(store: Store) -> Self {
        Self(Arc::new(Mutex::new(State { store, ..State::default() })))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub(crate) fn store(&self) -> Store {
        self.state().store.clone()
    }

    /// How many requests there were.
    pub(crate) fn requests(&self) -> usize {
        self.state().log.len()
    }

    /// Calls `hook` before each request, with its number from 1.
    pub(crate) fn hook(&self, hook: impl FnMut(usize, &Asked, &mut Store) + Send + 'static) {
        self.state().hook = Some(Box::new(hook));
    }

    pub(crate) fn end(&self, end: End) {
        self.state().end = end;
    }

    /// The requests with this method that succeeded, by the key of their object.
    pub(crate) fn done(&self, method: &str, resource: &str) -> Vec<String> {
        let state = self.state();
        let done = state.log.iter().filter(|asked| (&*asked.method, &*asked.resource) == (method, resource));
        done.filter(|asked| asked.code < 300).map(|asked| asked.key.clone()).collect()
    }

    /// Runs a client to its end, or until it is killed.
    pub(crate) async fn until_killed<T>(&self, client: impl Future<Output = T>) -> Option<T> {
        let killed = async {
            while !self.state().is_ended {
                sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            result = client => Some(result),
            () = killed => None,
        }
    }

    /// A connection, whose pages have this many objects.
    pub(crate) async fn cluster(&self, page_objects: usize) -> Cluster {
        let model = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let model = model.clone();
            async move { model.answer(request).await }
        });
        let limits = Limits { page_objects, ..Limits::default() };
        Cluster::of_client(Client::new(service, "default"), "https://model.example.com", limits).await.unwrap()
    }

    pub(crate) async fn answer(&self, request: Request<Body>) -> io::Result<Response<Body>> {
        let (parts, body) = request.into_parts();
        let body = body.collect_bytes().await.unwrap().to_vec();
        // The way to the server takes some time, so that requests overlap.
        sleep(Duration::from_millis(2)).await;
        let (code, answer) = match parts.uri.path() {
            "/version" => (200, json!({"minor": "37", "gitVersion": "v1.37.1"})),
            "/apis/storagemigration.k8s.io/v1" => (200, json!({"resources": []})),
            _ => {
                let answer = self.state().answer(Asked::new(&parts, body));
                match answer {
                    Some(answer) => answer?,
                    None => pending().await,
                }
            }
        };
        Ok(Response::builder().status(code).body(Body::from(answer.to_string().into_bytes())).unwrap())
    }
}

impl State {
    /// The answer; nothing if the client has ended.
    fn answer(&mut self, mut asked: Asked) -> Option<io::Result<(u16, Value)>> {
        let number = self.log.len() + 1;
        self.is_ended |= matches!(self.end, End::Before(end) if end == number);
        if self.is_ended {
            return None;
        }
        if let Some(hook) = &mut self.hook {
            hook(number, &asked, &mut self.store);
            self.store.check();
        }
        let (code, answer) = match self.serve(&asked) {
            Ok(answer) => (200, answer),
            Err((code, message)) => {
                let continued = if code == 410 { asked.query["continue"].split_once('|').unwrap().1 } else { "" };
                let metadata =
                    json!({"continue": if continued.is_empty() { String::new() } else { format!("0|{continued}") }});
                (code, json!({"kind": "Status", "message": message, "code": code, "metadata": metadata}))
            }
        };
        self.store.check();
        asked.code = code;
        self.log.push(asked);
        match self.end {
            End::After(end) if end == number => {
                self.is_ended = true;
                None
            }
            End::Lost(end) if end == number => Some(Err(io::ErrorKind::ConnectionReset.into())),
            _ => Some(Ok((code, answer))),
        }
    }

    fn serve(&mut self, asked: &Asked) -> Result<Value, Refusal> {
        let Asked { resource, key, version, .. } = asked;
        if !self.store.versions(resource).iter().any(|known| known["name"] == **version && known["served"] == true) {
            return Err((404, "404 page not found".to_owned()));
        }
        if asked.method == "GET" && key.is_empty() {
            return self.list(asked);
        }
        let is_dry_run = asked.query.contains_key("dryRun");
        let before = is_dry_run.then(|| self.store.clone());
        let mut answer = self.store.serve(asked);
        if let Some(before) = before {
            self.store = before;
            // No write, no new revision.
            if let (Ok(answer), Some(now)) = (&mut answer, self.store.read(resource, key, version)) {
                answer["metadata"]["resourceVersion"] = now["metadata"]["resourceVersion"].clone();
            }
        }
        answer
    }

    /// A page. Its token has the revision and the last key.
    fn list(&mut self, asked: &Asked) -> Result<Value, Refusal> {
        let keys = self.store.objects.get(&asked.resource).into_iter().flat_map(BTreeMap::keys);
        let now = || keys.filter_map(|key| self.store.read(&asked.resource, key, &asked.version)).collect::<Vec<_>>();
        let (revision, last) = match asked.query.get("continue").and_then(|token| token.split_once('|')) {
            Some((revision, last)) => (revision.parse().unwrap(), last.to_owned()),
            None => (0, String::new()),
        };
        let items = match self.snapshots.get(&revision) {
            _ if revision == 0 => now(),
            Some(items) => items.clone(),
            None => return Err((410, "the provided continue parameter is too old".to_owned())),
        };
        let revision = if revision == 0 { self.store.revision } else { revision };
        self.snapshots.insert(revision, items.clone());
        let limit = asked.query["limit"].parse().unwrap();
        let mut rest = items.iter().filter(|item| key_of(item) > last).cloned().collect::<Vec<_>>();
        let after = rest.split_off(rest.len().min(limit));
        let mut metadata = json!({"resourceVersion": revision.to_string()});
        if let Some(last) = rest.last().filter(|_| !after.is_empty()) {
            metadata["continue"] = json!(format!("{revision}|{}", key_of(last)));
            metadata["remainingItemCount"] = json!(after.len());
        }
        if asked.header.contains("as=PartialObjectMetadataList") {
            rest.iter_mut().for_each(|item| *item = json!({"metadata": item["metadata"]}));
        }
        Ok(json!({"items": rest, "metadata": metadata}))
    }

    /// Listings that go on are of several times from now on.
    pub(crate) fn compact(&mut self) {
        self.snapshots.clear();
    }
}

impl Store {
    /// Another client changes an object, if it exists.
    pub(crate) fn change(&mut self, resource: &str, key: &str, change: impl FnOnce(&mut Value)) {
        if let Some(Stored { mut value, .. }) = self.objects.get(resource).and_then(|objects| objects.get(key)).cloned()
        {
            change(&mut value);
            self.write(resource, key, value, None).unwrap();
        }
    }

    /// Another client creates an object.
    pub(crate) fn create(&mut self, resource: &str, object: Value) {
        let key = key_of(&object);
        self.write(resource, &key, object, None).unwrap();
    }

    /// Another client deletes an object; a CRD with its objects.
    pub(crate) fn delete(&mut self, resource: &str, key: &str) {
        let Some(object) = self.objects.get_mut(resource).and_then(|objects| objects.get_mut(key)) else { return };
        if has_finalizer(&object.value) {
            return self.change(resource, key, |object| object["metadata"]["deletionTimestamp"] = json!(DELETED_AT));
        }
        self.revision += 1;
        self.objects.entry(resource.to_owned()).or_default().remove(key);
        if resource == CRDS {
            self.objects.remove(key);
        }
    }

    pub(crate) fn of(&self, resource: &str) -> BTreeMap<String, Stored> {
        self.objects.get(resource).cloned().unwrap_or_default()
    }

    pub(crate) fn crd(&self, name: &str) -> Value {
        self.of(CRDS).get(name).map(|stored| stored.value.clone()).unwrap_or_default()
    }

    fn check(&self) {
        for (resource, objects) in self.objects.iter().filter(|(resource, _)| ![CRDS, LEASES].contains(&&***resource)) {
            let stored_versions = self.crd(resource)["status"]["storedVersions"].clone();
            for (key, Stored { version, .. }) in objects {
                let is_listed = stored_versions.as_array().unwrap().iter().any(|listed| listed == version);
                assert!(is_listed, "{key} is stored in {version}, and `storedVersions` is {stored_versions}");
            }
        }
    }

    fn versions(&self, resource: &str) -> Vec<Value> {
        match resource {
            CRDS | LEASES => vec![json!({"name": "v1", "served": true, "storage": true})],
            _ => self.crd(resource)["spec"]["versions"].as_array().cloned().unwrap_or_default(),
        }
    }

    fn storage(&self, resource: &str) -> String {
        let versions = self.versions(resource);
        versions.iter().find(|version| version["storage"] == true).unwrap()["name"].as_str().unwrap().to_owned()
    }

    /// Refuses a value outside of the `enum` of a root field.
    fn check_values(&self, resource: &str, version: &str, object: &Value) -> Result<(), Refusal> {
        let known = self.versions(resource).into_iter().find(|known| known["name"] == version).unwrap();
        let fields = &known["schema"]["openAPIV3Schema"]["properties"];
        for (name, field) in fields.as_object().into_iter().flatten() {
            let is_permitted = |values: &Vec<Value>| object[name].is_null() || values.contains(&object[name]);
            if !field["enum"].as_array().is_none_or(is_permitted) {
                return Err((422, format!("{resource} is invalid: {name}: Unsupported value: {}", object[name])));
            }
        }
        Ok(())
    }

    /// Drops the fields of `spec` that a version lacks.
    fn prune(&self, resource: &str, version: &str, object: &mut Value) {
        let known = self.versions(resource).into_iter().find(|known| known["name"] == version).unwrap();
        let fields = &known["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
        if let (Some(fields), Some(spec)) = (fields.as_object(), object["spec"].as_object_mut()) {
            spec.retain(|name, _| fields.contains_key(name));
        }
    }

    /// An object as an answer has it.
    fn read(&self, resource: &str, key: &str, version: &str) -> Option<Value> {
        let Stored { mut value, version: stored } = self.objects.get(resource)?.get(key)?.clone();
        if ![CRDS, LEASES].contains(&resource) {
            self.prune(resource, &stored, &mut value);
            self.prune(resource, version, &mut value);
        }
        value["apiVersion"] = json!(format!("{}/{version}", resource.split_once('.').unwrap().1));
        Some(value)
    }

    /// A request about one object.
    fn serve(&mut self, asked: &Asked) -> Result<Value, Refusal> {
        let Asked { method, resource, key, version, .. } = asked;
        let name = |key: &str| key.rsplit('/').next().unwrap_or_default().to_owned();
        let conflict =
            |why: &str| (409, format!("Operation cannot be fulfilled on {resource} \"{}\": {why}", name(key)));
        let body = serde_json::from_slice::<Value>(&asked.body).unwrap_or_default();
        if method == "POST" {
            let key = key_of(&body);
            self.check_values(resource, version, &body)?;
            return match self.read(resource, &key, version) {
                Some(_) => Err((409, format!("{resource} \"{}\" already exists", name(&key)))),
                None => self.write(resource, &key, body, Some(version)),
            };
        }
        let Some(now) = self.read(resource, key, version) else {
            return Err((404, format!("{resource} \"{}\" not found", name(key))));
        };
        let is_as = |expected: &Value, part: &str| expected[part].is_null() || expected[part] == now["metadata"][part];
        let new = match &**method {
            "GET" => return Ok(now),
            "DELETE" => {
                if ["uid", "resourceVersion"].iter().any(|part| !is_as(&body["preconditions"], part)) {
                    return Err(conflict("Precondition failed"));
                }
                self.delete(resource, key);
                return Ok(json!({"kind": "Status", "status": "Success"}));
            }
            "PUT" if body["metadata"]["resourceVersion"].is_null() => {
                return Err((
                    422,
                    format!("{resource} is invalid: metadata.resourceVersion: must be specified for an update"),
                ));
            }
            "PUT" => body,
            "PATCH" if asked.header.contains("merge-patch") => merged(now.clone(), &body),
            _ => match body.as_array().unwrap().iter().try_fold(now.clone(), patched) {
                Some(new) => new,
                None => return Err((422, "the server rejected our request due to an error in our request".to_owned())),
            },
        };
        if !is_as(&new["metadata"], "resourceVersion") || !is_as(&new["metadata"], "uid") {
            return Err(conflict(
                "the object has been modified; please apply your changes to the latest version and try again",
            ));
        }
        let (taken, rest) = if asked.is_status { (&new, &now) } else { (&now, &new) };
        let mut new = rest.clone();
        match taken.get("status") {
            Some(status) => new["status"] = status.clone(),
            None => drop(new.as_object_mut().unwrap().remove("status")),
        }
        if new["spec"]["invalid"] == true && !asked.is_status {
            let message = "spec.invalid: Invalid value: true: must be false";
            return Err((422, format!("Thing.example.com \"{}\" is invalid: {message}", name(key))));
        }
        self.write(resource, key, new, Some(version))
    }

    /// Stores an object, through a version or without one, and returns it.
    fn write(&mut self, resource: &str, key: &str, mut new: Value, through: Option<&str>) -> Result<Value, Refusal> {
        let storage = self.storage(resource);
        if ![CRDS, LEASES].contains(&resource) {
            self.prune(resource, &storage, &mut new);
        }
        new.as_object_mut().unwrap().remove("apiVersion");
        let old = self.objects.get(resource).and_then(|objects| objects.get(key)).cloned();
        let old_value = old.as_ref().map(|old| old.value.clone()).unwrap_or_default();
        for part in ["uid", "resourceVersion", "generation", "deletionTimestamp"] {
            if let Some(value) = old_value["metadata"].get(part).filter(|_| through.is_some()) {
                new["metadata"][part] = value.clone();
            }
        }
        if resource == CRDS {
            let storage = new["spec"]["versions"].as_array().unwrap().iter().find(|version| version["storage"] == true);
            let (storage, stored) = (storage.unwrap()["name"].clone(), new["status"]["storedVersions"].as_array());
            let mut stored = stored.cloned().unwrap_or_default();
            if !stored.contains(&storage) {
                stored.push(storage);
            }
            new["status"]["storedVersions"] = json!(stored);
        }
        if old.as_ref().is_some_and(|old| old.value == new && old.version == storage) {
            return Ok(self.read(resource, key, through.unwrap_or(&storage)).unwrap());
        }
        self.revision += 1;
        let metadata = &mut new["metadata"];
        if old.is_none() {
            metadata["uid"] = json!(format!("uid-{}", self.revision));
        }
        metadata["resourceVersion"] = json!(self.revision.to_string());
        if old_value["spec"] != new["spec"] {
            let generation = old_value["metadata"]["generation"].as_u64().unwrap_or_default();
            new["metadata"]["generation"] = json!(generation + 1);
        }
        let is_deleted = !new["metadata"]["deletionTimestamp"].is_null() && !has_finalizer(&new);
        let stored = Stored { value: new.clone(), version: storage.clone() };
        let objects = self.objects.entry(resource.to_owned()).or_default();
        objects.insert(key.to_owned(), stored);
        if is_deleted {
            objects.remove(key);
            return Ok(new);
        }
        Ok(self.read(resource, key, through.unwrap_or(&storage)).unwrap())
    }
}

impl Asked {
    fn new(parts: &http::request::Parts, body: Vec<u8>) -> Self {
        let path = parts.uri.path().trim_start_matches("/apis/").split('/').collect::<Vec<_>>();
        let (namespace, rest) = match &path[2..] {
            ["namespaces", namespace, rest @ ..] => (format!("{namespace}/"), rest),
            rest => (String::new(), rest),
        };
        let query = parts.uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
        let header = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default();
        Self {
            method: parts.method.to_string(),
            resource: format!("{}.{}", rest[0], path[0]),
            key: rest.get(1).map(|name| format!("{namespace}{name}")).unwrap_or_default(),
            version: path[1].to_owned(),
            is_status: rest.get(2) == Some(&"status"),
            query: query.map(|(key, value)| (key.to_owned(), value.replace("%7C", "|").replace("%2F", "/"))).collect(),
            body,
            header: format!("{} {}", header("Accept"), header("Content-Type")),
            at: Instant::now(),
            code: 0,
        }
    }
}

/// `NAMESPACE/NAME` of an object, or `NAME`.
pub(crate) fn key_of(object: &Value) -> String {
    let text = |part: &str| object["metadata"][part].as_str().map(str::to_owned);
    [text("namespace"), text("name")].into_iter().flatten().collect::<Vec<_>>().join("/")
}

fn has_finalizer(object: &Value) -> bool {
    object["metadata"]["finalizers"].as_array().is_some_and(|finalizers| !finalizers.is_empty())
}

/// RFC 7396.
fn merged(mut target: Value, patch: &Value) -> Value {
    let Some(patch) = patch.as_object() else { return patch.clone() };
    if !target.is_object() {
        target = Value::Object(Map::new());
    }
    for (key, value) in patch {
        match value {
            Value::Null => drop(target.as_object_mut().unwrap().remove(key)),
            value => target[key] = merged(target[key].take(), value),
        }
    }
    target
}

/// One operation of RFC 6902; nothing if it fails.
fn patched(mut target: Value, operation: &Value) -> Option<Value> {
    let (path, value) = (operation["path"].as_str()?, &operation["value"]);
    let (parent, last) = path.rsplit_once('/')?;
    let last = last.replace("~1", "/");
    match operation["op"].as_str()? {
        "test" => return (target.pointer(path)? == value).then_some(target),
        "remove" => drop(target.pointer_mut(parent)?.as_object_mut()?.remove(&last)?),
        "replace" => *target.pointer_mut(path)? = value.clone(),
        _ => drop(target.pointer_mut(parent)?.as_object_mut()?.insert(last, value.clone())),
    }
    Some(target)
}
