//! What can be wrong with an expression.
//!
//! Invariants: a problem is data, and its texts are made from the data. The message names the problem and the help names one fix.

use std::fmt::{Display, Formatter};

/// A problem and its position in the expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CelProblem {
    /// The offset in bytes from the beginning of the expression.
    pub at: usize,
    pub kind: ProblemKind,
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The grammar expects something else.
    Syntax {
        /// What the grammar expects.
        expected: String,
        /// The token at this position; nothing at the end of the expression.
        found: Option<String>,
    },
    /// The lexer cannot read a token.
    Unreadable {
        message: &'static str,
        /// How to fix it.
        help: &'static str,
    },
    /// A variable has the name of a reserved word.
    ReservedWord { word: String },
    /// A number does not fit into its type.
    NumberOutOfRange {
        /// The number as it is written.
        number: String,
    },
    /// Older servers do not have the function or macro.
    NewerKubernetes {
        name: String,
        /// The first Kubernetes minor (1.x) that accepts it in new rules.
        since: u32,
        /// The minor that the expression is checked for.
        minor: u32,
    },
    /// A macro has an argument that it does not accept.
    MacroArgument {
        /// What the macro accepts.
        message: &'static str,
    },
    /// Expressions are nested too deeply.
    TooDeep {
        /// The number of levels that API servers accept.
        limit: u32,
    },
    /// The expression is too long.
    TooLong {
        /// The number of characters that API servers accept.
        limit: usize,
    },
    /// The schema does not list the field.
    MissingField {
        /// The field as the rule writes it.
        field: String,
        /// The object, as a path such as `self.rules[*]`.
        of: String,
        /// The field that is probably meant, in the spelling of rules.
        suggestion: Option<String>,
        /// Fields of the object, in the spelling of rules: the suggestion first, then by name.
        fields: Vec<String>,
        /// The number of fields that are not in `fields`.
        more: usize,
    },
    /// The schema lists the field, but rules cannot read it, because a type is missing.
    HiddenField {
        /// The field as the rule writes it.
        field: String,
        /// The object, as a path such as `self.rules[*]`.
        of: String,
    },
    /// A field is selected from a value without fields.
    NoFields {
        /// The field as the rule writes it.
        field: String,
        /// The value: source text in backticks, or words.
        of: String,
        /// The type of the value in words: `a string`, `a list`.
        is: &'static str,
    },
    /// An object with fields is used as a map or a list: with an index, with `in`, or with a macro.
    NotAMap {
        /// The object, as a path such as `self.rules[*]`.
        of: String,
    },
    /// No function or method has this name.
    UnknownFunction {
        name: String,
        /// The function that is probably meant.
        suggestion: Option<String>,
    },
    /// An operator or function does not accept values of these types.
    WrongOperands {
        /// The operator or function.
        function: String,
        /// The types of the operands in words: `a string`, `a list of integers`. The value before the dot of a method comes first.
        actual: Vec<String>,
        /// How to fix it, where that is probable.
        advice: Option<&'static str>,
    },
    /// A condition is not a boolean.
    NotABoolean {
        /// The operator or macro.
        what: &'static str,
        /// The type of the condition in words.
        is: String,
    },
    /// The parts of a list or map literal have different types.
    MixedTypes {
        what: &'static str,
        /// One type in words.
        one: String,
        /// The other type in words.
        other: String,
    },
    /// A macro iterates over a value without items.
    NotARange {
        function: String,
        /// The type of the value in words.
        is: String,
    },
    /// The whole expression has the wrong type.
    WrongResult {
        /// Its type in words.
        is: String,
        /// The type that it must have, in words.
        wanted: &'static str,
    },
    /// A string literal that the server parses together with the rule is not valid.
    BadLiteral {
        /// What it must be: a pattern, a duration, a timestamp.
        what: &'static str,
        text: String,
        /// Why it is not valid.
        why: String,
    },
    /// No variable has this name.
    UnknownVariable {
        name: String,
        /// The variable that is probably meant.
        suggestion: Option<String>,
        /// The variables at this position: innermost first, then `self` and `oldSelf`.
        variables: Vec<String>,
    },
}

/// The page of each code, in Markdown. The examples are rules of an object with the string fields `name` and `kind`.
pub const PAGES: &str = include_str!("codes.md");

impl ProblemKind {
    /// The stable code, which has a page in [`PAGES`].
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } | Self::Unreadable { .. } | Self::ReservedWord { .. } => "cel::syntax",
            Self::NumberOutOfRange { .. } => "cel::number",
            Self::NewerKubernetes { .. } => "cel::newer-kubernetes",
            Self::MacroArgument { .. } => "cel::macro-argument",
            Self::TooDeep { .. } | Self::TooLong { .. } => "cel::size",
            Self::MissingField { .. } => "cel::missing-field",
            Self::HiddenField { .. } => "cel::hidden-field",
            Self::NoFields { .. } => "cel::no-fields",
            Self::NotAMap { .. } => "cel::not-a-map",
            Self::UnknownFunction { .. } => "cel::unknown-function",
            Self::WrongOperands { .. } => "cel::operands",
            Self::NotABoolean { .. } => "cel::not-a-boolean",
            Self::MixedTypes { .. } => "cel::mixed-types",
            Self::NotARange { .. } => "cel::not-a-range",
            Self::WrongResult { .. } => "cel::result",
            Self::BadLiteral { .. } => "cel::literal",
            Self::UnknownVariable { .. } => "cel::unknown-variable",
        }
    }

    /// How to fix it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Syntax { found: Some(found), .. } => match found.as_str() {
                "and" | "AND" => Some("CEL writes `&&`".to_owned()),
                "or" | "OR" => Some("CEL writes `||`".to_owned()),
                _ => None,
            },
            Self::Unreadable { help, .. } => Some((*help).to_owned()),
            Self::ReservedWord { word } => Some(format!("a field of this name is written `self.__{word}__`")),
            Self::TooDeep { .. } | Self::TooLong { .. } => Some("split it into several rules".to_owned()),
            Self::MissingField { fields, .. } if fields.is_empty() => {
                Some("rules read only the fields that the schema lists; list the field, or change the rule".to_owned())
            }
            Self::MissingField { suggestion, fields, more, .. } => {
                let more = if *more > 0 { format!(" and {more} more") } else { String::new() };
                Some(format!("{}{more}", candidates(suggestion.as_deref(), "he fields are", fields)))
            }
            Self::HiddenField { .. } => Some("give the field a `type`, or remove it from the rule".to_owned()),
            Self::NoFields { field, .. } => Some(format!("remove `.{field}`")),
            Self::NotAMap { of } => {
                Some(format!("read a field with `{of}.field`, or ask for it with `has({of}.field)`"))
            }
            Self::UnknownFunction { suggestion, .. } => {
                suggestion.as_ref().map(|suggestion| format!("did you mean `{suggestion}`?"))
            }
            Self::WrongOperands { advice, .. } => advice.map(str::to_owned),
            Self::NewerKubernetes { since, .. } => {
                Some(format!("write the rule without it, or support only Kubernetes 1.{since} and later"))
            }
            Self::NotABoolean { .. } => Some("compare it with a value".to_owned()),
            Self::UnknownVariable { variables, .. } if variables.is_empty() => None,
            Self::UnknownVariable { suggestion, variables, .. } => {
                Some(candidates(suggestion.as_deref(), "he variables here are", variables))
            }
            Self::Syntax { .. }
            | Self::NumberOutOfRange { .. }
            | Self::MacroArgument { .. }
            | Self::MixedTypes { .. }
            | Self::NotARange { .. }
            | Self::WrongResult { .. }
            | Self::BadLiteral { .. } => None,
        }
    }

    /// Whether it is about a name that the schema or the expression does not have. Another channel may have it.
    pub fn is_about_a_name(&self) -> bool {
        matches!(
            self,
            Self::MissingField { .. }
                | Self::HiddenField { .. }
                | Self::NoFields { .. }
                | Self::NotAMap { .. }
                | Self::UnknownVariable { .. }
        )
    }

    /// Whether both are the same problem, although the schemas may have different candidates for a name.
    pub fn is_same_problem(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::MissingField { field, of, .. }, Self::MissingField { field: other_field, of: other_of, .. }) => {
                field == other_field && of == other_of
            }
            (Self::UnknownVariable { name, .. }, Self::UnknownVariable { name: other, .. })
            | (Self::UnknownFunction { name, .. }, Self::UnknownFunction { name: other, .. }) => name == other,
            _ => self == other,
        }
    }
}

fn candidates(suggestion: Option<&str>, what: &str, names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match suggestion {
        Some(suggestion) => format!("did you mean `{suggestion}`? T{what} {}", quoted.join(", ")),
        None => format!("t{what} {}", quoted.join(", ")),
    }
}

impl Display for CelProblem {
    /// `byte 5: MESSAGE; HELP`
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "byte {}: {}", self.at, self.kind)?;
        match self.kind.help() {
            Some(help) => write!(formatter, "; {help}"),
            None => Ok(()),
        }
    }
}

impl Display for ProblemKind {
    /// The message, without the help.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Syntax { expected, found: Some(found) } => write!(formatter, "expected {expected}, found `{found}`"),
            Self::Syntax { expected, found: None } => {
                write!(formatter, "expected {expected}, found the end of the expression")
            }
            Self::Unreadable { message, .. } | Self::MacroArgument { message } => formatter.write_str(message),
            Self::ReservedWord { word } => {
                write!(formatter, "`{word}` is a reserved word of CEL and cannot be a variable")
            }
            Self::NumberOutOfRange { number } => write!(formatter, "the number {number} does not fit into 64 bits"),
            Self::TooDeep { limit } => {
                write!(formatter, "the expression is nested more than {limit} levels deep, which Kubernetes refuses")
            }
            Self::TooLong { limit } => {
                write!(formatter, "the expression has more than {limit} characters, which Kubernetes refuses")
            }
            Self::NewerKubernetes { name, since, minor } => {
                write!(
                    formatter,
                    "`{name}` needs Kubernetes 1.{since}, and Kubernetes 1.{minor} refuses it in new rules"
                )
            }
            Self::MissingField { field, of, .. } => write!(formatter, "`{of}` has no field `{field}`"),
            Self::HiddenField { field, of } => write!(
                formatter,
                "rules cannot read the field `{field}` of `{of}`: the schema does not state its `type`, or that of its \
                 items or values"
            ),
            Self::NoFields { of, is, .. } => write!(formatter, "{of} is {is}, which has no fields"),
            Self::NotAMap { of } => write!(
                formatter,
                "`{of}` is an object with fields, not a map or a list: `[…]`, `in` and macros such as `all` do not \
                 work on it"
            ),
            Self::UnknownFunction { name, .. } => write!(formatter, "unknown function `{name}`"),
            Self::WrongOperands { function, actual, .. } if actual.is_empty() => {
                write!(formatter, "`{function}` needs arguments")
            }
            Self::WrongOperands { function, actual, .. } => {
                write!(formatter, "`{function}` does not accept {}", actual.join(" and "))
            }
            Self::NotABoolean { what, is } => write!(formatter, "{what} needs a boolean, and this is {is}"),
            Self::MixedTypes { what, one, other } => {
                write!(formatter, "{what} must have one type, and these are {one} and {other}")
            }
            Self::NotARange { function, is } => {
                write!(formatter, "`{function}` needs a list or a map, and this is {is}")
            }
            Self::WrongResult { is, wanted } => write!(formatter, "the result must be {wanted}, and it is {is}"),
            Self::BadLiteral { what, text, why } => write!(formatter, "{text:?} is not a valid {what}: {why}"),
            Self::UnknownVariable { name, .. } => write!(formatter, "unknown variable `{name}`"),
        }
    }
}
