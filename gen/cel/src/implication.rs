//! Implication: whether every value of a schema satisfies a rule.
//!
//! A rule reads *facts* of a value: whether a field is there, which constant a value equals, what a function returns. A *world* gives a value
//! to some facts. The search tries all values of the facts that decide: if the rule is true in each world in which all assumed rules are
//! true, it is true for every value.
//!
//! Where this search finds no proof, the rules become formulas (`translation`), and a solver decides whether any value satisfies the assumed
//! rules and not the rule (`satisfaction`).
//!
//! Invariants:
//! * A proof holds for every value that the schema accepts and for which the assumed rules are true. Errors are values of facts: an operand
//!   that may fail is also tried as failed, and `&&`, `||` and `all` absorb errors as servers do.
//! * An expression that is not understood is a fact of its own: the same expression has the same value, and nothing else about it.
//! * The run-time budget of a server is not considered.
//! * Work is counted, not timed. No proof is found where it would take more.

mod beginning;
mod elements;
mod equality;
mod evaluation;
mod facts;
mod formula;
mod model;
mod names;
mod paths;
mod satisfaction;
mod solver;
mod theory;
mod translation;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use crd_model::Schema;
use foldhash::HashMap;

use super::parser::{self, Macro, NodeId, Tree};
use facts::{Constants, Fact, Known, Name, Place, World};
use names::Names;

/// How a rule was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Proof {
    /// It follows from the assumed rules alone.
    Rules,
    /// It follows from the schema, or from the schema and the assumed rules.
    Schema,
}

/// A field that the assumed rules read and that the proven rule does not see, because it was removed in between. No value is valid there.
#[must_use]
pub fn dropped(field: Schema) -> Schema {
    Schema { not: Some(Box::default()), ..field }
}

/// Whether a field was removed in between ([`dropped`]).
pub fn is_dropped(field: &Schema) -> bool {
    field.not.as_deref().is_some_and(|not| *not == Schema::default())
}

/// How much work a question may take, in evaluated nodes. What is proven is asked again with the rules alone, which takes more.
const WORK: usize = 8_000;
const WORK_ALONE: usize = 20_000;
/// How many rules are read, and how many of them are assumed.
pub const MOST_READ: usize = 24;
const MOST_ASSUMED: usize = 12;
/// How many of them are tried alone, and which part of the work each may take: what does not follow from one rule soon, seldom follows from it.
const MOST_ALONE: usize = 3;
const PART_ALONE: usize = 8;
/// How many facts a world of one search has in addition to those around it.
const MOST_FACTS: usize = 32;
/// How many macros over items are read inside each other.
const DEEPEST: usize = 4;

/// An answer that took long, and its question.
#[derive(Debug)]
struct Answer {
    schema: Schema,
    is_resource: bool,
    rules: Vec<String>,
    proof: Option<Proof>,
    work: usize,
}

/// From how much work on an answer is kept, and how many are kept.
const LONG: usize = 500;
const MOST_ANSWERS: usize = 64;

/// Answers to questions that are asked again: each kind of route has the same references to its parents.
///
/// An answer depends on its question alone, so that keeping it only saves time, on any thread.
#[derive(Debug, Default)]
pub struct Answers {
    kept: Mutex<VecDeque<Answer>>,
    left_out: Option<Engine>,
}

/// What proves an implication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The facts of an object, case by case.
    Cases,
    /// A solver of clauses over what rules state, where cases prove nothing.
    Solver,
}

impl Answers {
    /// Answers without one of the engines, to measure what it alone proves.
    #[must_use]
    pub fn without(engine: Engine) -> Self {
        Self { left_out: Some(engine), ..Self::default() }
    }

    /// Whether a rule is true for every value that the schema accepts and for which the assumed rules are true; none if that is not proven.
    ///
    /// A field that an object node does not list is absent, unless the node preserves unknown fields. `is_resource` is true for the schema of
    /// a whole object, whose `apiVersion`, `kind` and `metadata` the server describes. The first assumed rules count where there are many.
    /// `work` is how much work is left, in evaluated nodes; the proof reduces it.
    pub fn proves(
        &self,
        schema: &Schema,
        is_resource: bool,
        assumed: &[&str],
        rule: &str,
        work: &mut usize,
    ) -> Option<Proof> {
        // Reading a rule is work too.
        let lengths = [rule].iter().chain(assumed).take(MOST_READ).map(|rule| rule.len()).sum::<usize>();
        *work = work.checked_sub(lengths / 8 + 1)?;
        let read = [rule].into_iter().chain(assumed.iter().copied().take(MOST_READ));
        let rules: Vec<Rule<'_>> = read
            .enumerate()
            .map_while(|(index, source)| match parser::parse(source) {
                Ok(tree) => Some(Some(Rule { source, tree })),
                // No server has a rule that does not compile.
                Err(_) => (index > 0).then_some(None),
            })
            .flatten()
            .collect();
        if rules.is_empty() {
            return None;
        }
        let has_all_work = *work >= WORK + WORK_ALONE;
        let all = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &&Answer| {
            known.is_resource == is_resource
                && known.rules.iter().eq(rules.iter().map(|rule| rule.source))
                && known.schema == *schema
        };
        let known = all().iter().find(is_same).filter(|_| has_all_work).map(|known| (known.proof, known.work));
        if let Some((proof, taken)) = known {
            *work = work.saturating_sub(taken);
            return proof;
        }
        let before = *work;
        // What the rules prove alone, they prove with the schema too.
        let proof = self.is_proven(&rules, schema, is_resource, true, work).then(|| {
            let by_rules = rules.len() > 1 && self.is_proven(&rules, schema, is_resource, false, work);
            if by_rules { Proof::Rules } else { Proof::Schema }
        });
        let taken = before - *work;
        if has_all_work && taken >= LONG {
            let rules = rules.iter().map(|rule| rule.source.to_owned()).collect();
            let mut all = all();
            all.push_back(Answer { schema: schema.clone(), is_resource, rules, proof, work: taken });
            if all.len() > MOST_ANSWERS {
                all.pop_front();
            }
        }
        proof
    }

    /// Whether the first rule is proven by the rules after it, and by the schema if it counts.
    fn is_proven(
        &self,
        rules: &[Rule<'_>],
        schema: &Schema,
        is_resource: bool,
        uses_schema: bool,
        work: &mut usize,
    ) -> bool {
        let mut question = Question::new(rules, schema, is_resource, uses_schema);
        let goal = question.whole(0);
        let reads = |question: &mut Question<'_>, part| {
            question.gather(part);
            std::mem::take(&mut question.read)
        };
        let wanted = reads(&mut question, goal);
        let roots = ["self", "oldSelf"].map(|root| question.root(root).name);
        let mut assumed = Vec::new();
        for index in 1..rules.len() {
            let whole = question.whole(index);
            let read = reads(&mut question, whole);
            let is_near =
                !read.is_disjoint(&wanted) || roots.iter().any(|root| read.contains(root) || wanted.contains(root));
            assumed.push((!is_near, whole));
        }
        assumed.sort_by_key(|(is_far, _)| *is_far);
        // One rule is enough most often, and then the number of rules does not matter.
        let alone = assumed.iter().filter(|(is_far, _)| !is_far).take(MOST_ALONE).map(|(_, rule)| vec![*rule]);
        let alone = alone.collect::<Vec<_>>();
        let together = assumed.iter().take(MOST_ASSUMED).map(|(_, rule)| *rule).collect::<Vec<_>>();
        let all = assumed.iter().map(|(_, rule)| *rule).collect::<Vec<_>>();
        let uses = |engine: Engine| self.left_out != Some(engine);
        let tried = alone.into_iter().filter(|alone| *alone != together).chain([together.clone()]);
        for hypotheses in tried.filter(|_| uses(Engine::Cases)) {
            let part = if hypotheses == together { 1 } else { PART_ALONE };
            let before = question.most_work.saturating_sub((question.most_work / part).min(*work));
            question.work = before;
            let is_proven = question.is_proven(&World::default(), &hypotheses, goal);
            *work = work.saturating_sub(question.work - before);
            if is_proven {
                return true;
            }
        }
        uses(Engine::Solver) && satisfaction::is_proven(&question, &all, goal, work)
    }
}

/// Values that the schema may accept, of which the assumed rules may be true and the rule not: proposals that an evaluator has to confirm. Only
/// what the rules read is in them; null means any value. `work` is how much work is left; the search reduces it.
#[must_use]
pub fn counterexamples(
    schema: &Schema,
    is_resource: bool,
    assumed: &[&str],
    rule: &str,
    count: usize,
    work: &mut usize,
) -> Vec<serde_json::Value> {
    let read = [rule].into_iter().chain(assumed.iter().copied().take(MOST_READ));
    let rules = read.filter_map(|source| Some(Rule { source, tree: parser::parse(source).ok()? })).collect::<Vec<_>>();
    if rules.first().is_none_or(|first| first.source != rule) {
        return Vec::new();
    }
    let question = Question::new(&rules, schema, is_resource, true);
    let goal = question.whole(0);
    let hypotheses = (1..rules.len()).map(|index| question.whole(index)).collect::<Vec<_>>();
    satisfaction::values(&question, &hypotheses, goal, count, work)
}

struct Rule<'r> {
    source: &'r str,
    tree: Tree<'r>,
}

/// A node of a rule, and the variables around it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Part {
    rule: usize,
    node: NodeId,
    scope: Scope,
}

/// The variables of macros, innermost first: an index of [`Names`]. Equal variables have one index.
type Scope = Option<usize>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Variable<'q> {
    name: &'q str,
    is: Binding<'q>,
    /// How many variables are any item of a list or map, this one included.
    depth: usize,
    outer: Scope,
}

/// The value of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Binding<'q> {
    /// Any item of a list, or any key of a map.
    Place(Place<'q>),
    Part(Part),
}

/// What a fact is about: the expressions with these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum About {
    /// Whether the place is there.
    Presence(Name),
    Value(Name),
    /// Its truth, where it has a value.
    Truth(Name),
    /// Whether it has a value.
    Success(Name),
    /// Its truth, or that it fails.
    Outcome(Name),
    /// Whether both are equal; the lower name is the first.
    Equality(Name, Name),
    /// Whether the first is less than the second.
    Less(Name, Name),
    /// Whether the first is not greater than the second.
    LessEqual(Name, Name),
}

impl About {
    fn equality(one: Name, other: Name) -> Self {
        Self::Equality(one.min(other), one.max(other))
    }

    fn map(self, name: impl Fn(Name) -> Name) -> Self {
        match self {
            Self::Presence(of) => Self::Presence(name(of)),
            Self::Value(of) => Self::Value(name(of)),
            Self::Truth(of) => Self::Truth(name(of)),
            Self::Success(of) => Self::Success(name(of)),
            Self::Outcome(of) => Self::Outcome(name(of)),
            Self::Equality(one, other) => Self::equality(name(one), name(other)),
            Self::Less(one, other) => Self::Less(name(one), name(other)),
            Self::LessEqual(one, other) => Self::LessEqual(name(one), name(other)),
        }
    }
}

/// `all`, `exists` or `exists_one` over a range, as a fact.
#[derive(Clone, Copy)]
struct Quantifier {
    kind: Macro,
    range: Name,
    body: Part,
}

/// A question about a rule, with the facts that were read so far.
struct Question<'q> {
    rules: &'q [Rule<'q>],
    schema: &'q Schema,
    is_resource: bool,
    /// Whether anything but the types of the schema counts.
    uses_schema: bool,
    /// What each place is compared with.
    constants: HashMap<Name, Constants>,
    /// The places that were read, for choosing hypotheses.
    read: BTreeSet<Name>,
    names: RefCell<Names<'q>>,
    facts: Vec<Fact>,
    by_name: HashMap<About, usize>,
    quantifiers: BTreeMap<usize, Quantifier>,
    work: usize,
    most_work: usize,
    /// How many searches about items are inside each other now.
    nesting: usize,
    /// Whether the proven rule reads other values than the assumed rules anywhere.
    is_changed: bool,
    /// The defaults that were read, by the names of their values.
    filled: HashMap<Name, Known>,
    /// Both sides of equalities of places, and whether equal values of them are the same value.
    equalities: BTreeMap<usize, (Name, Name, bool)>,
    /// Pairs of names of which at least one pair differs.
    distinct: Vec<Vec<(Name, Name)>>,
    /// Whether a pattern of the schema accepts no other texts than a pattern of a rule.
    patterns: HashMap<(&'q str, String), bool>,
}

impl<'q> Question<'q> {
    fn new(rules: &'q [Rule<'q>], schema: &'q Schema, is_resource: bool, uses_schema: bool) -> Self {
        Self {
            rules,
            schema,
            is_resource,
            uses_schema,
            constants: HashMap::default(),
            read: BTreeSet::new(),
            names: RefCell::default(),
            facts: Vec::new(),
            by_name: HashMap::default(),
            quantifiers: BTreeMap::new(),
            work: 0,
            most_work: if uses_schema { WORK } else { WORK_ALONE },
            nesting: 0,
            is_changed: names::is_changed(schema),
            filled: HashMap::default(),
            equalities: BTreeMap::new(),
            distinct: Vec::new(),
            patterns: HashMap::default(),
        }
    }

    fn whole(&self, rule: usize) -> Part {
        Part { rule, node: self.rules[rule].tree.root, scope: None }
    }

    /// Whether the goal is true in each world that extends this one and in which all hypotheses are true.
    fn is_proven(&mut self, world: &World, hypotheses: &[Part], goal: Part) -> bool {
        self.is_always(true, world, hypotheses, goal, MOST_FACTS)
    }

    /// Whether the goal is always true, or always false.
    fn is_always(&mut self, truth: bool, world: &World, hypotheses: &[Part], goal: Part, most: usize) -> bool {
        if self.work > self.most_work || most == 0 {
            return false;
        }
        let wanted = self.truth(world, goal);
        if wanted == Ok(Known::Truth(truth)) {
            return true;
        }
        let mut open = None;
        for hypothesis in hypotheses {
            match self.truth(world, *hypothesis) {
                Ok(Known::Truth(true)) => {}
                // This world is not one of them.
                Ok(_) => return true,
                Err(fact) => open = open.or(Some(fact)),
            }
        }
        let fact = match (wanted, open) {
            // The values of other quantifiers decide.
            (Err(fact), Some(open)) if self.quantifiers.contains_key(&fact) => open,
            (Err(fact), _) | (Ok(_), Some(fact)) => fact,
            (Ok(_), None) => return false,
        };
        let worlds = self.worlds(world, fact);
        worlds.iter().all(|world| self.is_always(truth, world, hypotheses, goal, most - 1))
    }

    /// Whether both have the same value in each world that extends this one, and in which the first one does not fail if it `succeeds`.
    fn is_same(&mut self, world: &World, one: Part, other: Part, succeeds: bool, most: usize) -> bool {
        if self.work > self.most_work || most == 0 {
            return false;
        }
        let fact = match (self.truth(world, one), self.truth(world, other)) {
            (Ok(Known::Failed), _) if succeeds => return true,
            (Ok(one), Ok(other)) => return one == other,
            (Err(fact), _) | (_, Err(fact)) => fact,
        };
        let worlds = self.worlds(world, fact);
        worlds.iter().all(|world| self.is_same(world, one, other, succeeds, most - 1))
    }

    /// The worlds with a value of one more fact, without those that no value has.
    fn worlds(&mut self, world: &World, fact: usize) -> Vec<World> {
        let values = 0..self.facts[fact].values.len();
        values.map(|value| world.with(fact, value)).filter(|world| self.is_possible(world)).collect()
    }

    /// The value of a fact in a world; an error with the fact if the world has none.
    fn known(&self, world: &World, fact: usize) -> Result<Known, usize> {
        let value = world.get(fact).ok_or(fact)?;
        self.facts[fact].values.get(value).cloned().ok_or(fact)
    }

    /// The value of the fact with this name, whose values are computed when it is new.
    fn fact(&mut self, world: &World, about: About, values: impl FnOnce(&Self) -> Vec<Known>) -> Result<Known, usize> {
        let fact = match self.by_name.get(&about) {
            Some(fact) => *fact,
            None => self.add(about, values(self)),
        };
        self.known(world, fact)
    }

    fn add(&mut self, about: About, values: Vec<Known>) -> usize {
        let fact = self.facts.len();
        self.facts.push(Fact { about, values: Rc::from(values) });
        self.by_name.insert(about, fact);
        fact
    }
}
