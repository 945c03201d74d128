//! Whether any object makes formulas true: clauses over atoms, the items that `some` names, and conflicts of numbers and texts.
//!
//! INVARIANT: each clause of [`Clauses`] holds for every object: formulas of rules and schemas, items, and lemmas of the theory. Only their
//! contradiction makes a [`Refutation`]. [`Proposals`] add blocks, which say nothing about objects, and make none.
//!
//! An item that `some` names exists where that statement is true, and `every` is stated for each such item; further items are left out, which
//! only adds objects.

use std::collections::BTreeSet;

use foldhash::HashMap;
use serde_json::Value;

use super::facts::Place;
use super::formula::{Atom, Claim, FALSE, Form, Formula, Items, TRUE};
use super::model::{self, Assignment};
use super::solver::{Literal, Outcome, Solver};
use super::theory::Valued;
use super::translation::Translation;
use super::{Binding, Part, Question};

/// How many items are named.
const MOST_ITEMS: usize = 8;
/// How many numbers of items are compared.
const MOST_COUNTS: usize = 6;
/// How much work a question may take, and how much a comparison of two numbers of items.
const WORK: usize = 8_000;
const WORK_OF_COUNTS: usize = 1_000;
/// How often the theory refuses an assignment.
const MOST_CONFLICTS: usize = 200;

/// Whether no object makes the hypotheses true and the goal not true.
pub(super) fn is_proven(question: &Question<'_>, hypotheses: &[Part], goal: Part, work: &mut usize) -> bool {
    let (mut translation, roots, mut left) = translated(question, hypotheses, goal, *work);
    let before = left;
    let refuted = refuted(&mut translation, &roots, BTreeSet::new(), &mut left);
    *work = work.saturating_sub(WORK.min(*work) - before + (before - left));
    refuted.is_some() && !translation.has_given_up
}

/// The formulas of the hypotheses and of the negated goal, and how much work is left.
fn translated<'a, 'q>(
    question: &'a Question<'q>,
    hypotheses: &[Part],
    goal: Part,
    work: usize,
) -> (Translation<'a, 'q>, Vec<Formula>, usize) {
    let mut translation = Translation::new(question, work.min(WORK));
    let mut roots = hypotheses.iter().map(|hypothesis| translation.literal(*hypothesis, true)).collect::<Vec<_>>();
    let goal = translation.literal(goal, true);
    roots.push(translation.formulas.not(goal));
    let mut left = translation.work;
    let order = count_order(&mut translation, &mut left);
    roots.extend(order);
    (translation, roots, left)
}

/// Values of which the hypotheses are likely to be true and the goal not.
pub(super) fn values(
    question: &Question<'_>,
    hypotheses: &[Part],
    goal: Part,
    count: usize,
    work: &mut usize,
) -> Vec<Value> {
    let (mut translation, roots, mut left) = translated(question, hypotheses, goal, *work);
    let mut found = Vec::new();
    let clauses = Clauses::new(&mut translation, &roots, BTreeSet::new(), &mut left);
    if let Some(mut proposals) = clauses.map(Proposals::new) {
        while found.len() < count
            && let Some(assignment) = proposals.next(&mut translation, &mut left)
        {
            found.extend(model::value(&mut translation, &assignment));
        }
    }
    *work = left;
    found
}

/// What implications between the conditions of counted items say about their numbers.
fn count_order(translation: &mut Translation<'_, '_>, work: &mut usize) -> Vec<Formula> {
    let mut order = Vec::new();
    for one in 0..translation.counts.len() {
        for other in 0..translation.counts.len() {
            let (first, second) = (&translation.counts[one], &translation.counts[other]);
            if one == other || first.range != second.range || one.max(other) >= MOST_COUNTS {
                continue;
            }
            let (numbers, conditions) = ((first.number, second.number), (first.condition, second.condition));
            let (of_first, of_second) = (first.items.clone(), second.items.clone());
            let not_second = translation.formulas.not(conditions.1);
            let mut left = WORK_OF_COUNTS.min(*work);
            let before = left;
            // Without what is known about numbers of items.
            let axioms = translation.axioms.clone();
            let follows = refuted(translation, &[conditions.0, not_second], axioms, &mut left).is_some();
            *work = work.saturating_sub(before - left);
            if !follows {
                continue;
            }
            order.push(translation.at_most(numbers.0, numbers.1, 0));
            // Both numbers are equal only if no item meets the second condition alone.
            let has_filters = of_second.layers.iter().all(|layer| layer.is_filter);
            if let ([layer], true) =
                (&*of_first.layers, has_filters && of_first.layers.iter().all(|layer| layer.is_filter))
            {
                let meets = Items { is_every: true, claim: Claim::Truth(*layer, true), ..of_second };
                let meets = translation.formulas.items(meets);
                let are_equal = translation.at_most(numbers.1, numbers.0, 0);
                let (some, fewer) = (translation.formulas.not(meets), translation.formulas.not(are_equal));
                order.push(translation.or([fewer, meets]));
                order.push(translation.or([are_equal, some]));
            }
        }
    }
    order
}

/// That clauses which hold for every object contradict each other: no object exists.
struct Refutation(());

/// That no object makes the formulas true, without some axioms; none if that is not proven.
fn refuted(
    translation: &mut Translation<'_, '_>,
    roots: &[Formula],
    left_out: BTreeSet<Formula>,
    work: &mut usize,
) -> Option<Refutation> {
    if roots.contains(&FALSE) {
        return Some(Refutation(()));
    }
    if roots.iter().all(|root| *root == TRUE) {
        return None;
    }
    Clauses::new(translation, roots, left_out, work)?.refuted(translation, work)
}

/// The clauses of formulas.
struct Clauses<'q> {
    solver: Solver,
    /// The variable of each formula.
    variables: HashMap<Formula, Literal>,
    atoms: Vec<(usize, Atom)>,
    /// Statements about items that have no clauses yet.
    open: Vec<Formula>,
    /// Statements about every item, each with the number of items that it was stated for.
    statements: Vec<(Items<'q>, Literal, usize)>,
    /// Lists and maps with an item, and what is true where the item exists.
    items: Vec<(Place<'q>, Place<'q>, Literal)>,
    /// The axioms that are stated, or left out.
    axioms: BTreeSet<Formula>,
}

impl<'q> Clauses<'q> {
    /// The clauses of formulas that are all true; none if they are too many.
    fn new(
        translation: &mut Translation<'_, 'q>,
        roots: &[Formula],
        axioms: BTreeSet<Formula>,
        work: &mut usize,
    ) -> Option<Self> {
        let mut clauses = Self {
            solver: Solver::default(),
            variables: HashMap::default(),
            atoms: Vec::new(),
            open: Vec::new(),
            statements: Vec::new(),
            items: Vec::new(),
            axioms,
        };
        for root in roots {
            clauses.state(translation, *root);
        }
        loop {
            let axioms = translation.axioms.difference(&clauses.axioms).copied().collect::<Vec<_>>();
            for axiom in &axioms {
                clauses.state(translation, *axiom);
            }
            clauses.axioms.extend(axioms.iter().copied());
            let before = translation.work;
            let stated = clauses.state_items(translation);
            *work = work.saturating_sub(stated * 4 + (before - translation.work) * 4);
            if translation.has_given_up || *work == 0 {
                return None;
            }
            if stated == 0 && axioms.is_empty() {
                return Some(clauses);
            }
        }
    }

    fn state(&mut self, translation: &mut Translation<'_, 'q>, formula: Formula) {
        let literal = self.literal(translation, formula);
        self.solver.add(vec![literal]);
    }

    /// Names the items of open statements, and states what holds for every item. Returns how much there was to state.
    fn state_items(&mut self, translation: &mut Translation<'_, 'q>) -> usize {
        let mut stated = 0;
        for formula in std::mem::take(&mut self.open) {
            stated += 1;
            let literal = self.literal(translation, formula);
            let Form::Items(statement) = translation.formulas.form(formula).clone() else { continue };
            if statement.is_every {
                self.statements.push((statement, literal, 0));
            } else if self.items.len() < MOST_ITEMS {
                let item = translation.question.example(statement.range, self.items.len());
                self.items.push((statement.range, item, literal));
                let holds = translation.about(&statement, Binding::Place(item));
                let holds = self.literal(translation, holds);
                self.solver.add(vec![literal.negated(), holds]);
            }
        }
        for index in 0..self.statements.len() {
            let (statement, literal, next) = self.statements[index].clone();
            for at in next..self.items.len() {
                let (range, item, exists) = self.items[at];
                if range == statement.range {
                    let holds = translation.about(&statement, Binding::Place(item));
                    let holds = self.literal(translation, holds);
                    self.solver.add(vec![literal.negated(), exists.negated(), holds]);
                    stated += 1;
                }
            }
            self.statements[index].2 = self.items.len();
        }
        stated
    }

    /// A literal that is true only if the formula is.
    fn literal(&mut self, translation: &mut Translation<'_, 'q>, formula: Formula) -> Literal {
        if let Some(known) = self.variables.get(&formula) {
            return *known;
        }
        let form = translation.formulas.form(formula).clone();
        if let Form::Atom(_, false) = form {
            let opposite = translation.formulas.not(formula);
            let literal = self.literal(translation, opposite).negated();
            self.variables.insert(formula, literal);
            return literal;
        }
        let literal = Literal::new(self.solver.variable(), true);
        self.variables.insert(formula, literal);
        match form {
            Form::True => self.solver.add(vec![literal]),
            Form::False => self.solver.add(vec![literal.negated()]),
            Form::Atom(atom, _) => self.atoms.push((literal.variable(), atom)),
            Form::And(parts) => {
                for part in parts {
                    let part = self.literal(translation, part);
                    self.solver.add(vec![literal.negated(), part]);
                }
            }
            Form::Or(parts) => {
                let parts = parts.iter().map(|part| self.literal(translation, *part)).collect::<Vec<_>>();
                self.solver.add([vec![literal.negated()], parts].concat());
            }
            Form::Items(_) => self.open.push(formula),
        }
        literal
    }

    /// That the clauses and the lemmas of the theory contradict each other.
    fn refuted(&mut self, translation: &mut Translation<'_, 'q>, work: &mut usize) -> Option<Refutation> {
        (self.solved(translation, work)? == Outcome::Unsatisfiable).then_some(Refutation(()))
    }

    /// Looks for values that the theory does not refuse; none if it takes too much work to find out.
    fn solved(&mut self, translation: &mut Translation<'_, 'q>, work: &mut usize) -> Option<Outcome> {
        for _ in 0..MOST_CONFLICTS {
            let outcome = self.solver.solve(work);
            if outcome != Outcome::Satisfiable {
                return Some(outcome);
            }
            let valued = self.assignment().atoms;
            *work = work.saturating_sub(valued.len() * 2 + 8);
            // A lemma: these values are not together in any object.
            let Some(conflict) = translation.theory.conflict(&valued) else { return Some(Outcome::Satisfiable) };
            self.exclude(conflict);
        }
        None
    }

    fn assignment(&self) -> Assignment<'q> {
        let valued = self.atoms.iter().enumerate();
        let valued =
            valued.filter_map(|(index, (variable, atom))| Some((index, atom.clone(), self.solver.value(*variable)?)));
        let exists = |literal: Literal| self.solver.value(literal.variable()) == Some(literal.is_positive());
        let items = self.items.iter().filter(|(.., literal)| exists(*literal)).map(|(range, item, _)| (*range, *item));
        Assignment { atoms: valued.collect(), items: items.collect() }
    }

    fn exclude(&mut self, values: Vec<Valued>) {
        let clause = values.into_iter().map(|(index, is_true)| Literal::new(self.atoms[index].0, !is_true));
        let clause = clause.collect();
        self.solver.add(clause);
    }
}

/// Clauses with blocks: what was proposed is not proposed again. They refute nothing.
struct Proposals<'q>(Clauses<'q>);

impl<'q> Proposals<'q> {
    fn new(mut clauses: Clauses<'q>) -> Self {
        clauses.solver.ordered();
        Self(clauses)
    }

    /// The next assignment, in an order that depends on the formulas alone.
    fn next(&mut self, translation: &mut Translation<'_, 'q>, work: &mut usize) -> Option<Assignment<'q>> {
        if self.0.solved(translation, work)? != Outcome::Satisfiable {
            return None;
        }
        let assignment = self.0.assignment();
        self.0.exclude(assignment.atoms.iter().map(|(index, _, is_true)| (*index, *is_true)).collect());
        Some(assignment)
    }
}
