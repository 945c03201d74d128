//! Objects that use experimental fields, values and resources.
//!
//! Invariants: the list of experimental API comes from the walk of the proof of channels ([`super::only`]), not from the walk that creates the
//! guardrails. Every entry of `spec` has an object; otherwise this panics and names it.

use std::collections::BTreeSet;

use crd_boundary::{SchemaPath, Search, Step as BoundaryStep};
use crd_channels::Channel;
use serde_json::{Value, json};

use crate::documents::{self, crds, our_examples};
use crate::server::Server;

use super::only::{Element, Only, Pair, Step};
use super::policies::OPEN;

/// An object that uses something experimental.
#[derive(Clone)]
pub(super) struct User {
    pub(super) pair: Pair<'static>,
    pub(super) only: Only,
    pub(super) object: Value,
}

impl User {
    pub(super) fn versioned(&self) -> documents::VersionedKind {
        let mut places = documents::VersionedKind::all(Channel::Experimental);
        places.find(|versioned| versioned.name() == self.pair.name()).expect("experimental has it")
    }

    /// The names that the guardrails should report for it.
    pub(super) fn expected(&self) -> Vec<String> {
        expected(&self.pair, &self.object)
    }
}

/// Every version of every resource that experimental serves.
pub(super) fn pairs() -> Vec<Pair<'static>> {
    Pair::all(crds(Channel::Standard), crds(Channel::Experimental))
}

/// Whether the guardrails should report it.
fn counts(only: &Only) -> bool {
    match only.element {
        Element::Resource => true,
        Element::Field | Element::Value(_) => only.path.first() == Some(&Step::Property("spec".to_owned())),
        Element::Version | Element::InnerField | Element::InnerValue(_) => false,
    }
}

/// Its name in the guardrails' messages.
pub(super) fn name(pair: &Pair<'_>, only: &Only) -> String {
    match &only.element {
        Element::Resource => format!("the resource {}", pair.crd.name),
        _ => only.name().replace('"', "").replace("{*}", "[*]"),
    }
}

/// The names that the guardrails should report for an object, sorted.
pub(super) fn expected(pair: &Pair<'_>, object: &Value) -> Vec<String> {
    let used = pair.used_by(object);
    let is_new = used.iter().any(|used| used.only.element == Element::Resource);
    let names = used.iter().filter(|used| counts(&used.only) && (!is_new || used.only.element == Element::Resource));
    names.map(|used| name(pair, &used.only)).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The object with this name, and with this namespace if it is namespaced.
pub(super) fn placed(versioned: &documents::VersionedKind, object: &Value, namespace: &str, name: &str) -> Value {
    let mut object = object.clone();
    object["metadata"] = match versioned.is_cluster_wide() {
        true => json!({"name": name}),
        false => json!({"name": name, "namespace": namespace}),
    };
    object
}

/// The object without other experimental fields, as far as it is valid without them.
fn bare(pair: &Pair<'_>, only: &Only, mut object: Value, mut accepts: impl FnMut(&Value) -> bool) -> Value {
    for used in pair.used_by(&object) {
        let (above, name) = used.pointer.rsplit_once('/').unwrap_or_default();
        let mut without = object.clone();
        let is_another = used.only.element == Element::Field && used.only != *only;
        let Some(Value::Object(entries)) = without.pointer_mut(above).filter(|_| is_another) else { continue };
        entries.remove(name);
        if pair.used_by(&without).iter().any(|used| used.only == *only) && accepts(&without) {
            object = without;
        }
    }
    object
}

/// An object for each experimental entry, in each version.
pub(super) fn users(server: &Server) -> Vec<User> {
    let examples: Vec<Value> = Channel::ALL.into_iter().flat_map(our_examples).map(|example| example.object).collect();
    let (mut users, mut checks) = (Vec::new(), 0);
    for pair in pairs() {
        let wanted: Vec<Only> = pair.everything().into_iter().filter(counts).collect();
        if wanted.is_empty() {
            continue;
        }
        let versioned =
            documents::VersionedKind::all(Channel::Experimental).find(|versioned| versioned.name() == pair.name());
        let versioned = versioned.expect("experimental has it");
        let path = format!("{}?dryRun=All", versioned.collection(OPEN));
        let bases = examples.iter().filter(|example| example["kind"] == versioned.kind()).map(|example| {
            let mut example = placed(&versioned, example, OPEN, "subject");
            example["apiVersion"] = json!(versioned.api_version());
            example
        });
        let bases: Vec<Value> = bases.collect();
        let frame = placed(
            &versioned,
            &json!({"apiVersion": versioned.api_version(), "kind": versioned.kind()}),
            OPEN,
            "subject",
        );
        let frame = frame.as_object().expect("it is one").clone();
        let mut search = Search::new(&pair.version.schema, frame, bases, |_, object| {
            server.send("POST", &path, Some(object)).is_success()
        });
        let mut objects: Vec<Value> = Vec::new();
        for only in &wanted {
            let place = only.path.iter().fold(SchemaPath::root(), |place, step| {
                place.with(match step {
                    Step::Property(name) => BoundaryStep::Field(name.clone()),
                    Step::Item => BoundaryStep::Item,
                    Step::Entry => BoundaryStep::Value,
                })
            });
            objects.extend(search.accepted(&place).into_iter().map(|accepted| accepted.object));
        }
        checks += search.checks();
        for only in wanted {
            let uses = |object: &&Value| pair.used_by(object).iter().any(|used| used.only == only);
            // With as few other fields as possible.
            let object = objects
                .iter()
                .filter(uses)
                .min_by_key(|object| (expected(&pair, object).len(), object.to_string().len(), object.to_string()));
            let object = object.unwrap_or_else(|| panic!("no object uses {} of {}", only.name(), pair.name())).clone();
            let object = bare(&pair, &only, object, |object| {
                checks += 1;
                server.send("POST", &path, Some(object)).is_success()
            });
            users.push(User { pair, only, object });
        }
    }
    println!("{} objects, after {checks} requests", users.len());
    users
}
