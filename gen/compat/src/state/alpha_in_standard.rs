//! `alpha-in-standard`: a resource in standard with only alpha versions.
//!
//! Only for standard. Bundles do not serve alpha versions in standard, which is checked where bundles are made. The profile `semver` permits
//! both.

use crd_model::channel::Channel;
use crd_model::crd::is_alpha;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump;
use crate::rule::{Rule, Section};
use crate::state::{Occurrence, State, Subject};

pub(super) const STATE: State = State {
    rule: Rule {
        id: "alpha-in-standard",
        row: "alpha-in-standard",
        cells: Cells::of(Cell::of(&[RequiredBump::Waiver]), Cell::EMPTY, Cell::EMPTY).semver(Cell::EMPTY),
        one: "resource with alpha versions only",
        many: "resources with alpha versions only",
        section: Section::States,
        summary: "A resource in standard has only alpha versions.",
        explanation: "\
            Standard promises stability, and an alpha version does not. Give the resource a beta or GA version, \
            or keep it in experimental.",
        example: "new: { version: { name: v1alpha1 } }",
    },
    found,
};

fn found<'a>(&Subject { channel, crd, .. }: &Subject<'a>) -> Vec<Occurrence<'a>> {
    if channel != Channel::Standard || crd.versions.iter().any(|version| !is_alpha(&version.name)) {
        return Vec::new();
    }
    vec![Occurrence {
        crd: crd.name.to_string(),
        message: "the resource is in standard and has only alpha versions, which may change at any time".to_owned(),
        fix: Some("Mark the type `+experimental`, or add a beta or GA version.".to_owned()),
        ..Occurrence::default()
    }]
}
