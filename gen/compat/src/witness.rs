//! Witnesses: for a change that refuses objects, a small whole object that shows it.
//!
//! Fed with differences by the comparison, if somebody asks for it. Read by every rendering of findings, and by proofs on a real
//! API server.
//!
//! How: an object is grown in the old schema, without what it need not have, until it has something at the place. There go values that the
//! old constraint takes and the new one may not (`candidates`), and where none of them will do, [`Search`] looks along the new constraint.
//!
//! Invariants: an object is a witness only if the old schema takes it, if the old schema with this one constraint exchanged
//! (`exchanged`) refuses it, and if the new schema refuses it at this place; all three by our own validator, with defaults filled in as
//! servers do. CEL rules are not evaluated: one of the old schema may refuse the object before. What has none says why. Same input, same
//! object.

mod candidates;
mod exchanged;
mod slim;

use std::collections::HashMap;

use crd_apiserver::apply_defaults;
use crd_apiserver::boundary::{Held, Keyword, Place, Search, Step, constraints, show_spots};
use crd_apiserver::validate::{Patterns, Subject as Validated, Validator, Violation, ViolationKind};
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::{Map, Value, json};

use crate::difference::{Difference, Subject};
use crate::finding::{Direction, Witness};
use candidates::candidates;
use exchanged::exchanged;
use slim::slim;

/// What can be *tightened* or *neither* and has no witness, with the reason.
pub const EXEMPT: &[(Subject, &str)] = &[
    (Subject::Rule, "CEL rules are not evaluated here, and one about updates refuses a change, not an object"),
    (Subject::OptionalOldSelf, "CEL rules are not evaluated here, and this one refuses a change, not an object"),
    (
        Subject::Nullable,
        "a null that is not allowed is dropped and not refused, except in lists; servers differ where `enum` names null",
    ),
    (Subject::Default, "a default changes what is stored, and refuses nothing"),
    (Subject::PreserveUnknownFields, "unknown fields are dropped without a word, not refused"),
    (Subject::PreserveUnknownFieldsOfAll, "unknown fields are dropped without a word, not refused"),
    (
        Subject::ListType,
        "the list type says how two writers of a list are merged; what becomes of stored lists depends on who wrote them",
    ),
    (
        Subject::ListMapKeys,
        "the keys say how two writers of a list are merged; what becomes of stored lists depends on who wrote them",
    ),
    (Subject::MapType, "the map type says how two writers of an object are merged, and refuses nothing"),
];

/// Why there is no object, where the subject could have one.
pub const NOT_FOUND: &str = "none was found: what this constraint refuses may be refused by another one of the old schema already, or CEL may be needed";
/// No object of the old name is seen at the new one.
pub const RENAMED: &str = "a field on the way has another name now: an object that has the old one has nothing there, which is dropped and not refused";
/// The list of values says more.
pub const LISTED: &str = "the old schema takes only the values of its `enum`, and this constraint refuses none of them";
/// The type became wider.
pub const TYPE_TAKES_ALL: &str = "every value of the old type that was tried fits the new one too";
/// What is not named is not refused.
pub const DROPPED: &str = "unnamed entries are dropped without a word, not refused";

/// How many places of good objects are tried.
const MOST_HELD: usize = 3;
/// How many constraints of one node are searched along.
const MOST_CONSTRAINTS: usize = 24;

/// What was looked for before, so that the same change in another version is not looked for again.
struct Known<'a> {
    old: &'a Schema,
    new: &'a Schema,
    witness: Witness,
    /// Where the value is in the object.
    at: String,
}

/// By CRD, path, subject, and how it was and is.
type Change = (String, String, Subject, String, String);

/// Looks for witnesses, and remembers them.
#[derive(Default)]
pub struct Witnesses<'a> {
    known: HashMap<Change, Known<'a>>,
    patterns: Patterns,
}

impl std::fmt::Debug for Witnesses<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Witnesses").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl<'a> Witnesses<'a> {
    /// The witness of a difference whose finding has this direction; none for a direction that refuses nothing.
    pub fn of(&mut self, difference: &Difference<'a>, direction: Option<Direction>) -> Option<Witness> {
        match direction {
            Some(Direction::Tightened | Direction::Neither) => Some(self.find(difference)),
            Some(Direction::Loosened) | None => None,
        }
    }

    fn find(&mut self, difference: &Difference<'a>) -> Witness {
        if let Some((_, reason)) = EXEMPT.iter().find(|(subject, _)| *subject == difference.subject) {
            return Witness::None(reason);
        }
        let place = &difference.place;
        let (Some(old_crd), Some(old), Some(new)) = (place.old_crd, place.old_version, place.new_version) else {
            return Witness::None(NOT_FOUND);
        };
        let Some(way) = way(difference) else { return Witness::None(RENAMED) };
        let text = |value: &Option<Value>| value.as_ref().map(Value::to_string).unwrap_or_default();
        let change = (
            place.crd().to_owned(),
            difference.path(),
            difference.subject,
            text(&difference.before),
            text(&difference.after),
        );
        let frame = frame(old_crd, &old.name);
        let trial = Trial {
            old: &old.schema,
            new: &new.schema,
            exchanged: exchanged(&old.schema, &way, difference),
            patterns: &self.patterns,
        };
        if let Some(known) = self.known.get(&change) {
            match &known.witness {
                Witness::Object(object) => {
                    let mut object = object.clone();
                    if let Some(map) = object.as_object_mut() {
                        map.extend(frame.clone());
                    }
                    if trial.judge(&object, &known.at).is_some() {
                        return Witness::Object(object);
                    }
                }
                none if *known.old == old.schema && *known.new == new.schema => return none.clone(),
                Witness::None(_) => {}
            }
        }
        let (witness, at) = match trial.search(difference, &way, &frame) {
            Some((object, at)) => (Witness::Object(object), at),
            None => (Witness::None(reason(difference)), String::new()),
        };
        self.known.insert(change, Known { old: &old.schema, new: &new.schema, witness: witness.clone(), at });
        witness
    }
}

/// Why nothing was found.
fn reason(difference: &Difference<'_>) -> &'static str {
    match difference.subject {
        Subject::Type | Subject::Items => TYPE_TAKES_ALL,
        Subject::AdditionalProperties if difference.after.is_none() => DROPPED,
        _ if difference.place.old_node().is_some_and(|node| node.enumeration.is_some()) => LISTED,
        _ => NOT_FOUND,
    }
}

/// The way to the node in the old schema; none if it has another name there.
fn way(difference: &Difference<'_>) -> Option<Place> {
    let place = &difference.place;
    let mut way = Place::root();
    for (step, above) in place.path.iter().zip(&place.old_nodes) {
        way = way.with(match step {
            crate::difference::Step::Field(name) => {
                above.properties.get(name)?;
                Step::Field((*name).to_owned())
            }
            crate::difference::Step::Each if above.items.is_some() => Step::Item,
            crate::difference::Step::Each => Step::Value,
        });
    }
    Some(way)
}

/// What every object has.
fn frame(crd: &CustomResourceDefinition, version: &str) -> Map<String, Value> {
    let mut frame = Map::new();
    frame.insert("apiVersion".to_owned(), json!(format!("{}/{version}", crd.group)));
    frame.insert("kind".to_owned(), json!(crd.names.kind));
    frame.insert("metadata".to_owned(), json!({ "name": "witness" }));
    frame
}

/// Holds objects against both schemas.
struct Trial<'t> {
    old: &'t Schema,
    new: &'t Schema,
    /// The old schema with the new constraint, and nothing else of the new one.
    exchanged: Schema,
    patterns: &'t Patterns,
}

impl Trial<'_> {
    fn violations(&self, schema: &Schema, object: &Value) -> Vec<Violation> {
        let mut whole = object.clone();
        apply_defaults(schema, &mut whole);
        let matches = |pattern: &str, text: &str| self.patterns.matches(pattern, text);
        Validator { matches: &matches, subject: Validated::Resource }.validate(schema, &whole)
    }

    /// What a server refuses; unknown fields are dropped.
    fn refusals(&self, schema: &Schema, object: &Value) -> Vec<Violation> {
        let mut found = self.violations(schema, object);
        found.retain(|violation| violation.kind != ViolationKind::UnknownField);
        found
    }

    /// Whether this is a witness wherever its value stands.
    fn is_refused(&self, object: &Value) -> bool {
        self.violations(self.old, object).is_empty()
            && !self.refusals(&self.exchanged, object).is_empty()
            && !self.refusals(self.new, object).is_empty()
    }

    /// If this is a witness: how much else the new schema refuses in it.
    fn judge(&self, object: &Value, at: &str) -> Option<usize> {
        if !self.is_refused(object) {
            return None;
        }
        let refused = self.refusals(self.new, object);
        let here = refused.iter().filter(|violation| is_below(&violation.path, at)).count();
        (here > 0).then(|| refused.len() - here)
    }

    /// A witness, and where its value is. The first that breaks nothing else, or the first.
    fn search(&self, difference: &Difference<'_>, way: &Place, frame: &Map<String, Value>) -> Option<(Value, String)> {
        let mut best: Option<(usize, Value, String)> = None;
        let mut offer = |object: Value, at: String| {
            if let Some(others) = self.judge(&object, &at)
                && best.as_ref().is_none_or(|(known, ..)| others < *known)
            {
                best = Some((others, object, at));
            }
            best.as_ref().is_some_and(|(others, ..)| *others == 0)
        };
        // What both take first: then nothing but this one constraint is broken. Where a node takes other values now, only the old one is asked.
        for both in [true, false] {
            let other = both.then_some(self.new);
            let (small_old, small_new) = (slim(self.old, way, other), slim(&self.exchanged, way, other));
            let accepts = |object: &Value| {
                self.violations(self.old, object).is_empty() && (!both || self.refusals(self.new, object).is_empty())
            };
            let mut search = Search::new(&small_old, frame.clone(), Vec::new(), |_, object| accepts(object));
            for held in search.held(way).into_iter().take(MOST_HELD) {
                let at = show_spots(&held.spots);
                for value in held.value().map(|now| candidates(difference, now)).unwrap_or_default() {
                    if let Some(object) = with(&held, value)
                        && offer(object, at.clone())
                    {
                        return best.map(|(_, object, at)| (object, at));
                    }
                }
            }
            let mut search = Search::new(&small_new, frame.clone(), Vec::new(), |_, object| accepts(object));
            let along = constraints(&small_new).into_iter().filter(|constraint| {
                let here = constraint.place == *way;
                match difference.subject {
                    // Its parts may say something about what is below.
                    Subject::AllOf => constraint.place.steps().starts_with(way.steps()),
                    subject => here && keyword(subject).is_some_and(|keyword| keyword == constraint.keyword),
                }
            });
            for constraint in along.take(MOST_CONSTRAINTS) {
                if let Ok(found) = search.boundary_where(&constraint, Some(&|object| self.is_refused(object)))
                    && offer(found.outside, found.path)
                {
                    return best.map(|(_, object, at)| (object, at));
                }
            }
        }
        best.map(|(_, object, at)| (object, at))
    }
}

/// The keyword along which a change of this is searched; none where [`candidates`] has to do.
fn keyword(subject: Subject) -> Option<Keyword> {
    Some(match subject {
        Subject::Maximum => Keyword::Maximum,
        Subject::Minimum => Keyword::Minimum,
        Subject::MultipleOf => Keyword::MultipleOf,
        Subject::MaxLength => Keyword::MaxLength,
        Subject::MinLength => Keyword::MinLength,
        Subject::MaxItems => Keyword::MaxItems,
        Subject::MinItems => Keyword::MinItems,
        Subject::MaxProperties => Keyword::MaxProperties,
        Subject::MinProperties => Keyword::MinProperties,
        Subject::UniqueItems => Keyword::UniqueItems,
        Subject::Pattern => Keyword::Pattern,
        Subject::Format => Keyword::Format,
        Subject::Enum | Subject::EnumValue => Keyword::Enum,
        Subject::Type => Keyword::Type,
        Subject::AnyOf => Keyword::AnyOf,
        Subject::OneOf => Keyword::OneOf,
        Subject::Not => Keyword::Not,
        _ => return None,
    })
}

/// The object with another value there.
fn with(held: &Held, value: Value) -> Option<Value> {
    let mut object = held.object.clone();
    let mut there = &mut object;
    for spot in &held.spots {
        there = match spot {
            crd_apiserver::boundary::Spot::Field(name) => there.get_mut(name)?,
            crd_apiserver::boundary::Spot::Item(index) => there.get_mut(index)?,
        };
    }
    *there = match (there.take(), value) {
        // At the root, what names the object stays.
        (Value::Object(now), Value::Object(mut value)) if held.spots.is_empty() => {
            for name in ["apiVersion", "kind", "metadata"] {
                if let Some(kept) = now.get(name) {
                    value.insert(name.to_owned(), kept.clone());
                }
            }
            Value::Object(value)
        }
        (_, value) => value,
    };
    Some(object)
}

/// Whether a path is this one, or one below it.
fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| above.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
}
