//! The value of an expression in a world, as far as it is certain.
//!
//! Invariants: an error names a fact that has no value in the world, and the expression is known once enough facts have one. Nothing is
//! concluded from a type that is not known.

use std::collections::BTreeSet;
use std::rc::Rc;

use crd_model::Schema;

use crd_regexp::inclusion::{Relation, compare};

use super::facts::{
    Constants, Known, Name, Place, World, bounds, integers, listed_integers, listed_truths, sizes, texts, truths,
    truths_or_failed,
};
use super::names::{is_exact, is_object};
use super::{About, Binding, DEEPEST, MOST_FACTS, Part, Quantifier, Question};
use crate::implication::paths::Located;
use crate::lexer::TokenKind;
use crate::parser::{Macro, MacroCall, Node};
use crate::program::Program;
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

/// Functions of texts whose result is computed for constants.
const COMPUTED: [&str; 7] = ["startsWith", "endsWith", "contains", "matches", "lowerAscii", "upperAscii", "trim"];

/// How many open conditions are tried one by one where they are counted.
const MOST_OPEN: usize = 6;

/// The cost limit of such a computation.
const BUDGET: u64 = 100_000;

impl<'q> Question<'q> {
    /// Reads the constants that places are compared with, and the places.
    pub(super) fn gather(&mut self, part: Part) {
        if let Some(place) = self.place(part) {
            self.read.insert(place.name);
            // A longer path reads the fields on the way.
            if let Node::Select { of, .. } = self.node(part)
                && !matches!(self.node(self.at(part, of)), Node::Name { .. })
            {
                self.gather(self.at(part, of));
            }
            return;
        }
        let operands = match self.node(part) {
            Node::Name { name, .. } => match self.binding(part, self.text(part, name)) {
                Some(Binding::Part(part)) => vec![part],
                _ => Vec::new(),
            },
            Node::Macro(call) => self.inside_macro(part, call),
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
            _ => self.operands(part),
        };
        for operand in operands {
            self.gather(operand);
        }
    }

    fn inside_macro(&self, part: Part, call: MacroCall) -> Vec<Part> {
        let target = self.at(part, call.target);
        let (variables, rest) = self.macro_parts(part, call);
        match (self.node(target), &variables[..], &rest[..]) {
            (Node::List { items }, [variable], [body]) if call.kind.is_quantifier() || call.kind == Macro::Filter => {
                self.over(part, *variable, *body, &self.parts(target, items))
            }
            _ => self.operands(part),
        }
    }

    /// The body for each item of a list that is written in the rule.
    fn over(&self, part: Part, variable: Part, body: Part, items: &[Part]) -> Vec<Part> {
        items.iter().map(|item| self.below(body, self.bound(part, variable, Binding::Part(*item)))).collect()
    }

    /// The items of a list that is written in the rule.
    pub(super) fn listed(&self, part: Part) -> Option<Vec<Part>> {
        let Node::List { items } = self.node(part) else { return None };
        let items = self.parts(part, items);
        items.iter().all(|item| !matches!(self.node(*item), Node::OptionalEntry { .. })).then_some(items)
    }

    /// The body of a macro for each item, where the items are known: those of a list in the rule, or the only one.
    fn each(&mut self, world: &World, part: Part) -> Result<Option<Vec<Part>>, usize> {
        let Node::Macro(MacroCall { variables: 1, target, arguments, .. }) = self.node(part) else { return Ok(None) };
        let [variable, body] = self.parts(part, arguments)[..] else { return Ok(None) };
        let Some(target) = self.chosen(world, self.at(part, target))? else { return Ok(None) };
        if let Some(items) = self.listed(target) {
            return Ok(Some(self.over(part, variable, body, &items)));
        }
        let place = self.located_there(world, target)?.place();
        let Some(range) = place.filter(|place| self.has_one_item(*place)) else { return Ok(None) };
        let bodies = self.bodies(part, range, &[variable], &[body]);
        Ok(Some(if self.has_item(world, range)? { bodies } else { Vec::new() }))
    }

    /// Whether a list of at most one item has one.
    fn has_item(&mut self, world: &World, range: Place<'q>) -> Result<bool, usize> {
        let bound = |limit: fn(&Schema) -> Option<i64>| range.schema.and_then(limit).is_some_and(|limit| limit == 1);
        if bound(|schema| schema.min_items) {
            return Ok(true);
        }
        let item = self.item_of(range);
        Ok(bound(|schema| schema.max_items) && self.fact(world, About::Presence(item), |_| truths())? == Truth(true))
    }

    /// Notes a constant that an expression is compared with.
    fn compared(&mut self, with: Part, constant: Part) {
        if let (Node::List { items: own }, Node::List { items: others }) = (self.node(with), self.node(constant)) {
            for (own, other) in self.parts(with, own).into_iter().zip(self.parts(constant, others)) {
                self.compared(own, other);
                self.compared(other, own);
            }
            return;
        }
        let constant = match self.literal(constant) {
            Some(Value::Integer(integer)) => Ok(i128::from(integer)),
            Some(Value::Text(text)) => Err(text.to_string()),
            _ => return,
        };
        for name in self.possible_names(with) {
            let constants = self.constants.entry(name).or_default();
            match &constant {
                Ok(integer) => constants.integers.insert(*integer),
                Err(text) => constants.texts.insert(text.clone()),
            };
        }
    }

    /// The names that an expression can have in a world, as far as constants are noted for them.
    fn possible_names(&self, part: Part) -> Vec<Name> {
        if let Some(place) = self.optional_place(part) {
            return vec![place.name];
        }
        let mut names = vec![self.name(part)];
        match self.node(part) {
            Node::Conditional { yes, no, .. } => {
                names.extend([yes, no].into_iter().flat_map(|branch| self.possible_names(self.at(part, branch))));
            }
            Node::Call { target: Some(target), .. } if let Some(fallback) = self.fallback(part) => {
                let of = [self.at(part, target), fallback];
                names.extend(of.into_iter().flat_map(|branch| self.possible_names(branch)));
            }
            Node::Call { .. } if let [of] = self.operands(part)[..] => {
                names.extend(self.possible_names(of).into_iter().map(|of| self.composed(part, vec![of])));
            }
            _ => {}
        }
        names
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
            Node::Macro(MacroCall { kind: Macro::Bind, .. }) if let [body] = self.operands(part)[..] => {
                self.truth(world, body)
            }
            Node::Macro(call) if call.is_over_items() => self.quantifier(world, part, call),
            Node::Name { name, .. } => match self.binding(part, self.text(part, name)) {
                Some(Binding::Part(part)) => self.truth(world, part),
                _ => self.opaque_truth(world, part),
            },
            Node::Select { .. } | Node::Call { .. } => match self.value(world, part)? {
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

    fn has(&mut self, world: &World, part: Part, field: Part) -> Answer {
        if let Node::Select { of, name, optional: false } = self.node(field) {
            let of = self.at(field, of);
            match self.located(world, of)? {
                Located::There(of) => {
                    let written = self.text(field, name);
                    let Some(place) = self.is_there(world, part, of, written)? else { return Ok(Truth(false)) };
                    return Ok(if self.is_readable(world, place)? { Truth(true) } else { Failed });
                }
                Located::Absent => return Ok(Failed),
                Located::Nowhere => {}
            }
        }
        self.possibly_failed(world, part)
    }

    /// True, false or failed, and nothing else is known.
    fn possibly_failed(&mut self, world: &World, part: Part) -> Answer {
        let name = self.named(world, part)?;
        self.fact(world, About::Outcome(name), |_| truths_or_failed())
    }

    /// Whether the expression has a value.
    fn succeeds(&mut self, world: &World, part: Part) -> Result<bool, usize> {
        self.work += 1;
        let Some(part) = self.chosen(world, part)? else { return Ok(false) };
        match self.located_there(world, part)? {
            Located::There(place) => return self.is_readable(world, place),
            Located::Absent => return Ok(false),
            Located::Nowhere => {}
        }
        if let Node::Has { field } = self.node(part)
            && let Node::Select { of, name, optional: false } = self.node(self.at(part, field))
        {
            match self.located(world, self.at(part, of))? {
                // Whether the field is there does not matter.
                Located::There(of) if !has_read_format(self.field(of, self.text(part, name)).0) => return Ok(true),
                Located::Absent => return Ok(false),
                Located::There(_) | Located::Nowhere => {}
            }
        }
        if self.is_truth(part) {
            return Ok(self.truth(world, part)? != Failed);
        }
        let (needed, can_fail) = match self.node(part) {
            Node::Literal(_) | Node::Name { .. } => return Ok(true),
            Node::Macro(MacroCall { target, .. }) => match self.node(self.at(part, target)) {
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
        let name = self.named(world, part)?;
        Ok(self.fact(world, About::Success(name), |_| truths())? == Truth(true))
    }

    /// Whether it is an operator or macro whose result is true or false.
    pub(super) fn is_truth(&self, part: Part) -> bool {
        match self.node(part) {
            Node::Logic { .. } | Node::Not { .. } | Node::Has { .. } | Node::Comparison { .. } | Node::In { .. } => {
                true
            }
            Node::Macro(call) => call.is_over_items(),
            _ => false,
        }
    }

    /// Whether a call with arguments that succeed can fail.
    pub(super) fn can_fail(&self, function: &str, arguments: &[Part]) -> bool {
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
        if self.has_pattern(world, part)? {
            return Ok(Truth(true));
        }
        let name = self.named(world, part)?;
        self.fact(world, About::Truth(name), |_| truths())
    }

    /// Whether it is `place.matches('…')`, and the pattern of the schema accepts no other texts.
    fn has_pattern(&mut self, world: &World, part: Part) -> Result<bool, usize> {
        let Node::Call { target: Some(target), name, arguments } = self.node(part) else { return Ok(false) };
        let [pattern] = &self.parts(part, arguments)[..] else { return Ok(false) };
        if !self.uses_schema || self.text(part, name) != "matches" {
            return Ok(false);
        }
        let place = self.located(world, self.at(part, target))?.place();
        let schema = place.and_then(|place| place.schema);
        let (Some(own), Some(Value::Text(wanted))) =
            (schema.and_then(|schema| schema.pattern.as_deref()), self.literal(*pattern))
        else {
            return Ok(false);
        };
        let is_narrower = self.patterns.entry((own, wanted.to_string()));
        let compared = || matches!(compare(own, &wanted), Relation::Equal | Relation::Wider { .. });
        Ok(*is_narrower.or_insert_with(compared))
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, world: &World, part: Part) -> Answer {
        self.work += 1;
        let Some(part) = self.chosen(world, part)? else { return Ok(Failed) };
        match self.located_there(world, part)? {
            Located::There(place) => return self.at_place(world, place),
            Located::Absent => return Ok(Failed),
            Located::Nowhere => {}
        }
        match self.node(part) {
            Node::Literal(_) => Ok(match self.literal(part) {
                Some(Value::Boolean(truth)) => Truth(truth),
                Some(Value::Integer(integer)) => Known::Integer(integer.into(), integer.into()),
                Some(Value::Text(text)) => Known::Text(text.to_string().into()),
                _ => Known::Value,
            }),
            _ if self.is_truth(part) => self.truth(world, part),
            Node::Sum { .. } if let Some((conditions, least)) = self.conditions(part) => {
                let counted = self.count(world, &conditions)?;
                let sum = |count: usize| i64::try_from(count).ok().and_then(|count| least.checked_add(count));
                Ok(match counted.map(sum) {
                    Ok(Some(sum)) => Known::Integer(sum.into(), sum.into()),
                    Ok(None) => Failed,
                    Err(failed) => failed,
                })
            }
            Node::Sum { left, right, .. } => {
                let (left, right) = (self.at(part, left), self.at(part, right));
                match (self.value(world, left), self.value(world, right)) {
                    (Ok(Failed), _) | (_, Ok(Failed)) => Ok(Failed),
                    (Ok(Known::Integer(one, same)), Ok(Known::Integer(other, same_other)))
                        if one == same && other == same_other && i64::try_from(one + other).is_ok() =>
                    {
                        Ok(Known::Integer(one + other, one + other))
                    }
                    (Ok(Known::Text(one)), Ok(Known::Text(other))) => Ok(Known::Text([&*one, &*other].concat().into())),
                    (Err(fact), _) | (_, Err(fact)) => Err(fact),
                    _ => self.opaque(world, part),
                }
            }
            Node::Call { name, .. } => match (self.text(part, name), &self.operands(part)[..]) {
                ("size", [of]) => self.size(world, part, *of),
                (function, operands) if COMPUTED.contains(&function) => {
                    match self.computed(world, function, operands)? {
                        Some(value) => Ok(value),
                        None => self.opaque(world, part),
                    }
                }
                _ => self.opaque(world, part),
            },
            _ => self.opaque(world, part),
        }
    }

    /// A value of which only the name counts.
    fn opaque(&mut self, world: &World, part: Part) -> Answer {
        if !self.succeeds(world, part)? {
            return Ok(Failed);
        }
        let name = self.named(world, part)?;
        self.distinguished(world, name)
    }

    /// What a function returns for constants; none if an operand is not one.
    fn computed(&mut self, world: &World, function: &str, operands: &[Part]) -> Result<Option<Known>, usize> {
        let mut texts = Vec::new();
        for operand in operands {
            match self.value(world, *operand)? {
                Known::Text(text) => texts.push(text),
                Failed => return Ok(Some(Failed)),
                _ => return Ok(None),
            }
        }
        let source = match texts.len() {
            1 => format!("self.{function}()"),
            2 => format!("self.{function}(oldSelf)"),
            _ => return Ok(None),
        };
        let inputs = texts.iter().map(|text| Value::text(&**text)).collect::<Vec<_>>();
        let result = Program::compile_unchecked(&source, &[]).map(|program| program.evaluate(&inputs, BUDGET));
        self.work += 4;
        Ok(result.ok().and_then(|result| match result.value {
            Ok(Value::Boolean(truth)) => Some(Truth(truth)),
            Ok(Value::Text(text)) => Some(Known::Text(text.to_string().into())),
            _ => None,
        }))
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
        if !has_read_format(place) {
            return Ok(true);
        }
        Ok(self.fact(world, About::Success(place.name), |_| truths())? == Truth(true))
    }

    /// The value at a present place.
    fn at_place(&mut self, world: &World, place: Place<'q>) -> Answer {
        if let Some(default) = self.filled.get(&place.name) {
            return Ok(default.clone());
        }
        if !self.is_readable(world, place)? {
            return Ok(Failed);
        }
        let Some(schema) = place.schema.filter(|schema| !schema.nullable && !schema.int_or_string) else {
            return self.distinguished(world, place.name);
        };
        let about = About::Value(place.name);
        match schema.kind.as_deref() {
            Some("boolean") => self.fact(world, about, |_| listed_truths(schema)),
            // A value with a format may be a timestamp, a duration, or bytes.
            Some("string") if schema.format.is_none() => self.fact(world, about, |question| {
                texts(question.constants_of(place.name), question.uses_schema.then_some(schema))
            }),
            Some("integer") => self.fact(world, about, |question| {
                if let Some(listed) = question.uses_schema.then(|| listed_integers(schema)).flatten() {
                    return listed;
                }
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
        let Some(of) = self.chosen(world, of)? else { return Ok(Failed) };
        if let Node::Macro(MacroCall { kind: Macro::Filter, variables: 1, target, .. }) = self.node(of)
            && let Some(bodies) = self.each(world, of)?
        {
            if !self.succeeds(world, self.at(of, target))? {
                return Ok(Failed);
            }
            return Ok(self.count(world, &bodies)?.map_or_else(|failed| failed, exactly));
        }
        if !self.succeeds(world, of)? {
            return Ok(Failed);
        }
        if let Some(items) = self.listed(of) {
            return Ok(exactly(items.len()));
        }
        let value = self.value(world, of)?;
        if let Known::Text(text) = value {
            return Ok(exactly(text.chars().count()));
        }
        let place = self.located_there(world, of)?.place();
        if let Some(range) = place.filter(|place| self.has_one_item(*place)) {
            return Ok(exactly(usize::from(self.has_item(world, range)?)));
        }
        let schema = place.and_then(|place| place.schema).filter(|_| self.uses_schema);
        let (mut least, mut most) = sizes(schema);
        if let Known::OtherText(texts) = value
            && texts.contains("")
            && place.and_then(|place| place.schema).is_some_and(is_exact)
        {
            least = least.max(1);
        }
        // Fields that no schema lists are not counted on.
        if schema.is_some_and(|schema| is_object(schema) && schema.values().is_none()) {
            most = i128::from(i64::MAX);
        }
        // Filling in defaults adds no item.
        let of = match place.filter(|place| place.schema.is_some_and(|schema| schema.default.is_none())) {
            Some(place) => place.name,
            None => self.named(world, of)?,
        };
        let (name, written) = (self.composed(part, vec![of]), self.name(part));
        self.fact(world, About::Value(name), |question| integers(question.constants_of(written), least, most))
    }

    fn comparison(&mut self, world: &World, operator: TokenKind, left: Part, right: Part) -> Answer {
        if let TokenKind::Equal | TokenKind::NotEqual = operator
            && let Some(lists) = self.both_listed(world, left, right)?
        {
            return match (self.succeeds(world, left), self.succeeds(world, right)) {
                (Ok(false), _) | (_, Ok(false)) => Ok(Failed),
                (Err(fact), _) | (_, Err(fact)) => Err(fact),
                _ => self.equal_lists(world, &lists, operator == TokenKind::NotEqual),
            };
        }
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
        let [place, other_place] = [self.located(world, left)?.place(), self.located(world, right)?.place()];
        let schemas = [place, other_place].map(|place| place.and_then(|place| place.schema));
        let (left, right) = (self.named(world, left)?, self.named(world, right)?);
        let are_integers = matches!((&one, &other), (Known::Integer(..), Known::Integer(..)));
        let (about, is_opposite) = match operator {
            TokenKind::Equal | TokenKind::NotEqual => {
                // A failure or a number that is not one does not equal itself.
                let is_sure = (one, other) != (Known::Value, Known::Value) || schemas[0].is_some_and(is_exact);
                if left == right && is_sure {
                    return Ok(Truth(!is_opposite));
                }
                (About::equality(left, right), is_opposite)
            }
            TokenKind::Less => (About::Less(left, right), false),
            _ if are_integers => (About::Less(right, left), true),
            _ => (About::LessEqual(left, right), false),
        };
        let answer = self.fact(world, about, |_| truths());
        if let (About::Equality(..), [Some(one), Some(other)], Some(fact)) = (about, schemas, self.by_name.get(&about))
            && (is_exact(one) && is_exact(other) || std::ptr::eq(one, other))
        {
            self.equalities.entry(*fact).or_insert((left, right, is_exact(one)));
        }
        Ok(match answer? {
            Truth(truth) => Truth(truth != is_opposite),
            other => other,
        })
    }

    /// The items of two lists, if both are written in rules.
    fn both_listed(&mut self, world: &World, left: Part, right: Part) -> Result<Option<[Vec<Part>; 2]>, usize> {
        let [Some(left), Some(right)] = [self.chosen(world, left)?, self.chosen(world, right)?] else {
            return Ok(None);
        };
        Ok(self.listed(left).zip(self.listed(right)).map(|(own, others)| [own, others]))
    }

    /// Whether two lists are equal, or not.
    fn equal_lists(&mut self, world: &World, [own, others]: &[Vec<Part>; 2], is_opposite: bool) -> Answer {
        if own.len() != others.len() {
            return Ok(Truth(is_opposite));
        }
        let mut open = None;
        for (own, other) in own.iter().zip(others) {
            match self.comparison(world, TokenKind::Equal, *own, *other) {
                Ok(Truth(true)) => {}
                Ok(_) => return Ok(Truth(is_opposite)),
                Err(fact) => open = open.or(Some(fact)),
            }
        }
        open.map_or(Ok(Truth(!is_opposite)), Err)
    }

    fn membership(&mut self, world: &World, part: Part, left: Part, right: Part) -> Answer {
        match (self.succeeds(world, left), self.succeeds(world, right)) {
            (Ok(false), _) | (_, Ok(false)) => return Ok(Failed),
            (Err(fact), _) | (_, Err(fact)) => return Err(fact),
            _ => {}
        }
        let list = self.chosen(world, right)?.and_then(|right| self.listed(right));
        let Some(items) = list else {
            let range = self.located(world, right)?.place();
            if range.is_some_and(|range| self.has_no_item(world, range, left)) {
                return Ok(Truth(false));
            }
            let name = self.named(world, part)?;
            return self.fact(world, About::Outcome(name), |_| truths());
        };
        let mut open = None;
        for item in items {
            match self.comparison(world, TokenKind::Equal, left, item) {
                Ok(Truth(true)) => return Ok(Truth(true)),
                Ok(_) => {}
                Err(fact) => open = open.or(Some(fact)),
            }
        }
        open.map_or(Ok(Truth(false)), Err)
    }

    /// Whether the schema of a list accepts no item with the text of an expression.
    fn has_no_item(&mut self, world: &World, range: Place<'q>, item: Part) -> bool {
        let is_list = |schema: &&Schema| self.uses_schema && schema.kind.as_deref() == Some("array");
        let is_text =
            |items: &&Schema| items.kind.as_deref() == Some("string") && is_exact(items) && items.default.is_none();
        let items = range.schema.filter(is_list).and_then(|schema| schema.items.as_deref()).filter(is_text);
        let (Some(items), Ok(Known::Text(text))) = (items, self.value(world, item)) else { return false };
        let constants = Constants { integers: BTreeSet::new(), texts: BTreeSet::from([text.to_string()]) };
        !texts(&constants, Some(items)).contains(&Known::Text(text))
    }

    /// How many of these are true, or the value of one that fails. Where many are open, their number is a fact of its own.
    fn count(&mut self, world: &World, bodies: &[Part]) -> Result<Result<usize, Known>, usize> {
        let (mut count, mut open) = (0, Vec::new());
        for body in bodies {
            match self.truth(world, *body) {
                Ok(Truth(truth)) => count += usize::from(truth),
                Ok(other) => return Ok(Err(other)),
                Err(fact) => open.push((fact, *body)),
            }
        }
        match open[..] {
            [] => Ok(Ok(count)),
            [(fact, _), ..] if open.len() <= MOST_OPEN => Err(fact),
            _ => {
                let can_fail = open.iter().any(|(_, body)| self.succeeds(world, *body) != Ok(true));
                let name = self.counted(open.iter().map(|(_, body)| self.name(*body)).collect(), can_fail);
                let counts = || (0..=open.len()).map(exactly).chain(can_fail.then_some(Failed)).collect();
                Ok(match self.fact(world, About::Value(name), |_| counts())? {
                    Known::Integer(known, _) => Ok(count + usize::try_from(known).unwrap_or(0)),
                    other => Err(other),
                })
            }
        }
    }

    /// The conditions of a sum that each add one to a number where they hold; none for another sum.
    fn conditions(&self, part: Part) -> Option<(Vec<Part>, i64)> {
        let integer = |node| match self.literal(self.at(part, node)) {
            Some(Value::Integer(integer)) => Some(integer),
            _ => None,
        };
        match self.node(part) {
            Node::Sum { left, right, .. } => {
                let (mut conditions, least) = self.conditions(self.at(part, left))?;
                let (others, least_of_others) = self.conditions(self.at(part, right))?;
                conditions.extend(others);
                Some((conditions, least.checked_add(least_of_others)?))
            }
            Node::Conditional { test, yes, no } => {
                let no = integer(no)?;
                (integer(yes)? == no.checked_add(1)?).then(|| (vec![self.at(part, test)], no))
            }
            Node::Literal(_) => Some((Vec::new(), integer(part.node)?)),
            _ => None,
        }
    }

    fn quantifier(&mut self, world: &World, part: Part, call: MacroCall) -> Answer {
        let target = self.at(part, call.target);
        if !self.succeeds(world, target)? {
            return Ok(Failed);
        }
        if let Some(bodies) = self.each(world, part)? {
            return match call.kind {
                Macro::All | Macro::Exists => self.logic(world, &bodies, call.kind == Macro::Exists),
                _ => Ok(self.count(world, &bodies)?.map_or_else(|failed| failed, |count| Truth(count == 1))),
            };
        }
        let place = self.ranged(world, target)?;
        let (variables, rest) = self.macro_parts(part, call);
        let [body] = self.bodies(part, place, &variables, &rest)[..] else { return self.possibly_failed(world, part) };
        if self.depth(body) > DEEPEST || self.nesting >= DEEPEST {
            return self.possibly_failed(world, part);
        }
        self.nesting += 1;
        let follows = self.follows(world, part, call.kind, place, body);
        self.nesting -= 1;
        if let Some(value) = follows {
            return Ok(value);
        }
        let name = self.composed(part, vec![place.name, self.name(body)]);
        let about = About::Outcome(name);
        let fact = match self.by_name.get(&about) {
            Some(fact) => *fact,
            None => self.add(about, truths_or_failed()),
        };
        self.quantifiers.entry(fact).or_insert(Quantifier { kind: call.kind, range: place.name, body });
        self.known(world, fact)
    }

    /// The list of a filter that keeps each item.
    pub(super) fn unfiltered(
        &mut self,
        world: &World,
        part: Part,
        call: MacroCall,
    ) -> Result<Option<Place<'q>>, usize> {
        let range = self.located(world, self.at(part, call.target))?.place();
        let is_list = |range: &Place<'_>| range.schema.is_some_and(|schema| schema.kind.as_deref() == Some("array"));
        let Some(range) = range.filter(is_list) else { return Ok(None) };
        let (variables, rest) = self.macro_parts(part, call);
        let [body] = self.bodies(part, range, &variables, &rest)[..] else { return Ok(None) };
        if self.depth(body) > DEEPEST || self.nesting >= DEEPEST {
            return Ok(None);
        }
        self.nesting += 1;
        let keeps_all = self.is_proven(world, &[], body);
        self.nesting -= 1;
        Ok(keeps_all.then_some(range))
    }

    /// The value of a quantifier that follows from the quantifiers over the same range that have a value.
    fn follows(&mut self, world: &World, part: Part, kind: Macro, place: Place<'q>, body: Part) -> Option<Known> {
        let known = |kind: Macro, question: &Self| {
            let of_kind = |other: &Quantifier| other.kind == kind && other.range == place.name;
            let same = question.quantifiers.iter().filter(|(_, other)| of_kind(other));
            same.filter_map(|(fact, other)| Some((question.known(world, *fact).ok()?, other.body))).collect::<Vec<_>>()
        };
        let of_all = known(Macro::All, self).into_iter();
        let of_all = of_all.filter(|(value, _)| *value == Truth(true)).map(|(_, body)| body).collect::<Vec<_>>();
        match kind {
            Macro::All => self.is_proven(world, &of_all, body).then_some(Truth(true)),
            Macro::Exists => known(kind, self)
                .into_iter()
                .find_map(|(value, other)| {
                    let hypotheses = [std::slice::from_ref(&other), &of_all[..]].concat();
                    (value == Truth(true) && self.is_proven(world, &hypotheses, body)).then_some(value)
                })
                .or_else(|| self.is_always(false, world, &of_all, body, MOST_FACTS).then_some(Truth(false))),
            _ if self.is_one_by_key(world, place, &of_all, part, body) => Some(Truth(true)),
            // One item that fails makes the whole fail.
            _ => known(kind, self).into_iter().find_map(|(value, other)| {
                let succeeds = value != Failed;
                self.is_same(world, other, body, succeeds, MOST_FACTS).then_some(value)
            }),
        }
    }
}

/// Whether rules read texts of this place as another type, which some texts are not.
pub(super) fn has_read_format(place: Place<'_>) -> bool {
    let format = place.schema.and_then(|schema| schema.format.as_deref());
    matches!(format, Some("byte" | "date-time"))
}

fn exactly(count: usize) -> Known {
    Known::Integer(count as i128, count as i128)
}

/// Whether two values are equal; none if that is not known.
pub(super) fn equal(one: &Known, other: &Known) -> Option<bool> {
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
