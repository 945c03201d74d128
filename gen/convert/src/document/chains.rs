//! Whether lenses fit together: names, identities, and the places that they read and write.

use std::collections::{BTreeMap, BTreeSet};

use super::DocumentError;
use crate::lens::{Identity, Lens};
use crate::operation::Operation;
use crate::path::Path;

/// All errors of lenses, which are given with their indices in the document.
pub(super) fn errors(lenses: &[(usize, Lens)]) -> Vec<DocumentError> {
    let mut errors = Vec::new();
    let mut names = BTreeMap::new();
    let mut resources: BTreeMap<&str, Vec<&(usize, Lens)>> = BTreeMap::new();
    for entry in lenses {
        let (index, lens) = entry;
        let at = |key: &str| format!("$.lenses[{index}].{key}");
        if let Some(first) = names.insert(&lens.name, index) {
            let message = format!("`$.lenses[{first}]` has the name `{}` too", lens.name);
            errors.push(DocumentError::new(at("name"), message, "give each lens a name of its own"));
        }
        if let Some((from, to)) = &lens.identity {
            if from == to {
                errors.push(DocumentError::new(at("to"), "the identity does not change", "remove `from` and `to`"));
            }
            if to.kind != lens.kind {
                let message = format!("the kind `{}` is not the kind `{}` of the lens", to.kind, lens.kind);
                errors.push(DocumentError::new(at("to"), message, "write the kind after the lens in both"));
            }
        }
        if lens.identity.is_none() && lens.steps.is_empty() {
            errors.push(DocumentError::new(at("steps"), "the lens changes nothing", "add a step, or `from` and `to`"));
        }
        resources.entry(&lens.resource).or_default().push(entry);
    }
    let mut owners: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for (resource, mut lenses) in resources {
        lenses.sort_by_key(|(index, lens)| (lens.since, *index));
        for (index, lens) in &lenses {
            for kind in kinds(lens) {
                let owner = *owners.entry(kind).or_insert(resource);
                if owner != resource {
                    let message = format!("objects of kind `{}` are converted by lenses of `{owner}` too", kind.1);
                    let help = "name the CRD of the current form in all lenses of a resource";
                    errors.push(DocumentError::new(format!("$.lenses[{index}].resource"), message, help));
                }
            }
        }
        identities(&lenses, &mut errors);
        places(&lenses, &mut errors);
    }
    errors
}

/// The groups and kinds of the objects that a lens converts.
pub(crate) fn kinds(lens: &Lens) -> BTreeSet<(&str, &str)> {
    let own = (lens.group(), lens.kind.as_str());
    let changed = lens.identity.iter().flat_map(|(from, to)| [from, to]);
    changed.map(|identity| (identity.group(), identity.kind.as_str())).chain([own]).collect()
}

/// The identities of a resource are one chain without a gap and without a circle.
fn identities(lenses: &[&(usize, Lens)], errors: &mut Vec<DocumentError>) {
    let mut seen: BTreeSet<&Identity> = BTreeSet::new();
    let mut last: Option<(&Identity, &str)> = None;
    for (index, lens) in lenses {
        let Some((from, to)) = &lens.identity else { continue };
        let at = |key: &str| format!("$.lenses[{index}].{key}");
        if let Some((end, name)) = last
            && end != from
        {
            let message =
                format!("the chain has a gap: the lens `{name}` ends with {end}, and this one begins with {from}");
            errors.push(DocumentError::new(at("from"), message, "add the lens between them, or correct `from`"));
        }
        seen.insert(from);
        if from != to && !seen.insert(to) {
            let message = format!("the lenses are cyclic: an earlier lens converts {to} to another identity");
            errors.push(DocumentError::new(
                at("to"),
                message,
                "an identity that was left never returns; use a new one",
            ));
        }
        last = Some((to, &lens.name));
    }
}

/// One place that a step reads or writes.
struct Use<'l> {
    path: &'l Path,
    at: String,
    operation: &'l Operation,
}

/// An old place never becomes a new one again, and one step alone reads or writes a place.
fn places(lenses: &[&(usize, Lens)], errors: &mut Vec<DocumentError>) {
    let steps = lenses.iter().flat_map(|(index, lens)| {
        let at = move |step: usize| format!("$.lenses[{index}].steps[{step}]");
        lens.steps.iter().enumerate().map(move |(step, of)| (at(step), &of.operation))
    });
    let (mut read, mut written): (Vec<Use<'_>>, Vec<Use<'_>>) = (Vec::new(), Vec::new());
    for (at, operation) in steps {
        let reads: Vec<_> = operation.reads().into_iter().map(|path| Use { path, at: at.clone(), operation }).collect();
        let writes: Vec<_> =
            operation.writes().into_iter().map(|path| Use { path, at: at.clone(), operation }).collect();
        for new in &writes {
            let cyclic = read.iter().find(|old| old.path.contains(new.path) && !are_apart(old.operation, operation));
            if let Some(old) = cyclic {
                let message = format!(
                    "the lenses are cyclic: `{}` is the old form in `{}`, and becomes a new form again here",
                    new.path, old.at
                );
                errors.push(DocumentError::new(&new.at, message, "an old name never returns; use a new one"));
            }
            let is_place = |other: &&Use<'_>| new.path.contains(other.path);
            if let Some(other) = written.iter().filter(|_| !operation.is_in_place()).find(is_place) {
                let message = format!("the lenses overlap: `{}` writes `{}` too", other.at, other.path);
                errors.push(DocumentError::new(&new.at, message, "let one step write the place"));
            }
        }
        for old in &reads {
            let other = read.iter().find(|other| other.path == old.path && !are_apart(other.operation, operation));
            if let Some(other) = other.filter(|_| !operation.is_in_place()) {
                let message = format!("the lenses overlap: `{}` reads `{}` too", other.at, other.path);
                errors.push(DocumentError::new(&old.at, message, "let one step read the place"));
            }
        }
        read.extend(reads);
        written.extend(writes);
    }
}

/// Whether two operations in one place never convert the same value: both rename values, the later one those that the earlier one keeps or
/// writes, and an old value never returns.
fn are_apart(earlier: &Operation, later: &Operation) -> bool {
    match (earlier, later) {
        (Operation::Values { values: first, .. }, Operation::Values { values: second, .. }) => {
            earlier.is_in_place()
                && second.iter().all(|(old, new)| !first.contains_key(new) && !first.contains_key(old))
        }
        _ => earlier.is_in_place() && !later.is_in_place(),
    }
}
