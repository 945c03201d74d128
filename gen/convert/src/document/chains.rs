//! Whether lenses fit together: names, identities, and the places that they read and write.

use std::collections::BTreeMap;

use super::DocumentError;
use crate::lens::{Identity, Lens};
use crate::operation::{Operation, OperationKind};
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
            if (to.group(), to.kind.as_str()) != lens.target() {
                let message =
                    format!("{to} has not the group `{}` and the kind `{}` of the lens", lens.group, lens.kind);
                errors.push(DocumentError::new(at("to"), message, "write the group and kind after the lens in both"));
            }
        }
        if lens.identity.is_none() && lens.is_merged {
            let help = "remove `merged`";
            errors.push(DocumentError::new(at("merged"), "the identity does not change", help));
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
            for kind in [lens.source(), lens.target()] {
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

/// The identities of a resource lead to the current one, without a gap and without a circle. All lenses with one new identity are merged,
/// except for one.
fn identities(lenses: &[&(usize, Lens)], errors: &mut Vec<DocumentError>) {
    let changes = lenses.iter().filter_map(|(index, lens)| Some((index, lens, lens.identity.as_ref()?)));
    let changes: Vec<_> = changes.collect();
    let Some((_, _, (_, current))) = changes.last() else { return };
    let mut left: BTreeMap<&Identity, &str> = BTreeMap::new();
    let mut ways: BTreeMap<&Identity, Vec<(usize, &Lens)>> = BTreeMap::new();
    for (at, (index, lens, (from, to))) in changes.iter().enumerate() {
        let mut error = |key: &str, message: String, help: &str| {
            errors.push(DocumentError::new(format!("$.lenses[{index}].{key}"), message, help));
        };
        let is_left = changes.iter().skip(at + 1).any(|(_, _, (next, _))| next == to);
        if left.contains_key(to) {
            let message = format!("the lenses are cyclic: an earlier lens converts {to} to another identity");
            error("to", message, "an identity that was left never returns; use a new one");
        } else if to != current && !is_left {
            let message = format!("the chain has a gap: no later lens converts {to} to {current}");
            error("to", message, "add the lens between them, or correct `to`");
        }
        if let Some(first) = left.insert(from, &lens.name) {
            let message = format!("the lenses overlap: the lens `{first}` converts {from} too");
            error("from", message, "let one lens convert an identity");
        }
        ways.entry(to).or_default().push((**index, lens));
    }
    for (to, ways) in ways {
        let back: Vec<_> = ways.iter().filter(|(_, lens)| !lens.is_merged).collect();
        match back.as_slice() {
            [_] => {}
            [] => {
                let at = ways.first().map_or(0, |(index, _)| *index);
                let message = format!("every lens to {to} is merged, so objects of that identity have no way back");
                let help = "remove `merged` from the lens whose old identity backward conversion gives";
                errors.push(DocumentError::new(format!("$.lenses[{at}].merged"), message, help));
            }
            [(_, first), others @ ..] => errors.extend(others.iter().map(|(index, _)| {
                let message = format!("the lens `{}` converts another identity to {to}", first.name);
                let help = "write `\"merged\": true` in all of them except the one that backward conversion gives";
                DocumentError::new(format!("$.lenses[{index}].to"), message, help)
            })),
        }
    }
}

/// One place that a step reads or writes, in objects of one group and kind.
struct Use<'l> {
    of: (&'l str, &'l str),
    path: &'l Path,
    at: String,
    operation: &'l Operation,
}

/// An old place of a kind never becomes a new one again, and one step alone reads or writes a place.
fn places<'l>(lenses: &[&'l (usize, Lens)], errors: &mut Vec<DocumentError>) {
    let steps = lenses.iter().flat_map(|(index, lens)| {
        let at = move |step: usize| format!("$.lenses[{index}].steps[{step}]");
        lens.steps.iter().enumerate().map(move |(step, of)| (lens, at(step), &of.operation))
    });
    let (mut read, mut written): (Vec<Use<'_>>, Vec<Use<'_>>) = (Vec::new(), Vec::new());
    for (lens, at, operation) in steps {
        let places = |of, paths: Vec<&'l Path>| -> Vec<Use<'l>> {
            paths.into_iter().map(|path| Use { of, path, at: at.clone(), operation }).collect()
        };
        let reads = places(lens.source(), operation.reads());
        let writes = places(lens.target(), operation.writes());
        for new in &writes {
            let mut old = read.iter().filter(|old| old.of == new.of);
            let cyclic = old.find(|old| old.path.contains(new.path) && !are_apart(old.operation, operation));
            if let Some(old) = cyclic {
                let message = format!(
                    "the lenses are cyclic: `{}` is the old form in `{}`, and becomes a new form again here",
                    new.path, old.at
                );
                errors.push(DocumentError::new(&new.at, message, "an old name never returns; use a new one"));
            }
            let is_place = |other: &&Use<'_>| other.of == new.of && new.path.contains(other.path);
            if let Some(other) = written.iter().filter(|_| !operation.is_in_place()).find(is_place) {
                let message = format!("the lenses overlap: `{}` writes `{}` too", other.at, other.path);
                errors.push(DocumentError::new(&new.at, message, "let one step write the place"));
            }
        }
        for old in &reads {
            let is_place = |other: &&Use<'_>| (other.of, other.path) == (old.of, old.path);
            let other = read.iter().filter(is_place).find(|other| !are_apart(other.operation, operation));
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
    match (&earlier.kind, &later.kind) {
        (OperationKind::Values { values: first, .. }, OperationKind::Values { values: second, .. }) => {
            earlier.is_in_place()
                && second.iter().all(|(old, new)| !first.contains_key(new) && !first.contains_key(old))
        }
        _ => earlier.is_in_place() && !later.is_in_place(),
    }
}
