//! What a change changed, as JSON: how findings show it.
//!
//! Invariant: the first value is absent for what was added, and the second for what was removed.

use crd_inclusion::{Bound, Branches, Difference, Edit, Entries, Presence, as_read, text};
use crd_model::Schema;
use crd_model::crd::Scale;
use crd_model::schema::Validation;
use serde_json::{Value, json};

use super::{Change, Column, LocatedChange};

/// The values of both sides.
type Values = [Option<Value>; 2];

impl LocatedChange<'_> {
    /// The value in the baseline and the value in the candidate.
    pub fn values(&self) -> Values {
        match &self.change {
            Change::Resource(presence) => presence_of(presence, |()| json!(self.location.crd())),
            Change::Group { old, new }
            | Change::Plural { old, new }
            | Change::Kind { old, new }
            | Change::Schema(Difference::FieldName { old, new }) => [old, new].map(|name| Some(json!(name))),
            Change::Scope { old, new } => [old, new].map(|scope| Some(json!(scope.as_str()))),
            Change::ListKind(edit) | Change::Singular(edit) | Change::DeprecationWarning(edit) => texts(edit),
            Change::ShortName(name)
            | Change::Category(name)
            | Change::Version(name)
            | Change::Scaled(name)
            | Change::SelectableField(name) => presence_of(name, |name| json!(name)),
            Change::Conversion(edit) => edit_of(edit, |conversion| (*conversion).clone()),
            Change::Annotation { key, value } | Change::Label { key, value } | Change::Stamp { key, value } => {
                edit_of(value, |value| json!({ *key: value }))
            }
            Change::VersionOrder { old, new } | Change::ColumnOrder { old, new } | Change::Order { old, new } => {
                [old, new].map(|order| Some(json!(order)))
            }
            Change::Storage(edit) => edit_of(edit, |versions| match &versions[..] {
                [only] => json!(only),
                several => json!(several),
            }),
            Change::PreserveUnknownFieldsOfAll(flag)
            | Change::Served(flag)
            | Change::Deprecated(flag)
            | Change::StatusSubresource(flag) => flag_of(flag),
            Change::PrinterColumn(edit) => edit_of(edit, column),
            Change::ScaleSubresource(edit) => edit_of(edit, |scale| self::scale(scale)),
            Change::Schema(difference) => of_schema(difference),
        }
    }
}

fn of_schema(difference: &Difference<'_>) -> Values {
    match difference {
        Difference::Text(_, edit) | Difference::Default(edit) => edit_of(edit, Value::clone),
        Difference::Pattern(edit)
        | Difference::Format(edit)
        | Difference::ListType(edit)
        | Difference::MapType(edit) => texts(edit),
        Difference::Type { old, new } => [old, new].map(|kind| Some(json!(kind.to_string()))),
        Difference::Items(kind) => presence_of(kind, |kind| json!(kind.to_string())),
        Difference::AdditionalProperties(edit) => edit_of(edit, |entries| match entries {
            Entries::Allowed(allowed) => json!(allowed),
            Entries::Typed(kind) => json!(kind.to_string()),
        }),
        Difference::Nullable(flag)
        | Difference::UniqueItems(flag)
        | Difference::PreserveUnknownFields(flag)
        | Difference::EmbeddedResource(flag)
        | Difference::OptionalOldSelf(flag) => flag_of(flag),
        Difference::EnumValue(value) => presence_of(value, Value::clone),
        Difference::Enum(values) => presence_of(values, |values| json!(values)),
        Difference::Maximum(edit) | Difference::Minimum(edit) => {
            edit_of(edit, |Bound { limit, exclusive }| match exclusive {
                true => json!({ "exclusive": limit }),
                false => json!(limit),
            })
        }
        Difference::MultipleOf(edit) => edit_of(edit, |step| json!(step)),
        Difference::MaxLength(edit)
        | Difference::MinLength(edit)
        | Difference::MaxItems(edit)
        | Difference::MinItems(edit)
        | Difference::MaxProperties(edit)
        | Difference::MinProperties(edit) => edit_of(edit, |limit| json!(limit)),
        Difference::AllOf(branches) | Difference::AnyOf(branches) | Difference::OneOf(branches) => {
            let Branches { old, new } = branches;
            [old, new].map(|branches| (!branches.is_empty()).then(|| branches.iter().map(schema).collect()))
        }
        Difference::Not(edit) => edit_of(edit, |not| schema(not)),
        Difference::ListMapKeys(name) | Difference::Required(name) => presence_of(name, |name| json!(name)),
        Difference::Rule(edit) => edit_of(edit, |rule| json!(rule.rule)),
        Difference::RuleMessage(edit) => edit_of(edit, |rule| messages(rule)),
        Difference::Field(field) => presence_of(field, |field| json!(field.name)),
        Difference::FieldName { old, new } => [old, new].map(|name| Some(json!(name))),
        Difference::Order { old, new } => [old, new].map(|order| Some(json!(order))),
    }
}

fn edit_of<T>(edit: &Edit<T>, value: impl Fn(&T) -> Value) -> Values {
    [edit.before(), edit.after()].map(|side| side.map(&value))
}

fn presence_of<T>(presence: &Presence<T>, value: impl Fn(&T) -> Value) -> Values {
    [presence.before(), presence.after()].map(|side| side.map(&value))
}

fn texts(edit: &Edit<&str>) -> Values {
    edit_of(edit, |text| json!(text))
}

fn flag_of(flag: &Presence) -> Values {
    presence_of(flag, |()| json!(true))
}

fn schema(schema: &Schema) -> Value {
    as_read(&schema.to_value())
}

fn column(column: &Column<'_>) -> Value {
    let Column { name, kind, json_path, format, priority, description } = column;
    json!({ "name": name, "type": kind, "jsonPath": json_path, "format": format, "priority": priority, "description": description })
}

fn scale(scale: &Scale) -> Value {
    json!({
        "labelSelectorPath": scale.label_selector_path,
        "specReplicasPath": scale.spec_replicas_path,
        "statusReplicasPath": scale.status_replicas_path,
    })
}

/// What a CEL rule prints when it refuses an object.
fn messages(rule: &Validation) -> Value {
    let fields = [
        ("fieldPath", &rule.field_path),
        ("message", &rule.message),
        ("messageExpression", &rule.message_expression),
        ("reason", &rule.reason),
    ];
    let texts = fields.iter().filter_map(|(key, value)| Some(((*key).to_owned(), json!(text(value)?))));
    Value::Object(texts.collect())
}
