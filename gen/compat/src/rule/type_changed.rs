//! `type-changed`: another type under the same name.
//!
//! Nothing else of such a node is compared. An object without fields may become a struct or a map: that is not a change of type. A node
//! without a type that gets one is `tightened`. A node that loses its type and gets no constraint is `preserve-added`.

use crd_inclusion::{Direction, NodeType};

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "type-changed",
    row: "type-changed",
    cells: Cells::everywhere(&[RequiredBump::NotAllowed]).semver(Cell::of(&[RequiredBump::Major])),
    one: "type changed under the same name",
    many: "types changed under the same name",
    section: Section::Changed,
    summary: "A field has another type under the same name.",
    explanation: "\
        Values of the old type are stored, and readers of the new type may be unable to read them. Where all \
        of them also have the new type (integer to number, integer or string to int-or-string), readers of \
        the old type cannot read new values. Structs and maps are different types, too. It is refused even \
        in experimental, which is stricter than the guides: a new name is cheap, and unreadable objects are \
        not. In the profile `semver` it needs a major release.",
    example: "\
        old: { field: { type: integer } }\n\
        new: { field: { type: string } }",
};

/// How many values of the old type also have the new one.
enum Fit {
    All,
    Some,
    None,
}

fn fit(old: NodeType<'_>, new: NodeType<'_>) -> Fit {
    use NodeType::{Any, IntOrString, Map, Object, Other, Struct};
    match (old, new) {
        (Other("integer"), Other("number")) | (Other("integer" | "string"), IntOrString) => Fit::All,
        (Other("number"), Other("integer") | IntOrString)
        | (IntOrString, Other("integer" | "number" | "string"))
        | (Struct | Map | Object, Struct | Map | Object)
        | (_, Any) => Fit::Some,
        _ => Fit::None,
    }
}

/// A node without a type gets one in `tightened`.
pub(crate) fn assess(old: NodeType<'_>, new: NodeType<'_>) -> Assessment {
    changed(match fit(old, new) {
        Fit::All => "stored values also have the new type, but readers of the old type cannot read new values",
        Fit::Some => "stored values may not match it, and readers cannot distinguish both types",
        Fit::None => "stored values do not match it, and readers cannot distinguish both types",
    })
}

/// A list has a schema of its items on one side only.
pub(crate) fn items() -> Assessment {
    changed("stored values may not match it, and readers cannot distinguish both types")
}

fn changed(why: &str) -> Assessment {
    Assessment::new(&RULE, format!("the type was changed under the same name: {why}"))
        .directed(Direction::Neither)
        .fix("Choose another name for the new type, and give the old name a tombstone.")
}
