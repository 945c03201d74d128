//! What numbers and texts make of atoms: differences of numbers, and texts with patterns, lengths and constants.
//!
//! Invariants: a conflict is a set of atoms with values that no object has, by the meaning of these atoms and the schema of their values alone.
//! Where the work is too much, there is no conflict. Each number and text has a value that its schema accepts; otherwise the schema does not
//! count, because the value may be absent.

use std::rc::Rc;

use crd_model::Schema;
use crd_regexp::inclusion::{Intersection, intersection};
use crd_regexp::recognise;
use foldhash::HashMap;

use super::facts::{Name, bounds};
use super::formula::Atom;

/// How many pairs of patterns are compared where all of them together are too much.
const MOST_PAIRS: usize = 64;
/// How many patterns are intersected.
const MOST_PATTERNS: usize = 12;

/// An atom and its value.
pub(super) type Valued = (usize, bool);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Quality {
    Value(Name),
    Size(Name),
    Quantity(Name),
}

/// A number: the place 0 is zero itself.
#[derive(Clone, Copy)]
struct Number {
    least: i128,
    most: i128,
}

/// `to` is at most `by` more than `from`.
struct Edge {
    from: usize,
    to: usize,
    by: i128,
    /// The atom that states it; none for the schema.
    atom: Option<Valued>,
}

/// The answer to what a text can be.
enum Found {
    Text(String),
    Nothing,
    Unknown,
}

#[derive(Clone, Default)]
struct Text {
    pattern: Option<Rc<str>>,
    listed: Option<Rc<[Rc<str>]>>,
    least: usize,
    most: Option<usize>,
    /// The number that is its size.
    size: Option<usize>,
}

/// Texts that are the same, and what is stated about them.
type Statements = (Vec<usize>, Vec<(Atom, bool)>);
/// Patterns that accept a text, patterns that refuse it, and its least and largest size.
type Patterns = (Vec<String>, Vec<String>, usize, Option<usize>);

pub(super) struct Theory {
    numbers: Vec<Number>,
    named_numbers: HashMap<Quality, usize>,
    texts: Vec<Text>,
    named_texts: HashMap<Name, usize>,
    /// Whether statements about equal texts contradict each other.
    impossible: HashMap<Statements, bool>,
    /// Questions about patterns that were answered.
    intersections: HashMap<Patterns, Intersection>,
}

impl Default for Theory {
    fn default() -> Self {
        Self {
            numbers: vec![Number { least: 0, most: 0 }],
            named_numbers: HashMap::default(),
            texts: Vec::new(),
            named_texts: HashMap::default(),
            impossible: HashMap::default(),
            intersections: HashMap::default(),
        }
    }
}

impl Theory {
    fn number(&mut self, quality: Option<Quality>, least: i128, most: i128) -> usize {
        if let Some(known) = quality.and_then(|quality| self.named_numbers.get(&quality)) {
            return *known;
        }
        self.numbers.push(Number { least, most });
        let number = self.numbers.len() - 1;
        if let Some(quality) = quality {
            self.named_numbers.insert(quality, number);
        }
        number
    }

    /// The integer at a place; none if its schema accepts none.
    pub(super) fn integer(&mut self, name: Name, schema: Option<&Schema>) -> Option<usize> {
        let (least, most) = schema.map_or((i128::from(i64::MIN), i128::from(i64::MAX)), bounds);
        (least <= most).then(|| self.number(Some(Quality::Value(name)), least, most))
    }

    pub(super) fn quantity(&mut self, name: Name, least: i128, most: i128) -> usize {
        self.number(Some(Quality::Quantity(name)), least, most)
    }

    pub(super) fn size_of(&mut self, name: Name) -> usize {
        self.number(Some(Quality::Size(name)), 0, i128::from(i64::MAX))
    }

    /// A number of items.
    pub(super) fn count(&mut self, schema: Option<&Schema>) -> usize {
        let most = schema.and_then(|schema| match schema.kind.as_deref() {
            Some("object") => schema.max_properties,
            _ => schema.max_items,
        });
        self.number(None, 0, most.unwrap_or(i64::MAX).max(0).into())
    }

    /// The text at a place.
    pub(super) fn text(&mut self, name: Name, schema: Option<&Schema>) -> Option<usize> {
        if let Some(known) = self.named_texts.get(&name) {
            return Some(*known);
        }
        let mut text = schema.map(|schema| {
            let listed = schema.enumeration.as_ref().filter(|listed| !listed.is_empty());
            let length = |limit: Option<i64>| limit.map(|limit| usize::try_from(limit).unwrap_or(0));
            Text {
                pattern: schema.pattern.as_deref().map(Rc::from),
                listed: listed.map(|listed| listed.iter().filter_map(|value| value.as_str().map(Rc::from)).collect()),
                least: length(schema.min_length).unwrap_or(0),
                most: length(schema.max_length),
                size: None,
            }
        });
        if let Some(known) = &text
            && !self.has_value(known)
        {
            text = None;
        }
        self.texts.push(text.unwrap_or_default());
        self.named_texts.insert(name, self.texts.len() - 1);
        Some(self.texts.len() - 1)
    }

    /// The number that is the size of a text.
    pub(super) fn size(&mut self, text: usize) -> usize {
        if let Some(known) = self.texts[text].size {
            return known;
        }
        let (least, most) = (self.texts[text].least, self.texts[text].most);
        let most = most.and_then(|most| i128::try_from(most).ok()).unwrap_or(i64::MAX.into());
        let number = self.number(None, i128::try_from(least).unwrap_or(0).min(most), most);
        self.texts[text].size = Some(number);
        number
    }

    fn has_value(&mut self, text: &Text) -> bool {
        match &text.listed {
            Some(listed) => listed.iter().any(|value| self.accepts(text, value)),
            None => {
                let patterns = text.pattern.iter().map(|pattern| pattern.to_string()).collect();
                matches!(self.intersection(patterns, Vec::new(), text.least, text.most), Intersection::Text(_))
            }
        }
    }

    /// Whether the schema of a text accepts a value, apart from its list of values.
    #[allow(clippy::unused_self)]
    fn accepts(&self, text: &Text, value: &str) -> bool {
        let length = value.chars().count();
        let matches =
            |pattern: &str| recognise(pattern).ok().and_then(|pattern| pattern.is_match(value)) != Some(false);
        length >= text.least
            && text.most.is_none_or(|most| length <= most)
            && text.pattern.as_deref().is_none_or(matches)
    }

    fn intersection(
        &mut self,
        accepted: Vec<String>,
        refused: Vec<String>,
        min: usize,
        max: Option<usize>,
    ) -> Intersection {
        let key = (accepted, refused, min, max);
        if let Some(known) = self.intersections.get(&key) {
            return known.clone();
        }
        let accepted = key.0.iter().map(String::as_str).collect::<Vec<_>>();
        let refused = key.1.iter().map(String::as_str).collect::<Vec<_>>();
        let found = intersection(&accepted, &refused, min, max);
        self.intersections.insert(key, found.clone());
        found
    }

    /// Atoms that cannot have these values together.
    pub(super) fn conflict(&mut self, atoms: &[(usize, Atom, bool)]) -> Option<Vec<Valued>> {
        match self.distances(&self.edges(atoms)) {
            Err(conflict) => conflict,
            Ok(_) => self.text_conflict(atoms),
        }
    }

    /// What the schema and these atoms state about differences.
    fn edges(&self, atoms: &[(usize, Atom, bool)]) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (number, known) in self.numbers.iter().enumerate().skip(1) {
            edges.push(Edge { from: 0, to: number, by: known.most, atom: None });
            edges.push(Edge { from: number, to: 0, by: -known.least, atom: None });
        }
        for (index, atom, is_true) in atoms {
            if let Atom::Order(one, other, by) = atom {
                let atom = Some((*index, *is_true));
                edges.push(match is_true {
                    true => Edge { from: *other, to: *one, by: *by, atom },
                    false => Edge { from: *one, to: *other, by: -by - 1, atom },
                });
            }
        }
        edges
    }

    /// Numbers that are near zero, or a circle of differences whose sum is negative.
    fn distances(&self, edges: &[Edge]) -> Result<Vec<i128>, Option<Vec<Valued>>> {
        let mut distances = vec![0_i128; self.numbers.len()];
        let mut before: Vec<Option<usize>> = vec![None; self.numbers.len()];
        let mut changed = None;
        for _ in 0..=self.numbers.len() {
            changed = None;
            for (index, edge) in edges.iter().enumerate() {
                let distance = distances[edge.from].saturating_add(edge.by);
                if distance < distances[edge.to] {
                    distances[edge.to] = distance;
                    before[edge.to] = Some(index);
                    changed = Some(edge.to);
                }
            }
            if changed.is_none() {
                let zero = distances[0];
                return Ok(distances.into_iter().map(|distance| distance - zero).collect());
            }
        }
        // Far enough back, the way is in the circle.
        let circle = || {
            let mut at = changed?;
            for _ in 0..self.numbers.len() {
                at = edges[before[at]?].from;
            }
            let start = at;
            let mut conflict = Vec::new();
            loop {
                let edge = &edges[before[at]?];
                conflict.extend(edge.atom);
                at = edge.from;
                if at == start {
                    return Some(conflict);
                }
            }
        };
        Err(circle())
    }

    /// The values of integers at places.
    pub(super) fn solved_numbers(&self, atoms: &[(usize, Atom, bool)]) -> Vec<(Name, i128)> {
        let Ok(numbers) = self.distances(&self.edges(atoms)) else { return Vec::new() };
        let named = self.named_numbers.iter().filter_map(|(quality, number)| match quality {
            Quality::Value(name) => Some((*name, numbers[*number])),
            _ => None,
        });
        let mut named = named.collect::<Vec<_>>();
        named.sort_unstable();
        named
    }

    /// The values of all numbers.
    pub(super) fn solved_counts(&self, atoms: &[(usize, Atom, bool)]) -> HashMap<usize, i128> {
        self.distances(&self.edges(atoms)).unwrap_or_default().into_iter().enumerate().collect()
    }

    /// The values of texts; none if one was not found.
    pub(super) fn solved_texts(&mut self, atoms: &[(usize, Atom, bool)]) -> Option<Vec<(Name, String)>> {
        let classes = self.classes(atoms);
        let mut solved: Vec<Option<String>> = vec![None; self.texts.len()];
        for class in 0..classes.len() {
            if classes[class] != class {
                continue;
            }
            let members = (0..classes.len()).filter(|text| classes[*text] == class).collect::<Vec<_>>();
            let own = self.about(&members, atoms);
            // Texts that are stated to be different.
            let different = atoms.iter().filter_map(|(_, atom, is_true)| match (atom, is_true) {
                (Atom::Same(one, other), false) if classes[*one] == class => solved[classes[*other]].clone(),
                (Atom::Same(one, other), false) if classes[*other] == class => solved[classes[*one]].clone(),
                _ => None,
            });
            let different = different.collect::<Vec<_>>();
            let Found::Text(text) = self.found(&members, &own, &different) else { return None };
            solved[class] = Some(text);
        }
        let mut named =
            self.named_texts.iter().filter_map(|(name, text)| Some((*name, solved[classes[*text]].clone()?)));
        let mut named = named.by_ref().collect::<Vec<_>>();
        named.sort_unstable();
        Some(named)
    }

    /// The first of the texts that are stated to be the same, for each text.
    fn classes(&self, atoms: &[(usize, Atom, bool)]) -> Vec<usize> {
        let mut classes = (0..self.texts.len()).collect::<Vec<_>>();
        for (_, atom, is_true) in atoms {
            if let (Atom::Same(one, other), true) = (atom, is_true) {
                let (from, to) = (classes[*one].max(classes[*other]), classes[*one].min(classes[*other]));
                classes.iter_mut().filter(|class| **class == from).for_each(|class| *class = to);
            }
        }
        classes
    }

    fn text_conflict(&mut self, atoms: &[(usize, Atom, bool)]) -> Option<Vec<Valued>> {
        let classes = self.classes(atoms);
        for (index, atom, is_true) in atoms {
            if let (Atom::Same(one, other), false) = (atom, is_true) {
                let class = classes[*one];
                let constant = |class: usize| {
                    atoms.iter().find_map(|(index, atom, is_true)| match (atom, is_true) {
                        (Atom::Is(text, value), true) if classes[*text] == class => Some((*index, value.clone())),
                        _ => None,
                    })
                };
                let ways = |class: usize| {
                    atoms.iter().filter_map(move |(index, atom, is_true)| match (atom, is_true) {
                        (Atom::Same(one, _), true) => Some((*index, *one, class)),
                        _ => None,
                    })
                };
                let same = |class: usize| {
                    ways(class)
                        .filter(|(_, one, class)| classes[*one] == *class)
                        .map(|(index, ..)| (index, true))
                        .collect::<Vec<_>>()
                };
                if class == classes[*other] {
                    return Some([vec![(*index, false)], same(class)].concat());
                }
                if let (Some((first, value)), Some((second, same_value))) = (constant(class), constant(classes[*other]))
                    && value == same_value
                {
                    let equal =
                        [vec![(*index, false), (first, true), (second, true)], same(class), same(classes[*other])];
                    return Some(equal.concat());
                }
            }
        }
        let mut named = classes.clone();
        named.sort_unstable();
        named.dedup();
        named.into_iter().find_map(|class| {
            let members = (0..classes.len()).filter(|text| classes[*text] == class).collect::<Vec<_>>();
            self.class_conflict(&members, atoms)
        })
    }

    /// A conflict of what is stated about equal texts.
    fn class_conflict(&mut self, members: &[usize], atoms: &[(usize, Atom, bool)]) -> Option<Vec<Valued>> {
        let own = self.about(members, atoms);
        if !self.is_limited(members, &own) || !self.is_impossible(members, &own) {
            return None;
        }
        // Only what is needed.
        let mut needed = own;
        let mut index = 0;
        while index < needed.len() && needed.len() > 1 {
            let mut fewer = needed.clone();
            fewer.remove(index);
            if self.is_impossible(members, &fewer) {
                needed = fewer;
            } else {
                index += 1;
            }
        }
        let same = atoms
            .iter()
            .filter(|(_, atom, is_true)| *is_true && matches!(atom, Atom::Same(one, _) if members.contains(one)));
        Some(needed.iter().chain(same).map(|(index, _, is_true)| (*index, *is_true)).collect())
    }

    /// The atoms about texts that are the same.
    fn about(&self, members: &[usize], atoms: &[(usize, Atom, bool)]) -> Vec<(usize, Atom, bool)> {
        let sizes = members.iter().filter_map(|text| self.texts[*text].size).collect::<Vec<_>>();
        let is_about = |atom: &Atom| match atom {
            Atom::Is(text, _) | Atom::Matches(text, _) => members.contains(text),
            Atom::Order(one, other, _) => sizes.contains(one) && *other == 0 || *one == 0 && sizes.contains(other),
            _ => false,
        };
        atoms.iter().filter(|(_, atom, _)| is_about(atom)).cloned().collect()
    }

    /// Whether anything limits what the texts can be to more than the exclusion of a few.
    fn is_limited(&self, members: &[usize], own: &[(usize, Atom, bool)]) -> bool {
        let has_limit =
            |text: &Text| text.pattern.is_some() || text.listed.is_some() || text.least > 0 || text.most.is_some();
        !own.is_empty()
            && (members.iter().any(|text| has_limit(&self.texts[*text]))
                || own.iter().any(|(_, atom, is_true)| match atom {
                    Atom::Is(..) => *is_true,
                    _ => true,
                }))
    }

    fn is_impossible(&mut self, members: &[usize], own: &[(usize, Atom, bool)]) -> bool {
        let stated = own.iter().map(|(_, atom, is_true)| (atom.clone(), *is_true)).collect::<Vec<_>>();
        let key = (members.to_vec(), stated);
        if let Some(known) = self.impossible.get(&key) {
            return *known;
        }
        let is_impossible = matches!(self.found(members, own, &[]), Found::Nothing);
        self.impossible.insert(key, is_impossible);
        is_impossible
    }

    /// A text of which all this is true, and that is none of the given ones.
    fn found(&mut self, members: &[usize], own: &[(usize, Atom, bool)], others: &[String]) -> Found {
        let texts = members.iter().map(|text| self.texts[*text].clone()).collect::<Vec<_>>();
        let mut least = texts.iter().map(|text| text.least).max().unwrap_or(0);
        let mut most = texts.iter().filter_map(|text| text.most).min();
        let (mut accepted, mut refused) = (Vec::new(), Vec::new());
        let mut excluded = others.iter().map(|other| format!("^{}$", escaped(other))).collect::<Vec<_>>();
        let mut constant: Option<&str> = None;
        for (_, atom, is_true) in own {
            match atom {
                Atom::Is(_, value) if *is_true => match constant {
                    Some(other) if other != &**value => return Found::Nothing,
                    _ => constant = Some(value),
                },
                Atom::Is(_, value) => excluded.push(format!("^{}$", escaped(value))),
                Atom::Matches(_, pattern) if *is_true => accepted.push(pattern.to_string()),
                Atom::Matches(_, pattern) => refused.push(pattern.to_string()),
                // The number zero comes first.
                Atom::Order(0, _, by) => {
                    if *is_true {
                        least = least.max(usize::try_from(-by).unwrap_or(0));
                    } else if let Ok(limit) = usize::try_from(-by - 1) {
                        most = Some(most.map_or(limit, |most| most.min(limit)));
                    } else {
                        return Found::Nothing;
                    }
                }
                _ => {}
            }
        }
        let patterns = texts.iter().filter_map(|text| text.pattern.as_deref().map(str::to_owned));
        accepted.extend(patterns);
        let is_listed = |value: &str, listed: &[Rc<str>]| listed.iter().any(|known| **known == *value);
        let possible = |value: &str| {
            let length = value.chars().count();
            let is_certainly = |pattern: &String, matches: bool| {
                recognise(pattern).ok().and_then(|pattern| pattern.is_match(value)) == Some(matches)
            };
            length >= least
                && most.is_none_or(|most| length <= most)
                && !accepted.iter().any(|pattern| is_certainly(pattern, false))
                && !refused.iter().chain(&excluded).any(|pattern| is_certainly(pattern, true))
                && texts.iter().all(|text| text.listed.as_ref().is_none_or(|listed| is_listed(value, listed)))
        };
        if let Some(constant) = constant {
            return if possible(constant) { Found::Text(constant.to_owned()) } else { Found::Nothing };
        }
        if let Some(listed) = texts.iter().find_map(|text| text.listed.clone()) {
            let value = listed.iter().find(|value| possible(value));
            return value.map_or(Found::Nothing, |value| Found::Text(value.to_string()));
        }
        if most.is_some_and(|most| most < least) {
            return Found::Nothing;
        }
        self.matching([&accepted, &refused, &excluded], (least, most), &possible)
    }

    /// A possible text that the first patterns accept and the second and third ones refuse.
    fn matching(
        &mut self,
        [accepted, refused, excluded]: [&[String]; 3],
        (least, most): (usize, Option<usize>),
        possible: &dyn Fn(&str) -> bool,
    ) -> Found {
        // Few texts are one of those that are excluded.
        let kept = MOST_PATTERNS.saturating_sub(accepted.len() + refused.len()).min(excluded.len());
        let all = match accepted.len() + refused.len() > MOST_PATTERNS {
            true => Intersection::Unknown,
            false => self.intersection(accepted.to_vec(), [&excluded[..kept], refused].concat(), least, most),
        };
        match all {
            Intersection::Text(text) if possible(&text) => Found::Text(text),
            Intersection::Text(_) => Found::Unknown,
            Intersection::Empty => Found::Nothing,
            Intersection::Unknown if self.has_contradiction(accepted, refused, least, most) => Found::Nothing,
            Intersection::Unknown => Found::Unknown,
        }
    }

    /// Whether two of these patterns contradict each other, where all of them together are too much.
    fn has_contradiction(
        &mut self,
        accepted: &[String],
        refused: &[String],
        least: usize,
        most: Option<usize>,
    ) -> bool {
        if accepted.len() * (accepted.len() + refused.len()) > MOST_PAIRS {
            return false;
        }
        accepted.iter().enumerate().any(|(index, one)| {
            let mut is_empty = |accepted: &[&String], refused: &[&String]| {
                let owned = |patterns: &[&String]| patterns.iter().map(|pattern| (*pattern).clone()).collect();
                self.intersection(owned(accepted), owned(refused), least, most) == Intersection::Empty
            };
            refused.iter().any(|other| is_empty(&[one], &[other]))
                || accepted[index + 1..].iter().any(|other| is_empty(&[one, other], &[]))
        })
    }
}

/// A pattern that matches where this text is.
pub(super) fn escaped(text: &str) -> String {
    let is_special = |character: char| "\\.+*?()|[]{}^$".contains(character);
    text.chars().flat_map(|character| is_special(character).then_some('\\').into_iter().chain([character])).collect()
}
