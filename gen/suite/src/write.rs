//! Proposes cases for what no case shows yet.
//!
//! ```text
//! uncovered elements → requests on both sides → merged → the answers of every channel and minor → named
//! ```
//!
//! Invariants: a proposed case adds to what the cases before it show. The same CRDs and cases give the same proposal.

mod answers;
mod found;
mod merged;
mod names;

use std::collections::BTreeSet;
use std::sync::Arc;

use crd_apiserver::objects::RuleProblem;
use crd_boundary::Keyword;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::schema::SchemaPath;
use serde_json::{Value, json};

use crate::case::{Case, Expected, NAME};
use crate::coverage::coverage;
use crate::element::{Element, Place, Requirement, elements};
use crate::kinds::Kinds;
use crate::mutant::{Mutant, mutants};
use crate::mutation::{Notice, Run, Verdict};
use crate::run::failure;
use answers::{Served, expected, is_alike};
use crd_model::path::value_at;
use found::{Finder, request};
use merged::{merged, tidy};

/// How many elements one proposed case is for.
const MOST_ELEMENTS: usize = 12;

/// The CRDs of some channels, for which cases are proposed.
#[derive(Debug)]
pub struct Proposal<'p> {
    apis: &'p [(Channel, Vec<Arc<CustomResourceDefinition>>)],
    served: Vec<Served>,
    /// The cases that exist.
    known: Vec<Case>,
    /// What is proposed.
    new: Vec<Case>,
}

/// A request, and the elements that it is for.
struct Candidate {
    case: Case,
    /// The smallest object of its version.
    base: Value,
    elements: Vec<usize>,
    is_accepted: bool,
}

impl<'p> Proposal<'p> {
    /// A proposal that adds to these cases.
    ///
    /// # Errors
    /// Every rule that does not compile.
    pub fn new(
        apis: &'p [(Channel, Vec<Arc<CustomResourceDefinition>>)],
        minors: &[u32],
        known: Vec<Case>,
    ) -> Result<Self, Vec<RuleProblem>> {
        let of_channel = |(channel, crds): &(Channel, Vec<Arc<CustomResourceDefinition>>)| {
            let kinds = minors.iter().map(|minor| Kinds::prepare(crds, *minor).map(|kinds| (*minor, kinds)));
            kinds.collect::<Result<Vec<_>, _>>().map(|kinds| Served { channel: *channel, kinds })
        };
        let served = apis.iter().map(of_channel).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { apis, served, known, new: Vec::new() })
    }

    /// The proposed cases.
    #[must_use]
    pub fn cases(self) -> Vec<Case> {
        self.new
    }

    /// Proposes cases for every element that no case shows.
    pub fn cover(&mut self) {
        for (channel, crds) in self.apis {
            self.begin(*channel, crds);
            let elements = elements(crds);
            for candidate in self.candidates(*channel, crds, &elements) {
                let about = candidate.elements.iter().map(|index| &elements[*index]).collect::<Vec<_>>();
                self.add(candidate.case, *channel, crds, &about);
            }
        }
    }

    /// Proposes the smallest object of each kind that has no case. The other cases are edits of it.
    fn begin(&mut self, channel: Channel, crds: &[Arc<CustomResourceDefinition>]) {
        let Some(kinds) = self.newest(channel) else { return };
        let mut finder = Finder::new(crds, kinds, &[]);
        let mut found = Vec::new();
        for (index, crd) in crds.iter().enumerate() {
            let is_known = self.cases_so_far().any(|case| case.object["kind"] == *crd.names.kind);
            let version = crd.versions.iter().position(|version| version.served).filter(|_| !is_known);
            let place =
                version.map(|version| Place { crd: index, version, path: SchemaPath::root(), within: Vec::new() });
            found.extend(place.and_then(|place| finder.base(&place)).map(|object| (object, &crd.names.kind)));
        }
        drop(finder);
        for (object, kind) in found {
            let name = format!("a small {kind}");
            self.new.extend(expected(request(&object, false), channel, &self.served).map(|case| Case { name, ..case }));
        }
    }

    fn newest(&self, channel: Channel) -> Option<&Kinds> {
        self.served.iter().find(|served| served.channel == channel).and_then(Served::newest)
    }

    /// Proposes cases for the mutants that no case notices.
    ///
    /// # Errors
    /// Every rule that does not compile.
    pub fn kill(&mut self, threads: usize) -> Result<(), Vec<RuleProblem>> {
        for ((channel, crds), minor) in self.apis.iter().zip(self.newest_minors()) {
            let elements = elements(crds);
            let mutants = mutants(&elements, crds);
            let cases = self.of_channel(*channel);
            let verdicts = Run { crds, cases: &cases, minor, threads, progress: &|_| {} }.verdicts(&mutants)?;
            let mut found: Vec<(Case, Mutant)> = Vec::new();
            for (mutant, verdict) in mutants.into_iter().zip(verdicts) {
                let Verdict::Survived { notice } = verdict else { continue };
                let Notice { old, object, is_status, .. } = *notice;
                let case = Case { old, is_status, ..request(&object, false) };
                found.extend(expected(named(case), *channel, &self.served).map(|case| (case, mutant)));
            }
            // One case often notices several mutants.
            let (cases, survivors): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            let run = Run { crds, cases: &cases, minor, threads, progress: &|_| {} };
            let killers = run.killers(&survivors)?.into_iter().flatten().collect::<BTreeSet<_>>();
            for (case, mutant) in killers.into_iter().map(|killer| (&cases[killer], &survivors[killer])) {
                let about = mutant.element.map(|index| &elements[index]);
                self.add(case.clone(), *channel, crds, about.as_slice());
            }
        }
        Ok(())
    }

    fn newest_minors(&self) -> Vec<u32> {
        self.served.iter().filter_map(|served| Some(served.kinds.last()?.0)).collect()
    }

    fn add(&mut self, case: Case, channel: Channel, crds: &[Arc<CustomResourceDefinition>], about: &[&Element]) {
        let Some(mut case) = expected(case, channel, &self.served) else { return };
        let is_known = |known: &Case| {
            known.channel.is_none_or(|own| Some(own) == case.channel)
                && (&known.old, &known.object, known.is_status) == (&case.old, &case.object, case.is_status)
        };
        if self.cases_so_far().any(is_known) {
            return;
        }
        let is_taken = |name: &str| self.cases_so_far().any(|known| known.name == name && same_kind(known, &case));
        case.name = names::name(about, crds, &case.expected, is_taken);
        self.new.push(case);
    }

    fn cases_so_far(&self) -> impl Iterator<Item = &Case> {
        self.known.iter().chain(&self.new)
    }

    /// The cases so far that apply to a channel.
    fn of_channel(&self, channel: Channel) -> Vec<Case> {
        self.cases_so_far().filter(|case| case.channel.is_none_or(|own| own == channel)).cloned().collect()
    }

    /// Requests for what no case of the channel shows, merged.
    fn candidates(
        &self,
        channel: Channel,
        crds: &[Arc<CustomResourceDefinition>],
        elements: &[Element],
    ) -> Vec<Candidate> {
        let Some(kinds) = self.newest(channel) else { return Vec::new() };
        let known = self.of_channel(channel);
        let mut shown = Shown::default();
        for (index, hits) in coverage(elements, crds, &known, kinds).hits.iter().enumerate() {
            shown.fired.extend((!hits.fired.is_empty()).then_some(index));
            shown.satisfied.extend((!hits.satisfied.is_empty()).then_some(index));
        }
        let mut finder = Finder::new(crds, kinds, &known);
        let mut pool = Vec::new();
        for (index, element) in elements.iter().enumerate() {
            let is_open =
                !shown.satisfied.contains(&index) || element.requirement.refuses() && !shown.fired.contains(&index);
            let requests = if is_open { finder.requests(element) } else { Vec::new() };
            for (case, base) in requests {
                let tidied = Case { object: tidy(&case.object), ..case.clone() };
                let is_same =
                    kinds.answer(&tidied).zip(kinds.answer(&case)).is_some_and(|(new, old)| is_alike(&new, &old));
                let case = if is_same { tidied } else { case };
                let answer = kinds.answer(&case).filter(|answer| answer.undecided.is_empty());
                pool.extend(answer.map(|answer| Candidate {
                    case,
                    base,
                    elements: vec![index],
                    is_accepted: answer.is_accepted(),
                }));
            }
        }
        // Values at bounds show more than the bound.
        pool.sort_by_key(|candidate| !(candidate.is_accepted && is_bound(&elements[candidate.elements[0]])));
        chosen(pool, crds, elements, kinds, shown)
    }
}

/// The elements that cases show.
#[derive(Default)]
struct Shown {
    fired: BTreeSet<usize>,
    satisfied: BTreeSet<usize>,
}

/// The requests that show more than those before them, joined where that is possible.
fn chosen(
    pool: Vec<Candidate>,
    crds: &[Arc<CustomResourceDefinition>],
    elements: &[Element],
    kinds: &Kinds,
    mut shown: Shown,
) -> Vec<Candidate> {
    let cases = pool.iter().map(Candidate::case).collect::<Vec<_>>();
    let hits = coverage(elements, crds, &cases, kinds).hits;
    let mut chosen: Vec<Candidate> = Vec::new();
    for (number, candidate) in pool.into_iter().enumerate() {
        let index = candidate.elements[0];
        let is_new = match candidate.is_accepted {
            true => is_bound(&elements[index]) || shown.satisfied.insert(index),
            false => shown.fired.insert(index),
        };
        if !is_new {
            continue;
        }
        for (index, hits) in hits.iter().enumerate() {
            shown.fired.extend(hits.fired.contains(&number).then_some(index));
            shown.satisfied.extend(hits.satisfied.contains(&number).then_some(index));
        }
        let fits = |other: &Candidate| candidate.is_accepted || is_near(&elements[other.elements[0]], &elements[index]);
        let joined = chosen
            .iter()
            .enumerate()
            .filter(|(_, other)| fits(other))
            .find_map(|(place, other)| Some((place, other.joined(&candidate, kinds)?)));
        match joined {
            Some((place, joined)) => chosen[place] = joined,
            None => chosen.push(candidate),
        }
    }
    chosen
}

impl Candidate {
    fn case(&self) -> Case {
        let expected = if self.is_accepted { self.case.expected.clone() } else { Expected::Refused(Vec::new()) };
        Case { expected, ..self.case.clone() }
    }

    /// One request with the edits of both, if it is answered like both.
    fn joined(&self, other: &Self, kinds: &Kinds) -> Option<Self> {
        let (one, two) = (&self.case, &other.case);
        let is_plain = one.is_status == two.is_status && (one.is_status || one.old.is_none() && two.old.is_none());
        let is_like = is_plain && self.is_accepted == other.is_accepted && self.base == other.base;
        if !is_like || self.elements.len() + other.elements.len() > MOST_ELEMENTS {
            return None;
        }
        let object = merged(Some(&self.base), Some(&one.object), Some(&two.object)).ok()??;
        let expected = match (&one.expected, &two.expected) {
            (Expected::Accepted { parts, .. }, Expected::Accepted { parts: others, .. }) => {
                let parts = parts.iter().chain(others).cloned().collect();
                Expected::Accepted { stored: None, parts, warnings: None }
            }
            (expected, _) => expected.clone(),
        };
        let case = Case { expected, ..request(&object, one.is_status) };
        // A default is filled in where nothing is.
        if let Expected::Accepted { parts, .. } = &case.expected
            && parts.iter().any(|(path, _)| value_at(&case.object, path).is_some())
        {
            return None;
        }
        let answer = kinds.answer(&case)?;
        let elements = self.elements.iter().chain(&other.elements).copied().collect::<Vec<_>>();
        let is_answered = match self.is_accepted {
            true => failure(&case, &answer).is_none(),
            false => answer.errors.iter().filter(|error| !error.is_about_rules()).count() == elements.len(),
        };
        is_answered.then(|| Self { case, base: self.base.clone(), elements, is_accepted: self.is_accepted })
    }
}

/// Whether one case can be refused for both: the same keyword of fields of one node.
fn is_near(one: &Element, other: &Element) -> bool {
    let (Requirement::Constraint(one_keyword), Requirement::Constraint(keyword)) =
        (&one.requirement, &other.requirement)
    else {
        return false;
    };
    let (here, there) = (&one.places[0], &other.places[0]);
    let is_sibling = match keyword {
        Keyword::Required(_) => here.path == there.path,
        _ => here.path.above() == there.path.above(),
    };
    is_sibling
        && std::mem::discriminant(one_keyword) == std::mem::discriminant(keyword)
        && (here.crd, here.version) == (there.crd, there.version)
}

/// The request with the name that objects of suites have.
fn named(mut case: Case) -> Case {
    for object in case.old.iter_mut().chain([&mut case.object]) {
        object["metadata"] = json!({ "name": NAME });
    }
    case
}

/// Whether values next to its bound show that the bound is the right one.
fn is_bound(element: &Element) -> bool {
    use Keyword::{MaxItems, MaxLength, MaxProperties, Maximum, MinItems, MinLength, MinProperties, Minimum};
    let Requirement::Constraint(keyword) = &element.requirement else { return false };
    matches!(keyword, Maximum | Minimum | MaxLength | MinLength | MaxItems | MinItems | MaxProperties | MinProperties)
}

fn same_kind(one: &Case, other: &Case) -> bool {
    one.object["kind"] == other.object["kind"]
}
