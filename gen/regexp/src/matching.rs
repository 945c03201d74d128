//! Searches a text for a pattern, as Go's `MatchString` does.
//!
//! The tree is written out as a small program of which all threads run at once over the text (Thompson's way), one
//! character after the other. Invariants:
//! * Time is at most the length of the text times the size of the program. A search does not recurse, and writing a program recurses as
//!   deep as its tree only.
//! * An answer is never a guess. Where a Unicode table would decide about a character (`\pL`, folding beyond ASCII), the
//!   search runs twice, without such characters in the set and with them. More characters in a set never make fewer
//!   matches, so a match without them is certain, and so is the absence of a match with them.
//! * Every text in ASCII is decided. Beyond ASCII, ranges are decided, and so are the two signs that fold to ASCII and
//!   characters for which Rust has no other case: they fold only to themselves.

mod captures;
mod texts;

pub use captures::Capturer;
pub use texts::Texts;

use std::collections::BTreeMap;

use super::Pattern;
use super::node::{Assertion, Class, Node, UnicodeSet};
use crate::Undecided;

/// Instructions in a program at most. The largest counted repetition of a set has some 2,000.
const LARGEST: usize = 50_000;

impl Pattern {
    /// Whether the pattern matches anywhere in `text`, as in Go's `MatchString`. `None` if this
    /// crate cannot decide: only a Unicode table shows whether a character is in a set, or the pattern is too large.
    ///
    /// For many texts, prepare a [`Matcher`].
    #[must_use]
    pub fn is_match(&self, text: &str) -> Option<bool> {
        self.matcher()?.is_match(text)
    }

    /// The first match at or after the byte `from`, as Go's `FindStringIndex` returns it.
    ///
    /// # Errors
    ///
    /// This crate cannot decide.
    pub fn find(&self, text: &str, from: usize) -> Result<Option<(usize, usize)>, Undecided> {
        self.matcher().ok_or(Undecided)?.find(text, from)
    }

    /// The pattern made ready for searching; `None` if it is too large to be tried.
    #[must_use]
    pub fn matcher(&self) -> Option<Matcher> {
        write(&self.root, Writer::default()).map(|Writer { program, sets, .. }| Matcher { program, sets })
    }
}

/// A pattern made ready for searching.
#[derive(Clone, Debug)]
pub struct Matcher {
    program: Vec<Instruction>,
    sets: Vec<Set>,
}

/// One step of a thread, which continues with the next instruction unless stated otherwise.
#[derive(Clone, Copy, Debug)]
enum Instruction {
    Char(char),
    /// Takes a character of this set.
    Set(usize),
    /// Goes on in such a place only.
    Assert(Assertion),
    /// Goes on behind and there. What a match covers depends on which of the two comes first.
    Either {
        target: usize,
        there_first: bool,
    },
    Jump(usize),
    /// Notes the place: where a named group starts (`2 * group`) or ends (`2 * group + 1`). Only in the program of a [`Capturer`].
    Note(usize),
    /// The pattern has matched.
    Match,
}

impl Matcher {
    /// Whether the pattern matches anywhere in `text`; `None` where a character matters for which only a
    /// Unicode table shows whether it is in a set.
    #[must_use]
    pub fn is_match(&self, text: &str) -> Option<bool> {
        self.is_match_within(text, &mut u64::MAX.clone())
    }

    /// The same with a number of steps that is left for this and other searches. A search that needs more is not decided.
    #[must_use]
    pub fn is_match_within(&self, text: &str, steps: &mut u64) -> Option<bool> {
        match self.search(text, false, steps)? {
            Search { found: true, .. } => Some(true),
            Search { guessed: false, .. } => Some(false),
            Search { guessed: true, .. } if self.search(text, true, steps)?.found => None,
            Search { .. } => Some(false),
        }
    }

    /// The number of instructions.
    pub fn size(&self) -> usize {
        self.program.len()
    }

    /// The first match at or after the byte `from`, as Go's `FindStringIndex` returns it.
    ///
    /// # Errors
    ///
    /// A character matters for which only a Unicode table shows whether it is in a set.
    pub fn find(&self, text: &str, from: usize) -> Result<Option<(usize, usize)>, Undecided> {
        self.first(text, from, |start| start, |_, _, _| {})
    }

    /// What the thread of the first match at or after the byte `from` has in the end, and where the match ends. `begin` returns what a
    /// thread has that starts at a position. `note` notes a slot and a position in it.
    fn first<T: Clone>(
        &self,
        text: &str,
        from: usize,
        begin: impl Fn(usize) -> T,
        note: impl Fn(&mut T, usize, usize),
    ) -> Result<Option<(T, usize)>, Undecided> {
        let mut visited = vec![0; self.program.len()];
        let (mut threads, mut next, mut todo): (Vec<(usize, T)>, Vec<_>, Vec<_>) = Default::default();
        let mut found = None;
        let mut before = text.get(..from).ok_or(Undecided)?.chars().next_back();
        let mut position = from;
        for step in 1.. {
            let after = text[position..].chars().next();
            // Threads in the order of preference. A match may begin here if there is none yet.
            next.append(&mut threads);
            if found.is_none() {
                next.push((0, begin(position)));
            }
            for thread in next.drain(..) {
                todo.push(thread);
                while let Some((at, mut has)) = todo.pop() {
                    let (Some(instruction), Some(last)) = (self.program.get(at), visited.get_mut(at)) else { continue };
                    if *last == step {
                        continue;
                    }
                    *last = step;
                    match *instruction {
                        Instruction::Char(_) | Instruction::Set(_) | Instruction::Match => threads.push((at, has)),
                        Instruction::Assert(assertion) if holds(assertion, before, after) => todo.push((at + 1, has)),
                        Instruction::Assert(_) => {}
                        Instruction::Either { target, there_first } => {
                            let (one, other) = if there_first { (at + 1, target) } else { (target, at + 1) };
                            todo.extend([(one, has.clone()), (other, has)]);
                        }
                        Instruction::Jump(target) => todo.push((target, has)),
                        Instruction::Note(slot) => {
                            note(&mut has, slot, position);
                            todo.push((at + 1, has));
                        }
                    }
                }
            }
            for (at, has) in threads.drain(..) {
                let takes = match (self.program.get(at), after) {
                    (Some(Instruction::Match), _) => {
                        found = Some((has, position));
                        // Threads after this one are less preferred.
                        break;
                    }
                    (Some(Instruction::Char(wanted)), Some(character)) => *wanted == character,
                    (Some(Instruction::Set(set)), Some(character)) => {
                        self.sets.get(*set).map_or(Some(false), |set| set.holds(character)).ok_or(Undecided)?
                    }
                    _ => false,
                };
                if takes {
                    next.push((at + 1, has));
                }
            }
            let Some(character) = after else { break };
            if next.is_empty() && found.is_some() {
                break;
            }
            position += character.len_utf8();
            before = after;
        }
        Ok(found)
    }

    /// Searches under the assumption that all characters that are not known are in the sets in question, or that none
    /// is. Nothing if more steps are needed than are left.
    fn search(&self, text: &str, assumed: bool, steps: &mut u64) -> Option<Search> {
        let mut guessed = false;
        // To forget all visits takes a step for a few instructions.
        *steps = steps.checked_sub(self.program.len() as u64 / 8)?;
        // For each instruction the last place at which a thread came by, counted from 1.
        let mut visited = vec![0; self.program.len()];
        let (mut todo, mut takers) = (Vec::new(), Vec::new());
        let (mut position, mut before, mut rest) = (0, None, text.chars());
        loop {
            position += 1;
            let after = rest.next();
            // A match may begin anywhere.
            todo.push(0);
            while let Some(at) = todo.pop() {
                let (Some(instruction), Some(last)) = (self.program.get(at), visited.get_mut(at)) else { continue };
                if *last == position {
                    continue;
                }
                *last = position;
                *steps = steps.checked_sub(1)?;
                match *instruction {
                    Instruction::Char(_) | Instruction::Set(_) => takers.push(at),
                    Instruction::Assert(assertion) if holds(assertion, before, after) => todo.push(at + 1),
                    Instruction::Assert(_) => {}
                    Instruction::Either { target, .. } => todo.extend([at + 1, target]),
                    Instruction::Jump(target) => todo.push(target),
                    Instruction::Note(_) => todo.push(at + 1),
                    Instruction::Match => return Some(Search { found: true, guessed }),
                }
            }
            let Some(next) = after else { return Some(Search { found: false, guessed }) };
            for at in takers.drain(..) {
                let takes = match self.program.get(at) {
                    Some(Instruction::Char(wanted)) => Some(*wanted == next),
                    Some(Instruction::Set(set)) => self.sets.get(*set).map_or(Some(false), |set| set.holds(next)),
                    _ => Some(false),
                };
                guessed |= takes.is_none();
                if takes.unwrap_or(assumed) {
                    todo.push(at + 1);
                }
            }
            before = after;
        }
    }
}

/// What a search came to.
struct Search {
    found: bool,
    /// Whether it met a character of which it is not known whether it is in a set.
    guessed: bool,
}

/// Whether an assertion holds between two characters; `None` is an end of the text.
fn holds(assertion: Assertion, before: Option<char>, after: Option<char>) -> bool {
    let is_word = |side: Option<char>| side.is_some_and(|side| side == '_' || side.is_ascii_alphanumeric());
    match assertion {
        Assertion::TextStart => before.is_none(),
        Assertion::TextEnd => after.is_none(),
        Assertion::LineStart => before.is_none_or(|before| before == '\n'),
        Assertion::LineEnd => after.is_none_or(|after| after == '\n'),
        Assertion::WordBoundary => is_word(before) != is_word(after),
        Assertion::NotWordBoundary => is_word(before) == is_word(after),
    }
}

/// A set of characters, looked up quickly.
#[derive(Clone, Debug)]
struct Set {
    /// One bit for each character of ASCII.
    ascii: u128,
    /// The same set, with sorted names and without duplicates.
    class: Class,
    /// Whether a name and its opposite are in it, which together are everything.
    is_full: bool,
}

impl Set {
    fn new(class: &Class) -> Self {
        let mut class = class.clone();
        class.unicode.sort_unstable_by_key(|set| (set.name, set.negated));
        class.unicode.dedup();
        // Both are neighbours now.
        let is_full = class.unicode.windows(2).any(|pair| matches!(pair, [one, other] if one.name == other.name));
        let mut set = Self { ascii: 0, class, is_full };
        for code in 0..128_u8 {
            if set.look_up(code.into()) == Some(true) {
                set.ascii |= 1 << code;
            }
        }
        set
    }

    /// Whether the character is in the set, if that is known.
    fn holds(&self, character: char) -> Option<bool> {
        if character.is_ascii() {
            return Some((self.ascii >> u32::from(character)) & 1 == 1);
        }
        self.look_up(character)
    }

    fn look_up(&self, character: char) -> Option<bool> {
        let class = &self.class;
        let behind = class.ranges.partition_point(|(_, high)| *high < character);
        let in_ranges = class.ranges.get(behind).is_some_and(|(low, _)| *low <= character);
        let is_member = if in_ranges || self.is_full {
            Some(true)
        } else {
            let reaches_beyond_ascii = class.ranges.last().is_some_and(|(_, high)| !high.is_ascii());
            let by_folding = match class.fold && reaches_beyond_ascii {
                true if known_orbit(character).is_empty() && !is_caseless(character) => None,
                _ => Some(false),
            };
            any(class.unicode.iter().map(|set| named(*set, class.fold, character)).chain([by_folding]))
        };
        is_member.map(|is_member| is_member != class.negated)
    }
}

/// Whether one of them is true, if that is known.
fn any(verdicts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(false);
    for verdict in verdicts {
        match verdict {
            Some(true) => return verdict,
            Some(false) => {}
            None => all = None,
        }
    }
    all
}

/// Whether a character is in a named set, or folds into it, if that is known.
fn named(set: UnicodeSet, fold: bool, character: char) -> Option<bool> {
    let orbit = known_orbit(character);
    if orbit.is_empty() {
        return None;
    }
    let is_in = |character: &char| {
        let (category, script) = properties(*character);
        let first_letter = category.get(..1).unwrap_or_default();
        let is_cased_letter = matches!(category, "Lu" | "Ll");
        set.name == category || set.name == first_letter || set.name == script || set.name == "LC" && is_cased_letter
    };
    let is_member = if fold { orbit.iter().any(is_in) } else { is_in(&character) };
    Some(is_member != set.negated)
}

const LONG_S_SIGN: char = '\u{17F}';
const KELVIN_SIGN: char = '\u{212A}';

/// The character and all that fold to it, where that is known.
fn known_orbit(character: char) -> Vec<char> {
    let (lower, upper) = (character.to_ascii_lowercase(), character.to_ascii_uppercase());
    match character {
        'S' | 's' | LONG_S_SIGN => vec!['S', 's', LONG_S_SIGN],
        'K' | 'k' | KELVIN_SIGN => vec!['K', 'k', KELVIN_SIGN],
        _ if lower != upper => vec![lower, upper],
        _ if character.is_ascii() => vec![character],
        _ => Vec::new(),
    }
}

/// The category and the script of a character of a known orbit.
fn properties(character: char) -> (&'static str, &'static str) {
    let category = match character {
        'A'..='Z' | KELVIN_SIGN => return ("Lu", "Latin"),
        'a'..='z' | LONG_S_SIGN => return ("Ll", "Latin"),
        '0'..='9' => "Nd",
        ' ' => "Zs",
        '$' => "Sc",
        '+' | '<' | '=' | '>' | '|' | '~' => "Sm",
        '^' | '`' => "Sk",
        '_' => "Pc",
        '-' => "Pd",
        '(' | '[' | '{' => "Ps",
        ')' | ']' | '}' => "Pe",
        '!'..='~' => "Po",
        _ => "Cc",
    };
    (category, "Common")
}

/// Whether a character folds to itself alone. Of some that do, this is not known; Unicode may give a character another
/// case later, never take one away.
fn is_caseless(character: char) -> bool {
    character.to_lowercase().eq([character]) && character.to_uppercase().eq([character])
}

/// Writes the program of a tree, unless it becomes too large.
fn write(root: &Node, mut writer: Writer) -> Option<Writer> {
    writer.part(root)?;
    writer.program.push(Instruction::Match);
    Some(writer)
}

#[derive(Default)]
struct Writer {
    program: Vec<Instruction>,
    sets: Vec<Set>,
    /// Where the set of a class is, by the class's address: what is repeated is written often and is the same class.
    known: BTreeMap<*const Class, usize>,
    /// The names of the groups, if their places are noted.
    groups: Option<Vec<String>>,
}

impl Writer {
    /// Writes an instruction and returns its index.
    fn push(&mut self, instruction: Instruction) -> Option<usize> {
        self.program.push(instruction);
        (self.program.len() <= LARGEST).then(|| self.program.len() - 1)
    }

    /// Writes a choice between the next instruction and one that is yet to be written.
    fn choice(&mut self, there_first: bool) -> Option<usize> {
        self.push(Instruction::Either { target: 0, there_first })
    }

    /// Lets these instructions lead here.
    fn end(&mut self, instructions: &[usize]) {
        let address = self.program.len();
        for at in instructions {
            if let Some(Instruction::Either { target, .. } | Instruction::Jump(target)) = self.program.get_mut(*at) {
                *target = address;
            }
        }
    }

    fn set(&mut self, class: &Class) -> usize {
        let sets = &mut self.sets;
        *self.known.entry(std::ptr::from_ref(class)).or_insert_with(|| {
            sets.push(Set::new(class));
            sets.len() - 1
        })
    }

    fn part(&mut self, part: &Node) -> Option<()> {
        match part {
            Node::Empty => {}
            Node::Char(character) => {
                self.push(Instruction::Char(*character))?;
            }
            Node::Class(class) => {
                let set = self.set(class);
                self.push(Instruction::Set(set))?;
            }
            Node::Assert(assertion) => {
                self.push(Instruction::Assert(*assertion))?;
            }
            Node::Capture { inner, name } => match (&mut self.groups, name) {
                (Some(groups), Some(name)) => {
                    let group = groups.iter().position(|group| group == name).unwrap_or(groups.len());
                    if group == groups.len() {
                        groups.push(name.clone());
                    }
                    self.push(Instruction::Note(2 * group))?;
                    self.part(inner)?;
                    self.push(Instruction::Note(2 * group + 1))?;
                }
                _ => self.part(inner)?,
            },
            Node::Concat(parts) => {
                for part in parts {
                    self.part(part)?;
                }
            }
            Node::Alternate(branches) => self.branches(branches)?,
            Node::Repeat { inner, min, max, lazy } => self.repeated(inner, *min, *max, *lazy)?,
        }
        Some(())
    }

    fn branches(&mut self, branches: &[Node]) -> Option<()> {
        let Some((last, others)) = branches.split_last() else { return Some(()) };
        let mut jumps = Vec::with_capacity(others.len());
        for branch in others {
            let choice = self.choice(false)?;
            self.part(branch)?;
            jumps.push(self.push(Instruction::Jump(0))?);
            self.end(&[choice]);
        }
        self.part(last)?;
        self.end(&jumps);
        Some(())
    }

    fn repeated(&mut self, inner: &Node, min: u32, max: Option<u32>, lazy: bool) -> Option<()> {
        // An endless repetition repeats its last copy.
        let copies = if max.is_some() { min } else { min.saturating_sub(1) };
        for _ in 0..copies {
            self.part(inner)?;
        }
        let mut choices = Vec::new();
        for _ in min..max.unwrap_or(min) {
            choices.push(self.choice(lazy)?);
            self.part(inner)?;
        }
        if max.is_none() {
            if min == 0 {
                choices.push(self.choice(lazy)?);
            }
            let start = self.program.len();
            self.part(inner)?;
            self.push(Instruction::Either { target: start, there_first: !lazy })?;
        }
        self.end(&choices);
        Some(())
    }
}

#[cfg(test)]
mod find_tests {
    #[test]
    fn the_first_and_preferred_match_is_found_as_in_go() {
        let table = [
            ("a+", "baaa", 0, Some((1, 4))),
            ("a+?", "baaa", 0, Some((1, 2))),
            ("a*", "baaa", 0, Some((0, 0))),
            ("a|ab", "xab", 0, Some((1, 2))),
            ("ab|a", "xab", 0, Some((1, 3))),
            ("(a|b)*c", "xabcab", 0, Some((1, 4))),
            ("a{1,2}", "aaa", 0, Some((0, 2))),
            ("a{1,2}?", "aaa", 0, Some((0, 1))),
            ("a{2,}", "aaaa", 1, Some((1, 4))),
            ("^a", "ba", 1, None),
            ("\\bb", "ab b", 1, Some((3, 4))),
            ("é", "aéb", 0, Some((1, 3))),
            ("z", "aéb", 0, None),
            ("$", "ab", 0, Some((2, 2))),
            ("x*?$", "axx", 0, Some((1, 3))),
        ];
        for (pattern, text, from, expected) in table {
            let found = crate::recognise(pattern).expect(pattern).find(text, from);
            assert_eq!(found, Ok(expected), "{pattern} in {text}");
        }
        assert_eq!(crate::recognise("\\pL").expect("a pattern").find("é", 0), Err(crate::Undecided));
    }
}

#[cfg(test)]
mod tests {
    use super::super::recognise;
    use crate::tests::go_verdicts;
    use serde_json::from_value;

    fn is_match(pattern: &str, text: &str) -> Option<bool> {
        recognise(pattern).unwrap().is_match(text)
    }

    #[test]
    fn agrees_with_go() {
        let mut differing = Vec::new();
        let mut check = |pattern: &str, text: &str, go: bool| {
            let result = is_match(pattern, text);
            if result != Some(go) {
                differing.push(format!("{pattern:?} in {text:?}: Go: {go}, this crate: {result:?}"));
            }
        };
        let texts: Vec<(String, Vec<String>, Vec<String>)> = from_value(go_verdicts("texts")).unwrap();
        for (pattern, found, not_found) in &texts {
            found.iter().for_each(|text| check(pattern, text, true));
            not_found.iter().for_each(|text| check(pattern, text, false));
        }
        let texts: Vec<String> = from_value(go_verdicts("gateway_texts")).unwrap();
        for (pattern, verdicts) in from_value::<Vec<(String, String)>>(go_verdicts("gateway")).unwrap() {
            assert_eq!(verdicts.len(), texts.len(), "{pattern}");
            texts.iter().zip(verdicts.bytes()).for_each(|(text, go)| check(&pattern, text, go == b'1'));
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }

    #[test]
    fn agrees_with_go_about_counts() {
        for (pattern, texts) in from_value::<Vec<(String, Vec<(usize, bool)>)>>(go_verdicts("counts")).unwrap() {
            for (length, go) in texts {
                assert_eq!(is_match(&pattern, &"a".repeat(length)), Some(go), "{pattern} in {length} times a");
            }
        }
    }

    #[test]
    fn agrees_with_go_about_the_empty_text() {
        for (pattern, go) in from_value::<Vec<(String, Option<bool>)>>(go_verdicts("empty")).unwrap() {
            if go.is_some() {
                assert_eq!(is_match(&pattern, ""), go, "{pattern}");
            }
        }
    }

    #[test]
    fn agrees_with_go_about_names() {
        let known = || (0..=127_u8).map(char::from).chain(['\u{17F}', '\u{212A}']);
        for (name, members) in from_value::<Vec<(String, String)>>(go_verdicts("names")).unwrap() {
            for (pattern, negated) in [(format!(r"\p{{{name}}}"), false), (format!(r"[^\p{{{name}}}]"), true)] {
                let pattern = recognise(&pattern).unwrap().matcher().unwrap();
                for character in known() {
                    let go = members.contains(character) != negated;
                    assert_eq!(pattern.is_match(&character.to_string()), Some(go), "{name} {character:?} {negated}");
                }
            }
        }
    }

    #[test]
    fn says_what_it_cannot_tell() {
        for (pattern, text) in [
            (r"\pL", "é"),
            (r"\PL", "é"),
            (r"[^\p{Greek}]", "é"),
            (r"^a\pL$", "aé"),
            (r"[\pL\P{Greek}]", "é"),
            ("(?i)é", "É"),
            ("(?i)[^é]", "É"),
        ] {
            assert_eq!(is_match(pattern, text), None, "{pattern} in {text}");
        }
        // The same sets, where they do not decide.
        for (pattern, text, known) in [
            (r"\pL", "éa", true),
            (r"^b\pL$", "aé", false),
            (r"^\pL$", "éé1", false),
            (r"\pL*", "é", true),
            (r"[\pLé]", "é", true),
            (r"[^\pLé]", "é", false),
            ("(?i)é", "é", true),
            ("(?i)é", "漢", false),
        ] {
            assert_eq!(is_match(pattern, text), Some(known), "{pattern} in {text}");
        }
    }

    #[test]
    fn what_is_too_large_is_not_tried() {
        let sets = |count| recognise(&"[ab]{1000}".repeat(count)).unwrap();
        assert_eq!(sets(49).is_match("a"), Some(false));
        assert_eq!(sets(51).is_match("a"), None);
        assert!(sets(51).matcher().is_none());
    }

    #[test]
    fn neither_depth_nor_ambiguity_matters() {
        let patterns = ["(".repeat(999) + "ab" + &")".repeat(999), "(".repeat(499) + "ab" + &")*".repeat(499) + "c"];
        let matchers = patterns.map(|pattern| recognise(&pattern).unwrap().matcher().unwrap());
        std::thread::scope(|scope| {
            let small = std::thread::Builder::new().stack_size(32 << 10);
            let search = || matchers.each_ref().map(|matcher| matcher.is_match("xxabxx"));
            let verdicts = small.spawn_scoped(scope, search).unwrap().join().unwrap();
            assert_eq!(verdicts, [Some(true), Some(false)]);
        });
        // A search that goes back would not come to an end.
        assert_eq!(is_match("(?:(?:a*)*)*b", &"a".repeat(20_000)), Some(false));
    }
}
