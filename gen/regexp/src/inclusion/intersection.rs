//! A text that some patterns accept and other patterns refuse.
//!
//! All automata read the same text together, as in `search`. Invariants: a text that is found is confirmed by the matcher, which shares
//! no code with the automata, and is a shortest one over its letters; [`Intersection::Empty`] is proven for every text.

use std::collections::HashMap;

use super::alphabet::Alphabet;
use super::automaton::{Automaton, State};
use super::budget::Budget;
use super::program::{Program, Sets};
use super::{Pattern, Reason, recognise};

/// Steps of one question at most.
const ALLOWED: usize = 400_000;
/// What it costs to note a tuple of states, in steps.
const NODE: usize = 8;

/// What patterns have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intersection {
    Text(String),
    /// No text at all.
    Empty,
    /// It takes too much work, or depends on names of characters beyond ASCII, or Go refuses a pattern.
    Unknown,
}

/// A text of at least `min` and at most `max` characters that all of the first patterns accept and all of the second ones refuse.
#[must_use]
pub fn intersection(accepted: &[&str], refused: &[&str], min: usize, max: Option<usize>) -> Intersection {
    let patterns = accepted.iter().map(|pattern| (pattern, true)).chain(refused.iter().map(|pattern| (pattern, false)));
    let Ok(patterns) = patterns
        .map(|(pattern, wanted)| Ok((recognise(pattern)?, wanted)))
        .collect::<Result<Vec<_>, super::PatternError>>()
    else {
        return Intersection::Unknown;
    };
    search(&patterns, min, max).unwrap_or(Intersection::Unknown)
}

/// A tuple of states, and how it was reached.
struct Node {
    states: Box<[State]>,
    length: usize,
    /// The node before, and the letter between.
    from: Option<(usize, usize)>,
}

fn search(patterns: &[(Pattern, bool)], min: usize, max: Option<usize>) -> Result<Intersection, Reason> {
    let budget = &mut Budget::of(ALLOWED);
    let mut sets = Sets::default();
    let programs = patterns.iter().map(|(pattern, _)| Program::new(pattern.root(), &mut sets, budget));
    let programs = programs.collect::<Result<Vec<_>, _>>()?;
    let words = programs.iter().any(|program| program.has_word_boundaries);
    let lines = programs.iter().any(|program| program.has_line_starts || program.has_line_ends);
    let alphabet = Alphabet::new(&sets, words, lines, budget)?;
    let automata = programs.iter().map(|program| Automaton::new(program, &alphabet, budget));
    let mut automata = automata.collect::<Result<Vec<_>, _>>()?;
    let mut searched = None;
    for letters in [alphabet.printable, alphabet.known, alphabet.letters.len()] {
        if searched.replace(letters) == Some(letters) {
            continue;
        }
        let Some(found) = shortest(&mut automata, patterns, (min, max), letters, budget)? else { continue };
        let text = found.into_iter().map(|letter| alphabet.letters.get(letter)?.character).collect::<Option<String>>();
        let is_confirmed = |text: &String| {
            let accepts = |pattern: &Pattern| pattern.matcher().and_then(|matcher| matcher.is_match(text));
            patterns.iter().all(|(pattern, wanted)| accepts(pattern) == Some(*wanted))
        };
        return Ok(text.filter(is_confirmed).map_or(Intersection::Unknown, Intersection::Text));
    }
    Ok(Intersection::Empty)
}

/// The letters of a shortest text.
fn shortest(
    automata: &mut [Automaton<'_>],
    patterns: &[(Pattern, bool)],
    (min, max): (usize, Option<usize>),
    letters: usize,
    budget: &mut Budget,
) -> Result<Option<Vec<usize>>, Reason> {
    let start: Box<[State]> = automata.iter().map(Automaton::start).collect();
    let mut visited = HashMap::from([(start.clone(), 0)]);
    let mut nodes = vec![Node { states: start, length: 0, from: None }];
    let mut at = 0;
    while let Some(Node { states, length, .. }) = nodes.get(at) {
        let (states, length) = (states.clone(), *length);
        let mut parts = states.iter().zip(automata.iter()).zip(patterns);
        if length >= min && parts.all(|((state, automaton), (_, wanted))| automaton.accepts(*state) == *wanted) {
            let (mut found, mut at) = (Vec::new(), at);
            while let Some(Node { from: Some((before, letter)), .. }) = nodes.get(at) {
                found.push(*letter);
                at = *before;
            }
            found.reverse();
            return Ok(Some(found));
        }
        at += 1;
        if max.is_some_and(|max| length >= max) {
            continue;
        }
        budget.take(automata.len())?;
        for (automaton, state) in automata.iter_mut().zip(&states) {
            automaton.look_ahead(*state, budget)?;
        }
        let mut parts = states.iter().zip(automata.iter()).zip(patterns);
        // What begins like this is never accepted, or always.
        if parts
            .any(|((state, automaton), (_, wanted))| automaton.is_final(*state) && automaton.accepts(*state) != *wanted)
        {
            continue;
        }
        budget.take(letters)?;
        let age = min.min(length + 1);
        for letter in 0..letters {
            let next = states
                .iter()
                .zip(automata.iter())
                .map(|(state, automaton)| automaton.next(*state).get(letter).copied());
            let Some(next) = next.collect::<Option<Box<[State]>>>() else { continue };
            // Up to the minimum length, the length of a text is part of the state, so each tuple is visited once for each length.
            if visited.get(&next).is_none_or(|last| *last < age) {
                budget.take(NODE)?;
                visited.insert(next.clone(), age);
                nodes.push(Node { states: next, length: length + 1, from: Some((at - 1, letter)) });
            }
        }
    }
    Ok(None)
}
