//! Runs the steps of a program.
//!
//! Invariants: steps run in one loop, without recursion. A failure is a value on the stack; operators and calls pass it on, and logic and macros
//! absorb it. Each step adds its cost, and the run ends when the cost exceeds the budget.

use std::cmp::Ordering;
use std::sync::Arc;

use super::cost::{self, Cost};
use super::failure::Failure;
use super::lexer::TokenKind;
use super::library::{lists, number, text};
use super::plan::{Address, Instruction};
use super::value::shown::{double, shown};
use super::value::{Entries, Item, Key, List, Map, Outcome, Run, Sums, Value};
use crate::value::Compared;
use crd_regexp::Matcher;

/// The range of a loop, and the position in it.
enum Range<'v> {
    List(List<'v>, usize),
    Map(std::vec::IntoIter<(Value<'v>, Value<'v>)>),
}

impl<'v> Range<'v> {
    /// The range of a value; a failure if it has no items.
    fn of(value: Value<'v>, is_pair: bool) -> Result<Self, Value<'v>> {
        match value {
            // A server reads the items of a sum before the loop.
            Value::List(List::Sum(sum)) => {
                let items = List::Sum(sum).iter().collect();
                Ok(Self::List(List::Shared(Arc::new(items)), 0))
            }
            Value::List(items) => Ok(Self::List(items, 0)),
            Value::Map(entries) => Ok(Self::Map(entries.entries().into_iter())),
            failure @ Value::Failed(_) => Err(failure),
            other if is_pair => {
                Err(Value::failed(format!("unsupported comprehension range type: {}", go_type(&other))))
            }
            other => Err(Value::failed(format!("got '{}', expected iterable type", go_type(&other)))),
        }
    }

    /// The values of the variables for the next item.
    fn next(&mut self, is_pair: bool) -> Option<(Value<'v>, Value<'v>)> {
        match self {
            Self::List(items, position) => {
                let item = items.get(*position)?;
                let index = Value::Integer(i64::try_from(*position).unwrap_or(i64::MAX));
                *position += 1;
                Some(if is_pair { (index, item) } else { (item, Value::Null) })
            }
            Self::Map(entries) => entries.next(),
        }
    }
}

pub(super) struct Machine<'p, 'v> {
    steps: &'p [Instruction],
    inputs: &'p [Value<'v>],
    locals: Vec<Option<Value<'v>>>,
    stack: Vec<Value<'v>>,
    loops: Vec<Range<'v>>,
    returns: Vec<usize>,
    sums: Sums<'v>,
    cost: u64,
    budget: u64,
    minor: u32,
    /// The steps that are left for searches for patterns.
    searching: &'p mut u64,
}

/// Why a run ends early. Nothing absorbs it.
enum Stop {
    /// The cost exceeds the budget.
    OverBudget,
    Panic(Failure),
}

/// The text of a server that counts the cost of a list that it does not have.
const PANIC: &str = "interface conversion: *types.Err is not traits.Lister: missing method Add";

impl<'p, 'v> Machine<'p, 'v> {
    /// A run of these steps with this many local variables.
    pub(super) fn new(
        steps: &'p [Instruction],
        slots: u32,
        inputs: &'p [Value<'v>],
        budget: u64,
        minor: u32,
        searching: &'p mut u64,
    ) -> Self {
        Self {
            steps,
            inputs,
            locals: vec![None; slots as usize],
            stack: Vec::with_capacity(16),
            loops: Vec::new(),
            returns: Vec::new(),
            sums: Sums::new(),
            cost: 0,
            budget,
            minor,
            searching,
        }
    }

    /// The value of the expression, and what it cost.
    pub(super) fn run(mut self) -> (Result<Value<'v>, Failure>, u64) {
        let mut at = 0;
        while let Some(step) = self.steps.get(at) {
            match self.step(step, at) {
                Ok(next) => at = next,
                Err(Stop::OverBudget) => return (Err(Failure::over_budget()), self.cost),
                Err(Stop::Panic(failure)) => return (Err(failure), self.cost),
            }
        }
        let result = match self.pop() {
            Value::Failed(failure) => Err(Failure::clone(&failure)),
            value => Ok(value),
        };
        (result, self.cost)
    }

    fn charge(&mut self, cost: u64) -> Result<(), Stop> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.budget { Err(Stop::OverBudget) } else { Ok(()) }
    }

    fn pop(&mut self) -> Value<'v> {
        self.stack.pop().unwrap_or_else(|| Value::failed("no value"))
    }

    fn push(&mut self, value: Value<'v>) {
        self.stack.push(value);
    }

    fn local(&self, slot: u32) -> Value<'v> {
        self.locals.get(slot as usize).cloned().flatten().unwrap_or_else(|| Value::failed("no value"))
    }

    fn set(&mut self, slot: u32, value: Value<'v>) {
        if let Some(local) = self.locals.get_mut(slot as usize) {
            *local = Some(value);
        }
    }

    /// Runs one step and returns the index of the next one.
    fn step(&mut self, step: &Instruction, at: usize) -> Result<usize, Stop> {
        match step {
            Instruction::Constant(value) => self.push(value.clone()),
            Instruction::Input(input) => {
                let value = self.inputs.get(*input as usize).cloned();
                self.push(reread(value.unwrap_or_else(|| Value::failed("no such attribute(s)")), self.minor));
            }
            Instruction::Local(slot) => {
                let value = self.local(*slot);
                self.push(reread(value, self.minor));
            }
            Instruction::Reread => {
                let value = self.pop();
                self.push(reread(value, self.minor));
            }
            Instruction::Charge(cost) => self.charge(u64::from(*cost))?,
            Instruction::Field { name, optional } => self.select(name, *optional)?,
            Instruction::Test(name) => self.test(name)?,
            Instruction::Index { optional } => self.index(*optional)?,
            Instruction::Call { name, run, count, cost } => self.call(name, *run, *count as usize, *cost)?,
            Instruction::Matches { matcher, length } => self.search(matcher.as_deref(), *length)?,
            Instruction::Operate(operator, cost) => self.operate(*operator, *cost)?,
            Instruction::Member(items) => {
                let value = self.pop();
                let result = match &value {
                    Value::Failed(_) => value,
                    value => Value::Boolean(items.iter().any(|item| item.equals(value))),
                };
                self.push(result);
            }
            Instruction::Negate => {
                let value = self.pop();
                self.push(negated(value));
                self.charge(1)?;
            }
            Instruction::Not => {
                let result = match self.pop() {
                    Value::Boolean(value) => Value::Boolean(!value),
                    failure @ Value::Failed(_) => failure,
                    _ => Value::no_overload(),
                };
                self.push(result);
                self.charge(1)?;
            }
            Instruction::List { count, optional } => {
                let result = self.new_list(*count as usize, optional.as_deref());
                self.push(result);
                self.charge(cost::LIST)?;
            }
            Instruction::Map { count, optional } => {
                let result = self.new_map(*count as usize, optional.as_deref());
                self.push(result);
                self.charge(cost::MAP)?;
            }
            _ => return self.flow_step(step, at),
        }
        Ok(at + 1)
    }

    /// Runs one step that can continue elsewhere, outside loops.
    fn flow_step(&mut self, step: &Instruction, at: usize) -> Result<usize, Stop> {
        let jump = |to: Address| Ok(to as usize);
        match step {
            Instruction::Lazy { slot, value } => match self.locals.get(*slot as usize).cloned().flatten() {
                Some(known) => self.push(reread(known, self.minor)),
                None => {
                    // The same step runs again when the variable has its value.
                    self.returns.push(at);
                    return jump(*value);
                }
            },
            Instruction::ReturnTo(slot) => {
                let value = self.pop();
                self.set(*slot, value);
                return Ok(self.returns.pop().unwrap_or(usize::MAX));
            }
            Instruction::Clear(slot) => drop(self.locals.get_mut(*slot as usize).map(Option::take)),
            Instruction::Gosub(to) => {
                self.returns.push(at + 1);
                return jump(*to);
            }
            Instruction::Return => return Ok(self.returns.pop().unwrap_or(usize::MAX)),
            Instruction::Jump(to) => return jump(*to),
            Instruction::SkipKey(to) => {
                if matches!(self.stack.last(), Some(Value::Failed(_) | Value::Optional(None))) {
                    return jump(*to);
                }
            }
            Instruction::Abort { below, charge, to } => {
                if self.has_failed(*below as usize, *charge)? {
                    return jump(*to);
                }
            }
            Instruction::Term { is_or, to } => {
                let term = self.pop();
                if matches!(term, Value::Boolean(value) if value == *is_or) {
                    self.pop();
                    self.push(term);
                    return jump(*to);
                }
                let before = self.pop();
                self.push(combined(before, term));
            }
            Instruction::Branch { otherwise, end } => match self.pop() {
                Value::Boolean(true) => {}
                Value::Boolean(false) => return jump(*otherwise),
                other => {
                    self.push(failure_of(other));
                    return jump(*end);
                }
            },
            Instruction::Alternative { is_value, to } => {
                if self.keep_value(*is_value) {
                    return jump(*to);
                }
            }
            _ => return self.loop_step(step, at),
        }
        Ok(at + 1)
    }

    /// Whether the top of the stack is a failure, which then replaces this many operands before it.
    fn has_failed(&mut self, below: usize, charge: u32) -> Result<bool, Stop> {
        if !self.stack.last().is_some_and(Value::is_failed) {
            return Ok(false);
        }
        let failure = self.pop();
        self.stack.truncate(self.stack.len().saturating_sub(below));
        self.push(failure);
        self.charge(u64::from(charge))?;
        Ok(true)
    }

    /// Replaces an optional value by its content, or leaves it; false if it has none, so that the alternative counts.
    fn keep_value(&mut self, is_value: bool) -> bool {
        let value = match self.pop() {
            Value::Optional(None) => return false,
            Value::Optional(Some(content)) if is_value => Value::clone(&content),
            content @ Value::Optional(_) => content,
            // Servers before 1.37 take the value itself, which is what is left of an optional value in an optional value.
            other if self.minor < 37 => other,
            other => failure_of(other),
        };
        self.push(value);
        true
    }

    /// Selects with a key that is on top of the object.
    fn index(&mut self, optional: bool) -> Result<(), Stop> {
        let key = self.pop();
        if !key.is_failed() {
            return self.select(&key, optional);
        }
        let is_lenient = optional || matches!(self.stack.last(), Some(Value::Optional(_)));
        self.pop();
        self.push(key);
        self.charge(u64::from(!is_lenient))
    }

    fn call(&mut self, name: &str, run: Run, count: usize, cost: Cost) -> Result<(), Stop> {
        let first = self.stack.len().saturating_sub(count);
        let arguments = &self.stack[first..];
        let result = match arguments.iter().find(|argument| argument.is_failed()) {
            Some(failure) => failure.clone(),
            None => value_of(run(arguments, self.minor).map_err(|failure| no_function(failure, name, arguments))),
        };
        if let Cost::SelfCompare(at) = cost
            && arguments.get(at).is_some_and(Value::is_failed)
        {
            return Err(Stop::Panic(Failure::panic(PANIC)));
        }
        let cost = cost.of(arguments, &result);
        self.stack.truncate(first);
        self.push(result);
        self.charge(cost)
    }

    /// `matches` with a constant pattern.
    fn search(&mut self, matcher: Option<&Matcher>, length: u64) -> Result<(), Stop> {
        let value = self.pop();
        let cost = cost::search(cost::size(&value), length);
        let result = match &value {
            Value::Failed(_) => value,
            Value::Text(subject) => {
                value_of(text::searched(matcher.and_then(|matcher| matcher.is_match_within(subject, self.searching))))
            }
            _ => Value::no_overload(),
        };
        self.push(result);
        self.charge(cost)
    }

    /// Applies an operator to two values.
    fn operate(&mut self, operator: TokenKind, cost: Cost) -> Result<(), Stop> {
        let (right, left) = (self.pop(), self.pop());
        let result = if left.is_failed() {
            left.clone()
        } else if right.is_failed() {
            right.clone()
        } else {
            let outcome = match (operator, &left, &right) {
                (TokenKind::Plus, Value::List(one), Value::List(other)) => {
                    one.joined(other, self.minor, &mut self.sums).map(Value::List)
                }
                _ => operate(operator, &left, &right, self.minor),
            };
            match outcome {
                Err(failure) if failure.is_panic() => return Err(Stop::Panic(failure)),
                Err(failure) if failure == Failure::no_overload() => {
                    Value::Failed(Arc::new(no_operator(operator, &left)))
                }
                outcome => value_of(outcome),
            }
        };
        let cost = if cost == Cost::One { 1 } else { cost.of(&[left, right], &result) };
        self.push(result);
        self.charge(cost)
    }

    /// Runs one step of a loop.
    fn loop_step(&mut self, step: &Instruction, at: usize) -> Result<usize, Stop> {
        let jump = |to: Address| Ok(to as usize);
        match step {
            Instruction::Fold { slot, is_pair, start, failed } => {
                let range = match Range::of(self.pop(), *is_pair) {
                    Ok(range) => range,
                    Err(failure) => {
                        self.push(failure);
                        return jump(*failed);
                    }
                };
                self.loops.push(range);
                self.set(*slot, start.clone());
            }
            Instruction::Next { slot, is_pair, to } => {
                let next = self.loops.last_mut().and_then(|range| range.next(*is_pair));
                let Some((first, second)) = next else { return jump(*to) };
                self.set(*slot + 1, first);
                self.set(*slot + 2, second);
            }
            Instruction::Certain { slot, is_or, to } => {
                self.charge(if *is_or { 3 } else { 2 })?;
                if matches!(self.locals.get(*slot as usize), Some(Some(Value::Boolean(value))) if value == is_or) {
                    return jump(*to);
                }
                // The result so far is read in front of the condition.
                self.charge(1)?;
            }
            Instruction::Quantify { slot, is_or } => {
                let term = self.pop();
                let before = self.local(*slot);
                let is_certain = matches!(term, Value::Boolean(value) if value == *is_or);
                self.set(*slot, if is_certain { term } else { combined(before, term) });
            }
            Instruction::Count(slot) => match self.pop() {
                Value::Boolean(true) => {
                    self.charge(2)?;
                    if let Value::Integer(count) = self.local(*slot) {
                        self.set(*slot, Value::Integer(count.saturating_add(1)));
                    }
                }
                Value::Boolean(false) => {}
                other => self.set(*slot, failure_of(other)),
            },
            Instruction::Guard { slot, to } => match self.pop() {
                Value::Boolean(true) => {}
                Value::Boolean(false) => return jump(*to),
                other => {
                    self.set(*slot, failure_of(other));
                    return jump(*to);
                }
            },
            _ => return self.result_step(step, at),
        }
        Ok(at + 1)
    }

    /// Runs one step that adds to the result of a loop, or ends the loop.
    fn result_step(&mut self, step: &Instruction, at: usize) -> Result<usize, Stop> {
        match step {
            Instruction::Append { slot, is_constant } => {
                // The result is read, the list of the new item is made unless it is constant, and both are joined.
                self.charge(if *is_constant { 2 } else { cost::LIST + 2 })?;
                let item = self.pop();
                let local = self.locals.get_mut(*slot as usize);
                match (local, item) {
                    (Some(Some(Value::List(List::Shared(items)))), item) if !item.is_failed() => {
                        Arc::make_mut(items).push(item);
                    }
                    (Some(Some(Value::Failed(_))), _) => {}
                    (Some(local), item) => *local = Some(item),
                    (None, _) => {}
                }
            }
            Instruction::SkipEntry { slot, to } => {
                self.charge(1)?;
                if matches!(self.locals.get(*slot as usize), Some(Some(Value::Failed(_)))) {
                    return Ok(*to as usize);
                }
                self.charge(1)?;
            }
            Instruction::Insert(slot) => {
                self.charge(1)?;
                let (key, value) = (self.local(*slot + 1), self.pop());
                let failure = if value.is_failed() { Some(value) } else { self.insert(*slot, key, value) };
                if let Some(failure) = failure {
                    self.set(*slot, failure);
                }
            }
            Instruction::Merge(slot) => {
                self.charge(1)?;
                let entry = self.pop();
                if !matches!(self.locals.get(*slot as usize), Some(Some(Value::Failed(_)))) {
                    self.merge(*slot, entry);
                }
            }
            Instruction::IsOne(slot) => {
                let result = match self.local(*slot) {
                    Value::Integer(count) => Value::Boolean(count == 1),
                    other => failure_of(other),
                };
                self.push(result);
                self.charge(2)?;
            }
            _ => {
                self.loops.pop();
            }
        }
        Ok(at + 1)
    }

    /// Adds the entries of a map to the map that is the result.
    fn merge(&mut self, slot: u32, entry: Value<'v>) {
        let failure = match entry {
            Value::Map(entries) => entries.entries().into_iter().find_map(|(key, value)| self.insert(slot, key, value)),
            other => Some(failure_of(other)),
        };
        if let Some(failure) = failure {
            self.set(slot, failure);
        }
    }

    /// Adds an entry to a map; the failure if the key exists.
    fn insert(&mut self, slot: u32, key: Value<'v>, value: Value<'v>) -> Option<Value<'v>> {
        let Some(Some(Value::Map(Map::Shared(entries)))) = self.locals.get_mut(slot as usize) else { return None };
        if entries.find(&key).is_some() {
            let key = shown(&key);
            return Some(Value::failed(format!("insert failed: key {key} already exists")));
        }
        Arc::make_mut(entries).set(key, value).err().map(|failure| Value::Failed(Arc::new(failure)))
    }

    /// Selects a field, key or item of the top of the stack. In an optional value, what is absent is an optional value without content.
    fn select(&mut self, key: &Value<'v>, optional: bool) -> Result<(), Stop> {
        let object = self.pop();
        let (object, is_lenient) = match object {
            Value::Failed(_) | Value::Optional(None) => {
                self.push(object);
                return Ok(());
            }
            Value::Optional(Some(content)) if content.is_failed() => {
                self.push(Value::clone(&content));
                return Ok(());
            }
            Value::Optional(Some(content)) => (Value::clone(&content), true),
            object => (object, optional),
        };
        let found = found(&object, key);
        if !is_lenient {
            self.push(match found {
                Ok(Some(Value::Failed(failure))) => Value::Failed(failure),
                Ok(Some(value)) => value,
                Ok(None) => {
                    let shown = shown(key);
                    Value::failed(match object {
                        Value::List(_) => format!("index out of bounds: {shown}"),
                        _ => format!("no such key: {shown}"),
                    })
                }
                Err(failure) => Value::Failed(Arc::new(failure)),
            });
            return self.charge(1);
        }
        match found {
            // An optional value can have a content that fails.
            Ok(Some(value)) => {
                self.push(Value::some(value));
                return self.charge(1);
            }
            Ok(None) => self.push(Value::Optional(None)),
            Err(failure) => self.push(Value::Failed(Arc::new(failure))),
        }
        Ok(())
    }

    /// `has(object.name)`
    fn test(&mut self, name: &Value<'v>) -> Result<(), Stop> {
        let object = self.pop();
        let (object, is_lenient) = match object {
            Value::Failed(_) => {
                self.push(object);
                return Ok(());
            }
            Value::Optional(None) => {
                self.push(Value::Boolean(false));
                return Ok(());
            }
            Value::Optional(Some(content)) => (Value::clone(&content), true),
            object => (object, false),
        };
        let result = match found(&object, name) {
            Ok(Some(Value::Failed(failure))) => Value::Failed(failure),
            Ok(found) => Value::Boolean(found.is_some()),
            Err(failure) => Value::Failed(Arc::new(failure)),
        };
        // In an optional value, only what is present costs.
        let is_free = is_lenient && !matches!(result, Value::Boolean(true));
        self.push(result);
        self.charge(u64::from(!is_free))
    }

    fn new_list(&mut self, count: usize, optional: Option<&[bool]>) -> Value<'v> {
        let items = self.stack.split_off(self.stack.len().saturating_sub(count));
        let Some(optional) = optional else { return Value::list(items) };
        let mut kept = Vec::with_capacity(items.len());
        for (item, optional) in items.into_iter().zip(optional) {
            match (item, optional) {
                (item, false) => kept.push(item),
                (Value::Optional(content), true) => kept.extend(content.map(|content| Value::clone(&content))),
                (other, true) => {
                    let shown = shown(&other);
                    return Value::failed(format!(
                        "cannot initialize optional list element from non-optional value {shown}"
                    ));
                }
            }
        }
        Value::list(kept)
    }

    fn new_map(&mut self, count: usize, optional: Option<&[bool]>) -> Value<'v> {
        let parts = self.stack.split_off(self.stack.len().saturating_sub(count));
        let mut entries = Entries::default();
        let mut parts = parts.into_iter().enumerate();
        while let (Some((_, key)), Some((at, value))) = (parts.next(), parts.next()) {
            let value = match value {
                value if !optional.is_some_and(|optional| optional[at]) => value,
                Value::Optional(Some(content)) => Value::clone(&content),
                Value::Optional(None) => {
                    entries.remove(&key);
                    continue;
                }
                other => {
                    let (key, shown) = (shown(&key), shown(&other));
                    return Value::failed(format!(
                        "cannot initialize optional entry '{key}' from non-optional value {shown}"
                    ));
                }
            };
            if let Err(failure) = entries.set(key, value) {
                return Value::Failed(Arc::new(failure));
            }
        }
        Value::Map(Map::Shared(Arc::new(entries)))
    }
}

fn value_of(outcome: Outcome<'_>) -> Value<'_> {
    outcome.unwrap_or_else(|failure| Value::Failed(Arc::new(failure)))
}

/// The failure, or that there is no overload for this value.
fn failure_of(value: Value<'_>) -> Value<'_> {
    if value.is_failed() { value } else { Value::no_overload() }
}

/// The result of `&&` and `||` after a term that does not decide: the first failure stays.
fn combined<'v>(before: Value<'v>, term: Value<'v>) -> Value<'v> {
    match (before.is_failed(), term) {
        (false, term) if !matches!(term, Value::Boolean(_)) => failure_of(term),
        _ => before,
    }
}

/// The value of a field, key or index.
fn found<'v>(object: &Value<'v>, key: &Value<'_>) -> Result<Option<Value<'v>>, Failure> {
    if !key.can_be_key() {
        return Err(Failure::new(format!("invalid qualifier type: {}", go_type(key))));
    }
    match object {
        Value::Map(entries) => entries.find(key),
        Value::List(items) => {
            let position = match (key, Key::of(key)) {
                (Value::Double(at), _) if at.fract() != 0.0 || at.abs() >= 1e15 => {
                    let at = double(*at);
                    return Err(Failure::new(format!("unsupported index value {at} in list")));
                }
                (_, Some(Key::Number(at))) => usize::try_from(at).ok(),
                _ => {
                    let kind = key.type_name();
                    return Err(Failure::new(format!("unsupported index type '{kind}' in list")));
                }
            };
            Ok(position.and_then(|at| items.get(at)))
        }
        _ => Ok(None),
    }
}

/// `-value`
fn negated(value: Value<'_>) -> Value<'_> {
    match number::negated(&value) {
        _ if value.is_failed() => value,
        Err(failure) if failure == Failure::no_overload() => match value {
            Value::Boolean(_) | Value::Text(_) | Value::Timestamp(_) => Value::no_overload(),
            // The server names the operator for other types.
            _ => Value::failed("no such overload: -_"),
        },
        outcome => value_of(outcome),
    }
}

/// The failure of a function, which names the types of the arguments where it has no overload for them.
fn no_function(failure: Failure, name: &str, arguments: &[Value<'_>]) -> Failure {
    if failure != Failure::no_overload() {
        return failure;
    }
    // The server compares the text with an address, which has no overload.
    if name == "containsIP" && matches!(arguments, [Value::Network(_), Value::Text(_)]) {
        return failure;
    }
    if matches!(name, "sort" | "@sortByAssociatedKeys") {
        return Failure::new(format!("no such overload: {name}"));
    }
    let types: Vec<&str> = arguments.iter().map(Value::type_name).collect();
    Failure::new(format!("no such overload: {name}({})", types.join(", ")))
}

/// The failure of an operator that has no overload for a left operand of this type.
fn no_operator(operator: TokenKind, left: &Value<'_>) -> Failure {
    let is_whole = matches!(left, Value::Integer(_) | Value::Unsigned(_));
    let is_number = is_whole || matches!(left, Value::Double(_));
    let is_ordered = is_number || matches!(left, Value::Bytes(_) | Value::Boolean(_));
    let (name, has_some) = match operator {
        _ if matches!(left, Value::Text(_) | Value::Timestamp(_) | Value::Duration(_)) => ("", true),
        TokenKind::Plus => ("_+_", is_number || matches!(left, Value::Bytes(_) | Value::List(_))),
        TokenKind::Minus => ("_-_", is_number),
        TokenKind::Star => ("_*_", is_number),
        TokenKind::Slash => ("_/_", is_number),
        TokenKind::Percent => ("_%_", is_whole),
        TokenKind::Less => ("_<_", is_ordered),
        TokenKind::LessEqual => ("_<=_", is_ordered),
        TokenKind::Greater => ("_>_", is_ordered),
        TokenKind::GreaterEqual => ("_>=_", is_ordered),
        _ => ("", true),
    };
    if has_some { Failure::no_overload() } else { Failure::new(format!("no such overload: {name}")) }
}

fn operate<'v>(operator: TokenKind, left: &Value<'v>, right: &Value<'v>, minor: u32) -> Outcome<'v> {
    let ordered = |holds: fn(Ordering) -> bool| match left.compared(right) {
        Compared::Ordered(order) => Ok(Value::Boolean(holds(order))),
        Compared::NotANumber => Err(Failure::new("NaN values cannot be ordered")),
        Compared::WithoutOrder => Err(Failure::no_overload()),
    };
    match operator {
        TokenKind::Plus => number::sum(left, right),
        TokenKind::Minus => number::difference(left, right),
        TokenKind::Star => number::product(left, right),
        TokenKind::Slash => number::quotient(left, right),
        TokenKind::Percent => number::remainder(left, right),
        TokenKind::Equal => left.is_equal(right, minor).map(Value::Boolean),
        // What cannot be compared is not equal.
        TokenKind::NotEqual => match left.is_equal(right, minor) {
            Err(failure) if !failure.is_ordinary() => Err(failure),
            is_equal => Ok(Value::Boolean(!is_equal.unwrap_or(false))),
        },
        TokenKind::Less => ordered(Ordering::is_lt),
        TokenKind::LessEqual => ordered(Ordering::is_le),
        TokenKind::Greater => ordered(Ordering::is_gt),
        TokenKind::GreaterEqual => ordered(Ordering::is_ge),
        _ => lists::contains(left, right, minor),
    }
}

/// The name of a type in texts of cel-go.
fn go_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Boolean(_) => "types.Bool",
        Value::Integer(_) => "types.Int",
        Value::Unsigned(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::Text(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Timestamp(_) => "types.Timestamp",
        Value::Duration(_) => "types.Duration",
        Value::Optional(_) => "*types.Optional",
        other => other.type_name(),
    }
}

/// The content of an optional value as servers before 1.37 read it from a variable or a branch: it forgets its schema, a content that is
/// optional itself is taken out, and the types of Kubernetes fail.
fn reread(value: Value<'_>, minor: u32) -> Value<'_> {
    match value {
        Value::Optional(Some(content)) if minor < 37 => Value::some(native(&content)),
        value => value,
    }
}

fn native<'v>(value: &Value<'v>) -> Value<'v> {
    let unsupported = |kind: &str| {
        let shown = match value {
            Value::Location(location) => location.to_string(),
            value => shown(value),
        };
        Value::failed(format!("unsupported conversion to ref.Val: ({kind}){shown}"))
    };
    match value {
        Value::Optional(None) => Value::Null,
        Value::Optional(Some(content)) => native(content),
        Value::Type(name) => Value::text(*name),
        Value::List(List::Json(items, ..)) => Value::list(items.iter().map(Value::from_plain_json).collect()),
        Value::List(List::Sum(sum)) => {
            let plain = |item: &Item<'v>| match item {
                Item::Json(json) => Value::from_plain_json(json),
                Item::Value(value) => native(value),
            };
            Value::list(sum.items.iter().map(plain).collect())
        }
        Value::Map(Map::Json(map)) => Value::from_plain_entries(map.entries),
        Value::Address(_) => unsupported("netip.Addr"),
        Value::Network(_) => unsupported("netip.Prefix"),
        Value::Location(_) => unsupported("*url.URL"),
        Value::Quantity(_) => unsupported("*resource.Quantity"),
        Value::Version(_) => unsupported("semver.Version"),
        other => other.clone(),
    }
}
