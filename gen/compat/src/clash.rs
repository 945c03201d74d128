//! Clashes: where two versions of one resource cannot exchange objects without a conversion.
//!
//! Without a conversion, servers replace `apiVersion` and drop the fields that the version lacks. Objects of both versions must therefore
//! have the same types, and satisfy the same constraints.
//!
//! Invariants: every ordered pair of versions that are served or stored is compared, so a constraint counts in the direction in which it
//! refuses objects. A type counts once for each pair. A version that preserves the fields of another one does not clash with it.

use std::sync::Arc;

use crd_inclusion::{Difference, Direction, Elsewhere, LocatedDifference, Presence, Prover, differences_of_version};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::Version;

use crate::change::{Change, LocatedChange, Location};
use crate::witness::exempt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The type of a node.
    Type,
    /// A constraint: the new version refuses objects of the old one.
    Constraint,
}

/// A difference between two versions of one resource: `old_version` and `new_version` of the location.
#[derive(Clone, Debug)]
pub(crate) struct Clash<'a> {
    pub(crate) kind: Kind,
    pub(crate) difference: LocatedChange<'a>,
    /// What the difference does to the set of accepted objects.
    pub(crate) direction: Direction,
    /// The version that writes objects.
    pub(crate) from: &'a Version,
    /// The version that reads them.
    pub(crate) to: &'a Version,
}

impl Clash<'_> {
    /// What identifies it at its path: a limit may change, and an enum value or a CEL rule is another one.
    pub(crate) fn subject(&self) -> String {
        let Change::Schema(difference) = &self.difference.change else { return String::new() };
        match difference {
            Difference::EnumValue(_) | Difference::Rule(_) => {
                format!("{} {:?}", difference.description(), self.difference.values())
            }
            _ => difference.description().to_owned(),
        }
    }
}

/// Every clash of a resource, by version.
pub(crate) fn clashes<'a>(channel: Channel, crd: &'a CustomResourceDefinition, prover: &Arc<Prover>) -> Vec<Clash<'a>> {
    let used = crd.versions.iter().filter(|version| version.served || version.storage).collect::<Vec<_>>();
    let mut found = Vec::new();
    for (to_index, to) in used.iter().copied().enumerate() {
        for (from_index, from) in used.iter().copied().enumerate().filter(|(index, _)| *index != to_index) {
            let (old, new, elsewhere) = (&from.schema, &to.schema, Elsewhere::default());
            let differences = differences_of_version(old, new, &|_, _| None, elsewhere, prover.clone());
            for LocatedDifference { position, difference } in differences {
                let (kind, direction) = match &difference {
                    Difference::Type { .. } | Difference::Items(_) if from_index < to_index => {
                        (Kind::Type, Some(Direction::Neither))
                    }
                    Difference::Type { .. } | Difference::Items(_) => continue,
                    // Every object that the version returns has the default.
                    Difference::Required(Presence::Added(name)) if position.fills_in(name) => continue,
                    // Servers validate by the version of the request.
                    _ if !to.served => continue,
                    // A version that keeps the fields of the other one is what the guide to API versioning demands.
                    Difference::Field(Presence::Added(_)) if position.keeps_unknown_fields() => continue,
                    _ => (Kind::Constraint, difference.direction(&position)),
                };
                let Some(direction @ (Direction::Tightened | Direction::Neither)) = direction else { continue };
                let location = Location {
                    channel,
                    old_crd: Some(crd),
                    new_crd: Some(crd),
                    old_version: Some(from),
                    new_version: Some(to),
                    position,
                };
                let difference = LocatedChange { location, change: Change::Schema(difference) };
                if kind == Kind::Type || exempt(&difference.change).is_none() {
                    found.push(Clash { kind, difference, direction, from, to });
                }
            }
        }
    }
    found
}
