//! What the comparisons of two bundles share: answers about CEL rules, and the technique that a measurement leaves out.
//!
//! Invariants: an answer depends on its question alone, so that sharing it only saves time. Only the measurement leaves a technique out.

use std::sync::Arc;

use crd_cel::implication::{Answers, Engine};

/// A way to decide what a change does to objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// The values of an `enum` satisfy another keyword of the node.
    EnumValues,
    /// Servers do not check the keyword for the type of the node.
    IgnoredKeyword,
    /// Patterns are compared as automata.
    Patterns,
    /// How many entries an object has.
    Entries,
    /// A CEL rule follows from other rules and the schema, case by case.
    Implication,
    /// The same by a solver of clauses.
    Solver,
    /// A CEL rule follows from rules and branches elsewhere.
    Premises,
    /// A keyword follows from CEL rules.
    KeywordAsRule,
    /// A keyword, `required` or a branch follows from other ones, case by case.
    Cases,
    /// What objects become when the other schema prunes them and fills in defaults.
    Carried,
    /// The value of an accepted object is replaced by one that the change is likely to refuse.
    Candidates,
    /// The same with objects of the new schema without the change.
    Reversed,
    /// The search for both sides of the changed constraint.
    Boundary,
    /// Objects that both schemas accept, apart from the change.
    AcceptedByBoth,
    /// Objects with all optional fields.
    WholeObjects,
    /// The constants that rules compare fields with.
    Demanded,
    /// Combinations of values of the fields that a rule reads.
    Assigned,
    /// Other values of each node that a rule sees.
    Variants,
    /// Values that a solver finds for a rule.
    Solved,
    /// The structure of the changed schema refuses the object; without it, a server with the change decides.
    StructureJudge,
    /// The changed rule refuses the object; without it, a server with the change decides.
    RuleJudge,
}

/// Every technique with its words.
pub const TECHNIQUES: [(Technique, &str); 21] = [
    (Technique::EnumValues, "proof: values of an `enum`"),
    (Technique::IgnoredKeyword, "proof: keywords that servers ignore"),
    (Technique::Patterns, "proof: patterns as automata"),
    (Technique::Entries, "proof: counts of entries"),
    (Technique::Implication, "proof: implication of CEL rules, by cases"),
    (Technique::Solver, "proof: implication of CEL rules, by a solver"),
    (Technique::Premises, "proof: rules from fields, branches and nodes around"),
    (Technique::KeywordAsRule, "proof: keywords as CEL rules"),
    (Technique::Cases, "proof: keywords and branches by cases"),
    (Technique::Carried, "proof: objects as the other schema stores them"),
    (Technique::Candidates, "witness: likely values"),
    (Technique::Reversed, "witness: likely values in objects of the new schema"),
    (Technique::Boundary, "witness: both sides of the constraint"),
    (Technique::AcceptedByBoth, "witness: objects that both schemas accept"),
    (Technique::WholeObjects, "witness: objects with all fields"),
    (Technique::Demanded, "witness: values that rules demand"),
    (Technique::Assigned, "witness: combinations of what a rule reads"),
    (Technique::Variants, "witness: other values of what a rule sees"),
    (Technique::Solved, "witness: values that a solver finds"),
    (Technique::StructureJudge, "witness: the structure decides"),
    (Technique::RuleJudge, "witness: the rule decides"),
];

/// Proves what changes do to objects.
#[derive(Debug, Default)]
pub struct Prover {
    pub(crate) answers: Answers,
    left_out: Option<Technique>,
}

impl Prover {
    /// A prover that leaves a technique out, to measure what it alone decides.
    pub fn without(technique: Technique) -> Arc<Self> {
        let answers = match technique {
            Technique::Implication => Answers::without(Engine::Cases),
            Technique::Solver => Answers::without(Engine::Solver),
            _ => Answers::default(),
        };
        Arc::new(Self { answers, left_out: Some(technique) })
    }

    /// Whether a technique is used.
    pub fn uses(&self, technique: Technique) -> bool {
        self.left_out != Some(technique)
    }
}
