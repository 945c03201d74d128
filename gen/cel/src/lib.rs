//! CEL as Kubernetes has it: checks the rules (`x-kubernetes-validations`) of a CRD's schema as an API server does, estimates their cost
//! ([`estimate`](mod@estimate)), and evaluates them with the API server's run-time cost.
//!
//! Knows nothing of `crd-markers`, `crd-apiserver` or `crd-diagnostics`.
//!
//! Invariants:
//! * A problem is always a rule that an API server refuses. A part whose type cannot be decided does not have a problem.
//! * Syntax and limits are those of the API server's parser (cel-go).
//! * No input makes this crate panic or run out of stack. The work of a check grows with the length of the rule only, and an evaluation
//!   stops when it costs more than its budget.
//! * An expression with a syntax error is not checked further.
//! * A value is what a server computes, or a failure. A failure is marked as undecided ([`Failure::is_undecided`]) where a server may have a
//!   value: time zones with names, patterns with Unicode classes on texts beyond ASCII, and sums of lists that depend on a server's memory.
//!
//! The API server hides from rules: properties without a type (such as `x-kubernetes-preserve-unknown-fields` alone), fields that the
//! schema does not list, and all of a resource's `metadata` except `name` and `generateName`.
//!
//! # Evaluation
//!
//! [`Program::compile`] takes the Kubernetes minor. A function that the minor does not accept in new rules is a problem that names the
//! first minor that does.
//!
//! ```
//! use crd_cel::{CALL_BUDGET, Environment, Program, Value};
//! use crd_model::Schema;
//!
//! let schema = Schema::from_value(&serde_json::json!({
//!     "type": "object",
//!     "properties": {"names": {"type": "array", "items": {"type": "string"}}},
//! })).expect("a schema");
//! let program = Program::compile("self.names.all(n, n != '')", Environment::rule(&schema, false).kubernetes(36)).expect("a rule");
//! let object = serde_json::json!({"names": ["a", "b"]});
//! let result = program.evaluate(&[Value::from_json(&object, &schema)], CALL_BUDGET);
//! assert!(matches!(result.value, Ok(Value::Boolean(true))));
//! assert_eq!(result.cost, 11);
//! ```
//!
//! # Why not another crate
//!
//! `cargo test -p crd-testbed --test proofs conformance -- --nocapture` measures the conformance with cel-spec. It runs 1,417 cases, all that
//! need neither protobuf messages nor libraries that Kubernetes does not have:
//!
//! | crate | as cel-spec expects | different | cannot express |
//! |---|---|---|---|
//! | `crd-cel` | 1,328 | 89 | 0 |
//! | `cel-core` 0.5.1 | 1,415 | 2 | 0 |
//! | `cel` 0.15.0 | 1,359 | 44 | 14 |
//!
//! Conformance with cel-spec is not the aim: an API server is. In 84 of the 89 cases, Kubernetes 1.37 also differs from cel-spec. For
//! example, it refuses lists whose items have different types. The last 5 need the history of time zones and are failures that are marked as
//! undecided.
//!
//! * `cel-core` has a checker and is the closest to cel-spec. It does not have the libraries of Kubernetes, and its patterns are those of
//!   the `regex` crate, not RE2. It has other values than Kubernetes: `string(1.0)` is `1.0` instead of `1`, and `'a'.split('')` has three
//!   items instead of one.
//! * `cel` does not check types, so that it reports at run time what a server refuses in the CRD. The 14 cases that it cannot express only
//!   check types. 38 of its 44 different cases are comprehensions with two variables.
//! * `kube-cel` is built on `cel`.
//!
//! None of the three has the cost model of a server, whose run-time limit decides which objects are accepted, nor function libraries by
//! Kubernetes minor, nor the server's texts.
//!
//! `cel-core` is the second opinion of the tests. In the cases of cel-spec, both crates have a value 1,180 times, and 1,163 are equal. The 17
//! different ones are among the 84. Of 25,687 expressions that combine each operator and most functions with operands of each type, both
//! have a value for 5,968. Fifteen are different, and the test lists why.
//!
//! # Checks
//!
//! ```
//! use crd_model::Schema;
//!
//! let schema = Schema::from_value(&serde_json::json!({
//!     "type": "object",
//!     "properties": {"name": {"type": "string"}},
//!     "x-kubernetes-validations": [{"rule": "self.nmae != ''"}],
//! })).expect("a schema");
//! let problem = &crd_cel::check_schema(&schema)[0].problem;
//! assert_eq!(problem.kind.code(), "cel::missing-field");
//! assert_eq!(problem.kind.to_string(), "`self` has no field `nmae`");
//! ```

mod calendar;
mod cost;
pub mod estimate;
mod failure;
mod fields;
mod format;
mod functions;
pub mod implication;
mod infer;
mod lexer;
mod library;
mod literals;
mod location;
mod machine;
pub mod names;
mod network;
mod operators;
mod parser;
mod plan;
mod problem;
mod program;
mod quantity;
mod shapes;
#[cfg(test)]
mod tests;
mod tokens;
mod types;
mod value;

use std::collections::HashMap;
use std::fmt::{Display, Formatter};

pub use calendar::{Duration, Timestamp, is_date};
use crd_model::schema::{Schema, below};
pub use failure::{Failure, is_printable, quoted};
pub use fields::{escape, is_visible};
pub use format::is_uuid;
pub use functions::Overload;
pub use library::functions;
pub use location::Location;
pub use parser::RESERVED;
pub use problem::{CelProblem, PAGES, ProblemKind};
pub use program::{CALL_BUDGET, Environment, Evaluation, OBJECT_BUDGET, Program};
pub use quantity::quantity_digits;
pub use shapes::{Scalar, Shape};
pub use tokens::{laid_out, literal_text, mentions_old_self, same_tokens, token_spans};
pub use value::shown::double as shortest_number;
pub use value::{Known, List, Map, Sum, Text, Value, go_type};

/// A problem of one expression of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    /// The schema path of the node that has the rule, such as `spec.rules[*]`; empty for the root.
    pub path: String,
    /// The rule, counted from 0.
    pub index: usize,
    /// The expression of the rule.
    pub expression: Expression,
    /// The text of the expression.
    pub source: String,
    pub problem: CelProblem,
}

/// An expression of an entry of `x-kubernetes-validations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expression {
    /// `rule`: true or false.
    Rule,
    /// `messageExpression`: a string.
    Message,
}

impl SchemaProblem {
    /// Whether both are the same problem of the same expression, although the schemas may have different candidates for a name.
    pub fn is_same_problem(&self, other: &Self) -> bool {
        (&self.path, &self.source, self.expression, self.problem.at)
            == (&other.path, &other.source, other.expression, other.problem.at)
            && self.problem.kind.is_same_problem(&other.problem.kind)
    }
}

impl Display for SchemaProblem {
    /// The message, without the help.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        let what = match self.expression {
            Expression::Rule => "rule",
            Expression::Message => "message expression",
        };
        let shortened = crd_names::shortened(&self.source);
        write!(formatter, "the CEL {what} `{shortened}` is not valid: byte {}: {}", self.problem.at, self.problem.kind)
    }
}

/// All problems of the rules of a resource's schema. Blank expressions, and rules inside `allOf` and similar keywords, are left to the
/// structural checks.
pub fn check_schema(root: &Schema) -> Vec<SchemaProblem> {
    SchemaChecks::default().check(root)
}

/// Checks several schemas, such as the versions of a resource. A node that equals a valid node is not checked again.
#[derive(Debug, Default)]
pub struct SchemaChecks<'s> {
    /// Nodes without a problem in them or below them, by their first rule.
    valid: HashMap<&'s str, Vec<&'s Schema>>,
}

impl<'s> SchemaChecks<'s> {
    /// The problems that [`check_schema`] returns.
    pub fn check(&mut self, root: &'s Schema) -> Vec<SchemaProblem> {
        let mut problems = Vec::new();
        self.node(root, "", true, &mut problems);
        problems
    }

    /// Adds the problems of a node and of all below it. Returns whether there are none.
    fn node(&mut self, node: &'s Schema, path: &str, is_root: bool, problems: &mut Vec<SchemaProblem>) -> bool {
        // The rules of a root can read names that the rules of other nodes cannot read.
        let first = node.validations.first().filter(|_| !is_root).map(|validation| &*validation.rule);
        if first
            .and_then(|first| self.valid.get(first))
            .is_some_and(|valid| valid.iter().take(KNOWN).any(|known| *known == node))
        {
            return true;
        }
        let mut is_valid = check_node(node, path, is_root, problems);
        for (edge, below) in below(node) {
            is_valid &= self.node(below, &edge.path_from(path), false, problems);
        }
        if let Some(first) = first.filter(|_| is_valid) {
            self.valid.entry(first).or_default().push(node);
        }
        is_valid
    }
}

/// How many nodes with one first rule a node is compared with.
const KNOWN: usize = 32;

/// How many problems of a schema come with the names that may be meant.
pub const SUGGESTIONS: usize = 50;

/// Adds the problems of the rules of a node. Returns whether there are none.
fn check_node(node: &Schema, path: &str, is_root: bool, problems: &mut Vec<SchemaProblem>) -> bool {
    let mut is_valid = true;
    for (index, validation) in node.validations.iter().enumerate() {
        let expressions =
            [(Expression::Rule, Some(&validation.rule)), (Expression::Message, validation.message_expression.as_ref())];
        for (expression, source) in expressions {
            let Some(source) = source.filter(|source| !source.trim().is_empty()) else { continue };
            let environment = Environment::rule(node, is_root)
                .expression(expression)
                .optional_old_self(validation.optional_old_self == Some(true))
                .suggestions(SUGGESTIONS.saturating_sub(problems.len()));
            let found = match parser::parse(source) {
                Ok(tree) => infer::check(&tree, environment),
                Err(problems) => problems,
            };
            is_valid &= found.is_empty();
            problems.extend(found.into_iter().map(|problem| SchemaProblem {
                path: path.to_owned(),
                index,
                expression,
                source: source.to_string(),
                problem,
            }));
        }
    }
    is_valid
}
