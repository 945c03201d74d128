//! The search for requests that show an element: an object that it accepts, and one that is refused for it alone.
//!
//! Invariants: the objects are those of the searches that comparisons use (crd-boundary for structure, crd-compat for rules). A status is written
//! apart, to the object without one. The same CRDs give the same requests.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_apiserver::objects::Answer;
use crd_boundary::{AcceptedObject, Boundary, Constraint, Keyword, ObjectStep, Search};
use crd_cel::mentions_old_self;
use crd_compat::witness::{Witness, Witnesses};
use crd_compat::{Direction, Prover, Renames, changes};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::Version;
use crd_model::schema::{Schema, Validation};
use crd_model::schema::{SchemaPath, Step};
use serde_json::{Map, Value, json};

use crate::case::{Case, Expected, NAME};
use crate::element::{Element, Place, Requirement};
use crate::kinds::Kinds;

/// How many places of an element are searched.
const MOST_PLACES: usize = 4;

/// Requests for the elements of the CRDs of one channel.
pub(super) struct Finder<'s> {
    crds: &'s [Arc<CustomResourceDefinition>],
    kinds: &'s Kinds,
    searches: BTreeMap<(usize, usize), Search<'s>>,
    /// Objects of cases, which searches vary.
    samples: &'s [Case],
    prover: Arc<Prover>,
}

impl<'s> Finder<'s> {
    pub(super) fn new(crds: &'s [Arc<CustomResourceDefinition>], kinds: &'s Kinds, samples: &'s [Case]) -> Self {
        Self { crds, kinds, samples, searches: BTreeMap::new(), prover: Arc::default() }
    }

    fn version(&self, place: &Place) -> (&'s CustomResourceDefinition, &'s Version) {
        let crd = &self.crds[place.crd];
        (crd, &crd.versions[place.version])
    }

    fn search(&mut self, place: &Place) -> &mut Search<'s> {
        let ((crd, version), kinds, samples) = (self.version(place), self.kinds, self.samples);
        let new = || objects(&version.schema, crd, version, kinds, samples);
        self.searches.entry((place.crd, place.version)).or_insert_with(new)
    }

    /// The smallest object of a version.
    pub(super) fn base(&mut self, place: &Place) -> Option<Value> {
        self.search(place).accepted(&SchemaPath::root()).into_iter().next().map(|found| found.object)
    }

    /// A request with an object that shows the element, and one that is refused for it; what is not found is left out.
    pub(super) fn requests(&mut self, element: &Element) -> Vec<(Case, Value)> {
        let mut best = Vec::new();
        for place in element.places.iter().take(MOST_PLACES) {
            let found = match &element.requirement {
                Requirement::Constraint(keyword) => self.sides(place, keyword),
                Requirement::Rule(rule) => self.of_rule(place, rule),
                Requirement::Value(value) => self.with_value(place, value).into_iter().collect(),
                Requirement::Member(name) => self.with_member(place, name).into_iter().collect(),
                Requirement::Default(value) => self.without_value(place, value).into_iter().collect(),
            };
            if found.len() > best.len() {
                let base = self.base(place).unwrap_or_default();
                best = found.into_iter().map(|case| (case, base.clone())).collect();
            }
            if best.len() == if element.requirement.refuses() { 2 } else { 1 } {
                break;
            }
        }
        best
    }

    /// Both sides of a constraint.
    fn sides(&mut self, place: &Place, keyword: &Keyword) -> Vec<Case> {
        let ((_, version), kinds) = (self.version(place), self.kinds);
        let Some(node) = place.node(self.crds) else { return Vec::new() };
        let constraint = Constraint { path: place.value_path(), keyword: keyword.clone(), node };
        let is_status = is_status(version, &place.path);
        let refusals = |object: &Value| reasons(kinds, &request(object, is_status));
        let search = self.search(place);
        let mut found = search.boundary(&constraint);
        if found.as_ref().is_ok_and(|found| refusals(&found.outside) != 1) {
            let alone = search.boundary_where(&constraint, Some(&|object: &Value| refusals(object) == 1));
            found = alone.or(found);
        }
        let Ok(Boundary { inside, outside, .. }) = found else { return Vec::new() };
        vec![request(&inside, is_status), request(&outside, is_status)]
    }

    /// An object with a value where the rule is, and a request that only this rule refuses: a CRD without the rule takes it.
    fn of_rule(&mut self, place: &Place, rule: &Validation) -> Vec<Case> {
        let (_, version) = self.version(place);
        let mut without = version.schema.clone();
        if let Some(node) = place.path.node_mut(&mut without) {
            node.validations.retain(|known| known != rule);
        }
        let witness = self.witness(place, without, version.schema.clone());
        let accepted = self.search(place).accepted(&place.path).into_iter().next();
        let mut found: Vec<Case> =
            accepted.iter().map(|found| request(&found.object, is_status(version, &place.path))).collect();
        // A rule about updates holds for one that changes nothing.
        if mentions_old_self(&rule.rule) && rule.optional_old_self != Some(true) {
            found.iter_mut().for_each(|case| case.old = Some(case.object.clone()));
        }
        found.extend(witness.and_then(|witness| of_witness(&witness)).map(framed));
        found
    }

    /// What a version with one schema accepts, and with the other schema refuses.
    fn witness(&self, place: &Place, old: Schema, new: Schema) -> Option<Witness> {
        let (crd, version) = self.version(place);
        let [old, new] = [old, new].map(|schema| {
            let versions = vec![Version { schema, storage: true, ..version.clone() }];
            [Arc::new(CustomResourceDefinition { versions, ..crd.clone() })]
        });
        let changes = changes(Channel::Standard, &old, &new, &Renames::default());
        let mut witnesses = Witnesses::new(self.prover.clone());
        let found = changes.iter().filter_map(|change| witnesses.of(change, Some(Direction::Tightened)));
        found.into_iter().find(|witness| !matches!(witness, Witness::None(_)))
    }

    /// An object that has the member of an `enum`.
    fn with_value(&mut self, place: &Place, value: &Value) -> Option<Case> {
        let (crd, version) = self.version(place);
        let mut schema = version.schema.clone();
        // A default around the value may have another one.
        for path in std::iter::successors(Some(place.path.clone()), SchemaPath::above) {
            path.node_mut(&mut schema)?.default = None;
        }
        place.path.node_mut(&mut schema)?.enumeration = Some(vec![value.clone()]);
        let found = objects(&schema, crd, version, self.kinds, self.samples).accepted(&place.path);
        Some(request(&found.first()?.object, is_status(version, &place.path)))
    }

    /// An object that has the member of a union.
    fn with_member(&mut self, place: &Place, name: &str) -> Option<Case> {
        let path = place.path.with(Step::Field(name.to_owned()));
        let is_status = is_status(self.version(place).1, &path);
        self.search(place).accepted(&path).first().map(|found| request(&found.object, is_status))
    }

    /// An object in which the default is filled in.
    fn without_value(&mut self, place: &Place, value: &Value) -> Option<Case> {
        let (_, version) = self.version(place);
        let (above, Some(Step::Field(name))) = (place.path.above()?, place.path.steps().last()) else { return None };
        let AcceptedObject { object, object_path } = self.search(place).without(&place.path)?;
        let mut case = request(&object, is_status(version, &above));
        let filled = object_path.into_iter().chain([ObjectStep::Field(name.clone())]).collect();
        case.expected = Expected::Accepted { stored: None, parts: vec![(filled, Some(value.clone()))], warnings: None };
        Some(case)
    }
}

/// How many reasons refuse a request.
fn reasons(kinds: &Kinds, case: &Case) -> usize {
    let reasons = |answer: Answer| answer.errors.iter().filter(|error| !error.is_about_rules()).count();
    kinds.answer(case).map_or(0, reasons)
}

/// A search for objects of a version. Its schema may be narrower than that of the version.
fn objects<'s>(
    schema: &'s Schema,
    crd: &CustomResourceDefinition,
    version: &'s Version,
    kinds: &'s Kinds,
    samples: &[Case],
) -> Search<'s> {
    let mut frame = Map::new();
    frame.insert("apiVersion".to_owned(), json!(format!("{}/{}", crd.group, version.name)));
    frame.insert("kind".to_owned(), json!(crd.names.kind));
    frame.insert("metadata".to_owned(), json!({ "name": NAME }));
    let is_sample = |object: &Value| object["apiVersion"] == frame["apiVersion"] && object["kind"] == frame["kind"];
    let samples = samples.iter().filter(|case| case.expected.is_accepted() && is_sample(&case.object));
    let samples = samples.map(|case| case.object.clone()).collect();
    Search::new(schema, frame, samples, move |path, object| {
        let answer = kinds.answer(&request(object, is_status(version, path)));
        answer.is_some_and(|answer| answer.is_accepted())
    })
}

/// A request with the object. The answer is open.
pub(super) fn request(object: &Value, is_status: bool) -> Case {
    let old = is_status.then(|| {
        let mut bare = object.clone();
        bare.as_object_mut().map(|bare| bare.remove("status"));
        bare
    });
    let expected = Expected::ACCEPTED;
    Case { name: String::new(), line: 0, channel: None, minors: None, old, object: object.clone(), is_status, expected }
}

/// The request of a witness.
fn of_witness(witness: &Witness) -> Option<Case> {
    match witness {
        Witness::Object(object) => Some(request(object, false)),
        Witness::Status { stored: None, object } => Some(request(object, true)),
        Witness::Status { stored, object } => Some(Case { old: stored.clone(), ..request(object, true) }),
        Witness::Update { old, new } => Some(Case { old: Some(old.clone()), ..request(new, false) }),
        Witness::None(_) => None,
    }
}

/// The request with the metadata of every object, if the witness search chose its own name.
fn framed(mut case: Case) -> Case {
    for object in case.old.iter_mut().chain([&mut case.object]) {
        if object["metadata"]["name"] == "witness" {
            object["metadata"] = json!({ "name": NAME });
        }
    }
    case
}

/// Whether a value at the path is written through the status.
fn is_status(version: &Version, path: &SchemaPath) -> bool {
    version.subresources.as_ref().is_some_and(|both| both.status)
        && matches!(path.steps().first(), Some(Step::Field(name)) if name == "status")
}
