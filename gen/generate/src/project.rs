//! Projection: annotated schema × channel → plain structural schema.
//!
//! Invariants: this is the only place where anything is removed by channel; after it no channel annotation, reference, marker
//! text or unrequested `nullable` remains, and every name in `required` exists in that channel. Markers apply in
//! controller-gen's order: `Type` and `XIntOrString` first, unions last.

mod union;

use crd_markers::descriptor::BaseType;
use crd_markers::docs::unescaped;
use crd_markers::json::{Json, Number as ConstantNumber};
use crd_markers::rule::{self, Rule};
use crd_names::channel::Channel;
use serde_json::{Map, Number, Value};

use crate::annotated::{Applied, Core, Layer, Leaf, Node};
use crate::constant::value;
use crate::merge::merge;
use crate::settings::ControllerGen;
use crd_model::schema::{AdditionalProperties, ExternalDocs, Schema, Text, Validation};
pub(crate) use union::obstacles;

/// The pattern of a quantity, as API machinery publishes it.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

/// The position of a node. Inside another schema, inlined structs put their rules after those of the outer struct; at the root, before
/// them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Root,
    Inside,
}

/// What a schema is projected for.
#[derive(Clone, Copy)]
pub(crate) struct View {
    pub(crate) channel: Channel,
    /// Whose rules and minimums the schema has.
    pub(crate) controller_gen: ControllerGen,
}

impl View {
    /// A view of which only the channel matters.
    fn of(channel: Channel) -> Self {
        Self { channel, controller_gen: ControllerGen::default() }
    }
}

/// The plain schema of a node in a view.
pub(crate) fn project(node: &Node, view: View, position: Position) -> Schema {
    let mut schema = core(node, view);
    schema.description = text(node.description);
    schema.nullable |= node.nullable;
    apply(&mut schema, &node.own, None, view);
    if let Core::Object { inlined, .. } = &node.core {
        schema = inline(schema, inlined, view, position);
    }
    for layer in &node.layers {
        schema = put_around(schema, &node.core, layer, view);
    }
    schema
}

fn text(text: &'static str) -> Option<Text> {
    (!text.is_empty()).then(|| unescaped(text))
}

fn core(node: &Node, view: View) -> Schema {
    match &node.core {
        Core::Leaf(leaf) => self::leaf(*leaf),
        Core::List(items) => Schema {
            kind: Some("array".into()),
            items: Some(Box::new(project(items, view, Position::Inside))),
            ..Schema::default()
        },
        Core::Map(values) => Schema {
            kind: Some("object".into()),
            additional_properties: Some(AdditionalProperties::Values(Box::new(project(
                values,
                view,
                Position::Inside,
            )))),
            ..Schema::default()
        },
        Core::Enum { values, open, .. } => Schema {
            kind: Some("string".into()),
            enumeration: (!open).then(|| {
                values
                    .iter()
                    .filter(|value| value.channels.contains(view.channel))
                    .map(|value| Value::String(value.variant.wire_name.to_owned()))
                    .collect()
            }),
            ..Schema::default()
        },
        Core::Foreign(schema) => (**schema).clone(),
        Core::Union { tag, variants, .. } => union::union(*tag, variants, view).0,
        Core::Object { properties, .. } => {
            let mut schema = Schema { kind: Some("object".into()), ..Schema::default() };
            for property in properties.iter().filter(|property| property.channels.contains(view.channel)) {
                let name = Text::Borrowed(property.field.wire_name);
                if property.required {
                    schema.required.push(name.clone());
                }
                schema.properties.insert(name, project(&property.node, view, Position::Inside));
            }
            schema.required.sort();
            schema
        }
    }
}

fn leaf(leaf: Leaf) -> Schema {
    let kind = |kind: &'static str, format: Option<&'static str>| Schema {
        kind: Some(kind.into()),
        format: format.map(Text::Borrowed),
        ..Schema::default()
    };
    match leaf {
        Leaf::String => kind("string", None),
        Leaf::Boolean => kind("boolean", None),
        Leaf::Integer(format) => kind("integer", format),
        Leaf::Number(format) => kind("number", format),
        Leaf::Nothing => Schema::default(),
        Leaf::Base(BaseType::Bytes) => kind("string", Some("byte")),
        Leaf::Base(BaseType::Time) => kind("string", Some("date-time")),
        Leaf::Base(BaseType::Duration) => kind("string", None),
        Leaf::Base(BaseType::ObjectMeta) => kind("object", None),
        Leaf::Base(BaseType::AnyJson) => Schema { preserve_unknown_fields: Some(true), ..Schema::default() },
        Leaf::Base(BaseType::RawExtension) => Schema { preserve_unknown_fields: Some(true), ..kind("object", None) },
        Leaf::Base(BaseType::IntOrString) => int_or_string(),
        Leaf::Base(BaseType::Quantity) => Schema { pattern: Some(QUANTITY.into()), ..int_or_string() },
    }
}

fn int_or_string() -> Schema {
    let branch = |kind: &'static str| Schema { kind: Some(kind.into()), ..Schema::default() };
    Schema { any_of: vec![branch("integer"), branch("string")], int_or_string: true, ..Schema::default() }
}

/// Structs whose fields stand in this one.
fn inline(own: Schema, inlined: &[Node], view: View, position: Position) -> Schema {
    if inlined.is_empty() {
        return own;
    }
    let words = Schema {
        description: own.description.clone(),
        title: own.title.clone(),
        example: own.example.clone(),
        external_docs: own.external_docs.clone(),
        ..Schema::default()
    };
    let mut result = match position {
        Position::Root => own.clone(),
        Position::Inside => Schema::default(),
    };
    for node in inlined.iter().filter(|node| node.channels.contains(view.channel)) {
        merge(&mut result, without_words(project(node, view, Position::Inside)), view.controller_gen);
    }
    if position == Position::Inside {
        merge(&mut result, own, view.controller_gen);
    }
    Schema {
        description: words.description,
        title: words.title,
        example: words.example,
        external_docs: words.external_docs,
        ..result
    }
}

fn without_words(mut schema: Schema) -> Schema {
    schema.description = None;
    schema.title = None;
    schema.example = None;
    schema.external_docs = None;
    schema
}

/// A newtype or a field around a type with markers of its own.
fn put_around(mut inner: Schema, core: &Core, layer: &Layer, view: View) -> Schema {
    // The outer texts win; the inner ones stay where the outer layer has none.
    let description = text(layer.description).or(inner.description.take());
    let mut outer = Schema { description, nullable: layer.nullable, ..Schema::default() };
    // A marker writes an empty list as `{}`; only the inner node shows that it is a list.
    let inner_is_list = inner.kind.as_deref() == Some("array");
    // controller-gen sees a struct of another package only as a reference, whatever the struct is on the wire.
    let is_struct = matches!(core, Core::Leaf(Leaf::Base(base)) if *base != BaseType::Bytes);
    let kind = if is_struct { "object" } else { inner.kind.as_deref().unwrap_or_default() };
    apply(&mut outer, &layer.markers, Some(kind), view);
    if inner_is_list
        && let Some(default) = &mut outer.default
        && default.as_object().is_some_and(Map::is_empty)
    {
        *default = Value::Array(Vec::new());
    }
    let description = outer.description.take();
    let title = outer.title.take().or(inner.title.take());
    let example = outer.example.take().or(inner.example.take());
    let external_docs = outer.external_docs.take().or(inner.external_docs.take());
    let mut result = Schema::default();
    merge(&mut result, inner, view.controller_gen);
    merge(&mut result, outer, view.controller_gen);
    Schema { description, title, example, external_docs, ..result }
}

/// The order in which controller-gen applies markers that stand together.
pub(crate) fn priority(rule: &Rule) -> u8 {
    match rule {
        Rule::Type(_) | Rule::IntOrString => 0,
        Rule::AtMostOneOf(_) => 2,
        Rule::ExactlyOneOf(_) => 3,
        Rule::AtLeastOneOf(_) => 4,
        _ => 1,
    }
}

/// Applies markers. `referenced`: the kind of the type that the schema is put around.
pub(crate) fn apply(schema: &mut Schema, markers: &[Applied], referenced: Option<&str>, view: View) {
    let in_channel = markers.iter().filter(|applied| applied.channels.contains(view.channel));
    let mut ordered: Vec<&Rule> = in_channel.map(|applied| &applied.marker.rule).collect();
    ordered.sort_by_key(|rule| priority(rule));
    for (index, rule) in ordered.iter().enumerate() {
        // A tag may repeat an older marker.
        if !ordered[..index].contains(rule) {
            apply_rule(schema, rule, view.controller_gen);
        }
    }
    if view.controller_gen == ControllerGen::V23 && markers.iter().any(|applied| applied.marker.rule == Rule::NotEmpty)
    {
        not_empty(schema, referenced);
    }
}

/// `+k8s:required` since v0.23: there is something in the value, unless the field has a minimum. A reference to what is neither a string
/// nor a list has the minimum of objects, also where that has no effect.
fn not_empty(schema: &mut Schema, referenced: Option<&str>) {
    let minimum = match (schema.kind.as_deref().or(referenced), referenced) {
        (Some("string"), _) => &mut schema.min_length,
        (Some("array"), _) => &mut schema.min_items,
        (Some("object"), _) | (_, Some(_)) => &mut schema.min_properties,
        _ => return,
    };
    minimum.get_or_insert(1);
}

/// The CEL rule that a marker adds to a schema.
pub(crate) fn validation(rule: &Rule, controller_gen: ControllerGen) -> Option<Validation> {
    Some(match *rule {
        Rule::XValidation(validation) => Validation {
            field_path: validation.field_path.map(Text::Borrowed),
            message: validation.message.map(Text::Borrowed),
            message_expression: validation.message_expression.map(Text::Borrowed),
            optional_old_self: validation.optional_old_self,
            reason: validation.reason.map(Text::Borrowed),
            rule: validation.rule.into(),
        },
        Rule::Immutable => Validation {
            message: Some("field is immutable".into()),
            rule: "self == oldSelf".into(),
            ..Validation::default()
        },
        Rule::AtMostOneOf(fields) => union(fields, fields, ["at most one", "may", "<="], controller_gen),
        Rule::ExactlyOneOf(fields) => union(fields, fields, EXACTLY_ONE, controller_gen),
        Rule::AtLeastOneOf(fields) => union(fields, fields, ["at least one", "must", ">="], controller_gen),
        _ => return None,
    })
}

/// The schema that a marker makes of nothing.
pub(crate) fn alone(rule: &Rule, controller_gen: ControllerGen) -> Schema {
    let mut schema = Schema::default();
    apply_rule(&mut schema, rule, controller_gen);
    schema
}

fn apply_rule(schema: &mut Schema, rule: &Rule, controller_gen: ControllerGen) {
    match *rule {
        Rule::Maximum(number) => schema.maximum = Some(self::number(number)),
        Rule::Minimum(number) => schema.minimum = Some(self::number(number)),
        Rule::MultipleOf(number) => schema.multiple_of = Some(self::number(number)),
        Rule::ExclusiveMaximum(exclusive) => schema.exclusive_maximum = exclusive,
        Rule::ExclusiveMinimum(exclusive) => schema.exclusive_minimum = exclusive,
        Rule::MaxLength(count) => schema.max_length = Some(count),
        Rule::MinLength(count) => schema.min_length = Some(count),
        Rule::MaxItems(count) => schema.max_items = Some(count),
        Rule::MinItems(count) => schema.min_items = Some(count),
        Rule::MaxProperties(count) => schema.max_properties = Some(count),
        Rule::MinProperties(count) => schema.min_properties = Some(count),
        Rule::UniqueItems(unique) => schema.unique_items = unique,
        Rule::Pattern(pattern) => schema.pattern = Some(pattern.into()),
        Rule::Enum(values) => schema.enumeration = Some(values.iter().map(value).collect()),
        Rule::Format(format) => schema.format = Some(format.into()),
        Rule::Type(kind) => schema.kind = Some(kind.into()),
        Rule::PreserveUnknownFields => schema.preserve_unknown_fields = Some(true),
        Rule::EmbeddedResource => schema.embedded_resource = true,
        Rule::IntOrString => schema.int_or_string = true,
        Rule::Default(ref default) => {
            let default = value(default);
            let empty_list = schema.kind.as_deref() == Some("array") && default.as_object().is_some_and(Map::is_empty);
            schema.default = Some(if empty_list { Value::Array(Vec::new()) } else { default });
        }
        Rule::Example(ref example) => schema.example = Some(value(example)),
        Rule::Description(text) => schema.description = (!text.is_empty()).then(|| text.into()),
        Rule::Title(title) => schema.title = Some(title.into()),
        Rule::ExternalDocs(docs) => schema.external_docs = Some(external_docs(docs)),
        Rule::XValidation(_)
        | Rule::Immutable
        | Rule::AtMostOneOf(_)
        | Rule::ExactlyOneOf(_)
        | Rule::AtLeastOneOf(_) => schema.validations.extend(validation(rule, controller_gen)),
        Rule::ListType(kind) => schema.list_type = Some(kind.into()),
        Rule::ListMapKey(key) => schema.list_map_keys.push(key.into()),
        Rule::MapType(kind) | Rule::StructType(kind) => schema.map_type = Some(kind.into()),
        Rule::AllOf(branches) => schema.all_of.extend(branches.iter().map(branch)),
        Rule::AnyOf(branches) => schema.any_of.extend(branches.iter().map(branch)),
        Rule::OneOf(branches) => schema.one_of.extend(branches.iter().map(branch)),
        Rule::Not(ref refused) => schema.not = Some(Box::new(branch(refused))),
        // `not_empty` applies it last.
        Rule::NotEmpty
        | Rule::Schemaless
        | Rule::ConformanceFeature(_)
        | Rule::GoName(_)
        | Rule::GoType(_)
        | Rule::Lens(_)
        | Rule::Lint(_)
        | Rule::DeprecatedName
        | Rule::DeprecatedVersion(_)
        | Rule::Metadata(_)
        | Rule::PrintColumn(_)
        | Rule::Resource(_)
        | Rule::SelectableField(_)
        | Rule::SkipVersion
        | Rule::StorageVersion
        | Rule::SubresourceScale(_)
        | Rule::SubresourceStatus
        | Rule::UnservedVersion => {}
    }
}

fn external_docs(docs: rule::ExternalDocs) -> ExternalDocs {
    ExternalDocs { description: docs.description.map(Text::Borrowed), url: Some(docs.url.into()) }
}

/// The words and the comparison of a union in which exactly one field is set.
const EXACTLY_ONE: [&str; 3] = ["exactly one", "must", "=="];

/// The rule of an enum of which exactly one variant is set. `selected`: the fields as CEL selects them.
pub(crate) fn exactly_one(fields: &[&str], selected: &[String]) -> Validation {
    union(fields, selected, EXACTLY_ONE, ControllerGen::default())
}

/// A union as a release of controller-gen writes it.
fn union(
    fields: &[&str],
    selected: &[impl std::fmt::Display],
    [how_many, verb, comparison]: [&str; 3],
    controller_gen: ControllerGen,
) -> Validation {
    let checks = selected.iter().map(|field| format!("has(self.{field})"));
    let joined = |between: &str| checks.clone().collect::<Vec<_>>().join(between);
    let rule = match controller_gen {
        ControllerGen::V21 => format!("[{}].filter(x,x==true).size() {comparison} 1", joined(",")),
        ControllerGen::V23 if comparison == ">=" => joined("||"),
        ControllerGen::V23 => format!("({}?1:0) {comparison} 1", joined("?1:0)+(")),
    };
    Validation {
        message: Some(format!("{how_many} of the fields in [{}] {verb} be set", fields.join(" ")).into()),
        rule: rule.into(),
        ..Validation::default()
    }
}

/// A value validation written as an object. [`unreadable_branches`] reports objects that are not schemas.
fn branch(json: &Json) -> Schema {
    Schema::from_value(&value(json)).unwrap_or_default()
}

/// The errors of objects in `schema:…` markers that are not schemas.
pub(crate) fn unreadable_branches(rule: &Rule) -> Vec<String> {
    let branches: &[Json] = match rule {
        Rule::AllOf(branches) | Rule::AnyOf(branches) | Rule::OneOf(branches) => branches,
        Rule::Not(refused) => std::slice::from_ref(refused),
        _ => &[],
    };
    branches
        .iter()
        .filter_map(|json| Schema::from_value(&value(json)).err())
        .flatten()
        .map(|error| error.to_string())
        .collect()
}

fn number(number: ConstantNumber) -> Number {
    match number {
        ConstantNumber::Integer(integer) => integer.into(),
        ConstantNumber::Float(float) if float.fract() == 0.0 && float.abs() < 9e15 => (float as i64).into(),
        // The marker grammar accepts only finite numbers.
        ConstantNumber::Float(float) => Number::from_f64(float).unwrap_or_else(|| 0.into()),
    }
}
