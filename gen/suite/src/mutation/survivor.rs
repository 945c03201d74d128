//! What became of a mutant that no case notices: it is proven to be equal, or an object shows the difference.
//!
//! Invariants: an object is shown only if a server answers it differently with the mutant. Equal is proven for each place. Work is counted, not timed.

use std::cell::Cell;
use std::sync::Arc;

use crd_apiserver::objects::{Request, Resource};
use crd_boundary::{Search, constraints};
use crd_compat::witness::Witnesses;
use crd_compat::{LocatedChange, Renames, Witness, changes};
use crd_model::channel::Channel;
use crd_model::schema::SchemaPath;
use serde_json::{Map, Value, json};

use super::{Run, Subjects, Verdict};
use crate::kinds::placed;
use crate::mutant::{Mutant, exchanged};

/// A request to which the mutant gives another answer than the original.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// The stored object, for an update.
    pub old: Option<Value>,
    /// The object of the request.
    pub object: Value,
    /// Whether the request goes to the status.
    pub is_status: bool,
    /// Whether the original accepts it.
    pub is_accepted: bool,
}

/// The reason if neither was found.
const NOT_FOUND: &str = "neither an object that shows the difference nor a proof that nothing differs was found";

/// How much work the search for one mutant may take in each direction: see [`Witnesses::within`].
const WORK: usize = 300_000;
/// How much work the search in the schema of one version may take, in values of objects.
const SEARCH: usize = 200_000;
/// In how many places objects are searched.
const MOST_PLACES: usize = 2;

/// The verdict of a mutant that no case notices.
pub(super) fn verdict(run: &Run<'_>, subjects: &Subjects<'_>, mutant: &Mutant) -> Verdict {
    let crds = run.crds;
    let changed = exchanged(crds, mutant);
    let (old, new): (Vec<_>, Vec<_>) = crds.iter().zip(&changed).filter(|(old, new)| !Arc::ptr_eq(old, new)).unzip();
    let between = |old: &[_], new: &[_]| changes(Channel::Standard, old.to_vec(), new.to_vec(), &Renames::default());
    let forward = between(&old, &new);
    // What is stored and which duplicates are accepted has no direction.
    let is_directed = !["dropped-default", "other-default", "list-type"].contains(&mutant.operator);
    if is_directed && forward.iter().all(|change| change.direction().is_none()) {
        return Verdict::Equal;
    }
    let sides = |crd: usize, version: usize| {
        let original = subjects.get(&(crd, version))?.resource;
        let mutant = original.exchanged(changed[crd].versions[version].schema.clone()).ok()?;
        Some(Sides { original, mutant })
    };
    let of_change = |change: &LocatedChange<'_>| {
        let crd = crds.iter().position(|crd| *crd.name == *change.location.crd())?;
        let version = change.location.version()?;
        sides(crd, crds[crd].versions.iter().position(|known| *known.name == *version)?)
    };
    let here = || {
        let first = mutant.places.first().filter(|_| !is_directed)?;
        sides(first.crd, first.version)?.search(&first.path)
    };
    let searched = || {
        [(&old, &new), (&new, &old)].into_iter().filter(|_| is_directed).find_map(|(old, new)| {
            let changes = between(old, new);
            let mut witnesses = Witnesses::within(Arc::default(), WORK);
            changes.iter().take(MOST_PLACES).find_map(|change| {
                let witness = witnesses.of(change, change.direction())?;
                of_change(change)?.notice(witness)
            })
        })
    };
    let found = here().or_else(searched);
    found.map_or(Verdict::Undecided { reason: NOT_FOUND }, |notice| Verdict::Survived { notice: Box::new(notice) })
}

/// A version with and without the change.
struct Sides<'s> {
    original: &'s Resource,
    mutant: Resource,
}

impl Sides<'_> {
    fn notice(&self, witness: Witness) -> Option<Notice> {
        let (old, object, is_status) = match witness {
            Witness::Object(object) => (None, object, false),
            Witness::Update { old, new } => (Some(old), new, false),
            Witness::Status { stored, object } => (stored.or_else(|| Some(without_status(&object))), object, true),
            Witness::None(_) => return None,
        };
        self.differing(old, object, is_status)
    }

    /// The request, if the answers differ.
    fn differing(&self, old: Option<Value>, object: Value, is_status: bool) -> Option<Notice> {
        let stored = old.as_ref().map(|old| Request::versioned(&placed(old, self.original)));
        let request = || match &stored {
            None => Request::create(placed(&object, self.original)),
            Some(stored) => {
                let object = Request::versioned(&placed(&object, self.original));
                Request { is_status, ..Request::update(stored, object) }
            }
        };
        let ask = |resource: &Resource| resource.answer(request());
        let (original, mutant) = (ask(self.original), ask(&self.mutant));
        let is_decided = original.undecided.is_empty() && mutant.undecided.is_empty();
        let is_accepted = original.is_accepted();
        let differs = is_accepted != mutant.is_accepted() || original.stored != mutant.stored;
        (is_decided && differs).then_some(Notice { old, object, is_status, is_accepted })
    }

    /// An object without the field, or with a value that a constraint of the node refuses.
    fn search(&self, path: &SchemaPath) -> Option<Notice> {
        let frame = json!({
            "apiVersion": self.original.api_version(),
            "kind": self.original.kind(),
            "metadata": {"name": crate::case::NAME},
        });
        let frame: Map<String, Value> = frame.as_object().cloned()?;
        let schema = self.original.schema();
        let work = Cell::new(SEARCH);
        let accepts = |_: &_, object: &Value| self.original.rules(object.clone()).is_accepted();
        let mut search = Search::new(schema, frame, Vec::new(), accepts).limited(&work);
        let without = search.without(path).and_then(|found| self.differing(None, found.object, false));
        without.or_else(|| {
            let here = constraints(schema).into_iter().filter(|constraint| constraint.path == *path);
            here.filter_map(|constraint| search.boundary(&constraint).ok())
                .find_map(|boundary| self.differing(None, boundary.outside, false))
        })
    }
}

fn without_status(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(map) = object.as_object_mut() {
        map.remove("status");
    }
    object
}
