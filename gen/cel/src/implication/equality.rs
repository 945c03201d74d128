//! What follows from equal and from distinct values: equal wholes have equal parts, and the keys of two items differ.
//!
//! Invariants: a world that is not possible has no value. Servers compare objects field by field. Where all values of a node are exact,
//! equal values are the same value; otherwise only their fields are equal.

use foldhash::HashMap;

use super::evaluation::equal;
use super::facts::{Known, Name, Place, World};
use super::{About, Binding, MOST_FACTS, Part, Question};
use crate::parser::Node;
use Known::Truth;

impl<'q> Question<'q> {
    /// Whether a value can have these facts, as far as equality decides.
    pub(super) fn is_possible(&mut self, world: &World) -> bool {
        self.has_equal_parts(world) && !self.distinct.iter().any(|keys| self.are_equal(world, keys))
    }

    fn has_equal_parts(&mut self, world: &World) -> bool {
        let is_true = |(fact, _): &(&usize, &_)| self.known(world, **fact) == Ok(Truth(true));
        let equal_values = self.equalities.iter().filter(is_true).map(|(_, pair)| *pair).collect::<Vec<_>>();
        if equal_values.is_empty() {
            return true;
        }
        let replaced = |name: Name, only_exact: bool| {
            equal_values.iter().fold(name, |name, (from, to, is_exact)| match only_exact && !is_exact {
                true => name,
                false => self.replaced(name, *from, *to, *is_exact),
            })
        };
        let mut known = HashMap::default();
        let mut work = 0;
        for (index, fact) in self.facts.iter().enumerate() {
            let Ok(value) = self.known(world, index) else { continue };
            work += 1;
            let same = fact.about.map(|name| replaced(name, false));
            if let About::Equality(one, other) | About::Less(one, other) = same
                && one == other
            {
                if value == Truth(matches!(same, About::Equality(..))) {
                    continue;
                }
                return false;
            }
            let about = match fact.about {
                About::Truth(_) | About::Outcome(_) | About::Equality(..) => {
                    fact.about.map(|name| replaced(name, true))
                }
                // Equal texts and equal numbers have the same order.
                _ => same,
            };
            let differs = |other: &Known| match about {
                About::Value(_) => equal(other, &value) == Some(false),
                _ => *other != value,
            };
            if known.get(&about).is_some_and(differs) {
                return false;
            }
            known.insert(about, value);
        }
        self.work += work;
        true
    }

    /// Whether all pairs of values are equal in a world.
    fn are_equal(&self, world: &World, pairs: &[(Name, Name)]) -> bool {
        let value = |about: About| self.by_name.get(&about).and_then(|fact| self.known(world, *fact).ok());
        pairs.iter().all(|(one, other)| {
            let values = value(About::Value(*one)).zip(value(About::Value(*other)));
            values.is_some_and(|(one, other)| equal(&one, &other) == Some(true))
                || value(About::equality(*one, *other)) == Some(Truth(true))
        })
    }

    /// Whether exactly one item of a list satisfies the body of a macro, because the keys of items are distinct: an item that a variable is.
    pub(super) fn is_one_by_key(
        &mut self,
        world: &World,
        range: Place<'q>,
        of_all: &[Part],
        part: Part,
        body: Part,
    ) -> bool {
        let Some(keys) = self.keys_of_items(range) else { return false };
        let Node::Macro(call) = self.node(part) else { return false };
        let [variable, own_body] = self.parts(part, call.arguments)[..] else { return false };
        let other = self.item(part, range);
        self.items_around(part, range).into_iter().any(|item| {
            let of_item = self.below(own_body, self.bound(part, variable, Binding::Place(item)));
            if !self.is_proven(world, of_all, of_item) {
                return false;
            }
            let pairs = match &keys[..] {
                [] => vec![(item.name, other.name)],
                keys => keys.iter().map(|key| (self.key(item, key), self.key(other, key))).collect(),
            };
            self.distinct.push(pairs);
            let is_refuted = self.is_always(false, world, of_all, body, MOST_FACTS);
            self.distinct.pop();
            is_refuted
        })
    }

    fn key(&self, item: Place<'q>, key: &'q str) -> Name {
        self.field(item, key).0.name
    }
}
