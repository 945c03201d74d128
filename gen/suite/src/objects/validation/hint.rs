//! What to do about an unknown field: the channel that has it, or the nearest known field.

use crd_model::Schema;
use crd_model::channel::Channel;
use crd_model::schema::AdditionalProperties;
use crd_names::nearest;

/// The help for an unknown field. `other` is the schema of a channel that is not validated against.
pub(super) fn of_unknown_field(path: &str, schema: &Schema, other: Option<(Channel, &Schema)>) -> Option<String> {
    let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
    let has = |schema: &Schema| at(schema, parent).is_some_and(|(parent, _)| parent.properties.get(name).is_some());
    if let Some((channel, _)) = other.filter(|(_, schema)| has(schema)) {
        return Some(format!("the field is in the channel {channel}: pass `--channel {channel}`"));
    }
    let known = at(schema, parent)?.0.properties.iter().map(|(name, _)| &**name);
    nearest(name, known).map(|near| format!("did you mean `{near}`?"))
}

/// The schema at a path of an object, such as `spec.rules[0]`, and its schema path, such as `spec.rules[*]`. Nothing for keys that have dots.
pub(super) fn at<'s>(schema: &'s Schema, path: &str) -> Option<(&'s Schema, String)> {
    let mut steps = path.split(['.', '[']).filter(|step| !step.is_empty());
    steps.try_fold((schema, String::new()), |(schema, path), step| {
        let each = match &schema.additional_properties {
            _ if step.ends_with(']') => schema.items.as_deref(),
            Some(AdditionalProperties::Values(values)) => Some(&**values),
            _ => None,
        };
        match schema.properties.get(step) {
            Some(field) if path.is_empty() => Some((field, step.to_owned())),
            Some(field) => Some((field, format!("{path}.{step}"))),
            None => each.map(|each| (each, path + "[*]")),
        }
    })
}
