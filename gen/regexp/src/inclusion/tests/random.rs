//! Random pairs of patterns that are related to each other.
//!
//! Invariants: the same seed gives the same patterns, and Go accepts all of them.

use crd_testdata::Dice;

const REPETITIONS: &[&str] = &["*", "+", "?", "*?", "{2}", "{1,2}", "{0,2}", "{2,}", "{3}", "{0}"];

#[derive(Clone)]
enum Part {
    Atom(&'static str),
    Repeated(Box<Part>, &'static str),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
}

impl Part {
    fn new(random: &mut Dice, atoms: &[&'static str], depth: usize) -> Self {
        let inner = |random: &mut Dice| Self::new(random, atoms, depth - 1);
        match random.below(if depth == 0 { 1 } else { 6 }) {
            0 | 1 => Self::Atom(random.one(atoms)),
            2 => Self::Repeated(Box::new(inner(random)), random.one(REPETITIONS)),
            3 | 4 => Self::Sequence((0..2 + random.below(2)).map(|_| inner(random)).collect()),
            _ => Self::Choice((0..2 + random.below(2)).map(|_| inner(random)).collect()),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Atom(atom) => out.push_str(atom),
            Self::Repeated(inner, count) => {
                out.push_str("(?:");
                inner.write(out);
                out.push(')');
                out.push_str(count);
            }
            Self::Sequence(parts) => parts.iter().for_each(|part| part.write(out)),
            Self::Choice(branches) => {
                for (number, branch) in branches.iter().enumerate() {
                    out.push_str(if number == 0 { "(" } else { "|" });
                    branch.write(out);
                }
                out.push(')');
            }
        }
    }

    /// Changes one place.
    fn change(&mut self, random: &mut Dice, atoms: &[&'static str]) {
        if random.below(3) > 0 {
            match self {
                Self::Atom(_) => {}
                Self::Repeated(inner, _) => return inner.change(random, atoms),
                Self::Sequence(parts) | Self::Choice(parts) => {
                    let address = random.below(parts.len());
                    return parts[address].change(random, atoms);
                }
            }
        }
        let old = self.clone();
        *self = match random.below(5) {
            0 => Self::new(random, atoms, 1),
            1 => Self::Choice(vec![old, Self::new(random, atoms, 1)]),
            2 => Self::Repeated(Box::new(old), random.one(REPETITIONS)),
            3 => Self::Sequence(vec![old, Self::new(random, atoms, 0)]),
            _ => match old {
                Self::Atom(_) => Self::Atom("(?:)"),
                Self::Repeated(inner, _) => *inner,
                Self::Sequence(mut parts) | Self::Choice(mut parts) => parts.swap_remove(0),
            },
        };
    }
}

/// Two patterns, of which the second comes from the first by one or two changes, or from nowhere.
pub(super) fn pair(random: &mut Dice, atoms: &[&'static str]) -> (String, String) {
    let mut part = Part::new(random, atoms, 3);
    let anchors = random.below(4);
    let old = written(&part, anchors);
    for _ in 0..1 + random.below(2) {
        part.change(random, atoms);
    }
    if random.below(10) == 0 {
        part = Part::new(random, atoms, 3);
    }
    let anchors = if random.below(8) == 0 { random.below(4) } else { anchors };
    (old, written(&part, anchors))
}

fn written(part: &Part, anchors: usize) -> String {
    let mut out = String::from(["", "^", "", "^"][anchors]);
    part.write(&mut out);
    out.push_str(["", "", "$", "$"][anchors]);
    out
}
