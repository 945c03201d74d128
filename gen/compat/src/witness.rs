//! Witnesses: for a change that refuses objects, a small complete object that shows it.
//!
//! The search builds a minimal object of the old schema with a value at the schema path of the change. It puts values there that the old
//! constraint accepts and the new one may refuse (`candidates`). If none is refused, [`Search`] follows the new constraint.
//!
//! Invariants: the old schema accepts a witness, its CEL rules included. The new schema refuses it, and so does a schema in which only this
//! change was made (`exchanged`): a constraint at its path, a default by a constraint around it, a rule about updates with a stored object.
//! Our own validator checks all three, with defaults filled in as servers do, on the part of the schemas that matters. A change
//! without a witness has a reason. Work is counted, not timed: same input, same object. All changes of a comparison share one budget, and so
//! do its states.

mod assigned;
mod candidates;
mod climb;
mod constants;
mod exchanged;
mod relevant;
mod rule;
mod scaled;
mod slim;
mod update;
mod written;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crd_apiserver::objects::{Answer, MINORS, Resource};
use crd_apiserver::validate::{Patterns, Subject as Validated, Validator, Violation, ViolationKind};
use crd_apiserver::{apply_defaults, prune};
use crd_boundary::{AcceptedObject, Keyword, SchemaPath, Search, Step, constraints, nodes, show_object_path, size};
use crd_inclusion::{Difference, Direction, Position, Prover, Technique};
use crd_model::crd::Version;
use crd_model::schema::Text;
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::{Map, Value, json};

use crate::change::{Change, LocatedChange};
use candidates::candidates;
use constants::Constants;
use exchanged::{alone, exchanged, reversed};
use relevant::{Relevant, Stubs, whole};
use slim::slim;
use written::written;

/// What the baseline accepts and the candidate refuses.
#[derive(Clone, Debug, PartialEq)]
pub enum Witness {
    /// The object.
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
        /// The stored object.
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

/// Unknown fields have no witness.
pub const UNKNOWN_FIELDS: &str = "unknown fields are dropped silently, not refused";
/// List types have no witness.
pub const LIST_TYPE: &str =
    "the list type decides how a list with two writers is merged; the result for stored lists depends on their writers";
/// Map types have no witness.
pub const MAP_TYPE: &str = "the map type decides how an object with two writers is merged, and refuses nothing";

/// Why a change that can be *tightened* or *neither* never has a witness; none if it can have one.
pub fn exempt(change: &Change<'_>) -> Option<&'static str> {
    match change {
        Change::PreserveUnknownFieldsOfAll(_) => Some(UNKNOWN_FIELDS),
        Change::Schema(difference) => match difference {
            Difference::PreserveUnknownFields(_) => Some(UNKNOWN_FIELDS),
            Difference::ListType(_) | Difference::ListMapKeys(_) => Some(LIST_TYPE),
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

/// How many accepted objects are tried.
const MOST_ACCEPTED: usize = 3;
/// How many constraints of one node are searched along.
const MOST_CONSTRAINTS: usize = 24;

/// How much work all searches for changes, or all for states, may take: the values of each object that is built or checked, with the rules and
/// properties that a server reads for each of them. One unit takes about half a microsecond at most.
const MOST_WORK: usize = 6_000_000;
/// Which part of the work that is left one change may take, so that many changes are searched, and how much it may take at least.
const SHARE: usize = 6;
const LEAST_SHARE: usize = 20_000;
/// How much work a check of an object is apart from its values, and how much it is to prepare a rule.
const CHECK: usize = 4;
const RULE: usize = 40;
/// How many nodes of a schema, rules that need no long evaluation, and properties that an object lacks take one unit together.
const NODES: usize = 4;
const RULES: usize = 4;
const PROPERTIES: usize = 8;
/// How much of the cost of an evaluation takes one unit.
const COST: u64 = 8;
/// How many nodes a version has whose rules are prepared once for all of its changes. For a larger one, those of a part are.
const SMALL: usize = 2_000;

/// Takes work.
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

/// Searches for witnesses, and caches them.
pub struct Witnesses<'a> {
    prover: Arc<Prover>,
    searched: HashMap<Key, Searched>,
    patterns: Patterns,
    stubs: Stubs,
    /// The versions with all of their rules, by the addresses of the old version and of this one; none if a rule does not compile, and none if
    /// the version is large.
    resources: HashMap<[*const Version; 2], Option<Option<Rc<Resource>>>>,
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
        let (searched, patterns, stubs) = (HashMap::new(), Patterns::default(), Stubs::default());
        let (resources, work) = (HashMap::new(), Cell::new(MOST_WORK));
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
            && known.iter().zip(versions).all(|(known, version)| std::ptr::eq(*known, version))
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
        if let Some(reason) = exempt(&located.change) {
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
        let position = &location.position;
        let difference = match &located.change {
            Change::Schema(difference) => difference,
            Change::Scaled(scaled) => {
                let prepared = [(old_crd, old), (new_crd, new)].map(|(crd, version)| {
                    take(&self.work, nodes(&version.schema).len() / NODES);
                    with_schema(crd, version, &version.name, &version.schema)
                });
                let found = path(position).and_then(|path| {
                    scaled::search(&old.schema, prepared, scaled.value(), &path, &frame(old_crd, old), &self.work)
                });
                return found.unwrap_or(Witness::None(NOT_FOUND));
            }
            _ => return Witness::None(NOT_FOUND),
        };
        let by_default = difference.may_refuse_by_default(position);
        let Some(path) = (if by_default { path_above(position) } else { path(position) }) else {
            return Witness::None(RENAMED);
        };
        let [before, after] = located.values().map(|value| value.map(|value| value.to_string()).unwrap_or_default());
        let key = (location.crd().to_owned(), located.path(), difference.description(), before, after);
        let frame = frame(old_crd, old);
        let is_update = difference.is_rule_about_updates() || matches!(difference, Difference::OptionalOldSelf(_));
        let judge = match difference {
            _ if by_default || is_update => Judge::Server,
            Difference::Rule(_) if self.prover.uses(Technique::RuleJudge) => Judge::Rules,
            Difference::Rule(_) => Judge::Server,
            _ if self.prover.uses(Technique::StructureJudge) => Judge::Structure,
            _ => Judge::Server,
        };
        let relevant = self.relevant([old, new], &path);
        // Every search copies and reads it.
        take(&self.work, 1 + relevant.size / NODES);
        let has_status = |version: &Version| version.subresources.as_ref().is_some_and(|both| both.status);
        // A server takes only objects of the version, and a clash of versions is about two.
        let mut resource = |side: usize| {
            let (crd, version, part) =
                if side == 0 { (old_crd, old, &relevant.old) } else { (new_crd, new, &relevant.new) };
            let prepare = |schema: &Schema| {
                take(&self.work, RULE * rules_in(schema));
                with_schema(crd, version, &old.name, schema)
            };
            let is_small = || nodes(&version.schema).len() <= SMALL;
            let whole = self.resources.entry([old, version].map(std::ptr::from_ref));
            let whole = whole.or_insert_with(|| is_small().then(|| prepare(&version.schema))).clone();
            whole.unwrap_or_else(|| relevant.resources[side].get_or_init(|| prepare(part)).clone())
        };
        let exchanged = exchanged(&relevant.old, &path, difference, position);
        let alone = || with_schema(new_crd, new, &old.name, &alone(&relevant.new, &path, difference));
        let may_have_status = has_status(new) && (path.steps().is_empty() || is_in_status(&path));
        let rules = Rules {
            old: if relevant.has_rules || judge == Judge::Server { resource(0) } else { None },
            new: if may_have_status || judge != Judge::Structure { resource(1) } else { None },
            exchanged: match judge {
                Judge::Structure => None,
                // The rule may name fields that the old schema does not have.
                Judge::Rules => alone(),
                Judge::Server => {
                    take(&self.work, RULE * rules_in(&exchanged));
                    with_schema(old_crd, old, &old.name, &exchanged).or_else(alone)
                }
            },
        };
        let trial = Trial {
            old: &relevant.old,
            new: &relevant.new,
            exchanged,
            judge,
            rules,
            size: relevant.size,
            has_rules: relevant.has_rules,
            patterns: &self.patterns,
            prover: &self.prover,
            work: &self.work,
        };
        // A list may distinguish its items by the default.
        let path =
            if by_default && path.steps().last() == Some(&Step::Item) { path.above().unwrap_or(path) } else { path };
        if is_update {
            return update::search(&trial, difference, &path, &frame).unwrap_or(Witness::None(NO_UPDATE));
        }
        if let Some(searched) = self.searched.get(&key) {
            match &searched.witness {
                Witness::Object(object) | Witness::Status { object, .. } => {
                    let mut object = object.clone();
                    if let Some(map) = object.as_object_mut() {
                        map.extend(frame.clone());
                    }
                    if trial.other_refusals(&object, &searched.at).is_some() {
                        return trial.witness(object);
                    }
                }
                Witness::None(reason) => {
                    let is_same = |known: &Rc<Relevant>| known.old == relevant.old && known.new == relevant.new;
                    if searched.relevant.as_ref().is_some_and(is_same) {
                        return Witness::None(reason);
                    }
                }
                Witness::Update { .. } => {}
            }
        }
        let (witness, at) = match trial.search(difference, position, &path, &frame) {
            Some((object, at)) => (trial.witness(object), at),
            None if trial.is_exhausted() => return Witness::None(TOO_MUCH),
            None => (Witness::None(reason(difference, position)), String::new()),
        };
        let relevant = matches!(witness, Witness::None(_)).then_some(relevant);
        self.searched.insert(key, Searched { relevant, witness: witness.clone(), at });
        witness
    }
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
    let mut path = SchemaPath::root();
    for (step, above) in position.steps.iter().zip(&position.old_nodes) {
        path = path.with(match step {
            crd_inclusion::Step::Field(name) => {
                above.properties.get(name)?;
                Step::Field((*name).to_owned())
            }
            crd_inclusion::Step::Each if above.items.is_some() => Step::Item,
            crd_inclusion::Step::Each => Step::Value,
        });
    }
    Some(path)
}

/// The fields that every object has, with a name that the schema accepts.
fn frame(crd: &CustomResourceDefinition, version: &Version) -> Map<String, Value> {
    let mut frame = Map::new();
    frame.insert("apiVersion".to_owned(), json!(format!("{}/{}", crd.group, version.name)));
    frame.insert("kind".to_owned(), json!(crd.names.kind));
    frame.insert("metadata".to_owned(), json!({ "name": name(&version.schema).unwrap_or("witness") }));
    frame
}

/// The name that a schema demands of its only object, or the first of those that it lists.
fn name(schema: &Schema) -> Option<&str> {
    let listed =
        schema.properties.get("metadata").and_then(|metadata| metadata.properties.get("name")?.enumeration.as_ref());
    if let Some(listed) = listed {
        return listed.iter().find_map(Value::as_str);
    }
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

/// What evaluates the CEL rules of the schemas, where that is needed.
struct Rules {
    old: Option<Rc<Resource>>,
    new: Option<Rc<Resource>>,
    exchanged: Option<Rc<Resource>>,
}

/// What decides whether an object is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Judge {
    /// The structure of the changed schema.
    Structure,
    /// Its rules.
    Rules,
    /// All that a server does, defaults first.
    Server,
}

/// Validates objects with both schemas.
struct Trial<'t> {
    old: &'t Schema,
    new: &'t Schema,
    /// The old schema with only the changed constraint of the new one.
    exchanged: Schema,
    judge: Judge,
    rules: Rules,
    /// The nodes of both schemas.
    size: usize,
    /// Whether a rule of the old schema can refuse objects.
    has_rules: bool,
    patterns: &'t Patterns,
    prover: &'t Prover,
    /// How much work is left.
    work: &'t Cell<usize>,
}

impl Trial<'_> {
    /// Counts a check of an object.
    fn charge(&self, object: &Value) {
        take(self.work, CHECK + work_of(self.old, object));
    }

    /// Whether no work is left.
    fn is_exhausted(&self) -> bool {
        self.work.get() == 0
    }

    /// A search for objects that this accepts.
    fn objects<'s>(
        &'s self,
        schema: &'s Schema,
        frame: &Map<String, Value>,
        accepts: impl FnMut(&SchemaPath, &Value) -> bool + 's,
    ) -> Search<'s> {
        take(self.work, self.size / NODES);
        Search::new(schema, frame.clone(), Vec::new(), accepts).limited(self.work)
    }

    fn violations(&self, schema: &Schema, object: &Value) -> Vec<Violation> {
        self.charge(object);
        let mut complete = object.clone();
        apply_defaults(schema, &mut complete);
        let matches = |pattern: &str, text: &str| self.patterns.matches(pattern, text);
        Validator { matches: &matches, subject: Validated::Resource }.validate(schema, &complete)
    }

    /// What a server refuses. Unknown fields are dropped first.
    fn refusals(&self, schema: &Schema, object: &Value) -> Vec<Violation> {
        let mut pruned = object.clone();
        prune(schema, &mut pruned);
        let mut found = self.violations(schema, &pruned);
        found.retain(|violation| violation.kind != ViolationKind::UnknownField);
        found
    }

    /// Whether the old schema accepts an object, its rules aside.
    fn has_structure(&self, object: &Value) -> bool {
        self.violations(self.old, object).is_empty()
    }

    /// Whether the old schema accepts an object, its rules included.
    fn is_accepted(&self, object: &Value) -> bool {
        if self.is_exhausted() || !self.has_structure(object) {
            return false;
        }
        if !self.has_rules {
            return true;
        }
        self.rules.old.as_ref().is_some_and(|resource| self.evaluated(resource, object).is_accepted())
    }

    /// Whether this is a witness, wherever its value is.
    fn is_refused(&self, object: &Value) -> bool {
        if self.is_exhausted() {
            return false;
        }
        match self.judge {
            Judge::Server => {
                let accepts = |resource: &Option<Rc<Resource>>| {
                    resource.as_ref().map(|resource| self.written(resource, None, object).0.is_accepted())
                };
                accepts(&self.rules.exchanged) == Some(false)
                    && accepts(&self.rules.new) == Some(false)
                    && accepts(&self.rules.old) == Some(true)
            }
            Judge::Rules => {
                !self.broken_rules(&self.rules.exchanged, object).is_empty()
                    && !self.broken_rules(&self.rules.new, object).is_empty()
                    && self.is_accepted(object)
                    && self.refused_write(object).is_some()
            }
            Judge::Structure => {
                !self.refusals(&self.exchanged, object).is_empty()
                    && !self.refusals(self.new, object).is_empty()
                    && self.is_accepted(object)
                    && self.refused_write(object).is_some()
            }
        }
    }

    /// The answer to a write of the object, and whether it is that of `/status`.
    fn written(&self, resource: &Resource, stored: Option<&Value>, object: &Value) -> (Answer, bool) {
        self.charge(object);
        let (answer, is_status) = written(resource, stored, object);
        self.charge_rules(&answer);
        (answer, is_status)
    }

    /// What the rules say of an object.
    fn evaluated(&self, resource: &Resource, object: &Value) -> Answer {
        self.charge(object);
        let answer = resource.rules(object.clone());
        self.charge_rules(&answer);
        answer
    }

    fn charge_rules(&self, answer: &Answer) {
        take(self.work, usize::try_from(answer.cost / COST).unwrap_or(usize::MAX));
    }

    /// Whether the new CRD refuses only the status of an object that it refuses; none if a server never reads what is refused, because
    /// a creation drops the status.
    fn refused_write(&self, object: &Value) -> Option<bool> {
        match self.rules.new.as_ref().filter(|new| new.has_status() && object.get("status").is_some()) {
            Some(new) => match self.written(new, None, object) {
                (answer, _) if answer.is_accepted() => None,
                (_, is_status) => Some(is_status),
            },
            None => Some(false),
        }
    }

    /// A refused object as a witness.
    fn witness(&self, object: Value) -> Witness {
        let is_status = self.refused_write(&object) == Some(true);
        Witness::refused(object, is_status)
    }

    /// The paths of the rules that the object breaks.
    fn broken_rules(&self, resource: &Option<Rc<Resource>>, object: &Value) -> Vec<String> {
        let errors = resource.as_ref().map(|resource| self.evaluated(resource, object).errors).unwrap_or_default();
        errors.into_iter().map(|error| if error.field == "<nil>" { String::new() } else { error.field }).collect()
    }

    /// The number of other refusals of the new schema, if this is a witness.
    fn other_refusals(&self, object: &Value, at: &str) -> Option<usize> {
        if !self.is_refused(object) {
            return None;
        }
        if self.judge == Judge::Server {
            return Some(0);
        }
        let mut refused: Vec<String> =
            self.refusals(self.new, object).into_iter().map(|violation| violation.path).collect();
        let structural = refused.len();
        let is_rule = self.judge == Judge::Rules;
        if is_rule {
            refused.extend(self.broken_rules(&self.rules.new, object));
        }
        let own = if is_rule { &refused[structural..] } else { &refused[..] };
        let at_path = own.iter().filter(|path| is_below(path, at)).count();
        (at_path > 0).then(|| refused.len() - at_path)
    }

    /// A witness, and the path of its value: the first one without other refusals, or the first one.
    fn search(
        &self,
        difference: &Difference<'_>,
        position: &Position<'_>,
        path: &SchemaPath,
        frame: &Map<String, Value>,
    ) -> Option<(Value, String)> {
        let mut best: Option<(usize, Value, String)> = None;
        let is_in_status = is_in_status(path);
        // The fewest other refusals so far.
        let fewest_others = Cell::new(None::<usize>);
        let mut offer = |object: Value, at: String| {
            if self.is_exhausted() {
                return true;
            }
            if let Some(other_refusals) = self.other_refusals(&object, &at)
                // An object that is refused as a whole never gets a status.
                && (other_refusals == 0 || !is_in_status)
                && best.as_ref().is_none_or(|(fewest, ..)| other_refusals < *fewest)
            {
                best = Some((other_refusals, object, at));
                fewest_others.set(Some(other_refusals));
            }
            best.as_ref().is_some_and(|(fewest, ..)| *fewest == 0)
        };
        if self.judge != Judge::Structure {
            let constants = Constants::of(difference, position, self.judge);
            rule::search(self, &constants, path, frame, &mut offer);
            return best.map(|(_, object, at)| (object, at));
        }
        // First objects that both schemas accept, so that the witness violates only this constraint. If a node accepts other values now,
        // only the old schema is checked. A rule may need fields that a small schema does not have.
        for (both, is_small) in [(true, true), (false, true), (true, false), (false, false)] {
            // The search with all fields takes longer.
            if self.is_exhausted() || !is_small && (fewest_others.get() == Some(0) || !self.has_rules) {
                break;
            }
            let uses = |technique| self.prover.uses(technique);
            if both && !uses(Technique::AcceptedByBoth) || !is_small && !uses(Technique::WholeObjects) {
                continue;
            }
            take(self.work, 2 * self.size / NODES);
            let other = both.then_some(self.new);
            let (small_old, small_new) = match is_small {
                true => (slim(self.old, path, other), slim(&self.exchanged, path, other)),
                false => (self.old.clone(), self.exchanged.clone()),
            };
            let accepts =
                |object: &Value| self.is_accepted(object) && (!both || self.refusals(self.new, object).is_empty());
            for technique in [Technique::Candidates, Technique::Reversed] {
                let is_reversed = technique == Technique::Reversed;
                if is_reversed && !both || !uses(technique) {
                    continue;
                }
                // Where the changes around demand more than the old schema.
                let schema = match is_reversed {
                    false => Cow::Borrowed(&small_old),
                    true => {
                        let schema = reversed(self.new, path, difference, position);
                        Cow::Owned(if is_small { slim(&schema, path, None) } else { schema })
                    }
                };
                let mut search = self.objects(&schema, frame, |_, object| match is_reversed {
                    true => self.is_accepted(object),
                    false => accepts(object),
                });
                for accepted in search.accepted(path).into_iter().take(MOST_ACCEPTED) {
                    if self.offers_candidates(&accepted, difference, position, &[], &mut offer) {
                        return best.map(|(_, object, at)| (object, at));
                    }
                }
            }
            let mut search = self.objects(&small_new, frame, |_, object| accepts(object));
            let along = constraints(&small_new).into_iter().filter(|constraint| {
                let at_path = constraint.path == *path;
                match difference {
                    // Its branches may constrain nodes below.
                    Difference::AllOf(_) => constraint.path.steps().starts_with(path.steps()),
                    _ => at_path && keyword(difference).is_some_and(|keyword| keyword == constraint.keyword),
                }
            });
            let most = if uses(Technique::Boundary) { MOST_CONSTRAINTS } else { 0 };
            for constraint in along.take(most) {
                if let Ok(found) = search.boundary_where(&constraint, Some(&|object| self.is_refused(object)))
                    && offer(found.outside, found.path)
                {
                    return best.map(|(_, object, at)| (object, at));
                }
            }
        }
        let is_climbed = self.prover.uses(Technique::Climb) && self.has_rules;
        if is_climbed && fewest_others.get().is_none() && !self.is_exhausted() {
            let outside = path.node(&self.exchanged).zip(keyword(difference));
            let outside = outside.map(|(node, keyword)| climb::outside(node, keyword)).unwrap_or_default();
            for start in climb::starts(self, path, frame) {
                let Some(found) = climb::climb(self, start, path) else { continue };
                if self.offers_candidates(&found, difference, position, &outside, &mut offer) {
                    return best.map(|(_, object, at)| (object, at));
                }
            }
        }
        best.map(|(_, object, at)| (object, at))
    }

    /// Offers an accepted object with each of these values, and each that the change is likely to refuse; true if one is good enough.
    fn offers_candidates(
        &self,
        accepted: &AcceptedObject,
        difference: &Difference<'_>,
        position: &Position<'_>,
        values: &[Value],
        offer: &mut dyn FnMut(Value, String) -> bool,
    ) -> bool {
        let at = show_object_path(&accepted.object_path);
        let likely = accepted.value().map(|now| candidates(difference, position, now)).unwrap_or_default();
        let objects = values.iter().cloned().chain(likely).filter_map(|value| with(accepted, value));
        objects.into_iter().any(|object| offer(object, at.clone()))
    }
}

/// The keyword that a search follows; none where only [`candidates`] are tried.
fn keyword(difference: &Difference<'_>) -> Option<Keyword> {
    Some(match difference {
        Difference::Maximum(_) => Keyword::Maximum,
        Difference::Minimum(_) => Keyword::Minimum,
        Difference::MultipleOf(_) => Keyword::MultipleOf,
        Difference::MaxLength(_) => Keyword::MaxLength,
        Difference::MinLength(_) => Keyword::MinLength,
        Difference::MaxItems(_) => Keyword::MaxItems,
        Difference::MinItems(_) => Keyword::MinItems,
        Difference::MaxProperties(_) => Keyword::MaxProperties,
        Difference::MinProperties(_) => Keyword::MinProperties,
        Difference::UniqueItems(_) => Keyword::UniqueItems,
        Difference::Pattern(_) => Keyword::Pattern,
        Difference::Format(_) => Keyword::Format,
        Difference::Enum(_) | Difference::EnumValue(_) => Keyword::Enum,
        Difference::Type { .. } => Keyword::Type,
        Difference::AnyOf(_) => Keyword::AnyOf,
        Difference::OneOf(_) => Keyword::OneOf,
        Difference::Not(_) => Keyword::Not,
        _ => return None,
    })
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
    nodes(schema).iter().map(|(_, node)| node.validations.len()).sum()
}

/// How much work it is to check a value: its size, and the rules and properties that a server reads for it.
fn work_of(node: &Schema, value: &Value) -> usize {
    let child = |name: &str| node.properties.get(name).or_else(|| node.values());
    let below = |node: Option<&Schema>, value| node.map_or_else(|| size(value), |node| work_of(node, value));
    let inner: usize = match value {
        Value::Object(entries) => entries.iter().map(|(name, value)| below(child(name), value)).sum(),
        Value::Array(items) => items.iter().map(|item| below(node.items.as_deref(), item)).sum(),
        _ => size(value),
    };
    // Every property is looked up for its default.
    1 + node.validations.len() / RULES + node.properties.len() / PROPERTIES + inner
}

/// Whether a path is this one, or one below it.
fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| above.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
}
