//! The API group of one fact: a CRD `things` with the versions and schemas that the fact chooses, and its objects.
//!
//! Invariants: a test gets the server's complete answers, also errors. A change of the CRD has taken effect when [`Group::change`] returns:
//! each schema has a property `epoch` that allows one value only. Dry runs are sent until the error names the value of the latest schema.
//! A request is repeated only after `429 storage is (re)initializing`; [`crate::requests::send_once`] never repeats it.

use std::cell::Cell;

use serde_json::{Value, json};

use crate::requests::{APPLY, Answer, CRDS, wait};
use crate::server::{self, Crds, Server};

/// A schema: a string.
pub(crate) fn text() -> Value {
    json!({ "type": "string" })
}

/// A schema: a string, one of these.
pub(crate) fn one_of(values: &[&str]) -> Value {
    json!({ "type": "string", "enum": values })
}

/// A schema: an integer.
pub(crate) fn integer() -> Value {
    json!({ "type": "integer" })
}

/// A schema: an object with these properties.
pub(crate) fn object(properties: Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

/// A schema: an object with a `spec` that has these properties.
pub(crate) fn with_spec(properties: Value) -> Value {
    object(json!({ "spec": object(properties) }))
}

/// The schema with more keywords.
pub(crate) fn and(mut schema: Value, keywords: Value) -> Value {
    let keywords = keywords.as_object().expect("keywords").clone();
    schema.as_object_mut().expect("a schema").extend(keywords);
    schema
}

/// A CRD of this kind, whose plural is regular.
pub(crate) fn crd(group: &str, kind: &str, scope: &str, versions: &[Value]) -> Value {
    let singular = kind.to_lowercase();
    let plural = format!("{singular}s");
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.{group}") },
        "spec": {
            "group": group,
            "names": { "kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": singular },
            "scope": scope,
            "versions": versions,
        },
    })
}

/// A version that is served, and is not the storage version.
pub(crate) fn served(name: &str, schema: Value) -> Value {
    json!({ "name": name, "served": true, "storage": false, "schema": { "openAPIV3Schema": schema } })
}

/// A version that is served, and is the storage version.
pub(crate) fn storage(name: &str, schema: Value) -> Value {
    and(served(name, schema), json!({ "storage": true }))
}

/// A version that is neither served nor the storage version.
pub(crate) fn unserved(name: &str, schema: Value) -> Value {
    and(served(name, schema), json!({ "served": false }))
}

/// The entry of a version in a CRD.
pub(crate) fn version_of<'a>(crd: &'a mut Value, name: &str) -> &'a mut Value {
    let versions = crd["spec"]["versions"].as_array_mut().expect("versions");
    versions.iter_mut().find(|version| version["name"] == name).expect("a version of this name")
}

/// Replaces the schema of a version.
pub(crate) fn set_schema(crd: &mut Value, version: &str, schema: Value) {
    version_of(crd, version)["schema"]["openAPIV3Schema"] = schema;
}

/// Makes this version the storage version.
pub(crate) fn set_storage(crd: &mut Value, name: &str) {
    for version in crd["spec"]["versions"].as_array_mut().expect("versions") {
        version["storage"] = json!(version["name"] == name);
    }
}

/// Removes a version from a CRD.
pub(crate) fn drop_version(crd: &mut Value, name: &str) {
    crd["spec"]["versions"].as_array_mut().expect("versions").retain(|version| version["name"] != name);
}

/// The API group of a fact, and its CRD `things`, cluster-scoped, of kind `Thing`.
pub(crate) struct Group {
    pub(crate) server: &'static Server,
    pub(crate) name: String,
    epoch: Cell<u32>,
}

/// The last part of a function's path, as a DNS label.
fn label<F>(_: F) -> String {
    let path = std::any::type_name::<F>();
    path.rsplit("::").next().unwrap_or(path).replace('_', "-")
}

impl Group {
    /// The group of this test function, without a CRD; `None` if no server can be started.
    pub(crate) fn of<F: Fn()>(fact: F) -> Option<Group> {
        let server = server::server(Crds::Nothing)?;
        Some(Group { server, name: format!("{}.example.com", label(fact)), epoch: Cell::new(0) })
    }

    /// The group of this test function, and its CRD with these versions.
    #[track_caller]
    pub(crate) fn create<F: Fn()>(fact: F, versions: &[Value]) -> Option<Group> {
        let group = Group::of(fact)?;
        group.try_create(&group.crd(versions)).with_code(201);
        Some(group)
    }

    /// A second group of the same fact.
    #[track_caller]
    pub(crate) fn create_second(&self, label: &str, versions: &[Value]) -> Group {
        let group = Group { server: self.server, name: format!("{label}.{}", self.name), epoch: Cell::new(0) };
        group.try_create(&group.crd(versions)).with_code(201);
        group
    }

    /// A CRD with these versions.
    pub(crate) fn crd(&self, versions: &[Value]) -> Value {
        crd(&self.name, "Thing", "Cluster", versions)
    }

    /// Whether the server is of this minor (the number after `1.`) or a newer one.
    pub(crate) fn is_at_least(&self, minor: u32) -> bool {
        self.server.number() >= minor
    }

    pub(crate) fn crd_name(&self) -> String {
        format!("things.{}", self.name)
    }

    fn crd_path(&self) -> String {
        format!("{CRDS}/{}", self.crd_name())
    }

    /// Sends the CRD. If the server accepts it, waits until it is served.
    pub(crate) fn try_create(&self, crd: &Value) -> Answer {
        let mut crd = crd.clone();
        self.stamp(&mut crd);
        let answer = self.send("POST", CRDS, Some(&crd));
        if answer.code == 201 {
            self.set_established("2001-01-01T00:00:00Z");
            // When this later change has taken effect, the status has too.
            self.change(|_| ());
        }
        answer
    }

    /// Waits until the CRD is established, and writes the time at which it was.
    ///
    /// In the first two seconds, a server delays each create by two seconds, so that other servers of the cluster read the CRD. A testbed
    /// has one server, and each fact creates a CRD.
    #[track_caller]
    pub(crate) fn set_established(&self, time: &str) {
        let established = |crd: &Value| {
            let conditions = crd["status"]["conditions"].as_array()?;
            conditions.iter().position(|condition| condition["type"] == "Established" && condition["status"] == "True")
        };
        wait("the CRD is established", || {
            let mut crd = self.read_crd();
            let Some(index) = established(&crd) else { return false };
            crd["status"]["conditions"][index]["lastTransitionTime"] = json!(time);
            self.send("PUT", &format!("{}/status", self.crd_path()), Some(&crd)).code == 200
        });
    }

    /// Writes a new `epoch` into each schema.
    fn stamp(&self, crd: &mut Value) {
        self.epoch.set(self.epoch.get() + 1);
        for version in crd["spec"]["versions"].as_array_mut().expect("versions") {
            if let Some(properties) = version["schema"]["openAPIV3Schema"]["properties"].as_object_mut() {
                properties.insert("epoch".to_owned(), one_of(&[&self.epoch.get().to_string()]));
            }
        }
    }

    /// Waits until the server validates with the latest schemas.
    #[track_caller]
    fn wait_for_epoch(&self, crd: &Value) {
        let versions = crd["spec"]["versions"].as_array().expect("versions");
        // The storage version needs no conversion, which a fact may have broken.
        let is_served = |version: &&Value| version["served"] == true;
        let version = versions.iter().filter(is_served).find(|version| version["storage"] == true);
        let Some(version) = version.or(versions.iter().find(is_served)) else { return };
        let version = version["name"].as_str().expect("a name");
        let probe = and(self.thing(version, "probe"), json!({ "epoch": "none" }));
        let path = format!("{}?dryRun=All&fieldManager=fact", self.path(version, "probe"));
        let words = format!("supported values: \"{}\"", self.epoch.get());
        // An apply, because the server does not delay it.
        wait(&words, || self.server.send_with("PATCH", &path, &[APPLY], Some(&probe)).message().contains(&words));
    }

    /// Reads the CRD.
    #[track_caller]
    pub(crate) fn read_crd(&self) -> Value {
        self.send("GET", &self.crd_path(), None).with_code(200)
    }

    /// Reads the CRD, changes it with `edit`, and sends it. Repeats this after a conflict.
    fn edit(&self, path: &str, edit: impl Fn(&mut Value)) -> (Value, Answer) {
        loop {
            let mut crd = self.read_crd();
            edit(&mut crd);
            self.stamp(&mut crd);
            let answer = self.send("PUT", path, Some(&crd));
            if answer.code != 409 {
                return (crd, answer);
            }
        }
    }

    /// Changes the CRD. If the server accepts the change, waits until it has taken effect.
    pub(crate) fn try_change(&self, edit: impl Fn(&mut Value)) -> Answer {
        let (crd, answer) = self.edit(&self.crd_path(), edit);
        if answer.code == 200 {
            self.wait_for_epoch(&crd);
        }
        answer
    }

    /// Changes the CRD, waits until it has taken effect, and returns it.
    #[track_caller]
    pub(crate) fn change(&self, edit: impl Fn(&mut Value)) -> Value {
        self.try_change(edit).with_code(200)
    }

    /// Writes `status.storedVersions` by a status update, and returns the new list.
    #[track_caller]
    pub(crate) fn set_stored_versions(&self, versions: &[&str]) -> Value {
        let edit = |crd: &mut Value| crd["status"]["storedVersions"] = json!(versions);
        self.edit(&format!("{}/status", self.crd_path()), edit).1.with_code(200)["status"]["storedVersions"].take()
    }

    /// `status.storedVersions`.
    #[track_caller]
    pub(crate) fn stored_versions(&self) -> Value {
        self.read_crd()["status"]["storedVersions"].take()
    }

    /// Deletes the CRD. The server completes this in the background.
    pub(crate) fn delete_crd(&self) -> Answer {
        self.send("DELETE", &self.crd_path(), None)
    }

    /// Whether the CRD does not exist.
    pub(crate) fn crd_is_deleted(&self) -> bool {
        self.send("GET", &self.crd_path(), None).code == 404
    }

    /// The path of an object, or of the collection if the name is empty.
    pub(crate) fn path(&self, version: &str, name: &str) -> String {
        let slash = if name.is_empty() { "" } else { "/" };
        format!("/apis/{}/{version}/things{slash}{name}", self.name)
    }

    /// An object without content.
    pub(crate) fn thing(&self, version: &str, name: &str) -> Value {
        json!({ "apiVersion": format!("{}/{version}", self.name), "kind": "Thing", "metadata": { "name": name } })
    }

    /// Sends any request.
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        self.server.send(method, path, body)
    }

    /// Creates an object through a version.
    pub(crate) fn post(&self, version: &str, name: &str, spec: Value) -> Answer {
        self.post_with("", version, name, spec)
    }

    /// Creates an object, with a query.
    pub(crate) fn post_with(&self, query: &str, version: &str, name: &str, spec: Value) -> Answer {
        let thing = and(self.thing(version, name), json!({ "spec": spec }));
        self.send("POST", &format!("{}{query}", self.path(version, "")), Some(&thing))
    }

    /// Reads an object through a version.
    pub(crate) fn get(&self, version: &str, name: &str) -> Answer {
        self.send("GET", &self.path(version, name), None)
    }

    /// Sends a merge patch through a version.
    pub(crate) fn patch(&self, version: &str, name: &str, patch: Value) -> Answer {
        self.send("PATCH", &self.path(version, name), Some(&patch))
    }

    /// Writes only a label.
    pub(crate) fn label(&self, version: &str, name: &str, label: &str) -> Answer {
        self.patch(version, name, json!({ "metadata": { "labels": { "label": label } } }))
    }

    /// Writes a status, if the version has the subresource.
    pub(crate) fn patch_status(&self, version: &str, name: &str, status: Value) -> Answer {
        self.send("PATCH", &self.path(version, &format!("{name}/status")), Some(&json!({ "status": status })))
    }

    /// Server-side apply through a version.
    pub(crate) fn apply(&self, version: &str, name: &str, spec: Value) -> Answer {
        let thing = and(self.thing(version, name), json!({ "spec": spec }));
        let path = format!("{}?fieldManager=fact&force=true", self.path(version, name));
        self.server.send_with("PATCH", &path, &[APPLY], Some(&thing))
    }

    /// The object as stored in etcd.
    #[track_caller]
    pub(crate) fn stored(&self, name: &str) -> Value {
        let key = format!("/registry/{}/things/{name}", self.name);
        self.server.stored(&key).unwrap_or_else(|| panic!("etcd has no object at {key}"))
    }

    /// The version in the object's `apiVersion` in etcd.
    #[track_caller]
    pub(crate) fn stored_version(&self, name: &str) -> String {
        let stored = self.stored(name);
        let version = stored["apiVersion"].as_str().and_then(|text| text.strip_prefix(&format!("{}/", self.name)));
        version.unwrap_or_else(|| panic!("no apiVersion of this group: {stored:#}")).to_owned()
    }
}
