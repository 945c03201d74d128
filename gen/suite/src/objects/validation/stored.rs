//! Stored objects (`--old`), and what an update takes over from them.
//!
//! Invariants: each stored object has its own identity. Everything that only a server sets comes from the stored object; a resource version is
//! made up if it has none, and never part of a result.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use serde_json::{Map, Value};

use super::kinds::Kinds;
use super::{Settings, Texts};
use crate::codes;
use crate::objects::document::{self, WrittenObject, no_objects};
use crate::objects::identity::{Identity, group_of, named, type_of};

/// Any resource version that a server could have given.
const RESOURCE_VERSION: &str = "1";

/// A stored object.
pub(super) struct StoredObject {
    pub(super) value: Value,
    pub(super) has_resource_version: bool,
    /// Its position in the order of `--old`.
    pub(super) index: usize,
    /// The warning if no object of the inputs updates it.
    unmatched: Diagnostic,
}

/// The stored objects, by identity.
#[derive(Default)]
pub(super) struct Stored {
    /// Whether a part of `--old` cannot be used: an object that is not found may be there.
    pub(super) is_incomplete: bool,
    objects: BTreeMap<Identity, StoredObject>,
}

impl Stored {
    /// Reads the files. `errors` has the errors of `--old` before.
    pub(super) fn read(
        files: impl ExactSizeIterator<Item = Texts>,
        kinds: &Kinds,
        settings: &Settings,
        errors: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut stored = Self::default();
        let mut is_empty = files.len() > 0;
        for (sources, unreadable) in files {
            errors.extend(unreadable);
            for source in &sources {
                let is_kind = |api_version: &str, kind: &str| kinds.crd(group_of(api_version), kind).is_some();
                for document in document::read(source, &is_kind) {
                    is_empty = false;
                    match document {
                        Ok(document) => {
                            for object in document.objects {
                                errors.extend(stored.add(object, &source.name, kinds, settings).err());
                            }
                        }
                        Err(unreadable) => errors.extend(unreadable),
                    }
                }
            }
        }
        // A cluster without objects is an empty list.
        if is_empty && errors.is_empty() {
            errors.push(no_objects("`--old` contains no objects"));
        }
        // Those of files that cannot be read are among the errors.
        stored.is_incomplete = !errors.is_empty();
        stored
    }

    fn add(&mut self, object: WrittenObject, file: &str, kinds: &Kinds, settings: &Settings) -> Result<(), Diagnostic> {
        let WrittenObject { mut value, position, .. } = object;
        let at = |diagnostic: Diagnostic| diagnostic.at_position(file, position.line, position.column);
        let (group, kind) = match type_of(&value) {
            Ok((api_version, kind)) => (group_of(api_version).to_owned(), kind.to_owned()),
            Err(message) => return Err(at(Diagnostic::error(codes::NOT_AN_OBJECT, message))),
        };
        // What no CRD has is skipped among the inputs too.
        let Some(crd) = kinds.crd(&group, &kind) else { return Ok(()) };
        let name = named(&mut value, &kind, crd.scope, &settings.namespace);
        let Some(identity) = Identity::of(&group, &name) else {
            let message = format!("this stored {kind} has no name");
            return Err(at(Diagnostic::error(codes::NOT_AN_OBJECT, message).help("add `metadata.name`")));
        };
        let has_resource_version = value.pointer("/metadata/resourceVersion").is_some_and(|version| version != "");
        let metadata = value.get_mut("metadata").and_then(Value::as_object_mut);
        if let Some(metadata) = metadata.filter(|_| !has_resource_version) {
            metadata.insert("resourceVersion".to_owned(), Value::from(RESOURCE_VERSION));
        }
        let index = self.objects.len();
        match self.objects.entry(identity) {
            Entry::Vacant(vacant) => {
                let message = format!("no input updates the stored {name}");
                let unmatched = Diagnostic::warning("object::unmatched", message)
                    .help("check its namespace and name; `--namespace` sets the namespace of objects without one");
                vacant.insert(StoredObject { value, has_resource_version, index, unmatched: at(unmatched) });
                Ok(())
            }
            Entry::Occupied(occupied) => {
                let first = &occupied.get().unmatched.location;
                let message = format!("`--old` contains {name} twice; the first one is at {first}");
                Err(at(Diagnostic::error("object::twice", message).help("keep the object that is stored")))
            }
        }
    }

    pub(super) fn get(&self, identity: &Identity) -> Option<&StoredObject> {
        self.objects.get(identity)
    }

    /// A warning for each object that no input updates.
    pub(super) fn unmatched(&self, updated: BTreeSet<usize>) -> Vec<Diagnostic> {
        let mut unmatched: Vec<_> = self.objects.values().filter(|object| !updated.contains(&object.index)).collect();
        unmatched.sort_unstable_by_key(|object| object.index);
        unmatched.into_iter().map(|object| object.unmatched.clone()).collect()
    }
}

impl StoredObject {
    /// The stored object as a server reads it in an API version, if no webhook is needed for that.
    pub(super) fn in_version(&self, crd: &CustomResourceDefinition, api_version: &str) -> Option<Value> {
        let mut value = self.value.clone();
        let strategy = crd.conversion.as_ref().and_then(|conversion| conversion.get("strategy"));
        let is_same = value.get("apiVersion").is_some_and(|own| own == api_version);
        if !is_same && strategy.is_some_and(|strategy| strategy != "None") {
            return None;
        }
        value.as_object_mut()?.insert("apiVersion".to_owned(), Value::from(api_version));
        Some(value)
    }

    /// Adds what only a server sets to an update.
    pub(super) fn complete(&self, object: &mut Value) {
        let Some(old) = self.value.get("metadata").and_then(Value::as_object) else { return };
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
        for key in ["resourceVersion", "uid", "creationTimestamp", "generation", "managedFields"] {
            if let Some(value) = old.get(key)
                && metadata.get(key).is_none_or(Value::is_null)
            {
                metadata.insert(key.to_owned(), value.clone());
            }
        }
    }

    /// Removes a resource version that was made up.
    pub(super) fn without_made_up(&self, object: &mut Value) {
        let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
        if let Some(metadata) = metadata.filter(|_| !self.has_resource_version) {
            Map::remove(metadata, "resourceVersion");
        }
    }
}
