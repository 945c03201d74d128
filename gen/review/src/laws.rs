//! The laws of lenses, on objects: what is converted is accepted by the CRDs of the other form, and returns.
//!
//! The objects are generated from the CRDs of the releases on both sides of a lens, with values on the edges of the schema, and are accepted by
//! them, CEL rules included. For each of them:
//!
//! * The new form is contained in the schema of its release and of the current one. The CRDs of the other side accept what a lens writes; they
//!   can refuse a value that the lens does not touch, because other changes of the release have their own findings.
//! * Backward after forward gives the same object, and forward after backward too, except for what a lens declares lost.
//! * An edit of one value changes only that value in the other form.
//!
//! Invariants: the same lenses, releases and count give the same result. Nothing is written.

mod form;
mod place;

use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use crd_apiserver::objects::{Answer, Step as ErrorStep};
use crd_boundary::Dice;
use crd_bundle::{BundleVersion, Release};
use crd_convert::path::Segment;
use crd_convert::{Code, Conversions, Document, DocumentError, Failure, Lens, OperationKind, Path, Step};
use crd_model::parallel;
use serde_json::{Map, Value};

use form::{Form, SEED, versions};
use place::{Place, covers, differences, scalars_mut, show};

/// What is proven, and on how many objects.
#[derive(Clone, Copy, Debug)]
pub struct Laws<'p> {
    pub document: &'p Document,
    /// The functions of those that are code.
    pub functions: &'p [Code],
    /// The releases, lowest version first. The last one has the current form.
    pub releases: &'p [(BundleVersion, &'p Release)],
    /// The objects for each lens and direction.
    pub count: usize,
}

/// What was found about a lens.
#[derive(Debug)]
pub struct Proven<'p> {
    pub lens: &'p Lens,
    pub forward: Objects,
    pub backward: Objects,
    /// The shortest object that breaks each law.
    pub broken: Vec<Broken>,
    /// Why there is nothing to prove it with.
    pub unproven: Option<Unproven>,
}

/// The objects of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// How many the lens converted.
    pub converted: usize,
    /// How many of those the CRDs of the other side accept as they are.
    pub accepted: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// Every object of one form has the other one.
    Total,
    /// The result is contained in the schema of the other side.
    Contained,
    /// The CRD of the other side accepts what the lens writes.
    Accepted,
    /// Backward after forward gives the same object.
    Returns,
    /// Forward after backward gives the same object.
    Restored,
    /// An edit of one value changes nothing else.
    Edit,
}

/// An object that breaks a law.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    pub law: Law,
    pub object: Value,
    /// What the lenses make of it; nothing if they refuse it.
    pub converted: Option<Value>,
    /// What is wrong, in one sentence without the lens.
    pub problem: String,
}

/// Why there is nothing to prove a lens with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproven {
    /// No release with one of its forms is known: the history begins later, or has a gap with another lens, or the type that has the lens is
    /// new in this place.
    NoRelease,
    /// The release before the lens does not have the old form.
    NoOldForm(BundleVersion),
    /// The first release with the lens does not have the new form.
    NoNewForm(BundleVersion),
    /// No accepted object with the old form was found.
    NoObject(BundleVersion),
    /// The lens converts none of the objects with the old form.
    NotApplied(BundleVersion),
}

impl fmt::Display for Unproven {
    /// A sentence without the lens.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRelease => formatter.write_str("no release with one of its forms is known"),
            Self::NoOldForm(bundle) => write!(formatter, "{bundle}, the release before it, does not have its old form"),
            Self::NoNewForm(bundle) => write!(formatter, "{bundle} does not have its new form"),
            Self::NoObject(bundle) => write!(formatter, "no object with its old form that {bundle} accepts was found"),
            Self::NotApplied(bundle) => write!(formatter, "it converts no object of {bundle} that has its old form"),
        }
    }
}

impl<'p> Laws<'p> {
    /// Checks the laws on every lens, sorted by resource and bundle.
    ///
    /// # Errors
    /// What is wrong in the lenses themselves.
    pub fn prove(self) -> Result<Vec<Proven<'p>>, Vec<DocumentError>> {
        let mut lenses = self.document.lenses.iter().collect::<Vec<_>>();
        lenses.sort_by_key(|lens| (&lens.resource, lens.since));
        let bundles = lenses.chunk_by(|one, other| (&one.resource, one.since) == (&other.resource, other.since));
        let steps = |lenses: &&[&Lens]| lenses.iter().map(|lens| lens.steps.len()).sum();
        let bundles = bundles.collect::<Vec<_>>();
        let proven = parallel::each_largest_first(&bundles, steps, |lenses| self.of_bundle(lenses));
        Ok(proven.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// The lenses of one resource and bundle.
    fn of_bundle(self, lenses: &[&'p Lens]) -> Result<Vec<Proven<'p>>, Vec<DocumentError>> {
        let Some(first) = lenses.first() else { return Ok(Vec::new()) };
        let with_lenses = |is_one: &dyn Fn(&Lens) -> bool| {
            let mut document = self.document.clone();
            document.lenses.retain(|lens| lens.resource == first.resource && is_one(lens));
            Conversions::with_code(&document, self.functions)
        };
        let chain = with_lenses(&|lens| lens.since <= first.since)?;
        let whole = with_lenses(&|_| true)?;
        let mut check = Check {
            laws: self,
            steps: &steps(lenses),
            chain: &chain,
            whole: &whole,
            proven: lenses.iter().map(|lens| Proven::of(lens)).collect(),
            forms: Vec::new(),
        };
        let mut after = 0;
        for (index, lens) in lenses.iter().enumerate() {
            let before = after;
            after += lens.steps.len();
            check.lens(index, before..after);
        }
        Ok(check.proven)
    }
}

/// A step with its places in the release before, which earlier steps of the bundle have changed when it applies.
struct Placed<'p> {
    step: &'p Step,
    reads: Vec<Path>,
    /// The lists with keys.
    lists: Vec<(Path, &'p [String])>,
}

/// The steps of one resource and bundle.
fn steps<'p>(lenses: &[&'p Lens]) -> Vec<Placed<'p>> {
    let steps = lenses.iter().flat_map(|lens| &lens.steps).collect::<Vec<_>>();
    let placed = steps.iter().enumerate().map(|(index, step)| {
        let old =
            |place: &Path| steps[..index].iter().rev().fold(place.clone(), |place, step| step.operation.before(&place));
        let reads = step.operation.reads().into_iter().map(old).collect();
        Placed { step, reads, lists: step.keys.iter().map(|(list, keys)| (old(list), keys.as_slice())).collect() }
    });
    placed.collect()
}

/// The check of the lenses of one resource and bundle.
struct Check<'p, 'c> {
    laws: Laws<'p>,
    /// The steps of the lenses.
    steps: &'c [Placed<'p>],
    /// The lenses of the resource up to the bundle.
    chain: &'c Conversions,
    /// All lenses of the resource.
    whole: &'c Conversions,
    /// What is found about each lens.
    proven: Vec<Proven<'p>>,
    /// Forms that are prepared already.
    forms: Vec<Rc<Form<'p>>>,
}

/// A release with the form that it has.
struct Side<'p> {
    bundle: BundleVersion,
    form: Rc<Form<'p>>,
}

impl<'p> Check<'p, '_> {
    /// Checks the lens at this index, which has these steps.
    fn lens(&mut self, index: usize, steps: Range<usize>) {
        let Proven { lens, forward, backward, .. } = self.proven[index];
        let own = self.steps.get(steps).unwrap_or_default();
        match self.sides(lens, own) {
            Err(unproven) => self.proven[index].unproven = Some(unproven),
            Ok((old, new)) => {
                // Objects of earlier lenses count, if this one converts them too.
                let left = self.laws.count.saturating_sub(forward.converted);
                let objects = {
                    let (samples, is_wanted) = (self.samples(own, &old.form), self.is_wanted(None));
                    old.form.objects(&reads(own), left, samples, &is_wanted)
                };
                self.forward(index, &old, &new, objects);
                if self.proven[index].unproven.is_some() {
                    return;
                }
                // Without a way back of its own, the objects above return through the conversion data, or without a value.
                let is_dropped = |placed: &Placed<'_>| matches!(placed.step.operation.kind, OperationKind::Drop { .. });
                let has_way_back = !lens.is_merged && (lens.identity.is_some() || !own.iter().all(is_dropped));
                let left = if has_way_back { self.laws.count.saturating_sub(backward.converted) } else { 0 };
                let objects = {
                    let is_wanted = self.is_wanted(Some(old.bundle));
                    let samples = self.samples(own, &old.form).into_iter().filter_map(|mut sample| {
                        self.chain.forward(&mut sample).ok()?;
                        Some(sample)
                    });
                    new.form.objects(&writes(own), left, samples.collect(), &is_wanted)
                };
                self.backward(index, &old, objects);
            }
        }
    }

    /// The examples of functions in the old form: nothing else shows what they accept.
    fn samples(&self, own: &[Placed<'p>], old: &Form<'_>) -> Vec<Value> {
        let samples = own.iter().filter_map(|placed| {
            let operation = &placed.step.operation;
            let OperationKind::Code { name } = &operation.kind else { return None };
            let code = self.laws.functions.iter().find(|code| code.name == name)?;
            let mut object = Value::Object(Map::new());
            operation.write_sample(&mut object, serde_json::from_str(code.example).ok()?);
            old.complete(object)
        });
        samples.collect()
    }

    /// Whether functions take an object, forward or back to a bundle. They can refuse one with a reason of their own.
    fn is_wanted(&self, back: Option<BundleVersion>) -> impl Fn(&Value) -> bool + use<'_, 'p> {
        let has_functions =
            self.steps.iter().any(|placed| matches!(placed.step.operation.kind, OperationKind::Code { .. }));
        move |object| {
            let result = match back {
                _ if !has_functions => Ok(()),
                Some(bundle) => self.chain.convert_back(object, bundle).map(drop),
                None => self.chain.forward(&mut object.clone()).map(drop),
            };
            !result.is_err_and(|failure| failure.is_refusal())
        }
    }

    /// The forms before and after a lens.
    fn sides(&mut self, lens: &Lens, own: &[Placed<'p>]) -> Result<(Side<'p>, Side<'p>), Unproven> {
        let releases = self.laws.releases;
        let mut find =
            |(bundle, release): (BundleVersion, &'p Release), kind, api_version: Option<&str>, places: &[Path]| {
                let wanted = api_version.and_then(|known| Some(known.rsplit_once('/')?.1));
                let mut versions =
                    versions(release, kind).filter(|(_, known)| wanted.is_none_or(|name| *known.name == *name));
                let (crd, version) =
                    versions.find(|(_, version)| places.iter().all(|place| Form::has(version, place)))?;
                let form = match self.forms.iter().find(|form| form.is_version(version)) {
                    Some(form) => Rc::clone(form),
                    None => {
                        self.forms.push(Rc::new(Form::prepare(crd, version)?));
                        Rc::clone(self.forms.last()?)
                    }
                };
                Some(Side { bundle, form })
            };
        let identity = lens.identity.as_ref();
        let last = releases.iter().rev().find(|(bundle, _)| *bundle < lens.since);
        let last = *last.ok_or(Unproven::NoRelease)?;
        // With a gap in the history, another lens of the resource can have changed the form meanwhile.
        let has_other = |is_between: &dyn Fn(BundleVersion) -> bool| {
            let mut others = self.laws.document.lenses.iter().filter(|other| other.resource == lens.resource);
            others.any(|other| is_between(other.since))
        };
        let is_before = has_other(&|since| last.0 < since && since < lens.since);
        let old = find(last, lens.source(), identity.map(|(from, _)| &*from.api_version), &reads(own));
        let first = releases.iter().find(|(bundle, _)| *bundle >= lens.since);
        let first = *first.ok_or(Unproven::NoNewForm(lens.since))?;
        let new = find(first, lens.target(), identity.map(|(_, to)| &*to.api_version), &writes(own));
        let is_after = has_other(&|since| lens.since < since && since <= first.0);
        let new = new.ok_or(if is_after { Unproven::NoRelease } else { Unproven::NoNewForm(first.0) });
        // A type that has lenses can come to a new place.
        let is_new = |placed: &Placed<'_>| {
            let holder = Path::new(placed.step.operation.holder());
            holder
                .is_some_and(|holder| versions(last.1, lens.source()).all(|(_, version)| !Form::has(version, &holder)))
        };
        let is_new_here = || new.is_ok() && identity.is_none() && own.iter().all(is_new);
        let Some(old) = old else {
            return Err(if is_before || is_new_here() { Unproven::NoRelease } else { Unproven::NoOldForm(last.0) });
        };
        Ok((old, new?))
    }

    /// Whether a lens of the bundle declares that the value at a place is lost, in either form.
    fn is_lost(&self, place: &Place) -> bool {
        self.steps.iter().filter(|placed| placed.step.loses().is_some()).any(|placed| {
            match &placed.step.operation.kind {
                OperationKind::Drop { .. } | OperationKind::ListToMap { .. } | OperationKind::Values { .. } => placed
                    .step
                    .operation
                    .reads()
                    .into_iter()
                    .chain(&placed.reads)
                    .any(|path| covers(path.segments(), place)),
                // An empty object around the new field.
                _ => {
                    let is_around =
                        |path: &&Path| path.segments().len() > place.len() && covers(place, path.segments());
                    placed.step.operation.writes().iter().any(is_around)
                }
            }
        })
    }

    fn forward(&mut self, index: usize, old: &Side<'p>, new: &Side<'p>, objects: Vec<Value>) {
        let writes = writes(self.steps);
        let mut dice = Dice::new(SEED);
        let generated = objects.len();
        for object in objects {
            let mut converted = object.clone();
            let applied = match self.chain.forward(&mut converted) {
                Ok(applied) => applied,
                Err(failure) => {
                    self.fails(index, &object, &failure);
                    continue;
                }
            };
            let places = differences(&converted, &new.form.pruned(&converted));
            let dropped = places.iter().find(|place| writes.iter().any(|path| covers(path.segments(), place)));
            if let Some(place) = dropped {
                let problem = format!("{} of the new form is not in the schema of {}", show(place), new.bundle);
                self.breaks(index, Law::Contained, &object, Some(&converted), problem);
            }
            let answer = new.form.answer(converted.clone());
            if let Some(error) = refusal(&answer, &writes) {
                let problem = format!("the CRD of {} refuses the new form: {error}", new.bundle);
                self.breaks(index, Law::Accepted, &object, Some(&converted), problem);
            }
            self.count(&applied, answer.is_accepted(), |proven| &mut proven.forward);
            self.becomes_current(index, &object);
            match self.chain.convert_back(&converted, old.bundle) {
                Err(failure) => self.fails(index, &converted, &failure),
                Ok(back) => self.compare(index, Law::Returns, &object, &back.object, &converted),
            }
            self.edit(index, &object, &converted, &mut dice);
        }
        let proven = &mut self.proven[index];
        let has_form = proven.broken.iter().all(|broken| broken.law != Law::Total);
        if proven.forward.converted == 0 && has_form {
            // What else is wrong follows from that.
            proven.broken.clear();
            proven.unproven = Some(match generated {
                0 => Unproven::NoObject(old.bundle),
                _ => Unproven::NotApplied(old.bundle),
            });
        }
    }

    fn backward(&mut self, index: usize, old: &Side<'p>, objects: Vec<Value>) {
        let reads = reads(self.steps);
        let mut dice = Dice::new(SEED);
        for object in objects {
            let back = match self.chain.convert_back(&object, old.bundle) {
                Ok(back) => back,
                Err(failure) => {
                    self.fails(index, &object, &failure);
                    continue;
                }
            };
            // Another lens can lead back to another version.
            let is_old = old.form.is_of(&back.object);
            let answer = if is_old { old.form.answer(back.object.clone()) } else { Answer::default() };
            if let Some(error) = refusal(&answer, &reads) {
                let problem = format!("the CRD of {} refuses the old form: {error}", old.bundle);
                self.breaks(index, Law::Accepted, &object, Some(&back.object), problem);
            }
            self.count(&back.applied, is_old && answer.is_accepted(), |proven| &mut proven.backward);
            let mut again = back.object.clone();
            match self.chain.forward(&mut again) {
                Err(failure) => self.fails(index, &back.object, &failure),
                Ok(_) => {
                    self.compare(index, Law::Restored, &object, &again, &back.object);
                    self.edit(index, &back.object, &again, &mut dice);
                }
            }
        }
    }

    /// Counts an object for each lens that converted it.
    fn count(
        &mut self,
        applied: &[&str],
        is_accepted: bool,
        objects: for<'o> fn(&'o mut Proven<'p>) -> &'o mut Objects,
    ) {
        for proven in self.proven.iter_mut().filter(|proven| applied.contains(&&*proven.lens.name)) {
            let objects = objects(proven);
            objects.converted += 1;
            objects.accepted += usize::from(is_accepted);
        }
    }

    fn fails(&mut self, index: usize, object: &Value, failure: &Failure) {
        let Failure { place, why, .. } = failure;
        let place = if place.is_empty() { String::new() } else { format!(" at {place}") };
        self.breaks(index, Law::Total, object, None, format!("an object has no other form{place}: {why}"));
    }

    /// Keeps the shortest object that breaks a law; of equally long ones, the first in order of the alphabet.
    fn breaks(&mut self, index: usize, law: Law, object: &Value, converted: Option<&Value>, problem: String) {
        let broken = Broken { law, object: object.clone(), converted: converted.cloned(), problem };
        let known = &mut self.proven[index].broken;
        let text = |broken: &Broken| broken.object.to_string();
        let order = |broken: &Broken| (text(broken).len(), text(broken));
        match known.iter_mut().find(|known| known.law == law) {
            Some(known) if order(known) <= order(&broken) => {}
            Some(known) => *known = broken,
            None => known.push(broken),
        }
    }

    fn compare(&mut self, index: usize, law: Law, object: &Value, returned: &Value, between: &Value) {
        if let Some(place) = differences(object, returned).iter().find(|place| !self.is_lost(place)) {
            let value = |object| place::values(object, place);
            let (was, is) = (value(object), value(returned));
            let problem = format!("{} does not return: {was} became {is}", show(place));
            self.breaks(index, law, object, Some(between), problem);
        }
    }

    /// The current schema has every field of the current form, except for removed ones without a lens.
    fn becomes_current(&mut self, index: usize, object: &Value) {
        let mut current = object.clone();
        let Some((bundle, last)) = self.laws.releases.last() else { return };
        match self.whole.forward(&mut current) {
            Ok(_) => {}
            Err(failure) if failure.is_refusal() => return,
            Err(failure) => return self.fails(index, object, &failure),
        }
        let text = |key: &str| current.get(key).and_then(Value::as_str).unwrap_or_default();
        let (group, name) = text("apiVersion").rsplit_once('/').unwrap_or_default();
        let mut versions = versions(last, (group, text("kind")));
        let Some((_, version)) = versions.find(|(_, version)| version.served && version.name == *name) else {
            let problem =
                format!("{} {} of the current form is not served by {}", text("apiVersion"), text("kind"), bundle);
            return self.breaks(index, Law::Contained, object, Some(&current), problem);
        };
        let pruned = form::pruned(version, &current);
        let removed = |place: &Place| {
            let mut names = self.laws.document.removed.iter().filter_map(|name| name.path.as_ref());
            names.any(|path| covers(path.segments(), place))
        };
        if let Some(place) = differences(&current, &pruned).iter().find(|place| !removed(place)) {
            let problem = format!("{} is not in the schema of {}, and no lens converts it", show(place), bundle);
            self.breaks(index, Law::Contained, object, Some(&current), problem);
        }
    }

    /// Edits one value of the old form, and compares the new forms.
    fn edit(&mut self, index: usize, old: &Value, new: &Value, dice: &mut Dice) {
        let mut edited = old.clone();
        let mut scalars = scalars_mut(&mut edited);
        let chosen = dice.below(scalars.len());
        let Some((place, scalar)) = scalars.get_mut(chosen) else { return };
        match scalar {
            Value::String(text) => text.push('x'),
            Value::Bool(is_set) => *is_set = !*is_set,
            Value::Number(number) => **scalar = Value::from(number.as_i64().unwrap_or(0).wrapping_add(1)),
            _ => return,
        }
        let place = place.clone();
        let is_key = |(list, keys): &(Path, &[String])| {
            let field = place.strip_prefix(list.segments());
            matches!(field, Some([Segment::Field(name)]) if keys.contains(name))
        };
        // With another key it is another item.
        if self.steps.iter().flat_map(|placed| &placed.lists).any(is_key) {
            return;
        }
        let mut converted = edited.clone();
        // A value that the edit made invalid can have no new form.
        if self.chain.forward(&mut converted).is_err() {
            return;
        }
        let is_read = |placed: &&Placed<'_>| {
            let operation = &placed.step.operation;
            match operation.kind {
                // Functions read all of what they get.
                OperationKind::Code { .. } => covers(operation.holder(), &place),
                _ => operation.reads().into_iter().chain(&placed.reads).any(|path| covers(path.segments(), &place)),
            }
        };
        let images = self.steps.iter().filter(is_read).flat_map(|placed| placed.step.operation.writes());
        let images = images.collect::<Vec<_>>();
        // The conversion data belongs to no form: it has what the other form cannot express, and digests of what is around it.
        let data = format!("{}/conversion-data", self.laws.document.prefix);
        let data = ["metadata", "annotations", &data].map(|name| Segment::Field(name.to_owned()));
        let is_image = |other: &Place| {
            *other == place
                || *other == data
                || images.iter().any(|path| covers(path.segments(), other) || covers(other, path.segments()))
        };
        if let Some(other) = differences(new, &converted).iter().find(|other| !is_image(other)) {
            let problem = format!("an edit of {} changes {}", show(&place), show(other));
            self.breaks(index, Law::Edit, &edited, Some(&converted), problem);
        }
    }
}

/// Why the other side refuses what is at these places.
fn refusal(answer: &Answer, places: &[Path]) -> Option<String> {
    let errors = answer.errors.iter().chain(&answer.undecided);
    let mut own = errors.filter(|error| {
        let segment = |step: &ErrorStep| match step {
            ErrorStep::Field(name) => Segment::Field(name.clone()),
            ErrorStep::Item(_) => Segment::Item,
        };
        let place = error.steps.iter().map(segment).collect::<Place>();
        places.iter().any(|path| covers(path.segments(), &place))
    });
    own.next().map(ToString::to_string)
}

/// The old places of steps, in the release before.
fn reads(steps: &[Placed<'_>]) -> Vec<Path> {
    steps.iter().flat_map(|placed| placed.reads.iter().cloned()).collect()
}

fn writes(steps: &[Placed<'_>]) -> Vec<Path> {
    steps.iter().flat_map(|placed| placed.step.operation.writes()).cloned().collect()
}

impl<'p> Proven<'p> {
    fn of(lens: &'p Lens) -> Self {
        let (forward, backward) = (Objects::default(), Objects::default());
        Self { lens, forward, backward, broken: Vec::new(), unproven: None }
    }
}
