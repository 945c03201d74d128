//! Enums with data: a struct with a field for each variant, or a discriminator with the fields of all variants.
//!
//! Invariants: the rules are those of the schema; a field that not every variant requires may be absent.

use std::collections::BTreeSet;

use crd_generate::schema_by;
use crd_markers::descriptor::{Field as Source, Presence, TypeDescriptor, TypeRef};

use super::elements::fields;
use super::markers::{enumeration, quoted};
use super::model::{Body, Field, GoType, Omit, Type};
use super::names;
use super::types::{Class, Writer, class, stem};

impl Writer<'_> {
    /// The rules of a union, which its schema has.
    pub(super) fn rules(&mut self, descriptor: &'static TypeDescriptor, lines: &mut Vec<String>) {
        let settings = self.catalogue.settings();
        // Errors have been reported by generation.
        let Ok(schema) = schema_by(descriptor, self.options.channel, settings.controller_gen) else { return };
        for rule in &schema.validations {
            let mut parts = Vec::new();
            if let Some(message) = &rule.message {
                parts.push(format!("message={}", quoted(message)));
            }
            parts.push(format!("rule={}", quoted(&rule.rule)));
            let line = format!("kubebuilder:validation:XValidation:{}", parts.join(","));
            if !lines.contains(&line) && !lines.iter().any(|known| known.contains(&quoted(&rule.rule))) {
                lines.push(line);
            }
        }
    }

    /// The fields of an enum with data: one for each variant, or a discriminator and the fields of all variants.
    pub(super) fn union(
        &mut self,
        owner: &'static TypeDescriptor,
        package: &str,
        name: &str,
        tag: Option<&'static str>,
    ) -> Vec<Field> {
        let variants: Vec<&'static Source> = fields(owner, self.options.channel).collect();
        let Some(tag) = tag else {
            return variants.into_iter().filter_map(|variant| self.field(owner, variant)).collect();
        };
        self.tagged(owner, package, name, tag, &variants)
    }

    fn tagged(
        &mut self,
        owner: &'static TypeDescriptor,
        package: &str,
        name: &str,
        tag: &'static str,
        variants: &[&'static Source],
    ) -> Vec<Field> {
        let field_name = names::field(tag).unwrap_or_default();
        let type_name = format!("{name}{field_name}");
        let kind = GoType::Named { package: package.to_owned(), name: type_name.clone() };
        let values =
            variants.iter().map(|variant| (variant.wire_name, variant.description, variant.markers, variant.channels));
        let constants = self.constants(owner, package, &type_name, values);
        self.add(
            package,
            &stem(owner),
            Type {
                name: type_name,
                description: "Which fields are set.".to_owned(),
                markers: vec![enumeration(&constants)],
                body: Body::Defined(GoType::Plain("string")),
                is_root: false,
                constants,
            },
        );
        let mut all = vec![Field {
            name: Some(field_name),
            description: "Which fields are set.".to_owned(),
            markers: vec!["required".to_owned()],
            kind,
            wire_name: tag.to_owned(),
            omit: Omit::Never,
        }];
        all.extend(self.fields_of_variants(variants));
        all
    }

    /// The fields of all variants, each once.
    fn fields_of_variants(&mut self, variants: &[&'static Source]) -> Vec<Field> {
        let mut all = Vec::new();
        let data: Vec<&'static TypeDescriptor> = variants
            .iter()
            .filter_map(|variant| match variant.kind {
                TypeRef::Named(named) => Some(named.get()),
                _ => None,
            })
            .collect();
        let channel = self.options.channel;
        let is_required = |wire_name: &str| {
            data.iter().all(|record| {
                fields(record, channel)
                    .any(|field| field.wire_name == wire_name && field.presence == Presence::Required)
            })
        };
        let mut seen = BTreeSet::new();
        for record in &data {
            for field in fields(record, channel).filter(|field| seen.insert(field.wire_name)) {
                let Some(mut written) = self.field(record, field) else { continue };
                if !is_required(field.wire_name) && field.presence == Presence::Required {
                    written.markers[0] = "optional".to_owned();
                    (written.kind, written.omit) = match (class(field.kind), written.kind) {
                        (Class::Value, kind) => (GoType::Pointer(Box::new(kind)), Omit::Empty),
                        (Class::OpenEnum, kind) => (kind, Omit::Empty),
                        (Class::Nil, kind) => (kind, Omit::Zero),
                    };
                }
                all.push(written);
            }
        }
        all
    }
}
