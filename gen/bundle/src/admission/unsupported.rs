//! The policy about fields that an implementation does not support: it refuses them, or warns about them.
//!
//! What is decided, and why:
//! * **Exactly the unsupported elements.** What they are, [`Features::unsupported`] decides; how an object uses one, the guardrails decide. An update is compared by
//!   element, so what was used may stay.
//! * **Of one class, or of all objects.** A condition on the class is possible where the object itself names it. The parents of a route are other objects, which CEL
//!   cannot read; routes of other implementations are checked too, so a cluster with several needs the warning form or a namespace selector.
//! * **`failurePolicy: Fail`.** What cannot be evaluated is refused; in the warning form, its author is warned.
//!
//! Invariant: the same features and CRDs give the same objects.

use std::collections::BTreeSet;

use crd_model::CustomResourceDefinition;
use crd_model::schema::Step;
use crd_stamps::features::Features;
use serde_json::{Value, json};

use super::guardrails::condition::{End, Hop, condition, text};
use super::guardrails::uses::{Guarded, basics, looks, uses, written};
use super::{bound, match_conditions, match_constraints};

/// What begins the name of such a policy.
pub const NAME: &str = "unsupported.";

/// What is done about an object with a field that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Deny,
    /// Its author gets a warning.
    Warn,
}

/// What the policy is about.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'p> {
    pub features: &'p Features,
    /// The features of the implementation.
    pub supported: &'p BTreeSet<String>,
    /// Its class, if only objects of it are checked where they name their class.
    pub class: Option<&'p str>,
    pub action: Action,
}

impl Policy<'_> {
    /// The name of the policy and of its binding: `unsupported.PREFIX`, or `unsupported.CLASS.PREFIX`.
    pub fn name(&self) -> String {
        let class = self.class.map(|class| format!("{class}.")).unwrap_or_default();
        format!("{NAME}{class}{}", self.features.prefix)
    }

    /// The policy and its binding for objects of these CRDs, in this order. None if everything is supported.
    pub fn objects<'c>(&self, crds: impl IntoIterator<Item = &'c CustomResourceDefinition>) -> Vec<Value> {
        let guarded = crds.into_iter().filter_map(|crd| {
            let elements = self.features.unsupported(crd, self.supported);
            let named = |features: &[String]| format!(" ({})", features.join(" or "));
            Guarded::of(crd, elements.iter().map(|(element, features)| (element, named(features))))
        });
        let guarded = guarded.collect::<Vec<_>>();
        if guarded.is_empty() {
            return Vec::new();
        }
        let mut variables = basics();
        let uses = uses(&guarded);
        let (looks, new) = looks(&uses);
        variables.extend(looks);
        variables.push(("unsupported".to_owned(), new));
        let mut conditions = match_conditions();
        if let (Some(conditions), Some(condition)) = (conditions.as_array_mut(), self.is_of_class()) {
            conditions.push(json!({ "name": "is-of-the-class", "expression": condition }));
        }
        let who = self.class.map_or("the implementation".to_owned(), |class| format!("the class {class}"));
        let does_not = format!(" uses what {who} does not support: ");
        let spec = json!({
            "failurePolicy": "Fail",
            "matchConstraints": match_constraints(guarded.iter().map(Guarded::rule).collect()),
            "matchConditions": conditions,
            "variables": written(variables),
            "validations": [{
                "expression": "variables.unsupported.size() == 0",
                "reason": "Forbidden",
                // Where the list is too long for a message.
                "message": format!("the object uses what {who} does not support"),
                "messageExpression": format!("request.kind.kind + {} + variables.unsupported.join(', ')", text(&does_not)),
            }],
        });
        let name = self.name();
        let action = if self.action == Action::Deny { "Deny" } else { "Warn" };
        bound(&json!({ "name": name }), &name, spec, action)
    }

    /// The condition that an object that names a class names this one.
    fn is_of_class(&self) -> Option<String> {
        let (class, implementations) = (self.class?, self.features.implementations.as_ref()?);
        let direct = implementations.references.iter().filter(|of| of.to.contains(&implementations.class));
        let direct = direct.filter(|of| !of.path.contains("[*]")).map(|reference| {
            let hop = |name: &str| Hop { step: Step::Field(name.to_owned()), nullable: false };
            let hops = reference.path.split('.').map(hop);
            let is_named = condition("dyn(object)", &hops.collect::<Vec<_>>(), &End::Is(class.into()));
            format!(
                "(request.resource.resource + '.' + request.resource.group != {} || {is_named})",
                text(&reference.from)
            )
        });
        let all = direct.collect::<Vec<_>>();
        (!all.is_empty()).then(|| all.join(" && "))
    }
}
