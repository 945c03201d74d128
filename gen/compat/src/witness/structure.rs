//! Witnesses of what the structure of a schema refuses: along the changed keyword.
//!
//! Invariants: first come objects that both schemas accept, so that a witness violates only the changed constraint; where a node accepts
//! other values now, only the old schema is asked. Objects with all fields, which a rule may need, come last.

use crd_boundary::{Keyword, Search, constraints, show_object_path};
use crd_inclusion::{Difference, Technique};
use crd_model::Schema;
use serde_json::Value;

use super::candidates::candidates;
use super::demanded::{demanded, fix};
use super::exchanged::reversed;
use super::slim::slim;
use super::smallest::smallest;
use super::trial::Trial;
use super::{Best, NODES, Target, take, with};

/// How many accepted objects are tried.
const MOST_ACCEPTED: usize = 3;
/// How many constraints of one node are searched along.
const MOST_CONSTRAINTS: usize = 24;
/// Around how many values the demanded ones are searched.
const MOST_WANTED: usize = 3;

/// Which objects are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Objects {
    /// Those with few fields.
    Small,
    /// The same with the constants that rules demand.
    Demanded,
    /// Those with all fields.
    Whole,
}

/// Offers objects until one is good enough.
pub(super) fn search(trial: &Trial<'_>, target: Target<'_>, best: &mut Best) {
    for objects in [Objects::Small, Objects::Demanded, Objects::Whole] {
        if objects == Objects::Whole && around(trial, target, best) {
            return;
        }
        for both in [true, false] {
            // The search with all fields takes longer.
            if trial.is_exhausted() || objects != Objects::Small && !trial.has_rules {
                return;
            }
            let is_used = (!both || trial.uses(Technique::AcceptedByBoth))
                && match objects {
                    Objects::Small => true,
                    Objects::Demanded => trial.uses(Technique::Demanded),
                    Objects::Whole => trial.uses(Technique::WholeObjects),
                };
            if is_used && among(trial, target, both, objects, best) {
                return;
            }
        }
    }
}

/// Offers objects with the values that rules demand around a value that the change is likely to refuse; true if one is good enough.
fn around(trial: &Trial<'_>, target: Target<'_>, best: &mut Best) -> bool {
    let Target { difference, position, path, frame } = target;
    let nodes = path.node(trial.old).zip(path.node(&trial.exchanged));
    let Some((node, exchanged)) = nodes.filter(|_| trial.has_rules && trial.uses(Technique::Demanded)) else {
        return false;
    };
    let now = smallest(node).into_iter().next().unwrap_or_default();
    let likely = candidates(difference, position, &now).into_iter();
    let refused = likely.filter(|value| trial.fits(node, value) && !trial.fits(exchanged, value)).take(MOST_WANTED);
    for value in refused {
        let mut narrowed = trial.old.clone();
        if let Some(node) = path.node_mut(&mut narrowed) {
            narrow(node, difference, &value);
        }
        for other in [Some(trial.new), None] {
            let [schema] =
                demanded(trial, [&narrowed], target, other).unwrap_or_else(|| [slim(&narrowed, path, other)]);
            let mut search = trial.objects(&schema, frame, |at, object| match at == path {
                true => trial.is_refused(object),
                false => trial.is_accepted(object),
            });
            let found = search.accepted(path).into_iter().take(MOST_ACCEPTED);
            let mut offers = found.map(|found| (show_object_path(&found.object_path), found.object));
            if offers.any(|(at, object)| best.offer(trial, object, &at)) {
                return true;
            }
        }
    }
    false
}

/// Lets a node have only values that the change refuses as it does this one.
fn narrow(node: &mut Schema, difference: &Difference<'_>, value: &Value) {
    let count = value.as_array().and_then(|items| i64::try_from(items.len()).ok());
    match difference {
        // Rules name the field.
        Difference::Required(name) => {
            if let Some(field) = node.properties.get_mut(name.value()) {
                field.not = Some(Box::default());
            }
        }
        Difference::MinItems(_) => node.max_items = count,
        _ if count.is_some() => node.min_items = count,
        _ => fix(node, value, None),
    }
}

/// The same among some objects, and among those that both schemas accept or the old one; true if one is good enough.
fn among(trial: &Trial<'_>, target: Target<'_>, both: bool, objects: Objects, best: &mut Best) -> bool {
    let Target { difference, position, path, frame } = target;
    take(trial.work, 2 * trial.size / NODES);
    let other = both.then_some(trial.new);
    let [old, exchanged] = match objects {
        Objects::Small => [trial.old, &trial.exchanged].map(|schema| slim(schema, path, other)),
        Objects::Demanded => match demanded(trial, [trial.old, &trial.exchanged], target, other) {
            Some(schemas) => schemas,
            None => return false,
        },
        Objects::Whole => [trial.old.clone(), trial.exchanged.clone()],
    };
    let accepts = |object: &Value| trial.is_accepted(object) && (!both || trial.refusals(trial.new, object).is_empty());
    if trial.uses(Technique::Candidates) {
        let search = trial.objects(&old, frame, |_, object| accepts(object));
        if offers_of(trial, target, search, best) {
            return true;
        }
    }
    if both && objects != Objects::Demanded && trial.uses(Technique::Reversed) {
        // Where the changes around demand more than the old schema.
        let reversed = reversed(trial.new, path, difference, position);
        let reversed = if objects == Objects::Small { slim(&reversed, path, None) } else { reversed };
        let search = trial.objects(&reversed, frame, |_, object| trial.is_accepted(object));
        if offers_of(trial, target, search, best) {
            return true;
        }
    }
    let mut search = trial.objects(&exchanged, frame, |_, object| accepts(object));
    let along = constraints(&exchanged).into_iter().filter(|constraint| match difference {
        // Its branches may constrain nodes below.
        Difference::AllOf(_) => constraint.path.steps().starts_with(path.steps()),
        _ => constraint.path == *path && is_followed(&constraint.keyword, difference),
    });
    let most = if trial.uses(Technique::Boundary) { MOST_CONSTRAINTS } else { 0 };
    along.take(most).any(|constraint| {
        let found = search.boundary_where(&constraint, Some(&|object| trial.is_refused(object)));
        found.is_ok_and(|found| best.offer(trial, found.outside, &found.path))
    })
}

/// Offers the objects of a search with other values; true if one is good enough.
fn offers_of(trial: &Trial<'_>, target: Target<'_>, mut search: Search<'_>, best: &mut Best) -> bool {
    let accepted = search.accepted(target.path).into_iter().take(MOST_ACCEPTED);
    accepted.into_iter().any(|accepted| {
        let at = show_object_path(&accepted.object_path);
        let likely = accepted.value().map(|now| candidates(target.difference, target.position, now));
        let mut objects = likely.into_iter().flatten().filter_map(|value| with(&accepted, value));
        objects.any(|object| best.offer(trial, object, &at))
    })
}

/// Whether a search follows this constraint; where it follows none, only [`candidates`] are tried.
fn is_followed(constraint: &Keyword, difference: &Difference<'_>) -> bool {
    match difference {
        Difference::ListType(edit) if edit.after() == Some(&"set") => *constraint == Keyword::ListSet,
        Difference::ListType(_) => *constraint == Keyword::ListMapKeys,
        Difference::Required(_) | Difference::AdditionalProperties(_) => false,
        difference => difference.keyword() == Some(constraint.of_schema()),
    }
}
