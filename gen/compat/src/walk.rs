//! The walk: both bundles together, and everything that is not the same.
//!
//! Fed with the CRDs of one channel, before and after, and with the renames that were declared. Read by [`crate::comparison`].
//!
//! Invariants:
//! * Every property of CRD v1 is looked at. Both structs are taken apart without `..`, so that a property which gets a field in the
//!   model and none here does not compile.
//! * What an API server takes for the same is the same: a list without a type is atomic, a map without one granular, no conversion the
//!   strategy `None`, no singular the kind in lower case; an empty text, an empty `enum`, a default of null and a minimum length of 0 are
//!   not there; 1.0 is 1.
//! * What is there twice is two: CRDs, versions and print columns of one name are held together in the order in which they stand.
//! * Walking from the new to the old finds the mirror image.

use std::collections::{BTreeMap, HashSet};

use crd_cel::same_tokens;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::{Names, PrinterColumn, Scale, Subresources, Version};
use crd_model::schema::{AdditionalProperties, ExternalDocs, Schema, Text, Validation};
use serde_json::{Number, Value, json};

use crate::difference::{Difference, Parts, PathText, Place, Step, Subject};

/// The renames of fields that were declared: by CRD and the whole old path, wherever its declaration lets the name begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renames {
    names: BTreeMap<(String, String), String>,
}

impl Renames {
    /// Declares that the field `old` of the struct at `path` of this CRD is now called `new`.
    pub fn declare(&mut self, crd: &str, path: &str, old: &str, new: &str) {
        self.names.insert((crd.to_owned(), whole(path, old)), new.to_owned());
    }

    /// The new name of a field.
    pub fn of(&self, crd: &str, path: &str, old: &str) -> Option<&str> {
        self.names.get(&(crd.to_owned(), whole(path, old))).map(String::as_str)
    }
}

fn whole(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Everything that differs between the CRDs of one channel, by the name of the CRD, then as the schema has it.
pub fn differences<'a>(
    channel: Channel,
    old: &'a [CustomResourceDefinition],
    new: &'a [CustomResourceDefinition],
    renames: &Renames,
) -> Vec<Difference<'a>> {
    let mut pairs = paired(old, new, |crd| &*crd.name);
    pairs.sort_by_key(|(old, new)| old.or(*new).map(|crd| &*crd.name));
    let mut found = Vec::new();
    for (old, new) in pairs {
        // Most CRDs of most bundles are equal, and comparing is cheaper than walking.
        if old == new {
            continue;
        }
        let place = Place { old_crd: old, new_crd: new, ..nowhere(channel) };
        let mut walk = Walk { place, renames, found: &mut found };
        match (old, new) {
            (Some(old), Some(new)) => walk.crd(old, new),
            _ => {
                let name = |crd: Option<&CustomResourceDefinition>| crd.map(|crd| json!(crd.name));
                walk.changed(Subject::Resource, name(old), name(new));
            }
        }
    }
    found
}

/// Everything that differs between two nodes by themselves, such as branches of `anyOf`.
pub(crate) fn differences_of_nodes<'a>(
    channel: Channel,
    old: &'a Schema,
    new: &'a Schema,
    renames: &Renames,
) -> Vec<Difference<'a>> {
    let mut found = Vec::new();
    let place = Place { old_nodes: vec![old], new_nodes: vec![new], ..nowhere(channel) };
    Walk { place, renames, found: &mut found }.node(old, new);
    found
}

/// Where a walk begins.
fn nowhere<'a>(channel: Channel) -> Place<'a> {
    Place {
        channel,
        old_crd: None,
        new_crd: None,
        old_version: None,
        new_version: None,
        path: Vec::new(),
        old_nodes: Vec::new(),
        new_nodes: Vec::new(),
    }
}

/// The pairs of which both sides have one, by their old names: in the order of the old, and in that of the new.
fn orders<'t, T>(pairs: &[(Option<&'t T>, Option<&'t T>)], new: &'t [T], name: impl Fn(&T) -> &str) -> [Vec<Value>; 2] {
    let mut shared = pairs.iter().filter_map(|(old, new)| Some(((*old)?, (*new)?))).collect::<Vec<_>>();
    let names = |shared: &[(&'t T, &'t T)]| shared.iter().map(|(old, _)| json!(name(old))).collect::<Vec<Value>>();
    let before = names(&shared);
    shared.sort_by_key(|(_, kept)| new.iter().position(|entry| std::ptr::eq(entry, *kept)));
    [before, names(&shared)]
}

/// What has the same name on both sides, the first with the first and the second with the second; what only one side has stands alone. In
/// the order of the old ones, then of the new ones.
fn paired<'t, T>(old: &'t [T], new: &'t [T], name: impl Fn(&T) -> &str) -> Vec<(Option<&'t T>, Option<&'t T>)> {
    let mut left = new.iter().collect::<Vec<_>>();
    let mut pairs = Vec::with_capacity(old.len());
    for entry in old {
        let same = left.iter().position(|candidate| name(candidate) == name(entry));
        pairs.push((Some(entry), same.map(|index| left.remove(index))));
    }
    pairs.extend(left.into_iter().map(|entry| (None, Some(entry))));
    pairs
}

struct Walk<'a, 'w> {
    place: Place<'a>,
    renames: &'w Renames,
    found: &'w mut Vec<Difference<'a>>,
}

/// Whether an annotation is a stamp: of the bundle's version or channel, by whatever prefix.
pub(crate) fn is_stamp(annotation: &str) -> bool {
    annotation.ends_with("/bundle-version") || annotation.ends_with("/channel")
}

/// A text that is there. An empty one is left out when a server writes the CRD down.
fn text(text: &Option<Text>) -> Option<Value> {
    text.as_ref().filter(|text| !text.is_empty()).map(|text| json!(text))
}

/// A value that is there, with numbers as servers read them.
fn value(value: &Option<Value>) -> Option<Value> {
    value.as_ref().filter(|value| !value.is_null()).map(as_read)
}

fn number(number: &Option<Number>) -> Option<Value> {
    number.as_ref().map(|number| as_read(&Value::Number(number.clone())))
}

/// A value with numbers as servers read them: 1.0 is 1.
fn as_read(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            // From here on not every integer is a floating-point number.
            Some(float) if float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 => Value::from(float as i64),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(as_read).collect(),
        Value::Object(entries) => entries.iter().map(|(key, value)| (key.clone(), as_read(value))).collect(),
        _ => value.clone(),
    }
}

fn texts(list: &[Text]) -> Vec<Value> {
    list.iter().map(|text| json!(text)).collect()
}

fn flag(flag: bool) -> Option<Value> {
    flag.then_some(Value::Bool(true))
}

impl<'a> Walk<'a, '_> {
    fn push(&mut self, subject: Subject, before: Option<Value>, after: Option<Value>, parts: Parts<'a>) {
        self.found.push(Difference { place: self.place.clone(), subject, before, after, parts });
    }

    fn changed(&mut self, subject: Subject, before: Option<Value>, after: Option<Value>) {
        if before != after {
            self.push(subject, before, after, Parts::default());
        }
    }

    /// Two lists in which only membership counts: one difference for each entry that only one of them has.
    fn members(&mut self, subject: Subject, old: &[Value], new: &[Value]) {
        // An entry that stands there twice is one.
        let only = |one: &[Value], other: &[Value]| {
            let other = other.iter().collect::<HashSet<_>>();
            let mut only = one.iter().filter(|value| !other.contains(value)).cloned().collect::<Vec<_>>();
            only.sort_by_key(Value::to_string);
            only.dedup();
            only
        };
        for value in only(old, new) {
            self.push(subject, Some(value), None, Parts::default());
        }
        for value in only(new, old) {
            self.push(subject, None, Some(value), Parts::default());
        }
    }

    /// What both sides have, in another order or another number of times. What comes or goes leaves the order of the others.
    fn order(&mut self, subject: Subject, old: &[Value], new: &[Value]) {
        if old == new {
            return;
        }
        let shared = |one: &[Value], other: &[Value]| {
            let other = other.iter().collect::<HashSet<_>>();
            Value::Array(one.iter().filter(|value| other.contains(value)).cloned().collect())
        };
        self.changed(subject, Some(shared(old, new)), Some(shared(new, old)));
    }

    fn crd(&mut self, old: &'a CustomResourceDefinition, new: &'a CustomResourceDefinition) {
        let CustomResourceDefinition {
            name: _,
            annotations,
            labels,
            group,
            names,
            scope,
            versions,
            conversion,
            preserve_unknown_fields,
        } = old;
        self.changed(Subject::Group, Some(json!(group)), Some(json!(new.group)));
        self.names(names, &new.names);
        self.changed(Subject::Scope, Some(json!(scope.as_str())), Some(json!(new.scope.as_str())));
        let strategy =
            |conversion: &Option<Value>| conversion.clone().filter(|value| *value != json!({"strategy": "None"}));
        self.changed(Subject::ConversionStrategy, strategy(conversion), strategy(&new.conversion));
        let preserve = |flag: Option<bool>| flag.filter(|flag| *flag).map(Value::Bool);
        self.changed(
            Subject::PreserveUnknownFieldsOfAll,
            preserve(*preserve_unknown_fields),
            preserve(new.preserve_unknown_fields),
        );
        self.keyed(annotations, &new.annotations, |key| match is_stamp(key) {
            true => Subject::Stamp,
            false => Subject::Annotation,
        });
        self.keyed(labels, &new.labels, |_| Subject::Label);
        self.versions(versions, &new.versions);
    }

    fn keyed(&mut self, old: &BTreeMap<Text, Text>, new: &BTreeMap<Text, Text>, subject: impl Fn(&str) -> Subject) {
        let mut keys = old.keys().chain(new.keys()).collect::<Vec<_>>();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let entry = |map: &BTreeMap<Text, Text>| map.get(key).map(|value| json!({ &**key: value }));
            self.changed(subject(key), entry(old), entry(new));
        }
    }

    fn names(&mut self, old: &Names, new: &Names) {
        let Names { categories, kind, list_kind, plural, short_names, singular } = old;
        self.changed(Subject::Kind, Some(json!(kind)), Some(json!(new.kind)));
        self.changed(Subject::Plural, Some(json!(plural)), Some(json!(new.plural)));
        // What the server fills in moves with the kind, and says nothing beside it.
        let own = |given: &Option<Text>, filled: String| text(given).filter(|given| *given != json!(filled));
        self.changed(
            Subject::ListKind,
            own(list_kind, format!("{kind}List")),
            own(&new.list_kind, format!("{}List", new.kind)),
        );
        self.changed(
            Subject::Singular,
            own(singular, kind.to_lowercase()),
            own(&new.singular, new.kind.to_lowercase()),
        );
        self.members(Subject::Category, &texts(categories), &texts(&new.categories));
        self.order(Subject::Order, &texts(categories), &texts(&new.categories));
        self.members(Subject::ShortName, &texts(short_names), &texts(&new.short_names));
        self.order(Subject::Order, &texts(short_names), &texts(&new.short_names));
    }

    fn versions(&mut self, old: &'a [Version], new: &'a [Version]) {
        let pairs = paired(old, new, |version| &version.name);
        let [before, after] = orders(&pairs, new, |version| &version.name);
        self.order(Subject::VersionOrder, &before, &after);
        self.changed(Subject::Storage, stored(old), stored(new));
        for (old, new) in pairs {
            (self.place.old_version, self.place.new_version) = (old, new);
            match (old, new) {
                (Some(old), Some(new)) => self.version(old, new),
                _ => {
                    let name = |version: Option<&Version>| version.map(|version| json!(version.name));
                    self.changed(Subject::Version, name(old), name(new));
                }
            }
        }
        (self.place.old_version, self.place.new_version) = (None, None);
    }

    fn version(&mut self, old: &'a Version, new: &'a Version) {
        let Version {
            columns,
            deprecated,
            deprecation_warning,
            name: _,
            schema,
            selectable_fields,
            served,
            // Of the resource: where its objects are written.
            storage: _,
            subresources,
        } = old;
        self.changed(Subject::Served, flag(*served), flag(new.served));
        self.changed(Subject::Deprecated, flag(*deprecated), flag(new.deprecated));
        self.changed(Subject::DeprecationWarning, text(deprecation_warning), text(&new.deprecation_warning));
        self.columns(columns, &new.columns);
        let fields = (texts(selectable_fields), texts(&new.selectable_fields));
        self.members(Subject::SelectableField, &fields.0, &fields.1);
        self.order(Subject::Order, &fields.0, &fields.1);
        self.subresources(subresources.as_ref(), new.subresources.as_ref());
        self.place.old_nodes.push(schema);
        self.place.new_nodes.push(&new.schema);
        self.node(schema, &new.schema);
        self.place.old_nodes.pop();
        self.place.new_nodes.pop();
    }

    fn columns(&mut self, old: &[PrinterColumn], new: &[PrinterColumn]) {
        let value = |column: &PrinterColumn| {
            let PrinterColumn { description, format, json_path, name, priority, kind } = column;
            // A column without a priority has 0.
            let priority = priority.unwrap_or_default();
            let (format, description) = (text(format), text(description));
            json!({ "name": name, "type": kind, "jsonPath": json_path, "format": format, "priority": priority, "description": description })
        };
        // A server takes two columns of one name.
        let pairs = paired(old, new, |column| &column.name);
        for (old, new) in &pairs {
            self.changed(Subject::PrinterColumn, old.map(value), new.map(value));
        }
        let [before, after] = orders(&pairs, new, |column| &column.name);
        self.order(Subject::PrinterColumn, &before, &after);
    }

    fn subresources(&mut self, old: Option<&Subresources>, new: Option<&Subresources>) {
        // None and an empty one are the same to the server.
        let parts = |subresources: Option<&Subresources>| match subresources {
            None => (None, None),
            Some(Subresources { scale, status }) => (
                flag(*status),
                scale.as_ref().map(|Scale { label_selector_path, spec_replicas_path, status_replicas_path }| {
                    json!({
                        "labelSelectorPath": label_selector_path,
                        "specReplicasPath": spec_replicas_path,
                        "statusReplicasPath": status_replicas_path,
                    })
                }),
            ),
        };
        let ((old_status, old_scale), (new_status, new_scale)) = (parts(old), parts(new));
        self.changed(Subject::StatusSubresource, old_status, new_status);
        self.changed(Subject::ScaleSubresource, old_scale, new_scale);
    }

    fn below(&mut self, step: Step<'a>, old: &'a Schema, new: &'a Schema) {
        if old == new {
            return;
        }
        self.place.path.push(step);
        self.place.old_nodes.push(old);
        self.place.new_nodes.push(new);
        self.node(old, new);
        self.place.path.pop();
        self.place.old_nodes.pop();
        self.place.new_nodes.pop();
    }

    fn node(&mut self, old: &'a Schema, new: &'a Schema) {
        if old == new {
            return;
        }
        let Schema {
            additional_properties: _,
            all_of,
            any_of: any_of_old,
            default,
            description,
            enumeration,
            example,
            exclusive_maximum: _,
            exclusive_minimum: _,
            external_docs,
            format,
            id,
            items,
            max_items,
            max_length,
            max_properties,
            maximum: _,
            min_items,
            min_length,
            min_properties,
            minimum: _,
            multiple_of,
            not,
            nullable,
            one_of,
            pattern,
            properties: _,
            required,
            title,
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
        self.changed(Subject::Description, text(description), text(&new.description));
        self.changed(Subject::Title, text(title), text(&new.title));
        self.changed(Subject::Example, value(example), value(&new.example));
        let docs = |docs: &Option<ExternalDocs>| {
            docs.as_ref()
                .map(|ExternalDocs { description, url }| json!({ "description": text(description), "url": text(url) }))
        };
        self.changed(Subject::ExternalDocs, docs(external_docs), docs(&new.external_docs));
        self.changed(Subject::Id, text(id), text(&new.id));
        if !keeps_type(old, new) {
            // Nothing below means the same any more.
            self.changed(Subject::Type, Some(type_of(old)), Some(type_of(new)));
            return;
        }
        self.changed(Subject::Default, value(default), value(&new.default));
        self.changed(Subject::Nullable, flag(*nullable), flag(new.nullable));
        self.enumeration(enumeration.as_deref(), new.enumeration.as_deref());
        self.changed(Subject::Pattern, text(pattern), text(&new.pattern));
        self.changed(Subject::Format, text(format), text(&new.format));
        let bound = |limit: &Option<Number>, exclusive: bool| {
            number(limit).map(|limit| if exclusive { json!({ "exclusive": limit }) } else { limit })
        };
        let (before, after) = (bound(&old.maximum, old.exclusive_maximum), bound(&new.maximum, new.exclusive_maximum));
        self.changed(Subject::Maximum, before, after);
        let (before, after) = (bound(&old.minimum, old.exclusive_minimum), bound(&new.minimum, new.exclusive_minimum));
        self.changed(Subject::Minimum, before, after);
        // Every integer is a multiple of 1.
        let step = |step: &Option<Number>, schema: &Schema| {
            number(step).filter(|step| *step != json!(1) || schema.kind.as_deref() != Some("integer"))
        };
        self.changed(Subject::MultipleOf, step(multiple_of, old), step(&new.multiple_of, new));
        for (subject, before, after) in [
            (Subject::MaxLength, max_length, new.max_length),
            (Subject::MinLength, min_length, new.min_length),
            (Subject::MaxItems, max_items, new.max_items),
            (Subject::MinItems, min_items, new.min_items),
            (Subject::MaxProperties, max_properties, new.max_properties),
            (Subject::MinProperties, min_properties, new.min_properties),
        ] {
            let least = matches!(subject, Subject::MinLength | Subject::MinItems | Subject::MinProperties);
            // Nothing has less than nothing.
            let limit = |limit: Option<i64>| limit.filter(|limit| !least || *limit > 0).map(Value::from);
            self.changed(subject, limit(*before), limit(after));
        }
        self.changed(Subject::UniqueItems, flag(*unique_items), flag(new.unique_items));
        self.branches(Subject::AllOf, all_of, &new.all_of);
        // An int-or-string takes integers and strings, whether branches say so too or not.
        let any_of = |schema: &'a Schema, branches: &'a [Schema]| match schema.int_or_string {
            true if branches.iter().map(type_of).eq(["integer", "string"]) => &[],
            _ => branches,
        };
        self.branches(Subject::AnyOf, any_of(old, any_of_old), any_of(new, &new.any_of));
        self.branches(Subject::OneOf, one_of, &new.one_of);
        if *not != new.not {
            let value = |not: &Option<Box<Schema>>| not.as_ref().map(|not| as_read(&not.to_value()));
            self.changed(Subject::Not, value(not), value(&new.not));
        }
        let unless = |given: &Option<Text>, filled: &str| text(given).filter(|given| *given != json!(filled));
        self.changed(Subject::ListType, unless(list_type, "atomic"), unless(&new.list_type, "atomic"));
        self.changed(Subject::MapType, unless(map_type, "granular"), unless(&new.map_type, "granular"));
        let (old_keys, new_keys) = (texts(list_map_keys), texts(&new.list_map_keys));
        self.members(Subject::ListMapKeys, &old_keys, &new_keys);
        self.order(Subject::Order, &old_keys, &new_keys);
        self.changed(
            Subject::PreserveUnknownFields,
            flag(*preserve_unknown_fields == Some(true)),
            flag(new.preserve_unknown_fields == Some(true)),
        );
        self.changed(Subject::EmbeddedResource, flag(*embedded_resource), flag(new.embedded_resource));
        self.rules(validations, &new.validations);
        self.members(Subject::Required, &texts(required), &texts(&new.required));
        self.properties(old, new);
        match (items, &new.items) {
            (Some(old), Some(new)) => self.below(Step::Each, old, new),
            (None, None) => {}
            (before, after) => {
                let value = |items: &Option<Box<Schema>>| items.as_ref().map(|items| type_of(items));
                self.changed(Subject::Items, value(before), value(after));
            }
        }
        self.additional_properties(old, new);
    }

    /// The branches of `allOf`, `anyOf` or `oneOf`, whose order means nothing.
    fn branches(&mut self, subject: Subject, old: &[Schema], new: &[Schema]) {
        if old == new {
            return;
        }
        let values = |list: &[Schema]| list.iter().map(|branch| as_read(&branch.to_value())).collect::<Vec<_>>();
        let (old, new) = (values(old), values(new));
        let sorted = |list: &[Value]| {
            let mut texts = list.iter().map(Value::to_string).collect::<Vec<_>>();
            texts.sort_unstable();
            texts
        };
        if sorted(&old) == sorted(&new) {
            self.order(Subject::Order, &old, &new);
        } else {
            let value = |list: Vec<Value>| (!list.is_empty()).then_some(Value::Array(list));
            self.changed(subject, value(old), value(new));
        }
    }

    fn enumeration(&mut self, old: Option<&[Value]>, new: Option<&[Value]>) {
        let values = |values: Option<&[Value]>| {
            values.filter(|values| !values.is_empty()).map(|values| values.iter().map(as_read).collect::<Vec<_>>())
        };
        match (values(old), values(new)) {
            (Some(old), Some(new)) => {
                self.members(Subject::EnumValue, &old, &new);
                self.order(Subject::Order, &old, &new);
            }
            (old, new) => self.changed(Subject::Enum, old.map(Value::Array), new.map(Value::Array)),
        }
    }

    fn properties(&mut self, old: &'a Schema, new: &'a Schema) {
        let path = PathText(&self.place.path).to_string();
        let crd = self.place.crd();
        // A field that is gone, where its declared new name has come: one difference, and the same field below.
        let mut renamed = Vec::new();
        for (name, property) in &old.properties {
            match new.properties.get(name) {
                Some(candidate) => self.below(Step::Field(name), property, candidate),
                None => {
                    let declared = self.renames.of(crd, &path, name);
                    let came = declared
                        .and_then(|declared| new.properties.iter().find(|(name, _)| **name == *declared))
                        .filter(|(name, _)| old.properties.get(name).is_none());
                    match came {
                        Some((new_name, candidate)) => {
                            renamed.push(&**new_name);
                            let parts = Parts { field: Some(candidate), ..Parts::default() };
                            self.push(Subject::FieldName, Some(json!(name)), Some(json!(new_name)), parts);
                            let begin = self.found.len();
                            self.below(Step::Field(new_name), property, candidate);
                            // Another type is what another name is for: then nothing below means the same.
                            let retyped =
                                |below: &Difference<'_>| matches!(below.subject, Subject::Type | Subject::Items);
                            if self.found[begin..].iter().any(retyped) {
                                self.found.truncate(begin);
                            }
                        }
                        None => {
                            let parts = Parts { field: Some(property), ..Parts::default() };
                            self.push(Subject::Field, Some(json!(name)), None, parts);
                        }
                    }
                }
            }
        }
        for (name, property) in &new.properties {
            if old.properties.get(name).is_none() && !renamed.contains(&&**name) {
                let parts = Parts { field: Some(property), ..Parts::default() };
                self.push(Subject::Field, None, Some(json!(name)), parts);
            }
        }
    }

    fn additional_properties(&mut self, old: &'a Schema, new: &'a Schema) {
        match (&old.additional_properties, &new.additional_properties) {
            (Some(AdditionalProperties::Values(old)), Some(AdditionalProperties::Values(new))) => {
                self.below(Step::Each, old, new);
            }
            (before, after) => {
                // Without the keyword nothing unnamed is kept, as with `false`; only `false` refuses instead of dropping.
                let value = |properties: &Option<AdditionalProperties>| match properties {
                    None => None,
                    Some(AdditionalProperties::Allowed(allowed)) => Some(Value::Bool(*allowed)),
                    Some(AdditionalProperties::Values(values)) => Some(type_of(values)),
                };
                self.changed(Subject::AdditionalProperties, value(before), value(after));
            }
        }
    }

    /// Rules are known by their text, then by their tokens. One that goes and one that comes with the same message, or alone at the node,
    /// are one whose text was changed.
    fn rules(&mut self, old: &'a [Validation], new: &'a [Validation]) {
        let (mut gone, mut come) = (old.iter().collect::<Vec<_>>(), new.iter().collect::<Vec<_>>());
        let mut kept = Vec::new();
        let mut keep = |is_same: &dyn Fn(&Validation, &Validation) -> bool| {
            gone.retain(|rule| match come.iter().position(|candidate| is_same(rule, candidate)) {
                Some(index) => {
                    kept.push((*rule, come.remove(index)));
                    false
                }
                None => true,
            });
        };
        let as_sharp = |one: &Validation, other: &Validation| {
            (one.optional_old_self == Some(true)) == (other.optional_old_self == Some(true))
        };
        keep(&|one, other| one.rule == other.rule && as_sharp(one, other));
        keep(&|one, other| one.rule == other.rule);
        keep(&|one, other| same_tokens(&one.rule, &other.rule));
        kept.sort_by_key(|(rule, _)| old.iter().position(|known| std::ptr::eq(known, *rule)));
        let pairs = kept.iter().map(|(old, new)| (Some(*old), Some(*new))).collect::<Vec<_>>();
        let [before, after] = orders(&pairs, new, |rule| &rule.rule);
        self.order(Subject::Order, &before, &after);
        for (old, new) in &kept {
            self.same_rule(old, new);
        }
        // A rule that stands there twice asks nothing more than once, also where both copies came or went; one that also judges new objects
        // asks more than its copy that does not.
        let asked = |rule: &'a Validation| (&*rule.rule, rule.optional_old_self == Some(true));
        let first_of_each = |rules: Vec<&'a Validation>, mut known: Vec<(&'a str, bool)>| {
            rules.into_iter().partition::<Vec<_>, _>(|rule| {
                let first = !known.contains(&asked(rule));
                known.push(asked(rule));
                first
            })
        };
        let (gone, gone_again) = first_of_each(gone, kept.iter().map(|(old, _)| asked(old)).collect());
        let (mut come, come_again) = first_of_each(come, kept.iter().map(|(_, new)| asked(new)).collect());
        for rule in gone_again {
            self.words(Some(rule), None);
        }
        for rule in come_again {
            self.words(None, Some(rule));
        }
        let alone = gone.len() == 1 && come.len() == 1;
        for rule in gone {
            let same_message =
                |candidate: &&Validation| text(&candidate.message).is_some() && candidate.message == rule.message;
            let successor = come.iter().position(|candidate| alone || same_message(candidate));
            let successor = successor.map(|index| come.remove(index));
            self.rule(Some(rule), successor);
        }
        for rule in come {
            self.rule(None, Some(rule));
        }
    }

    fn rule(&mut self, old: Option<&'a Validation>, new: Option<&'a Validation>) {
        let parts = Parts { old_rule: old, new_rule: new, ..Parts::default() };
        let value = |rule: Option<&Validation>| rule.map(|rule| json!(rule.rule));
        self.push(Subject::Rule, value(old), value(new), parts);
    }

    /// What two rules of the same tokens say otherwise.
    fn same_rule(&mut self, old: &'a Validation, new: &'a Validation) {
        let parts = Parts { old_rule: Some(old), new_rule: Some(new), ..Parts::default() };
        if old.rule != new.rule {
            self.rule(Some(old), Some(new));
        }
        self.words(Some(old), Some(new));
        let (before, after) = (old.optional_old_self == Some(true), new.optional_old_self == Some(true));
        if before != after {
            self.push(Subject::OptionalOldSelf, flag(before), flag(after), parts);
        }
    }

    /// What rules say.
    fn words(&mut self, old: Option<&'a Validation>, new: Option<&'a Validation>) {
        let words = |rule: &Validation| {
            let Validation { field_path, message, message_expression, optional_old_self: _, reason, rule: _ } = rule;
            let words = [
                ("fieldPath", field_path),
                ("message", message),
                ("messageExpression", message_expression),
                ("reason", reason),
            ];
            let given = words.iter().filter_map(|(key, word)| Some(((*key).to_owned(), text(word)?)));
            Value::Object(given.collect())
        };
        let (before, after) = (old.map(words), new.map(words));
        if before != after {
            let parts = Parts { old_rule: old, new_rule: new, ..Parts::default() };
            self.push(Subject::RuleWords, before, after, parts);
        }
    }
}

/// Where objects are written: the name of the version. Servers refuse CRDs with more than one, or none.
fn stored(versions: &[Version]) -> Option<Value> {
    let mut stored = versions.iter().filter(|version| version.storage).map(|version| json!(version.name));
    match (stored.next(), stored.next()) {
        (None, _) => None,
        (Some(only), None) => Some(only),
        (Some(first), Some(second)) => Some([first, second].into_iter().chain(stored).collect()),
    }
}

/// Whether both nodes have the same type. An object without named properties and without a map's values can become either of both.
fn keeps_type(old: &Schema, new: &Schema) -> bool {
    let (old, new) = (type_of(old), type_of(new));
    let objects = [json!("struct"), json!("map"), json!("object")];
    let becomes = objects.contains(&old) && objects.contains(&new) && (old == objects[2] || new == objects[2]);
    old == new || becomes
}

/// What kind of value a node takes, as one word: the JSON type, `int-or-string`, `any`, or which kind of object.
pub(crate) fn type_of(schema: &Schema) -> Value {
    if schema.int_or_string {
        return json!("int-or-string");
    }
    match schema.kind.as_deref() {
        None | Some("") => json!("any"),
        // A struct that has fields is no map, nor the other way round; one without fields can become either.
        Some("object") => match &schema.additional_properties {
            Some(AdditionalProperties::Values(_)) if schema.properties.is_empty() => json!("map"),
            _ if !schema.properties.is_empty() => json!("struct"),
            _ => json!("object"),
        },
        Some(kind) => json!(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_name_of_a_renamed_field_begins_does_not_matter() {
        let mut renames = Renames::default();
        renames.declare("things.example.com", "", "spec.tls", "validation");
        assert_eq!(renames.of("things.example.com", "spec", "tls"), Some("validation"));
        assert_eq!(renames.of("things.example.com", "", "tls"), None);
        assert_eq!(renames.of("others.example.com", "spec", "tls"), None);
    }
}
