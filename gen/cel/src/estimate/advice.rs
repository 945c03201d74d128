//! Which missing bounds bring the cost of rules below the limit.
//!
//! Invariants: each bound is tried: the estimate is computed again for the schema with it. The bound with the largest effect comes first.

use crd_model::schema::{AdditionalProperties, Schema, Step, below};

use super::{CRD_LIMIT, Estimate, Estimator, RULE_LIMIT, RuleEstimate};

/// The most bounds of one advice.
const MOST_BOUNDS: usize = 4;
/// The most parts of a schema that are tried.
const MOST_TRIED: usize = 256;
/// What a bound is where more bounds are necessary.
const COMMON_BOUND: i64 = 64;

/// A bound that a schema does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The schema path of the node.
    pub path: String,
    /// `maxItems`, `maxLength` or `maxProperties`.
    pub keyword: &'static str,
    /// The largest value that suffices, or with other bounds a common one.
    pub value: i64,
    /// The bounds of this kind in `allOf` of the node, which the cost does not count.
    pub in_all_of: Vec<i64>,
}

/// A part of a schema without a bound.
#[derive(Clone, Debug)]
struct Open<'s> {
    steps: Vec<Step<&'s str>>,
    bound: Bound,
}

impl Estimate {
    /// Bounds that together bring an expression of this schema below the limit; none where no bounds do.
    pub fn bounds_for(&self, root: &Schema, rule: &RuleEstimate) -> Vec<Bound> {
        let cost = |estimate: &Estimate| {
            estimate.rules.iter().find(|other| other.is_same_expression(rule)).map_or(0, |other| other.cost)
        };
        advised(root, &cost, RULE_LIMIT)
    }

    /// Bounds that together bring the sum of this schema below the limit; none where no bounds do.
    pub fn bounds_for_total(&self, root: &Schema) -> Vec<Bound> {
        advised(root, &|estimate| estimate.total, CRD_LIMIT)
    }
}

fn advised(root: &Schema, cost: &dyn Fn(&Estimate) -> u64, limit: u64) -> Vec<Bound> {
    let mut schema = root.clone();
    let mut open = Vec::new();
    collect(root, String::new(), &mut Vec::new(), &mut open);
    open.truncate(MOST_TRIED);
    let cost_with = |schema: &mut Schema, part: &Open<'_>, value: Option<i64>| {
        set(schema, part, value);
        let result = cost(&Estimator::new(schema).worst());
        set(schema, part, None);
        result
    };
    let mut bounds = Vec::new();
    let mut now = cost(&Estimator::new(&schema).worst());
    while now > limit && bounds.len() < MOST_BOUNDS {
        let tried = open.iter().map(|part| (cost_with(&mut schema, part, Some(1)), part));
        let Some((best, part)) = tried.min_by_key(|(cost, _)| *cost) else { break };
        if best >= now {
            break;
        }
        let part = part.clone();
        let mut value = COMMON_BOUND;
        if best <= limit {
            // The largest power of two that suffices, which is easier to remember than the largest number.
            value = 1;
            while value < i64::from(u32::MAX) && cost_with(&mut schema, &part, Some(value * 2)) <= limit {
                value *= 2;
            }
        }
        set(&mut schema, &part, Some(value));
        now = cost(&Estimator::new(&schema).worst());
        open.retain(|other| other.bound.path != part.bound.path);
        bounds.push(Bound { value, ..part.bound });
    }
    if now > limit {
        bounds.clear();
    }
    bounds
}

fn collect<'s>(schema: &'s Schema, path: String, steps: &mut Vec<Step<&'s str>>, found: &mut Vec<Open<'s>>) {
    let keyword = match (schema.kind.as_deref(), &schema.additional_properties) {
        _ if schema.int_or_string => schema.max_length.is_none().then_some("maxLength"),
        (Some("string"), _) if schema.enumeration.is_none() => schema.max_length.is_none().then_some("maxLength"),
        (Some("array"), _) => schema.max_items.is_none().then_some("maxItems"),
        (Some("object"), Some(AdditionalProperties::Values(_))) => {
            schema.max_properties.is_none().then_some("maxProperties")
        }
        _ => None,
    };
    if let Some(keyword) = keyword {
        let of = |part: &Schema| match keyword {
            "maxItems" => part.max_items,
            "maxProperties" => part.max_properties,
            _ => part.max_length,
        };
        let in_all_of = schema.all_of.iter().filter_map(of).collect();
        found.push(Open { steps: steps.clone(), bound: Bound { path: path.clone(), keyword, value: 0, in_all_of } });
    }
    for (step, below) in below(schema) {
        steps.push(step);
        collect(below, step.path_from(&path), steps, found);
        steps.pop();
    }
}

fn set(schema: &mut Schema, part: &Open<'_>, value: Option<i64>) {
    let Some(node) = part.steps.iter().try_fold(schema, |node, step| step.below_mut(node)) else { return };
    match part.bound.keyword {
        "maxItems" => node.max_items = value,
        "maxProperties" => node.max_properties = value,
        _ => node.max_length = value,
    }
}
