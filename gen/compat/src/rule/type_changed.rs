//! `type-changed`: another type under the same name.
//!
//! The walk does not go on below a node whose type changed, so this is the only difference there. An object without fields may become a struct
//! or a map: that is no change of type.

use crate::difference::{Difference, Subject};
use crate::finding::Direction;
use crate::policy::Cells;
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "type-changed",
    row: "type-changed",
    cells: Cells::everywhere(&[Ruling::Refused]),
    summary: "A field has another type under the same name.",
    explanation: "Values of the old type are stored, and no reader of the new type understands them. This includes \
        integer and number, structs and maps, and int-or-string. Even in experimental this is refused, which is \
        stricter than the guides: a new name costs little, and unreadable objects cost much.",
    example: "old: { field: { type: integer } }\n\
              new: { field: { type: string } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    matches!(difference.subject, Subject::Type | Subject::Items).then(|| {
        Claim::new("the type was changed under the same name: stored values do not fit it, and readers cannot tell which they get")
            .directed(Direction::Neither)
            .fix("Choose another name for the new type, and give the old name a tombstone.")
    })
}
