//! The walk: two schemas together, and every difference between them.
//!
//! Invariants:
//! * Every keyword of a schema is compared. [`Schema`] is destructured without `..`: a new keyword of the model does not compile until it
//!   is compared here.
//! * What an API server treats as equal is equal: a list without a type is atomic, a map without a type is granular. An empty text, an
//!   empty `enum`, a default of null and a minimum length of 0 equal absence. 1.0 is 1.
//! * Exchanging the schemas exchanges the sides of each difference.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use crd_apiserver::fill_defaults;
use crd_cel::same_tokens;
use crd_model::path;
use crd_model::schema::{AdditionalProperties, Keyword, Schema, Text, Validation};
use serde_json::{Number, Value, json};

use crate::difference::{Bound, Branches, Difference, Entries, Field, NodeType};
use crate::edit::{Edit, Presence};
use crate::pairs::{memberships, orders};
use crate::position::{Elsewhere, Position, Shared, Step};
use crate::prover::Prover;

/// The declared new name of a field, from the path of its struct and its old name.
pub type NewName<'w> = &'w dyn Fn(&str, &str) -> Option<&'w str>;

/// A difference and the node where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedDifference<'a> {
    pub position: Position<'a>,
    pub difference: Difference<'a>,
}

impl LocatedDifference<'_> {
    /// The schema path, with the name where a name differs: `spec.tls`.
    pub fn path(&self) -> String {
        whole_path(&self.position, self.difference.name())
    }
}

fn whole_path(position: &Position<'_>, name: Option<&str>) -> String {
    let mut steps = position.steps.clone();
    steps.extend(name.map(Step::Field));
    path::text(&steps)
}

/// Every difference between two schemas, in the order of the old schema.
pub fn differences<'a>(old: &'a Schema, new: &'a Schema, new_name: NewName<'_>) -> Vec<LocatedDifference<'a>> {
    differences_of_version(old, new, new_name, Elsewhere::default(), Arc::default())
}

/// The same for an API version, with what its stored objects may have, and what the comparisons of its bundle share.
pub fn differences_of_version<'a>(
    old: &'a Schema,
    new: &'a Schema,
    new_name: NewName<'_>,
    elsewhere: Elsewhere<'a>,
    prover: Arc<Prover>,
) -> Vec<LocatedDifference<'a>> {
    let shared = Arc::new(Shared { elsewhere, prover, ..Shared::default() });
    let position = Position { shared, ..Position::new(Vec::new(), vec![old], vec![new]) };
    let mut walk = Walk { position, new_name, found: Vec::new() };
    walk.node(old, new);
    walk.found
}

/// The node of a field that a schema does not have.
static ABSENT: LazyLock<Schema> = LazyLock::new(Schema::default);

struct Walk<'a, 'w> {
    position: Position<'a>,
    new_name: NewName<'w>,
    found: Vec<LocatedDifference<'a>>,
}

/// A text that has content. Servers leave out empty texts when they store a CRD.
pub fn text(text: &Option<Text>) -> Option<&str> {
    text.as_deref().filter(|text| !text.is_empty())
}

/// A value other than null, with numbers as servers read them.
fn value(value: &Option<Value>) -> Option<Value> {
    value.as_ref().filter(|value| !value.is_null()).map(as_read)
}

/// The default of a node, completed by the defaults below it.
fn filled_in(node: &Schema) -> Option<Value> {
    let mut default = value(&node.default)?;
    fill_defaults(node, &mut default);
    Some(as_read(&default))
}

/// From here on not every integer is a floating-point number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number as servers read it: 1.0 is 1.
fn number_as_read(number: &Number) -> Number {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT => Number::from(float as i64),
        _ => number.clone(),
    }
}

/// A value with numbers as servers read them: 1.0 is 1.
pub fn as_read(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(number_as_read(number)),
        Value::Array(items) => items.iter().map(as_read).collect(),
        Value::Object(entries) => entries.iter().map(|(key, value)| (key.clone(), as_read(value))).collect(),
        _ => value.clone(),
    }
}

/// What a keyword for readers has; an empty text is none.
fn text_of(node: &Schema, keyword: Keyword) -> Option<Value> {
    node.value(keyword)
        .filter(|value| !matches!(value.as_str(), Some("")))
        .filter(|value| !value.is_null())
        .map(|value| as_read(&value))
}

fn bound(limit: &Option<Number>, exclusive: bool) -> Option<Bound> {
    limit.as_ref().map(|limit| Bound { limit: number_as_read(limit), exclusive })
}

/// Every integer is a multiple of 1.
fn multiple_of(schema: &Schema) -> Option<Number> {
    let step = schema.multiple_of.as_ref().map(number_as_read);
    step.filter(|step| *step != Number::from(1) || schema.kind.as_deref() != Some("integer"))
}

/// A minimum of 0 or below refuses nothing.
fn least(limit: Option<i64>) -> Option<i64> {
    limit.filter(|limit| *limit > 0)
}

/// A maximum beyond the largest request refuses nothing: a character, an item and an entry have at least one byte.
fn most(limit: Option<i64>) -> Option<i64> {
    const LARGEST_REQUEST: i64 = 3 << 20;
    limit.filter(|limit| *limit < LARGEST_REQUEST)
}

/// A keyword, unless it is the value that servers fill in.
fn unless<'t>(name: &'t Option<Text>, filled_in: &str) -> Option<&'t str> {
    text(name).filter(|name| *name != filled_in)
}

/// Whether the branches are one for integers and one for strings.
fn has_both(schema: &Schema) -> bool {
    let [one, other] = &schema.any_of[..] else { return false };
    let kinds = [one, other].map(|branch| branch.kind.as_deref().unwrap_or_default());
    matches!(kinds, ["integer", "string"] | ["string", "integer"])
}

/// An int-or-string accepts integers and strings, with or without branches for both.
fn any_of(schema: &Schema) -> &[Schema] {
    match node_type(schema) == NodeType::IntOrString && has_both(schema) {
        true => &[],
        false => &schema.any_of,
    }
}

/// The type of a node. Before the keyword for it, an int-or-string was a node without a type and with branches for both.
fn node_type(schema: &Schema) -> NodeType<'_> {
    let is_plain = |branch: &Schema| *branch == Schema { kind: branch.kind.clone(), ..Schema::default() };
    match NodeType::of(schema) {
        NodeType::Any if has_both(schema) && schema.any_of.iter().all(is_plain) => NodeType::IntOrString,
        other => other,
    }
}

fn sorted_texts(list: &[Value]) -> Vec<String> {
    let mut texts = list.iter().map(Value::to_string).collect::<Vec<_>>();
    texts.sort_unstable();
    texts
}

impl<'a> Walk<'a, '_> {
    fn push(&mut self, difference: Difference<'a>) {
        self.found.push(LocatedDifference { position: self.position.clone(), difference });
    }

    fn edit<T>(&mut self, make: impl Fn(Edit<T>) -> Difference<'a>, old: Option<T>, new: Option<T>)
    where
        T: PartialEq,
    {
        if let Some(edit) = Edit::between(old, new) {
            self.push(make(edit));
        }
    }

    fn flag(&mut self, make: impl Fn(Presence) -> Difference<'a>, old: bool, new: bool) {
        if let Some(presence) = Presence::between(old, new) {
            self.push(make(presence));
        }
    }

    /// Two lists of texts in which only membership counts: one difference for each text that only one of them has.
    fn members(&mut self, make: impl Fn(Presence<&'a str>) -> Difference<'a>, old: &'a [Text], new: &'a [Text]) {
        for presence in memberships(old, new) {
            self.push(make(presence));
        }
    }

    /// Entries that both sides have, in another order or another number of times.
    fn order(&mut self, old: &[Value], new: &[Value]) {
        if old == new {
            return;
        }
        let shared = |one: &[Value], other: &[Value]| {
            let other = other.iter().collect::<HashSet<_>>();
            one.iter().filter(|value| other.contains(value)).cloned().collect::<Vec<_>>()
        };
        let (old, new) = (shared(old, new), shared(new, old));
        if old != new {
            self.push(Difference::Order { old, new });
        }
    }

    fn below(&mut self, step: Step<'a>, old: &'a Schema, new: &'a Schema) {
        if old == new {
            return;
        }
        self.position.enter(step, old, new);
        self.node(old, new);
        self.position.leave();
    }

    #[allow(clippy::too_many_lines, reason = "each keyword of a schema, once")]
    fn node(&mut self, old: &'a Schema, new: &'a Schema) {
        if old == new {
            return;
        }
        let Schema {
            additional_properties: _,
            all_of,
            any_of: _,
            default,
            description: _,
            enumeration,
            example: _,
            exclusive_maximum: _,
            exclusive_minimum: _,
            external_docs: _,
            format,
            id: _,
            items,
            max_items,
            max_length,
            max_properties,
            maximum: _,
            min_items,
            min_length,
            min_properties,
            minimum: _,
            multiple_of: _,
            not,
            nullable,
            one_of,
            pattern,
            properties: _,
            required,
            title: _,
            kind: _,
            unique_items,
            embedded_resource,
            int_or_string: _,
            list_map_keys,
            list_type,
            map_type,
            preserve_unknown_fields,
            validations,
        } = old;
        for keyword in Keyword::TEXTS {
            if !old.is_equal_in(new, keyword) {
                self.edit(|edit| Difference::Text(keyword, edit), text_of(old, keyword), text_of(new, keyword));
            }
        }
        let (old_type, new_type) = (node_type(old), node_type(new));
        if !old_type.can_become(new_type) {
            self.push(Difference::Type { old: old_type, new: new_type });
            self.untyped(old, new);
            return;
        }
        if filled_in(old) != filled_in(new) {
            self.edit(Difference::Default, value(default), value(&new.default));
        }
        self.flag(Difference::Nullable, *nullable, new.nullable);
        self.enumeration(enumeration.as_deref(), new.enumeration.as_deref());
        self.edit(Difference::Pattern, text(pattern), text(&new.pattern));
        self.edit(Difference::Format, text(format), text(&new.format));
        let maximum = |schema: &Schema| bound(&schema.maximum, schema.exclusive_maximum);
        self.edit(Difference::Maximum, maximum(old), maximum(new));
        let minimum = |schema: &Schema| bound(&schema.minimum, schema.exclusive_minimum);
        self.edit(Difference::Minimum, minimum(old), minimum(new));
        self.edit(Difference::MultipleOf, multiple_of(old), multiple_of(new));
        self.edit(Difference::MaxLength, most(*max_length), most(new.max_length));
        self.edit(Difference::MinLength, least(*min_length), least(new.min_length));
        self.edit(Difference::MaxItems, most(*max_items), most(new.max_items));
        self.edit(Difference::MinItems, least(*min_items), least(new.min_items));
        self.edit(Difference::MaxProperties, most(*max_properties), most(new.max_properties));
        self.edit(Difference::MinProperties, least(*min_properties), least(new.min_properties));
        self.flag(Difference::UniqueItems, *unique_items, new.unique_items);
        self.branches(Difference::AllOf, all_of, &new.all_of);
        self.branches(Difference::AnyOf, any_of(old), any_of(new));
        self.branches(Difference::OneOf, one_of, &new.one_of);
        let as_value = |not: &Option<Box<Schema>>| not.as_ref().map(|not| as_read(&not.to_value()));
        if *not != new.not && as_value(not) != as_value(&new.not) {
            self.edit(Difference::Not, not.as_deref(), new.not.as_deref());
        }
        self.edit(Difference::ListType, unless(list_type, "atomic"), unless(&new.list_type, "atomic"));
        self.edit(Difference::MapType, unless(map_type, "granular"), unless(&new.map_type, "granular"));
        self.members(Difference::ListMapKeys, list_map_keys, &new.list_map_keys);
        let keys = |keys: &[Text]| keys.iter().map(|key| json!(key)).collect::<Vec<_>>();
        self.order(&keys(list_map_keys), &keys(&new.list_map_keys));
        self.flag(
            Difference::PreserveUnknownFields,
            *preserve_unknown_fields == Some(true),
            new.preserve_unknown_fields == Some(true),
        );
        self.flag(Difference::EmbeddedResource, *embedded_resource, new.embedded_resource);
        self.rules(validations, &new.validations);
        self.members(Difference::Required, required, &new.required);
        self.properties(old, new);
        match (items, &new.items) {
            (Some(old), Some(new)) => self.below(Step::Item, old, new),
            (None, None) => {}
            (Some(old), None) => self.push(Difference::Items(Presence::Removed(NodeType::of(old)))),
            (None, Some(new)) => self.push(Difference::Items(Presence::Added(NodeType::of(new)))),
        }
        self.additional_properties(old, new);
    }

    /// What a node keeps, and its fields, where only one side has a type and both sides have fields.
    fn untyped(&mut self, old: &'a Schema, new: &'a Schema) {
        if [old, new].iter().all(|node| NodeType::of(node) != NodeType::Any) {
            return;
        }
        self.flag(
            Difference::PreserveUnknownFields,
            old.preserve_unknown_fields == Some(true),
            new.preserve_unknown_fields == Some(true),
        );
        self.flag(Difference::EmbeddedResource, old.embedded_resource, new.embedded_resource);
        if [old, new].iter().all(|node| !node.properties.is_empty()) {
            self.members(Difference::Required, &old.required, &new.required);
            self.properties(old, new);
        }
    }

    /// The branches of `allOf`, `anyOf` or `oneOf`, whose order has no meaning.
    fn branches(&mut self, make: impl Fn(Branches<'a>) -> Difference<'a>, old: &'a [Schema], new: &'a [Schema]) {
        if old == new {
            return;
        }
        let values = |list: &[Schema]| list.iter().map(|branch| as_read(&branch.to_value())).collect::<Vec<_>>();
        let (old_values, new_values) = (values(old), values(new));
        if sorted_texts(&old_values) == sorted_texts(&new_values) {
            self.order(&old_values, &new_values);
        } else {
            self.push(make(Branches { old, new }));
        }
    }

    fn enumeration(&mut self, old: Option<&[Value]>, new: Option<&[Value]>) {
        let values = |values: Option<&[Value]>| {
            values.filter(|values| !values.is_empty()).map(|values| values.iter().map(as_read).collect::<Vec<_>>())
        };
        let (old, new) = match (values(old), values(new)) {
            (Some(old), Some(new)) => (old, new),
            (Some(old), None) => return self.push(Difference::Enum(Presence::Removed(old))),
            (None, Some(new)) => return self.push(Difference::Enum(Presence::Added(new))),
            (None, None) => return,
        };
        let only = |one: &[Value], other: &[Value]| {
            let other = other.iter().collect::<HashSet<_>>();
            let mut only = one.iter().filter(|value| !other.contains(value)).cloned().collect::<Vec<_>>();
            only.sort_by_cached_key(Value::to_string);
            only.dedup();
            only
        };
        for value in only(&old, &new) {
            self.push(Difference::EnumValue(Presence::Removed(value)));
        }
        for value in only(&new, &old) {
            self.push(Difference::EnumValue(Presence::Added(value)));
        }
        self.order(&old, &new);
    }

    fn properties(&mut self, old: &'a Schema, new: &'a Schema) {
        let path = self.position.path();
        let mut renamed = Vec::new();
        for (name, schema) in &old.properties {
            if let Some(candidate) = new.properties.get(name) {
                self.below(Step::Field(name), schema, candidate);
                continue;
            }
            let declared = (self.new_name)(&path, name);
            let successor = declared
                .and_then(|declared| new.properties.get_key_value(declared))
                .filter(|(name, _)| old.properties.get(name).is_none());
            let Some((new_name, candidate)) = successor else {
                self.push(Difference::Field(Presence::Removed(Field { name, schema })));
                continue;
            };
            renamed.push(&**new_name);
            self.push(Difference::FieldName { old: name, new: new_name });
            let begin = self.found.len();
            self.below(Step::Field(new_name), schema, candidate);
            // A new name may have a new type. Then nothing below is comparable.
            let is_retyped = |below: &LocatedDifference<'_>| {
                matches!(below.difference, Difference::Type { .. } | Difference::Items(_))
            };
            if self.found[begin..].iter().any(is_retyped) {
                self.found.truncate(begin);
            }
        }
        for (name, schema) in &new.properties {
            if old.properties.get(name).is_none() && !renamed.contains(&&**name) {
                self.push(Difference::Field(Presence::Added(Field { name, schema })));
                self.default_of_new_field(name, schema);
            }
        }
    }

    /// The default of a new field is a change of its own where it may refuse objects.
    fn default_of_new_field(&mut self, name: &'a str, schema: &'a Schema) {
        let Some(default) = value(&schema.default) else { return };
        let mut position = self.position.clone();
        position.enter(Step::Field(name), &ABSENT, schema);
        let difference = Difference::Default(Edit::Added(default));
        if difference.may_refuse_by_default(&position) {
            self.found.push(LocatedDifference { position, difference });
        }
    }

    fn additional_properties(&mut self, old: &'a Schema, new: &'a Schema) {
        match (&old.additional_properties, &new.additional_properties) {
            (Some(AdditionalProperties::Values(old)), Some(AdditionalProperties::Values(new))) => {
                self.below(Step::Value, old, new);
            }
            // Absent and `false` both keep no unnamed entry. `false` refuses them, and without the keyword they are dropped.
            (old, new) => {
                let entries = |properties: &'a Option<AdditionalProperties>| properties.as_ref().map(Entries::of);
                self.edit(Difference::AdditionalProperties, entries(old), entries(new));
            }
        }
    }

    /// Rules are matched by their text, then by their tokens. A removed and an added rule with the same message, or without other
    /// changed rules at the node, are one rule with another text.
    fn rules(&mut self, old: &'a [Validation], new: &'a [Validation]) {
        let (mut removed, mut added) = (old.iter().collect::<Vec<_>>(), new.iter().collect::<Vec<_>>());
        let mut kept = Vec::new();
        let mut keep = |is_same: &dyn Fn(&Validation, &Validation) -> bool| {
            removed.retain(|rule| match added.iter().position(|candidate| is_same(rule, candidate)) {
                Some(index) => {
                    kept.push((*rule, added.remove(index)));
                    false
                }
                None => true,
            });
        };
        let is_optional = |rule: &Validation| rule.optional_old_self == Some(true);
        keep(&|one, other| one.rule == other.rule && is_optional(one) == is_optional(other));
        keep(&|one, other| one.rule == other.rule);
        keep(&|one, other| same_tokens(&one.rule, &other.rule));
        kept.sort_by_key(|(rule, _)| old.iter().position(|known| std::ptr::eq(known, *rule)));
        let pairs = kept.iter().map(|(old, new)| (Some(*old), Some(*new))).collect::<Vec<_>>();
        let [before, after] = orders(&pairs, new, |rule| &rule.rule)
            .map(|texts| texts.into_iter().map(|text| json!(text)).collect::<Vec<_>>());
        self.order(&before, &after);
        for (old, new) in &kept {
            self.same_rule(old, new);
        }
        // A copy of a rule adds no constraint, also if both copies were added or removed. A rule that also checks new objects adds a
        // constraint to its copy that does not.
        let identity = |rule: &'a Validation| (&*rule.rule, is_optional(rule));
        let first_of_each = |rules: Vec<&'a Validation>, mut known: Vec<(&'a str, bool)>| {
            rules.into_iter().partition::<Vec<_>, _>(|rule| {
                let first = !known.contains(&identity(rule));
                known.push(identity(rule));
                first
            })
        };
        let (removed, removed_copies) = first_of_each(removed, kept.iter().map(|(old, _)| identity(old)).collect());
        let (mut added, added_copies) = first_of_each(added, kept.iter().map(|(_, new)| identity(new)).collect());
        for rule in removed_copies {
            self.push(Difference::RuleMessage(Edit::Removed(rule)));
        }
        for rule in added_copies {
            self.push(Difference::RuleMessage(Edit::Added(rule)));
        }
        let alone = removed.len() == 1 && added.len() == 1;
        for rule in removed {
            let same_message =
                |candidate: &&Validation| text(&candidate.message).is_some() && candidate.message == rule.message;
            let successor = added.iter().position(|candidate| alone || same_message(candidate));
            self.push(Difference::Rule(match successor.map(|index| added.remove(index)) {
                Some(successor) => Edit::Replaced { old: rule, new: successor },
                None => Edit::Removed(rule),
            }));
        }
        for rule in added {
            self.push(Difference::Rule(Edit::Added(rule)));
        }
    }

    /// Two rules with the same tokens.
    fn same_rule(&mut self, old: &'a Validation, new: &'a Validation) {
        if old.rule != new.rule {
            self.push(Difference::Rule(Edit::Replaced { old, new }));
        }
        let words = |rule: &'a Validation| {
            let Validation { field_path, message, message_expression, optional_old_self: _, reason, rule: _ } = rule;
            [field_path, message, message_expression, reason].map(text)
        };
        if words(old) != words(new) {
            self.push(Difference::RuleMessage(Edit::Replaced { old, new }));
        }
        let is_optional = |rule: &Validation| rule.optional_old_self == Some(true);
        self.flag(Difference::OptionalOldSelf, is_optional(old), is_optional(new));
    }
}
