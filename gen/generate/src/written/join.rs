//! Whether types and written CRDs belong together: each element of the types is in the schema, and each field of the schema is one of the types.
//!
//! Invariant: a diagnostic is about a line of the types, so that a type that is used at many paths has one.

use std::collections::BTreeSet;

use crd_diagnostics::Diagnostic;
use crd_markers::descriptor::{BaseType, Field, Location, TypeDescriptor};
use crd_markers::json::Json;
use crd_markers::rule::Rule;
use crd_model::schema::Schema;

use super::WrittenCrds;
use crate::annotated::{Applied, Core, Leaf, Node, Property};
use crate::problem::{at, of_field, of_type};

/// The CRDs were written from other types.
const STALE: &str = "types::stale-crds";
/// A marker of a channel is about something that the CRDs do not have.
const NO_PLACE: &str = "types::no-place";

/// Adds what does not fit.
pub(crate) fn join(
    root: &'static TypeDescriptor,
    node: &Node,
    schema: &Schema,
    written: &WrittenCrds,
) -> Vec<Diagnostic> {
    let mut join = Join { root, written, errors: Vec::new() };
    join.node(node, schema, None);
    join.errors
}

struct Join<'j> {
    root: &'static TypeDescriptor,
    written: &'j WrittenCrds,
    errors: Vec<Diagnostic>,
}

/// A field, and the struct that has it; none for the root.
type Owner = Option<(&'static TypeDescriptor, &'static Field)>;

impl Join<'_> {
    fn error(&mut self, code: &'static str, owner: Owner, message: impl Into<String>, help: String) {
        let error = match owner {
            Some((owner, field)) => of_field(code, owner, field, message),
            None => of_type(code, self.root, message),
        };
        self.errors.push(error.help(help));
    }

    fn node(&mut self, node: &Node, schema: &Schema, around: Owner) {
        match &node.core {
            Core::Object { owner, .. } => {
                let is_open = schema.properties.is_empty()
                    && (schema.preserve_unknown_fields == Some(true) || schema.kind.as_deref() != Some("object"));
                match is_open {
                    true => self.no_schema(node, around),
                    false => {
                        let mut names = BTreeSet::new();
                        let is_whole = self.fields(node, schema, &mut names);
                        if is_whole {
                            self.unknown(owner, schema, &names, around.is_none());
                        }
                    }
                }
            }
            Core::List(items) => match &schema.items {
                Some(inner) => self.node(items, inner, around),
                None => self.no_schema(items, around),
            },
            Core::Map(values) => match schema.values() {
                Some(inner) => self.node(values, inner, around),
                None => self.no_schema(values, around),
            },
            Core::Enum { owner, values, .. } => {
                for value in values.iter().filter(|value| !value.channels.is_all()) {
                    let name = value.variant.wire_name;
                    let limited = node.markers().filter_map(|applied| match applied.marker.rule {
                        Rule::Enum(listed) if !applied.marker.channels.is_all() => Some(listed),
                        _ => None,
                    });
                    let listed = schema.enumeration.iter().flatten().any(|listed| listed == name)
                        || limited.flatten().any(|listed| *listed == Json::String(name));
                    if !listed {
                        let message = format!(
                            "the marker of `{}` has no effect: the CRD does not list the value `{name}`",
                            value.variant.name
                        );
                        let error = at(
                            of_type(NO_PLACE, owner, message),
                            Location { file: owner.location.file, line: value.variant.line },
                        );
                        self.errors.push(error.help(
                            "name the values with `+kubebuilder:validation:Enum=…` on the type, or remove the marker",
                        ));
                    }
                }
            }
            Core::Leaf(_) | Core::Foreign(_) | Core::Union { .. } => {}
        }
    }

    /// The fields of a struct, those of embedded structs included. Whether all of its fields are known.
    fn fields(&mut self, node: &Node, schema: &Schema, names: &mut BTreeSet<&'static str>) -> bool {
        let Core::Object { owner, properties, inlined } = &node.core else {
            return !matches!(node.core, Core::Leaf(Leaf::Base(BaseType::AnyJson)));
        };
        for Property { field, node, channels, .. } in properties {
            names.insert(field.wire_name);
            let never =
                |applied: &&Applied| applied.field.is_some() && channels.and(applied.marker.channels).is_empty();
            if node.markers().any(|applied| never(&applied)) {
                let message = "a marker of the field has no effect: its channel does not have the field";
                self.error(NO_PLACE, Some((owner, field)), message, "remove the marker".to_owned());
            }
            match schema.properties.get(field.wire_name) {
                Some(inner) => self.node(node, inner, Some((owner, field))),
                None => {
                    let message =
                        format!("the CRDs do not have the field `{}`: they are older than the types", field.wire_name);
                    self.error(STALE, Some((owner, field)), message, self.written.help());
                }
            }
        }
        let is_foreign = |part: &&Node| {
            let mut has_foreign = false;
            part.each(&mut |node| has_foreign |= matches!(node.core, Core::Leaf(Leaf::Base(BaseType::AnyJson))));
            !part.channels.is_all()
                && has_foreign
                && matches!(&part.core, Core::Object { inlined, .. } if !inlined.is_empty())
        };
        if let Some(Node { core: Core::Object { owner, .. }, .. }) = inlined.iter().find(|part| is_foreign(part)) {
            let message =
                "the type is not in every channel, and inlines a type of another module, whose fields are not known";
            self.errors.push(of_type(NO_PLACE, owner, message).help("write `+experimental` on fields instead"));
        }
        // Each one adds its names.
        let parts = inlined.iter().map(|inner| self.fields(inner, schema, names)).collect::<Vec<_>>();
        parts.into_iter().all(|is_whole| is_whole)
    }

    /// Fields of the schema that the struct does not have.
    fn unknown(
        &mut self,
        owner: &'static TypeDescriptor,
        schema: &Schema,
        names: &BTreeSet<&'static str>,
        is_root: bool,
    ) {
        let is_of_root = |name: &str| is_root && ["apiVersion", "kind", "metadata"].contains(&name);
        for name in schema.properties.keys().filter(|name| !names.contains(&***name) && !is_of_root(name)) {
            let message = format!(
                "the CRDs have the field `{name}`, which the type does not have: they are older than the types"
            );
            self.errors.push(of_type(STALE, owner, message).help(self.written.help()));
        }
    }

    /// A part without a schema: a marker of a channel in it would have no effect.
    fn no_schema(&mut self, node: &Node, around: Owner) {
        let mut places = Vec::new();
        node.each(&mut |node| {
            if let Core::Object { owner, properties, .. } = &node.core {
                places.extend(
                    properties.iter().filter(|property| property.is_limited()).map(|property| (*owner, property.field)),
                );
            }
        });
        if around.is_some() && node.markers().any(|applied| !applied.marker.channels.is_all()) {
            places.extend(around);
        }
        for place in places {
            let message = "the marker has no effect: the CRDs have no schema here";
            self.error(
                NO_PLACE,
                Some(place),
                message,
                "remove the marker, or let the CRDs have a schema for the field".to_owned(),
            );
        }
    }
}
