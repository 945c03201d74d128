//! Conversion of whole objects through all lenses of their resource.
//!
//! Invariants: an object that fails is left as it is. Lenses apply in the order of their bundles forward, and in the reverse order backward.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::canonical::{DEEPEST, is_deeper};
use crate::data::{self, Entry};
use crate::document::{self, Document, DocumentError};
use crate::lens::{Bundle, Identity, Lens, group};
use crate::recognise::{CurrentForm, unknown};
use crate::step::Prepared;

/// Lenses, prepared for converting many objects.
///
/// "Implementers MUST do whatever is required to adapt received CRs to their current version, but MUST NOT change the CRs themselves" ("API
/// versioning guide"): conversion to the current form happens in memory.
#[derive(Clone, Debug)]
pub struct Conversions {
    annotation: String,
    chains: Vec<Vec<PreparedLens>>,
    /// The chain of each kind, by group.
    kinds: BTreeMap<String, Vec<(String, usize)>>,
}

#[derive(Clone, Debug)]
struct PreparedLens {
    lens: Lens,
    steps: Vec<Prepared>,
}

/// Why an object cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The lens that fails; empty if the object fails before the first one.
    pub lens: String,
    /// The place in the object.
    pub place: String,
    /// The reason.
    pub why: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`: {}", self.place, self.why)?;
        if self.lens.is_empty() { Ok(()) } else { write!(formatter, " (lens `{}`)", self.lens) }
    }
}

impl std::error::Error for Failure {}

/// What an object is, compared with the current form.
#[derive(Clone, Debug, PartialEq)]
pub enum Canonical<'c> {
    /// The object has the current form.
    Current,
    /// The object had an older form.
    Converted {
        /// The object in the current form.
        object: Value,
        /// The names of the lenses that converted it.
        applied: Vec<&'c str>,
    },
    /// The object was written for a newer bundle: ignore it.
    Newer {
        /// What is newer.
        why: String,
    },
    /// The object has neither the current form nor an older one: ignore it.
    Unrecognised {
        /// What is not recognised.
        why: String,
    },
}

/// An object in the form of an older bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvertedBack<'c> {
    /// The object.
    pub object: Value,
    /// The names of the lenses that converted it.
    pub applied: Vec<&'c str>,
    /// What the older form cannot express. It is in the conversion data of the object.
    pub left_out: Vec<LeftOut>,
}

/// What an older form cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The lens that could not express it.
    pub lens: String,
    /// The place in the newer form.
    pub place: String,
}

impl Conversions {
    /// Prepares lenses.
    ///
    /// # Errors
    ///
    /// Everything that is wrong in the lenses, as [`Document::read`] reports it.
    pub fn new(document: &Document) -> Result<Self, Vec<DocumentError>> {
        let lenses: Vec<(usize, Lens)> = document.lenses.iter().cloned().enumerate().collect();
        let prepared = document::prepare(&lenses)?;
        let mut of_resource: BTreeMap<&str, Vec<PreparedLens>> = BTreeMap::new();
        for (index, steps) in prepared {
            if let Some((_, lens)) = lenses.get(index) {
                of_resource.entry(&lens.resource).or_default().push(PreparedLens { lens: lens.clone(), steps });
            }
        }
        let chains: Vec<_> = of_resource.into_values().collect();
        let mut kinds: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
        for (index, chain) in chains.iter().enumerate() {
            for (group, kind) in chain.iter().flat_map(|prepared| document::kinds(&prepared.lens)) {
                let entry = (group.to_owned(), index);
                let groups = kinds.entry(kind.to_owned()).or_default();
                if !groups.contains(&entry) {
                    groups.push(entry);
                }
            }
        }
        Ok(Self { annotation: format!("{}/conversion-data", document.prefix), chains, kinds })
    }

    /// The annotation with conversion data.
    #[must_use]
    pub fn annotation(&self) -> &str {
        &self.annotation
    }

    /// Compares an object with the current form, and converts a copy of an older one.
    ///
    /// `newer` is the bundle version in the stamps of the installed CRDs, if it is above the bundle of the caller: then an unknown field, enum
    /// value or API version is newer, otherwise it is not recognised. An object that cannot be converted is not recognised either.
    #[must_use]
    pub fn canonicalize(&self, object: &Value, current: &dyn CurrentForm, newer: Option<Bundle>) -> Canonical<'_> {
        let mut converted = None;
        let mut applied = Vec::new();
        if let Err(failure) = check(object) {
            return Canonical::Unrecognised { why: failure.to_string() };
        }
        match self.needs_forward(object) {
            Ok(false) => {}
            Ok(true) => {
                let mut copy = object.clone();
                match self.convert(&mut copy, false) {
                    Ok(names) => (converted, applied) = (Some(copy), names),
                    Err(failure) => return Canonical::Unrecognised { why: failure.to_string() },
                }
            }
            Err(failure) => return Canonical::Unrecognised { why: failure.to_string() },
        }
        let result = converted.as_ref().unwrap_or(object);
        let (api_version, kind) = identity(result);
        let why = match current.has_version(api_version, kind) {
            true => unknown(current, kind, result),
            false => Some(format!("`{api_version}` {kind} is not in the current form")),
        };
        match (why, newer) {
            (Some(why), Some(bundle)) => {
                Canonical::Newer { why: format!("{why}; the installed CRDs have the bundle version {bundle}") }
            }
            (Some(why), None) => Canonical::Unrecognised { why },
            (None, _) => match converted {
                Some(object) if !applied.is_empty() => Canonical::Converted { object, applied },
                _ => Canonical::Current,
            },
        }
    }

    /// Converts an object to the current form in place, and returns the names of the lenses that did.
    ///
    /// # Errors
    ///
    /// The first reason why the object cannot be converted. The object is left as it is.
    pub fn forward(&self, object: &mut Value) -> Result<Vec<&str>, Failure> {
        check(object)?;
        self.convert(object, true)
    }

    /// Converts a copy of an object to the form of an older bundle, for a rollback.
    ///
    /// # Errors
    ///
    /// The first reason why the object cannot be converted, such as conversion data that is too large.
    pub fn convert_back(&self, object: &Value, to: Bundle) -> Result<ConvertedBack<'_>, Failure> {
        check(object)?;
        let mut copy = object.clone();
        let (mut applied, mut left_out) = (Vec::new(), Vec::new());
        if let Some(chain) = self.chain(object) {
            let mut entries = self.entries(object)?;
            for PreparedLens { lens, steps } in chain.iter().rev().filter(|prepared| prepared.lens.since > to) {
                let mut is_changed = false;
                for (index, step) in steps.iter().enumerate().rev() {
                    let (step_changed, left) =
                        step.backward(&mut copy, &lens.name, index).map_err(|problem| failure(lens, problem))?;
                    is_changed |= step_changed;
                    for (place, entry) in left {
                        let is_same = |other: &Entry| {
                            (&other.lens, other.step, &other.at) == (&entry.lens, entry.step, &entry.at)
                        };
                        entries.retain(|other| !is_same(other));
                        entries.push(entry);
                        left_out.push(LeftOut { lens: lens.name.clone(), place });
                    }
                }
                if let Some((from, to)) = &lens.identity {
                    is_changed |= replace_identity(&mut copy, to, from);
                }
                if is_changed {
                    applied.push(lens.name.as_str());
                }
            }
            if !left_out.is_empty() {
                data::write(&mut copy, &self.annotation, &entries).map_err(|why| self.failure(why))?;
            }
        }
        Ok(ConvertedBack { object: copy, applied, left_out })
    }

    fn chain(&self, object: &Value) -> Option<&[PreparedLens]> {
        let (api_version, kind) = identity(object);
        let groups = self.kinds.get(kind)?;
        let (_, index) = groups.iter().find(|(of, _)| of == group(api_version))?;
        self.chains.get(*index).map(Vec::as_slice)
    }

    fn failure(&self, why: String) -> Failure {
        let place = format!("metadata.annotations[{}]", Value::from(self.annotation.as_str()));
        Failure { lens: String::new(), place, why }
    }

    fn entries(&self, object: &Value) -> Result<Vec<Entry>, Failure> {
        data::read(object, &self.annotation).map_err(|why| self.failure(why))
    }

    /// Whether a lens would convert the object as it is. A later lens can only read what the object has or what an earlier lens writes.
    fn needs_forward(&self, object: &Value) -> Result<bool, Failure> {
        let Some(chain) = self.chain(object) else { return Ok(false) };
        if !self.entries(object)?.is_empty() {
            return Ok(true);
        }
        for PreparedLens { lens, steps } in chain {
            let is_old = lens.identity.as_ref().is_some_and(|(from, _)| has_identity(object, from));
            for step in steps {
                if step.check(object, &[]).map_err(|problem| failure(lens, problem))? {
                    return Ok(true);
                }
            }
            if is_old {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Converts an object. With `restores`, a failure leaves it as it is.
    fn convert(&self, object: &mut Value, restores: bool) -> Result<Vec<&str>, Failure> {
        let Some(chain) = self.chain(object) else { return Ok(Vec::new()) };
        let entries = self.entries(object)?;
        let mut saved = None;
        let mut left: usize = chain.iter().map(|prepared| prepared.steps.len()).sum();
        let mut applied = Vec::new();
        let result = chain.iter().try_for_each(|PreparedLens { lens, steps }| {
            let mut is_changed = false;
            for (index, step) in steps.iter().enumerate() {
                let own: Vec<Entry> =
                    entries.iter().filter(|entry| entry.lens == lens.name && entry.step == index).cloned().collect();
                left -= 1;
                if !step.check(object, &own).map_err(|problem| failure(lens, problem))? {
                    continue;
                }
                // The last step does not fail after its check, without entries.
                if restores && (left > 0 || !entries.is_empty()) && saved.is_none() {
                    saved = Some(object.clone());
                }
                is_changed |= step.forward(object, &own).map_err(|problem| failure(lens, problem))?;
            }
            if let Some((from, to)) = &lens.identity {
                is_changed |= replace_identity(object, from, to);
            }
            if is_changed {
                applied.push(lens.name.as_str());
            }
            Ok(())
        });
        if let Err(failure) = result {
            if let Some(saved) = saved {
                *object = saved;
            }
            return Err(failure);
        }
        if !entries.is_empty() {
            // What was not restored is stale. Other lenses may come with a newer document.
            let is_unknown = |entry: &&Entry| !chain.iter().any(|prepared| prepared.lens.name == entry.lens);
            let rest: Vec<Entry> = entries.iter().filter(is_unknown).cloned().collect();
            data::write(object, &self.annotation, &rest).map_err(|why| self.failure(why))?;
        }
        Ok(applied)
    }
}

fn failure(lens: &Lens, (place, why): (String, String)) -> Failure {
    Failure { lens: lens.name.clone(), place, why }
}

fn identity(object: &Value) -> (&str, &str) {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    (text("apiVersion"), text("kind"))
}

fn has_identity(object: &Value, wanted: &Identity) -> bool {
    identity(object) == (wanted.api_version.as_str(), wanted.kind.as_str())
}

fn replace_identity(object: &mut Value, from: &Identity, to: &Identity) -> bool {
    let is_here = has_identity(object, from);
    if let Some(object) = object.as_object_mut().filter(|_| is_here) {
        object.insert("apiVersion".to_owned(), to.api_version.as_str().into());
        object.insert("kind".to_owned(), to.kind.as_str().into());
    }
    is_here
}

fn check(object: &Value) -> Result<(), Failure> {
    let error = |place: &str, why: String| Failure { lens: String::new(), place: place.to_owned(), why };
    if is_deeper(object, DEEPEST) {
        return Err(error("the object", format!("it has more than {DEEPEST} levels")));
    }
    let missing = ["apiVersion", "kind"].into_iter().find(|key| !object.get(key).is_some_and(Value::is_string));
    missing.map_or(Ok(()), |key| Err(error(key, "it must be a string".to_owned())))
}
