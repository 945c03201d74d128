//! A solver of propositional clauses that learns from conflicts.
//!
//! Why not a library: `generate` would have to build it, and the questions here have a few hundred variables. `batsat` 0.6.0 (2025) comes
//! nearest: pure Rust, one dependency, clauses in `unsafe` memory. `splr` reads a clock, `varisat` is old, and `rustsat` wraps other solvers.
//!
//! Invariants: the same clauses in the same order give the same answer. Work is counted, not timed. [`Outcome::Unsatisfiable`] holds for the
//! clauses alone.

/// A variable, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Literal(u32);

impl Literal {
    pub(super) fn new(variable: usize, is_true: bool) -> Self {
        Self((u32::try_from(variable).unwrap_or(u32::MAX / 2) << 1) | u32::from(!is_true))
    }

    pub(super) fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    pub(super) fn negated(self) -> Self {
        Self(self.0 ^ 1)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Each variable has a value ([`Solver::value`]).
    Satisfiable,
    Unsatisfiable,
    OutOfWork,
}

#[derive(Default)]
pub(super) struct Solver {
    clauses: Vec<Vec<Literal>>,
    /// The clauses that watch a literal become false.
    watching: Vec<Vec<usize>>,
    values: Vec<Option<bool>>,
    levels: Vec<usize>,
    reasons: Vec<Option<usize>>,
    /// How often a variable was in conflicts, later ones counted more.
    activity: Vec<u64>,
    bump: u64,
    trail: Vec<Literal>,
    /// Where the decisions are in the trail.
    decisions: Vec<usize>,
    propagated: usize,
    is_contradictory: bool,
    /// Whether variables are decided in their order.
    is_ordered: bool,
}

impl Solver {
    /// Finds the first of all models, false before true, in the order of the variables: a decision is false, and what is true is forced by
    /// the clauses and the decisions before. No order of clauses and no other solver has another first model.
    pub(super) fn ordered(&mut self) {
        self.back_to(0);
        self.is_ordered = true;
    }

    pub(super) fn variable(&mut self) -> usize {
        self.values.push(None);
        self.levels.push(0);
        self.reasons.push(None);
        self.activity.push(0);
        self.watching.extend([Vec::new(), Vec::new()]);
        self.values.len() - 1
    }

    pub(super) fn value(&self, variable: usize) -> Option<bool> {
        self.values.get(variable).copied().flatten()
    }

    fn value_of(&self, literal: Literal) -> Option<bool> {
        self.value(literal.variable()).map(|value| value == literal.is_positive())
    }

    /// Adds a clause; decisions are taken back.
    pub(super) fn add(&mut self, mut clause: Vec<Literal>) {
        self.back_to(0);
        clause.sort_unstable();
        clause.dedup();
        if clause.windows(2).any(|pair| pair[0] == pair[1].negated())
            || clause.iter().any(|literal| self.value_of(*literal) == Some(true))
        {
            return;
        }
        clause.retain(|literal| self.value_of(*literal).is_none());
        match clause[..] {
            [] => self.is_contradictory = true,
            [unit] => self.assign(unit, None),
            _ => drop(self.attach(clause)),
        }
    }

    fn attach(&mut self, clause: Vec<Literal>) -> usize {
        let number = self.clauses.len();
        for literal in &clause[..2] {
            self.watching[literal.negated().index()].push(number);
        }
        self.clauses.push(clause);
        number
    }

    fn assign(&mut self, literal: Literal, reason: Option<usize>) {
        let variable = literal.variable();
        self.values[variable] = Some(literal.is_positive());
        self.levels[variable] = self.decisions.len();
        self.reasons[variable] = reason;
        self.trail.push(literal);
    }

    fn back_to(&mut self, level: usize) {
        let Some(start) = self.decisions.get(level).copied() else { return };
        for literal in self.trail.drain(start..) {
            self.values[literal.variable()] = None;
        }
        self.decisions.truncate(level);
        self.propagated = self.propagated.min(start);
    }

    /// Assigns what follows; a clause that is false is returned.
    fn propagate(&mut self, work: &mut usize) -> Option<usize> {
        while let Some(literal) = self.trail.get(self.propagated).copied() {
            self.propagated += 1;
            let watching = std::mem::take(&mut self.watching[literal.index()]);
            *work = work.saturating_sub(watching.len() + 1);
            let mut kept = Vec::with_capacity(watching.len());
            let mut conflict = None;
            for number in watching {
                if conflict.is_some() {
                    kept.push(number);
                    continue;
                }
                let false_literal = literal.negated();
                let clause = &mut self.clauses[number];
                if clause[0] == false_literal {
                    clause.swap(0, 1);
                }
                let first = clause[0];
                let value =
                    |literal: Literal| self.values[literal.variable()].map(|value| value == literal.is_positive());
                if value(first) == Some(true) {
                    kept.push(number);
                    continue;
                }
                if let Some(other) = (2..clause.len()).find(|index| value(clause[*index]) != Some(false)) {
                    clause.swap(1, other);
                    let watched = clause[1].negated().index();
                    self.watching[watched].push(number);
                    continue;
                }
                kept.push(number);
                if value(first) == Some(false) {
                    conflict = Some(number);
                } else {
                    self.assign(first, Some(number));
                }
            }
            self.watching[literal.index()].extend(kept);
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// The clause that a conflict teaches, its one literal of the current level first, and the level to return to.
    fn learned(&mut self, conflict: usize) -> (Vec<Literal>, usize) {
        let current = self.decisions.len();
        let mut seen = vec![false; self.values.len()];
        let (mut clause, mut open, mut number, mut at) = (Vec::new(), 0_usize, Some(conflict), self.trail.len());
        let mut resolved: Option<Literal> = None;
        self.bump += 1;
        loop {
            for literal in number.map_or(&[][..], |number| &self.clauses[number]).to_vec() {
                let variable = literal.variable();
                if Some(literal) == resolved || seen[variable] || self.levels[variable] == 0 {
                    continue;
                }
                seen[variable] = true;
                self.activity[variable] += self.bump;
                if self.levels[variable] == current {
                    open += 1;
                } else {
                    clause.push(literal);
                }
            }
            while at > 0 {
                at -= 1;
                if seen[self.trail[at].variable()] {
                    break;
                }
            }
            let Some(literal) = self.trail.get(at).copied() else { break };
            open = open.saturating_sub(1);
            if open == 0 {
                clause.insert(0, literal.negated());
                break;
            }
            resolved = Some(literal);
            number = self.reasons[literal.variable()];
        }
        let level = clause.iter().skip(1).map(|literal| self.levels[literal.variable()]).max().unwrap_or(0);
        if let Some(second) = clause.iter().skip(1).position(|literal| self.levels[literal.variable()] == level) {
            clause.swap(1, second + 1);
        }
        (clause, level)
    }

    /// Whether values make all clauses true.
    pub(super) fn solve(&mut self, work: &mut usize) -> Outcome {
        loop {
            if self.is_contradictory {
                return Outcome::Unsatisfiable;
            }
            if *work == 0 {
                return Outcome::OutOfWork;
            }
            if let Some(conflict) = self.propagate(work) {
                if self.decisions.is_empty() {
                    self.is_contradictory = true;
                    continue;
                }
                let (clause, level) = self.learned(conflict);
                *work = work.saturating_sub(clause.len() * 4);
                self.back_to(level);
                match clause[..] {
                    [] => self.is_contradictory = true,
                    [unit] => self.assign(unit, None),
                    [first, ..] => {
                        let number = self.attach(clause);
                        self.assign(first, Some(number));
                    }
                }
                continue;
            }
            let mut open = (0..self.values.len()).filter(|variable| self.values[*variable].is_none());
            let next = match self.is_ordered {
                true => open.next(),
                false => open.max_by_key(|variable| (self.activity[*variable], std::cmp::Reverse(*variable))),
            };
            let Some(next) = next else { return Outcome::Satisfiable };
            self.decisions.push(self.trail.len());
            self.assign(Literal::new(next, false), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Clauses = Vec<Vec<(usize, bool)>>;

    fn random() -> impl FnMut(u64) -> u64 {
        let mut seed = 7_u64;
        move |end: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % end
        }
    }

    /// Clauses of up to eight variables, and how many these are.
    fn clauses(below: &mut dyn FnMut(u64) -> u64) -> (usize, Clauses) {
        let variables = 3 + below(6);
        let mut clause = || {
            (0..1 + below(3)).map(|_| (usize::try_from(below(variables)).unwrap(), below(2) == 0)).collect::<Vec<_>>()
        };
        let clauses = (0..4 + variables * 2).map(|_| clause()).collect::<Vec<_>>();
        (usize::try_from(variables).unwrap(), clauses)
    }

    fn solver(variables: usize, clauses: &Clauses) -> Solver {
        let mut solver = Solver::default();
        (0..variables).for_each(|_| _ = solver.variable());
        for clause in clauses {
            solver.add(clause.iter().map(|(variable, is_true)| Literal::new(*variable, *is_true)).collect());
        }
        solver
    }

    fn holds(clauses: &Clauses, value: impl Fn(usize) -> bool) -> bool {
        clauses.iter().all(|clause| clause.iter().any(|(variable, is_true)| value(*variable) == *is_true))
    }

    /// The answer is that of trying all values, for random clauses.
    #[test]
    fn agrees_with_all_assignments() {
        let mut below = random();
        let mut unsatisfiable = 0;
        for _ in 0..2_000 {
            let (variables, clauses) = clauses(&mut below);
            let mut solver = solver(variables, &clauses);
            let is_satisfiable =
                (0_u32..1 << variables).any(|all| holds(&clauses, |variable| all >> variable & 1 == 1));
            let outcome = solver.solve(&mut 1_000_000);
            let expected = if is_satisfiable { Outcome::Satisfiable } else { Outcome::Unsatisfiable };
            assert_eq!(outcome, expected, "{clauses:?}");
            assert!(!is_satisfiable || holds(&clauses, |variable| solver.value(variable) == Some(true)));
            unsatisfiable += usize::from(!is_satisfiable);
        }
        assert!((200..1800).contains(&unsatisfiable), "{unsatisfiable} of 2000");
    }

    /// Also after other models were asked for, and with the clauses in any order.
    #[test]
    fn the_first_model_does_not_depend_on_the_order_of_clauses() {
        let mut below = random();
        let mut satisfiable = 0;
        for _ in 0..2_000 {
            let (variables, mut clauses) = clauses(&mut below);
            // The first variable decides first.
            let is_true = |all: u32| move |variable: usize| all >> (variables - 1 - variable) & 1 == 1;
            let first = (0_u32..1 << variables).find(|all| holds(&clauses, is_true(*all)));
            for _ in 0..3 {
                for index in (1..clauses.len()).rev() {
                    clauses.swap(index, usize::try_from(below(index as u64 + 1)).unwrap());
                }
                let mut solver = solver(variables, &clauses);
                solver.solve(&mut 1_000_000);
                solver.ordered();
                let outcome = solver.solve(&mut 1_000_000);
                let found = (outcome == Outcome::Satisfiable)
                    .then(|| (0..variables).map(|variable| solver.value(variable) == Some(true)).collect::<Vec<_>>());
                let expected = first.map(|all| (0..variables).map(is_true(all)).collect::<Vec<_>>());
                assert_eq!(found, expected, "{clauses:?}");
            }
            satisfiable += usize::from(first.is_some());
        }
        assert!((200..1800).contains(&satisfiable), "{satisfiable} of 2000");
    }
}
