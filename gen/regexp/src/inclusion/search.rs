//! The shortest texts that one of two patterns accepts and the other refuses.
//!
//! Both automata read the same text together; pairs of states are visited in the order of the shortest text that leads to
//! them. Invariants: a text that is found is a shortest one over the allowed letters; if none is found, none exists over
//! these letters; exchanging the automata exchanges the answer.

use std::collections::HashMap;

use super::alphabet::Alphabet;
use super::automaton::{Automaton, State};
use super::budget::{Budget, TooLarge};

/// What it costs to note a pair of states, in steps.
const NODE: usize = 8;

/// Lengths of texts, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lengths {
    pub(super) min: usize,
    pub(super) max: Option<usize>,
}

/// Two patterns that read one text.
pub(super) struct Pair<'a> {
    pub(super) old: Automaton<'a>,
    pub(super) new: Automaton<'a>,
    pub(super) alphabet: &'a Alphabet,
    pub(super) lengths: Lengths,
}

/// What is looked for, or what has been found: something that only the old, or only the new pattern accepts.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Only<T> {
    pub(super) old: T,
    pub(super) new: T,
}

/// A pair of states, and how it was reached.
struct Node {
    old: State,
    new: State,
    length: usize,
    /// The node before, and the letter between.
    from: Option<(usize, usize)>,
}

impl Pair<'_> {
    /// The shortest texts of the first letters of the alphabet. `wanted` selects the sides to search; the other side may be filled too.
    pub(super) fn search(
        &mut self,
        wanted: &Only<bool>,
        letters: usize,
        budget: &mut Budget,
    ) -> Result<Only<Option<Vec<usize>>>, TooLarge> {
        let mut found = Only { old: None, new: None };
        let start = Node { old: self.old.start(), new: self.new.start(), length: 0, from: None };
        let mut visited = HashMap::from([((start.old, start.new), 0)]);
        let mut nodes = vec![start];
        let mut at = 0;
        while let Some(&Node { old, new, length, .. }) = nodes.get(at) {
            let (accepts_old, accepts_new) = (self.old.accepts(old), self.new.accepts(new));
            if length >= self.lengths.min && accepts_old != accepts_new {
                let text = if accepts_old { &mut found.old } else { &mut found.new };
                if text.is_none() {
                    *text = Some(trace(&nodes, at));
                }
                let is_done = |wanted: bool, text: &Option<_>| !wanted || text.is_some();
                if is_done(wanted.old, &found.old) && is_done(wanted.new, &found.new) {
                    return Ok(found);
                }
            }
            at += 1;
            if self.lengths.max.is_some_and(|max| length >= max) {
                continue;
            }
            budget.take(1)?;
            self.old.look_ahead(old, budget)?;
            self.new.look_ahead(new, budget)?;
            let (never_old, always_old) = verdict(&self.old, old);
            let (never_new, always_new) = verdict(&self.new, new);
            let may_find = wanted.old && found.old.is_none() && !never_old && !always_new
                || wanted.new && found.new.is_none() && !never_new && !always_old;
            if !may_find {
                continue;
            }
            budget.take(letters)?;
            let age = self.lengths.min.min(length + 1);
            let next = self.old.next(old).iter().zip(self.new.next(new)).take(letters);
            for (letter, (old, new)) in next.enumerate() {
                // Up to the minimum length, the length of a text is part of the state, so each pair is visited once for each length.
                if visited.insert((*old, *new), age).is_none_or(|last| last < age) {
                    budget.take(NODE)?;
                    nodes.push(Node { old: *old, new: *new, length: length + 1, from: Some((at - 1, letter)) });
                }
            }
        }
        Ok(found)
    }

    /// A text of letters as characters, if all of them are known to exist.
    pub(super) fn text(&self, letters: &[usize]) -> Option<String> {
        letters.iter().map(|letter| self.alphabet.letters.get(*letter)?.character).collect()
    }
}

/// Whether a pattern never, and whether it always accepts what begins like this.
fn verdict(automaton: &Automaton<'_>, state: State) -> (bool, bool) {
    let (is_final, accepts) = (automaton.is_final(state), automaton.accepts(state));
    (is_final && !accepts, is_final && accepts)
}

/// The letters that lead to a node.
fn trace(nodes: &[Node], mut at: usize) -> Vec<usize> {
    let mut letters = Vec::new();
    while let Some(Node { from: Some((before, letter)), .. }) = nodes.get(at) {
        letters.push(*letter);
        at = *before;
    }
    letters.reverse();
    letters
}
