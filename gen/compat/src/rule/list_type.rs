//! `list-type`: how lists and maps are merged.
//!
//! List type, list-map keys, and the map type of maps and structs. What a server fills in is no difference: the walk leaves it out.

use crate::difference::{Difference, Subject};
use crate::finding::Direction;
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "list-type",
    row: "list-type",
    cells: Cells::of(Cell::of(&[Ruling::Major]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "The type of a list, a map or a struct, or the keys of a list, was changed.",
    explanation: "It decides what server-side apply merges and who owns which part, and for lists which duplicates \
        are refused. An absent list type equals atomic, an absent map type granular: writing one out is no \
        difference.",
    example: "old: { field: { type: array, items: { type: string } } }\n\
              new: { field: { type: array, items: { type: string }, x-kubernetes-list-type: set } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    let what = match difference.subject {
        Subject::ListType => {
            "the list type was changed: server-side apply merges otherwise, and duplicates are judged otherwise"
        }
        Subject::ListMapKeys => "the keys of the list were changed: server-side apply takes other entries for the same",
        Subject::MapType => "the map type was changed: server-side apply merges otherwise",
        _ => return None,
    };
    Some(Claim::new(what).directed(Direction::Neither))
}
