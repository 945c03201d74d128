//! Experimental paths, values, rules and entries of `required` are only in the experimental channel.
//!
//! The tests compare the schemas that `crd-generate` projects with facts that this file collects from the descriptors, for the
//! real types and for random ones.
//!
//! Invariants: the expected facts do not use code of the projection; counts ensure that there is something to compare.

use std::collections::{BTreeMap, BTreeSet};

use crd_channels::deferred::Deferred;
use crd_channels::descriptor::Location;
use crd_channels::json::Json;
use crd_channels::rule::{Marker, Rule, XValidation};
use crd_channels::{Channel, ChannelSet, Field, Presence, Shape, TypeDescriptor, TypeRef, Variant};
use crd_generate::schema_of;
use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::{Value, json};

use crate::objects::published;
use crd_testdata::Dice;

/// The facts at one schema path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Facts {
    properties: BTreeSet<String>,
    required: BTreeSet<String>,
    values: BTreeSet<String>,
    rules: BTreeSet<String>,
    keys: BTreeSet<String>,
    /// Other limits, in the order of their names: `pattern=…`, `maxLength=…`.
    limits: BTreeSet<String>,
}

/// Facts by path: `spec.rules[*].name`, empty for the root.
type Paths = BTreeMap<String, Facts>;

// What the descriptors say.

/// Whether a type, and all that it is a name for, exists in the channel.
fn exists(reference: TypeRef, channel: Channel) -> bool {
    match reference {
        TypeRef::List(inner) | TypeRef::Map(_, inner) => exists(*inner, channel),
        TypeRef::Named(descriptor) => {
            let descriptor = descriptor.get();
            let inner_exists = match descriptor.shape {
                Shape::Newtype(inner) => exists(inner, channel),
                Shape::Struct(_) | Shape::Union { .. } | Shape::Enum { .. } => true,
            };
            descriptor.channels.contains(channel) && inner_exists
        }
        _ => true,
    }
}

fn said(descriptor: &TypeDescriptor, channel: Channel, path: &str, paths: &mut Paths) {
    match descriptor.shape {
        Shape::Struct(fields) | Shape::Union { variants: fields, .. } => {
            paths.entry(path.to_owned()).or_default();
            for field in fields {
                if !field.channels.contains(channel) || !exists(field.kind, channel) {
                    continue;
                }
                if field.flatten {
                    said_of(field.kind, channel, path, paths);
                    continue;
                }
                let facts = paths.entry(path.to_owned()).or_default();
                facts.properties.insert(field.wire_name.to_owned());
                if field.presence == Presence::Required {
                    facts.required.insert(field.wire_name.to_owned());
                }
                let below = format!("{path}.{}", field.wire_name);
                said_of(field.kind, channel, &below, paths);
                said_by(field.markers, channel, &below, paths);
            }
        }
        Shape::Enum { variants, open } => {
            let facts = paths.entry(path.to_owned()).or_default();
            let known = variants.iter().filter(|variant| !open && variant.channels.contains(channel));
            facts.values.extend(known.map(|variant| json!(variant.wire_name).to_string()));
        }
        Shape::Newtype(inner) => said_of(inner, channel, path, paths),
    }
    said_by(descriptor.markers, channel, path, paths);
}

fn said_of(reference: TypeRef, channel: Channel, path: &str, paths: &mut Paths) {
    paths.entry(path.to_owned()).or_default();
    match reference {
        TypeRef::List(inner) | TypeRef::Map(_, inner) => said_of(*inner, channel, &format!("{path}[*]"), paths),
        TypeRef::Named(descriptor) => said(descriptor.get(), channel, path, paths),
        _ => {}
    }
}

fn said_by(markers: &[Marker], channel: Channel, path: &str, paths: &mut Paths) {
    for marker in markers.iter().filter(|marker| marker.channels.contains(channel)) {
        let path = if marker.items { format!("{path}[*]") } else { path.to_owned() };
        let facts = paths.entry(path).or_default();
        let limit = match marker.rule {
            Rule::XValidation(validation) => {
                facts.rules.insert(validation.rule.to_owned());
                continue;
            }
            Rule::ExactlyOneOf(fields) => {
                let each = fields.iter().map(|field| format!("(has(self.{field})?1:0)"));
                facts.rules.insert(format!("{} == 1", each.collect::<Vec<_>>().join("+")));
                continue;
            }
            Rule::AtLeastOneOf(fields) => {
                let each = fields.iter().map(|field| format!("has(self.{field})"));
                facts.rules.insert(each.collect::<Vec<_>>().join("||"));
                continue;
            }
            Rule::ListMapKey(key) => {
                facts.keys.insert(key.to_owned());
                continue;
            }
            Rule::Enum(values) => {
                facts.values.extend(values.iter().map(|value| match value {
                    Json::String(text) => json!(text).to_string(),
                    Json::Integer(integer) => integer.to_string(),
                    other => panic!("no type has {other:?} as a value yet; write it"),
                }));
                continue;
            }
            Rule::Pattern(pattern) => format!("pattern={pattern}"),
            Rule::MaxLength(count) => format!("maxLength={count}"),
            Rule::MinLength(count) => format!("minLength={count}"),
            Rule::MaxItems(count) => format!("maxItems={count}"),
            Rule::MinItems(count) => format!("minItems={count}"),
            _ => continue,
        };
        facts.limits.insert(limit);
    }
}

// Facts of a schema.

fn shown(schema: &Schema, path: &str, paths: &mut Paths) {
    let mut facts = Facts::default();
    facts.properties.extend(schema.properties.keys().map(ToString::to_string));
    facts.required.extend(schema.required.iter().map(ToString::to_string));
    facts.keys.extend(schema.list_map_keys.iter().map(ToString::to_string));
    facts.rules.extend(schema.validations.iter().map(|validation| validation.rule.to_string()));
    // Where two layers differ, both are in `allOf`.
    for part in std::iter::once(schema).chain(&schema.all_of) {
        facts.values.extend(part.enumeration.iter().flatten().map(Value::to_string));
        let counts = [
            ("maxLength", part.max_length),
            ("minLength", part.min_length),
            ("maxItems", part.max_items),
            ("minItems", part.min_items),
        ];
        facts.limits.extend(counts.iter().filter_map(|(name, count)| count.map(|count| format!("{name}={count}"))));
        facts.limits.extend(part.pattern.iter().map(|pattern| format!("pattern={pattern}")));
    }
    paths.insert(path.to_owned(), facts);
    for (name, property) in &schema.properties {
        shown(property, &format!("{path}.{name}"), paths);
    }
    if let Some(items) = &schema.items {
        shown(items, &format!("{path}[*]"), paths);
    }
    if let Some(AdditionalProperties::Values(values)) = &schema.additional_properties {
        shown(values, &format!("{path}[*]"), paths);
    }
}

/// Both sides of a version in a channel, made comparable: without the fields that every resource has.
fn both(descriptor: &TypeDescriptor, schema: &Schema, channel: Channel) -> (Paths, Paths) {
    let (mut expected, mut found) = (Paths::new(), Paths::new());
    said(descriptor, channel, "", &mut expected);
    shown(schema, "", &mut found);
    for paths in [&mut expected, &mut found] {
        paths.retain(|path, _| ![".apiVersion", ".kind", ".metadata"].contains(&path.as_str()));
        let root = paths.get_mut("").unwrap();
        for facts in [&mut root.properties, &mut root.required] {
            facts.retain(|name| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
        }
    }
    (expected, found)
}

#[track_caller]
fn equal(expected: &Paths, found: &Paths, what: &str) {
    let paths: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    for path in paths {
        let (expected, found) = (expected.get(path), found.get(path));
        assert!(expected == found, "{what} at {path:?}: expected\n{expected:#?}\nfound\n{found:#?}");
    }
}

/// What only the first has.
fn beyond(more: &Facts, less: Option<&Facts>) -> usize {
    let none = Facts::default();
    let less = less.unwrap_or(&none);
    let sets = [
        (&more.properties, &less.properties),
        (&more.required, &less.required),
        (&more.values, &less.values),
        (&more.rules, &less.rules),
        (&more.keys, &less.keys),
        (&more.limits, &less.limits),
    ];
    sets.iter().map(|(more, less)| more.difference(less).count()).sum()
}

#[test]
fn each_channel_has_what_the_descriptors_say() {
    let mut by_channel = BTreeMap::new();
    for published in published() {
        let (expected, found) = both(published.version.descriptor, &published.schema, published.channel);
        equal(&expected, &found, &published.name());
        by_channel.insert((published.version.api_version, published.version.kind, published.channel), found);
    }
    // There must have been something to find.
    let mut only_experimental = [0; 2];
    let mut changed_rules = 0;
    for ((api_version, kind, channel), paths) in &by_channel {
        if *channel == Channel::Standard {
            let experimental = &by_channel[&(*api_version, *kind, Channel::Experimental)];
            only_experimental[0] += experimental.keys().filter(|path| !paths.contains_key(*path)).count();
            only_experimental[1] +=
                experimental.iter().map(|(path, facts)| beyond(facts, paths.get(path))).sum::<usize>();
            for (path, facts) in paths {
                // The experimental channel has everything except rules that it replaces.
                let other = &experimental[path];
                assert!(facts.properties.is_subset(&other.properties), "{kind} {path}");
                assert!(facts.required.is_subset(&other.required), "{kind} {path}");
                assert!(facts.values.is_subset(&other.values), "{kind} {path}");
                changed_rules += facts.rules.difference(&other.rules).count();
            }
        }
    }
    println!("{only_experimental:?} paths and facts only in experimental, {changed_rules} rules only in standard");
    assert!(only_experimental[0] > 100 && only_experimental[1] > 300 && changed_rules >= 20);
}

// Random types.

fn leak<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

fn text(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

const SETS: [ChannelSet; 4] =
    [ChannelSet::ALL, ChannelSet::ALL, ChannelSet::from(Channel::Experimental), ChannelSet::only(Channel::Standard)];

/// Makes random types, innermost first, so that none contains itself.
struct TypeMaker<'r> {
    random: &'r mut Dice,
    built: Vec<&'static TypeDescriptor>,
    /// Names are never used twice: two flattened structs could meet.
    names: usize,
    /// Which of the types built so far are what.
    structs: Vec<usize>,
    enums: Vec<usize>,
    strings: Vec<usize>,
    lists: Vec<usize>,
    /// Structs that stand flattened in another: once each, so that no name is there twice.
    flattened: BTreeSet<usize>,
}

impl<'r> TypeMaker<'r> {
    fn new(random: &'r mut Dice) -> Self {
        let (structs, enums, strings, lists) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { random, built: Vec::new(), names: 0, structs, enums, strings, lists, flattened: BTreeSet::new() }
    }

    fn named(&self, number: usize) -> TypeRef {
        TypeRef::Named(Deferred::read(self.built[number]))
    }

    fn name(&mut self, prefix: &str) -> &'static str {
        self.names += 1;
        text(format!("{prefix}{}", self.names))
    }

    fn channels(&mut self) -> ChannelSet {
        *self.random.pick(&SETS)
    }

    fn build(&mut self, shape: Shape, markers: Vec<Marker>, channels: ChannelSet) -> usize {
        let descriptor = TypeDescriptor {
            name: self.name("Type"),
            module: "",
            description: "A random type.",
            channels,
            experimental: None,
            shape,
            markers: leak(markers),
            tombstones: &[],
            resource: None,
            location: Location { file: "random", line: 0 },
        };
        self.built.push(Box::leak(Box::new(descriptor)));
        self.built.len() - 1
    }

    fn marker(&mut self, rule: Rule) -> Marker {
        Marker { channels: self.channels(), items: false, rule, line: 0 }
    }

    fn rule(&mut self) -> Marker {
        let name = self.name("rule");
        self.marker(rule(text(format!("self == self || '{name}' == ''"))))
    }

    /// Up to so many rules of its own.
    fn rules(&mut self, most: usize) -> Vec<Marker> {
        (0..self.random.below(most + 1)).map(|_| self.rule()).collect()
    }

    fn type_channels(&mut self) -> ChannelSet {
        if self.random.one_in(4) { ChannelSet::from(Channel::Experimental) } else { ChannelSet::ALL }
    }

    fn an_enum(&mut self) {
        let variants: Vec<Variant> = (0..1 + self.random.below(5))
            .map(|_| {
                let name = self.name("Value");
                Variant {
                    name,
                    wire_name: name,
                    aliases: &[],
                    description: "A value.",
                    channels: self.channels(),
                    experimental: None,
                    markers: &[],
                    line: 0,
                }
            })
            .collect();
        let (markers, channels) = (self.rules(1), self.type_channels());
        let open = self.random.one_in(4);
        let number = self.build(Shape::Enum { variants: leak(variants), open }, markers, channels);
        self.enums.push(number);
    }

    fn a_newtype(&mut self) {
        let mut markers = self.rules(2);
        let channels = self.type_channels();
        if self.random.one_in(3) && !self.structs.is_empty() {
            let number = *self.random.pick(&self.structs);
            let inner = self.named(number);
            let number = self.build(Shape::Newtype(TypeRef::List(Box::leak(Box::new(inner)))), markers, channels);
            self.lists.push(number);
        } else {
            for channel in Channel::ALL {
                // One limit of each kind in each channel at most.
                if self.random.one_in(2) {
                    let limit = Rule::MaxLength(self.random.between(100, 200));
                    markers.push(Marker { channels: ChannelSet::only(channel), items: false, rule: limit, line: 0 });
                }
            }
            let number = self.build(Shape::Newtype(TypeRef::String), markers, channels);
            self.strings.push(number);
        }
    }

    fn reference(&mut self) -> TypeRef {
        let named: Vec<usize> =
            [&self.structs, &self.enums, &self.strings, &self.lists].into_iter().flatten().copied().collect();
        match self.random.below(6) {
            0 => TypeRef::String,
            1 => TypeRef::Integer { rust: "i32", format: Some("int32") },
            2 => TypeRef::List(Box::leak(Box::new(self.reference()))),
            3 => TypeRef::Map(&TypeRef::String, Box::leak(Box::new(self.reference()))),
            _ if named.is_empty() => TypeRef::Boolean,
            _ => {
                let number = *self.random.pick(&named);
                self.named(number)
            }
        }
    }

    fn a_struct(&mut self) -> usize {
        let mut fields = Vec::new();
        for _ in 0..1 + self.random.below(5) {
            let wire_name = self.name("field");
            let free: Vec<usize> =
                self.structs.iter().copied().filter(|number| !self.flattened.contains(number)).collect();
            let flatten = !free.is_empty() && self.random.one_in(6);
            let (kind, markers, channels) = if flatten {
                let number = *self.random.pick(&free);
                // What is flattened in the flattened struct counts as well.
                self.flattened.insert(number);
                (self.named(number), Vec::new(), ChannelSet::ALL)
            } else {
                (self.reference(), self.rules(2), self.channels())
            };
            fields.push(Field {
                name: wire_name,
                aliases: &[],
                wire_name,
                description: "A field.",
                kind,
                presence: if self.random.one_in(2) { Presence::Required } else { Presence::Optional },
                nullable: false,
                flatten,
                rust_default: None,
                channels,
                experimental: None,
                markers: leak(markers),
                line: 0,
            });
        }
        let (markers, channels) = (self.rules(2), self.type_channels());
        let number = self.build(Shape::Struct(leak(fields)), markers, channels);
        self.structs.push(number);
        number
    }

    /// A random struct around random types.
    fn tree(&mut self) -> &'static TypeDescriptor {
        for _ in 0..2 + self.random.below(20) {
            match self.random.below(5) {
                0 => self.an_enum(),
                1 => self.a_newtype(),
                _ => {
                    self.a_struct();
                }
            }
        }
        let number = self.a_struct();
        self.built[number]
    }
}

fn rule(rule: &'static str) -> Rule {
    Rule::XValidation(XValidation {
        field_path: None,
        message: Some("message"),
        message_expression: None,
        optional_old_self: None,
        reason: None,
        rule,
    })
}

#[test]
fn random_types_are_projected_as_they_say() {
    let (mut removed, mut kept) = (0, 0);
    for seed in 0..400 {
        let mut random = Dice::new(seed);
        let descriptor = TypeMaker::new(&mut random).tree();
        let mut all = Vec::new();
        for channel in Channel::ALL {
            let schema = schema_of(descriptor, channel).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}"));
            let (expected, found) = both(descriptor, &schema, channel);
            equal(&expected, &found, &format!("seed {seed}, {channel}, {descriptor:#?}"));
            for (path, facts) in &found {
                assert!(facts.required.is_subset(&facts.properties), "seed {seed}, {channel} at {path}: {facts:?}");
            }
            all.push(found);
        }
        let either: BTreeSet<&String> = all.iter().flat_map(BTreeMap::keys).collect();
        kept += all.iter().map(BTreeMap::len).sum::<usize>();
        removed += all.iter().map(|paths| either.len() - paths.len()).sum::<usize>();
    }
    println!("{kept} places kept, {removed} removed");
    assert!(kept > 5_000 && removed > 2_000);
}
