//! `containment`: standard has something that experimental lacks or refuses.
//!
//! [`crd_inclusion::containment`] finds it.

use std::slice::from_ref;

use crd_model::channel::Channel;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump;
use crate::rule::{Rule, Section};
use crate::state::{Occurrence, State, Subject};

pub(super) const STATE: State = State {
    rule: Rule {
        id: "containment",
        row: "containment",
        cells: Cells::of(Cell::of(&[RequiredBump::Waiver]), Cell::EMPTY, Cell::EMPTY),
        one: "location where standard exceeds experimental",
        many: "locations where standard exceeds experimental",
        section: Section::States,
        summary: "Standard has something that experimental lacks, or accepts something that experimental refuses.",
        explanation: "\
            A user who changes from standard to experimental expects that all objects stay valid. A CEL rule \
            that only experimental has counts, unless it is proven that every object of standard satisfies it, \
            as for a rule about fields that standard lacks.",
        example: "\
            new: { field: { type: string } }\n\
            experimental: { field: { type: string, maxLength: 63 } }",
    },
    found,
};

fn found<'a>(subject: &Subject<'a>) -> Vec<Occurrence<'a>> {
    let (Channel::Standard, Some(experimental)) = (subject.channel, subject.experimental) else { return Vec::new() };
    let namesake = experimental.iter().find(|crd| crd.name == subject.crd.name);
    let namesake = namesake.map_or(&[][..], |crd| from_ref(&**crd));
    let excesses = crd_inclusion::containment(from_ref(subject.crd), namesake, subject.prover);
    excesses
        .into_iter()
        .map(|excess| Occurrence {
            crd: excess.crd,
            version: excess.version,
            path: excess.path,
            message: excess.message,
            fix: Some(excess.fix.to_owned()),
            identity: excess.identity,
            ..Occurrence::default()
        })
        .collect()
}
