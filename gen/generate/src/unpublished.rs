//! Settings with the channel standard only, and what they would not publish: types, fields, values and markers that are only in experimental.
//!
//! Invariant: each of them is an error, because it would be in no CRD.

use crd_diagnostics::Diagnostic;
use crd_markers::descriptor::{Location, Shape, TypeDescriptor, TypeRef};
use crd_markers::rule::{Marker, Rule};
use crd_names::channel::{Channel, ChannelSet};

use crate::catalogue::Catalogue;
use crate::problem::{at, of_field, of_type};

/// An error for each type, field, value and marker that no channel of the settings has.
pub(crate) fn check(catalogue: &Catalogue, errors: &mut Vec<Diagnostic>) {
    if catalogue.channels() == Channel::ALL {
        return;
    }
    let is_skipped = |root: &TypeDescriptor| root.markers.iter().any(|marker| marker.rule == Rule::SkipVersion);
    let mut types = catalogue.descriptors().filter(|root| !is_skipped(root)).collect::<Vec<_>>();
    let mut next = 0;
    while let Some(descriptor) = types.get(next).copied() {
        next += 1;
        Unpublished { channels: catalogue.channels(), descriptor, errors }.check();
        for named in named(descriptor) {
            if types.iter().all(|known| !std::ptr::eq(*known, named)) {
                types.push(named);
            }
        }
    }
}

const CODE: &str = "types::no-channel";

struct Unpublished<'e> {
    channels: &'static [Channel],
    descriptor: &'static TypeDescriptor,
    errors: &'e mut Vec<Diagnostic>,
}

impl Unpublished<'_> {
    /// The errors of one type.
    fn check(&mut self) {
        let descriptor = self.descriptor;
        self.part(descriptor.channels, || of_type(CODE, descriptor, message("type", descriptor.name)));
        self.markers(descriptor.markers);
        match descriptor.shape {
            Shape::Struct(fields) | Shape::Union { variants: fields, .. } => {
                for field in fields {
                    self.part(field.channels, || of_field(CODE, descriptor, field, message("field", field.name)));
                    self.markers(field.markers);
                }
            }
            Shape::Enum { variants, .. } => {
                for variant in variants {
                    self.line(variant.channels, variant.line, &message("value", variant.name));
                }
            }
            Shape::Newtype(_) => {}
        }
    }

    fn markers(&mut self, markers: &[Marker]) {
        for marker in markers {
            self.line(marker.channels, marker.line, "the marker applies in no channel of the settings");
        }
    }

    fn line(&mut self, channels: ChannelSet, line: u32, message: &str) {
        let descriptor = self.descriptor;
        let location = Location { file: descriptor.location.file, line };
        self.part(channels, || at(of_type(CODE, descriptor, message), location));
    }

    fn part(&mut self, channels: ChannelSet, diagnostic: impl FnOnce() -> Diagnostic) {
        if !self.channels.iter().any(|channel| channels.contains(*channel)) {
            let help = "remove the channel from the marker, or add it to `channels` in the settings";
            self.errors.push(diagnostic().help(help));
        }
    }
}

fn message(kind: &str, name: &str) -> String {
    format!("the {kind} `{name}` is in no channel of the settings")
}

/// The types with `#[api]` that a type refers to.
fn named(descriptor: &'static TypeDescriptor) -> Vec<&'static TypeDescriptor> {
    fn of(reference: TypeRef) -> Option<&'static TypeDescriptor> {
        match reference {
            TypeRef::List(inner) | TypeRef::Map(_, inner) => of(*inner),
            TypeRef::Named(descriptor) => Some(descriptor.get()),
            _ => None,
        }
    }
    match descriptor.shape {
        Shape::Struct(fields) | Shape::Union { variants: fields, .. } => {
            fields.iter().filter_map(|field| of(field.kind)).collect()
        }
        Shape::Newtype(inner) => of(inner).into_iter().collect(),
        Shape::Enum { .. } => Vec::new(),
    }
}
