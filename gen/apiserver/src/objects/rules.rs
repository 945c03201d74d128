//! Rules (`x-kubernetes-validations`): compiled once, evaluated for each object with the server's budget.
//!
//! Invariants, those of the server:
//! * A node's own rules come first, then those of `allOf`, then those of keys, fields and items.
//! * Rules of a null are not evaluated, nor rules with `oldSelf` where there is no stored value, unless `optionalOldSelf` is set.
//! * The cost of all rules of an object counts against one budget, that of each expression against another. Where the budget ends, no
//!   more rules are evaluated.
//! * In an update, a rule that fails for a part that is equal to its stored value is a warning, unless the rule has `oldSelf`.
//! * A `messageExpression` that fails, or results in a text that is empty, too long or has line breaks, gives way to `message`.

use std::sync::Arc;

use crd_cel::{
    CALL_BUDGET, Environment, Expression, Failure, OBJECT_BUDGET, Program, SUGGESTIONS, Value as CelValue,
    mentions_old_self,
};
use crd_model::schema::{Schema, Validation};
use serde_json::{Map, Value};

use super::error::{Broken, ErrorKind, FieldError, Origin, Report, Shown};
use super::{RuleProblem, Warning};
use crate::correlation::{Correlation, StoredItems};
use crate::field_path;
use crate::go_text::quoted;
use crate::path::{Combinator, Path, Segment};

/// The longest text of a `messageExpression`, in bytes.
const LONGEST_MESSAGE: usize = 5 * 1024;

/// The rules of a node and of the nodes below it. Nodes without rules are left out.
#[derive(Debug, Default)]
pub(super) struct RuleNode {
    rules: Vec<Arc<Rule>>,
    /// With the index of the branch.
    all_of: Vec<(usize, Arc<RuleNode>)>,
    values: Option<Arc<RuleNode>>,
    properties: Vec<(String, Arc<RuleNode>)>,
    items: Option<Arc<RuleNode>>,
}

/// A schema and its compiled rules, which a similar schema takes over where it is equal.
#[derive(Clone, Copy)]
struct Compiled<'c> {
    schema: &'c Schema,
    node: &'c Arc<RuleNode>,
}

impl<'c> Compiled<'c> {
    fn below(schema: Option<&'c Schema>, node: Option<&'c Arc<RuleNode>>) -> Option<Self> {
        schema.zip(node).map(|(schema, node)| Self { schema, node })
    }

    fn property(self, name: &str) -> Option<Self> {
        let node = self.node.properties.iter().find(|(known, _)| known == name).map(|(_, node)| node);
        Self::below(self.schema.properties.get(name), node)
    }
}

#[derive(Debug)]
struct Rule {
    /// In the node.
    index: usize,
    program: Program,
    message_program: Option<Program>,
    validation: Validation,
    uses_old_self: bool,
    /// The path of the error below the node, as the server writes it.
    field_path: Option<String>,
}

/// Compiles the rules of a resource. Nothing if it has none.
///
/// # Errors
///
/// Every rule that does not compile.
pub(super) fn prepare(schema: &Schema, minor: u32) -> Result<Option<Arc<RuleNode>>, Vec<RuleProblem>> {
    compile(schema, minor, None)
}

/// The same for a schema that differs from a compiled one in few nodes. Rules are taken over unless a type in sight of them differs.
///
/// # Errors
///
/// Every rule that does not compile.
pub(super) fn exchange(
    schema: &Schema,
    minor: u32,
    old: &Schema,
    rules: &Arc<RuleNode>,
) -> Result<Option<Arc<RuleNode>>, Vec<RuleProblem>> {
    compile(schema, minor, has_same_types(old, schema).then_some(Compiled { schema: old, node: rules }))
}

fn compile(
    schema: &Schema,
    minor: u32,
    known: Option<Compiled<'_>>,
) -> Result<Option<Arc<RuleNode>>, Vec<RuleProblem>> {
    if !has_rules(schema) {
        return Ok(None);
    }
    let mut compiler = Compiler { minor, path: String::new(), problems: Vec::new() };
    let node = compiler.node(schema, schema, true, None, known);
    if compiler.problems.is_empty() { Ok(node) } else { Err(compiler.problems) }
}

/// Whether rules see values of the same types.
fn has_same_types(one: &Schema, other: &Schema) -> bool {
    if std::ptr::eq(one, other) {
        return true;
    }
    let own = |node: &Schema| {
        let flags = [node.nullable, node.int_or_string, node.embedded_resource];
        (flags, node.preserve_unknown_fields, node.kind.clone(), node.format.clone(), node.list_type.clone())
    };
    let keys = |node: &Schema| (node.list_map_keys.clone(), node.map_type.clone());
    let both = |one: Option<&Schema>, other: Option<&Schema>| match (one, other) {
        (Some(one), Some(other)) => has_same_types(one, other),
        (one, other) => one.is_none() && other.is_none(),
    };
    own(one) == own(other)
        && keys(one) == keys(other)
        && both(one.items.as_deref(), other.items.as_deref())
        && both(one.values(), other.values())
        && one.properties.len() == other.properties.len()
        && one.properties.iter().all(|(name, property)| both(Some(property), other.properties.get(name)))
}

/// What the rules of a node and below it say of its default, as a server of the newest minor evaluates them in a CRD: once with the default
/// as its own stored value, and once without a stored value. What is not decided is among the errors, and rules that do not compile are left
/// out. `cost` is that of the defaults before.
pub(crate) fn of_default(schema: &Schema, default: &Value, is_root: bool, cost: &mut u64) -> Vec<FieldError> {
    if !has_rules(schema) {
        return Vec::new();
    }
    let mut compiler = Compiler { minor: super::MINORS.1, path: String::new(), problems: Vec::new() };
    let Some(node) = compiler.node(schema, schema, is_root, Some(&[default]), None) else { return Vec::new() };
    let before = *cost;
    for old in [Some(default), None] {
        let mut report = Report::new(compiler.minor);
        let mut run = Run { budget: OBJECT_BUDGET.saturating_sub(before), report: &mut report };
        // An exhausted budget is one of the errors.
        let ratchet = Ratchet::default();
        let _ = run.node(&node, Part { schema, value: default, old, ratchet, path: &Path::ROOT, is_root });
        *cost = OBJECT_BUDGET.saturating_sub(run.budget).max(*cost);
        report.errors.append(&mut report.undecided);
        if !report.errors.is_empty() {
            return report.errors;
        }
    }
    Vec::new()
}

/// The rules of `allOf` do not count here, as in the server.
fn has_rules(schema: &Schema) -> bool {
    !schema.validations.is_empty()
        || schema.items.as_deref().is_some_and(has_rules)
        || schema.values().is_some_and(has_rules)
        || schema.properties.values().any(has_rules)
}

struct Compiler {
    minor: u32,
    path: String,
    problems: Vec<RuleProblem>,
}

impl Compiler {
    /// The rules of `source`, which is a node or a part of its `allOf`, over the values that `spine` describes. If only some `values` are of
    /// interest, rules that they do not reach are left out. `known` are rules at this node over values of the same types.
    fn node(
        &mut self,
        source: &Schema,
        spine: &Schema,
        is_root: bool,
        values: Option<&[&Value]>,
        known: Option<Compiled<'_>>,
    ) -> Option<Arc<RuleNode>> {
        if values.is_some_and(<[_]>::is_empty) {
            return None;
        }
        if let Some(known) = known.filter(|known| std::ptr::eq(known.schema, source)) {
            return Some(Arc::clone(known.node));
        }
        let each = |below: fn(&Value) -> Vec<&Value>| {
            values.map(|values| values.iter().flat_map(|value| below(value)).collect::<Vec<_>>())
        };
        let mut node = RuleNode::default();
        let is_resource = is_root || spine.embedded_resource;
        for (index, validation) in source.validations.iter().enumerate() {
            if validation.rule.trim().is_empty() {
                continue;
            }
            let is_known = |known: &&Arc<Rule>| known.index == index && known.validation == *validation;
            node.rules.extend(match known.and_then(|known| known.node.rules.iter().find(is_known)) {
                Some(known) => Some(Arc::clone(known)),
                None => self.rule(index, validation, spine, is_resource).map(Arc::new),
            });
        }
        if let (Some(source), Some(spine)) = (source.items.as_deref(), spine.items.as_deref()) {
            let values = each(|value| value.as_array().into_iter().flatten().collect());
            let known =
                known.and_then(|known| Compiled::below(known.schema.items.as_deref(), known.node.items.as_ref()));
            node.items = self.below("[*]", |compiler| compiler.node(source, spine, false, values.as_deref(), known));
        }
        for (name, source) in &source.properties {
            let Some(spine) = spine.properties.get(name) else { continue };
            // Rules do not see fields without a type, nor anything below them.
            if crd_cel::is_visible(spine) {
                let values = values.map(|values| values.iter().filter_map(|value| value.get(name.as_ref())).collect());
                let values: Option<Vec<&Value>> = values;
                let known = known.and_then(|known| known.property(name));
                let found = self.below(&format!(".{name}"), |compiler| {
                    compiler.node(source, spine, false, values.as_deref(), known)
                });
                node.properties.extend(found.map(|found| (name.to_string(), found)));
            }
        }
        if let (Some(source), Some(spine)) = (source.values(), spine.values()) {
            let values = each(|value| value.as_object().into_iter().flat_map(Map::values).collect());
            let known = known.and_then(|known| Compiled::below(known.schema.values(), known.node.values.as_ref()));
            node.values = self.below("[*]", |compiler| compiler.node(source, spine, false, values.as_deref(), known));
        }
        for (index, part) in source.all_of.iter().enumerate() {
            node.all_of.extend(self.node(part, spine, is_root, values, None).map(|part| (index, part)));
        }
        let is_empty = node.rules.is_empty()
            && node.all_of.is_empty()
            && node.values.is_none()
            && node.properties.is_empty()
            && node.items.is_none();
        (!is_empty).then(|| Arc::new(node))
    }

    fn below<T>(&mut self, step: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path.push_str(if length == 0 { step.trim_start_matches('.') } else { step });
        let result = work(self);
        self.path.truncate(length);
        result
    }

    fn rule(&mut self, index: usize, validation: &Validation, spine: &Schema, is_resource: bool) -> Option<Rule> {
        let environment = Environment::rule(spine, is_resource)
            .optional_old_self(validation.optional_old_self == Some(true))
            .suggestions(SUGGESTIONS.saturating_sub(self.problems.len()))
            .kubernetes(self.minor);
        let program = self.compile(&validation.rule, environment.expression(Expression::Rule));
        let message = validation.message_expression.as_deref().filter(|source| !source.is_empty());
        let message_program = message.map(|source| self.compile(source, environment.expression(Expression::Message)));
        let field_path = validation.field_path.as_deref().filter(|path| !path.is_empty());
        Some(Rule {
            index,
            program: program?,
            message_program: message_program.flatten(),
            uses_old_self: mentions_old_self(&validation.rule),
            field_path: field_path
                .and_then(|path| field_path::resolve(spine, path, true).ok())
                .map(|field| field.shown)
                .filter(|path| !path.is_empty()),
            validation: validation.clone(),
        })
    }

    fn compile(&mut self, source: &str, environment: Environment<'_>) -> Option<Program> {
        match Program::compile(source, environment) {
            Ok(program) => Some(program),
            Err(problems) => {
                self.problems.extend(problems.into_iter().map(|problem| RuleProblem {
                    path: self.path.clone(),
                    source: source.to_owned(),
                    problem: problem.kind.to_string(),
                }));
                None
            }
        }
    }
}

/// What ends the evaluation of all rules.
struct OutOfBudget;

/// How a part relates to its stored value, for ratcheting.
#[derive(Clone, Copy, Default)]
struct Ratchet<'v> {
    current: Option<Correlation<'v>>,
    /// The nearest part around this one that has a stored value.
    nearest: Option<Correlation<'v>>,
}

impl<'v> Ratchet<'v> {
    fn allows(&self) -> bool {
        self.current.or(self.nearest).is_some_and(|correlation| correlation.is_equal())
    }

    fn member(&self, name: &str) -> Self {
        let Some(current) = self.current else { return *self };
        let is_root = self.nearest.is_none();
        if is_root && matches!(name, "apiVersion" | "kind") {
            return Self::default();
        }
        Self { current: current.member(name, false), nearest: self.current }
    }
}

impl RuleNode {
    /// Evaluates the rules for an object.
    pub(super) fn check(
        &self,
        schema: &Schema,
        object: &Value,
        old: Option<&Value>,
        is_ratcheted: bool,
        report: &mut Report,
    ) {
        let mut run = Run { budget: OBJECT_BUDGET, report };
        let current = old.filter(|_| is_ratcheted).map(|old| Correlation::of(schema, old, object));
        // An exhausted budget is one of the errors.
        let ratchet = Ratchet { current, nearest: None };
        let _ = run.node(self, Part { schema, value: object, old, ratchet, path: &Path::ROOT, is_root: true });
        run.report.cost += OBJECT_BUDGET - run.budget;
    }
}

/// A part of the object.
#[derive(Clone, Copy)]
struct Part<'p, 'v> {
    schema: &'v Schema,
    value: &'v Value,
    old: Option<&'v Value>,
    ratchet: Ratchet<'v>,
    path: &'p Path<'p, 'v>,
    is_root: bool,
}

impl<'v> Part<'_, 'v> {
    /// The type, as errors show it.
    fn kind(&self) -> &'v str {
        if self.schema.int_or_string { "" } else { self.schema.kind.as_deref().unwrap_or_default() }
    }

    fn in_rules(&self, value: &'v Value) -> CelValue<'v> {
        match self.is_root || self.schema.embedded_resource {
            true => CelValue::from_resource(value, self.schema),
            false => CelValue::from_json(value, self.schema),
        }
    }
}

struct Run<'r> {
    budget: u64,
    report: &'r mut Report,
}

const OVER_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

impl Run<'_> {
    fn node(&mut self, node: &RuleNode, part: Part<'_, '_>) -> Result<(), OutOfBudget> {
        if part.value.is_null() {
            return Ok(());
        }
        let part = Part { old: part.old.filter(|old| !old.is_null()), ..part };
        if !node.rules.is_empty() {
            self.rules(&node.rules, &part)?;
        }
        for (index, rules) in &node.all_of {
            let ratchet = Ratchet { current: None, nearest: part.ratchet.nearest };
            let path = &part.path.below(Segment::Branch(Combinator::AllOf, *index));
            self.node(rules, Part { ratchet, path, ..part })?;
        }
        let Part { schema, old, ratchet, path, .. } = part;
        match part.value {
            Value::Array(items) => {
                let (Some(rules), Some(schema)) = (&node.items, schema.items.as_deref()) else { return Ok(()) };
                let stored = old.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                let stored = StoredItems::of(part.schema, stored);
                let correlated = ratchet.current.map(|current| current.items());
                for (index, value) in items.iter().enumerate() {
                    let ratchet = match &correlated {
                        Some(items) => Ratchet { current: items.of(value), nearest: ratchet.current },
                        None => ratchet,
                    };
                    let (old, path) = (stored.get(value), &path.item(index));
                    self.node(rules, Part { schema, value, old, ratchet, path, is_root: false })?;
                }
            }
            Value::Object(object) => {
                let is_correlated = matches!(schema.map_type.as_deref(), None | Some("granular" | "atomic"));
                let stored = old.and_then(Value::as_object).filter(|_| is_correlated);
                let mut member = |rules: &RuleNode, schema, name, value, path: &Path<'_, '_>| {
                    let old = stored.and_then(|stored| stored.get(name));
                    self.node(rules, Part { schema, value, old, ratchet: ratchet.member(name), path, is_root: false })
                };
                if let (Some(rules), Some(schema)) = (&node.values, schema.values()) {
                    for (name, value) in object {
                        member(rules, schema, name, value, &path.key(name))?;
                    }
                }
                for (name, rules) in &node.properties {
                    if let (Some((name, value)), Some(schema)) =
                        (object.get_key_value(name), schema.properties.get(name))
                    {
                        member(rules, schema, name, value, &path.field(name))?;
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(())
    }

    fn rules(&mut self, rules: &[Arc<Rule>], part: &Part<'_, '_>) -> Result<(), OutOfBudget> {
        if self.budget == 0 {
            return self.out_of_budget(part, OVER_BUDGET);
        }
        // If no rule of the node reads it, messages cannot either.
        let is_read = rules.iter().any(|rule| rule.uses_old_self);
        let old = part.old.map(|old| part.in_rules(old));
        let mut inputs = vec![part.in_rules(part.value)];
        inputs.extend(old.clone().filter(|_| is_read));
        for rule in rules {
            let is_optional = rule.validation.optional_old_self == Some(true);
            if rule.uses_old_self && old.is_none() && !is_optional {
                continue;
            }
            let with_optional;
            let given: &[CelValue<'_>] = if is_optional && is_read {
                with_optional = [inputs[0].clone(), CelValue::optional(old.clone())];
                &with_optional
            } else {
                &inputs
            };
            let evaluation = rule.program.evaluate_within(given, CALL_BUDGET, &mut self.report.searching);
            if evaluation.cost > self.budget {
                return self.out_of_budget(part, OVER_BUDGET);
            }
            self.budget -= evaluation.cost;
            match evaluation.value {
                Ok(CelValue::Boolean(true)) => {}
                Err(failure) => self.failed(rule, part, &failure)?,
                Ok(_) => self.broken(rule, part, &inputs)?,
            }
        }
        Ok(())
    }

    fn invalid(&mut self, part: &Part<'_, '_>, detail: &str) {
        self.report.error(ErrorKind::Invalid, part.path, Shown::Text(part.kind()), detail);
    }

    /// Reports the reason why no more rules are evaluated.
    fn out_of_budget(&mut self, part: &Part<'_, '_>, detail: &str) -> Result<(), OutOfBudget> {
        self.invalid(part, detail);
        Err(OutOfBudget)
    }

    /// The rule does not have a value.
    fn failed(&mut self, rule: &Rule, part: &Part<'_, '_>, failure: &Failure) -> Result<(), OutOfBudget> {
        let text = rule.shown();
        if failure.is_undecided() {
            let detail = format!("{failure} evaluating rule: {text}");
            let error = self.report.make(ErrorKind::Invalid, part.path, Shown::Text(part.kind()), &detail);
            self.report.undecided.push(error);
            return Ok(());
        }
        let failure = failure.to_string();
        let detail = if failure.starts_with("no such overload") {
            let mismatch = "call arguments did not match a supported operator, function or macro signature for rule";
            format!("'{failure}': {mismatch}: {text}")
        } else if failure.starts_with("operation cancelled: actual cost limit exceeded") {
            let end = "no further validation rules will be run due to call cost exceeds limit for rule";
            return self.out_of_budget(part, &format!("'{failure}': {end}: {text}"));
        } else {
            format!("{failure} evaluating rule: {text}")
        };
        let error = self.report.make(ErrorKind::Invalid, part.path, Shown::Text(part.kind()), &detail);
        self.report.errors.push(error.of_rule(rule, part));
        Ok(())
    }

    /// The rule does not hold.
    fn broken(&mut self, rule: &Rule, part: &Part<'_, '_>, inputs: &[CelValue<'_>]) -> Result<(), OutOfBudget> {
        let detail = self.message(rule, part, inputs)?.unwrap_or_else(|| rule.message());
        let kind = part.kind();
        // Since 1.35, the value is shown where it is a scalar.
        let shown = match (self.report.minor >= 35, kind) {
            (false, _) => Shown::Text(kind),
            (true, "object" | "array") => Shown::Omitted,
            (true, _) => Shown::Value(part.value),
        };
        let error = match rule.validation.reason.as_deref() {
            Some("FieldValueForbidden") => ErrorKind::Forbidden,
            Some("FieldValueRequired") => ErrorKind::Required,
            Some("FieldValueDuplicate") => ErrorKind::Duplicate,
            _ => ErrorKind::Invalid,
        };
        // A server leaves the text of a duplicate out.
        let detail = if error == ErrorKind::Duplicate { "" } else { &detail };
        self.add(rule, part, error, shown, detail);
        Ok(())
    }

    /// The text of the `messageExpression`, if it is usable.
    fn message(
        &mut self,
        rule: &Rule,
        part: &Part<'_, '_>,
        inputs: &[CelValue<'_>],
    ) -> Result<Option<String>, OutOfBudget> {
        let Some(program) = &rule.message_program else { return Ok(None) };
        let evaluation = program.evaluate_within(inputs, CALL_BUDGET, &mut self.report.searching);
        let end = if evaluation.cost > self.budget {
            "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run".to_owned()
        } else {
            match evaluation.value {
                Err(failure) if failure.is_over_budget() => {
                    let source = rule.validation.message_expression.as_deref().unwrap_or_default();
                    format!(
                        "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                        quoted(source)
                    )
                }
                value => {
                    self.budget -= evaluation.cost;
                    let Ok(CelValue::Text(text)) = value else { return Ok(None) };
                    let text = text.trim();
                    let is_usable = !text.is_empty() && text.len() <= LONGEST_MESSAGE && !text.contains('\n');
                    return Ok(is_usable.then(|| text.to_owned()));
                }
            }
        };
        self.add(rule, part, ErrorKind::Invalid, Shown::Text(part.kind()), &end);
        Err(OutOfBudget)
    }

    fn add(&mut self, rule: &Rule, part: &Part<'_, '_>, kind: ErrorKind, shown: Shown<'_>, detail: &str) {
        let mut error = self.report.make(kind, part.path, shown, detail).of_rule(rule, part);
        if let Some(below) = &rule.field_path {
            error.field = if part.path.is_root() { below.clone() } else { format!("{}.{below}", error.field) };
        }
        if !rule.uses_old_self && part.ratchet.allows() {
            self.report.warnings.push(Warning::Rule(error));
        } else {
            self.report.errors.push(error);
        }
    }
}

impl FieldError {
    fn of_rule(self, rule: &Rule, part: &Part<'_, '_>) -> Self {
        Self { origins: vec![Origin::at(&part.path.trail(), Broken::Rule(rule.index))], ..self }
    }
}

impl Rule {
    fn shown(&self) -> &str {
        match self.validation.message.as_deref() {
            Some(message) if !message.is_empty() => message.trim(),
            _ => self.validation.rule.trim(),
        }
    }

    fn message(&self) -> String {
        match self.validation.message.as_deref() {
            Some(message) if !message.is_empty() => message.trim().to_owned(),
            _ => format!("failed rule: {}", self.validation.rule.trim()),
        }
    }
}
