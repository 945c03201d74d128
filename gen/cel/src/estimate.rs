//! The estimated cost of the rules of a CRD, as a server computes it when the CRD is created.
//!
//! A server refuses a rule above [`RULE_LIMIT`] and a CRD above [`CRD_LIMIT`].
//!
//! Invariants: the estimate is the server's, for each Kubernetes minor. A rule that a server cannot compile costs nothing. Rules inside `allOf`
//! and similar keywords are not visited.

mod advice;
mod calls;
mod coster;
mod declared;
mod expansion;
mod range;

pub use advice::Bound;
use std::rc::Rc;

use crd_model::schema::{AdditionalProperties, Schema, Step, below};
use declared::{Declared, PathElement, REQUEST_SIZE};
use expansion::Expansion;
pub use range::Range;

use super::library::format_text::separated;
use super::shapes::{NEWEST_MINOR, OLDEST_MINOR};
use super::{Environment, Expression, fields, infer, parser};

/// The highest estimate that a server accepts for one expression.
pub const RULE_LIMIT: u64 = 10_000_000;
/// The highest sum of the estimates that a server accepts for one version of a CRD.
pub const CRD_LIMIT: u64 = 100_000_000;

/// The supported minors whose estimates differ: 1.34 has those of 1.35 with fewer functions, and 1.36 has those of 1.35.
const ESTIMATED: [u32; 3] = [33, 35, 37];

/// The estimate of one expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleEstimate {
    /// The schema path of the node that has the rule, such as `spec.rules[*]`; empty for the root.
    pub path: String,
    /// The same path as a server writes it, below `openAPIV3Schema`: `.properties[spec].properties[rules].items`.
    pub location: String,
    /// The rule, counted from 0.
    pub index: usize,
    /// The expression of the rule.
    pub expression: Expression,
    /// The text of the expression.
    pub source: String,
    /// The cost of one evaluation.
    pub evaluation: Range,
    /// How often it can be evaluated in one request.
    pub evaluations: u64,
    /// The estimate: the highest cost of one evaluation, for each of them.
    pub cost: u64,
    /// The Kubernetes minor (1.x) with this estimate.
    pub minor: u32,
}

/// The estimates of a schema, in the order of the schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Rules and message expressions.
    pub rules: Vec<RuleEstimate>,
    pub total: u64,
    /// The Kubernetes minor (1.x) with this sum.
    pub minor: u32,
}

/// The rules of a resource's schema, ready to be estimated for several minors.
#[derive(Debug)]
pub struct Estimator<'s> {
    rules: Vec<Prepared<'s>>,
    /// The minors that count.
    minors: Vec<u32>,
}

/// A compiled expression and where it is evaluated.
#[derive(Debug)]
struct Prepared<'s> {
    steps: Rc<[Step<&'s str>]>,
    index: usize,
    expression: Expression,
    source: &'s str,
    expansion: Expansion<'s, 's>,
    /// What `self` is to the cost model.
    declared: Declared<'s>,
    evaluations: u64,
}

/// A node of the schema and what the nodes above it determine.
#[derive(Clone, Copy)]
struct Place<'s> {
    schema: &'s Schema,
    resource: bool,
    /// Its declared type, where it or a node above it has rules.
    declared: Option<Declared<'s>>,
    /// How many of it one object can have, if that is bounded.
    count: Option<u64>,
}

/// Estimates the rules of a resource's schema for a Kubernetes minor (1.x): 32 to 37; other numbers mean the nearest of them.
pub fn estimate(root: &Schema, minor: u32) -> Estimate {
    Estimator::new(root).estimate(minor)
}

impl<'s> Estimator<'s> {
    /// Prepares the rules of a resource's schema for all supported minors. Expressions with problems are left out.
    pub fn new(root: &'s Schema) -> Self {
        Self::for_minors(root, &ESTIMATED)
    }

    /// The same for these Kubernetes minors (1.x).
    pub fn for_minors(root: &'s Schema, minors: &[u32]) -> Self {
        let mut estimator = Self { rules: Vec::new(), minors: minors.to_vec() };
        let place = Place { schema: root, resource: true, declared: None, count: Some(1) };
        estimator.visit(place, &mut Vec::new());
        estimator
    }

    /// The estimate for a Kubernetes minor (1.x): 32 to 37; other numbers mean the nearest of them.
    pub fn estimate(&self, minor: u32) -> Estimate {
        let minor = minor.clamp(OLDEST_MINOR, NEWEST_MINOR);
        let compiled = self.rules.iter().filter(|rule| rule.expansion.since <= minor);
        let rules: Vec<RuleEstimate> = compiled.map(|rule| rule.estimate(minor)).collect();
        let total = rules.iter().fold(0_u64, |sum, rule| sum.saturating_add(rule.cost));
        Estimate { rules, total, minor }
    }

    /// Whether all minors accept the costs.
    pub fn is_accepted(&self) -> bool {
        let mut is_cheap = true;
        let totals = self.totals(|_, costs| is_cheap &= costs.iter().all(|(_, range)| range.max <= RULE_LIMIT));
        is_cheap && totals.iter().all(|total| *total <= CRD_LIMIT)
    }

    /// The highest estimate of each expression, and the highest sum, of the minors.
    pub fn worst(&self) -> Estimate {
        let mut worst = Estimate::default();
        let totals = self.totals(|rule, costs| {
            let highest = costs.iter().rev().max_by_key(|(_, total)| total.max);
            worst.rules.extend(highest.map(|(minor, _)| rule.estimate(*minor)));
        });
        for (total, minor) in totals.into_iter().zip(self.minors.iter().copied()) {
            if total > worst.total || worst.minor == 0 {
                (worst.total, worst.minor) = (total, minor);
            }
        }
        worst
    }

    /// The sum for each minor. `see` gets each rule with its estimates.
    fn totals(&self, mut see: impl FnMut(&Prepared<'s>, &[(u32, Range)])) -> Vec<u64> {
        let mut totals = vec![0_u64; self.minors.len()];
        let mut costs = Vec::with_capacity(self.minors.len());
        for rule in &self.rules {
            costs.clear();
            // Most estimates are the same in all minors.
            let mut same = None;
            let minors = self.minors.iter().copied();
            for (total, minor) in totals.iter_mut().zip(minors).filter(|(_, minor)| rule.expansion.since <= *minor) {
                let cost = same.unwrap_or_else(|| {
                    let (evaluation, is_same) = coster::cost(&rule.expansion, rule.declared, minor);
                    let cost = evaluation.times(Range::exactly(rule.evaluations));
                    same = is_same.then_some(cost);
                    cost
                });
                *total = total.saturating_add(cost.max);
                costs.push((minor, cost));
            }
            see(rule, &costs);
        }
        totals
    }

    fn visit(&mut self, mut place: Place<'s>, steps: &mut Vec<Step<&'s str>>) {
        let schema = place.schema;
        if place.declared.is_none() && !schema.validations.is_empty() && fields::is_visible(schema) {
            place.declared = Some(Declared::Value { schema, resource: place.resource });
        }
        if let Some(declared) = place.declared.filter(|_| !schema.validations.is_empty()) {
            self.prepare(place, declared, steps);
        }
        for (step, below) in below(schema) {
            steps.push(step);
            self.visit(place.below(below, step), steps);
            steps.pop();
        }
    }

    fn prepare(&mut self, place: Place<'s>, declared: Declared<'s>, steps: &[Step<&'s str>]) {
        let steps: Rc<[Step<&'s str>]> = steps.into();
        // An object without a bound above it is as small as it can be, with a comma.
        let unbounded = || (REQUEST_SIZE / (declared.smallest() + 1)).cast_unsigned();
        let evaluations = place.count.unwrap_or_else(unbounded);
        for (index, validation) in place.schema.validations.iter().enumerate() {
            let compile = |source: &'s str, expression| {
                let environment = Environment::rule(place.schema, place.resource)
                    .expression(expression)
                    .optional_old_self(validation.optional_old_self == Some(true))
                    .suggestions(0);
                let tree = parser::parse(source).ok().filter(|_| !source.trim().is_empty())?;
                let typed = infer::typed(&tree, environment)?;
                Some(expansion::expand(&tree, &typed))
            };
            let Some(rule) = compile(&validation.rule, Expression::Rule) else { continue };
            let message = validation.message_expression.as_deref();
            let message = message.and_then(|source| {
                let mut message = compile(source, Expression::Message)?;
                // A server compiles the message of a rule that it could compile.
                message.since = message.since.max(rule.since);
                Some((source, message))
            });
            let prepared = |expression, source, expansion, evaluations| Prepared {
                steps: steps.clone(),
                index,
                expression,
                source,
                expansion,
                declared,
                evaluations,
            };
            self.rules.push(prepared(Expression::Rule, &validation.rule, rule, evaluations));
            if let Some((source, expansion)) = message {
                // A server counts one evaluation.
                self.rules.push(prepared(Expression::Message, source, expansion, 1));
            }
        }
    }
}

impl<'s> Place<'s> {
    fn below(self, schema: &'s Schema, step: Step<&'s str>) -> Self {
        let declared = self.declared.and_then(|declared| match step {
            Step::Field(name) => declared.below(PathElement::Name(&fields::escape(name)?), NEWEST_MINOR),
            Step::Item => declared.below(PathElement::Items, NEWEST_MINOR),
            Step::Value => declared.below(PathElement::Values, NEWEST_MINOR),
        });
        let declared = declared.or_else(|| {
            let is_needed = self.declared.is_some() && fields::is_visible(schema);
            is_needed.then(|| Declared::of(schema))
        });
        let count = self.count.and_then(|count| Some(count.saturating_mul(largest_count(self.schema)?)));
        Self { schema, resource: schema.embedded_resource, declared, count }
    }
}

/// The path of a node, and its location as a server writes it.
fn written(steps: &[Step<&str>]) -> (String, String) {
    let (mut path, mut location) = (String::new(), String::new());
    for step in steps {
        path = step.path_from(&path);
        location.push_str(&match step {
            Step::Field(name) => format!(".properties[{name}]"),
            Step::Item => ".items".to_owned(),
            Step::Value => ".additionalProperties".to_owned(),
        });
    }
    (path, location)
}

impl Prepared<'_> {
    fn estimate(&self, minor: u32) -> RuleEstimate {
        let (evaluation, _) = coster::cost(&self.expansion, self.declared, minor);
        let (path, location) = written(&self.steps);
        RuleEstimate {
            path,
            location,
            index: self.index,
            expression: self.expression,
            source: self.source.to_owned(),
            evaluation,
            evaluations: self.evaluations,
            cost: evaluation.max.saturating_mul(self.evaluations),
            minor,
        }
    }
}

/// How many items or values one value can have, if that is bounded. An object has each of its fields once.
fn largest_count(schema: &Schema) -> Option<u64> {
    let bound = match (schema.kind.as_deref(), &schema.additional_properties) {
        (Some("object"), Some(AdditionalProperties::Allowed(_) | AdditionalProperties::Values(_))) => {
            schema.max_properties
        }
        (Some("array"), _) => schema.max_items,
        _ => return Some(1),
    };
    bound.map(|bound| u64::try_from(bound).unwrap_or(0))
}

/// How many rules a server lists for a CRD above the limit.
const LISTED: usize = 4;
/// The part of the limit that such a rule has at least.
const LISTED_SHARE: u64 = 100;

impl RuleEstimate {
    fn is_same_expression(&self, other: &Self) -> bool {
        (&self.location, self.index, self.expression) == (&other.location, other.index, other.expression)
    }

    /// The field of the expression as a server writes it, below `openAPIV3Schema`.
    pub fn field(&self) -> String {
        let name = match self.expression {
            Expression::Rule => "rule",
            Expression::Message => "messageExpression",
        };
        format!("{}.x-kubernetes-validations[{}].{name}", self.location, self.index)
    }

    /// What a server writes if the estimate is above the limit.
    pub fn error(&self) -> Option<String> {
        let what = match self.expression {
            Expression::Rule => "estimated rule cost",
            Expression::Message => "estimated messageExpression cost",
        };
        excess(what, self.cost, RULE_LIMIT)
    }
}

impl Estimate {
    /// The most expensive expressions, which a server lists if the sum is above the limit; the highest first.
    pub fn most_expensive(&self) -> Vec<&RuleEstimate> {
        let mut expensive: Vec<_> = self.rules.iter().filter(|rule| rule.cost >= CRD_LIMIT / LISTED_SHARE).collect();
        expensive.sort_by_key(|rule| std::cmp::Reverse(rule.cost));
        expensive.truncate(LISTED);
        expensive
    }

    /// The errors of a server: fields below `openAPIV3Schema`, and texts. A server writes `Forbidden: ` before each text.
    pub fn errors(&self) -> Vec<(String, String)> {
        let rules = self.rules.iter().filter_map(|rule| Some((rule.field(), rule.error()?)));
        let mut errors: Vec<_> = rules.collect();
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        if let Some(total) = excess(what, self.total, CRD_LIMIT) {
            let text = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            errors.extend(self.most_expensive().into_iter().map(|rule| (rule.field(), text.to_owned())));
            errors.push((String::new(), total));
        }
        errors
    }
}

/// What a server writes about a cost above a limit.
fn excess(what: &str, cost: u64, limit: u64) -> Option<String> {
    if cost <= limit {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "the server computes with doubles too")]
    let factor = cost as f64 / limit as f64;
    let factor = match factor {
        factor if factor > 100.0 => "more than 100x".to_owned(),
        factor if factor < 1.5 => format!("{factor:.6}x"),
        factor => format!("{factor:.1}x"),
    };
    Some(format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, \
         maps, and strings are declared)"
    ))
}

/// A cost with a comma between every three digits.
pub fn grouped(cost: u64) -> String {
    separated(&cost.to_string())
}
