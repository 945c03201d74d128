//! Expressions that are compiled once and evaluated often.

use std::sync::LazyLock;

use crd_model::schema::Schema;

use super::failure::Failure;
use super::infer;
use super::machine::Machine;
use super::plan::{self, Instruction};
use super::problem::CelProblem;
use super::shapes::{NEWEST_MINOR, OLDEST_MINOR, Scalar};
use super::types::Kind;
use super::value::Value;
use super::{Expression, parser};

/// The cost that an API server allows for one expression.
pub const CALL_BUDGET: u64 = 1_000_000;
/// The cost that an API server allows for all rules of one object.
pub const OBJECT_BUDGET: u64 = 10_000_000;

static ANYTHING: LazyLock<Schema> = LazyLock::new(|| Schema { int_or_string: true, ..Schema::default() });

/// What an expression is compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'s> {
    /// The schema node that has the rule.
    pub(super) schema: &'s Schema,
    /// Whether the node is the root of a resource.
    pub(super) resource: bool,
    /// Whether `oldSelf` is an optional value (`optionalOldSelf: true`).
    pub(super) optional_old_self: bool,
    /// The type of the whole expression, if it matters.
    pub(super) result: Option<Scalar>,
    /// The Kubernetes minor whose functions the expression can call.
    pub(super) minor: u32,
    /// More variables, of any type.
    pub(super) variables: &'s [&'s str],
    /// How many problems come with the names that may be meant. To find those takes longer than everything else.
    pub(super) suggestions: usize,
}

impl<'s> Environment<'s> {
    /// A rule of a schema node. `resource` is set for the root of a resource.
    pub fn rule(schema: &'s Schema, resource: bool) -> Self {
        Self {
            schema,
            resource,
            optional_old_self: false,
            result: Some(Scalar::Boolean),
            minor: NEWEST_MINOR,
            variables: &[],
            suggestions: super::SUGGESTIONS,
        }
    }

    /// Expressions over variables of any type.
    pub fn dynamic(variables: &'s [&'s str]) -> Self {
        Self { result: None, variables, ..Self::rule(&ANYTHING, false) }
    }

    /// The result that the server expects of this kind of expression.
    #[must_use]
    pub fn expression(mut self, expression: Expression) -> Self {
        self.result = Some(match expression {
            Expression::Rule => Scalar::Boolean,
            Expression::Message => Scalar::Text,
        });
        self
    }

    /// Whether `oldSelf` is an optional value (`optionalOldSelf: true`).
    #[must_use]
    pub fn optional_old_self(mut self, optional: bool) -> Self {
        self.optional_old_self = optional;
        self
    }

    /// The Kubernetes minor (1.x) whose functions new rules can call: 32 to 37; other numbers mean the nearest of them.
    #[must_use]
    pub fn kubernetes(mut self, minor: u32) -> Self {
        // A rule that is stored already can call every function that a later minor accepts.
        self.minor = minor.clamp(OLDEST_MINOR, NEWEST_MINOR);
        self
    }

    /// How many problems come with the names that may be meant.
    #[must_use]
    pub fn suggestions(mut self, suggestions: usize) -> Self {
        self.suggestions = suggestions;
        self
    }
}

/// A compiled expression. It does not borrow its source or the schema.
#[derive(Clone, Debug)]
pub struct Program {
    steps: Vec<Instruction>,
    slots: u32,
    /// The Kubernetes minor whose values it computes.
    minor: u32,
}

/// What an evaluation results in.
#[derive(Clone, Debug)]
pub struct Evaluation<'v> {
    /// The value, or why there is none.
    pub value: Result<Value<'v>, Failure>,
    /// What it cost, as an API server counts.
    pub cost: u64,
}

impl Program {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// Everything that an API server refuses in the expression.
    pub fn compile(source: &str, environment: Environment<'_>) -> Result<Self, Vec<CelProblem>> {
        let tree = parser::parse(source)?;
        let (problems, kinds) = infer::resolve(&tree, environment);
        if !problems.is_empty() {
            return Err(problems);
        }
        let (steps, slots, problems) = plan::plan(&tree, &kinds, environment.variables, environment.minor);
        if problems.is_empty() { Ok(Self { steps, slots, minor: environment.minor }) } else { Err(problems) }
    }

    /// Compiles an expression without checking types: what the checker refuses fails when it is evaluated.
    ///
    /// # Errors
    ///
    /// Errors of the syntax.
    pub fn compile_unchecked(source: &str, variables: &[&str]) -> Result<Self, Vec<CelProblem>> {
        let tree = parser::parse(source)?;
        let kinds = vec![Kind::Open; tree.nodes.len()];
        let (steps, slots, _) = plan::plan(&tree, &kinds, variables, NEWEST_MINOR);
        Ok(Self { steps, slots, minor: NEWEST_MINOR })
    }

    /// Evaluates the expression. The inputs are `self`, `oldSelf`, and the other variables of the environment in their order. An
    /// evaluation that costs more than the budget is stopped.
    pub fn evaluate<'v>(&self, inputs: &[Value<'v>], budget: u64) -> Evaluation<'v> {
        self.evaluate_within(inputs, budget, &mut u64::MAX.clone())
    }

    /// The same with a number of steps that is left for searches for patterns, which cost a server less than this crate.
    pub fn evaluate_within<'v>(&self, inputs: &[Value<'v>], budget: u64, searching: &mut u64) -> Evaluation<'v> {
        let (value, cost) = Machine::new(&self.steps, self.slots, inputs, budget, self.minor, searching).run();
        Evaluation { value, cost }
    }
}
