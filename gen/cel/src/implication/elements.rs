//! The items of lists and maps: what macros and `in` say about each of them, and how many there are.
//!
//! Invariants: `filter` and `map` fail where their bodies fail for an item, also for one that decides nothing. A number of items is a number
//! of the theory: equal conditions have one number, and a condition that implies another one has at most its number.

use std::rc::Rc;

use super::facts::Place;
use super::formula::{Claim, Count, FALSE, Formula, Items, Layer, TRUE};
use super::translation::{Term, Translation, Values};
use super::{Binding, Part};
use crate::lexer::TokenKind;
use crate::parser::{Macro, MacroCall, Node};

/// The number of the item that is any item.
const ANY: usize = usize::MAX;

/// What a macro visits.
#[derive(Clone)]
enum Range<'q> {
    Items(Place<'q>),
    /// The items of a list that is written in the rule.
    Listed(Vec<Part>),
}

/// A range when an expression is it, and what is between its items and the elements.
struct Ranged<'q> {
    guard: Formula,
    range: Range<'q>,
    layers: Vec<Layer>,
}

impl<'q> Translation<'_, 'q> {
    fn layer(&self, part: Part, call: MacroCall, is_filter: bool, body: usize) -> Option<Layer> {
        let (variables, rest) = self.question.macro_parts(part, call);
        let ([variable], Some(body)) = (&variables[..], rest.get(body)) else { return None };
        Some(Layer { is_filter, part, variable: *variable, body: *body })
    }

    /// The ranges that an expression can be.
    fn ranges(&mut self, part: Part) -> Option<Vec<Ranged<'q>>> {
        let question = self.question;
        if let Node::Macro(call) = question.node(part)
            && let Macro::Filter | Macro::Map = call.kind
            && call.variables == 1
        {
            let count = question.macro_parts(part, call).1.len();
            let layers = match (call.kind, count) {
                (Macro::Filter, 1) => vec![self.layer(part, call, true, 0)?],
                (Macro::Map, 1) => vec![self.layer(part, call, false, 0)?],
                (Macro::Map, 2) => vec![self.layer(part, call, true, 0)?, self.layer(part, call, false, 1)?],
                _ => return None,
            };
            let mut ranges = self.ranges(question.at(part, call.target))?;
            ranges.iter_mut().for_each(|ranged| ranged.layers.extend(layers.iter().copied()));
            return Some(ranges);
        }
        let ranges = self.values(part).into_iter().map(|(guard, term)| {
            let range = match term {
                Term::Place(place) => Range::Items(place),
                Term::Part(leaf) => match question.listed(leaf) {
                    Some(items) => Range::Listed(items),
                    None => Range::Items(Place { schema: None, name: question.name(leaf) }),
                },
                _ => return None,
            };
            Some(Ranged { guard, range, layers: Vec::new() })
        });
        ranges.collect()
    }

    /// When the elements of a range have values.
    fn strict(&mut self, ranged: &Ranged<'q>) -> Formula {
        let mut all = vec![ranged.guard];
        if let Range::Listed(items) = &ranged.range {
            all.extend(items.iter().map(|item| self.success(*item)).collect::<Vec<_>>());
        }
        for (index, layer) in ranged.layers.iter().enumerate() {
            all.push(self.all_items(&ranged.range, &ranged.layers[..index], Claim::Success(*layer)));
        }
        self.and(all)
    }

    fn all_items(&mut self, range: &Range<'q>, layers: &[Layer], claim: Claim) -> Formula {
        self.over(range, layers, claim, true, false)
    }

    fn some_item(&mut self, range: &Range<'q>, layers: &[Layer], claim: Claim) -> Formula {
        self.over(range, layers, claim, false, false)
    }

    fn over(&mut self, range: &Range<'q>, layers: &[Layer], claim: Claim, is_every: bool, is_negated: bool) -> Formula {
        let layers: Rc<[Layer]> = layers.into();
        match range {
            Range::Items(place) => {
                // A claim that holds for any item by itself needs no items.
                let items = Items { is_every, range: *place, layers, claim, is_negated };
                let any = Binding::Place(self.question.example(*place, ANY));
                match self.about(&items, any) {
                    TRUE if is_every => TRUE,
                    FALSE if !is_every => FALSE,
                    _ => self.formulas.items(items),
                }
            }
            Range::Listed(listed) => {
                let place = self.question.root("self");
                let items = Items { is_every, range: place, layers, claim, is_negated };
                let each = listed.iter().map(|item| self.about(&items, Binding::Part(*item))).collect::<Vec<_>>();
                if is_every { self.and(each) } else { self.or(each) }
            }
        }
    }

    /// What a statement is for one item: `some` needs the filters, and `every` only binds what they keep.
    pub(super) fn about(&mut self, items: &Items<'q>, item: Binding<'q>) -> Formula {
        let question = self.question;
        let mut element = item;
        let mut kept = Vec::new();
        let inside = |layer: &Layer, element: Binding<'q>| {
            question.below(layer.body, question.bound(layer.part, layer.variable, element))
        };
        for layer in &*items.layers {
            let body = inside(layer, element);
            if layer.is_filter {
                kept.push(self.literal(body, true));
            } else {
                element = Binding::Part(body);
            }
        }
        let claim = match items.claim {
            Claim::Anything => TRUE,
            Claim::Truth(layer, wanted) => self.literal(inside(&layer, element), wanted),
            Claim::Success(layer) => self.success(inside(&layer, element)),
            Claim::Equals(part) => {
                let others = match element {
                    Binding::Place(place) => vec![(TRUE, Term::Place(place))],
                    Binding::Part(part) => self.values(part),
                };
                let at = if let Binding::Part(at) = element { at } else { part };
                self.equal(part, at, &others)
            }
        };
        let claim = if items.is_negated { self.formulas.not(claim) } else { claim };
        if items.is_every {
            let dropped = kept.into_iter().map(|kept| self.formulas.not(kept)).collect::<Vec<_>>();
            self.or(dropped.into_iter().chain([claim]))
        } else {
            self.and(kept.into_iter().chain([claim]))
        }
    }

    fn equal(&mut self, part: Part, at: Part, others: &Values<'q>) -> Formula {
        let mut cases = Vec::new();
        for (one_guard, one) in self.values(part) {
            for (other_guard, other) in others {
                let Some(holds) = self.relation(TokenKind::Equal, (part, &one), (at, other), true) else {
                    return self.gives_up(TRUE);
                };
                cases.push(self.and([one_guard, *other_guard, holds]));
            }
        }
        self.or(cases)
    }

    pub(super) fn quantifier(&mut self, part: Part, call: MacroCall, wanted: bool) -> Formula {
        let target = self.question.at(part, call.target);
        let (Some(layer), Some(ranges)) = (self.layer(part, call, true, 0), self.ranges(target)) else {
            return self.gives_up(TRUE);
        };
        let mut cases = Vec::new();
        for ranged in ranges {
            let strict = self.strict(&ranged);
            let holds = match call.kind {
                Macro::All if wanted => self.all_items(&ranged.range, &ranged.layers, Claim::Truth(layer, true)),
                Macro::All => self.some_item(&ranged.range, &ranged.layers, Claim::Truth(layer, false)),
                Macro::Exists if wanted => self.some_item(&ranged.range, &ranged.layers, Claim::Truth(layer, true)),
                Macro::Exists => self.all_items(&ranged.range, &ranged.layers, Claim::Truth(layer, false)),
                _ => {
                    let succeed = self.all_items(&ranged.range, &ranged.layers, Claim::Success(layer));
                    let layers = [&ranged.layers[..], &[layer]].concat();
                    let is_one = self.counted(&ranged.range, &layers).into_iter().map(|(guard, term)| {
                        let one = match term {
                            Term::Integer(count) => {
                                if (count == 1) == wanted {
                                    TRUE
                                } else {
                                    FALSE
                                }
                            }
                            Term::Number(number) => self.ordered(TokenKind::Equal, (number, 0), (0, 1), wanted),
                            _ => self.gives_up(TRUE),
                        };
                        self.and([guard, one])
                    });
                    let is_one = is_one.collect::<Vec<_>>();
                    let is_one = self.or(is_one);
                    self.and([succeed, is_one])
                }
            };
            cases.push(self.and([strict, holds]));
        }
        self.or(cases)
    }

    /// `left in right`
    pub(super) fn membership(&mut self, left: Part, right: Part, wanted: bool) -> Formula {
        let Some(ranges) = self.ranges(right) else { return self.gives_up(TRUE) };
        let success = self.success(left);
        let mut cases = Vec::new();
        for ranged in ranges {
            let strict = self.strict(&ranged);
            let holds = self.over(&ranged.range, &ranged.layers, Claim::Equals(left), !wanted, !wanted);
            cases.push(self.and([success, strict, holds]));
        }
        self.or(cases)
    }

    /// `size(of)`
    pub(super) fn size(&mut self, part: Part, of: Part) -> Values<'q> {
        let mut values = Vec::new();
        if !matches!(self.question.node(of), Node::Macro(call) if !call.kind.is_quantifier() && call.kind != Macro::Bind)
        {
            for (guard, term) in self.values(of) {
                let size = match &term {
                    Term::Text(text) => Term::Integer(i128::try_from(text.chars().count()).unwrap_or(i128::MAX)),
                    Term::Place(place)
                        if place
                            .schema
                            .is_some_and(|schema| matches!(schema.kind.as_deref(), Some("array" | "object"))) =>
                    {
                        for (own, term) in self.counted(&Range::Items(*place), &[]) {
                            values.push((self.and([guard, own]), term));
                        }
                        continue;
                    }
                    term => match (self.text_of(of, term), term) {
                        (Some(text), Term::Place(place)) if place.schema.is_some() => {
                            Term::Number(self.theory.size(text))
                        }
                        (_, Term::Part(leaf)) => match self.question.listed(*leaf) {
                            Some(items) => Term::Integer(i128::try_from(items.len()).unwrap_or(i128::MAX)),
                            None => Term::Number(self.theory.size_of(self.question.name(*leaf))),
                        },
                        (_, Term::Place(place)) => Term::Number(self.theory.size_of(place.name)),
                        _ => return self.gives_up(Vec::new()),
                    },
                };
                values.push((guard, size));
            }
            return values;
        }
        let Some(ranges) = self.ranges(of) else {
            let success = self.success(of);
            return vec![(success, Term::Number(self.theory.size_of(self.question.name(part))))];
        };
        for ranged in ranges {
            let strict = self.strict(&ranged);
            for (own, term) in self.counted(&ranged.range, &ranged.layers) {
                values.push((self.and([strict, own]), term));
            }
        }
        values
    }

    /// How many elements there are, where their filters have values.
    fn counted(&mut self, range: &Range<'q>, layers: &[Layer]) -> Values<'q> {
        let items = |place: Place<'q>| Items {
            is_every: false,
            range: place,
            layers: layers.into(),
            claim: Claim::Anything,
            is_negated: false,
        };
        match range {
            Range::Listed(listed) => {
                let statement = items(self.question.root("self"));
                let mut counts: Values<'q> = vec![(TRUE, Term::Integer(0))];
                for item in listed {
                    let holds = self.about(&statement, Binding::Part(*item));
                    let fails = self.formulas.not(holds);
                    let mut next: Vec<Formula> = vec![FALSE; counts.len() + 1];
                    for (index, (guard, _)) in counts.iter().enumerate() {
                        let (more, same) = (self.and([*guard, holds]), self.and([*guard, fails]));
                        next[index + 1] = self.or([next[index + 1], more]);
                        next[index] = self.or([next[index], same]);
                    }
                    counts = next.into_iter().zip(0..).map(|(guard, count)| (guard, Term::Integer(count))).collect();
                }
                counts
            }
            Range::Items(place) => {
                let statement = items(*place);
                let any = Binding::Place(self.question.example(*place, ANY));
                let condition = self.about(&statement, any);
                let known = self.counts.iter().find(|count| count.range == *place && count.condition == condition);
                if let Some(known) = known {
                    return vec![(TRUE, Term::Number(known.number))];
                }
                let schema = place.schema.filter(|_| self.question.uses_schema);
                let number = self.theory.count(schema);
                let none = self.at_most(number, 0, 0);
                let (some, all) = (self.formulas.items(statement.clone()), self.formulas.not(none));
                let no_item = self.formulas.not(some);
                let axioms = [self.or([none, some]), self.or([all, no_item])];
                self.axioms.extend(axioms);
                self.counts.push(Count { range: *place, condition, number, items: statement });
                vec![(TRUE, Term::Number(number))]
            }
        }
    }
}
