//! What to do about an unknown field: the channel that has it, or the nearest known field.

use crd_markers::nearest::nearest;
use crd_model::Schema;
use crd_model::channel::Channel;
use crd_model::schema::AdditionalProperties;

/// The help for an unknown field. `other` is the schema of a channel that is not validated against.
pub(super) fn of_unknown_field(path: &str, schema: &Schema, other: Option<(Channel, &Schema)>) -> Option<String> {
    let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
    let has = |schema: &Schema| at(schema, parent).is_some_and(|parent| parent.properties.get(name).is_some());
    if let Some((channel, _)) = other.filter(|(_, schema)| has(schema)) {
        return Some(format!("the field is in the channel {channel}: pass `--channel {channel}`"));
    }
    let known = at(schema, parent)?.properties.iter().map(|(name, _)| &**name);
    nearest(name, known).map(|near| format!("did you mean `{near}`?"))
}

/// The schema at a path of an object, such as `spec.rules[0]`. Nothing for keys that have dots.
fn at<'s>(schema: &'s Schema, path: &str) -> Option<&'s Schema> {
    path.split(['.', '[']).filter(|step| !step.is_empty()).try_fold(schema, |schema, step| {
        if step.ends_with(']') {
            return schema.items.as_deref();
        }
        schema.properties.get(step).or(match &schema.additional_properties {
            Some(AdditionalProperties::Values(values)) => Some(values),
            _ => None,
        })
    })
}
