//! One side of a lens: a version of a CRD in a release, and the objects that it accepts.
//!
//! Invariants: every generated object is accepted, CEL rules and status included. The same CRD, place and count give the same objects.

use crd_apiserver::objects::{Answer, FieldValidation, MINORS, Request, Resource};
use crd_apiserver::prune;
use crd_boundary::Search;
use crd_bundle::Release;
use crd_convert::Path;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::{Scope, Version};
use crd_model::schema::SchemaPath;
use serde_json::{Map, Value, json};

/// The seed of the objects.
pub(super) const SEED: u64 = 922;

/// The versions of a kind in a release, of the channel with the most fields first.
pub(super) fn versions<'r>(
    release: &'r Release,
    (group, kind): (&str, &str),
) -> impl Iterator<Item = (&'r CustomResourceDefinition, &'r Version)> {
    let of_kind = |(_, crd): &(Channel, &CustomResourceDefinition)| (&*crd.group, &*crd.names.kind) == (group, kind);
    let mut crds = release.crds().filter(of_kind).collect::<Vec<_>>();
    crds.sort_by_key(|(channel, _)| *channel != Channel::Experimental);
    crds.into_iter().flat_map(|(_, crd)| crd.versions.iter().map(move |version| (crd, version)))
}

/// A version of a CRD, prepared for many objects.
pub(super) struct Form<'r> {
    crd: &'r CustomResourceDefinition,
    version: &'r Version,
    resource: Resource,
}

impl<'r> Form<'r> {
    /// Nothing if a rule of the version does not compile, which is an error of the CRD.
    pub(super) fn prepare(crd: &'r CustomResourceDefinition, version: &'r Version) -> Option<Self> {
        let resource = Resource::prepare(crd, &version.name, MINORS.1)?.ok()?;
        Some(Self { crd, version, resource })
    }

    /// Whether it is the form of this version, and not of one that is equal.
    pub(super) fn is_version(&self, version: &Version) -> bool {
        std::ptr::eq(self.version, version)
    }

    /// Whether an object has this API version and kind.
    pub(super) fn is_of(&self, object: &Value) -> bool {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        (text("apiVersion"), text("kind")) == (self.resource.api_version(), self.resource.kind())
    }

    /// What a server answers to the creation of an object, and to the update of its status. Unknown fields are dropped.
    pub(super) fn answer(&self, object: Value) -> Answer {
        self.answer_with(object, FieldValidation::Ignore)
    }

    fn answer_with(&self, object: Value, fields: FieldValidation) -> Answer {
        if object.get("status").is_none() {
            return self.resource.answer(Request::create(object).fields(fields));
        }
        let created = self.resource.answer(Request::create(object.clone()).fields(fields));
        match &created.stored {
            Some(stored) if stored.get("status").is_none() && created.is_accepted() => {
                let (stored, object) = (Request::versioned(stored), Request::versioned(&object));
                self.resource.answer(Request::update_status(&stored, object).fields(fields))
            }
            _ => created,
        }
    }

    /// The object without what the schema does not have.
    pub(super) fn pruned(&self, object: &Value) -> Value {
        pruned(self.version, object)
    }

    /// What every object has.
    fn frame(&self) -> Map<String, Value> {
        let metadata = match self.crd.scope {
            Scope::Cluster => json!({ "name": "a" }),
            Scope::Namespaced => json!({ "name": "a", "namespace": "default" }),
        };
        let (api_version, kind) = (json!(self.resource.api_version()), json!(self.resource.kind()));
        let frame = [("apiVersion", api_version), ("kind", kind), ("metadata", metadata)];
        frame.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// A part of an object with what every object has.
    pub(super) fn complete(&self, part: Value) -> Option<Value> {
        match part {
            Value::Object(part) => Some(part.into_iter().chain(self.frame()).collect()),
            _ => None,
        }
    }

    /// Whether values can be at a place.
    pub(super) fn has(version: &Version, place: &Path) -> bool {
        SchemaPath::from(place.segments()).node(&version.schema).is_some()
    }

    /// Different accepted objects, at most `count`, that have a value at one of the places; without places, at any. The search begins with the
    /// samples.
    pub(super) fn objects(
        &self,
        places: &[Path],
        count: usize,
        samples: Vec<Value>,
        is_wanted: &dyn Fn(&Value) -> bool,
    ) -> Vec<Value> {
        let frame = self.frame();
        let accepts = |_: &SchemaPath, object: &Value| {
            is_wanted(object) && self.answer_with(object.clone(), FieldValidation::Strict).is_accepted()
        };
        let mut search = Search::new(&self.version.schema, frame, samples, accepts);
        let roots = [SchemaPath::root()];
        let paths = places.iter().map(|place| SchemaPath::from(place.segments())).collect::<Vec<_>>();
        let paths = if paths.is_empty() { &roots[..] } else { &paths };
        let each = count.div_ceil(paths.len());
        paths.iter().flat_map(|path| search.varied(path, each, SEED)).take(count).collect()
    }
}

/// The object without what the schema of a version does not have.
pub(super) fn pruned(version: &Version, object: &Value) -> Value {
    let mut pruned = object.clone();
    prune(&version.schema, &mut pruned);
    pruned
}
