//! Conversion of whole objects through all lenses of their resource.
//!
//! Invariants: an object that fails is left as it is. Lenses apply in the order of their bundles forward, and in the reverse order backward.

use std::collections::BTreeMap;
use std::fmt;

use crd_model::BundleVersion;
use serde_json::Value;

use crate::canonical::{DEEPEST, is_deeper};
use crate::data::{self, Data, Entry};
use crate::document::{self, Document, DocumentError, Removed};
use crate::lens::{Identity, Lens, group, identity};
use crate::operation::{Code, REFUSAL, Registered};
use crate::recognise::{CurrentForm, Unknown};
use crate::step::{Done, Name, Prepared, Problem};

/// Lenses, prepared for converting many objects.
///
/// "Implementers MUST do whatever is required to adapt received CRs to their current version, but MUST NOT change the CRs themselves" ("API
/// versioning guide"): conversion to the current form happens in memory.
#[derive(Clone, Debug)]
pub struct Conversions {
    annotation: String,
    chains: Vec<Chain>,
    /// The chain of each kind, by group.
    kinds: BTreeMap<String, Vec<(String, usize)>>,
    /// Names that have no conversion, by kind.
    removed: BTreeMap<String, Vec<Removed>>,
}

/// The lenses of a resource, in the order in which they apply.
#[derive(Clone, Debug)]
struct Chain {
    lenses: Vec<PreparedLens>,
    /// Whether all lenses are of one group and kind.
    is_of_one_kind: bool,
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

impl Failure {
    /// Whether a function refused the object, because the other form cannot express it. Every other failure of a function is a defect of it.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        self.why.starts_with(REFUSAL)
    }
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
    /// What the conversion data kept, and does not return. It stays there.
    pub not_returned: Vec<NotReturned>,
}

/// What the conversion of an object to the current form did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConvertedForward<'c> {
    /// The names of the lenses that converted it.
    pub applied: Vec<&'c str>,
    /// What the newer form cannot express, and the lens keeps. It is in the conversion data of the object.
    pub left_out: Vec<LeftOut>,
    /// What the conversion data kept, and does not return. It stays there.
    pub not_returned: Vec<NotReturned>,
}

/// What the form of an object cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The lens that could not express it.
    pub lens: String,
    /// The place in the form that the object had.
    pub place: String,
}

/// A value of conversion data that does not return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotReturned {
    /// The lens that would write it; empty for what a switch of channels removed.
    pub lens: String,
    /// The place in the form that would have it.
    pub place: String,
    /// The reason.
    pub why: &'static str,
}

impl fmt::Display for NotReturned {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`: {}", self.place, self.why)
    }
}

/// What an object was before its conversion, as far as that changed.
#[derive(Default)]
struct Before<'c> {
    /// The object, perhaps with a later identity.
    object: Option<Value>,
    identity: Option<&'c Identity>,
}

impl Before<'_> {
    fn restore(self, object: &mut Value) {
        if let Some(before) = self.object {
            *object = before;
        }
        if let Some(identity) = self.identity {
            write_identity(object, identity);
        }
    }
}

impl PreparedLens {
    fn name(&self, step: usize) -> Name<'_> {
        Name { lens: &self.lens.name, step }
    }

    /// Whether forward conversion applies to an object of this identity.
    fn reads(&self, object: &Value) -> bool {
        match &self.lens.identity {
            Some((from, _)) if self.is_of_other_kind() => has_identity(object, from),
            _ => has_kind(object, self.lens.target()),
        }
    }

    /// Whether backward conversion applies to an object of this identity.
    fn writes(&self, object: &Value) -> bool {
        match &self.lens.identity {
            Some((_, to)) if self.is_of_other_kind() => has_identity(object, to),
            _ => has_kind(object, self.lens.target()),
        }
    }

    fn is_of_other_kind(&self) -> bool {
        self.lens.source() != self.lens.target()
    }

    fn failure(&self, (place, why): Problem) -> Failure {
        Failure { lens: self.lens.name.clone(), place, why }
    }
}

/// Which of the lenses with one new identity converts an object back: the one that its conversion data names, or the one that is not merged.
fn is_way_back(chain: &[PreparedLens], of: &Lens, data: &Data) -> bool {
    let Some((_, to)) = &of.identity else { return true };
    let has_same_end = |other: &&Lens| other.identity.as_ref().is_some_and(|(_, end)| end == to);
    let mut lenses = chain.iter().map(|prepared| &prepared.lens).filter(has_same_end);
    match lenses.find(|lens| data.identities.contains(&lens.name)) {
        Some(named) => named.name == of.name,
        None => !of.is_merged,
    }
}

impl Conversions {
    /// Prepares lenses.
    ///
    /// # Errors
    ///
    /// Everything that is wrong in the lenses, as [`Document::read`] reports it, and a lens with functions.
    pub fn new(document: &Document) -> Result<Self, Vec<DocumentError>> {
        Self::with_code(document, &[])
    }

    /// Prepares lenses of which some are functions.
    ///
    /// # Errors
    ///
    /// Everything that is wrong in the lenses, as [`Document::read`] reports it, and functions that are missing.
    pub fn with_code(document: &Document, codes: &[Code]) -> Result<Self, Vec<DocumentError>> {
        Self::prepare(document, Registered { codes, must_be_complete: true })
    }

    /// The same for a program that may lack functions: an object that needs one cannot be converted, and the failure names the lens.
    ///
    /// # Errors
    ///
    /// Everything that is wrong in the lenses, as [`Document::read`] reports it.
    pub fn with_known_code(document: &Document, codes: &[Code]) -> Result<Self, Vec<DocumentError>> {
        Self::prepare(document, Registered { codes, must_be_complete: false })
    }

    fn prepare(document: &Document, registered: Registered<'_>) -> Result<Self, Vec<DocumentError>> {
        let lenses: Vec<(usize, Lens)> = document.lenses.iter().cloned().enumerate().collect();
        let prepared = document::prepare(&lenses, registered)?;
        let mut of_resource: BTreeMap<&str, Vec<PreparedLens>> = BTreeMap::new();
        for (index, steps) in prepared {
            if let Some((_, lens)) = lenses.get(index) {
                of_resource.entry(&lens.resource).or_default().push(PreparedLens { lens: lens.clone(), steps });
            }
        }
        let chain = |lenses: Vec<PreparedLens>| {
            let first = lenses.first().map(|prepared| prepared.lens.target());
            let is_first = |lens: &Lens| first == Some(lens.source()) && first == Some(lens.target());
            let is_of_one_kind = lenses.iter().all(|prepared| is_first(&prepared.lens));
            Chain { lenses, is_of_one_kind }
        };
        let chains: Vec<_> = of_resource.into_values().map(chain).collect();
        let mut kinds: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
        for (index, chain) in chains.iter().enumerate() {
            for (group, kind) in
                chain.lenses.iter().flat_map(|prepared| [prepared.lens.source(), prepared.lens.target()])
            {
                let entry = (group.to_owned(), index);
                let groups = kinds.entry(kind.to_owned()).or_default();
                if !groups.contains(&entry) {
                    groups.push(entry);
                }
            }
        }
        let mut removed: BTreeMap<String, Vec<Removed>> = BTreeMap::new();
        for name in &document.removed {
            removed.entry(name.kind.clone()).or_default().push(name.clone());
        }
        Ok(Self { annotation: format!("{}/conversion-data", document.prefix), chains, kinds, removed })
    }

    /// The annotation with conversion data.
    #[must_use]
    pub fn annotation(&self) -> &str {
        &self.annotation
    }

    /// The newest group and kind of the objects of a kind, if lenses go to another one.
    #[must_use]
    pub fn successor(&self, group: &str, kind: &str) -> Option<(&str, &str)> {
        let groups = self.kinds.get(kind)?;
        let (_, chain) = groups.iter().find(|(known, _)| known == group)?;
        let lenses = self.chains.get(*chain)?.lenses.iter();
        let newest = lenses.map(|prepared| prepared.lens.target()).next_back()?;
        (newest != (group, kind)).then_some(newest)
    }

    /// Compares an object with the current form, and converts a copy of an older one.
    ///
    /// `installed` is the bundle version in the stamps of the CRDs of the cluster. If it is above the bundle of the current form, an unknown
    /// field, enum value or API version is newer, unless the document lists it as removed. Otherwise it is not recognised. An object that
    /// cannot be converted is not recognised either.
    #[must_use]
    pub fn canonicalize(
        &self,
        object: &Value,
        current: &CurrentForm,
        installed: Option<BundleVersion>,
    ) -> Canonical<'_> {
        let mut converted = None;
        let mut applied = Vec::new();
        let result = check(object).and_then(|_| check_depth(object)).and_then(|()| self.needs_forward(object));
        match result {
            Ok(None) => {}
            Ok(Some(chain)) => {
                let mut copy = object.clone();
                match self.convert(chain, &mut copy, false) {
                    Ok(forward) => (converted, applied) = (Some(copy), forward.applied),
                    Err(failure) => return Canonical::Unrecognised { why: failure.to_string() },
                }
            }
            Err(failure) => return Canonical::Unrecognised { why: failure.to_string() },
        }
        let result = converted.as_ref().unwrap_or(object);
        let Some(unknown) = current.unknown(result) else {
            return match converted {
                Some(object) if !applied.is_empty() => Canonical::Converted { object, applied },
                _ => Canonical::Current,
            };
        };
        if let Some(removed) = self.find_removed(result, &unknown) {
            return Canonical::Unrecognised { why: format!("{unknown}: {removed}") };
        }
        match installed.filter(|installed| *installed > current.bundle()) {
            Some(bundle) => {
                Canonical::Newer { why: format!("{unknown}; the installed CRDs have the bundle version {bundle}") }
            }
            None => Canonical::Unrecognised { why: unknown.to_string() },
        }
    }

    fn find_removed(&self, object: &Value, unknown: &Unknown) -> Option<&Removed> {
        let (api_version, kind) = identity(object);
        let mut names = self.removed.get(kind)?.iter().filter(|removed| removed.group == group(api_version));
        names.find(|removed| removed.is_name(api_version, unknown))
    }

    /// Converts an object to the current form in place, and returns the names of the lenses that did.
    ///
    /// # Errors
    ///
    /// The first reason why the object cannot be converted. The object is left as it is.
    pub fn forward(&self, object: &mut Value) -> Result<Vec<&str>, Failure> {
        self.convert_forward(object).map(|forward| forward.applied)
    }

    /// The same, with what the conversion data keeps.
    ///
    /// # Errors
    ///
    /// The first reason why the object cannot be converted. The object is left as it is.
    pub fn convert_forward(&self, object: &mut Value) -> Result<ConvertedForward<'_>, Failure> {
        let Some(chain) = self.chain_of(check(object)?) else { return Ok(ConvertedForward::default()) };
        self.convert(chain, object, true)
    }

    /// The lens of this name.
    pub fn lens(&self, name: &str) -> Option<&Lens> {
        self.chains.iter().flat_map(|chain| &chain.lenses).map(|prepared| &prepared.lens).find(|lens| lens.name == name)
    }

    /// The names of the lenses that [`Conversions::forward`] would apply to an object, which stays as it is. It is copied only if one of them could.
    ///
    /// # Errors
    ///
    /// The first reason why the object cannot be converted.
    pub fn applied(&self, object: &Value) -> Result<Vec<&str>, Failure> {
        check(object)?;
        match self.needs_forward(object)? {
            Some(chain) => self.convert(chain, &mut object.clone(), false).map(|forward| forward.applied),
            None => Ok(Vec::new()),
        }
    }

    /// Converts a copy of an object to the form of an older bundle, for a rollback.
    ///
    /// # Errors
    ///
    /// The first reason why the object cannot be converted, such as conversion data that is too large.
    pub fn convert_back(&self, object: &Value, to: BundleVersion) -> Result<ConvertedBack<'_>, Failure> {
        check(object)?;
        check_depth(object)?;
        let mut copy = object.clone();
        let (mut applied, mut left_out, mut not_returned) = (Vec::new(), Vec::new(), Vec::new());
        let Some(chain) = self.chain(object) else {
            return Ok(ConvertedBack { object: copy, applied, left_out, not_returned });
        };
        let mut data = self.data(object)?;
        let before = data.clone();
        let chain = chain.lenses.as_slice();
        for prepared in chain.iter().rev().filter(|prepared| prepared.lens.since > to) {
            let lens = &prepared.lens;
            if !prepared.writes(&copy) || prepared.is_of_other_kind() && !is_way_back(chain, lens, &data) {
                continue;
            }
            let mut is_changed = false;
            for (index, step) in prepared.steps.iter().enumerate().rev() {
                let name = prepared.name(index);
                let done = step.backward(&mut copy, &name.own(&data.old), name);
                let done = done.map_err(|problem| prepared.failure(problem))?;
                is_changed |= done.is_changed;
                left_out.extend(name.record(done, &mut data.old, &mut data.new, &mut not_returned));
            }
            if let Some((from, to)) = &lens.identity
                && is_way_back(chain, lens, &data)
            {
                let is_known = data.identities.contains(&lens.name);
                match replace_identity(&mut copy, to, from) {
                    true => {
                        is_changed = true;
                        data.identities.retain(|name| *name != lens.name);
                    }
                    false if is_known => not_returned.push(identity_of(lens, "the object has another one")),
                    false => {}
                }
            }
            if is_changed {
                applied.push(lens.name.as_str());
            }
        }
        if data != before {
            data.write(&mut copy, &self.annotation).map_err(|why| self.failure(why))?;
        }
        Ok(ConvertedBack { object: copy, applied, left_out, not_returned })
    }

    fn chain(&self, object: &Value) -> Option<&Chain> {
        self.chain_of(identity(object))
    }

    fn chain_of(&self, (api_version, kind): (&str, &str)) -> Option<&Chain> {
        let groups = self.kinds.get(kind)?;
        let group = group(api_version);
        let (_, index) = groups.iter().find(|(of, _)| of == group)?;
        self.chains.get(*index)
    }

    pub(crate) fn failure(&self, why: String) -> Failure {
        let place = format!("metadata.annotations[{}]", Value::from(self.annotation.as_str()));
        Failure { lens: String::new(), place, why }
    }

    pub(crate) fn data(&self, object: &Value) -> Result<Data, Failure> {
        Data::read(object, &self.annotation).map_err(|why| self.failure(why))
    }

    /// The lenses of the object, if one of them would convert it as it is. A later lens can only read what the object has or what an earlier lens
    /// writes.
    fn needs_forward(&self, object: &Value) -> Result<Option<&Chain>, Failure> {
        let Some(chain) = self.chain(object) else { return Ok(None) };
        if !self.data(object)?.new.is_empty() {
            return Ok(Some(chain));
        }
        for prepared in chain.lenses.iter().filter(|prepared| chain.is_of_one_kind || prepared.reads(object)) {
            for step in &prepared.steps {
                if step.check(object, &[]).map_err(|problem| prepared.failure(problem))? {
                    return Ok(Some(chain));
                }
            }
            if prepared.lens.identity.as_ref().is_some_and(|(from, _)| has_identity(object, from)) {
                return Ok(Some(chain));
            }
        }
        Ok(None)
    }

    /// Converts an object. With `restores`, a failure leaves it as it is.
    fn convert<'c>(
        &'c self,
        chain: &'c Chain,
        object: &mut Value,
        restores: bool,
    ) -> Result<ConvertedForward<'c>, Failure> {
        let data = self.data(object)?;
        if !data.is_empty() {
            check_depth(object)?;
        }
        let mut before = Before::default();
        let result = self.convert_chain(chain, object, data, restores, &mut before);
        if result.is_err() && restores {
            before.restore(object);
        }
        result
    }

    fn convert_chain<'c>(
        &'c self,
        chain: &'c Chain,
        object: &mut Value,
        mut data: Data,
        restores: bool,
        before: &mut Before<'c>,
    ) -> Result<ConvertedForward<'c>, Failure> {
        let mut forward = ConvertedForward::default();
        let has_data = !data.is_empty();
        let mut is_kept = false;
        let Chain { lenses, is_of_one_kind } = chain;
        let last = lenses.len().saturating_sub(1);
        for (at, prepared) in lenses.iter().enumerate() {
            if !is_of_one_kind && !prepared.reads(object) {
                continue;
            }
            let mut is_changed = false;
            for (index, step) in prepared.steps.iter().enumerate() {
                let name = prepared.name(index);
                let own = name.own(&data.new);
                if own.is_empty()
                    && (before.object.is_some()
                        || !restores
                        || at == last && index + 1 == prepared.steps.len() && !has_data)
                    && let Some(renamed) = step.rename(object)
                {
                    is_changed |= renamed.map_err(|problem| prepared.failure(problem))?;
                    continue;
                }
                if !step.check(object, &own).map_err(|problem| prepared.failure(problem))? && own.is_empty() {
                    continue;
                }
                // The last step does not fail after its check, without conversion data.
                let is_last = at == last && index + 1 == prepared.steps.len();
                let can_fail = !is_last || !step.is_sure() || has_data || prepared.lens.is_merged;
                if restores && can_fail && before.object.is_none() {
                    check_depth(object)?;
                    before.object = Some(object.clone());
                }
                let done = step.forward(object, &own, name).map_err(|problem| prepared.failure(problem))?;
                is_changed |= done.is_changed;
                is_kept |= !done.left.is_empty();
                let not_returned = &mut forward.not_returned;
                forward.left_out.extend(name.record(done, &mut data.new, &mut data.old, not_returned));
            }
            if let Some((from, to)) = &prepared.lens.identity
                && has_identity(object, from)
            {
                if prepared.lens.is_merged && restores && before.object.is_none() {
                    check_depth(object)?;
                    before.object = Some(object.clone());
                }
                is_kept |= prepared.lens.is_merged;
                keep_identity(&prepared.lens, lenses, &mut data, &mut forward);
                is_changed |= replace_identity(object, from, to);
                before.identity.get_or_insert(from);
            }
            if is_changed {
                forward.applied.push(prepared.lens.name.as_str());
            }
        }
        if has_data || is_kept {
            data.write(object, &self.annotation).map_err(|why| self.failure(why))?;
        }
        Ok(forward)
    }
}

/// Keeps the identity before a merged lens, in place of an older one: the newest returns.
fn keep_identity(lens: &Lens, lenses: &[PreparedLens], data: &mut Data, forward: &mut ConvertedForward<'_>) {
    let Some((from, to)) = &lens.identity else { return };
    let has_end = |lens: &Lens| lens.identity.as_ref().is_some_and(|(_, end)| end == to);
    for other in lenses.iter().map(|other| &other.lens).filter(|other| has_end(other)) {
        let is_kept = data.identities.contains(&other.name);
        data.identities.retain(|name| *name != other.name);
        if is_kept && other.name != lens.name {
            forward.not_returned.push(identity_of(other, "the object had a newer one"));
        }
    }
    if lens.is_merged {
        forward.left_out.push(LeftOut { lens: lens.name.clone(), place: identity_key(from, to) });
        data.identities.push(lens.name.clone());
    }
}

/// The field that shows the identity before a lens.
fn identity_key(from: &Identity, to: &Identity) -> String {
    if from.kind == to.kind { "apiVersion" } else { "kind" }.to_owned()
}

/// The identity before a lens, which does not return.
fn identity_of(lens: &Lens, why: &'static str) -> NotReturned {
    let place = lens.identity.as_ref().map_or_else(String::new, |(from, to)| identity_key(from, to));
    NotReturned { lens: lens.name.clone(), place, why }
}

impl Name<'_> {
    /// Takes what returned out of the conversion data, adds what the step left, and names both what stays and what is left.
    fn record(
        self,
        done: Done,
        from: &mut Vec<Entry>,
        to: &mut Vec<Entry>,
        not_returned: &mut Vec<NotReturned>,
    ) -> Vec<LeftOut> {
        let lens = || self.lens.to_owned();
        let mut returned = done.fates.iter().map(Vec::is_empty);
        from.retain(|entry| !self.is_of(entry) || !returned.next().unwrap_or_default());
        let fates = done.fates.into_iter().flatten();
        not_returned.extend(fates.map(|(place, why)| NotReturned { lens: lens(), place, why }));
        let (places, entries): (Vec<Vec<String>>, Vec<_>) = done.left.into_iter().unzip();
        data::add(to, entries);
        places.into_iter().flatten().map(|place| LeftOut { lens: lens(), place }).collect()
    }
}

fn has_identity(object: &Value, wanted: &Identity) -> bool {
    identity(object) == (wanted.api_version.as_str(), wanted.kind.as_str())
}

fn has_kind(object: &Value, wanted: (&str, &str)) -> bool {
    let (api_version, kind) = identity(object);
    (group(api_version), kind) == wanted
}

fn replace_identity(object: &mut Value, from: &Identity, to: &Identity) -> bool {
    let is_here = has_identity(object, from);
    if is_here {
        write_identity(object, to);
    }
    is_here
}

/// The `apiVersion` and `kind` of an object, which must be strings.
fn check(object: &Value) -> Result<(&str, &str), Failure> {
    let text = |key: &str| {
        let why = || Failure { lens: String::new(), place: key.to_owned(), why: "it must be a string".to_owned() };
        object.get(key).and_then(Value::as_str).ok_or_else(why)
    };
    Ok((text("apiVersion")?, text("kind")?))
}

fn write_identity(object: &mut Value, identity: &Identity) {
    if let Some(object) = object.as_object_mut() {
        object.insert("apiVersion".to_owned(), identity.api_version.as_str().into());
        object.insert("kind".to_owned(), identity.kind.as_str().into());
    }
}

/// Checked before anything that recurses into values: comparing, copying, writing.
pub(crate) fn check_depth(object: &Value) -> Result<(), Failure> {
    if !is_deeper(object, DEEPEST) {
        return Ok(());
    }
    let why = format!("it has more than {DEEPEST} levels");
    Err(Failure { lens: String::new(), place: "the object".to_owned(), why })
}
