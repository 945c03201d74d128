//! A pattern as a nondeterministic automaton.
//!
//! The tree is written from its end to its beginning, so that each part has the address of its successor. Invariants:
//! counted repetitions are written out; the preference among matches (lazy or greedy) is dropped, since it decides only
//! what a match covers; both patterns of a comparison share one [`Sets`], so that equal sets have one number.

use std::collections::BTreeMap;

use crate::{Assertion, Class, Node};

use super::budget::{Budget, TooLarge};

const LARGEST: usize = 20_000;
/// Different sets of characters at most.
const MOST_SETS: usize = 2_000;

/// The index of an instruction.
pub(super) type Address = u32;

/// One step of a thread.
#[derive(Clone, Copy)]
pub(super) enum Instruction {
    /// Takes a character of this set.
    Take { set: usize, next: Address },
    /// Goes on where this holds.
    Hold { assertion: Assertion, next: Address },
    /// Goes on at both.
    Either(Address, Address),
    /// The pattern has matched.
    Accept,
}

/// A pattern as instructions.
pub(super) struct Program {
    pub(super) instructions: Vec<Instruction>,
    /// Where a thread begins.
    pub(super) start: Address,
    /// Whether `\b` or `\B` ask for words.
    pub(super) has_word_boundaries: bool,
    /// Whether an assertion asks if a line begins here.
    pub(super) has_line_starts: bool,
    /// Whether an assertion asks if a line ends here.
    pub(super) has_line_ends: bool,
}

impl Program {
    /// Writes the program of a tree.
    pub(super) fn new(root: &Node, sets: &mut Sets, budget: &mut Budget) -> Result<Self, TooLarge> {
        let mut writer = Writer { instructions: vec![Instruction::Accept], sets, addresses: BTreeMap::new(), budget };
        let start = writer.part(root, 0)?;
        let instructions = writer.instructions;
        let contains_any = |wanted: &[Assertion]| {
            instructions
                .iter()
                .any(|one| matches!(one, Instruction::Hold { assertion, .. } if wanted.contains(assertion)))
        };
        Ok(Self {
            start,
            has_word_boundaries: contains_any(&[Assertion::WordBoundary, Assertion::NotWordBoundary]),
            has_line_starts: contains_any(&[Assertion::LineStart]),
            has_line_ends: contains_any(&[Assertion::LineEnd]),
            instructions,
        })
    }
}

/// The different sets of characters in both patterns.
#[derive(Default)]
pub(super) struct Sets {
    pub(super) all: Vec<Set>,
    numbers: BTreeMap<Set, usize>,
}

/// A set of characters, as [`Class`] describes it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Set {
    /// Code points, both ends included, sorted.
    pub(super) ranges: Vec<(u32, u32)>,
    /// Names in Go's spelling, and whether the complement is meant: sorted, without duplicates.
    pub(super) names: Vec<(&'static str, bool)>,
    pub(super) negated: bool,
    pub(super) fold: bool,
}

impl Set {
    fn of_one(character: char) -> Self {
        let code = u32::from(character);
        Self { ranges: vec![(code, code)], names: Vec::new(), negated: false, fold: false }
    }

    fn of_class(class: &Class) -> Self {
        let ranges = class.ranges.iter().map(|(low, high)| (u32::from(*low), u32::from(*high))).collect();
        let mut names: Vec<_> = class.unicode.iter().map(|set| (set.name, set.negated)).collect();
        names.sort_unstable();
        names.dedup();
        Self { ranges, names, negated: class.negated, fold: class.fold }
    }

    /// Whether the code point is in one of the ranges.
    pub(super) fn has_in_ranges(&self, code: u32) -> bool {
        let behind = self.ranges.partition_point(|(_, high)| *high < code);
        self.ranges.get(behind).is_some_and(|(low, _)| *low <= code)
    }
}

impl Sets {
    fn number(&mut self, set: Set) -> Result<usize, TooLarge> {
        if let Some(number) = self.numbers.get(&set) {
            return Ok(*number);
        }
        let number = self.all.len();
        if number >= MOST_SETS {
            return Err(TooLarge);
        }
        self.all.push(set.clone());
        self.numbers.insert(set, number);
        Ok(number)
    }
}

struct Writer<'a> {
    instructions: Vec<Instruction>,
    sets: &'a mut Sets,
    /// The set of a node, by the node's address: what is repeated is written often and is the same node.
    addresses: BTreeMap<*const Node, usize>,
    budget: &'a mut Budget,
}

impl Writer<'_> {
    fn push(&mut self, instruction: Instruction) -> Result<Address, TooLarge> {
        let address = self.instructions.len();
        if address >= LARGEST {
            return Err(TooLarge);
        }
        self.instructions.push(instruction);
        Address::try_from(address).map_err(|_| TooLarge)
    }

    /// Writes a part that continues at `next`, and returns its address. A tree is at most about 1,000 levels deep.
    fn part(&mut self, node: &Node, next: Address) -> Result<Address, TooLarge> {
        self.budget.take(1)?;
        match node {
            Node::Empty => Ok(next),
            Node::Char(character) => self.take(node, || Set::of_one(*character), next),
            Node::Class(class) => self.take(node, || Set::of_class(class), next),
            Node::Assert(assertion) => self.push(Instruction::Hold { assertion: *assertion, next }),
            Node::Capture { inner, .. } => self.part(inner, next),
            Node::Concat(parts) => parts.iter().rev().try_fold(next, |next, part| self.part(part, next)),
            Node::Alternate(branches) => self.branches(branches, next),
            Node::Repeat { inner, min, max, .. } => self.repeated(inner, *min, *max, next),
        }
    }

    fn take(&mut self, node: &Node, set: impl FnOnce() -> Set, next: Address) -> Result<Address, TooLarge> {
        let known = self.addresses.get(&std::ptr::from_ref(node)).copied();
        let set = match known {
            Some(set) => set,
            None => {
                let set = self.sets.number(set())?;
                self.addresses.insert(node, set);
                set
            }
        };
        self.push(Instruction::Take { set, next })
    }

    fn branches(&mut self, branches: &[Node], next: Address) -> Result<Address, TooLarge> {
        let mut all = None;
        for branch in branches.iter().rev() {
            let one = self.part(branch, next)?;
            all = Some(match all {
                Some(rest) => self.push(Instruction::Either(one, rest))?,
                None => one,
            });
        }
        Ok(all.unwrap_or(next))
    }

    fn repeated(&mut self, inner: &Node, min: u32, max: Option<u32>, next: Address) -> Result<Address, TooLarge> {
        // How often it must come before the part that is written first.
        let (mut start, before) = match max {
            None => {
                let choice = self.push(Instruction::Accept)?;
                let body = self.part(inner, choice)?;
                if let Some(placeholder) = self.instructions.get_mut(choice as usize) {
                    *placeholder = Instruction::Either(body, next);
                }
                if min == 0 { (choice, 0) } else { (body, min - 1) }
            }
            Some(max) => {
                let mut start = next;
                for _ in min..max {
                    let body = self.part(inner, start)?;
                    start = self.push(Instruction::Either(body, next))?;
                }
                (start, min)
            }
        };
        for _ in 0..before {
            start = self.part(inner, start)?;
        }
        Ok(start)
    }
}
