//! Enums with data: variants × channel → one object schema, with the rules that make it a union.
//!
//! Without a tag, each variant is an optional field and exactly one is set. With a tag, the fields of all variants are next to it; rules
//! require the fields of the variant that the tag names, and forbid those of other variants.
//!
//! Invariants: only the variants of the channel are in the schema and in its rules; a property has one schema in all variants.

use std::collections::BTreeSet;

use crd_cel::{escape, mentions_old_self};
use crd_diagnostics::Diagnostic;
use crd_model::schema::{Schema, Text, Validation};
use serde_json::Value;

use super::{Position, View, exactly_one, project};
use crate::annotated::{Core, Node, Property};
use crate::problem::of_owner;

/// Something that the schema of a union cannot express.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Obstacle {
    /// The wire name of the variant; `None`: the whole enum.
    variant: Option<&'static str>,
    message: String,
}

/// An error for everything that the schemas of enums in the tree cannot express, in any channel.
pub(crate) fn obstacles(node: &Node, errors: &mut Vec<Diagnostic>) {
    node.each(&mut |node| {
        let Core::Union { owner, channels, tag, variants } = &node.core else { return };
        let found: BTreeSet<Obstacle> =
            channels.iter().flat_map(|channel| union(*tag, variants, View::of(channel)).1).collect();
        for Obstacle { variant, message } in found {
            let variant = variants.iter().find(|property| Some(property.field.wire_name) == variant);
            errors.push(of_owner("types::variants", owner, variant.map(|property| property.field), message));
        }
    });
}

/// The schema of the enum, and everything that it cannot express.
pub(super) fn union(tag: Option<&'static str>, variants: &[Property], view: View) -> (Schema, Vec<Obstacle>) {
    let present: Vec<Variant<'_>> = variants
        .iter()
        .filter(|variant| variant.channels.contains(view.channel))
        .map(|variant| Variant { property: variant, schema: project(&variant.node, view, Position::Inside) })
        .collect();
    let mut obstacles = Vec::new();
    if present.is_empty() {
        let message = format!("the channel {} has no variant of this enum", view.channel);
        obstacles.push(Obstacle { variant: None, message });
    }
    let schema = match tag {
        None => one_field_each(present, &mut obstacles),
        Some(tag) => Tagged { tag, variants: present, obstacles: &mut obstacles }.schema(),
    };
    (schema, obstacles)
}

struct Variant<'v> {
    property: &'v Property,
    schema: Schema,
}

impl Variant<'_> {
    fn wire_name(&self) -> &'static str {
        self.property.field.wire_name
    }

    fn requires(&self, field: &str) -> bool {
        self.schema.required.iter().any(|required| required == field)
    }
}

fn object() -> Schema {
    Schema { kind: Some("object".into()), ..Schema::default() }
}

/// The name as rules select it.
fn selected(name: &str, variant: Option<&'static str>, obstacles: &mut Vec<Obstacle>) -> String {
    escape(name).map_or_else(
        || {
            let message = format!("CEL rules cannot name the field `{name}`: rename it to ASCII letters and digits");
            obstacles.push(Obstacle { variant, message });
            name.to_owned()
        },
        |escaped| escaped.into_owned(),
    )
}

/// Each variant is a field.
fn one_field_each(variants: Vec<Variant<'_>>, obstacles: &mut Vec<Obstacle>) -> Schema {
    let mut schema = object();
    let names: Vec<&str> = variants.iter().map(Variant::wire_name).collect();
    let selected: Vec<String> = names.iter().map(|name| self::selected(name, None, obstacles)).collect();
    schema.validations.push(exactly_one(&names, &selected));
    for variant in variants {
        schema.properties.insert(Text::Borrowed(variant.wire_name()), variant.schema);
    }
    schema
}

/// An enum whose variants are named by a field next to theirs.
struct Tagged<'v, 'o> {
    tag: &'static str,
    variants: Vec<Variant<'v>>,
    obstacles: &'o mut Vec<Obstacle>,
}

impl Tagged<'_, '_> {
    fn schema(&mut self) -> Schema {
        let mut schema = object();
        schema.required.push(Text::Borrowed(self.tag));
        schema.properties.insert(Text::Borrowed(self.tag), self.tag_property());
        for index in 0..self.variants.len() {
            self.merge(index, &mut schema);
        }
        let fields: BTreeSet<Text> = schema.properties.keys().filter(|name| *name != self.tag).cloned().collect();
        for field in &fields {
            self.presence(field, &mut schema);
        }
        for variant in &self.variants {
            for validation in &variant.schema.validations {
                schema.validations.push(self.only_for(variant, validation));
            }
        }
        schema.required.sort();
        schema
    }

    /// The field that names the variant. Its description has those of the variants, which do not have a node of their own.
    fn tag_property(&self) -> Schema {
        let lines = self.variants.iter().map(|variant| match variant.property.description() {
            "" => format!("* {}", variant.wire_name()),
            text => format!("* {}: {}", variant.wire_name(), text.split_whitespace().collect::<Vec<_>>().join(" ")),
        });
        let description = std::iter::once("Which fields are set:\n".to_owned()).chain(lines);
        Schema {
            kind: Some("string".into()),
            description: Some(
                crd_markers::docs::unescaped(&description.collect::<Vec<_>>().join("\n")).into_owned().into(),
            ),
            enumeration: Some(self.variants.iter().map(|variant| Value::from(variant.wire_name())).collect()),
            ..Schema::default()
        }
    }

    /// Takes the properties of a variant over.
    fn merge(&mut self, index: usize, schema: &mut Schema) {
        let variant = &self.variants[index];
        let name = variant.wire_name();
        let mut obstacle = |message: String| self.obstacles.push(Obstacle { variant: Some(name), message });
        let Schema { properties, .. } = &variant.schema;
        let rest = Schema {
            properties: object().properties,
            required: Vec::new(),
            validations: Vec::new(),
            description: None,
            title: None,
            example: None,
            external_docs: None,
            ..variant.schema.clone()
        };
        if rest != object() {
            obstacle("a marker on the struct of this variant would apply to every variant: only `XValidation` and the union markers can be on it".to_owned());
        }
        for (field, property) in properties {
            if *field == self.tag {
                obstacle(format!("`{field}` is the field that names the variant: rename one of both"));
                continue;
            }
            let is_in_all = self.variants.iter().all(|variant| variant.schema.properties.contains_key(field));
            if property.default.is_some() && !is_in_all {
                obstacle(format!(
                    "the server would fill in the default of `{field}` in other variants too, which do not have the field: remove the default"
                ));
            }
            match schema.properties.get(field) {
                None => {
                    schema.properties.insert(field.clone(), property.clone());
                }
                Some(known) if without_description(known) == without_description(property) => {}
                Some(_) => obstacle(format!(
                    "an earlier variant has a field `{field}` with another schema, and a field has one schema: rename one of both"
                )),
            }
        }
        for validation in &variant.schema.validations {
            if mentions_old_self(&validation.rule) && validation.optional_old_self == Some(true) {
                obstacle(
                    "a rule with `optionalOldSelf` cannot be limited to a variant: write it on the enum".to_owned(),
                );
            }
        }
    }

    /// The rules that require and forbid a field.
    fn presence(&mut self, field: &Text, schema: &mut Schema) {
        let values = |chosen: &dyn Fn(&Variant<'_>) -> bool| -> Vec<&'static str> {
            self.variants.iter().filter(|variant| chosen(variant)).map(Variant::wire_name).collect()
        };
        let having = values(&|variant| variant.schema.properties.contains_key(field));
        let requiring = values(&|variant| variant.requires(field));
        let count = self.variants.len();
        let owner = having.first().copied();
        let tag = selected(self.tag, None, self.obstacles);
        if requiring.len() == count {
            schema.required.push(field.clone());
            return;
        }
        if having.len() == count && requiring.is_empty() {
            return;
        }
        let written = selected(field, owner, self.obstacles);
        if having.len() < count {
            schema.validations.push(Validation {
                message: Some(format!("{field} may only be set when {} is {}", self.tag, having.join(" or ")).into()),
                rule: format!("!has(self.{written}) || self.{tag} in {}", list(&having)).into(),
                ..Validation::default()
            });
        }
        if !requiring.is_empty() {
            schema.validations.push(Validation {
                message: Some(format!("{field} must be set when {} is {}", self.tag, requiring.join(" or ")).into()),
                rule: format!("has(self.{written}) || !(self.{tag} in {})", list(&requiring)).into(),
                ..Validation::default()
            });
        }
    }

    /// A rule of a variant's struct, which does not apply to other variants.
    fn only_for(&self, variant: &Variant<'_>, validation: &Validation) -> Validation {
        let tag = escape(self.tag).unwrap_or_default();
        let name = text(variant.wire_name());
        let rule = &validation.rule;
        let of_old = if mentions_old_self(rule) { format!("oldSelf.{tag} != {name} || ") } else { String::new() };
        Validation { rule: format!("self.{tag} != {name} || {of_old}({rule})").into(), ..validation.clone() }
    }
}

fn without_description(schema: &Schema) -> Schema {
    Schema { description: None, ..schema.clone() }
}

/// A list of strings in CEL.
fn list(values: &[&str]) -> String {
    format!("[{}]", values.iter().map(|value| text(value)).collect::<Vec<_>>().join(", "))
}

/// A string in CEL.
fn text(value: &str) -> String {
    let mut literal = String::from("'");
    for character in value.chars() {
        match character {
            '\\' | '\'' => literal.extend(['\\', character]),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            character => literal.push(character),
        }
    }
    literal.push('\'');
    literal
}
