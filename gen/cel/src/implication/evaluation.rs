//! The value of an expression in a world, as far as it is certain.
//!
//! Invariants: an error names a fact that has no value in the world, and the expression is known once enough facts have one. Nothing is
//! concluded from a type that is not known.

use std::collections::BTreeSet;
use std::rc::Rc;

use crd_regexp::inclusion::{Relation, compare};

use super::facts::{Constants, Known, Name, Place, World, bounds, integers, sizes, texts, truths, truths_or_failed};
use super::names::is_object;
use super::{About, Binding, DEEPEST, MOST_FACTS, Part, Quantifier, Quantity, Question};
use crate::lexer::TokenKind;
use crate::parser::{Macro, Node};
use crate::value::Value;
use Known::{Failed, Truth};

/// The constants of a place that is compared with none.
static NO_CONSTANTS: Constants = Constants { integers: BTreeSet::new(), texts: BTreeSet::new() };

/// What is known, or a fact that decides.
type Answer = Result<Known, usize>;

/// Functions that return a value for every argument of their types.
const NEVER_FAIL: [&str; 20] = [
    "size",
    "startsWith",
    "endsWith",
    "contains",
    "lowerAscii",
    "upperAscii",
    "trim",
    "isSorted",
    "indexOf",
    "lastIndexOf",
    "hasValue",
    "isURL",
    "isIP",
    "isCIDR",
    "isQuantity",
    "isSemver",
    "split",
    "reverse",
    "type",
    "distinct",
];

impl<'q> Question<'q> {
    /// Reads the constants that places are compared with, and the places.
    pub(super) fn gather(&mut self, part: Part) {
        if let Some(place) = self.place(part) {
            self.read.insert(place.name);
            // A longer path reads the places on the way.
            if let Node::Select { of, .. } = self.node(part) {
                self.gather(self.at(part, of));
            }
            return;
        }
        let children: Vec<Part> = match self.node(part) {
            Node::Name { name, .. } => match self.binding(part, self.text(part, name)) {
                Some(Binding::Part(part)) => vec![part],
                _ => Vec::new(),
            },
            Node::Literal(_) => Vec::new(),
            Node::Select { of, .. }
            | Node::Has { field: of }
            | Node::OptionalEntry { of }
            | Node::Not { of }
            | Node::Negate { of } => {
                vec![self.at(part, of)]
            }
            Node::Index { of, key, .. } => vec![self.at(part, of), self.at(part, key)],
            Node::Call { target, arguments, .. } => {
                target.map(|target| self.at(part, target)).into_iter().chain(self.parts(part, arguments)).collect()
            }
            Node::Macro { .. } => self.inside_macro(part),
            Node::List { items: run }
            | Node::Map { entries: run }
            | Node::Message { values: run }
            | Node::Logic { terms: run, .. } => self.parts(part, run),
            Node::Comparison { left, right, .. } => {
                let (left, right) = (self.at(part, left), self.at(part, right));
                self.compared(left, right);
                self.compared(right, left);
                vec![left, right]
            }
            Node::In { left, right, .. } => {
                let (left, right) = (self.at(part, left), self.at(part, right));
                if let Node::List { items } = self.node(right) {
                    for item in self.parts(right, items) {
                        self.compared(left, item);
                    }
                }
                vec![left, right]
            }
            Node::Sum { left, right, .. } | Node::Calculation { left, right, .. } => {
                vec![self.at(part, left), self.at(part, right)]
            }
            Node::Conditional { test, yes, no } => [test, yes, no].map(|node| self.at(part, node)).into(),
        };
        for child in children {
            self.gather(child);
        }
    }

    fn inside_macro(&self, part: Part) -> Vec<Part> {
        let Node::Macro { kind, variables, target, arguments, .. } = self.node(part) else { return Vec::new() };
        let target = self.at(part, target);
        let arguments = self.parts(part, arguments);
        let (variables, rest) = arguments.split_at(usize::from(variables).min(arguments.len()));
        match (kind, variables, rest) {
            (Macro::Bind, [variable], [value, body]) => {
                vec![self.below(*body, self.bound(part, *variable, Binding::Part(*value)))]
            }
            (Macro::Quantifier | Macro::Filter, [variable], [body]) => match self.node(target) {
                Node::List { items } => self.over(part, *variable, *body, &self.parts(target, items)),
                _ => [vec![target], self.bodies(part, target, variables, rest)].concat(),
            },
            _ => [vec![target], self.bodies(part, target, variables, rest)].concat(),
        }
    }

    /// The body for each item of a list that is written in the rule.
    fn over(&self, part: Part, variable: Part, body: Part, items: &[Part]) -> Vec<Part> {
        items.iter().map(|item| self.below(body, self.bound(part, variable, Binding::Part(*item)))).collect()
    }

    /// Notes a constant that an expression is compared with.
    fn compared(&mut self, with: Part, constant: Part) {
        let constant = match self.literal(constant) {
            Some(Value::Integer(integer)) => Ok(i128::from(integer)),
            Some(Value::Text(text)) => Err(text.to_string()),
            _ => return,
        };
        let name = self.name(with);
        let constants = self.constants.entry(name).or_default();
        match constant {
            Ok(integer) => constants.integers.insert(integer),
            Err(text) => constants.texts.insert(text),
        };
    }

    /// The truth of an expression that is true or false.
    pub(super) fn truth(&mut self, world: &World, part: Part) -> Answer {
        self.work += 1;
        match self.node(part) {
            Node::Literal(_) => match self.literal(part) {
                Some(Value::Boolean(truth)) => Ok(Truth(truth)),
                _ => Ok(Failed),
            },
            Node::Logic { terms, is_or } => {
                let terms = self.parts(part, terms);
                self.logic(world, &terms, is_or)
            }
            Node::Not { of } => {
                let of = self.at(part, of);
                Ok(match self.truth(world, of)? {
                    Truth(truth) => Truth(!truth),
                    other => other,
                })
            }
            Node::Has { field } => {
                let field = self.at(part, field);
                self.has(world, part, field)
            }
            Node::Comparison { operator, left, right, .. } => {
                let (left, right) = (self.at(part, left), self.at(part, right));
                self.comparison(world, operator, left, right)
            }
            Node::In { left, right, .. } => {
                let (left, right) = (self.at(part, left), self.at(part, right));
                self.membership(world, part, left, right)
            }
            Node::Conditional { test, yes, no } => {
                let test = self.at(part, test);
                match self.truth(world, test)? {
                    Truth(true) => self.truth(world, self.at(part, yes)),
                    Truth(false) => self.truth(world, self.at(part, no)),
                    other => Ok(other),
                }
            }
            Node::Macro { kind: Macro::Bind, .. } => match &self.inside_macro(part)[..] {
                [body] => self.truth(world, *body),
                _ => self.opaque_truth(world, part),
            },
            Node::Macro { kind: Macro::Quantifier, variables: 1, .. } => self.quantifier(world, part),
            Node::Name { name, .. } => match self.binding(part, self.text(part, name)) {
                Some(Binding::Part(part)) => self.truth(world, part),
                _ => self.opaque_truth(world, part),
            },
            Node::Select { .. } => match self.value(world, part)? {
                known @ (Truth(_) | Failed) => Ok(known),
                _ => self.opaque_truth(world, part),
            },
            _ => self.opaque_truth(world, part),
        }
    }

    /// `&&` and `||` in any order.
    fn logic(&mut self, world: &World, terms: &[Part], is_or: bool) -> Answer {
        let (mut open, mut failed) = (None, false);
        for term in terms {
            match self.truth(world, *term) {
                Ok(Truth(truth)) if truth == is_or => return Ok(Truth(is_or)),
                Ok(Truth(_)) => {}
                Ok(_) => failed = true,
                Err(fact) => open = open.or(Some(fact)),
            }
        }
        match open {
            Some(fact) => Err(fact),
            None if failed => Ok(Failed),
            None => Ok(Truth(!is_or)),
        }
    }

    /// Whether the field of a place is there.
    fn is_there(&mut self, world: &World, of: Place<'q>, written: &'q str) -> Result<Option<Place<'q>>, usize> {
        let (place, there) = self.field(of, written);
        let is_there = match there {
            Some(there) => there,
            None => self.fact(world, About::Presence(place.name), |_| truths())? == Truth(true),
        };
        Ok(is_there.then_some(place))
    }

    /// The place of an expression if it is there; `Some(None)` if a field on the way is absent; none if it is not a path.
    #[allow(clippy::option_option)]
    fn located(&mut self, world: &World, part: Part) -> Result<Option<Option<Place<'q>>>, usize> {
        if self.place(part).is_none() {
            return Ok(None);
        }
        match self.node(part) {
            Node::Select { of, name, optional: false } => {
                let of = self.at(part, of);
                let written = self.text(part, name);
                match self.located(world, of)? {
                    Some(Some(of)) => self.is_there(world, of, written).map(Some),
                    other => Ok(other),
                }
            }
            Node::Name { name, .. } => match self.binding(part, self.text(part, name)) {
                Some(Binding::Place(place)) => Ok(Some(Some(place))),
                Some(Binding::Part(part)) => self.located(world, part),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn has(&mut self, world: &World, part: Part, field: Part) -> Answer {
        if let Node::Select { of, name, optional: false } = self.node(field) {
            let of = self.at(field, of);
            if let Some(of) = self.located(world, of)? {
                let Some(of) = of else { return Ok(Failed) };
                let written = self.text(field, name);
                let Some(place) = self.is_there(world, of, written)? else { return Ok(Truth(false)) };
                return Ok(if self.is_readable(world, place)? { Truth(true) } else { Failed });
            }
        }
        self.possibly_failed(world, part)
    }

    /// True, false or failed, and nothing else is known.
    fn possibly_failed(&mut self, world: &World, part: Part) -> Answer {
        self.fact(world, About::Outcome(self.name(part)), |_| truths_or_failed())
    }

    /// Whether the expression has a value.
    fn succeeds(&mut self, world: &World, part: Part) -> Result<bool, usize> {
        self.work += 1;
        if let Some(place) = self.located(world, part)? {
            return place.map_or(Ok(false), |place| self.is_readable(world, place));
        }
        let node = self.node(part);
        let (needed, can_fail) = match node {
            Node::Literal(_) => return Ok(true),
            Node::Logic { .. }
            | Node::Not { .. }
            | Node::Has { .. }
            | Node::Comparison { .. }
            | Node::In { .. }
            | Node::Macro { kind: Macro::Quantifier, variables: 1, .. } => {
                return Ok(self.truth(world, part)? != Failed);
            }
            Node::Name { name, .. } => match self.binding(part, self.text(part, name)) {
                Some(Binding::Part(part)) => return self.succeeds(world, part),
                _ => return Ok(true),
            },
            Node::Conditional { test, yes, no } => {
                let test = self.at(part, test);
                return match self.truth(world, test)? {
                    Truth(true) => self.succeeds(world, self.at(part, yes)),
                    Truth(false) => self.succeeds(world, self.at(part, no)),
                    _ => Ok(false),
                };
            }
            Node::Macro { kind: Macro::Bind, .. } => match &self.inside_macro(part)[..] {
                [body] => return self.succeeds(world, *body),
                _ => (Vec::new(), true),
            },
            Node::Macro { target, .. } => match self.node(self.at(part, target)) {
                Node::List { .. } => (Vec::new(), true),
                _ => (vec![self.at(part, target)], true),
            },
            Node::Call { target, name, arguments } => {
                let arguments = self.parts(part, arguments);
                let can_fail = self.can_fail(self.text(part, name), &arguments);
                (target.map(|target| self.at(part, target)).into_iter().chain(arguments).collect(), can_fail)
            }
            Node::List { items } => (self.parts(part, items), false),
            Node::Index { of, key, optional: false, .. } => (vec![self.at(part, of), self.at(part, key)], true),
            Node::Sum { left, right, .. } | Node::Calculation { left, right, .. } => {
                (vec![self.at(part, left), self.at(part, right)], true)
            }
            _ => (Vec::new(), true),
        };
        let mut open = None;
        for needed in needed {
            match self.succeeds(world, needed) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(fact) => open = open.or(Some(fact)),
            }
        }
        if let Some(fact) = open {
            return Err(fact);
        }
        if !can_fail {
            return Ok(true);
        }
        Ok(self.fact(world, About::Success(self.name(part)), |_| truths())? == Truth(true))
    }

    /// Whether a call with arguments that succeed can fail.
    fn can_fail(&self, function: &str, arguments: &[Part]) -> bool {
        match function {
            // A literal pattern was checked with the rule.
            "matches" | "find" => arguments.last().is_none_or(|pattern| self.literal(*pattern).is_none()),
            _ => !NEVER_FAIL.contains(&function),
        }
    }

    /// The truth of an expression of which only the name counts.
    fn opaque_truth(&mut self, world: &World, part: Part) -> Answer {
        if !self.succeeds(world, part)? {
            return Ok(Failed);
        }
        self.fact(world, About::Truth(self.name(part)), |question| match question.has_pattern(part) {
            true => vec![Truth(true)],
            false => truths(),
        })
    }

    /// Whether it is `place.matches('…')`, and the pattern of the schema accepts no other texts.
    fn has_pattern(&self, part: Part) -> bool {
        let Node::Call { target: Some(target), name, arguments } = self.node(part) else { return false };
        let [pattern] = &self.parts(part, arguments)[..] else { return false };
        if !self.uses_schema || self.text(part, name) != "matches" {
            return false;
        }
        let schema = self.place(self.at(part, target)).and_then(|place| place.schema);
        let (Some(own), Some(Value::Text(wanted))) =
            (schema.and_then(|schema| schema.pattern.as_deref()), self.literal(*pattern))
        else {
            return false;
        };
        matches!(compare(own, &wanted), Relation::Equal | Relation::Wider { .. })
    }

    /// The value of an expression.
    fn value(&mut self, world: &World, part: Part) -> Answer {
        self.work += 1;
        match self.node(part) {
            Node::Literal(_) => Ok(match self.literal(part) {
                Some(Value::Boolean(truth)) => Truth(truth),
                Some(Value::Integer(integer)) => Known::Integer(integer.into(), integer.into()),
                Some(Value::Text(text)) => Known::Text(text.to_string().into()),
                _ => Known::Value,
            }),
            Node::Logic { .. }
            | Node::Not { .. }
            | Node::Has { .. }
            | Node::Comparison { .. }
            | Node::In { .. }
            | Node::Macro { kind: Macro::Quantifier, variables: 1, .. } => self.truth(world, part),
            Node::Conditional { test, yes, no } => {
                let test = self.at(part, test);
                match self.truth(world, test)? {
                    Truth(true) => self.value(world, self.at(part, yes)),
                    Truth(false) => self.value(world, self.at(part, no)),
                    other => Ok(other),
                }
            }
            Node::Macro { kind: Macro::Bind, .. } => match &self.inside_macro(part)[..] {
                [body] => self.value(world, *body),
                _ => self.opaque(world, part),
            },
            Node::Name { name, .. } => match self.binding(part, self.text(part, name)) {
                Some(Binding::Part(part)) => self.value(world, part),
                Some(Binding::Place(place)) => self.at_place(world, place),
                None => self.opaque(world, part),
            },
            Node::Select { .. } => match self.located(world, part)? {
                Some(Some(place)) => self.at_place(world, place),
                Some(None) => Ok(Failed),
                None => self.opaque(world, part),
            },
            Node::Sum { left, right, .. } => {
                let (left, right) = (self.at(part, left), self.at(part, right));
                match (self.value(world, left), self.value(world, right)) {
                    (Ok(Failed), _) | (_, Ok(Failed)) => Ok(Failed),
                    (Ok(Known::Integer(one, same)), Ok(Known::Integer(other, same_other)))
                        if one == same && other == same_other && i64::try_from(one + other).is_ok() =>
                    {
                        Ok(Known::Integer(one + other, one + other))
                    }
                    (Err(fact), _) | (_, Err(fact)) => Err(fact),
                    _ => self.opaque(world, part),
                }
            }
            Node::Call { target, name, arguments } if self.text(part, name) == "size" => {
                let arguments = self.parts(part, arguments);
                let of = target.map(|target| self.at(part, target)).or_else(|| arguments.first().copied());
                match of {
                    Some(of) => self.size(world, part, of),
                    None => self.opaque(world, part),
                }
            }
            _ => self.opaque(world, part),
        }
    }

    /// A value of which only the name counts.
    fn opaque(&mut self, world: &World, part: Part) -> Answer {
        if !self.succeeds(world, part)? {
            return Ok(Failed);
        }
        self.distinguished(world, self.name(part))
    }

    /// A value without a schema: one of the texts that it is compared with, or another value.
    fn distinguished(&mut self, world: &World, name: Name) -> Answer {
        if self.constants_of(name).texts.is_empty() {
            return Ok(Known::Value);
        }
        self.fact(world, About::Value(name), |question| texts(question.constants_of(name), None))
    }

    /// Whether a rule can read a present place. Rules fail for some texts that have these formats.
    fn is_readable(&mut self, world: &World, place: Place<'q>) -> Result<bool, usize> {
        let format = place.schema.and_then(|schema| schema.format.as_deref());
        if !matches!(format, Some("byte" | "date-time")) {
            return Ok(true);
        }
        Ok(self.fact(world, About::Success(place.name), |_| truths())? == Truth(true))
    }

    /// The value at a present place.
    fn at_place(&mut self, world: &World, place: Place<'q>) -> Answer {
        if !self.is_readable(world, place)? {
            return Ok(Failed);
        }
        let Some(schema) = place.schema.filter(|schema| !schema.nullable && !schema.int_or_string) else {
            return self.distinguished(world, place.name);
        };
        let about = About::Value(place.name);
        match schema.kind.as_deref() {
            Some("boolean") => self.fact(world, about, |_| truths()),
            // A value with a format may be a timestamp, a duration, or bytes.
            Some("string") if schema.format.is_none() => self.fact(world, about, |question| {
                texts(question.constants_of(place.name), question.uses_schema.then_some(schema))
            }),
            Some("integer") => self.fact(world, about, |question| {
                let all = (i128::from(i64::MIN), i128::from(i64::MAX));
                let (least, most) = if question.uses_schema { bounds(schema) } else { all };
                integers(question.constants_of(place.name), least, most)
            }),
            _ => Ok(Known::Value),
        }
    }

    fn constants_of(&self, name: Name) -> &Constants {
        self.constants.get(&name).unwrap_or(&NO_CONSTANTS)
    }

    /// The size of a text, list or map.
    fn size(&mut self, world: &World, part: Part, of: Part) -> Answer {
        if let Node::Macro { kind: Macro::Filter, variables: 1, target, .. } = self.node(of)
            && matches!(self.node(self.at(of, target)), Node::List { .. })
        {
            let mut count = 0;
            for item in self.inside_macro(of) {
                match self.truth(world, item)? {
                    Truth(truth) => count += i128::from(truth),
                    other => return Ok(other),
                }
            }
            return Ok(Known::Integer(count, count));
        }
        if let Node::List { items } = self.node(of) {
            let items = self.parts(of, items);
            if items.iter().all(|item| !matches!(self.node(*item), Node::OptionalEntry { .. })) {
                for item in &items {
                    if !self.succeeds(world, *item)? {
                        return Ok(Failed);
                    }
                }
                let count = i128::try_from(items.len()).unwrap_or(0);
                return Ok(Known::Integer(count, count));
            }
        }
        if !self.succeeds(world, of)? {
            return Ok(Failed);
        }
        let schema = self.place(of).and_then(|place| place.schema).filter(|_| self.uses_schema);
        let (least, mut most) = sizes(schema);
        // Fields that no schema lists are not counted on.
        if schema.is_some_and(|schema| is_object(schema) && schema.values().is_none()) {
            most = i128::from(i64::MAX);
        }
        let name = self.name(part);
        self.fact(world, About::Value(name), |question| integers(question.constants_of(name), least, most))
    }

    fn comparison(&mut self, world: &World, operator: TokenKind, left: Part, right: Part) -> Answer {
        let (one, other) = match (self.value(world, left), self.value(world, right)) {
            (Ok(Failed), _) | (_, Ok(Failed)) => return Ok(Failed),
            (Ok(one), Ok(other)) => (one, other),
            (Err(fact), _) | (_, Err(fact)) => return Err(fact),
        };
        // `>` and `>=` are `<` and `<=` with their operands exchanged, and one is the opposite of equality.
        let (operator, (left, one), (right, other)) = match operator {
            TokenKind::Greater => (TokenKind::Less, (right, other), (left, one)),
            TokenKind::GreaterEqual => (TokenKind::LessEqual, (right, other), (left, one)),
            _ => (operator, (left, one), (right, other)),
        };
        let is_opposite = operator == TokenKind::NotEqual;
        let decided = match operator {
            TokenKind::Equal | TokenKind::NotEqual => equal(&one, &other),
            TokenKind::Less => less(&one, &other),
            _ => less(&other, &one).map(|less| !less),
        };
        if let Some(truth) = decided {
            return Ok(Truth(truth != is_opposite));
        }
        let (left, right) = (self.name(left), self.name(right));
        let about = match operator {
            TokenKind::Equal | TokenKind::NotEqual => {
                if left == right && (one, other) != (Known::Value, Known::Value) {
                    return Ok(Truth(!is_opposite));
                }
                About::Equality(left.min(right), left.max(right))
            }
            TokenKind::Less => About::Less(left, right),
            _ => About::LessEqual(left, right),
        };
        Ok(match self.fact(world, about, |_| truths())? {
            Truth(truth) => Truth(truth != is_opposite),
            other => other,
        })
    }

    fn membership(&mut self, world: &World, part: Part, left: Part, right: Part) -> Answer {
        if let Node::List { items } = self.node(right) {
            let items = self.parts(right, items);
            if items.iter().all(|item| self.literal(*item).is_some()) {
                let value = match self.value(world, left)? {
                    Failed => return Ok(Failed),
                    value => value,
                };
                let mut is_open = false;
                for item in &items {
                    match equal(&value, &self.value(world, *item)?) {
                        Some(true) => return Ok(Truth(true)),
                        Some(false) => {}
                        None => is_open = true,
                    }
                }
                if !is_open {
                    return Ok(Truth(false));
                }
            }
        }
        match (self.succeeds(world, left), self.succeeds(world, right)) {
            (Ok(false), _) | (_, Ok(false)) => return Ok(Failed),
            (Err(fact), _) | (_, Err(fact)) => return Err(fact),
            _ => {}
        }
        self.fact(world, About::Outcome(self.name(part)), |_| truths())
    }

    fn quantifier(&mut self, world: &World, part: Part) -> Answer {
        let Node::Macro { variables, target, name, arguments, .. } = self.node(part) else { return Ok(Failed) };
        let kind = match self.text(part, name) {
            "all" => Quantity::All,
            "exists" => Quantity::Some,
            _ => Quantity::One,
        };
        let target = self.at(part, target);
        if let Node::List { .. } = self.node(target) {
            let bodies = self.inside_macro(part);
            return match kind {
                Quantity::All => self.logic(world, &bodies, false),
                Quantity::Some => self.logic(world, &bodies, true),
                Quantity::One => {
                    let mut count = 0;
                    for body in &bodies {
                        match self.truth(world, *body)? {
                            Truth(truth) => count += usize::from(truth),
                            other => return Ok(other),
                        }
                    }
                    Ok(Truth(count == 1))
                }
            };
        }
        if !self.succeeds(world, target)? {
            return Ok(Failed);
        }
        let arguments = self.parts(part, arguments);
        let (variables, rest) = arguments.split_at(usize::from(variables).min(arguments.len()));
        let [body] = self.bodies(part, target, variables, rest)[..] else { return self.possibly_failed(world, part) };
        if self.depth(body) > DEEPEST || self.nesting >= DEEPEST {
            return self.possibly_failed(world, part);
        }
        let range = self.name(target);
        // The quantifiers over the same range that have a value.
        let known = |quantity: Quantity, question: &Self| {
            let same = question.quantifiers.iter().filter(|(_, other)| other.kind == quantity && other.range == range);
            same.filter_map(|(fact, other)| Some((question.known(world, *fact).ok()?, other.body))).collect::<Vec<_>>()
        };
        let of_all = known(Quantity::All, self).into_iter();
        let of_all = of_all.filter(|(value, _)| *value == Truth(true)).map(|(_, body)| body).collect::<Vec<_>>();
        self.nesting += 1;
        let follows = match kind {
            Quantity::All => self.is_proven(world, &of_all, body).then_some(Truth(true)),
            Quantity::Some => known(Quantity::Some, self).into_iter().find_map(|(value, other)| {
                let hypotheses = [std::slice::from_ref(&other), &of_all[..]].concat();
                (value == Truth(true) && self.is_proven(world, &hypotheses, body)).then_some(value)
            }),
            // One item that fails makes the whole fail.
            Quantity::One => known(Quantity::One, self).into_iter().find_map(|(value, other)| {
                let succeeds = value != Failed;
                self.is_same(world, other, body, succeeds, MOST_FACTS).then_some(value)
            }),
        };
        self.nesting -= 1;
        if let Some(value) = follows {
            return Ok(value);
        }
        let about = About::Outcome(self.name(part));
        let fact = match self.by_name.get(&about) {
            Some(fact) => *fact,
            None => self.add(about, truths_or_failed()),
        };
        self.quantifiers.entry(fact).or_insert(Quantifier { kind, range, body });
        self.known(world, fact)
    }
}

/// Whether two values are equal; none if that is not known.
fn equal(one: &Known, other: &Known) -> Option<bool> {
    let excluded = |texts: &Rc<BTreeSet<String>>, text: &Rc<str>| texts.contains(&**text).then_some(false);
    match (one, other) {
        (Truth(one), Truth(other)) => Some(one == other),
        (Known::Text(one), Known::Text(other)) => Some(one == other),
        (Known::OtherText(texts), Known::Text(text)) | (Known::Text(text), Known::OtherText(texts)) => {
            excluded(texts, text)
        }
        (Known::Integer(least, most), Known::Integer(from, to)) => {
            if most < from || to < least {
                Some(false)
            } else {
                (least == most && from == to).then_some(true)
            }
        }
        _ => None,
    }
}

/// Whether one value is less than the other; none if that is not known.
fn less(one: &Known, other: &Known) -> Option<bool> {
    match (one, other) {
        (Known::Integer(least, most), Known::Integer(from, to)) => {
            if most < from {
                Some(true)
            } else {
                (least >= to).then_some(false)
            }
        }
        (Known::Text(one), Known::Text(other)) => Some(one.as_bytes() < other.as_bytes()),
        _ => None,
    }
}
