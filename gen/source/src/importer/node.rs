//! Schema nodes of both channels as Rust types with markers.
//!
//! Invariants: markers are where the macro accepts them: those of a struct or enum on the item, those of other types on the field, and those of
//! items of lists on the list, or on a newtype where they have no form for items. A part that only experimental has is `+experimental`.

use crd_markers::table::Target;
use crd_model::schema::{AdditionalProperties, Schema};
use crd_names::channel::Channel;
use serde_json::Value;

use crate::importer::description;
use crate::importer::difference::Difference;
use crate::importer::facet::{Facet, facets, without_marker, writable};
use crate::importer::item::{Body, Field, Item, Items, Rust, Variant};
use crate::importer::marker::Line;
use crate::importer::place::Place;
use crate::importer::shape::{BaseTypes, Leaf, Shape, is_int_or_string, lost, rest, shape};
use crate::importer::sides::{Sides, merged};
use crd_names::rust as names;

/// Builds the items of one module.
pub(crate) struct Builder<'b> {
    pub(crate) items: Items,
    pub(crate) bases: &'b BaseTypes,
    pub(crate) crd: String,
    pub(crate) version: String,
    pub(crate) differences: &'b mut Vec<Difference>,
}

/// What a node is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Field,
    /// A list or a map.
    Inner,
}

/// The doc comment of a node, and the marker for another text in standard.
#[derive(Default)]
struct Text {
    lines: Vec<String>,
    standard: Option<Facet>,
}

impl Text {
    fn marker(&self) -> Vec<(Facet, Option<Channel>)> {
        self.standard.iter().map(|facet| (facet.clone(), Some(Channel::Standard))).collect()
    }
}

/// A node as a type, with what belongs where the type is used.
struct Built {
    rust: Rust,
    description: Vec<String>,
    facets: Vec<(Facet, Option<Channel>)>,
    /// Markers for items of the list.
    items: Vec<Line>,
}

impl Built {
    fn lines(&self) -> Vec<Line> {
        let own = self.facets.iter().map(|(facet, channel)| Line { channel: *channel, text: facet.text() });
        own.chain(self.items.iter().cloned()).collect()
    }
}

impl Builder<'_> {
    pub(crate) fn difference(
        &mut self,
        channel: Option<Channel>,
        path: &str,
        keyword: impl Into<String>,
        reason: impl Into<String>,
    ) {
        self.differences.push(Difference {
            crd: self.crd.clone(),
            version: Some(self.version.clone()),
            channel,
            path: path.to_owned(),
            keyword: keyword.into(),
            reason: reason.into(),
        });
    }

    /// The root type, without the markers of the resource.
    pub(crate) fn root(&mut self, mut sides: Sides<&Schema>, place: &Place) -> Item {
        if let Some(channel) = self.other_root(&sides) {
            self.difference(Some(channel), "", "type", "the root of a resource is an object");
            sides = Sides::default();
        }
        let mut fields = vec![Field {
            name: "metadata".to_owned(),
            rename: None,
            description: vec!["Standard object metadata.".to_owned()],
            lines: Vec::new(),
            rust: Leaf::ObjectMeta.into(),
        }];
        for (channel, schema) in sides.iter() {
            for (name, kind) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
                let property = schema.properties.get(name).map(Schema::to_value);
                for (keyword, value) in property.iter().flat_map(|property| property.as_object()).flatten() {
                    if keyword != "description" && (keyword, value) != (&"type".to_owned(), &Value::from(kind)) {
                        let reason = match kind {
                            "object" => {
                                "the metadata of a resource is `ObjectMeta`, whose schema is an object without properties"
                            }
                            _ => "the types have a string, as servers check it",
                        };
                        self.difference(Some(channel), name, keyword.as_str(), reason);
                    }
                }
            }
            if schema.nullable {
                self.difference(Some(channel), "", "nullable", "a resource is an object");
            }
        }
        fields.extend(self.fields(sides, place, true));
        let facets = self.facets(&sides, Shape::Struct, place, Target::Resource);
        let text = description(&sides);
        let lines = text.marker().into_iter().chain(facets);
        Item {
            lines: lines.map(|(facet, channel)| Line { channel, text: facet.text() }).collect(),
            description: text.lines,
            body: Body::Struct(fields),
        }
    }

    fn other_root(&self, sides: &Sides<&Schema>) -> Option<Channel> {
        sides.iter().find(|(_, schema)| schema.kind.as_deref() != Some("object")).map(|(channel, _)| channel)
    }

    /// The fields of a struct.
    fn fields(&mut self, sides: Sides<&Schema>, place: &Place, is_root: bool) -> Vec<Field> {
        let mut wire_names: Vec<&str> =
            sides.iter().flat_map(|(_, schema)| schema.properties.keys().map(AsRef::as_ref)).collect();
        wire_names.sort_unstable();
        wire_names.dedup();
        if is_root {
            wire_names.retain(|name| !matches!(*name, "apiVersion" | "kind" | "metadata"));
        }
        for (channel, schema) in sides.iter() {
            for name in &schema.required {
                let reason = match () {
                    () if is_root && name == "metadata" => {
                        "servers check the presence of metadata themselves".to_owned()
                    }
                    () if wire_names.contains(&name.as_ref()) => continue,
                    () => format!("`{name}` is required and is not a field of the type"),
                };
                self.difference(Some(channel), &place.path, "required", reason);
            }
        }
        let mut taken: Vec<String> = if is_root { vec!["metadata".to_owned()] } else { Vec::new() };
        wire_names.into_iter().map(|wire| self.field(&sides, place, wire, &mut taken)).collect()
    }

    /// A field of a struct, whose Rust name is none of those that are taken.
    fn field(&mut self, sides: &Sides<&Schema>, of: &Place, wire: &str, taken: &mut Vec<String>) -> Field {
        let place = of.property(wire);
        let properties = sides.map(|_, schema| schema.properties.get(wire)).present();
        let (name, follows) = names::field(wire, taken);
        taken.push(name.strip_prefix("r#").unwrap_or(&name).to_owned());
        let built = self.node(properties, &place, Some(wire), Position::Field);
        let mut lines = Vec::new();
        if sides.count() > properties.count() {
            match properties.only() {
                Some(Channel::Experimental) => lines.push(Line { channel: None, text: "experimental".to_owned() }),
                _ => {
                    let reason = "only standard has this field; in the types, experimental has it too";
                    self.difference(Some(Channel::Experimental), &place.path, "properties", reason);
                }
            }
        }
        let is_required = sides.map(|_, schema| schema.required.iter().any(|name| name == wire));
        let is_required = properties.map(|channel, _| is_required.get(channel).copied().unwrap_or_default());
        let reason = format!("`{wire}` is required in one channel only, so it is optional in the types");
        let is_required = self.agreed(is_required, &of.path, "required", &reason);
        let is_nullable = properties.map(|_, schema| schema.nullable);
        let reason = "the field is nullable in one channel only, so it is not nullable in the types";
        let is_nullable = self.agreed(is_nullable, &place.path, "nullable", reason);
        let option = |rust| Rust::Option(Box::new(rust));
        let own = built.lines();
        let rust = match (is_required, is_nullable) {
            (true, false) => built.rust,
            (false, false) => option(built.rust),
            (false, true) => option(option(built.rust)),
            (true, true) => {
                lines.extend(["required", "nullable"].map(|text| Line { channel: None, text: text.to_owned() }));
                option(built.rust)
            }
        };
        lines.extend(own);
        Field { name, rename: (!follows).then(|| wire.to_owned()), description: built.description, lines, rust }
    }

    /// What both channels agree on; a difference and `false` where they do not.
    fn agreed(&mut self, sides: Sides<bool>, path: &str, keyword: &str, reason: &str) -> bool {
        if sides.agree() {
            return sides.widest().copied().unwrap_or_default();
        }
        let channel = sides.iter().find(|(_, is_set)| **is_set).map(|(channel, _)| channel);
        self.difference(channel, path, keyword, reason);
        false
    }

    fn node(&mut self, mut sides: Sides<&Schema>, place: &Place, name: Option<&str>, position: Position) -> Built {
        let shapes = sides.map(|_, schema| shape(schema, name, self.bases));
        let text = description(&sides);
        let mut shape = match (shapes.standard, shapes.experimental) {
            (Some(standard), Some(experimental)) if standard != experimental => {
                match both(standard, experimental, position) {
                    Some(shape) => shape,
                    None => {
                        let reason = "a Rust type is that of every channel; the types have the one of experimental";
                        self.difference(Some(Channel::Standard), &place.path, "type", reason);
                        sides.standard = None;
                        experimental
                    }
                }
            }
            (Some(shape), _) | (None, Some(shape)) => shape,
            (None, None) => Shape::Loose,
        };
        if shape == Shape::Values && values(&sides).is_none() {
            shape = Shape::Leaf(Leaf::String);
        }
        if shape == Shape::Loose && position == Position::Inner {
            shape = self.with_type(&sides, place);
        }
        if position == Position::Field && is_layered(shape) {
            self.merged_all_of(&sides, place);
        }
        match shape {
            Shape::Struct | Shape::Values => self.item(sides, shape, place, position, text),
            Shape::List | Shape::Map => self.container(sides, shape, place, text),
            Shape::Leaf(_) | Shape::Loose => {
                // Only a field can have all markers; a newtype or items report the rest.
                let facets = self.facets(&sides, shape, place, Target::Field);
                let is_int_or_string = sides.iter().all(|(_, schema)| schema.int_or_string);
                let rust = match shape {
                    Shape::Leaf(leaf) => leaf.into(),
                    _ if is_int_or_string => Leaf::IntOrString.into(),
                    _ => Leaf::AnyJson.into(),
                };
                let mut all = text.marker();
                if shape == Shape::Loose {
                    all.push((Facet::plain("type", "kubebuilder:validation:Schemaless"), None));
                }
                all.extend(facets);
                Built { rust, description: text.lines, facets: all, items: Vec::new() }
            }
        }
    }

    /// The type of a part that needs one, because only a field can be without.
    fn with_type(&mut self, sides: &Sides<&Schema>, place: &Place) -> Shape {
        self.merged_all_of(sides, place);
        if sides.iter().all(|(_, schema)| !schema.int_or_string) {
            let is_object = sides.iter().all(|(_, schema)| schema.kind.as_deref() == Some("object"));
            return Shape::Leaf(if is_object { Leaf::RawExtension } else { Leaf::AnyJson });
        }
        for (channel, schema) in sides.iter().filter(|(_, schema)| !is_int_or_string(schema)) {
            let reason = match schema.any_of.is_empty() {
                true => {
                    "an integer or a string in a list or map has `anyOf` with both types, which accepts the same values"
                }
                false => "an integer or a string in a list or map has `anyOf` with both types, and no other one",
            };
            self.difference(Some(channel), &place.path, "anyOf", reason);
        }
        Shape::Leaf(Leaf::IntOrString)
    }

    fn merged_all_of(&mut self, sides: &Sides<&Schema>, place: &Place) {
        for (channel, _) in sides.iter().filter(|(_, schema)| !schema.all_of.is_empty()) {
            let reason = "`generate` merges it into the node, as controller-gen does; the same objects are valid";
            self.difference(Some(channel), &place.path, "allOf", reason);
        }
    }

    /// A struct or an enum.
    fn item(&mut self, sides: Sides<&Schema>, shape: Shape, place: &Place, position: Position, text: Text) -> Built {
        let body = match shape {
            Shape::Values => {
                let values = values(&sides).unwrap_or_default();
                let (case, names) = names::variants(values.iter().map(|(value, _)| *value));
                let variants = names.into_iter().zip(values).map(|((name, follows), (value, is_experimental))| {
                    Variant { name, rename: (!follows).then(|| value.to_owned()), is_experimental }
                });
                Body::Enum { case, variants: variants.collect() }
            }
            _ => Body::Struct(self.fields(sides, place, false)),
        };
        let facets = self.facets(&sides, shape, place, Target::Field);
        let (own, mut of_field): (Vec<_>, Vec<_>) =
            facets.into_iter().partition(|(facet, _)| facet.is_allowed_on(Target::Type));
        if position == Position::Inner {
            self.only_on_fields(&mut of_field, place);
        }
        let (own_text, text) =
            if position == Position::Inner { (text, Text::default()) } else { (Text::default(), text) };
        let own = own_text.marker().into_iter().chain(own);
        let lines = own.map(|(facet, channel)| Line { channel, text: facet.text() }).collect();
        let item = Item { description: own_text.lines, lines, body };
        let id = self.items.add(item, place);
        let facets = text.marker().into_iter().chain(of_field).collect();
        Built { rust: Rust::Item(id), description: text.lines, facets, items: Vec::new() }
    }

    /// A list or a map.
    fn container(&mut self, sides: Sides<&Schema>, shape: Shape, place: &Place, text: Text) -> Built {
        let inner = sides.map(|_, schema| match shape {
            Shape::List => schema.items.as_deref(),
            _ => schema.values(),
        });
        let inner_place = place.inner();
        for (channel, schema) in inner.present().iter() {
            if schema.nullable {
                let reason = "only a field can be nullable; null is rejected here";
                self.difference(Some(channel), &inner_place.path, "nullable", reason);
            }
        }
        for (channel, schema) in sides.iter() {
            let is_anything = matches!(schema.additional_properties, Some(AdditionalProperties::Allowed(true)));
            if inner.get(channel).is_some_and(Option::is_none) && !is_anything {
                self.difference(
                    Some(channel),
                    &place.path,
                    "items",
                    "servers reject a list without a schema of its items",
                );
            }
        }
        let inner = inner.present();
        let built = match inner.count() {
            0 => Built { rust: Leaf::AnyJson.into(), description: Vec::new(), facets: Vec::new(), items: Vec::new() },
            _ => self.node(inner, &inner_place, None, Position::Inner),
        };
        let mut items = Vec::new();
        let mut rust = built.rust.clone();
        if !built.facets.is_empty() || !built.items.is_empty() || !built.description.is_empty() {
            let for_items: Option<Vec<Line>> = built
                .facets
                .iter()
                .map(|(facet, channel)| Some(Line { channel: *channel, text: facet.for_items()? }))
                .collect();
            match for_items {
                Some(lines) if shape == Shape::List && built.items.is_empty() && built.description.is_empty() => {
                    items = lines
                }
                _ => rust = self.newtype(built, &inner_place),
            }
        }
        let facets = self.facets(&sides, shape, place, Target::Field);
        let facets = text.marker().into_iter().chain(facets).collect();
        let rust = match shape {
            Shape::List => Rust::List(Box::new(rust)),
            _ => Rust::Map(Box::new(rust)),
        };
        Built { rust, description: text.lines, facets, items }
    }

    fn newtype(&mut self, mut built: Built, place: &Place) -> Rust {
        self.only_on_fields(&mut built.facets, place);
        if built.facets.is_empty() && built.items.is_empty() && built.description.is_empty() {
            return built.rust;
        }
        let lines = built.lines();
        let item = Item { description: built.description, lines, body: Body::Newtype(built.rust) };
        // The items have a type of their own.
        let path = place.path.strip_suffix("[*]").map_or_else(|| place.path.clone(), |list| format!("{list}[]"));
        Rust::Item(self.items.add(item, &Place { path, ..place.clone() }))
    }

    /// Takes out the markers that only a field can have.
    fn only_on_fields(&mut self, facets: &mut Vec<(Facet, Option<Channel>)>, place: &Place) {
        for (facet, channel) in facets.extract_if(.., |(facet, _)| !facet.is_allowed_on(Target::Type)) {
            let reason = "its marker is for fields, and this is in a list or a map";
            self.difference(channel, &place.path, facet.keyword, reason);
        }
    }

    /// The markers of a node for its keywords that the Rust type does not have.
    fn facets(
        &mut self,
        sides: &Sides<&Schema>,
        shape: Shape,
        place: &Place,
        target: Target,
    ) -> Vec<(Facet, Option<Channel>)> {
        let mut found: Sides<Vec<Facet>> = Sides::default();
        for (channel, schema) in sides.iter() {
            let schema_rest = rest(schema, shape);
            let without = without_marker(&schema_rest, shape.kind())
                .into_iter()
                .map(|(keyword, reason)| (keyword, reason.to_owned()));
            for (keyword, reason) in without.chain(lost(schema, shape)) {
                self.difference(Some(channel), &place.path, keyword, reason);
            }
            let kept = writable(facets(&schema_rest, shape.kind()), shape.kind(), target, |keyword, reason| {
                self.difference(Some(channel), &place.path, keyword, reason);
            });
            match channel {
                Channel::Standard => found.standard = Some(kept),
                Channel::Experimental => found.experimental = Some(kept),
            }
        }
        merged(&found)
    }
}

/// Whether `generate` merges the markers of a field into those of its type.
fn is_layered(shape: Shape) -> bool {
    matches!(shape, Shape::Struct | Shape::Values) || matches!(shape, Shape::Leaf(leaf) if leaf.rust().1)
}

/// The shape that has the properties of both, if there is one.
fn both(standard: Shape, experimental: Shape, position: Position) -> Option<Shape> {
    let is_object = |shape| {
        matches!(
            shape,
            Shape::Struct | Shape::Leaf(Leaf::RawExtension | Leaf::ObjectMeta | Leaf::Condition | Leaf::LabelSelector)
        )
    };
    let is_string = |shape| matches!(shape, Shape::Values | Shape::Leaf(Leaf::String | Leaf::Time | Leaf::Bytes));
    let is_integer = |shape| matches!(shape, Shape::Leaf(Leaf::Integer(_)));
    let is_mixed = |shape| matches!(shape, Shape::Leaf(Leaf::IntOrString | Leaf::Quantity));
    let is_both = |is: &dyn Fn(Shape) -> bool| is(standard) && is(experimental);
    if is_both(&is_object) {
        Some(Shape::Struct)
    } else if is_both(&is_string) {
        Some(Shape::Leaf(Leaf::String))
    } else if is_both(&is_integer) {
        Some(Shape::Leaf(Leaf::Integer("isize")))
    } else if is_both(&is_mixed) {
        Some(Shape::Leaf(Leaf::IntOrString))
    } else {
        let is_leaf = |shape| {
            matches!(shape, Shape::Loose | Shape::Values)
                || matches!(shape, Shape::Leaf(leaf) if !matches!(leaf, Leaf::Condition | Leaf::LabelSelector))
        };
        (is_both(&is_leaf) && position == Position::Field).then_some(Shape::Loose)
    }
}

/// The values of an enum, and whether only experimental has them. `None` if one enum cannot have the values of both channels in their order.
fn values<'s>(sides: &Sides<&'s Schema>) -> Option<Vec<(&'s str, bool)>> {
    let lists =
        sides.map(|_, schema| schema.enumeration.iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>());
    if lists.iter().any(|(_, values)| values.is_empty()) {
        return None;
    }
    let all = merged(&lists);
    let is_contained = all.iter().all(|(_, channel)| *channel != Some(Channel::Standard));
    is_contained.then(|| all.into_iter().map(|(value, channel)| (value, channel.is_some())).collect())
}

/// The description: that of experimental in the doc comment, and that of standard in a marker where the two differ.
fn description(sides: &Sides<&Schema>) -> Text {
    let read = sides.map(|_, schema| schema.description.as_deref().unwrap_or_default());
    let lines = read.map(|_, text| description::lines(text));
    let standard = (!lines.agree()).then(|| Facet::description(read.standard.unwrap_or_default()));
    Text { lines: lines.experimental.or(lines.standard).unwrap_or_default(), standard }
}
