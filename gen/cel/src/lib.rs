//! CEL rules: parses a rule, looks up every field that it names in the schema that the rule stands on, and checks the types of its parts.
//!
//! Fed with rules of `x-kubernetes-validations` and their schema nodes by the structural checks and by tests of
//! projection (a rule that is kept in a channel must not name a field that is not). Read by them and, later, by the
//! diff.
//!
//! Invariants: a finding is always a rule that an API server refuses; a part whose type cannot be told gives none.
//! Syntax is judged as the API server's parser (cel-go) judges it, limits included. No input makes this panic or run
//! out of stack, and the work grows with the length of the rule only. A rule is checked in three steps, syntax, fields, types, and no
//! further than the first that finds something.
//!
//! What the server does not show to rules is missing here too: properties without a type (such as
//! `x-kubernetes-preserve-unknown-fields` alone), fields that are not listed in the schema, and all of a resource's
//! `metadata` but `name` and `generateName`. What a rule costs is not estimated.

mod checker;
mod functions;
mod lexer;
mod literals;
mod names;
mod parser;
mod resolver;
#[cfg(test)]
mod tests;
mod tokens;

use std::fmt::{Display, Formatter};

use crd_model::schema::is_plain_name;
use crd_model::schema::{AdditionalProperties, Schema};
pub use parser::RESERVED;
pub use resolver::is_visible;
use resolver::{Root, Wanted};
pub use tokens::{laid_out, mentions_old_self, same_tokens};

/// Something that is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CelFinding {
    /// Where: the offset in bytes from the beginning of the rule.
    pub at: usize,
    /// What.
    pub kind: CelProblem,
}

/// What can be wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CelProblem {
    /// Something else should stand here.
    Syntax {
        /// What should stand here.
        expected: String,
        /// What stands here; nothing at the end of the rule.
        found: Option<String>,
    },
    /// No token can be read here.
    Unreadable {
        /// Why, and how to mend it.
        why: &'static str,
    },
    /// A variable has the name of a reserved word.
    ReservedWord {
        /// The word.
        word: String,
    },
    /// A number is too large for its type.
    NumberOutOfRange {
        /// The number as it is written.
        number: String,
    },
    /// A macro has been given what it cannot take.
    MacroArgument {
        /// Why, and what it takes.
        why: &'static str,
    },
    /// Expressions are nested too deeply.
    TooDeep {
        /// How deep they may be.
        limit: u32,
    },
    /// The rule is too long.
    TooLong {
        /// How many characters it may have.
        limit: usize,
    },
    /// The schema has no such field.
    MissingField {
        /// The field as the rule writes it.
        field: String,
        /// The object that should have it, as a path such as `self.rules[*]`.
        of: String,
        /// The field that is probably meant, in the spelling of rules.
        suggestion: Option<String>,
        /// Fields that the object has, in the spelling of rules: the suggestion first, then by name.
        has: Vec<String>,
        /// How many more it has.
        more: usize,
    },
    /// The schema has the field, but rules cannot read it.
    HiddenField {
        /// The field as the rule writes it.
        field: String,
        /// The object that has it, as a path such as `self.rules[*]`.
        of: String,
    },
    /// A field is selected from something that has no fields.
    NoFields {
        /// The field as the rule writes it.
        field: String,
        /// What it is selected from: source text in backticks, or other words.
        of: String,
        /// What that is: `a string`, `a list`.
        is: &'static str,
    },
    /// An object with fields is used like a map or a list: with an index, with `in`, or as the range of a macro.
    NotAMap {
        /// The object, as a path such as `self.rules[*]`.
        of: String,
    },
    /// There is no function of this name.
    UnknownFunction {
        /// The name.
        name: String,
        /// What is probably meant.
        suggestion: Option<String>,
    },
    /// An operator or function does not take values of these types.
    WrongOperands {
        /// The operator or function.
        function: String,
        /// What it is given, in words: `a string`, `a list of integers`. Of a method, what stands before the dot comes first.
        given: Vec<String>,
        /// How it is probably mended.
        advice: Option<&'static str>,
    },
    /// A condition is neither true nor false.
    NotABoolean {
        /// Who asks.
        what: &'static str,
        /// What it is.
        is: String,
    },
    /// The parts of a list or map that the rule makes are of different types.
    MixedTypes {
        /// The parts.
        what: &'static str,
        /// One type.
        one: String,
        /// Another.
        other: String,
    },
    /// A macro goes through something that has no items.
    NotARange {
        /// The macro.
        function: String,
        /// What it is.
        is: String,
    },
    /// The expression as a whole has the wrong type.
    WrongResult {
        /// What it is.
        is: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// A text that is read together with the rule cannot be read.
    BadLiteral {
        /// What it should be.
        what: &'static str,
        /// The text.
        text: String,
        /// Why it is none.
        why: String,
    },
    /// There is no variable of this name.
    UnknownIdentifier {
        /// The name.
        name: String,
        /// What is probably meant.
        suggestion: Option<String>,
        /// Variables that there are at this place, innermost first, `self` and `oldSelf` last.
        known: Vec<String>,
    },
}

impl Display for CelFinding {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "byte {}: {}", self.at, self.kind)
    }
}

impl Display for CelProblem {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Syntax { expected, found: Some(found) } => {
                write!(formatter, "expected {expected}, found `{found}`")?;
                match found.as_str() {
                    "and" | "AND" => formatter.write_str(" (CEL writes `&&`)"),
                    "or" | "OR" => formatter.write_str(" (CEL writes `||`)"),
                    _ => Ok(()),
                }
            }
            Self::Syntax { expected, found: None } => {
                write!(formatter, "the rule ends here, but {expected} is missing")
            }
            Self::Unreadable { why } | Self::MacroArgument { why } => formatter.write_str(why),
            Self::ReservedWord { word } => write!(
                formatter,
                "`{word}` is a reserved word of CEL and cannot be a variable (a field of this name is \
                 `self.__{word}__`)"
            ),
            Self::NumberOutOfRange { number } => {
                write!(formatter, "the number {number} is too large: CEL has numbers of 64 bits")
            }
            Self::TooDeep { limit } => write!(
                formatter,
                "this is nested more than {limit} levels deep, which API servers refuse; split the rule in several"
            ),
            Self::TooLong { limit } => write!(
                formatter,
                "the rule has more than {limit} characters, which API servers refuse; split it in several"
            ),
            Self::MissingField { field, of, suggestion, has, more } => {
                write!(formatter, "`{of}` has no field `{field}`")?;
                if let Some(suggestion) = suggestion {
                    write!(formatter, "; write `{suggestion}` if that is meant")?;
                }
                if has.is_empty() {
                    return formatter
                        .write_str("; rules can only read fields that the schema lists, and it lists none here");
                }
                formatter.write_str("; it has ")?;
                write_names(formatter, has)?;
                if *more > 0 {
                    write!(formatter, " and {more} more")?;
                }
                Ok(())
            }
            Self::HiddenField { field, of } => write!(
                formatter,
                "rules cannot read the field `{field}` of `{of}`, because the schema does not say which type it (or \
                 each of its items or values) has; give it a `type`, or leave it out of the rule"
            ),
            Self::NoFields { field, of, is } => {
                write!(formatter, "{of} is {is}, which has no fields, so `.{field}` cannot be read from it")
            }
            Self::NotAMap { of } => write!(
                formatter,
                "`{of}` is an object with fields, not a map or a list: `[…]`, `in` and macros such as `all` do not \
                 work on it; write `{of}.field` and `has({of}.field)`"
            ),
            Self::UnknownFunction { name, suggestion } => {
                write!(formatter, "rules cannot call `{name}`: there is no such function")?;
                match suggestion {
                    Some(suggestion) => write!(formatter, "; write `{suggestion}` if that is meant"),
                    None => Ok(()),
                }
            }
            Self::WrongOperands { function, given, advice } => {
                write!(formatter, "`{function}` does not take ")?;
                for (index, given) in given.iter().enumerate() {
                    write!(formatter, "{}{given}", if index == 0 { "" } else { " and " })?;
                }
                if given.is_empty() {
                    formatter.write_str("no arguments at all")?;
                }
                match advice {
                    Some(advice) => write!(formatter, "; {advice}"),
                    None => Ok(()),
                }
            }
            Self::NotABoolean { what, is } => {
                write!(
                    formatter,
                    "{what} whether something is true or false, and this is {is}; compare it with something"
                )
            }
            Self::MixedTypes { what, one, other } => {
                write!(formatter, "{what} must be of one type, and here are {one} and {other}")
            }
            Self::NotARange { function, is } => {
                write!(formatter, "`{function}` goes through a list or a map, and this is {is}")
            }
            Self::WrongResult { is, wanted } => {
                write!(formatter, "the result must be {wanted}, and it is {is}")
            }
            Self::BadLiteral { what, text, why } => write!(formatter, "{text:?} is no {what}: {why}"),
            Self::UnknownIdentifier { name, suggestion, known } => {
                write!(formatter, "there is no variable `{name}` here")?;
                if let Some(suggestion) = suggestion {
                    write!(formatter, "; write `{suggestion}` if that is meant")?;
                }
                formatter.write_str("; there are ")?;
                write_names(formatter, known)
            }
        }
    }
}

fn write_names(formatter: &mut Formatter<'_>, names: &[String]) -> std::fmt::Result {
    for (index, name) in names.iter().enumerate() {
        write!(formatter, "{}`{name}`", if index == 0 { "" } else { ", " })?;
    }
    Ok(())
}

/// Everything that is wrong with the syntax of a rule (or a `messageExpression`) that stands on a schema node, and with the fields that it
/// names. Types are not checked; [`check_schema`] does that.
///
/// A node that has the shape of a resource's root (`apiVersion`, `kind`, and a `metadata` of which nothing is said) is
/// taken for one; for roots that leave these out there is [`check_rule_on_root`]. For a rule inside `allOf`, pass the
/// node that the `allOf` belongs to. Each field is reported once, at the first place where the rule names it.
pub fn check_rule(rule: &str, node: &Schema) -> Vec<CelFinding> {
    check(rule, Root { schema: node, resource: has_shape_of_resource(node) })
}

/// Everything that is wrong with a rule that stands on the root of a resource, where `apiVersion`, `kind`,
/// `metadata.name` and `metadata.generateName` can always be read.
pub fn check_rule_on_root(rule: &str, root: &Schema) -> Vec<CelFinding> {
    check(rule, Root { schema: root, resource: true })
}

/// What is wrong with one expression of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFinding {
    /// The node that the rule stands on, as refusals write it ([`crd_apiserver::refusal::Refusal::path`]).
    pub path: String,
    /// Which of the node's rules, counted from 0.
    pub index: usize,
    /// Which of the rule's expressions.
    pub expression: Expression,
    /// The expression.
    pub source: String,
    /// What is wrong.
    pub finding: CelFinding,
}

/// An expression of an entry of `x-kubernetes-validations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expression {
    /// `rule`: true or false.
    Rule,
    /// `messageExpression`: a string.
    Message,
}

impl Display for SchemaFinding {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        let what = match self.expression {
            Expression::Rule => "rule",
            Expression::Message => "message expression",
        };
        let shortened = crd_markers::value::shortened(&self.source);
        write!(formatter, "the CEL {what} `{shortened}` cannot hold: {}", self.finding)
    }
}

/// Everything that is wrong with the rules of a resource's whole schema, types included. Blank expressions are left to the structural
/// checks, and so are rules inside `allOf` and its like, where there can be none.
pub fn check_schema(root: &Schema) -> Vec<SchemaFinding> {
    let mut findings = Vec::new();
    check_node(root, String::new(), true, &mut findings);
    findings
}

fn check_node(node: &Schema, path: String, is_root: bool, findings: &mut Vec<SchemaFinding>) {
    for (index, validation) in node.validations.iter().enumerate() {
        let expressions =
            [(Expression::Rule, Some(&validation.rule)), (Expression::Message, validation.message_expression.as_ref())];
        for (expression, source) in expressions {
            let Some(source) = source.filter(|source| !source.trim().is_empty()) else { continue };
            let wanted = checker::Wanted {
                result: Some(match expression {
                    Expression::Rule => functions::Scalar::Boolean,
                    Expression::Message => functions::Scalar::Text,
                }),
                optional_old_self: validation.optional_old_self == Some(true),
            };
            let found = check_with_types(source, Root { schema: node, resource: is_root }, wanted);
            findings.extend(found.into_iter().map(|finding| SchemaFinding {
                path: path.clone(),
                index,
                expression,
                source: source.to_string(),
                finding,
            }));
        }
    }
    for (name, property) in &node.properties {
        let path = match path.as_str() {
            path if !is_plain_name(name) => format!("{path}[{name:?}]"),
            "" => name.to_string(),
            path => format!("{path}.{name}"),
        };
        check_node(property, path, false, findings);
    }
    let values = match &node.additional_properties {
        Some(AdditionalProperties::Values(values)) => Some(values),
        _ => None,
    };
    for inner in [node.items.as_ref(), values].into_iter().flatten() {
        check_node(inner, format!("{path}[*]"), false, findings);
    }
}

fn check_with_types(source: &str, root: Root<'_>, wanted: checker::Wanted) -> Vec<CelFinding> {
    let tree = match parser::parse(source) {
        Ok(tree) => tree,
        Err(findings) => return findings,
    };
    let findings = resolver::resolve(source, &tree, root, Wanted::Findings).findings;
    if findings.is_empty() { checker::check(source, &tree, root, wanted) } else { findings }
}

/// The schema paths that a rule reads: every property that it names and the schema has, from the node on which the rule
/// stands, sorted, each once. A path consists of property names as the schema has them; `[*]` stands for the items of a
/// list and the values of a map. `self.rules.all(r, has(r.name))` reads `[rules]` and `[rules, [*], name]`.
///
/// A rule that cannot be parsed reads nothing: [`check_rule`] says why. Fields that it reads by comparing whole objects
/// (`self == oldSelf`) are not named and not listed.
pub fn fields_named(rule: &str, node: &Schema) -> Vec<Vec<String>> {
    let root = Root { schema: node, resource: has_shape_of_resource(node) };
    match parser::parse(rule) {
        Ok(tree) => resolver::resolve(rule, &tree, root, Wanted::Paths).paths,
        Err(_) => Vec::new(),
    }
}

fn check(rule: &str, root: Root<'_>) -> Vec<CelFinding> {
    match parser::parse(rule) {
        Ok(tree) => resolver::resolve(rule, &tree, root, Wanted::Findings).findings,
        Err(findings) => findings,
    }
}

fn has_shape_of_resource(node: &Schema) -> bool {
    let is_string = |name| node.properties.get(name).is_some_and(|property| property.kind.as_deref() == Some("string"));
    let bare_metadata =
        |metadata: &Schema| metadata.kind.as_deref() == Some("object") && metadata.properties.is_empty();
    is_string("apiVersion") && is_string("kind") && node.properties.get("metadata").is_some_and(bare_metadata)
}
