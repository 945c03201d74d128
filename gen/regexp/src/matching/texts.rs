//! Texts of a wanted length that a pattern matches.
//!
//! Invariants: a text is found by running the program of the pattern, one character at a time, so every length with a match is found. Only
//! word boundaries and Unicode names are guessed, and a wrong guess produces no text. Letters and digits are preferred.

use super::{Instruction, Writer, write};
use crate::node::{Assertion, Class, Node};

/// Instructions at most; the largest counted repetition has some 2,000.
const LARGEST_PROGRAM: usize = 20_000;
/// Instructions times characters at most.
const MOST_WORK: usize = 30_000_000;
/// How far a text is looked for beyond the shortest that is wanted, where no end is given.
const FARTHEST: usize = 4_096;

/// The characters to take where a set has them, the first preferred.
const LIKED: [char; 14] = ['a', '1', '-', 'b', '2', 'A', 'B', '0', 'x', '/', '.', '_', ' ', 'c'];
/// What surrounds a match where the text must be longer, the first preferred.
const FILLER: [char; 3] = ['a', ' ', '-'];

/// A pattern as a program that texts can be read off.
#[derive(Clone, Debug)]
pub struct Texts {
    program: Vec<Instruction>,
    /// Some members of each set.
    members: Vec<Vec<char>>,
}

/// A program that has come to an instruction that takes a character.
struct Reached {
    step: usize,
    /// Which entry of the layer before led here, and the character that it took.
    from: usize,
    taken: char,
}

impl Texts {
    /// The texts of a pattern; `None` if it is not a pattern, or too large to be tried.
    #[must_use]
    pub fn new(pattern: &str) -> Option<Self> {
        let mut ranges = FILLER.map(|character| (character, character)).to_vec();
        ranges.sort_unstable();
        let filler = Class { ranges, unicode: Vec::new(), negated: false, fold: false };
        // The pattern is searched: any text can surround it, as little of it as possible.
        let around = || Node::Repeat { inner: Box::new(Node::Class(filler.clone())), min: 0, max: None, lazy: true };
        let whole = Node::Concat(vec![around(), crate::recognise(pattern).ok()?.root, around()]);
        let Writer { program, sets, .. } = write(&whole, Writer::default())?;
        let members = |class: &Class| if *class == filler { FILLER.to_vec() } else { members(class) };
        let members = sets.iter().map(|set| members(&set.class)).collect();
        (program.len() <= LARGEST_PROGRAM).then_some(Self { program, members })
    }

    /// The shortest matching text with a length between these limits.
    ///
    /// Another `choice` takes other characters where sets have several. `is_match` decides whether the pattern matches a text.
    pub fn matching(
        &self,
        shortest: usize,
        longest: usize,
        choice: usize,
        is_match: &dyn Fn(&str) -> Option<bool>,
    ) -> Option<String> {
        let longest = longest.min(shortest.saturating_add(FARTHEST));
        if self.program.len().saturating_mul(shortest) > MOST_WORK {
            return None;
        }
        let mut layers: Vec<Vec<Reached>> = Vec::new();
        let mut seeds = vec![(0, 0, '\0')];
        let mut visited = vec![0; self.program.len()];
        let mut round = 0;
        for length in 0..=longest {
            if length >= shortest {
                round += 1;
                let (_, end) = self.close(&seeds, &mut visited, round, length == 0, true);
                if let Some((from, taken)) = end {
                    let text = read_back(&layers, from, taken, length);
                    if is_match(&text) == Some(true) {
                        return Some(text);
                    }
                }
            }
            round += 1;
            let (layer, _) = self.close(&seeds, &mut visited, round, length == 0, false);
            if layer.is_empty() {
                return None;
            }
            seeds = layer
                .iter()
                .enumerate()
                .filter_map(|(index, reached)| Some((reached.step + 1, index, self.taken(reached.step, choice)?)))
                .collect();
            layers.push(layer);
        }
        None
    }

    /// The character that an instruction takes.
    fn taken(&self, step: usize, choice: usize) -> Option<char> {
        match self.program.get(step)? {
            Instruction::Char(character) => Some(*character),
            Instruction::Set(set) => {
                let members = self.members.get(*set)?;
                members.get(choice % members.len().max(1)).copied()
            }
            _ => None,
        }
    }

    /// Every instruction that takes a character and can be come to without one, and whether the end can.
    fn close(
        &self,
        seeds: &[(usize, usize, char)],
        visited: &mut [usize],
        round: usize,
        at_start: bool,
        at_end: bool,
    ) -> (Vec<Reached>, Option<(usize, char)>) {
        let (mut layer, mut end) = (Vec::new(), None);
        let mut todo = Vec::new();
        for &(step, from, taken) in seeds {
            todo.push(step);
            while let Some(step) = todo.pop() {
                let Some(last) = visited.get_mut(step) else { continue };
                if *last == round {
                    continue;
                }
                *last = round;
                match self.program.get(step) {
                    Some(Instruction::Char(_) | Instruction::Set(_)) => layer.push(Reached { step, from, taken }),
                    Some(Instruction::Assert(assertion)) if may_hold(*assertion, at_start, at_end) => {
                        todo.push(step + 1)
                    }
                    Some(Instruction::Assert(_)) | None => {}
                    Some(Instruction::Either { target, there_first: true }) => todo.extend([step + 1, *target]),
                    Some(Instruction::Either { target, .. }) => todo.extend([*target, step + 1]),
                    Some(Instruction::Jump(target)) => todo.push(*target),
                    Some(Instruction::Note(_)) => todo.push(step + 1),
                    Some(Instruction::Match) => end = end.or(Some((from, taken))),
                }
            }
        }
        (layer, end)
    }
}

/// The text along which a program went, from its last character back to its first.
fn read_back(layers: &[Vec<Reached>], from: usize, taken: char, length: usize) -> String {
    let (mut from, mut taken) = (from, taken);
    let mut characters = Vec::with_capacity(length);
    for layer in layers.iter().take(length).rev() {
        characters.push(taken);
        if let Some(reached) = layer.get(from) {
            (from, taken) = (reached.from, reached.taken);
        }
    }
    characters.iter().rev().collect()
}

/// Whether the assertion holds there, or may do so.
fn may_hold(assertion: Assertion, at_start: bool, at_end: bool) -> bool {
    match assertion {
        Assertion::TextStart | Assertion::LineStart => at_start,
        Assertion::TextEnd | Assertion::LineEnd => at_end,
        Assertion::WordBoundary | Assertion::NotWordBoundary => true,
    }
}

/// Some members of a set, those that a person would write first.
fn members(class: &Class) -> Vec<char> {
    let in_ranges = |character: char| class.ranges.iter().any(|(low, high)| (*low..=*high).contains(&character));
    if !class.unicode.is_empty() || class.negated || class.fold {
        // Names are not checked here. The matcher rejects a wrong one.
        let (mut likely, unlikely): (Vec<char>, Vec<char>) =
            LIKED.iter().copied().partition(|character| in_ranges(*character) != class.negated);
        likely.extend(unlikely);
        return likely;
    }
    let mut found: Vec<char> = LIKED.iter().copied().filter(|character| in_ranges(*character)).collect();
    // What is printable comes before what is not.
    let printable = class.ranges.iter().filter(|(low, high)| *low <= '~' && *high >= '!');
    found.extend(printable.map(|(low, _)| (*low).max('!')));
    found.extend(class.ranges.iter().map(|(low, _)| *low));
    let mut once = Vec::new();
    for character in found {
        if !once.contains(&character) {
            once.push(character);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::Texts;

    fn is_match(pattern: &str) -> impl Fn(&str) -> Option<bool> {
        let matcher = crate::recognise(pattern).unwrap().matcher().unwrap();
        move |text| matcher.is_match(text)
    }

    #[test]
    fn texts_of_every_length_that_a_pattern_has() {
        for (pattern, lengths) in [
            ("", "0123456789"),
            ("^$", "0"),
            ("^a{3}$", "3"),
            ("^(ab)*$", "02468"),
            ("^(a|bcd)(-e{2})?$", "1346"),
            ("x", "123456789"),
            ("^(a{2}|b{5})+$", "2456789"),
            ("^[^a-z]{2,4}$", "234"),
            ("^a*?b+?$", "123456789"),
            ("(?i)^k\\pL$", "2"),
            ("\\bword\\b", "456789"),
            ("^a\\b.b", "3456789"),
            ("^é$", "1"),
            ("^a$|b", "123456789"),
            ("[^\\x00-\\x{10FFFF}]", ""),
            ("^a\\Bb$^", ""),
        ] {
            let (texts, is_match) = (Texts::new(pattern).unwrap(), is_match(pattern));
            let mut found = String::new();
            for length in 0..10 {
                if let Some(text) = (0..3).find_map(|choice| texts.matching(length, length, choice, &is_match)) {
                    assert_eq!(text.chars().count(), length);
                    assert_eq!(is_match(&text), Some(true), "{pattern} {text:?}");
                    found.push_str(&length.to_string());
                }
            }
            assert_eq!(found, lengths, "{pattern}");
        }
        assert!(Texts::new("(").is_none());
        assert!(Texts::new("(a{1000}){1}b{1000}").is_some());
        assert!(Texts::new(&"a{1000}".repeat(30)).is_none());
        let texts = |pattern: &str, shortest, longest| {
            Texts::new(pattern).unwrap().matching(shortest, longest, 0, &is_match(pattern)).unwrap()
        };
        assert_eq!(texts("^[!-~]+([\\t ]?[!-~]+)*$", 4_096, 4_096).len(), 4_096);
        assert_eq!(texts("^(abc){2,}$", 1, usize::MAX), "abcabc");
        // The characters that a person would write first, and as little as possible around them.
        assert_eq!(texts("b", 3, 3), "baa");
        assert_eq!(texts("^[0-9x]*?z", 3, 3), "zaa");
    }
}
