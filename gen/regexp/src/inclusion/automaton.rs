//! A pattern as a deterministic automaton. States are built on demand.
//!
//! A state summarises a position between two characters of a text: whether the pattern has matched if the text ends here,
//! and which threads wait for the next character. Assertions look at the characters on both sides. The character before is
//! known when the state is built; for the character after it, each case that the pattern distinguishes is tried in advance.
//! Invariants: a match can begin anywhere, so a new thread starts at every position; once the pattern has matched, it stays
//! matched.

use std::collections::HashMap;

use crate::Assertion;

use super::alphabet::{Alphabet, Letter};
use super::budget::{Budget, TooLarge};
use super::program::{Address, Instruction, Program};

/// A state, by number.
pub(super) type State = u32;

/// What it costs to note a state, in steps.
const STATE: usize = 16;

/// The state of a text in which the pattern has matched.
const MATCHED: State = 0;

/// What is on one side of a place, as far as assertions ask.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The start or the end of the text.
    Edge,
    Word,
    LineEnd,
    Other,
}

/// What the threads at a place come to, if a certain side follows. `None`: the pattern has matched.
type Waiting = Option<Box<[Address]>>;

/// A state: everything that decides how the rest of a text is read.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Outlook {
    matches_at_end: bool,
    /// For each side that may follow: other characters, those of words, line ends. What the pattern does not ask about is
    /// always `None`.
    waiting: [Waiting; 3],
}

/// The automaton as far as it has been walked.
pub(super) struct Automaton<'a> {
    program: &'a Program,
    alphabet: &'a Alphabet,
    outlooks: Vec<Outlook>,
    /// For each state, the next state for each letter; filled on demand.
    rows: Vec<Vec<State>>,
    known: HashMap<Outlook, State>,
    start: State,
    /// For each instruction the last walk that came by.
    visited: Vec<u32>,
    walk: u32,
}

impl<'a> Automaton<'a> {
    pub(super) fn new(program: &'a Program, alphabet: &'a Alphabet, budget: &mut Budget) -> Result<Self, TooLarge> {
        let visited = vec![0; program.instructions.len()];
        let (outlooks, rows, known) = (Vec::new(), Vec::new(), HashMap::new());
        let mut automaton = Self { program, alphabet, outlooks, rows, known, start: MATCHED, visited, walk: 0 };
        automaton.state(Outlook { matches_at_end: true, waiting: [None, None, None] }, budget)?;
        let outlook = automaton.outlook(&[], Side::Edge, budget)?;
        automaton.start = automaton.state(outlook, budget)?;
        Ok(automaton)
    }

    /// The state before the first character.
    pub(super) fn start(&self) -> State {
        self.start
    }

    /// Whether the pattern has matched if the text ends here.
    pub(super) fn accepts(&self, state: State) -> bool {
        self.outlooks.get(state as usize).is_some_and(|outlook| outlook.matches_at_end)
    }

    /// Computes the next states of a state, which [`Self::next`] then returns.
    pub(super) fn look_ahead(&mut self, state: State, budget: &mut Budget) -> Result<(), TooLarge> {
        let Some(outlook) = self.outlooks.get(state as usize) else { return Ok(()) };
        if self.rows.get(state as usize).is_some_and(|row| !row.is_empty()) {
            return Ok(());
        }
        let waiting = outlook.waiting.clone();
        let alphabet = self.alphabet;
        let mut row = Vec::with_capacity(alphabet.letters.len());
        // Many letters lead to the same places.
        let mut seen: Vec<(Vec<Address>, Side, State)> = Vec::new();
        for (number, letter) in alphabet.letters.iter().enumerate() {
            let Some(waiting) = waiting.get(self.index_behind(letter)).and_then(Option::as_deref) else {
                budget.take(1)?;
                row.push(MATCHED);
                continue;
            };
            budget.take(1 + waiting.len() + seen.len())?;
            let taken = self.taken(waiting, number);
            let before = self.side_before(letter);
            let known = seen.iter().find(|(addresses, side, _)| *addresses == taken && *side == before);
            let next = match known {
                Some((.., next)) => *next,
                None => {
                    let outlook = self.outlook(&taken, before, budget)?;
                    let next = self.state(outlook, budget)?;
                    seen.push((taken, before, next));
                    next
                }
            };
            row.push(next);
        }
        if let Some(slot) = self.rows.get_mut(state as usize) {
            *slot = row;
        }
        Ok(())
    }

    /// The states behind a state, by letter; empty before [`Self::look_ahead`].
    pub(super) fn next(&self, state: State) -> &[State] {
        self.rows.get(state as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether no following text can change the result, as far as this is easy to decide. Needs [`Self::look_ahead`].
    pub(super) fn is_final(&self, state: State) -> bool {
        self.next(state).iter().all(|next| *next == state)
    }

    /// The next addresses of the threads that take this letter: sorted, without duplicates.
    fn taken(&self, waiting: &[Address], letter: usize) -> Vec<Address> {
        let mut addresses = Vec::new();
        for address in waiting {
            if let Some(Instruction::Take { set, next }) = self.program.instructions.get(*address as usize)
                && self.alphabet.holds(*set, letter)
            {
                addresses.push(*next);
            }
        }
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }

    /// The state at a position with these threads and this character before it.
    fn outlook(&mut self, threads: &[Address], before: Side, budget: &mut Budget) -> Result<Outlook, TooLarge> {
        let (other, has_assertion) = self.run(threads, before, Side::Other, budget)?;
        let (has_word_boundaries, has_line_ends) = (self.program.has_word_boundaries, self.program.has_line_ends);
        let mut with = |behind, is_needed| match (is_needed, has_assertion) {
            (false, _) => Ok(None),
            (true, false) => Ok(other.clone()),
            (true, true) => self.run(threads, before, behind, budget).map(|(waiting, _)| waiting),
        };
        let (word, line_end) = (with(Side::Word, has_word_boundaries)?, with(Side::LineEnd, has_line_ends)?);
        let matches_at_end = if has_assertion { with(Side::Edge, true)?.is_none() } else { other.is_none() };
        Ok(Outlook { matches_at_end, waiting: [other, word, line_end] })
    }

    /// Runs all threads, and a new one, until they wait for a character. Also returns whether the character
    /// after the position made a difference.
    fn run(
        &mut self,
        threads: &[Address],
        before: Side,
        behind: Side,
        budget: &mut Budget,
    ) -> Result<(Waiting, bool), TooLarge> {
        self.walk += 1;
        let mut todo = threads.to_vec();
        todo.push(self.program.start);
        let mut waiting = Vec::new();
        let (mut steps, mut has_assertion) = (0, false);
        while let Some(address) = todo.pop() {
            steps += 1;
            let (Some(instruction), Some(visited)) =
                (self.program.instructions.get(address as usize), self.visited.get_mut(address as usize))
            else {
                continue;
            };
            if std::mem::replace(visited, self.walk) == self.walk {
                continue;
            }
            match *instruction {
                Instruction::Take { .. } => waiting.push(address),
                Instruction::Hold { assertion, next } => {
                    has_assertion |= !matches!(assertion, Assertion::TextStart | Assertion::LineStart);
                    if holds(assertion, before, behind) {
                        todo.push(next);
                    }
                }
                Instruction::Either(one, other) => todo.extend([one, other]),
                Instruction::Accept => {
                    budget.take(steps)?;
                    return Ok((None, has_assertion));
                }
            }
        }
        budget.take(steps + waiting.len())?;
        waiting.sort_unstable();
        Ok((Some(waiting.into_boxed_slice()), has_assertion))
    }

    /// The number of a state.
    fn state(&mut self, outlook: Outlook, budget: &mut Budget) -> Result<State, TooLarge> {
        if let Some(state) = self.known.get(&outlook) {
            return Ok(*state);
        }
        budget.take(STATE)?;
        let state = State::try_from(self.outlooks.len()).map_err(|_| TooLarge)?;
        self.outlooks.push(outlook.clone());
        self.rows.push(Vec::new());
        self.known.insert(outlook, state);
        Ok(state)
    }

    /// Which of [`Outlook::waiting`] counts if this letter follows.
    fn index_behind(&self, letter: &Letter) -> usize {
        match letter {
            Letter { is_word: true, .. } if self.program.has_word_boundaries => 1,
            Letter { is_line_end: true, .. } if self.program.has_line_ends => 2,
            _ => 0,
        }
    }

    /// What a letter is to the assertions behind it.
    fn side_before(&self, letter: &Letter) -> Side {
        match letter {
            Letter { is_word: true, .. } if self.program.has_word_boundaries => Side::Word,
            Letter { is_line_end: true, .. } if self.program.has_line_starts => Side::LineEnd,
            _ => Side::Other,
        }
    }
}

/// Whether an assertion holds between two sides.
fn holds(assertion: Assertion, before: Side, behind: Side) -> bool {
    match assertion {
        Assertion::TextStart => before == Side::Edge,
        Assertion::TextEnd => behind == Side::Edge,
        Assertion::LineStart => matches!(before, Side::Edge | Side::LineEnd),
        Assertion::LineEnd => matches!(behind, Side::Edge | Side::LineEnd),
        Assertion::WordBoundary => (before == Side::Word) != (behind == Side::Word),
        Assertion::NotWordBoundary => (before == Side::Word) == (behind == Side::Word),
    }
}
