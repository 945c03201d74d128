//! Where expressions lead in a world: a conditional to one of its branches, an optional value to its field or to what replaces it.
//!
//! Invariants: an expression and the place, the part and the name that it has in a world have the same value there. The first rule reads a
//! default where a field is absent, as servers do that fill it in, and no field that was dropped. The assumed rules read the fields as they
//! were before.

use serde_json::Value as Json;

use super::facts::{Known, Name, Place, World, truths};
use super::{About, Binding, Part, Question, is_dropped};
use crate::parser::{Macro, MacroCall, Node};
use crate::value::Value;
use Known::Truth;

/// What an optional value has in a world.
enum Optional<'q> {
    There(Place<'q>),
    Nothing,
    Fails,
    /// It is not a path of fields.
    Unknown,
}

/// What a path of fields leads to in a world.
pub(super) enum Located<'q> {
    There(Place<'q>),
    /// A field on the way is absent.
    Absent,
    /// The expression is not a path.
    Nowhere,
}

impl<'q> Located<'q> {
    pub(super) fn place(self) -> Option<Place<'q>> {
        if let Self::There(place) = self { Some(place) } else { None }
    }
}

impl<'q> Question<'q> {
    /// The part whose value an expression has; none if it fails.
    pub(super) fn chosen(&mut self, world: &World, mut part: Part) -> Result<Option<Part>, usize> {
        loop {
            part = match self.node(part) {
                Node::Conditional { test, yes, no } => match self.truth(world, self.at(part, test))? {
                    Truth(truth) => self.at(part, if truth { yes } else { no }),
                    _ => return Ok(None),
                },
                Node::Macro(MacroCall { kind: Macro::Bind, .. }) if let [body] = self.operands(part)[..] => body,
                Node::Name { name, .. }
                    if let Some(Binding::Part(bound)) = self.binding(part, self.text(part, name)) =>
                {
                    bound
                }
                Node::Call { target: Some(target), .. } if let Some(fallback) = self.fallback(part) => {
                    match self.optional(world, self.at(part, target))? {
                        Optional::Nothing => fallback,
                        Optional::Fails => return Ok(None),
                        Optional::There(_) | Optional::Unknown => return Ok(Some(part)),
                    }
                }
                _ => return Ok(Some(part)),
            };
        }
    }

    /// What `orValue` returns for no value.
    pub(super) fn fallback(&self, part: Part) -> Option<Part> {
        let Node::Call { target: Some(_), name, arguments } = self.node(part) else { return None };
        match self.parts(part, arguments)[..] {
            [fallback] if self.text(part, name) == "orValue" => Some(fallback),
            _ => None,
        }
    }

    /// The place of an expression.
    pub(super) fn located(&mut self, world: &World, part: Part) -> Result<Located<'q>, usize> {
        match self.chosen(world, part)? {
            Some(part) => self.located_there(world, part),
            None => Ok(Located::Absent),
        }
    }

    /// The same for a part that has its own value.
    pub(super) fn located_there(&mut self, world: &World, part: Part) -> Result<Located<'q>, usize> {
        let found = |place: Option<Place<'q>>| place.map_or(Located::Absent, Located::There);
        match self.node(part) {
            Node::Select { of, name, optional: false } => {
                let (of, written) = (self.at(part, of), self.text(part, name));
                match self.located(world, of)? {
                    Located::There(of) => self.is_there(world, part, of, written).map(found),
                    other => Ok(other),
                }
            }
            Node::Name { name, .. } => match self.binding(part, self.text(part, name)) {
                Some(Binding::Place(place)) => Ok(Located::There(place)),
                _ => Ok(Located::Nowhere),
            },
            Node::Macro(call) if call.kind == Macro::Filter && call.variables == 1 => {
                Ok(self.unfiltered(world, part, call)?.map_or(Located::Nowhere, Located::There))
            }
            Node::Call { target: Some(target), .. } if self.fallback(part).is_some() => {
                Ok(match self.optional(world, self.at(part, target))? {
                    Optional::There(place) => Located::There(place),
                    _ => Located::Nowhere,
                })
            }
            _ => Ok(Located::Nowhere),
        }
    }

    /// The field of a place if it is there, for a part of a rule.
    pub(super) fn is_there(
        &mut self,
        world: &World,
        part: Part,
        of: Place<'q>,
        written: &'q str,
    ) -> Result<Option<Place<'q>>, usize> {
        let (place, there) = self.field(of, written);
        if part.rule == 0 && place.schema.is_some_and(is_dropped) {
            return Ok(None);
        }
        let is_there = match there {
            Some(there) => there,
            None => self.fact(world, About::Presence(place.name), |_| truths())? == Truth(true),
        };
        Ok(if is_there { Some(place) } else { self.filled_in(part, place) })
    }

    /// The default of an absent field.
    fn filled_in(&mut self, part: Part, place: Place<'q>) -> Option<Place<'q>> {
        let default = place.schema.filter(|_| part.rule == 0)?.default.as_ref()?;
        let (value, known) = match default {
            Json::Bool(truth) => (Value::Boolean(*truth), Truth(*truth)),
            Json::String(text) => (Value::text(&**text), Known::Text((&**text).into())),
            other => {
                let integer = other.as_i64()?;
                (Value::Integer(integer), Known::Integer(integer.into(), integer.into()))
            }
        };
        let name = self.constant(&value);
        self.filled.insert(name, known);
        Some(Place { schema: place.schema, name })
    }

    /// Follows a path with `.?`.
    fn optional(&mut self, world: &World, part: Part) -> Result<Optional<'q>, usize> {
        let Node::Select { of, name, optional } = self.node(part) else { return Ok(Optional::Unknown) };
        let (of, written) = (self.at(part, of), self.text(part, name));
        let of = match self.optional(world, of)? {
            Optional::There(of) => of,
            Optional::Unknown if optional => match self.located(world, of)? {
                Located::There(of) => of,
                Located::Absent => return Ok(Optional::Fails),
                Located::Nowhere => return Ok(Optional::Unknown),
            },
            other => return Ok(other),
        };
        Ok(self.is_there(world, part, of, written)?.map_or(Optional::Nothing, Optional::There))
    }

    /// The place that an expression names, also with `.?` in its path.
    pub(super) fn optional_place(&self, part: Part) -> Option<Place<'q>> {
        match self.node(part) {
            Node::Select { of, name, optional: true } => {
                Some(self.field(self.optional_place(self.at(part, of))?, self.text(part, name)).0)
            }
            Node::Select { of, name, .. } if self.place(part).is_none() => {
                Some(self.field(self.optional_place(self.at(part, of))?, self.text(part, name)).0)
            }
            _ => self.place(part),
        }
    }

    /// The name of an expression in a world, where it does not fail.
    pub(super) fn named(&mut self, world: &World, part: Part) -> Result<Name, usize> {
        let Some(part) = self.chosen(world, part)? else { return Ok(self.name(part)) };
        match self.located_there(world, part)? {
            Located::There(place) if place.schema.is_some_and(|schema| schema.default.is_some()) => {
                return Ok(place.name);
            }
            Located::There(place) => return Ok(self.name_at(part, place)),
            Located::Absent => return Ok(self.name(part)),
            Located::Nowhere => {}
        }
        if let Node::Macro(_) | Node::Has { .. } | Node::Logic { .. } = self.node(part) {
            return Ok(self.name(part));
        }
        let mut names = Vec::new();
        for operand in self.operands(part) {
            names.push(self.named(world, operand)?);
        }
        Ok(self.composed(part, names))
    }

    /// The list or map that a macro visits in a world.
    pub(super) fn ranged(&mut self, world: &World, part: Part) -> Result<Place<'q>, usize> {
        if let Located::There(place) = self.located(world, part)? {
            return Ok(place);
        }
        Ok(Place { schema: None, name: self.named(world, part)? })
    }
}
