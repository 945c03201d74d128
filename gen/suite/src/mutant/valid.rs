//! Whether a server accepts the CRDs of a mutant.
//!
//! Invariants: a mutant is checked in a small CRD that has the changed node, what is below it, and of the nodes above it what counts for it: bounds,
//! defaults, and rules with the fields that they read. What a server refuses there it refuses in the whole CRD, and the reverse.

use std::sync::Arc;

use crd_apiserver::refusal::{Refusal, refusals};
use crd_boundary::Keyword;
use crd_cel::check_schema;
use crd_cel::estimate::{CRD_LIMIT, Estimator};
use crd_model::CustomResourceDefinition;
use crd_model::crd::Version;
use crd_model::schema::{AdditionalProperties, Schema};
use crd_model::schema::{SchemaPath, Step};
use serde_json::Value;

use super::served;
use crate::element::{Place, Requirement};

/// Which rules count for a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    /// This one of the node.
    One(usize),
    /// All that see the node.
    All,
    /// No rule: what a mutant changes has no effect on types, costs and defaults.
    None,
}

impl Rules {
    pub(super) fn of(requirement: Option<&Requirement>, rule: Option<usize>) -> Self {
        match (rule, requirement) {
            (Some(rule), _) => Self::One(rule),
            (_, Some(Requirement::Default(_))) => Self::All,
            (_, Some(Requirement::Constraint(keyword))) => match keyword {
                Keyword::MaxLength | Keyword::MaxItems | Keyword::MaxProperties => Self::All,
                Keyword::Format | Keyword::Enum | Keyword::ListSet | Keyword::ListMapKeys => Self::All,
                _ => Self::None,
            },
            _ => Self::None,
        }
    }
}

/// The CRDs without a change.
pub(super) struct Originals<'c> {
    crds: &'c [Arc<CustomResourceDefinition>],
    /// The estimated cost of all rules of each served version.
    costs: Vec<((usize, usize), u64)>,
}

/// The small CRD of one place.
pub(super) struct Original {
    rules: Rules,
    small: CustomResourceDefinition,
    path: SchemaPath,
    refusals: Vec<Refusal>,
    /// The cost of the rules of the whole version, and of the small one.
    costs: [u64; 2],
}

impl<'c> Originals<'c> {
    pub(super) fn of(crds: &'c [Arc<CustomResourceDefinition>]) -> Self {
        let costs = served(crds).map(|(crd, version, schema)| ((crd, version), cost(schema)));
        Self { crds, costs: costs.collect() }
    }

    /// The places of a declaration.
    pub(super) fn at(&self, places: &[Place], rules: Rules) -> Vec<Original> {
        let mut found: Vec<Original> = Vec::new();
        for Place { crd, version, path, .. } in places {
            let (crd, key) = (&self.crds[*crd], (*crd, *version));
            let version = &crd.versions[*version];
            let schema = cut(&version.schema, path.steps(), rules, &mut String::new());
            if found.iter().any(|known| known.small.versions[0].schema == schema && known.path == *path) {
                continue;
            }
            let whole = self.costs.iter().find(|(known, _)| *known == key).map_or(0, |(_, cost)| *cost);
            let costs = [whole, if rules == Rules::None { 0 } else { cost(&schema) }];
            let small = with_schema(crd, version, schema);
            found.push(Original { rules, refusals: refusals(&small), small, path: path.clone(), costs });
        }
        found
    }
}

impl Original {
    /// Whether a server accepts the CRD with this node at the place.
    pub(super) fn accepts(&self, node: &Schema) -> bool {
        let mut crd = self.small.clone();
        let schema = &mut crd.versions[0].schema;
        let Some(place) = self.path.node_mut(schema) else { return false };
        place.clone_from(node);
        only(place, self.rules);
        let [whole, before] = self.costs;
        let is_cheap = |schema| (whole - before.min(whole)).saturating_add(cost(schema)) <= CRD_LIMIT.max(whole);
        (self.rules == Rules::None || check_schema(schema).is_empty() && is_cheap(schema))
            && refusals(&crd).iter().all(|refusal| self.refusals.iter().any(|known| known.is_same_refusal(refusal)))
    }
}

fn cost(schema: &Schema) -> u64 {
    Estimator::new(schema).worst().total
}

fn with_schema(crd: &CustomResourceDefinition, version: &Version, schema: Schema) -> CustomResourceDefinition {
    let version = Version {
        schema,
        storage: true,
        columns: Vec::new(),
        selectable_fields: Vec::new(),
        subresources: None,
        ..version.clone()
    };
    CustomResourceDefinition { versions: vec![version], ..crd.clone() }
}

/// The node and those below it keep the rules that count.
fn only(node: &mut Schema, rules: Rules) {
    let kept = match rules {
        Rules::All => return,
        Rules::One(rule) => node.validations.get(rule).cloned(),
        Rules::None => None,
    };
    node.each_mut(&mut |node| node.validations.clear());
    node.validations.extend(kept);
}

/// The node with the next step, and with the fields whose names occur in `read`: the defaults, rules and keys of this node and of those above it.
fn cut(node: &Schema, steps: &[Step], rules: Rules, read: &mut String) -> Schema {
    let Some((step, rest)) = steps.split_first() else {
        let mut node = node.clone();
        only(&mut node, rules);
        return node;
    };
    read.extend(node.default.iter().map(Value::to_string));
    read.extend(node.list_map_keys.iter().map(|key| key.to_string() + " "));
    let mut kept = Schema { description: None, ..node.clone() };
    match rules {
        Rules::All => read.extend(node.validations.iter().map(|known| known.rule.to_string())),
        _ => kept.validations.clear(),
    }
    match step {
        Step::Item => kept.items = kept.items.map(|items| Box::new(cut(&items, rest, rules, read))),
        Step::Value => {
            if let Some(AdditionalProperties::Values(values)) = &node.additional_properties {
                kept.additional_properties =
                    Some(AdditionalProperties::Values(Box::new(cut(values, rest, rules, read))));
            }
        }
        Step::Field(field) => {
            kept.properties.clear();
            for (name, property) in &node.properties {
                if **name == **field {
                    kept.properties.insert(name.clone(), cut(property, rest, rules, read));
                } else if read.contains(&**name) {
                    let mut property = property.clone();
                    property.each_mut(&mut |node| node.validations.clear());
                    kept.properties.insert(name.clone(), property);
                }
            }
            kept.required.retain(|name| kept.properties.contains_key(name));
        }
    }
    kept
}
