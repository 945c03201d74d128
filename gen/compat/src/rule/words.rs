//! `words`: texts, and differences without effect.
//!
//! Texts that no server checks, orders without meaning, and constraints that are written differently and accept the same values. Messages
//! of CEL rules are `cel-words`.

use crd_inclusion::{Difference, Edit, Position, Proof};
use crd_model::schema::Keyword;

use crate::constraint::constraint;
use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "words",
    row: "words",
    cells: Cells::everywhere(&[RequiredBump::Patch]),
    one: "text changed",
    many: "texts changed",
    section: Section::Documentation,
    summary: "\
        Descriptions and other texts, orders without meaning, and constraints that are only written \
        differently.",
    explanation: "\
        Every object is accepted or refused as before. This includes the deprecation warning, the order of \
        versions, enum values, CEL rules, branches and list-map keys, and formats that servers ignore. It \
        also includes a pattern that matches the same texts, a CEL rule with another layout, a bound of \
        integers that is written differently (below 10, at most 9), a bound, length or pattern that accepts \
        every value of the `enum`, a keyword that moves into or out of `allOf`, a branch or `not` that \
        refuses no value, null in an `enum`, a maximum beyond the largest request, and a default that the \
        defaults below it complete to the same value. All of this is proven. Labels and annotations that \
        name the version of a tool count here: `helm.sh/chart`, and keys that end in `version` and have a \
        version as their value. So does `apiVersion`, `kind` or `metadata` in `required` at the root: every \
        object has them.",
    example: "\
        old: { field: { type: string, description: The name of the host. } }\n\
        new: { field: { type: string, description: The name of the host to connect to. } }",
};

/// A text was changed.
pub(crate) fn text(what: &'static str) -> Assessment {
    Assessment::new(&RULE, what)
}

/// A keyword for readers was changed.
pub(crate) fn of_schema(keyword: Keyword) -> Assessment {
    Assessment::new(
        &RULE,
        match keyword {
            Keyword::ExternalDocs => "the link to documentation was changed".to_owned(),
            Keyword::Id => "the id of the schema was changed".to_owned(),
            keyword => format!("the {} was changed", keyword.name()),
        },
    )
}

/// A label or an annotation names another version of a tool.
pub(crate) fn version_of_tool(value: &Edit<&str>) -> Assessment {
    text(match value {
        Edit::Added(_) => "the version of a tool is named now, which affects neither objects nor the API",
        Edit::Removed(_) => "the version of a tool is no longer named, which affects neither objects nor the API",
        Edit::Replaced { .. } => "another version of a tool is named, which affects neither objects nor the API",
    })
}

/// An order without meaning was changed.
pub(crate) fn order() -> Assessment {
    Assessment::new(&RULE, "only the order was changed, which has no effect")
}

/// Unnamed entries of an object without fields were refused.
pub(crate) fn dropped() -> Assessment {
    Assessment::new(&RULE, "unnamed entries are dropped now, where they were refused: no value was added")
}

/// A constraint that refuses nothing, or that the rest of the schema repeats.
pub(crate) fn without_effect(difference: &Difference<'_>, position: &Position<'_>, proof: Proof) -> Assessment {
    let what = constraint(difference);
    let has_enum =
        [position.old_node(), position.new_node()].into_iter().flatten().any(|node| node.enumeration.is_some());
    Assessment::new(
        &RULE,
        match (difference, proof) {
            (Difference::Rule(_), Proof::Rules) => {
                "the CEL rule accepts every object that the other CRD's rules accept, so it has no effect".to_owned()
            }
            (Difference::Rule(_), _) => {
                "the CEL rule accepts every object that the rest of the schema accepts".to_owned()
            }
            (Difference::Required(_), _) if difference.is_met_by_each_object(position) => {
                "every object has the field, so `required` has no effect".to_owned()
            }
            _ if position.is_count_before_and_after() => {
                format!("the scale subresource refuses everything except counts here, so {what} has no effect")
            }
            _ if difference.is_ignored(position) => format!("servers ignore {what} for values of this type"),
            _ if has_enum => format!("{what} accepts every `enum` value, so it has no effect"),
            _ => format!("{what} accepts every value that the rest of the schema accepts, so it has no effect"),
        },
    )
}

/// A constraint that accepts the same values as before.
pub(crate) fn same_meaning(difference: &Difference<'_>) -> Assessment {
    Assessment::new(
        &RULE,
        match difference {
            Difference::Format(_) => "the format was changed, and servers ignore both formats or check them equally",
            Difference::Pattern(_) => "the pattern is written differently and matches the same texts",
            Difference::Maximum(_) | Difference::Minimum(_) => {
                "the bound is written differently and accepts the same numbers"
            }
            Difference::Rule(_) => "the CEL rule is written differently and accepts the same objects",
            Difference::EnumValue(_) => "null is a member of no `enum`, so it has no effect",
            _ => "the branches are written differently and accept the same values",
        },
    )
}
