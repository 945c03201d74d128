//! `type-changed`: another type under the same name.
//!
//! Nothing else of such a node is compared. An object without fields may become a struct or a map: that is not a change of type.

use crd_inclusion::Direction;

use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "type-changed",
    row: "type-changed",
    cells: Cells::everywhere(&[RequiredBump::NotAllowed]),
    one: "type changed under the same name",
    many: "types changed under the same name",
    section: Section::Changed,
    summary: "A field has another type under the same name.",
    explanation: "Values of the old type are stored, and readers of the new type cannot read them. This includes integer and \
        number, structs and maps, and int-or-string. It is refused even in experimental, which is stricter than \
        the guides: a new name is cheap, and unreadable objects are not.",
    example: "old: { field: { type: integer } }\n\
              new: { field: { type: string } }",
};

pub(crate) fn assess() -> Assessment {
    let message = "the type was changed under the same name: stored values do not match it, and readers cannot distinguish both types";
    Assessment::new(&RULE, message)
        .directed(Direction::Neither)
        .fix("Choose another name for the new type, and give the old name a tombstone.")
}
