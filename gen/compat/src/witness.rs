//! Witnesses: for a change that refuses objects, a small complete object that shows it.
//!
//! The search builds a minimal object of the old schema with a value at the schema path of the change. It puts values there that the old
//! constraint accepts and the new one may refuse (`candidates`). If none is refused, the search of crd-boundary follows the new constraint.
//!
//! Invariants: the old schema accepts a witness, its CEL rules included. The new schema refuses it, and so does a schema in which only this
//! change was made (`exchanged`): a constraint at its path, a default by a constraint around it, a rule about updates with a stored object.
//! Our own validator checks all three, with defaults filled in as servers do, on the part of the schemas that matters. A change
//! without a witness has a reason. Work is counted, not timed: same input, same object. All changes of a comparison share one budget, and so
//! do its states.

mod assigned;
mod candidates;
mod constants;
mod demanded;
mod edited;
mod exchanged;
mod relevant;
mod rule;
mod scaled;
mod slim;
mod smallest;
mod solved;
mod structure;
mod trial;
mod update;
mod written;

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crd_apiserver::objects::{MINORS, Resource};
use crd_apiserver::validate::{Patterns, Subject, Validator};
use crd_boundary::AcceptedObject;
use crd_inclusion::{Difference, Direction, Position, Presence, Prover, Technique};
use crd_model::crd::Version;
use crd_model::identity::Identity;
use crd_model::schema::Text;
use crd_model::schema::{SchemaPath, Step};
use crd_model::{CustomResourceDefinition, Schema};
use crd_regexp::inclusion::example;
use crd_regexp::recognise;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::change::{Change, LocatedChange};
use constants::Constants;
use exchanged::{alone, exchanged};
use relevant::{Relevant, Stubs, whole};
use trial::{Judge, Rules, Trial};

/// What the baseline accepts and the candidate refuses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Witness {
    Object(Value),
    /// An object of which the candidate refuses only the status, which is written to `/status`: a creation drops it.
    Status {
        /// The stored object; none if it is the one without a status.
        stored: Option<Value>,
        /// The object with the refused status.
        object: Value,
    },
    /// An update that the baseline accepts and the candidate refuses.
    Update {
        old: Value,
        /// The object that replaces it.
        new: Value,
    },
    /// The reason why no object is shown.
    None(&'static str),
}

impl Witness {
    /// An object that is refused as a whole, or of which only the status is.
    pub(crate) fn refused(object: Value, is_status: bool) -> Self {
        if is_status { Self::Status { stored: None, object } } else { Self::Object(object) }
    }
}

/// A witness in a document: one of the object and the reason is there.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Witness"))]
pub(crate) struct WitnessDocument<'w> {
    /// The object.
    object: Option<&'w Value>,
    /// The stored object, if `object` is an update of it that is refused.
    stored: Option<&'w Value>,
    /// `status` if only a write of the object to `/status` is refused: a creation drops its status.
    subresource: Option<&'static str>,
    /// Why the object is absent.
    reason: Option<&'static str>,
}

impl Serialize for Witness {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (object, stored, subresource, reason) = match self {
            Witness::Object(object) => (Some(object), None, None, None),
            Witness::Status { stored, object } => (Some(object), stored.as_ref(), Some("status"), None),
            Witness::Update { old, new } => (Some(new), Some(old), None, None),
            Witness::None(reason) => (None, None, None, Some(*reason)),
        };
        WitnessDocument { object, stored, subresource, reason }.serialize(serializer)
    }
}

/// Unknown fields have no witness.
pub const UNKNOWN_FIELDS: &str = "unknown fields are dropped silently, not refused";
/// Map types have no witness.
pub const MAP_TYPE: &str = "the map type decides how an object with two writers is merged, and refuses nothing";

/// Why a change that can be *tightened* or *neither* never has a witness; none if it can have one.
pub fn exempt(change: &Change<'_>) -> Option<&'static str> {
    match change {
        Change::PreserveUnknownFieldsOfAll(_) => Some(UNKNOWN_FIELDS),
        Change::Schema(difference) => match difference {
            Difference::PreserveUnknownFields(_) => Some(UNKNOWN_FIELDS),
            Difference::MapType(_) => Some(MAP_TYPE),
            _ => None,
        },
        _ => None,
    }
}

/// The reason if no object was found.
pub const NOT_FOUND: &str = "none was found: another constraint or rule of the old schema may refuse the same objects";
/// The reason if the search ended.
pub const TOO_MUCH: &str = "the search ended, because the changes of the bundle need too many checks of objects";
/// The reason if the search did not begin.
pub const NOT_SEARCHED: &str = "not searched, because the changes before this one need too many checks of objects";
/// The reason if no update was found.
pub const NO_UPDATE: &str = "no update was found that the old rules permit and the new one refuses";
/// The reason if a field has a new name.
pub const RENAMED: &str = "a field on the path has a new name: a value under the old name is dropped and not refused";
/// The reason if the `enum` is stricter.
pub const LISTED: &str =
    "the old schema accepts only the values of its `enum`, and this constraint refuses none of them";
/// The reason if the type became wider.
pub const TYPE_TAKES_ALL: &str = "every tested value of the old type also matches the new type";
/// The reason if unnamed entries are dropped.
pub const DROPPED: &str = "unnamed entries are dropped silently, not refused";

/// How much work all searches for changes, or all for states, may take: the values of each object that is built or checked, with the rules and
/// properties that a server reads for each of them. One unit takes about half a microsecond at most.
const MOST_WORK: usize = 6_000_000;
/// Which part of the work that is left one change may take, so that many changes are searched, and how much it may take at least.
const SHARE: usize = 6;
const LEAST_SHARE: usize = 20_000;
/// How much work it is to prepare a rule, and how many nodes of a schema take one unit together.
const RULE: usize = 40;
const NODES: usize = 4;
/// How many names of objects are tried that a rule compares.
const MOST_NAMES: usize = 4;
/// How many nodes a version has whose rules are prepared once for all of its changes. For a larger one, those of a part are.
const SMALL: usize = 2_000;

fn take(left: &Cell<usize>, work: usize) {
    left.set(left.get().saturating_sub(work));
}

/// A previous search, so that the same change in another version needs no second search.
struct Searched {
    /// What was searched without a result.
    relevant: Option<Rc<Relevant>>,
    witness: Witness,
    /// The path of the value in the object.
    at: String,
}

/// The CRD, the path, what changed, and the values of both sides.
type Key = (String, String, &'static str, String, String);

/// A node of one of the schemas.
type Node<'n> = Identity<'n, Schema>;

/// A version with all of its rules.
enum Prepared {
    /// It has so many nodes that only the part for a path is prepared.
    TooLarge,
    DoesNotCompile,
    Ready(Rc<Resource>),
}

/// Searches for witnesses, and caches them.
pub struct Witnesses<'a> {
    prover: Arc<Prover>,
    searched: HashMap<Key, Searched>,
    patterns: Patterns,
    stubs: Stubs<'a>,
    /// The versions with all of their rules, by the old version and this one.
    resources: HashMap<[Identity<'a, Version>; 2], Prepared>,
    /// The parts of the last search, with their versions and path: many changes have the same.
    last: Option<([&'a Version; 2], SchemaPath, Rc<Relevant>)>,
    /// How much work is left.
    work: Cell<usize>,
}

impl std::fmt::Debug for Witnesses<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Witnesses").field("searched", &self.searched.len()).finish_non_exhaustive()
    }
}

impl<'a> Witnesses<'a> {
    /// A search for the changes of two bundles.
    pub fn new(prover: Arc<Prover>) -> Self {
        Self::within(prover, MOST_WORK)
    }

    /// The same with this much work for all of its changes; one unit takes about half a microsecond at most.
    pub fn within(prover: Arc<Prover>, work: usize) -> Self {
        let (searched, patterns, stubs) = (HashMap::new(), Patterns::default(), Stubs::default());
        let (resources, work) = (HashMap::new(), Cell::new(work));
        Self { prover, searched, patterns, stubs, resources, last: None, work }
    }

    /// The witness of a change with this direction; none for a direction that refuses nothing.
    pub fn of(&mut self, change: &LocatedChange<'a>, direction: Option<Direction>) -> Option<Witness> {
        match direction {
            Some(Direction::Tightened | Direction::Neither) => Some(self.find(change)),
            Some(Direction::Loosened) | None => None,
        }
    }

    /// What matters for a path of two versions.
    fn relevant(&mut self, versions: [&'a Version; 2], path: &SchemaPath) -> Rc<Relevant> {
        let [old, new] = versions;
        let whole = whole(&old.schema, &new.schema, path);
        if let Some((known, at, relevant)) = &self.last
            && known.map(Identity) == versions.map(Identity)
            && *at == whole
        {
            return Rc::clone(relevant);
        }
        let relevant = Rc::new(self.stubs.relevant(&old.schema, &new.schema, path));
        take(&self.work, relevant.size / NODES);
        self.last = Some((versions, whole, Rc::clone(&relevant)));
        relevant
    }

    fn find(&mut self, located: &LocatedChange<'a>) -> Witness {
        // Fields that are kept now may be refused.
        let is_kept = matches!(located.change, Change::Schema(Difference::PreserveUnknownFields(Presence::Added(()))));
        if let Some(reason) = exempt(&located.change).filter(|_| !is_kept) {
            return Witness::None(reason);
        }
        let left = self.work.get();
        if left == 0 {
            return Witness::None(NOT_SEARCHED);
        }
        let share = left.min(LEAST_SHARE.max(left / SHARE));
        self.work.set(share);
        let witness = match (self.search(located), self.work.get()) {
            (Witness::None(_), 0) => Witness::None(TOO_MUCH),
            (witness, _) => witness,
        };
        self.work.set(left - share + self.work.get());
        witness
    }

    fn search(&mut self, located: &LocatedChange<'a>) -> Witness {
        let location = &located.location;
        let (Some(old_crd), Some(new_crd), Some(old), Some(new)) =
            (location.old_crd, location.new_crd, location.old_version, location.new_version)
        else {
            return Witness::None(NOT_FOUND);
        };
        let sides = Sides { crds: [old_crd, new_crd], versions: [old, new] };
        match &located.change {
            Change::Schema(difference) => self.in_schema(located, difference, sides),
            Change::Scaled(scaled) => {
                let prepared = [(old_crd, old), (new_crd, new)].map(|(crd, version)| {
                    take(&self.work, version.schema.all_nodes().count() / NODES);
                    with_schema(crd, version, &version.name, &version.schema)
                });
                let found = path(&location.position).and_then(|path| {
                    scaled::search(&old.schema, prepared, scaled.value(), &path, &frame(old_crd, old), &self.work)
                });
                found.unwrap_or(Witness::None(NOT_FOUND))
            }
            _ => Witness::None(NOT_FOUND),
        }
    }

    /// The same for a change of the schema.
    fn in_schema(&mut self, located: &LocatedChange<'a>, difference: &Difference<'a>, sides: Sides<'a>) -> Witness {
        let (location, position) = (&located.location, &located.location.position);
        let by_default = difference.may_refuse_by_default(position) || difference.may_refuse_without_default(position);
        let Some(path) = (if by_default { path_above(position) } else { path(position) }) else {
            return Witness::None(RENAMED);
        };
        let [before, after] = located.values().map(|value| value.map(|value| value.to_string()).unwrap_or_default());
        let key = (location.crd().to_owned(), located.path(), difference.description(), before, after);
        let frame = frame(sides.crds[0], sides.versions[0]);
        let is_update = difference.is_rule_about_updates()
            || matches!(difference, Difference::OptionalOldSelf(_))
            || difference.is_read_in_updates(position);
        let judge = if by_default || is_update { Judge::Server } else { self.judge(difference) };
        let relevant = self.relevant(sides.versions, &path);
        // Every search copies and reads it.
        take(&self.work, 1 + relevant.size / NODES);
        let exchanged = exchanged(&relevant.old, &path, difference, position);
        let rules = self.rules(
            sides,
            &relevant,
            judge,
            Target { difference, position, path: &path, frame: &frame },
            &exchanged,
        );
        let trial = Trial {
            old: &relevant.old,
            new: &relevant.new,
            exchanged,
            judge,
            rules,
            size: relevant.size,
            has_scale: has_scale(sides.versions[0]),
            has_rules: relevant.has_rules,
            patterns: &self.patterns,
            prover: &self.prover,
            work: &self.work,
        };
        // A list may distinguish its items by the default.
        let path =
            if by_default && path.steps().last() == Some(&Step::Item) { path.above().unwrap_or(path) } else { path };
        let target = Target { difference, position, path: &path, frame: &frame };
        if is_update {
            let found = update::search(&trial, target);
            if found.is_some() || !by_default {
                return found.unwrap_or(Witness::None(NO_UPDATE));
            }
        }
        if let Some(known) = self.searched.get(&key).and_then(|searched| searched.again(&trial, &relevant, &frame)) {
            return known;
        }
        let (witness, at) = match search(&trial, target) {
            Some((object, at)) => (trial.witness(object), at),
            None if trial.is_exhausted() => return Witness::None(TOO_MUCH),
            None => (Witness::None(reason(difference, position)), String::new()),
        };
        let relevant = matches!(witness, Witness::None(_)).then_some(relevant);
        self.searched.insert(key, Searched { relevant, witness: witness.clone(), at });
        witness
    }

    /// What decides about a change that no update shows.
    fn judge(&self, difference: &Difference<'_>) -> Judge {
        match difference {
            Difference::PreserveUnknownFields(_) => Judge::Server,
            Difference::Rule(_) if self.prover.uses(Technique::RuleJudge) => Judge::Rules,
            Difference::Rule(_) => Judge::Server,
            _ if self.prover.uses(Technique::StructureJudge) => Judge::Structure,
            _ => Judge::Server,
        }
    }

    /// What evaluates the rules of the schemas, as far as the decision needs it.
    fn rules(
        &mut self,
        sides: Sides<'a>,
        relevant: &Relevant,
        judge: Judge,
        Target { difference, path, .. }: Target<'_>,
        exchanged: &Schema,
    ) -> Rules {
        let Sides { crds: [old_crd, new_crd], versions: [old, new] } = sides;
        let has_status = new.subresources.as_ref().is_some_and(|both| both.status);
        let may_have_status = has_status && (path.steps().is_empty() || is_in_status(path));
        // A server takes only objects of the version, and a clash of versions is about two.
        let mut resource = |side: usize| {
            let (crd, version) = (sides.crds[side], sides.versions[side]);
            let prepare = |schema: &Schema| {
                take(&self.work, RULE * rules_in(schema));
                with_schema(crd, version, &old.name, schema)
            };
            let is_small = || version.schema.all_nodes().count() <= SMALL;
            let whole = self.resources.entry([old, version].map(Identity)).or_insert_with(|| match is_small() {
                true => prepare(&version.schema).map_or(Prepared::DoesNotCompile, Prepared::Ready),
                false => Prepared::TooLarge,
            });
            match whole {
                Prepared::Ready(resource) => Some(Rc::clone(resource)),
                Prepared::DoesNotCompile => None,
                Prepared::TooLarge => {
                    let part = [&relevant.old, &relevant.new][side];
                    relevant.resources[side].get_or_init(|| prepare(part)).clone()
                }
            }
        };
        let alone = || with_schema(new_crd, new, &old.name, &alone(&relevant.new, path, difference));
        Rules {
            old: if relevant.has_rules || has_scale(old) || judge == Judge::Server { resource(0) } else { None },
            new: if may_have_status || judge != Judge::Structure { resource(1) } else { None },
            exchanged: match judge {
                Judge::Structure => None,
                // The rule may name fields that the old schema does not have.
                Judge::Rules => alone(),
                Judge::Server => {
                    take(&self.work, RULE * rules_in(exchanged));
                    with_schema(old_crd, old, &old.name, exchanged).or_else(alone)
                }
            },
        }
    }
}

fn has_scale(version: &Version) -> bool {
    version.subresources.as_ref().is_some_and(|both| both.scale.is_some())
}

/// The CRDs and the versions of both sides.
#[derive(Clone, Copy)]
struct Sides<'a> {
    crds: [&'a CustomResourceDefinition; 2],
    versions: [&'a Version; 2],
}

/// What is searched for: an object that a change refuses at a path.
#[derive(Clone, Copy)]
struct Target<'t> {
    difference: &'t Difference<'t>,
    position: &'t Position<'t>,
    path: &'t SchemaPath,
    /// The fields that every object has.
    frame: &'t Map<String, Value>,
}

impl Searched {
    /// The witness of the same change in another version, if this one decides it.
    fn again(&self, trial: &Trial<'_>, relevant: &Relevant, frame: &Map<String, Value>) -> Option<Witness> {
        match &self.witness {
            Witness::Object(object) | Witness::Status { object, .. } => {
                let mut object = object.clone();
                if let Some(map) = object.as_object_mut() {
                    map.extend(frame.clone());
                }
                trial.other_refusals(&object, &self.at).map(|_| trial.witness(object))
            }
            Witness::None(reason) => {
                let is_same = |known: &Rc<Relevant>| known.old == relevant.old && known.new == relevant.new;
                self.relevant.as_ref().is_some_and(is_same).then_some(Witness::None(reason))
            }
            Witness::Update { .. } => None,
        }
    }
}

/// The best witness so far: the first one without other refusals, or the one with the fewest.
#[derive(Default)]
struct Best {
    /// The number of other refusals, the object, and the path of its value.
    found: Option<(usize, Value, String)>,
    /// Whether the value is in the status: an object that is refused as a whole never gets one.
    is_in_status: bool,
}

impl Best {
    /// Takes an object if it is a better witness; true if no better one is searched for.
    fn offer(&mut self, trial: &Trial<'_>, object: Value, at: &str) -> bool {
        if trial.is_exhausted() {
            return true;
        }
        let fewest = self.found.as_ref().map_or(usize::MAX, |(fewest, ..)| *fewest);
        if let Some(others) = trial.other_refusals(&object, at)
            && (others == 0 || !self.is_in_status)
            && others < fewest
        {
            self.found = Some((others, object, at.to_owned()));
        }
        matches!(self.found, Some((0, ..)))
    }
}

/// A witness, and the path of its value.
fn search(trial: &Trial<'_>, target: Target<'_>) -> Option<(Value, String)> {
    let mut best = Best { found: None, is_in_status: is_in_status(target.path) };
    if trial.judge == Judge::Structure {
        structure::search(trial, target, &mut best);
    } else {
        let constants = Constants::of(target.difference, target.position, trial.judge);
        rule::search(trial, &constants, target, &mut |object, at| best.offer(trial, object, at));
        if best.found.is_none() && trial.uses(Technique::Solved) {
            rule::solved(trial, target, &mut |object, at| best.offer(trial, object, at));
        }
        // A rule of the whole object may be about the objects of one name.
        let is_whole = target.path.steps().is_empty();
        for name in constants.texts_for("name", MOST_NAMES).filter(|name| is_whole && is_subdomain(name)) {
            if best.found.is_some() || trial.is_exhausted() {
                break;
            }
            let mut frame = target.frame.clone();
            frame.insert("metadata".to_owned(), json!({ "name": name }));
            let target = Target { frame: &frame, ..target };
            rule::search(trial, &constants, target, &mut |object, at| best.offer(trial, object, at));
        }
    }
    best.found.map(|(_, object, at)| (object, at))
}

/// Why nothing was found.
fn reason(difference: &Difference<'_>, position: &Position<'_>) -> &'static str {
    match difference {
        Difference::Type { .. } | Difference::Items(_) => TYPE_TAKES_ALL,
        Difference::AdditionalProperties(edit) if edit.is_removal() => DROPPED,
        _ if position.old_node().is_some_and(|node| node.enumeration.is_some()) => LISTED,
        _ => NOT_FOUND,
    }
}

fn is_in_status(path: &SchemaPath) -> bool {
    matches!(path.steps().first(), Some(Step::Field(name)) if name == "status")
}

/// The path to the node around the last one.
fn path_above(position: &Position<'_>) -> Option<SchemaPath> {
    let above = |nodes: &[&'_ Schema]| nodes.len().saturating_sub(1);
    path(&Position::new(
        position.steps[..above(&position.old_nodes).saturating_sub(1)].to_vec(),
        position.old_nodes[..above(&position.old_nodes)].to_vec(),
        position.new_nodes[..above(&position.new_nodes)].to_vec(),
    ))
}

/// The path to the node in the old schema; none if it has another name there.
fn path(position: &Position<'_>) -> Option<SchemaPath> {
    let steps = position.steps.iter().zip(&position.old_nodes);
    steps.map(|(step, above)| step.below(above).map(|_| *step)).collect()
}

/// The fields that every object has, with a name that the schema accepts.
fn frame(crd: &CustomResourceDefinition, version: &Version) -> Map<String, Value> {
    let mut frame = Map::new();
    frame.insert("apiVersion".to_owned(), json!(format!("{}/{}", crd.group, version.name)));
    frame.insert("kind".to_owned(), json!(crd.names.kind));
    frame.insert("metadata".to_owned(), json!({ "name": name(&version.schema) }));
    frame
}

/// A name that a schema permits: the one that it demands of its only object, or else the usual one, or else the first that it lists or that
/// its pattern matches.
fn name(schema: &Schema) -> String {
    const USUAL: &str = "witness";
    let node = schema.properties.get("metadata").and_then(|metadata| metadata.properties.get("name"));
    let permitted = node.map(|node| {
        let size = |limit: Option<i64>| limit.and_then(|limit| usize::try_from(limit).ok());
        let (least, most) = (size(node.min_length).unwrap_or(1), size(node.max_length));
        let listed = node.enumeration.iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        // The shortest text may begin or end with a dash or a dot.
        let longer = |than: usize| example(node.pattern.as_deref()?, than, most);
        let matching = std::iter::successors(longer(least), |text| longer(text.chars().count() + 1)).take(4);
        let small = smallest::smallest(node).into_iter().filter_map(|name| name.as_str().map(str::to_owned));
        let usual = [USUAL.to_owned(), "w".repeat(least), USUAL.chars().take(most.unwrap_or(usize::MAX)).collect()];
        let mut names = usual.into_iter().chain(listed).chain(matching).chain(small);
        let matches = |pattern: &str, text: &str| recognise(pattern).ok()?.is_match(text);
        let permits = |name: &String| {
            is_subdomain(name)
                && Validator { matches: &matches, subject: Subject::Part }.validate(node, &json!(name)).is_empty()
        };
        names.find(permits).unwrap_or_else(|| USUAL.to_owned())
    });
    demanded(schema).map(str::to_owned).or(permitted).unwrap_or_else(|| USUAL.to_owned())
}

/// Whether a text is a name as servers take it: labels of small letters, digits and dashes.
fn is_subdomain(name: &str) -> bool {
    let is_outer = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.split('.').all(|label| {
        [label.bytes().next(), label.bytes().last()].into_iter().all(|byte| byte.is_some_and(is_outer))
            && label.bytes().all(|byte| is_outer(byte) || byte == b'-')
    })
}

/// The name that a rule demands of the only object.
fn demanded(schema: &Schema) -> Option<&str> {
    schema.validations.iter().find_map(|rule| {
        let (_, name) = rule.rule.split_once("self.metadata.name == ")?;
        let quote = name.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
        // The whole rule, and no part of a condition.
        let name = name.strip_prefix(quote)?.strip_suffix(quote)?;
        (rule.rule.starts_with("self.metadata.name") && !name.contains(quote)).then_some(name)
    })
}

/// A version of a CRD with another schema, under this name; none if a rule does not compile.
fn with_schema(
    crd: &CustomResourceDefinition,
    version: &Version,
    name: &Text,
    schema: &Schema,
) -> Option<Rc<Resource>> {
    let version = Version { name: name.clone(), schema: schema.clone(), ..version.clone() };
    let crd = CustomResourceDefinition { versions: vec![version], ..crd.clone() };
    Resource::prepare(&crd, name, MINORS.1)?.ok().map(Rc::new)
}

/// The object with another value at the path.
fn with(accepted: &AcceptedObject, mut value: Value) -> Option<Value> {
    // At the root, the identity of the object stays.
    if let Some(value) = value.as_object_mut().filter(|_| accepted.object_path.is_empty()) {
        for name in ["apiVersion", "kind", "metadata"] {
            if let Some(kept) = accepted.object.get(name) {
                value.insert(name.to_owned(), kept.clone());
            }
        }
    }
    accepted.with(value)
}

fn rules_in(schema: &Schema) -> usize {
    schema.all_nodes().map(|node| node.validations.len()).sum()
}
