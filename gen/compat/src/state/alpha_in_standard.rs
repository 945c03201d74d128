//! `alpha-in-standard`: a resource in standard that has only alpha versions.
//!
//! Asked of standard only. That alpha versions beside others are not served there is a policy of the bundle, kept where bundles are made.

use crd_model::channel::Channel;

use crate::comparison::Channels;
use crate::policy::{Cell, Cells};
use crate::ruling::Ruling;
use crate::state::{Occurrence, State};

pub(super) const STATE: State = State {
    id: "alpha-in-standard",
    row: "alpha-in-standard",
    cells: Cells::of(Cell::of(&[Ruling::Finding]), Cell::SILENT, Cell::SILENT),
    summary: "A resource in standard has only alpha versions.",
    explanation: "Standard promises stability, and an alpha version promises none. Give the resource a beta or GA \
        version, or keep it in experimental.",
    example: "new: { version: { name: v1alpha1 } }",
    found,
};

fn found(channels: &Channels, channel: Channel) -> Vec<Occurrence> {
    let crds = match channel {
        Channel::Standard => channels.get(&channel).map(Vec::as_slice).unwrap_or_default(),
        Channel::Experimental => &[],
    };
    let alpha = crds.iter().filter(|crd| crd.versions.iter().all(|version| version.name.contains("alpha")));
    alpha
        .map(|crd| Occurrence {
            crd: crd.name.to_string(),
            version: None,
            path: String::new(),
            identity: String::new(),
            message: "the resource is in standard and has only alpha versions, which may change at any time".to_owned(),
            fix: Some("Mark the type `+experimental`, or add a version that is beta or GA.".to_owned()),
        })
        .collect()
}
