//! New tombstones: those that the types declare, or one that the user describes.
//!
//! Invariants: entries are only appended to the ledger. A name that the types still have or that never existed, and a version that does not
//! exist, are refused, because the ledger keeps them for ever.

use std::collections::BTreeSet;
use std::path::Path;
use std::slice;

use crd_compat::Channels;
use crd_compat::tombstone::{Kind, Ledger, Tombstone, names};
use crd_diagnostics::{Diagnostic, fail_on};
use crd_generate::{Catalogue, DeclaredTombstone, at};
use crd_generator::file;
use crd_generator::locked_folder::LockedFolder;
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_generator::transaction::Transaction;
use crd_model::document::SchemaVersion;
use crd_review::history::{History, marked};
use crd_review::removal::Removals;

use serde::Serialize;

use crate::arguments::did_you_mean;
use crate::types::Types;
use crate::{history, ledger};

/// Tombstones that were added, or are listed.
#[derive(Default)]
pub(crate) struct Tombstones {
    pub(crate) entries: Vec<Tombstone>,
    pub(crate) notes: Vec<String>,
}

/// What `tombstones` prints with `--format json`: one document, on one line.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Tombstones"))]
pub(crate) struct TombstoneDocument<'t> {
    schema_version: SchemaVersion<1>,
    /// The tombstones of `list`, or those that `add` has added.
    tombstones: &'t [Tombstone],
    /// Additional notes, each a sentence.
    notes: &'t [String],
    /// Why nothing was listed or added.
    errors: Vec<Diagnostic>,
}

impl<'t> TombstoneDocument<'t> {
    pub(crate) fn new(result: &'t Result<Tombstones, Vec<Diagnostic>>, session: &Session<'_>) -> Self {
        match result {
            Ok(Tombstones { entries: tombstones, notes }) => Self { tombstones, notes, ..Self::default() },
            Err(_) => Self { errors: session.errors(result), ..Self::default() },
        }
    }
}

/// Adds the described tombstone, or those that the types declare.
pub(crate) fn add(
    described: Option<Tombstone>,
    catalogue: &Catalogue,
    root: &Path,
    session: &mut Session<'_>,
) -> Result<Tombstones, Vec<Diagnostic>> {
    described.as_ref().map_or(Ok(()), check)?;
    let bundles = root.join(BUNDLES);
    // Locked before the ledger is read, so that two runs cannot lose the entries of each other.
    let mut locked = LockedFolder::lock(&bundles, root, session)?;
    let mut ledger = ledger::read(root)?;
    let version = catalogue.next_version();
    let Types { projection, candidate } = Types::read(catalogue, version, session)?;
    let (history, _) = history::read(root, None, session)?;
    let removals = Removals::new(&history, &candidate.channels, version, false).or_major();
    let mut added = Tombstones::default();
    match described {
        Some(tombstone) => {
            ledger.add(tombstone.clone()).map_err(|known| {
                let predicate = format!("already has a tombstone for the {}", known.0);
                file::error("tombstone::exists", ledger::path(root), predicate)
            })?;
            added.notes.extend(check_name(&tombstone, &candidate.channels, &history, &removals)?);
            added.entries.push(tombstone);
        }
        None => added.entries = declared(&marked(&projection.resources), &mut ledger, &removals)?,
    }
    if !added.entries.is_empty() {
        let (old, text) = ledger::extended(root, &ledger, &added.entries)?;
        let mut transaction = Transaction::new(&mut locked);
        transaction.write(ledger::path(root), old, &text)?;
        transaction.commit()?;
    }
    Ok(added)
}

/// Adds the tombstones that the types declare to the ledger, and returns them. Existing entries stay as they are: `check` reports where a
/// marker differs from its entry.
fn declared(
    marks: &[(Tombstone, DeclaredTombstone)],
    ledger: &mut Ledger,
    removals: &Removals<'_>,
) -> Result<Vec<Tombstone>, Vec<Diagnostic>> {
    let (mut added, mut errors) = (Vec::new(), Vec::new());
    for (tombstone, declared) in marks {
        if ledger.add(tombstone.clone()).is_err() {
            continue;
        }
        if !tombstone.has_reason() {
            let message = format!("the tombstone of the {}: {}", tombstone.name, no_reason(&tombstone.reason));
            errors.push(at(Diagnostic::error("tombstone-malformed", message), declared.location));
        }
        added.push(tombstone.clone());
    }
    errors.extend(removals.of_new(marks));
    if errors.is_empty() { Ok(added) } else { Err(errors) }
}

/// Checks a described tombstone as an entry of a ledger is checked.
fn check(tombstone: &Tombstone) -> Result<(), Vec<Diagnostic>> {
    let errors =
        ledger::parse(&ledger::of(slice::from_ref(tombstone)).to_text(), Path::new("")).err().unwrap_or_default();
    let mut messages = errors.into_iter().map(|error| error.message).collect::<Vec<_>>();
    // The parser reports an empty reason.
    if !tombstone.has_reason() && !tombstone.reason.trim().is_empty() {
        messages.push(no_reason(&tombstone.reason));
    }
    let errors = messages.into_iter().map(|message| {
        Diagnostic::error("tombstone-malformed", format!("the arguments do not describe a tombstone: {message}"))
    });
    let errors = errors.collect::<Vec<_>>();
    fail_on(errors)
}

fn no_reason(reason: &str) -> String {
    format!("`{reason}` is not a reason; write why the name must not return")
}

/// A note if the history begins too late to confirm that the name existed.
///
/// # Errors
/// The types still have the name, no bundle and no type had its CRD, or the history contradicts the tombstone.
fn check_name(
    tombstone: &Tombstone,
    candidate: &Channels,
    history: &History,
    removals: &Removals<'_>,
) -> Result<Option<String>, Diagnostic> {
    let name = &tombstone.name;
    let error = |message: String| Diagnostic::error("tombstone::name", message);
    let present = names(candidate);
    if present.has(name) {
        let error = error(format!("the types still have the {name}"));
        return Err(error.help("remove it from the types first; a tombstone cannot be removed again"));
    }
    let ever = history.names().all().chain(present.iter()).collect::<Vec<_>>();
    if !ever.iter().any(|known| known.crd == name.crd) {
        let resources = ever.iter().filter(|known| known.kind == Kind::Resource);
        let crds = resources.map(|known| &*known.crd).collect::<BTreeSet<_>>();
        let error = error(format!("no bundle in `{BUNDLES}` and no type had the CRD `{}`", name.crd));
        let help = "write its plural and its group, or `import` a bundle that had it";
        return Err(error.help(did_you_mean(&name.crd, crds, help.to_owned())));
    }
    removals.contradiction(tombstone).map_or(Ok(()), Err)?;
    let removed = &tombstone.removed;
    let note = || {
        format!(
            "no bundle in `{BUNDLES}` is below {removed}, so nothing shows that the {name} existed; check its spelling"
        )
    };
    Ok(removals.is_before_history(tombstone).then(note))
}
