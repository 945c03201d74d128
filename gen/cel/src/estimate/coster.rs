//! The worst cost of an expression, as the server estimates it from the sizes that the schema allows.
//!
//! Invariants: parts are visited in the server's order, because a field path can overwrite another one there: the server appends to slices
//! that share their memory, and what a path is depends on what was appended last. The estimate of Kubernetes 1.32 has another model of sizes
//! ([`Sizes::Early`]).

use std::cell::Cell;

use super::super::shapes::Scalar;
use super::super::types::Type;
use super::declared::{Declared, PathElement};
use super::expansion::{Expansion, Form, Loop, PartId, RESULT, Way};
use super::range::Range;

/// The cost of making a list, before its items.
const LIST: u64 = 10;
/// The cost of making a map, before its entries.
const MAP: u64 = 30;
/// The first minor with the current model of sizes.
const CURRENT_SIZES_SINCE: u32 = 33;

/// How sizes are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    /// Kubernetes 1.32: sizes are found when a function asks for them.
    Early,
    /// Later minors: sizes are found when a part is visited. Variables and parts of containers have sizes of their own.
    Current,
}

/// A field path: a piece of the memory, with room for more steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Path {
    start: usize,
    length: usize,
    room: usize,
}

/// Memory for paths, which is overwritten as the server's slices are.
#[derive(Debug)]
struct Memory<'r> {
    steps: Vec<PathElement<'r>>,
}

impl<'r> Memory<'r> {
    /// The path with one more step. It is written behind the path where there is room, whatever another path has there.
    fn append(&mut self, mut path: Path, step: PathElement<'r>) -> Path {
        if path.length == path.room {
            let steps = path.start..path.start + path.length;
            path.start = self.steps.len();
            path.room = (path.room * 2).max(1);
            self.steps.extend_from_within(steps);
            self.steps.resize(path.start + path.room, step);
        }
        self.steps[path.start + path.length] = step;
        path.length += 1;
        path
    }

    fn steps(&self, path: Path) -> &[PathElement<'r>] {
        &self.steps[path.start..path.start + path.length]
    }
}

/// The sizes of the keys and values of a container.
#[derive(Clone, Copy, Debug)]
struct Entries {
    is_list: bool,
    keys: Range,
    values: Range,
}

impl Entries {
    fn union(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (one, other) = (one?, other?);
        Some(Self { is_list: one.is_list, keys: one.keys.union(other.keys), values: one.values.union(other.values) })
    }
}

#[derive(Clone, Copy, Debug)]
struct Local<'r> {
    name: &'r str,
    /// The list or map of its loop. The early model finds the path again for each use.
    range: Option<PartId>,
    path: Path,
    size: Option<Range>,
    entries: Option<Entries>,
}

/// An operand of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) part: PartId,
    pub(super) path: Path,
    /// Its size, where the visit found one.
    pub(super) size: Option<Range>,
}

/// The cost of a call and the size of its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallCost {
    pub(super) cost: Range,
    pub(super) size: Option<Range>,
}

impl CallCost {
    pub(super) fn of(cost: Range) -> Self {
        Self { cost, size: None }
    }

    pub(super) fn sized(cost: Range, size: Range) -> Self {
        Self { cost, size: Some(size) }
    }
}

pub(super) struct Coster<'r, 'n, 'e> {
    pub(super) expression: &'e Expansion<'r, 'n>,
    pub(super) minor: u32,
    sizes: Sizes,
    root: Declared<'n>,
    memory: Memory<'r>,
    locals: Vec<Local<'r>>,
    costs: Vec<Range>,
    computed: Vec<Option<Range>>,
    entries: Vec<Option<Entries>>,
    paths: Vec<Path>,
    /// Whether another minor can have another cost.
    pub(super) depends_on_minor: Cell<bool>,
}

/// The cost of one evaluation, and whether it is that of all minors with the current model of sizes.
pub(super) fn cost<'r, 'n>(expression: &Expansion<'r, 'n>, root: Declared<'n>, minor: u32) -> (Range, bool) {
    let count = expression.forms.len();
    let mut coster = Coster {
        expression,
        minor,
        sizes: if minor < CURRENT_SIZES_SINCE { Sizes::Early } else { Sizes::Current },
        root,
        memory: Memory { steps: Vec::with_capacity(2 * count) },
        locals: Vec::new(),
        costs: vec![Range::default(); count],
        computed: vec![None; count],
        entries: vec![None; count],
        paths: vec![Path::default(); count],
        depends_on_minor: Cell::new(false),
    };
    let cost = coster.visit(expression.root);
    (cost, coster.sizes == Sizes::Current && !coster.depends_on_minor.get())
}

impl<'r, 'n> Coster<'r, 'n, '_> {
    fn visit(&mut self, part: PartId) -> Range {
        let expression = self.expression;
        let one = Range::exactly(1);
        let cost = match &expression.forms[part] {
            Form::Constant { .. } => Range::default(),
            Form::Name(name) => {
                self.paths[part] = self.path_of_name(name);
                one
            }
            Form::Field { of, name } => {
                let mut cost = self.visit(*of);
                if matches!(self.type_of(*of), Type::Object { .. } | Type::ResourceMetadata { .. } | Type::Map(..)) {
                    cost = cost.plus(one);
                }
                self.paths[part] = self.memory.append(self.path(*of), PathElement::Name(name));
                cost
            }
            Form::Test { of } => self.visit(*of),
            Form::Call { name, ways, target, arguments } => self.call(part, name, ways, *target, arguments),
            Form::Logic(terms) => {
                let mut costs = terms.iter().map(|term| {
                    let cost = self.visit(*term);
                    self.operand(*term);
                    cost
                });
                let first = costs.next().unwrap_or_default();
                let max = costs.fold(first.max, |sum, cost| sum.saturating_add(cost.max));
                Range { min: first.min, max }
            }
            Form::List(items) => self.list(part, items),
            Form::Map(entries) => self.map(part, entries),
            Form::Loop(parts) => self.visit_loop(part, parts),
            Form::Bind { name, value, result } => {
                let sum = Range::exactly(LIST).plus(self.visit(*value));
                match self.sizes {
                    Sizes::Early => {
                        let sum = sum.plus(self.visit(*result));
                        // To this model it is a loop over an empty list.
                        self.computed[part] = Some(Range::default());
                        sum
                    }
                    Sizes::Current => {
                        self.bind(name, *value);
                        let sum = sum.plus(self.visit(*result));
                        self.locals.pop();
                        self.copy_sizes(part, *result);
                        sum
                    }
                }
            }
            Form::Again(before) => {
                self.paths[part] = self.path(*before);
                self.computed[part] = self.computed[*before];
                self.entries[part] = self.entries[*before];
                self.costs[*before]
            }
        };
        self.costs[part] = cost;
        cost
    }

    fn list(&mut self, part: PartId, items: &[PartId]) -> Range {
        let mut sum = Range::exactly(LIST);
        let mut values = if items.is_empty() { Range::default() } else { Range::EMPTY };
        for item in items {
            sum = sum.plus(self.visit(*item));
            values = values.union(self.size_of(*item));
        }
        self.set_entries(part, Some(Entries { is_list: true, keys: Range::exactly(1), values }));
        sum
    }

    fn map(&mut self, part: PartId, entries: &[PartId]) -> Range {
        let mut sum = Range::exactly(MAP);
        let start = if entries.is_empty() { Range::default() } else { Range::EMPTY };
        let (mut keys, mut values) = (start, start);
        for entry in entries.chunks(2) {
            for one in entry {
                sum = sum.plus(self.visit(*one));
            }
            keys = keys.union(entry.first().map_or(Range::UNKNOWN, |key| self.size_of(*key)));
            values = values.union(entry.get(1).map_or(Range::UNKNOWN, |value| self.size_of(*value)));
        }
        self.set_entries(part, Some(Entries { is_list: false, keys, values }));
        sum
    }

    fn visit_loop(&mut self, part: PartId, parts: &Loop<'r>) -> Range {
        let Loop { range, first, second, start, condition, step, result } = *parts;
        let sum = self.visit(range).plus(self.visit(start));
        let outside = self.locals.len();
        match (self.sizes, second) {
            // The second variable is not tracked.
            (Sizes::Early, _) => {
                let local = Local { name: first, range: Some(range), path: Path::default(), size: None, entries: None };
                self.locals.push(local);
            }
            (Sizes::Current, None) => {
                self.bind(RESULT, start);
                self.enter(first, range, None);
            }
            (Sizes::Current, Some(second)) => {
                self.bind(RESULT, start);
                self.enter(first, range, Some(true));
                self.enter(second, range, Some(false));
            }
        }
        let each = self.visit(condition).plus(self.visit(step));
        self.locals.truncate(if self.sizes == Sizes::Current { outside + 1 } else { outside });
        let sum = sum.plus(self.visit(result));
        self.locals.truncate(outside);
        let count = match self.sizes {
            Sizes::Early => {
                let operand = self.operand(range);
                self.size(operand)
            }
            Sizes::Current => self.size_of(range),
        };
        let is_container = matches!(self.expression.forms[start], Form::List(_) | Form::Map(_));
        match self.sizes {
            Sizes::Early => self.computed[part] = Some(count),
            Sizes::Current if is_container => {
                self.set_size(part, Some(count));
                self.set_entries(part, self.entries_of(step));
            }
            Sizes::Current => {
                let size = self.computed_size(start);
                self.set_size(part, size);
            }
        }
        sum.plus(count.times(each))
    }
}

impl<'r, 'n> Coster<'r, 'n, '_> {
    // ---- variables and paths ----

    fn local(&self, name: &str) -> Option<Local<'r>> {
        self.locals.iter().rev().find(|local| local.name == name).copied()
    }

    fn local_of(&self, part: PartId) -> Option<Local<'r>> {
        match self.expression.forms[part] {
            Form::Name(name) => self.local(name),
            _ => None,
        }
    }

    /// Adds a variable with this value.
    fn bind(&mut self, name: &'r str, value: PartId) {
        let entries = self.entries_of(value);
        let local = Local { name, range: None, path: self.path(value), size: self.computed_size(value), entries };
        self.locals.push(local);
    }

    /// Adds a variable of a loop: the item or the key, or of two variables the key or the value.
    fn enter(&mut self, name: &'r str, range: PartId, is_key: Option<bool>) {
        let entries = self.entries_of(range);
        let is_list = match entries {
            Some(entries) => entries.is_list,
            None => matches!(self.type_of(range), Type::List(..)),
        };
        let is_key = is_key.unwrap_or(!is_list);
        let step = match (is_key, is_list) {
            (true, true) => PathElement::Indices,
            (true, false) => PathElement::Keys,
            (false, true) => PathElement::Items,
            (false, false) => PathElement::Values,
        };
        let size = entries.map(|entries| if is_key { entries.keys } else { entries.values });
        let path = self.memory.append(self.path(range), step);
        self.locals.push(Local { name, range: None, path, size, entries: None });
    }

    fn path_of_name(&mut self, name: &'r str) -> Path {
        match self.local(name) {
            Some(Local { range: Some(range), .. }) => {
                let step = match self.type_of(range) {
                    Type::List(..) => PathElement::Items,
                    Type::Map(..) => PathElement::Keys,
                    _ => return Path::default(),
                };
                self.memory.append(self.paths[range], step)
            }
            Some(local) => local.path,
            None => self.memory.append(Path::default(), PathElement::Name(name)),
        }
    }

    fn path(&self, part: PartId) -> Path {
        match self.local_of(part) {
            Some(local) if self.sizes == Sizes::Current => local.path,
            _ => self.paths[part],
        }
    }

    pub(super) fn type_of(&self, part: PartId) -> &Type<'n> {
        &self.expression.types[part]
    }

    // ---- sizes ----

    fn set_size(&mut self, part: PartId, size: Option<Range>) {
        if size.is_some() {
            self.computed[part] = size;
        }
    }

    fn set_entries(&mut self, part: PartId, entries: Option<Entries>) {
        if entries.is_some() {
            self.entries[part] = entries;
        }
    }

    fn copy_sizes(&mut self, to: PartId, from: PartId) {
        let size = self.computed_size(from);
        self.set_size(to, size);
        self.set_entries(to, self.entries_of(from));
    }

    fn entries_of(&self, part: PartId) -> Option<Entries> {
        self.entries[part].or_else(|| self.local_of(part)?.entries)
    }

    /// The size of a literal.
    fn literal_size(&self, part: PartId) -> Option<Range> {
        let length = |length: usize| Some(Range::exactly(u64::try_from(length).unwrap_or(u64::MAX)));
        match &self.expression.forms[part] {
            Form::Constant { size, .. } => Some(Range::exactly(*size)),
            Form::List(items) => length(items.len()),
            Form::Map(entries) => length(entries.len() / 2),
            _ => None,
        }
    }

    /// The size that the schema allows for the value with this path.
    fn declared_size(&self, path: Path, more: Option<PathElement<'_>>) -> Option<Range> {
        // The first step is the name of a variable, which is taken for `self`.
        let steps = self.memory.steps(path);
        let (_, below) = steps.split_first()?;
        let mut declared = self.root;
        for step in below.iter().copied().chain(more) {
            declared = declared.below(step, self.minor)?;
        }
        if declared.depends_on_minor() {
            self.depends_on_minor.set(true);
        }
        Some(Range { min: 0, max: declared.largest(self.minor) })
    }

    fn scalar_size(&self, part: PartId) -> Option<Range> {
        let mut of = self.type_of(part);
        if let (Type::Optional(content, _), Sizes::Current) = (of, self.sizes) {
            of = content;
            while let Type::Optional(content, _) = of {
                of = content;
            }
        }
        use Scalar::{Boolean, Double, Duration, Integer, Timestamp, Unsigned};
        let is_scalar = matches!(of, Type::Scalar(Boolean | Double | Duration | Integer | Timestamp | Unsigned));
        is_scalar.then_some(Range::exactly(1))
    }

    fn computed_size(&mut self, part: PartId) -> Option<Range> {
        if let Some(size) = self.computed[part].or_else(|| self.literal_size(part)) {
            return Some(size);
        }
        if let Some(size) = self.declared_size(self.path(part), None) {
            self.computed[part] = Some(size);
            return Some(size);
        }
        self.scalar_size(part).or_else(|| self.local_of(part)?.size)
    }

    fn size_of(&mut self, part: PartId) -> Range {
        self.computed_size(part).unwrap_or(Range::UNKNOWN)
    }

    fn operand(&mut self, part: PartId) -> Operand {
        let path = self.path(part);
        let is_result = self.memory.steps(path).first() == Some(&PathElement::Name(RESULT));
        let size = match self.sizes {
            Sizes::Early => self.computed[part].or_else(|| self.literal_size(part)),
            Sizes::Current => self.computed_size(part),
        };
        Operand { part, path: if is_result { Path::default() } else { path }, size }
    }

    /// The size of an operand for functions of CEL.
    pub(super) fn size(&self, operand: Operand) -> Range {
        let found = match self.sizes {
            Sizes::Early => operand
                .size
                .or_else(|| self.declared_size(operand.path, None))
                .or_else(|| self.scalar_size(operand.part)),
            Sizes::Current => operand.size,
        };
        found.unwrap_or(Range::UNKNOWN)
    }

    /// The size of an operand for functions of libraries.
    pub(super) fn library_size(&self, operand: Operand) -> Range {
        operand.size.or_else(|| self.declared_size(operand.path, None)).unwrap_or(Range::UNKNOWN)
    }

    /// The size of the items of an operand, from the schema only.
    pub(super) fn item_size(&self, list: Operand) -> Range {
        let declared =
            if list.path.length == 0 { None } else { self.declared_size(list.path, Some(PathElement::Items)) };
        declared.unwrap_or(Range::UNKNOWN)
    }

    // ---- calls ----

    fn call(&mut self, part: PartId, name: &str, ways: &[Way], target: Option<PartId>, arguments: &[PartId]) -> Range {
        if let ("dyn", [argument], Sizes::Current) = (name, arguments, self.sizes) {
            let cost = self.visit(*argument);
            self.copy_sizes(part, *argument);
            return cost.plus(Range::exactly(1));
        }
        let mut costs = Vec::with_capacity(arguments.len());
        let mut operands = Vec::with_capacity(arguments.len());
        for argument in arguments {
            costs.push(self.visit(*argument));
            operands.push(self.operand(*argument));
        }
        let mut sum = Range::default();
        let target = target.map(|target| {
            sum = self.visit(target);
            self.operand(target)
        });
        let mut cost = Range::EMPTY;
        let mut size: Option<Range> = None;
        for way in ways.iter().copied() {
            let found = match (name, &costs[..]) {
                ("_?_:_", [test, yes, no]) => self.conditional(part, &operands, test.plus(yes.union(*no))),
                _ => {
                    if let ("_+_", Way::Sized | Way::List, [left, right]) = (name, way, arguments) {
                        self.set_entries(part, Entries::union(self.entries_of(*left), self.entries_of(*right)));
                    }
                    let mut found = self.function(name, way, target, &operands);
                    found.cost = costs.iter().fold(found.cost, |sum, cost| sum.plus(*cost));
                    found
                }
            };
            cost = cost.union(found.cost);
            size = match (size, found.size) {
                (Some(one), Some(other)) => Some(one.union(other)),
                (one, other) => one.or(other),
            };
            let step = match (name, way) {
                ("_[_]", Way::List) => Some(PathElement::Items),
                ("_[_]", Way::Map) => Some(PathElement::Values),
                _ => None,
            };
            if let (Some(step), [container, ..]) = (step, arguments) {
                if self.sizes == Sizes::Current {
                    size = self.entries_of(*container).map(|entries| entries.values);
                }
                self.paths[part] = self.memory.append(self.path(*container), step);
            }
            if size.is_none() && self.sizes == Sizes::Current {
                size = self.computed_size(part);
            }
        }
        self.set_size(part, size);
        sum.plus(cost)
    }

    fn conditional(&mut self, part: PartId, operands: &[Operand], cost: Range) -> CallCost {
        let [_, yes, no] = operands else { return CallCost::of(cost) };
        if self.sizes == Sizes::Current {
            let entries = Entries::union(self.entries_of(yes.part), self.entries_of(no.part));
            self.set_entries(part, entries);
        }
        CallCost::sized(cost, self.size(*yes).union(self.size(*no)))
    }
}
