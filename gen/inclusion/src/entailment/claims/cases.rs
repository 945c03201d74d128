//! The cases: which atoms hold together.
//!
//! Invariant: only cases that no value has are left out. Where the work ends, nothing is proven.

use std::cell::Cell;
use std::collections::HashMap;

use crd_apiserver::validate::{Subject, Validator};
use crd_model::Schema;
use crd_regexp::recognise;
use serde_json::{Number, Value};

use super::{About, Atom, Claim, Pair, Stored};
use crate::entailment::Includes;

pub(super) struct Cases<'c, 'n> {
    atoms: &'c [Atom<'n>],
    /// The node that accepted the value of a path.
    node: &'c dyn Fn(&[&str]) -> Option<&'n Schema>,
    /// Whether one atom holds in the current case; none if it is open.
    case: Vec<Option<bool>>,
    implications: HashMap<(usize, usize), bool>,
    includes: Includes,
}

impl<'c, 'n> Cases<'c, 'n> {
    pub(super) fn new(
        atoms: &'c [Atom<'n>],
        node: &'c dyn Fn(&[&str]) -> Option<&'n Schema>,
        includes: Includes,
    ) -> Self {
        Self { atoms, node, case: vec![None; atoms.len()], implications: HashMap::new(), includes }
    }

    /// Whether the goal holds in every case in which what is given holds.
    pub(super) fn proves(&mut self, given: &Claim, goal: &Claim, work: &mut usize) -> bool {
        let cost = self.atoms.len() + 1;
        if *work < cost {
            return false;
        }
        *work -= cost;
        match (self.holds(given), self.holds(goal)) {
            (Some(false), _) | (_, Some(true)) => return true,
            (Some(true), Some(false)) => return false,
            _ => {}
        }
        let Some(open) = self.case.iter().position(Option::is_none) else { return false };
        let is_proven = [false, true].into_iter().all(|holds| {
            self.case[open] = Some(holds);
            !self.is_possible(open, work) || self.proves(given, goal, work)
        });
        self.case[open] = None;
        is_proven
    }

    fn holds(&self, claim: &Claim) -> Option<bool> {
        let every = |claims: &[Claim], whole: bool| {
            let mut is_open = false;
            for claim in claims {
                match self.holds(claim) {
                    Some(holds) if holds != whole => return Some(!whole),
                    holds => is_open |= holds.is_none(),
                }
            }
            (!is_open).then_some(whole)
        };
        match claim {
            Claim::Atom(atom) => self.case[*atom],
            Claim::Not(claim) => self.holds(claim).map(|holds| !holds),
            Claim::All(claims) => every(claims, true),
            Claim::Any(claims) => every(claims, false),
            Claim::One(claims) => {
                let found = claims.iter().map(|claim| self.holds(claim)).collect::<Vec<_>>();
                let count = found.iter().filter(|holds| **holds == Some(true)).count();
                let is_open = found.contains(&None);
                if count > 1 { Some(false) } else { (!is_open).then_some(count == 1) }
            }
        }
    }

    /// Whether a value may satisfy what the case has about the value of an atom.
    fn is_possible(&mut self, changed: usize, work: &mut usize) -> bool {
        let atom = &self.atoms[changed];
        let About::Keyword(_) = &atom.about else { return true };
        let (atoms, case) = (self.atoms, &self.case);
        let same = |other: &Atom<'_>| other.path == atom.path && other.stored == atom.stored;
        let known = atoms.iter().zip(case).enumerate().filter_map(|(index, (other, holds))| match &other.about {
            About::Keyword(keyword) if same(other) => holds.map(|holds| (index, keyword, holds)),
            _ => None,
        });
        let known = known.collect::<Vec<_>>();
        let of = |wanted: bool| {
            known.iter().filter(move |(.., holds)| *holds == wanted).map(|(index, keyword, _)| (*index, *keyword))
        };
        for (holds, one) in of(true) {
            for (fails, other) in of(false) {
                let includes = self.includes;
                let implies = || includes(one, other);
                if (holds == changed || fails == changed)
                    && *self.implications.entry((holds, fails)).or_insert_with(implies)
                {
                    return false;
                }
            }
        }
        let literals = known.iter().map(|(_, keyword, holds)| (*keyword, *holds)).collect::<Vec<_>>();
        let node = (self.node)(&atom.path).filter(|_| atom.stored != Stored::Second);
        has_size(&literals, node) && has_value(&literals, node) && has_items(&literals, node, self.includes, work)
    }
}

/// What a limit counts.
#[derive(Clone, Copy, PartialEq)]
enum Counted {
    Characters,
    Items,
    Entries,
    /// The number itself, which need not be an integer.
    Value,
}

/// The smallest and the largest doubled size that a keyword accepts. An odd one is between two sizes.
fn sizes(keyword: &Schema) -> Option<(Counted, i128, i128)> {
    const LEAST: i128 = i128::MIN;
    const MOST: i128 = i128::MAX;
    let twice = |limit: i64| i128::from(limit) * 2;
    // Servers cut a bound that is not a 64-bit integer as a floating-point number.
    let is_exact = |limit: &i64| *limit < i64::MAX - 512;
    let number = |limit: &Option<Number>| limit.as_ref().filter(|_| keyword.kind.is_none())?.as_i64().filter(is_exact);
    let counts = [
        (Counted::Characters, keyword.min_length, keyword.max_length),
        (Counted::Items, keyword.min_items, keyword.max_items),
        (Counted::Entries, keyword.min_properties, keyword.max_properties),
    ];
    if let Some((counted, least, most)) = counts.into_iter().find(|(_, least, most)| least.is_some() || most.is_some())
    {
        return Some((counted, least.map_or(LEAST, twice), most.map_or(MOST, twice)));
    }
    if let Some(most) = number(&keyword.maximum) {
        return Some((Counted::Value, LEAST, twice(most) - i128::from(keyword.exclusive_maximum)));
    }
    let least = number(&keyword.minimum)?;
    Some((Counted::Value, twice(least) + i128::from(keyword.exclusive_minimum), MOST))
}

/// Whether a value may have a size that satisfies all of these, and not those that do not hold.
fn has_size(literals: &[(&Schema, bool)], node: Option<&Schema>) -> bool {
    [Counted::Characters, Counted::Items, Counted::Entries, Counted::Value].into_iter().all(|counted| {
        let kind = node.filter(|node| !node.int_or_string).and_then(|node| node.kind.as_deref());
        // With a format, servers accept lists where the type is string.
        let is_plain = node.is_some_and(|node| node.format.is_none());
        let mut is_counted = match counted {
            Counted::Characters => is_plain && kind == Some("string"),
            Counted::Items => is_plain && kind == Some("array"),
            Counted::Entries => is_plain && kind == Some("object"),
            Counted::Value => kind == Some("integer") || kind == Some("number"),
        };
        let step = if counted == Counted::Value { 1 } else { 2 };
        let (mut least, mut most) = (if step == 2 { 0 } else { i128::MIN }, i128::MAX);
        for (keyword, holds) in literals {
            match sizes(keyword).filter(|(of, ..)| *of == counted) {
                Some((_, low, high)) if *holds => (least, most) = (least.max(low), most.min(high)),
                Some((_, low, i128::MAX)) => (most, is_counted) = (most.min(low - step), true),
                Some((_, _, high)) => (least, is_counted) = (least.max(high + step), true),
                None => {}
            }
        }
        !is_counted || least <= most
    })
}

/// Whether one of the few values that a node has may satisfy all of these, and not those that do not hold.
fn has_value(literals: &[(&Schema, bool)], node: Option<&Schema>) -> bool {
    let Some(node) = node.filter(|node| node.format.is_none() && !node.int_or_string && !node.nullable) else {
        return true;
    };
    let listed = literals.iter().filter(|(_, holds)| *holds).find_map(|(keyword, _)| keyword.enumeration.as_deref());
    let values = match (node.kind.as_deref(), listed) {
        (Some("boolean"), _) => &[Value::Bool(false), Value::Bool(true)][..],
        (Some("string"), Some(values)) => values,
        _ => return true,
    };
    values.iter().filter(|value| value.is_string() || value.is_boolean()).any(|value| {
        literals.iter().all(|(keyword, holds)| accepts(keyword, value).is_none_or(|accepts| accepts == *holds))
    })
}

/// Whether servers accept a value; none if that is not certain.
fn accepts(keyword: &Schema, value: &Value) -> Option<bool> {
    if keyword.kind.is_some() || keyword.format.is_some() {
        return None;
    }
    let is_certain = Cell::new(true);
    let matches = |pattern: &str, text: &str| {
        let matches = recognise(pattern).ok().and_then(|pattern| pattern.is_match(text));
        is_certain.set(is_certain.get() && matches.is_some());
        matches
    };
    let violations = Validator { matches: &matches, subject: Subject::Part }.validate(keyword, value);
    is_certain.get().then_some(violations.is_empty())
}

/// Whether a list may have items that satisfy all of these, and one for each that does not hold.
fn has_items(literals: &[(&Schema, bool)], list: Option<&Schema>, includes: Includes, work: &mut usize) -> bool {
    let of = |wanted: bool| {
        let literals = literals.iter().filter(move |(_, holds)| *holds == wanted);
        literals.filter_map(|(keyword, _)| keyword.items.as_deref())
    };
    if of(false).next().is_none() || list.is_some_and(|list| list.preserve_unknown_fields == Some(true)) {
        return true;
    }
    let mut first = list.and_then(|list| list.items.as_deref()).cloned().unwrap_or_default();
    // What the node keeps of an item is the same for both.
    let second = first.clone();
    first.all_of.extend(of(true).cloned());
    of(false).all(|other| {
        let goal = Schema { all_of: vec![other.clone()], ..Schema::default() };
        let pair = Pair { first: &first, second: &second, is_top: false, is_known: &|_| true, includes };
        !pair.proves(&goal, &[], work)
    })
}
