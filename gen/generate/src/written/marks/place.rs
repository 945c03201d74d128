//! A place in a schema with the marks at it and below it, and the descriptor of the type that it would have.

use std::collections::BTreeMap;

use crd_markers::deferred::Deferred;
use crd_markers::descriptor::{Field, Location, Presence, ResourceDescriptor, Shape, TypeDescriptor, TypeRef, Variant};
use crd_markers::leaked;
use crd_markers::rule::Marker;
use crd_markers::usual;
use crd_model::CustomResourceDefinition;
use crd_model::schema::Step;
use crd_names::channel::{Channel, ChannelSet};

use super::Limit;

/// A place with its marks.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The line of the first mark at it or below it.
    line: u32,
    pub(super) limit: Option<Limit>,
    pub(super) markers: Vec<Marker>,
    /// The marked values of its enum.
    pub(super) values: BTreeMap<String, Limit>,
    below: BTreeMap<Step, Place>,
}

/// The type of parts that no mark is about.
const UNMARKED: TypeRef = usual::OPAQUE.reference;

impl Place {
    /// The place at the end of these steps.
    pub(super) fn below(&mut self, steps: &[Step], line: u32) -> &mut Self {
        if self.line == 0 {
            self.line = line;
        }
        match steps {
            [] => self,
            [step, rest @ ..] => self.below.entry(step.clone()).or_default().below(rest, line),
        }
    }

    /// The root type of an API version.
    pub(super) fn root(
        &self,
        crd: &CustomResourceDefinition,
        version: &str,
        file: &'static str,
    ) -> &'static TypeDescriptor {
        let resource = ResourceDescriptor {
            group: leaked::text(&crd.group),
            version: leaked::text(version),
            kind: leaked::text(&crd.names.kind),
            plural: leaked::text(&crd.names.plural),
        };
        let (channels, experimental) = limited(self.limit);
        leaked::value(TypeDescriptor {
            channels,
            experimental,
            resource: Some(resource),
            markers: leaked::list(self.markers.clone()),
            ..self.described(resource.kind, file, Shape::Struct(self.fields(file)))
        })
    }

    fn described(&self, name: &'static str, file: &'static str, shape: Shape) -> TypeDescriptor {
        TypeDescriptor {
            name,
            module: "",
            description: "",
            channels: ChannelSet::ALL,
            experimental: None,
            shape,
            markers: &[],
            tombstones: &[],
            resource: None,
            location: Location { file, line: self.line.max(1) },
        }
    }

    /// The fields below the place, and one for everything that no mark is about.
    fn fields(&self, file: &'static str) -> &'static [Field] {
        let mut fields = vec![Field { flatten: true, ..field("", UNMARKED, 1) }];
        for (step, place) in &self.below {
            let Step::Field(name) = step else { continue };
            let name = leaked::text(name);
            let (channels, experimental) = limited(place.limit);
            fields.push(Field {
                channels,
                experimental,
                markers: leaked::list(place.markers.clone()),
                ..field(name, place.kind(name, file), place.line)
            });
        }
        leaked::list(fields)
    }

    /// The type at the place, without the markers of the field.
    fn kind(&self, name: &'static str, file: &'static str) -> TypeRef {
        let named = |descriptor: TypeDescriptor| {
            let descriptor: &'static TypeDescriptor = leaked::value(descriptor);
            TypeRef::Named(Deferred::read(descriptor))
        };
        // The items of a list have no field for their markers.
        let inner = |place: &Self| -> &'static TypeRef {
            let kind = place.kind(name, file);
            leaked::value(match place.markers.is_empty() {
                true => kind,
                false => {
                    let markers = leaked::list(place.markers.clone());
                    named(TypeDescriptor { markers, ..place.described(name, file, Shape::Newtype(kind)) })
                }
            })
        };
        if !self.values.is_empty() {
            let variants = leaked::list(self.values.iter().map(|(name, limit)| variant(name, *limit)).collect());
            return named(self.described(name, file, Shape::Enum { variants, open: true }));
        }
        match self.below.first_key_value() {
            None => UNMARKED,
            Some((Step::Field(_), _)) => named(self.described(name, file, Shape::Struct(self.fields(file)))),
            Some((Step::Item, place)) => TypeRef::List(inner(place)),
            Some((Step::Value, place)) => TypeRef::Map(&TypeRef::String, inner(place)),
        }
    }
}

fn variant(name: &str, limit: Limit) -> Variant {
    let (channels, experimental) = limited(Some(limit));
    let name = leaked::text(name);
    Variant { channels, experimental, ..usual::variant(name, name, "", limit.line) }
}

fn field(name: &'static str, kind: TypeRef, line: u32) -> Field {
    Field { kind, presence: Presence::Optional, ..usual::field(name, name, "", line.max(1), usual::OPAQUE) }
}

/// The channels of a descriptor, and the line of its mark.
fn limited(limit: Option<Limit>) -> (ChannelSet, Option<u32>) {
    let limit = limit.filter(|limit| !limit.channels.contains(Channel::Standard));
    (limit.map_or(ChannelSet::ALL, |limit| limit.channels), limit.map(|limit| limit.line))
}
