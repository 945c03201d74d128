//! `tightened`: constraints that let less through.
//!
//! With `loosened` and `incomparable` it splits by direction what [`constraint`] lists; required fields that have rules of their own
//! (`required-with-default`, `required-at-root`) and enum values that do (`name-removed`, `graduated`, `name-added`) are not among them.

use crd_cel::mentions_old_self;
use serde_json::Value;

use crate::difference::{Difference, Subject};
use crate::direction::direction;
use crate::finding::Direction;
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "tightened",
    row: "tightened",
    cells: Cells::of(Cell::of(&[Ruling::Major]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "A constraint lets less through: objects that were accepted are refused now.",
    explanation: "Stored objects stay stored. Ratcheting lets them be updated as long as the part that is no longer \
        valid is not touched, but nobody can create them again, and whoever applies them anew fails. In standard \
        this needs a major bundle. A CEL rule about updates (one that names `oldSelf`) that is added or changed \
        counts here whatever it permits: updates that worked may be refused. So does `nullable` where there is an \
        `enum`: a null that was dropped is kept, and the values refuse it.",
    example: "old: { field: { type: string, maxLength: 253 } }\n\
              new: { field: { type: string, maxLength: 63 } }",
    claims,
};

/// What differs, in words; none for what other rules judge.
pub(super) fn constraint(difference: &Difference<'_>, context: &Context<'_>) -> Option<&'static str> {
    Some(match difference.subject {
        Subject::Maximum => "the maximum",
        Subject::Minimum => "the minimum",
        Subject::MultipleOf => "`multipleOf`",
        Subject::MaxLength => "the maximum length",
        Subject::MinLength => "the minimum length",
        Subject::MaxItems => "the maximum number of items",
        Subject::MinItems => "the minimum number of items",
        Subject::MaxProperties => "the maximum number of entries",
        Subject::MinProperties => "the minimum number of entries",
        Subject::UniqueItems => "the uniqueness of items",
        Subject::Pattern => "the pattern",
        Subject::Format => "the format",
        Subject::Enum => "the list of allowed values",
        Subject::EnumValue if difference.is_addition() && super::graduated::started(difference, context).is_none() => {
            "the list of allowed values"
        }
        Subject::Required
            if !super::required_with_default::is_filled_in(difference)
                && !super::required_at_root::is_new(difference) =>
        {
            "whether the field must be given"
        }
        Subject::Nullable => "whether null is allowed",
        Subject::AdditionalProperties => "which unnamed entries are allowed",
        Subject::AllOf => "`allOf`",
        Subject::AnyOf => "`anyOf`",
        Subject::OneOf => "`oneOf`",
        Subject::Not => "`not`",
        Subject::Rule => "a CEL rule",
        Subject::OptionalOldSelf => "whether a CEL rule about updates also judges new objects",
        _ => return None,
    })
}

/// True for a rule about updates that came, or that says something else now: it may refuse updates that nothing refused.
pub(super) fn is_about_updates(difference: &Difference<'_>) -> bool {
    let looks_back = |value: &Option<Value>| value.as_ref().and_then(Value::as_str).is_some_and(mentions_old_self);
    difference.subject == Subject::Rule
        && !difference.is_removal()
        && (looks_back(&difference.before) || looks_back(&difference.after))
}

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    let what = constraint(difference, context)?;
    let direction = direction(difference)?;
    let what = match difference.subject {
        _ if is_about_updates(difference) => {
            let text = "a CEL rule about updates was added or changed: updates that were accepted may be refused now";
            return Some(Claim::new(text).directed(direction));
        }
        _ if direction != Direction::Tightened => return None,
        Subject::Rule => "a CEL rule was added".to_owned(),
        Subject::Required => "the field must be given now".to_owned(),
        Subject::Nullable if difference.is_removal() => "null is no longer allowed".to_owned(),
        Subject::Nullable => "null is kept now and the list of values refuses it, where it was dropped".to_owned(),
        _ => format!("{what} was tightened"),
    };
    let message = format!("{what}: objects that were accepted may be refused when they are created or changed");
    Some(Claim::new(message).directed(direction))
}
