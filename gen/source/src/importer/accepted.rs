//! What `generate` rejects in a CRD that a server accepted, or that an older tool wrote: it is taken out, so that the rest can be generated.
//!
//! Invariants: each part that is taken out is a difference with the message of the rule. A part that no case here takes out stays, and
//! `generate` reports it.

use crd_apiserver::refusal::{Part, Refusal, refusals};
use crd_cel::{Expression, check_schema};
use crd_model::crd::CustomResourceDefinition;
use crd_model::path;
use crd_model::schema::{AdditionalProperties, Keyword, Schema, Step, Text, nodes};
use crd_names::channel::Channel;

use crate::importer::difference::Difference;

/// More rounds than any CRD needs: taking a part out can show another problem.
const ROUNDS: usize = 8;

/// Takes out what `generate` rejects.
pub(crate) fn accept(crd: &mut CustomResourceDefinition, channel: Channel, differences: &mut Vec<Difference>) {
    for version in &mut crd.versions {
        let has_null = |node: &Schema| node.enumeration.iter().flatten().any(serde_json::Value::is_null);
        let nodes = nodes(&version.schema).into_iter().filter(|(_, node)| has_null(node));
        for path in nodes.map(|(path, _)| path).collect::<Vec<_>>() {
            if let Some(values) = path.node_mut(&mut version.schema).and_then(|node| node.enumeration.as_mut()) {
                values.retain(|value| !value.is_null());
            }
            differences.push(Difference {
                crd: crd.name.to_string(),
                version: Some(version.name.to_string()),
                channel: Some(channel),
                path: path.text(),
                keyword: "enum".to_owned(),
                reason: "servers do not compare null with the values, so null is left out of them".to_owned(),
            });
        }
    }
    for _ in 0..ROUNDS {
        let mut report = Report { crd: crd.name.to_string(), channel, differences, changed: false };
        // Positions in lists stay correct if the last ones are taken out first.
        for refusal in refusals(crd).into_iter().rev() {
            take_out(crd, &refusal, &mut report);
        }
        for version in &mut crd.versions {
            let name = version.name.clone();
            for problem in check_schema(&version.schema).into_iter().rev() {
                let taken = at(&mut version.schema, &problem.path, &mut |node| match problem.expression {
                    Expression::Rule if problem.index < node.validations.len() => {
                        node.validations.remove(problem.index);
                        true
                    }
                    Expression::Message => match node.validations.get_mut(problem.index) {
                        Some(rule) => rule.message_expression.take().is_some(),
                        None => false,
                    },
                    Expression::Rule => false,
                });
                if taken {
                    report.taken(Some(&name), &problem.path, "x-kubernetes-validations", &problem.to_string());
                }
            }
        }
        if !report.changed {
            return;
        }
    }
}

struct Report<'d> {
    crd: String,
    channel: Channel,
    differences: &'d mut Vec<Difference>,
    changed: bool,
}

impl Report<'_> {
    fn taken(&mut self, version: Option<&Text>, path: &str, keyword: &str, message: &str) {
        self.changed = true;
        self.differences.push(Difference {
            crd: self.crd.clone(),
            version: version.map(ToString::to_string),
            channel: Some(self.channel),
            path: path.to_owned(),
            keyword: keyword.to_owned(),
            reason: format!("`generate` rejects it: {message}"),
        });
    }
}

/// Labels and annotations that a server would refuse, such as those of a template.
fn metadata(crd: &mut CustomResourceDefinition, rule: &str, report: &mut Report<'_>) {
    let is_label = rule == "metadata-labels";
    let entries = if is_label { &mut crd.labels } else { &mut crd.annotations };
    let is_refused = |key: &Text, value: &Text| {
        let mut alone = CustomResourceDefinition::default();
        let entries = if is_label { &mut alone.labels } else { &mut alone.annotations };
        entries.insert(key.clone(), value.clone());
        refusals(&alone).into_iter().find(|refusal| refusal.rule == rule)
    };
    entries.retain(|key, value| match is_refused(key, value) {
        Some(refusal) => {
            let keyword =
                if is_label { format!("metadata.labels.{key}") } else { format!("metadata.annotations.{key}") };
            report.taken(None, "", &keyword, &format!("{} ({rule})", refusal.message));
            false
        }
        None => true,
    });
}

fn take_out(crd: &mut CustomResourceDefinition, refusal: &Refusal, report: &mut Report<'_>) {
    if matches!(refusal.rule, "metadata-labels" | "metadata-annotations") {
        return metadata(crd, refusal.rule, report);
    }
    let Some(name) = &refusal.version else { return };
    let Some(version) = crd.versions.iter_mut().find(|version| version.name == *name) else { return };
    let message = format!("{} ({})", refusal.message, refusal.rule);
    let path = refusal.path.as_str();
    let mut keyword = "";
    let mut location = path.to_owned();
    match refusal.part {
        Part::Document => {}
        Part::Version if path.starts_with("additionalPrinterColumns") => {
            if let Some(index) = index_of(path).filter(|index| *index < version.columns.len()) {
                let column = version.columns.remove(index);
                (keyword, location) = ("additionalPrinterColumns", format!(".{}", column.name));
            }
        }
        Part::Version if path.starts_with("selectableFields") => {
            if let Some(index) = index_of(path).filter(|index| *index < version.selectable_fields.len()) {
                version.selectable_fields.remove(index);
                (keyword, location) = ("selectableFields", String::new());
            }
        }
        Part::Version if path.starts_with("subresources.scale") => {
            let is_taken = match version.subresources.as_mut().map(|subresources| &mut subresources.scale) {
                // The selector is optional.
                Some(Some(scale)) if path.ends_with("labelSelectorPath") => scale.label_selector_path.take().is_some(),
                Some(scale) => scale.take().is_some(),
                None => false,
            };
            if is_taken {
                (keyword, location) = ("subresources.scale", String::new());
            }
        }
        Part::Version => {}
        Part::Schema if refusal.rule.starts_with("validation-") => return rule(crd, refusal, report),
        Part::Schema => {
            let node = path.split('{').next().unwrap_or_default().trim_end_matches('.');
            let is_in_junctor = path.contains('{');
            let mut found = None;
            at(&mut version.schema, node, &mut |schema| {
                found = edit(schema, refusal.rule, is_in_junctor);
                found.is_some()
            });
            if let Some(edited) = found {
                (keyword, location) = (edited, node.to_owned());
            }
        }
    }
    if !keyword.is_empty() {
        let is_of_version = refusal.part == Part::Version;
        report.taken(
            Some(name),
            if is_of_version { "" } else { &location },
            &match is_of_version && !location.is_empty() {
                true => format!("{keyword}{location}"),
                false => keyword.to_owned(),
            },
            &message,
        );
    }
}

/// Takes out the CEL rule without which there is no such refusal.
fn rule(crd: &mut CustomResourceDefinition, refusal: &Refusal, report: &mut Report<'_>) {
    let Some(name) = refusal.version.clone() else { return };
    for index in 0.. {
        let mut without = crd.clone();
        let Some(version) = without.versions.iter_mut().find(|version| version.name == name) else { return };
        let taken = at(&mut version.schema, &refusal.path, &mut |node| {
            let has = index < node.validations.len();
            if has {
                node.validations.remove(index);
            }
            has
        });
        if !taken {
            return;
        }
        let left = refusals(&without);
        if !left
            .iter()
            .any(|other| other.rule == refusal.rule && other.path == refusal.path && other.version == refusal.version)
            || left.len() < refusals(crd).len()
        {
            *crd = without;
            report.taken(
                Some(&name),
                &refusal.path,
                "x-kubernetes-validations",
                &format!("{} ({})", refusal.message, refusal.rule),
            );
            return;
        }
    }
}

/// The index in `selectableFields[2].jsonPath`.
fn index_of(path: &str) -> Option<usize> {
    path.split_once('[')?.1.split_once(']')?.0.parse().ok()
}

/// The bounds of numbers and lengths.
const BOUNDS: [Keyword; 11] = [
    Keyword::Minimum,
    Keyword::Maximum,
    Keyword::ExclusiveMinimum,
    Keyword::ExclusiveMaximum,
    Keyword::MultipleOf,
    Keyword::MinLength,
    Keyword::MaxLength,
    Keyword::MinItems,
    Keyword::MaxItems,
    Keyword::MinProperties,
    Keyword::MaxProperties,
];

/// Takes the cause of a refusal out of a node; the keyword, or nothing if the node does not have it.
fn edit(schema: &mut Schema, rule: &str, is_in_junctor: bool) -> Option<&'static str> {
    let keyword = match rule {
        _ if is_in_junctor || rule.starts_with("junctor-") => {
            let branches = [Keyword::AllOf, Keyword::AnyOf, Keyword::OneOf, Keyword::Not];
            return take(schema, &branches, "allOf, anyOf, oneOf, not");
        }
        "bounds" => return take(schema, &BOUNDS, "minimum, maximum, multipleOf and bounds of lengths"),
        "list-type" | "list-set" | "list-map-keys" => {
            return take(schema, &[Keyword::ListType, Keyword::ListMapKeys], Keyword::ListType.name());
        }
        "enumeration" => return enumeration(schema),
        "required-unknown" => {
            let count = schema.required.len();
            let Schema { required, properties, .. } = schema;
            required.retain(|name| properties.contains_key(name));
            return (schema.required.len() < count).then_some("required");
        }
        "properties-and-values" if schema.additional_properties == Some(AdditionalProperties::Allowed(true)) => {
            return None;
        }
        "properties-and-values" => Keyword::AdditionalProperties,
        "default-forbidden" | "default-invalid" | "default-unusable" => Keyword::Default,
        "pattern" => Keyword::Pattern,
        "keyword-id" => Keyword::Id,
        "unique-items" => Keyword::UniqueItems,
        "embedded-resource" => Keyword::EmbeddedResource,
        "preserve-unknown-fields" => Keyword::PreserveUnknownFields,
        "map-type" => Keyword::MapType,
        _ => return None,
    };
    take(schema, &[keyword], keyword.name())
}

/// Takes keywords out of a node; their name, or nothing if the node has none of them.
fn take(schema: &mut Schema, keywords: &[Keyword], name: &'static str) -> Option<&'static str> {
    let has = keywords.iter().any(|keyword| schema.has(*keyword));
    keywords.iter().for_each(|keyword| schema.copy(&Schema::default(), *keyword));
    has.then_some(name)
}

/// Takes out values of another type, and repeated ones.
fn enumeration(schema: &mut Schema) -> Option<&'static str> {
    let values = schema.enumeration.take()?;
    let (count, mut kept) = (values.len(), Vec::new());
    for value in values {
        let fits = match schema.kind.as_deref() {
            Some("string") => value.is_string() || value.is_null(),
            Some("integer") => value.is_i64() || value.is_u64() || value.is_null(),
            Some("number") => value.is_number() || value.is_null(),
            Some("boolean") => value.is_boolean() || value.is_null(),
            _ => true,
        };
        if fits && !kept.contains(&value) {
            kept.push(value);
        }
    }
    let changed = kept.len() < count || count == 0;
    schema.enumeration = Some(kept).filter(|kept| !kept.is_empty());
    changed.then_some("enum")
}

/// Changes the node at a schema path. Returns what the change returns; `false` if there is no such node.
fn at(schema: &mut Schema, path: &str, change: &mut dyn FnMut(&mut Schema) -> bool) -> bool {
    let mut parts = path::parts(path);
    let node =
        std::iter::from_fn(|| (!parts.rest().is_empty()).then(|| parts.next())?).try_fold(schema, |node, part| {
            match part.ok()?.1 {
                path::Part::Name(name) => node.properties.get_mut(&name),
                path::Part::Sign(_) if node.values().is_some() => Step::<&str>::Value.below_mut(node),
                path::Part::Sign(_) => node.items.as_deref_mut(),
            }
        });
    node.is_some_and(change)
}
