//! Texts of a wanted length that a pattern matches, and texts that it only just does not match.
//!
//! Invariants: a text of [`Texts::matching`] matches the pattern (checked with the matcher). It is found by running
//! the pattern as a machine, one character at a time, so every length with a match is found. Only word
//! boundaries and Unicode names are guessed, and a wrong guess produces no text. Letters and digits are preferred.

use crd_regexp::{Assertion, Class, Node, recognise};

use crd_apiserver::validate::Patterns;

/// Steps of a machine at most; the largest counted repetition has some 2,000.
const LARGEST_MACHINE: usize = 20_000;
/// Steps times characters at most.
const MOST_WORK: usize = 30_000_000;
/// How far a text is looked for beyond the shortest that is wanted, where no end is given.
const FARTHEST: usize = 4_096;

/// The characters to take where a set has them, the first preferred.
const LIKED: [char; 14] = ['a', '1', '-', 'b', '2', 'A', 'B', '0', 'x', '/', '.', '_', ' ', 'c'];
/// The characters that replace another, unusual ones first.
const ODD: [char; 20] =
    [' ', '!', '_', '-', '.', '/', ':', '*', '#', '"', 'A', 'a', '0', 'z', 'Z', '9', '\n', '\u{0}', 'é', '😀'];

/// A pattern as a machine that texts can be read off.
pub(super) struct Texts {
    pattern: String,
    machine: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    /// Takes one of these characters.
    Take(Vec<char>),
    /// Continues only at such a position.
    Assert(Assertion),
    /// Goes on behind, or else there.
    Either(usize),
    Jump(usize),
    Match,
}

/// A machine that has come to a step that takes a character.
struct Reached {
    step: usize,
    /// Which entry of the layer before led here, and the character that it took.
    from: usize,
    taken: char,
}

impl Texts {
    /// The texts of a pattern; `None` if it is not a pattern, or too large to be tried.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let tree = recognise(pattern).ok()?;
        let mut writer = Writer { machine: Vec::new() };
        // The pattern is searched: any text can surround it.
        writer.anything();
        writer.write(tree.root())?;
        writer.anything();
        writer.machine.push(Step::Match);
        Some(Self { pattern: pattern.to_owned(), machine: writer.machine })
    }

    /// The shortest matching text with a length between these limits.
    ///
    /// Another `choice` takes other characters where sets have several.
    pub(super) fn matching(
        &self,
        patterns: &Patterns,
        shortest: usize,
        longest: usize,
        choice: usize,
    ) -> Option<String> {
        let longest = longest.min(shortest.saturating_add(FARTHEST));
        if self.machine.len().saturating_mul(shortest) > MOST_WORK {
            return None;
        }
        let mut layers: Vec<Vec<Reached>> = Vec::new();
        let mut seeds = vec![(0, 0, '\0')];
        let mut visited = vec![0; self.machine.len()];
        let mut round = 0;
        for length in 0..=longest {
            if length >= shortest {
                round += 1;
                let (_, end) = self.close(&seeds, &mut visited, round, length == 0, true);
                if let Some((from, taken)) = end {
                    let text = read_back(&layers, from, taken, length);
                    if patterns.matches(&self.pattern, &text) == Some(true) {
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
                .filter_map(|(index, reached)| match self.machine.get(reached.step) {
                    Some(Step::Take(set)) => {
                        set.get(choice % set.len().max(1)).map(|taken| (reached.step + 1, index, *taken))
                    }
                    _ => None,
                })
                .collect();
            layers.push(layer);
        }
        None
    }

    /// Every step that takes a character and can be come to without one, and whether the end can.
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
                match self.machine.get(step) {
                    Some(Step::Take(_)) => layer.push(Reached { step, from, taken }),
                    Some(Step::Assert(assertion)) if may_hold(*assertion, at_start, at_end) => todo.push(step + 1),
                    Some(Step::Assert(_)) | None => {}
                    Some(Step::Either(target)) => todo.extend([*target, step + 1]),
                    Some(Step::Jump(target)) => todo.push(*target),
                    Some(Step::Match) => end = end.or(Some((from, taken))),
                }
            }
        }
        (layer, end)
    }
}

/// The text along which a machine went, from its last character back to its first.
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

struct Writer {
    machine: Vec<Step>,
}

impl Writer {
    /// Any text, as little of it as possible.
    fn anything(&mut self) {
        let start = self.machine.len();
        // Behind is the pattern; the filler is the second choice.
        self.machine.push(Step::Either(start + 2));
        self.machine.push(Step::Jump(start + 4));
        self.machine.push(Step::Take(vec!['a', ' ', '-']));
        self.machine.push(Step::Jump(start));
    }

    /// Writes the machine of a part; `None` if it becomes too large.
    fn write(&mut self, node: &Node) -> Option<()> {
        if self.machine.len() > LARGEST_MACHINE {
            return None;
        }
        match node {
            Node::Empty => {}
            Node::Char(character) => self.machine.push(Step::Take(vec![*character])),
            Node::Class(class) => self.machine.push(Step::Take(members(class))),
            Node::Assert(assertion) => self.machine.push(Step::Assert(*assertion)),
            Node::Capture { inner, .. } => self.write(inner)?,
            Node::Concat(parts) => {
                for part in parts {
                    self.write(part)?;
                }
            }
            Node::Alternate(branches) => {
                let mut jumps = Vec::new();
                for (index, branch) in branches.iter().enumerate() {
                    if index + 1 == branches.len() {
                        self.write(branch)?;
                    } else {
                        let choice = self.reserve();
                        self.write(branch)?;
                        jumps.push(self.reserve());
                        self.lead(choice, Step::Either);
                    }
                }
                jumps.into_iter().for_each(|jump| self.lead(jump, Step::Jump));
            }
            Node::Repeat { inner, min, max, .. } => {
                for _ in 0..*min {
                    self.write(inner)?;
                }
                match max {
                    None => {
                        let start = self.reserve();
                        self.write(inner)?;
                        self.machine.push(Step::Jump(start));
                        self.lead(start, Step::Either);
                    }
                    Some(max) => {
                        let mut choices = Vec::new();
                        for _ in *min..*max {
                            choices.push(self.reserve());
                            self.write(inner)?;
                        }
                        choices.into_iter().for_each(|choice| self.lead(choice, Step::Either));
                    }
                }
            }
        }
        Some(())
    }

    /// Reserves a step that is not decided yet.
    fn reserve(&mut self) -> usize {
        self.machine.push(Step::Match);
        self.machine.len() - 1
    }

    /// Lets the step at that position lead to the step that is written next.
    fn lead(&mut self, position: usize, step: impl FnOnce(usize) -> Step) {
        let next = self.machine.len();
        if let Some(placeholder) = self.machine.get_mut(position) {
            *placeholder = step(next);
        }
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

/// Texts that differ from this one in one character, and a few different ones.
pub(super) fn neighbours(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let last = characters.len().saturating_sub(1);
    let mut positions = vec![0, last, characters.len() / 2, 1.min(last), last.saturating_sub(1)];
    positions.sort_unstable();
    positions.dedup();
    let mut found = Vec::new();
    let with = |change: &dyn Fn(&mut Vec<char>)| {
        let mut changed = characters.clone();
        change(&mut changed);
        changed.into_iter().collect::<String>()
    };
    for odd in ODD {
        for &position in positions.iter().filter(|position| **position < characters.len()) {
            found.push(with(&|changed| changed[position] = odd));
        }
    }
    for odd in ODD {
        for &position in &positions {
            found.push(with(&|changed| changed.insert(position.min(changed.len()), odd)));
        }
        found.push(format!("{text}{odd}"));
    }
    for &position in positions.iter().filter(|position| **position < characters.len()) {
        found.push(with(&|changed| {
            changed.remove(position);
        }));
    }
    found.push(String::new());
    for odd in ODD {
        found.push(odd.to_string());
        found.push(odd.to_string().repeat(characters.len()));
    }
    found
}

/// The text with characters repeated or removed in the middle or at the end: most patterns still match one of the results.
pub(super) fn resized(text: &str, length: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    if length <= characters.len() {
        let start: String = characters.iter().take(length).collect();
        let end: String = characters.iter().skip(characters.len() - length).collect();
        return vec![start, end];
    }
    let missing = length - characters.len();
    let mut found = Vec::new();
    let last = characters.len();
    for position in [last, last.saturating_sub(1), last / 2, 1.min(last), 0] {
        let near = position.checked_sub(1).and_then(|before| characters.get(before)).or(characters.get(position));
        for filler in near.copied().into_iter().filter(char::is_ascii_alphanumeric).chain(['a', '1']) {
            let mut longer: Vec<char> = characters.clone();
            longer.splice(position..position, std::iter::repeat_n(filler, missing));
            found.push(longer.into_iter().collect());
        }
    }
    found
}
