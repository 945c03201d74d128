//! One served version of one resource in one channel, with its server.
//!
//! Invariants: objects are tried with dry runs. One object for each version is stored, because the status subresource needs it. Everything below
//! `status` is written through that subresource, because the server drops it elsewhere. Cluster-scoped objects, which other proofs would
//! list, are deleted after the work on a version.

use std::sync::{Mutex, OnceLock};

use crd_boundary::Search;
use crd_channels::Channel;
use crd_model::schema::Schema;
use crd_model::schema::{SchemaPath, Step};
use kube::Client;
use serde_json::{Map, Value, json};

use crate::documents::{self, VersionedKind};
use crate::requests::{self, Answer};
use crate::server::{self, Server};

/// A served version of a resource in a channel.
pub(crate) struct Subject {
    pub(crate) channel: Channel,
    pub(crate) versioned: VersionedKind,
    server: &'static Server,
    client: Client,
    namespace: &'static str,
    /// The metadata of the object whose status is written, after its creation.
    holder: OnceLock<Value>,
    /// The names of the stored objects.
    kept: Mutex<Vec<String>>,
}

/// Every served version of both channels, in namespaces of this name, the largest schemas first; `None` if no server can be started.
pub(crate) fn all(namespace: &'static str) -> Option<Vec<Subject>> {
    let mut subjects = Vec::new();
    for channel in Channel::ALL {
        let server = server::server(documents::crds_of(channel))?;
        let client = server.client();
        server.block_on(async {
            requests::create_namespace(&client, namespace).await;
            requests::wait_for(&client, &documents::collections(channel)).await;
        });
        for versioned in VersionedKind::all(channel).filter(|versioned| versioned.version.served) {
            let (client, holder, kept) = (client.clone(), OnceLock::new(), Mutex::default());
            subjects.push(Subject { channel, versioned, server, client, namespace, holder, kept });
        }
    }
    subjects.sort_by_key(|subject| std::cmp::Reverse(crd_boundary::constraints(subject.schema()).len()));
    Some(subjects)
}

/// Runs the work for every subject concurrently, and returns the results in the order of the subjects.
pub(crate) fn for_each<T: Send>(subjects: &[Subject], work: impl Fn(&Subject) -> T + Sync) -> Vec<T> {
    const CONCURRENT_SUBJECTS: usize = 6;
    let next = Mutex::new(0..subjects.len());
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..CONCURRENT_SUBJECTS {
            scope.spawn(|| {
                loop {
                    let Some(index) = next.lock().expect("no panic while it is held").next() else { return };
                    let result = work(&subjects[index]);
                    subjects[index].clear();
                    done.lock().expect("no panic while it is held").push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no panic while it is held");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

impl Subject {
    pub(crate) fn schema(&self) -> &'static Schema {
        &self.versioned.version.schema
    }

    /// For messages: `standard Gateway v1`.
    pub(crate) fn name(&self) -> String {
        format!("{} {} {}", self.channel.name(), self.versioned.kind(), self.versioned.version.name)
    }

    /// The minor of its server: 36 for 1.36.
    pub(crate) fn minor(&self) -> u32 {
        self.server.number()
    }

    /// The fields that every object of the version has.
    fn frame(&self) -> Map<String, Value> {
        let mut metadata = json!({"name": "subject"});
        if !self.versioned.is_cluster_wide() {
            metadata["namespace"] = self.namespace.into();
        }
        let frame =
            json!({"apiVersion": self.versioned.api_version(), "kind": self.versioned.kind(), "metadata": metadata});
        frame.as_object().expect("an object").clone()
    }

    /// The repository's examples of the kind, from all versions and channels, as objects of this version.
    fn bases(&self) -> Vec<Value> {
        let ours = Channel::ALL.into_iter().flat_map(documents::our_examples);
        let mut bases: Vec<Value> = Vec::new();
        for example in ours {
            if example.object["kind"] == self.versioned.kind() {
                let mut object = example.object.as_object().expect("a manifest is an object").clone();
                object.extend(self.frame());
                bases.push(Value::Object(object));
            }
        }
        bases
    }

    /// A search that sends its objects to the server.
    pub(crate) fn search(&self) -> Search<'_> {
        Search::new(self.schema(), self.frame(), self.bases(), |path, object| {
            self.try_out(self.is_in_status(path), object).is_success()
        })
    }

    /// Whether this path is written through the status subresource.
    pub(crate) fn is_in_status(&self, path: &SchemaPath) -> bool {
        self.versioned.has_status() && path.steps().first() == Some(&Step::Field("status".to_owned()))
    }

    /// The answer of the server for the object, which is not stored.
    pub(crate) fn try_out(&self, is_status: bool, object: &Value) -> Answer {
        let collection = self.versioned.collection(self.namespace);
        if !is_status {
            return self.send("POST", &format!("{collection}?dryRun=All"), Some(object));
        }
        let holder = self.holder.get_or_init(|| self.keep(false, object).0["metadata"].clone());
        let mut object = object.clone();
        object["metadata"] = holder.clone();
        let name = holder["name"].as_str().expect("a name");
        self.send("PUT", &format!("{collection}/{name}/status?dryRun=All"), Some(&object))
    }

    /// The answer of the server to an update of a stored object, which is not stored.
    pub(crate) fn try_update(&self, old: &Value, object: &Value) -> Answer {
        let metadata = self.keep(false, old).1["metadata"].clone();
        let name = metadata["name"].as_str().expect("a name").to_owned();
        let mut object = object.clone();
        object["metadata"] = metadata;
        let collection = self.versioned.collection(self.namespace);
        self.send("PUT", &format!("{collection}/{name}?dryRun=All"), Some(&object))
    }

    /// Stores the object with a unique name and, on request, its status. Returns the last answer, and the stored object.
    pub(crate) fn keep(&self, is_status: bool, object: &Value) -> (Value, Value) {
        let name = {
            let mut kept = self.kept.lock().expect("no panic while it is held");
            let (channel, version) = (self.channel.name(), &self.versioned.version.name);
            let name = format!("{}-{channel}-{version}-{}", self.namespace, kept.len());
            kept.push(name.clone());
            name
        };
        let collection = self.versioned.collection(self.namespace);
        let mut object = object.clone();
        object["metadata"]["name"] = name.as_str().into();
        let mut answer = self.send("POST", &collection, Some(&object)).expect("a good object is kept");
        let path = format!("{collection}/{name}");
        if is_status {
            object["metadata"] = answer["metadata"].clone();
            answer = self.send("PUT", &format!("{path}/status"), Some(&object)).expect("a good status is kept");
        }
        let read = self.send("GET", &path, None).expect("it exists");
        (answer, read)
    }

    /// Deletes stored cluster-scoped objects, which other tests would list.
    fn clear(&self) {
        let kept = self.kept.lock().expect("no panic while it is held");
        for name in kept.iter().filter(|_| self.versioned.is_cluster_wide()) {
            let path = format!("{}/{name}", self.versioned.collection(self.namespace));
            self.send("DELETE", &path, None).expect("it can be deleted");
        }
    }

    fn send(&self, method: &str, path: &str, object: Option<&Value>) -> Answer {
        self.server.block_on(requests::send(&self.client, method, path, object))
    }
}
