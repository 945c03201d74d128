//! `words`: what people read, and what has no effect.
//!
//! The harmless end of the table: texts that no server decides by, orders that mean nothing, and constraints that are written otherwise and
//! accept the same (which [`direction`] proves). What rules of CEL say to people is `cel-words`.

use crate::difference::{Difference, Subject};
use crate::direction::{by_itself, direction};
use crate::policy::Cells;
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "words",
    row: "words",
    cells: Cells::everywhere(&[Ruling::Patch]),
    summary: "Descriptions and other texts, orders that mean nothing, and constraints that are only written \
        otherwise.",
    explanation: "No server decides by any of it, so every object is accepted or refused as before. This includes \
        the deprecation warning, the order of versions, enum values, CEL rules, branches and list-map keys, and \
        formats that servers do not know. A pattern that matches the same texts, a CEL rule that is laid out \
        otherwise, and a bound of integers that is written otherwise (below 10, at most 9) count here too, and so does a \
        bound, a length or a pattern that every value of the node's `enum` passes: that they change nothing is \
        proven, not guessed.",
    example: "old: { field: { type: string, description: The name of the host. } }\n\
              new: { field: { type: string, description: The name of the host to connect to. } }",
    claims,
};

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    if by_itself(difference).is_some() && direction(difference).is_none() {
        let what = super::tightened::constraint(difference, context)?;
        return Some(Claim::new(format!(
            "{what} lets through every value of the `enum`, and beside that refuses nothing"
        )));
    }
    let what = match difference.subject {
        Subject::Description => "the description was changed",
        Subject::Title => "the title was changed",
        Subject::Example => "the example was changed",
        Subject::ExternalDocs => "the link to documentation was changed",
        Subject::Id => "the id of the schema was changed",
        Subject::DeprecationWarning => "the deprecation warning was changed",
        Subject::VersionOrder | Subject::Order => "only the order was changed, which means nothing",
        Subject::Format if direction(difference).is_none() => {
            "the format was changed, and servers check the same as before: they ignore formats that they do not know"
        }
        Subject::Pattern if direction(difference).is_none() => {
            "the pattern is written otherwise, and matches the same texts as before"
        }
        Subject::Maximum | Subject::Minimum if direction(difference).is_none() => {
            "the bound is written otherwise, and accepts the same numbers as before"
        }
        Subject::AllOf | Subject::AnyOf | Subject::OneOf | Subject::Not if direction(difference).is_none() => {
            "the branches are written otherwise, and accept the same values as before"
        }
        Subject::Rule if direction(difference).is_none() => "the CEL rule is only laid out otherwise",
        _ => return None,
    };
    Some(Claim::new(what))
}
